/** The matrix of assertions under the hand: hover, click and keys; what it shows of a term or of a node. */

import { MatrixDrawing } from "./matrixdrawing.js";

/** @import { Words } from "../logic/words.js" */
/** @import { Place } from "./marks.js" */
/** @import { Matrix } from "./matrixdrawing.js" */
/** @import { Theme } from "./theme.js" */

/** @typedef {number | null} Term where null is none */

/**
 * The matrix of assertions.
 *
 * onLayout: it was drawn anew; beside: an element whose height it fits into; spacebar: whether it does what
 * Enter does.
 *
 * @typedef {{ onJump: (t: Term) => void, onHover: (t: Term, event: PointerEvent) => void,
 *   onToggle: (t: Term) => void, onCursor?: (t: Term, place: Place | null) => void, onLayout?: () => void,
 *   describe: (t: number) => string, given: (t: number) => number[], blanket: (i: number) => number[],
 *   beside?: Element, spacebar?: boolean, words?: Words }} Options
 */
export class MatrixView {
  /** @type {Term} the term that is brought out in place of the current one */ focus = null;
  /** @type {[number | null, Term]} the node and the term that are lit */ lit = [null, null];
  /** @type {Place | null} where the keyboard's cursor stands */ at = null;

  constructor(/** @type {Options} */ options) {
    this.options = options;
    this.drawing = new MatrixDrawing({
      describe: options.describe,
      beside: options.beside,
      words: options.words,
      onMark: (t) => this.placeRing(t),
      onLayout: () => this.restore(),
    });
    this.element = this.drawing.element;
    this.attach();
  }

  attach() {
    const { body, frame } = this.drawing;
    const at = (/** @type {MouseEvent} */ event) => this.termAtPoint(event);
    body.addEventListener("pointermove", (event) => this.options.onHover(at(event), event));
    body.addEventListener("pointerleave", (event) => this.options.onHover(null, event));
    body.addEventListener("click", (event) => this.options.onJump(at(event)));
    body.addEventListener("dblclick", (event) => this.options.onToggle(at(event)));
    body.addEventListener("keydown", (event) => this.key(event));
    body.addEventListener("blur", () => this.moveCursor(null));
    frame.addEventListener("scroll", () => this.callOut(), { passive: true });
  }

  setData(/** @type {Matrix} */ data, /** @type {Theme} */ theme) {
    this.focus = null;
    this.lit = [null, null];
    if (this.at?.some((k) => k >= data.order.length)) this.at = null;
    this.drawing.setData(data, theme);
  }

  setStep(/** @type {number} */ step) {
    this.drawing.setStep(step);
  }

  /** What lies over the cells, after these were drawn anew. */
  restore() {
    this.drawing.marks.setCursor(this.at);
    this.light(...this.lit);
    if (this.at) this.drawing.reveal(...this.at);
    this.options.onLayout?.();
  }

  termAtPoint(/** @type {MouseEvent} */ event) {
    const { left, top, width } = this.drawing.body.getBoundingClientRect();
    const side = width / this.drawing.n;
    return this.drawing.termAt(
      Math.floor((event.clientY - top) / side),
      Math.floor((event.clientX - left) / side),
    );
  }

  placeRing(/** @type {Term} */ t) {
    const { drawing } = this;
    const place = t === null ? null : drawing.placeOf(t);
    drawing.marks.setCurrent(place);
    drawing.rowNames.forEach((name, k) => name.toggleAttribute("data-on", k === place?.[0]));
    drawing.columnNames.forEach((name, k) => name.toggleAttribute("data-on", k === place?.[1]));
    this.spot(this.focus);
    if (place) drawing.reveal(...place);
  }

  /** Bring out a term, the current one for null: its conditioning set, and its row and column by name. */
  spot(/** @type {Term} */ t) {
    const { drawing } = this;
    this.focus = t;
    if (!drawing.rank) return;
    const shown = t ?? drawing.marked;
    if (shown === null) drawing.marks.setGiven(0, []);
    else this.markGiven(drawing.terms.x[shown], this.options.given(shown));
    this.callOut();
  }

  markGiven(/** @type {number} */ x, /** @type {number[]} */ members) {
    const { marks, rank } = this.drawing;
    marks.setGiven(rank[x], members.map((i) => rank[i]));
  }

  /** Names at the margins, where there is no room for all of them. */
  callOut() {
    const { drawing } = this;
    const { names, terms, margins, callouts } = drawing;
    const t = this.focus ?? drawing.marked;
    if (t === null || t === undefined || !margins || margins.named) {
      callouts.hide();
      return;
    }
    const { cell, columnHeight: y } = drawing;
    callouts.show(drawing.placeOf(t), [names[terms.x[t]], names[terms.y[t]]], drawing.frame, {
      x: margins.row,
      y,
      cell,
    });
  }

  /** Light cells: of a node its row, its column and its blanket; of a term both of the pair's cells. */
  light(/** @type {number | null} */ node, /** @type {Term} */ t = null) {
    const { marks, rank, painter } = this.drawing;
    this.lit = [node, t];
    if (!painter) return;
    if (node !== null) {
      marks.setLit([{ row: rank[node] }, { column: rank[node] }]);
      this.markGiven(node, this.options.blanket(node));
      return;
    }
    const [row, column] = this.drawing.placeOf(t);
    marks.setLit(t === null ? [] : [{ row, column }, { row: column, column: row }]);
    this.spot(t);
  }

  key(/** @type {KeyboardEvent} */ event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { drawing } = this;
    /** @type {Record<string, Place>} */
    const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
    const here = this.at ?? drawing.placeOf(drawing.marked);
    const last = drawing.n - 1;
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
    else if (event.key in zooms) drawing.zoomBy(zooms[event.key]);
    else if (event.key === "Enter" || (event.key === " " && this.options.spacebar)) {
      // Where no cell is the current one, the first is meant.
      this.options.onJump(drawing.termAt(...(this.at ?? (this.options.spacebar ? [0, 1] : here))));
    } else return;
    event.preventDefault();
  }

  moveCursor(/** @type {Place | null} */ at) {
    this.at = at;
    this.drawing.marks.setCursor(at);
    if (at) this.drawing.reveal(...at);
    this.options.onCursor?.(at ? this.drawing.termAt(...at) : null, at);
  }

  destroy() {
    this.drawing.destroy();
  }
}
