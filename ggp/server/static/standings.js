// The standings of a tournament as a table.

import { el } from "./dom.js";

/** @type {[string, (line: any) => any][]} the name of each, and what a player has in it */
const COLUMNS = [
  ["Points", (line) => line.points],
  ["Matches", (line) => line.matches],
  ["Byes", (line) => line.byes],
  ["Won", (line) => line.wins],
  ["Drawn", (line) => line.draws],
  ["Lost", (line) => line.losses],
  ["Mean goal", (line) => (line.mean_goal === null ? "" : line.mean_goal.toFixed(1))],
  ["Rating", (line) => (line.rating ? `${line.rating.elo >= 0 ? "+" : "−"}${Math.abs(line.rating.elo).toFixed(0)}` : "")],
  ["Errors", (line) => line.late + line.illegal + line.crashes],
];

/** Return a table of players with a title, best first. Columns in which nobody has anything are left out if they are of errors or byes. */
export function standings(table, format, title) {
  const columns = COLUMNS.filter(([name, value]) => !["Byes", "Errors"].includes(name) || table.lines.some(value));
  const order = format === "swiss" ? "by points" : "by rating";
  return framed(`Standings: ${title}`,
    el("caption", {}, title, el("span", { class: "hint" }, ` ${order}`)),
    ["#", "Player", ...columns.map(([name]) => name)],
    table.lines.map((line, place) => [place + 1, line.player, ...columns.map(([, value]) => value(line))]));
}

/** Return a table of the mean goals of several matches between the same players. */
export function means(roles) {
  return framed("Mean goals", el("caption", {}, "Mean goals"), ["Role", "Player", "Matches", "Mean goal"],
    roles.map(({ role, player, matches, mean_goal: goal }) => [role, player, matches, goal === null ? "" : goal.toFixed(1)]));
}

/** Return a table whose second column names the rows. Numbers, and all columns after the second, are at the right. */
function framed(label, caption, heads, rows) {
  const kind = (place, cell) => (place > 1 || typeof cell === "number" ? "number" : null);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    el("table", { class: "list" }, caption,
      el("thead", {}, el("tr", {}, ...heads.map((head, place) => el("th", { scope: "col", class: kind(place, rows[0]?.[place]) }, head)))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((cell, place) =>
        (place === 1 ? el("th", { scope: "row" }, String(cell)) : el("td", { class: kind(place, cell) }, String(cell)))))))));
}
