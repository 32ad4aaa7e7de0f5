/** Words of a lesson: **bold**, ⊥ and ⊥̸ as drawn signs, raised ^{…}; everything through textContent. */

import { h, sign } from "./dom.js";

const MARKUP = /\*\*(.+?)\*\*|\^\{(.*?)\}|(⊥\u0338?)/;

/** A name, which may be broken after an underscore and nowhere else. */
/** @returns {(string | Element)[]} */
export const breakable = (/** @type {string} */ name) =>
  name.split(/(?<=_)/).flatMap((part, k) => (k ? [h("wbr"), part] : [part]));

export function rich(/** @type {string} */ text) {
  /** @type {(string | Element)[]} */ const nodes = [];
  let rest = text;
  for (let found = MARKUP.exec(rest); found; found = MARKUP.exec(rest)) {
    const [whole, bold, raised, tack] = found;
    if (found.index) nodes.push(rest.slice(0, found.index));
    if (bold !== undefined) nodes.push(h("strong", rich(bold)));
    else if (raised !== undefined) nodes.push(h("sup", raised));
    else nodes.push(sign(tack.length > 1));
    rest = rest.slice(found.index + whole.length);
  }
  if (rest) nodes.push(rest);
  return nodes;
}

/** The same in a cell. */
export const inCell = (/** @type {string} */ text) =>
  rich(text).flatMap((part) => (typeof part === "string" ? breakable(part) : part));

export const paragraphs = (/** @type {string[]} */ texts) => texts.map((text) => h("p", rich(text)));
