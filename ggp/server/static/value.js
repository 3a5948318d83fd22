// What the learned value of a position is made of: the board shaded by what its cells add, and a list of facts.

import { byId, drawn, el, sheet } from "./dom.js";
import { said } from "./saying.js";

const KEPT = 300; // positions

/** Return a square of the colour that is good for the first role, or for the second. */
function swatch(kind) {
  const made = sheet(16, 16, { class: "swatch", "aria-hidden": "true" });
  made.append(drawn(["rect", { class: kind, x: 2, y: 2, width: 12, height: 12 }]));
  return made;
}

/** Return points with their sign. */
const signed = (points) => (points > 0 ? "+" : "") + points.toFixed(1);

export class ValueParts {
  /** Below the board, add a switch and a legend; beside it, a list. They are hidden until there is something to show. */
  constructor(board) {
    this.board = board;
    this.key = null;
    this.ask = null;
    this.error = "";
    this.known = new Map();
    this.wanted = localStorage.getItem("value") === "on";
    this.toggle = el("button", { id: "value", "aria-pressed": "false", hidden: true, onclick: () => this.turn() }, "What the value is made of");
    this.legend = el("p", { class: "legend hint", hidden: true });
    this.sum = el("p", { id: "value-sum", role: "status" });
    this.facts = el("ul", { class: "parts" });
    this.card = el("section", { class: "card", id: "value-card", "aria-labelledby": "value-title", hidden: true },
      el("h2", { id: "value-title" }, "What the value is made of"), this.sum, this.facts);
    byId("board").after(this.legend);
    const stage = document.querySelector(".stage");
    if (!stage.querySelector(".deeds")) stage.append(el("div", { class: "deeds" }));
    stage.querySelector(".deeds").append(this.toggle);
    document.querySelector(".side").prepend(this.card);
  }

  turn() {
    this.wanted = !this.wanted;
    localStorage.setItem("value", this.wanted ? "on" : "off");
    this.error = "";
    this.draw();
  }

  /** Be about the position that is displayed, which has a key; `ask()` requests its value. Without a key, show nothing. */
  over(key, ask) {
    if (key !== this.key) this.error = "";
    Object.assign(this, { key, ask });
    this.draw();
  }

  async load() {
    const { key, known } = this;
    known.set(key, null); // it is asked for
    try {
      if (known.size > KEPT) known.delete(known.keys().next().value);
      known.set(key, await this.ask());
    } catch (error) {
      known.delete(key);
      if (key === this.key) this.error = error.message;
    }
    if (key === this.key) this.draw();
  }

  draw() {
    const on = this.wanted && this.key !== null;
    if (on && !this.known.has(this.key) && !this.error) this.load();
    const found = on ? this.known.get(this.key) : null;
    this.toggle.hidden = this.key === null;
    this.toggle.setAttribute("aria-pressed", String(this.wanted));
    this.card.hidden = !on;
    this.board.shade(found?.shades ?? null, found?.cells);
    // Until the answer is there, the last one stays, in grey.
    this.card.setAttribute("aria-busy", String(!found && !this.error));
    if (found) this.list(found);
    else if (this.error || !this.facts.childElementCount) this.sum.textContent = this.error || "Finding out …";
    if (this.error) this.facts.replaceChildren();
    this.legend.hidden = !on || !this.facts.childElementCount || !this.board.svg;
  }

  list({ points, roles: [first, second], facts, more }) {
    this.legend.replaceChildren(
      el("span", {}, swatch("first-gains"), ` blue: good for ${first}`), el("span", {}, swatch("second-gains"), second ? ` orange: good for ${second}` : " orange: bad"));
    // Without a second role, the value is the goal of the first one alone.
    const [sum, goal] = second ? [signed(points), `${first} less that of ${second}`] : [points, first];
    this.sum.replaceChildren(el("strong", {}, `${sum} points`), `: the goal of ${goal}, before any search. Each fact adds:`);
    this.facts.replaceChildren(
      ...facts.map(([fact, adds]) => el("li", {}, swatch(adds > 0 ? "first-gains" : "second-gains"), el("span", { class: "number" }, signed(adds)), el("span", {}, said(fact)))),
      ...(more ? [el("li", { class: "hint" }, `and ${more} more facts, which matter less`)] : []));
  }
}
