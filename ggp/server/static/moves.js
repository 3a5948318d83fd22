// The legal moves of a role, as a list beside the board.

import { byId, el } from "./dom.js";

const SEARCHED = 14; // moves without a search box
const SHOWN = 200;

/** Show buttons to choose whose moves are made, if there are several roles. */
export function drawRoles(roles, role, take) {
  byId("as").hidden = roles.length < 2;
  byId("as").replaceChildren(...roles.map((one) =>
    el("button", { class: one === role ? "here" : "", "aria-pressed": String(one === role), onclick: () => take(one) }, one)));
}

/** List the moves that agree with the clicked cells and the search; `why(move)`, if given, explains why one is legal. */
export function drawList(choices, picking, { more = 0, chosen = null, choose, why = null }) {
  const search = byId("search");
  search.hidden = choices.length <= SEARCHED;
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = (picking.picks.length ? picking.fitting() : choices).filter(({ move, label }) => words.every((word) => `${move} ${label}`.toLowerCase().includes(word)));
  const items = fitting.slice(0, SHOWN).map((choice) => el("li", {},
    button(choice, choose, choice.move === chosen),
    why && el("button", { class: "ask", title: "Why is this legal?", "aria-label": `Why is ${choice.label} legal?`, onclick: () => why(choice.move) }, "?")));
  if (fitting.length > SHOWN) items.push(el("li", { class: "plain hint" }, `and ${fitting.length - SHOWN} more; search, or click a cell`));
  if (more) items.push(el("li", { class: "plain hint" }, `${more} more moves are not listed`));
  byId("moves").replaceChildren(...items);
}

const button = ({ move, label }, choose, marked) =>
  el("button", { class: marked ? "move chosen-move" : "move", "data-move": move, title: move, onclick: () => choose(move) }, label);
