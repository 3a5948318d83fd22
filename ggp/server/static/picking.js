// From clicks to moves: finds the legal moves that agree with the clicked cells.

/** The clicked cells in one role's turn. A choice is {move, path}; `path` lists the possible cells of each click. */
export class Picking {
  constructor(choices) {
    this.choices = choices;
    this.chosen = [];
    this.role = null; // whose turn it is, for who changes between roles
  }

  /** Return the choices that begin with the clicked cells. */
  fitting(chosen = this.chosen) {
    return this.choices.filter(({ path }) => path.length >= chosen.length && chosen.every((key, i) => path[i].includes(key)));
  }

  /** Return the choices that the clicked cells complete. */
  complete() {
    return this.chosen.length ? this.fitting().filter(({ path }) => path.length === this.chosen.length) : [];
  }

  /** Return the cells that can be clicked next. */
  next(chosen = this.chosen) {
    return new Set(this.fitting(chosen).flatMap(({ path }) => path[chosen.length] ?? []));
  }

  sources() {
    return this.next([]);
  }

  /** Take in a click on a cell. Return the move if it is now unambiguous, else null. */
  click(key) {
    const again = this.chosen.at(-1) === key ? this.complete() : [];
    if (this.next().has(key)) this.chosen = [...this.chosen, key];
    else if (again.length === 1) return again[0].move;
    else if (this.chosen[0] === key) this.chosen = [];
    else this.chosen = this.sources().has(key) ? [key] : [];
    const complete = this.complete();
    return complete.length === 1 && !this.next().size ? complete[0].move : null;
  }
}
