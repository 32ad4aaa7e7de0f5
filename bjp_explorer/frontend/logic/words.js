/** Words of the drawings. */

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

/** A text with a value in place of each {name}, and of {name|one|other} the word for that many. */
export const fillIn = (/** @type {string} */ text, /** @type {Record<string, unknown>} */ values) =>
  text.replace(/\{([a-z_]+)(?:\|([^{}|]*)\|([^{}|]*))?\}/g, (_, name, one, other) => {
    const value = String(values[name]);
    return one === undefined ? value : value === "1" ? one : other;
  });
