/** What lies over the cells: the current one, what it is given, what is pointed at, what just changed. */

import { h, setAttr, setAttrs, setText, svg } from "./dom.js";
import { psi } from "../logic/format.js";
/** @typedef {[number, number]} Place row and column of a cell */
/** @typedef {Record<"x" | "y" | "width" | "height", number>} Box */
/** @typedef {{ n: number, cell: number, gap: number }} Sizes */

/** Marks of small cells are no smaller than this. */
const LEAST = 7;
const LEAST_RING = 11;
/** How thick the ring of the current cell is drawn. */
const RING = 3;

export class MatrixMarks {
  /** @type {number} */ n;
  /** @type {number} */ cell;
  /** @type {number} */ gap;

  constructor() {
    const group = (/** @type {string} */ name) => svg("g", { class: name });
    const frame = (/** @type {string} */ name) => svg("rect", { class: name });
    this.band = { row: frame("band"), column: frame("band") };
    this.ring = svg("g.current-ring", frame("ring-paper"), frame("ring"));
    this.cursor = frame("cursor");
    this.given = group("given-cells");
    this.pair = group("pair");
    this.changed = group("changed");
    const { row, column } = this.band;
    this.over = [row, column, this.changed, this.given, this.pair, this.cursor, this.ring];
  }

  build(/** @type {Sizes} */ sizes) {
    Object.assign(this, sizes);
    const side = this.n * this.cell;
    const thick = Math.max(this.cell, 3);
    const least = Math.max(this.cell, LEAST);
    setAttrs(this.band.row, { width: side, height: thick });
    setAttrs(this.band.column, { width: thick, height: side });
    setAttrs(this.cursor, { width: least, height: least });
    this.changed.replaceChildren();
  }

  /** A square around a cell, with room around a small one. */
  around(/** @type {number} */ row, /** @type {number} */ column, least = LEAST, grow = 0) {
    const { cell, gap } = this;
    const side = Math.max(cell - gap + 2 * grow, least);
    const middle = (/** @type {number} */ k) => k * cell + (cell - gap) / 2 - side / 2;
    return { x: middle(column), y: middle(row), width: side, height: side };
  }

  /** A square that would reach over the rim of the matrix, where it is cut off, drawn in. */
  inside(/** @type {Box} */ { x, y, width, height }) {
    const [least, most] = [RING / 2, this.n * this.cell - RING / 2];
    const [left, top] = [Math.max(x, least), Math.max(y, least)];
    return {
      x: left,
      y: top,
      width: Math.min(x + width, most) - left,
      height: Math.min(y + height, most) - top,
    };
  }

  setCurrent(/** @type {Place | null} */ place) {
    const hidden = place ? null : "hidden";
    for (const shape of [this.ring, this.band.row, this.band.column]) setAttr(shape, "visibility", hidden);
    if (!place) return;
    const [row, column] = place;
    for (const shape of this.ring.children) {
      for (const [name, value] of Object.entries(this.inside(this.around(row, column, LEAST_RING, 1.5)))) {
        setAttr(shape, name, value.toFixed(1));
      }
    }
    setAttr(this.band.row, "y", row * this.cell - this.gap / 2);
    setAttr(this.band.column, "x", column * this.cell - this.gap / 2);
  }

  /** The conditioning set: its cells in the row of x. */
  setGiven(/** @type {number} */ row, /** @type {number[]} */ columns) {
    const boxes = columns.map((column) => svg("rect.of-given", { rx: 2, ...this.around(row, column) }));
    this.given.replaceChildren(...boxes);
  }

  /** Outlines: [{ row, column }] of cells; without one of the two, of a whole line. */
  setLit(/** @type {{ row?: number, column?: number }[]} */ places) {
    const { cell, gap, n } = this;
    const line = (/** @type {number | null} */ row, /** @type {number | null} */ column) => ({
      x: (column ?? 0) * cell - (column === null ? 0 : Math.max(0, LEAST - cell) / 2),
      y: (row ?? 0) * cell - (row === null ? 0 : Math.max(0, LEAST - cell) / 2),
      width: column === null ? n * cell - gap : Math.max(cell - gap, LEAST),
      height: row === null ? n * cell - gap : Math.max(cell - gap, LEAST),
    });
    const lit = places.map(({ row = null, column = null }) =>
      row === null || column === null ? line(row, column) : this.around(row, column, LEAST_RING)
    );
    this.pair.replaceChildren(...lit.map((place) => svg("rect.lit", place)));
  }

  setCursor(/** @type {Place | null} */ place) {
    setAttr(this.cursor, "data-on", place ? "" : null);
    if (!place) return;
    const { x, y } = this.around(...place);
    setAttrs(this.cursor, { x, y });
  }

  /** Flash cells, and leave no trace. */
  flash(/** @type {Place[]} */ places, /** @type {number} */ delay, /** @type {number} */ lasting) {
    const flashes = places.map((place) => svg("rect.flash", { rx: 2, ...this.around(...place, 5) }));
    this.changed.replaceChildren(...flashes);
    this.changed.style.setProperty("--delay", `${delay}ms`);
    clearTimeout(this.fading);
    this.fading = setTimeout(() => this.changed.replaceChildren(), delay + lasting);
  }
}

/** The names of a row and a column where cells are too small for names beside them all. */
export class Callouts {
  row = h("span.callout", { "data-axis": "row", hidden: true });
  column = h("span.callout", { "data-axis": "column", hidden: true });
  elements = [this.row, this.column];

  hide() {
    for (const element of this.elements) element.hidden = true;
  }

  /** place: row and column; names: of both; frame: the scrolling matrix; x and y: where its cells begin. */
  show(
    /** @type {[number, number]} */ [row, column],
    /** @type {string[]} */ names,
    /** @type {HTMLElement} */ frame,
    /** @type {{ x: number, y: number, cell: number }} */ { x, y, cell },
  ) {
    setText(this.row, `${names[0]} · ${psi(row)}`);
    setText(this.column, `${names[1]} · ${psi(column)}`);
    for (const element of this.elements) element.hidden = false;
    const { clientWidth: width, clientHeight: height, scrollLeft, scrollTop } = frame;
    const across = x + (column + 0.5) * cell - scrollLeft;
    const down = y + (row + 0.5) * cell - scrollTop;
    const within = (/** @type {number} */ value, /** @type {number} */ size, /** @type {number} */ room) =>
      Math.min(Math.max(value - size / 2, 0), Math.max(0, room - size));
    const at = (/** @type {number} */ left, /** @type {number} */ top) =>
      `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    // At the far side of the cell, so that neither covers what is pointed at.
    const [left, top] = [across > width / 2, down > height / 2];
    const tall = this.row.offsetHeight;
    this.row.style.transform = at(left ? 0 : width - this.row.offsetWidth, within(down, tall, height));
    this.column.style.transform = at(within(across, this.column.offsetWidth, width), top ? 0 : height - tall);
  }
}
