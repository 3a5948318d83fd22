// The page of a match: played, watched, stepped through. What is shown follows from the match's state, the position of
// the ply that is looked at, and what is pointed at; never from the order in which these came.

import { Ahead } from "./ahead.js";
import { get, post } from "./api.js";
import { Belief } from "./belief.js";
import { Board } from "./board.js";
import { chart } from "./chart.js";
import { Chat } from "./chat.js";
import { byId, counted, enableControls } from "./dom.js";
import { said } from "./saying.js";
import { Ease } from "./ease.js";
import { drawFacts, drawNotes } from "./facts.js";
import { HIGHEST, climb, following } from "./ladder.js";
import { drawHistory } from "./history.js";
import "./how.js";
import { Reason } from "./outcome.js";
import { People } from "./people.js";
import { savesPicture } from "./picture.js";
import { learn, learnWords } from "./saying.js";
import { Seats } from "./seats.js";
import { listen } from "./stream.js";
import { drawPlayers, drawStatus } from "./table.js";
import { latestThoughts, thoughtItem } from "./thoughts.js";
import { Turn } from "./turn.js";
import { ValueParts } from "./value.js";
import { explaining } from "./why.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Position} Position */

class MatchPage {
  /**
   * @param {string} id
   * @param {Seats} seats
   * @param {{game: import("./types").Game, state: State}} found
   */
  constructor(id, seats, found) {
    this.base = `/api/matches/${encodeURIComponent(id)}`;
    this.query = new URLSearchParams(location.search);
    this.seats = seats;
    /** @type {{moves: string[][], counts: number[][], words?: Record<string, string>}} the joint moves so far */
    this.made = { moves: [], counts: [] };
    this.thoughts = [];
    /** @type {Position | null} of the ply that is shown, as soon as it is there */
    this.position = null;
    /** @type {import("./types").Pieces | null} what stands on the board */
    this.put = null;
    /** @type {{role: string, ply: number, move: string, cells: string[]} | null} the own move that is on its way */
    this.sent = null;
    this.request = 0;
    this.thoughtful = false; // true once somebody has opened or closed what programs think
    this.game = found.game;
    this.state = found.state;
    const ply = this.query.get("ply");
    this.follows = ply === null; // true while new plies are shown as they come
    this.shown = ply === null ? this.state.plies : Math.min(Number(ply) || 0, this.state.plies);
    const { base, game } = this;
    const failed = (error) => this.trouble(error);
    this.explain = explaining((atom) => post(`${base}/explain`, { ply: this.shown, atom }));
    this.board = new Board(byId("board"), game, (key) => this.turn.clicked(key));
    this.turn = new Turn(this.board, (...chosen) => this.play(...chosen), this.explain, () => this.draw());
    this.ahead = new Ahead(game, `${base}/after`, () => this.place());
    const role = this.mine().length === 1 ? this.mine()[0] : ""; // one's own side is below
    this.ease = new Ease(this.board, `turned:${this.state.game}:${role}`, game.above.includes(role) && !game.stacked);
    this.belief = new Belief(base, () => { this.place(); this.draw(); });
    this.value = game.values ? new ValueParts(this.board) : null;
    this.reason = new Reason(this.board, `${base}/reason`, byId("reason"));
    const follow = () => { this.follows = true; };
    this.people = new People(base, this.seats, { mine: () => this.mine(), asked: () => this.asked(), failed, follow });
    this.chat = new Chat(base, this.seats, failed);
    this.controls(id);
  }

  controls(id) {
    byId("record").href = `${this.base}/record`;
    byId("film").href = `${this.base}/film.svg`;
    byId("analyse").href = `/analyse/${encodeURIComponent(id)}`;
    byId("again").href = `/new/${this.state.game.split("/").map(encodeURIComponent).join("/")}`;
    byId("first").addEventListener("click", () => this.go(0));
    byId("prev").addEventListener("click", () => this.go(this.shown - 1));
    byId("next").addEventListener("click", () => this.go(this.shown + 1));
    byId("last").addEventListener("click", () => this.go(this.state.plies));
    savesPicture(byId("picture"), this.board, () => `${id}-${this.shown}`);
    byId("facts-card").addEventListener("toggle", () => drawFacts(this.position));
    byId("thoughts-card").querySelector("summary").addEventListener("click", () => { this.thoughtful = true; });
    byId("history-card").addEventListener("toggle", () => this.drawHistory());
    document.addEventListener("keydown", (event) => this.pressed(event));
  }

  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea, pre")) return;
    const ways = { Home: 0, End: this.state.plies, ArrowLeft: this.shown - 1, ArrowRight: this.shown + 1 };
    if (event.key in ways) {
      event.preventDefault();
      this.go(ways[event.key]);
    } else if (event.key === "Escape" && this.turn.clear()) this.draw();
  }

  trouble(error) {
    byId("trouble").textContent = error?.message ?? "";
  }

  // ------------------------------------------------------------------------------------------ news

  async begin() {
    await Promise.all([this.loadMoves(), this.loadThoughts()]);
    enableControls();
    await this.take(this.state);
    const query = this.seats.query(this.wanted());
    listen(`${this.base}/events${query}${this.wanted() ? `&as=${encodeURIComponent(this.wanted())}` : ""}`, {
      news: (state) => this.take(state).catch((error) => this.trouble(error)),
      lost: () => { byId("status").textContent = "The server does not answer; reconnecting …"; },
      back: () => this.again().catch((error) => this.trouble(error)),
      over: () => Boolean(this.state.source) && this.state.result !== "running", // a host sends nothing after the end
    });
  }

  /** Load everything anew, as a server that was gone may have lost or done something. */
  async again() {
    const before = this.state;
    const { state } = await get(this.base + this.seats.query(this.wanted()));
    await Promise.all([this.loadMoves(), this.loadThoughts()]);
    await this.take(this.state === before ? state : this.state); // what the stream sent in the meantime is newer
  }

  async loadMoves() {
    if (!this.whole()) return;
    this.made = await get(`${this.base}/moves`);
    learnWords(this.made.words);
  }

  async loadThoughts() {
    this.thoughts = this.whole() ? (await get(`${this.base}/thoughts`)).thoughts : [];
  }

  /**
   * Take in a new state of the match.
   * @param {State} news
   */
  async take(news) {
    const before = this.state;
    const { made } = this;
    this.state = news;
    if (this.sent && ![this.sent.ply - 1, this.sent.ply].includes(news.plies)) this.sent = null;
    if (this.whole()) {
      if (news.plies === made.moves.length + 1 && news.last.length) {
        made.moves.push(news.last);
        made.counts.push(news.counts);
      } else if (news.plies !== made.moves.length) await this.loadMoves();
      if (news.thoughts !== before.thoughts || news.plies < before.plies) await this.loadThoughts();
    }
    if (this.state !== news) return; // a newer one came in the meantime
    if (this.follows || this.shown > this.reach()) this.shown = this.reach();
    const changed = this.position?.ply !== this.shown || before.plies !== news.plies || before.view !== news.view || before.role !== news.role;
    if (changed) await this.look();
    else this.draw();
  }

  /** Show the ply that is looked at. */
  async look() {
    const mine = ++this.request;
    const found = await get(`${this.base}/plies/${this.shown}${this.seats.query(this.wanted())}`);
    if (mine !== this.request) return; // another ply was requested in the meantime
    this.position = found;
    learn(found);
    if (this.sent && found.ply >= this.sent.ply) this.sent = null; // it has arrived
    this.draw();
    if (this.state.view === "own") this.belief.ask(this.shown, this.seats.query(this.wanted()));
  }

  go(ply) {
    this.shown = Math.max(0, Math.min(this.reach(), ply));
    this.follows = this.atEnd() && this.state.result === "running";
    const address = new URL(location.href);
    if (this.follows) address.searchParams.delete("ply");
    else address.searchParams.set("ply", String(this.shown));
    history.replaceState(null, "", address);
    this.look().catch((error) => this.trouble(error));
  }

  // ------------------------------------------------------------------------------------------ what may be seen and done

  /** Return the role that the address names. */
  wanted() {
    return this.query.get("as");
  }

  /** Return true if everything may be seen: not while a person plays who does not see everything. */
  whole() {
    return this.state.view === "whole";
  }

  /** Return the last ply that may be seen. */
  reach() {
    return this.state.view === "public" ? 0 : this.state.plies;
  }

  atEnd() {
    return this.shown === this.reach();
  }

  /** Return the roles of people that are played on this page. */
  mine() {
    const { state } = this;
    const wanted = state.role || this.wanted();
    const people = Object.keys(state.players).filter((role) => state.players[role] === "human");
    return people.filter((role) => (!wanted || wanted === role) && this.seats.may(role, state) && !state.taken.includes(role));
  }

  /** Return the roles that have to move now, and that this page may move. */
  asked() {
    const { state, sent } = this;
    if (state.result !== "running" || !this.atEnd() || this.position?.ply !== state.plies) return [];
    const made = sent?.ply === state.plies + 1 ? sent.role : null;
    return this.mine().filter((role) => state.waiting.includes(role) && role !== made);
  }

  /** Return true if a program has a choice now, as far as it may be seen. */
  thinks(role) {
    const { state, position } = this;
    const now = this.whole() && state.result === "running" && position?.ply === state.plies;
    return now && state.players[role] !== "human" && (position.choices[role]?.length ?? 0) > 1;
  }

  async play(role, move, cells) {
    this.trouble(null);
    const mine = { role, ply: this.state.plies + 1, move, cells };
    this.sent = mine;
    this.draw();
    try {
      await post(`${this.base}/move`, { role, ply: mine.ply, move, ...this.seats.proof(role) });
    } catch (error) {
      if (this.sent === mine) this.sent = null;
      this.trouble(error);
      this.draw();
    }
  }

  // ------------------------------------------------------------------------------------------ drawing

  /** Put on the board what is to be shown: the position, with what is likely or after the move that is pointed at. */
  place() {
    const { position, board, ahead } = this;
    if (!position) return;
    const after = ahead.on(position);
    const put = after ?? (this.state.view === "own" ? this.belief.on(position) : position);
    if (put !== this.put) {
      this.put = put;
      board.show(put);
      byId("words").textContent = this.game.width ? board.inWords(put) : "";
    }
    board.svg?.classList.toggle("ahead", after !== null);
    board.send(this.sent && position.ply === this.sent.ply - 1 && !after ? this.sent.cells : []);
    byId("ahead").textContent = this.turn.slip || ahead.words(position);
    byId("ahead").hidden = !byId("ahead").textContent;
    this.turn.hint();
  }

  draw() {
    const { state, game, position, shown } = this;
    const explains = game.explains !== false; // a host has no analyses
    const over = state.result !== "running";
    const asked = this.asked();
    document.title = `${state.title}: ply ${shown}`;
    byId("title").textContent = state.title;
    byId("where").textContent = state.view === "public" ? counted(state.plies, "ply", "plies") : `${shown} / ${state.plies}`;
    byId("first").disabled = byId("prev").disabled = shown === 0;
    byId("next").disabled = byId("last").disabled = this.atEnd();
    byId("analyse").hidden = !over || !explains;
    byId("record").hidden = byId("facts-card").hidden = !this.whole();
    byId("film").hidden = !over || !explains || !game.width;
    byId("why-card").hidden = !explains || !this.whole();
    byId("again").hidden = !over || Boolean(state.source);
    if (over) this.climbed();
    byId("history-card").hidden = state.view === "public";
    this.ease.news(state);
    this.seats.show(state);
    this.people.show(state, game);
    this.chat.show(state, this.mine().length > 0);
    const you = this.mine().length === 1 ? this.mine()[0] : "";
    drawPlayers(state, game, you, (role) => this.thinks(role));
    const [atEnd, sent, wanted] = [this.atEnd(), this.sent !== null, this.wanted()];
    drawStatus({ state, game, position, shown, atEnd, asked, you, sent, wanted });
    if (!position) return;
    this.ahead.over(position, asked.includes(this.turn.role) ? this.turn.role : asked[0] ?? null);
    this.turn.show(position, asked, this.whole() && explains, !over && this.atEnd() && this.mine().length > 0);
    this.place();
    if (explains) this.reason.show(state, this.atEnd());
    this.belief.draw(state, game);
    this.drawValue();
    drawNotes(this.notes(), this.game.colours);
    this.drawThoughts();
    this.drawHistory();
    drawFacts(position);
  }

  /** Return what is said below the board: facts that are on no board, and what a role knows. */
  notes() {
    const { position, state } = this;
    const saw = position.told?.at(-1)?.saw ?? [];
    const stale = position.told?.length && Object.keys(position.names).length;
    const likely = state.view === "own" && this.belief.on(position).likely;
    const board = likely ? `what is likely for ${state.role}` : `as ${state.role} has last seen it`;
    const turn = ([name, rows]) => name.toLowerCase() === "control" && rows.every((row) => this.game.roles.includes(row)); // it is said already
    return [...position.notes.filter((note) => !turn(note)), ...(saw.length ? [["You saw", saw.map(said)]] : []), ...(stale ? [["The board", [board]]] : [])];
  }

  /** Say which level of the ladder was beaten, and offer the next one. */
  climbed() {
    const level = climb(this.state, this.mine());
    byId("ladder").hidden = !level;
    byId("ladder").textContent = level ? `You have beaten level ${level}${level === HIGHEST ? ", the highest" : ""}.` : "";
    byId("again").textContent = level && level < HIGHEST ? `Play level ${following(this.state.game)}` : "New match";
  }

  drawHistory() {
    if (this.position) drawHistory(this, (ply) => this.go(ply));
  }

  /** Show what the value is made of, unless it would help somebody who plays. */
  drawValue() {
    const { ply } = this.position;
    const hidden = this.state.contested || !this.whole();
    this.value?.over(hidden ? null : String(ply), () => get(`${this.base}/values/${ply}`));
  }

  drawThoughts() {
    const { thoughts, game, shown } = this;
    byId("thoughts-card").hidden = !thoughts.length;
    // It would help who plays: only who asks for it sees it.
    if (!this.thoughtful) byId("thoughts-card").open = !(this.mine().length && this.state.result === "running");
    if (!thoughts.length) return;
    const curve = chart(thoughts, game.colours, this.state.plies, shown, (ply) => this.go(ply));
    byId("chart").replaceChildren(...(curve ? [curve] : []));
    byId("thoughts").replaceChildren(...latestThoughts(thoughts, shown).map((thought) => thoughtItem(thought, game.colours)));
  }
}

async function open() {
  const id = decodeURIComponent(location.pathname.split("/")[2]);
  const wanted = new URLSearchParams(location.search).get("as");
  const seats = new Seats(id);
  const found = await get(`/api/matches/${encodeURIComponent(id)}${seats.query(wanted)}`);
  await new MatchPage(id, seats, found).begin();
}

open().catch((error) => {
  byId("status").textContent = error.message;
  if (error.status === 0 || error.status === 503) setTimeout(() => location.reload(), 3000);
});
