/** Where a view is mounted, in the app or in a page of its own. */

import { h } from "./dom.js";
import { onProjecting } from "./pageprojector.js";
import { isProjecting, letterScale } from "./projector.js";
import { readTheme } from "./theme.js";
/** @import { Theme } from "./theme.js" */

/**
 * What a view tells Python by: a state stays, a trigger is an event of one run.
 *
 * @typedef {{ state: (name: string, value: any) => void, trigger: (name: string, value: any) => void }} Send
 */

/** @typedef {{ update: (data: any) => void, theme?: Theme, destroy?: () => void }} View */
/** @typedef {new (root: HTMLElement, send: Send, data: any) => View} ViewClass */

/** Where a view is mounted; what is sent before its modules have come waits for them. */
export class Place {
  /** @type {View | undefined} */ view;
  /** @type {any} the payload of the view */ data;
  /** What it was drawn from last. @type {{ data?: any, look?: string }} */ drawn = {};
  listening = new AbortController();

  constructor(/** @type {string} */ name, /** @type {Promise<{ default: ViewClass }>} */ loading) {
    this.name = name;
    this.send = /** @type {Send} */ ({});
    // Unseen until the style sheet, which says otherwise, has come.
    this.root = h("div.bjp", {
      "data-component": name,
      tabindex: "-1",
      style: "visibility:hidden;max-height:600px;overflow:hidden",
    });
    keepFocus(this.root);
    // A projector may have other colours than the page.
    this.root.addEventListener("restyle", () => this.update(this.data));
    onProjecting(() => this.update(this.data), this.listening.signal);
    loading.then(({ default: View }) => this.begin(View)).catch((error) => {
      this.root.removeAttribute("style");
      this.root.textContent = "This view could not be loaded. Reload the page to try again.";
      throw error;
    });
  }

  begin(/** @type {ViewClass} */ View) {
    if (this.listening.signal.aborted) return;
    this.view = new View(this.root, this.send, this.data);
    this.update(this.data);
  }

  update(/** @type {any} */ data) {
    this.data = data;
    if (!this.view) return;
    this.root.toggleAttribute("data-projector", isProjecting());
    const theme = this.view.theme = readTheme(this.root);
    const look = JSON.stringify([theme, isProjecting(), letterScale()]);
    if (!data || (data === this.drawn.data && look === this.drawn.look)) return;
    this.drawn = { data, look };
    this.view.update(data);
  }

  destroy() {
    this.listening.abort();
    this.view?.destroy?.();
    this.root.remove();
  }
}

/** A click anywhere in the component takes the focus off other widgets, which own the arrow keys. */
function keepFocus(/** @type {HTMLElement} */ root) {
  root.addEventListener("mousedown", (event) => {
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || target.closest("input, select, textarea, summary, a, .text")) return;
    event.preventDefault();
    root.focus({ preventScroll: true });
  });
  // A box ticked with the mouse gives the keys back; one ticked with a key keeps the focus.
  root.addEventListener("click", (event) => {
    const target = event.composedPath()[0];
    if (event.detail > 0 && target instanceof Element && target.closest("label.check")) {
      setTimeout(() => root.focus({ preventScroll: true }), 0);
    }
  });
}
