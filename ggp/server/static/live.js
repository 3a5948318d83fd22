// A match of a host in small: its board, its players and how it stands.

import { get } from "./api.js";
import { Board } from "./board.js";
import { counted, el, spoken } from "./dom.js";

export const pathOf = (match) => `/matches/${encodeURIComponent(match.matchId)}`;

/** Return the name of the player of a role, by its place. */
export const nameOf = (match, place) => match.playerNamesFromHost?.[place] || match.gameRoleNames[place];

export const goalsOf = (match) =>
  match.gameRoleNames.map((role, place) => (role === "random" ? null : match.goalValues?.[place] ?? "–")).filter((goal) => goal !== null).join(" : ");

/** The games by name; all matches of a host with the same name have the same rules. */
const games = new Map();

function gameOf(match) {
  if (!games.has(match.gameName)) {
    const asked = get(`/api${pathOf(match)}`).then(({ game }) => game);
    asked.catch(() => games.delete(match.gameName)); // asked again with the next news
    games.set(match.gameName, asked);
  }
  return games.get(match.gameName);
}

export class LiveBoard {
  constructor() {
    this.box = el("div", { class: "board-box" });
    this.link = el("a", { class: "board-link" });
    this.plies = el("span", { class: "hint" });
    this.sides = el("div", { class: "sides" });
    this.state = el("p", { class: "state" });
    // Only the heading is a link, which covers the card, so that its name is short and the board can be read.
    this.card = el("div", { class: "live" }, el("h3", {}, this.link, this.plies), this.box, this.sides, this.state);
    this.item = el("li", {}, this.card);
    this.board = null;
    this.game = null;
    this.drawn = -1;
    this.busy = false;
  }

  /** Show a match as the host summarises it; its board follows when the host has drawn it. */
  show(match, title) {
    this.match = match;
    this.title = title;
    this.link.href = pathOf(match);
    this.card.classList.toggle("running", match.result === "running");
    this.link.textContent = title || "Match";
    this.plies.textContent = counted(match.plies, "ply", "plies");
    const names = match.gameRoleNames.map((role, place) => (role === "random" ? null : nameOf(match, place))).filter(Boolean);
    this.link.setAttribute("aria-label", `${this.link.textContent}: ${names.join(" – ")}`);
    this.sides.replaceChildren(...match.gameRoleNames.map((role, place) => (role === "random" ? null : el("div", { class: "side-line" },
      el("span", { class: `chip p-${this.game?.colours[role] ?? ""}`, "aria-hidden": "true" }),
      el("span", { class: "role-name" }, nameOf(match, place)), el("span", { class: "hint" }, role),
      match.goalValues?.[place] == null ? null : el("span", { class: "goal" }, String(match.goalValues[place]))))).filter(Boolean));
    this.say();
    this.draw();
  }

  say() {
    const running = this.match.concealed ? "Under way; its moves are shown when it is over" : "Under way";
    const how = this.match.result === "running" ? running : this.match.result[0].toUpperCase() + this.match.result.slice(1);
    this.state.textContent = this.last && !this.match.concealed ? `${how}; last: ${this.last}` : how;
  }

  /** Draw the newest position, one at a time. */
  async draw() {
    const plies = this.match.concealed ? 0 : this.match.plies;
    if (this.busy || this.drawn === plies) return;
    this.busy = true;
    try {
      this.game ??= await gameOf(this.match);
      const position = await get(`/api${pathOf(this.match)}/plies/${plies}`);
      this.board ??= new Board(this.box, this.game, () => {});
      this.board.show(position);
      this.drawn = plies;
      const moves = spoken(position.moves, position.counts, this.match.gameRoleNames);
      const words = new Map(position.moves.map((move, place) => [move, position.said[place]])); // of this game alone
      this.last = moves.map(([role, move]) => `${role} ${words.get(move)}`).join(", ");
      this.describe(position);
      this.busy = false;
      this.show(this.match, this.title); // the news that came meanwhile
    } catch {
      this.busy = false; // the page says if the host does not answer; the last board stays
    }
  }

  /** Put the position into words, for those who do not see the board. */
  describe(position) {
    if (!this.board.svg) return;
    this.board.svg.setAttribute("role", "img");
    this.board.svg.setAttribute("aria-label", this.board.inWords(position, 64));
  }
}
