// A server in the page itself, whose answers come when a random number says so. It plays a game of marks on a board of
// 4 x 4 cells: a person makes a mark by a move of the list or a click on a cell, then a program makes one.

(() => {
  const SIDE = 4;
  const KEYS = Array.from({ length: SIDE * SIDE }, (_, place) => `0,${place % SIDE},${Math.floor(place / SIDE)}`);
  const middle = (key) => key.split(",").slice(1).map((one) => 50 + 100 * Number(one));
  const mark = (key) => ["circle", { "data-at": key, cx: middle(key)[0], cy: middle(key)[1], r: 30 }];
  const move = (key) => `(mark ${key.slice(2).replace(",", " ")})`;

  const fake = { marks: [], answers: [], news: [], timers: new Map(), stream: null, boards: new Set() };
  window.fake = fake;
  let version = 0;
  let number = 1;

  const game = {
    title: "Marks", roles: ["you"], hidden: false, width: 400, height: 400, stacked: false, colours: { you: "1" }, above: [], values: false,
    ground: KEYS.map((key) => ["rect", { class: "cell", "data-place": key, x: middle(key)[0] - 50, y: middle(key)[1] - 50, width: 100, height: 100 }]),
    middles: Object.fromEntries(KEYS.map((key) => [key, middle(key)])),
    labels: Object.fromEntries(KEYS.map((key) => [key, key])),
  };
  const turn = () => fake.marks.length % 2 === 0;
  const state = () => ({
    id: "toy", version: (version += 1), game: "toy", title: "Marks", players: { you: "human" }, settings: {}, source: "",
    reserved: [], taken: [], offer: null, rematch: "", names: {}, chat: null, clocks: {}, late: [], error: "", running: true, doing: "", thoughts: 0, contested: true,
    plies: fake.marks.length, result: "running", goals: [], resigned: [], rules_error: "", record_roles: ["you"], undo: {},
    last: fake.marks.length ? [move(fake.marks.at(-1))] : [], counts: fake.marks.length ? [2] : [],
    waiting: turn() ? ["you"] : [], until: null, view: "whole", role: "",
  });
  const shown = (marks, ply) => ({
    ply, moves: [], said: [], counts: [], errors: [], under: [], pieces: marks.map(mark), over: [], steps: [], notes: [], facts: [],
    names: Object.fromEntries(marks.map((key) => [key, "mark"])), terminal: false, more: {},
  });
  const board = (marks) => [...marks].sort().join(" ");

  /** Return what the server answers now; it comes later. */
  function answer(path, body) {
    const [, , , , what, ply] = path.split("?")[0].split("/");
    if (!what) return { state: state(), game };
    if (what === "moves") return { moves: fake.marks.map((key) => [move(key)]), counts: fake.marks.map(() => [2]) };
    if (what === "thoughts") return { thoughts: [] };
    if (what === "plies") {
      const marks = fake.marks.slice(0, Number(ply));
      const free = KEYS.filter((key) => !marks.includes(key));
      return { ...shown(marks, Number(ply)), words: {}, choices: { you: free.map((key, place) => ({ move: move(key), label: move(key), parts: place % 2 ? [{ cells: [key] }] : [] })) } };
    }
    const key = KEYS.find((one) => move(one) === body.move);
    if (what === "after") return { ...shown([...fake.marks.slice(0, body.ply), key], body.ply), certain: true };
    if (!turn() || body.ply !== fake.marks.length + 1) return { error: "this move cannot be made now" };
    fake.plays(key);
    return {};
  }

  fake.plays = (key) => {
    fake.marks = [...fake.marks, key];
    fake.news.push(state());
  };
  fake.takesBack = () => {
    fake.marks = fake.marks.slice(0, -2);
    fake.news.push(state());
  };
  fake.free = () => KEYS.filter((key) => !fake.marks.includes(key));
  /** The board that is right when all answers are there and this move is pointed at, or none. */
  fake.right = (pointed) => board([...fake.marks, ...KEYS.filter((key) => move(key) === pointed && turn())]);
  fake.seen = () => board([...document.querySelectorAll(".pieces [data-at]")].map((one) => one.dataset.at));

  window.fetch = (path, options) => new Promise((resolve) => {
    const found = answer(path, options?.body && JSON.parse(options.body));
    fake.answers.push(() => resolve({ ok: !found.error, status: found.error ? 409 : 200, json: async () => found }));
  });
  window.EventSource = class {
    constructor() {
      fake.stream = this;
    }

    close() {}
  };
  window.setTimeout = (call) => {
    fake.timers.set((number += 1), call);
    return number;
  };
  window.clearTimeout = (timer) => fake.timers.delete(timer);

  fake.settled = async () => {
    for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
  };
  fake.steps = {
    answer: (draw) => fake.answers.splice(draw(fake.answers.length), 1)[0]?.(),
    news: () => {
      const next = fake.stream && fake.news.shift();
      if (next) fake.stream.onmessage({ data: JSON.stringify(next) });
    },
    timer: (draw) => {
      const [timer, call] = [...fake.timers][draw(fake.timers.size)] ?? [];
      fake.timers.delete(timer);
      call?.();
    },
  };
  fake.rest = async () => {
    await fake.settled();
    while (fake.answers.length || fake.timers.size || (fake.stream && fake.news.length)) {
      for (const step of Object.values(fake.steps)) step(() => 0);
      await fake.settled();
    }
  };
})();
