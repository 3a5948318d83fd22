// What the board will be after a move: known while the pointer or the focus rests on the move.

import { post } from "./api.js";
import { byId } from "./dom.js";

const REST = 150; // milliseconds before the server is asked

/**
 * What is shown depends on nothing but the position and the move that is pointed at: whenever one of them, or what is
 * known about them, changes, `changed` is called, and the page asks `on` again.
 */
export class Ahead {
  /**
   * `path` is where the server tells what the board will be.
   * @param {import("./types").Game} game
   * @param {string} path
   * @param {() => void} changed
   */
  constructor(game, path, changed) {
    this.game = game;
    this.path = path;
    this.changed = changed;
    /** @type {import("./types").Position | null} */
    this.position = null;
    /** @type {string | null} */
    this.role = null;
    /** @type {string | null} the move that is pointed at */
    this.wanted = null;
    /** @type {Map<string | null, import("./types").After | null>} */
    this.known = new Map();
    this.timer = 0;
    for (const box of [byId("moves"), byId("choose")]) {
      for (const kind of ["pointerover", "focusin"]) box.addEventListener(kind, (event) => this.look(event));
      for (const kind of ["pointerleave", "focusout"]) box.addEventListener(kind, () => this.want(null));
    }
  }

  /** Take in the position from which `role` is to move, or null. What was known about another one means nothing now. */
  over(position, role) {
    if (position === this.position && role === this.role) return;
    Object.assign(this, { position, role, known: new Map() });
    this.want(null);
  }

  /**
   * Return the board after the move that is pointed at, if it is known and follows this position, else null.
   * @param {import("./types").Position} position
   */
  on(position) {
    return (position === this.position && this.known.get(this.wanted)) || null;
  }

  /** Return what to say below the board that is shown: what it is, or what to do where there is nothing to click. */
  words(position) {
    const found = this.on(position);
    if (found) return found.certain ? "The board after this move" : "What is certain after this move, whatever the others do";
    if (!this.role || !this.game.width || Object.keys(position.names).length) return "";
    const choices = position.choices[this.role] ?? [];
    if (choices.some(({ parts }) => parts.some(({ cells }) => cells.length))) return "The board is empty. Click a cell with a dot to begin.";
    const look = this.game.hidden ? "" : " Point at one to see the board after it.";
    return `The board is empty. Choose one of the ${choices.length} moves below it to begin.${look}`;
  }

  look(event) {
    const { move } = event.target.closest?.("[data-move]")?.dataset ?? {};
    if (move && this.role && !this.game.hidden && this.game.width) this.want(move);
  }

  want(move) {
    if (move === this.wanted) return;
    this.wanted = move;
    clearTimeout(this.timer);
    if (move !== null && !this.known.has(move)) this.timer = setTimeout(() => this.ask(move), REST);
    this.changed();
  }

  async ask(move) {
    const { position, role, known } = this;
    // After too many answers, or another error, the board stays.
    known.set(move, await post(this.path, { ply: position.ply, role, move }).catch(() => null));
    if (known === this.known) this.changed();
  }
}
