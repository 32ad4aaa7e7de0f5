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
    const questions = closing.open.map(({ lesson, title }) => {
      const on = { click: () => this.options.onGo(lesson) };
      return h("li", button("link", { on }, fillIn(this.words.lesson, { lesson, title })));
    });
    this.open.replaceChildren(...questions);
    this.goOn.hidden = !closing.doors.length;
    const doors = closing.doors.map(({ page, title, text }) => {
      const on = { click: () => this.options.onOpen(page) };
      return button("door", { "data-page": page, on }, h("strong", title), h("span", text));
    });
    this.doors.replaceChildren(...doors);
    this.forget.hidden = course.every(({ state }) => state === "new" || state === "begun");
  }
}
