// Moves in words. The server puts them into words; what it has not yet said is shown as the rules write it.

/** @type {Map<string, string>} */
const words = new Map();

/** Take in moves in words. @param {Record<string, string>} found */
export function learnWords(found) {
  for (const [move, word] of Object.entries(found ?? {})) words.set(move, word);
}

/** Take in what a position says in words. @param {import("./types").Position} position */
export function learn({ moves, said: told, choices }) {
  moves.forEach((move, place) => words.set(move, told[place] ?? move));
  for (const own of Object.values(choices)) for (const { move, label } of own) words.set(move, label);
}

/** Return a move in words, or without its outer parentheses. @param {string} move */
export function said(move) {
  return words.get(move) ?? (move.startsWith("(") && move.endsWith(")") ? move.slice(1, -1) : move);
}
