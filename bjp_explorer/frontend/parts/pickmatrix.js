/** The matrix of assertions as lessons use it: cells to pick, marks on them, any order, large letters. */

import { svg } from "./dom.js";
import { MatrixView } from "./matrix.js";
import { letterScale } from "./projector.js";
import { holds } from "../logic/picks.js";
/** @import { FullTerms } from "../logic/walk.js" */
/** @import { SceneMatrix } from "../payloads.d.ts" */
/** @import { Theme } from "./theme.js" */

/** A dot or a cross in a disc: what a mark says without its colour. */
/** @param {"wrong" | "picked"} kind @param {number} x @param {number} y @param {number} size */
export function markShape(kind, x, y, size) {
  const s = size * 0.45;
  const dot = `M${x} ${y}h0`;
  const cross = `M${x - s} ${y - s}l${2 * s} ${2 * s}m0 ${-2 * s}l${-2 * s} ${2 * s}`;
  return svg("g.mark-shape", { "data-mark": kind }, [
    svg("circle", { cx: x, cy: y, r: size }),
    svg("path", { d: kind === "wrong" ? cross : dot }),
  ]);
}

/**
 * @typedef {{ about: string, picks: any[], culprit: any, order?: boolean, open?: boolean, asks?: boolean,
 *   pair?: boolean, paired?: boolean }} Picking
 */

export class PickMatrix extends MatrixView {
  /** @type {SceneMatrix} */ model;
  asks = false;
  /** @type {[number, number][]} */ picks = [];
  /** @type {[number, number] | null} */ culprit = null;
  /** @type {string} */ content;

  layer = svg("g.picks");

  constructor(
    /** @type {(t: number) => string} */ describe,
    /** @type {(cell: [number, number]) => void} */ onPick,
    /** @type {(text: string) => void} */ onSay,
  ) {
    super({
      onJump: (t) => t !== null && onPick([this.terms.x[t], this.terms.y[t]]),
      onToggle: () => {},
      onHover: () => {},
      onCursor: (_, at) => at && onSay(this.say(at)),
      given: () => [],
      blanket: () => [],
      spacebar: true,
      describe,
    });
  }

  /** @param {SceneMatrix} model @param {Theme} theme @param {Picking | null} picking */
  display(model, theme, picking) {
    Object.assign(this, {
      model,
      asks: Boolean(picking?.asks),
      picks: picking?.picks ?? [],
      culprit: picking?.culprit ?? null,
    });
    const content = JSON.stringify([model, theme, letterScale()]);
    if (content !== this.content) {
      this.content = content;
      this.step = model.reached ?? model.terms.x.length;
      // Where everything is filled in, no cell is the current one.
      const terms = /** @type {FullTerms} */ (model.terms);
      const { by_column: byColumn, reached } = model;
      this.setData({ ...model, terms, ranked: !byColumn, current: reached !== null }, theme);
      const order = model.by_column ? "the order of the columns" : "the order ψ";
      const act = picking ? "Enter picks a cell" : "Arrow keys move";
      this.body.setAttribute("aria-label", `${this.n} by ${this.n} assertions in ${order}. ${act}.`);
    } else this.drawPicks();
    this.lightPair();
  }

  /** What lies over the cells, after these were drawn anew. */
  restore() {
    super.restore();
    this.body.append(this.layer);
    this.drawPicks();
    const [node, t] = this.lit;
    if (node === null && t === null) this.lightPair();
  }

  lightPair() {
    const pair = (!this.asks && this.picks[0]) || this.model.pair;
    const { rank } = this;
    this.light(null, pair && rank ? this.termAt(rank[pair[0]], rank[pair[1]]) : null);
  }

  drawPicks() {
    const { cell, gap, rank, painter } = this;
    if (!painter) return;
    const shown = this.picks.map(([x, y]) => {
      const wrong = this.culprit !== null && String(this.culprit) === String([x, y]);
      const [left, top] = [rank[y] * cell, rank[x] * cell];
      const size = Math.min(11, cell * 0.22);
      const side = cell - gap;
      const mark = wrong ? "wrong" : "picked";
      return svg("g.picked-cell", { "data-pick": `${x},${y}`, "data-mark": mark }, [
        svg("rect", { x: left + 1.5, y: top + 1.5, width: side - 3, height: side - 3, rx: 3 }),
        // What a cell holds is not covered while one only looks.
        this.asks ? markShape(mark, left + side / 2, top + side / 2, size) : null,
      ]);
    });
    this.layer.replaceChildren(...shown);
  }

  /** A cell in words, for who cannot see it. */
  say(/** @type {[number, number]} */ [row, column]) {
    const { names, order } = this;
    const [x, y] = [order[row], order[column]];
    const picked = holds(this.picks, [x, y]) ? ", picked" : "";
    return `row ${names[x]}, column ${names[y]}${picked}`;
  }
}
