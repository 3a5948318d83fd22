// What a role that does not see everything can believe: pale pieces on the board, and a list of facts.

import { get } from "./api.js";
import { byId, el } from "./dom.js";
import { said } from "./saying.js";

const SHOWN = 12;

export class Belief {
  /** `changed` is called when the board may have to be drawn again. */
  constructor(base, changed) {
    this.base = base;
    this.changed = changed;
    this.found = null;
    this.ply = null;
    this.error = "";
    this.wanted = localStorage.getItem("likely") !== "off";
    byId("likely").addEventListener("click", () => {
      this.wanted = !this.wanted;
      localStorage.setItem("likely", this.wanted ? "on" : "off");
      this.changed();
    });
  }

  /** Ask what the role of a seat can believe after a ply. */
  async ask(ply, query) {
    if (this.ply === ply && !this.error) return;
    [this.ply, this.found, this.error] = [ply, null, ""];
    if (!ply) return; // nothing is hidden yet
    try {
      const found = await get(`${this.base}/beliefs/${ply}${query}`);
      if (this.ply === ply) this.found = found;
    } catch (error) {
      if (this.ply === ply) this.error = error.message;
    }
    if (this.ply === ply) this.changed();
  }

  /** Return a position with what is likely on its board, or as it is if nothing is known, or wanted. */
  on(position) {
    if (!this.wanted || !this.found || this.ply !== position.ply) return position;
    const { pieces, over, names } = this.found;
    return { ...position, pieces, over, names, likely: true };
  }

  /** Show the list of facts, and that it is coming. */
  draw(state, game) {
    byId("belief-card").hidden = state.view !== "own" || !this.ply;
    byId("likely").hidden = !game.width;
    byId("likely").setAttribute("aria-pressed", String(this.wanted));
    const { found } = this;
    const facts = found?.facts ?? [];
    const sure = found && !facts.length && !found.uncertain;
    byId("belief-hint").textContent = this.error || (!found ? "Finding out what is likely \u2026" : sure
      ? `${state.role} knows everything now.`
      : `By all that ${state.role} did and saw, if the others choose at random.${game.width && this.wanted ? " The paler a piece, the less likely." : ""}`);
    byId("beliefs").hidden = !facts.length;
    const more = facts.length - SHOWN + (found?.more ?? 0);
    byId("beliefs").replaceChildren(...facts.slice(0, SHOWN).map(([fact, share]) => el("li", {},
      el("meter", { min: 0, max: 1, value: share, "aria-hidden": "true" }),
      el("span", { class: "number" }, `${Math.round(share * 100)} %`),
      el("span", {}, said(fact)))),
      ...(facts.length > SHOWN ? [el("li", { class: "hint" }, `and ${more} more facts`)] : []));
  }
}
