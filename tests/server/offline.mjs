// Plays the matches of a page without a server, and prints every position, and a search, as JSON. Arguments: the folder of the modules.
import { readFileSync } from "node:fs";

const folder = process.argv[2];
const { pack, code, matches, simulations } = JSON.parse(readFileSync(0, "utf8"));
const { Rules } = await import(`${folder}/engine.js`);
const { LocalMatch } = await import(`${folder}/match.js`);
const { Search } = await import(`${folder}/search.js`);
const { Worlds } = await import(`${folder}/worlds.js`);
const rules = await Rules.open({ about: pack.about, code: Buffer.from(code, "base64") });

/** Return how many states a role keeps after each ply, and whether it has the same legal moves in all of them. */
function worlds(match, role) {
  const kept = new Worlds(rules, role, 100);
  const told = match.told(role);
  return [...told, null].map((_, ply) => {
    kept.follow(told.slice(0, ply));
    const legal = (state) => rules.look([state])[0].legal[role].join();
    return [kept.states.length, !kept.agrees || kept.states.every((state) => legal(state) === legal(match.state(ply)))];
  });
}

const found = matches.map((moves) => {
  const match = new LocalMatch(pack, rules, () => new Promise(() => {}));
  match.open(JSON.stringify({ moves, gameRoleNames: rules.roles }));
  match.version++; // nobody plays on
  const positions = [...moves, null].map((_, ply) => match.position(ply));
  const own = match.hidden ? pack.game.roles.map((role) => positions.map((_, ply) => match.ownPosition(ply, role))) : [];
  return { positions, own, worlds: match.hidden ? pack.game.roles.map((role) => worlds(match, rules.roles.indexOf(role))) : [], state: match.standing(), record: match.record() };
});

/** Play a match of programs that search for so many simulations per move; chance has the first of its moves as texts. */
function searched(simulations) {
  const { moves } = pack.about;
  const text = (move) => moves[move][1];
  const searches = rules.roles.map((_, role) => new Search(rules, role + 1, pack.known));
  searches.forEach((search, role) => role !== rules.mover && search.begin());
  const plies = [];
  for (let state = rules.initial(); ;) {
    const [{ terminal, legal }] = rules.look([state]);
    if (terminal || legal.some((own) => !own.length)) return plies;
    const joint = legal.map((own, role) => {
      if (role === rules.mover) return own.reduce((one, other) => (text(other) < text(one) ? other : one));
      if (own.length === 1) return own[0];
      const search = searches[role];
      search.advance(state);
      for (const end = search.simulations + simulations; search.simulations < end && search.step(););
      return search.best(role).move;
    });
    plies.push([joint.map(text), searches.map((search) => search.simulations)]);
    [state] = rules.next([state], [joint]);
  }
}

console.log(JSON.stringify({ found, searched: simulations ? searched(simulations) : null }));
