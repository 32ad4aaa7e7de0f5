/** What stands after the last lesson: questions that are still open, and ways to the other pages. */

import { button, h } from "./dom.js";
import { fillIn } from "../logic/words.js";

/** @import { Words } from "../logic/words.js" */
/** @import { ClosingPayload, CourseLesson } from "../payloads.d.ts" */

export class Closing {
  constructor(
    /** @type {Words} */ words,
    /** @type {{ onGo: (lesson: number) => void, onOpen: (page: string) => void, onForget: () => void }} */ options,
  ) {
    this.options = options;
    this.words = words;
    this.goOn = h("h4", words.go_on);
    this.open = h("ul.still-open");
    this.doors = h("div.doors");
    this.forget = button("tool.wide", { on: { click: options.onForget } }, words.forget);
    this.element = h("div.closing", { hidden: true }, this.open, this.goOn, this.doors, this.forget);
  }

  show(/** @type {ClosingPayload | null} */ closing, /** @type {CourseLesson[]} */ course) {
    this.element.hidden = !closing;
    if (!closing) return;
    this.open.hidden = !closing.open.length;
    this.open.replaceChildren(
      ...closing.open.map(({ lesson, title }) =>
        h("li", [
          button("link", { on: { click: () => this.options.onGo(lesson) } }, [
            fillIn(this.words.lesson, { lesson, title }),
          ]),
        ])
      ),
    );
    this.goOn.hidden = !closing.doors.length;
    this.doors.replaceChildren(
      ...closing.doors.map(({ page, title, text }) =>
        button("door", { "data-page": page, on: { click: () => this.options.onOpen(page) } }, [
          h("strong", title),
          h("span", text),
        ])
      ),
    );
    this.forget.hidden = course.every(({ state }) => state === "new" || state === "begun");
  }
}
