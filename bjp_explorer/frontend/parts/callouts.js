/** The names of a row and a column where cells are too small for names beside them all. */

import { h, setText } from "./dom.js";
import { psi } from "../logic/format.js";

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
