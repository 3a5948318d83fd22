// Choosing at the board: what can be clicked is marked on it, and words stand at a clicked cell or below the board.

import { byId, drawn, el, icon, sheet } from "./dom.js";

/** @typedef {{word: string, slot: string, cell: string | null, chosen: boolean, open: boolean}} Offered */

/**
 * @param {import("./board.js").Board} board
 * @param {import("./picking.js").Picking | null} picking null if nothing is chosen here
 * @param {Record<string, import("./types").Word>} words how words are shown
 * @param {{playable: boolean, choose: (move: string) => void, changed: () => void}} page
 *   `playable` tells if the board may keep the focus, `changed()` that something else is chosen now.
 */
export function drawPicking(board, picking, words, { playable, choose, changed }) {
  if (!picking) {
    board.hint({}, playable);
    board.place([]);
    board.offer(null, []);
    byId("choose").hidden = true;
    return;
  }
  const targets = picking.picks.length ? picking.next() : new Set();
  board.hint({ sources: picking.sources(), chosen: picking.chosen, targets }, playable);
  const ghosts = picking.placed().filter(({ pick }) => words[pick.word]?.look);
  board.place(ghosts.flatMap(({ part, pick }) => part.cells.map((cell) => /** @type {[string, any]} */ ([cell, words[pick.word].look]))));
  const offered = picking.words();
  const button = (one) => wordButton(one, words[one.word], picking, choose, changed);
  const begun = offered.find(({ cell }) => cell);
  board.offer(begun?.cell ?? null, offered.filter(({ cell }) => cell).map(button));
  const box = byId("choose");
  const below = offered.filter(({ cell }) => !cell);
  const held = document.activeElement instanceof HTMLElement && box.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  box.replaceChildren(...groups(below).map(([slot, own]) => el("div", { class: "pool", role: "group", "aria-label": slot || "Moves" },
    slot ? el("span", { class: "slot" }, spaced(slot)) : null, ...own.map(button))));
  box.hidden = !below.length;
  if (held) box.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus();
}

const spaced = (word) => word.replaceAll("_", " ");
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/**
 * Return words by what they are chosen for.
 * @param {Offered[]} offered
 * @returns {[string, Offered[]][]}
 */
function groups(offered) {
  /** @type {Map<string, Offered[]>} */
  const found = new Map();
  for (const one of offered) found.set(one.slot, [...(found.get(one.slot) ?? []), one]);
  return [...found].sort(([a], [b]) => Number(a === "") - Number(b === ""));
}

function wordButton({ word, slot, cell, chosen, open }, shown, picking, choose, changed) {
  const text = shown?.text ?? word;
  const whole = picking.choices.find(({ parts: [part, more] }) => !more && !part.cells.length && part.word === word && (part.slot ?? "") === slot);
  const picture = shown?.look ? sheet(48, 48, { class: "word-look", "aria-hidden": "true" }) : null;
  picture?.append(drawn(shown.look));
  const arrow = shown?.angle === undefined ? null : icon("then", "");
  if (arrow) arrow.style.rotate = `${shown.angle - 90}deg`; // the icon points to the right
  return el("button", {
    class: `word${chosen ? " here" : ""}`, "aria-pressed": whole ? null : String(chosen), disabled: !open, title: text,
    "data-move": whole?.move, "data-word": word, "data-key": `${slot} ${word}`,
    onclick: (event) => {
      event.stopPropagation();
      const move = picking.say(word, slot);
      if (move) choose(move);
      else changed();
    },
  }, picture ?? arrow, picture && !cell ? el("span", { class: "unseen" }, text) : capital(text));
}
