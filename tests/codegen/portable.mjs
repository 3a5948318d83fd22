// Plays the matches that it reads with a game in WebAssembly, and prints what it finds as JSON: for each ply the facts,
// legal moves, end, goals and percepts; and the ends of some playouts.
import { readFileSync } from "node:fs";

const { engine, about, code, matches, playouts } = JSON.parse(readFileSync(0, "utf8"));
const { Rules } = await import(engine);
const rules = await Rules.open({ about, code: Buffer.from(code, "base64") });
const found = matches.map((joints) => {
  let state = rules.initial();
  return [...joints, null].map((joint) => {
    const [looked] = rules.look([state]);
    const numbers = joint?.map((text, role) => about.moves.findIndex(([owner, move]) => owner === role && move === text));
    const seen = joint ? rules.percepts([state], [numbers])[0] : [];
    const facts = rules.facts(state).map((number) => about.facts[number]);
    if (joint) [state] = rules.next([state], [numbers]);
    return { facts, legal: looked.legal.map((own) => own.map((move) => about.moves[move][1])), terminal: looked.terminal, goals: looked.goals, seen };
  });
});
const ends = playouts ? rules.playouts(Array.from({ length: playouts }, () => rules.initial()), 1000) : [];
console.log(JSON.stringify({ found, ends }));
