// The facts of a position: those on no board as notes, and all of them as a list.

import { byId, el } from "./dom.js";

/** Show notes, each a name with its rows. */
export function drawNotes(notes) {
  byId("notes").replaceChildren(...notes.slice(0, 40).map(([name, rows]) =>
    el("span", { class: "note-chip" }, el("span", { class: "relation" }, name), ` ${rows.slice(0, 20).join(", ")}${rows.length > 20 ? " …" : ""}`)));
}

/** Show the facts of a position, if somebody wants to see them. */
export function drawFacts(position) {
  if (byId("facts-card").open && position) byId("facts").replaceChildren(...position.facts.map((fact) => el("li", {}, fact)));
}
