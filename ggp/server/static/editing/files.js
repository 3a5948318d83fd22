// Where a game is kept: a file that the user chooses, and a draft in the browser, which survives reloads.

import { byId, el } from "../dom.js";
import { get, gamePath } from "../api.js";

const DRAFT = "ggp.draft";
const HANDED = "ggp.handed";
const KINDS = [{ description: "Rule files", accept: { "text/plain": [".kif", ".gdl", ".txt"] } }];

/** Return a name that games can have, from that of a file. */
export const plainName = (name) => (name.replace(/\.(kif|gdl|txt)$/i, "").replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^[^A-Za-z0-9]+/, "") || "my_game").slice(0, 80);

/** Let the browser download a text. */
export function download(name, text) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Hand rules over to the page on which games are written, which opens. */
export function handOver(name, text) {
  sessionStorage.setItem(HANDED, JSON.stringify({ name: plainName(name), text }));
  location.href = "/edit";
}

export class Files {
  /** `current()` returns the game that is being written, and `replace(game)` begins with another one. */
  constructor({ current, replace, tell, attempt }) {
    this.current = current;
    this.replace = replace;
    this.tell = tell;
    this.handle = null; // the chosen file, where browsers have such
    this.kept = ""; // the text as it was last opened, saved or begun
    byId("open").addEventListener("click", attempt(() => this.open()));
    byId("save").addEventListener("click", attempt(() => this.save()));
    byId("begin").addEventListener("change", attempt(() => this.begin()));
    byId("file").addEventListener("change", attempt(async () => {
      const [file] = byId("file").files;
      if (file) await this.take(file, null);
      byId("file").value = "";
    }));
  }

  /** Return the draft, or rules that another page has handed over; `null` if there is neither. */
  draft() {
    let found = null;
    try {
      found = JSON.parse(localStorage.getItem(DRAFT));
      const handed = JSON.parse(sessionStorage.getItem(HANDED));
      sessionStorage.removeItem(HANDED);
      this.kept = found?.kept ?? "";
      if (handed && (!found || found.text === this.kept || this.agreed())) {
        this.kept = "";
        return { expectations: "", line: [], ...handed };
      }
    } catch {
      return null; // the browser keeps nothing, or something else
    }
    return found;
  }

  keepDraft() {
    try {
      localStorage.setItem(DRAFT, JSON.stringify({ ...this.current(), kept: this.kept }));
    } catch {
      this.tell("The browser keeps no draft: save the file before you leave the page.");
    }
  }

  /** Ask before a text that has not been saved is replaced. */
  agreed() {
    return confirm("Replace the text that you have not saved?");
  }

  change(game) {
    if (this.current().text !== this.kept && this.current().text.trim() && !this.agreed()) return false;
    this.kept = game.text;
    this.handle = null;
    this.replace({ expectations: "", line: [], ...game });
    return true;
  }

  async open() {
    if (!window.showOpenFilePicker) return byId("file").click();
    const [handle] = await chosen(window.showOpenFilePicker({ types: KINDS }), []);
    if (handle) await this.take(await handle.getFile(), handle);
  }

  async take(file, handle) {
    if (file.size > 4e6) throw new Error("The file is larger than 4 MB.");
    if (this.change({ name: plainName(file.name), text: (await file.text()).replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n") })) this.handle = handle;
  }

  async save() {
    const { name, text } = this.current();
    if (!this.handle && window.showSaveFilePicker) {
      this.handle = await chosen(window.showSaveFilePicker({ types: KINDS, suggestedName: `${name}.kif` }), null);
      if (!this.handle) return;
    }
    if (this.handle) {
      const stream = await this.handle.createWritable();
      await stream.write(text);
      await stream.close();
    } else download(`${name}.kif`, text);
    this.kept = text;
    this.keepDraft();
    this.tell(`${this.handle?.name ?? `${name}.kif`} is saved.`);
  }

  /** Fill the list of what a game can begin with. */
  async offer() {
    const [{ templates }, { games }] = await Promise.all([get("/api/templates"), get("/api/games")]);
    this.templates = templates;
    const group = (label, options) => el("optgroup", { label }, ...options.map(([value, text]) => el("option", { value }, text)));
    byId("begin").append(
      el("option", { value: "empty" }, "an empty page"),
      group("A template", templates.map(({ name, title }) => [`template:${name}`, title])),
      group("A copy of", games.map(({ name, title }) => [`game:${name}`, title])));
  }

  async begin() {
    const [kind, name] = byId("begin").value.split(/:(.*)/);
    byId("begin").value = "";
    if (kind === "empty") this.change({ name: "my_game", text: "" });
    else if (kind === "template") this.change({ name, text: this.templates.find((one) => one.name === name).text });
    else if (kind === "game") this.change({ name: `my_${plainName(name.split("/").at(-1))}`, text: (await get(`/api/games/${gamePath(name)}`)).rules });
  }
}

/** Return what a picker of files returns, or `nothing` if nobody chose a file. */
async function chosen(picked, nothing) {
  try {
    return await picked;
  } catch (error) {
    if (error.name === "AbortError") return nothing;
    throw error;
  }
}
