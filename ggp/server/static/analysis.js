// The analysis of a match: any line of moves from its start, with variations and comments.

import { get, post } from "./api.js";
import { Board } from "./board.js";
import { byId, el, enableControls } from "./dom.js";
import { said } from "./saying.js";
import { drawFacts, drawNotes } from "./facts.js";
import "./how.js";
import { drawList, drawRoles } from "./moves.js";
import { Picking } from "./picking.js";
import { drawPicking } from "./pool.js";
import { Evaluations } from "./evaluation.js";
import { curve, drawEvaluation, inWords, kindOf, sign } from "./evaluationview.js";
import { learn, learnWords } from "./saying.js";
import { Tree } from "./tree.js";
import { drawTree } from "./treeview.js";
import { savesPicture } from "./picture.js";
import { positionText } from "./positiontext.js";
import { ValueParts } from "./value.js";
import { explaining } from "./why.js";

const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const base = `/api/analyses/${encodeURIComponent(id)}`;
const KEPT = 300; // positions
const THINKING = 20; // seconds for a position
const HINTING = 2;
const ARROWS = 3; // of the best moves
const PAUSE = 600; // milliseconds until changes are kept

let about = null;
let tree = null;
let board = null;
let value = null; // where the game has learned values
let here = null; // the position in the tree that is displayed
let position = null;
let picking = null;
let role = null; // the role whose move is chosen next
let chosen = new Map(); // the moves of this ply that are chosen already, by role
let request = 0;
let keeping = null;
let following = false; // true while every position that is displayed is evaluated
let hinted = null; // the position whose best move is shown
const evaluations = new Evaluations(base, drawEvaluations);
const positions = new Map();
const latest = new WeakMap(); // the continuation that was visited last

// ---------------------------------------------------------------------------------------- loading

async function begin() {
  const wanted = new URLSearchParams(location.search);
  const { id: made } = await post("/api/analyses", Object.fromEntries(wanted));
  location.replace(`/analyse/${encodeURIComponent(made)}`);
}

async function load() {
  about = await get(base);
  learnWords(about.words);
  tree = new Tree(about.moves, about.variations);
  evaluations.restore(about.evaluations, about.moves);
  board = new Board(byId("board"), about.game, clicked);
  savesPicture(byId("picture"), board, () => `${id}-${here.ply}`);
  value = about.game.values ? new ValueParts(board) : null;
  byId("title").textContent = `Analysis: ${about.title}`;
  document.title = `Analysis: ${about.title}`;
  byId("record").href = `/api/matches/${encodeURIComponent(id)}/record`;
  byId("warning").hidden = !about.game.hidden;
  byId("warning").textContent = "In this game the roles do not see everything. An analysis shows the whole state, and every role's moves.";
  const ply = Number(new URLSearchParams(location.search).get("ply")) || 0;
  const line = tree.match();
  await go(line[Math.min(ply, line.length - 1)]);
  enableControls();
}

/** Return a position, from the server if it is not known. */
async function look(node) {
  const line = node.line();
  const key = JSON.stringify(line);
  if (!positions.has(key)) {
    if (positions.size >= KEPT) positions.delete(positions.keys().next().value);
    positions.set(key, await post(`${base}/position`, { moves: line }));
  }
  return positions.get(key);
}

async function go(node) {
  const mine = ++request;
  trouble(null);
  here = node;
  for (let one = node; one.parent; one = one.parent) latest.set(one.parent, one);
  const address = new URL(location.href);
  if (node.played) address.searchParams.set("ply", node.ply);
  else address.searchParams.delete("ply");
  history.replaceState(null, "", address);
  const found = await look(node);
  if (mine !== request) return;
  position = found;
  learn(found);
  chosen = new Map();
  picking = null;
  board.show(position);
  draw();
  if (following && !evaluations.several) evaluate();
}

function trouble(error) {
  byId("trouble").textContent = error?.message ?? "";
}

const visit = (node) => go(node).catch(trouble);

// ---------------------------------------------------------------------------------------- drawing

function draw() {
  byId("where").textContent = `ply ${here.ply}`;
  byId("first").disabled = byId("prev").disabled = !here.parent;
  byId("next").disabled = byId("last").disabled = !here.children.length;
  byId("remove").disabled = here.played;
  byId("promote").disabled = !beside(here);
  if (document.activeElement !== byId("comment")) byId("comment").value = here.comment;
  drawPlayers();
  drawStatus();
  drawNotes(position.notes, about.game.colours);
  drawMoves();
  drawFacts(position);
  drawPositionText(position, about);
  const moves = here.line();
  value?.over(JSON.stringify(moves), () => post(`${base}/value`, { moves }));
  drawEvaluations();
}

/** Return true if a position is in a line that is not the preferred one. */
const beside = (node) => Boolean(node.parent) && (!node.first || beside(node.parent));

function drawPlayers() {
  byId("players").replaceChildren(...about.roles.map((one) => el("div", { class: "player" },
    el("span", { class: `chip p-${about.game.colours[one]}`, "aria-hidden": "true" }),
    el("span", { class: "role-name" }, one),
    el("span", { class: "who" }, about.players[one] ?? ""),
    position.terminal && position.goals[one] != null ? el("span", { class: "goal" }, String(position.goals[one])) : null)));
}

function drawStatus() {
  const status = byId("status");
  const listed = Object.entries(position.goals).filter(([, goal]) => goal !== null).map(([one, goal]) => `${one} ${goal}`).join(", ");
  const roles = movers();
  if (position.fault) status.textContent = position.fault;
  else if (position.terminal) {
    status.replaceChildren(`The game is over: ${listed} `, el("button", { class: "ask", onclick: () => explain("terminal") }, "Why?"));
  } else if (roles.length > 1) status.textContent = `At the same time: ${roles.map((one) => (chosen.has(one) ? `${one} ${said(chosen.get(one))}` : one)).join(", ")}`;
  else status.textContent = roles.length ? `${roles[0]} to move` : "Every role has one move";
}

// ---------------------------------------------------------------------------------------- moves

/** Return the roles that have a choice; if none has, a role that does more than pass, or else the first one. */
function movers() {
  const able = about.roles.filter((one) => position.choices[one]?.length);
  const choosing = able.filter((one) => position.choices[one].length > 1);
  if (choosing.length) return choosing;
  const active = able.filter((one) => position.choices[one][0].move.startsWith("("));
  return (active.length ? active : able).slice(0, 1);
}

function drawMoves() {
  const roles = movers();
  if (!roles.includes(role) || chosen.has(role)) role = roles.find((one) => !chosen.has(one)) ?? roles[0] ?? null;
  const choices = role ? position.choices[role] : [];
  if (!picking || picking.role !== role) {
    picking = new Picking(choices);
    picking.role = role;
    byId("search").value = "";
  }
  drawRoles(roles, role, (one) => { chosen.delete(one); role = one; drawMoves(); });
  drawPicking(board, role ? picking : null, position.words, { playable: Boolean(role), choose, changed: drawMoves });
  list();
}

function list() {
  byId("moves-card").hidden = !role;
  if (!role) return;
  const why = (move) => explain(`(legal ${role} ${move})`);
  drawList(position.choices[role] ?? [], picking, { more: position.more[role], chosen: chosen.get(role), choose, why });
}

function clicked(key) {
  if (!role || !picking) return;
  const move = picking.click(key);
  if (move) choose(move);
  else drawMoves();
  // After a click, the arrow keys step through the match; people at the keyboard go on between cells.
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  if (!byId("board").contains(focused)) return;
  if (focused.matches(":focus-visible")) board.focus(key);
  else focused.blur();
}

/** Take in the move of a role. When every role has one, the joint move is made. */
function choose(move) {
  chosen.set(role, move);
  picking = null;
  const left = movers().filter((one) => !chosen.has(one));
  if (left.length) {
    role = left[0];
    drawStatus();
    drawMoves();
    return;
  }
  const joint = about.roles.map((one) => chosen.get(one) ?? position.choices[one][0].move);
  const before = here.children.length;
  const node = tree.add(here, joint);
  if (here.children.length > before) keep();
  visit(node);
}

byId("search").addEventListener("input", list);

// ---------------------------------------------------------------------------------------- the tree

/** Store the tree soon. */
function keep() {
  byId("saved").textContent = "…";
  clearTimeout(keeping);
  keeping = setTimeout(store, PAUSE);
}

async function store() {
  keeping = null;
  try {
    await post(`${base}/variations`, { variations: tree.rows() });
    if (!keeping) byId("saved").textContent = "Saved";
  } catch (error) {
    byId("saved").textContent = `Not saved: ${error.message}`;
  }
}

byId("promote").addEventListener("click", () => {
  tree.promote(here);
  keep();
  draw();
});
byId("remove").addEventListener("click", () => {
  const before = tree.remove(here);
  latest.delete(before);
  keep();
  visit(before);
});
byId("comment").addEventListener("input", (event) => {
  here.comment = event.target.value;
  keep();
  drawMoveTree();
});
window.addEventListener("pagehide", () => {
  if (!keeping) return;
  clearTimeout(keeping);
  const body = JSON.stringify({ variations: tree.rows() });
  fetch(`${base}/variations`, { method: "POST", headers: { "Content-Type": "application/json" }, body, keepalive: true });
});

// ---------------------------------------------------------------------------------------- evaluation

const drawMoveTree = () => drawTree(byId("tree"), tree, here, about, visit, (node) => sign(evaluations.mistake(node)));

/** Return the positions of the line that is displayed, from the start to its end. */
function wholeLine() {
  const nodes = [];
  for (let node = tree.end(here); node; node = node.parent) nodes.unshift(node);
  return nodes;
}

function drawEvaluations() {
  if (!position) return;
  const { running } = evaluations;
  const line = wholeLine();
  byId("evaluate").setAttribute("aria-pressed", String(following));
  byId("evaluate").textContent = following ? "Stop" : "Analyse";
  byId("whole").textContent = evaluations.several ? "Cancel" : line.at(-1).played ? "Whole match" : "Whole line";
  byId("whole").disabled = line.length < 2;
  const known = evaluations.of(here);
  const begun = running && (evaluations.several ? running.done > 0 : known);
  byId("progress").textContent = evaluations.error || (evaluations.several ? `${running.done} of ${running.nodes.length} positions` : "")
    + (running && !begun ? " Getting ready: the game is compiled the first time …" : "");
  drawEvaluation(byId("evaluation"), known, about, tried);
  const mistake = evaluations.mistake(here);
  byId("mistake").hidden = !mistake;
  byId("mistake").textContent = mistake ? inWords(mistake) : "";
  const drawn = line.filter((node) => evaluations.of(node)).length > 1 ? curve(line, evaluations, about, here, visit) : null;
  byId("curve").replaceChildren(...(drawn ? [drawn] : []));
  drawMistakes(line);
  drawMoveTree();
  showHint();
}

/** Count the mistakes of each role in the line. */
function drawMistakes(line) {
  const counts = new Map();
  for (const node of line) {
    const mistake = evaluations.mistake(node);
    if (!mistake) continue;
    const name = `${mistake.role}: ${kindOf(mistake)}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  byId("mistakes").hidden = !counts.size;
  byId("mistakes").textContent = [...counts].map(([name, number]) => (number > 1 ? `${name} × ${number}` : name)).join(" · ");
}

const evaluate = () => evaluations.settled(here, THINKING) || evaluations.begin([here], THINKING);

/** Choose a move among the best ones. */
function tried(one, move) {
  role = one;
  choose(move);
}

/** Show the best moves as arrows, the better the stronger, if somebody wants to know them. */
function showHint() {
  const wants = hinted === here || following;
  const best = wants ? Object.entries(evaluations.of(here)?.best ?? {})[0] : null;
  const cellsOf = (one, move) => (position.choices[one]?.find((choice) => choice.move === move)?.parts ?? []).flatMap(({ cells }) => cells.slice(0, 1));
  const most = hinted === here ? 1 : ARROWS;
  board.advise(best ? best[1].slice(0, most).map(({ move }) => cellsOf(best[0], move)) : []);
  if (!best || hinted !== here) return;
  const [one, [{ move }]] = best;
  byId("status").textContent = `Hint: ${one} ${said(move)}`;
}

byId("evaluate").addEventListener("click", () => {
  following = !following;
  if (following) evaluate();
  else evaluations.stop();
  drawEvaluations();
});
byId("hint").addEventListener("click", () => {
  hinted = here;
  if (evaluations.of(here)) showHint();
  else if (!evaluations.running) evaluations.begin([here], HINTING);
});
byId("whole").addEventListener("click", () => {
  if (evaluations.several) return evaluations.stop();
  following = false;
  const seconds = Number(byId("pace").value);
  const line = evaluations.missing(wholeLine(), seconds);
  if (line.length > 1) return evaluations.begin(line, seconds);
  byId("progress").textContent = "All positions are evaluated. With more seconds for each, the values become better.";
});

const drawPositionText = positionText(id);

// ---------------------------------------------------------------------------------------- explanations

const explain = explaining((atom) => post(`${base}/explain`, { moves: here.line(), atom }));
byId("facts-card").addEventListener("toggle", () => drawFacts(position));

// ---------------------------------------------------------------------------------------- keyboard

/** Visit the variation before or after this one. */
function aside(step) {
  const children = here.parent?.children ?? [];
  const other = children[children.indexOf(here) + step];
  if (other) visit(other);
}

const back = () => here.parent && visit(here.parent);
const forward = () => here.children.length && visit(here.children.includes(latest.get(here)) ? latest.get(here) : here.children[0]);
const WAYS = {
  Home: () => visit(tree.root),
  End: () => visit(tree.end(here)),
  ArrowLeft: back,
  ArrowRight: forward,
  ArrowUp: () => aside(-1),
  ArrowDown: () => aside(1),
};

byId("first").addEventListener("click", WAYS.Home);
byId("prev").addEventListener("click", back);
byId("next").addEventListener("click", forward);
byId("last").addEventListener("click", WAYS.End);

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (!position || event.altKey || event.ctrlKey || event.metaKey || target.closest?.("input, select, textarea, pre")) return;
  if (WAYS[event.key]) {
    event.preventDefault();
    WAYS[event.key]();
  } else if (event.key === "Escape" && picking?.picks.length) {
    picking.clear();
    drawMoves();
  }
});

(id ? load() : begin()).catch((error) => {
  byId("status").textContent = error.message;
});
