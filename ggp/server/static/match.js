// A match: played, watched, stepped through.

import { Ahead } from "./ahead.js";
import { get, post } from "./api.js";
import { Belief } from "./belief.js";
import { Board } from "./board.js";
import { chart } from "./chart.js";
import { byId, counted, el, enableControls, fault, said } from "./dom.js";
import { Ease } from "./ease.js";
import { drawFacts, drawNotes } from "./facts.js";
import "./how.js";
import { drawChoose, drawList, drawRoles } from "./moves.js";
import { outcome, Reason } from "./outcome.js";
import { Picking } from "./picking.js";
import { Seats } from "./seats.js";
import { latestThoughts, thoughtItem } from "./thoughts.js";
import { ValueParts } from "./value.js";
import { explaining } from "./why.js";

const id = decodeURIComponent(location.pathname.split("/")[2]);
const base = `/api/matches/${encodeURIComponent(id)}`;
const seats = new Seats(id);

let game = null;
let state = null;
let board = null;
let ahead = null;
let ease = null;
let reason = null;
let belief = null;
let value = null; // where the game has learned values
let position = null;
let shown = 0; // the ply that is displayed
let follows = true; // true while new plies are displayed as they come
let moves = []; // the joint moves so far
let thoughts = [];
let picking = null;
let role = null; // the role whose moves are made here
let request = 0;
let stream = null;

// ---------------------------------------------------------------------------------------- loading

async function load() {
  const before = state;
  const found = await get(base + seats.query(seat()));
  const fresh = game === null;
  game = found.game;
  if (fresh) {
    board = new Board(byId("board"), game, clicked);
    ahead = new Ahead(board, game, `${base}/after`);
    ease = new Ease(board);
    belief = new Belief(base, () => { place(); draw(); });
    value = game.values ? new ValueParts(board) : null;
    reason = new Reason(board, `${base}/reason`, byId("reason"));
    const wanted = new URLSearchParams(location.search).get("ply");
    follows = wanted === null;
    shown = wanted === null ? found.state.plies : Math.min(Number(wanted) || 0, found.state.plies);
    byId("record").href = `${base}/record`;
    byId("analyse").href = `/analyse/${encodeURIComponent(id)}`;
    byId("again").href = `/new/${found.state.game.split("/").map(encodeURIComponent).join("/")}`;
  }
  if (state === before) state = found.state; // a state that the stream sent in the meantime is newer
  await Promise.all([loadMoves(), loadThoughts()]);
  enableControls();
  await take(state);
}

const loadMoves = async () => { moves = whole() ? (await get(`${base}/moves`)).moves : []; };
const loadThoughts = async () => { thoughts = whole() ? (await get(`${base}/thoughts`)).thoughts : []; };

function listen() {
  stream?.close();
  stream = new EventSource(`${base}/events${seats.query(seat())}`);
  let lost = false;
  stream.onmessage = ({ data }) => take(JSON.parse(data)).catch(trouble);
  stream.onerror = () => {
    if (state?.source && state.result !== "running") return stream.close(); // a host sends nothing after the end
    lost = true;
    byId("status").textContent = "The server does not answer; reconnecting …";
    // A refused stream is not reopened automatically, unlike a lost connection.
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
  };
  stream.onopen = () => {
    if (lost) load().catch(trouble);
    lost = false;
  };
}

/** Take in a new state of the match. */
async function take(news) {
  const before = state;
  state = news;
  if (before && whole()) {
    if (news.plies === moves.length + 1 && news.last.length) moves.push(news.last);
    else if (news.plies !== moves.length) await loadMoves();
    if (news.thoughts !== before.thoughts || news.plies < before.plies) await loadThoughts();
  }
  if (follows || shown > reach()) shown = reach();
  const changed = !position || position.ply !== shown || (before && (before.plies !== news.plies || before.view !== news.view));
  if (changed) await look();
  else draw();
}

/** Display the current ply. */
async function look() {
  const mine = ++request;
  const found = await get(`${base}/plies/${shown}${seats.query(seat())}`);
  if (mine !== request) return; // another ply was requested in the meantime
  position = found;
  place();
  draw();
  if (state.view === "own") belief.ask(shown, seats.query(seat()));
}

/** Put the position on the board, with what is likely where the role does not see everything. */
function place() {
  const put = state.view === "own" ? belief.on(position) : position;
  board.show(put);
  byId("words").textContent = game.width ? board.inWords(put) : "";
}

function trouble(error) {
  byId("trouble").textContent = error?.message ?? "";
}

// ---------------------------------------------------------------------------------------- navigation

function go(ply) {
  ply = Math.max(0, Math.min(reach(), ply));
  follows = ply === reach() && state.result === "running";
  shown = ply;
  const address = new URL(location.href);
  if (follows) address.searchParams.delete("ply");
  else address.searchParams.set("ply", ply);
  history.replaceState(null, "", address);
  look().catch(trouble);
}

/** Return the role that the address names. */
const seat = () => new URLSearchParams(location.search).get("as");
/** Return true if everything may be seen: not while a person plays who does not see everything. */
const whole = () => state.view === "whole";
/** Return the last ply that may be seen. */
const reach = () => (state.view === "public" ? 0 : state.plies);
const atEnd = () => shown === reach();

/** Return the roles that have to move now, and that this page may move. */
function asked() {
  const wanted = state.role || seat();
  if (state.result !== "running" || !atEnd() || !position || position.ply !== state.plies) return [];
  return state.waiting.filter((one) => (!wanted || wanted === one) && seats.may(one, state));
}

// ---------------------------------------------------------------------------------------- drawing

function draw() {
  document.title = `${state.title}: ply ${shown}`;
  byId("title").textContent = state.title;
  byId("where").textContent = state.view === "public" ? counted(state.plies, "ply", "plies") : `${shown} / ${state.plies}`;
  byId("first").disabled = byId("prev").disabled = shown === 0;
  byId("next").disabled = byId("last").disabled = atEnd();
  const human = Object.values(state.players).includes("human") && !state.source;
  byId("undo").hidden = !(human && !game.hidden && state.result === "running" && state.plies > 0);
  byId("resign").hidden = asked().length !== 1;
  byId("end").hidden = !(state.result === "running" && !state.source);
  byId("analyse").hidden = state.result === "running" || game.explains === false; // a host has no analyses
  byId("record").hidden = byId("facts-card").hidden = !whole();
  byId("why-card").hidden = game.explains === false || !whole();
  byId("again").hidden = state.result === "running" || Boolean(state.source);
  ease.news(state, game);
  seats.show(state);
  byId("history-card").hidden = state.view === "public";
  if (game.explains !== false) reason.show(state, atEnd());
  belief.draw(state, game);
  drawValue();
  drawPlayers();
  drawStatus();
  drawNotes(notes());
  drawMoves();
  drawThoughts();
  drawHistory();
  drawFacts(position);
}

function drawPlayers() {
  byId("players").replaceChildren(...game.roles.map((one) => {
    const goal = state.goals[state.record_roles.indexOf(one)];
    const waits = state.waiting.includes(one);
    return el("div", { class: `player${waits ? " waits" : ""}` },
      el("span", { class: `chip p-${game.colours[one]}`, "aria-hidden": "true" }),
      el("span", { class: "role-name" }, one),
      el("span", { class: "who" }, state.players[one] ?? ""),
      (waits || thinks(one)) && state.until ? el("span", { class: "clock", "data-until": state.until }, "") : null,
      goal !== undefined && goal !== null ? el("span", { class: "goal" }, String(goal)) : null);
  }));
  tick();
}

/** Return true if a program has a choice now, as far as it may be seen. */
function thinks(one) {
  const now = whole() && state.result === "running" && position?.ply === state.plies && state.players[one] !== "human";
  return now && (position.choices[one]?.length ?? 0) > 1;
}

function tick() {
  for (const clock of document.querySelectorAll(".clock")) {
    const left = Math.max(0, Number(clock.dataset.until) - Date.now() / 1000);
    clock.textContent = left >= 60 ? `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}` : `${Math.ceil(left)} s`;
    clock.classList.toggle("short", left < 10);
  }
}
setInterval(tick, 250);

function statusText() {
  if (state.error) return state.error;
  if (position?.fault) return position.fault;
  if (state.view === "public") return "Being played; what happens is shown when it is over.";
  if (!atEnd()) return `Looking back at ply ${shown}`;
  if (state.result === "running") {
    if (asked().length) return `Your move: ${asked().join(", ")}`;
    if (state.source) return "Being played elsewhere";
    if (!whole()) return "Waiting for the others …";
    if (state.waiting.length) return `${state.waiting.join(", ")} to move`;
    const programs = game.roles.filter((one) => state.players[one] !== "human").map((one) => state.players[one]);
    const doing = state.plies ? "thinking" : "getting ready";
    return programs.length ? `${[...new Set(programs)].join(" and ")} ${doing} …${compiling()}` : "…";
  }
  return outcome(state, game, seat());
}

/** Return what the compilation for the programs is doing. */
const compiling = () => (state.doing ? ` (compiling the rules: ${state.doing})` : "");

function drawStatus() {
  const status = byId("status");
  status.textContent = statusText();
  status.classList.toggle("mine", asked().length > 0);
  if (asked().length && state.doing) status.append(el("span", { class: "hint" }, ` The programs get ready${compiling()}.`));
  const errors = (position?.errors ?? []).map((error, i) => (error ? `${state.record_roles[i] ?? ""} ${fault(error)}` : "")).filter(Boolean);
  if (errors.length) status.append(el("span", { class: "slip" }, ` (played at random: ${errors.join("; ")})`));
}

/** Return what is said below the board: facts that are on no board, and what a role knows. */
function notes() {
  const saw = position.told?.at(-1)?.saw ?? [];
  const stale = position.told?.length && Object.keys(position.names).length;
  return [...position.notes, ...(saw.length ? [["You saw", saw.map(said)]] : []), ...(stale ? [["The board", [state.view === "own" && belief.on(position).likely ? `what is likely for ${state.role}` : `as ${state.role} has last seen it`]]] : [])];
}

function drawHistory() {
  if (!byId("history-card").open) return;
  const list = byId("history");
  byId("history-title").textContent = whole() ? "Move history" : `What ${state.role} did and saw`;
  const items = !whole() ? seenItems() : moves.map((joint, i) => {
    const chosen = joint.map((move, number) => [state.record_roles[number], move]).filter(([, move]) => move.startsWith("("));
    const text = (chosen.length ? chosen : joint.map((move, number) => [state.record_roles[number], move]))
      .map(([one, move]) => (chosen.length === 1 ? said(move) : `${one} ${said(move)}`)).join(", ");
    const colour = chosen.length === 1 ? game.colours[chosen[0][0]] : null;
    return el("li", {}, el("button", { class: shown === i + 1 ? "here" : "", "aria-current": shown === i + 1 ? "step" : null, onclick: () => go(i + 1) },
      colour ? el("span", { class: `chip p-${colour}`, "aria-hidden": "true" }) : null, text));
  });
  list.replaceChildren(...(items.length ? items : [el("li", { class: "plain hint" }, "No move has been made yet.")]));
  const here = list.querySelector(".here");
  if (here) list.scrollTop = Math.max(0, here.offsetTop - list.offsetTop - list.clientHeight / 2);
}

/** Return what a role did and saw as items, one for each ply. */
function seenItems() {
  return (position.told ?? []).map(({ move, saw }, i) =>
    el("li", {}, el("button", { class: shown === i + 1 ? "here" : "", "aria-current": shown === i + 1 ? "step" : null, onclick: () => go(i + 1) },
      el("span", {}, said(move)), saw.length ? el("span", { class: "saw" }, `you saw ${saw.map(said).join(", ")}`) : null)));
}

/** Show what the value is made of, unless it would help somebody who plays. */
function drawValue() {
  const { ply } = position;
  value?.over(state.contested || !whole() ? null : String(ply), () => get(`${base}/values/${ply}`));
}

function drawThoughts() {
  byId("thoughts-card").hidden = !thoughts.length;
  if (!thoughts.length) return;
  const curve = chart(thoughts, game.colours, state.plies, shown, go);
  byId("chart").replaceChildren(...(curve ? [curve] : []));
  byId("thoughts").replaceChildren(...latestThoughts(thoughts, shown).map((thought) => thoughtItem(thought, game.colours)));
}

// ---------------------------------------------------------------------------------------- moves

function drawMoves() {
  const roles = asked();
  if (!roles.includes(role)) role = roles[0] ?? null;
  const choices = role ? position.choices[role] ?? [] : [];
  if (!picking || picking.ply !== position.ply || picking.role !== role || !role) {
    picking = new Picking(choices);
    picking.ply = position.ply;
    picking.role = role;
    byId("search").value = "";
  }
  drawRoles(roles, role, (one) => { role = one; drawMoves(); });
  board.hint(role ? { sources: picking.sources(), chosen: picking.chosen, targets: picking.chosen.length ? picking.next() : new Set() } : {}, Boolean(role));
  drawChoose(picking, play);
  list();
  ahead.over(position, role);
}

function list() {
  byId("moves-card").hidden = Boolean(position.terminal) || !role;
  if (!role) return;
  // Whoever does not see everything is not told why something is legal.
  const why = whole() ? (move) => explain(`(legal ${role} ${move})`) : null;
  drawList(position.choices[role] ?? [], picking, { more: position.more[role], choose: play, why });
}

function clicked(key) {
  if (!role || !picking) return;
  const move = picking.click(key);
  if (move) play(move);
  else drawMoves();
  if (byId("board").contains(document.activeElement)) board.focus(key);
}

async function play(move) {
  trouble(null);
  const mine = { role, ply: state.plies + 1, move };
  role = null;
  picking.chosen = [];
  board.hint({}, true);
  try {
    await post(`${base}/move`, { ...mine, ...seats.proof(mine.role) });
  } catch (error) {
    trouble(error);
    draw();
  }
}

byId("search").addEventListener("input", list);

// ---------------------------------------------------------------------------------------- taking back moves, ending the match

/** Return the ply before the last choice of a person. */
function before() {
  const people = state.record_roles.map((one) => state.players[one] === "human");
  for (let ply = moves.length - 1; ply > 0; ply -= 1) {
    if (moves[ply].some((move, i) => people[i] && move.startsWith("("))) return ply;
  }
  return 0;
}

byId("undo").addEventListener("click", () => {
  follows = true;
  post(`${base}/back`, { ply: before(), ...seats.proof() }).catch(trouble);
});
byId("resign").addEventListener("click", () => {
  const [one] = asked();
  if (one && confirm(`Resign as ${one}?`)) post(`${base}/resign`, { role: one, ...seats.proof(one) }).catch(trouble);
});
byId("end").addEventListener("click", () => {
  if (confirm("End this match for everyone?")) post(`${base}/end`, seats.proof()).catch(trouble);
});

// ---------------------------------------------------------------------------------------- explanations

const explain = explaining((atom) => post(`${base}/explain`, { ply: shown, atom }));

// ---------------------------------------------------------------------------------------- keyboard

byId("first").addEventListener("click", () => go(0));
byId("prev").addEventListener("click", () => go(shown - 1));
byId("next").addEventListener("click", () => go(shown + 1));
byId("last").addEventListener("click", () => go(state.plies));
byId("facts-card").addEventListener("toggle", () => drawFacts(position));
byId("history-card").addEventListener("toggle", drawHistory);

document.addEventListener("keydown", (event) => {
  if (!state || event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea, pre")) return;
  const ways = { Home: () => go(0), End: () => go(state.plies), ArrowLeft: () => go(shown - 1), ArrowRight: () => go(shown + 1) };
  if (ways[event.key]) {
    event.preventDefault();
    ways[event.key]();
  } else if (event.key === "Escape" && picking?.chosen.length) {
    picking.chosen = [];
    drawMoves();
  }
});

load().then(listen).catch((error) => {
  byId("status").textContent = error.message;
  if (error.status === 0 || error.status === 503) setTimeout(() => location.reload(), 3000);
});
