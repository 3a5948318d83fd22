// The tree of an analysis as text: the preferred line, with variations set off from it.

import { el } from "./dom.js";
import { said } from "./saying.js";

/** Return a joint move in words: the moves of the roles that do something. */
export function jointText(joint, roles) {
  const all = joint.map((move, i) => [roles[i], move]);
  const active = all.filter(([, move]) => move.startsWith("("));
  const shown = active.length ? active : all;
  return shown.map(([one, move]) => (shown.length === 1 ? said(move) : `${one} ${said(move)}`)).join(", ");
}

/**
 * Draw the tree into a box. `go(node)` is called on clicks, `mark(node)` returns an element to put after a move, or null.
 * @type {(box: any, tree: any, here: any, about: any, go: (node: any) => void, mark?: (node: any) => any) => void}
 */
export function drawTree(box, tree, here, about, go, mark = () => null) {
  const button = (node) => {
    const found = el("button", { class: node === here ? "here" : "", "aria-current": node === here ? "step" : null, onclick: () => go(node) },
      el("span", { class: "number" }, `${node.ply} `), jointText(node.moves, about.roles));
    const noted = mark(node);
    if (noted) found.append(" ", noted);
    return found;
  };
  const comment = (node) => (node.comment ? el("span", { class: "said" }, ` ${node.comment} `) : null);
  const line = (into, node) => {
    for (let one = node; one; one = one.children[0]) {
      if (one.parent) into.append(button(one), " ");
      const noted = comment(one);
      if (noted) into.append(noted);
      // The other moves at the place of this one come after it.
      if (one.parent && one.first) {
        for (const other of one.parent.children.slice(1)) {
          const apart = el("div", { class: "branch-of" });
          line(apart, other);
          into.append(apart);
        }
      }
    }
  };
  const parts = el("div", {});
  line(parts, tree.root);
  box.replaceChildren(tree.root.children.length ? parts : el("p", { class: "hint" }, "No move has been made yet: try one on the board."));
  const at = box.querySelector(".here");
  if (at) box.scrollTop = Math.max(0, at.offsetTop - box.offsetTop - box.clientHeight / 2);
}
