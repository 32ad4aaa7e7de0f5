/** Answers to the questions of the lessons, kept in this browser for another visit. */

/** @typedef {{ picks: any[], state: string, before?: string }} Kept */

const PREFIX = "bjp-explorer.lessons.";

/**
 * The answers by step: { "4.4": { picks, state } }; none where the browser keeps nothing.
 *
 * @returns {Record<string, Kept>}
 */
export function recall() {
  /** @type {Record<string, Kept>} */
  const kept = {};
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(PREFIX)) continue;
      const answer = parse(localStorage.getItem(key));
      if (answer) kept[key.slice(PREFIX.length)] = answer;
    }
  } catch {
    // A browser may refuse; then answers last as long as the visit.
  }
  return kept;
}

/** @returns {Kept | null} */
function parse(/** @type {string | null} */ text) {
  try {
    const answer = JSON.parse(text ?? "");
    return answer && typeof answer === "object" ? answer : null;
  } catch {
    return null;
  }
}

/**
 * Keep an answer, or with null no longer. Each has a key of its own, so that two pages can keep one at the same time.
 *
 * @param {string} id
 * @param {Kept | null} answer
 */
export function remember(id, answer) {
  try {
    if (answer) localStorage.setItem(PREFIX + id, JSON.stringify(answer));
    else localStorage.removeItem(PREFIX + id);
  } catch {
    // As above.
  }
}

export function forget() {
  for (const id of Object.keys(recall())) remember(id, null);
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
