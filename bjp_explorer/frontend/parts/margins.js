/** The names beside and above the matrix, cut until they fit. */

import { svg, textWidth } from "./dom.js";
import { psi, short } from "../logic/format.js";

/**
 * brief: columns bear their ψ in place of their name, which then stands with the same ψ in its row.
 *
 * @typedef {{ row: number, right: number, steep: boolean, named: boolean, fontSize: number, cell: number,
 *   brief?: boolean }} Margins
 */
/**
 * What the names of a matrix are written by.
 *
 * @typedef {{ names: string[], order: number[], degree: number[], width: number, cell: number, margins: Margins,
 *   fontSize: number, family: string, ranked: boolean }} Naming
 */

const LONGEST = 26;
const COLUMN_ROOM = 130;
/** The current row and column are written in bold, which needs more room. */
const BOLD = 700;
/** Letters are no smaller than this; names are as large as the second, where they fit. */
export const LEAST = 12;
const USUAL = 13;
/** By so much of the width names of rows may take. */
const SHARE = 0.4;
/** From this many variables on, column names stand upright. */
const STEEP_FROM = 13;

function cut(/** @type {string} */ name, /** @type {number} */ room, /** @type {string} */ font) {
  let most = LONGEST;
  while (most > 4 && textWidth(short(name, most), font) > room) most -= 1;
  return short(name, most);
}

/** Room for names in a matrix of a given width, the size of their letters, and of the cells that are left. */
/** @returns {Margins} */
export function measureMargins(
  /** @type {string[]} */ names,
  /** @type {number} */ width,
  /** @type {number} */ zoom,
  /** @type {string} */ family,
  /** @type {number} */ leastCell,
  /** @type {number} */ letters,
) {
  const n = names.length;
  const widest = Math.max(...names.map((name) => textWidth(short(name), `${BOLD} ${USUAL}px ${family}`)));
  // Smaller letters rather than shorter names.
  const fontSize = Math.max(LEAST, Math.min(letters * USUAL, ((width * SHARE - 16) / widest) * USUAL));
  const longest = (widest * fontSize) / USUAL;
  const row = Math.min(longest + 16, width * SHARE);
  const steep = n >= STEEP_FROM;
  // A name aslant begins in the middle of its cell; the last one leans beyond the matrix.
  const lean = steep ? 0 : Math.min(longest, COLUMN_ROOM * letters) * 0.62 + 6;
  const fit = Math.min((width - row - 4) / n, (width - row - lean) / (n - 0.5));
  const cell = Math.max(fit, leastCell) * zoom;
  const right = Math.max(4, lean - cell / 2);
  if (fit * zoom < 9 || cell < LEAST) return nameless(n, width, zoom);
  return { row, right, steep, named: true, fontSize, cell };
}

/** A matrix without names: its cells have all the room. @returns {Margins} */
export function nameless(/** @type {number} */ n, /** @type {number} */ width, /** @type {number} */ zoom) {
  return { row: 6, right: 6, steep: true, named: false, fontSize: LEAST, cell: ((width - 12) / n) * zoom };
}

/** Names of the rows, with ψ and degree under them where a row is tall enough. */
export function rowNames(/** @type {Omit<Naming, "width">} */ naming) {
  const { names, order, degree, cell, margins, fontSize, family, ranked } = naming;
  if (!margins.named) return [];
  const right = { x: margins.row - 8, dy: "0.35em", "text-anchor": "end" };
  const small = Math.max(LEAST, fontSize * 0.85);
  const two = ranked && cell >= fontSize + small + 4;
  return order.map((variable, r) => {
    const y = r * cell + cell / 2 - (two ? small * 0.55 : 1);
    const text = cut(names[variable], margins.row - 12, `${BOLD} ${fontSize}px ${family}`);
    const title = `${names[variable]}${ranked ? `, ${psi(r)}` : ""}, degree ${degree[variable]}`;
    const wordy = `${psi(r)} · degree ${degree[variable]}`;
    const minor = textWidth(wordy, `${small}px ${family}`) < margins.row - 10 ? wordy : psi(r);
    return svg("g.name", [
      svg("text", { ...right, y, "font-size": fontSize, text }),
      svg("title", title),
      two
        ? svg("text.minor", { ...right, y: y + fontSize * 0.5 + small * 0.6, "font-size": small }, minor)
        : null,
    ]);
  });
}

/** Names of the columns, aslant or upright, and the height they need. */
export function columnNames(/** @type {Omit<Naming, "degree">} */ naming) {
  const { names, order, width, cell, margins, fontSize, family, ranked } = naming;
  if (!margins.named) return { height: 6, texts: [] };
  const title = (/** @type {number} */ c) => `${names[order[c]]}${ranked ? `, ${psi(c)}` : ""}`;
  if (margins.brief) {
    const place = { y: fontSize, "text-anchor": "middle", "font-size": fontSize };
    const texts = order.map((_, c) =>
      svg("g.name", [svg("text", { ...place, x: c * cell + cell / 2, text: psi(c) }), svg("title", title(c))])
    );
    return { height: fontSize + 6, texts };
  }
  const turn = margins.steep ? -90 : -52;
  const font = `${BOLD} ${fontSize}px ${family}`;
  const room = Math.min((COLUMN_ROOM * fontSize) / USUAL, Math.max(60, width * SHARE));
  const cuts = order.map((variable) => cut(names[variable], room, font));
  const longest = Math.max(...cuts.map((text) => textWidth(text, font)));
  const height = longest * Math.sin((-turn * Math.PI) / 180) + fontSize + 4;
  const texts = cuts.map((text, c) => {
    const x = c * cell + cell / 2 + (margins.steep ? fontSize * 0.35 : 2);
    const transform = `translate(${x.toFixed(1)} ${(height - 7).toFixed(1)}) rotate(${turn})`;
    return svg("g.name", [svg("text", { transform, "font-size": fontSize, text }), svg("title", title(c))]);
  });
  return { height, texts };
}
