// The checker's findings, as a list below the text.

import { byId, counted, el } from "../dom.js";

const NAMES = { error: ["error", "errors"], warning: ["warning", "warnings"], hint: ["hint", "hints"] };

/** Return how many findings there are of each severity, in words. */
export function verdict({ findings, more }) {
  if (!findings.length) return "No findings.";
  const parts = Object.entries(NAMES).map(([severity, names]) => [findings.filter((one) => one.severity === severity).length, names]);
  const listed = parts.filter(([number]) => number).map(([number, names]) => counted(number, ...names)).join(", ");
  return more ? `${listed}, and ${more} more` : listed;
}

/** Show findings; `goTo(place)` selects a place in the text, `mend(finding)` applies a fix. */
export function listFindings(found, goTo, mend) {
  byId("verdict").textContent = verdict(found);
  byId("findings").replaceChildren(...found.findings.map((one) => el("li", { class: one.severity },
    el("button", { class: "place", onclick: () => goTo(one) }, `Line ${one.line}`),
    el("span", {}, one.message, ...one.notes.flatMap((note) => [" ", el("button", { class: "place", onclick: () => goTo(note) }, `line ${note.line}: ${note.message}`)])),
    one.fix ? el("button", { class: "mend", onclick: () => mend(one) }, one.fix.title) : null,
    el("span", { class: "code" }, `${one.severity}: ${one.code} (${one.meaning})`))));
}
