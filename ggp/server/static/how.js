// How to play: a dialog with what a rule file says about itself, what its rules say, and the rules whole.

import { gamePath, get } from "./api.js";
import { byId, el } from "./dom.js";
import { shownInside } from "./kif.js";

function block({ kind, subject, text }) {
  if (kind === "drawing") return el("pre", { tabindex: "0" }, text);
  // What moves are called is enough: nobody who plays writes their arguments.
  if (kind === "row") return el("p", { class: "how-row" }, el("strong", {}, subject.replace(/^\(?([^\s()]+).*$/, "$1").replaceAll("_", " ")), ": ", text);
  return el("p", {}, text);
}

function rulesOf(text) {
  const box = el("pre", { tabindex: "0", class: "kif", "aria-label": "Rules" });
  const details = el("details", {}, el("summary", {}, "The rules"), box);
  shownInside(details, box, text);
  return details;
}

const TELLING = 3; // blocks of a comment that says how to play
const EXACT = "In these sentences"; // the section about the words of the rules

/** Return the blocks that are for people: not those about the facts of which positions consist. */
function forPeople(blocks) {
  let facts = false;
  return blocks.filter(({ kind, subject, text }) => {
    if (kind === "row") return !facts && subject !== "noop";
    facts = /(^|\n)facts:$/i.test(text.trim());
    return !facts;
  });
}

const section = ({ heading, lines }) => el("section", {}, el("h3", {}, heading), el("ul", {}, ...lines.map((line) => el("li", {}, line))));

function contents(how) {
  const told = forPeople(how.comment);
  const plain = told.length < TELLING ? how.sections.filter(({ heading }) => heading !== EXACT) : how.sections.filter(({ heading }) => heading === "Roles");
  const exact = how.sections.filter((one) => !plain.includes(one));
  return [
    ...told.map(block),
    ...plain.map(section),
    exact.length ? el("details", {}, el("summary", {}, "In exact words"), ...exact.map(section)) : "",
    rulesOf(how.rules),
  ];
}

/** Open the dialog. `path` is where the server tells how to play. */
export async function showHow(path, title = "") {
  const heading = el("h2", { id: "how-title" }, title || "How to play");
  const body = el("div", { class: "how-body" }, el("p", { class: "hint" }, "Reading the rules …"));
  const close = el("button", { onclick: () => dialog.close(), autofocus: true }, "Close");
  const dialog = el("dialog", { class: "how", "aria-labelledby": "how-title" }, el("div", { class: "how-top" }, heading, close), body);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }); // beside it
  document.body.append(dialog);
  dialog.showModal();
  try {
    const how = await get(path);
    if (how.title) heading.textContent = how.title;
    body.replaceChildren(...contents(how));
  } catch (error) {
    body.replaceChildren(el("p", { class: "fault" }, error.message));
  }
}

/** Return where the server tells how to play the game of this page. */
function ownPath() {
  const [, kind, ...rest] = location.pathname.split("/");
  if (kind === "new") return `/api/games/${rest.join("/")}/how.json`;
  return `/api/matches/${rest[0]}/how`;
}

export const howPath = (game) => `/api/games/${gamePath(game)}/how.json`;

if (byId("how")) {
  byId("how").addEventListener("click", () => showHow(ownPath(), byId("title")?.textContent));
  byId("how").inert = false; // the page's other controls may have to wait for the match
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "?" || !byId("how") || /** @type {Element} */ (event.target).closest?.("input, select, textarea, dialog")) return;
  event.preventDefault();
  byId("how").click();
});
