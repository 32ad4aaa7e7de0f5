/** The legend of keys: a small "?" that opens a list of what each key does. */

import { button, h } from "./dom.js";

/** keys: [[key, …, text], …]. The list opens and closes by its button, by "?" and with Escape. */
export class KeyLegend {
  constructor(keys) {
    this.list = h(
      "dl",
      { class: "keys", role: "dialog", "aria-label": "Keys", hidden: true },
      keys.map((entry) =>
        h(
          "div",
          {},
          h("dt", {}, entry.slice(0, -1).map((key) => h("kbd", { text: key }))),
          h("dd", { text: entry.at(-1) }),
        ),
      ),
      h("p", { class: "note", text: "No key does anything here while one types elsewhere." }),
    );
    this.opener = button(
      {
        class: "tool wide",
        title: "The keys (?)",
        "aria-label": "The keys",
        "aria-expanded": "false",
        "data-action": "keys",
        on: { click: () => this.toggle() },
      },
      "?",
    );
    this.element = h("div", { class: "key-legend" }, this.opener, this.list);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.list.hidden) return;
      event.stopPropagation();
      this.toggle(false);
      this.opener.focus();
    });
    this.element.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !this.element.contains(event.relatedTarget)) this.toggle(false);
    });
  }

  toggle(open = this.list.hidden) {
    this.list.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
  }
}
