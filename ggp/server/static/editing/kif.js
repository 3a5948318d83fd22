// The syntax of rule files: colours, brackets, comments, and the depth of new lines.

import { HighlightStyle, StreamLanguage, tags } from "../vendor/codemirror.js";

export const KEYWORDS = ["<=", "role", "init", "true", "does", "next", "legal", "goal", "terminal", "distinct", "not", "or", "and", "base", "input", "sees"];

const known = new Set(KEYWORDS);

export const kif = StreamLanguage.define({
  name: "kif",
  startState: () => ({ depth: 0 }),
  token(stream, state) {
    // A parenthesis in the first column most likely begins a statement.
    if (stream.sol() && stream.peek() === "(") state.depth = 0;
    if (stream.eatSpace()) return null;
    if (stream.peek() === ";") {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.eat("(")) {
      state.depth += 1;
      return "bracket";
    }
    if (stream.eat(")")) {
      state.depth = Math.max(0, state.depth - 1);
      return "bracket";
    }
    stream.match(/^[^\s();]+/);
    const word = stream.current();
    if (word.startsWith("?")) return "variableName";
    if (known.has(word.toLowerCase())) return "keyword";
    return /^\d+$/.test(word) ? "number" : "name";
  },
  indent: (state, after, context) => (state.depth ? state.depth * context.unit : 0),
  languageData: { commentTokens: { line: ";" }, closeBrackets: { brackets: ["("] }, indentOnInput: /^\s*\)$/ },
});

export const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.keyword, color: "var(--keyword)", fontWeight: "600" },
  { tag: tags.variableName, color: "var(--variable)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.bracket, color: "var(--soft)" },
]);
