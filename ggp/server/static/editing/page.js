// The page on which a game is written: text, findings and position, kept in step.

import { gamePath, get, post } from "../api.js";
import { byId, enableControls } from "../dom.js";
import { Expecting } from "./expecting.js";
import { Files } from "./files.js";
import { listFindings } from "./findings.js";
import { Latest } from "./latest.js";
import { PositionView } from "./position.js";
import { TextEditor } from "./text.js";
import { Why } from "./why.js";

const desk = Array.from(crypto.getRandomValues(new Uint32Array(4)), (number) => number.toString(36)).join("-");

const ask = (question, fields = {}) => post(`/api/edit/${question}`, { desk, text: editor.text, ...fields });

const tell = (text) => { byId("told").textContent = text; };
const trouble = (error) => { byId("trouble").textContent = error?.message ?? ""; };

/** Do something after a click; its errors are shown. */
function attempt(work) {
  return async () => {
    trouble(null);
    tell("");
    try {
      await work();
    } catch (error) {
      trouble(error);
    }
  };
}

// ---------------------------------------------------------------------------------------- text and findings

/** The text whose findings are shown. */
let checked = null;

const findings = new Latest(async () => {
  const { text } = editor;
  let found;
  try {
    found = await ask("findings");
  } catch (error) {
    byId("verdict").textContent = error.message;
    return;
  }
  if (text !== editor.text) return; // the change is checked, too
  checked = text;
  editor.underline(found.findings, mend);
  listFindings(found, (place) => editor.select(place), mend);
  if (found.playable) await position.now();
  else {
    view.show(null);
    byId("position-fault").textContent = "The rules cannot be played until their errors are corrected.";
  }
}, 250);

/** Apply the fix of a finding, if the text is still the one that was checked. */
function mend(finding) {
  if (editor.text === checked) {
    editor.change(finding.fix.edits);
    editor.view.focus();
    tell(`Done: ${finding.fix.title}. Undo takes it back.`);
  }
}

const format = attempt(async () => { editor.text = (await ask("format")).text; });

const fixAll = attempt(async () => {
  const { text, titles } = await ask("fix");
  editor.text = text;
  tell(titles.length ? `Done: ${titles.join("; ")}. Undo takes it back.` : "There is nothing to fix automatically.");
});

// ---------------------------------------------------------------------------------------- position

const position = new Latest(async () => {
  const { text } = editor;
  byId("position").setAttribute("aria-busy", "true");
  try {
    const found = await ask("position", { moves: view.played });
    if (text === editor.text) {
      view.show(found);
      why.again();
    }
  } catch (error) {
    view.show(null);
    byId("position-fault").textContent = error.message;
  } finally {
    byId("position").removeAttribute("aria-busy");
  }
});

const view = new PositionView({ look: () => { drafts.soon(); return position.now(); }, why: (atom) => why.explain(atom) });

// ---------------------------------------------------------------------------------------- why

const why = new Why((atom) => ask("explain", { atom, moves: view.played }), (line) => editor.selectLine(line));

const whyHere = attempt(async () => {
  const { atom } = await ask("atom", { at: editor.cursor });
  if (atom) await why.explain(atom);
  else tell("Put the cursor into an atom, such as (true (cell ?x ?y b)).");
});

// ---------------------------------------------------------------------------------------- expectations

const expecting = new Expecting({
  ask: (question, fields) => ask(question, { moves: view.played, ...fields }),
  changed: () => drafts.soon(),
  name: () => byId("name").value,
  attempt,
});

// ---------------------------------------------------------------------------------------- files

const files = new Files({
  current: () => ({ name: byId("name").value, text: editor.text, expectations: expecting.text, line: view.played }),
  replace: (game) => {
    byId("name").value = game.name;
    view.restart(game.line);
    editor.text = game.text;
    expecting.text = game.expectations;
    findings.now();
  },
  tell,
  attempt,
});
const drafts = new Latest(async () => files.keepDraft(), 300);
addEventListener("pagehide", () => files.keepDraft());
byId("name").addEventListener("input", () => drafts.soon());

// ---------------------------------------------------------------------------------------- page

const editor = new TextEditor(byId("text"), {
  ask,
  changed: () => {
    expecting.forget();
    drafts.soon();
    findings.soon();
  },
  why: whyHere,
  save: attempt(() => files.save()),
  format,
});

byId("format").addEventListener("click", format);
byId("why-here").addEventListener("click", whyHere);
byId("fix").addEventListener("click", fixAll);
byId("play").addEventListener("click", attempt(async () => {
  const { name } = await post("/api/games", { name: byId("name").value, text: editor.text });
  const { game } = await get(`/api/games/${gamePath(name)}`);
  const players = Object.fromEntries(game.roles.map((role, number) => [role, number ? "auto" : "human"]));
  const { id } = await post("/api/matches", { game: name, players });
  location.href = `/match/${encodeURIComponent(id)}`;
}));

const draft = files.draft();
if (draft) files.replace(draft);
else findings.now();
files.offer().catch(trouble);
enableControls();
