/** A component over the whole screen, as a projector wants it: large letters, dark or light, the keys of a clicker. */

import { iconButton } from "./dom.js";
import { listen } from "./keys.js";
import { store, stored } from "../logic/memory.js";

/** Letters for those who look from afar. All sizes of a page follow those of its root. */
const LETTERS = "clamp(17px, min(1.5vw, 2.6vh), 40px)";
const ORDINARY = 16;
const PHONE = 768;
/** The document's event when the whole page begins or ends to be shown for a projector (pageprojector.js). */
export const PROJECTING = "projecting";
const KEPT = "bjp-explorer.scheme";

export const KEYS = [
  ["f", "fill the screen; Escape leaves it"],
  ["b", ".", "blank the full screen, as a clicker does"],
  ["d", "dark or light, in full screen"],
];
/** Those of every page of the app (views/projector.js); a page in a file has none of them. */
export const PAGE_KEYS = [["v", "this page on a projector; Escape leaves it"]];

/** Whether the whole page is shown for a projector. */
export const isProjecting = () => document.documentElement.hasAttribute("data-projector");

/** @type {Set<unknown>} who wants large letters now */ const large = new Set();

/** Large letters for the whole page, as long as anybody wants them. */
export function enlarge(/** @type {unknown} */ owner, /** @type {boolean} */ on) {
  const { style } = document.documentElement;
  if (on) large.add(owner);
  else large.delete(owner);
  if (large.size) style.setProperty("font-size", LETTERS, "important");
  else style.removeProperty("font-size");
}

/** How much larger letters are than usual: on a projector, or by the reader's own wish. */
export function letterScale() {
  return Math.max(1, parseFloat(getComputedStyle(document.documentElement).fontSize) / ORDINARY);
}

export class Projector {
  blank = false;
  /** @type {string | null} chosen in this browser */ scheme = stored(KEPT);
  gone = new AbortController();

  /**
   * Two buttons for a view's tools, and the keys of the view.
   *
   * @param {HTMLElement} root
   * @param {object} [options]
   * @param {(wide: boolean) => void} [options.onChange] called whenever it begins or ends to fill the screen, or, where
   * it is the page's figure, the page on a projector
   * @param {boolean} [options.isFigure]
   * @param {(by: number) => void} [options.turn] what a clicker's Page Down (1) and Page Up (−1) do
   * @param {Record<string, () => unknown>} [options.keys] of the view, as for keys.js
   */
  constructor(root, { onChange = () => {}, isFigure = false, turn = () => {}, keys = {} } = {}) {
    this.root = root;
    this.isFigure = isFigure;
    this.stopListening = listen(this, { ...this.bindings(turn), ...keys });
    this.button = iconButton("screen", "Fill the screen (f)", () => this.toggle());
    this.button.hidden = !document.fullscreenEnabled;
    this.button.dataset.action = "projector";
    this.schemeButton = iconButton("moon", "Dark or light (d)", () => this.switchScheme());
    this.schemeButton.hidden = true;
    this.schemeButton.dataset.action = "scheme";
    this.buttons = [this.schemeButton, this.button];
    const change = () => {
      const { filling } = this;
      this.button.setAttribute("aria-pressed", String(filling));
      this.schemeButton.hidden = !filling;
      root.toggleAttribute("data-filling", this.wide);
      root.toggleAttribute("data-framed", this.wide && !filling);
      this.setBlank(false);
      enlarge(this, filling);
      onChange(this.wide);
      this.restyle();
      if (filling) root.focus({ preventScroll: true });
    };
    const { signal } = this.gone;
    root.addEventListener("fullscreenchange", change, { signal });
    root.addEventListener("click", () => this.setBlank(false), { signal });
    if (isFigure) {
      document.addEventListener(PROJECTING, change, { signal });
      // Not before the view is whole.
      if (this.wide) queueMicrotask(change);
    }
  }

  get filling() {
    return /** @type {ShadowRoot} */ (this.root.getRootNode()).fullscreenElement === this.root;
  }

  /** Whether the view has all the room there is; a phone has none for it. */
  get wide() {
    return this.filling || (this.isFigure && isProjecting() && innerWidth > PHONE);
  }

  toggle() {
    if (this.filling) document.exitFullscreen();
    else if (document.fullscreenEnabled) this.root.requestFullscreen().catch(() => {});
  }

  /** The colours chosen for the full screen, else those of the page. */
  restyle() {
    if (this.filling && this.scheme) this.root.dataset.scheme = this.scheme;
    else delete this.root.dataset.scheme;
    // Whoever mounted the view reads the theme again and draws with it.
    this.root.dispatchEvent(new Event("restyle"));
  }

  switchScheme() {
    this.scheme = this.root.dataset.theme === "dark" ? "light" : "dark";
    store(KEPT, this.scheme);
    this.restyle();
  }

  setBlank(/** @type {boolean} */ blank) {
    this.blank = blank;
    this.root.toggleAttribute("data-blank", blank);
  }

  /** Outside the full screen these keys are the page's, and false says so. @returns {Record<string, () => unknown>} */
  bindings(/** @type {(by: number) => void} */ turn) {
    const inside = (/** @type {() => void} */ act) => () => this.filling && (act(), true);
    const page = (/** @type {number} */ by) => inside(() => this.blank ? this.setBlank(false) : turn(by));
    const blank = inside(() => this.setBlank(!this.blank));
    return {
      f: () => this.toggle(),
      d: inside(() => this.switchScheme()),
      b: blank,
      ".": blank,
      PageDown: page(1),
      PageUp: page(-1),
    };
  }

  destroy() {
    this.stopListening();
    if (this.filling) document.exitFullscreen();
    enlarge(this, false);
    this.gone.abort();
  }
}
