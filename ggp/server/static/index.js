// The list of games and matches.

import { gamePath, get, post } from "./api.js";
import { byId, counted, el, enableControls } from "./dom.js";
import { handOver, plainName } from "./editing/files.js";
import { howPath, showHow } from "./how.js";

const RESULTS = { finished: "finished", unfinished: "ply limit reached", aborted: "aborted", stuck: "stuck", disqualified: "disqualified", resigned: "resigned" };

function standing(match) {
  if (match.result === "running") return match.waiting.length ? `${match.waiting.join(", ")} to move` : "under way";
  const goals = match.goals.filter((goal) => goal !== null).join(" : ");
  return `${RESULTS[match.result] ?? match.result}${goals ? `, ${goals}` : ""}`;
}

function matchItem(match) {
  const who = Object.entries(match.players).map(([role, player]) => `${role}: ${player}`).join(" · ");
  const analysed = match.source === "an analysis";
  return el("li", {},
    el("a", { href: `/${analysed ? "analyse" : "match"}/${encodeURIComponent(match.id)}` },
      el("strong", {}, match.title), el("span", { class: "who" }, who),
      el("span", { class: `state ${match.result}` }, analysed ? "analysis" : `${counted(match.plies, "ply", "plies")} · ${standing(match)}`)));
}

function gameCard(game) {
  const path = gamePath(game.name);
  const picture = el("img", { src: `/api/games/${path}/board.svg`, alt: "", loading: "lazy", width: 160, height: 160 });
  const frame = el("span", { class: "picture waits" }, picture);
  picture.addEventListener("load", () => frame.classList.remove("waits"));
  picture.addEventListener("error", () => { picture.remove(); frame.classList.remove("waits"); });
  return el("li", { class: "game-card" },
    el("a", { class: "game", href: `/new/${path}` },
      frame,
      el("strong", {}, game.title),
      game.text ? el("span", { class: "about" }, game.text) : null),
    el("button", { class: "help", "aria-label": `How to play ${game.title}`, onclick: () => showHow(howPath(game.name), game.title) }, "How to play"));
}

async function show() {
  const [{ games }, { matches }] = await Promise.all([get("/api/games"), get("/api/matches")]);
  const groups = new Map();
  for (const game of games) groups.set(game.group, [...(groups.get(game.group) ?? []), game]);
  byId("games").replaceChildren(...[...groups].map(([group, found]) =>
    el("section", {}, el("h2", {}, group), el("ul", { class: "games" }, ...found.map(gameCard)))));
  byId("matches").hidden = !matches.length;
  const shown = matches.slice(0, 6).map(matchItem);
  const rest = matches.slice(6).map(matchItem);
  const list = byId("matches").querySelector("ul");
  list.replaceChildren(...shown);
  if (rest.length) {
    const more = el("button", { onclick: () => { more.parentElement.remove(); list.append(...rest); } }, `${rest.length} more`);
    list.append(el("li", { class: "plain" }, more));
  }
}

function onFile(form, input, send) {
  input.addEventListener("change", async () => {
    const fault = form.querySelector(".fault");
    fault.textContent = "";
    const [file] = input.files;
    if (!file) return;
    if (file.size > 4e6) {
      fault.textContent = "The file is larger than 4 MB.";
      return;
    }
    try {
      const address = await send(file);
      if (address) location.href = address;
    } catch (error) {
      fault.textContent = error.message;
    }
    input.value = "";
  });
}

onFile(byId("send-rules"), byId("rules-file"), async (file) => {
  const text = await file.text();
  const box = byId("uploaded");
  box.replaceChildren();
  const correct = () => el("button", { type: "button", onclick: () => handOver(file.name, text) }, "Open in the editor");
  let sent;
  try {
    sent = await post("/api/games", { name: plainName(file.name), text });
  } catch (error) {
    box.replaceChildren(correct());
    throw error;
  }
  const doubts = sent.findings.filter(({ severity }) => severity !== "hint");
  if (!doubts.length) return `/new/${gamePath(sent.name)}`;
  box.replaceChildren(
    el("p", {}, `${file.name} can be played, but `, el("code", {}, "ggp check"), ` has ${counted(doubts.length, "doubt", "doubts")}:`),
    el("ul", {}, ...doubts.map(({ line, message, code }) => el("li", {}, `line ${line}: ${message} (${code})`))),
    el("div", { class: "deeds" }, el("a", { class: "button", href: `/new/${gamePath(sent.name)}` }, "Play"), correct()));
  return null;
});

onFile(byId("send-record"), byId("record-file"), async (file) => {
  let record;
  try {
    record = JSON.parse(await file.text());
  } catch {
    throw new Error("The file is not JSON.");
  }
  const { id } = await post("/api/records", record);
  return `/match/${encodeURIComponent(id)}?ply=0`;
});

byId("watch").addEventListener("submit", async (event) => {
  event.preventDefault();
  const fault = byId("watch").querySelector(".fault");
  try {
    const { id } = await post("/api/watch", { url: byId("watch-url").value });
    location.href = `/match/${encodeURIComponent(id)}`;
  } catch (error) {
    fault.textContent = error.message;
  }
});

enableControls();
show().catch((error) => byId("games").replaceChildren(el("p", { class: "fault" }, error.message)));
