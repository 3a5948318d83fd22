// Setting up a match.

import { gamePath, get, post } from "./api.js";
import { Board } from "./board.js";
import { byId, el } from "./dom.js";
import "./how.js";
import { shownInside } from "./kif.js";
import { beaten, following } from "./ladder.js";
import { keepSeats } from "./seats.js";

const name = location.pathname.slice("/new/".length).split("/").map(decodeURIComponent).join("/");
const LEVELS = ["1, a beginner", "2, easy", "3", "4, moderate", "5", "6, strong", "7", "8, as strong as possible"];
const BEGINNING = 2; // the level of who has never chosen one

function roleField(role, number, roles, players, colour) {
  const preferred = roles.length === 1 || number === 0 ? "human" : "auto";
  const id = `role-${number}`;
  const select = el("select", { id, "data-role": role },
    ...Object.entries(players).map(([player, about]) => el("option", { value: player, selected: player === preferred }, `${player}: ${about}`)),
    el("option", { value: "other" }, "other: http://HOST:PORT, or a program with options"));
  const other = el("input", { type: "text", placeholder: "http://localhost:9148 or mcts(simulations=1000)", hidden: true, spellcheck: "false", "aria-label": `Player of ${role}` });
  const first = following(name) || Number(localStorage.getItem("level")) || BEGINNING;
  const level = el("select", { "aria-label": `Level of ${role}`, class: "level", hidden: preferred !== "auto" },
    ...LEVELS.map((text, index) => el("option", { value: String(index + 1), selected: index + 1 === first }, `level ${text}${index < beaten(name) ? " (beaten)" : ""}`)));
  level.addEventListener("change", () => localStorage.setItem("level", level.value));
  select.addEventListener("change", () => {
    level.hidden = select.value !== "auto";
    other.hidden = select.value !== "other";
    if (!other.hidden) other.focus();
  });
  return el("div", { class: "role" }, el("label", { for: id }, el("span", { class: `chip p-${colour}` }), role), select, level, other);
}

function chosen() {
  const players = {};
  for (const select of byId("roles").querySelectorAll("select[data-role]")) {
    const within = (selector) => select.parentElement.querySelector(selector).value.trim();
    const level = select.value === "auto" && within(".level") !== String(LEVELS.length);
    players[select.dataset.role] = level ? `auto(level=${within(".level")})` : select.value === "other" ? within("input") : select.value;
  }
  return players;
}

async function show() {
  const [game, { players }] = await Promise.all([get(`/api/games/${gamePath(name)}`), get("/api/games")]);
  document.title = game.title;
  byId("title").textContent = game.title;
  const board = new Board(byId("board"), game.game, () => {});
  board.show(game.position);
  byId("notes").textContent = game.position.notes.map(([relation, rows]) => `${relation} ${rows.join(", ")}`.trim()).join(" · ");
  shownInside(byId("rules"), byId("rules").querySelector("pre"), game.rules);
  const { roles, colours } = game.game;
  byId("roles").replaceChildren(...roles.map((role, number) => roleField(role, number, roles, players, colours[role])));
  byId("analyse").href = `/analyse?game=${encodeURIComponent(name)}`;
  // Each person sees something else, so there are always seats.
  byId("reserve").checked ||= game.game.hidden;
  byId("reserve").disabled = game.game.hidden;
  byId("setup").hidden = false;
}

byId("setup").addEventListener("submit", async (event) => {
  event.preventDefault();
  const fault = byId("setup").querySelector(".fault");
  const button = byId("setup").querySelector("button.strong");
  const number = (id) => (byId(id).value === "" ? null : Number(byId(id).value));
  fault.textContent = "";
  button.disabled = true;
  try {
    const { id, seats } = await post("/api/matches", {
      seats: byId("reserve").checked,
      game: name,
      players: chosen(),
      play_clock: number("play-clock"),
      start_clock: number("start-clock"),
      max_plies: number("max-plies"),
      game_clock: number("game-clock") && 60 * number("game-clock"),
      increment: number("increment"),
      late: byId("late").value,
      chat: byId("chat").checked,
    });
    keepSeats(id, seats);
    const [own] = Object.keys(seats); // the others are invited
    location.href = `/match/${encodeURIComponent(id)}${own ? `?as=${encodeURIComponent(own)}` : ""}`;
  } catch (error) {
    fault.textContent = error.message;
    button.disabled = false;
  }
});

show().catch((error) => {
  byId("trouble").textContent = error.message;
});
