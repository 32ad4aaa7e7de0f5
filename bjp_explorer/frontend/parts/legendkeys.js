/** The legend of keys: a small "?" that opens a list of what each key does. */

import { button, h } from "./dom.js";
import { Popover } from "./popover.js";

/** keys: [[key, …, text], …]. The list opens and closes by its button and by "?". */
export class KeyLegend {
  /** @type {HTMLElement[]} a row for each entry */ rows;

  constructor(/** @type {string[][]} */ keys) {
    this.rows = keys.map((entry) =>
      h(
        "div",
        { "data-key": entry[0] },
        h("dt", {}, entry.slice(0, -1).map((key) => h("kbd", { text: key }))),
        h("dd", { text: entry.at(-1) }),
      )
    );
    const list = h(
      "dl",
      { class: "keys", role: "dialog", "aria-label": "Keys" },
      this.rows,
      h("p", { class: "note", text: "Keys do nothing here while you type elsewhere." }),
    );
    const opener = button(
      { class: "tool wide", title: "The keys (?)", "aria-label": "The keys", "data-action": "keys" },
      "?",
    );
    this.popover = new Popover("key-legend", opener, list);
    this.element = this.popover.element;
  }

  /** List some keys, or, where they do nothing, leave them out. */
  list(/** @type {string[]} */ keys, /** @type {boolean} */ shown) {
    for (const row of this.rows) if (keys.includes(row.dataset.key ?? "")) row.hidden = !shown;
  }

  toggle() {
    this.popover.toggle();
  }
}
