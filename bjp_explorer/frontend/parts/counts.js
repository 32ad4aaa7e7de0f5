/** A small table of counts with margins, as a card that may be picked. */

import { button, h } from "./dom.js";
import { fixed } from "../logic/format.js";
import { fillIn } from "../logic/words.js";
import { rich } from "./rich.js";
/** @import { Words } from "../logic/words.js" */
/** @import { CountsCard as Card } from "../payloads.d.ts" */

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);

function table(
  /** @type {Card["counts"]} */ { x, y, rows, columns, cells, expected },
  /** @type {Words} */ words,
) {
  const amount = (/** @type {number} */ value, /** @type {Element | string} */ extra = "") =>
    h("td.number", fixed(value, 0), extra);
  const small = (/** @type {number} */ value) => h("small", { title: words.expected, text: fixed(value, 1) });
  return h("table.counts", [
    h("caption.sr", { text: fillIn(words.table, { x, y }) }),
    h("thead", [
      h("tr", h("td"), h("th", { colspan: columns.length, scope: "colgroup", text: y }), h("td")),
      h("tr", [
        h("th", { scope: "col", text: x }),
        columns.map((text) => h("th", { scope: "col", class: "number", text })),
        h("th.number", { scope: "col", text: words.all }),
      ]),
    ]),
    h("tbody", [
      cells.map((line, r) =>
        h("tr", [
          h("th", { scope: "row", text: rows[r] }),
          line.map((value, c) => amount(value, small(expected[r][c]))),
          amount(sum(line)),
        ])
      ),
      h("tr.total", [
        h("th", { scope: "row", text: words.all }),
        columns.map((_, c) => amount(sum(cells.map((line) => line[c])))),
        amount(sum(cells.flat())),
      ]),
    ]),
  ]);
}

/** One card; with onPick it is picked by its heading or anywhere on it. */
export function countsCard(
  /** @type {Card} */ { title, counts, lines },
  /** @type {Words} */ words,
  /** @type {{ onPick?: (() => void) | null, picked?: boolean, wrong?: boolean, mark?: string }} */ picking,
) {
  const { onPick, picked, wrong, mark = "" } = picking;
  const text = `${title}${mark}`;
  const heading = onPick
    ? button("pick", {
      "aria-pressed": String(picked),
      on: { click: (/** @type {Event} */ event) => (event.stopPropagation(), onPick()) },
    }, text)
    : h("h4", text);
  const states = {
    "data-picked": picked,
    "data-mark": picked && wrong ? "wrong" : null,
    "data-pickable": Boolean(onPick),
    "aria-label": title,
    on: onPick ? { click: onPick } : {},
  };
  const notes = lines.map((text) => h("p.note", rich(text)));
  return h("section.card.counts-card", states, heading, table(counts, words), notes);
}
