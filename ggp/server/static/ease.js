// What makes playing easy: sounds, turning the board, another match, news for those who do not see the board.

import { post } from "./api.js";
import { byId, said } from "./dom.js";
import { keepSeats } from "./seats.js";

const VOLUME = 0.08;

/** Short tones, off until somebody wants them. */
class Sounds {
  constructor(button) {
    this.button = button;
    this.context = null;
    this.on = false;
    button.addEventListener("click", () => this.turn(!this.on));
    this.turn(localStorage.getItem("sound") === "on");
  }

  turn(on) {
    this.on = on;
    localStorage.setItem("sound", on ? "on" : "off");
    this.button.setAttribute("aria-pressed", String(on));
    this.button.textContent = on ? "Sound on" : "Sound off";
  }

  /** Play tones of so many hertz, one after the other. */
  play(...tones) {
    if (!this.on) return;
    this.context ??= new AudioContext();
    tones.forEach((hertz, place) => {
      const at = this.context.currentTime + place * 0.14;
      const tone = this.context.createOscillator();
      const volume = this.context.createGain();
      tone.frequency.value = hertz;
      volume.gain.setValueAtTime(VOLUME, at);
      volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.13);
      tone.connect(volume).connect(this.context.destination);
      tone.start(at);
      tone.stop(at + 0.14);
    });
  }
}

export class Ease {
  constructor(board) {
    this.sounds = new Sounds(byId("sound"));
    this.plies = null;
    byId("turn").hidden = !board.svg;
    byId("turn").addEventListener("click", () => {
      board.turn();
      byId("turn").setAttribute("aria-pressed", String(board.turned));
    });
    byId("rematch").addEventListener("click", () => this.rematch().catch((error) => { byId("trouble").textContent = error.message; }));
  }

  /** Take in a new state of the match: tell the last move, and let it be heard. */
  news(state, game) {
    this.state = state;
    this.game = game;
    const people = Object.values(state.players).includes("human") && !state.source;
    byId("rematch").hidden = state.result === "running" || !people;
    byId("rematch").textContent = game.roles.length > 1 ? "Rematch, other seats" : "Again";
    const before = this.plies;
    this.plies = state.plies;
    if (before === null || state.plies <= before) return;
    byId("told").textContent = state.last
      .map((move, place) => [state.record_roles[place], move])
      .filter(([, move], _, all) => move.startsWith("(") || all.every(([, other]) => !other.startsWith("(")))
      .map(([role, move]) => `${role}: ${said(move)}`)
      .join(", ");
    if (state.result !== "running") this.sounds.play(523, 659, 784);
    else this.sounds.play(state.waiting.length ? 660 : 440);
  }

  /** Begin the same match again, everybody one seat further. */
  async rematch() {
    const { state, game } = this;
    const players = Object.fromEntries(game.roles.map((role, place) => [role, state.players[game.roles[(place + 1) % game.roles.length]]]));
    const { start_clock, play_clock, max_plies } = state.settings;
    const reserve = state.reserved.length > 0;
    const { id, seats } = await post("/api/matches", { game: state.game, players, start_clock, play_clock, max_plies, seats: reserve });
    keepSeats(id, seats);
    location.href = `/match/${encodeURIComponent(id)}`;
  }
}
