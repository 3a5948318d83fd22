// The legal moves of a role beside the board, and below it those that the clicked cells may mean.

import { byId, el, said } from "./dom.js";

const SEARCHED = 14; // moves without a search box
const SHOWN = 200;

/** Show the moves that the clicked cells complete; `choose(move)` makes one. */
export function drawChoose(picking, choose) {
  const complete = picking.complete();
  byId("choose").hidden = !complete.length;
  byId("choose").replaceChildren(...complete.slice(0, SHOWN).map(({ move }) => button(move, choose)));
}

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
  const fitting = (picking.chosen.length ? picking.fitting() : choices).filter(({ move }) => words.every((word) => move.toLowerCase().includes(word)));
  // Moves that cannot be clicked on the board come first.
  const ordered = [...fitting].sort((a, b) => Math.min(1, a.path.length) - Math.min(1, b.path.length));
  const items = ordered.slice(0, SHOWN).map(({ move }) => el("li", {},
    button(move, choose, move === chosen),
    why && el("button", { class: "ask", title: "Why is this legal?", "aria-label": `Why is ${said(move)} legal?`, onclick: () => why(move) }, "?")));
  if (ordered.length > SHOWN) items.push(el("li", { class: "plain hint" }, `and ${ordered.length - SHOWN} more; search, or click a cell`));
  if (more) items.push(el("li", { class: "plain hint" }, `${more} more moves are not listed`));
  byId("moves").replaceChildren(...items);
}

const button = (move, choose, marked = false) =>
  el("button", { class: marked ? "move chosen-move" : "move", "data-move": move, onclick: () => choose(move) }, said(move));
