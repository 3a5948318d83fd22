// What the board will be after a move: shown while the pointer or the focus rests on the move.

import { post } from "./api.js";
import { byId } from "./dom.js";

const REST = 150; // milliseconds before the server is asked

export class Ahead {
  /** `path` is where the server tells what the board will be. */
  constructor(board, game, path) {
    Object.assign(this, { board, game, path, position: null, role: null, known: new Map(), timer: 0, wanted: null });
    for (const box of [byId("moves"), byId("choose")]) {
      for (const kind of ["pointerover", "focusin"]) box.addEventListener(kind, (event) => this.look(event));
      for (const kind of ["pointerleave", "focusout"]) box.addEventListener(kind, () => this.back());
    }
  }

  /** Take in the position from which `role` is to move, or null. */
  over(position, role) {
    if (position !== this.position || role !== this.role) this.known.clear();
    clearTimeout(this.timer);
    // A new position has been drawn already.
    if (this.board.svg?.classList.contains("ahead") && position === this.position) this.board.show(position);
    this.board.svg?.classList.remove("ahead");
    Object.assign(this, { position, role, wanted: null });
    this.say(this.invitation());
  }

  /** Return what to do where there is nothing to click. */
  invitation() {
    if (!this.role || !this.board.svg || Object.keys(this.position.names).length) return "";
    const choices = this.position.choices[this.role] ?? [];
    if (choices.some(({ path }) => path.length)) return "The board is empty. Click a cell with a dot to begin.";
    const look = this.game.hidden ? "" : " Point at one to see the board after it.";
    return `The board is empty. Choose one of the ${choices.length} moves in the list to begin.${look}`;
  }

  say(text) {
    byId("ahead").textContent = text;
    byId("ahead").hidden = !text;
  }

  look(event) {
    const { move } = event.target.closest?.("[data-move]")?.dataset ?? {};
    if (!move || !this.role || this.game.hidden || !this.board.svg || move === this.wanted) return;
    this.wanted = move;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(move), this.known.has(move) ? 0 : REST);
  }

  async show(move) {
    const { position, role, known } = this;
    try {
      if (!known.has(move)) known.set(move, await post(this.path, { ply: position.ply, role, move }));
      if (this.wanted !== move || this.position !== position) return; // something else is pointed at now
      this.board.show(known.get(move));
      this.board.svg.classList.add("ahead");
      this.say(known.get(move).certain ? "The board after this move" : "What is certain after this move, whatever the others do");
    } catch {
      if (this.wanted === move) this.back(); // too many answers, or another error: the board stays
    }
  }

  back() {
    clearTimeout(this.timer);
    this.wanted = null;
    if (!this.board.svg?.classList.contains("ahead")) return;
    this.board.svg.classList.remove("ahead");
    this.board.show(this.position);
    this.say(this.invitation());
  }
}
