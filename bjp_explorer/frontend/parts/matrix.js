/** The n × n assertions in the order ψ: one cell a term, filled as the walk goes on; hover, click and keys. */

import { CanvasCells } from "./canvascells.js";
import { SvgCells } from "./cells.js";
import { h, setAttrs, svg } from "./dom.js";
import { compose, frozen } from "./download.js";
import { ranks } from "../logic/history.js";
import { columnNames, LEAST, measureMargins, nameless, rowNames } from "./margins.js";
import { Callouts, MatrixMarks } from "./marks.js";
import { letterScale } from "./projector.js";
import { css } from "./theme.js";
/** @import { FullTerms } from "../logic/walk.js" */
/** @import { Margins } from "./margins.js" */
/** @import { Place } from "./marks.js" */
/** @import { Theme } from "./theme.js" */

const SVG_CELLS = 40;
const LARGEST = 56;
/** Cells that tell by sign and colour what they hold; smaller ones are not made only to have all in sight. */
const SMALL = 20;
/** Cells of this size hold numbers. */
const NUMBERED = 36;
/** Cells from so many pixels on lie so far apart. */
const GAPS = [[20, 2], [7, 1], [4, 0.5]];
/** How long cells slide when ψ changes, and flash when their terms do; in milliseconds. */
const SLIDE = 600;
const FLASH = 2200;
const still = matchMedia("(prefers-reduced-motion: reduce)");

function sizeOf(/** @type {Element} */ element) {
  return { width: Number(element.getAttribute("width")), height: Number(element.getAttribute("height")) };
}

function hatch() {
  const turned = { patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return svg("pattern", { id: "hatch", width: 6, height: 6, ...turned }, [
    svg("rect.hatch-paper", { width: 6, height: 6 }),
    svg("line.hatch-line", { x1: 0, y1: 0, x2: 0, y2: 6 }),
  ]);
}

/**
 * What it shows of a trace; ranked: whether the order is ψ; current: whether one cell is the current one.
 *
 * @typedef {{ names: string[], order: number[], degree: number[], terms: FullTerms, ranked?: boolean,
 *   current?: boolean }} Matrix
 */

/** @typedef {number | null} Term where null is none */

/**
 * beside: an element whose height it fits into; spacebar: whether it does what Enter does.
 *
 * @typedef {{ onJump(t: Term): void, onHover(t: Term, event: PointerEvent): void, onToggle(t: Term): void,
 *   onCursor(t: Term, place: Place | null): void, describe(t: number): string, given(t: number): number[],
 *   blanket(i: number): number[], beside?: Element, spacebar?: boolean }} Options
 */

export class MatrixView {
  /** @type {number} */ n;
  /** @type {string[]} */ names;
  /** @type {number[]} */ order;
  /** @type {number[]} */ degree;
  /** @type {FullTerms} */ terms;
  /** @type {Theme} */ theme;
  /** @type {number[]} */ rank;
  /** @type {Int32Array} */ termsAt;
  /** @type {Margins} */ margins;
  /** @type {SvgCells | CanvasCells} */ painter;
  width = 0;
  tall = 0;
  cell = 0;
  gap = 0;
  fontSize = 0;
  letters = 1;
  columnHeight = 0;
  painted = 0;
  family = "";
  zoom = 1;
  step = 0;
  /** @type {Term} the term of the current cell */ marked = null;
  /** @type {Term} the term that is brought out in place of the current one */ focus = null;
  /** @type {[number | null, Term]} the node and the term that are lit */ lit = [null, null];
  /** @type {Place | null} where the keyboard's cursor stands */ at = null;
  ranked = true;
  current = true;
  /** @type {SVGElement[]} */ rowNames = [];
  /** @type {SVGElement[]} */ columnNames = [];

  constructor(/** @type {Options} */ options) {
    this.options = options;
    this.marks = new MatrixMarks();
    this.callouts = new Callouts();
    this.columns = svg("svg.margin.columns", { "aria-hidden": "true" });
    this.rows = svg("svg.margin.rows", { "aria-hidden": "true" });
    this.body = svg("svg.body", { role: "grid", tabindex: "0" });
    this.stack = h("div.stack", this.body);
    this.frame = h("div.matrix-scroll", h("div.corner"), this.columns, this.rows, this.stack);
    this.element = h("div.matrix-frame", this.frame, this.callouts.elements);
    const watcher = new ResizeObserver(() => this.resize());
    watcher.observe(this.frame);
    // What stands beside it, into whose height it fits where that leaves cells large enough.
    if (options.beside) watcher.observe(options.beside);
    const { body, frame } = this;
    const at = (/** @type {MouseEvent} */ event) => this.termAtPoint(event);
    body.addEventListener("pointermove", (event) => options.onHover(at(event), event));
    body.addEventListener("pointerleave", (event) => options.onHover(null, event));
    body.addEventListener("click", (event) => options.onJump(at(event)));
    body.addEventListener("dblclick", (event) => options.onToggle(at(event)));
    body.addEventListener("keydown", (event) => this.key(event));
    body.addEventListener("blur", () => this.moveCursor(null));
    frame.addEventListener("scroll", () => this.callOut(), { passive: true });
  }

  termAt(/** @type {number} */ row, /** @type {number} */ column) {
    if (row < 0 || column < 0 || row >= this.n || column >= this.n) return null;
    const t = this.termsAt[row * this.n + column];
    return t < 0 ? null : t;
  }

  /** Row and column of a term. @returns {Place} */
  placeOf(/** @type {number | null} */ t) {
    return t === null ? [0, 0] : [this.rank[this.terms.x[t]], this.rank[this.terms.y[t]]];
  }

  setData(
    /** @type {Matrix} */ { names, order, degree, terms, ranked = true, current = true },
    /** @type {Theme} */ theme,
  ) {
    const before = this.terms ? { names: this.names, rank: this.rank } : null;
    Object.assign(this, { focus: null, lit: [null, null] });
    if (this.at?.some((k) => k >= order.length)) this.at = null;
    this.n = order.length;
    Object.assign(this, { names, order, degree, terms, theme, ranked, current });
    this.rank = ranks(order);
    this.termsAt = new Int32Array(this.n * this.n).fill(-1);
    terms.x.forEach((x, t) => {
      this.termsAt[this.rank[x] * this.n + this.rank[terms.y[t]]] = t;
    });
    const size = `${this.n} by ${this.n} assertions in the order ψ`;
    this.body.setAttribute("aria-label", `${size}. Arrow keys move, Enter goes to that step.`);
    this.width = 0;
    this.resize();
    if (before && JSON.stringify(before.names) === JSON.stringify(names)) this.slideFrom(before.rank);
  }

  resize() {
    const { width, height } = this.frame.getBoundingClientRect();
    const tall = this.fitting ? height : this.heightBeside();
    if (!this.terms || width < 40) return;
    const same = Math.abs(width - this.width) < 1 && Math.abs(tall - this.tall) < 1;
    if (same && this.letters === letterScale()) return;
    Object.assign(this, { width, tall });
    this.layout();
  }

  /** The room down to the end of what stands beside, or 0 where it stands above. */
  heightBeside() {
    const { beside } = this.options;
    if (!beside) return 0;
    const [mine, other] = [this.frame, beside].map((element) => element.getBoundingClientRect());
    return other.right <= mine.left ? other.bottom - mine.top : 0;
  }

  /** Fit into the height of the frame, too, or be as tall as the width asks for. */
  setFitting(/** @type {boolean} */ fitting) {
    this.fitting = fitting;
    this.width = 0;
    this.resize();
  }

  /** From the places that another ψ gave; nothing moves where people ask for that, nor in a large matrix. */
  slideFrom(/** @type {ArrayLike<number>} */ rank) {
    if (!this.painter || this.names.every((_, i) => rank[i] === this.rank[i])) return;
    this.frame.dataset.resorted = String(Number(this.frame.dataset.resorted ?? 0) + 1);
    if (still.matches || this.painter instanceof CanvasCells) return;
    const timing = { duration: SLIDE, easing: "ease-in-out" };
    const { x, y } = this.terms;
    this.painter.slide((t) => rank[x[t]], (t) => rank[y[t]], timing);
    this.order.forEach((variable, k) => {
      const by = (rank[variable] - k) * this.cell;
      if (!by) return;
      this.rowNames[k]?.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], timing);
      this.columnNames[k]?.animate([{ transform: `translateX(${by}px)` }, { transform: "none" }], timing);
    });
    this.slid = performance.now();
  }

  /** Flash the cells of terms, once they stand in their places. */
  flash(/** @type {number[]} */ terms) {
    const wait = Math.max(0, SLIDE - (performance.now() - (this.slid ?? -SLIDE)));
    this.marks.flash(terms.map((t) => this.placeOf(t)), wait, FLASH);
    this.frame.dataset.flashed = String(Number(this.frame.dataset.flashed ?? 0) + 1);
  }

  zoomBy(/** @type {number} */ factor) {
    this.zoom = factor === 0 ? 1 : Math.min(8, Math.max(1, this.zoom * factor));
    this.layout();
  }

  /** Sizes: margins for names where they can be read, the rest for square cells. */
  layout() {
    const { n, theme } = this;
    const least = n <= SVG_CELLS && !this.fitting ? LEAST : 0;
    this.letters = letterScale();
    this.family = theme.font;
    this.margins = measureMargins(this.names, this.width, this.zoom, theme.font, least, this.letters);
    this.cell = this.fittingCell();
    if (this.margins.named && this.cell < LEAST) {
      this.margins = nameless(n, this.width, this.zoom);
      this.cell = this.fittingCell();
    }
    this.gap = GAPS.find(([least]) => this.cell >= least)?.[1] ?? 0;
    this.fontSize = Math.max(LEAST, Math.min(this.margins.fontSize, this.cell * 0.8));
    this.drawBody();
    this.drawMargins();
    this.setStep(this.step, true);
    this.restore();
  }

  /** The size of a cell that the margins leave; with all rows in sight where the frame has a height. */
  fittingCell() {
    const cell = Math.min(LARGEST * this.letters, this.margins.cell);
    if (!this.tall) return cell;
    const named = this.fitBelow(cell, this.margins);
    const brief = { ...this.margins, brief: true };
    const room = this.fitBelow(cell, brief);
    const isBrief = this.ranked && this.margins.named && named < NUMBERED && room >= NUMBERED;
    if (isBrief) this.margins = brief;
    const fits = isBrief ? room : named;
    return this.fitting || fits >= SMALL ? Math.min(cell, fits) : cell;
  }

  /** The size of a cell with all rows in sight below the names of columns. */
  fitBelow(/** @type {number} */ cell, /** @type {Margins} */ margins) {
    const { height } = columnNames({ ...this, margins, cell, fontSize: margins.fontSize });
    return Math.max(2, (this.tall - height - 10) / this.n) * this.zoom;
  }

  drawBody() {
    const { n, cell, terms, rank } = this;
    const side = n * cell;
    this.painter = n <= SVG_CELLS ? new SvgCells() : new CanvasCells();
    const places = {
      rowOf: (/** @type {number} */ t) => rank[terms.x[t]],
      columnOf: (/** @type {number} */ t) => rank[terms.y[t]],
    };
    this.painter.build({ ...this, ...places, describe: this.options.describe });
    const { layer } = this.painter;
    this.body.replaceChildren(svg("defs", hatch()), ...(layer ? [layer] : []), ...this.marks.over);
    setAttrs(this.body, { width: side, height: side, viewBox: `0 0 ${side} ${side}` });
    // The body stays where it is, lest it lose the focus.
    this.stack.querySelector("canvas")?.remove();
    if (this.painter.canvas) this.stack.prepend(this.painter.canvas);
    this.painted = 0;
    this.marked = null;
  }

  drawMargins() {
    const side = this.n * this.cell;
    this.rowNames = rowNames(this);
    const { height, texts } = columnNames(this);
    this.columnNames = texts;
    setAttrs(this.rows, { width: this.margins.row, height: side });
    // The last name begins where the last cell's middle is, whose cell may be smaller than there was room for.
    const width = side + this.margins.right + (this.margins.cell - this.cell) / 2;
    setAttrs(this.columns, { width, height });
    this.rows.replaceChildren(...this.rowNames);
    this.columns.replaceChildren(...texts);
    this.columnHeight = height;
    this.marks.build(this);
  }

  /** Show the walk up to a step: only the cells that changed are touched. */
  setStep(/** @type {number} */ step, all = false) {
    this.step = step;
    if (!this.painter) return;
    if (this.marked !== null) this.painter.mark(this.marked, false);
    const from = all ? 0 : Math.min(step, this.painted);
    const to = all ? this.terms.x.length : Math.max(step, this.painted);
    for (let t = from; t < to; t += 1) this.painter.paint(t, t < step);
    this.painted = step;
    this.marked = this.current && step > 0 ? step - 1 : null;
    if (this.marked !== null) this.painter.mark(this.marked, true);
    this.placeRing(this.marked);
  }

  /** Keep a cell in sight inside the scrolling frame, without moving the page. */
  reveal(/** @type {number} */ row, /** @type {number} */ column) {
    const { frame } = this;
    if (frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight) return;
    const x = column * this.cell;
    const y = row * this.cell;
    const roomX = frame.clientWidth - this.margins.row - this.cell;
    const roomY = frame.clientHeight - this.columns.clientHeight - this.cell;
    if (x < frame.scrollLeft || x > frame.scrollLeft + roomX) frame.scrollLeft = x - roomX / 2;
    if (y < frame.scrollTop || y > frame.scrollTop + roomY) frame.scrollTop = y - roomY / 2;
  }

  picture() {
    const [columns, rows, body] = [sizeOf(this.columns), sizeOf(this.rows), sizeOf(this.body)];
    const at = { x: rows.width, y: columns.height };
    /** @type {Parameters<typeof compose>[0]} */
    const parts = [
      { node: frozen(this.columns), x: at.x, y: 0, ...columns },
      { node: frozen(this.rows), x: 0, y: at.y, ...rows },
    ];
    if (this.painter.canvas) {
      parts.push({ node: svg("image", { href: this.painter.canvas.toDataURL() }), ...at, ...body });
    }
    parts.push({ node: frozen(this.body), ...at, ...body });
    const [width, height] = [rows.width + columns.width, columns.height + body.height + 4];
    return compose(parts, width, height, css(this.theme.paper));
  }

  /** What lies over the cells, after these were drawn anew. */
  restore() {
    this.marks.setCursor(this.at);
    this.light(...this.lit);
    if (this.at) this.reveal(...this.at);
  }

  termAtPoint(/** @type {MouseEvent} */ event) {
    const { left, top, width } = this.body.getBoundingClientRect();
    const side = width / this.n;
    return this.termAt(Math.floor((event.clientY - top) / side), Math.floor((event.clientX - left) / side));
  }

  placeRing(/** @type {Term} */ t) {
    const place = t === null ? null : this.placeOf(t);
    this.marks.setCurrent(place);
    this.rowNames.forEach((name, k) => name.toggleAttribute("data-on", k === place?.[0]));
    this.columnNames.forEach((name, k) => name.toggleAttribute("data-on", k === place?.[1]));
    this.spot(this.focus);
    if (place) this.reveal(...place);
  }

  /** Bring out a term, the current one for null: its conditioning set, and its row and column by name. */
  spot(/** @type {Term} */ t) {
    this.focus = t;
    if (!this.rank) return;
    const shown = t ?? this.marked;
    if (shown === null) this.marks.setGiven(0, []);
    else this.markGiven(this.terms.x[shown], this.options.given(shown));
    this.callOut();
  }

  markGiven(/** @type {number} */ x, /** @type {number[]} */ members) {
    const { marks, rank } = this;
    marks.setGiven(rank[x], members.map((i) => rank[i]));
  }

  /** Names at the margins, where there is no room for all of them. */
  callOut() {
    const { names, terms, margins, callouts } = this;
    const t = this.focus ?? this.marked;
    if (t === null || t === undefined || !margins || margins.named) {
      callouts.hide();
      return;
    }
    const sizes = { x: margins.row, y: this.columnHeight, cell: this.cell };
    callouts.show(this.placeOf(t), [names[terms.x[t]], names[terms.y[t]]], this.frame, sizes);
  }

  /** Light cells: of a node its row, its column and its blanket; of a term both of the pair's cells. */
  light(/** @type {number | null} */ node, /** @type {Term} */ t = null) {
    const { marks, rank, painter } = this;
    this.lit = [node, t];
    if (!painter) return;
    if (node !== null) {
      marks.setLit([{ row: rank[node] }, { column: rank[node] }]);
      this.markGiven(node, this.options.blanket(node));
      return;
    }
    const [row, column] = this.placeOf(t);
    marks.setLit(t === null ? [] : [{ row, column }, { row: column, column: row }]);
    this.spot(t);
  }

  key(/** @type {KeyboardEvent} */ event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, Place>} */
    const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const here = this.at ?? this.placeOf(this.marked);
    const last = this.n - 1;
    /** @type {Record<string, Place>} */
    const ends = {
      Home: [here[0], 0],
      End: [here[0], last],
      PageUp: [0, here[1]],
      PageDown: [last, here[1]],
    };
    /** @type {Record<string, number>} */ const zooms = { "+": 1.5, "-": 1 / 1.5, 0: 0 };
    if (moves[event.key]) {
      const clamp = (/** @type {number} */ v) => Math.min(last, Math.max(0, v));
      this.moveCursor([clamp(here[0] + moves[event.key][0]), clamp(here[1] + moves[event.key][1])]);
    } else if (ends[event.key]) this.moveCursor(ends[event.key]);
    else if (event.key in zooms) this.zoomBy(zooms[event.key]);
    else if (event.key === "Enter" || (event.key === " " && this.options.spacebar)) {
      // Where no cell is the current one, the first is meant.
      this.options.onJump(this.termAt(...(this.at ?? (this.options.spacebar ? [0, 1] : here))));
    } else return;
    event.preventDefault();
  }

  moveCursor(/** @type {Place | null} */ at) {
    this.at = at;
    this.marks.setCursor(at);
    if (at) this.reveal(...at);
    this.options.onCursor(at ? this.termAt(...at) : null, at);
  }
}
