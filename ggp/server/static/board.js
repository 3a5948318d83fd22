// The board: drawn from the server's data, and operated with the mouse or the keyboard.

import { drawn, el, sheet } from "./dom.js";
import { draggable } from "./drag.js";

const STILL = matchMedia("(prefers-reduced-motion: reduce)");
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Return an arrow from one point to another. */
function arrow([ax, ay], [bx, by], opacity) {
  const length = Math.hypot(bx - ax, by - ay);
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
  const at = (along, aside) => [ax + along * ux - aside * uy, ay + along * uy + aside * ux].map((one) => one.toFixed(1));
  const [start, neck, tip] = [8, length - 22, length - 6];
  const points = [at(start, -3.5), at(neck, -3.5), at(neck, -10), at(tip, 0), at(neck, 10), at(neck, 3.5), at(start, 3.5)];
  return ["polygon", { class: "advice", opacity, points: points.map((point) => point.join(",")).join(" ") }];
}

export class Board {
  /** `clicked` is called with the key of a cell, such as "0,3,4". */
  constructor(box, game, clicked) {
    this.game = game;
    this.cells = new Map();
    this.focused = null;
    this.offered = null; // the cell beside which there are buttons
    this.taken = new Set();
    this.names = {};
    this.ply = null;
    this.svg = null;
    if (!game.width) {
      box.replaceChildren(el("p", { class: "hint" }, game.hidden ? "This game has no board." : "This game has no board."));
      return;
    }
    this.svg = sheet(game.width, game.height, { class: "board-svg", role: "group", "aria-label": "Board" });
    this.svg.style.maxWidth = `${Math.max(420, game.width * 1.7)}px`;
    const ground = drawn(["g", {}, ...game.ground]);
    this.under = drawn(["g", {}]);
    this.shades = drawn(["g", {}]);
    this.hints = drawn(["g", { class: "hints" }]);
    this.pieces = drawn(["g", { class: "pieces" }]);
    this.over = drawn(["g", { class: "over" }]);
    this.marks = drawn(["g", { class: "hints" }]);
    this.ground = ground;
    this.content = drawn(["g", {}]);
    this.advice = drawn(["g", { class: "hints" }]);
    this.placed = drawn(["g", { class: "hints ghosts" }]);
    this.sent = drawn(["g", { class: "hints" }]);
    this.way = []; // the cells of a move that is on its way to the server
    this.traveller = null; // its piece
    this.content.append(ground, this.under, this.shades, this.pieces, this.over, this.marks, this.advice, this.placed, this.sent, this.hints);
    this.svg.append(this.content);
    this.turned = false;
    draggable(this, clicked);
    this.offers = el("div", { class: "offers", hidden: true });
    box.replaceChildren(el("div", { class: "board-frame" }, this.svg, this.offers));
    this.frame = this.svg.parentElement;
    for (const cell of ground.querySelectorAll("[data-place]")) {
      this.cells.set(cell.dataset.place, cell);
      cell.setAttribute("role", "img"); // its label is of no use without a role
    }
    this.svg.addEventListener("click", (event) => {
      const key = this.keyAt(event);
      if (key) clicked(key);
    });
    this.svg.addEventListener("keydown", (event) => this.pressed(event, clicked));
  }

  /** Return the cell under the pointer, ignoring pieces that cover several cells. */
  keyAt(event) {
    for (const found of document.elementsFromPoint(event.clientX, event.clientY)) {
      if (found instanceof SVGElement && found.dataset.place && this.svg.contains(found)) return found.dataset.place;
    }
    return null;
  }

  pressed(event, clicked) {
    const key = event.target.dataset?.place;
    if (!key) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      clicked(key);
    } else if (ARROWS[event.key]) {
      event.preventDefault();
      event.stopPropagation();
      this.focus(this.neighbour(key, this.seen(ARROWS[event.key])));
    }
  }

  /** Return the nearest cell in a direction. */
  neighbour(key, [dx, dy]) {
    const [x, y] = this.game.middles[key];
    let best = key;
    let least = Infinity;
    for (const [other, [ox, oy]] of Object.entries(this.game.middles)) {
      const along = (ox - x) * dx + (oy - y) * dy;
      const aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (along > 1 && along + 3 * aside < least) [best, least] = [other, along + 3 * aside];
    }
    return best;
  }

  focus(key) {
    if (this.focused) this.cells.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = key;
    const cell = this.cells.get(key);
    cell?.setAttribute("tabindex", "0");
    cell?.focus();
  }

  /** Draw a position. If it follows the previous one, moved pieces slide. */
  show(position) {
    if (!this.svg) return;
    const follows = this.ply !== null && position.ply === this.ply + 1;
    this.ply = position.ply;
    this.under.replaceChildren(...position.under.map(drawn));
    this.pieces.replaceChildren(...position.pieces.map(drawn));
    this.over.replaceChildren(...position.over.map(drawn));
    this.taken = new Set(Object.keys(position.names));
    this.names = position.names;
    this.shade(null);
    if (this.turned) this.upright(this.under, this.pieces, this.over);
    this.traveller = null;
    if (!follows || STILL.matches) return;
    // A piece that stands there already does not slide again.
    this.slide(position.steps.filter(([from, to]) => from !== this.way[0] || to !== this.way.at(-1)));
  }

  /** Shade cells of the position that is shown, in place of other colours under the pieces; `words` say what it means. */
  shade(shades, words = {}) {
    if (!this.svg) return;
    this.shades.replaceChildren(...(shades ?? []).map(drawn));
    this.under.toggleAttribute("hidden", Boolean(shades));
    for (const [key, cell] of this.cells) {
      const about = [this.names[key], words[key]].filter(Boolean).join(", ");
      cell.setAttribute("aria-label", about ? `${this.game.labels[key]}: ${about}` : this.game.labels[key]);
    }
  }

  /** Return a position in words, for those who do not see the board, with at most so many cells. */
  inWords(position, most = Infinity) {
    const cells = Object.entries(position.names).map(([key, name]) => `${this.game.labels[key]} ${name}`);
    const rest = cells.length > most ? `, and ${cells.length - most} more cells` : "";
    return `Board after ply ${position.ply}: ${cells.slice(0, most).join(", ") || "empty"}${rest}`;
  }

  /** Show a move on its way to the server by the cells that it was chosen by: a piece stands where it goes at once. */
  send(cells) {
    if (!this.svg) return;
    if (this.traveller) this.traveller.style.translate = "";
    this.traveller = null;
    this.way = cells;
    this.sent.replaceChildren(...cells.map((key) => drawn(this.ring(key, "sent", 3))));
    const [from, to] = [cells[0], cells.at(-1)];
    const piece = from !== to && this.pieces.querySelector(`[data-at="${CSS.escape(from)}"]`);
    if (!piece) return;
    const [[ax, ay], [bx, by]] = [this.game.middles[from], this.game.middles[to]];
    const [wx, wy] = this.seen([bx - ax, by - ay]);
    piece.style.translate = `${wx}px ${wy}px`;
    this.traveller = piece;
  }

  slide(steps) {
    for (const [from, to] of steps) {
      const piece = this.pieces.querySelector(`[data-at="${CSS.escape(to)}"]`);
      if (!piece) continue;
      const [ax, ay] = this.game.middles[from];
      const [bx, by] = this.game.middles[to];
      const [x, y] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(piece.getAttribute("transform") ?? "")?.slice(1).map(Number) ?? [0, 0];
      const scale = /scale\(([\d.]+)\)/.exec(piece.getAttribute("transform") ?? "")?.[1] ?? 1;
      const [wx, wy] = this.seen([ax - bx, ay - by]);
      const at = (px, py) => ({ transform: `translate(${px}px, ${py}px) scale(${scale})` });
      piece.animate([at(x + wx, y + wy), at(x, y)], { duration: 220, easing: "ease-out" });
    }
  }

  /** The transformation that turns something around a point. What stands on something else is not put upside down. */
  turning(x, y) {
    return this.game.stacked ? `translate(${2 * x} 0) scale(-1 1)` : `rotate(180 ${x} ${y})`;
  }

  /**
   * Return a way across the sheet as a way on the screen, or the other way round.
   * @param {[number, number]} way
   * @returns {[number, number]}
   */
  seen([dx, dy]) {
    return this.turned ? [-dx, this.game.stacked ? dy : -dy] : [dx, dy];
  }

  /** Look at the board from the other side. */
  turn() {
    this.turned = !this.turned;
    if (this.turned) this.content.setAttribute("transform", this.turning(...this.centre()));
    else this.content.removeAttribute("transform");
    this.upright(this.ground, this.under, this.pieces, this.over);
  }

  /**
   * Return the middle of all cells, so that they stay where they are when the board is turned.
   * @returns {[number, number]}
   */
  centre() {
    const boxes = [...this.cells.values()].map((cell) => cell.getBBox());
    const middle = (from, size) => (Math.min(...boxes.map((box) => box[from])) + Math.max(...boxes.map((box) => box[from] + box[size]))) / 2;
    return [middle("x", "width"), middle("y", "height")];
  }

  /**
   * Return where the middle of a text beside the cells belongs on a turned board: at the other end of its column or its
   * row, so that it is seen below, or on the left, as before.
   * @param {[number, number]} middle
   * @param {boolean} title
   * @returns {[number, number]}
   */
  beside([x, y], title) {
    // A label is in line with its column or row, though another cell may be nearer.
    const away = (/** @type {any} */ [, [ox, oy]]) => Math.hypot(ox - x, oy - y) + 9 * Math.min(Math.abs(ox - x), Math.abs(oy - y));
    const cells = Object.entries(this.game.middles).filter(([key]) => this.cells.has(key));
    const [key, [cx, cy]] = cells.reduce((least, one) => (away(one) < away(least) ? one : least));
    const { width, height } = this.cells.get(key).getBBox();
    const [dx, dy] = [x - cx, y - cy];
    const [below, aside] = [Math.abs(dy) > height / 2, Math.abs(dx) > width / 2];
    if (!below && !aside) return [x, y]; // the name of a cell, within it
    const [board, ...at] = key.split(",").map(Number);
    const mirrored = [title || !below, (title || below) && !this.game.stacked];
    const far = (/** @type {any} */ [other]) => {
      const [on, ...place] = other.split(",").map(Number);
      if (on !== board || place.some((value, i) => value !== at[i] && !mirrored[i])) return -1;
      return Math.abs(place[0] - at[0]) + Math.abs(place[1] - at[1]);
    };
    const [, [ox, oy]] = cells.reduce((most, one) => (far(one) > far(most) ? one : most));
    return [ox + (mirrored[0] ? -dx : dx), oy + (mirrored[1] ? -dy : dy)];
  }

  /** Turn pieces and texts back, each where it is, if the board is turned; labels stay below and on the left. */
  upright(...layers) {
    for (const layer of layers) {
      for (const turned of layer.querySelectorAll(":scope .upright")) turned.replaceWith(...turned.childNodes);
      if (!this.turned) continue;
      for (const one of layer.querySelectorAll(":scope > [data-at], text")) {
        if (one.parentElement.closest("[data-at]")) continue; // it turns with its piece
        const box = drawn(["g", { class: "upright" }]);
        one.replaceWith(box);
        box.append(one);
        const { x, y, width, height } = box.getBBox();
        const [mx, my] = this.game.middles[one.dataset.at] ?? [x + width / 2, y + height / 2];
        const middle = one.classList.contains("joined") ? [x + width / 2, y + height / 2] : [mx, my];
        const [nx, ny] = one.matches(".label, .title") ? this.beside([mx, my], one.matches(".title")) : [mx, my];
        box.setAttribute("transform", `translate(${nx - mx} ${ny - my}) ${this.turning(...middle)}`);
      }
    }
  }

  /** Return a ring around a cell, which fits into it by a margin: a circle if the cell is as wide as it is high. */
  ring(key, name, margin) {
    const [x, y] = this.game.middles[key];
    const cell = this.cells.get(key);
    const [width, height] = ["width", "height"].map((side) => Number(cell.getAttribute(side) ?? 48) - 2 * margin);
    if (width === height) return ["circle", { class: name, cx: x, cy: y, r: width / 2 }];
    return ["rect", { class: name, x: x - width / 2, y: y - height / 2, width, height, rx: Math.min(8, width / 2, height / 2) }];
  }

  /**
   * Draw moves as arrows along their cells, the first one the strongest; a move on one cell is a ring.
   * @param {string[][]} moves
   */
  advise(moves) {
    if (!this.svg) return;
    this.advice.replaceChildren(...moves.flatMap((cells, place) => {
      const opacity = 0.85 / (place + 1);
      const steps = cells.slice(1).map((to, at) => [cells[at], to]).filter(([from, to]) => from !== to && this.game.middles[from] && this.game.middles[to]);
      if (!steps.length) return cells.slice(0, 1).map((key) => drawn(["g", { opacity }, this.ring(key, "advised", 3)]));
      return steps.map(([from, to]) => drawn(arrow(this.game.middles[from], this.game.middles[to], opacity)));
    }));
  }

  /**
   * Draw what will be on some cells, as far as it is chosen.
   * @param {[string, any][]} placed
   */
  place(placed) {
    if (!this.svg) return;
    this.placed.replaceChildren(...placed.map(([key, look]) => {
      const [x, y] = this.game.middles[key];
      const box = drawn(["g", { transform: `translate(${x - 24} ${y - 24})`, "data-at": key }]);
      box.append(drawn(look));
      return box;
    }));
    if (this.turned) this.upright(this.placed);
  }

  /**
   * Show buttons beside a cell, or none.
   * @param {string | null} key
   * @param {Element[]} buttons
   */
  offer(key, buttons) {
    if (!this.svg) return;
    const held = this.offers.contains(document.activeElement) && document.activeElement.matches(":focus-visible");
    this.offers.hidden = key === null;
    this.offers.replaceChildren(...buttons);
    if (held) this.focus(this.offered); // people at the keyboard go on from the cell
    this.offered = key;
    if (key === null) return;
    const [all, cell] = [this.frame.getBoundingClientRect(), this.cells.get(key).getBoundingClientRect()];
    const { offsetWidth: width, offsetHeight: height } = this.offers;
    const left = cell.x + cell.width / 2 - all.x - width / 2;
    const below = cell.bottom - all.y + 6;
    this.offers.style.left = `${Math.max(0, Math.min(all.width - width, left))}px`;
    this.offers.style.top = `${below + height > all.height && cell.y - all.y > height ? cell.y - all.y - height - 6 : below}px`;
  }

  /** Mark cells from which something follows, such as the end of a match. */
  mark(cells) {
    if (!this.svg) return;
    const known = cells.filter((key) => this.game.middles[key]);
    this.marks.replaceChildren(...known.map((key) => drawn(this.ring(key, "reason", 1))));
  }

  isChosen(key) {
    return this.cells.get(key)?.getAttribute("aria-pressed") === "true";
  }

  /** Mark the cells that can be clicked first, the chosen cells, and those that can be clicked next. */
  hint({ sources = new Set(), chosen = [], targets = new Set() }, playable) {
    if (!this.svg) return;
    const marks = [];
    // Rings would divide pieces that cover several cells, and dots in the middle would hide their numbers.
    const joined = this.pieces.querySelector(".joined") !== null;
    const aside = joined ? 12 : 0;
    for (const [key, cell] of this.cells) {
      const live = sources.has(key) || targets.has(key) || chosen.includes(key);
      cell.classList.toggle("live", live);
      cell.classList.toggle("next", targets.has(key));
      if (playable) cell.setAttribute("role", "button");
      else cell.setAttribute("role", "img");
      if (playable) cell.setAttribute("tabindex", key === (this.focused ?? [...sources][0] ?? this.cells.keys().next().value) ? "0" : "-1");
      else cell.removeAttribute("tabindex");
      cell.removeAttribute("aria-pressed");
      const [x, y] = this.game.middles[key];
      if (chosen.includes(key)) {
        cell.setAttribute("aria-pressed", "true");
        marks.push(this.ring(key, "chosen", 1.5));
      } else if (targets.has(key)) {
        marks.push(this.ring(key, "target", 2), ["circle", { class: "target-dot", cx: x, cy: y, r: 6 }]);
      } else if (!chosen.length && sources.has(key)) {
        // A ring marks a piece that can move, a dot an empty cell that can be clicked.
        marks.push(this.taken.has(key) && !joined ? this.ring(key, "source", 2) : ["circle", { class: "place", cx: x + aside, cy: y - aside, r: joined ? 4 : 5 }]);
      }
    }
    this.hints.replaceChildren(...marks.map(drawn));
  }
}
