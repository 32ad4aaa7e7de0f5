/** A sheet's answers so far, kept in this browser so that a closed page loses nothing. */

const KEY = "bjp-explorer.sheet";

/**
 * Who solves a sheet in this tab: a reload goes on, and whoever opens it anew is asked.
 *
 * @param {string} sheet
 */
export function recallStudent(sheet) {
  try {
    return sessionStorage.getItem(`${KEY} ${sheet}`) ?? "";
  } catch {
    return "";
  }
}

/**
 * @param {string} sheet
 * @param {string} student nobody where it is empty
 */
export function keepStudent(sheet, student) {
  try {
    sessionStorage.setItem(`${KEY} ${sheet}`, student);
  } catch {
    // A browser may refuse; then a reload asks again.
  }
}

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
