// The text of the rules: CodeMirror, with the answers of the language server's code.

import * as cm from "../vendor/codemirror.js";
import { el } from "../dom.js";
import { colours, kif } from "./kif.js";
import { rendered } from "./markdown.js";

const TYPES = { keyword: "keyword", relation: "function", fact: "property", move: "method", term: "constant", variable: "variable" };
const DARK = matchMedia("(prefers-color-scheme: dark)");

// The styles are in a shadow root: there, CodeMirror adopts style sheets, which need no permission of the policy.
const THEME = cm.EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--panel)", fontSize: ".84rem" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--soft)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--wash) 55%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--wash)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", fontFamily: "var(--text)", fontSize: ".85rem", maxWidth: "min(32rem, 90vw)", overflow: "hidden" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail": { color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "var(--soft)", fontStyle: "normal" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--on-accent)", borderRadius: "6px", padding: "3px 8px", font: "inherit", cursor: "pointer" },
  ".cm-panels": { backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".cm-panel input, .cm-panel button": { font: "inherit", fontSize: ".8rem", color: "inherit", background: "var(--panel)", border: "1px solid var(--line)" },
  ".told": { padding: ".35rem .7rem", maxHeight: "16rem", overflow: "auto" },
  ".told p": { margin: ".25rem 0" },
  ".told pre, .told code": { fontFamily: "var(--mono)", fontSize: ".8rem", whiteSpace: "pre-wrap", margin: ".25rem 0" },
});

export class TextEditor {
  /** `ask(question, fields)` asks the server about the present text; `changed` and `why` are called without arguments. */
  constructor(host, { ask, changed, why, save, format }) {
    this.ask = ask;
    const root = host.attachShadow({ mode: "open" });
    const dark = new cm.Compartment();
    const does = (work) => () => { work(); return true; };
    this.view = new cm.EditorView({
      root,
      parent: root,
      extensions: [
        cm.lineNumbers(), cm.highlightActiveLine(), cm.highlightActiveLineGutter(), cm.highlightSpecialChars(), cm.history(),
        cm.drawSelection(), cm.bracketMatching(), cm.closeBrackets(), cm.highlightSelectionMatches(), cm.search({ top: true }), cm.lintGutter(),
        kif, cm.syntaxHighlighting(colours), cm.indentUnit.of("    "), THEME, dark.of(cm.EditorView.darkTheme.of(DARK.matches)),
        cm.autocompletion({ override: [(context) => this.complete(context)] }),
        cm.hoverTooltip((view, at) => this.hover(at)),
        // Tab leaves the text, as everywhere on the page; Enter indents.
        cm.keymap.of([
          { key: "Mod-Enter", run: does(why) }, { key: "Mod-s", run: does(save) }, { key: "Shift-Alt-f", run: does(format) },
          { key: "Alt-.", run: does(() => this.toDefinition()) },
          ...cm.closeBracketsKeymap, ...cm.completionKeymap, ...cm.lintKeymap, ...cm.searchKeymap, ...cm.historyKeymap, ...cm.defaultKeymap,
        ]),
        cm.EditorView.contentAttributes.of({ "aria-label": "Rules", tabindex: "0", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
        cm.EditorView.domEventHandlers({ click: (event) => {
          if ((event.ctrlKey || event.metaKey) && this.view.state.selection.main.empty) this.toDefinition();
        } }),
        cm.EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      ],
    });
    DARK.addEventListener("change", () => this.view.dispatch({ effects: dark.reconfigure(cm.EditorView.darkTheme.of(DARK.matches)) }));
  }

  get text() {
    return this.view.state.doc.toString();
  }

  get cursor() {
    return this.view.state.selection.main.head;
  }

  /** Replace the whole text; it can be undone. Only the part that differs is replaced, so that the cursor stays. */
  set text(text) {
    const before = this.text;
    let start = 0;
    while (start < before.length && start < text.length && before[start] === text[start]) start += 1;
    let end = 0;
    while (end < before.length - start && end < text.length - start && before.at(-1 - end) === text.at(-1 - end)) end += 1;
    if (before !== text) this.change([{ from: start, to: before.length - end, insert: text.slice(start, text.length - end) }]);
  }

  change(changes) {
    this.view.dispatch({ changes, userEvent: "input" });
  }

  select({ from, to }) {
    const most = this.view.state.doc.length;
    this.view.dispatch({ selection: { anchor: Math.min(from, most), head: Math.min(to, most) }, effects: cm.EditorView.scrollIntoView(Math.min(from, most), { y: "center", xMargin: 80 }) });
    this.view.focus();
  }

  selectLine(number) {
    this.select(this.view.state.doc.line(Math.min(number, this.view.state.doc.lines)));
  }

  /** Underline the findings of the present text; `mend(finding)` applies the fix of one. */
  underline(findings, mend) {
    const most = this.view.state.doc.length;
    const diagnostics = findings.map((one) => ({
      from: Math.min(one.from, most),
      to: Math.min(one.to, most),
      severity: one.severity,
      source: one.code,
      message: [one.message, ...one.notes.map((note) => `line ${note.line}: ${note.message}`)].join("\n"),
      actions: one.fix ? [{ name: one.fix.title, apply: () => mend(one) }] : [],
    }));
    this.view.dispatch(cm.setDiagnostics(this.view.state, diagnostics));
  }

  async complete(context) {
    const word = context.matchBefore(/[^\s();]+/);
    if (!context.explicit && !word && !context.matchBefore(/\(/)) return null;
    const found = await this.ask("complete", { at: context.pos }).catch(() => null);
    if (!found || context.aborted) return null;
    const options = found.options.map(({ label, detail, type }, i) => ({ label, detail, type: TYPES[type], boost: Math.max(-99, 99 - i) }));
    return { from: found.from, options, validFor: /^[^\s();]*$/ };
  }

  async hover(at) {
    const found = await this.ask("hover", { at }).catch(() => null);
    if (!found?.markdown) return null;
    return { pos: found.from, end: found.to, create: () => ({ dom: el("div", { class: "told" }, ...rendered(found.markdown)) }) };
  }

  async toDefinition() {
    const found = await this.ask("definition", { at: this.cursor }).catch(() => null);
    if (found?.places.length) this.select(found.places[0]);
  }
}
