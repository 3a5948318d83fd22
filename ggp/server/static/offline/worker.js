// The worker in which programs think, so that the page does not wait for them.

import { Rules } from "./engine.js";
import { Search } from "./search.js";

const SLICE = 40; // milliseconds between two looks for messages
const SHOWN = 8; // moves, and plies of a line, that are told

/** @type {Promise<{rules: Rules, known: any}> | null} */
let opened = null;
/** @type {Map<string, Search>} by match and role */
const searches = new Map();
let wanted = 0;

const pause = () => new Promise((done) => { setTimeout(done); });

/** Return a move: each `temperature` that it is worse than the best makes it less probable by the factor e. */
function erring(moves, temperature, search) {
  const rated = moves.filter(({ visits, proven }) => visits || proven);
  const goals = rated.map(({ goal }) => goal);
  const [worst, best] = goals.length ? [Math.min(...goals), Math.max(...goals)] : [0, 0];
  const weights = moves.map(({ visits, proven, goal }) => Math.exp(((visits || proven ? goal : worst) - best) / temperature));
  let rest = (search.below(2 ** 30) / 2 ** 30) * weights.reduce((sum, weight) => sum + weight, 0);
  return moves.find((_, at) => (rest -= weights[at]) < 0) ?? moves[0];
}

async function think({ id, match, seed, role, state, simulations, seconds, temperature }) {
  const { rules, known } = await opened;
  const key = `${match} ${role}`;
  if (!searches.has(key)) {
    for (const old of searches.keys()) if (!old.startsWith(`${match} `)) searches.delete(old);
    searches.set(key, new Search(rules, seed, known));
  }
  const search = searches.get(key);
  if (temperature) search.nodes.clear();
  search.advance(state);
  const [begun, before] = [performance.now(), search.simulations];
  const done = () => search.simulations - before;
  for (let slice = begun; ;) {
    const over = simulations ? done() >= simulations : performance.now() - begun >= 1000 * seconds;
    if (over || !search.step(simulations ? Math.max(1, simulations - done()) : Infinity)) break;
    if (performance.now() - slice < SLICE) continue;
    await pause();
    if (wanted !== id) return;
    slice = performance.now();
  }
  const moves = search.statistics(role);
  const best = search.best(role);
  const chosen = temperature && moves.length > 1 ? erring(moves, temperature, search) : best;
  const text = (move) => rules.about.moves[move][1];
  const line = search.line(role, best.move, SHOWN).map(text);
  postMessage({ id, move: chosen.move, thought: {
    expected: best.goal, work: done(), unit: "simulations", depth: 0, proven: best.proven, line,
    options: moves.slice(0, SHOWN).map(({ move, visits, goal, proven }) => ({ move: text(move), visits, goal, proven })), note: "", pondered: 0,
  } });
}

/** Answer messages: the game, then positions to think about; each calls off the one before. */
export function work() {
  onmessage = ({ data }) => {
    if (data.kind === "open") opened = Rules.open(data).then((rules) => ({ rules, known: data.known }));
    else {
      wanted = data.id;
      if (data.kind === "think") think(data).catch((error) => postMessage({ id: data.id, error: String(error) }));
    }
  };
}
