/** The scores of one climb in a plot: a line, a dot for each of few, and where the climb stands now. */

import { setAttr, svg } from "./dom.js";

/** More dots than this would run into one another. */
export const DOTS = 60;
/** The first climb has circles, a second one squares, so that they differ without their colours. */
const SHAPES = {
  circle: (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ r,
  ) => ["circle", { cx: x, cy: y, r }],
  square: (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ r,
  ) => ["rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r }],
};

export class Series {
  /** @type {number[]} */
  values = [];
  /** @type {number[]} where each value stands */
  at = [];

  constructor(/** @type {"circle" | "square"} */ shape, most = DOTS) {
    this.shape = shape;
    this.most = most;
    const kind = shape === "square" ? " other" : "";
    this.line = svg("path", { class: `line${kind}` });
    this.dots = svg("g", { class: `dots${kind}` });
    this.marker = svg(shape === "square" ? "rect" : "circle", {
      class: `marker${kind}`,
      visibility: "hidden",
    });
  }

  setData(/** @type {number[]} */ values, /** @type {number[]} */ at) {
    Object.assign(this, { values, at });
  }

  draw(/** @type {import("./plot.js").Plot} */ plot) {
    const points = this.values.map((v, k) => [plot.x(this.at[k]), plot.y(v)]);
    const path = points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`);
    setAttr(this.line, "d", path.join(""));
    this.dots.replaceChildren(
      ...(points.length <= this.most
        ? points.map(([x, y]) => {
          const [tag, place] = SHAPES[this.shape](x, y, this.shape === "square" ? 3.5 : 4);
          return svg(/** @type {string} */ (tag), /** @type {import("./dom.js").Props} */ (place));
        })
        : []),
    );
  }

  /** Mark a place and a score; without them nothing is marked. */
  mark(
    /** @type {import("./plot.js").Plot} */ plot,
    /** @type {number | null} */ place,
    /** @type {number | null | undefined} */ value,
  ) {
    const there = place !== null && value !== null && value !== undefined;
    setAttr(this.marker, "visibility", there ? null : "hidden");
    if (!there) return;
    const [, where] = SHAPES[this.shape](plot.x(place), plot.y(value), this.shape === "square" ? 5.5 : 6.5);
    for (const [name, value_] of Object.entries(where)) setAttr(this.marker, name, value_.toFixed(1));
  }
}
