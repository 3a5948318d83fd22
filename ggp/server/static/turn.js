// Making a move: by clicks on the board, or from the list beside it.

import { byId } from "./dom.js";
import { drawList, drawRoles } from "./moves.js";
import { Picking } from "./picking.js";
import { drawPicking } from "./pool.js";

export class Turn {
  /**
   * @param {import("./board.js").Board} board
   * @param {(role: string, move: string, cells: string[]) => void} play called with the cells that say which move it is
   * @param {(atom: string) => void} explain
   * @param {() => void} changed
   */
  constructor(board, play, explain, changed) {
    this.board = board;
    this.play = play;
    this.explain = explain;
    this.changed = changed;
    /** @type {import("./types").Position} */
    this.position = null;
    /** @type {string[]} */
    this.roles = [];
    /** @type {string | null} whose moves are made here */
    this.role = null;
    this.whole = this.plays = false;
    this.slip = ""; // why the last click meant nothing
    this.picking = new Picking([]);
    byId("search").addEventListener("input", () => this.list());
  }

  /**
   * Take in the roles that are to move here; `whole` tells if everything may be seen, `plays` if a role is played here,
   * so that the board keeps the focus while others move.
   * @param {import("./types").Position} position
   * @param {string[]} roles
   * @param {boolean} whole
   * @param {boolean} plays
   */
  show(position, roles, whole, plays) {
    const role = roles.includes(this.role) ? this.role : roles[0] ?? null;
    if (position !== this.position || role !== this.role) {
      this.picking = new Picking((role && position.choices[role]) ?? []);
      byId("search").value = "";
      this.slip = "";
    }
    Object.assign(this, { position, roles, role, whole, plays });
    this.draw();
  }

  draw() {
    const { role } = this;
    drawRoles(this.roles, role, (one) => {
      this.role = one;
      this.picking = new Picking(this.position.choices[one] ?? []);
      this.changed();
    });
    this.hint();
    this.list();
  }

  /** Mark on the board what can be clicked. */
  hint() {
    const page = { playable: this.plays, choose: (move) => this.make(move), changed: () => this.changed() };
    drawPicking(this.board, this.role ? this.picking : null, this.position?.words ?? {}, page);
  }

  list() {
    const { role, position, picking } = this;
    byId("moves-card").hidden = Boolean(position.terminal) || !role;
    if (!role) return;
    // Whoever does not see everything is not told why something is legal.
    const why = this.whole ? (move) => this.explain(`(legal ${role} ${move})`) : null;
    drawList(position.choices[role] ?? [], picking, { more: position.more[role], choose: (move) => this.make(move), why });
  }

  clicked(key) {
    if (!this.role) return;
    const { chosen, picks: [first] } = this.picking;
    const move = this.picking.click(key);
    const taken = move || chosen.includes(key) || this.picking.chosen.includes(key);
    this.slip = taken ? "" : this.refusal(first?.given ? undefined : chosen.at(-1), key);
    if (move) this.make(move);
    else this.changed();
    if (byId("board").contains(document.activeElement)) this.board.focus(key);
  }

  /** Return why a click means nothing, after another one on the cell `from`, if there was one. */
  refusal(from, key) {
    const { labels } = this.board.game;
    const name = (cell) => (this.position.names[cell] ? `${this.position.names[cell]} on ${labels[cell]}` : labels[cell]);
    if (from) return `Nothing goes from ${labels[from]} to ${name(key)} now.`;
    if (!this.picking.sources().size) return "The moves are below the board: none is made by a click on it.";
    const can = this.position.names[key] ? "cannot move" : "can put nothing on";
    return `${this.role} ${can} ${name(key)} now.`;
  }

  make(move) {
    const { role, picking } = this;
    const parts = picking.choices.find((choice) => choice.move === move)?.parts ?? [];
    const cells = parts.every(({ cells: keys }) => keys.length === 1) ? parts.map(({ cells: [key] }) => key) : picking.chosen;
    this.clear();
    if (role) this.play(role, move, cells);
  }

  /** Choose nothing any more. Return true if something was chosen. */
  clear() {
    const chosen = this.picking.picks.length > 0;
    this.picking.clear();
    return chosen;
  }
}
