// Rules with colours: comments, variables and the words of the language.

import { el } from "./dom.js";

const WORDS = new Set(["role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees", "distinct", "not", "or", "and", "<="]);
const TOKEN = /(;[^\n]*)|([^\s()";]+)/g;

/** The largest number of characters of rules that are coloured: each colour is an element. */
const COLOURED = 200000;

/** Show rules in a box within `details` as soon as these are opened, with colours unless they are too long. */
export function shownInside(details, box, rules) {
  details.addEventListener("toggle", () => {
    if (details.open && !box.firstChild) box.append(...(rules.length > COLOURED ? [rules] : coloured(rules)));
  });
}

/** Return the pieces of rules, as text and as elements with a class. */
function coloured(rules) {
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
