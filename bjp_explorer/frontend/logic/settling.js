/** Where one is: told once one has come to rest on a step, and kept over a reload. */

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

const KEY = "bjp-left-at";

/** The step at which a player was playing when its page was reloaded. The link holds only steps of rest. */
export class LeftAt {
  gone = new AbortController();

  /** @param {() => [string, number] | null} where what is played and at which step; null at rest */
  constructor(where) {
    const keep = () => {
      const at = where();
      if (at) storage()?.setItem(KEY, JSON.stringify(at));
      else storage()?.removeItem(KEY);
    };
    addEventListener("pagehide", keep, { signal: this.gone.signal });
  }

  /** The step, once, if the page was reloaded while this was played. @returns {number | null} */
  take(/** @type {string} */ id) {
    const kept = storage()?.getItem(KEY);
    if (!kept) return null;
    storage()?.removeItem(KEY);
    const [entry] = performance.getEntriesByType("navigation");
    const [of, step] = JSON.parse(kept);
    return entry instanceof PerformanceNavigationTiming && entry.type === "reload" && of === id ? step : null;
  }

  destroy() {
    this.gone.abort();
  }
}

/** The tab's own storage, or null where the browser has none for this page. */
function storage() {
  try {
    return globalThis.sessionStorage;
  } catch {
    return null;
  }
}
