// The list of games and matches.

import { gamePath, get, post } from "./api.js";
import { byId, counted, el } from "./dom.js";

const RESULTS = { finished: "finished", unfinished: "ply limit reached", aborted: "aborted", stuck: "stuck", disqualified: "disqualified", resigned: "resigned" };

function standing(match) {
  if (match.result === "running") return match.waiting.length ? `${match.waiting.join(", ")} to move` : "under way";
  const goals = match.goals.filter((goal) => goal !== null).join(" : ");
  return `${RESULTS[match.result] ?? match.result}${goals ? `, ${goals}` : ""}`;
}

function matchItem(match) {
  const who = Object.entries(match.players).map(([role, player]) => `${role}: ${player}`).join(" · ");
  return el("li", {},
    el("a", { href: `/match/${encodeURIComponent(match.id)}` },
      el("strong", {}, match.title), el("span", { class: "who" }, who),
      el("span", { class: `state ${match.result}` }, `${counted(match.plies, "ply", "plies")} · ${standing(match)}`)));
}

function gameCard(game) {
  const path = gamePath(game.name);
  const picture = el("img", { src: `/api/games/${path}/board.svg`, alt: "", loading: "lazy", width: 160, height: 160 });
  picture.addEventListener("error", () => picture.remove());
  return el("li", {},
    el("a", { class: "game", href: `/new/${path}` },
      el("span", { class: "picture" }, picture),
      el("strong", {}, game.title),
      game.text ? el("span", { class: "about" }, game.text) : null));
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
      location.href = await send(file);
    } catch (error) {
      fault.textContent = error.message;
    }
    input.value = "";
  });
}

onFile(byId("send-rules"), byId("rules-file"), async (file) => {
  const plain = file.name.replace(/\.(kif|gdl|txt)$/i, "").replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^[^A-Za-z0-9]+/, "");
  const { name } = await post("/api/games", { name: (plain || "game").slice(0, 80), text: await file.text() });
  return `/new/${gamePath(name)}`;
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

show().catch((error) => byId("games").replaceChildren(el("p", { class: "fault" }, error.message)));
