/** In a lecture, on every page: projector view, a pointer, a list of views by number keys, and the address as a QR code. */

import {
  here,
  isLoopback,
  lineOf,
  linkOf,
  MOST_VIEWS,
  readList,
  unpackList,
  writeList,
} from "../logic/playlist.js";
import { button, h, iconButton, setText, svg } from "../parts/dom.js";
import { save } from "../parts/download.js";
import { listenForPage } from "../parts/keys.js";
import { setProjecting } from "../parts/pageprojector.js";
import { togglePointer } from "../parts/pointer.js";
import { isProjecting } from "../parts/projector.js";

/** @typedef {import("../payloads.d.ts").LecturePayload} Lecture */
/** @typedef {import("../logic/playlist.js").View} View */

const KEPT = "bjp-explorer.lecture";
const SCROLLS = '[data-testid="stMain"]';
/** What Escape closes before it leaves the projector view. */
const OPEN = '[data-testid="stPopoverBody"], [role=dialog]';
/** Modules of white around a QR code, as its standard asks for. */
const QUIET = 4;
const LOOPBACK = "Only this computer can open this address. For a class, serve the app in your network: " +
  "docs/deployment.md, “A server for a class”.";

/** One's own list stays in the browser; that of a link is this tab's. A browser may refuse both. */
function recallList() {
  try {
    return sessionStorage.getItem(KEPT) ?? localStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

function keepList(/** @type {string} */ text, /** @type {boolean} */ ofLink) {
  try {
    const tab = ofLink || sessionStorage.getItem(KEPT) !== null;
    (tab ? sessionStorage : localStorage).setItem(KEPT, text);
  } catch {
    // Then it lasts as long as the page.
  }
}

/** A button of the panel, with the key that does the same. */
const tool = (/** @type {string} */ text, /** @type {() => void} */ click, /** @type {string} */ key = "") =>
  button({ class: "tool wide", on: { click } }, text, key && h("kbd", { text: key }));

/** @type {LectureView | null} */
let current = null;
/** Whether something was open when a key went down: who closes it may do so before the key comes here. */
let wasOpen = false;

// Once for the app: the view is mounted on every page.
addEventListener("keydown", () => wasOpen = document.querySelector(OPEN) !== null, true);
listenForPage({
  ...Object.fromEntries(Array.from({ length: 9 }, (_, k) => [String(k + 1), () => current?.go(k)])),
  v: () => setProjecting(!isProjecting()),
  r: () => togglePointer(),
  q: () => current?.askForCode(),
  Escape: () => current?.leave(),
  PageDown: () => current?.turn(1),
  PageUp: () => current?.turn(-1),
});

export default class LectureView {
  /** @type {Lecture} */
  data;
  /** @type {View[]} */
  views = [];
  /** Which of them was opened last; −1 for none. */
  at = -1;
  /** @type {string | null} the address whose code was asked for */
  asked = null;
  left = 0;
  about = h("p", { class: "sub" });
  list = h("ol", { class: "lecture-list" });
  status = h("p", { class: "lecture-told", role: "status" });
  projector = tool("Projector view", () => this.choose(() => setProjecting(!isProjecting())), "v");
  saving = tool("Save", () => this.saveList());
  linking = tool("Copy its link", () => this.copyLink());

  /**
   * @param {HTMLElement} root
   * @param {import("../parts/place.js").Send} send
   */
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.title = h("span", { class: "lecture-title" });
    this.place = h("span", { class: "lecture-place" });
    this.back = iconButton("previous", "The view before", () => this.go(this.at - 1));
    this.next = iconButton("next", "The next view", () => this.go(this.at + 1));
    this.out = iconButton("close", "Leave the projector view (Escape)", () => setProjecting(false));
    const menu = iconButton(
      "screen",
      "In a lecture: projector, pointer, list, QR code",
      () => {},
      "tool lecture-menu",
    );
    menu.append(h("span", { text: "Lecture" }));
    this.panel = this.build();
    menu.popoverTargetElement = this.panel;
    this.code = h("dialog", { class: "lecture-code", "aria-label": "The QR code of this view" });
    this.code.addEventListener("click", () => this.code.close());
    this.code.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "q") this.code.close();
    });
    const bar = h(
      "div",
      { class: "lecture-bar" },
      this.title,
      this.back,
      this.place,
      this.next,
      menu,
      this.out,
    );
    root.append(bar, this.panel, this.code);
    current = this;
  }

  build() {
    const open = () => this.open(file);
    const file = h("input", { type: "file", accept: ".txt,text/plain", hidden: true, on: { change: open } });
    return h(
      "div",
      { class: "lecture-panel", popover: "auto", role: "group", "aria-label": "In a lecture" },
      h(
        "div",
        { class: "lecture-tools" },
        this.projector,
        tool("Pointer", () => this.choose(togglePointer), "r"),
        tool("QR code", () => this.choose(() => this.askForCode()), "q"),
      ),
      h("h3", { text: "List of views" }),
      this.about,
      this.list,
      h(
        "div",
        { class: "lecture-tools" },
        tool("Add this view", () => this.add()),
        tool("Open…", () => file.click()),
        this.saving,
        this.linking,
      ),
      file,
      this.status,
    );
  }

  /** Do what was chosen in the panel, which closes. */
  choose(/** @type {() => void} */ act) {
    this.panel.hidePopover();
    act();
  }

  update(/** @type {Lecture} */ data) {
    const first = !this.data;
    this.data = data;
    if (first) this.begin();
    this.draw();
    if (data.leaving > this.left) {
      this.left = data.leaving;
      this.send.trigger("event", { what: "left" });
    }
    if (data.code && data.code.address === this.asked) this.showCode(data.code);
  }

  /** The list of the link by which the app was opened, else the one that was kept. */
  begin() {
    const { titles } = this.data;
    const opened = new URL(performance.getEntriesByType("navigation")[0].name);
    const packed = opened.searchParams.get("list");
    const { views, told } = packed
      ? unpackList(packed, location.origin, titles)
      : readList(recallList(), location.origin, titles);
    this.views = views;
    if (packed) this.keep(true);
    const shown = lineOf(here(location.href, titles));
    this.at = views.findIndex((view) => lineOf(view) === shown);
    if (told.length) this.tell(told.join(" "), true);
  }

  keep(ofLink = false) {
    keepList(writeList(this.views, this.data.titles), ofLink);
  }

  draw() {
    const { views, at, data } = this;
    const { titles } = data;
    const on = isProjecting();
    this.projector.setAttribute("aria-pressed", String(on));
    for (const part of [this.title, this.out]) part.hidden = !on;
    for (const part of [this.back, this.place, this.next]) part.hidden = !on || !views.length;
    for (const part of [this.saving, this.linking]) part.disabled = !views.length;
    this.back.disabled = at < 1;
    this.next.disabled = at + 1 >= views.length;
    setText(this.title, titles[data.page]);
    setText(this.place, at < 0 ? `${views.length} views` : `${at + 1} of ${views.length}`);
    setText(
      this.about,
      views.length
        ? "Keys 1 to 9 open these views. In projector view, Page Down at the end of a page opens the next."
        : "Add views here, each as it is now; the keys 1 to 9 open them in a lecture.",
    );
    this.list.replaceChildren(...views.map((view, k) => this.row(view, k)));
  }

  row(/** @type {View} */ view, /** @type {number} */ k) {
    const title = this.data.titles[view.page];
    const detail = view.query.map(([name, value]) => `${name} ${value}`).join(" · ");
    const open = button(
      { class: "link", title: `${title}: ${detail}`, on: { click: () => this.go(k) } },
      h("b", { text: title }),
      h("span", { class: "sub", text: detail }),
    );
    const up = button(
      { class: "tool", disabled: k === 0, "aria-label": `Move view ${k + 1} up`, title: "Move up" },
      "↑",
    );
    up.addEventListener(
      "click",
      () => this.change(() => this.views.splice(k - 1, 0, ...this.views.splice(k, 1))),
    );
    const out = iconButton("close", `Remove view ${k + 1}`, () => this.change(() => this.views.splice(k, 1)));
    return h("li", { "aria-current": k === this.at ? "true" : null }, open, up, out);
  }

  /** Change the list; the view that was opened last stays it. */
  change(/** @type {() => void} */ act) {
    const opened = this.views[this.at];
    act();
    this.at = this.views.indexOf(opened);
    this.keep();
    this.tell("");
    this.draw();
  }

  add() {
    if (this.views.length === MOST_VIEWS) {
      this.tell(`A list holds at most ${MOST_VIEWS} views; remove one first.`);
      return;
    }
    this.change(() => this.views.push(here(location.href, this.data.titles)));
    this.at = this.views.length - 1;
    this.draw();
    this.tell(`This view is number ${this.views.length}.`);
  }

  async open(/** @type {HTMLInputElement} */ file) {
    const text = await file.files?.[0]?.text();
    file.value = "";
    if (text === undefined) return;
    const { views, told } = readList(text, location.origin, this.data.titles);
    if (!views.length) told.push("No view was found, so the list stays as it was.");
    else this.change(() => this.views = views);
    this.tell(told.join(" "));
  }

  saveList() {
    save(new Blob([writeList(this.views, this.data.titles)], { type: "text/plain" }), "bjp-views.txt");
  }

  async copyLink() {
    const path = location.pathname;
    const base = location.origin + path.slice(0, path.lastIndexOf("/"));
    const link = linkOf(this.views, base);
    if (!link) {
      this.tell("This list is too long for a link; save it as a file instead.");
      return;
    }
    try {
      await navigator.clipboard.writeText(link);
      this.tell("The link to the list was copied.");
    } catch {
      this.tell(link);
    }
  }

  tell(/** @type {string} */ text, open = false) {
    setText(this.status, text);
    if (open) this.panel.showPopover();
  }

  /** Open a view of the list; false where there is none. */
  go(/** @type {number} */ k) {
    const view = this.views[k];
    if (!view) return false;
    this.at = k;
    this.panel.hidePopover();
    this.draw();
    this.send.trigger("event", { what: "go", page: view.page, query: Object.fromEntries(view.query) });
  }

  /** A clicker at the end of a page goes on in the list, and at its beginning back. */
  turn(/** @type {number} */ by) {
    const main = document.querySelector(SCROLLS);
    if (!isProjecting() || !main) return false;
    const rest = by > 0 ? main.scrollHeight - main.clientHeight - main.scrollTop : main.scrollTop;
    if (rest < 2) return this.go(this.at + by);
    // A browser scrolls only what was clicked last.
    main.scrollBy({ top: by * 0.9 * main.clientHeight });
  }

  /** Leave the projector view, unless Escape closes something in it. */
  leave() {
    if (!isProjecting() || wasOpen || this.panel.matches(":popover-open") || document.fullscreenElement) {
      return false;
    }
    setProjecting(false);
  }

  askForCode() {
    this.asked =
      new URL(lineOf(here(location.href, this.data.titles)).slice(1), new URL(".", location.href)).href;
    if (this.data.code?.address === this.asked) this.showCode(this.data.code);
    else this.send.trigger("event", { what: "code", address: this.asked });
  }

  showCode(/** @type {import("../payloads.d.ts").CodePayload} */ { address, rows, told }) {
    this.asked = null;
    const side = rows.length + 2 * QUIET;
    const dark = rows.flatMap((row, y) =>
      [...row].map((dot, x) => dot === "1" ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")
    );
    this.code.replaceChildren(
      ...(rows.length
        ? [svg(
          "svg",
          {
            viewBox: `0 0 ${side} ${side}`,
            role: "img",
            "aria-label": "QR code",
            "shape-rendering": "crispEdges",
          },
          svg("path", { d: dark.join("") }),
        )]
        : []),
      h("p", { class: "lecture-address", text: address }),
      ...[told, isLoopback(location.hostname) ? LOOPBACK : ""].filter(Boolean).map((text) =>
        h("p", { text })
      ),
      iconButton("close", "Close (Escape)", () => this.code.close()),
    );
    this.code.showModal();
  }

  destroy() {
    if (current === this) current = null;
  }
}
