// The parts of each move, which are clicked one after the other, where no server can be asked. It does the same as
// ggp/board/clicks.py and ggp/server/game/choosing.py do in Python.

const PATIENCE = 500; // milliseconds spent on looking at the effects of moves
const LISTED = 6; // moves without cells that are listed as one word each
const MOST_PUT = 8; // parts of a move that puts several pieces on the board

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * A part of a move, with the numbers of its cells.
 * @typedef {{cells: number[], word: string, slot: string, lane: number[]}} Part
 * @typedef {{piece: number, left: number[], entered: number[], before: number[]}} Change
 */

/**
 * @param {number[]} cells
 * @returns {Part}
 */
const part = (cells, word = "", slot = "") => ({ cells: [...cells].sort((a, b) => a - b), word, slot, lane: [] });

const group = (items, key) => {
  const found = new Map();
  for (const item of items) found.set(key(item), [...(found.get(key(item)) ?? []), item]);
  return found;
};

const differ = (one, other) => JSON.stringify(one) !== JSON.stringify(other);

export class Choosing {
  /** @param {import("./drawing.js").Drawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    this.data = drawing.data;
    /** @type {{said: string, name: string, shape: string, words: string[]}[]} */
    this.moves = this.data.words.moves;
    /** @type {Map<number, number>} */
    this.lanes = new Map(this.data.words.lanes.map(([move, key]) => [move, drawing.numbers.get(key)]));
  }

  /**
   * Return the legal moves of a role with their parts; `after(moves)` returns the facts after each of some moves, or is
   * null if the role does not see these.
   * @param {import("./drawing.js").View} view
   * @param {number[]} legal
   * @param {string} role
   * @param {((moves: number[]) => number[][]) | null} after
   * @returns {{move: number, parts: Part[]}[]}
   */
  clicks(view, legal, role, after) {
    const hand = this.drawing.hand(view, role);
    let found = legal.map((move) => {
      const named = this.data.moves[move][0];
      const places = [...new Set([...this.drawing.held(hand, move, named.length > 0), ...named])];
      return { move, parts: places.map((place) => part([place])) };
    });
    const unnamed = found.filter(({ move }) => !this.data.moves[move][0].length).map(({ move }) => move);
    if (legal.length > 1 && this.data.boards && unnamed.length) {
      const effects = after ? this.effects(view, unnamed, after) : this.laid(unnamed);
      found = found.map(({ move, parts }) => ({ move, parts: parts.length ? parts : effects.get(move) ?? [] }));
      found = this.laned(found, effects);
    }
    return found.length > 1 ? this.toldApart(found) : found;
  }

  /** Return the cells of moves whose effects are hidden, as far as they are known. */
  laid(moves) {
    return new Map(moves.filter((move) => this.lanes.has(move)).map((move) => [move, [part([this.lanes.get(move)])]]));
  }

  // ------------------------------------------------------------------------------------------ effects

  /** Return the parts of moves by what they change on the board, for those that change it in a simple way. */
  effects(view, moves, after) {
    const until = performance.now() + PATIENCE;
    /** @type {Map<number, Change[]>} */
    const found = new Map();
    for (let at = 0; at < moves.length && performance.now() < until; at += 128) {
      const some = moves.slice(at, at + 128);
      after(some).forEach((facts, one) => found.set(some[one], this.changes(view, this.drawing.lay(facts))));
    }
    // What every move changes in the same way is not its own effect, but that of what others do.
    const times = new Map();
    for (const changed of found.values()) for (const one of changed) times.set(JSON.stringify(one), (times.get(JSON.stringify(one)) ?? 0) + 1);
    const common = (one) => found.size > 1 && times.get(JSON.stringify(one)) === found.size;
    const own = new Map([...found].map(([move, changed]) => [move, changed.filter((one) => !common(one))]));
    let parts = new Map();
    for (const [move, changed] of own) {
      const clicked = this.byEffect(changed);
      if (clicked.length) parts.set(move, clicked);
    }
    for (const same of group(own.keys(), (move) => this.kind(move)).values()) {
      const clicked = same.filter((move) => parts.has(move)).length;
      if (same.some((move) => own.get(move).length && !parts.has(move)) || 2 * clicked < same.length) {
        parts = new Map([...parts].filter(([move]) => !same.includes(move)));
        for (const [move, put] of this.putTogether(same, own)) parts.set(move, put);
      }
    }
    return parts;
  }

  /** @returns {Change[]} */
  changes(before, after) {
    const sorted = (places) => [...places].sort((a, b) => a - b);
    return this.drawing.changes(before, after).map(({ piece, left, entered, before: was }) => ({
      piece, left: sorted(left), entered: sorted(entered), before: sorted(was),
    }));
  }

  /** Return the parts of moves that put several pieces on the same cells, if these tell all moves apart. */
  putTogether(moves, own) {
    if (moves.some((move) => own.get(move).some(({ left }) => left.length))) return [];
    const puts = moves.map((move) => new Map(own.get(move).flatMap(({ piece, entered }) => entered.map((place) => [place, this.data.pieces[piece].name]))));
    const places = [...puts[0].keys()].sort((a, b) => a - b);
    if (puts.some((put) => put.size !== places.length || places.some((place) => !put.has(place)))) return [];
    const varying = [...group(places, (place) => JSON.stringify(puts.map((put) => put.get(place))))]
      .map(([names, cells]) => [JSON.parse(names), cells]).filter(([names]) => new Set(names).size > 1);
    const parts = moves.map((_, at) => varying.map(([names, cells]) => part(cells, names[at])));
    if (varying.length > MOST_PUT || new Set(parts.map((some) => JSON.stringify(some))).size < parts.length) return [];
    return moves.map((move, at) => [move, parts[at]]);
  }

  /**
   * @param {Change[]} found
   * @returns {Part[]}
   */
  byEffect(found) {
    const moved = found.filter(({ left, entered }) => left.length && entered.length);
    if (moved.length === 1 && (found.length === 1 || (moved[0].left.length === 1 && moved[0].entered.length === 1))) {
      const [{ piece, left, entered, before }] = moved;
      return [part(this.data.pieces[piece].joined ? before : left), part(entered)];
    }
    const [first] = found;
    return found.length === 1 && !first.left.length && first.entered.length === 1 ? [part(first.entered)] : [];
  }

  /** Let some moves be clicked anywhere in their column, or row, if each of them puts one piece into its own. */
  laned(found, effects) {
    const puts = found.filter(({ move, parts }) => effects.has(move) && parts.length === 1 && parts[0].cells.length === 1);
    if (puts.length < 2) return found;
    const { places, middles } = this.data;
    for (const side of [1, 2]) {
      const line = (place) => `${places[place][0]} ${places[place][side]}`;
      const lines = new Map(puts.map(({ move, parts }) => [move, line(parts[0].cells[0])]));
      if (new Set(lines.values()).size < puts.length) continue;
      const taken = new Set(found.flatMap(({ parts }) => parts.flatMap(({ cells }) => cells)));
      const free = places.map((_, place) => place).filter((place) => middles[place] && !taken.has(place));
      return found.map((click) => {
        if (!lines.has(click.move)) return click;
        const lane = free.filter((place) => line(place) === lines.get(click.move));
        return { move: click.move, parts: [{ ...click.parts[0], lane }] };
      });
    }
    return found;
  }

  // ------------------------------------------------------------------------------------------ words

  /** Return moves with words in their last parts where their cells do not tell them from each other. */
  toldApart(found) {
    const beginnings = new Set(found.flatMap(({ parts }) => parts.map((_, end) => JSON.stringify(parts.slice(0, end)))));
    const worded = new Map();
    for (const [key, same] of group(found, ({ parts }) => JSON.stringify(parts))) {
      const moves = same.map(({ move }) => move);
      const { parts } = same[0];
      if (!parts.length) {
        for (const [move, own] of this.inWords(moves)) worded.set(move, own);
      } else if (moves.length > 1 || beginnings.has(key)) {
        const last = parts[parts.length - 1];
        for (const [move, words] of this.telling(moves)) worded.set(move, [...parts.slice(0, -1), { ...last, word: `${last.word} ${words}`.trim() }]);
      }
    }
    return found.map(({ move, parts }) => ({ move, parts: worded.get(move) ?? parts }));
  }

  /** Return the groups of moves of one name and shape. */
  kinds(moves) {
    return [...group(moves, (move) => this.kind(move))].sort(([a], [b]) => byText(a, b)).map(([, same]) => same);
  }

  kind(move) {
    return `${this.moves[move].name} ${this.moves[move].shape}`;
  }

  /** Return what tells moves on the same cells from each other: their names, or the arguments that differ. */
  telling(moves) {
    const kinds = this.kinds(moves);
    return kinds.flatMap((same) => {
      const differing = this.differing(same);
      return same.map((move) => {
        const name = kinds.length > 1 || !differing.length ? [this.moves[move].name] : [];
        return [move, [...name, ...differing.map((at) => this.moves[move].words[at])].join(" ")];
      });
    });
  }

  /** Return the parts of moves without cells: one word, or one for each argument if there are many. */
  inWords(moves) {
    return this.kinds(moves).flatMap((same) => {
      const differing = this.differing(same);
      const { name } = this.moves[same[0]];
      const words = (move) => this.moves[move].words;
      if (differing.length === 1 && same.length > 1) return same.map((move) => [move, [part([], words(move)[differing[0]], name)]]);
      if (same.length <= LISTED) return same.map((move) => [move, [part([], [name, ...words(move)].join(" "))]]);
      return same.map((move) => [move, differing.map((at, number) => part([], words(move)[at], `${name} ${number + 1}`))]);
    });
  }

  /** Return the arguments, by their numbers among all constants, that differ among moves of one name. */
  differing(moves) {
    const first = this.moves[moves[0]].words;
    return first.map((_, at) => at).filter((at) => moves.some((move) => differ(this.moves[move].words[at], first[at])));
  }

  // ------------------------------------------------------------------------------------------ messages

  /**
   * Return moves as a server sends them, with the words in their parts.
   * @param {{move: number, parts: Part[]}[]} found
   * @param {(move: number) => string} text
   * @returns {import("../types").Choice[]}
   */
  choices(found, text) {
    const keys = (places) => places.map((place) => this.drawing.key(place)).sort(byText);
    const shown = ({ cells, word, slot, lane }) => ({
      cells: keys(cells), ...(word && { word }), ...(slot && { slot }), ...(lane.length && { lane: keys(lane) }),
    });
    return found.map(({ move, parts }) => ({ move: text(move), label: this.moves[move].said, parts: parts.map(shown) }));
  }

  /**
   * Return how each of the words is shown.
   * @param {{parts: Part[]}[]} found
   * @returns {Record<string, import("../types").Word>}
   */
  words(found) {
    const words = [...new Set(found.flatMap(({ parts }) => parts.flatMap(({ word }) => (word ? [word] : []))))].sort(byText);
    const angles = this.angles(words);
    return Object.fromEntries(words.map((word) => {
      const look = this.data.words.looks[word];
      return [word, { text: this.spaced(word), ...(look ? { look } : angles.has(word) ? { angle: angles.get(word) } : {}) }];
    }));
  }

  spaced(word) {
    if (this.data.words.idle.includes(word.toLowerCase())) return "pass";
    return word.replace(/^_+|_+$/g, "").replaceAll("_", " ") || word;
  }

  angles(words) {
    const plain = (word) => word.toLowerCase().replaceAll(/[_-]/g, "").replace(/^go/, "");
    const all = this.data.words.angles;
    const found = words.filter((word) => plain(word) in all).map((word) => [word, all[plain(word)]]);
    const opposite = new Set(found.map(([, angle]) => (angle + 180) % 360));
    return new Map(found.filter(([word, angle]) => plain(word).length > 1 || opposite.has(angle)));
  }
}
