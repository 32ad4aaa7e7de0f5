/** Exercises one after another: answered in the picture, judged at once, counted by kind. */

import { button, fillList, h, setAttr, setText } from "../parts/dom.js";
import { listen } from "../parts/keys.js";
import { byKind, judge } from "../logic/practice.js";
import { answerNow, newWork, Question } from "../parts/question.js";
/** @import { Send } from "../parts/place.js" */
/** @import { Work } from "../parts/question.js" */
/** @import { Theme } from "../parts/theme.js" */
/** @import { PracticePayload as Practice } from "../payloads.d.ts" */

const RIGHT = { right: "✓", "second try": "✓", "later try": "✓" };
/** @type {Record<string, string>} */
const SIGNS = { ...RIGHT, "not yet": "…", wrong: "✗", "not answered": "–" };

/** How a question stands that was tried, or whose solution is open. */
function stateOf(/** @type {Work} */ { tries, right, done }) {
  if (right) return tries === 1 ? "right" : tries === 2 ? "second try" : "later try";
  if (!tries) return "not answered";
  return done ? "wrong" : "not yet";
}

export default class PracticeView {
  /** @type {Theme} */ theme;
  /** @type {Practice} */ data;
  /** @type {Work[]} */ works = [];
  /** The question that is seen; as many as there are is the summary. */
  at = 0;
  dots = h("ol.dots", { "aria-label": "Questions" });
  back = button("control", { on: { click: () => this.go(this.at - 1) } }, "Back");
  next = button("control", { on: { click: () => this.forward() } });
  way = h("nav.way", { "aria-label": "Through the questions" }, this.back, this.dots, this.next);
  summary = h("section.summary", { tabindex: "-1", "aria-label": "Summary" });

  constructor(/** @type {HTMLElement} */ root, /** @type {Send} */ send) {
    this.root = root;
    this.send = send;
    this.question = new Question({
      onChange: () => this.draw(),
      onCheck: () => this.check(),
      onSolve: () => this.solve(),
      onEnter: () => this.enter(),
    });
    root.append(this.question.element, this.summary, this.way);
    this.stopListening = listen(this, {
      ArrowRight: () => !this.isOver && this.forward(),
      ArrowLeft: () => this.go(this.at - 1),
      Enter: () => this.enter(),
    });
  }

  update(/** @type {Practice} */ data) {
    const fresh = data.id !== this.data?.id;
    this.data = data;
    if (fresh) {
      this.works = data.exercises.map(newWork);
      this.at = 0;
    }
    this.draw();
  }

  get exercises() {
    return this.data.exercises;
  }

  get isOver() {
    return this.at === this.exercises.length;
  }

  draw() {
    this.question.element.hidden = this.isOver;
    this.summary.hidden = !this.isOver;
    this.root.dataset.at = String(this.at + 1);
    if (this.isOver) this.summarise();
    else this.ask();
    this.drawWay();
  }

  ask() {
    const { data, at } = this;
    const [exercise, work] = [data.exercises[at], this.works[at]];
    const { checked, done } = work;
    // A verdict is of what was checked; other picks have none yet.
    const isOf = done || String(answerNow(exercise, work)) === String(checked);
    const none = done ? { correct: false, sentence: "" } : null;
    const verdict = checked === null ? none : judge(exercise, checked);
    const later = work.right && work.tries > 1 ? ` · ${stateOf(work)}` : "";
    this.question.show(exercise, work, {
      id: `${data.id}/${at}`,
      where: `Question ${at + 1} of ${data.exercises.length} · level ${exercise.level}${later}`,
      title: data.kinds[exercise.kind],
      verdict: isOf ? verdict : null,
    }, this.theme);
    setAttr(this.root, "data-state", done ? "done" : verdict ? "tried" : "open");
  }

  drawWay() {
    const { exercises, at, works } = this;
    const item = (/** @type {number} */ k) => h("li", button("dot", { on: { click: () => this.go(k) } }));
    fillList(this.dots, exercises.length + 1, item).forEach(({ firstChild }, k) => {
      const dot = /** @type {HTMLElement} */ (firstChild);
      const work = works[k];
      const last = k === exercises.length;
      const seen = !last && (work.done || work.checked !== null);
      const state = seen ? stateOf(work) : "";
      const sign = last ? "Σ" : SIGNS[state] ?? String(k + 1);
      setText(dot, sign);
      setAttr(dot, "data-mark", state || null);
      setAttr(dot, "aria-label", last ? "Summary" : `Question ${k + 1}${state ? `, ${state}` : ""}`);
      setAttr(dot, "aria-current", k === at ? "step" : null);
    });
    this.back.disabled = at === 0;
    setText(this.next, at < exercises.length - 1 ? "Next" : "Summary");
    this.next.style.visibility = this.isOver ? "hidden" : "";
    this.next.classList.toggle("primary", Boolean(works[at]?.done));
  }

  /** Judge what is chosen; a later try counts, and says that it is one. */
  check() {
    const { question, at, works } = this;
    const work = works[at];
    const { answer } = question;
    if (work.done || answer === null) return;
    const { correct } = judge(this.exercises[at], answer);
    work.tries += 1;
    work.checked = answer;
    work.right = work.done = correct;
    this.settle();
  }

  /** Open the solution; who has not answered by then has no point. */
  solve() {
    this.works[this.at].done = true;
    this.settle();
  }

  settle() {
    this.draw();
    const { judged } = this.question;
    const bar = this.way.getBoundingClientRect();
    if (judged.getBoundingClientRect().bottom > bar.top) judged.scrollIntoView({ block: "nearest" });
  }

  /** Enter does what comes next; a button or a node that has the focus does its own. */
  enter() {
    const tree = /** @type {Document | ShadowRoot} */ (this.root.getRootNode());
    if (tree.activeElement?.matches("button, summary")) return false;
    if (this.isOver) return false;
    if (this.works[this.at].done) this.forward();
    else this.check();
    return true;
  }

  forward() {
    this.go(this.at + 1);
  }

  go(/** @type {number} */ k) {
    if (k < 0 || k > this.exercises.length || k === this.at) return;
    this.at = k;
    this.draw();
    (this.isOver ? this.summary : this.question.title).focus({ preventScroll: true });
    if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView({ block: "start" });
  }

  summarise() {
    const { data, exercises, works } = this;
    setAttr(this.root, "data-state", "summary");
    const kinds = byKind(exercises, works);
    const weak = kinds.filter(({ right, tried }) => right < tried).map(({ kind }) => kind);
    const open = (/** @type {number} */ k) => k ? `, ${k} not answered` : "";
    const solved = works.filter(({ right }) => right);
    const later = solved.filter(({ tries }) => tries > 1).length;
    const points = `${solved.length} of ${exercises.length} solved`;
    const lines = kinds.map(({ kind, right, tried, of }) =>
      h("li", { "data-kind": kind, "data-full": right === of, "data-wrong": right < tried }, [
        h("span.sign", { "aria-hidden": "true" }, right < tried ? "✗" : tried < of ? "–" : "✓"),
        h("span", data.kinds[kind]),
        h("strong", tried ? `${right} of ${of}${open(of - tried)}` : "not answered"),
      ])
    );
    const heading = h("h3", later ? `${points}, ${later} of them at a later try` : points);
    this.summary.replaceChildren(heading, h("ul.kinds", lines));
    if (!data.more) return;
    const more = (/** @type {string[] | null} */ kinds) => ({
      click: () => this.send.trigger("event", { what: "more", kinds }),
    });
    const all = works.every(({ tries }) => tries > 0);
    const none = all ? "Nothing to practise again." : "Some questions are not answered.";
    const again = `To practise again: ${weak.map((kind) => data.kinds[kind]).join(", ")}.`;
    const some = weak.length && weak.length < kinds.length;
    this.summary.append(
      h("p", weak.length ? again : none),
      h("div.actions", [
        button("control.primary", { "data-action": "more", on: more(null) }, "Ten more"),
        some
          ? button("tool.wide", { "data-action": "weak", on: more(weak) }, "Ten more of these kinds")
          : null,
      ]),
    );
  }

  destroy() {
    this.stopListening();
  }
}
