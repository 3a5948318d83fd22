// What programs think.

import { counted, el, sequence } from "./dom.js";
import { said } from "./saying.js";

/** Return the last thought of each role before a ply. */
export function latestThoughts(thoughts, shown) {
  const latest = new Map();
  for (const thought of thoughts) if (thought.ply < Math.max(1, shown)) latest.set(thought.role, thought);
  return [...latest.values()];
}

const count = (number) => number.toLocaleString("en");

/** Return what a program thought as an element. */
export function thoughtItem(thought, colours) {
  const facts = [];
  if (thought.expected !== null) facts.push(`expects ${thought.expected.toFixed(0)}${thought.proven ? " (proved)" : ""}`);
  if (thought.work) facts.push(`${count(thought.work)} ${thought.unit}`);
  if (thought.pondered) facts.push(`${count(thought.pondered)} ${thought.unit} before the question`);
  if (thought.depth) facts.push(`${counted(thought.depth, "ply", "plies")} deep`);
  const most = Math.max(1, ...thought.options.map((one) => one.visits));
  return el("div", { class: "thought" },
    el("h3", {}, el("span", { class: `chip p-${colours[thought.role]}`, "aria-hidden": "true" }), thought.role,
      el("span", { class: "hint" }, ` before ply ${thought.ply + 1}${facts.length ? ": " : ""}${facts.join(", ")}`)),
    thought.line.length ? el("p", { class: "line-of-play" }, ...sequence(thought.line)) : null,
    thought.options.length > 1 ? el("table", { class: "options" },
      ...thought.options.slice(0, 5).map((one) => el("tr", {},
        el("td", {}, said(one.move)),
        el("td", { class: "number" }, one.goal.toFixed(0)),
        el("td", { class: "number" }, count(one.visits)),
        el("td", { class: "share" }, el("meter", { min: 0, max: most, value: one.visits, "aria-label": "share of simulations" }))))) : null,
    thought.probabilities?.length > 1 ? el("table", { class: "options" },
      ...thought.probabilities.slice(0, 5).map(([move, probability]) => el("tr", {},
        el("td", {}, said(move)),
        el("td", { class: "number" }, `${(100 * probability).toFixed(0)} %`),
        el("td", { class: "share" }, el("meter", { min: 0, max: 1, value: probability, "aria-label": "probability" }))))) : null,
    thought.note ? el("p", { class: "hint" }, thought.note) : null);
}
