/** The cells of the matrix: SVG that tests and screen readers reach (n ≤ 40), a canvas beyond. */

import { h, setAttr, signPath, svg } from "./dom.js";
import { cellProbability } from "./format.js";
import { textWidth } from "./labels.js";
import { cellColours, css, mix } from "./theme.js";

/** What both painters know: { n, terms, rowOf(t), columnOf(t), theme, cell, gap, describe(t) }. */

/** The state of a term once reached. */
function settledState(terms, t) {
  if (!terms.computed[t]) return "inferred";
  return terms.dependent[t] ? "computed-dependent" : "computed-independent";
}

export class SvgCells {
  constructor() {
    this.layer = svg("g", { class: "cells" });
    this.canvas = null;
  }

  /** Build every cell as still to come. */
  build(model) {
    this.model = model;
    const { n, terms, cell, gap } = model;
    this.groups = new Array(terms.x.length);
    const rows = Array.from({ length: n }, (_, r) =>
      svg(
        "g",
        { role: "row" },
        svg("rect", {
          class: "diagonal",
          x: r * cell,
          y: r * cell,
          width: cell - gap,
          height: cell - gap,
          rx: gap,
        }),
      ),
    );
    terms.x.forEach((x, t) => {
      this.groups[t] = this.cell(t);
      rows[model.rowOf(t)].append(this.groups[t].group);
    });
    this.layer.replaceChildren(...rows);
  }

  cell(t) {
    const { terms, cell, gap } = this.model;
    const side = cell - gap;
    const rect = svg("rect", { width: side, height: side, rx: Math.min(3, gap) });
    const group = svg(
      "g",
      {
        class: "cell",
        role: "gridcell",
        "data-x": terms.x[t],
        "data-y": terms.y[t],
        "data-state": "todo",
        transform: `translate(${(this.model.columnOf(t) * cell).toFixed(2)} ${(this.model.rowOf(t) * cell).toFixed(2)})`,
      },
      rect,
    );
    return { group, rect, extra: null };
  }

  /** What is written in a cell depends on its room. */
  content(t) {
    const { terms, cell, gap } = this.model;
    const middle = (cell - gap) / 2;
    if (!terms.computed[t]) return cell < 14 ? [] : [this.writing("1", middle, Math.min(11, cell * 0.55))];
    const valued = cell >= 30;
    const up = valued ? cell * 0.19 : 0;
    const size = valued ? 5 : Math.min(4.6, cell * 0.24);
    const marks = [
      svg("path", { class: "mark", d: signPath(terms.dependent[t], middle, middle - up, size) }),
    ];
    if (valued) {
      const value = cellProbability(terms.value[t], cell >= 36 ? 3 : 2);
      const fits = (11 * (cell - gap - 4)) / textWidth(value, `600 11px ${this.model.theme.font}`);
      marks.push(this.writing(value, middle + cell * 0.21, Math.min(11.5, fits)));
    }
    if (terms.value[t] < -Math.LN2 && cell >= 9) {
      const corner = (cell * 0.24).toFixed(1);
      marks.push(svg("path", { class: "doubt", d: `M${2 * middle} 0v${corner}l-${corner} -${corner}z` }));
    }
    return marks;
  }

  writing(text, y, size) {
    const x = (this.model.cell - this.model.gap) / 2;
    return svg("text", { x, y, dy: "0.35em", style: `font-size:${size.toFixed(1)}px`, text });
  }

  paint(t, reached) {
    const { terms, theme } = this.model;
    const item = this.groups[t];
    const state = reached ? settledState(terms, t) : "todo";
    if (item.state === state) return;
    item.state = state;
    item.group.dataset.state = state;
    const colours =
      reached && terms.computed[t] ? cellColours(theme, terms.dependent[t], terms.value[t]) : null;
    item.rect.style.fill = colours?.fill ?? (state === "inferred" ? "url(#hatch)" : "");
    item.group.style.color = colours?.ink ?? "";
    item.extra?.forEach((mark) => mark.remove());
    item.extra = reached ? this.content(t) : null;
    if (item.extra) item.group.append(...item.extra);
    setAttr(item.group, "aria-label", reached ? this.model.describe(t) : "to come");
  }

  /** The current cell keeps its state and carries the word "current" beside it. */
  mark(t, current) {
    const item = this.groups[t];
    if (!item) return;
    item.group.dataset.state = current ? `${item.state} current` : item.state;
    setAttr(item.group, "aria-current", current ? "step" : null);
  }
}

export class CanvasCells {
  constructor() {
    this.canvas = h("canvas", { class: "cells", "aria-hidden": "true" });
    this.pen = this.canvas.getContext("2d");
    this.layer = null;
  }

  build(model) {
    this.model = model;
    const { n, cell, theme, terms } = model;
    const side = n * cell;
    this.scale = Math.min(window.devicePixelRatio || 1, 3000 / side);
    Object.assign(this.canvas, {
      width: Math.round(side * this.scale),
      height: Math.round(side * this.scale),
    });
    Object.assign(this.canvas.style, { width: `${side}px`, height: `${side}px` });
    this.pen.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    this.reached = new Uint8Array(terms.x.length);
    this.paper = css(theme.paper);
    this.grey = css(mix(theme.ink, theme.paper, 0.16));
    this.faint = css(mix(theme.ink, theme.paper, 0.05));
    this.pen.fillStyle = this.faint;
    this.pen.fillRect(0, 0, side, side);
    this.pen.fillStyle = css(mix(theme.ink, theme.paper, 0.3));
    for (let r = 0; r < n; r += 1) this.square(r, r);
  }

  square(r, c) {
    const { cell, gap } = this.model;
    this.pen.fillRect(c * cell, r * cell, cell - gap, cell - gap);
  }

  paint(t, reached) {
    if (this.reached[t] === Number(reached)) return;
    this.reached[t] = Number(reached);
    const { model, pen } = this;
    const { terms, cell, theme } = model;
    const [r, c] = [model.rowOf(t), model.columnOf(t)];
    if (!reached) pen.fillStyle = this.faint;
    else if (!terms.computed[t]) pen.fillStyle = this.grey;
    else pen.fillStyle = cellColours(theme, terms.dependent[t], terms.value[t]).fill;
    pen.clearRect(c * cell, r * cell, cell, cell);
    this.square(r, c);
    if (!reached || cell < 4) return;
    // Not by colour alone: inferred cells and dependences carry opposite strokes.
    pen.strokeStyle = terms.computed[t] ? "#101418" : css(mix(theme.ink, theme.paper, 0.35));
    pen.lineWidth = Math.max(0.6, cell * 0.07);
    pen.beginPath();
    if (!terms.computed[t] || terms.dependent[t]) {
      pen.moveTo(c * cell + cell * 0.2, r * cell + cell * 0.75);
      pen.lineTo(c * cell + cell * 0.75, r * cell + cell * 0.2);
    }
    if (terms.computed[t] && terms.dependent[t]) {
      pen.moveTo(c * cell + cell * 0.2, r * cell + cell * 0.2);
      pen.lineTo(c * cell + cell * 0.75, r * cell + cell * 0.75);
    }
    pen.stroke();
  }

  mark() {}
}
