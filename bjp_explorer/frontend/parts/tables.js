/** Tables beside a climb: the flips made, and the local contributions behind the next proposal. */

import { h, setAttr, setText, sign } from "./dom.js";
import { fixed, scoreDigits, signed } from "../logic/format.js";
import { breakable } from "./rich.js";
import { flipNumber, flipsBefore, pairName, stepOf } from "../logic/story.js";

/** A score as the table writes it. */
const text = (/** @type {number} */ score) => fixed(score, Math.min(3, scoreDigits(score)));

function head(/** @type {string[][]} */ columns) {
  return h(
    "thead",
    {},
    h(
      "tr",
      {},
      columns.map(([text, kind]) => h("th", { scope: "col", class: kind ?? null, text })),
    ),
  );
}

/** The flips, one row a step; a click goes there. options: { onJump(step) }. */
export class FlipsTable {
  constructor(/** @type {{ onJump: (step: number) => void }} */ options) {
    this.options = options;
    this.body = h("tbody");
    this.head = h("thead");
    this.table = h("table", { class: "flips" }, this.head, this.body);
    this.element = h(
      "div",
      { class: "table-box", tabindex: "0", role: "region", "aria-label": "Flips" },
      this.table,
    );
    /** @type {HTMLTableRowElement[]} */
    this.rows = [];
    /** @type {HTMLTableRowElement | null | undefined} */
    this.current = null;
  }

  /** Rows are only added where a live run brought more. */
  setData(/** @type {import("../payloads.d.ts").ClimbPayload} */ data, /** @type {boolean} */ fresh) {
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
  markBest(/** @type {import("../payloads.d.ts").ClimbPayload} */ data) {
    const { best, made } = data;
    if (!best || best === made || this.body.querySelector("[data-best]")) return;
    const row = this.rows[stepOf(data, best) - 1];
    row.dataset.best = "";
    row.querySelector("button")?.append(h("span", { class: "tag", text: "the best" }));
  }

  empty(/** @type {boolean} */ none, /** @type {boolean} */ running) {
    this.note?.remove();
    if (!none) return;
    const words = running ? "No flip yet." : "No flip: the search ended where it began.";
    this.note = h("tr", {}, h("td", { colspan: 4, class: "sub", text: words }));
    this.body.append(this.note);
  }

  /** What stands beside the pair: a new phase, flips that have no row, or that it was refused. */
  remark(
    /** @type {import("../payloads.d.ts").ClimbPayload} */ data,
    /** @type {import("../payloads.d.ts").Flip} */ step,
    /** @type {number} */ k,
  ) {
    const before = data.steps[k - 2]?.phase;
    if (step.accepted === false) return " · rejected";
    const phase = before && step.phase !== before ? ` · ${step.phase}` : "";
    return step.others && flipNumber(data, k) > flipNumber(data, k - 1) + 1
      ? `${phase} · and ${flipsBefore(data, k)}`
      : phase;
  }

  row(
    /** @type {import("../payloads.d.ts").ClimbPayload} */ data,
    /** @type {import("../payloads.d.ts").Flip} */ step,
    /** @type {number} */ k,
  ) {
    const { names } = data;
    const number = step.accepted === false ? data.made + 1 : flipNumber(data, k);
    const name = pairName(names, step.edge);
    return h(
      "tr",
      { "data-step": k, on: { click: () => this.options.onJump(k) } },
      h("td", { class: "number", text: fixed(number, 0) }),
      h(
        "td",
        { class: "edge-name" },
        h(
          "button",
          { type: "button", class: "link", title: pairName(names, step.edge, 200) },
          h("span", { class: step.added ? "plus" : "minus", text: step.added ? "+ " : "− " }),
          h("span", { class: "pair-name" }, breakable(name)),
          h("span", { class: "sub", text: this.remark(data, step, k) }),
        ),
      ),
      h("td", { class: "number", text: signed(step.gain) }),
      h("td", { class: "number", text: text(step.score) }),
    );
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

/**
 * A row of that table; what it shows is null until it is filled.
 *
 * @typedef {{ name: HTMLElement, value: HTMLElement, verdict: HTMLElement, row: HTMLElement,
 *   pair: [number, number] | null, adjacent: boolean | null }} Lowest
 */

/** The lowest local contributions at a step; the first is the next proposal. */
export class LowestTable {
  constructor(/** @type {{ onHover: (pair: [number, number] | null) => void }} */ options) {
    this.options = options;
    /** @type {Lowest[]} */
    this.rows = [];
    this.body = h("tbody");
    this.note = h("p", { class: "sub" });
    this.table = h(
      "table",
      { class: "lowest" },
      head([["pair"], ["assertion", "assertion"], ["ln Pr", "number"]]),
      this.body,
    );
    this.element = h(
      "div",
      { class: "table-box", tabindex: "0", role: "region", "aria-label": "Lowest local contributions" },
      this.table,
      this.note,
    );
  }

  row() {
    const name = h("td", { class: "edge-name" });
    const value = h("td", { class: "number" });
    const verdict = h("td", { class: "verdict-cell" });
    /** @type {Lowest} */
    const item = { name, value, verdict, row: h("tr", {}, name, verdict, value), pair: null, adjacent: null };
    item.row.addEventListener("pointerenter", () => this.options.onHover(item.pair));
    item.row.addEventListener("pointerleave", () => this.options.onHover(null));
    return item;
  }

  /**
   * lowest: [[i, j, adjacent, value], …] or null where there is none, which the note then says.
   *
   * @param {string[]} names
   * @param {import("../payloads.d.ts").Flip["lowest"] | null} lowest
   * @param {string} note
   */
  show(names, lowest, note) {
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

  /**
   * @param {Lowest} item
   * @param {string[]} names
   * @param {[number, number, boolean, number]} contribution
   */
  fill(item, names, [i, j, adjacent, value]) {
    item.pair = [i, j];
    item.name.replaceChildren(...breakable(pairName(names, [i, j])));
    setText(item.value, fixed(value, scoreDigits(value)));
    if (item.adjacent === adjacent) return;
    item.adjacent = adjacent;
    item.verdict.replaceChildren(sign(item.adjacent), item.adjacent ? " edge" : " no edge");
  }
}

/** One key number: a large value over a small caption. */
export class Metric {
  constructor(/** @type {string} */ name, caption = "") {
    this.value = h("strong", { class: "value" });
    this.caption = h("span", { class: "caption", text: caption });
    this.element = h("div", { class: "metric", "data-metric": name }, this.value, this.caption);
  }

  set(/** @type {string} */ value, /** @type {string} */ caption = this.caption.textContent) {
    setText(this.value, value);
    setText(this.caption, caption);
  }
}
