// From clicks to moves: which legal moves the clicked cells can still mean.

/** The clicked cells of one role's turn. A choice is {move, path}: for each click the cells that do. */
export class Picking {
  constructor(choices) {
    this.choices = choices;
    this.chosen = [];
  }

  /** Choices that begin with the clicked cells. */
  fitting(chosen = this.chosen) {
    return this.choices.filter(({ path }) => path.length >= chosen.length && chosen.every((key, i) => path[i].includes(key)));
  }

  /** Choices that the clicked cells mean already. */
  complete() {
    return this.chosen.length ? this.fitting().filter(({ path }) => path.length === this.chosen.length) : [];
  }

  /** Cells that can be clicked next. */
  next(chosen = this.chosen) {
    return new Set(this.fitting(chosen).flatMap(({ path }) => path[chosen.length] ?? []));
  }

  sources() {
    return this.next([]);
  }

  /** A cell is clicked; gives the move that is meant now, if it is just one. */
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
