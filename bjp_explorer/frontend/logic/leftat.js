/** The step at which a player was playing when its page was reloaded. The link holds only steps of rest. */

const KEY = "bjp-left-at";

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
