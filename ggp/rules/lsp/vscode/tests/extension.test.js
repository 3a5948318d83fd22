"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { findServer } = require("../src/environment");
const { jointMove, page } = require("../src/board");

/** @param {string[]} files */
const among = (...files) => (/** @type {string} */ file) => files.includes(file);

test("the server is taken from the setting, the folder, the Python extension, and the path, in this order", () => {
  const both = among("/game/.venv/bin/python", "/game/.venv/bin/ggp");
  assert.equal(findServer("${workspaceFolder}/py", ["/game"], "/usr/bin/python3", both, "linux").command, "/game/py");
  assert.equal(findServer("", ["/game"], "/usr/bin/python3", both, "linux").command, "/game/.venv/bin/python");
  assert.equal(findServer("", ["/game"], "/usr/bin/python3", among(), "linux").command, "/usr/bin/python3");
  assert.deepEqual(findServer("", [], undefined, among(), "linux"), { command: "ggp", args: ["lsp"], from: "the path" });
});

test("an environment without ggp does not hide one that has it", () => {
  const bare = among("/game/.venv/bin/python", "/game/venv/bin/python", "/game/venv/bin/ggp");
  assert.equal(findServer("", ["/game"], undefined, bare, "linux").command, "/game/venv/bin/python");
});

/** @param {string} name @param {string[]} legal */
const role = (name, ...legal) => ({ name, legal, more: 0, goal: null });

test("a joint move needs a choice from every role that has several moves", () => {
  const roles = [role("x", "a", "b"), role("o", "noop")];
  assert.equal(jointMove(roles, {}), undefined);
  assert.deepEqual(jointMove(roles, { x: "b" }), ["b", "noop"]);
  assert.equal(jointMove(roles, { x: "gone" }), undefined);
  assert.equal(jointMove([role("x")], {}), undefined);
});

const shown = { ply: 1, forgotten: 0, svg: "<svg></svg>", text: "a < b", terminal: false, roles: [role("x", 'say "<b>"')] };

test("texts of rules are never taken for markup", () => {
  const found = page(shown, { nonce: "n", title: "<i>", chosen: {} });
  assert.match(found, /data-move="say &quot;&lt;b&gt;&quot;"/);
  assert.match(found, /aria-label="a &lt; b"/);
  assert.doesNotMatch(found, /<i>|<b>/);
  assert.match(found, /script-src 'nonce-n'/);
});

test("the page says what is wrong, what was forgotten, and that the game is over", () => {
  const options = { nonce: "n", title: "t", chosen: {} };
  assert.match(page({ ...shown, error: "The rules have <mistakes>." }, options), /role="alert">The rules have &lt;mistakes&gt;/);
  assert.match(page({ ...shown, forgotten: 2 }, options), /no longer allow what was played after ply 1/);
  assert.match(page({ ...shown, terminal: true }, options), /the game is over/);
});
