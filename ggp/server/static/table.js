// Who plays, with clocks and goals, and how the match stands in a sentence.

import { byId, el, fault } from "./dom.js";
import { outcome } from "./outcome.js";

/**
 * Show the players; `you` is the role that is played here, if it is one, `thinks(role)` tells which program has a choice.
 * @param {import("./types").State} state
 * @param {import("./types").Game} game
 * @param {string} you
 * @param {(role: string) => boolean} thinks
 */
export function drawPlayers(state, game, you, thinks) {
  byId("players").replaceChildren(...game.roles.map((one) => {
    const goal = state.goals[state.record_roles.indexOf(one)];
    const waits = state.waiting.includes(one);
    return el("div", { class: `player${waits ? " waits" : ""}` },
      el("span", { class: `chip p-${game.colours[one]}`, "aria-hidden": "true" }),
      el("span", { class: "role-name" }, one),
      el("span", { class: "who" }, one === you ? "you" : state.names[one] ?? state.players[one] ?? ""),
      (waits || thinks(one)) && state.until ? el("span", { class: "clock", "data-until": state.until }, "") : null,
      state.clocks[one] ? ownClock(state.clocks[one], state.result === "running") : null,
      goal !== undefined && goal !== null ? el("span", { class: "goal" }, String(goal)) : null);
  }));
  tick();
}

/**
 * Return the clock of a person for the whole match.
 * @param {import("./types").Clock} clock
 * @param {boolean} running
 */
function ownClock({ left, due }, running) {
  return el("span", { class: "clock", "data-until": running ? due : null, "data-left": String(left), title: "Left for the whole match" }, "");
}

function tick() {
  for (const clock of document.querySelectorAll(".clock")) {
    const { until, left: rest } = clock.dataset;
    const left = Math.max(0, until === undefined ? Number(rest) : Number(until) - Date.now() / 1000);
    const minutes = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
    clock.textContent = left >= 60 ? minutes : `${Math.ceil(left)} s`;
    clock.classList.toggle("short", left < 10);
  }
}
setInterval(tick, 250);

/**
 * Say how the match stands.
 * @param {{
 *   state: import("./types").State, game: import("./types").Game, position: import("./types").Position | null,
 *   shown: number, atEnd: boolean, asked: string[], you: string, sent: boolean, wanted: string | null
 * }} view
 */
export function drawStatus(view) {
  const { state, position, asked } = view;
  const status = byId("status");
  const compiling = state.doing ? ` (compiling the rules: ${state.doing})` : "";
  status.textContent = statusText(view, compiling);
  status.classList.toggle("mine", asked.length > 0);
  if (asked.length && state.doing) status.append(el("span", { class: "hint" }, ` The programs get ready${compiling}.`));
  const slow = byId("slow");
  slow.hidden = !state.slow;
  slow.textContent = state.slow && `Programs play by the rules themselves, which is slower: ${state.slow}`;
  const errors = (position?.errors ?? [])
    .map((error, place) => (error ? `${state.record_roles[place] ?? ""} ${fault(error)}` : ""))
    .filter(Boolean);
  if (errors.length) status.append(el("span", { class: "slip" }, ` (played at random: ${errors.join("; ")})`));
}

function statusText({ state, game, position, shown, atEnd, asked, you, sent, wanted }, compiling) {
  if (state.error) return state.error;
  if (position?.fault) return position.fault;
  if (state.view === "public") return "Being played; what happens is shown when it is over.";
  if (!atEnd) return `Looking back at ply ${shown}`;
  if (state.result !== "running") return outcome(state, game, wanted);
  if (asked.length) return `Your move: ${asked.join(", ")}`;
  if (state.source) return "Being played elsewhere";
  if (sent) return "You have moved …";
  const own = you ? `You play ${you}. ` : "";
  if (state.view !== "whole") return `${own}Waiting for the others …`;
  if (state.waiting.length) return `${own}${state.waiting.join(", ")} to move`;
  const programs = game.roles.map((one) => state.players[one]).filter((player) => player !== "human");
  const doing = state.plies ? "thinking" : "getting ready";
  return programs.length ? `${own}${[...new Set(programs)].join(" and ")} ${doing} …${compiling}` : "…";
}
