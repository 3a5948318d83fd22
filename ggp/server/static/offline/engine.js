// A game whose rules are a WebAssembly module: 128 states at a time, one in each lane.

/** The number of lanes. */
export const LANES = 128;

const ROW = 16; // bytes
const WORD = 32; // bits
const SEEDS = 4; // rows of a generator's state

/**
 * A state: one bit for each fact, in words. Several are packed, one after the other.
 * @typedef {Uint32Array} Bits
 */

export class Rules {
  /**
   * @param {any} about what the rows of the module mean
   * @param {WebAssembly.Instance} instance
   */
  constructor(about, instance) {
    this.about = about;
    /** @type {any} */
    this.code = instance.exports;
    /** @type {string[]} */
    this.roles = about.roles;
    this.words = (about.facts.length + WORD - 1) >> 5;
    this.bytes = new Uint8Array(this.code.memory.buffer);
    this.longs = new Uint32Array(this.code.memory.buffer);
    /** @type {number[]} the role of each move */
    this.owners = about.moves.map(([role]) => role);
    this.mover = about.roles.indexOf("random");
    /** The playouts that cost as little as one. */
    this.together = about.playing ? about.together : 1;
    this.seed(1);
  }

  /** Compile the rules. */
  static async open({ about, code }) {
    const made = await WebAssembly.instantiate(code, {});
    return new Rules(about, /** @type {any} */ (made).instance ?? made);
  }

  /** Begin a new sequence of random numbers: with the same seed, it is the same everywhere. */
  seed(number) {
    this.generators = this.generatorsOf(number);
    this.random = new Random(number);
  }

  /** Return the states of generators of random numbers for playouts: as in Python, with the same seed. */
  generatorsOf(seed) {
    const parts = this.about.together / LANES;
    const states = Array.from({ length: parts }, () => new BigUint64Array(2 * SEEDS));
    let state = BigInt(seed);
    for (let word = 0; word < 2 * SEEDS * parts; word++) {
      // SplitMix64 (Steele, Lea and Flood, 2014)
      state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
      let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
      mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
      const place = word % (2 * parts);
      states[place >> 1][2 * Math.floor(word / (2 * parts)) + (place & 1)] = mixed ^ (mixed >> 31n);
    }
    return states;
  }

  /** Return a random whole number below a limit. */
  below(limit) {
    return this.random.below(limit);
  }

  /** @returns {Bits} the state in which the game begins */
  initial() {
    return this.state(this.about.init);
  }

  /** @returns {Bits} the state in which the facts with these numbers hold */
  state(numbers) {
    const state = new Uint32Array(this.words);
    for (const number of numbers) state[number >> 5] |= 1 << (number & 31);
    return state;
  }

  /** Return the numbers of the facts that hold in a state. */
  facts(state) {
    const found = [];
    for (let word = 0; word < state.length; word++) {
      for (let bits = state[word]; bits; bits &= bits - 1) found.push(WORD * word + 31 - Math.clz32(bits & -bits));
    }
    return found;
  }

  // ------------------------------------------------------------------------------------------ packed states

  /**
   * Put packed states into the lanes, from number `first` on; where there is none, the first of all.
   * @param {Bits} states
   */
  put(states, first) {
    const { words, about: { rows }, longs } = this;
    const given = 4 * rows.given;
    const some = states.subarray(words * first, words * (first + LANES));
    longs.set(some, given);
    for (let at = some.length; at < words * LANES; at++) longs[given + at] = states[at % words];
    for (let word = 0; word < words; word++) this.code.spread(4 * (given + word), 4 * words, ROW * (rows.facts + WORD * word));
  }

  /** Take the words of some rows for some of the lanes: they go to a place in an array. */
  take(row, count, found, at, lanes) {
    const taken = 4 * this.about.rows.taken;
    const words = (count + WORD - 1) >> 5;
    for (let word = 0; word < words; word++) {
      this.code.gather(ROW * (row + WORD * word), Math.min(WORD, count - WORD * word), 4 * words, 4 * (taken + word));
    }
    found.set(this.longs.subarray(taken, taken + words * lanes), words * at);
  }

  /** Ask about packed states, as many at a time as there are lanes; answers are the words of `count` rows. */
  ask(states, row, count, answer) {
    const states_ = states.length / (this.words || 1);
    const found = new Uint32Array(states_ * ((count + WORD - 1) >> 5));
    for (let at = 0; at < states_; at += LANES) {
      this.put(states, at);
      answer(at);
      this.take(row, count, found, at, Math.min(LANES, states_ - at));
    }
    return found;
  }

  /** Return words for each of some packed states: whether it is over, the legal moves, and the goals that hold. */
  looked(states) {
    const { rows, moves, goals } = this.about;
    return this.ask(states, rows.results, 1 + moves.length + goals.length, () => this.code.look());
  }

  /** Return words of what follows joint moves, each as many numbers as there are roles: packed states, or percepts. */
  moved(states, joints, percepts = false) {
    const { rows, facts, moves, percepts: all } = this.about;
    const [first, roles, count] = [ROW * rows.does, this.roles.length, joints.length / this.roles.length];
    const [row, size] = percepts ? [rows.results + facts.length, all.length] : [rows.results, facts.length];
    return this.ask(states, row, size, (at) => {
      this.bytes.fill(0, first, first + ROW * moves.length);
      const end = Math.min(count, at + LANES);
      for (let lane = at; lane < end; lane++) {
        for (let role = 0; role < roles; role++) {
          this.bytes[first + ROW * joints[roles * lane + role] + ((lane & 127) >> 3)] |= 1 << (lane & 7);
        }
      }
      this.code.move();
    });
  }

  /**
   * Return words for a random playout from each of some packed states, none of which is over: the goals that hold where
   * it ends, and then a one if it was not over after `plies` plies. Where there are no states, lanes repeat the first
   * one, so that random numbers are drawn as in native code.
   */
  ends(states, plies, generators = this.generators) {
    const { about, code } = this;
    const count = states.length / this.words;
    const size = about.goals.length + 1;
    const found = new Uint32Array(count * ((size + WORD - 1) >> 5));
    const steps = Math.ceil(plies / about.plies) + (about.plies > 1 ? 1 : 0);
    if (!about.playing) {
      for (let at = 0; at < count; at++) this.playSlowly(states.slice(this.words * at, this.words * (at + 1)), plies, found, at);
      return found;
    }
    const seeds = new BigUint64Array(this.code.memory.buffer, ROW * about.rows.seed, 2 * SEEDS);
    for (let at = 0; at < count; at += about.together) {
      const made = generators.map((own, part) => {
        const first = at + LANES * part;
        this.put(states, first);
        code.begin();
        seeds.set(own);
        const done = code.play(steps);
        own.set(seeds);
        if (first >= count) return done;
        code.finish();
        this.take(about.rows.ends, size, found, first, Math.min(LANES, count - first));
        return done;
      });
      const most = Math.max(...made);
      generators.forEach((own, part) => {
        seeds.set(own);
        for (let step = made[part]; step < most; step++) code.draw();
        own.set(seeds);
      });
    }
    return found;
  }

  /** Make a random playout where there is no code for several at a time: as `ends`, for one place among the words. */
  playSlowly(state, plies, found, at) {
    const { moves, goals } = this.about;
    const each = (goals.length + WORD) >> 5;
    const set = (number) => { found[each * at + (number >> 5)] |= 1 << (number & 31); };
    for (let ply = 0; ; ply++) {
      const [{ terminal, legal }] = this.look([state]);
      if (!terminal && legal.some((own) => !own.length)) return;
      if (terminal || ply === plies) {
        const words = this.looked(state);
        this.ones(words, 0, words.length, (number) => number > moves.length && set(number - 1 - moves.length));
        if (!terminal) set(goals.length);
        return;
      }
      [state] = this.next([state], [legal.map((own) => own[this.below(own.length)])]);
    }
  }

  /** Call `found(number)` for each one among the bits of some words, beginning with those of `from`. */
  ones(words, from, count, found) {
    for (let word = 0; word < count; word++) {
      for (let bits = words[from + word]; bits; bits &= bits - 1) found(WORD * word + 31 - Math.clz32(bits & -bits));
    }
  }

  // ------------------------------------------------------------------------------------------ lists of states

  pack(states) {
    const packed = new Uint32Array(this.words * states.length);
    states.forEach((state, at) => packed.set(state, this.words * at));
    return packed;
  }

  /** @returns {Bits[]} */
  unpack(packed, count) {
    return Array.from({ length: count }, (_, at) => packed.slice(this.words * at, this.words * (at + 1)));
  }

  /**
   * Tell of states whether they are over, the legal moves of each role, and each role's goal, -1 if there is none.
   * @param {Bits[]} states
   * @returns {{terminal: boolean, legal: number[][], goals: number[]}[]}
   */
  look(states) {
    const { moves, goals } = this.about;
    const words = this.looked(this.pack(states));
    const each = words.length / states.length;
    return states.map((_, at) => {
      const found = { terminal: false, legal: this.roles.map(() => /** @type {number[]} */ ([])), goals: this.roles.map(() => -1) };
      const seen = this.roles.map(() => 0);
      this.ones(words, each * at, each, (number) => {
        if (!number) found.terminal = true;
        else if (number <= moves.length) found.legal[this.owners[number - 1]].push(number - 1);
        else {
          const [role, value] = goals[number - 1 - moves.length];
          found.goals[role] = seen[role]++ ? -1 : value;
        }
      });
      return found;
    });
  }

  /** @returns {Bits[]} the states after joint moves, each with the numbers of all roles' moves */
  next(states, joints) {
    return this.unpack(this.moved(this.pack(states), joints.flat()), states.length);
  }

  /** Return each role's percepts of each of some joint moves, in order. */
  percepts(states, joints) {
    const { percepts } = this.about;
    const seen = states.map(() => this.roles.map(() => /** @type {string[]} */ ([])));
    if (!percepts.length) return seen;
    const words = this.moved(this.pack(states), joints.flat(), true);
    const each = words.length / states.length;
    seen.forEach((own, at) => this.ones(words, each * at, each, (number) => own[percepts[number][0]].push(percepts[number][1])));
    for (const own of seen.flat()) own.sort();
    return seen;
  }

  /**
   * Make a random playout from each state, of at most about `plies` plies.
   * @param {Bits[]} states none is terminal
   * @returns {{goals: number[], over: boolean}[]}
   */
  playouts(states, plies) {
    const { goals } = this.about;
    const words = this.ends(this.pack(states), plies);
    const each = words.length / states.length;
    return states.map((_, at) => {
      const found = { goals: this.roles.map(() => -1), over: true };
      const seen = this.roles.map(() => 0);
      this.ones(words, each * at, each, (number) => {
        if (number === goals.length) found.over = false;
        else found.goals[goals[number][0]] = seen[goals[number][0]]++ ? -1 : goals[number][1];
      });
      return found;
    });
  }
}

/** Random numbers by xorshift64* (Vigna, 2016), as in Python; words of 64 bits are in two halves. */
export class Random {
  constructor(seed) {
    const state = BigInt.asUintN(64, 2n * BigInt(seed) + 1n);
    this.low = Number(state & 0xffffffffn);
    this.high = Number(state >> 32n);
  }

  /** Return a random whole number below a limit. */
  below(limit) {
    let { low, high } = this;
    low ^= (low >>> 12) | (high << 20);
    high ^= high >>> 12;
    high ^= (high << 25) | (low >>> 7);
    low ^= low << 25;
    low ^= (low >>> 27) | (high << 5);
    high ^= high >>> 27;
    this.low = low >>>= 0;
    this.high = high >>>= 0;
    // The upper half of the product with 0x2545f4914f6cdd1d.
    const [a, b] = [low & 0xffff, low >>> 16];
    const middle = b * 0xdd1d + Math.floor((a * 0xdd1d) / 0x10000);
    const carried = Math.floor((a * 0x4f6c + middle) / 0x10000) + b * 0x4f6c;
    const upper = (carried + Math.imul(low, 0x2545f491) + Math.imul(high, 0x4f6cdd1d)) >>> 0;
    return Math.floor((upper * limit) / 2 ** 32);
  }
}
