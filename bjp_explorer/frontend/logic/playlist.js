/** A list of views for a lecture: addresses of this app's own pages, read from lines or from a link. */

/** @typedef {{ page: string, query: [string, string][] }} View a page by its name, and its parameters */
/** @typedef {{ views: View[], told: string[] }} Reading what could be read, and a sentence for each other line */

export const MOST_VIEWS = 30;
/** Servers refuse longer addresses. */
const LONGEST_LINK = 8000;
const LONGEST_LINE = 4000;
const MOST_TOLD = 3;
/** What belongs to the window and to no view. */
const WINDOWS = new Set(["projector", "list", "embed", "embed_options"]);
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const START = "start";

/** The search part of a URL; ":" "," "~" and ";" read better as they are, and mean nothing there. */
export function search(/** @type {URLSearchParams} */ params) {
  return params.toString().replace(/%(3A|2C|7E|3B)/g, decodeURIComponent);
}

/** Whether only this computer can open addresses of a host. */
export const isLoopback = (/** @type {string} */ hostname) => LOOPBACK.test(hostname);

const clip = (/** @type {string} */ text) => text.length > 60 ? `${text.slice(0, 59)}…` : text;

/**
 * The page at the end of a path; the first page has none.
 *
 * @param {string} path
 */
const pageOf = (path) => path.split("/").pop() || START;

/** What an address shows, without what belongs to the window. */
function viewOf(/** @type {URL} */ url, page = pageOf(url.pathname)) {
  return { page, query: [...url.searchParams].filter(([name]) => !WINDOWS.has(name)) };
}

/**
 * The view at the address of the window; a path that names no page is that of the first.
 *
 * @param {string} href
 * @param {Record<string, string>} titles of all pages, by name
 */
export function here(href, titles) {
  const url = new URL(href);
  const page = pageOf(url.pathname);
  return viewOf(url, page in titles ? page : START);
}

/** The address of a view below the app's own. */
export function lineOf(/** @type {View} */ { page, query }) {
  const params = search(new URLSearchParams(query));
  return `/${page === START ? "" : page}${params && "?"}${params}`;
}

/**
 * One line of a file: an address of this app, here or on a computer of one's own. The host is never kept, so no view
 * leads elsewhere.
 *
 * @param {string} line
 * @param {string} origin of this app
 * @param {Record<string, string>} titles
 * @returns {View | string} or why it is none
 */
function readLine(line, origin, titles) {
  if (line.length > LONGEST_LINE) return `has more than ${LONGEST_LINE} characters.`;
  const url = URL.canParse(line, origin) ? new URL(line, origin) : null;
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    return `is no address of a page: “${clip(line)}”.`;
  }
  if (url.origin !== origin && !isLoopback(url.hostname)) {
    return `leads to ${clip(url.host)}, and a list holds pages of this app only.`;
  }
  const page = pageOf(url.pathname);
  if (!Object.hasOwn(titles, page)) return `names no page of this app: “${clip(page)}”.`;
  return viewOf(url, page);
}

/**
 * The views of a text: an address a line, in order; lines that begin with # are comments.
 *
 * @param {string} text
 * @param {string} origin
 * @param {Record<string, string>} titles
 * @returns {Reading}
 */
export function readList(text, origin, titles) {
  /** @type {View[]} */
  const views = [];
  /** @type {string[]} */
  const told = [];
  text.split(/\r?\n/).forEach((raw, k) => {
    const line = raw.trim();
    if (!line || line.startsWith("#")) return;
    const found = readLine(line, origin, titles);
    if (typeof found === "string") told.push(`Line ${k + 1} ${found}`);
    else views.push(found);
  });
  if (views.length > MOST_VIEWS) {
    told.push(`A list holds at most ${MOST_VIEWS} views; the others are left out.`);
  }
  const more = told.length - MOST_TOLD;
  if (more > 0) {
    told.splice(MOST_TOLD, more, `${more} more ${more === 1 ? "line" : "lines"} could not be used.`);
  }
  return { views: views.slice(0, MOST_VIEWS), told };
}

/**
 * The same as a text; each view has its page's title above it.
 *
 * @param {View[]} views
 * @param {Record<string, string>} titles
 */
export function writeList(views, titles) {
  const head =
    "# A list for BJP Explorer: one address a line, in order; lines that begin with # are comments.";
  return [head, ...views.flatMap((view, k) => [`# ${k + 1} ${titles[view.page]}`, lineOf(view)]), ""].join(
    "\n",
  );
}

/**
 * The list as one value of a URL: "*" stands for "&", and "**" ends a view.
 *
 * @param {View[]} views
 */
export function packList(views) {
  return views.map((view) => lineOf(view).slice(1).replaceAll("*", "%2A").replaceAll("&", "*")).join("**");
}

/**
 * What packList made, by anybody.
 *
 * @param {string} packed
 * @param {string} origin
 * @param {Record<string, string>} titles
 */
export function unpackList(packed, origin, titles) {
  const lines = packed.split("**").map((line) => `/${line.replaceAll("*", "&")}`);
  return readList(lines.join("\n"), origin, titles);
}

/**
 * An address that opens the first view with the whole list, or null where it would be too long.
 *
 * @param {View[]} views
 * @param {string} base of the app, without a slash at its end
 */
export function linkOf(views, base) {
  const params = new URLSearchParams([["list", packList(views)]]);
  const list = search(params).replace(/%(3F|3D)/g, decodeURIComponent).replace("list%3D", "list=");
  const line = lineOf(views[0]);
  const link = `${base}${line}${line.includes("?") ? "&" : "?"}${list}`;
  return link.length > LONGEST_LINK ? null : link;
}
