/** The score against the step: hover for values, click to go there. */

import { h, setAttr, svg } from "./dom.js";
import { fixed, scoreDigits } from "../logic/format.js";
import { ticks } from "../logic/ticks.js";

/** From this ratio of the extremes on, a log scale shows more than a linear one. */
const SPREAD = 8;

/** Scales of the vertical axis; the log scale spreads out the last small gains of a negative score. */
const SCALES = {
  linear: { to: (v) => v, ticks: (low, high) => ticks(low, high, 4) },
  log: {
    to: (v) => -Math.log10(-v),
    ticks: (low, high) => {
      const all = [];
      for (let e = Math.floor(Math.log10(-high)) - 1; e <= Math.ceil(Math.log10(-low)); e += 1) {
        for (const m of [1, 2, 5]) all.push(-m * 10 ** e);
      }
      const inside = all.filter((v) => v >= low && v <= high);
      return inside.length > 6 ? inside.filter((v) => /^-[1](0*|e.*)?$|^-0?\.0*1$/.test(String(v))) : inside;
    },
  },
};

/**
 * A line of values by step.
 *
 * options: { label, onJump(step), onHover(step | null, event), compact, digits }.
 */
export class ScoreChart {
  /** @type {(number | null)[]} */
  values;
  /** @type {number | null} */
  rejected;
  /** @type {number[] | null} */
  at;
  /** @type {number | null} the step that is marked as the best */
  marked;
  /** @type {{ left: number, right: number, top: number, bottom: number }} */
  frame;
  /** @type {(step: number) => number} */
  x;
  /** @type {(value: number) => number} */
  y;

  constructor(options) {
    this.options = options;
    this.scale = "linear";
    this.size = { width: 400, height: 220 };
    this.grid = svg("g", { class: "grid" });
    this.line = svg("path", { class: "line" });
    this.dots = svg("g", { class: "dots" });
    this.proposal = svg("g", { class: "rejected" });
    this.best = svg("circle", { class: "best", r: 9, visibility: "hidden" });
    this.rule = svg("line", { class: "rule", visibility: "hidden" });
    this.marker = svg("circle", { class: "marker", r: 6.5 });
    this.svg = svg(
      "svg",
      { class: `chart${options.compact ? " compact" : ""}`, role: "img", "aria-label": options.label },
      this.grid,
      this.line,
      this.dots,
      this.proposal,
      this.best,
      this.rule,
      this.marker,
    );
    this.element = h("div", { class: "chart-box" }, this.svg);
    this.svg.addEventListener("click", (event) => this.options.onJump(this.stepAt(event)));
    this.svg.addEventListener("pointermove", (event) => this.hover(this.stepAt(event), event));
    this.svg.addEventListener("pointerleave", (event) => this.hover(null, event));
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.svg);
  }

  /**
   * values by step (null where unknown); rejected: the value a refused last step would have had;
   * at: where each step stands on the axis, by default at its number; best: a step to be marked.
   */
  setData(
    values,
    /** @type {number | null} */ rejected = null,
    { at = null, best = null } = /** @type {{ at?: any, best?: any }} */ ({}),
  ) {
    Object.assign(this, { values, rejected, at, marked: best });
    this.draw();
  }

  /** Where a step stands on the axis. */
  place(step) {
    if (!this.at) return step;
    return this.at[step] ?? this.at[this.at.length - 1] + 1;
  }

  setScale(scale) {
    this.scale = scale;
    this.draw();
  }

  /** Every value that has to find room. */
  get known() {
    return [...this.values, this.rejected];
  }

  /** The end of the horizontal axis. */
  get reach() {
    return Math.max(1, this.place(this.lastStep));
  }

  /** Whether a log scale makes sense: every value below zero, and some many times others. */
  get canLog() {
    const known = this.known.filter((v) => v !== null);
    return known.every((v) => v < 0) && Math.min(...known) < SPREAD * Math.max(...known);
  }

  resize() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (width < 20 || height < 20 || (width === this.size.width && height === this.size.height)) return;
    this.size = { width, height };
    this.draw();
  }

  get lastStep() {
    return Math.max(1, this.values.length - 1 + (this.rejected === null ? 0 : 1));
  }

  draw() {
    if (!this.values?.length) return;
    const { width, height } = this.size;
    const { compact } = this.options;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const known = this.known.map((v) => v ?? NaN).filter(Number.isFinite);
    const scale = SCALES[this.canLog ? this.scale : "linear"];
    let [low, high] = [Math.min(...known), Math.max(...known)];
    if (!compact && high < 0 && this.scale === "linear" && -high < 0.15 * (high - low)) high = 0;
    if (low === high) {
      [low, high] = low === 0 ? [-1, 0] : [Math.min(low * 1.5, low * 0.5), Math.max(low * 1.5, low * 0.5)];
    }
    const marks = compact ? [] : scale.ticks(low, high);
    // Marks less than 1 apart need decimals to differ.
    const apart = Math.abs(marks[1] - marks[0]) || 1;
    const decimals = (v) => Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.abs(v) || 1) - 1e-9)));
    const linear = scale === SCALES.linear;
    const texts = marks.map((v) => fixed(v, decimals(linear ? apart : v)));
    const left = compact ? 8 : Math.max(34, ...texts.map((t) => t.length * 7.2 + 14));
    this.frame = { left, right: width - 12, top: 12, bottom: height - (compact ? 10 : 26) };
    const { right, top, bottom } = this.frame;
    this.x = (step) => left + (this.place(step) / this.reach) * (right - left);
    const [a, b] = [scale.to(low), scale.to(high)];
    this.y = (v) => bottom - ((scale.to(v) - a) / (b - a)) * (bottom - top);
    this.drawGrid(marks, texts);
    this.drawLine();
    this.setStep(this.step ?? 0);
  }

  drawGrid(marks, texts) {
    const { left, right, bottom } = this.frame;
    const lines = marks.map((v, k) =>
      svg(
        "g",
        {},
        svg("line", { x1: left, x2: right, y1: this.y(v), y2: this.y(v) }),
        svg("text", { x: left - 8, y: this.y(v), dy: "0.35em", "text-anchor": "end", text: texts[k] }),
      )
    );
    const room = Math.max(2, Math.floor((right - left) / (this.at ? 56 : 32)));
    const steps = this.options.compact ? [] : ticks(0, this.reach, room).filter(Number.isInteger);
    this.grid.replaceChildren(
      ...lines,
      ...steps.map((k) =>
        svg("text", {
          x: left + (k / this.reach) * (right - left),
          y: bottom + 18,
          "text-anchor": "middle",
          text: fixed(k, 0),
        })
      ),
    );
  }

  path(until) {
    let d = "";
    for (let k = 0; k <= until && k < this.values.length; k += 1) {
      const v = this.values[k];
      if (v !== null && Number.isFinite(v)) {
        d += `${d ? "L" : "M"}${this.x(k).toFixed(1)} ${this.y(v).toFixed(1)}`;
      }
    }
    return d;
  }

  drawLine() {
    this.line.setAttribute("d", this.path(Infinity));
    const few = this.values.length <= 60 && !this.options.compact;
    this.dots.replaceChildren(
      ...(few
        ? this.values
          .map((v, k) => (v === null ? null : svg("circle", { cx: this.x(k), cy: this.y(v), r: 4 })))
          .filter(Boolean)
        : []),
    );
    const end = this.values.length - 1;
    const marks = [];
    if (this.rejected !== null && Number.isFinite(this.rejected) && this.values[end] !== null) {
      const [x, y] = [this.x(end + 1), this.y(this.rejected)];
      marks.push(
        svg("line", { x1: this.x(end), y1: this.y(this.values[end]), x2: x, y2: y }),
        svg("circle", { cx: x, cy: y, r: 5 }),
      );
    }
    this.proposal.replaceChildren(...marks);
    this.drawBest();
  }

  drawBest() {
    const value = this.marked === null ? null : this.values[this.marked];
    setAttr(this.best, "visibility", value === null ? "hidden" : null);
    if (value === null || this.marked === null) return;
    setAttr(this.best, "cx", this.x(this.marked).toFixed(1));
    setAttr(this.best, "cy", this.y(value).toFixed(1));
  }

  valueAt(step) {
    return step < this.values.length ? this.values[step] : this.rejected;
  }

  setStep(step) {
    this.step = step;
    if (!this.y) return;
    const value = this.valueAt(step);
    setAttr(this.marker, "visibility", value === null || value === undefined ? "hidden" : null);
    if (value === null || value === undefined) return;
    setAttr(this.marker, "cx", this.x(step).toFixed(1));
    setAttr(this.marker, "cy", this.y(value).toFixed(1));
  }

  stepAt(event) {
    const frame = this.svg.getBoundingClientRect();
    const share = (event.clientX - frame.left - this.frame.left) / (this.frame.right - this.frame.left);
    const place = share * this.reach;
    if (!this.at) return Math.min(this.lastStep, Math.max(0, Math.round(place)));
    // The nearest of the steps that are shown.
    let [low, high] = [0, this.lastStep];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.place(middle) < place) low = middle + 1;
      else high = middle;
    }
    return low > 0 && place - this.place(low - 1) < this.place(low) - place ? low - 1 : low;
  }

  /** Where the rule of a hovered step stands. */
  ruleAt(step) {
    return this.x(step);
  }

  hover(step, event) {
    setAttr(this.rule, "visibility", step === null ? "hidden" : null);
    if (step !== null) {
      const x = this.ruleAt(step).toFixed(1);
      for (
        const [name, value] of Object.entries({ x1: x, x2: x, y1: this.frame.top, y2: this.frame.bottom })
      ) {
        this.rule.setAttribute(name, value);
      }
    }
    this.options.onHover?.(step, event);
  }

  /** Text of a value at the precision of the chart. */
  text(step) {
    const value = this.valueAt(step);
    return fixed(value, scoreDigits(value));
  }

  destroy() {
    this.watcher.disconnect();
  }
}

/** A two-way switch between the scales, as one small button. */
export function scaleSwitch(chart) {
  const toggle = h("button", {
    type: "button",
    class: "tool text",
    "aria-pressed": "false",
    title: "Show small gains: logarithm of −score",
    text: "log scale",
    on: {
      click: () => {
        const log = chart.scale !== "log";
        chart.setScale(log ? "log" : "linear");
        toggle.setAttribute("aria-pressed", String(log));
      },
    },
  });
  return toggle;
}
