// Building the page. Names from rules become text or values of attributes, never markup.

import { said } from "./saying.js";

const SVG = "http://www.w3.org/2000/svg";

/** Create an HTML element: `el("p", {class: "hint"}, "text", child)`. Attributes such as `onclick` are handlers. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

const NAMES = new Set(["g", "rect", "circle", "line", "path", "polygon", "polyline", "text", "title", "defs", "image", "use"]);

/**
 * Create an SVG element from the server's data: [name, attributes, child, ...].
 * @param {any} data
 * @returns {any}
 */
export function drawn([name, attributes, ...children]) {
  if (!NAMES.has(name)) return document.createTextNode("");
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    // Images are part of the data, and are used by their names; nothing is loaded from elsewhere.
    const inside = key === "href" && /^(#image-|data:image\/)/.test(value);
    if (inside || (!key.startsWith("on") && key !== "href" && key !== "style")) made.setAttribute(key, value);
  }
  made.append(...children.map((child) => (typeof child === "string" ? child : drawn(child))));
  return made;
}

/** Create an SVG root element of a size. */
export function sheet(width, height, attributes = {}) {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("viewBox", `0 0 ${width} ${height}`);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const ICONS = { holds: "M2 8.5l1.5-1.5 3 3L12.5 4 14 5.5 6.5 13z", fails: "M3 4.5L4.5 3 8 6.5 11.5 3 13 4.5 9.5 8l3.5 3.5-1.5 1.5L8 9.5 4.5 13 3 11.5 6.5 8z", then: "M2 7h7V3.5L14 8l-5 4.5V9H2z" };

/** Create an icon, which no font has to have, with a name for those who do not see it. */
export function icon(name, label) {
  const made = sheet(16, 16, { class: "icon", role: "img", "aria-label": label });
  made.append(drawn(["path", { d: ICONS[name] }]));
  return made;
}

/** Return a line of an explanation with an icon for the mark before it. */
export function marked(text) {
  const [mark, rest] = [text[0], text.slice(1)];
  return mark === "\u2713" ? [icon("holds", "holds:"), rest] : mark === "\u2717" ? [icon("fails", "fails:"), rest] : [text];
}

/** Return moves as nodes, with arrows between them. */
export function sequence(moves) {
  return moves.flatMap((move, place) => (place ? [" ", icon("then", "then"), " ", said(move)] : [said(move)]));
}

/** @type {(id: string) => any} an element of the kind that the page has by this name */
export const byId = (id) => document.getElementById(id);

/** Let the page's controls be used. They are inert until then, so that no click is lost before somebody listens. */
export function enableControls() {
  for (const part of document.querySelectorAll("[inert]")) part.inert = false;
}

/** Return a number with its noun: 1 ply, 2 plies. */
export const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`;

/**
 * Return the moves of a ply that are worth telling, each with its role: those that were chosen, else those that say more
 * than their name, else all. `counts` tells how many moves each role could choose from.
 */
export function spoken(joint, counts, roles) {
  const all = joint.map((move, place) => [roles[place], move]);
  const chosen = all.filter((_, place) => counts[place] > 1);
  const telling = all.filter(([, move]) => move.startsWith("("));
  return chosen.length ? chosen : telling.length ? telling : all;
}

/** Return an error of a record in words. It is a code and details. */
export function fault(error) {
  const [code, ...details] = error.split(" ");
  const words = { TO: "was late", IL: "chose the illegal move", CE: "failed:" };
  return [words[code] ?? code, ...details].join(" ");
}
