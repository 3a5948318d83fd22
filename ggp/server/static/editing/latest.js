// Work that is repeated after changes, never twice at a time: what changes meanwhile is taken up afterwards.

export class Latest {
  constructor(work, pause = 0) {
    this.work = work;
    this.pause = pause;
    this.timer = null;
    this.running = false;
    this.again = false;
  }

  /** Do the work after the pause, unless it is asked for again before. */
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), this.pause);
  }

  async now() {
    clearTimeout(this.timer);
    this.timer = null;
    this.again = this.running;
    if (this.running) return;
    this.running = true;
    try {
      await this.work();
    } finally {
      this.running = false;
      if (this.again) this.now();
    }
  }
}
