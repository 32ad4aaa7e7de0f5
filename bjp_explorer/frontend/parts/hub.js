/** The figure of lesson 4: one edge tested from a leaf and from the hub, whose slices run dry. */

import { button, h, setAttr, setText, sign, svg } from "./dom.js";
import { count, fixed, probability, scoreDigits } from "../logic/format.js";
import { deal, unpack, verdictOf } from "../logic/stars.js";
import { rich } from "./rich.js";
import { css, mix } from "./theme.js";
/** @import { Setting, Stars } from "../logic/stars.js" */
/** @import { StarsPayload } from "../payloads.d.ts" */
/** @import { Theme } from "./theme.js" */

const FLOW = 800;
const FLOW_OF_SEVERAL = 350;
const SEVERAL = 10;
const KINDS = /** @type {const} */ (["found", "undecided"]);
/** The tests of a score by their ends: of the edges from the leaves, of pairs of leaves; then the other ends. */
const SHARES = /** @type {const} */ ([
  { of: "leaves", noun: "edge", more: ", from the leaves" },
  { of: "pairs", noun: "pair", more: " of leaves" },
  { of: "pairs", noun: "pair", more: " of leaves again" },
  { of: "hub_edges", noun: "edge", more: " again, from the hub" },
]);
const NAMES = { leaf: "Tested from leaf 1", hub: "Tested from the hub" };
const SAID = { found: "finds", undecided: "undecided" };
const KEY = "A dot is a row: strong where the hub and leaf 1 have the same state, pale where they differ. " +
  "An empty frame is a slice without rows. From Pr(⊥̸) = 0.9 on, a test **finds** the edge (green); below, it is " +
  "**undecided**.";
const still = matchMedia("(prefers-reduced-motion: reduce)");
const eased = (/** @type {number} */ u) => 1 - (1 - Math.min(Math.max(u, 0), 1)) ** 3;

/** The rows of a sample in the slices of one test: dots that flow to their places. */
class Pile {
  canvas = h("canvas", { "aria-hidden": "true" });
  pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
  /** @type {Float32Array} x and y by row, of where they are, come from and go to */ at = new Float32Array();
  from = new Float32Array();
  to = new Float32Array();
  /** @type {number[]} the rows whose two ends have the same state, and the others */ dark = [];
  /** @type {number[]} */ light = [];
  /** @type {[number, number, number, number, boolean][]} */ boxes = [];
  dot = 1;
  /** @type {[number, number]} */ size = [0, 0];
  /** @type {Theme | null} */ theme = null;

  show(
    /** @type {ReturnType<typeof deal>} */ { columns, lines, slices },
    /** @type {number} */ rows,
    /** @type {Theme} */ theme,
    /** @type {boolean} whether the rows are others than before */ fresh,
  ) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const scale = devicePixelRatio || 1;
    Object.assign(this.canvas, { width: width * scale, height: height * scale });
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.size = [width, height];
    this.theme = theme;
    const [wide, high] = [width / columns, height / lines];
    const gap = Math.min(4, wide * 0.14);
    const former = fresh ? 0 : this.at.length / 2;
    const at = new Float32Array(2 * rows);
    at.set(this.at.subarray(0, Math.min(2 * former, 2 * rows)));
    // What is new comes in from above, spread evenly.
    for (let row = former; row < rows; row += 1) {
      at[2 * row] = width * ((row * 0.618034) % 1);
      at[2 * row + 1] = -height * ((row * 0.414214) % 1);
    }
    this.to = new Float32Array(2 * rows);
    [this.dark, this.light, this.boxes] = [[], [], []];
    this.dot = 4;
    slices.forEach((slice, k) => {
      const [left, top] = [(k % columns) * wide + gap / 2, Math.floor(k / columns) * high + gap / 2];
      const [w, h] = [wide - gap, high - gap];
      this.boxes.push([left, top, w, h, !slice.rows.length]);
      const pitch = Math.min(6, Math.sqrt((w * h) / (slice.rows.length + 1)));
      const across = Math.max(1, Math.floor(w / pitch));
      const step = Math.min(pitch, h / Math.ceil(slice.rows.length / across));
      this.dot = Math.min(this.dot, Math.max(1, 0.66 * pitch));
      slice.rows.forEach((row, r) => {
        this.to[2 * row] = left + ((r % across) + 0.5) * (w / across);
        this.to[2 * row + 1] = top + h - (Math.floor(r / across) + 0.5) * step;
        (r < slice.same ? this.dark : this.light).push(row);
      });
    });
    this.from = at.slice();
    this.at = at;
  }

  /** Draw a moment of the flow, 0 to 1; rows set out one after another. */
  draw(/** @type {number} */ moment) {
    const { at, from, to } = this;
    for (let k = 0; k < at.length; k += 1) {
      const share = eased(moment * 1.4 - (0.4 * ((k >> 1) % 61)) / 61);
      at[k] = from[k] + (to[k] - from[k]) * share;
    }
    const { pen, theme, dot } = this;
    if (!theme) return;
    pen.clearRect(0, 0, ...this.size);
    for (const [x, y, w, h, empty] of this.boxes) {
      pen.fillStyle = pen.strokeStyle = css(mix(theme.ink, theme.paper, empty ? 0.4 : 0.06));
      if (empty) pen.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
      else pen.fillRect(x, y, w, h);
    }
    for (const [rows, share] of /** @type {const} */ ([[this.light, 0.5], [this.dark, 0.95]])) {
      pen.fillStyle = css(mix(theme.ink, theme.paper, share));
      for (const row of rows) pen.fillRect(at[2 * row] - dot / 2, at[2 * row + 1] - dot / 2, dot, dot);
    }
  }
}

/** One end: its pile, its needle, and how often it finds the edge. */
class End {
  pile = new Pile();
  given = h("p");
  slices = h("p");
  needle = svg("path.needle", { d: "M-2.5 0L0 -41L2.5 0Z" });
  value = h("strong");
  shares = KINDS.map((kind) => h("i", { "data-kind": kind }));
  counts = KINDS.map((kind) => h("span", { "data-kind": kind }));
  tally = h("div.drawn", h("div.bar", { "aria-hidden": "true" }, this.shares), h("p", this.counts));

  constructor(/** @type {"leaf" | "hub"} */ name) {
    this.name = name;
    const dial = svg("svg.dial", { viewBox: "-50 -46 100 60", "aria-hidden": "true" }, [
      KINDS.map((kind) => {
        // From 0 to 1 along the half circle.
        const [a, b] = (kind === "found" ? [0.9, 1] : [0, 0.9]).map((p) => Math.PI * (1 - p));
        const place = (/** @type {number} */ t) => `${43 * Math.cos(t)} ${-43 * Math.sin(t)}`;
        return svg("path", { "data-kind": kind, d: `M${place(a)}A43 43 0 0 1 ${place(b)}` });
      }),
      svg("text", { x: -43, y: 13 }, "0"),
      svg("text", { x: 43, y: 13 }, "1"),
      this.needle,
    ]);
    this.element = h("section.card.end", { "data-end": name, "aria-label": NAMES[name] }, [
      h("h4", NAMES[name]),
      this.given,
      this.slices,
      this.pile.canvas,
      h("p.reading", dial, h("span", "Pr(", sign(true), ") = ", this.value)),
      this.tally,
    ]);
  }

  /** Deal the rows out. */
  deal(
    /** @type {Stars} */ stars,
    /** @type {Setting} */ setting,
    /** @type {number} */ drawn,
    /** @type {Theme} */ theme,
    /** @type {boolean} */ fresh,
  ) {
    const { name } = this;
    const codes = stars.rows(setting, drawn - 1);
    const given = name === "hub" ? setting[0] : 0;
    const dealt = deal(codes, given, stars.sent.leaves);
    const empty = dealt.slices.filter(({ rows }) => !rows.length).length;
    setText(this.given, given ? "given the other leaves" : "given nothing");
    const slices = count(dealt.slices.length, "slice");
    setText(this.slices, given ? `${slices}, ${empty} empty` : slices);
    this.pile.show(dealt, codes.length, theme, fresh);
  }

  /** What comes of it. */
  read(/** @type {Stars} */ stars, /** @type {Setting} */ setting, /** @type {number} */ drawn) {
    const { name } = this;
    const log = stars.numbers(setting, drawn - 1)[name];
    setText(this.value, probability(log));
    this.needle.style.transform = `rotate(${180 * (Math.exp(log) - 0.5)}deg)`;
    setAttr(this.element, "data-verdict", verdictOf(log));
    const tally = stars.tally(setting, name, drawn);
    KINDS.forEach((kind, k) => {
      this.shares[k].style.width = `${(100 * tally[kind]) / stars.samples}%`;
      setText(this.counts[k], `${SAID[kind]} ${tally[kind]}`);
    });
    return `${NAMES[name]}, ${this.slices.textContent}: Pr(⊥̸) = ${probability(log)}.`;
  }
}

export class Hub {
  /** @type {Stars | null} */ stars = null;
  /** @type {Setting} */ setting = [0, 0, 0];
  /** How many samples have been drawn; the last one is shown. */
  drawn = 1;
  /** How many samples are still to come. */
  left = 0;
  both = true;
  parts = 0;
  /** @type {Theme | null} */ theme = null;
  /** @type {ReturnType<typeof unpack> | null} */ unpacking = null;

  constructor(/** @type {(text: string) => void} */ onSay) {
    this.onSay = onSay;
    this.ends = /** @type {const} */ (["leaf", "hub"]).map((name) => new End(name));
    const tool = (/** @type {string} */ text, /** @type {() => void} */ click) =>
      button("tool.wide", { on: { click } }, text);
    this.one = tool("New sample", () => this.draw(1));
    this.ten = tool("10 samples", () => this.draw(SEVERAL));
    this.first = tool("Back to sample 1", () => this.restart());
    this.key = h("p.sub", rich(KEY));
    this.sample = h("span.sub");
    this.draws = h("div.actions", this.one, this.ten, this.first, this.sample);
    this.scores = [true, false].map((both) =>
      tool("", () => {
        this.both = both;
        this.write();
      })
    );
    this.choice = h("div.actions", { role: "group", "aria-label": "Test each pair" }, this.scores);
    this.shares = h("div");
    this.element = h("div.hub", [
      h("div.ends", this.ends.map(({ element }) => element)),
      this.key,
      this.draws,
      this.choice,
      this.shares,
    ]);
    const resize = () => this.element.clientWidth !== this.width && this.place(false);
    new ResizeObserver(resize).observe(this.element);
  }

  async show(
    /** @type {StarsPayload} */ sent,
    /** @type {number} 1: both ends; 2: samples, too; 3: scores, too */ parts,
    /** @type {Setting} */ setting,
    /** @type {Theme} */ theme,
  ) {
    const fresh = !this.stars || setting[2] !== this.setting[2];
    const before = [this.setting, this.parts, this.theme];
    Object.assign(this, { parts, setting: [...setting], theme });
    if (!this.stars) {
      this.unpacking ??= unpack(sent);
      this.stars = await this.unpacking;
    }
    this.draws.hidden = parts < 2;
    for (const end of this.ends) end.tally.hidden = parts !== 2;
    this.choice.hidden = this.shares.hidden = parts < 3;
    this.key.hidden = parts > 2;
    setAttr(this.element, "data-parts", parts);
    if (fresh || String(before) !== String([setting, parts, theme])) this.place(fresh);
  }

  draw(/** @type {number} */ more) {
    const left = Math.min(more, (this.stars?.samples ?? 0) - this.drawn);
    const now = still.matches ? left : Math.min(left, 1);
    this.left = left - now;
    this.drawn += now;
    if (now) this.place(true, more > 1 ? FLOW_OF_SEVERAL : FLOW);
  }

  restart() {
    [this.left, this.drawn] = [0, 1];
    this.place(true);
  }

  /** The rows flow to where they belong; what comes of them is shown when they are there. */
  place(/** @type {boolean} */ fresh, flow = FLOW) {
    const { stars, setting, drawn, theme } = this;
    this.width = this.element.clientWidth;
    if (!stars || !theme || !this.width) return;
    for (const end of this.ends) end.deal(stars, setting, drawn, theme, fresh);
    cancelAnimationFrame(this.frame ?? 0);
    const start = performance.now();
    const step = (/** @type {number} */ now) => {
      const moment = still.matches ? 1 : Math.min(1, (now - start) / flow);
      for (const { pile } of this.ends) pile.draw(moment);
      setAttr(this.element, "data-flowing", moment < 1);
      if (moment < 1) this.frame = requestAnimationFrame(step);
      else this.write();
    };
    step(start);
  }

  write() {
    const { stars, setting, parts, drawn } = this;
    if (!stars) return;
    const { seeds } = stars.sent;
    this.onSay(this.ends.map((end) => end.read(stars, setting, drawn)).join(" "));
    const all = drawn === stars.samples;
    this.one.disabled = this.ten.disabled = all;
    this.first.hidden = drawn === 1;
    const sample = `Sample ${drawn} of ${seeds.length}, seed ${seeds[drawn - 1]}`;
    setText(this.sample, all ? `All ${seeds.length} samples drawn` : sample);
    const numbers = stars.numbers(setting, drawn - 1);
    const { leaves, pairs, hub_edges: edges } = numbers;
    this.scores.forEach((each, k) => {
      const score = leaves + pairs + (k ? 0 : pairs + edges);
      const name = k ? "One end: ln BJP" : "Both ends: ln IB-score";
      setText(each, `${name} = ${fixed(score, scoreDigits(score))}`);
      setAttr(each, "aria-pressed", String(this.both === !k));
    });
    const most = Math.min(leaves, pairs, edges);
    this.shares.replaceChildren(...SHARES.map(({ of, noun, more }, k) => {
      const value = numbers[of];
      // As many edges as leaves.
      const n = (setting[0] + 1) * (value === pairs ? setting[0] / 2 : 1);
      return h("div.measured", { "data-skipped": !this.both && k > 1 }, [
        h("span", `${count(n, noun)}${more}`),
        h("div.bar", h("i", { style: `width:${(100 * value) / most}%` })),
        h("strong", fixed(value, 3)),
      ]);
    }));
    setAttr(this.ends[1].element, "data-skipped", parts > 2 && !this.both);
    setAttr(this.element, "data-drawn", drawn);
    this.draw(this.left);
  }
}
