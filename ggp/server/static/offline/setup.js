// Who plays on a page without a server, and records to save and open: a card beside the board.

import { byId, el } from "../dom.js";
import { HUMAN, RANDOM } from "./match.js";
import { listen } from "./stream.js";

/** Show a curtain as long as the screen has to be handed over to somebody else, who opens it. */
export function addCurtain(match) {
  const who = el("h2", { id: "curtain-title" });
  const open = el("button", { class: "strong", onclick: () => {
    match.sit(match.next());
    curtain.close();
  } });
  const curtain = el("dialog", { class: "curtain", "aria-labelledby": "curtain-title" }, who, el("p", {}, "The others must not see what comes now."), open);
  curtain.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(curtain);
  const draw = () => {
    const next = match.next();
    who.textContent = `Hand over to ${next}`;
    open.textContent = `I am ${next}`;
    if (next && !curtain.open) curtain.showModal();
    if (!next && curtain.open) curtain.close();
  };
  listen("", { news: draw });
  draw();
}

/** Add the card. `match` is the match that is played here. */
export function addSetup(match) {
  const { game, levels } = match.pack;
  const named = { [HUMAN]: "a person", ...Object.fromEntries(Object.keys(levels).map((level) => [level, level])), [RANDOM]: "at random" };
  const choices = game.roles.map((role) => {
    const options = Object.entries(named).map(([value, text]) => el("option", { value, selected: match.players[role] === value }, text));
    return el("label", { class: "setup-role" }, el("span", { class: `chip p-${game.colours[role]}`, "aria-hidden": "true" }), role, " ", el("select", { "data-role": role }, ...options));
  });
  const fault = el("p", { class: "fault", role: "alert" });
  const begin = el("button", { class: "strong", onclick: () => {
    const running = match.plies.length && !match.ended;
    if (running && !confirm("End this match and begin another one?")) return;
    match.begin(Object.fromEntries(choices.map((label) => [label.querySelector("select").dataset.role, label.querySelector("select").value])));
    byId("board").scrollIntoView({ block: "nearest" });
  } }, "Begin a match");
  const file = el("input", { type: "file", accept: ".json,application/json", id: "open-record", onchange: async () => {
    fault.textContent = "";
    try {
      match.open(await file.files[0].text());
    } catch (error) {
      fault.textContent = error.message;
    }
    file.value = "";
  } });
  const card = el("details", { class: "card", id: "setup-card" }, el("summary", {}, "Who plays"), el("div", { class: "setup" }, ...choices, begin),
    el("label", { class: "hint", for: "open-record" }, "Open a record:"), file, fault);
  document.querySelector(".side").append(card);
  byId("again").addEventListener("click", (event) => {
    event.preventDefault();
    card.open = true;
    card.scrollIntoView();
    card.querySelector("select").focus();
  });
  byId("record").addEventListener("click", () => {
    const blob = new Blob([JSON.stringify(match.record())], { type: "application/json" });
    byId("record").href = URL.createObjectURL(blob);
    byId("record").download = `${match.pack.name}.json`;
  });
}
