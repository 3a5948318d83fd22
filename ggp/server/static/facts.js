// The facts of a position: those on no board as notes, and all of them as a list.

import { byId, drawn, el, sheet } from "./dom.js";

/** The places of the pips of a die, and which of them each number has. */
const PIPS = [[6, 6], [18, 18], [18, 6], [6, 18], [6, 12], [18, 12], [12, 12]];
const SHOWN = [[6], [0, 1], [0, 1, 6], [0, 1, 2, 3], [0, 1, 2, 3, 6], [0, 1, 2, 3, 4, 5]];
const DICE = /(^|_)(die|dice|throw|threw|thrown|roll|rolled)(_|$)/i;

function die(number) {
  const made = sheet(24, 24, { class: "die", role: "img", "aria-label": number });
  made.append(...SHOWN[Number(number) - 1].map((pip) => drawn(["circle", { cx: PIPS[pip][0], cy: PIPS[pip][1], r: 2.4 }])));
  return made;
}

/** Return what a fact says about roles, each with its colour and, if there is one, its counter. */
function aboutRoles(row, colours) {
  const words = row.split(" ");
  const others = words.filter((word) => !Object.hasOwn(colours, word));
  const counted = others.length === 1 && words.length === 2 && others[0].length <= 4 && /\d/.test(others[0]);
  const named = words.filter((word) => Object.hasOwn(colours, word)).flatMap((word) =>
    [el("span", { class: `${counted ? "counter" : "chip"} p-${colours[word]} i-${colours[word]}` }, counted ? others[0] : ""), ` ${word} `]);
  return [...named, counted ? "" : others.join(" ")];
}

/** Show notes, each a name with its rows; `colours` are those of roles. */
export function drawNotes(notes, colours) {
  byId("notes").replaceChildren(...notes.slice(0, 40).map(([name, rows]) => {
    const numbers = rows.flatMap((row) => row.split(" "));
    const dice = DICE.test(name) && numbers.length && numbers.every((number) => /^[1-6]$/.test(number));
    const people = rows.length && rows.every((row) => row.split(" ").some((word) => Object.hasOwn(colours, word)));
    const shown = dice ? numbers.map(die) : people ? rows.slice(0, 20).flatMap((row) => aboutRoles(row, colours)) : [rows.slice(0, 20).join(", ")];
    return el("span", { class: "note-chip" }, el("span", { class: "relation" }, name), " ", ...shown, rows.length > 20 && !dice ? " …" : "");
  }));
}

/** Show the facts of a position, if somebody wants to see them. */
export function drawFacts(position) {
  if (byId("facts-card").open && position) byId("facts").replaceChildren(...position.facts.map((fact) => el("li", {}, fact)));
}
