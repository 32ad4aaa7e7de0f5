/** Lessons: one step at a time, its words beside a live view, a question that Python checks. */

import { button, h, setAttr, setText } from "../parts/dom.js";
import { listen } from "../parts/keys.js";
import { answersOf, forget, recall, remember } from "../logic/memory.js";
import { Closing } from "../parts/closing.js";
import { keyOf, objectOf, toggled } from "../logic/picks.js";
import { fillIn, WORDS } from "../logic/words.js";
import { Progress } from "../parts/progress.js";
import { setProjecting } from "../parts/pageprojector.js";
import { isProjecting, Projector } from "../parts/projector.js";
import { paragraphs, rich } from "../parts/rich.js";
import { Stage } from "../parts/stage.js";

/** @typedef {import("../payloads.d.ts").LessonPayload} Lesson */

const DONE = new Set(["solved", "shown"]);

export default class LessonView {
  /** @type {import("../parts/theme.js").Theme} */
  theme;
  /** @type {Lesson} */
  data;
  /** @type {import("../logic/words.js").Words} the component's own */
  words = {};
  /** @type {any[]} what was clicked */
  picks = [];
  /** Whether a verdict is waited for. */
  asking = false;

  kind = "";
  about = "";
  /** @type {string | null} the picks that the verdict is of */
  judgedFor = null;
  /** What is said of the view. */
  said = "";
  number = h("p", { class: "sub where-in" });
  title = h("h3", { tabindex: "-1" });
  prose = h("div", { class: "words text" });
  hint = h("p", { class: "hint" });
  /** @type {{ range: HTMLInputElement, output: HTMLElement, values: string[] }[]} */
  ranges = [];
  sliders = h("div", { class: "sliders" });
  say = h("div", { class: "say text", "aria-live": "polite" });
  ask = h("p", { class: "ask" });
  check = button({ class: "control primary", on: { click: () => this.answer() } });
  showMe = button({ class: "tool wide", on: { click: () => this.showAnswer() } });
  again = button({ class: "tool wide", on: { click: () => this.startOver() } });
  actions = h("div", { class: "actions" }, this.check, this.showMe, this.again);
  judged = h("div", { class: "judged text", role: "status" });
  live = h("div", { class: "sr", "aria-live": "polite" });
  element = h("div", { class: "lesson" });

  /**
   * @param {HTMLElement} root
   * @param {import("../parts/place.js").Send} send
   */
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.stage = this.setStage();
    this.projector = new Projector(root, (filling) => this.project(filling));
    this.progress = new Progress({
      onGo: (lesson, step) => this.go(lesson, step),
      tools: this.projector.buttons,
    });
    this.closing = new Closing({
      onGo: (lesson) => this.go(lesson, 1),
      onOpen: (page) => this.send.trigger("event", { what: "open", page }),
      onForget: () => this.forget(),
    });
    this.build();
    this.stopListening = listen(this, {
      ArrowRight: () => this.progress.move(1),
      ArrowLeft: () => this.progress.move(-1),
      ...this.projector.bindings((by) => this.progress.move(by)),
    });
  }

  /** A slider with its value, or with buttons for one less and one more. */
  slider(/** @type {Lesson["touch"]["sliders"][0]} */ { label, values }, /** @type {number} */ k) {
    const nudge = (/** @type {string} */ text, /** @type {string} */ name, /** @type {number} */ by) =>
      button({
        class: "tool wide",
        "aria-label": name,
        on: { click: () => this.slide(k, this.picks[k] + by) },
      }, text);
    const { less, more } = this.words;
    const range = h("input", {
      type: "range",
      min: 0,
      max: values.length - 1,
      step: 1,
      "aria-label": label,
      on: { input: () => this.slide(k, Number(range.value)) },
    });
    const output = h("output");
    this.ranges.push({ range, output, values });
    const parts = values[0]
      ? [h("p", {}, `${label}: `, output), range]
      : [nudge("−", less, -1), range, nudge("+", more, 1)];
    return h("div", { class: "slider" }, parts);
  }

  /** The drawings; what they are called is written once. */
  setStage() {
    return new Stage({
      onPick: (about, pick) => this.pick(about, pick),
      onEdge: (i, j) => this.pickEdge(i, j),
      onSay: (text) => setText(this.live, text),
      words: this.words,
    });
  }

  /** Write what stays the same in all lessons. */
  speak(/** @type {Lesson} */ { words }) {
    this.words = { ...WORDS, ...words };
    this.progress.speak(words);
    this.closing.speak(words);
    setText(this.check, words.check);
    setText(this.showMe, words.show);
    for (const name of /** @type {const} */ (["button", "schemeButton"])) {
      const label = name === "button" ? words.fill_screen : words.scheme;
      this.projector[name].title = label;
      setAttr(this.projector[name], "aria-label", label);
    }
    const former = this.stage;
    this.stage = this.setStage();
    former.element.replaceWith(this.stage.element);
    former.destroy();
  }

  build() {
    this.element.append(
      h(
        "div",
        { class: "speech" },
        this.number,
        this.title,
        this.prose,
        this.closing.element,
        this.hint,
        this.ask,
      ),
      this.stage.element,
      h("div", { class: "reply" }, this.sliders, this.say, this.actions, this.judged),
    );
    this.root.append(this.progress.element, this.element, this.progress.way, this.live);
  }

  update(/** @type {Lesson} */ data) {
    const moved = data.id !== this.data?.id;
    const first = !this.data;
    if (first) this.speak(data);
    const before = this.data?.question?.state;
    const stays = this.data?.scenes[""].hub && data.scenes[""].hub;
    this.data = data;
    const { question, touch } = data;
    this.kind = question?.kind ?? touch.kind;
    this.about = objectOf(this.kind);
    // What was clicked since stays, unless the answer is known now or was taken back.
    if (
      (moved && !stays) ||
      (question && (DONE.has(question.state) || (before !== "open" && question.state === "open")))
    ) this.picks = this.opening();
    this.judgedFor = question?.verdict ? keyOf(question.picks, this.kind) : null;
    this.root.dataset.at = data.id;
    this.progress.show(data);
    this.write(moved);
    this.draw();
    this.keepAnswer();
    // The way on is at the bottom, and a step begins at the top.
    if (moved && !first && this.root.getBoundingClientRect().top < 0) {
      this.root.scrollIntoView({ block: "start" });
    }
  }

  /** Answers outlast the visit; a visit that has none yet is sent those that are kept. */
  keepAnswer() {
    const { id, question, restored, steps, step } = this.data;
    const kept = recall();
    if (!restored && !this.sent && Object.keys(kept).length) {
      this.sent = true;
      setTimeout(() => this.send.trigger("event", { what: "restore", answers: answersOf(kept) }), 0);
    }
    if (question && DONE.has(question.state)) {
      remember(id, { picks: question.picks, state: steps[step - 1].state });
    }
  }

  forget() {
    forget();
    this.send.trigger("event", { what: "forget" });
  }

  /** Whether the answer is known. */
  get done() {
    return DONE.has(this.data.question?.state ?? "");
  }

  opening() {
    const { question, touch } = this.data;
    return question ? [...question.picks] : touch.sliders.map(({ start }) => start);
  }

  /** Words that stay while one clicks. */
  write(/** @type {boolean} */ fresh) {
    const { data } = this;
    const { question } = data;
    setText(this.number, data.closing ? "" : this.lessonTitle());
    this.closing.show(data.closing, data.course);
    this.element.toggleAttribute("data-closing", Boolean(data.closing));
    setText(this.title, data.title);
    this.hint.replaceChildren(...rich(question ? question.note ?? "" : data.touch.hint));
    this.hint.hidden = !this.hint.textContent;
    this.ask.hidden = !question;
    if (question) this.ask.replaceChildren(...rich(question.ask));
    if (!fresh) return;
    this.prose.replaceChildren(...paragraphs(data.text));
    setText(
      this.live,
      data.closing
        ? data.title
        : fillIn(this.words.step, { step: data.step, steps: data.steps.length, title: data.title }),
    );
    this.ranges = [];
    this.sliders.replaceChildren(...data.touch.sliders.map((each, k) => this.slider(each, k)));
  }

  /** The view and what is said of it. */
  draw() {
    const { data, picks, kind } = this;
    const { question } = data;
    const { done } = this;
    const revealed = done ? question?.revealed : null;
    const verdict = question?.verdict && (done || keyOf(picks, kind) === this.judgedFor)
      ? question.verdict
      : null;
    const clicked = question ? null : data.scenes[keyOf(picks, kind)];
    const scene = revealed || { ...data.scenes[""], ...clicked };
    this.stage.show(scene, this.theme, {
      about: this.about,
      picks: revealed && this.about !== "cards" ? [] : picks,
      culprit: verdict && !verdict.correct ? verdict.culprit : null,
      order: kind === "order",
      pair: kind === "pair" && Boolean(question) && !done,
      paired: kind === "pair",
      asks: Boolean(question),
      open: !done,
    }, data.stars);
    this.ranges.forEach(({ range, output, values }, k) => {
      range.value = String(picks[k]);
      setAttr(range, "aria-valuetext", values[picks[k]] || null);
      setText(output, values[picks[k]]);
    });
    const sentences = scene.say ?? [];
    this.say.hidden = Boolean(question) || !sentences.length;
    if (this.said !== String(sentences)) this.say.replaceChildren(...paragraphs(sentences));
    this.said = String(sentences);
    this.judge(question, verdict, done);
  }

  /**
   * @param {Lesson["question"]} question
   * @param {import("../payloads.d.ts").VerdictPayload | null} verdict the one of these picks
   * @param {boolean} done
   */
  judge(question, verdict, done) {
    this.actions.hidden = !question;
    // Nothing moves under the pointer: buttons stay, and what is said of an answer stands below them.
    this.judged.hidden = !verdict;
    this.showMe.disabled = this.check.disabled = done;
    this.check.hidden = Boolean(question?.note);
    this.again.hidden = !done && !this.picks.length;
    setText(this.again, done ? this.words.again : this.words.over);
    setAttr(this.root, "data-state", question?.state ?? "none");
    if (!verdict) return;
    const { correct, sentence } = verdict;
    const { words } = this;
    const head = question?.state === "shown" ? words.answer : correct ? words.right : words.wrong;
    this.judged.dataset.correct = String(correct);
    if (this.judged.dataset.said === head + sentence && this.judged.childElementCount) return;
    this.judged.dataset.said = head + sentence;
    this.judged.replaceChildren(h("strong", { text: head }), h("p", {}, rich(sentence)));
    // What one has asked for comes into sight; a step that opens with its verdict begins at its top.
    if (this.asking) {
      this.reveal(/** @type {HTMLElement} */ (this.judged.firstChild));
      if (done) this.progress.next.focus({ preventScroll: true });
    }
    this.asking = false;
  }

  lessonTitle() {
    const { course, lesson } = this.data;
    return fillIn(this.words.lesson, { lesson, title: course[lesson - 1].title });
  }

  pick(/** @type {string} */ about, /** @type {any} */ pick) {
    if (about !== this.about || this.done) return;
    const fixed = (this.data.scenes[""].networks?.[0]?.roles ?? []).map(([i]) => i);
    if (this.about === "nodes" && this.data.question && fixed.includes(pick)) return;
    const next = toggled(this.picks, pick, this.kind);
    const unknown = !this.data.question && !(keyOf(next, this.kind) in this.data.scenes);
    // Half of a pair shows nothing yet; a node that the view is not made for stays as it is.
    if (unknown && !(this.kind === "pair" && next.length === 1)) return;
    this.picks = next;
    this.draw();
    this.reveal(this.say);
  }

  /** Bring out what a press has changed from under the bar that leads on. */
  reveal(/** @type {HTMLElement} */ part) {
    const bar = this.progress.way.getBoundingClientRect();
    if (part.getBoundingClientRect().bottom > bar.top) part.scrollIntoView({ block: "nearest" });
  }

  pickEdge(/** @type {number} */ i, /** @type {number} */ j) {
    if (this.kind !== "pair" || this.done) return;
    this.picks = [i, j];
    this.draw();
    this.reveal(this.say);
  }

  slide(/** @type {number} */ k, /** @type {number} */ to) {
    this.picks[k] = Math.min(Math.max(to, 0), this.ranges[k].values.length - 1);
    this.draw();
    this.reveal(this.say);
  }

  startOver() {
    this.picks = [];
    this.check.disabled = false;
    this.check.focus({ preventScroll: true });
    if (this.data.question?.state === "open") this.draw();
    else this.event("again");
  }

  answer() {
    this.asking = true;
    this.event("check", { picks: this.picks });
  }

  showAnswer() {
    this.asking = true;
    this.event("show");
  }

  event(/** @type {string} */ what, more = {}) {
    this.send.trigger("event", { what, id: this.data.id, ...more });
  }

  go(/** @type {number} */ lesson, /** @type {number} */ step) {
    this.send.trigger("event", { what: "go", lesson, step });
  }

  /** A lesson that fills the screen is laid out as on a projector; then the page is as it was. */
  project(/** @type {boolean} */ filling) {
    if (filling) this.before = isProjecting();
    setProjecting(filling || Boolean(this.before));
  }

  destroy() {
    this.stopListening();
    this.projector.destroy();
    this.stage.destroy();
  }
}
