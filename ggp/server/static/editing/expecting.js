// Expectations about positions, made by clicking: the text of a file NAME.expect.toml.

import { byId, el, icon } from "../dom.js";
import { download } from "./files.js";

const ASPECTS = ["terminal", "goals", "legal", "facts"];

export class Expecting {
  /** `ask(question, fields)` asks about the position after the present line; `changed` is called after each change. */
  constructor({ ask, changed, name, attempt }) {
    this.ask = ask;
    this.changed = changed;
    byId("expect").addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(() => this.add())();
    });
    byId("run").addEventListener("click", attempt(() => this.run()));
    byId("download").addEventListener("click", () => download(`${name()}.expect.toml`, this.text));
    byId("expectations").addEventListener("input", () => this.edited());
  }

  get text() {
    return byId("expectations").value;
  }

  set text(text) {
    byId("expectations").value = text;
    this.edited();
  }

  edited() {
    byId("run").disabled = byId("download").disabled = !this.text.trim();
    this.forget();
    this.changed();
  }

  /** Forget results, as the rules or the expectations have changed. */
  forget() {
    byId("results").replaceChildren();
    byId("passed").textContent = "";
  }

  async add() {
    const aspects = ASPECTS.filter((one) => byId(`expect-${one}`).checked);
    if (!aspects.length) throw new Error("Choose what is expected of the position.");
    this.text = (await this.ask("expect", { aspects, name: byId("expect-name").value, expectations: this.text })).expectations;
    byId("expect-name").value = "";
    await this.run();
    byId("expectations").scrollTop = byId("expectations").scrollHeight;
  }

  async run() {
    const { text } = this;
    byId("passed").textContent = "…";
    try {
      const { checks } = await this.ask("test", { expectations: text });
      if (text !== this.text) return;
      const failed = checks.filter(({ failures }) => failures.length).length;
      byId("passed").textContent = failed ? `${failed} of ${checks.length} failed` : `${checks.length} passed`;
      byId("results").replaceChildren(...checks.map(({ name, failures }) => el("li", { class: failures.length ? "fails" : "passes" },
        failures.length ? icon("fails", "failed:") : icon("holds", "passed:"), ` ${name.replace(/^position\[(.*)\]$/s, "$1")}`, ...failures.map((one) => el("pre", {}, one)))));
    } catch (error) {
      byId("passed").textContent = "";
      throw error;
    }
  }
}
