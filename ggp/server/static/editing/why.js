// Explanations: why an atom holds in the position, or why not.

import { byId, el, marked } from "../dom.js";

export class Why {
  /** `ask(atom)` requests the explanation of an atom; `goTo(line)` shows a line of the rules. */
  constructor(ask, goTo) {
    this.ask = ask;
    this.goTo = goTo;
    this.number = 0;
    this.asked = null; // the atom that is explained
    byId("why").addEventListener("submit", (event) => {
      event.preventDefault();
      if (byId("atom").value.trim()) this.explain(byId("atom").value.trim());
    });
  }

  /** Explain the same atom in another position. */
  again() {
    if (this.asked && byId("why-card").open) this.show(this.asked);
  }

  /** Explain an atom. The atoms of the explanation can be explained in turn. */
  async explain(atom) {
    this.asked = atom;
    byId("why-card").open = true;
    byId("atom").value = atom;
    byId("because").hidden = false;
    byId("because").textContent = "…";
    await this.show(atom);
    byId("why-card").scrollIntoView({ block: "nearest" });
  }

  async show(atom) {
    const mine = ++this.number;
    const box = byId("because");
    try {
      const found = await this.ask(atom);
      if (mine !== this.number) return; // another atom was asked about in the meantime
      box.replaceChildren(...found.lines.map((line) => this.line(line)), found.cut ? "…" : "");
    } catch (error) {
      if (mine === this.number) box.textContent = error.message;
    }
  }

  line([branches, text, note, kind]) {
    const [, mark, atom] = /^([\u2713\u2717] )?(\((?!not ).*\))$/.exec(text) ?? [];
    const [, place, rest] = /^rules:(\d+) *(.*)$/.exec(note) ?? [];
    return el("span", { class: `why-line ${kind}` },
      el("span", { class: "branch" }, branches), ...(mark ? marked(mark) : []),
      atom ? el("button", { title: "Why?", onclick: () => this.explain(atom) }, atom) : "", ...(atom ? [] : marked(text)),
      place ? "  " : "", place ? el("button", { class: "place", onclick: () => this.goTo(Number(place)) }, `line ${place}`) : "",
      el("span", { class: "hint" }, `  ${place ? rest : note}`), "\n");
  }
}
