// Rules with colours: comments, variables and the words of the language.

import { el } from "./dom.js";

const WORDS = new Set(["role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees", "distinct", "not", "or", "and", "<="]);
const TOKEN = /(;[^\n]*)|([^\s()";]+)/g;

/** Return the pieces of rules, as text and as elements with a class. */
export function coloured(rules) {
  const pieces = [];
  let end = 0;
  for (const found of rules.matchAll(TOKEN)) {
    const [text, comment] = found;
    const kind = comment ? "comment" : text.startsWith("?") ? "variable" : WORDS.has(text.toLowerCase()) ? "word" : null;
    if (!kind) continue;
    pieces.push(rules.slice(end, found.index), el("span", { class: `kif-${kind}` }, text));
    end = found.index + text.length;
  }
  pieces.push(rules.slice(end));
  return pieces.filter((piece) => piece !== "");
}
