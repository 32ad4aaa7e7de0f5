/** The score of one climb by step: hover for values, click to go there. */

import { setAttr, svg } from "./dom.js";
import { fixed, scoreDigits } from "../logic/format.js";
import { nearest } from "../logic/timeline.js";
import { Plot } from "./plot.js";
import { DOTS, Series } from "./series.js";

/** @import { LineLook } from "../payloads.d.ts" */

export class ScoreChart {
  step = 0;
  /** @type {number | null} the score that the refused last proposal would have had */ rejected = null;
  /** @type {number | null} the step that is marked as the best */ best = null;
  /** @type {number[]} where each step stands, the refused proposal last */ at = [0];

  /**
   * @param {object} options
   * @param {string} options.label
   * @param {(step: number) => void} options.onJump
   * @param {(step: number | null, event: PointerEvent) => void} [options.onHover]
   * @param {boolean} [options.compact] a line without axes and dots
   */
  constructor({ label, onJump, onHover, compact = false }) {
    this.series = new Series(compact ? 0 : DOTS);
    this.proposal = svg("g", { class: "rejected" });
    this.ring = svg("circle", { class: "best", r: 9, visibility: "hidden" });
    this.plot = new Plot({
      label,
      under: [this.series.line, this.series.dots, this.proposal, this.ring],
      over: [this.series.marker],
      draw: () => this.draw(),
      stepAt: (place) => nearest(this.at, place),
      placeOf: (step) => this.at[step],
      onJump,
      onHover,
      compact,
    });
    this.svg = this.plot.svg;
    this.element = this.plot.element;
  }

  /** Which score it is, as its look says. */
  setLook(/** @type {LineLook} */ look) {
    this.series.setLook(look);
  }

  /**
   * values by step; rejected: the value a refused last step would have had; at: where each step
   * stands on the axis, by default at its number; best: a step to be marked.
   */
  setData(
    /** @type {number[]} */ values,
    /** @type {number | null} */ rejected = null,
    /** @type {{ at?: number[] | null, best?: number | null }} */ { at = null, best = null } = {},
  ) {
    const places = at ?? values.map((_, k) => k);
    const last = places[places.length - 1];
    this.at = rejected === null ? places : [...places, last + 1];
    Object.assign(this, { rejected, best });
    this.series.setData(values, places);
    const known = rejected === null ? values : [...values, rejected];
    this.plot.setRange(known, this.at[this.at.length - 1], at !== null);
  }

  draw() {
    const { plot, series, rejected, best } = this;
    series.draw(plot);
    const end = series.values.length - 1;
    if (rejected === null) this.proposal.replaceChildren();
    else {
      const [x, y] = [plot.x(this.at[end + 1]), plot.y(rejected)];
      this.proposal.replaceChildren(
        svg("line", { x1: plot.x(this.at[end]), y1: plot.y(series.values[end]), x2: x, y2: y }),
        svg("circle", { cx: x, cy: y, r: 5 }),
      );
    }
    setAttr(this.ring, "visibility", best === null ? "hidden" : null);
    if (best !== null) {
      setAttr(this.ring, "cx", plot.x(this.at[best]).toFixed(1));
      setAttr(this.ring, "cy", plot.y(series.values[best]).toFixed(1));
    }
    this.setStep(this.step);
  }

  valueAt(/** @type {number} */ step) {
    return step < this.series.values.length ? this.series.values[step] : this.rejected;
  }

  setStep(/** @type {number} */ step) {
    this.step = step;
    if (this.plot.frame) this.series.mark(this.plot, this.at[step] ?? null, this.valueAt(step));
  }

  /** Text of a value at the precision of the chart. */
  text(/** @type {number} */ step) {
    const value = this.valueAt(step);
    return fixed(value, scoreDigits(value ?? 0));
  }

  destroy() {
    this.plot.destroy();
  }
}
