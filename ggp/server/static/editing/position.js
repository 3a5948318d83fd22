// The position of the game that is being written: its board, its legal moves, and the line that led to it.

import { Board } from "../board.js";
import { byId, el } from "../dom.js";
import { Picking } from "../picking.js";
import { drawPicking } from "../pool.js";

const SHOWN = 300;

export class PositionView {
  /** `look()` requests the position after `line`; `why(atom)` explains an atom. */
  constructor({ look, why }) {
    this.look = look;
    this.why = why;
    this.line = []; // the joint moves, each with a move for every role
    this.at = 0; // how many of them are played
    this.shape = "";
    this.found = null;
    this.board = null;
    this.forget();
    byId("first").addEventListener("click", () => this.go(0));
    byId("prev").addEventListener("click", () => this.go(this.at - 1));
    byId("next").addEventListener("click", () => this.go(this.at + 1));
    byId("facts-card").addEventListener("toggle", () => this.drawFacts());
    byId("seeing").addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.picking?.picks.length) {
        this.picking.clear();
        this.drawMoves();
      }
    });
  }

  get played() {
    return this.line.slice(0, this.at);
  }

  /** Begin with another game, or with a line that was kept. */
  restart(line = []) {
    this.line = line;
    this.at = line.length;
    this.found = null;
    this.forget();
  }

  forget() {
    this.chosen = {}; // the moves of this ply so far, by role
    this.picking = null;
    this.role = null;
  }

  go(ply) {
    this.at = Math.max(0, Math.min(this.line.length, ply));
    this.forget();
    this.look();
  }

  /** Show an answer of the server; `null` if the rules cannot be played at the moment. */
  show(found) {
    byId("position").classList.toggle("stale", !found);
    if (!found) return;
    const { game, position, line } = found;
    // What was clicked counts no more once other moves are legal.
    if (JSON.stringify(position.choices) !== JSON.stringify(this.found?.position.choices)) this.forget();
    this.found = found;
    if (found.stopped) [this.line, this.at] = [line, line.length];
    else this.line.splice(0, line.length, ...line);
    byId("position-fault").textContent = found.stopped ? `The line of moves ends here now: ${found.stopped}` : position.fault ?? "";
    const shape = JSON.stringify(game);
    if (shape !== this.shape) {
      this.shape = shape;
      this.board = new Board(byId("board"), game, (key) => this.clicked(key));
    }
    this.board.show(position);
    this.draw();
  }

  draw() {
    const { game, position, goals } = this.found;
    byId("where").textContent = `ply ${this.at} / ${this.line.length}`;
    byId("first").disabled = byId("prev").disabled = this.at === 0;
    byId("next").disabled = this.at === this.line.length;
    byId("players").replaceChildren(...game.roles.map((role) => {
      const goal = goals[role];
      const atom = goal == null ? `(goal ${role} ?value)` : `(goal ${role} ${goal})`;
      return el("div", { class: `player${this.asked().includes(role) ? " waits" : ""}` },
        el("span", { class: `chip p-${game.colours[role]}`, "aria-hidden": "true" }), el("span", { class: "role-name" }, role),
        role in goals ? el("button", { class: "goal", "aria-label": `Goal of ${role}: ${goal ?? "none"}; why?`, onclick: () => this.why(atom) }, goal ?? "no goal") : null);
    }));
    const terminal = Boolean(position.terminal);
    const status = terminal ? "Terminal: the game is over" : this.asked().length ? `To move: ${this.asked().join(", ")}` : "Not terminal";
    byId("status").replaceChildren(`${status} `, el("button", { class: "goal", onclick: () => this.why("terminal") }, terminal ? "why?" : "why not terminal?"));
    byId("notes").replaceChildren(...position.notes.slice(0, 40).map(([name, rows]) =>
      el("span", { class: "note-chip" }, el("span", { class: "relation" }, name), ` ${rows.slice(0, 20).join(", ")}${rows.length > 20 ? " …" : ""}`)));
    this.drawFacts();
    this.drawMoves();
  }

  drawFacts() {
    if (!this.found || !byId("facts-card").open) return;
    byId("facts").replaceChildren(...this.found.position.facts.map((fact) =>
      el("li", {}, el("button", { title: "Why?", onclick: () => this.why(`(true ${fact})`) }, fact))));
  }

  /** Return the roles that have a choice, and have not chosen yet. */
  asked() {
    const open = Object.entries(this.found.position.choices).filter(([role, own]) => own.length > 1 && !(role in this.chosen));
    return open.map(([role]) => role);
  }

  drawMoves() {
    const { choices, words, more } = this.found.position;
    const roles = this.asked();
    // If nobody has a choice, the only moves are offered, too.
    const offered = roles.length || Object.keys(this.chosen).length ? roles : Object.keys(choices);
    if (!offered.includes(this.role)) [this.role, this.picking] = [offered[0] ?? null, null];
    const own = this.role ? choices[this.role] : [];
    this.picking ??= new Picking(own);
    byId("moves-card").hidden = !this.role;
    byId("as").hidden = offered.length < 2;
    byId("as").replaceChildren(...offered.map((role) => el("button", { class: role === this.role ? "here" : "", "aria-pressed": String(role === this.role), onclick: () => {
      [this.role, this.picking] = [role, null];
      this.drawMoves();
    } }, role)));
    const { picking } = this;
    const page = { playable: Boolean(this.role), choose: (move) => this.choose(move), changed: () => this.drawMoves() };
    drawPicking(this.board, this.role ? picking : null, words, page);
    const fitting = picking.picks.length ? picking.fitting() : own;
    const items = fitting.slice(0, SHOWN).map(({ move, label }) => el("li", {},
      el("button", { class: "move", title: move, onclick: () => this.choose(move) }, label),
      el("button", { class: "ask", title: "Why is this legal?", "aria-label": `Why is ${label} legal?`, onclick: () => this.why(`(legal ${this.role} ${move})`) }, "?")));
    const left = Math.max(0, fitting.length - SHOWN) + (this.role ? more[this.role] ?? 0 : 0);
    if (left) items.push(el("li", { class: "plain hint" }, `and ${left} more; click a cell`));
    byId("moves").replaceChildren(...items);
  }

  clicked(key) {
    if (!this.role || !this.picking) return;
    const move = this.picking.click(key);
    if (move) this.choose(move);
    else this.drawMoves();
    if (byId("board").contains(document.activeElement)) this.board.focus(key);
  }

  /** Choose a move for the present role. Once all roles have chosen, the position after their moves is shown. */
  choose(move) {
    this.chosen[this.role] = move;
    [this.role, this.picking] = [null, null];
    if (this.asked().length) {
      this.draw();
      return;
    }
    this.line = [...this.played, this.chosen];
    this.go(this.at + 1);
  }
}
