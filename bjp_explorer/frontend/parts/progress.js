/** Where one is in the course: the lessons with what is solved, the steps of one, back and next. */

import { button, h, setAttr, setText } from "./dom.js";
import { fillIn } from "../logic/words.js";

/** @import { Words } from "../logic/words.js" */
/** @import { LessonPayload as Lesson } from "../payloads.d.ts" */

/** @type {Record<string, string>} */ const SIGNS = { solved: "✓", shown: "○", begun: "…", new: "" };

export class Progress {
  /** @type {Lesson} */ data;
  /** @type {Words} */ words = {};
  /** @type {[number, number][]} lesson and step */ places = [];
  at = 0;

  /**
   * @param {object} options
   * @param {(lesson: number, step: number) => void} options.onGo
   * @param {Element[]} options.tools what stands beside the count
   */
  constructor(options) {
    this.options = options;
    this.list = h("ol.course");
    this.summary = h("span.sub");
    this.element = h("nav.progress", this.list, h("div.side", this.summary, options.tools));
    this.back = button("control", { on: { click: () => this.move(-1) } });
    this.next = button("control.primary", { on: { click: () => this.move(1) } });
    this.dots = h("ol.dots");
    this.way = h("nav.way", this.back, this.dots, this.next);
  }

  speak(/** @type {Words} */ words) {
    this.words = words;
    setAttr(this.element, "aria-label", words.lessons);
    setAttr(this.way, "aria-label", words.steps);
    setText(this.back, words.back);
    this.back.title = words.back_key;
    this.next.title = words.next_key;
  }

  show(/** @type {Lesson} */ data) {
    const { words } = this;
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
    this.at = this.placeOf(data.lesson, data.step);
    this.fill(
      this.list,
      data.course.length,
      () => this.lessonButton(),
      (item, k) => this.showLesson(item, k),
    );
    this.fill(this.dots, data.steps.length, () => this.stepButton(), (item, k) => this.showStep(item, k));
    const solved = data.course.filter(({ state }) => state === "solved").length;
    setText(this.summary, fillIn(words.solved_of, { solved, lessons: data.course.length }));
    this.back.disabled = this.at === 0;
    this.next.style.visibility = this.at === this.places.length - 1 ? "hidden" : "";
    const ends = data.step === data.steps.length;
    setText(
      this.next,
      ends ? (data.lesson === data.course.length ? words.finish : words.next_lesson) : words.next,
    );
  }

  placeOf(/** @type {number} */ lesson, /** @type {number} */ step) {
    return this.places.findIndex(([l, s]) => l === lesson && s === step);
  }

  /** Keep the buttons, so that the one with the focus keeps it. */
  fill(
    /** @type {HTMLElement} */ list,
    /** @type {number} */ size,
    /** @type {() => HTMLButtonElement} */ make,
    /** @type {(item: HTMLButtonElement, k: number) => void} */ show,
  ) {
    while (list.childElementCount > size) list.lastElementChild?.remove();
    while (list.childElementCount < size) list.append(h("li", make()));
    [...list.children].forEach((item, k) => show(/** @type {HTMLButtonElement} */ (item.firstChild), k));
  }

  lessonButton() {
    const [number, short, state] = ["lesson-number", "lesson-short", "lesson-state"].map((name) =>
      h("span", { class: name })
    );
    state.setAttribute("aria-hidden", "true");
    return button("lesson-button", {}, number, short, state);
  }

  showLesson(/** @type {HTMLButtonElement} */ item, /** @type {number} */ k) {
    const { title, short, state } = this.data.course[k];
    const here = k + 1 === this.data.lesson && !this.data.closing;
    setText(item.children[0], String(k + 1));
    setText(item.children[1], short);
    setText(item.children[2], SIGNS[state]);
    item.dataset.state = state;
    item.title = title;
    setAttr(
      item,
      "aria-label",
      fillIn(this.words.lesson_button, { lesson: k + 1, title, state: this.words[`state_${state}`] }),
    );
    setAttr(item, "aria-current", here ? "page" : null);
    item.onclick = () => this.options.onGo(k + 1, 1);
  }

  stepButton() {
    return button("dot");
  }

  showStep(/** @type {HTMLButtonElement} */ item, /** @type {number} */ k) {
    const { title, asks, state } = this.data.steps[k];
    const solved = asks && SIGNS[state] ? ` ${SIGNS[state]}` : "";
    setText(item, asks ? `?${solved}` : String(k + 1));
    item.title = title;
    const answered = this.words[`state_${state}`];
    const asked = asks ? [this.words.asks, ...(answered ? [answered] : [])] : [];
    setAttr(
      item,
      "aria-label",
      [fillIn(this.words.step_button, { step: k + 1, title }), ...asked].join(", "),
    );
    setAttr(item, "aria-current", k + 1 === this.data.step ? "step" : null);
    item.onclick = () => this.options.onGo(this.data.lesson, k + 1);
  }

  /** One step on or back, over the ends of lessons. */
  move(/** @type {number} */ by) {
    const target = Math.min(Math.max(this.at + by, 0), this.places.length - 1);
    if (target === this.at) return;
    this.at = target;
    this.options.onGo(...this.places[target]);
  }
}
