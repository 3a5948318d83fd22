// A match on a page without a server. It answers what a server would be asked, with the same messages
// (ggp/server/messages.py), plays the moves of chance, and asks the worker for those of programs.

import { ApiError } from "./api.js";
import { Choosing } from "./choosing.js";
import { Drawing } from "./drawing.js";
import { tell } from "./stream.js";

const MOST_MOVES = 2000;
const MOST_PLIES = 500;
const AHEAD = 64; // joint moves that are looked at for the board after a move
const PACE = 600; // milliseconds for which a position is shown in which nobody has a choice
const SECONDS = 2; // for a move of the highest level
export const HUMAN = "human";
export const RANDOM = "random";

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Return every choice of one item of each list. */
const product = (lists) => lists.reduce((all, own) => all.flatMap((some) => own.map((one) => [...some, one])), [[]]);

const wait = (time) => new Promise((done) => { setTimeout(done, time); });

export class LocalMatch {
  /**
   * @param {any} pack what `ggp export` has put into the page
   * @param {import("./engine.js").Rules} rules
   * @param {(question: any) => Promise<{move: number, thought: any}>} ask asks the worker
   */
  constructor(pack, rules, ask) {
    this.pack = pack;
    this.rules = rules;
    this.ask = ask;
    this.drawing = new Drawing(pack.drawing);
    this.choosing = new Choosing(this.drawing);
    const { facts, moves } = rules.about;
    const ranked = (texts) => {
      const order = texts.map((_, at) => at).sort((a, b) => byText(texts[a], texts[b]));
      return order.reduce((ranks, at, rank) => { ranks[at] = rank; return ranks; }, []);
    };
    this.ranks = { facts: ranked(facts), moves: ranked(moves.map(([, text]) => text)) };
    this.nature = rules.roles.indexOf("random");
    this.hidden = pack.game.hidden;
    /** @type {Map<string, number>} */
    this.percepts = new Map(rules.about.percepts.map(([role, text], number) => [`${role} ${text}`, number]));
    this.version = 0;
    this.number = 0;
    this.begin(pack.players);
  }

  // ------------------------------------------------------------------------------------------ the match

  /** Begin a match between these players, by role. */
  begin(players) {
    this.players = players;
    this.number++;
    this.seed = crypto.getRandomValues(new Uint32Array(1))[0];
    this.started = Date.now();
    /** @type {{state: Uint32Array, joint: number[], counts: number[], seen: string[][], time: number}[]} */
    this.plies = [];
    this.thoughts = [];
    this.ended = null;
    this.seat = "";
    this.go();
  }

  /** Go on from where the match is; whatever was under way before is called off. */
  go() {
    const mine = ++this.version;
    /** @type {(number | null)[]} the moves of the roles that have chosen */
    this.chosen = this.rules.roles.map(() => null);
    this.here = this.looked(this.state());
    this.finish();
    this.news();
    if (!this.ended) this.play(mine).catch((error) => this.fail(error));
  }

  fail(error) {
    this.error = error instanceof Error ? error.message : String(error);
    this.news();
  }

  state(ply = this.plies.length) {
    return ply ? this.plies[ply - 1].state : this.rules.initial();
  }

  /** Look at a state; moves are in the order of their texts. */
  looked(state) {
    const [found] = this.rules.look([state]);
    for (const own of found.legal) own.sort((a, b) => this.ranks.moves[a] - this.ranks.moves[b]);
    return found;
  }

  facts(state) {
    return this.rules.facts(state).sort((a, b) => this.ranks.facts[a] - this.ranks.facts[b]);
  }

  /** End the match if it is over. */
  finish() {
    const { terminal, legal, goals } = this.here;
    const result = terminal ? "finished" : legal.some((own) => !own.length) ? "stuck" : this.plies.length >= MOST_PLIES ? "unfinished" : null;
    if (result) this.ended = { result, goals: terminal ? goals.map((goal) => (goal < 0 ? null : goal)) : [], resigned: [] };
  }

  /** Ask everybody who does not play here for a move. */
  async play(mine) {
    const { roles } = this.rules;
    const { legal } = this.here;
    for (let role = 0; role < roles.length; role++) {
      if (this.version !== mine) return;
      const player = this.players[roles[role]] ?? RANDOM;
      if (legal[role].length === 1) [this.chosen[role]] = legal[role];
      else if (player === RANDOM) this.chosen[role] = legal[role][this.rules.below(legal[role].length)];
      else if (player !== HUMAN) {
        const level = this.pack.levels[player];
        const position = this.hidden ? { told: this.told(role), legal: legal[role] } : { state: this.state() };
        const { move, thought } = await this.ask({ match: this.number, seed: this.seed, role, ...position, ...level, seconds: SECONDS });
        if (this.version !== mine) return;
        this.chosen[role] = move;
        if (thought) this.thoughts.push({ ply: this.plies.length, role: roles[role], ...thought });
      }
    }
    await this.settle(mine);
  }

  /** Make the joint move if everybody has chosen. */
  async settle(mine) {
    if (this.version !== mine || this.chosen.some((move) => move === null)) return;
    const { legal } = this.here;
    const joint = /** @type {number[]} */ ([...this.chosen]);
    const counts = legal.map((own) => own.length);
    const forced = counts.every((count, role) => count === 1 || role === this.nature);
    const telling = joint.some((move) => this.text(move).startsWith("("));
    this.append(joint, counts);
    const now = ++this.version; // nobody can answer for the ply before
    this.news();
    if (forced && telling) await wait(PACE);
    if (this.version === now) this.go();
  }

  append(joint, counts) {
    const [state] = this.rules.next([this.state()], [joint]);
    const [seen] = this.rules.percepts([this.state()], [joint]);
    this.plies.push({ state, joint, counts, seen, time: Date.now() });
    this.here = this.looked(state);
  }

  text(move) {
    return this.rules.about.moves[move][1];
  }

  said(move) {
    return this.pack.drawing.words.moves[move].said;
  }

  // ------------------------------------------------------------------------------------------ messages

  news() {
    tell(this.standing());
  }

  /** Return the roles of people that are to move. */
  waiting() {
    if (this.ended) return [];
    return this.rules.roles.filter((one, role) => this.players[one] === HUMAN && this.here.legal[role].length > 1 && this.chosen[role] === null);
  }

  /** Return the roles that people play. */
  people() {
    return this.pack.game.roles.filter((role) => this.players[role] === HUMAN);
  }

  /**
   * Return the role to which the screen has to be handed over, or an empty text: to one that is to move, if others must
   * not see what it sees or does.
   */
  next() {
    const [people, [first]] = [this.people(), this.waiting()];
    const choosing = people.filter((role) => this.here.legal[this.rules.roles.indexOf(role)].length > 1);
    const secret = this.hidden ? people.length > 1 : choosing.length > 1 && (this.seat || choosing.length > this.waiting().length);
    return first && secret && !this.waiting().includes(this.seat) ? first : "";
  }

  /** Let a role sit down at the screen. */
  sit(role) {
    this.seat = role;
    this.news();
  }

  /** Return how the position may be seen, and the role whose view it is. */
  view() {
    const people = this.people();
    if (this.ended) return { view: "whole", role: "" };
    if (this.hidden && people.length) return { view: "own", role: people.length === 1 ? people[0] : this.seat || people[0] };
    return { view: "whole", role: this.waiting().length > 1 ? this.seat || this.waiting()[0] : this.waiting().includes(this.seat) ? this.seat : "" };
  }

  /** Return what a role did and saw in each ply. */
  told(role) {
    return this.plies.map(({ joint, seen }) => ({ own: joint[role], saw: seen[role] }));
  }

  /** @returns {import("../types").State} */
  standing() {
    const { roles } = this.rules;
    const last = this.plies.at(-1);
    return {
      id: "", version: this.version, game: this.pack.name, title: this.pack.title, players: this.players, settings: { max_plies: MOST_PLIES },
      source: "", reserved: [], taken: [], offer: null, rematch: "", names: {}, chat: null, clocks: {}, late: [], error: this.error ?? "", running: true, doing: "", slow: "",
      thoughts: this.thoughts.length, contested: true, until: null, ...this.view(),
      plies: this.plies.length, result: this.ended?.result ?? "running", goals: this.ended?.goals ?? [], resigned: this.ended?.resigned ?? [],
      rules_error: this.ended?.result === "stuck" ? "a role has no legal move" : "",
      last: last ? last.joint.map((move) => this.text(move)) : [], counts: last?.counts ?? [], undo: this.undoable(), record_roles: roles,
      waiting: this.waiting(),
    };
  }

  /** Return for each role the number of plies that stay if it takes back its last choice. */
  undoable() {
    /** @type {Record<string, number>} */
    let found = {};
    for (let ply = this.plies.length - 1; ply >= 0; ply--) {
      const choosing = this.rules.roles.filter((_, role) => this.plies[ply].counts[role] > 1);
      if (choosing.includes("random")) break; // nothing is taken back from before a random move, which was seen
      found = { ...Object.fromEntries(choosing.map((role) => [role, ply])), ...found };
    }
    return found;
  }

  /** @returns {import("../types").Position} what a role has seen after a ply */
  ownPosition(ply, one) {
    const role = this.rules.roles.indexOf(one);
    const told = this.told(role).slice(0, ply);
    const seen = told.map(({ saw }) => saw.map((text) => this.percepts.get(`${role} ${text}`)));
    const state = this.state(ply);
    const view = this.drawing.lay(this.drawing.seenFacts(this.facts(this.rules.initial()), seen, this.facts(state)));
    const { terminal, legal } = this.looked(state);
    const own = legal[role].slice(0, MOST_MOVES);
    const found = terminal ? [] : this.choosing.clicks(view, own, one, null);
    return {
      ply, moves: [], said: [], errors: [], counts: [], goals: {}, steps: [], notes: [], facts: [], ...this.drawing.picture(view), names: this.drawing.names(view),
      told: told.map(({ own: move, saw }) => ({ move: this.said(move), saw })), terminal,
      choices: terminal ? {} : { [one]: this.choosing.choices(found, (move) => this.text(move)) }, words: this.choosing.words(found),
      more: !terminal && legal[role].length > MOST_MOVES ? { [one]: legal[role].length - MOST_MOVES } : {},
    };
  }

  /** @returns {import("../types").Position} */
  shown(ply) {
    const { view, role } = this.view();
    return view === "own" ? this.ownPosition(ply, role) : this.position(ply);
  }

  /** @returns {import("../types").Position} */
  position(ply) {
    const state = this.state(ply);
    const facts = this.facts(state);
    const played = ply ? this.plies[ply - 1] : null;
    const before = played ? this.drawing.lay(this.facts(this.state(ply - 1))) : null;
    const moves = played?.joint ?? [];
    const view = this.drawing.lay(facts, moves, before);
    const ways = this.drawing.ways(moves, before, view);
    return {
      ply, moves: moves.map((move) => this.text(move)), said: moves.map((move) => this.said(move)), errors: [], counts: played?.counts ?? [], told: [], goals: {},
      ...this.drawing.picture(view, ways), names: this.drawing.names(view),
      steps: ways.map((way) => way.map((place) => this.drawing.key(place))),
      notes: this.drawing.notes(view, moves), facts: facts.map((fact) => this.rules.about.facts[fact]),
      ...this.choices(state, view),
    };
  }

  choices(state, view) {
    const { terminal, legal } = this.looked(state);
    /** @type {import("../types").Choices} */
    const found = { terminal, choices: {}, words: {}, more: {} };
    if (terminal || legal.some((own) => !own.length)) return found;
    const all = this.rules.roles.flatMap((one, role) => {
      if (role === this.nature) return [];
      const own = legal[role].slice(0, MOST_MOVES);
      const after = (moves) => this.after(state, moves.map((move) => legal.map((others, other) => (other === role ? move : others[0]))));
      const clicks = this.choosing.clicks(view, own, one, after);
      found.choices[one] = this.choosing.choices(clicks, (move) => this.text(move));
      if (legal[role].length > MOST_MOVES) found.more[one] = legal[role].length - MOST_MOVES;
      return clicks;
    });
    found.words = this.choosing.words(all);
    return found;
  }

  /** Return the facts after each of some joint moves. */
  after(state, joints) {
    const found = [];
    for (let at = 0; at < joints.length; at += 128) {
      const part = joints.slice(at, at + 128);
      found.push(...this.rules.next(part.map(() => state), part).map((next) => this.facts(next)));
    }
    return found;
  }

  /** Return the board after a move that is considered: what is certain, whatever the others do. */
  considered({ ply, role, move }) {
    if (this.hidden) throw new ApiError("In a game with hidden information, nobody sees what a move will lead to.");
    const state = this.state(ply);
    const { legal } = this.looked(state);
    const number = this.rules.roles.indexOf(role);
    const joints = product(legal.map((own, other) => (other === number ? own.filter((one) => this.text(one) === move) : own)));
    if (!joints.length || joints.length > AHEAD) throw new ApiError("There are too many answers to this move.");
    const all = this.after(state, joints);
    const facts = all[0].filter((fact) => all.every((one) => one.includes(fact)));
    const view = this.drawing.lay(facts);
    return { ply, certain: all.every((one) => one.length === facts.length), ...this.drawing.picture(view), names: this.drawing.names(view) };
  }

  // ------------------------------------------------------------------------------------------ requests

  /** Return the joint moves so far, and these moves in words. */
  made() {
    const moves = this.plies.map(({ joint }) => joint);
    return {
      moves: moves.map((joint) => joint.map((move) => this.text(move))), counts: this.plies.map(({ counts }) => counts),
      words: Object.fromEntries(moves.flat().map((move) => [this.text(move), this.said(move)])),
    };
  }

  get(question) {
    const [what, ply] = question.split("/");
    switch (what) {
      case "": return { game: this.pack.game, state: this.standing() };
      case "plies": return this.shown(Math.min(Number(ply), this.plies.length));
      case "moves": return this.made();
      case "thoughts": return { thoughts: this.thoughts };
      case "how": case "how.json": return this.pack.how;
      default: throw new ApiError("This page cannot answer that.", 404);
    }
  }

  post(question, body) {
    switch (question) {
      case "move": return this.move(body);
      case "after": return this.considered(body);
      case "back": return this.back(body.ply);
      case "draw": return this.giveUp(this.pack.game.roles);
      case "resign": return this.giveUp([body.role]);
      case "end": return this.end({ result: "aborted", goals: [], resigned: [] });
      case "rematch": return this.rematch();
      default: throw new ApiError("This page cannot do that.", 404);
    }
  }

  move({ role, ply, move }) {
    const number = this.rules.roles.indexOf(role);
    const chosen = this.here.legal[number]?.find((one) => this.text(one) === move);
    if (ply !== this.plies.length + 1 || !this.waiting().includes(role) || chosen === undefined) throw new ApiError("This move is not due.");
    this.chosen[number] = chosen;
    this.seat = role;
    this.news();
    this.settle(this.version).catch((error) => this.fail(error));
    return {};
  }

  back(ply) {
    this.plies.length = ply;
    this.thoughts = this.thoughts.filter((thought) => thought.ply < ply);
    this.ended = null;
    this.go();
    return {};
  }

  giveUp(resigned) {
    const all = resigned.length === this.pack.game.roles.length && resigned.length > 1;
    const [best, worst] = all ? [50, 50] : [100, 0];
    const goals = this.rules.roles.map((one, role) => (role === this.nature ? null : resigned.includes(one) ? worst : best));
    return this.end({ result: "resigned", goals, resigned });
  }

  end(ended) {
    this.version++;
    this.ended = ended;
    this.news();
    return {};
  }

  /** Begin again, with everybody one seat further. */
  rematch() {
    const { roles } = this.pack.game;
    this.begin(Object.fromEntries(roles.map((role, at) => [role, this.players[roles[(at + 1) % roles.length]]])));
    return {};
  }

  // ------------------------------------------------------------------------------------------ records

  /** Return the match as a record (docs/reference/records.md). */
  record() {
    const { roles } = this.rules;
    const states = [this.rules.initial(), ...this.plies.map(({ state }) => state)];
    const texts = states.map((state) => `(${this.facts(state).map((fact) => this.rules.about.facts[fact]).join(" ")})`);
    const result = this.ended?.result ?? "running";
    const completed = ["finished", "resigned"].includes(result);
    return {
      matchId: `offline.${this.started}`, randomToken: "0".repeat(32), startTime: this.started, startClock: 0, playClock: 0,
      isCompleted: completed, isAborted: ["aborted", "stuck"].includes(result), result, states: texts,
      moves: this.plies.map(({ joint }) => joint.map((move) => this.text(move))),
      stateTimes: [this.started, ...this.plies.map(({ time }) => time)],
      errors: [...texts.map(() => roles.map(() => ""))],
      timesUsed: this.plies.map(() => roles.map(() => 0)), legalMoveCounts: this.plies.map(({ counts }) => counts),
      gameName: this.pack.name, gameRoleNames: roles, gameRulesheet: this.pack.how.rules,
      playerNamesFromHost: roles.map((role) => this.players[role] ?? RANDOM), seed: 0, maxPlies: MOST_PLIES, policy: "random",
      ...(completed ? { goalValues: this.ended.goals } : {}),
      ...(this.ended?.resigned.length ? { resigned: this.ended.resigned } : {}),
      ...(result === "stuck" ? { rulesError: "a role has no legal move" } : {}),
    };
  }

  /** Take over a record, which is text. Throws an error in words. */
  open(text) {
    let record;
    try {
      record = JSON.parse(text);
    } catch {
      throw new Error("This file is no record of a match: it is not JSON.");
    }
    const { moves, gameRoleNames: roles, gameRulesheet: source } = record ?? {};
    if (!Array.isArray(moves) || !Array.isArray(roles)) throw new Error("This file is no record of a match: it has no moves.");
    if (roles.join() !== this.rules.roles.join() || (source && source.trim() !== this.pack.how.rules.trim())) {
      throw new Error(`This is the record of another game${typeof record.gameName === "string" ? `, ${record.gameName}` : ""}.`);
    }
    const before = this.plies;
    this.plies = [];
    try {
      moves.forEach((joint, ply) => {
        const { legal, terminal } = this.looked(this.state());
        const numbers = roles.map((_, role) => legal[role].find((move) => !terminal && this.text(move) === joint?.[role]));
        if (numbers.includes(undefined)) throw new Error(`Ply ${ply + 1} of this record is not legal here.`);
        this.append(numbers, legal.map((own) => own.length));
      });
    } catch (error) {
      this.plies = before;
      throw error;
    }
    this.number++;
    this.thoughts = [];
    this.ended = null;
    this.seat = "";
    this.go();
  }
}
