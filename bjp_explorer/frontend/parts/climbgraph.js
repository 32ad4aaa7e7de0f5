/** A climb at a step: its graph, its key numbers, and the pair that is proposed next. */

import { card, h, setText } from "./dom.js";
import { exportMenu } from "./download.js";
import { count, fixed, scoreDigits } from "../logic/format.js";
import { byKey, compare, degreeOrder, edgeKey, History, ranks } from "../logic/history.js";
import { NetworkView } from "./network.js";
import { isolated, sentence, stepOf, title } from "../logic/story.js";
import { Metric } from "./tables.js";
import { places, stateAt } from "../logic/timeline.js";
/** @import { ClimbPayload } from "../payloads.d.ts" */
/** @import { Edges } from "../logic/history.js" */
/** @import { Theme } from "./theme.js" */

const FIGURES = ["score", "edges", "best", "hamming", "tp", "fp", "fn", "stop"];

export class ClimbGraph {
  step = 0;
  /** @type {ClimbPayload} */ data;
  /** @type {History} */ history;
  /** @type {number[]} where each step stands on the timeline */ places;
  /** @type {Edges} */ edges;
  /** @type {Edges | null} */ truth;
  /** @type {ReturnType<typeof card>} */ card;
  metrics = Object.fromEntries(FIGURES.map((name) => [name, new Metric(name)]));
  figures = h("div.metrics", FIGURES.map((name) => this.metrics[name].element));

  constructor(/** @type {ConstructorParameters<typeof NetworkView>[0]} */ options) {
    this.network = new NetworkView(options);
  }

  build(
    /** @type {{ theme: Theme, data: { stem?: string } }} */ owner,
    /** @type {string} */ kind,
    /** @type {Element} */ above,
    /** @type {Element} */ below,
    /** @type {Element[]} */ ...rest
  ) {
    const save = exportMenu(owner, this.network.svg, () => [this.data.method, "graph", "step", this.step]);
    const footer = h("div.footer", below, this.network.controls);
    this.card = card(kind, "Start", [save], above, this.network.element, footer, ...rest);
    return this.card.element;
  }

  setData(
    /** @type {ClimbPayload} */ data,
    /** @type {boolean} */ fresh,
    /** @type {"flips" | "tests"} */ by,
    /** @type {[number, number][] | null} */ truth,
  ) {
    this.data = data;
    if (fresh) {
      this.history = new History(data.start);
      this.truth = truth && byKey(truth);
    }
    this.history.extend(data.steps);
    this.places = places(data, by);
  }

  /** Its scores and where they stand; a proposal that was refused leaves the score as it was. */
  get scores() {
    const { start, steps } = this.data;
    return {
      values: [start.score, ...steps.map((step) => step.score)],
      at: this.places.slice(0, steps.length + 1),
    };
  }

  /** Go to a place on the timeline; beyond its end a climb waits. */
  go(/** @type {number} */ place) {
    this.step = stateAt(this.places, place);
    this.edges = this.history.go(this.step);
  }

  get isRejected() {
    return this.step > this.data.steps.length;
  }

  /** The step shown: a flip made, the proposal that was rejected, or null at the start. */
  stepData(step = this.step) {
    return step === 0 ? null : (this.data.steps[step - 1] ?? this.data.rejected);
  }

  get flip() {
    return this.isRejected ? null : this.stepData()?.edge ?? null;
  }

  /** The edges as they are to be drawn, and the pair of the next proposal. */
  show(
    /** @type {Parameters<NetworkView["setEdges"]>[0]} */ drawn,
    /** @type {[number, number, ...unknown[]] | undefined} */ proposal,
  ) {
    const { data, step, edges, network } = this;
    network.setEdges(drawn);
    // ψ as the trace gives it; where it leaves it out, by degree and index.
    const found = degreeOrder(edges, data.names.length);
    const given = step === 0 ? data.start : data.steps[Math.min(step, data.steps.length) - 1];
    network.setBadges(ranks(given?.order ?? found.order), found.degree);
    if (proposal) {
      const [i, j] = proposal;
      network.setLink({ i, j, tone: "proposed", question: true, straight: edges.has(edgeKey(i, j)) });
    } else network.setLink(null);
    setText(this.card.heading, title(data, step));
    setText(this.card.sub, `· ${sentence(data, this.history, step, this.stepData())}`);
    this.showFigures();
  }

  showFigures() {
    const { data, edges, metrics, truth } = this;
    const made = Math.min(this.step, data.steps.length);
    const scoreOf = (/** @type {number} */ step) => data.steps[step - 1]?.score ?? data.start.score;
    const score = scoreOf(made);
    metrics.score.set(fixed(score, scoreDigits(score)), data.score_name);
    const { best } = data;
    metrics.best.element.hidden = best === null || best === data.made;
    if (best !== null) {
      const text = fixed(scoreOf(stepOf(data, best)), scoreDigits(score));
      metrics.best.set(text, `the best, at step ${fixed(best, 0)}`);
    }
    metrics.edges.set(count(edges.size, "edge"), isolated(data.names, edges));
    metrics.stop.element.hidden = !(data.stop && made === data.steps.length && !data.running);
    metrics.stop.set("stopped", data.stop ?? "");
    for (const name of ["hamming", "tp", "fp", "fn"]) metrics[name].element.hidden = !truth;
    if (!truth) return;
    const counts = compare(edges, truth);
    metrics.hamming.set(fixed(counts.hamming, 0), "Hamming distance");
    metrics.tp.set(fixed(counts.tp, 0), `true positive, of ${truth.size}`);
    metrics.fp.set(fixed(counts.fp, 0), "false positive");
    metrics.fn.set(fixed(counts.fn, 0), "missing");
  }
}
