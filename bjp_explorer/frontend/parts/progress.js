/** Where one is in the course: the lessons with what is solved, the steps of one, back and next. */

import { button, fillList, h, setAttr, setDisabled, setText } from "./dom.js";
/** @import { ClosingPayload, CourseLesson, LessonPayload as Lesson } from "../payloads.d.ts" */

/** @type {Record<string, string>} */ const SIGNS = { solved: "✓", shown: "○", begun: "…", new: "" };
/** @type {Record<string, string>} */
const STATES = { solved: "solved", shown: "answered with help", begun: "started", new: "not started" };

export class Progress {
  /** @type {Lesson} */ data;
  /** @type {[number, number][]} lesson and step */ places = [];
  at = 0;

  constructor(
    /** @type {(lesson: number, step: number) => void} */ onGo,
    /** @type {Element[]} what stands beside the count */ tools,
  ) {
    this.onGo = onGo;
    this.list = h("ol.course");
    this.summary = h("span.sub");
    const side = h("div.side", this.summary, tools);
    this.element = h("nav.progress", { "aria-label": "Lessons" }, this.list, side);
    const on = (/** @type {number} */ by) => ({ click: () => this.move(by) });
    this.back = button("control", { title: "Back (←)", on: on(-1) }, "← Back");
    this.next = button("control.primary", { title: "Next (→)", on: on(1) });
    this.dots = h("ol.dots");
    this.way = h("nav.way", { "aria-label": "Steps" }, this.back, this.dots, this.next);
  }

  show(/** @type {Lesson} */ data) {
    this.data = data;
    this.places = data.course.flatMap(({ steps }, k) =>
      Array.from({ length: steps }, (_, s) => /** @type {[number, number]} */ ([k + 1, s + 1]))
    );
    // After the last lesson comes the closing page.
    this.places.push([data.course.length, data.course[data.course.length - 1].steps + 1]);
    if (data.alone) {
      this.places = this.places.filter(([lesson, step]) =>
        lesson === data.lesson && step <= data.steps.length
      );
    }
    this.way.hidden = !data.steps.length;
    // An index of lessons of which none is begun lists them all by itself.
    const listed = data.id === "index" && data.course.every(({ state }) => state === "new");
    this.list.hidden = this.summary.hidden = Boolean(data.alone) || listed;
    this.at = this.places.findIndex(([lesson, step]) => lesson === data.lesson && step === data.step);
    const parts = ["number", "short", "state"].map((name) => `span.lesson-${name}`);
    const lesson = () => h("li", button("lesson-button", parts.map((name) => h(name))));
    fillList(this.list, data.course.length, lesson).forEach(({ firstChild }, k) =>
      this.showLesson(/** @type {HTMLButtonElement} */ (firstChild), k)
    );
    fillList(this.dots, data.steps.length, () => h("li", button("dot"))).forEach(({ firstChild }, k) =>
      this.showStep(/** @type {HTMLButtonElement} */ (firstChild), k)
    );
    const solved = data.course.filter(({ state }) => state === "solved").length;
    setText(this.summary, `${solved} of ${data.course.length} solved`);
    this.next.style.visibility = this.at === this.places.length - 1 ? "hidden" : "";
    setDisabled(this.next, this.at === this.places.length - 1, this.back);
    setDisabled(this.back, this.at === 0, this.next);
    const end = data.lesson === data.course.length ? "Finish →" : "Next lesson →";
    setText(this.next, data.step === data.steps.length ? end : "Next →");
  }

  showLesson(/** @type {HTMLButtonElement} */ item, /** @type {number} */ k) {
    const { title, short, state } = this.data.course[k];
    const here = k + 1 === this.data.lesson && !this.data.closing;
    setText(item.children[0], String(k + 1));
    setText(item.children[1], short);
    setText(item.children[2], SIGNS[state]);
    setAttr(item.children[2], "aria-hidden", "true");
    item.dataset.state = state;
    item.title = title;
    setAttr(item, "aria-label", `Lesson ${k + 1}, ${title}: ${STATES[state]}`);
    setAttr(item, "aria-current", here ? "page" : null);
    item.onclick = () => this.onGo(k + 1, 1);
  }

  showStep(/** @type {HTMLButtonElement} */ item, /** @type {number} */ k) {
    const { title, asks, state } = this.data.steps[k];
    const solved = asks && SIGNS[state] ? ` ${SIGNS[state]}` : "";
    setText(item, asks ? `?${solved}` : String(k + 1));
    item.title = title;
    const said = [`Step ${k + 1}: ${title}`, ...(asks ? ["a question", STATES[state]] : [])];
    setAttr(item, "aria-label", said.filter(Boolean).join(", "));
    setAttr(item, "aria-current", k + 1 === this.data.step ? "step" : null);
    item.onclick = () => this.onGo(this.data.lesson, k + 1);
  }

  /** One step on or back, over the ends of lessons. */
  move(/** @type {number} */ by) {
    const target = Math.min(Math.max(this.at + by, 0), this.places.length - 1);
    if (target === this.at) return;
    this.at = target;
    this.onGo(...this.places[target]);
  }
}

/** What stands after the last lesson: questions that are still open, and ways to the other pages. */
export class Closing {
  constructor(
    /** @type {{ onGo: (lesson: number) => void, onOpen: (page: string) => void, onForget: () => void }} */ options,
  ) {
    this.options = options;
    this.goOn = h("h4", "Where to go on");
    this.open = h("ul.still-open");
    this.doors = h("div.doors");
    this.forget = button("tool.wide", { on: { click: options.onForget } }, "Forget my answers");
    this.element = h("div.closing", { hidden: true }, this.open, this.goOn, this.doors, this.forget);
  }

  show(/** @type {ClosingPayload | null} */ closing, /** @type {CourseLesson[]} */ course) {
    this.element.hidden = !closing;
    if (!closing) return;
    this.open.hidden = !closing.open.length;
    const questions = closing.open.map(({ lesson, title }) => {
      const on = { click: () => this.options.onGo(lesson) };
      return h("li", button("link", { on }, `Lesson ${lesson}: ${title}`));
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
