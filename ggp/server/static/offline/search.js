// Monte Carlo tree search, as the player `mcts` does it in Python (docs/internals/mcts.md): leaves are selected together,
// their states are expanded and played out in lanes, and proven outcomes are backed up. Its options are the defaults there.

import { LANES } from "./engine.js";

const EXPLORATION = 0.6;
const UNVISITED = 10;
const LEAVES = 1024;
const SHARE = 0.05; // of the root's visits are selected together
const PLAYOUTS = 4;
const UNKNOWN = 0.5;
const CUT = 0.8;
const LONGEST = 200; // steps of a path
const MOST = 400000; // nodes of a tree
const SEVERAL = -1;

/**
 * A move of a role: `child` is a node, or a request that is under way. A proof has the roles' goals and the plies until
 * then.
 * @typedef {{move: number, visits: number, value: number, child: any, proof: Proof | null}} Edge
 * @typedef {{goals: number[], plies: number}} Proof
 */

export class Search {
  /**
   * @param {import("./engine.js").Rules} rules
   * @param {number} seed
   * @param {{plies: number, limits: number[][], together: number}} known the plies after which playouts are cut off, the
   *   roles' lowest and highest goals, and the number of playouts that are made at a time
   */
  constructor(rules, seed, known) {
    this.rules = rules;
    this.known = known;
    this.nature = rules.mover;
    this.nodes = new Map();
    this.root = null;
    this.simulations = 0;
    this.each = 1; // visits for each path, on average
    /** @type {number[][]} the mean goals of each move in the whole tree */
    this.worth = rules.about.moves.map(() => [0, 0]);
    this.random = (seed * 2654435761 + 1) >>> 0 || 1;
    rules.seed(seed);
  }

  below(limit) {
    this.random ^= this.random << 13;
    this.random ^= this.random >>> 17;
    this.random ^= this.random << 5;
    return Math.floor(((this.random >>> 0) / 2 ** 32) * limit);
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
    this.root = this.add(state, this.rules.look([state])[0]);
    if (this.root.mover !== SEVERAL) this.lookAhead([[this.root, {}]]);
  }

  forget() {
    this.nodes.clear();
    for (const worth of this.worth) worth.fill(0);
  }

  /** Keep what can be reached from a node. */
  keep(node) {
    const kept = new Map();
    const stack = [node];
    while (stack.length) {
      const one = stack.pop();
      if (kept.has(one.key)) continue;
      kept.set(one.key, one);
      for (const edge of one.edges.flat()) if (edge.child) stack.push(edge.child);
      stack.push(...[...one.joint.values()].map(({ child }) => child).filter(Boolean));
    }
    this.nodes = kept;
  }

  /** Add a node for a state. The order of its moves is random, because the first of equal ones is taken. */
  add(state, { legal }) {
    if (this.nodes.size >= MOST) return null;
    const choosing = legal.map((own, role) => (own.length > 1 ? role : -1)).filter((role) => role >= 0);
    const mover = choosing.length > 1 ? SEVERAL : choosing[0] ?? 0;
    const edges = legal.map((own, role) => {
      if (own.length < 2 && !(role === mover && !choosing.length)) return [];
      const order = [];
      own.forEach((move, at) => {
        const other = this.below(at + 1);
        order.push(order[other]);
        order[other] = move;
      });
      return order.map((move) => ({ move, visits: 0, value: 0, child: null, proof: null }));
    });
    const node = { key: state.join(), state, visits: 0, mover, edges, only: legal.map((own) => own[0]), joint: new Map(), proof: null };
    this.nodes.set(node.key, node);
    return node;
  }

  // ------------------------------------------------------------------------------------------ selection

  /** Return the edge of a role to try next. With `beyond`, proven edges come last. */
  pick(edges, role, visits, weight, beyond = false) {
    const spread = weight * Math.log2(visits);
    let best = edges[0];
    let top = -Infinity;
    for (const edge of edges) {
      let rank;
      if (edge.proof) rank = edge.proof.goals[role] - (beyond ? 1000 : 0);
      else if (edge.visits) rank = edge.value / edge.visits + Math.sqrt(spread / edge.visits);
      else rank = UNVISITED + (this.worth[edge.move][0] + 0.5) / (this.worth[edge.move][1] + 1);
      if (rank > top) [top, best] = [rank, edge];
    }
    return best;
  }

  /** Walk down the tree, and return the path and what it ends with: a proof, or a request. */
  walk(requests) {
    const weight = EXPLORATION * EXPLORATION * Math.LN2;
    const steps = [];
    for (let node = this.root; ;) {
      if (node.proof) return { steps, proof: node.proof, request: null };
      if (steps.length === LONGEST) {
        const request = { state: node.state, node: null, link: null, making: false, again: true };
        requests.push(request);
        return { steps, proof: null, request };
      }
      node.visits++;
      const step = { node, edges: [], known: null };
      steps.push(step);
      let link;
      let proof = null;
      const joint = [...node.only];
      if (node.mover !== SEVERAL) {
        const edges = node.edges[node.mover];
        link = node.mover === this.nature ? edges[this.below(edges.length)] : this.pick(edges, node.mover, node.visits, weight);
        if (node.mover !== this.nature && link.proof) {
          // The best move's outcome is proven, and is the node's value; so the visit explores another move.
          step.known = link.proof;
          link = this.pick(edges, node.mover, node.visits, weight, true);
        }
        link.visits++;
        step.edges = [link];
        joint[node.mover] = link.move;
        proof = link.proof;
      } else {
        node.edges.forEach((edges, role) => {
          if (!edges.length) return;
          // Without noise, roles with similar statistics would always try the same joint moves.
          const share = this.below(1024) / 512;
          const edge = role === this.nature ? edges[this.below(edges.length)] : this.pick(edges, role, node.visits, weight * share * share);
          edge.visits++;
          step.edges[role] = edge;
          joint[role] = edge.move;
        });
        const key = joint.join();
        if (!node.joint.has(key)) node.joint.set(key, { child: null, visits: 0, proof: null });
        link = node.joint.get(key);
        link.visits++;
      }
      if (proof) return { steps, proof, request: null };
      if (link.child?.request) return { steps, proof: null, request: link.child.request };
      if (link.child) {
        node = link.child;
        continue;
      }
      const request = { state: node.state, joint, node, link, making: node.mover === SEVERAL || link.visits > 1, again: false };
      link.child = { request };
      requests.push(request);
      return { steps, proof: null, request };
    }
  }

  // ------------------------------------------------------------------------------------------ expansion

  /** Do something with states, as many at a time as there are lanes. */
  inLanes(items, answer) {
    const found = [];
    for (let at = 0; at < items.length; at += LANES) found.push(...answer(items.slice(at, at + LANES)));
    return found;
  }

  next(states, joints) {
    return this.inLanes(states.map((state, at) => [state, joints[at]]), (part) =>
      this.rules.next(part.map(([state]) => state), part.map(([, joint]) => joint)));
  }

  /** Look at states; one in which a role cannot move counts as an end without goals. */
  look(states, moves) {
    return this.inLanes(states, (part) => this.rules.look(part, moves)).map(({ terminal, legal, goals }) => {
      const stuck = moves && !terminal && legal.some((own) => !own.length);
      return { terminal: terminal || stuck, legal, goals: stuck ? goals.map(() => UNKNOWN) : goals.map(share) };
    });
  }

  /** Return the mean goals of playouts from each state, at least so many, and more if fewer than usual would be made. */
  played(states, least) {
    const { together } = this.known;
    const each = Math.floor((Math.ceil((states.length * least) / together) * together) / states.length);
    const ends = this.inLanes(states.flatMap((state) => Array(each).fill(state)), (part) => this.rules.playouts(part, this.known.plies));
    return states.map((_, at) => {
      const own = ends.slice(at * each, (at + 1) * each);
      return this.rules.roles.map((_role, role) => own.reduce((sum, { goals, over }) =>
        sum + UNKNOWN + (over ? 1 : CUT) * (share(goals[role]) - UNKNOWN), 0) / each);
    });
  }

  /** Answer requests: each gets an outcome, if it is known, goals, and the number of visits that these count for. */
  evaluate(requests) {
    const due = requests.filter(({ again }) => !again);
    const states = this.next(due.map(({ state }) => state), due.map(({ joint }) => joint));
    due.forEach((request, at) => { request.state = states[at]; });
    const looked = this.look(requests.map(({ state }) => state), true);
    const made = [];
    requests.forEach((request, at) => {
      const { terminal, goals } = looked[at];
      Object.assign(request, { proof: null, goals, weight: 1, over: terminal });
      if (request.again) return;
      const { link, making } = request;
      link.child = null;
      if (terminal) {
        request.proof = { goals, plies: 0 };
        link.proof = request.node.mover === SEVERAL ? null : request.proof;
        return;
      }
      let child = this.nodes.get(request.state.join()) ?? null;
      if (child) request.proof = child.proof;
      else if (making && (child = this.add(request.state, looked[at]))) made.push([child, request]);
      link.child = child;
    });
    this.lookAhead(made.filter(([node]) => node.mover !== SEVERAL));
    const unknown = requests.filter(({ proof, over, weight }) => !proof && !over && weight === 1);
    if (unknown.length) {
      const goals = this.played(unknown.map(({ state }) => state), PLAYOUTS);
      unknown.forEach((request, at) => { request.goals = goals[at]; });
    }
  }

  /** Try all moves of new nodes: those that end the game have known values, each of the others gets one playout. */
  lookAhead(made) {
    const tries = made.flatMap(([node]) => node.edges[node.mover].map((edge) => {
      const joint = [...node.only];
      joint[node.mover] = edge.move;
      return { node, edge, joint };
    }));
    if (!tries.length) return;
    const states = this.next(tries.map(({ node }) => node.state), tries.map(({ joint }) => joint));
    const looked = this.look(states, false);
    const open = states.filter((_, at) => !looked[at].terminal);
    const goals = open.length ? this.played(open, 1) : [];
    let at = 0;
    let playout = 0;
    for (const [node, request] of made) {
      const edges = node.edges[node.mover];
      request.weight = node.visits = edges.length;
      request.goals = this.rules.roles.map(() => 0);
      for (const edge of edges) {
        const end = looked[at++];
        const own = end.terminal ? end.goals : goals[playout++];
        if (end.terminal) edge.proof = { goals: own, plies: 0 };
        edge.visits = 1;
        edge.value = own[node.mover];
        own.forEach((goal, role) => { request.goals[role] += goal / edges.length; });
      }
      request.proof = this.solve(node);
      // A losing move is recognized at once and never played, so its value must not weigh as much as that of all moves.
      if (request.proof) request.weight = 1;
    }
  }

  // ------------------------------------------------------------------------------------------ backing up

  /** Try to prove a node from the proofs of its edges (MCTS-Solver: Winands, Björnsson and Saito, 2008). */
  solve(node) {
    const { mover } = node;
    if (node.proof || mover === SEVERAL) return node.proof;
    const others = this.rules.roles.map((_, role) => role).filter((role) => role !== mover && role !== this.nature);
    let best = null;
    let complete = true;
    let certain = true;
    let plies = 0;
    for (const { proof } of node.edges[mover]) {
      if (!proof) {
        complete = false;
        continue;
      }
      const same = best && proof.goals.every((goal, role) => goal === best[role]);
      if (!best) [best, plies] = [proof.goals, proof.plies];
      else if (mover === this.nature) {
        certain = certain && same;
        plies = Math.max(plies, proof.plies);
      } else if (proof.goals[mover] > best[mover]) [best, plies, certain] = [proof.goals, proof.plies, true];
      else if (same) {
        // Good outcomes soon, and bad ones late.
        if ((proof.plies < plies) === (proof.goals[mover] >= 0.5)) ({ plies } = proof);
      } else if (proof.goals[mover] === best[mover]) {
        const better = others.some((role) => proof.goals[role] > best[role]);
        const worse = others.some((role) => proof.goals[role] < best[role]);
        certain = certain && !(better && worse);
        if (worse && !better) [best, plies] = [proof.goals, proof.plies];
      }
    }
    if (!best || !certain || (!complete && mover === this.nature)) return null;
    const [lowest, highest] = this.known.limits;
    const extreme = best[mover] >= highest[mover] && others.every((role) => best[role] <= lowest[role]);
    if (!complete && !extreme) return null;
    node.proof = { goals: best, plies: plies + 1 };
    return node.proof;
  }

  backUp({ steps, proof, request }) {
    let outcome = request ? request.proof : proof;
    let known = outcome;
    let weight = 1;
    if (request) {
      weight = request.weight;
      request.weight = 1; // further paths to it count once
    }
    for (const step of [...steps].reverse()) {
      const { node, edges } = step;
      node.visits += weight - 1;
      for (const edge of edges.filter(Boolean)) {
        const role = this.rules.owners[edge.move];
        const value = known ? known.goals[role] : request.goals[role];
        this.worth[edge.move][0] += value;
        this.worth[edge.move][1]++;
        edge.value += weight * value;
        edge.visits += weight - 1;
        if (outcome && node.mover !== SEVERAL) edge.proof ??= outcome;
      }
      known = step.known ?? known;
      if (outcome) outcome = this.solve(node);
    }
    return weight;
  }

  /** Search one batch of leaves; return false if there is nothing left to find out. */
  step(most = Infinity) {
    if (this.root.proof) return false;
    const batch = Math.max(1, Math.min(LEAVES, most, Math.floor((this.root.visits * SHARE) / this.each)));
    const requests = [];
    const paths = Array.from({ length: batch }, () => this.walk(requests));
    if (requests.length) this.evaluate(requests);
    const visits = paths.reduce((sum, path) => sum + this.backUp(path), 0);
    this.each += 0.2 * (visits / batch - this.each);
    this.simulations += visits;
    return true;
  }

  // ------------------------------------------------------------------------------------------ results

  /** Return what is known of a role's moves, the most visited first; goals are from 0 to 100. */
  statistics(role) {
    const edges = this.root.edges[role];
    if (!edges.length) return [{ move: this.root.only[role], visits: 0, goal: 50, proven: false, plies: 0 }];
    return edges.map(({ move, visits, value, proof }) => ({
      move, visits, goal: 100 * (proof ? proof.goals[role] : visits ? value / visits : 0), proven: proof !== null, plies: proof?.plies ?? 0,
    })).sort((a, b) => b.visits - a.visits || b.goal - a.goal);
  }

  /** Return the move to play: one that is proven best, or else the most visited one. */
  best(role) {
    const moves = this.statistics(role);
    const highest = 100 * this.known.limits[1][role];
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
    for (let node = this.root; node?.edges && node.mover !== SEVERAL && line.length < most;) {
      const edges = node.edges[node.mover];
      const own = line.length || node.mover !== role ? null : edges.find(({ move }) => move === best);
      const top = own ?? edges.reduce((one, other) => (other.visits > one.visits ? other : one));
      if (!top.visits) break;
      line.push(top.move);
      node = top.child;
    }
    return line.length ? line : [best];
  }
}

const share = (goal) => (goal < 0 ? UNKNOWN : goal / 100);
