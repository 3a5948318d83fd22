// The list of games and matches.

import { gamePath, get, post } from "./api.js";
import { byId, counted, el, enableControls } from "./dom.js";
import { handOver, plainName } from "./editing/files.js";
import { howPath, showHow } from "./how.js";
import { beaten } from "./ladder.js";
import { proofOf } from "./seats.js";

const RESULTS = { finished: "finished", unfinished: "ply limit reached", aborted: "aborted", stuck: "stuck", disqualified: "disqualified", resigned: "resigned" };

function standing(match) {
  if (match.result === "running") return match.waiting.length ? `${match.waiting.join(", ")} to move` : "under way";
  const goals = match.goals.filter((goal) => goal !== null).join(" : ");
  return `${RESULTS[match.result] ?? match.result}${goals ? `, ${goals}` : ""}`;
}

const when = (seconds) => new Date(1000 * seconds).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

function matchItem(match) {
  const who = Object.entries(match.players).map(([role, player]) => `${role}: ${player}`).join(" · ");
  const analysed = match.source === "an analysis";
  const item = el("li", {},
    el("a", { href: `/${analysed ? "analyse" : "match"}/${encodeURIComponent(match.id)}` },
      el("strong", {}, match.title), el("span", { class: "who" }, who),
      el("span", { class: `state ${match.result}` }, analysed ? "analysis" : `${counted(match.plies, "ply", "plies")} · ${standing(match)}`),
      el("time", { class: "state", datetime: new Date(1000 * match.created).toISOString() }, when(match.created))),
    el("button", { class: "delete", "aria-label": `Delete this match of ${match.title}`, onclick: () => remove(match, item).catch(trouble) }, "Delete"));
  return item;
}

const trouble = (error) => { byId("match-fault").textContent = error.message; };

async function remove(match, item) {
  trouble({ message: "" });
  if (match.result === "running" && !confirm(`${match.title} is not over. Delete it?`)) return;
  await post(`/api/matches/${encodeURIComponent(match.id)}/delete`, proofOf(match.id));
  item.remove();
}

function drawMatches(matches) {
  byId("matches").hidden = !matches.length;
  const going = matches.filter((match) => match.running && match.result === "running");
  const rest = matches.filter((match) => !going.includes(match));
  byId("going").replaceChildren(...going.map(matchItem));
  byId("recent").hidden = !rest.length;
  byId("recent").querySelector("summary").textContent = `${counted(rest.length, "recent match", "recent matches")}`;
  byId("recent").querySelector("ul").replaceChildren(...rest.map(matchItem));
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
      game.text ? el("span", { class: "about" }, game.text) : null,
      beaten(game.name) ? el("span", { class: "rung" }, `level ${beaten(game.name)} beaten`) : null),
    el("button", { class: "help", "aria-label": `How to play ${game.title}`, onclick: () => showHow(howPath(game.name), game.title) }, "How to play"));
}

/** @type {Record<string, (game: any) => boolean>} what the filters let through, by their names */
const FILTERS = {
  alone: ({ people }) => people === 1,
  two: ({ people }) => people === 2,
  more: ({ people }) => people > 2,
  chance: ({ chance }) => chance,
  hidden: ({ hidden }) => hidden,
  fresh: ({ name }) => !beaten(name),
};
let cards = [];
const wanted = new Set();

/** Show the games that a search and the filters let through; those of one group of filters are alternatives. */
function choose() {
  const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  const numbers = ["alone", "two", "more"].filter((name) => wanted.has(name));
  const others = ["chance", "hidden", "fresh"].filter((name) => wanted.has(name));
  let shown = 0;
  for (const { game, card } of cards) {
    const text = `${game.title} ${game.name} ${game.text}`.toLowerCase();
    const fits = words.every((word) => text.includes(word)) && others.every((name) => FILTERS[name](game)) && (!numbers.length || numbers.some((name) => FILTERS[name](game)));
    card.hidden = !fits;
    shown += Number(fits);
  }
  for (const section of byId("games").children) section.hidden = !section.querySelector(".game-card:not([hidden])");
  byId("count").textContent = shown === cards.length ? "" : counted(shown, "game", "games");
}

byId("find").addEventListener("input", choose);
for (const button of byId("filters").querySelectorAll("button")) {
  button.addEventListener("click", () => {
    const { filter } = button.dataset;
    if (!wanted.delete(filter)) wanted.add(filter);
    button.setAttribute("aria-pressed", String(wanted.has(filter)));
    choose();
  });
}

async function show() {
  const matches = get("/api/matches").then((found) => drawMatches(found.matches));
  const { games } = await get("/api/games");
  const groups = new Map();
  for (const game of games) groups.set(game.group, [...(groups.get(game.group) ?? []), game]);
  cards = games.map((game) => ({ game, card: gameCard(game) }));
  const of = new Map(cards.map(({ game, card }) => [game, card]));
  byId("games").replaceChildren(...[...groups].map(([group, found]) =>
    el("section", {}, el("h2", {}, group), el("ul", { class: "games" }, ...found.map((game) => of.get(game))))));
  choose();
  await matches;
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
