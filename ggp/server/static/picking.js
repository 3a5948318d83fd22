// From clicks to moves: the parts of a move are chosen one by one, on cells and on words beside the board.

/** @typedef {import("./types").Choice} Choice */
/** @typedef {import("./types").Part} Part */
/**
 * A click on a cell, on a word, or on both for one part; `given` if nobody has clicked it yet.
 * @typedef {{cell?: string, word?: string, slot?: string, given?: boolean}} Pick
 */

/** @type {(part: Part, cell: string) => boolean} */
const reaches = (part, cell) => part.cells.includes(cell) || Boolean(part.lane?.includes(cell));

/** @type {(part: Part, pick: Pick) => boolean} true if a pick is a part, or the beginning of one */
const agrees = (part, pick) =>
  (pick.cell === undefined ? (pick.slot ?? "") === (part.slot ?? "") : reaches(part, pick.cell)) && (pick.word === undefined || pick.word === part.word);

/** @type {(part: Part, pick: Pick) => boolean} */
const done = (part, pick) => (!part.cells.length || pick.cell !== undefined) && (!part.word || pick.word !== undefined);

/** @type {(choice: Choice) => boolean} true if nothing but a word is clicked */
const isWord = ({ parts }) => parts.length === 1 && !parts[0].cells.length;

/** @type {(choice: Choice) => boolean} true if the parts have no order */
const isFree = ({ parts }) => parts.length > 1 && parts.every(({ word }) => word);

/** The move that is being chosen in one role's turn. */
export class Picking {
  /** @param {Choice[]} choices */
  constructor(choices) {
    this.choices = choices.filter(({ parts }) => parts.length);
    /** @type {Pick[]} */
    this.picks = [];
    /** @type {string | null} whose turn it is, for who changes between roles */
    this.role = null;
    this.only();
  }

  /** Choose the only piece that can move. */
  only() {
    const moves = this.choices.filter((choice) => !isWord(choice));
    const [first] = new Set(moves.map(({ parts }) => parts[0].cells.join(" ")));
    const alike = moves.every(({ parts }) => parts.length > 1 && !parts[0].word && parts[0].cells.join(" ") === first);
    if (moves.length && alike) this.picks = [{ cell: moves[0].parts[0].cells[0], given: true }];
  }

  /** The clicked cells. */
  get chosen() {
    return this.picks.flatMap(({ cell }) => cell ?? []);
  }

  clear() {
    this.picks = [];
  }

  /**
   * Return which parts of a move the picks are, or null: all but the last one are whole parts.
   * @param {Choice} choice
   * @param {Pick[]} picks
   * @param {boolean} ordered
   * @returns {number[] | null}
   */
  static assigned({ parts }, picks, ordered) {
    if (picks.length > parts.length) return null;
    const fits = (part, at) => agrees(part, picks[at]) && (at === picks.length - 1 || done(part, picks[at]));
    if (ordered) return picks.every((_, at) => fits(parts[at], at)) ? picks.map((_, at) => at) : null;
    const place = (at, used) => {
      if (at === picks.length) return used;
      for (const [number, part] of parts.entries()) {
        const rest = !used.includes(number) && fits(part, at) ? place(at + 1, [...used, number]) : null;
        if (rest) return rest;
      }
      return null;
    };
    return place(0, []);
  }

  /**
   * Return the moves that begin with the picks, each with the parts that these are; in another order, where none does.
   * @param {Pick[]} [picks]
   */
  matches(picks = this.picks) {
    for (const ordered of [true, false]) {
      const found = this.choices.flatMap((choice) => {
        const used = Picking.assigned(choice, picks, ordered);
        return used ? [{ choice, used }] : [];
      });
      if (found.length) return found;
    }
    return [];
  }

  /** Return the moves that agree with the picks. */
  fitting() {
    return this.matches().map(({ choice }) => choice);
  }

  /** Return the parts that can be chosen next, with the pick that each of them completes, if there is one. */
  open(picks = this.picks) {
    const last = picks.at(-1);
    return this.matches(picks).flatMap(({ choice, used }) => {
      const part = choice.parts[used.at(-1) ?? -1];
      if (last && part && !done(part, last)) return [{ part, begun: last }];
      const rest = choice.parts.filter((_, number) => !used.includes(number));
      return (isFree(choice) ? rest : rest.slice(0, 1)).map((next) => ({ part: next, begun: null }));
    });
  }

  /** Return the cells that can be clicked next. */
  next() {
    const cells = this.open().flatMap(({ part, begun }) => (begun?.cell === undefined ? part.cells : []));
    return new Set([...cells, ...this.ends().keys()]);
  }

  /** Return the cells at the end of a way on which the cells between can only be one: each with its move. */
  ends() {
    /** @type {Map<string, Choice | null>} */
    const found = new Map();
    const next = new Set(this.open().flatMap(({ part }) => part.cells));
    for (const choice of this.picks.length ? this.fitting() : []) {
      const rest = choice.parts.slice(this.picks.length);
      if (rest.length < 2 || rest.some(({ word }) => word)) continue;
      for (const cell of rest.at(-1).cells) if (!next.has(cell)) found.set(cell, found.has(cell) ? null : choice);
    }
    return new Map([...found].flatMap(([cell, choice]) => (choice ? [[cell, choice]] : [])));
  }

  /** Return the cells that can be clicked first. */
  sources() {
    return new Set(this.choices.flatMap((choice) => (isFree(choice) ? choice.parts : choice.parts.slice(0, 1))).flatMap(({ cells }) => cells));
  }

  /** Return the words that can be clicked, as {word, slot, cell, chosen, open}; those of a clicked cell have it. */
  words() {
    const last = this.picks.at(-1);
    const found = new Map();
    /** @type {(part: {word?: string, slot?: string}, cell: string | null, open: boolean) => void} */
    const add = ({ word, slot = "" }, cell, open) => {
      const key = `${slot}\n${cell ?? ""}\n${word}`;
      const chosen = this.picks.some((pick) => pick.word === word && (pick.slot ?? "") === slot && pick.cell === undefined);
      const known = found.get(key);
      found.set(key, { word, slot, cell, chosen, open: open || chosen || Boolean(known?.open) });
    };
    for (const choice of this.choices) if (isWord(choice)) add(choice.parts[0], null, true);
    for (const slot of new Set(this.choices.flatMap(({ parts }) => parts.map((part) => part.slot ?? "")))) {
      if (!slot) continue;
      const others = this.picks.filter((pick) => pick.slot !== slot);
      const able = this.matches(others).flatMap(({ choice: { parts } }) => parts).filter((part) => part.slot === slot);
      for (const part of this.choices.flatMap(({ parts }) => parts)) if (part.slot === slot) add(part, null, able.some(({ word }) => word === part.word));
    }
    const alone = last?.word !== undefined && last.cell === undefined && last.slot === undefined; // its cell is yet to be clicked
    for (const { part, begun } of this.open(alone ? this.picks.slice(0, -1) : this.picks)) {
      if (part.word && part.cells.length && begun?.word === undefined) add(part, begun?.cell ?? null, true);
    }
    return [...found.values()];
  }

  /** Return the parts that are whole, each with its word, to be shown where they will be. */
  placed() {
    const [first] = this.matches();
    return first ? first.used.map((number, at) => ({ part: first.choice.parts[number], pick: this.picks[at] })).filter(({ part, pick }) => part.word && done(part, pick)) : [];
  }

  /** Take in a click on a cell. Return the move if it is now whole, else null. */
  click(cell) {
    const { picks } = this;
    const again = picks.findIndex((pick) => pick.cell === cell);
    if (again >= 0) {
      if (picks[again].given) picks[again].given = false; // the first click on what nobody has clicked
      else this.drop(again);
      return null;
    }
    const end = this.ends().get(cell);
    if (end) return end.move;
    const last = picks.at(-1);
    const begun = last && last.cell === undefined && last.slot === undefined ? [[...picks.slice(0, -1), { ...last, cell }]] : [];
    return this.first([...begun, [...picks, { cell }], [...picks.slice(0, -1), { cell }], [{ cell }]]);
  }

  /** Take in a click on a word. Return the move if it is now whole, else null. */
  say(word, slot = "") {
    const { picks } = this;
    const whole = this.choices.find((choice) => isWord(choice) && choice.parts[0].word === word && (choice.parts[0].slot ?? "") === slot);
    if (whole) return whole.move;
    const pick = slot ? { word, slot } : { word };
    const same = picks.findIndex((one) => one.cell === undefined && (one.slot ?? "") === slot);
    if (same >= 0) {
      if (picks[same].word === word) this.drop(same);
      else return this.first([picks.map((one, at) => (at === same ? pick : one)), [pick]]);
      return null;
    }
    const last = picks.at(-1);
    const begun = !slot && last?.cell !== undefined && last.word === undefined ? [[...picks.slice(0, -1), { ...last, word }]] : [];
    return this.first([...begun, [...picks, pick], [pick]]);
  }

  /** Take the first picks that some move agrees with. Return the move that they are, or null. */
  first(tried) {
    const fit = tried.find((picks) => this.matches(picks).length);
    if (!fit && this.picks[0]?.given) return null; // the only piece that can move stays chosen
    this.picks = (fit ?? []).map(({ given, ...pick }) => pick);
    const found = this.matches();
    const last = this.picks.at(-1);
    if (!last) return null;
    // A word that nothing else could follow need not be clicked.
    const words = new Set(found.map(({ choice, used }) => choice.parts[used.at(-1)].word));
    if (last.cell !== undefined && last.word === undefined && words.size === 1 && !words.has(undefined)) last.word = [...words][0];
    const whole = found.filter(({ choice, used }) => used.length === choice.parts.length && done(choice.parts[used.at(-1)], last));
    return found.length === 1 && whole.length ? whole[0].choice.move : null;
  }

  /** Take back a pick, and those behind it that mean nothing without it. */
  drop(at) {
    const rest = this.picks.filter((_, number) => number !== at);
    this.picks = this.matches(rest).length && this.picks.every(({ word }) => word !== undefined) ? rest : this.picks.slice(0, at);
  }
}
