/** What the last change of the graph did to the score: the terms that changed, largest first. */

import { button, card, h, iconButton, setText, sign } from "./dom.js";
import { fixed, signed } from "../logic/format.js";
import { headers, tableBox } from "./tables.js";
/** @import { Change, ChangedTerm } from "../payloads.d.ts" */

/** Decimals of differences: enough to tell small ones from none. */
const digits = (/** @type {number} */ value) => (Math.abs(value) >= 100 ? 2 : Math.abs(value) >= 0.1 ? 3 : 5);

export class ChangeCard {
  /** @type {string | null} */ shown = null;
  /** @type {string | null} */ closed = null;
  /** @type {string[]} */ names = [];

  constructor(
    /** @type {{ onJump: (x: number, y: number | null) => void, onHover: (x: number | null, y: number | null, event?: Event) => void }} */ options,
  ) {
    this.options = options;
    const close = iconButton("close", "Close", () => {
      this.closed = this.shown;
      this.element.hidden = true;
    });
    this.body = h("tbody");
    this.head = h("tr");
    this.rest = h("p.note");
    this.table = h("table.changes", h("thead", this.head), this.body);
    const box = tableBox("The terms that changed", this.table);
    this.card = card("change", "What changed", [close], box, this.rest);
    this.element = this.card.element;
    this.element.hidden = true;
  }

  setData(/** @type {Change | null} */ change, /** @type {string[]} */ names) {
    this.shown = change?.id ?? null;
    this.element.hidden = !change || this.closed === this.shown;
    if (!change) return;
    this.names = names;
    setText(this.card.heading, change.headline);
    setText(this.card.sub, change.about && `· ${change.about}`);
    const local = change.kind === "local";
    const numbers = ["before", "after", "difference"].map((name) => [name, "number"]);
    this.head.replaceChildren(...headers([[local ? "variable" : "assertion"], ["what changed"], ...numbers]));
    this.body.replaceChildren(...change.rows.map((row) => this.row(row)));
    this.table.hidden = change.rows.length === 0;
    setText(this.rest, change.rest);
    this.rest.hidden = !change.rest;
  }

  row(/** @type {ChangedTerm} */ row) {
    const { x, y, dependent, what, before, after, difference } = row;
    const name = (/** @type {number} */ i) => this.names[i];
    const title = y === null ? name(x) : `${name(x)} ${dependent ? "⊥̸" : "⊥"} ${name(y)}`;
    const assertion = y === null ? [name(x)] : [name(x), " ", sign(dependent), " ", name(y)];
    const value = (/** @type {number | null} */ v) =>
      h("td.number", v === null ? h("span.sub", "inferred") : fixed(v, digits(v)));
    const hover = (/** @type {Event} */ event) => this.options.onHover(x, y, event);
    const leave = () => this.options.onHover(null, null);
    const on = { click: () => this.options.onJump(x, y), pointerenter: hover, pointerleave: leave };
    return h("tr", { on }, [
      h(
        "td.edge-name",
        button("link", { title: `Go to ${title}`, on: { focus: hover, blur: leave } }, assertion),
      ),
      h("td.edge-name", what),
      value(before),
      value(after),
      h(difference < 0 ? "td.number.fell" : "td.number.rose", signed(difference, digits(difference))),
    ]);
  }
}
