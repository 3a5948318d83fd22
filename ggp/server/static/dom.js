// Building the page. Names from rules become text or values of attributes, never markup.

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

const NAMES = new Set(["g", "rect", "circle", "line", "path", "polygon", "polyline", "text", "title"]);

/** Create an SVG element from the server's data: [name, attributes, child, ...]. */
export function drawn([name, attributes, ...children]) {
  if (!NAMES.has(name)) return document.createTextNode("");
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith("on") && key !== "href" && key !== "style") made.setAttribute(key, value);
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

export const byId = (id) => document.getElementById(id);

/** Return a number with its noun: 1 ply, 2 plies. */
export const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`;

/** Return a move without its outer parentheses. */
export function said(move) {
  return move.startsWith("(") && move.endsWith(")") ? move.slice(1, -1) : move;
}

/** Return an error of a record in words. It is a code and details. */
export function fault(error) {
  const [code, ...details] = error.split(" ");
  const words = { TO: "was late", IL: "chose the illegal move", CE: "failed with" };
  return [words[code] ?? code, ...details].join(" ");
}
