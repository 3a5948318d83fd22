// What people who play together agree on: taking back a move, a draw, the end, another match; and giving up.

import { post } from "./api.js";
import { byId, el } from "./dom.js";
import { keepSeats } from "./seats.js";

const ASKS = {
  back: "asks to take back a move",
  draw: "offers a draw",
  end: "asks to end the match",
  rematch: "offers a rematch with other seats",
};

export class People {
  /**
   * @param {string} base the address of the match
   * @param {import("./seats.js").Seats} seats
   * @param {{mine: () => string[], asked: () => string[], failed: (error: any) => void, follow: () => void}} page
   */
  constructor(base, seats, page) {
    this.base = base;
    this.seats = seats;
    this.page = page;
    /** @type {import("./types").State} */
    this.state = null;
    this.rematching = false; // the others have yet to accept a rematch
    byId("undo").addEventListener("click", () => {
      page.follow();
      this.want("back");
    });
    byId("draw").addEventListener("click", () => this.want("draw"));
    byId("end").addEventListener("click", () => {
      if (this.state.taken.length || confirm("End this match for everyone?")) this.want("end");
    });
    byId("resign").addEventListener("click", () => {
      const role = this.resigning();
      if (role && confirm(`Resign as ${role}?`)) this.send("resign", { role, ...seats.proof(role) });
    });
    byId("rematch").addEventListener("click", () => this.want("rematch"));
  }

  /** Return the number of plies that stay if this page takes back its last choice, or null if it cannot. */
  kept() {
    const plies = this.page.mine().map((role) => this.state.undo[role]).filter((ply) => ply !== undefined);
    return plies.length ? Math.max(...plies) : null;
  }

  /** Return the role that can be given up here, or null. */
  resigning() {
    const [mine, asked] = [this.page.mine(), this.page.asked()];
    return mine.length === 1 ? mine[0] : asked.length === 1 ? asked[0] : null;
  }

  /**
   * Show what can be done in a state of the match.
   * @param {import("./types").State} state
   * @param {import("./types").Game} game
   */
  show(state, game) {
    this.state = state;
    const mine = this.page.mine();
    const running = state.result === "running" && !state.source;
    const people = Object.values(state.players).filter((player) => player === "human");
    byId("undo").hidden = !running || game.hidden || this.kept() === null;
    byId("draw").hidden = !running || !mine.length || people.length < 2 || people.length < game.roles.length;
    byId("resign").hidden = !running || !this.resigning();
    byId("end").hidden = !running || (people.length > 0 && !mine.length);
    byId("rematch").hidden = running || Boolean(state.source) || !people.length || !(mine.length || state.rematch);
    byId("rematch").textContent = state.rematch ? "Go to the rematch" : game.roles.length > 1 ? "Rematch, other seats" : "Again";
    if (state.rematch && this.rematching) this.rematch().catch(this.page.failed);
    this.answer(state.offer, mine);
  }

  /**
   * Let somebody answer what is offered, or tell that others have yet to answer.
   * @param {import("./types").Offer | null} offer
   * @param {string[]} mine
   */
  answer(offer, mine) {
    const box = byId("offer");
    const own = Boolean(offer?.by.some((role) => mine.includes(role)));
    box.hidden = !offer || !mine.length || (offer.declined && !own);
    if (box.hidden) return;
    const what = `${offer.by.join(" and ")} ${ASKS[offer.what]}`;
    const others = this.state.taken.join(" and ");
    const words = !own ? `${what}.` : offer.declined ? `${what}: not accepted.` : `${what}. Waiting for ${others} …`;
    const buttons = own ? [] : [
      el("button", { onclick: () => this.want(offer.what, offer.ply) }, "Accept"),
      el("button", { onclick: () => this.send("decline", this.seats.proof()) }, "Decline"),
    ];
    box.replaceChildren(el("span", {}, words), ...buttons);
  }

  /** Want something, which happens as soon as all who play want it. */
  want(what, ply = this.kept()) {
    if (what === "rematch") this.rematch().catch(this.page.failed);
    else this.send(what, { ...(what === "back" ? { ply } : {}), ...this.seats.proof(this.page.mine()[0]) });
  }

  send(what, body) {
    this.page.failed(null);
    post(`${this.base}/${what}`, body).catch(this.page.failed);
  }

  /** Go to the same match with everybody one seat further, once all want it. */
  async rematch() {
    this.rematching = false;
    const mine = this.page.mine();
    if (!mine.length && this.state.rematch) return void (location.href = `/match/${encodeURIComponent(this.state.rematch)}`);
    const role = new URLSearchParams(location.search).get("as") ?? "";
    const { id, seats, as } = await post(`${this.base}/rematch`, { role, ...this.seats.proof(mine[0]) });
    this.rematching = !id;
    if (!id) return;
    keepSeats(id, seats);
    const own = as || Object.keys(seats)[0];
    location.href = `/match/${encodeURIComponent(id)}${own ? `?as=${encodeURIComponent(own)}` : ""}`;
  }
}
