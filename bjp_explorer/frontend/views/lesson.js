/** Lessons: one step at a time, its words beside a live view, a question that Python checks. */

import { button, h, setAttr, setText } from "../parts/dom.js";
import { forget, remember, sendKept } from "../logic/memory.js";
import { keyOf, objectOf, toggled } from "../logic/picks.js";
import { Closing, Progress } from "../parts/progress.js";
import { setProjecting } from "../parts/pageprojector.js";
import { isProjecting, Projector } from "../parts/projector.js";
import { paragraphs, rich } from "../parts/rich.js";
import { Stage } from "../parts/stage.js";
/** @import { Send } from "../parts/place.js" */
/** @import { Theme } from "../parts/theme.js" */
/** @import { LessonPayload as Lesson, VerdictPayload } from "../payloads.d.ts" */

const DONE = new Set(["solved", "shown"]);
/** What is narrower stands in one column, see lesson.css. */
const ONE_COLUMN = 760;

export default class LessonView {
  /** @type {Theme} */ theme;
  /** @type {Lesson} */ data;
  /** @type {any[]} what was clicked */ picks = [];
  /** Whether a verdict is waited for. */
  asking = false;
  kind = "";
  about = "";
  /** @type {string | null} the picks that the verdict is of */ judgedFor = null;
  said = "";
  number = h("p.sub.where-in");
  title = h("h3", { tabindex: "-1" });
  prose = h("div.text.words");
  hint = h("p.hint");
  /** @type {{ range: HTMLInputElement, output: HTMLElement, values: string[] }[]} */ ranges = [];
  sliders = h("div.sliders");
  say = h("div.say.text", { "aria-live": "polite" });
  ask = h("p.ask");
  judged = h("div.judged.text", { role: "status" });
  live = h("div.sr", { "aria-live": "polite" });

  constructor(/** @type {HTMLElement} */ root, /** @type {Send} */ send) {
    this.root = root;
    this.send = send;
    this.stage = new Stage({
      onPick: (about, pick) => this.pick(about, pick),
      onEdge: (i, j) => this.pickEdge(i, j),
      onSay: (text) => setText(this.live, text),
    });
    // A lesson that fills the screen is laid out as on a projector; then the page is as it was.
    /** @type {(by: number) => void} */ const move = (by) => this.progress.move(by);
    this.projector = new Projector(root, {
      onChange: (filling) => {
        if (filling) this.before = isProjecting();
        setProjecting(filling || Boolean(this.before));
      },
      turn: move,
      keys: { ArrowRight: () => move(1), ArrowLeft: () => move(-1) },
    });
    this.progress = new Progress((lesson, step) => this.go(lesson, step), this.projector.buttons);
    this.closing = new Closing({
      onGo: (lesson) => this.go(lesson, 1),
      onOpen: (page) => this.send.trigger("event", { what: "open", page }),
      onForget: () => this.forget(),
    });
    const ask = (/** @type {string} */ what, more = () => ({})) => ({
      click: () => {
        this.asking = true;
        this.event(what, more());
      },
    });
    const check = ask("check", () => ({ picks: this.picks }));
    this.check = button("control.primary", { on: check }, "Check");
    this.showMe = button("tool.wide", { on: ask("show") }, "Show me");
    this.again = button("tool.wide", { on: { click: () => this.startOver() } });
    this.actions = h("div.actions", this.check, this.showMe, this.again);
    this.element = h("div.lesson", [
      h("div.speech", this.number, this.title, this.prose, this.closing.element, this.hint, this.ask),
      this.stage.element,
      h("div.reply", this.sliders, this.say, this.actions, this.judged),
    ]);
    root.append(this.progress.element, this.element, this.progress.way, this.live);
  }

  /** A slider with its value, or with buttons for one less and one more. */
  slider(/** @type {Lesson["touch"]["sliders"][0]} */ { label, values }, /** @type {number} */ k) {
    const nudge = (/** @type {string} */ text, /** @type {string} */ name, /** @type {number} */ by) =>
      button(
        "tool.wide",
        { "aria-label": name, on: { click: () => this.slide(k, this.picks[k] + by) } },
        text,
      );
    const on = { input: () => this.slide(k, Number(range.value)) };
    const ends = { min: 0, max: values.length - 1, step: 1 };
    const range = h("input", { type: "range", ...ends, "aria-label": label, on });
    const output = h("output");
    this.ranges.push({ range, output, values });
    const parts = values[0]
      ? [h("p", `${label}: `, output), range]
      : [nudge("−", "One less", -1), range, nudge("+", "One more", 1)];
    return h("div.slider", parts);
  }

  update(/** @type {Lesson} */ data) {
    const moved = data.id !== this.data?.id;
    const first = !this.data;
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
    ) this.picks = question ? [...question.picks] : touch.sliders.map(({ start }) => start);
    this.judgedFor = question?.verdict ? keyOf(question.picks, this.kind) : null;
    this.root.dataset.at = data.id;
    this.progress.show(data);
    this.write(moved);
    this.draw();
    // Answers outlast the visit; a visit that has none yet is sent those that are kept.
    if (first && !data.restored) sendKept(this.send);
    if (question && this.done) {
      remember(data.id, { picks: question.picks, state: data.steps[data.step - 1].state });
    }
    // The way on is at the bottom, and a step begins at the top.
    if (moved && !first && this.root.getBoundingClientRect().top < 0) {
      this.root.scrollIntoView({ block: "start" });
    }
  }

  forget() {
    forget();
    this.send.trigger("event", { what: "forget" });
  }

  get done() {
    return DONE.has(this.data.question?.state ?? "");
  }

  /** Words that stay while one clicks. */
  write(/** @type {boolean} */ fresh) {
    const { data } = this;
    const { question } = data;
    const { title } = data.course[data.lesson - 1];
    setText(this.number, data.closing ? "" : `Lesson ${data.lesson}: ${title}`);
    this.closing.show(data.closing, data.course);
    this.element.toggleAttribute("data-closing", Boolean(data.closing));
    setText(this.title, data.title);
    this.hint.replaceChildren(...rich(question ? question.note ?? "" : data.touch.hint));
    this.hint.hidden = !this.hint.textContent;
    this.ask.hidden = !question;
    if (question) this.ask.replaceChildren(...rich(question.ask));
    if (!fresh) return;
    const text = data.closing ? [...data.text, ...standing(data.course)] : data.text;
    this.prose.replaceChildren(...paragraphs(text));
    const step = `Step ${data.step} of ${data.steps.length}: ${data.title}`;
    setText(this.live, data.closing ? data.title : step);
    this.ranges = [];
    this.sliders.replaceChildren(...data.touch.sliders.map((each, k) => this.slider(each, k)));
  }

  draw() {
    const { data, picks, kind } = this;
    const { question } = data;
    const done = this.done;
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

  judge(
    /** @type {Lesson["question"]} */ question,
    /** @type {VerdictPayload | null} the one of these picks */ verdict,
    /** @type {boolean} */ done,
  ) {
    this.actions.hidden = !question;
    // Nothing moves under the pointer: buttons stay, and what is said of an answer stands below them.
    this.judged.hidden = !verdict;
    this.showMe.disabled = this.check.disabled = done;
    this.check.hidden = Boolean(question?.note);
    this.again.hidden = !done && !this.picks.length;
    setText(this.again, done ? "Try it again" : "Start over");
    setAttr(this.root, "data-state", question?.state ?? "none");
    if (!verdict) return;
    const { correct, sentence } = verdict;
    const head = question?.state === "shown" ? "The answer" : correct ? "✓ Right" : "✗ Not yet";
    this.judged.dataset.correct = String(correct);
    if (this.judged.dataset.said === head + sentence && this.judged.childElementCount) return;
    this.judged.dataset.said = head + sentence;
    this.judged.replaceChildren(h("strong", head), h("p", rich(sentence)));
    // What one has asked for comes into sight; a step that opens with its verdict begins at its top.
    if (this.asking) {
      // Beside a drawing its head is enough; in one column it comes into sight as a whole.
      const head = /** @type {HTMLElement} */ (this.judged.firstChild);
      this.reveal(this.root.clientWidth < ONE_COLUMN ? this.judged : head, this.judged);
      if (done) this.progress.next.focus({ preventScroll: true });
    }
    this.asking = false;
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
    this.redraw();
  }

  redraw() {
    this.draw();
    this.reveal(this.say);
  }

  /** Bring out what a press has changed, if a part of it is out of sight or under the bar that leads on. */
  reveal(/** @type {HTMLElement} */ part, whole = part) {
    const bar = this.progress.way.getBoundingClientRect();
    const end = Math.min(bar.top, innerHeight);
    if (part.getBoundingClientRect().bottom > end) whole.scrollIntoView({ block: "nearest" });
  }

  pickEdge(/** @type {number} */ i, /** @type {number} */ j) {
    if (this.kind !== "pair" || this.done) return;
    this.picks = [i, j];
    this.redraw();
  }

  slide(/** @type {number} */ k, /** @type {number} */ to) {
    this.picks[k] = Math.min(Math.max(to, 0), this.ranges[k].values.length - 1);
    this.redraw();
  }

  startOver() {
    this.picks = [];
    this.check.disabled = false;
    this.check.focus({ preventScroll: true });
    if (this.data.question?.state === "open") this.draw();
    else this.event("again");
  }

  event(/** @type {string} */ what, more = {}) {
    this.send.trigger("event", { what, id: this.data.id, ...more });
  }

  go(/** @type {number} */ lesson, /** @type {number} */ step) {
    this.send.trigger("event", { what: "go", lesson, step });
  }

  destroy() {
    this.projector.destroy();
  }
}

/** How many lessons are solved; nothing before one was begun. */
function standing(/** @type {Lesson["course"]} */ course) {
  const solved = course.filter(({ state }) => state === "solved").length;
  if (course.every(({ state }) => state === "new")) return [];
  if (solved < course.length) {
    return [
      `You have solved ${solved} of the ${course.length} lessons. The questions of these are still open:`,
    ];
  }
  const what = "edges, tests, blankets, the order ψ, what is inferred, and the climb that combines them";
  return [`You have solved all ${solved} lessons: ${what}.`];
}
