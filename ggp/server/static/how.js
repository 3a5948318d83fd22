// How to play: a dialog with what a rule file says about itself, what its rules say, and the rules whole.

import { gamePath, get } from "./api.js";
import { byId, el } from "./dom.js";
import { shownInside } from "./kif.js";

function block({ kind, subject, text }) {
  if (kind === "drawing") return el("pre", { tabindex: "0" }, text);
  if (kind === "row") return el("p", { class: "how-row" }, el("code", {}, subject), " ", text);
  return el("p", {}, text);
}

function rulesOf(text) {
  const box = el("pre", { tabindex: "0", class: "kif", "aria-label": "Rules" });
  const details = el("details", {}, el("summary", {}, "The rules"), box);
  shownInside(details, box, text);
  return details;
}

function contents(how) {
  return [
    ...how.comment.map(block),
    ...how.sections.map(({ heading, lines }) => el("section", {}, el("h3", {}, heading), el("ul", {}, ...lines.map((line) => el("li", {}, line))))),
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
