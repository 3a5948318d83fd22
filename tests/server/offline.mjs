// Plays the matches of a page without a server, and prints every position as JSON. Arguments: the folder of the modules.
import { readFileSync } from "node:fs";

const folder = process.argv[2];
const { pack, code, matches } = JSON.parse(readFileSync(0, "utf8"));
const { Rules } = await import(`${folder}/engine.js`);
const { LocalMatch } = await import(`${folder}/match.js`);
const rules = await Rules.open({ about: pack.about, code: Buffer.from(code, "base64") });
const found = matches.map((moves) => {
  const match = new LocalMatch(pack, rules, () => new Promise(() => {}));
  match.open(JSON.stringify({ moves, gameRoleNames: rules.roles }));
  match.version++; // nobody plays on
  const positions = [...moves, null].map((_, ply) => match.position(ply));
  const own = match.hidden ? pack.game.roles.map((role) => positions.map((_, ply) => match.ownPosition(ply, role))) : [];
  return { positions, own, state: match.standing(), record: match.record() };
});
console.log(JSON.stringify(found));
