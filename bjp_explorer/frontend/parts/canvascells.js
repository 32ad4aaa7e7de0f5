/** The cells of a large matrix, on a canvas. The states differ in shape down to three pixels a cell:
 * computed is a full square, inferred a diamond or a dot, to come an outline or nothing. */

import { diamond } from "./cells.js";
import { h, signPath } from "./dom.js";
import { isBelowHalf } from "../logic/format.js";
import { cellColours, css, mix } from "./theme.js";
/** @import { Model } from "./cells.js" */

/** From these many pixels a cell on, outlines, diamonds and signs can be told apart. */
const OUTLINED = 5;
const SIGNED = 9;

export class CanvasCells {
  /** @type {Model} */ model;
  /** @type {Uint8Array} */ reached;
  /** @type {{ fill: string, ink: string }[]} */ fills;
  grey = "";
  ink = "";

  constructor() {
    this.canvas = h("canvas.cells", { "aria-hidden": "true" });
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    /** @type {SVGElement | null} */ this.layer = null;
  }

  build(/** @type {Model} */ model) {
    this.model = model;
    const { n, cell, gap, theme, terms } = model;
    const side = n * cell;
    this.scale = Math.min(window.devicePixelRatio || 1, 3000 / side);
    const pixels = Math.round(side * this.scale);
    Object.assign(this.canvas, { width: pixels, height: pixels });
    Object.assign(this.canvas.style, { width: `${side}px`, height: `${side}px` });
    this.pen.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    this.reached = new Uint8Array(terms.x.length);
    this.fills = new Array(terms.x.length);
    this.grey = css(mix(theme.ink, theme.paper, 0.55));
    this.ink = css(theme.ink);
    // An empty matrix: its frame and the diagonal.
    const { pen } = this;
    pen.strokeStyle = this.grey;
    pen.lineWidth = 1;
    pen.strokeRect(0.5, 0.5, side - 1, side - 1);
    pen.fillStyle = this.grey;
    for (let r = 0; r < n; r += 1) pen.fillRect(r * cell, r * cell, cell - gap, cell - gap);
    for (let t = 0; t < terms.x.length; t += 1) this.draw(t);
  }

  fill(/** @type {number} */ t) {
    const { terms, theme } = this.model;
    return (this.fills[t] ??= cellColours(theme, terms.dependent[t], terms.value[t]));
  }

  paint(/** @type {number} */ t, /** @type {boolean} */ reached) {
    if (this.reached[t] === Number(reached)) return;
    this.reached[t] = Number(reached);
    const { cell } = this.model;
    this.pen.clearRect(this.model.columnOf(t) * cell, this.model.rowOf(t) * cell, cell, cell);
    this.draw(t);
  }

  draw(/** @type {number} */ t) {
    const { pen, model } = this;
    const { terms, cell, gap } = model;
    const side = cell - gap;
    const [x, y] = [model.columnOf(t) * cell, model.rowOf(t) * cell];
    if (!this.reached[t]) {
      if (cell < OUTLINED) return;
      pen.strokeStyle = this.grey;
      pen.lineWidth = 0.6;
      pen.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    } else if (terms.computed[t]) {
      pen.fillStyle = this.fill(t).fill;
      pen.fillRect(x, y, side, side);
      if (cell >= SIGNED) this.sign(t, x + side / 2, y + side / 2);
      else this.small(t, x, y, side);
    } else {
      this.inferred(x + side / 2, y + side / 2, side);
      // Hollow where the skipped test contradicts the graph.
      if (cell < SIGNED || !isBelowHalf(terms.skipped?.[t])) return;
      pen.strokeStyle = this.ink;
      pen.lineWidth = 1;
      pen.stroke(this.corner(x + side, y));
    }
  }

  /** A triangle in the corner whose point is given. */
  corner(/** @type {number} */ x, /** @type {number} */ y) {
    const side = this.model.cell * 0.26;
    return new Path2D(`M${x} ${y}v${side}l-${side} -${side}z`);
  }

  inferred(/** @type {number} */ cx, /** @type {number} */ cy, /** @type {number} */ side) {
    const { pen } = this;
    pen.fillStyle = this.grey;
    if (side < OUTLINED) {
      const dot = Math.max(1, side * 0.42);
      pen.fillRect(cx - dot / 2, cy - dot / 2, dot, dot);
      return;
    }
    const shape = new Path2D(diamond(cx, cy, side * 0.42));
    pen.strokeStyle = this.grey;
    pen.lineWidth = Math.max(0.8, side * 0.05);
    if (side * 0.55 < 12) pen.fill(shape);
    else {
      pen.stroke(shape);
      pen.fillStyle = this.ink;
      pen.font = `600 ${side * 0.55}px ${this.model.theme.font}`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText("1", cx, cy);
    }
  }

  /** ⊥ or ⊥̸, and a corner where the data speak against the graph. */
  sign(/** @type {number} */ t, /** @type {number} */ cx, /** @type {number} */ cy) {
    const { pen, model } = this;
    const { terms, cell, gap } = model;
    pen.strokeStyle = this.fill(t).ink;
    pen.lineWidth = Math.max(0.8, cell * 0.06);
    pen.stroke(new Path2D(signPath(terms.dependent[t], cx, cy, cell * 0.22)));
    if (!isBelowHalf(terms.value[t])) return;
    const half = (cell - gap) / 2;
    pen.fillStyle = this.fill(t).ink;
    pen.fill(this.corner(cx + half, cy - half));
  }

  /** Too small for a sign: dependence is struck out, and below ½ a corner is black. */
  /** @param {number} t @param {number} x @param {number} y @param {number} side */
  small(t, x, y, side) {
    const { pen, model: { terms } } = this;
    if (isBelowHalf(terms.value[t])) {
      const corner = Math.max(1, side * 0.36);
      pen.fillStyle = this.ink;
      pen.fillRect(x + side - corner, y, corner, corner);
    }
    if (!terms.dependent[t] || side < 3.5) return;
    pen.strokeStyle = this.fill(t).ink;
    pen.lineWidth = Math.max(0.6, side * 0.12);
    pen.beginPath();
    pen.moveTo(x + side * 0.15, y + side * 0.85);
    pen.lineTo(x + side * 0.85, y + side * 0.15);
    pen.stroke();
  }

  mark() {}
}
