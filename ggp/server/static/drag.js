// Dragging pieces: a drag means a click on the cell where it begins, and one on the cell where it ends.

const STARTS = 6; // pixels that the pointer moves before it is a drag

/** Let pieces of a board be dragged. `clicked` is called with the key of a cell; `live` tells if a drag may begin there. */
export function draggable(board, clicked) {
  const { svg } = board;
  if (!svg) return;
  let from = null; // {key, x, y, piece} while a button is down
  let dragging = false;

  svg.addEventListener("pointerdown", (event) => {
    const key = event.button === 0 && event.isPrimary ? board.keyAt(event) : null;
    dragging = false;
    from = key && board.cells.get(key)?.classList.contains("live") && board.taken.has(key) ? { key, x: event.clientX, y: event.clientY } : null;
  });

  svg.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!dragging) {
      if (Math.hypot(dx, dy) < STARTS) return;
      dragging = true;
      svg.setPointerCapture(event.pointerId);
      if (!board.isChosen(from.key)) clicked(from.key);
      from.piece = board.pieces.querySelector(`[data-at="${CSS.escape(from.key)}"]`);
    }
    const scale = 1 / svg.getScreenCTM().a;
    if (from.piece) from.piece.style.translate = `${dx * scale}px ${dy * scale}px`;
  });

  // A finger on a piece drags it, and does not scroll the page; `touch-action` of parts of a drawing does not see to it.
  svg.addEventListener("touchmove", (event) => {
    if (from && event.cancelable) event.preventDefault();
  }, { passive: false });

  const end = (event) => {
    if (from?.piece) from.piece.style.translate = "";
    if (dragging && event.type === "pointerup") {
      const to = board.keyAt(event);
      if (to && to !== from.key) clicked(to);
    }
    from = null;
  };
  svg.addEventListener("pointerup", end);
  svg.addEventListener("pointercancel", end);

  // The click that follows a drag has been dealt with.
  svg.addEventListener("click", (event) => {
    if (dragging) event.stopImmediatePropagation();
    dragging = false;
  }, { capture: true });
}
