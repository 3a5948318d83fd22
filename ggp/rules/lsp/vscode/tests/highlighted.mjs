// Writes a rule file as a page with the grammar's colours: node tests/highlighted.mjs FILE [THEME] > page.html
import { readFile } from "node:fs/promises";
import { createHighlighter } from "shiki";

const [file, theme = "dark-plus"] = process.argv.slice(2);
const grammar = JSON.parse(await readFile(new URL("../syntaxes/gdl.tmLanguage.json", import.meta.url), "utf8"));
const highlighter = await createHighlighter({ themes: [theme], langs: [{ ...grammar, name: "gdl" }] });
const code = highlighter.codeToHtml(await readFile(file, "utf8"), { lang: "gdl", theme });
process.stdout.write(`<!doctype html><meta charset="utf-8"><title>${theme}</title>
<style>body { margin: 0 } pre { margin: 0; padding: 1em; font: 14px/1.4 monospace }</style>${code}`);
