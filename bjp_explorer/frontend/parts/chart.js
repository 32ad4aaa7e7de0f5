/** Scores by step, of one climb or of two with the same score: hover for values, click to go there. */

import { setAttr, setAttrs, svg } from "./dom.js";
import { fixed, scoreDigits } from "../logic/format.js";
import { nearest, stateAt } from "../logic/timeline.js";
import { Plot } from "./plot.js";
/** @import { LineLook } from "../payloads.d.ts" */
/** @typedef {{ values: number[], at: number[] }} Scores at being where each value stands */

/** More dots than this would run into one another. */
const DOTS = 60;
const [DOT, MARKER] = [4, 6.5];

/** @typedef {(x: number, y: number, r: number) => string} Outline */
/** Marks are told apart by shape, not by colour alone. @type {Record<string, Outline>} */
const OUTLINES = {
  circle: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  square: (x, y, r) => `M${x - r * 0.88} ${y - r * 0.88}h${r * 1.76}v${r * 1.76}h${-r * 1.76}z`,
  "triangle-up": (x, y, r) =>
    `M${x} ${y - r * 1.2}L${x + r * 1.15} ${y + r * 0.85}L${x - r * 1.15} ${y + r * 0.85}z`,
  "triangle-down": (x, y, r) =>
    `M${x} ${y + r * 1.2}L${x + r * 1.15} ${y - r * 0.85}L${x - r * 1.15} ${y - r * 0.85}z`,
};

/** The scores of one climb: a line, a dot for each of few, and where the climb stands now. */
class Series {
  /** @type {Scores} */ scores = { values: [], at: [] };
  outline = OUTLINES.circle;
  line = svg("path.line");
  dots = svg("path.dots");
  marker = svg("path.marker", { visibility: "hidden" });

  setLook(/** @type {LineLook} */ { symbol, dash, score }) {
    this.outline = OUTLINES[symbol] ?? OUTLINES.circle;
    for (const part of [this.line, this.dots, this.marker]) setAttr(part, "data-score", score || null);
    setAttr(this.line, "data-dash", dash);
    setAttr(this.marker, "data-symbol", symbol);
  }

  draw(/** @type {Plot} */ plot, /** @type {boolean} */ dotted) {
    const { values, at } = this.scores;
    const points = values.map((v, k) => [plot.x(at[k]), plot.y(v)]);
    const path = points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`);
    setAttr(this.line, "d", path.join(""));
    const dots = dotted && points.length <= DOTS ? points : [];
    setAttr(this.dots, "d", dots.map(([x, y]) => this.outline(x, y, DOT * plot.letters)).join(""));
  }

  mark(/** @type {Plot} */ plot, /** @type {number} */ place, /** @type {number | null} */ value) {
    setAttr(this.marker, "visibility", value === null ? "hidden" : null);
    if (value !== null) {
      setAttr(this.marker, "d", this.outline(plot.x(place), plot.y(value), MARKER * plot.letters));
    }
  }
}

export class ScoreChart {
  step = 0;
  /** @type {number[]} where each step of the player stands */ ticks = [0];
  /** @type {number | null} the score that the refused last proposal would have had */ rejected = null;
  /** @type {number | null} the step that is marked as the best */ best = null;
  waiting = svg("path.line.waiting");
  proposal = svg("g.rejected");
  ring = svg("circle.best", { r: 9, visibility: "hidden" });

  /**
   * @param {object} options
   * @param {string} options.label
   * @param {(step: number) => void} options.onJump
   * @param {(step: number | null, event: PointerEvent) => void} [options.onHover]
   * @param {boolean} [options.compact] a line without axes and dots
   * @param {number} [options.lines]
   */
  constructor({ label, onJump, onHover, compact = false, lines = 1 }) {
    this.compact = compact;
    this.series = Array.from({ length: lines }, () => new Series());
    const drawn = this.series.flatMap(({ line, dots }) => [line, dots]);
    this.plot = new Plot({
      label,
      under: [lines > 1 ? this.waiting : null, ...drawn, this.proposal, this.ring],
      over: this.series.map(({ marker }) => marker),
      draw: () => this.draw(),
      stepAt: (place) => nearest(this.ticks, place),
      placeOf: (step) => this.ticks[step],
      onJump,
      onHover,
      compact,
    });
    this.svg = this.plot.svg;
    this.element = this.plot.element;
  }

  setLooks(/** @type {LineLook[]} */ looks) {
    this.series.forEach((series, k) => series.setLook(looks[k]));
  }

  /** scores: of each line; ticks: where each step of the player stands. */
  setData(
    /** @type {(Scores | null)[]} */ scores,
    /** @type {number[]} */ ticks,
    {
      rejected = /** @type {number | null} */ (null),
      best = /** @type {number | null} */ (null),
      wide = false,
    } = {},
  ) {
    Object.assign(this, { ticks, rejected, best });
    this.series.forEach((series, k) => series.scores = scores[k] ?? { values: [], at: [] });
    const values = this.series.flatMap((series) => series.scores.values);
    this.plot.setRange(rejected === null ? values : [...values, rejected], ticks[ticks.length - 1], wide);
  }

  draw() {
    const { plot, series, rejected, best } = this;
    for (const each of series) each.draw(plot, !this.compact);
    setAttr(this.waiting, "d", series.map(({ scores }) => this.restOf(scores)).join(""));
    const [{ values, at }] = series.map(({ scores }) => scores);
    this.proposal.replaceChildren();
    if (rejected !== null) {
      const end = values.length - 1;
      const [x, y] = [plot.x(this.ticks[end + 1]), plot.y(rejected)];
      const line = svg("line", { x1: plot.x(at[end]), y1: plot.y(values[end]), x2: x, y2: y });
      this.proposal.append(line, svg("circle", { cx: x, cy: y, r: 5 }));
    }
    setAttr(this.ring, "visibility", best === null ? "hidden" : null);
    if (best !== null) {
      setAttrs(this.ring, { cx: plot.x(at[best]).toFixed(1), cy: plot.y(values[best]).toFixed(1) });
    }
    this.setStep(this.step);
  }

  /** A climb that has ended waits for the other: level from its last flip to the end. */
  restOf(/** @type {Scores} */ { values, at }) {
    const end = values.length - 1;
    const { plot } = this;
    if (this.series.length < 2 || end < 0 || at[end] >= plot.reach) return "";
    const y = plot.y(values[end]).toFixed(1);
    return `M${plot.x(at[end]).toFixed(1)} ${y}L${plot.x(plot.reach).toFixed(1)} ${y}`;
  }

  valueAt(/** @type {number} */ step, { scores: { values, at } } = this.series[0]) {
    if (this.rejected !== null && step === values.length) return this.rejected;
    return values[stateAt(at, this.ticks[step])] ?? null;
  }

  setStep(/** @type {number} */ step) {
    this.step = step;
    const place = this.ticks[step];
    // A shorter timeline has come and the player's step not yet.
    if (!this.plot.frame || place === undefined) return;
    for (const series of this.series) series.mark(this.plot, place, this.valueAt(step, series));
  }

  text(/** @type {number} */ step) {
    const value = this.valueAt(step);
    return fixed(value, scoreDigits(value));
  }
}
