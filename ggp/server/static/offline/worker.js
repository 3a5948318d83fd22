// The worker in which programs think, so that the page does not wait for them.

import { Rules } from "./engine.js";
import { Search } from "./search.js";
import { Worlds } from "./worlds.js";

const SLICE = 40; // milliseconds between two looks for messages
const SHOWN = 8; // moves, and plies of a line, that are told
const UNLIMITED = 50000; // simulations of the highest level where states are hidden

/** @type {Promise<{rules: Rules, known: any}> | null} */
let opened = null;
/** @type {Map<string, any>} the searches, by match and role */
const searches = new Map();
let wanted = 0;

const pause = () => new Promise((done) => { setTimeout(done); });

/** Return the search of a role in a match; those of other matches are forgotten. */
function searchOf({ match, role }, make) {
  const key = `${match} ${role}`;
  if (!searches.has(key)) {
    for (const old of searches.keys()) if (!old.startsWith(`${match} `)) searches.delete(old);
    searches.set(key, make());
  }
  return searches.get(key);
}

/** Return a move: each `temperature` that it is worse than the best makes it less probable by the factor e. */
function erring(moves, temperature, rules) {
  const rated = moves.filter(({ visits, proven }) => visits || proven);
  const goals = rated.map(({ goal }) => goal);
  const [worst, best] = goals.length ? [Math.min(...goals), Math.max(...goals)] : [0, 0];
  const weights = moves.map(({ visits, proven, goal }) => Math.exp(((visits || proven ? goal : worst) - best) / temperature));
  let rest = (rules.below(2 ** 30) / 2 ** 30) * weights.reduce((sum, weight) => sum + weight, 0);
  return moves.find((_, at) => (rest -= weights[at]) < 0) ?? moves[0];
}

/** Take steps until one returns something, with pauses for messages; return undefined if something else is wanted. */
async function steps(id, step) {
  for (let slice = performance.now(); ;) {
    const found = step();
    if (found) return found;
    if (performance.now() - slice < SLICE) continue;
    await pause();
    if (wanted !== id) return undefined;
    slice = performance.now();
  }
}

/** Search a game that shows everything. */
async function search(rules, known, asked) {
  const { id, role, simulations, seconds, temperature } = asked;
  const tree = searchOf(asked, () => {
    const made = new Search(rules, asked.seed, known);
    made.begin();
    return made;
  });
  if (temperature) tree.forget();
  tree.advance(asked.state);
  const [begun, before] = [performance.now(), tree.simulations];
  const done = () => tree.simulations - before;
  const over = await steps(id, () => {
    const late = simulations ? done() >= simulations : performance.now() - begun >= 1000 * seconds;
    return late || !tree.step();
  });
  const best = tree.best(role);
  return over && { best, moves: tree.statistics(role), work: done(), line: tree.line(role, best.move, SHOWN), note: "" };
}

/** Choose where states are hidden: only by what the role did and saw. */
async function guess(rules, known, asked) {
  const worlds = searchOf(asked, () => new Worlds(rules, asked.role, known.plies));
  worlds.follow(asked.told);
  const comparing = worlds.compare(asked.legal, asked.simulations ?? UNLIMITED);
  const moves = await steps(asked.id, () => comparing.next().value);
  const work = moves?.reduce((sum, { visits }) => sum + visits, 0);
  const found = worlds.agrees ? "that agree with what it did and saw" : "not all of which agree with what it saw";
  const note = worlds.states.length ? `by random playouts from states ${found}` : "at random";
  const best = moves && (work ? moves[0] : moves[rules.below(moves.length)]);
  return moves && { best, moves, work, line: [best.move], note };
}

async function think(asked) {
  const { rules, known } = await opened;
  const found = await (asked.told ? guess : search)(rules, known, asked);
  if (!found) return;
  const { best, moves, work, line, note } = found;
  const chosen = asked.temperature && work && moves.length > 1 ? erring(moves, asked.temperature, rules) : best;
  const text = (move) => rules.about.moves[move][1];
  postMessage({ id: asked.id, move: chosen.move, thought: {
    expected: best.goal, work, unit: "simulations", depth: 0, proven: best.proven, line: line.map(text),
    options: moves.slice(0, SHOWN).map(({ move, visits, goal, proven }) => ({ move: text(move), visits, goal, proven })), note, pondered: 0,
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
