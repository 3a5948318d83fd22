// The page of a host: what is played, the standings, and the results, as they come.

import { byId, counted, el } from "./dom.js";
import { goalsOf, LiveBoard, nameOf, pathOf } from "./live.js";
import { means, standings } from "./standings.js";

const BOARDS = 12; // the most boards of matches under way
const LEAST = 4; // matches that are over keep their boards while there are no more than these
const QUIET = 20000; // milliseconds without news after which the host is asked whether it is still there
const AGAIN = 3000;

let news = null;
let stream = null;
let heard = Date.now();
let lostSince = null;
const boards = new Map();
const known = new Map(); // the matches by their identifiers

// ---------------------------------------------------------------------------------------- the connection

function listen() {
  stream?.close();
  stream = new EventSource("/events");
  stream.onopen = () => { heard = Date.now(); found(); };
  stream.onmessage = ({ data }) => {
    heard = Date.now();
    take(JSON.parse(data));
    found();
    show();
    if (settled()) stream.close(); // all is said; the host may end now
  };
  stream.onerror = () => {
    if (settled()) return;
    lost();
    // A refused stream is not reopened automatically, unlike a lost connection.
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN);
  };
}

/** Take in news: all of it at first, and then what has changed. */
function take({ matches, order, ...fields }) {
  for (const match of matches) known.set(match.matchId, match);
  news = { ...news, ...fields, matches: order.map((id) => known.get(id)) };
}

const settled = () => news?.over && news.matches.every((match) => match.result !== "running");

function lost() {
  lostSince ??= new Date();
  const time = lostSince.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const box = byId("lost");
  const text = `Connection lost at ${time}: the host does not answer. What you see is the last that is known. Trying again …`;
  if (box.textContent !== text) box.textContent = text;
  box.hidden = false;
}

function found() {
  lostSince = null;
  byId("lost").hidden = true;
  byId("lost").textContent = "";
}

// A machine that vanishes closes no connection, so a long silence is looked into.
setInterval(async () => {
  if (settled() || Date.now() - heard < QUIET) return;
  try {
    await fetch("/matches", { signal: AbortSignal.timeout(QUIET / 2), cache: "no-store" });
    heard = Date.now();
    if (lostSince) listen();
  } catch {
    lost();
  }
}, QUIET / 4);

// ---------------------------------------------------------------------------------------- drawing

function show() {
  const title = words(news.title) || "Matches";
  document.title = title;
  byId("title").textContent = title;
  byId("about").textContent = about();
  say("status", statusText());
  const over = news.matches.filter((match) => match.result !== "running");
  if (over.length) say("latest", `Latest: ${resultText(over[0])}`);
  showBoards();
  // The table of all games, which is the last one, matters most.
  const tables = (news.tables ?? []).map((table) => standings(table, news.format, words(table.table))).reverse();
  if (news.means) tables.push(means(news.means));
  part("standings", tables);
  part("waiting", (news.waiting ?? []).map(waitingItem));
  part("results", over.length ? [results(over)] : []);
}

/** Replace a text only if it has changed, because it is read out each time. */
function say(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

function part(name, children) {
  byId(`${name}-part`).hidden = !children.length;
  const box = byId(name);
  const made = el("div", {}, ...children);
  // What has the focus stays, unless it has changed.
  if (box.innerHTML !== made.innerHTML) box.replaceChildren(...made.childNodes);
}

/** Return the title of a game, or another name with blanks for underscores. */
const words = (name) => news.titles?.[name] ?? (name ?? "").replaceAll("_", " ");

function about() {
  const format = news.format === "swiss" ? `Swiss, ${counted(news.rounds, "round", "rounds")}` : news.format ? "Round robin" : "";
  const clocks = [["start", news.start_clock], ["play", news.play_clock]].filter(([, seconds]) => seconds).map(([name, seconds]) => `${name} clock ${seconds} s`);
  const games = (news.games ?? []).map(words).join(", ");
  return [games, format, ...clocks].filter(Boolean).join(" · ");
}

function statusText() {
  const done = news.tables ? news.played : news.matches.filter((match) => match.result !== "running").length;
  if (settled()) return overText();
  const running = news.matches.filter((match) => match.result === "running").length;
  const round = news.format === "swiss" ? `Round ${news.round} of ${news.rounds}: ` : "";
  return `${round}${done} of ${counted(news.total, "match", "matches")} played, ${running ? `${running} under way` : "the next begins soon"}.`;
}

/** Return how it all ended, in a sentence. */
function overText() {
  const table = news.tables?.at(-1);
  if (!table) return news.total === 1 && news.matches.length ? resultText(news.matches[0]) : `All ${counted(news.matches.length, "match is", "matches are")} over.`;
  const rank = ({ points, rating }) => (news.format === "swiss" ? points : Math.round(rating?.elo ?? 0));
  const best = table.lines.filter((line) => rank(line) === rank(table.lines[0])).map((line) => line.player);
  const points = counted(table.lines[0].points, "point", "points");
  if (best.length === 1) return `The tournament is over: ${best[0]} has won with ${points}.`;
  return `The tournament is over: ${best.slice(0, -1).join(", ")} and ${best.at(-1)} share the first place.`;
}

/** Return the result of a match in a sentence. */
function resultText(match) {
  const sides = match.gameRoleNames.map((role, place) => {
    const goal = match.goalValues?.[place];
    return `${nameOf(match, place)} (${role})${goal == null ? "" : ` ${goal}`}`;
  }).filter((text, place) => match.gameRoleNames[place] !== "random").join(", ");
  const ended = { finished: "is over", unfinished: "ended at the ply limit", disqualified: "ended by disqualification", resigned: "ended by resignation", stuck: "is stuck, because its rules failed", aborted: "was broken off" };
  return `${words(match.gameName) || "the match"} ${ended[match.result] ?? match.result} after ${counted(match.plies, "ply", "plies")}: ${sides}.`;
}

function showBoards() {
  const running = news.matches.filter((match) => match.result === "running").slice(0, BOARDS);
  const recent = news.matches.filter((match) => match.result !== "running").slice(0, Math.max(0, LEAST - running.length));
  const shown = [...running, ...recent];
  const ids = new Set(shown.map((match) => match.matchId));
  byId("boards-part").hidden = !shown.length;
  for (const [id, board] of boards) {
    if (ids.has(id)) continue;
    board.item.remove();
    boards.delete(id);
  }
  shown.forEach((match, place) => {
    if (!boards.has(match.matchId)) boards.set(match.matchId, new LiveBoard());
    const board = boards.get(match.matchId);
    const there = byId("boards").children[place];
    // Moving an element would take the focus from it.
    if (there !== board.item) byId("boards").insertBefore(board.item, there ?? null);
    board.show(match, words(match.gameName));
  });
}

function waitingItem(match) {
  return el("li", {}, el("span", { class: "hint" }, `${words(match.game)}: `), [...new Set(match.players)].join(" – "));
}

function results(over) {
  const rows = over.map((match) => el("tr", {},
    el("th", { scope: "row" }, el("a", { href: pathOf(match) }, match.gameRoleNames.map((role, place) => (role === "random" ? null : nameOf(match, place))).filter(Boolean).join(" – "))),
    el("td", { class: "number" }, goalsOf(match)),
    el("td", {}, words(match.gameName)),
    el("td", {}, match.result),
    el("td", { class: "number" }, String(match.plies))));
  const heads = [["Players", ""], ["Goals", "number"], ["Game", ""], ["Result", ""], ["Plies", "number"]];
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of results" },
    el("table", { class: "list" },
      el("caption", {}, over.length < news.played ? `Newest first: the last ${over.length} of ${news.played}` : "Newest first"),
      el("thead", {}, el("tr", {}, ...heads.map(([text, kind]) => el("th", { scope: "col", class: kind || null }, text)))),
      el("tbody", {}, ...rows)));
}

listen();
