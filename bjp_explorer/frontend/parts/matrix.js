/** The matrix of assertions under the hand: hover, click and keys; what it shows of a term or of a node. */

import { MatrixDrawing } from "./matrixdrawing.js";

/**
 * The matrix of assertions.
 *
 * options: { onJump(t | null), onHover(t | null, event), onToggle(t | null), onCursor(t | null),
 *            describe(t) -> text, given(t) -> indices, blanket(i) -> indices }.
 */
export class MatrixView extends MatrixDrawing {
  constructor(options) {
    super(options);
    this.attach();
  }

  attach() {
    const at = (event) => this.termAtPoint(event);
    this.body.addEventListener("pointermove", (event) => this.options.onHover(at(event), event));
    this.body.addEventListener("pointerleave", (event) => this.options.onHover(null, event));
    this.body.addEventListener("click", (event) => this.options.onJump(at(event)));
    this.body.addEventListener("dblclick", (event) => this.options.onToggle(at(event)));
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("blur", () => this.moveCursor(null));
    this.frame.addEventListener("scroll", () => this.callOut(), { passive: true });
  }

  termAtPoint(event) {
    const frame = this.body.getBoundingClientRect();
    const column = Math.floor((event.clientX - frame.left) / this.cell);
    const row = Math.floor((event.clientY - frame.top) / this.cell);
    return this.termAt(row, column);
  }

  placeRing(t) {
    const place = t === null ? null : this.placeOf(t);
    this.marks.setCurrent(place);
    this.rowNames.forEach((name, k) => name.toggleAttribute("data-on", k === place?.[0]));
    this.columnNames.forEach((name, k) => name.toggleAttribute("data-on", k === place?.[1]));
    this.spot(this.focus);
    if (place) this.reveal(...place);
  }

  /** Bring out a term, the current one for null: its conditioning set, and its row and column by name. */
  spot(t) {
    this.focus = t;
    if (!this.rank) return;
    const shown = t ?? this.marked;
    if (shown === null) this.marks.setGiven(0, []);
    else this.markGiven(this.terms.x[shown], this.options.given(shown));
    this.callOut();
  }

  markGiven(x, members) {
    this.marks.setGiven(
      this.rank[x],
      members.map((i) => this.rank[i]),
    );
  }

  /** Names at the margins, where there is no room for all of them. */
  callOut() {
    const t = this.focus ?? this.marked;
    if (t === null || t === undefined || !this.margins || this.margins.named) {
      this.callouts.hide();
      return;
    }
    const names = [this.names[this.terms.x[t]], this.names[this.terms.y[t]]];
    const { cell, columnHeight: y } = this;
    this.callouts.show(this.placeOf(t), names, this.frame, { x: this.margins.row, y, cell });
  }

  /** Keep the current cell in sight inside the scrolling frame, without moving the page. */
  reveal(row, column) {
    const { frame } = this;
    if (frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight) return;
    const x = column * this.cell;
    const y = row * this.cell;
    const roomX = frame.clientWidth - this.margins.row - this.cell;
    const roomY = frame.clientHeight - this.columns.clientHeight - this.cell;
    if (x < frame.scrollLeft || x > frame.scrollLeft + roomX) frame.scrollLeft = x - roomX / 2;
    if (y < frame.scrollTop || y > frame.scrollTop + roomY) frame.scrollTop = y - roomY / 2;
  }

  /** Light cells: of a node its row, its column and its blanket; of a term both of the pair's cells. */
  light(/** @type {number | null} */ node, /** @type {number | null} */ t = null) {
    this.lit = /** @type {[number | null, number | null]} */ ([node, t]);
    if (!this.painter) return;
    const { rank } = this;
    if (node !== null) {
      this.marks.setLit([{ row: rank[node] }, { column: rank[node] }]);
      this.markGiven(node, this.options.blanket(node));
      return;
    }
    const [row, column] = t === null ? [] : this.placeOf(t);
    this.marks.setLit(t === null ? [] : [{ row, column }, { row: column, column: row }]);
    this.spot(t);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const here = this.at ?? this.placeOf(this.marked);
    const ends = {
      Home: [here[0], 0],
      End: [here[0], this.n - 1],
      PageUp: [0, here[1]],
      PageDown: [this.n - 1, here[1]],
    };
    const zooms = { "+": 1.5, "-": 1 / 1.5, 0: 0 };
    if (moves[event.key]) {
      const clamp = (v) => Math.min(this.n - 1, Math.max(0, v));
      this.moveCursor([clamp(here[0] + moves[event.key][0]), clamp(here[1] + moves[event.key][1])]);
    } else if (ends[event.key]) this.moveCursor(ends[event.key]);
    else if (event.key in zooms) this.zoomBy(zooms[event.key]);
    else if (event.key === "Enter") this.options.onJump(this.termAt(...here));
    else return;
    event.preventDefault();
  }

  moveCursor(at) {
    this.at = at;
    this.marks.setCursor(at);
    if (at) this.reveal(...at);
    this.options.onCursor?.(at ? this.termAt(...at) : null);
  }
}
