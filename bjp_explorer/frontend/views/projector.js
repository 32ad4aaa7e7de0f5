/** The projector view of every page: its button, its line at the top, and its keys. */

import { h, iconButton, setText } from "../parts/dom.js";
import { listenForPage } from "../parts/keys.js";
import { setProjecting } from "../parts/pageprojector.js";
import { isProjecting } from "../parts/projector.js";
/** @import { ProjectorPayload } from "../payloads.d.ts" */

const SCROLLS = '[class*="st-key-page-"]';
/** What Escape closes before it leaves the projector view. */
const OPEN = "[role=dialog]";
/** Whether something was open when a key went down: who closes it may do so before the key comes here. */
let wasOpen = false;

/** A clicker scrolls: a browser does so only in what was clicked last. */
function scroll(/** @type {number} */ by) {
  const main = document.querySelector(SCROLLS);
  if (!isProjecting() || !main) return false;
  main.scrollBy({ top: by * 0.9 * main.clientHeight });
}

// Once for the app: the view is mounted on every page.
addEventListener("keydown", () => wasOpen = document.querySelector(OPEN) !== null, true);
listenForPage({
  v: () => setProjecting(!isProjecting()),
  Escape: () => {
    if (!isProjecting() || wasOpen || document.fullscreenElement) return false;
    setProjecting(false);
  },
  PageDown: () => scroll(1),
  PageUp: () => scroll(-1),
});

export default class ProjectorView {
  title = h("span.projector-title");
  enter = iconButton("screen", "Projector view (v)", () => setProjecting(true), "tool.projector-enter");
  leave = iconButton("close", "Leave the projector view (Escape)", () => setProjecting(false));

  constructor(/** @type {HTMLElement} */ root) {
    this.enter.append(h("span", "Projector"));
    root.append(h("div.projector-bar", this.title, this.enter, this.leave));
  }

  update(/** @type {ProjectorPayload} */ { title }) {
    const on = isProjecting();
    setText(this.title, title);
    for (const part of [this.title, this.leave]) part.hidden = !on;
    this.enter.hidden = on;
  }
}
