/** Words of the drawings. */

import { count } from "./format.js";

/** @type {Record<string, string>} */
export const WORDS = {
  how: "Arrow keys move from node to node, Page Up and Page Down through all of them in turn.",
  restore: "Put the moved nodes back",
  zoom: "Zoom",
  zoom_out: "Zoom out",
  zoom_in: "Zoom in",
  fit: "Fit",
  degree: "degree",
  dependence: "dependence",
  independence: "independence",
  computed: "computed",
  inferred: "inferred = 1",
  todo: "not yet reached",
  current: "current",
  given: "given",
  doubt: "below ½",
  disputed: "skipped test below ½",
};

/** A text with a value in place of each {placeholder}: of "{n} edges" 1 makes "1 edge". Values are not read again. */
export const fillIn = (/** @type {string} */ text, /** @type {Record<string, unknown>} */ values) =>
  text.replace(/\{([a-z_]+)\}(?: ([a-z]+)s\b)?/g, (whole, name, noun) => {
    const value = values[name];
    if (noun && typeof value === "number") return count(value, noun);
    return whole.replace(`{${name}}`, () => String(value));
  });
