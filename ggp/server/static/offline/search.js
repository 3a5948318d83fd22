// Monte Carlo tree search, as the player `mcts` does it in Python with one thread (docs/internals/mcts.md): with the same
// seed, it visits the same nodes in the same order. Numbers are rounded to 32 bits where they are in Python.

import { Random } from "./engine.js";

const UNVISITED = 10;
const LEAVES = 1024;
const SHARE = 0.05; // of the root's visits are selected together
const TOGETHER = 8; // paths that are walked at the same time
const CHILDREN = 1 << 15; // that are looked at together
const PLAYOUTS = 4;
const WARM = 64; // simulations before the first move
const PATIENCE = 1;
const UNKNOWN = 0.5;
const CUT = Math.fround(0.8);
const LATELY = 0.2;
const LONGEST = 200; // steps of a path
const MOST = 400000; // nodes of a tree
const SEVERAL = -1;
const EPSILON = Math.fround(1e-6);
const MOST_PLIES = 32767;
const MAX_OUTCOMES = 4096;
const { fround } = Math;

const WEIGHT = fround(0.6 * 0.6 * Math.LN2);
const LOWEST = fround(-1e29);
const THIRD = fround(-1 / 3);
const SHIFT = fround(-127 - 5 / 3);
const FLOAT = new Float32Array(1);
const BITS = new Int32Array(FLOAT.buffer);

/** Return the logarithm of a number to base 2, to two digits: the exponent plus a parabola in the mantissa. */
function logarithm(number) {
  FLOAT[0] = number;
  const exponent = fround((BITS[0] >> 23) + SHIFT);
  BITS[0] = (BITS[0] & 0x7fffff) | (127 << 23);
  const rest = FLOAT[0];
  return fround(exponent + fround(fround(fround(rest * THIRD) + 2) * rest));
}

/** Copy so many items of an array: for a few, this is faster than the method `set`. */
function copy(from, at, to, place, count) {
  for (let item = 0; item < count; item++) to[place + item] = from[at + item];
}

/**
 * The moves of a role, in random order, because the first of equal ones is taken. A child is a node, -1 for none, or
 * -2 - i while request i is under way. A proof is -1, or the number of an outcome, plus MAX_OUTCOMES for each ply until
 * then.
 * @typedef {{moves: Int32Array, visits: Int32Array, values: Float64Array, proofs: Int32Array, children: any[]}} Edges
 */

export class Search {
  /**
   * @param {import("./engine.js").Rules} rules
   * @param {number} seed
   * @param {{plies: number, limits: number[][]}} known the plies after which playouts are cut off, and the roles' lowest
   *   and highest goals
   */
  constructor(rules, seed, known) {
    this.rules = rules;
    this.plies = known.plies;
    this.limits = known.limits.map((goals) => goals.map(fround));
    this.nature = rules.mover;
    this.all = rules.roles.map((_, role) => role);
    this.goals = rules.about.goals.map(([role, value]) => ({ role, value: value < 0 ? -1 : fround(value / 100) }));
    this.nodes = new Map();
    this.root = null;
    this.simulations = 0;
    this.each = 1; // visits for each path, on average
    /** @type {Float32Array[]} the roles' goals in each outcome */
    this.outcomes = [];
    /** The sum of the goals of each move in the whole tree, and the number of times that it was tried. */
    this.worth = new Float64Array(2 * rules.about.moves.length);
    this.random = new Random(2 * seed);
    this.generators = rules.generatorsOf(seed);
  }

  /** Begin as a player does in Python, which loads its code by a first search of the initial state. */
  begin() {
    const state = this.rules.initial();
    this.advance(state);
    if (!this.look(state).terminal[0]) this.played(state, 1, 1);
    while (this.simulations < WARM && this.step());
  }

  /** Make a state the root; what is known of it is kept. */
  advance(state) {
    const found = this.nodes.get(state.join());
    if (found) {
      if (this.nodes.size > MOST / 2) this.keep(found);
      this.root = found;
      return;
    }
    this.forget();
    this.root = this.add(state, this.look(state).legal[0]);
    this.lookAhead([[this.root, { goals: new Float32Array(this.all.length), weight: 1 }]]);
  }

  forget() {
    this.nodes.clear();
    this.worth.fill(0);
  }

  /** Keep what can be reached from a node. */
  keep(node) {
    const kept = new Map();
    const stack = [node];
    while (stack.length) {
      const one = stack.pop();
      if (kept.has(one.key)) continue;
      kept.set(one.key, one);
      for (const edges of one.edges) if (edges) stack.push(...edges.children);
      for (const { child } of one.joints.values()) stack.push(child);
      while (stack.at(-1) === -1) stack.pop();
    }
    this.nodes = kept;
  }

  /** Add a node for a state, given the legal moves of each role; return -1 if there is no room. */
  add(state, legal) {
    if (this.nodes.size >= MOST) return -1;
    const choosing = this.all.filter((role) => legal[role].length > 1);
    const mover = choosing.length > 1 ? SEVERAL : choosing[0] ?? 0;
    const edges = legal.map((own, role) => {
      const count = own.length;
      if (count < 2 && (role !== mover || choosing.length || !count)) return null;
      const moves = new Int32Array(count);
      own.forEach((move, at) => {
        const other = this.random.below(at + 1);
        moves[at] = moves[other];
        moves[other] = move;
      });
      const proofs = new Int32Array(count).fill(-1);
      return { moves, visits: new Int32Array(count), values: new Float64Array(count), proofs, children: Array(count).fill(-1) };
    });
    const node = { key: state.join(), state, visits: 0, mover, edges, only: legal.map((own) => own[0] ?? -1), joints: new Map(), proof: -1 };
    this.nodes.set(node.key, node);
    return node;
  }

  /** Return the number of an outcome; a new one is added, but -1 is returned if there are too many. */
  outcome(goals) {
    const found = this.outcomes.findIndex((own) => own.every((goal, role) => goal === goals[role]));
    if (found >= 0) return found;
    return this.outcomes.length < MAX_OUTCOMES ? this.outcomes.push(goals) - 1 : -1;
  }

  // ------------------------------------------------------------------------------------------ selection

  /**
   * Return the edge of a role to try next, by UCT; with `beyond`, proven edges come last. In blocks of eight, as in
   * Python: among equal ones, one that was tried is before one that was not, and that is before one that is proven.
   * @param {Edges} edges
   */
  pick({ moves, visits, values, proofs }, role, all, weight, beyond) {
    const spread = fround(logarithm(all) * weight);
    const { worth, outcomes } = this;
    let best = 0;
    let top = LOWEST;
    for (let start = 0; start < moves.length; start += 8) {
      const end = Math.min(start + 8, moves.length);
      let tried = true;
      for (let at = start; at < end; at++) {
        if (proofs[at] >= 0 || !visits[at]) {
          tried = false;
          continue;
        }
        const share = fround(1 / visits[at]);
        const rank = fround(fround(fround(values[at]) * share) + fround(Math.sqrt(fround(spread * share))));
        if (rank > top) [top, best] = [rank, at];
      }
      if (tried) continue;
      for (let at = start; at < end; at++) {
        if (proofs[at] >= 0 || visits[at]) continue;
        const move = 2 * moves[at];
        const rank = fround(UNVISITED + fround((worth[move] + 0.5) / (worth[move + 1] + 1)));
        if (rank > top) [top, best] = [rank, at];
      }
      for (let at = start; at < end; at++) {
        if (proofs[at] < 0) continue;
        const rank = fround(outcomes[proofs[at] % MAX_OUTCOMES][role] - (beyond ? 1000 : 0));
        if (rank > top) [top, best] = [rank, at];
      }
    }
    return best;
  }

  /** Take a step from a node that is not proven; return the step, and where it leads to. */
  go(node) {
    node.visits++;
    const { mover, edges, visits } = node;
    const step = { node, edge: -1, picked: null, joint: null, known: -1 };
    if (mover === SEVERAL) {
      step.picked = edges.map((own, role) => {
        if (!own) return -1;
        let at = -1;
        if (role === this.nature) at = this.random.below(own.moves.length);
        else {
          // Without noise, roles with similar statistics would always try the same joint moves.
          const share = this.random.below(1024) / 512;
          at = this.pick(own, role, visits, fround(fround(WEIGHT * share) * share), false);
        }
        own.visits[at]++;
        return at;
      });
      const code = step.picked.join();
      if (!node.joints.has(code)) node.joints.set(code, { child: -1 });
      step.joint = node.joints.get(code);
      return [step, step.joint.child, true];
    }
    const own = edges[mover];
    if (mover === this.nature) step.edge = this.random.below(own.moves.length);
    else {
      step.edge = this.pick(own, mover, visits, WEIGHT, false);
      if (own.proofs[step.edge] >= 0) {
        // The best move's outcome is proven, and is the node's value; so the visit explores another move.
        step.known = own.proofs[step.edge];
        step.edge = this.pick(own, mover, visits, WEIGHT, true);
      }
    }
    return [step, own.children[step.edge], ++own.visits[step.edge] > PATIENCE];
  }

  /** Walk down the tree, several paths at the same time. Return the paths, and the requests that they end with. */
  select(batch) {
    const requests = [];
    const paths = Array.from({ length: batch }, () => ({ steps: /** @type {any[]} */ ([]), request: -1, proof: -1 }));
    const slots = paths.slice(0, TOGETHER).map((path) => ({ path, node: this.root }));
    let following = slots.length;
    for (let left = batch; left;) {
      for (const slot of slots) {
        const { path, node } = slot;
        if (!path) continue;
        const child = this.follow(path, node, requests);
        if (child) {
          slot.node = child;
          continue;
        }
        left--;
        slot.path = paths[following++];
        slot.node = this.root;
      }
    }
    return { paths, requests };
  }

  /** Go on with a path at a node; return the next one, or null if the path ends. */
  follow(path, node, requests) {
    if (node.proof >= 0) {
      path.proof = node.proof;
      return null;
    }
    if (path.steps.length === LONGEST) {
      path.request = requests.push({ node, step: null, making: false }) - 1;
      return null;
    }
    const [step, child, making] = this.go(node);
    path.steps.push(step);
    if (step.edge >= 0 && node.edges[node.mover].proofs[step.edge] >= 0) {
      path.proof = node.edges[node.mover].proofs[step.edge];
      return null;
    }
    if (child instanceof Object) return child;
    if (child < -1) path.request = -2 - child;
    else {
      path.request = requests.push({ node, step, making }) - 1;
      this.answer(step, -2 - path.request);
    }
    return null;
  }

  /** Note the child to which a step leads. */
  answer({ node, edge, joint }, child) {
    if (joint) joint.child = child;
    else node.edges[node.mover].children[edge] = child;
  }

  // ------------------------------------------------------------------------------------------ expansion

  /** Return each role's mean goal over runs of `count` rows, each of some words, in which the goals begin at a bit. */
  means(words, each, first, count) {
    const roles = this.all.length;
    const own = new Float32Array(roles);
    const found = new Float32Array((words.length / each / count) * roles);
    for (let row = 0; row * each < words.length; row++) {
      own.fill(-2);
      let share = 1;
      for (let word = first >> 5; word < each; word++) {
        let bits = words[each * row + word];
        if (word === first >> 5) bits &= -1 << (first & 31);
        for (; bits; bits &= bits - 1) {
          const number = 32 * word + 31 - Math.clz32(bits & -bits) - first;
          if (number === this.goals.length) share = CUT;
          else {
            const { role, value } = this.goals[number];
            own[role] = own[role] === -2 ? value : -1;
          }
        }
      }
      const at = roles * Math.floor(row / count);
      for (let role = 0; role < roles; role++) {
        const value = own[role] >= 0 ? own[role] : UNKNOWN;
        found[at + role] += fround(UNKNOWN + fround(share * fround(value - UNKNOWN)));
      }
    }
    return count > 1 ? found.map((sum) => sum / count) : found;
  }

  /** Tell of packed states whether they are over, and their goals; a state in which a role cannot move is over, too. */
  look(states) {
    const { rules, all } = this;
    const words = rules.looked(states);
    const count = states.length / rules.words;
    const each = words.length / count;
    const moves = rules.about.moves.length;
    const goals = this.means(words, each, 1 + moves, 1);
    const terminal = new Uint8Array(count);
    const legal = Array.from({ length: count }, (_, at) => {
      const own = all.map(() => /** @type {number[]} */ ([]));
      if (words[each * at] & 1) terminal[at] = 1;
      else {
        rules.ones(words, each * at, (moves + 32) >> 5, (number) => {
          if (number <= moves) own[rules.owners[number - 1]].push(number - 1);
        });
        if (own.some((some) => !some.length)) {
          terminal[at] = 1;
          goals.fill(UNKNOWN, all.length * at, all.length * (at + 1));
        }
      }
      return own;
    });
    return { terminal, goals, legal };
  }

  /** Return the mean goals of playouts from each state: at least so many, and `together` in all if lanes would be idle. */
  played(states, least, together = this.rules.together) {
    const { rules, plies } = this;
    const size = rules.words;
    const count = states.length / size;
    const each = Math.floor((Math.ceil((count * least) / together) * together) / count);
    const repeated = new Uint32Array(states.length * each);
    for (let at = 0; at < count * each; at++) {
      for (let word = 0, from = size * Math.floor(at / each); word < size; word++) repeated[size * at + word] = states[from + word];
    }
    const words = rules.ends(repeated, plies, this.generators);
    return this.means(words, words.length / (count * each), 0, each);
  }

  /** Return the packed states, or their goals, at some places. */
  chosen(rows, size, places) {
    const found = new rows.constructor(size * places.length);
    for (let at = 0; at < places.length; at++) copy(rows, size * places[at], found, size * at, size);
    return found;
  }

  /** Answer requests: each gets an outcome, if it is known, goals, and the number of visits that these count for. */
  evaluate(requests) {
    const { rules, all } = this;
    const [size, roles] = [rules.words, all.length];
    const states = rules.pack(requests.map(({ node }) => node.state));
    const due = [...requests.keys()].filter((at) => requests[at].step);
    const joints = due.flatMap((at) => this.joint(requests[at].step));
    const moved = rules.moved(this.chosen(states, size, due), joints);
    due.forEach((place, at) => copy(moved, size * at, states, size * place, size));
    const { terminal, goals, legal } = this.look(states);
    const made = [];
    requests.forEach((request, at) => {
      request.goals = goals.slice(roles * at, roles * (at + 1));
      request.outcome = -1;
      request.weight = 1;
      const { step, making } = request;
      if (!step) return;
      const { mover, edges } = step.node;
      if (terminal[at]) {
        request.outcome = this.outcome(request.goals);
        if (mover !== SEVERAL) {
          this.answer(step, -1);
          if (request.outcome >= 0) edges[mover].proofs[step.edge] = request.outcome;
          return;
        }
      }
      const state = states.slice(size * at, size * (at + 1));
      let child = this.nodes.get(state.join()) ?? -1;
      if (child !== -1) request.outcome = child.proof;
      else if (making && (request.outcome >= 0 || !terminal[at])) {
        child = this.add(state, legal[at]);
        if (child !== -1 && request.outcome >= 0) child.proof = request.outcome;
        else if (child !== -1) made.push([child, request]);
      }
      this.answer(step, child);
    });
    this.lookAhead(made);
    const unknown = [...requests.keys()].filter((at) => requests[at].outcome < 0 && !terminal[at] && requests[at].weight === 1);
    if (unknown.length) {
      const played = this.played(this.chosen(states, size, unknown), PLAYOUTS);
      unknown.forEach((place, at) => { requests[place].goals = played.slice(roles * at, roles * (at + 1)); });
    }
  }

  /** Return the moves of all roles in a step. */
  joint({ node, edge, picked }) {
    return this.all.map((role) => {
      const at = node.mover === role ? edge : picked ? picked[role] : -1;
      return at < 0 ? node.only[role] : node.edges[role].moves[at];
    });
  }

  /** Try all moves of new nodes: those that end the game have known values, each of the others gets one playout. */
  lookAhead(made) {
    const { rules, all } = this;
    const [size, roles] = [rules.words, all.length];
    const tried = [];
    let count = 0;
    for (const one of made) {
      const [{ mover, edges }] = one;
      if (mover === SEVERAL || !edges[mover]) continue;
      if (count + edges[mover].moves.length > CHILDREN) break;
      count += edges[mover].moves.length;
      tried.push(one);
    }
    if (!count) return;
    const from = new Uint32Array(size * count);
    const joints = new Int32Array(roles * count);
    let at = 0;
    for (const [{ mover, edges, state, only }] of tried) {
      for (const move of edges[mover].moves) {
        from.set(state, size * at);
        joints.set(only, roles * at);
        joints[roles * at + mover] = move;
        at++;
      }
    }
    const states = rules.moved(from, joints);
    const words = rules.looked(states);
    const each = words.length / count;
    const goals = this.means(words, each, 1 + rules.about.moves.length, 1);
    const open = [];
    for (let place = 0; place < count; place++) if (!(words[each * place] & 1)) open.push(place);
    if (open.length) {
      const played = this.played(this.chosen(states, size, open), 1);
      open.forEach((place, number) => copy(played, roles * number, goals, roles * place, roles));
    }
    at = 0;
    for (const [node, request] of tried) {
      const { mover, edges } = node;
      const own = edges[mover];
      request.weight = own.moves.length;
      node.visits += own.moves.length;
      request.goals.fill(0);
      for (let edge = 0; edge < own.moves.length; edge++, at++) {
        if (words[each * at] & 1) own.proofs[edge] = this.outcome(goals.slice(roles * at, roles * (at + 1)));
        own.visits[edge]++;
        own.values[edge] += goals[roles * at + mover];
        for (let role = 0; role < roles; role++) request.goals[role] += fround(goals[roles * at + role] / own.moves.length);
      }
      if (own.proofs.some((proof) => proof >= 0)) this.solve(node);
      request.outcome = node.proof;
      // A losing move is recognized at once and never played, so its value must not weigh as much as that of all moves.
      if (node.proof >= 0) request.weight = 1;
    }
  }

  // ------------------------------------------------------------------------------------------ backing up

  /** Try to prove a node from the proofs of its edges (MCTS-Solver: Winands, Björnsson and Saito, 2008). */
  solve(node) {
    const { mover } = node;
    if (mover === SEVERAL) return;
    const { outcomes, nature } = this;
    const [lowest, highest] = this.limits;
    const others = this.all.filter((role) => role !== mover && role !== nature);
    let best = -1;
    let complete = true;
    let certain = true;
    let plies = 0;
    for (const known of node.edges[mover].proofs) {
      if (known < 0) {
        complete = false;
        continue;
      }
      const [proof, length] = [known % MAX_OUTCOMES, Math.floor(known / MAX_OUTCOMES)];
      if (best < 0) {
        [best, plies] = [proof, length];
        continue;
      }
      const [goals, most] = [outcomes[proof], outcomes[best]];
      if (mover === nature) {
        certain = certain && proof === best;
        plies = Math.max(plies, length);
      } else if (goals[mover] > most[mover]) [best, plies, certain] = [proof, length, true];
      else if (proof === best) {
        // Good outcomes soon, and bad ones late.
        if ((length < plies) === (goals[mover] >= 0.5)) plies = length;
      } else if (goals[mover] === most[mover]) {
        const better = others.some((role) => goals[role] > most[role]);
        const worse = others.some((role) => goals[role] < most[role]);
        certain = certain && !(better && worse);
        if (worse && !better) [best, plies] = [proof, length];
      }
    }
    if (best < 0 || !certain) return;
    if (!complete) {
      if (mover === nature || outcomes[best][mover] < fround(highest[mover] - EPSILON)) return;
      if (others.some((role) => outcomes[best][role] > fround(lowest[role] + EPSILON))) return;
    }
    node.proof = best + MAX_OUTCOMES * Math.min(plies + 1, MOST_PLIES);
  }

  /** Add the goals at the end of a path to its steps, and pass a proof up; return the number of visits. */
  backUp({ steps, proof }, request) {
    let outcome = request ? request.outcome : proof;
    let known = outcome;
    const weight = request ? request.weight : 1;
    if (request) request.weight = 1; // further paths to it count once
    for (let at = steps.length - 1; at >= 0; at--) {
      const { node, edge, picked } = steps[at];
      const goals = known >= 0 ? this.outcomes[known % MAX_OUTCOMES] : request.goals;
      node.visits += weight - 1;
      if (picked) {
        for (let role = 0; role < picked.length; role++) if (picked[role] >= 0) this.count(node.edges[role], picked[role], goals[role], weight);
      } else {
        const own = node.edges[node.mover];
        this.count(own, edge, goals[node.mover], weight);
        if (outcome >= 0 && own.proofs[edge] < 0) own.proofs[edge] = outcome;
      }
      if (steps[at].known >= 0) known = steps[at].known;
      if (outcome >= 0) {
        if (node.proof < 0) this.solve(node);
        outcome = node.proof;
      }
    }
    return weight;
  }

  /** Add a goal to an edge, and the visits for which it counts, besides the one that was added on the way. */
  count({ moves, values, visits }, at, goal, weight) {
    this.worth[2 * moves[at]] += goal;
    this.worth[2 * moves[at] + 1]++;
    values[at] += weight * goal;
    visits[at] += weight - 1;
  }

  /** Search one batch of leaves; return false if there is nothing left to find out. */
  step() {
    if (this.root.proof >= 0) return false;
    const share = Math.min(this.root.visits * SHARE, CHILDREN);
    const batch = Math.max(1, Math.min(LEAVES, Math.floor(share / this.each)));
    const { paths, requests } = this.select(batch);
    if (requests.length) this.evaluate(requests);
    const visits = paths.reduce((sum, path) => sum + this.backUp(path, requests[path.request]), 0);
    this.each += LATELY * (visits / batch - this.each);
    this.simulations += visits;
    return true;
  }

  // ------------------------------------------------------------------------------------------ results

  /** Return what is known of a role's moves, the most visited first; goals are from 0 to 100. */
  statistics(role) {
    const own = this.root.edges[role];
    if (!own) return [{ move: this.root.only[role], visits: 0, goal: 0, proven: false, plies: 0 }];
    return Array.from(own.moves, (move, at) => {
      const [visits, proof] = [own.visits[at], own.proofs[at]];
      const goal = proof >= 0 ? this.outcomes[proof % MAX_OUTCOMES][role] : visits ? own.values[at] / visits : 0;
      return { move, visits, goal: 100 * goal, proven: proof >= 0, plies: Math.floor(Math.max(0, proof) / MAX_OUTCOMES) };
    }).sort((a, b) => b.visits - a.visits || b.goal - a.goal);
  }

  /** Return the move to play: one that is proven best, or else the most visited one. */
  best(role) {
    const moves = this.statistics(role);
    const highest = 100 * this.limits[1][role];
    const soonest = (some) => some.reduce((one, other) => (other.plies < one.plies ? other : one));
    const won = moves.filter(({ proven, goal }) => proven && goal >= highest - 1e-3);
    if (won.length) return soonest(won);
    const [proven, open] = [true, false].map((kind) => moves.filter((one) => one.proven === kind));
    const sure = proven.reduce((one, other) => (one && one.goal >= other.goal ? one : other), /** @type {any} */ (null));
    if (!open.length) return proven.filter(({ goal }) => goal === sure.goal).reduce((one, other) => (other.plies > one.plies ? other : one));
    const [most] = open;
    return sure && sure.goal >= (most.visits ? most.goal : 50) ? sure : most;
  }

  /** Return the line of play that is expected: a role's best move, then the most visited moves. */
  line(role, best, most) {
    const line = [];
    for (let node = this.root; node instanceof Object && node.mover !== SEVERAL && line.length < most;) {
      const { moves, visits, children } = node.edges[node.mover];
      const own = line.length || node.mover !== role ? -1 : moves.indexOf(best);
      const top = own >= 0 ? own : visits.indexOf(Math.max(...visits));
      if (!visits[top]) break;
      line.push(moves[top]);
      node = children[top];
    }
    return line.length ? line : [best];
  }
}
