// A game whose rules are a WebAssembly module: up to 128 states at a time, one in each lane.

/** The number of lanes. */
export const LANES = 128;

const ROW = 16; // bytes

/**
 * A state: one bit for each fact, in words.
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
    this.words = (about.facts.length + 31) >> 5;
    this.bytes = new Uint8Array(this.code.memory.buffer);
    this.longs = new Uint32Array(this.code.memory.buffer);
    /** @type {number[]} the role of each move */
    this.owners = about.moves.map(([role]) => role);
    this.mover = about.roles.indexOf("random");
    this.seed(1);
  }

  /** Compile the rules. */
  static async open({ about, code }) {
    const made = await WebAssembly.instantiate(code, {});
    return new Rules(about, /** @type {any} */ (made).instance ?? made);
  }

  /** Begin a new sequence of random numbers: with the same seed, it is the same everywhere. */
  seed(number) {
    let state = BigInt(number);
    const words = new BigUint64Array(this.code.memory.buffer, ROW * this.about.rows.seed, 4);
    for (let place = 0; place < 4; place++) {
      // SplitMix64 (Steele, Lea and Flood, 2014)
      state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
      let mixed = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
      mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
      words[place] = mixed ^ (mixed >> 31n);
    }
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
      for (let bits = state[word]; bits; bits &= bits - 1) found.push(32 * word + 31 - Math.clz32(bits & -bits));
    }
    return found;
  }

  /** Put states into the lanes. */
  put(states) {
    const first = ROW * this.about.rows.facts;
    this.bytes.fill(0, first, first + ROW * this.about.facts.length);
    states.forEach((state, lane) => {
      const [at, bit] = [first + (lane >> 3), 1 << (lane & 7)];
      for (let word = 0; word < state.length; word++) {
        for (let bits = state[word]; bits; bits &= bits - 1) {
          this.bytes[at + ROW * (32 * word + 31 - Math.clz32(bits & -bits))] |= bit;
        }
      }
    });
  }

  /** Call `found(lane, number)` for each lane in which each of some rows has a one. */
  ones(row, count, lanes, found) {
    const most = (lanes + 31) >> 5;
    for (let number = 0; number < count; number++) {
      for (let word = 0; word < most; word++) {
        for (let bits = this.longs[4 * (row + number) + word]; bits; bits &= bits - 1) {
          const lane = 32 * word + 31 - Math.clz32(bits & -bits);
          if (lane < lanes) found(lane, number);
        }
      }
    }
  }

  /**
   * Tell of states whether they are over, the legal moves of each role, and each role's goal, -1 if there is none.
   * @param {Bits[]} states at most 128
   * @param {boolean} moves whether moves are wanted
   * @returns {{terminal: boolean, legal: number[][], goals: number[]}[]}
   */
  look(states, moves = true) {
    const { about, roles } = this;
    const looked = states.map(() => ({ terminal: false, legal: roles.map(() => []), goals: roles.map(() => -1) }));
    this.put(states);
    this.code.look();
    const { results } = about.rows;
    this.ones(results, 1, states.length, (lane) => { looked[lane].terminal = true; });
    if (moves) this.ones(results + 1, about.moves.length, states.length, (lane, move) => looked[lane].legal[this.owners[move]].push(move));
    this.goals(results + 1 + about.moves.length, states.length, (lane, goals) => { looked[lane].goals = goals; });
    return looked;
  }

  /** Read the goals in some rows: -1 for a role that has none, or several. */
  goals(row, lanes, found) {
    const all = Array.from({ length: lanes }, () => this.roles.map(() => -1));
    const seen = Array.from({ length: lanes }, () => this.roles.map(() => 0));
    this.ones(row, this.about.goals.length, lanes, (lane, number) => {
      const [role, value] = this.about.goals[number];
      all[lane][role] = seen[lane][role]++ ? -1 : value;
    });
    all.forEach((goals, lane) => found(lane, goals));
  }

  /** Make joint moves, each with the numbers of all roles' moves. Their percepts are read by `percepts`. */
  done(states, joints) {
    const { rows, moves } = this.about;
    const first = ROW * rows.does;
    this.put(states);
    this.bytes.fill(0, first, first + ROW * moves.length);
    joints.forEach((joint, lane) => {
      for (const move of joint) this.bytes[first + ROW * move + (lane >> 3)] |= 1 << (lane & 7);
    });
    this.code.move();
  }

  /** @returns {Bits[]} the states after joint moves */
  next(states, joints) {
    this.done(states, joints);
    const following = states.map(() => new Uint32Array(this.words));
    this.ones(this.about.rows.results, this.about.facts.length, states.length, (lane, fact) => {
      following[lane][fact >> 5] |= 1 << (fact & 31);
    });
    return following;
  }

  /** Return each role's percepts of each of some joint moves, in order. */
  percepts(states, joints) {
    const { rows, facts, percepts } = this.about;
    const seen = states.map(() => this.roles.map(() => /** @type {string[]} */ ([])));
    if (!percepts.length) return seen;
    this.done(states, joints);
    this.ones(rows.results + facts.length, percepts.length, states.length, (lane, number) => seen[lane][percepts[number][0]].push(percepts[number][1]));
    for (const own of seen.flat()) own.sort();
    return seen;
  }

  /**
   * Make a random playout from each state, of at most `plies` plies.
   * @param {Bits[]} states at most 128; none is terminal
   * @returns {{goals: number[], over: boolean}[]}
   */
  playouts(states, plies) {
    const { about } = this;
    if (!about.played) return states.map((state) => this.slowPlayout(state, plies));
    const { rows, played, flags } = about;
    const size = ROW * played.length;
    this.put(states);
    const to = ROW * rows.state;
    played.forEach((fact, number) => {
      const from = ROW * (rows.facts + fact);
      this.bytes.copyWithin(to + ROW * number, from, from + ROW);
    });
    this.bytes.fill(0, to + size, to + size + ROW * flags);
    // Lanes without a state rest.
    for (let lane = states.length; lane < LANES; lane++) this.bytes[to + size + (lane >> 3)] |= 1 << (lane & 7);
    this.code.play(Math.ceil(plies / about.plies));
    this.code.finish();
    const ended = states.map(() => ({ goals: /** @type {number[]} */ ([]), over: true }));
    this.goals(rows.ends, states.length, (lane, goals) => { ended[lane].goals = goals; });
    this.ones(rows.ends + about.goals.length, 1, states.length, (lane) => { ended[lane].over = false; });
    return ended;
  }

  /** Make a random playout where there is no code for several at a time. */
  slowPlayout(state, plies) {
    for (let ply = 0; ; ply++) {
      const [{ terminal, legal, goals }] = this.look([state]);
      if (terminal) return { goals, over: true };
      if (legal.some((own) => !own.length)) return { goals: goals.map(() => -1), over: true };
      if (ply === plies) return { goals, over: false };
      [state] = this.next([state], [legal.map((own) => own[this.below(own.length)])]);
    }
  }

  /** Return a random whole number below a limit. */
  below(limit) {
    const words = new Uint32Array(this.code.memory.buffer, ROW * this.about.rows.seed, 8);
    // xorshift32 (Marsaglia, 2003), over one word of the generators' state
    let value = words[3] || 1;
    value ^= value << 13;
    value ^= value >>> 17;
    value ^= value << 5;
    words[3] = value;
    return Math.floor(((value >>> 0) / 2 ** 32) * limit);
  }
}
