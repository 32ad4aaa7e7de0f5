/** A small table of counts with margins, as a card that may be picked. */

import { button, h } from "./dom.js";
import { fixed } from "../logic/format.js";
import { fillIn } from "../logic/words.js";
import { breakable, rich } from "./rich.js";

/** @typedef {import("../payloads.d.ts").CountsCard} Card */

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);

/**
 * @param {Card["counts"]} counts
 * @param {import("../logic/words.js").Words} words
 */
function table({ x, y, rows, columns, cells, expected }, words) {
  const amount = (/** @type {number} */ value, /** @type {Element | string} */ extra = "") =>
    h("td", { class: "number" }, fixed(value, 0), extra);
  const small = (/** @type {number} */ value) => h("small", { title: words.expected, text: fixed(value, 1) });
  return h(
    "table",
    { class: "counts" },
    h("caption", { class: "sr", text: fillIn(words.table, { x, y }) }),
    h(
      "thead",
      {},
      h("tr", {}, h("td"), h("th", { colspan: columns.length, scope: "colgroup" }, breakable(y)), h("td")),
      h(
        "tr",
        {},
        h("th", { scope: "col" }, breakable(x)),
        columns.map((text) => h("th", { scope: "col", class: "number" }, breakable(text))),
        h("th", { class: "number", scope: "col", text: words.all }),
      ),
    ),
    h(
      "tbody",
      {},
      cells.map((line, r) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, breakable(rows[r])),
          line.map((value, c) => amount(value, small(expected[r][c]))),
          amount(sum(line)),
        )
      ),
      h(
        "tr",
        { class: "total" },
        h("th", { scope: "row", text: words.all }),
        columns.map((_, c) => amount(sum(cells.map((line) => line[c])))),
        amount(sum(cells.flat())),
      ),
    ),
  );
}

/**
 * One card; with onPick it is picked by its heading or anywhere on it.
 *
 * @param {Card} card
 * @param {import("../logic/words.js").Words} words
 * @param {{ onPick?: (() => void) | null, picked?: boolean, wrong?: boolean, mark?: string }} picking
 */
export function countsCard({ title, counts, lines }, words, { onPick, picked, wrong, mark = "" }) {
  const text = `${title}${mark}`;
  const heading = onPick
    ? button({
      class: "pick",
      "aria-pressed": String(picked),
      on: { click: (/** @type {Event} */ event) => (event.stopPropagation(), onPick()) },
    }, text)
    : h("h4", { text });
  return h(
    "section",
    {
      class: "card counts-card",
      "data-picked": picked,
      "data-mark": picked && wrong ? "wrong" : null,
      "data-pickable": Boolean(onPick),
      "aria-label": title,
      on: onPick ? { click: onPick } : {},
    },
    heading,
    table(counts, words),
    lines.map((text) => h("p", { class: "note" }, rich(text))),
  );
}
