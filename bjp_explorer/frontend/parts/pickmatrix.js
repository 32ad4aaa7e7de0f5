/** The matrix of assertions as lessons use it: cells to pick, marks on them, any order, large letters. */

import { svg } from "./dom.js";
import { MatrixView } from "./matrix.js";
import { letterScale } from "./projector.js";
import { holds } from "../logic/picks.js";

/** A tick or a cross in a disc: what a mark says without its colour. */
export function markShape(kind, x, y, size) {
  const s = size * 0.45;
  const tick = `M${x - s} ${y}l${s * 0.75} ${s * 0.75}l${s * 1.25} ${-s * 1.5}`;
  const cross = `M${x - s} ${y - s}l${2 * s} ${2 * s}m0 ${-2 * s}l${-2 * s} ${2 * s}`;
  return svg(
    "g",
    { class: "mark-shape", "data-mark": kind },
    svg("circle", { cx: x, cy: y, r: size }),
    svg("path", { d: kind === "wrong" ? cross : tick }),
  );
}

/** options of MatrixView, and onPick([x, y]). */
export class PickMatrix extends MatrixView {
  /** @type {import("../payloads.d.ts").SceneMatrix} */
  model;
  asks = false;

  constructor(options) {
    const pick = (t) => t !== null && options.onPick([this.terms.x[t], this.terms.y[t]]);
    const none = () => [];
    super({ onJump: pick, onToggle: () => {}, onHover: () => {}, given: none, blanket: none, ...options });
    this.picks = [];
    this.culprit = null;
  }

  /** Show a matrix: { names, order, degree, terms, reached, by_column, pair } of a scene. */
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
      this.setData(model, theme);
      const sorted = model.by_column ? "the order of the columns" : "the order ψ";
      const act = picking ? "Enter picks a cell" : "Arrow keys move";
      this.body.setAttribute("aria-label", `${this.n} by ${this.n} assertions in ${sorted}. ${act}.`);
    } else this.drawPicks();
    this.lightPair();
  }

  drawBody() {
    super.drawBody();
    this.layer = svg("g", { class: "picks" });
    this.body.append(this.layer);
    this.drawPicks();
  }

  layout() {
    super.layout();
    this.lightPair();
  }

  /** Both cells of the pair that the scene speaks of. */
  lightPair() {
    const { pair } = this.model;
    this.light(null, pair && this.rank ? this.termAt(this.rank[pair[0]], this.rank[pair[1]]) : null);
  }

  /** In the order of the columns there is no ψ to be named. */
  drawMargins() {
    super.drawMargins();
    if (!this.model.by_column) return;
    for (const minor of this.rows.querySelectorAll(".minor")) minor.remove();
    for (const title of this.element.querySelectorAll(".margin title")) {
      title.textContent = title.textContent.split(", ψ")[0];
    }
  }

  /** Where everything is filled in, no cell is the current one. */
  setStep(step, all = false) {
    super.setStep(step, all);
    if (this.model?.reached !== null || this.marked === null || !this.painter) return;
    this.painter.mark(this.marked, false);
    this.marked = null;
    this.placeRing(null);
  }

  drawPicks() {
    if (!this.layer) return;
    const { cell, gap, rank } = this;
    const shown = this.picks.map(([x, y]) => {
      const wrong = this.culprit !== null && String(this.culprit) === String([x, y]);
      const [left, top] = [rank[y] * cell, rank[x] * cell];
      const size = Math.min(11, cell * 0.22);
      return svg(
        "g",
        { class: "picked-cell", "data-pick": `${x},${y}`, "data-mark": wrong ? "wrong" : "picked" },
        svg("rect", { x: left + 1.5, y: top + 1.5, width: cell - gap - 3, height: cell - gap - 3, rx: 3 }),
        // What a cell holds is not covered while one only looks.
        this.asks
          ? markShape(wrong ? "wrong" : "picked", left + (cell - gap) / 2, top + (cell - gap) / 2, size)
          : null,
      );
    });
    this.layer.replaceChildren(...shown);
  }

  /** A cell in words, for who cannot see it. */
  say([row, column]) {
    const [x, y] = [this.order[row], this.order[column]];
    const picked = holds(this.picks, [x, y]) ? ", picked" : "";
    return `row ${this.names[x]}, column ${this.names[y]}${picked}`;
  }

  moveCursor(at) {
    super.moveCursor(at);
    if (at) this.options.onSay?.(this.say(at));
  }

  key(event) {
    if (event.key !== " ") {
      super.key(event);
      return;
    }
    event.preventDefault();
    this.options.onJump(this.termAt(...(this.at ?? [0, 1])));
  }

  termAtPoint(event) {
    const { left, top, width } = this.body.getBoundingClientRect();
    const side = width / this.n;
    return this.termAt(Math.floor((event.clientY - top) / side), Math.floor((event.clientX - left) / side));
  }
}
