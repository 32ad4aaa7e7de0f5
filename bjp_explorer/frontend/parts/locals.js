/** The n local scores of MPL as a list of bars, one a variable, filled as the walk goes on. */

import { h, setAttr, setText, svg } from "./dom.js";
import { fixed, listed } from "../logic/format.js";
import { compose } from "./download.js";
import { css } from "./theme.js";
/** @import { Terms } from "../payloads.d.ts" */
/** @import { Theme } from "./theme.js" */

export class LocalList {
  /** @type {number[]} */ values = [];
  /** @type {number[]} */ shares = [];
  /** @type {{ row: HTMLLIElement, value: HTMLSpanElement }[]} */ items = [];

  element = h("ol.locals");

  /** @param {(t: number) => void} onJump @param {(t: number | null, event: PointerEvent) => void} onHover */
  constructor(onJump, onHover) {
    this.onJump = onJump;
    this.onHover = onHover;
  }

  setData(
    /** @type {{ names: string[], terms: Terms }} */ { names, terms },
    /** @type {(t: number) => number[]} */ given,
  ) {
    const largest = Math.max(...terms.value.map(Math.abs), 1e-12);
    this.shares = terms.value.map((value) => Math.abs(value) / largest);
    this.values = terms.value;
    this.items = terms.x.map((x, t) => {
      const value = h("span.value");
      const bar = h("span.bar", { style: `--share:${this.shares[t]}` });
      const others = given(t).map((i) => names[i]);
      const on = {
        click: () => this.onJump(t),
        pointerenter: (/** @type {PointerEvent} */ event) => this.onHover(t, event),
        pointerleave: (/** @type {PointerEvent} */ event) => this.onHover(null, event),
      };
      const said = others.length ? `given ${listed(others, 4)}` : "given nothing";
      const row = h("li", { "data-x": x, "data-state": "todo", on }, [
        h("span.name", { text: names[x], title: names[x] }),
        h("span.given", { text: said, title: others.join(", ") }),
        h("span.track", bar),
        value,
      ]);
      return { row, value };
    });
    this.element.replaceChildren(...this.items.map((item) => item.row));
    this.setStep(0);
  }

  setStep(/** @type {number} */ step) {
    this.items.forEach(({ row, value }, t) => {
      const state = t < step ? "computed" : "todo";
      setAttr(row, "data-state", t === step - 1 ? `${state} current` : state);
      setAttr(row, "aria-current", t === step - 1 ? "step" : null);
      setText(value, t < step ? fixed(this.values[t], 3) : "");
    });
    const current = this.items[step - 1]?.row;
    const box = this.element;
    if (current && box.scrollHeight > box.clientHeight) {
      const y = current.offsetTop - box.offsetTop;
      if (y < box.scrollTop || y + current.offsetHeight > box.scrollTop + box.clientHeight) {
        box.scrollTop = y - box.clientHeight / 2;
      }
    }
  }

  light(/** @type {number | null} */ node) {
    this.items.forEach(({ row }) => setAttr(row, "data-lit", Number(row.dataset.x) === node ? "" : null));
  }

  drawing(/** @type {Theme} */ theme, /** @type {string[]} */ names, /** @type {Terms} */ terms) {
    const line = 22;
    const width = 560;
    const hue = getComputedStyle(this.element).getPropertyValue("--mpl");
    const font = { "font-family": theme.font, "font-size": 13, fill: css(theme.ink) };
    const parts = terms.x.flatMap((x, t) => [
      svg("text", { ...font, x: 190, y: t * line + 15, "text-anchor": "end", text: names[x] }),
      svg("rect", { x: 200, y: t * line + 5, height: 12, width: this.shares[t] * 250, fill: hue }),
      svg("text", { ...font, x: 206 + this.shares[t] * 250, y: t * line + 15 }, fixed(terms.value[t], 3)),
    ]);
    const height = terms.x.length * line + 4;
    return compose([{ node: svg("svg", parts), x: 0, y: 0, width, height }], width, height, css(theme.paper));
  }
}
