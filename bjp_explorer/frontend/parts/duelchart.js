/** Scores against one timeline: one climb, or two with the same score on one axis. */

import { ScoreChart } from "./chart.js";
import { setAttr, svg } from "./dom.js";
import { stateAt } from "../logic/timeline.js";

/**
 * A chart whose axis is the common timeline.
 *
 * Besides those of a ScoreChart, options: { tick(place) -> step of the player, place(step) -> place }.
 */
export class DuelChart extends ScoreChart {
  constructor(options) {
    super(options);
    this.otherLine = svg("path", { class: "line other" });
    this.otherDots = svg("g", { class: "dots other" });
    this.otherMarker = svg("rect", { class: "marker other", width: 11, height: 11, visibility: "hidden" });
    this.line.after(this.otherLine, this.otherDots);
    this.marker.before(this.otherMarker);
    this.waiting = svg("path", { class: "line waiting" });
    this.line.before(this.waiting);
  }

  /**
   * series: one or two { values, at }, at being where each value stands; span: the end of the axis;
   * second: whether the one series is the second climb's, which is drawn in its own way.
   */
  setSeries(series, span, second = false) {
    if (!series.length) return;
    this.svg.toggleAttribute("data-second", second);
    this.other = series[1] ?? null;
    this.span = span;
    this.setData(series[0].values, null, { at: series[0].at });
  }

  get known() {
    return [...super.known, ...(this.other?.values ?? [])];
  }

  get reach() {
    return Math.max(1, this.span ?? 1);
  }

  drawLine() {
    super.drawLine();
    const few = (values) => values.length <= 60;
    setAttr(this.otherLine, "d", this.other ? this.lineOf(this.other) : "");
    this.otherDots.replaceChildren(
      ...(this.other && few(this.other.values)
        ? this.other.values.map((v, k) =>
          svg("rect", { x: this.across(this.other.at[k]) - 3.5, y: this.y(v) - 3.5, width: 7, height: 7 })
        )
        : []),
    );
    const ends = [{ values: this.values, at: this.at }, this.other].filter(Boolean);
    setAttr(this.waiting, "d", ends.map((series) => this.restOf(series)).join(""));
  }

  across(place) {
    const { left, right } = this.frame;
    return left + (place / this.reach) * (right - left);
  }

  lineOf({ values, at }) {
    return values.map((v, k) => `${k ? "L" : "M"}${this.across(at[k]).toFixed(1)} ${this.y(v).toFixed(1)}`)
      .join("");
  }

  /** A climb that has ended waits: level from its last flip to the end. */
  restOf({ values, at }) {
    const end = values.length - 1;
    if (at[end] >= this.reach) return "";
    const y = this.y(values[end]).toFixed(1);
    return `M${this.across(at[end]).toFixed(1)} ${y}L${this.across(this.reach).toFixed(1)} ${y}`;
  }

  /** step is the player's. */
  setStep(step) {
    this.step = step;
    if (!this.y || !this.at) return;
    const place = this.options.place(step);
    // A shorter timeline has come and the player's step not yet.
    if (!Number.isFinite(place)) return;
    const own = stateAt(this.at, place);
    setAttr(this.marker, "cx", this.across(place).toFixed(1));
    setAttr(this.marker, "cy", this.y(/** @type {number} */ (this.values[own])).toFixed(1));
    setAttr(this.otherMarker, "visibility", this.other ? null : "hidden");
    if (!this.other) return;
    const y = this.y(this.other.values[stateAt(this.other.at, place)]);
    setAttr(this.otherMarker, "x", (this.across(place) - 5.5).toFixed(1));
    setAttr(this.otherMarker, "y", (y - 5.5).toFixed(1));
  }

  stepAt(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - this.frame.left) / (this.frame.right - this.frame.left);
    return this.options.tick(Math.min(1, Math.max(0, share)) * this.reach);
  }

  /** Where the rule of a hovered step stands. */
  ruleAt(step) {
    return this.across(this.options.place(step));
  }
}
