/** Waits until one has come to rest on a step, and tells it once. */

const MILLISECONDS = 250;

export class Settling {
  /** @type {number | null} */ told = null;

  /**
   * @param {() => number | null} where the step on which one rests; null while nothing is to be told
   * @param {(step: number) => void} tell called where it is another step than the last one told
   * @param {(step: number) => void} [rested] called wherever one has come to rest
   */
  constructor(where, tell, rested = () => {}) {
    this.where = where;
    this.tell = tell;
    this.rested = rested;
  }

  soon() {
    this.stop();
    if (this.where() !== null) this.timer = setTimeout(() => this.now(), MILLISECONDS);
  }

  now() {
    const step = this.where();
    if (step === null) return;
    this.rested(step);
    if (step === this.told) return;
    this.told = step;
    this.tell(step);
  }

  /** What is told now tells the step as well. */
  toldOtherwise() {
    this.stop();
    this.told = this.where();
  }

  stop() {
    clearTimeout(this.timer);
  }
}
