/** The cells of the matrix as SVG, which tests and screen readers reach (n ≤ 40); a canvas draws more. */

import { setAttr, signPath, svg, textWidth } from "./dom.js";
import { cellProbability, isBelowHalf } from "../logic/format.js";
import { cellColours } from "./theme.js";
/** @import { FullTerms } from "../logic/walk.js" */
/** @import { Theme } from "./theme.js" */

/**
 * What painters know of a matrix.
 *
 * @typedef {{ n: number, terms: FullTerms, rowOf(t: number): number, columnOf(t: number): number, theme: Theme,
 *   cell: number, gap: number, letters: number, describe(t: number): string }} Model
 */

/** Numbers are this large, and where they don't fit no smaller than the second. */
const USUAL = 12.5;
const LEAST = 12;
/** So much of a cell's side stays free beside a number. */
const FREE = 3;

function settledState(/** @type {Model["terms"]} */ terms, /** @type {number} */ t) {
  if (!terms.computed[t]) return "inferred";
  return terms.dependent[t] ? "computed-dependent" : "computed-independent";
}

/** A square on its corner: inferred cells, in both painters. */
export function diamond(/** @type {number} */ cx, /** @type {number} */ cy, /** @type {number} */ reach) {
  return `M${cx} ${cy - reach}L${cx + reach} ${cy}L${cx} ${cy + reach}L${cx - reach} ${cy}z`;
}

/** @type {(column: number, row: number, cell: number) => [string, string]} */
const placed = (column, row, cell) => [(column * cell).toFixed(2), (row * cell).toFixed(2)];

export class SvgCells {
  /** @type {Model} */ model;
  /** @type {any[]} */ groups;

  constructor() {
    this.layer = svg("g.cells");
    /** @type {HTMLCanvasElement | null} */ this.canvas = null;
  }

  build(/** @type {Model} */ model) {
    this.model = model;
    const { n, terms, cell, gap } = model;
    this.groups = new Array(terms.x.length);
    const rows = Array.from({ length: n }, (_, r) =>
      svg("g", { role: "row" }, [
        svg("rect.diagonal", { x: r * cell, y: r * cell, width: cell - gap, height: cell - gap, rx: gap }),
      ]));
    terms.x.forEach((_, t) => {
      this.groups[t] = this.cell(t);
      rows[model.rowOf(t)].append(this.groups[t].group);
    });
    this.layer.replaceChildren(...rows);
  }

  cell(/** @type {number} */ t) {
    const { terms, cell, gap } = this.model;
    const side = cell - gap;
    const rect = svg("rect", { width: side, height: side, rx: Math.min(3, gap) });
    const [x, y] = placed(this.model.columnOf(t), this.model.rowOf(t), cell);
    const pair = { "data-x": terms.x[t], "data-y": terms.y[t], "data-state": "todo" };
    const group = svg("g.cell", { role: "gridcell", ...pair, transform: `translate(${x} ${y})` }, rect);
    return { group, rect };
  }

  /** What is written in a cell depends on its room. */
  content(/** @type {number} */ t) {
    const { terms, cell, gap, letters } = this.model;
    const middle = (cell - gap) / 2;
    if (!terms.computed[t]) return this.inferred(t, middle);
    const number = cell >= 30 ? this.number(terms.value[t]) : null;
    const up = number ? cell * 0.19 : 0;
    const size = number ? 5 * letters : Math.min(4.6 * letters, cell * 0.24);
    /** @type {SVGElement[]} */
    const marks = [svg("path.mark", { d: signPath(terms.dependent[t], middle, middle - up, size) })];
    if (number) marks.push(this.writing(number.text, middle + cell * 0.21, number.size));
    if (isBelowHalf(terms.value[t]) && cell >= 9) marks.push(this.corner("doubt"));
    return marks;
  }

  /** A mark in the corner: full where the data contradict the graph, hollow where a skipped test would have. */
  corner(/** @type {"doubt" | "bet"} */ kind) {
    const { cell, gap } = this.model;
    const side = (cell * 0.24).toFixed(1);
    return svg("path", { class: kind, d: `M${cell - gap} 0v${side}l-${side} -${side}z` });
  }

  /** A probability with as many decimals as the cell has room for, or null. */
  number(/** @type {number} */ log) {
    const { cell, gap, letters, theme } = this.model;
    const [long, brief] = [3, 2].map((digits) => {
      const text = cellProbability(log, digits);
      const fits = (LEAST * (cell - gap - FREE)) / textWidth(text, `600 ${LEAST}px ${theme.font}`);
      return { text, size: Math.min(USUAL * letters, fits) };
    });
    // From afar a larger number is worth more than its third decimal.
    if (long.size >= Math.max(LEAST, 0.85 * LEAST * letters)) return long;
    return brief.size >= LEAST ? brief : null;
  }

  inferred(/** @type {number} */ t, /** @type {number} */ middle) {
    const { cell, letters } = this.model;
    const shape = svg("path.diamond", { d: diamond(middle, middle, middle) });
    const size = Math.min(LEAST * letters, cell * 0.55);
    const marks = size < LEAST ? [shape] : [shape, this.writing("1", middle, size)];
    if (isBelowHalf(this.model.terms.skipped?.[t]) && cell >= 9) marks.push(this.corner("bet"));
    return marks;
  }

  writing(/** @type {string} */ text, /** @type {number} */ y, /** @type {number} */ size) {
    const x = (this.model.cell - this.model.gap) / 2;
    return svg("text", { x, y, dy: "0.35em", style: `font-size:${size.toFixed(1)}px`, text });
  }

  paint(/** @type {number} */ t, /** @type {boolean} */ reached) {
    const { terms, theme } = this.model;
    const item = this.groups[t];
    const state = reached ? settledState(terms, t) : "todo";
    if (item.state === state) return;
    item.state = state;
    item.group.dataset.state = state;
    const filled = reached && terms.computed[t];
    const colours = filled ? cellColours(theme, terms.dependent[t], terms.value[t]) : null;
    item.rect.style.fill = colours?.fill ?? "";
    item.group.style.color = colours?.ink ?? "";
    item.group.replaceChildren(item.rect, ...(reached ? this.content(t) : []));
    setAttr(item.group, "aria-label", reached ? this.model.describe(t) : "not yet reached");
  }

  /** The current cell keeps its state and carries the word "current" beside it. */
  mark(/** @type {number} */ t, /** @type {boolean} */ current) {
    const item = this.groups[t];
    if (!item) return;
    item.group.dataset.state = current ? `${item.state} current` : item.state;
    setAttr(item.group, "aria-current", current ? "step" : null);
  }

  /** Let the cells come from where another order had them. */
  slide(
    /** @type {(t: number) => number} */ rowBefore,
    /** @type {(t: number) => number} */ columnBefore,
    /** @type {{ duration: number, easing: string }} */ timing,
  ) {
    const { model } = this;
    const at = (/** @type {number} */ column, /** @type {number} */ row) =>
      `translate(${placed(column, row, model.cell).join("px, ")}px)`;
    this.groups.forEach(({ group }, t) => {
      const before = at(columnBefore(t), rowBefore(t));
      const now = at(model.columnOf(t), model.rowOf(t));
      if (before !== now) group.animate([{ transform: before }, { transform: now }], timing);
    });
  }
}
