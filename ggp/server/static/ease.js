// What makes playing easy: sounds, turning the board, news for those who do not see the board.

import { byId, spoken } from "./dom.js";
import { said } from "./saying.js";

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

  /** Play tones one after the other, given in hertz. */
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
  /**
   * `key` names the board among those that are remembered as turned or not; `turned` is for one that is not among them.
   * @param {import("./board.js").Board} board
   * @param {string} key
   * @param {boolean} turned
   */
  constructor(board, key, turned) {
    this.sounds = new Sounds(byId("sound"));
    this.plies = null;
    byId("turn").hidden = !board.svg;
    const turn = () => {
      board.turn();
      byId("turn").setAttribute("aria-pressed", String(board.turned));
    };
    byId("turn").addEventListener("click", () => {
      turn();
      localStorage.setItem(key, String(board.turned));
    });
    if (board.svg && (localStorage.getItem(key) ?? String(turned)) === "true") turn();
  }

  /** Take in a new state of the match: tell the last move, and let it be heard. */
  news(state) {
    const before = this.plies;
    this.plies = state.plies;
    if (before === null || state.plies <= before) return;
    byId("told").textContent = spoken(state.last, state.counts, state.record_roles)
      .map(([role, move]) => `${role}: ${said(move)}`)
      .join(", ");
    if (state.result !== "running") this.sounds.play(523, 659, 784);
    else this.sounds.play(state.waiting.length ? 660 : 440);
  }
}
