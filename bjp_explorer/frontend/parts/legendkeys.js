/** The legend of keys: a small "?" that opens a list of what each key does. */

import { button, h } from "./dom.js";
import { Popover } from "./popover.js";

/** keys: [[key, …, text], …]. The list opens and closes by its button and by "?". */
export class KeyLegend {
  /**
   * @param {string[][]} keys
   */
  constructor(keys) {
    const list = h(
      "dl",
      { class: "keys", role: "dialog", "aria-label": "Keys" },
      keys.map((entry) =>
        h(
          "div",
          {},
          h("dt", {}, entry.slice(0, -1).map((key) => h("kbd", { text: key }))),
          h("dd", { text: entry.at(-1) }),
        )
      ),
      h("p", { class: "note", text: "Keys do nothing here while you type elsewhere." }),
    );
    const opener = button(
      { class: "tool wide", title: "The keys (?)", "aria-label": "The keys", "data-action": "keys" },
      "?",
    );
    this.popover = new Popover("key-legend", opener, list);
    this.element = this.popover.element;
  }

  toggle() {
    this.popover.toggle();
  }
}
