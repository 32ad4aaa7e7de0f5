/** The names of a row and a column where cells are too small for names beside them all. */

import { h, setText } from "./dom.js";
import { psi } from "../logic/format.js";

export class Callouts {
  constructor() {
    this.row = h("span.callout", { "data-axis": "row", hidden: true });
    this.column = h("span.callout", { "data-axis": "column", hidden: true });
    this.elements = [this.row, this.column];
  }

  hide() {
    this.row.hidden = true;
    this.column.hidden = true;
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
    this.row.hidden = false;
    this.column.hidden = false;
    const { clientWidth: width, clientHeight: height, scrollLeft, scrollTop } = frame;
    const across = x + (column + 0.5) * cell - scrollLeft;
    const down = y + (row + 0.5) * cell - scrollTop;
    const within = (/** @type {number} */ value, /** @type {number} */ size, /** @type {number} */ room) =>
      Math.min(Math.max(value - size / 2, 0), Math.max(0, room - size));
    const put = (
      /** @type {HTMLElement} */ element,
      /** @type {number} */ left,
      /** @type {number} */ top,
    ) => {
      element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    };
    // At the far side of the cell, so that neither covers what is pointed at.
    const { offsetWidth: rowWidth, offsetHeight: tall } = this.row;
    const { offsetWidth: columnWidth } = this.column;
    put(this.row, across > width / 2 ? 0 : width - rowWidth, within(down, tall, height));
    put(this.column, within(across, columnWidth, width), down > height / 2 ? 0 : height - tall);
  }
}
