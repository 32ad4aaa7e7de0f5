/** A lesson in a page of its own: it answers the view in place of Python, with the verdicts that the engine gave. */

import { recall } from "./logic/memory.js";
import { sorted } from "./logic/picks.js";
import { mount as mountView } from "./share.js";
/** @import { Kept } from "./logic/memory.js" */
/** @import { ViewClass } from "./parts/place.js" */
/** @import { CoursePayload as Course, LessonPayload as Lesson, SharedQuestion } from "./payloads.d.ts" */

/** @typedef {"open" | "tried" | "shown" | "solved"} State */

const KNOWN = ["solved", "shown"];
/** @type {State[]} */
const STATES = ["open", "tried", "shown", "solved"];

/** The best that became of a question: once solved, solved. */
const reached = (/** @type {Kept | undefined} */ answer) =>
  STATES.findLast((state) => answer?.state === state || answer?.before === state) ?? "open";

/** Mount the lesson, or the index of all. */
export function mount(/** @type {ViewClass} */ View, /** @type {Course} */ course) {
  const file = new CourseFile(course);
  const place = mountView(View, file.payload(), {
    state: () => {},
    trigger: (_, event) => file.take(event) && place.update(file.payload()),
  });
  addEventListener("hashchange", () => file.read() && place.update(file.payload()));
  // Another page of this browser, or the one before whose answer was not yet written.
  addEventListener("storage", () => {
    file.recall();
    place.update(file.payload());
  });
}

class CourseFile {
  /** @type {Record<string, Kept>} by lesson and step, "4.4" */ answers = {};
  step = 1;

  constructor(/** @type {Course} */ course) {
    this.course = course;
    this.read();
    this.recall();
  }

  recall() {
    for (const [id, kept] of Object.entries(recall())) if (this.holds(id, kept)) this.answers[id] = kept;
  }

  read() {
    const step = Number(location.hash.slice(1));
    const there = Number.isInteger(step) && step >= 1 && step <= this.course.steps.length;
    if (there) this.step = step;
    return there;
  }

  /** Whether an answer that the browser kept is right; those to other lessons are judged in their files. */
  holds(/** @type {string} */ id, /** @type {any} */ kept) {
    if (!KNOWN.includes(kept?.state) || !Array.isArray(kept.picks)) return false;
    const [lesson, step] = id.split(".").map(Number);
    if (lesson !== this.course.lesson) return true;
    const question = this.course.steps[step - 1]?.question;
    return Boolean(question && judge(question, kept.picks)?.correct);
  }

  get question() {
    return this.course.steps[this.step - 1]?.question ?? null;
  }

  get id() {
    return `${this.course.lesson}.${this.step}`;
  }

  /** One event of the view; true where there is something new to be shown. */
  take(/** @type {any} */ event) {
    if (event.what === "go") return this.go(event.lesson, event.step);
    if (event.what === "forget") this.answers = {};
    else if (event.what === "again") this.put([], "open");
    else if (event.what === "show" && this.question) this.put(this.question.answer, "shown");
    else if (event.what === "check" && this.question) {
      const { correct } = judge(this.question, event.picks);
      this.put(event.picks, correct ? "solved" : "tried");
    }
    return true;
  }

  put(/** @type {any[]} */ picks, /** @type {string} */ state) {
    this.answers[this.id] = { picks, state, before: this.stateAt(this.step) };
  }

  /** To another step, or to another file. */
  go(/** @type {number} */ lesson, /** @type {number} */ step) {
    const { course } = this;
    if (lesson === course.lesson && step <= course.steps.length) {
      this.step = step;
      try {
        history.replaceState(null, "", `#${step}`);
      } catch {
        // A frame may have no address of its own.
      }
      return true;
    }
    if (course.files) {
      const there = step <= course.course[lesson - 1].steps;
      location.assign(there ? `${course.files[lesson]}#${step}` : course.files[0]);
    }
    return false;
  }

  /** @returns {Lesson & { view: string }} */
  payload() {
    const { course, step } = this;
    const entries = course.course.map(({ asks, ...entry }, k) => {
      const states = asks.map((s) => reached(this.answers[`${k + 1}.${s}`]));
      return { ...entry, state: stateOf(states, k + 1 === course.lesson) };
    });
    const frame = { view: "lesson", restored: true, course: entries, alone: !course.files };
    if (!course.lesson) return { ...frame, ...this.index(entries) };
    const { question: _, ...shown } = course.steps[step - 1];
    return {
      ...frame,
      ...shown,
      id: this.id,
      lesson: course.lesson,
      step,
      steps: course.steps.map(({ title, question }, k) => ({
        title,
        asks: Boolean(question),
        state: this.stateAt(k + 1),
      })),
      question: this.asked(),
      stars: this.question ? null : course.stars,
      closing: null,
    };
  }

  /** @returns {State} */
  stateAt(/** @type {number} */ step) {
    return reached(this.answers[`${this.course.lesson}.${step}`]);
  }

  /** @returns {Lesson["question"]} */
  asked() {
    const { question } = this;
    if (!question) return null;
    const { ask, kind, revealed } = question;
    const answer = this.answers[this.id];
    return {
      ask,
      kind,
      picks: answer?.picks ?? [],
      state: /** @type {any} */ (answer?.state ?? "open"),
      verdict: answer && answer.state !== "open" ? judge(question, answer.picks) : null,
      revealed: KNOWN.includes(answer?.state) ? revealed : null,
    };
  }

  /** What stands in place of the page after the last lesson: all of which a question is open. */
  index(/** @type {Lesson["course"]} */ entries) {
    const open = entries.flatMap(({ title, state }, k) =>
      state === "solved" ? [] : [{ lesson: k + 1, title }]
    );
    const lessons = entries.length;
    return {
      id: "index",
      lesson: lessons,
      step: entries[lessons - 1].steps + 1,
      steps: [],
      title: "",
      text: [],
      touch: { kind: "none", hint: "", sliders: [] },
      scenes: { "": {} },
      question: null,
      stars: null,
      closing: { open, doors: [] },
    };
  }
}

/** The verdict on some picks, looked up among those that the engine gave. */
function judge(
  /** @type {SharedQuestion} */ { kind, tree: { candidates, verdicts, root } },
  /** @type {any[]} */ picks,
) {
  const places = new Map(candidates.map((candidate, k) => [String(candidate), k]));
  let branch = root;
  for (const pick of sorted(picks, kind)) {
    // All that follows gets the same verdict.
    if (typeof branch === "number") break;
    branch = branch[1][places.get(String(pick)) ?? -1];
  }
  return verdicts[typeof branch === "object" ? branch[0] : branch];
}

/**
 * How far a lesson has come, by the states of its questions: "solved", "shown" (answered, with help), "begun" or "new".
 */
/** @returns {"solved" | "shown" | "begun" | "new"} */
function stateOf(/** @type {State[]} */ states, /** @type {boolean} */ opened) {
  if (states.every((state) => state === "solved")) return "solved";
  if (states.every((state) => state === "solved" || state === "shown")) return "shown";
  return opened || states.some((state) => state !== "open") ? "begun" : "new";
}
