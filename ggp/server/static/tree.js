// The tree of an analysis: the match, and variations of it.

/** A position in the tree. `played` is true in the match itself. */
class Node {
  constructor(parent, moves, comment = "") {
    this.parent = parent;
    this.moves = moves;
    this.comment = comment;
    this.children = [];
    this.played = false;
    this.ply = parent ? parent.ply + 1 : 0;
  }

  /** Return the joint moves from the start to here. */
  line() {
    const moves = [];
    for (let node = this; node.parent; node = node.parent) moves.unshift(node.moves);
    return moves;
  }

  /** Return true if this is the preferred continuation. */
  get first() {
    return !this.parent || this.parent.children[0] === this;
  }

  holds(other) {
    while (other && other !== this) other = other.parent;
    return other === this;
  }
}

const same = (a, b) => a.length === b.length && a.every((move, i) => move === b[i]);

export class Tree {
  /** `played` are the joint moves of the match, `variations` the tree as it is in records. */
  constructor(played, variations) {
    this.root = new Node(null, [], variations[0]?.comment ?? "");
    const nodes = [this.root];
    for (const { after, moves, comment } of variations.slice(1)) {
      const node = this.add(nodes[after], moves);
      node.comment = comment ?? "";
      nodes.push(node);
    }
    let node = this.root;
    node.played = true;
    for (const moves of played) {
      node = this.add(node, moves);
      node.played = true;
    }
    // Without variations, the match is the whole tree; others may be preferred to it.
  }

  /** Return the position after a joint move, a new one if there is none. */
  add(node, moves) {
    const known = node.children.find((child) => same(child.moves, moves));
    if (known) return known;
    const made = new Node(node, moves);
    node.children.push(made);
    return made;
  }

  /** Prefer a variation: its beginning comes first of the moves at its place. */
  promote(node) {
    while (node.parent && node.first) node = node.parent;
    if (!node.parent) return;
    const children = node.parent.children;
    children.splice(children.indexOf(node), 1);
    children.unshift(node);
  }

  /** Delete a position and all that follows; return the one before it. The match itself stays. */
  remove(node) {
    if (node.played) return node;
    const children = node.parent.children;
    children.splice(children.indexOf(node), 1);
    return node.parent;
  }

  /** Return the last position of the preferred line from a position on. */
  end(node) {
    while (node.children.length) node = node.children[0];
    return node;
  }

  /** Return the positions of the match, in order. */
  match() {
    const found = [this.root];
    for (;;) {
      const next = found.at(-1).children.find((child) => child.played);
      if (!next) return found;
      found.push(next);
    }
  }

  /** Return the position after a line of joint moves, or the last one on the way that is known. */
  find(line) {
    let node = this.root;
    for (const moves of line) {
      const next = node.children.find((child) => same(child.moves, moves));
      if (!next) break;
      node = next;
    }
    return node;
  }

  /** Return the tree as it is kept in records. */
  rows() {
    const rows = [];
    const open = [[this.root, null]];
    while (open.length) {
      const [node, after] = open.pop();
      const place = rows.length;
      rows.push({ ...(after === null ? {} : { after, moves: node.moves }), ...(node.comment ? { comment: node.comment } : {}) });
      for (const child of [...node.children].reverse()) open.push([child, place]);
    }
    return rows;
  }
}
