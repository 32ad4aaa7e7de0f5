/** Exercises one after another: answered in the picture, judged at once or at the end, counted by kind. */

import { button, h, setAttr, setText } from "../parts/dom.js";
import { listen } from "../parts/keys.js";
import { byKind, handIn, judge, studentKey, tidy } from "../logic/practice.js";
import { keepDraft, keepStudent, recallDraft, recallStudent } from "../logic/draft.js";
import { answerNow, newWork, Question } from "../parts/question.js";
import { HandInCard, SheetStart } from "../parts/sheet.js";

/** @typedef {import("../payloads.d.ts").PracticePayload} Practice */
/** @typedef {import("../payloads.d.ts").ExercisePayload} Exercise */

const UNKNOWN = "This file has no questions for this name. Check how it is written, or ask your lecturer.";

export default class PracticeView {
  /** @type {import("../parts/theme.js").Theme} */
  theme;
  /** @type {Practice} */
  data;
  /** @type {Exercise[]} */
  exercises = [];
  /** @type {import("../parts/question.js").Work[]} */
  works = [];
  /** The question that is seen; as many as there are is the summary. */
  at = 0;
  student = "";
  finished = false;
  live = h("div", { class: "sr", "aria-live": "polite" });
  dots = h("ol", { class: "dots", "aria-label": "Questions" });
  back = button({ class: "control", on: { click: () => this.go(this.at - 1) } }, "Back");
  next = button({ class: "control", on: { click: () => this.forward() } });
  way = h("nav", { class: "way", "aria-label": "Through the questions" }, this.back, this.dots, this.next);
  summary = h("section", { class: "summary", tabindex: "-1", "aria-label": "Summary" });
  handIn = new HandInCard();
  start = new SheetStart((name) => this.begin(name));
  name = h("strong");
  who = h(
    "p",
    { class: "sub who" },
    this.name,
    button({ class: "link", on: { click: () => this.restart() } }, "Another name"),
  );

  /**
   * @param {HTMLElement} root
   * @param {import("../parts/place.js").Send} send
   */
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.question = new Question({
      onChange: () => this.changed(),
      onCheck: () => this.check(),
      onSolve: () => this.finish(this.at),
      onEnter: () => this.enter(),
    });
    root.append(this.start.element, this.who, this.question.element, this.summary, this.way, this.live);
    this.stopListening = listen(this, {
      ArrowRight: () => this.at < this.exercises.length && this.forward(),
      ArrowLeft: () => this.go(this.at - 1),
      Enter: () => this.enter(),
    });
  }

  /** Whether answers are judged at the end only. */
  get waits() {
    return Boolean(this.data.sheet?.at_end) && !this.finished;
  }

  update(/** @type {Practice} */ data) {
    const fresh = data.id !== this.data?.id;
    this.data = data;
    if (fresh) {
      this.exercises = [];
      this.at = 0;
      const student = data.sheet ? recallStudent(data.sheet.code) : "";
      if (!data.sheet) this.load(data.variants[""]);
      else if (student && !this.begin(student)) return;
    }
    this.draw();
  }

  load(/** @type {Exercise[]} */ exercises) {
    this.exercises = exercises;
    this.works = exercises.map(newWork);
    this.finished = false;
  }

  /** Begin a sheet, or go on with it; says what is wrong with the name. */
  begin(/** @type {string} */ name) {
    const { variants, sheet } = this.data;
    const exercises = variants[""] ?? variants[studentKey(name)];
    if (!tidy(name)) return "Write your name or number.";
    if (!exercises) return UNKNOWN;
    this.student = tidy(name);
    keepStudent(sheet?.code ?? "", this.student);
    setText(this.name, this.student);
    this.load(exercises);
    const draft = recallDraft(`${sheet?.code} ${studentKey(name)}`);
    if (draft?.works?.length === exercises.length) {
      Object.assign(this, { works: draft.works, finished: draft.finished });
      this.at = this.finished ? exercises.length : draft.at;
    }
    this.draw();
    this.question.title.focus({ preventScroll: true });
    return "";
  }

  /** Ask for the name again; answers under the one before are kept. */
  restart() {
    keepStudent(this.data.sheet?.code ?? "", "");
    this.exercises = [];
    this.at = 0;
    this.draw();
    this.start.name.focus();
  }

  /** The verdict on a question, as far as it may be seen. */
  verdictOf(/** @type {number} */ k) {
    const { checked, done } = this.works[k];
    if (this.waits || (checked === null && !done)) return null;
    return checked === null ? { correct: false, sentence: "" } : judge(this.exercises[k], checked);
  }

  draw() {
    const { exercises, at } = this;
    const begun = exercises.length > 0;
    const over = begun && at === exercises.length;
    this.start.element.hidden = begun;
    this.who.hidden = !begun || !this.data.sheet;
    this.way.hidden = !begun;
    this.question.element.hidden = !begun || over;
    this.summary.hidden = !over;
    this.root.dataset.at = begun ? String(at + 1) : "start";
    if (!begun) return;
    if (over) this.summarise();
    else this.ask();
    this.drawWay();
  }

  ask() {
    const { exercises, at, works } = this;
    const { kind, level } = exercises[at];
    const work = works[at];
    const verdict = this.verdictOf(at);
    // A verdict is of what was checked; other picks have none yet.
    const same = work.done || String(answerNow(exercises[at], work)) === String(work.checked);
    this.question.show(exercises[at], work, {
      id: this.idOf(at),
      where: `Question ${at + 1} of ${exercises.length} · level ${level}`,
      title: this.data.kinds[kind],
      verdict: same ? verdict : null,
      checks: !this.waits,
    }, this.theme);
    setAttr(this.root, "data-state", work.done ? "done" : verdict ? "tried" : "open");
  }

  idOf(/** @type {number} */ k) {
    return `${this.data.id}/${this.student}/${k}`;
  }

  drawWay() {
    const { exercises, at, works } = this;
    const size = exercises.length + 1;
    while (this.dots.childElementCount > size) this.dots.lastElementChild?.remove();
    while (this.dots.childElementCount < size) {
      const k = this.dots.childElementCount;
      this.dots.append(h("li", {}, button({ class: "dot", on: { click: () => this.go(k) } })));
    }
    [...this.dots.children].forEach((item, k) => {
      const dot = /** @type {HTMLElement} */ (item.firstChild);
      const work = works[k];
      const last = k === exercises.length;
      const seen = !last && !this.waits && (work.done || work.checked !== null);
      const answered = !last && work.first !== null;
      const state = !seen
        ? (answered ? "answered" : "")
        : work.right
        ? "right"
        : answered
        ? "wrong"
        : "not answered";
      const sign = last ? "Σ" : seen ? (work.right ? "✓" : answered ? "✗" : "–") : String(k + 1);
      setText(dot, sign);
      setAttr(dot, "data-mark", state || null);
      setAttr(dot, "aria-label", last ? "Summary" : `Question ${k + 1}${state ? `, ${state}` : ""}`);
      setAttr(dot, "aria-current", k === at ? "step" : null);
    });
    this.back.disabled = at === 0;
    setText(
      this.next,
      at < exercises.length - 1 ? "Next" : this.data.sheet && !this.finished ? "To the end" : "Summary",
    );
    this.next.style.visibility = at === exercises.length ? "hidden" : "";
    this.next.classList.toggle("primary", this.waits || Boolean(works[at]?.done));
  }

  /** The picks or the number are others now. */
  changed() {
    const { question, at, works } = this;
    if (this.waits) {
      works[at].first = works[at].checked = question.answer;
      works[at].right = question.answer !== null && judge(this.exercises[at], question.answer).correct;
      this.keep();
    }
    this.draw();
  }

  /** Judge what is chosen; of several tries the first one counts. */
  check() {
    const { question, at, works } = this;
    const work = works[at];
    const { answer } = question;
    if (work.done || answer === null) return;
    const { correct } = judge(this.exercises[at], answer);
    if (work.first === null) Object.assign(work, { first: answer, right: correct });
    work.checked = answer;
    work.done = correct || Boolean(this.data.sheet);
    this.settle();
  }

  /** Open the solution; who has not answered by then has no point. */
  finish(/** @type {number} */ k) {
    this.works[k].done = true;
    this.settle();
  }

  settle() {
    this.keep();
    this.draw();
    const { judged } = this.question;
    const bar = this.way.getBoundingClientRect();
    if (judged.getBoundingClientRect().bottom > bar.top) judged.scrollIntoView({ block: "nearest" });
  }

  /** Enter does what comes next; a button or a node that has the focus does its own. */
  enter() {
    const tree = /** @type {Document | ShadowRoot} */ (this.root.getRootNode());
    if (tree.activeElement?.matches("button, summary, textarea, .name-field")) return false;
    const { at, exercises, works, question } = this;
    if (at >= exercises.length) return false;
    if (this.waits || works[at].done) this.forward();
    else if (question.answer !== null) this.check();
    return true;
  }

  forward() {
    this.go(this.at + 1);
  }

  go(/** @type {number} */ k) {
    if (k < 0 || k > this.exercises.length || k === this.at) return;
    this.at = k;
    this.keep();
    this.draw();
    const over = k === this.exercises.length;
    (over ? this.summary : this.question.title).focus({ preventScroll: true });
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView({ block: "start" });
  }

  keep() {
    const { data, at, works, finished } = this;
    if (data.sheet) keepDraft(`${data.sheet.code} ${studentKey(this.student)}`, { at, works, finished });
  }

  get points() {
    return this.works.filter(({ right }) => right).length;
  }

  summarise() {
    const { data, exercises, works } = this;
    setAttr(this.root, "data-state", data.sheet && !this.finished ? "ending" : "summary");
    if (data.sheet && !this.finished) return this.offerEnd();
    const kinds = byKind(exercises, works);
    const weak = kinds.filter(({ right, tried }) => right < tried).map(({ kind }) => kind);
    const first = data.sheet ? "right" : "right at once";
    const open = (/** @type {number} */ k) => k ? `, ${k} not answered` : "";
    this.summary.replaceChildren(
      h("h3", { text: `${this.points} of ${exercises.length} ${first}` }),
      h(
        "ul",
        { class: "kinds" },
        kinds.map(({ kind, right, tried, of }) =>
          h(
            "li",
            { "data-kind": kind, "data-full": right === of, "data-wrong": right < tried },
            h("span", {
              class: "sign",
              "aria-hidden": "true",
              text: right < tried ? "✗" : tried < of ? "–" : "✓",
            }),
            h("span", { text: data.kinds[kind] }),
            h("strong", { text: tried ? `${right} of ${of}${open(of - tried)}` : "not answered" }),
          )
        ),
      ),
    );
    if (data.sheet) {
      this.handIn.show(
        handIn(data.sheet.code, this.student, works.map(({ first }) => first), this.points),
        this.student,
      );
      this.summary.append(this.handIn.element);
      return;
    }
    const more = (/** @type {string[] | null} */ kinds) => () =>
      this.send.trigger("event", { what: "more", kinds });
    this.summary.append(
      h("p", {
        text: weak.length
          ? `To practise again: ${weak.map((kind) => data.kinds[kind]).join(", ")}.`
          : works.every(({ first }) => first !== null)
          ? "Nothing to practise again."
          : "Some questions are not answered.",
      }),
      h(
        "div",
        { class: "actions" },
        button({ class: "control primary", "data-action": "more", on: { click: more(null) } }, "Ten more"),
        weak.length && weak.length < kinds.length
          ? button(
            { class: "tool wide", "data-action": "weak", on: { click: more(weak) } },
            "Ten more of these kinds",
          )
          : null,
      ),
    );
  }

  /** Before the end of a sheet: what is still open, and the button that ends it. */
  offerEnd() {
    const open = this.works.flatMap(({ first }, k) => (first === null ? [k + 1] : []));
    this.summary.replaceChildren(
      h("h3", { text: "The end of the sheet" }),
      h("p", { text: open.length ? `Not answered: ${open.join(", ")}.` : "Every question is answered." }),
      h("p", {
        text: "When you finish, answers can't be changed any more. You see your points and what to hand in.",
      }),
      h(
        "div",
        { class: "actions" },
        button(
          { class: "control primary", "data-action": "end", on: { click: () => this.end() } },
          "Finish the sheet",
        ),
      ),
    );
  }

  end() {
    this.finished = true;
    for (const work of this.works) work.done = true;
    this.keep();
    this.draw();
    this.summary.focus({ preventScroll: true });
  }

  destroy() {
    this.stopListening();
    this.question.destroy();
  }
}
