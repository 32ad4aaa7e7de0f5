/** Play, pause, step, scrub. Knows numbers of steps only; what a step shows is the owner's. */

import {
  button,
  checkbox,
  h,
  icon,
  iconButton,
  setAttr,
  setDisabled,
  setIcon,
  setText,
  textWidth,
} from "./dom.js";
import { Popover } from "./popover.js";
import { KEYS as PREDICT_KEYS, Predict } from "./predict.js";
import { KEYS as PROJECTOR_KEYS, PAGE_KEYS, Projector } from "./projector.js";
/** @import { Send } from "./place.js" */

/** Where one stands is reported after so many milliseconds at rest. */
const REST = 250;
const SPEEDS = [0.5, 1, 2, 4, 10, 30];
/** A bar narrower than this, or in a window lower than that, folds its options away. */
const NARROW = 660;
const low = matchMedia("(max-height: 800px)");
const KEYS = [
  ["space", "play or pause"],
  ["←", "→", "one step back, one step forward"],
  ["Home", "End", "the first step, the last step"],
  ["l", "loop, on or off"],
];

/** The bar of a view that is played, with what every such view has: predictions, and the full screen. */
export class Player {
  live = false;
  step = 0;
  /** @type {number | null} the step that was reported last */ told = null;
  last = 0;
  playing = false;
  playText = h("span", "Play");
  label = h("span.where");
  liveButton = button("tool.wide.live", {
    title: "Follow the run",
    on: { click: () => this.jump(this.last) },
    text: "● live",
  });
  /** With this box ticked the playing begins anew when it has come to the end. */
  loop = checkbox("loop", () => {}, { title: "Start again at the end (key l)" });
  gone = new AbortController();
  frame = 0;
  due = 0;

  /**
   * @param {object} options
   * @param {HTMLElement} options.root
   * @param {Send} options.send
   * @param {(step: number) => string} options.label
   * @param {(step: number) => void} options.onStep
   * @param {() => boolean} options.reports whether it matters now where one rests
   * @param {(step: number) => void} options.onSettle called where one has come to rest on another step than before
   * @param {(step: number) => void} [options.onRest] called wherever one has come to rest
   * @param {(step: number, direction: number) => number} [options.next]
   * @param {(step: number) => void} [options.onAsk] called where the view has to be drawn again as something is asked
   * @param {() => HTMLElement | SVGElement | null} [options.pickAt] where a pair is picked, for the keyboard
   * @param {(wide: boolean) => void} [options.onWide] called where the view begins or ends to have all the room
   * @param {Record<string, () => void>} [options.keys]
   * @param {string[][]} [options.legend] of those keys: [key, …, text]
   * @param {Element[]} [options.extras] always in sight
   * @param {Element[]} [options.choices] folded away in a narrow bar
   * @param {Element[]} [options.status] a second line
   * @param {number} [options.speed]
   */
  constructor(options) {
    this.options = options;
    this.root = options.root;
    this.speed = options.speed ?? 1;
    this.predict = new Predict(this);
    this.projector = new Projector(this.root, {
      onChange: options.onWide,
      isFigure: true,
      turn: (by) => this.move(by),
      keys: {
        ArrowRight: () => this.move(1),
        ArrowLeft: () => this.move(-1),
        Home: () => this.jump(0),
        End: () => this.jump(this.last),
        " ": () => this.toggle(),
        l: () => this.loop.box.click(),
        "?": () => this.keyList.toggle(),
        ...this.predict.bindings,
        ...options.keys,
      },
    });
    /** @type {typeof iconButton} */
    const control = (name, label, click) => iconButton(name, label, click, "control");
    this.playIcon = icon("play");
    const play = { title: "Play or pause (space)", on: { click: () => this.toggle() } };
    this.playButton = button("control.primary", play, this.playIcon, this.playText);
    this.back = [
      control("first", "First step (Home)", () => this.jump(0)),
      control("previous", "Previous step (←)", () => this.move(-1)),
    ];
    this.forth = [
      control("next", "Next step (→)", () => this.move(1)),
      control("last", "Last step (End)", () => this.jump(this.last)),
    ];
    const giveBack = () => this.root.focus({ preventScroll: true });
    const keydown = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      this.toggle();
    };
    const drag = { input: () => this.jump(Number(this.slider.value)), keydown, pointerup: giveBack };
    const range = { type: "range", min: 0, max: 0, step: 1, value: 0 };
    this.slider = h("input", { ...range, "aria-label": "Step", on: drag });
    const change = () => {
      this.setSpeed(Number(this.speedBox.value));
      giveBack();
    };
    const about = { "aria-label": "Speed, steps per second", title: "Steps per second", on: { change } };
    const speeds = SPEEDS.map((speed) =>
      h("option", { value: speed, selected: speed === this.speed, text: `${speed}×` })
    );
    this.speedBox = h("select.speed", about, speeds);
    const { extras = [], choices = [], legend = [], status } = options;
    const { predict, projector } = this;
    // A small "?" opens the list of what each key does.
    const pages = document.getElementById("payload") ? [] : PAGE_KEYS;
    const keys = [...KEYS, ...legend, ...PREDICT_KEYS, ...PROJECTOR_KEYS, ...pages, ["?", "this list"]];
    this.keyRows = keys.map((entry) =>
      h("div", { "data-key": entry[0] }, [
        h("dt", entry.slice(0, -1).map((key) => h("kbd", key))),
        h("dd", entry.at(-1)),
      ])
    );
    const list = h("dl.keys", { role: "dialog", "aria-label": "Keys" }, [
      this.keyRows,
      h("p.note", "Keys do nothing here while you type elsewhere."),
    ]);
    const aboutKeys = { title: "The keys (?)", "aria-label": "The keys", "data-action": "keys" };
    const opener = button("tool.wide", aboutKeys, "?");
    this.keyList = new Popover("key-legend", opener, list);
    // Options stand in the bar where it has room, and else behind a button.
    const name = "Options of the player";
    const more = button("tool.wide", { title: name, "aria-label": name }, "⋯");
    const folded = h("div.choices", choices, this.loop.label, this.speedBox);
    this.choices = new Popover("options", more, folded);
    const shown = h("div.extras", [
      this.liveButton,
      extras,
      this.choices.element,
      projector.buttons,
      this.keyList.element,
    ]);
    this.element = h("div.player", { role: "group", "aria-label": "Player", "data-lines": status ? 2 : 1 }, [
      predict.element,
      h("div.controls", this.back, this.playButton, this.forth),
      status ? null : this.label,
      this.slider,
      shown,
      status ? h("div.status", this.label, status) : null,
    ]);
    const fold = () => {
      const narrow = this.element.clientWidth < NARROW;
      this.element.toggleAttribute("data-narrow", narrow);
      (narrow ? folded : shown).prepend(predict.toggle.label);
      this.element.toggleAttribute("data-compact", low.matches || projector.wide || narrow);
    };
    new ResizeObserver(fold).observe(this.element);
    low.addEventListener("change", fold, { signal: this.gone.signal });
    this.tick = this.tick.bind(this);
  }

  /** List some keys, or, where they do nothing, leave them out. */
  offerKeys(/** @type {string[]} */ keys, /** @type {boolean} */ offered) {
    for (const row of this.keyRows) if (keys.includes(row.dataset.key ?? "")) row.hidden = !offered;
  }

  /** Stand at a step, as a link or a new trace asks for; only another one is reported. */
  begin(/** @type {number} */ step, reported = step) {
    this.step = step;
    this.told = reported;
  }

  /** Report where one has come to rest. */
  settle() {
    clearTimeout(this.resting);
    const { reports, onSettle, onRest } = this.options;
    if (!reports() || this.playing) return;
    this.resting = setTimeout(() => {
      onRest?.(this.step);
      if (this.step !== this.told) onSettle(this.told = this.step);
    }, REST);
  }

  /** What is sent now tells the step as well. */
  reported() {
    clearTimeout(this.resting);
    this.told = this.step;
  }

  /** Set the number of the last step; the present step is kept where it still exists. */
  setLast(/** @type {number} */ last, /** @type {string} */ widest = this.options.label(last)) {
    this.last = last;
    // Room for the longest label, so that the slider does not shift while playing.
    const width = textWidth(widest, getComputedStyle(this.label).font);
    this.label.style.setProperty("--room", `${Math.ceil(width) + 2}px`);
    setAttr(this.slider, "max", last);
    this.root.dataset.steps = String(last);
    this.show(Math.min(this.step, last));
  }

  /** Show a step without reporting it; `onStep` calls it. */
  show(/** @type {number} */ step) {
    this.step = step;
    const { slider } = this;
    slider.value = String(step);
    slider.style.setProperty("--done", String(this.last ? step / this.last : 0));
    const text = this.options.label(step);
    setText(this.label, text);
    slider.setAttribute("aria-valuetext", text);
    this.playButton.disabled = this.last === 0;
    for (const control of this.back) setDisabled(control, step === 0, this.playButton);
    for (const control of this.forth) setDisabled(control, step === this.last, this.playButton);
    this.liveButton.hidden = !this.live;
    setAttr(this.liveButton, "aria-pressed", String(step === this.last));
    this.root.dataset.step = String(step);
    this.root.dataset.playing = String(this.playing);
    this.predict.show(step);
    this.settle();
  }

  go(/** @type {number} */ step) {
    const target = Math.min(Math.max(step, 0), this.last);
    if (target !== this.step) this.options.onStep(target);
  }

  /** Go to a step by hand: it stops the playing. */
  jump(/** @type {number} */ step) {
    this.pause();
    this.go(step);
  }

  move(/** @type {number} */ direction) {
    this.jump(this.next(this.step, direction));
  }

  /** @returns {number} */
  next(/** @type {number} */ step, /** @type {number} */ direction) {
    return this.options.next?.(step, direction) ?? step + direction;
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.last === 0) return;
    if (this.step >= this.last) this.go(0);
    this.setPlaying(true);
    this.due = performance.now();
    this.frame = requestAnimationFrame(this.tick);
  }

  pause() {
    cancelAnimationFrame(this.frame);
    if (this.playing) this.setPlaying(false);
  }

  setPlaying(/** @type {boolean} */ playing) {
    this.playing = playing;
    this.root.dataset.playing = String(playing);
    this.root.toggleAttribute("data-fast", playing && this.speed >= 4);
    setIcon(this.playIcon, playing ? "pause" : "play");
    setText(this.playText, playing ? "Pause" : "Play");
    this.settle();
  }

  setSpeed(/** @type {number} */ speed) {
    this.speed = speed;
    this.due = performance.now() + 1000 / speed;
    this.root.toggleAttribute("data-fast", this.playing && speed >= 4);
  }

  tick(/** @type {number} */ now) {
    if (!this.playing) return;
    if (now >= this.due) this.advance(now, 1000 / this.speed);
    if (this.playing) this.frame = requestAnimationFrame(this.tick);
  }

  advance(/** @type {number} */ now, /** @type {number} */ period) {
    if (this.step >= this.last) {
      // Waiting: a live run has not delivered the next step yet.
      if (this.loop.box.checked) this.go(0);
      this.due = now + period;
      return;
    }
    // After a slow frame or a hidden tab, catch up by a tenth of a second at most.
    let steps = Math.min(1 + Math.floor((now - this.due) / period), Math.max(1, Math.round(this.speed / 10)));
    this.due = Math.max(this.due + steps * period, now - period);
    let target = this.step;
    let held = false;
    while (steps > 0 && !held && target < this.last) {
      target = Math.min(this.next(target, 1), this.last);
      held = this.predict.holds(target);
      steps -= 1;
    }
    this.go(target);
    if (held) this.pause();
    if (target < this.last) return;
    if (this.loop.box.checked) this.due = now + Math.max(1200, period);
    else if (!this.live) this.pause();
  }

  destroy() {
    this.pause();
    clearTimeout(this.resting);
    this.projector.destroy();
    this.gone.abort();
  }
}
