/** What this browser keeps: answers to the questions of the lessons, a choice of colours, where a reload is. */

/** @typedef {{ picks: any[], state: string, before?: string }} Kept */

const PREFIX = "bjp-explorer.lessons.";

/** For another visit, or for this tab alone. @typedef {"localStorage" | "sessionStorage"} Kind */

/** What this browser keeps under a name, or null. */
export function stored(/** @type {string} */ key, /** @type {Kind} */ kind = "localStorage") {
  try {
    return globalThis[kind].getItem(key);
  } catch {
    return null;
  }
}

/** Keep a text, or with null no longer. */
/** @type {(key: string, text: string | null, kind?: Kind) => void} */
export function store(key, text, kind = "localStorage") {
  try {
    if (text === null) globalThis[kind].removeItem(key);
    else globalThis[kind].setItem(key, text);
  } catch {
    // A browser may refuse; then what is kept lasts as long as the visit.
  }
}

/** The answers by step: { "4.4": { picks, state } }; none where the browser keeps nothing. */
export function recall() {
  /** @type {Record<string, Kept>} */ const kept = {};
  try {
    for (const key of Object.keys(localStorage)) {
      const answer = key.startsWith(PREFIX) ? parse(stored(key)) : null;
      if (answer) kept[key.slice(PREFIX.length)] = answer;
    }
  } catch {
    // As above.
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

/** Keep an answer. Each has a key of its own, so that two pages can keep one at the same time. */
export const remember = (/** @type {string} */ id, /** @type {Kept | null} */ answer) =>
  store(PREFIX + id, answer && JSON.stringify(answer));

export function forget() {
  for (const id of Object.keys(recall())) remember(id, null);
}

/** Send Python the answers of former visits, if there are any; it judges them anew. */
export function sendKept(/** @type {import("../parts/place.js").Send} */ send) {
  const answers = Object.entries(recall()).map(([id, { picks, state }]) => {
    const [lesson, step] = id.split(".").map(Number);
    return { lesson, step, picks, state };
  });
  if (answers.length) setTimeout(() => send.trigger("event", { what: "restore", answers }), 0);
}
