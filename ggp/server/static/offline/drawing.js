// Positions as drawings and in words, where no server can be asked: from what each fact and each move means alone, which
// was found out beforehand (ggp/server/export/boards.py). It does the same as ggp/board does in Python.

const CELL = 48;

const number = (value) => String(Number(value.toFixed(2)));
const numbers = (values) => Object.fromEntries(Object.entries(values).map(([key, value]) => [key, typeof value === "number" ? number(value) : value]));

/**
 * What is on the boards.
 * @typedef {Map<number, {pieces: number[], marks: string[], named: boolean}>} Cells by the number of the place
 * @typedef {{cells: Cells, rest: number[]}} View
 */

export class Drawing {
  constructor(data) {
    Object.assign(this, data);
    this.data = data;
    this.numbers = new Map(data.places.map((place, at) => [place.join(), at]));
  }

  key(place) {
    return this.data.places[place].join();
  }

  /**
   * Lay facts, given by their numbers in the order of their texts, on the boards, with the last moves.
   * @param {number[]} facts
   * @param {number[]} moves
   * @param {View | null} before
   * @returns {View}
   */
  lay(facts, moves = [], before = null) {
    const { data } = this;
    /** @type {Map<number, number[]>} */
    const pieces = new Map();
    /** @type {Map<number, string[]>} */
    const marks = new Map();
    const rest = [];
    const add = (map, place, what) => (map.has(place) ? map.get(place).push(what) : map.set(place, [what]));
    const waiting = [];
    for (const fact of facts) {
      const [kind, place, what] = data.facts[fact];
      if (kind === "rest") rest.push(fact);
      else if (kind === "piece") add(pieces, place, what);
      else if (kind === "mark") add(marks, place, what);
      else if (kind !== "blank") waiting.push(fact);
    }
    this.deal(waiting, (place, what) => add(pieces, place, what));
    rest.push(...this.stack(waiting, (place, what) => add(pieces, place, what)));
    const seen = new Map();
    for (const here of pieces.values()) for (const piece of here) seen.set(piece, (seen.get(piece) ?? 0) + 1);
    const rank = (piece) => 2 * seen.get(piece) + (data.pieces[piece].owned ? 0 : 1);
    for (const here of pieces.values()) here.sort((a, b) => rank(a) - rank(b)); // the rarest piece matters most
    let named = new Set(moves.flatMap((move) => data.moves[move][0]));
    if (moves.length && !named.size && before) named = this.changed(before, pieces);
    const cells = new Map();
    for (const place of [...pieces.keys(), ...marks.keys(), ...named]) {
      cells.set(place, { pieces: pieces.get(place) ?? [], marks: marks.get(place) ?? [], named: named.has(place) });
    }
    return { cells, rest };
  }

  /** Put what roles hold into their rows, from the left; the last cell of a row has all that do not fit before it. */
  deal(waiting, add) {
    const held = new Map();
    for (const fact of waiting) {
      const [kind, place, piece] = this.data.facts[fact];
      if (kind === "held") held.set(place, [...(held.get(place) ?? []), piece]);
    }
    for (const [first, things] of held) {
      const cells = this.data.rows[this.data.places[first][0]][first];
      things.sort((a, b) => this.data.pieces[a].held - this.data.pieces[b].held);
      things.forEach((piece, at) => add(cells[Math.min(at, cells.length - 1)], piece));
    }
  }

  /** Put things on those that they stand on, from the ground up; return the facts left over. */
  stack(waiting, add) {
    const under = new Map();
    const put = (place, piece) => {
      add(place, piece);
      under.set(this.data.pieces[piece].key, place);
    };
    let left = [];
    for (const fact of waiting) {
      const [kind, place, piece] = this.data.facts[fact];
      if (kind === "stacked") put(place, piece);
      else if (kind === "on") left.push(fact);
    }
    for (let floating = []; left.length; left = floating, floating = []) {
      for (const fact of left) {
        const [, below, piece] = this.data.facts[fact];
        const [board, column, row] = this.data.places[under.get(below)] ?? [0, 0, 0];
        if (row) put(this.numbers.get([board, column, row - 1].join()), piece);
        else floating.push(fact);
      }
      if (floating.length === left.length) break;
    }
    return left;
  }

  /** Return the cells whose pieces are others than before; none if these are most of all cells. */
  changed(before, pieces) {
    const standing = (own) => [...new Set((own ?? []).filter((piece) => !this.data.pieces[piece].joined && !this.data.pieces[piece].held))].sort().join();
    const places = new Set([...before.cells.keys(), ...pieces.keys()]);
    const found = [...places].filter((place) => standing(before.cells.get(place)?.pieces) !== standing(pieces.get(place)));
    return new Set(2 * found.length <= this.data.cells ? found : []);
  }

  /**
   * Return what a role knows of the boards after some plies: what is on a cell as it has last seen it, and what it holds
   * itself, as far as a percept has told it. Until the first ply, it knows the start.
   * @param {number[]} start
   * @param {number[][]} seen the percepts of each ply, by their numbers
   * @param {number[]} facts those that hold now
   */
  seenFacts(start, seen, facts) {
    if (!seen.length) return start;
    const { cells, shows, dealt } = this.data.percepts;
    const held = new Set(seen.flat().flatMap((percept) => dealt[percept]));
    const sure = facts.filter((fact) => held.has(fact));
    if (!shows) return sure;
    const known = new Map();
    for (const some of [start, ...seen.map((own) => own.map((percept) => this.data.facts.length - cells.length + percept))]) {
      const fresh = new Map();
      for (const one of some) {
        const cell = one < this.data.facts.length - cells.length ? this.data.percepts.about[one] : cells[one - this.data.facts.length + cells.length];
        if (cell !== null) fresh.set(cell, [...(fresh.get(cell) ?? []), one]);
      }
      for (const [cell, own] of fresh) known.set(cell, own);
    }
    return [...[...known.values()].flat(), ...sure];
  }

  // ------------------------------------------------------------------------------------------ what has moved

  /** Return the pieces whose cells differ, each with the cells that it leaves, enters, and was on before. */
  changes(before, after) {
    const places = (view) => {
      const found = new Map();
      for (const [place, { pieces }] of view.cells) {
        for (const piece of pieces) {
          if (this.data.pieces[piece].held) continue; // in a hand, things move up
          if (!found.has(piece)) found.set(piece, new Set());
          found.get(piece).add(place);
        }
      }
      return found;
    };
    const [old, now] = [places(before), places(after)];
    return [...new Set([...old.keys(), ...now.keys()])].map((piece) => {
      const [was, is] = [old.get(piece) ?? new Set(), now.get(piece) ?? new Set()];
      return { piece, left: [...was].filter((one) => !is.has(one)), entered: [...is].filter((one) => !was.has(one)), before: [...was], now: [...is] };
    }).filter(({ left, entered }) => left.length || entered.length);
  }

  /** Return one cell before and after for each piece of several cells, or of a stack, that has moved as a whole. */
  slides(before, after) {
    const ways = [];
    for (const { piece, left, entered, before: was, now } of this.changes(before, after)) {
      if (!left.length || !entered.length) continue;
      if (this.data.pieces[piece].wide) ways.push([Math.min(...left), Math.min(...entered)]);
      else if (this.data.pieces[piece].joined) ways.push([Math.min(...was), Math.min(...now)]);
    }
    return ways;
  }

  /** Return the ways of the last moves, from cell to cell. */
  ways(moves, before, after) {
    const named = moves.flatMap((move) => this.data.moves[move][1].flatMap((way) => way.slice(1).map((to, at) => [way[at], to])));
    return named.length || !before ? named : this.slides(before, after);
  }

  // ------------------------------------------------------------------------------------------ drawing

  /** Draw a view, with arrows along some ways: the layers of ggp.board.drawing.scene.Picture. */
  picture({ cells }, ways = []) {
    const { data } = this;
    const drawn = [...cells].filter(([place]) => data.middles[place]).sort(([a], [b]) => a - b);
    const under = drawn.filter(([, { named }]) => named).map(([place]) => data.named[place]);
    const pieces = [...this.joined(drawn), ...drawn.flatMap(([place, cell]) => this.single(place, cell))];
    const over = [...drawn.flatMap(([place, cell]) => this.marked(place, cell)), ...ways.flatMap(([from, to]) => this.arrow(from, to))];
    return { under, pieces, over };
  }

  look(piece, place) {
    const { look, looks } = this.data.pieces[piece];
    return looks?.[place] ?? look;
  }

  single(place, { pieces }) {
    const shown = pieces.filter((piece) => !this.data.pieces[piece].joined);
    if (!shown.length) return [];
    const [x, y] = this.data.middles[place];
    const name = shown.map((piece) => this.data.pieces[piece].name).join(", ");
    const under = shown.length > 1 ? shown.filter((piece) => this.data.pieces[piece].tile) : []; // others stand on these
    const some = shown.filter((piece) => !under.includes(piece)).slice(0, 4).reverse();
    const upper = some.map((piece, at) => {
      const offset = some.length === 1 ? 0 : 7 * (some.length - 1 - at - (some.length - 1) / 2);
      return this.piece(piece, x + offset, y + offset, some.length === 1 ? 1 : 0.72, place, name);
    });
    return [...under.map((piece) => this.piece(piece, x, y, 1, place, name)), ...upper];
  }

  piece(piece, x, y, scale, place, name) {
    const corner = `translate(${(x - 24 * scale).toFixed(2)} ${(y - 24 * scale).toFixed(2)})${scale === 1 ? "" : ` scale(${scale})`}`;
    const attributes = { class: `piece c-${this.data.pieces[piece].colour}`, transform: corner, "data-at": this.key(place) };
    return ["g", attributes, ["title", {}, name], ...this.look(piece, place)[0]];
  }

  /** Draw the pieces that cover several cells: their tiles with an outline, then the same tiles without. */
  joined(drawn) {
    const covered = new Map();
    for (const [place, { pieces }] of drawn) {
      for (const piece of pieces) {
        if (!this.data.pieces[piece].joined) continue;
        const key = `${this.data.places[place][0]} ${piece}`;
        if (!covered.has(key)) covered.set(key, []);
        covered.get(key).push(place);
      }
    }
    return [...covered].map(([key, places]) => {
      const piece = Number(key.split(" ")[1]);
      const { name, colour } = this.data.pieces[piece];
      const labels = this.apart(places).map((part) => this.label(piece, part));
      const attributes = { class: `piece joined c-${colour}`, "data-at": this.key(Math.min(...places)) };
      return ["g", attributes, ["title", {}, name], ...this.tiles(places), ...labels];
    });
  }

  tiles(places) {
    const inset = CELL / 2 - 4;
    const [board] = this.data.places[places[0]];
    const has = (column, row) => places.includes(this.numbers.get([board, column, row].join()));
    const order = [...places].sort((a, b) => this.data.places[a][1] - this.data.places[b][1] || this.data.places[a][2] - this.data.places[b][2]);
    const rectangles = order.flatMap((place) => {
      const [x, y] = this.data.middles[place];
      const [, column, row] = this.data.places[place];
      const [right, below] = [has(column + 1, row), has(column, row + 1)];
      return [
        { x: x - inset, y: y - inset, width: 2 * inset, height: 2 * inset, rx: 8 },
        ...(right ? [{ x, y: y - inset, width: CELL, height: 2 * inset }] : []),
        ...(below ? [{ x: x - inset, y, width: 2 * inset, height: CELL }] : []),
        ...(right && below && has(column + 1, row + 1) ? [{ x, y, width: CELL, height: CELL }] : []),
      ];
    });
    return ["body", "body flat"].flatMap((kind) => rectangles.map((sides) => ["rect", { class: kind, ...numbers(sides) }]));
  }

  /** Return the connected parts of some cells of a board. */
  apart(places) {
    const left = new Set(places);
    const parts = [];
    while (left.size) {
      const part = [];
      const edge = [Math.min(...left)];
      left.delete(edge[0]);
      while (edge.length) {
        const place = edge.pop();
        part.push(place);
        const [board, column, row] = this.data.places[place];
        for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
          const near = this.numbers.get([board, column + dx, row + dy].join());
          if (near !== undefined && left.delete(near)) edge.push(near);
        }
      }
      parts.push(part);
    }
    return parts;
  }

  /** Return the glyph or the image on a piece: in the middle of a rectangle, or else on the first cell. */
  label(piece, part) {
    const cells = part.map((place) => this.data.places[place]);
    const [glyph, image] = this.data.pieces[piece].joined;
    const [first] = [...part].sort((a, b) => a - b);
    const [, column, row] = this.data.places[first];
    let last = part.reduce((best, place) => {
      const [[, a, b], [, c, d]] = [this.data.places[place], this.data.places[best]];
      return a > c || (a === c && b > d) ? place : best;
    });
    let [, right, below] = this.data.places[last];
    if (cells.length !== (Math.abs(right - column) + 1) * (Math.abs(below - row) + 1)) [last, right, below] = [first, column, row];
    const [[ax, ay], [bx, by]] = [this.data.middles[first], this.data.middles[last]];
    const [x, y] = [(ax + bx) / 2, (ay + by) / 2];
    if (!image) return ["text", { class: "ink", ...numbers({ x, y: y + 0.5, "font-size": 20 }) }, glyph];
    const scale = 1 + Math.min(Math.abs(right - column), Math.abs(below - row));
    const half = (CELL / 2) * scale;
    return ["g", { transform: `translate(${(x - half).toFixed(2)} ${(y - half).toFixed(2)}) scale(${scale})` }, ["use", { href: image }]];
  }

  marked(place, { marks }) {
    if (!marks.length) return [];
    const [x, y] = this.data.middles[place];
    const [width, height] = this.data.sizes[place].map((size) => size - 5);
    const title = ["title", {}, marks.map((mark) => this.data.marks[mark] ?? mark).join(", ")];
    const frame = ["rect", { class: "mark", ...numbers({ x: x - width / 2, y: y - height / 2, width, height, rx: 5 }) }, title];
    if (Object.keys(this.data.marks).length < 2) return [frame];
    return [frame, ["text", { class: "marksign", ...numbers({ x: x + width / 2 - 6.5, y: y - height / 2 + 13.5 }) }, marks.join("")]];
  }

  arrow(from, to) {
    const [start, end] = [this.data.middles[from], this.data.middles[to]];
    if (from === to || !start || !end) return [];
    const [[ax, ay], [bx, by]] = [start, end];
    const length = Math.hypot(bx - ax, by - ay);
    const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
    const [tip, neck] = [length - 13, length - 27];
    const points = [[ax + tip * ux, ay + tip * uy], ...[1, -1].map((side) => [ax + neck * ux - side * 8 * uy, ay + neck * uy + side * 8 * ux])];
    return [
      ["line", { class: "arrow", ...numbers({ x1: ax + 6 * ux, y1: ay + 6 * uy, x2: ax + neck * ux, y2: ay + neck * uy }) }],
      ["polygon", { class: "head", points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ") }],
    ];
  }

  // ------------------------------------------------------------------------------------------ words

  /** Return what stands on each cell, in words. */
  names({ cells }) {
    /** @type {Record<string, string>} */
    const found = {};
    for (const [place, { pieces, marks }] of cells) {
      const words = [...pieces.map((piece) => this.look(piece, place)[1]), ...marks.map((mark) => this.data.marks[mark] ?? mark)];
      if (words.length) found[this.key(place)] = words.join(", ");
    }
    return found;
  }

  /** Return the facts that are on no board, by relation, and the dice that the last moves have thrown. */
  notes({ rest }, moves = []) {
    const groups = new Map();
    for (const fact of rest) {
      const [name, row] = this.data.facts[fact].slice(3);
      if (!groups.has(name)) groups.set(name, []);
      if (row !== null) groups.get(name).push(row);
    }
    return [...groups, ...moves.flatMap((move) => this.data.dice[move] ?? [])];
  }

  // ------------------------------------------------------------------------------------------ clicks

  /** Return where the things are that a role holds, by the leaves that name them. */
  hand(view, role) {
    const found = new Map();
    for (const { boards, names } of this.data.hands) {
      for (const [place, { pieces }] of view.cells) {
        if (!boards.includes(this.data.places[place][0])) continue;
        for (const piece of pieces) {
          const name = names[role]?.[piece];
          if (name && !found.has(name.join(" "))) found.set(name.join(" "), [name, place]);
        }
      }
    }
    return [...found.values()];
  }

  /** Return where the first thing of a hand is that a move names; numbers may also be those of the cells it names. */
  held(hand, move, cells) {
    const leaves = hand.length ? this.data.moves[move][2] : [];
    for (let at = 0; at < leaves.length; at++) {
      for (const [thing, place] of hand) {
        const here = thing.every((leaf, i) => leaves[at + i] === leaf);
        if (here && !(cells && /^\d+$/.test(thing[0]))) return [place];
      }
    }
    return [];
  }
}
