/** Answers to the questions of the lessons, kept in this browser for another visit. */

/** @typedef {{ picks: any[], state: string }} Kept */

const KEY = "bjp-explorer.lessons";

/**
 * The answers by step: { "4.4": { picks, state } }; none where the browser keeps nothing.
 *
 * @returns {Record<string, Kept>}
 */
export function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return kept && typeof kept === "object" && !Array.isArray(kept) ? kept : {};
  } catch {
    return {};
  }
}

/**
 * @param {Record<string, Kept>} kept
 */
function store(kept) {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A browser may refuse; then answers last as long as the visit.
  }
}

/**
 * Keep an answer, or with null no longer.
 *
 * @param {string} id
 * @param {Kept | null} answer
 */
export function remember(id, answer) {
  const kept = recall();
  if (answer) kept[id] = answer;
  else delete kept[id];
  store(kept);
}

export function forget() {
  store({});
}

/**
 * What Python is sent of them: [{ lesson, step, picks, state }].
 *
 * @param {Record<string, Kept>} kept
 */
export function answersOf(kept) {
  return Object.entries(kept).map(([id, { picks, state }]) => {
    const [lesson, step] = id.split(".").map(Number);
    return { lesson, step, picks, state };
  });
}
