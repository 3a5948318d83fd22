// The moves of a match, or what one role did and saw, as a list that leads to each ply.

import { byId, el, spoken } from "./dom.js";
import { said } from "./saying.js";

/**
 * @param {{
 *   state: import("./types").State, game: import("./types").Game, position: import("./types").Position,
 *   made: {moves: string[][], counts: number[][]}, shown: number
 * }} view
 * @param {(ply: number) => void} go
 */
export function drawHistory({ state, game, position, made, shown }, go) {
  if (!byId("history-card").open) return;
  const whole = state.view === "whole";
  byId("history-title").textContent = whole ? "Move history" : `What ${state.role} did and saw`;
  const item = (place, ...content) => {
    const here = shown === place + 1;
    return el("li", {}, el("button", { class: here ? "here" : "", "aria-current": here ? "step" : null, onclick: () => go(place + 1) }, ...content));
  };
  const played = (joint, place) => {
    const chosen = spoken(joint, made.counts[place] ?? [], state.record_roles);
    const colour = chosen.length === 1 ? game.colours[chosen[0][0]] : null;
    const text = chosen.map(([role, move]) => (chosen.length === 1 ? said(move) : `${role} ${said(move)}`)).join(", ");
    return item(place, colour ? el("span", { class: `chip p-${colour}`, "aria-hidden": "true" }) : null, text);
  };
  const perceived = ({ move, saw }, place) =>
    item(place, el("span", {}, said(move)), saw.length ? el("span", { class: "saw" }, `you saw ${saw.map(said).join(", ")}`) : null);
  const items = whole ? made.moves.map(played) : (position.told ?? []).map(perceived);
  const list = byId("history");
  list.replaceChildren(...(items.length ? items : [el("li", { class: "plain hint" }, "No move has been made yet.")]));
  const here = list.querySelector(".here");
  if (here) list.scrollTop = Math.max(0, here.offsetTop - list.offsetTop - list.clientHeight / 2);
}
