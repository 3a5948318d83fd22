// A ladder for each game: the highest level of the programs that somebody has beaten alone, kept in the browser.

export const HIGHEST = 8;

/** Return the highest level that was beaten in a game; 0 if none was. */
export const beaten = (game) => Number(localStorage.getItem(`beaten:${game}`)) || 0;

/** Return the level to play next: the one above the highest that was beaten; 0 if none was. */
export const following = (game) => beaten(game) && Math.min(HIGHEST, beaten(game) + 1);

/**
 * Return the lowest level of the programs that a person plays against alone; 0 if others play, too.
 * @param {Record<string, string>} players
 * @param {string} mine the person's role
 */
function levelOf(players, mine) {
  const others = Object.entries(players).filter(([role]) => role !== mine && role !== "random").map(([, player]) => player);
  const levels = others.map((player) => (player === "auto" ? HIGHEST : Number(/^auto\(level=([1-8])\)$/.exec(player)?.[1] ?? 0)));
  return levels.length ? Math.min(...levels) : 0;
}

/**
 * Note a match that was won alone against programs, and return the level that was beaten; 0 if none was.
 * @param {import("./types").State} state
 * @param {string[]} mine the roles that are played here
 */
export function climb(state, mine) {
  if (state.source || state.result !== "finished" || mine.length !== 1) return 0;
  const goal = (role) => state.goals[state.record_roles.indexOf(role)] ?? 0;
  const level = levelOf(state.players, mine[0]);
  const won = Object.keys(state.players).every((role) => role === mine[0] || goal(role) < goal(mine[0]));
  if (!level || !won) return 0;
  if (level > beaten(state.game)) localStorage.setItem(`beaten:${state.game}`, String(level));
  return level;
}
