// The little Markdown that the language server writes: paragraphs, line breaks, inline code, and blocks of text.

import { el } from "../dom.js";

function inline(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(/(`+) ?(.+?) ?\1(?!`)/g)) {
    parts.push(text.slice(at, found.index), el("code", {}, found[2]));
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)];
}

/** Return the elements of a text. Nothing in it becomes markup. */
export function rendered(text) {
  const made = [];
  let rest = text;
  while (rest) {
    const block = /^(`{3,})text\n([\s\S]*?)\n\1(?:\n+|$)/.exec(rest);
    if (block) {
      made.push(el("pre", {}, block[2]));
      rest = rest.slice(block[0].length);
      continue;
    }
    const end = rest.indexOf("\n\n");
    const paragraph = end < 0 ? rest : rest.slice(0, end);
    rest = end < 0 ? "" : rest.slice(end + 2);
    made.push(el("p", {}, ...paragraph.split(/ {2}\n/).flatMap((line, i) => [...(i ? [el("br")] : []), ...inline(line)])));
  }
  return made;
}
