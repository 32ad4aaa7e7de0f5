/** The n × n assertions in the order ψ: one cell a term, filled as the walk goes on. */

import { h, setAttr, svg } from "./dom.js";
import { CanvasCells, SvgCells } from "./cells.js";
import { compose, frozen } from "./download.js";
import { columnNames, measureMargins, rowNames } from "./margins.js";
import { css } from "./theme.js";

const SVG_CELLS = 40;
const LARGEST = 56;

function setSize(element, width, height) {
  element.setAttribute("width", width);
  element.setAttribute("height", height);
}

function sizeOf(element) {
  return { width: Number(element.getAttribute("width")), height: Number(element.getAttribute("height")) };
}

/** The fill of inferred cells. */
function hatch() {
  return svg(
    "pattern",
    { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { class: "hatch-paper", width: 6, height: 6 }),
    svg("line", { class: "hatch-line", x1: 0, y1: 0, x2: 0, y2: 6 }),
  );
}

/**
 * The matrix of assertions.
 *
 * options: { onJump(t | null), onHover(t | null, event), onToggle(t | null), onCursor(t | null), describe(t) -> text }.
 */
export class MatrixView {
  constructor(options) {
    this.options = options;
    this.zoom = 1;
    this.step = 0;
    this.columns = svg("svg", { class: "margin columns", "aria-hidden": "true" });
    this.rows = svg("svg", { class: "margin rows", "aria-hidden": "true" });
    this.body = svg("svg", { class: "body", role: "grid", tabindex: "0" });
    this.stack = h("div", { class: "stack" }, this.body);
    this.element = h(
      "div",
      { class: "matrix-scroll" },
      h("div", { class: "corner" }),
      this.columns,
      this.rows,
      this.stack,
    );
    this.attach();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.element);
  }

  attach() {
    const at = (event) => this.termAtPoint(event);
    this.body.addEventListener("pointermove", (event) => this.options.onHover(at(event), event));
    this.body.addEventListener("pointerleave", (event) => this.options.onHover(null, event));
    this.body.addEventListener("click", (event) => this.options.onJump(at(event)));
    this.body.addEventListener("dblclick", (event) => this.options.onToggle(at(event)));
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("blur", () => this.moveCursor(null));
  }

  termAtPoint(event) {
    const frame = this.body.getBoundingClientRect();
    const column = Math.floor((event.clientX - frame.left) / this.cell);
    const row = Math.floor((event.clientY - frame.top) / this.cell);
    return this.termAt(row, column);
  }

  termAt(row, column) {
    if (row < 0 || column < 0 || row >= this.n || column >= this.n) return null;
    const t = this.termsAt[row * this.n + column];
    return t < 0 ? null : t;
  }

  /** Row and column of a term. */
  placeOf(t) {
    return t === null ? [0, 0] : [this.rank[this.terms.x[t]], this.rank[this.terms.y[t]]];
  }

  /** names, order (index by rank), degree and terms of a trace. */
  setData({ names, order, degree, terms }, theme) {
    this.n = order.length;
    Object.assign(this, { names, order, degree, terms, theme });
    this.rank = new Int32Array(this.n);
    order.forEach((variable, k) => {
      this.rank[variable] = k;
    });
    this.termsAt = new Int32Array(this.n * this.n).fill(-1);
    terms.x.forEach((x, t) => {
      this.termsAt[this.rank[x] * this.n + this.rank[terms.y[t]]] = t;
    });
    this.body.setAttribute(
      "aria-label",
      `${this.n} by ${this.n} assertions in the order ψ. Arrow keys move, Enter goes to that step.`,
    );
    this.width = 0;
    this.resize();
  }

  resize() {
    const { width } = this.element.getBoundingClientRect();
    if (!this.terms || width < 40 || Math.abs(width - this.width) < 1) return;
    this.width = width;
    this.layout();
  }

  zoomBy(factor) {
    this.zoom = factor === 0 ? 1 : Math.min(8, Math.max(1, this.zoom * factor));
    this.layout();
  }

  /** Sizes: margins for names where they can be read, the rest for square cells. */
  layout() {
    const { n, theme } = this;
    this.margins = measureMargins(this.names, this.width, this.zoom, theme.font, n <= SVG_CELLS ? 10 : 0);
    this.cell = Math.min(LARGEST, this.margins.cell);
    this.gap = [
      [20, 2],
      [7, 1],
      [4, 0.5],
      [0, 0],
    ].find(([least]) => this.cell >= least)[1];
    this.fontSize = Math.min(13, Math.max(8, this.cell * 0.62));
    this.family = theme.font;
    this.drawBody();
    this.drawMargins();
    this.setStep(this.step, true);
  }

  drawBody() {
    const { n, cell, gap } = this;
    const side = n * cell;
    this.painter = n <= SVG_CELLS ? new SvgCells() : new CanvasCells();
    this.painter.build({
      n,
      terms: this.terms,
      cell,
      gap,
      theme: this.theme,
      describe: this.options.describe,
      rowOf: (t) => this.rank[this.terms.x[t]],
      columnOf: (t) => this.rank[this.terms.y[t]],
    });
    const frame = (name, width, height, rx = 0) => svg("rect", { class: name, width, height, rx });
    this.band = { row: frame("band", side, cell), column: frame("band", cell, side) };
    this.ring = frame("ring", Math.max(2, cell - gap - 2), Math.max(2, cell - gap - 2), Math.min(3, gap));
    this.cursor = frame("cursor", cell, cell);
    this.pair = svg("g", { class: "pair" });
    const over = [this.painter.layer, this.band.row, this.band.column, this.pair, this.cursor, this.ring];
    this.body.replaceChildren(svg("defs", {}, hatch()), ...over.filter(Boolean));
    setSize(this.body, side, side);
    this.body.setAttribute("viewBox", `0 0 ${side} ${side}`);
    this.stack.replaceChildren(...[this.painter.canvas, this.body].filter(Boolean));
    this.painted = 0;
    this.marked = null;
  }

  drawMargins() {
    const side = this.n * this.cell;
    this.rowNames = rowNames(this);
    const { height, texts } = columnNames(this);
    this.columnNames = texts;
    setSize(this.rows, this.margins.row, side);
    setSize(this.columns, side + this.margins.right, height);
    this.rows.replaceChildren(...this.rowNames);
    this.columns.replaceChildren(...texts);
  }

  /** Show the walk up to a step: only the cells that changed are touched. */
  setStep(step, all = false) {
    this.step = step;
    if (!this.painter) return;
    if (this.marked !== null) this.painter.mark(this.marked, false);
    const from = all ? 0 : Math.min(step, this.painted);
    const to = all ? this.terms.x.length : Math.max(step, this.painted);
    for (let t = from; t < to; t += 1) this.painter.paint(t, t < step);
    this.painted = step;
    this.marked = step > 0 ? step - 1 : null;
    if (this.marked !== null) this.painter.mark(this.marked, true);
    this.placeRing(this.marked);
  }

  placeRing(t) {
    const none = t === null;
    for (const shape of [this.ring, this.band.row, this.band.column])
      setAttr(shape, "visibility", none ? "hidden" : null);
    const [row, column] = none ? [-1, -1] : this.placeOf(t);
    this.rowNames.forEach((name, k) => name.toggleAttribute("data-on", k === row));
    this.columnNames.forEach((name, k) => name.toggleAttribute("data-on", k === column));
    if (none) return;
    const { cell } = this;
    setAttr(this.ring, "x", column * cell + 1);
    setAttr(this.ring, "y", row * cell + 1);
    setAttr(this.band.row, "y", row * cell - this.gap / 2);
    setAttr(this.band.column, "x", column * cell - this.gap / 2);
    this.reveal(row, column);
  }

  /** Keep the current cell in sight inside the scrolling frame, without moving the page. */
  reveal(row, column) {
    const frame = this.element;
    if (frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight) return;
    const x = column * this.cell;
    const y = row * this.cell;
    const roomX = frame.clientWidth - this.margins.row - this.cell;
    const roomY = frame.clientHeight - this.columns.clientHeight - this.cell;
    if (x < frame.scrollLeft || x > frame.scrollLeft + roomX) frame.scrollLeft = x - roomX / 2;
    if (y < frame.scrollTop || y > frame.scrollTop + roomY) frame.scrollTop = y - roomY / 2;
  }

  /** Light cells from the graph: the row and column of a node, or both cells of a pair. */
  light(node, pair = null) {
    if (!this.pair) return;
    const { cell, gap, rank, n } = this;
    const outline = (row, column, rows = 1, columns = 1) =>
      svg("rect", {
        class: "lit",
        x: column * cell,
        y: row * cell,
        width: columns * cell - gap,
        height: rows * cell - gap,
      });
    const [a, b] = pair ? [rank[pair[0]], rank[pair[1]]] : [0, 0];
    if (node !== null) this.pair.replaceChildren(outline(rank[node], 0, 1, n), outline(0, rank[node], n, 1));
    else this.pair.replaceChildren(...(pair ? [outline(a, b), outline(b, a)] : []));
  }

  key(event) {
    const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const here = this.at ?? this.placeOf(this.marked);
    if (moves[event.key]) {
      const clamp = (v) => Math.min(this.n - 1, Math.max(0, v));
      this.moveCursor([clamp(here[0] + moves[event.key][0]), clamp(here[1] + moves[event.key][1])]);
    } else if (event.key === "Enter") this.options.onJump(this.termAt(...here));
    else return;
    event.preventDefault();
  }

  moveCursor(at) {
    this.at = at;
    setAttr(this.cursor, "data-on", at ? "" : null);
    if (!at) return;
    setAttr(this.cursor, "x", at[1] * this.cell);
    setAttr(this.cursor, "y", at[0] * this.cell);
    this.reveal(...at);
    this.options.onCursor?.(this.termAt(...at));
  }

  /** The whole matrix as one SVG document, for saving. */
  drawing() {
    const [columns, rows, body] = [sizeOf(this.columns), sizeOf(this.rows), sizeOf(this.body)];
    const at = { x: rows.width, y: columns.height };
    const parts = [
      { node: frozen(this.columns), x: at.x, y: 0, ...columns },
      { node: frozen(this.rows), x: 0, y: at.y, ...rows },
    ];
    if (this.painter.canvas)
      parts.push({ node: svg("image", { href: this.painter.canvas.toDataURL() }), ...at, ...body });
    parts.push({ node: frozen(this.body), ...at, ...body });
    const [width, height] = [rows.width + columns.width, columns.height + body.height + 4];
    return { page: compose(parts, width, height, css(this.theme.paper)), width, height };
  }

  destroy() {
    this.watcher.disconnect();
  }
}
