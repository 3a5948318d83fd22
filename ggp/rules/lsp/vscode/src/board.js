// The page beside the rules: the board after some joint moves, and the moves that are legal now.
"use strict";

/**
 * @typedef {object} Role
 * @property {string} name
 * @property {string[]} legal
 * @property {number} more
 * @property {number | null} goal
 *
 * @typedef {object} Shown what the server tells of a position; with `error`, nothing else
 * @property {string} [error]
 * @property {number} ply
 * @property {number} forgotten
 * @property {string} svg
 * @property {string} text
 * @property {boolean} terminal
 * @property {Role[]} roles
 */

/** @param {string} text */
const escaped = (text) =>
  text.replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one] ?? one);

/**
 * Returns the moves that are chosen: one for each role. Roles with a single move make it.
 * @param {Role[]} roles
 * @param {Record<string, string>} chosen
 * @returns {string[] | undefined} nothing while a role still has to choose
 */
function jointMove(roles, chosen) {
  const moves = roles.map((role) => (role.legal.length === 1 ? role.legal[0] : chosen[role.name]));
  return moves.every((move, number) => move !== undefined && roles[number].legal.includes(move)) ? moves : undefined;
}

/**
 * @param {Role} role
 * @param {Record<string, string>} chosen
 */
function rolePart(role, chosen) {
  const goal = role.goal === null ? "" : ` <span class="goal">goal ${role.goal}</span>`;
  const buttons = role.legal.map((move) => {
    const pressed = chosen[role.name] === move ? ' aria-pressed="true"' : "";
    return `<button data-role="${escaped(role.name)}" data-move="${escaped(move)}"${pressed}>${escaped(move)}</button>`;
  });
  const more = role.more ? `<p>and ${role.more} more</p>` : "";
  return `<h2>${escaped(role.name)}${goal}</h2><div class="moves">${buttons.join("")}</div>${more}`;
}

/**
 * Returns the whole page.
 * @param {Shown} shown
 * @param {{nonce: string, title: string, chosen: Record<string, string>}} options
 */
function page(shown, { nonce, title, chosen }) {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; img-src data:`;
  const told = shown.error
    ? `<p class="error" role="alert">${escaped(shown.error)}</p>`
    : [
        `<figure aria-label="${escaped(shown.text)}">${shown.svg}</figure>`,
        `<p>Ply ${shown.ply}${shown.terminal ? ": the game is over" : ""}
         <button id="back"${shown.ply ? "" : " disabled"}>Back</button>
         <button id="start"${shown.ply ? "" : " disabled"}>Start</button></p>`,
        shown.forgotten ? `<p>The rules no longer allow what was played after ply ${shown.ply}.</p>` : "",
        ...shown.roles.map((role) => rolePart(role, chosen)),
      ].join("\n");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escaped(title)}</title>
<style>
body { font: var(--vscode-font-size) var(--vscode-font-family); color: var(--vscode-foreground); padding: 0 1em 1em; }
figure { margin: 1em 0; } figure svg { max-width: 100%; max-height: 60vh; height: auto; }
h2 { font-size: 1em; margin: 1em 0 .4em; } .goal { font-weight: normal; opacity: .8; }
.moves { display: flex; flex-wrap: wrap; gap: .3em; }
button { font: var(--vscode-editor-font-size) var(--vscode-editor-font-family); border: 1px solid transparent;
  padding: .2em .5em; color: var(--vscode-button-secondaryForeground);
  background: var(--vscode-button-secondaryBackground); }
button[aria-pressed="true"] { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
button:disabled { opacity: .4; } .error { color: var(--vscode-errorForeground); white-space: pre-wrap; }
</style></head>
<body>${told}
<script nonce="${nonce}">
const api = acquireVsCodeApi();
document.body.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id) api.postMessage({ kind: button.id });
  else api.postMessage({ kind: "move", role: button.dataset.role, move: button.dataset.move });
});
</script></body></html>`;
}

module.exports = { escaped, jointMove, page };
