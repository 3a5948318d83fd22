// Explanations of atoms: why something holds in a position, or does not.

import { byId, el, marked } from "./dom.js";

/** Let the form explain atoms; `ask(atom)` requests an explanation. Returns a function that explains one. */
export function explaining(ask) {
  async function explain(atom) {
    byId("why-card").open = true;
    byId("atom").value = atom;
    const box = byId("because");
    box.hidden = false;
    box.textContent = "…";
    try {
      const why = await ask(atom);
      box.replaceChildren(...why.lines.map(([branches, text, note, kind]) =>
        el("span", { class: `why-line ${kind}` }, el("span", { class: "branch" }, branches), ...marked(text), note ? el("span", { class: "hint" }, `  ${note}`) : "", "\n")));
      if (why.cut) box.append("…");
    } catch (error) {
      box.textContent = error.message;
    }
  }

  byId("why").addEventListener("submit", (event) => {
    event.preventDefault();
    if (byId("atom").value.trim()) explain(byId("atom").value);
  });
  return explain;
}
