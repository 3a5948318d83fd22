// The evaluation of a position beside the board: expected goals, best moves with lines, the curve of a line.

import { chart } from "./chart.js";
import { counted, el, sequence } from "./dom.js";
import { said } from "./saying.js";

const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** Return a mistake as a mark beside a move, or null. */
export function sign(mistake) {
  return mistake && el("span", { class: `sign ${mistake.kind}`, title: inWords(mistake) }, SIGNS[mistake.kind]);
}

/** Return what kind of mistake one is. */
export const kindOf = (mistake) => (mistake.missed ? "missed win" : mistake.kind);

/** Return a mistake as a sentence. */
export function inWords(mistake) {
  const kind = kindOf(mistake);
  const name = kind[0].toUpperCase() + kind.slice(1);
  return `${name}: ${mistake.role} gives away ${mistake.loss.toFixed(0)} points; ${said(mistake.better)} is better`;
}

/** Draw what is known of a position into a box; `play(moves)` tries a line of moves of single roles. */
export function drawEvaluation(box, evaluation, about, play) {
  if (!evaluation) return box.replaceChildren();
  const certain = Boolean(evaluation.proven || evaluation.exact);
  const goals = Object.entries(evaluation.expected).map(([role, goal]) => el("span", { class: "expected" },
    el("span", { class: `chip p-${about.game.colours[role]}`, "aria-hidden": "true" }), ` ${role} `, el("strong", {}, goal.toFixed(certain ? 0 : 1))));
  const facts = [];
  if (evaluation.simulations) facts.push(`${evaluation.simulations.toLocaleString("en")} simulations`);
  if (evaluation.proven) facts.push("proved");
  if (evaluation.note) facts.push(evaluation.note);
  box.replaceChildren(
    el("p", { class: "goals" }, ...goals),
    evaluation.exact ? el("p", { class: "exact" }, `Solved: ${evaluation.exact}`) : "",
    el("p", { class: "hint" }, facts.join(", ")),
    ...Object.entries(evaluation.best).map(([role, best]) => lines(role, best, certain ? evaluation.expected[role] : null, play, Object.keys(evaluation.best).length > 1)));
}

function lines(role, best, worth, play, named) {
  return el("ol", { class: "best", "aria-label": `Best moves of ${role}` },
    named ? el("li", { class: "plain" }, el("h3", {}, role)) : null,
    // The best move is worth what the position is, if that is certain.
    ...best.map((one, place) => el("li", {},
      el("span", { class: "value" }, place === 0 && worth != null ? worth.toFixed(0) : one.goal.toFixed(one.proven ? 0 : 1)),
      el("button", { class: "move", onclick: () => play(role, one.move) }, said(one.move)),
      el("span", { class: "line-of-play" }, ...sequence(one.line.slice(1))),
      one.proven ? el("span", { class: "hint" }, `proved, ${counted(one.plies, "ply", "plies")}`) : null)));
}

/** Return the curve of a line, given its positions, or null; its mistakes are marked. */
export function curve(nodes, evaluations, about, here, go) {
  const points = [];
  const marks = [];
  for (const node of nodes) {
    const known = evaluations.of(node);
    if (!known) continue;
    for (const [role, expected] of Object.entries(known.expected)) points.push({ ply: node.ply, role, expected });
    const mistake = evaluations.mistake(node);
    if (mistake && mistake.role in known.expected) {
      marks.push({ ply: node.ply, goal: known.expected[mistake.role], kind: mistake.kind, text: `ply ${node.ply}: ${inWords(mistake)}` });
    }
  }
  return chart(points, about.game.colours, nodes.length - 1, here.ply, (ply) => go(nodes[ply]), marks);
}
