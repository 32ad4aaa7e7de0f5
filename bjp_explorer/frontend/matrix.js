/** The n × n assertions in the order ψ: one cell a term, filled as the walk goes on. */

import { h, setAttr, svg } from "./dom.js";
import { CanvasCells, SvgCells } from "./cells.js";
import { compose, frozen } from "./download.js";
import { psi, short } from "./format.js";
import { textWidth } from "./labels.js";
import { css } from "./theme.js";

const SVG_CELLS = 40;
const LARGEST = 56;

/**
 * The matrix of assertions.
 *
 * options: { onJump(t), onHover(t | null, event), onToggle(x, y), describe(t) -> text }.
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
    this.element = h("div", { class: "matrix-scroll" }, h("div", { class: "corner" }), this.columns, this.rows, this.stack);
    this.attach();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.element);
  }

  attach() {
    const at = (event) => this.termAtPoint(event);
    this.body.addEventListener("pointermove", (event) => this.options.onHover(at(event), event));
    this.body.addEventListener("pointerleave", (event) => this.options.onHover(null, event));
    this.body.addEventListener("click", (event) => { const t = at(event); if (t !== null) this.options.onJump(t); });
    this.body.addEventListener("dblclick", (event) => { const t = at(event); if (t !== null) this.options.onToggle(this.terms.x[t], this.terms.y[t]); });
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
    const t = this.terms_at[row * this.n + column];
    return t < 0 ? null : t;
  }

  /** names, order (index by rank), degree and terms of a trace. */
  setData({ names, order, degree, terms }, theme) {
    this.n = order.length;
    Object.assign(this, { names, order, degree, terms, theme });
    this.rank = new Int32Array(this.n);
    order.forEach((variable, k) => { this.rank[variable] = k; });
    this.terms_at = new Int32Array(this.n * this.n).fill(-1);
    terms.x.forEach((x, t) => { this.terms_at[this.rank[x] * this.n + this.rank[terms.y[t]]] = t; });
    this.body.setAttribute("aria-label", `${this.n} by ${this.n} assertions in the order ψ. Arrow keys move, Enter goes to that step.`);
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
    const { n, width } = this;
    const longest = Math.max(...this.names.map((name) => textWidth(short(name), `13px ${this.theme.font}`)));
    const rowRoom = Math.min(longest + 16, width * 0.3);
    const steep = n > 12;
    const rightRoom = steep ? 4 : Math.min(longest, 130) * 0.42;
    const fit = (width - rowRoom - rightRoom) / n;
    const named = fit * this.zoom >= 9;
    const cell = Math.min(LARGEST, (named ? Math.max(fit, n <= SVG_CELLS ? 10 : 0) : (width - 12) / n) * this.zoom);
    this.cell = cell;
    this.gap = cell >= 20 ? 2 : cell >= 7 ? 1 : cell >= 4 ? 0.5 : 0;
    this.font = Math.min(13, Math.max(8, cell * 0.62));
    this.margins = { row: named ? rowRoom : 6, right: named ? rightRoom : 6, steep, named };
    this.drawBody();
    this.drawRows();
    this.drawColumns();
    this.setStep(this.step, true);
  }

  drawBody() {
    const { n, cell } = this;
    const side = n * cell;
    this.painter = n <= SVG_CELLS ? new SvgCells() : new CanvasCells();
    this.painter.build({ n, terms: this.terms, cell, gap: this.gap, theme: this.theme, describe: this.options.describe,
      rowOf: (t) => this.rank[this.terms.x[t]], columnOf: (t) => this.rank[this.terms.y[t]] });
    this.band = { row: svg("rect", { class: "band", width: side, height: cell }), column: svg("rect", { class: "band", width: cell, height: side }) };
    this.ring = svg("rect", { class: "ring", width: cell - this.gap + 2, height: cell - this.gap + 2, rx: Math.min(3, this.gap) });
    this.cursor = svg("rect", { class: "cursor", width: cell, height: cell });
    this.pair = svg("g", { class: "pair" });
    const hatch = svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { class: "hatch-paper", width: 6, height: 6 }), svg("line", { class: "hatch-line", x1: 0, y1: 0, x2: 0, y2: 6 }));
    this.body.replaceChildren(svg("defs", {}, hatch), ...[this.painter.layer, this.band.row, this.band.column, this.pair, this.cursor, this.ring].filter(Boolean));
    for (const [name, value] of Object.entries({ width: side, height: side, viewBox: `0 0 ${side} ${side}` })) this.body.setAttribute(name, value);
    this.stack.replaceChildren(...[this.painter.canvas, this.body].filter(Boolean));
    this.painted = 0;
    this.marked = null;
  }

  /** The longest form of a name that fits. */
  cut(name, room) {
    let most = 26;
    while (most > 4 && textWidth(short(name, most), `${this.font}px ${this.theme.font}`) > room) most -= 1;
    return short(name, most);
  }

  drawRows() {
    const { cell, margins, n } = this;
    this.rows.setAttribute("width", margins.row);
    this.rows.setAttribute("height", n * cell);
    this.rowNames = margins.named ? this.order.map((variable, r) => {
      const two = cell >= 30;
      const y = r * cell + cell / 2 - (two ? 6 : 1);
      const group = svg("g", { class: "name" }, svg("text", { x: margins.row - 8, y, dy: "0.35em", "text-anchor": "end", "font-size": this.font,
        text: this.cut(this.names[variable], margins.row - 12) }), svg("title", { text: `${this.names[variable]}, ${psi(r)}, degree ${this.degree[variable]}` }));
      if (two) group.append(svg("text", { class: "minor", x: margins.row - 8, y: y + 14, dy: "0.35em", "text-anchor": "end", "font-size": 10.5,
        text: margins.row > 96 ? `${psi(r)} · degree ${this.degree[variable]}` : psi(r) }));
      return group;
    }) : [];
    this.rows.replaceChildren(...this.rowNames);
  }

  drawColumns() {
    const { cell, margins, n, font } = this;
    const turn = margins.steep ? -90 : -52;
    const room = Math.min(130, Math.max(60, this.width * 0.26));
    const texts = this.order.map((variable) => this.cut(this.names[variable], room));
    const longest = margins.named ? Math.max(...texts.map((text) => textWidth(text, `${font}px ${this.theme.font}`))) : 0;
    const height = margins.named ? longest * Math.sin((-turn * Math.PI) / 180) + font + 4 : 6;
    this.columns.setAttribute("width", n * cell + margins.right);
    this.columns.setAttribute("height", height);
    this.columnNames = margins.named ? texts.map((text, c) => {
      const x = c * cell + cell / 2 + (margins.steep ? font * 0.35 : 2);
      const y = height - 7;
      return svg("g", { class: "name" }, svg("text", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn})`, "font-size": font, text }),
        svg("title", { text: `${this.names[this.order[c]]}, ${psi(c)}` }));
    }) : [];
    this.columns.replaceChildren(...this.columnNames);
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
    for (const shape of [this.ring, this.band.row, this.band.column]) setAttr(shape, "visibility", none ? "hidden" : null);
    const row = none ? -1 : this.rank[this.terms.x[t]];
    const column = none ? -1 : this.rank[this.terms.y[t]];
    this.rowNames.forEach((name, k) => name.toggleAttribute("data-on", k === row));
    this.columnNames.forEach((name, k) => name.toggleAttribute("data-on", k === column));
    if (none) return;
    const { cell } = this;
    setAttr(this.ring, "x", column * cell - 1);
    setAttr(this.ring, "y", row * cell - 1);
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
    const { cell, rank, n } = this;
    const outline = (c, r, w, h_) => svg("rect", { class: "lit", x: c * cell, y: r * cell, width: w * cell - this.gap, height: h_ * cell - this.gap });
    if (node !== null) this.pair.replaceChildren(outline(0, rank[node], n, 1), outline(rank[node], 0, 1, n));
    else if (pair) this.pair.replaceChildren(outline(rank[pair[0]], rank[pair[1]], 1, 1), outline(rank[pair[1]], rank[pair[0]], 1, 1));
    else if (this.pair?.firstChild) this.pair.replaceChildren();
  }

  key(event) {
    const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const here = this.at ?? (this.marked === null ? [0, 0] : [this.rank[this.terms.x[this.marked]], this.rank[this.terms.y[this.marked]]]);
    if (moves[event.key]) {
      const clamp = (v) => Math.min(this.n - 1, Math.max(0, v));
      this.moveCursor([clamp(here[0] + moves[event.key][0]), clamp(here[1] + moves[event.key][1])]);
    } else if (event.key === "Enter" && this.termAt(...here) !== null) this.options.onJump(this.termAt(...here));
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
    const size = (element) => ({ width: Number(element.getAttribute("width")), height: Number(element.getAttribute("height")) });
    const [top, left, side] = [size(this.columns).height, size(this.rows).width, size(this.body).width];
    const parts = [{ node: frozen(this.columns), x: left, y: 0, ...size(this.columns) }, { node: frozen(this.rows), x: 0, y: top, ...size(this.rows) }];
    if (this.painter.canvas) parts.push({ node: svg("image", { href: this.painter.canvas.toDataURL() }), x: left, y: top, width: side, height: side });
    parts.push({ node: frozen(this.body), x: left, y: top, width: side, height: side });
    const width = left + size(this.columns).width;
    return { page: compose(parts, width, top + side + 4, css(this.theme.paper)), width, height: top + side + 4 };
  }

  destroy() {
    this.watcher.disconnect();
  }
}
