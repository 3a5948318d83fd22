// The standings of a tournament as a table.

import { el } from "./dom.js";

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

/** Return a table of players, best first. Columns in which nobody has anything are left out if they are of errors or byes. */
export function standings(table, format) {
  const columns = COLUMNS.filter(([name, value]) => !["Byes", "Errors"].includes(name) || table.lines.some(value));
  const order = format === "swiss" ? "by points" : "by rating";
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Standings: ${table.table}` },
    el("table", { class: "list" },
      el("caption", {}, table.table.replaceAll("_", " "), el("span", { class: "hint" }, ` ${order}`)),
      el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "number" }, "#"), el("th", { scope: "col" }, "Player"),
        ...columns.map(([name]) => el("th", { scope: "col", class: "number" }, name)))),
      el("tbody", {}, ...table.lines.map((line, place) => el("tr", {},
        el("td", { class: "number" }, String(place + 1)), el("th", { scope: "row" }, line.player),
        ...columns.map(([, value]) => el("td", { class: "number" }, String(value(line)))))))));
}
