/** A sheet's answers so far, kept in this browser so that a closed page loses nothing. */

const KEY = "bjp-explorer.sheet";

/** @param {string} name of the sheet and the student */
export function recallDraft(name) {
  try {
    return JSON.parse(localStorage.getItem(`${KEY} ${name}`) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {unknown} draft
 */
export function keepDraft(name, draft) {
  try {
    localStorage.setItem(`${KEY} ${name}`, JSON.stringify(draft));
  } catch {
    // A browser may refuse; then answers last as long as the page.
  }
}
