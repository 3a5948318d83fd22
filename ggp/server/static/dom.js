// Building the page. Names from rules only ever become text or attributes of known names, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: `el("p", {class: "hint"}, "text", child)`. Handlers are given as `onclick` and the like. */
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

const NAMES = new Set(["g", "rect", "circle", "line", "path", "polygon", "polyline", "text", "title"]);

/** An SVG element from what the server sends: [name, attributes, child, ...]. */
export function drawn([name, attributes, ...children]) {
  if (!NAMES.has(name)) return document.createTextNode("");
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith("on") && key !== "href" && key !== "style") made.setAttribute(key, value);
  }
  made.append(...children.map((child) => (typeof child === "string" ? child : drawn(child))));
  return made;
}

/** An SVG root of a size. */
export function sheet(width, height, attributes = {}) {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("viewBox", `0 0 ${width} ${height}`);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export const byId = (id) => document.getElementById(id);

/** A move without its outer brackets, as people read it. */
export function said(move) {
  return move.startsWith("(") && move.endsWith(")") ? move.slice(1, -1) : move;
}
