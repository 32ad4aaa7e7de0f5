/** Tables beside a climb: the flips made, and the local contributions behind the next proposal. */

import { button, h, setAttr, setText, sign } from "./dom.js";
import { fixed, scoreDigits, signed } from "../logic/format.js";
import { flipNumber, flipsBefore, pairName, stepOf } from "../logic/story.js";

/** @import { ClimbPayload, Flip } from "../payloads.d.ts" */

/** A score as the table writes it. */
const text = (/** @type {number} */ score) => fixed(score, Math.min(3, scoreDigits(score)));

function head(/** @type {string[][]} */ columns) {
  return h("thead", [
    h("tr", columns.map(([text, kind]) => h("th", { scope: "col", class: kind ?? null, text }))),
  ]);
}

/** The flips, one row a step; a click goes there. options: { onJump(step) }. */
export class FlipsTable {
  constructor(/** @type {{ onJump: (step: number) => void }} */ options) {
    this.options = options;
    this.body = h("tbody");
    this.head = h("thead");
    this.table = h("table.flips", this.head, this.body);
    this.element = h("div.table-box", { tabindex: "0", role: "region", "aria-label": "Flips" }, this.table);
    /** @type {HTMLTableRowElement[]} */ this.rows = [];
    /** @type {HTMLTableRowElement | null | undefined} */ this.current = null;
  }

  /** Rows are only added where a live run brought more. */
  setData(/** @type {ClimbPayload} */ data, /** @type {boolean} */ fresh) {
    const { steps, rejected, running, short_name: scoreName } = data;
    if (fresh) {
      this.body.replaceChildren();
      this.rows = [];
      this.current = null;
      this.head.replaceWith(
        this.head = head([
          ["step", "number rank"],
          ["edge"],
          [`Δ ${scoreName}`, "number"],
          [scoreName, "number"],
        ]),
      );
    }
    this.rejected?.remove();
    for (let k = this.rows.length; k < steps.length; k += 1) {
      this.rows.push(this.row(data, steps[k], k + 1));
    }
    this.body.append(...this.rows.filter((row) => !row.isConnected));
    this.rejected = rejected ? this.row(data, rejected, steps.length + 1) : null;
    if (this.rejected) {
      this.rejected.dataset.rejected = "";
      this.rejected.title = "Proposed and rejected: it would not raise the score";
      this.body.append(this.rejected);
    }
    this.empty(steps.length === 0 && !rejected, running);
    this.markBest(data);
    // A fixed layout does not look at what the cells hold.
    const longest = Math.max(
      0,
      ...[...steps.slice(-200), ...(rejected ? [rejected] : [])].map((s) => text(s.score).length),
    );
    this.table.style.setProperty("--number", `${Math.max(9, longest + 2)}ch`);
  }

  /** The step whose graph is the result, where the search went on after it. */
  markBest(/** @type {ClimbPayload} */ data) {
    const { best, made } = data;
    if (!best || best === made || this.body.querySelector("[data-best]")) return;
    const row = this.rows[stepOf(data, best) - 1];
    row.dataset.best = "";
    row.querySelector("button")?.append(h("span.tag", "the best"));
  }

  empty(/** @type {boolean} */ none, /** @type {boolean} */ running) {
    this.note?.remove();
    if (!none) return;
    const words = running ? "No flip yet." : "No flip: the search ended where it began.";
    this.note = h("tr", h("td", { colspan: 4, class: "sub", text: words }));
    this.body.append(this.note);
  }

  /** What stands beside the pair: a new phase, flips that have no row, or that it was refused. */
  remark(/** @type {ClimbPayload} */ data, /** @type {Flip} */ step, /** @type {number} */ k) {
    const before = data.steps[k - 2]?.phase;
    if (step.accepted === false) return " · rejected";
    const phase = before && step.phase !== before ? ` · ${step.phase}` : "";
    return step.others && flipNumber(data, k) > flipNumber(data, k - 1) + 1
      ? `${phase} · and ${flipsBefore(data, k)}`
      : phase;
  }

  row(/** @type {ClimbPayload} */ data, /** @type {Flip} */ step, /** @type {number} */ k) {
    const { names } = data;
    const number = step.accepted === false ? data.made + 1 : flipNumber(data, k);
    const name = pairName(names, step.edge);
    return h("tr", { "data-step": k, on: { click: () => this.options.onJump(k) } }, [
      h("td.number", fixed(number, 0)),
      h("td.edge-name", [
        button("link", { title: pairName(names, step.edge, 200) }, [
          h("span", { class: step.added ? "plus" : "minus", text: step.added ? "+ " : "− " }),
          h("span.pair-name", name),
          h("span.sub", this.remark(data, step, k)),
        ]),
      ]),
      h("td.number", signed(step.gain)),
      h("td.number", text(step.score)),
    ]);
  }

  setStep(/** @type {number} */ step) {
    const row = step > this.rows.length ? this.rejected : (this.rows[step - 1] ?? null);
    if (this.current === row) return;
    if (this.current) setAttr(this.current, "aria-current", null);
    if (row) setAttr(row, "aria-current", "true");
    this.current = row;
    this.follow();
  }

  /** Keep the row in sight inside the table's own frame, without moving the page. */
  follow() {
    const box = this.element;
    const y = this.current ? this.current.offsetTop : 0;
    const low = this.current ? y + 2 * this.current.offsetHeight : 0;
    if (y - 40 < box.scrollTop || low > box.scrollTop + box.clientHeight) {
      box.scrollTop = y - box.clientHeight / 2;
    }
  }
}

/** A row of that table; what it shows is null until it is filled. */
/**
 * @typedef {{ name: HTMLElement, value: HTMLElement, verdict: HTMLElement, row: HTMLElement, pair:
 *   [number, number] | null, adjacent: boolean | null }} Lowest
 */

/** The lowest local contributions at a step; the first is the next proposal. */
export class LowestTable {
  constructor(/** @type {{ onHover: (pair: [number, number] | null) => void }} */ options) {
    this.options = options;
    /** @type {Lowest[]} */ this.rows = [];
    this.body = h("tbody");
    this.note = h("p.sub");
    this.table = h("table.lowest", [
      head([["pair"], ["assertion", "assertion"], ["ln Pr", "number"]]),
      this.body,
    ]);
    this.element = h(
      "div.table-box",
      { tabindex: "0", role: "region", "aria-label": "Lowest local contributions" },
      this.table,
      this.note,
    );
  }

  row() {
    const name = h("td.edge-name");
    const value = h("td.number");
    const verdict = h("td.verdict-cell");
    /** @type {Lowest} */
    const item = { name, value, verdict, row: h("tr", name, verdict, value), pair: null, adjacent: null };
    item.row.addEventListener("pointerenter", () => this.options.onHover(item.pair));
    item.row.addEventListener("pointerleave", () => this.options.onHover(null));
    return item;
  }

  /** lowest: [[i, j, adjacent, value], …] or null where there is none, which the note then says. */
  show(
    /** @type {string[]} */ names,
    /** @type {Flip["lowest"] | null} */ lowest,
    /** @type {string} */ note,
  ) {
    const list = lowest ?? [];
    while (this.rows.length < list.length) {
      const item = this.row();
      this.rows.push(item);
      this.body.append(item.row);
    }
    this.rows.forEach((item, k) => {
      item.row.hidden = k >= list.length;
      if (k < list.length) this.fill(item, names, list[k]);
    });
    this.table.hidden = list.length === 0;
    setText(this.note, list.length ? "" : note);
  }

  fill(
    /** @type {Lowest} */ item,
    /** @type {string[]} */ names,
    /** @type {[number, number, boolean, number]} */ [i, j, adjacent, value],
  ) {
    item.pair = [i, j];
    setText(item.name, pairName(names, [i, j]));
    setText(item.value, fixed(value, scoreDigits(value)));
    if (item.adjacent === adjacent) return;
    item.adjacent = adjacent;
    item.verdict.replaceChildren(sign(item.adjacent), item.adjacent ? " edge" : " no edge");
  }
}

/** One key number: a large value over a small caption. */
export class Metric {
  constructor(/** @type {string} */ name, caption = "") {
    this.value = h("strong.value");
    this.caption = h("span.caption", caption);
    this.element = h("div.metric", { "data-metric": name }, this.value, this.caption);
  }

  set(/** @type {string} */ value, /** @type {string} */ caption = this.caption.textContent) {
    setText(this.value, value);
    setText(this.caption, caption);
  }
}
