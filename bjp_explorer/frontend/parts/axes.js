/** Two linear axes with grid and titles, and the map between values and pixels. */

import { svg } from "./dom.js";
import { fixed } from "../logic/format.js";
import { ticks } from "../logic/ticks.js";
import { letterScale } from "./projector.js";

/** Room below for marks and title, and above. */
const BELOW = 44;
const ABOVE = 10;

/** @typedef {{ title: string, low: number, high: number, whole: boolean }} Axis */

export class Axes {
  /** @type {{ left: number, right: number, top: number, bottom: number }} */
  frame;
  /** @type {Axis} */
  xs;
  /** @type {Axis} */
  ys;

  constructor() {
    this.element = svg("g", { class: "grid" });
  }

  /**
   * Lay them out.
   *
   * @param {number} width
   * @param {number} height
   * @param {Axis} x
   * @param {Axis} y
   */
  draw(width, height, x, y) {
    const letters = letterScale();
    const across = marksOf(x, Math.max(2, Math.floor(width / (90 * letters))));
    const up = marksOf(y, Math.max(2, Math.floor(height / (60 * letters))));
    const left = letters * (30 + Math.max(...up.map(({ text }) => text.length * 7)));
    this.frame = { left, right: width - 10, top: ABOVE, bottom: height - BELOW * letters };
    const { right, top, bottom } = this.frame;
    Object.assign(this, { xs: x, ys: y });
    const middle = (top + bottom) / 2;
    this.element.replaceChildren(
      ...up.map(({ value, text }) =>
        svg(
          "g",
          {},
          svg("line", { x1: left, x2: right, y1: this.y(value), y2: this.y(value) }),
          svg("text", { x: left - 7, y: this.y(value), dy: "0.35em", "text-anchor": "end", text }),
        )
      ),
      ...across.map(({ value, text }) =>
        svg(
          "g",
          {},
          svg("line", { x1: this.x(value), x2: this.x(value), y1: top, y2: bottom }),
          svg("text", { x: this.x(value), y: bottom + 17 * letters, "text-anchor": "middle", text }),
        )
      ),
      svg("text", {
        class: "title",
        x: (left + right) / 2,
        y: height - 6 * letters,
        "text-anchor": "middle",
        text: x.title,
      }),
      svg("text", {
        class: "title",
        transform: `translate(${12 * letters} ${middle}) rotate(-90)`,
        "text-anchor": "middle",
        text: y.title,
      }),
    );
  }

  x(/** @type {number} */ value) {
    const { left, right } = this.frame;
    return left + ((value - this.xs.low) / (this.xs.high - this.xs.low)) * (right - left);
  }

  y(/** @type {number} */ value) {
    const { top, bottom } = this.frame;
    return bottom - ((value - this.ys.low) / (this.ys.high - this.ys.low)) * (bottom - top);
  }

  /** The values at a place in pixels. */
  valuesAt(/** @type {number[]} */ ...at) {
    const [px, py] = at;
    const { left, right, top, bottom } = this.frame;
    const share = [(px - left) / (right - left), (bottom - py) / (bottom - top)];
    return [this.xs, this.ys].map(({ low, high }, k) =>
      low + Math.min(1, Math.max(0, share[k])) * (high - low)
    );
  }
}

function marksOf(/** @type {Axis} */ { low, high, whole }, /** @type {number} */ most) {
  const found = ticks(low, high, most).filter((value) => !whole || Number.isInteger(value));
  const apart = Math.abs(found[1] - found[0]) || 1;
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(apart) - 1e-9)));
  return found.map((value) => ({ value, text: fixed(value, digits) }));
}
