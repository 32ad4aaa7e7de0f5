/** Tables beside a climb: the flips made, and the local contributions behind the next proposal. */

import { button, fillList, h, setAttr, setText, sign } from "./dom.js";
import { fixed, scoreDigits, signed } from "../logic/format.js";
import { breakable } from "./rich.js";
import { flipNumber, flipsBefore, pairName, stepOf } from "../logic/story.js";
/** @import { ClimbPayload, Flip } from "../payloads.d.ts" */

const text = (/** @type {number} */ score) => fixed(score, Math.min(3, scoreDigits(score)));

export const headers = (/** @type {string[][]} */ columns) =>
  columns.map(([text, kind]) => h("th", { scope: "col", class: kind ?? null, text }));

const head = (/** @type {string[][]} */ columns) => h("thead", h("tr", headers(columns)));

/** A frame that scrolls, also by keys. */
export const tableBox = (/** @type {string} */ label, /** @type {Element[]} */ ...content) =>
  h("div.table-box", { tabindex: "0", role: "region", "aria-label": label }, content);

/** The flips, one row a step; a click goes there. */
export class FlipsTable {
  body = h("tbody");
  head = h("thead");
  table = h("table.flips", this.head, this.body);
  element = tableBox("Flips", this.table);
  /** @type {HTMLTableRowElement[]} */ rows = [];
  /** @type {HTMLTableRowElement | null | undefined} */ current = null;

  constructor(/** @type {(step: number) => void} */ onJump) {
    this.onJump = onJump;
  }

  /** Rows are only added where a live run brought more. */
  setData(/** @type {ClimbPayload} */ data, /** @type {boolean} */ fresh) {
    const { steps, rejected, running, short_name: scoreName } = data;
    if (fresh) {
      this.body.replaceChildren();
      this.rows = [];
      this.current = null;
      const columns = [["step", "number rank"], ["edge"], [`Δ ${scoreName}`, "number"], [
        scoreName,
        "number",
      ]];
      this.head.replaceWith(this.head = head(columns));
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
    const last = [...steps.slice(-200), ...(rejected ? [rejected] : [])];
    const longest = Math.max(0, ...last.map(({ score }) => text(score).length));
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
    return h("tr", { "data-step": k, on: { click: () => this.onJump(k) } }, [
      h("td.number", fixed(number, 0)),
      h("td.edge-name", [
        button("link", { title: pairName(names, step.edge, 200) }, [
          h("span", { class: step.added ? "plus" : "minus", text: step.added ? "+ " : "− " }),
          h("span.pair-name", breakable(name)),
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
    // In sight inside the table's own frame, without moving the page.
    const { element } = this;
    const [y, height] = [row?.offsetTop ?? 0, row?.offsetHeight ?? 0];
    if (y - 40 < element.scrollTop || y + 2 * height > element.scrollTop + element.clientHeight) {
      element.scrollTop = y - element.clientHeight / 2;
    }
  }
}

/** The lowest local contributions at a step; the first is the next proposal. */
export class LowestTable {
  body = h("tbody");
  note = h("p.sub");
  table = h("table.lowest", head([["pair"], ["assertion", "assertion"], ["ln Pr", "number"]]), this.body);
  element = tableBox("Lowest local contributions", this.table, this.note);
  /** @type {NonNullable<Flip["lowest"]>} */ list = [];

  constructor(/** @type {(pair: number[] | null) => void} */ onHover) {
    this.onHover = onHover;
  }

  row(/** @type {number} */ k) {
    const row = h("tr", h("td.edge-name"), h("td.verdict-cell"), h("td.number"));
    row.addEventListener("pointerenter", () => this.onHover(this.list[k].slice(0, 2).map(Number)));
    row.addEventListener("pointerleave", () => this.onHover(null));
    return row;
  }

  /** @param {string[]} names @param {NonNullable<Flip["lowest"]>} list @param {string} note */
  show(names, list, note) {
    this.list = list;
    const size = Math.max(list.length, this.body.childElementCount);
    fillList(this.body, size, (k) => this.row(k)).forEach((row, k) => {
      row.hidden = k >= list.length;
      if (row.hidden) return;
      const [i, j, adjacent, value] = list[k];
      const [name, verdict, number] = row.children;
      name.replaceChildren(...breakable(pairName(names, [i, j])));
      setText(number, fixed(value, scoreDigits(value)));
      verdict.replaceChildren(sign(adjacent), adjacent ? " edge" : " no edge");
    });
    this.table.hidden = list.length === 0;
    setText(this.note, list.length ? "" : note);
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
