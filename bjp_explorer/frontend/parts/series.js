/** The scores of one climb in a plot: a line, a dot for each of few, and where the climb stands now. */

import { setAttr, svg } from "./dom.js";

/** @import { LineLook } from "../payloads.d.ts" */
/** @import { Plot } from "./plot.js" */

/** More dots than this would run into one another. */
export const DOTS = 60;
const [DOT, MARKER] = [4, 6.5];

/**
 * Outlines of marks, told apart by shape, not by colour alone.
 *
 * @type {Record<string, (x: number, y: number, r: number) => string>}
 */
const OUTLINES = {
  circle: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  square: (x, y, r) => `M${x - r * 0.88} ${y - r * 0.88}h${r * 1.76}v${r * 1.76}h${-r * 1.76}z`,
  "triangle-up": (x, y, r) =>
    `M${x} ${y - r * 1.2}L${x + r * 1.15} ${y + r * 0.85}L${x - r * 1.15} ${y + r * 0.85}z`,
  "triangle-down": (x, y, r) =>
    `M${x} ${y + r * 1.2}L${x + r * 1.15} ${y - r * 0.85}L${x - r * 1.15} ${y - r * 0.85}z`,
};

export class Series {
  /** @type {number[]} */ values = [];
  /** @type {number[]} where each value stands */ at = [];
  outline = OUTLINES.circle;

  constructor(most = DOTS) {
    this.most = most;
    this.line = svg("path", { class: "line" });
    this.dots = svg("path", { class: "dots" });
    this.marker = svg("path", { class: "marker", visibility: "hidden" });
  }

  /** Hue, dash and marker. */
  setLook(/** @type {LineLook} */ { symbol, dash, score }) {
    this.outline = OUTLINES[symbol] ?? OUTLINES.circle;
    for (const part of [this.line, this.dots, this.marker]) setAttr(part, "data-score", score || null);
    setAttr(this.line, "data-dash", dash);
    setAttr(this.marker, "data-symbol", symbol);
  }

  setData(/** @type {number[]} */ values, /** @type {number[]} */ at) {
    Object.assign(this, { values, at });
  }

  draw(/** @type {Plot} */ plot) {
    const points = this.values.map((v, k) => [plot.x(this.at[k]), plot.y(v)]);
    const path = points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`);
    setAttr(this.line, "d", path.join(""));
    const few = points.length <= this.most;
    setAttr(
      this.dots,
      "d",
      few ? points.map(([x, y]) => this.outline(x, y, DOT * plot.letters)).join("") : "",
    );
  }

  /** Mark a place and a score; without them nothing is marked. */
  mark(
    /** @type {Plot} */ plot,
    /** @type {number | null} */ place,
    /** @type {number | null | undefined} */ value,
  ) {
    const there = place !== null && value !== null && value !== undefined;
    setAttr(this.marker, "visibility", there ? null : "hidden");
    if (there) {
      setAttr(this.marker, "d", this.outline(plot.x(place), plot.y(value), MARKER * plot.letters));
    }
  }
}
