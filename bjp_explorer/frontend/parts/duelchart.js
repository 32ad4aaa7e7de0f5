/** Scores against one timeline: one climb, or two with the same score on one axis. */

import { setAttr, svg } from "./dom.js";
import { stateAt } from "../logic/timeline.js";
import { Plot } from "./plot.js";
import { Series } from "./series.js";

/** @import { LineLook } from "../payloads.d.ts" */

/** @typedef {{ values: number[], at: number[] }} Scores at being where each value stands */

export class DuelChart {
  step = 0;
  /** @type {Series[]} those that have something to show */ used = [];

  /**
   * @param {object} options
   * @param {string} options.label
   * @param {(step: number) => void} options.onJump
   * @param {(step: number | null, event: PointerEvent) => void} options.onHover
   * @param {(place: number) => number} options.tick the step of the player that a place stands for
   * @param {(step: number) => number} options.place where a step of the player stands
   */
  constructor({ label, onJump, onHover, tick, place }) {
    this.place = place;
    this.sides = [new Series(), new Series()];
    this.waiting = svg("path", { class: "line waiting" });
    this.plot = new Plot({
      label,
      under: [this.waiting, ...this.sides.flatMap(({ line, dots }) => [line, dots])],
      over: this.sides.map(({ marker }) => marker),
      draw: () => this.draw(),
      stepAt: tick,
      placeOf: place,
      onJump,
      onHover,
    });
    this.svg = this.plot.svg;
    this.element = this.plot.element;
  }

  /** How the lines of the first climb and of the second are drawn. */
  setLooks(/** @type {LineLook[]} */ looks) {
    this.sides.forEach((series, k) => series.setLook(looks[k]));
  }

  /** The scores of the first climb and of the second; null for one that is drawn elsewhere. */
  setSeries(/** @type {(Scores | null)[]} */ scores, /** @type {number} */ span) {
    this.sides.forEach((series, k) => series.setData(scores[k]?.values ?? [], scores[k]?.at ?? []));
    this.used = this.sides.filter((series) => series.values.length);
    this.plot.setRange(this.used.flatMap(({ values }) => values), span, true);
  }

  draw() {
    for (const series of this.sides) series.draw(this.plot);
    setAttr(this.waiting, "d", this.used.map((series) => this.restOf(series)).join(""));
    this.setStep(this.step);
  }

  /** A climb that has ended waits: level from its last flip to the end. */
  restOf(/** @type {Series} */ { values, at }) {
    const end = values.length - 1;
    const { plot } = this;
    if (at[end] >= plot.reach) return "";
    const y = plot.y(values[end]).toFixed(1);
    return `M${plot.x(at[end]).toFixed(1)} ${y}L${plot.x(plot.reach).toFixed(1)} ${y}`;
  }

  /** step is the player's. */
  setStep(/** @type {number} */ step) {
    this.step = step;
    const place = this.place(step);
    // A shorter timeline has come and the player's step not yet.
    if (!this.plot.frame || !Number.isFinite(place)) return;
    for (const series of this.sides) {
      const value = this.used.includes(series) ? series.values[stateAt(series.at, place)] : null;
      series.mark(this.plot, place, value);
    }
  }

  destroy() {
    this.plot.destroy();
  }
}
