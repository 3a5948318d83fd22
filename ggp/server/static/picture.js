// The board as a picture: a drawing in a file of its own, with the colours that it has here.

const KEPT = ["fill", "stroke", "stroke-width", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline"];

/**
 * Return a drawing of the board as it is shown, without what can be clicked.
 * @param {import("./board.js").Board} board
 */
export function pictureOf(board) {
  const copy = /** @type {SVGElement} */ (board.svg.cloneNode(true));
  const [from, to] = [board.svg, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((one, place) => {
    const style = getComputedStyle(one);
    for (const name of KEPT) to[place].setAttribute(name, style.getPropertyValue(name));
  });
  for (const hint of copy.querySelectorAll(".hints:not(:has(.advice, .advised))")) hint.remove();
  for (const one of [copy, ...copy.querySelectorAll("*")]) {
    for (const name of ["class", "style", "role", "tabindex", "aria-label", "aria-pressed", "data-place", "data-at"]) one.removeAttribute(name);
  }
  const { width, height } = board.game;
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width, height, fill: getComputedStyle(document.body).backgroundColor })) paper.setAttribute(name, String(value));
  copy.prepend(paper);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

/**
 * Let a button save the board as a file.
 * @param {HTMLElement} button
 * @param {import("./board.js").Board} board
 * @param {() => string} name of the file, without its ending
 */
export function savesPicture(button, board, name) {
  button.hidden = !board.svg;
  button.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([pictureOf(board)], { type: "image/svg+xml" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${name()}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000); // the download has begun
  });
}
