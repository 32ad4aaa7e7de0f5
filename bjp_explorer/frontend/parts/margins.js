/** The names beside and above the matrix, cut until they fit. */

import { svg } from "./dom.js";
import { psi, short } from "../logic/format.js";
import { textWidth } from "./labels.js";

/** @typedef {{ row: number, right: number, steep: boolean, named: boolean, cell: number }} Margins */
/**
 * What the names of a matrix are written by.
 *
 * @typedef {{ names: string[], order: number[], degree: number[], width: number, cell: number, margins: Margins,
 *   fontSize: number, family: string }} Naming
 */

const LONGEST = 26;
const COLUMN_ROOM = 130;

/** The current row and column are written in bold, which needs more room. */
const BOLD = 700;

/** From this many variables on, column names stand upright. */
const STEEP_FROM = 13;

/** The longest form of a name that fits. */
function cut(/** @type {string} */ name, /** @type {number} */ room, /** @type {string} */ font) {
  let most = LONGEST;
  while (most > 4 && textWidth(short(name, most), font) > room) most -= 1;
  return short(name, most);
}

/**
 * Room for names in a matrix of a given width, and the size of cell that is left.
 *
 * @param {string[]} names
 * @param {number} width
 * @param {number} zoom
 * @param {string} family
 * @param {number} leastCell
 * @returns {Margins}
 */
export function measureMargins(names, width, zoom, family, leastCell) {
  const n = names.length;
  const longest = Math.max(...names.map((name) => textWidth(short(name), `${BOLD} 13px ${family}`)));
  const row = Math.min(longest + 16, width * 0.3);
  const steep = n >= STEEP_FROM;
  const right = steep ? 4 : Math.min(longest, COLUMN_ROOM) * 0.42;
  const fit = (width - row - right) / n;
  if (fit * zoom < 9) return { row: 6, right: 6, steep, named: false, cell: ((width - 12) / n) * zoom };
  return { row, right, steep, named: true, cell: Math.max(fit, leastCell) * zoom };
}

/**
 * Names of the rows, with ψ and degree under them where a row is tall enough.
 *
 * @param {Omit<Naming, "width">} naming
 */
export function rowNames({ names, order, degree, cell, margins, fontSize, family }) {
  if (!margins.named) return [];
  const right = { x: margins.row - 8, dy: "0.35em", "text-anchor": "end" };
  return order.map((variable, r) => {
    const two = cell >= 30;
    const y = r * cell + cell / 2 - (two ? 6 : 1);
    const text = cut(names[variable], margins.row - 12, `${BOLD} ${fontSize}px ${family}`);
    const title = `${names[variable]}, ${psi(r)}, degree ${degree[variable]}`;
    const minor = margins.row > 96 ? `${psi(r)} · degree ${degree[variable]}` : psi(r);
    return svg(
      "g",
      { class: "name" },
      svg("text", { ...right, y, "font-size": fontSize, text }),
      svg("title", { text: title }),
      two ? svg("text", { ...right, class: "minor", y: y + 14, "font-size": 10.5, text: minor }) : null,
    );
  });
}

/**
 * Names of the columns, aslant or upright, and the height they need.
 *
 * @param {Omit<Naming, "degree">} naming
 */
export function columnNames({ names, order, width, cell, margins, fontSize, family }) {
  if (!margins.named) return { height: 6, texts: [] };
  const turn = margins.steep ? -90 : -52;
  const font = `${BOLD} ${fontSize}px ${family}`;
  const room = Math.min(COLUMN_ROOM, Math.max(60, width * 0.32));
  const cuts = order.map((variable) => cut(names[variable], room, font));
  const longest = Math.max(...cuts.map((text) => textWidth(text, font)));
  const height = longest * Math.sin((-turn * Math.PI) / 180) + fontSize + 4;
  const texts = cuts.map((text, c) => {
    const x = c * cell + cell / 2 + (margins.steep ? fontSize * 0.35 : 2);
    const transform = `translate(${x.toFixed(1)} ${(height - 7).toFixed(1)}) rotate(${turn})`;
    return svg(
      "g",
      { class: "name" },
      svg("text", { transform, "font-size": fontSize, text }),
      svg("title", { text: `${names[order[c]]}, ${psi(c)}` }),
    );
  });
  return { height, texts };
}
