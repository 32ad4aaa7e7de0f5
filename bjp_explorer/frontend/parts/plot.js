/** A frame with an axis of places and one of scores: grid, hover and click. What it shows is its owner's. */

import { button, h, setAttr, setAttrs, setText, svg } from "./dom.js";
import { fixed } from "../logic/format.js";
import { canLog, SCALES, ticks, usualScale } from "../logic/scales.js";
import { letterScale } from "./projector.js";

/** What a range of scores near zero may add, so that the axis ends there. */
const TO_ZERO = 0.15;

export class Plot {
  /** @type {number[]} */ values = [];
  /** @type {number} the end of the horizontal axis */ reach = 1;
  /** @type {number} how much larger letters are than usual */ letters = 1;
  /** @type {boolean} whether places are large numbers */ wide = false;
  /** @type {"linear" | "log" | null} chosen by hand; null leaves it to the scores */ chosen = null;
  /** @type {{ left: number, right: number, top: number, bottom: number }} */ frame;
  /** @type {(value: number) => number} */ y;

  /**
   * @param {object} options
   * @param {string} options.label
   * @param {(Element | null)[]} options.under what is drawn below the rule of a hovered place
   * @param {Element[]} options.over what is drawn above it
   * @param {() => void} options.draw called whenever the axes have been laid out
   * @param {(place: number) => number} options.stepAt the step that a place stands for
   * @param {(step: number) => number} options.placeOf where a step stands
   * @param {(step: number) => void} options.onJump
   * @param {(step: number | null, event: PointerEvent) => void} [options.onHover]
   * @param {boolean} [options.compact] without axes
   */
  constructor(options) {
    this.options = options;
    this.size = { width: 400, height: 220 };
    this.grid = svg("g.grid");
    this.rule = svg("line.rule", { visibility: "hidden" });
    const look = options.compact ? "svg.chart.compact" : "svg.chart";
    this.svg = /** @type {SVGSVGElement} */ (svg(look, { role: "img", "aria-label": options.label }, [
      this.grid,
      options.under,
      this.rule,
      options.over,
    ]));
    this.element = h("div.chart-box", this.svg);
    this.scaleButton = button("tool.text", {
      on: {
        click: () => {
          this.chosen = this.scale === "log" ? "linear" : "log";
          this.draw();
        },
      },
    });
    this.svg.addEventListener("click", (event) => options.onJump(this.stepAt(event)));
    this.svg.addEventListener("pointermove", (event) => this.hover(this.stepAt(event), event));
    this.svg.addEventListener("pointerleave", (event) => this.hover(null, event));
    new ResizeObserver(() => this.resize()).observe(this.svg);
  }

  /** What is to find room: scores, and places from 0 to `reach`. */
  setRange(/** @type {number[]} */ values, /** @type {number} */ reach, wide = false) {
    Object.assign(this, { values, reach: Math.max(1, reach), wide });
    this.draw();
  }

  /** @returns {"linear" | "log"} */
  get scale() {
    if (this.options.compact) return "linear";
    return this.chosen === "log" && !canLog(this.values) ? "linear" : this.chosen ?? usualScale(this.values);
  }

  resize() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (width < 20 || height < 20 || (width === this.size.width && height === this.size.height)) return;
    this.size = { width, height };
    this.draw();
  }

  draw() {
    if (!this.values.length) return;
    const { width, height } = this.size;
    const letters = letterScale();
    this.letters = letters;
    const scale = SCALES[this.scale];
    const linear = scale === SCALES.linear;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.dataset.scale = this.scale;
    let [low, high] = [Math.min(...this.values), Math.max(...this.values)];
    const { compact } = this.options;
    if (linear && !compact && high < 0 && -high < TO_ZERO * (high - low)) high = 0;
    if (low === high) {
      [low, high] = low === 0 ? [-1, 0] : [Math.min(low * 1.5, low * 0.5), Math.max(low * 1.5, low * 0.5)];
    }
    const marks = compact
      ? []
      : scale.ticks(low, high, Math.max(2, Math.min(6, Math.floor(height / (letters * 30)))));
    // Marks less than 1 apart need decimals to differ.
    const apart = Math.abs(marks[1] - marks[0]) || 1;
    const decimals = (/** @type {number} */ v) =>
      Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.abs(v) || 1) - 1e-9)));
    const texts = marks.map((v) => fixed(v, decimals(linear ? apart : v)));
    const left = compact ? 8 : Math.max(34, ...texts.map((text) => letters * text.length * 7.4 + 14));
    const [top, bottom] = [letters * (linear ? 12 : 26), height - (compact ? 10 : letters * 26)];
    this.frame = { left, right: width - 12, top, bottom };
    const [a, b] = [scale.to(low), scale.to(high)];
    this.y = (v) => bottom - ((scale.to(v) - a) / (b - a)) * (bottom - top);
    this.drawGrid(marks, texts);
    this.scaleButton.hidden = !canLog(this.values);
    this.scaleButton.title = linear
      ? "Show small gains: a logarithmic axis"
      : "Show the scores to scale: a linear axis";
    setText(this.scaleButton, linear ? "log scale" : "linear scale");
    this.options.draw();
  }

  drawGrid(/** @type {number[]} */ marks, /** @type {string[]} */ texts) {
    const { left, right, bottom } = this.frame;
    const lines = marks.map((v, k) =>
      svg("g", { "data-value": v }, [
        svg("line", { x1: left, x2: right, y1: this.y(v), y2: this.y(v) }),
        svg("text", { x: left - 8, y: this.y(v), dy: "0.35em", "text-anchor": "end", text: texts[k] }),
      ])
    );
    const room = Math.max(2, Math.floor((right - left) / (this.letters * (this.wide ? 56 : 32))));
    const steps = this.options.compact ? [] : ticks(0, this.reach, room).filter(Number.isInteger);
    const place = { y: bottom + 18 * this.letters, "text-anchor": "middle" };
    const numbers = steps.map((k) => svg("text", { x: this.x(k), ...place, text: fixed(k, 0) }));
    const at = { x: left, y: 13 * this.letters };
    const note = this.scale === "log" ? svg("text.scale-note", at, "logarithmic scale") : "";
    this.grid.replaceChildren(...lines, ...numbers, note);
  }

  x(/** @type {number} */ place) {
    const { left, right } = this.frame;
    return left + (place / this.reach) * (right - left);
  }

  stepAt(/** @type {MouseEvent} */ event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - this.frame.left) / (this.frame.right - this.frame.left);
    return this.options.stepAt(Math.min(1, Math.max(0, share)) * this.reach);
  }

  hover(/** @type {number | null} */ step, /** @type {PointerEvent} */ event) {
    setAttr(this.rule, "visibility", step === null ? "hidden" : null);
    if (step !== null) {
      const x = this.x(this.options.placeOf(step)).toFixed(1);
      setAttrs(this.rule, { x1: x, x2: x, y1: this.frame.top, y2: this.frame.bottom });
    }
    this.options.onHover?.(step, event);
  }
}
