// A player for games that do not show everything. It knows what its role did and saw, and nothing else: it keeps states
// that agree with that, and takes the move after which random playouts from them end best.

import { LANES } from "./engine.js";

const KEPT = 1024; // states
const ROUNDS = 200; // of attempts to find them

export class Worlds {
  /**
   * @param {import("./engine.js").Rules} rules
   * @param {number} role
   * @param {number} plies after which playouts are cut off
   */
  constructor(rules, role, plies) {
    this.rules = rules;
    this.role = role;
    this.plies = plies;
    this.known = 0; // plies
    this.states = [rules.initial()];
    this.agrees = true;
  }

  /** Choose something for everybody at random; `own` is the move of this role. Return null if it is not legal. */
  joint(legal, own) {
    if (!legal[this.role].includes(own) || legal.some((moves) => !moves.length)) return null;
    return legal.map((moves, role) => (role === this.role ? own : moves[this.rules.below(moves.length)]));
  }

  /** Take in what the role did and saw in each ply so far. */
  follow(told) {
    for (; this.known < told.length; this.known++) this.advance(told[this.known]);
  }

  /**
   * Keep the states that may follow if the role does `own` and sees `saw`, as often as random moves lead to them. If none
   * is found, those that may follow `own`, whatever it sees.
   */
  advance({ own, saw }) {
    const found = [];
    const others = [];
    const wanted = saw.join("\n");
    for (let round = 0; round < ROUNDS && found.length < KEPT && this.states.length; round++) {
      const tried = Array.from({ length: LANES }, () => this.states[this.rules.below(this.states.length)]);
      const looked = this.rules.look(tried);
      const joints = looked.map(({ legal, terminal }) => (terminal ? null : this.joint(legal, own)));
      const open = tried.filter((_, lane) => joints[lane]);
      const made = joints.filter(Boolean);
      const seen = this.rules.percepts(open, made);
      this.rules.next(open, made).forEach((state, lane) => {
        const agrees = seen[lane][this.role].join("\n") === wanted;
        if (agrees || others.length < LANES) (agrees ? found : others).push(state);
      });
    }
    this.agrees = this.agrees && found.length > 0;
    this.states = (found.length ? found : others).slice(0, KEPT);
  }

  /** Return the means of the goals after each of some moves, and the number of playouts, half of the moves at a time. */
  *compare(moves, simulations) {
    const rated = moves.map((move) => ({ move, visits: 0, value: 0, goal: 50, proven: false }));
    if (!this.states.length || moves.length < 2) return rated;
    const stages = Math.ceil(Math.log2(moves.length));
    let open = rated;
    for (let stage = 0; stage < stages; stage++) {
      const due = Math.max(1, Math.ceil(simulations / stages / this.rules.about.together));
      for (let batch = 0; batch < due; batch++) {
        this.playOut(open);
        yield null;
      }
      for (const one of open) one.goal = one.visits ? one.value / one.visits : 50;
      open = [...open].sort((a, b) => b.goal - a.goal).slice(0, Math.ceil(open.length / 2));
    }
    return rated.sort((a, b) => Number(open.includes(b)) - Number(open.includes(a)) || b.visits - a.visits || b.goal - a.goal);
  }

  playOut(open) {
    const tried = Array.from({ length: this.rules.about.together }, () => this.states[this.rules.below(this.states.length)]);
    const begin = this.rules.below(open.length);
    const about = this.rules.look(tried).map(({ legal }, lane) => {
      const one = open[(begin + lane) % open.length];
      return { one, joint: this.joint(legal, one.move), state: tried[lane] };
    }).filter(({ joint }) => joint);
    const states = this.rules.next(about.map(({ state }) => state), about.map(({ joint }) => joint));
    const looked = this.rules.look(states);
    const on = states.map((_, lane) => lane).filter((lane) => !looked[lane].terminal);
    const ends = on.length ? this.rules.playouts(on.map((lane) => states[lane]), this.plies) : [];
    on.forEach((lane, at) => { looked[lane].goals = ends[at].goals; });
    about.forEach(({ one }, lane) => {
      const goal = looked[lane].goals[this.role];
      one.visits++;
      one.value += goal < 0 ? 50 : goal;
    });
  }
}
