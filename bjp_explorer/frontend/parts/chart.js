/** Scores by step, of one climb or of two with the same score: hover for values, click to go there. */

import { button, h, setAttr, setAttrs, setText, svg } from "./dom.js";
import { fixed, scoreDigits } from "../logic/format.js";
import { canLog, SCALES, ticks, usualScale } from "../logic/scales.js";
import { nearest, stateAt } from "../logic/timeline.js";
import { letterScale } from "./projector.js";
/** @import { LineLook } from "../payloads.d.ts" */
/** @typedef {{ values: number[], at: number[] }} Scores at being where each value stands */

/** More dots than this would run into one another. */
const DOTS = 60;
const [DOT, MARKER] = [4, 6.5];
/** What a range of scores near zero may add, so that the axis ends there. */
const TO_ZERO = 0.15;

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
}

export class ScoreChart {
  step = 0;
  /** @type {number[]} where each step of the player stands */ ticks = [0];
  /** @type {number} the end of the horizontal axis */ reach = 1;
  /** @type {number} the place up to which lines are drawn */ known = Infinity;
  /** @type {number[]} what the vertical axis has room for */ range = [];
  /** @type {number | null} the score that the refused last proposal would have had */ rejected = null;
  /** @type {number | null} the step that is marked as the best */ best = null;
  /** @type {boolean} whether places are large numbers */ wide = false;
  /** @type {"linear" | "log" | null} chosen by hand; null leaves it to the scores */ chosen = null;
  /** @type {number} how much larger letters are than usual */ letters = 1;
  /** @type {{ left: number, right: number, top: number, bottom: number }} */ frame;
  /** @type {(value: number) => number} */ y;
  size = { width: 400, height: 220 };
  grid = svg("g.grid");
  waiting = svg("path.line.waiting");
  proposal = svg("g.rejected");
  ring = svg("circle.best", { r: 9, visibility: "hidden" });
  rule = svg("line.rule", { visibility: "hidden" });

  /**
   * @param {object} options
   * @param {string} options.label
   * @param {(step: number) => void} options.onJump
   * @param {(step: number | null, event: PointerEvent) => void} options.onHover
   * @param {boolean} [options.compact] a line without axes and dots
   * @param {number} [options.lines]
   */
  constructor({ label, onJump, onHover, compact = false, lines = 1 }) {
    this.onHover = onHover;
    this.compact = compact;
    this.series = Array.from({ length: lines }, () => new Series());
    this.svg = svg(compact ? "svg.chart.compact" : "svg.chart", { role: "img", "aria-label": label }, [
      this.grid,
      lines > 1 ? this.waiting : null,
      this.series.map(({ line, dots }) => [line, dots]),
      this.proposal,
      this.ring,
      this.rule,
      this.series.map(({ marker }) => marker),
    ]);
    this.element = h("div.chart-box", this.svg);
    const switchScale = () => {
      this.chosen = this.scale === "log" ? "linear" : "log";
      this.draw();
    };
    this.scaleButton = button("tool.text", { on: { click: switchScale } });
    this.svg.addEventListener("click", (event) => onJump(this.stepAt(event)));
    this.svg.addEventListener("pointermove", (event) => this.hover(this.stepAt(event), event));
    this.svg.addEventListener("pointerleave", (event) => this.hover(null, event));
    new ResizeObserver(() => this.resize()).observe(this.svg);
  }

  setLooks(/** @type {LineLook[]} */ looks) {
    this.series.forEach((series, k) => series.setLook(looks[k]));
  }

  /** scores: of each line; ticks: where each step of the player stands. */
  setData(
    /** @type {(Scores | null)[]} */ scores,
    /** @type {number[]} */ ticks,
    /** @type {{ rejected?: number | null, best?: number | null, wide?: boolean }} */ more = {},
  ) {
    const { rejected = null, best = null, wide = false } = more;
    Object.assign(this, { ticks, rejected, best, wide, reach: Math.max(1, ticks[ticks.length - 1]) });
    this.series.forEach((series, k) => series.scores = scores[k] ?? { values: [], at: [] });
    const values = this.series.flatMap((series) => series.scores.values);
    this.range = rejected === null ? values : [...values, rejected];
    this.draw();
  }

  /** @returns {"linear" | "log"} */
  get scale() {
    if (this.compact) return "linear";
    return this.chosen === "log" && !canLog(this.range) ? "linear" : this.chosen ?? usualScale(this.range);
  }

  resize() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (width < 20 || height < 20 || (width === this.size.width && height === this.size.height)) return;
    this.size = { width, height };
    this.draw();
  }

  draw() {
    if (!this.range.length) return;
    this.drawAxes();
    const { series: [{ scores: { values, at } }], rejected, best } = this;
    this.proposal.replaceChildren();
    if (rejected !== null) {
      const end = values.length - 1;
      const [x, y] = [this.x(this.ticks[end + 1]), this.y(rejected)];
      const line = svg("line", { x1: this.x(at[end]), y1: this.y(values[end]), x2: x, y2: y });
      this.proposal.append(line, svg("circle", { cx: x, cy: y, r: 5 }));
    }
    setAttr(this.ring, "visibility", best === null ? "hidden" : null);
    if (best !== null) {
      setAttrs(this.ring, { cx: this.x(at[best]).toFixed(1), cy: this.y(values[best]).toFixed(1) });
    }
    this.drawLines();
    this.setStep(this.step);
  }

  /** The axes, with round values where there is room for them. */
  drawAxes() {
    const { compact } = this;
    const { width, height } = this.size;
    const letters = this.letters = letterScale();
    const scale = SCALES[this.scale];
    const linear = scale === SCALES.linear;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.dataset.scale = this.scale;
    let [low, high] = [Math.min(...this.range), Math.max(...this.range)];
    if (linear && !compact && high < 0 && -high < TO_ZERO * (high - low)) high = 0;
    if (low === high) {
      [low, high] = low === 0 ? [-1, 0] : [Math.min(low * 1.5, low * 0.5), Math.max(low * 1.5, low * 0.5)];
    }
    const most = Math.max(2, Math.min(6, Math.floor(height / (letters * 30))));
    const marks = compact ? [] : scale.ticks(low, high, most);
    // Marks less than 1 apart need decimals to differ.
    const apart = Math.abs(marks[1] - marks[0]) || 1;
    const decimals = (/** @type {number} */ v) =>
      Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.abs(v) || 1) - 1e-9)));
    const texts = marks.map((v) => fixed(v, decimals(linear ? apart : v)));
    const left = compact ? 8 : Math.max(34, ...texts.map((text) => letters * text.length * 7.4 + 14));
    const [right, top] = [width - 12, letters * (linear ? 12 : 26)];
    const bottom = height - (compact ? 10 : letters * 26);
    this.frame = { left, right, top, bottom };
    const [a, b] = [scale.to(low), scale.to(high)];
    this.y = (v) => bottom - ((scale.to(v) - a) / (b - a)) * (bottom - top);
    const lines = marks.map((v, k) =>
      svg("g", { "data-value": v }, [
        svg("line", { x1: left, x2: right, y1: this.y(v), y2: this.y(v) }),
        svg("text", { x: left - 8, y: this.y(v), dy: "0.35em", "text-anchor": "end", text: texts[k] }),
      ])
    );
    const room = Math.max(2, Math.floor((right - left) / (letters * (this.wide ? 56 : 32))));
    const steps = compact ? [] : ticks(0, this.reach, room).filter(Number.isInteger);
    const place = { y: bottom + 18 * letters, "text-anchor": "middle" };
    const numbers = steps.map((k) => svg("text", { x: this.x(k), ...place, text: fixed(k, 0) }));
    const note = svg("text.scale-note", { x: left, y: 13 * letters }, "logarithmic scale");
    this.grid.replaceChildren(...lines, ...numbers, linear ? "" : note);
    this.scaleButton.hidden = !canLog(this.range);
    this.scaleButton.title = linear
      ? "Show small gains: a logarithmic axis"
      : "Show the scores to scale: a linear axis";
    setText(this.scaleButton, linear ? "log scale" : "linear scale");
  }

  drawLines() {
    for (const { scores: { values, at }, line, dots, outline } of this.series) {
      const known = values.slice(0, at.findLastIndex((place) => place <= this.known) + 1);
      const points = known.map((v, k) => [this.x(at[k]), this.y(v)]);
      const path = points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`);
      setAttr(line, "d", path.join(""));
      const dotted = !this.compact && points.length <= DOTS ? points : [];
      setAttr(dots, "d", dotted.map(([x, y]) => outline(x, y, DOT * this.letters)).join(""));
    }
    setAttr(this.waiting, "d", this.series.map(({ scores }) => this.restOf(scores)).join(""));
  }

  /** A climb that has ended waits for the other: level from its last flip to the end. */
  restOf(/** @type {Scores} */ { values, at }) {
    const end = values.length - 1;
    const until = Math.min(this.reach, this.known);
    if (this.series.length < 2 || end < 0 || at[end] >= until) return "";
    const y = this.y(values[end]).toFixed(1);
    return `M${this.x(at[end]).toFixed(1)} ${y}L${this.x(until).toFixed(1)} ${y}`;
  }

  valueAt(/** @type {number} */ step, { scores: { values, at } } = this.series[0]) {
    if (this.rejected !== null && step === values.length) return this.rejected;
    return values[stateAt(at, this.ticks[step])] ?? null;
  }

  /** Mark where the climbs stand; where the rest is still to be predicted, lines end there. */
  setStep(/** @type {number} */ step, asking = this.known < Infinity) {
    this.step = step;
    const place = this.ticks[step];
    // A shorter timeline has come and the player's step not yet.
    if (!this.frame || place === undefined) return;
    const known = asking ? place : Infinity;
    if (known !== this.known) {
      this.known = known;
      this.drawLines();
    }
    for (const series of this.series) {
      const value = this.valueAt(step, series);
      setAttr(series.marker, "visibility", value === null ? "hidden" : null);
      if (value === null) continue;
      setAttr(series.marker, "d", series.outline(this.x(place), this.y(value), MARKER * this.letters));
    }
  }

  text(/** @type {number} */ step) {
    const value = this.valueAt(step);
    return fixed(value, scoreDigits(value));
  }

  x(/** @type {number} */ place) {
    const { left, right } = this.frame;
    return left + (place / this.reach) * (right - left);
  }

  stepAt(/** @type {MouseEvent} */ event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - this.frame.left) / (this.frame.right - this.frame.left);
    return nearest(this.ticks, Math.min(1, Math.max(0, share)) * this.reach);
  }

  hover(/** @type {number | null} */ step, /** @type {PointerEvent} */ event) {
    setAttr(this.rule, "visibility", step === null ? "hidden" : null);
    if (step !== null) {
      const x = this.x(this.ticks[step]).toFixed(1);
      setAttrs(this.rule, { x1: x, x2: x, y1: this.frame.top, y2: this.frame.bottom });
    }
    this.onHover(step, event);
  }
}
