// Evaluations of positions: requests to the server, and what it has found so far.

import { post } from "./api.js";

const keyOf = (node) => JSON.stringify(node.line());

const exact = (evaluation) => Boolean(evaluation.proven || evaluation.exact);

/** Return how much an evaluation is to be relied on, as in `ggp.server.web.kept_evaluations`. */
const worth = (evaluation) => (exact(evaluation) ? Infinity : evaluation.simulations ?? 0);

export class Evaluations {
  /** `changed` is called whenever there is something new. */
  constructor(base, changed) {
    this.base = base;
    this.changed = changed;
    this.found = new Map();
    this.mistakes = new Map();
    this.error = "";
    this.running = null; // {name, nodes, seconds, done}
    this.stream = null;
  }

  of(node) {
    return this.found.get(keyOf(node)) ?? null;
  }

  /** Return the mistake in the move that led to a position, or null; it has `missed` a win if that was certain. */
  mistake(node) {
    const mistake = this.mistakes.get(keyOf(node));
    if (!mistake) return null;
    const before = this.of(node.parent);
    return { ...mistake, missed: Boolean(before && exact(before) && before.expected[mistake.role] === 100) };
  }

  /** Take in what the server has kept; `played` are the joint moves of the match. */
  restore(rows, played) {
    for (const { played: common, moves, evaluation, mistake } of rows) {
      const key = JSON.stringify([...played.slice(0, common), ...moves]);
      if (evaluation) this.found.set(key, evaluation);
      if (mistake !== undefined) this.mistakes.set(key, mistake);
    }
  }

  /** Return true if a position was evaluated for so many seconds, or more would not help. */
  settled(node, seconds) {
    const known = this.of(node);
    return Boolean(known) && (exact(known) || known.seconds >= seconds);
  }

  /** Return the positions of a line without those at its end that are known already; the first of these is included. */
  missing(nodes, seconds) {
    const known = (node, i) => this.settled(node, seconds) && (i + 1 === nodes.length || this.mistakes.has(keyOf(nodes[i + 1])));
    return nodes.slice(0, nodes.findLastIndex((node, i) => !known(node, i)) + 2);
  }

  /** True while one position is evaluated, or several. */
  get one() {
    return this.running?.nodes.length === 1;
  }

  get several() {
    return this.running !== null && this.running.nodes.length > 1;
  }

  /** Evaluate positions on one line, each for some seconds. `nodes` begin anywhere and end with the last one of the line. */
  async begin(nodes, seconds) {
    const name = crypto.getRandomValues(new Uint32Array(2)).join("-");
    const running = { name, nodes, seconds, done: 0 };
    this.running = running;
    this.error = "";
    this.changed();
    try {
      await this.listen();
      if (this.running !== running) return;
      await post(`${this.base}/evaluate`, { moves: nodes.at(-1).line(), plies: nodes.map((node) => node.ply), seconds, name });
    } catch (error) {
      if (this.running !== running) return;
      this.running = null;
      this.error = error.message;
      this.changed();
    }
  }

  async stop() {
    if (!this.running) return;
    this.running = null;
    this.changed();
    try {
      await post(`${this.base}/stop`, {});
    } catch (error) {
      this.error = error.message;
      this.changed();
    }
  }

  /** Open the stream of news, and wait until it is open. */
  listen() {
    if (this.stream && this.stream.readyState !== EventSource.CLOSED) return this.ready;
    this.stream = new EventSource(`${this.base}/events`);
    this.ready = new Promise((resolve, reject) => {
      this.stream.onmessage = ({ data }) => {
        const news = JSON.parse(data);
        if (news.say === "ready") resolve();
        else this.take(news);
      };
      this.stream.onerror = () => {
        this.stream.close();
        const lost = new Error("The server does not answer.");
        reject(lost);
        if (this.running) this.take({ say: "evaluated", name: this.running.name, error: lost.message });
      };
    });
    return this.ready;
  }

  take(news) {
    const { running } = this;
    if (!running || news.name !== running.name) return; // of a request that was stopped
    if (news.say === "evaluation") {
      const at = running.nodes.findIndex((node) => node.ply === news.ply);
      const node = running.nodes[at];
      const before = this.of(node);
      const seconds = Math.max(before?.seconds ?? 0, this.several ? running.seconds : 0);
      this.found.set(keyOf(node), { ...(before && worth(before) > worth(news) ? before : news), seconds });
      running.done += 1;
      const following = running.nodes[at + 1];
      if (following && "mistake" in news) this.mistakes.set(keyOf(following), news.mistake);
    } else {
      const only = this.one && !news.stopped && !news.error ? this.of(running.nodes[0]) : null;
      if (only) only.seconds = Math.max(only.seconds, running.seconds);
      this.running = null;
      this.error = news.error;
    }
    this.changed();
  }
}
