// Plays matches with a game in WebAssembly, in Node.js or in a browser. Tells for each ply the facts, legal moves, end, goals
// and percepts; the ends of some playouts; and how many ways there are to make so many plies.
export async function answer({ engine, about, code, matches, playouts, plies }) {
  const { Rules } = await import(engine);
  const rules = await Rules.open({ about, code: Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0)) });
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
  const ends = rules.playouts(Array.from({ length: playouts }, () => rules.initial()), 1000);
  return { found, ends, ways: ways(rules, plies) };
}

function ways(rules, plies) {
  let states = [rules.initial()];
  const counts = [1];
  while (counts.length < plies) {
    const following = [];
    rules.look(states).forEach(({ terminal, legal }, at) => {
      if (terminal) return;
      const joints = legal.reduce((some, own) => some.flatMap((joint) => own.map((move) => [...joint, move])), [[]]);
      following.push(...rules.next(joints.map(() => states[at]), joints));
    });
    states = following;
    counts.push(states.length);
  }
  return counts;
}

if (typeof process !== "undefined") {
  const { readFileSync } = await import("node:fs");
  console.log(JSON.stringify(await answer(JSON.parse(readFileSync(0, "utf8")))));
}
