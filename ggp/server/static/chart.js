// The goals that programs expected in the course of the match.

import { drawn, sheet } from "./dom.js";

const WIDTH = 320;
const HEIGHT = 96;
const LEFT = 26;

/** Return a chart of expected goals, with a line for each role that has any. Clicks call `chosen(ply)`. Marks are {ply, goal, kind, text}. */
export function chart(thoughts, colours, plies, at, chosen, marks = []) {
  const lines = new Map();
  for (const { ply, role, expected } of thoughts) {
    if (expected !== null) lines.set(role, [...(lines.get(role) ?? []), [ply, expected]]);
  }
  if (!lines.size) return null;
  const x = (ply) => LEFT + ((WIDTH - LEFT - 6) * ply) / Math.max(1, plies);
  const y = (goal) => 6 + ((HEIGHT - 12) * (100 - goal)) / 100;
  const parts = [];
  for (const goal of [0, 50, 100]) {
    parts.push(["line", { class: "grid", x1: LEFT, x2: WIDTH - 6, y1: y(goal), y2: y(goal) }]);
    parts.push(["text", { class: "axis", x: LEFT - 5, y: y(goal) + 4, "text-anchor": "end" }, String(goal)]);
  }
  parts.push(["line", { class: "now", x1: x(at), x2: x(at), y1: 2, y2: HEIGHT - 2 }]);
  for (const [role, points] of lines) {
    const path = points.map(([ply, goal]) => `${x(ply).toFixed(1)},${y(goal).toFixed(1)}`);
    const colour = `s-${colours[role] ?? "grey"}`;
    parts.push(["polyline", { class: `curve ${colour}`, points: path.join(" ") }, ["title", {}, role]]);
    const [ply, goal] = points[points.length - 1];
    parts.push(["circle", { class: `dot ${colour}`, cx: x(ply), cy: y(goal), r: 3.5 }, ["title", {}, `${role}: ${goal.toFixed(0)}`]]);
  }
  for (const { ply, goal, kind, text } of marks) {
    parts.push(["circle", { class: `slip-mark ${kind}`, cx: x(ply), cy: y(goal), r: 4.5 }, ["title", {}, text]]);
  }
  const latest = [...lines].map(([role, points]) => `${role} ${points[points.length - 1][1].toFixed(0)}`).join(", ");
  const svg = sheet(WIDTH, HEIGHT, { class: "chart", role: "img", "aria-label": `Expected goals over the match; latest: ${latest}` });
  svg.append(...parts.map(drawn));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDTH;
    chosen(Math.max(0, Math.min(plies, Math.round(((place - LEFT) / (WIDTH - LEFT - 6)) * Math.max(1, plies)))));
  });
  return svg;
}
