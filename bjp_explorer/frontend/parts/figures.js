/** The key numbers of a climb: score, edges, agreement with the truth, why it stopped. */

import { h } from "./dom.js";
import { count, fixed, scoreDigits } from "../logic/format.js";
import { isolated, stepOf } from "../logic/story.js";
import { Metric } from "./tables.js";

/** @import { ClimbPayload as Climb } from "../payloads.d.ts" */

const NAMES = ["score", "edges", "best", "hamming", "tp", "fp", "fn", "stop"];

/** The score after some flips. */
const scoreAt = (/** @type {Climb} */ data, /** @type {number} */ flip) =>
  data.steps[stepOf(data, flip) - 1]?.score ?? data.start.score;

export class ClimbFigures {
  constructor() {
    this.metrics = Object.fromEntries(NAMES.map((name) => [name, new Metric(name)]));
    const elements = NAMES.map((name) => this.metrics[name].element);
    this.element = h("div", { class: "metrics" }, elements);
  }

  /** counts: agreement with the truth, or null where it is not known; truths: its number of edges. */
  show(
    /** @type {Climb} */ data,
    /** @type {number} */ step,
    /** @type {Map<string, [number, number]>} */ edges,
    /** @type {{ hamming: number, tp: number, fp: number, fn: number } | null} */ counts,
    /** @type {number | undefined} */ truths,
  ) {
    const { metrics } = this;
    const made = Math.min(step, data.steps.length);
    const score = made === 0 ? data.start.score : data.steps[made - 1].score;
    metrics.score.set(fixed(score, scoreDigits(score)), data.score_name);
    const { best } = data;
    metrics.best.element.hidden = best === null || best === data.made;
    if (best !== null) {
      metrics.best.set(fixed(scoreAt(data, best), scoreDigits(score)), `the best, at step ${fixed(best, 0)}`);
    }
    metrics.edges.set(count(edges.size, "edge"), isolated(data.names, edges));
    metrics.stop.element.hidden = !(data.stop && made === data.steps.length && !data.running);
    metrics.stop.set("stopped", data.stop ?? "");
    for (const name of ["hamming", "tp", "fp", "fn"]) metrics[name].element.hidden = !counts;
    if (!counts) return;
    metrics.hamming.set(fixed(counts.hamming, 0), "Hamming distance");
    metrics.tp.set(fixed(counts.tp, 0), `true positive, of ${truths}`);
    metrics.fp.set(fixed(counts.fp, 0), "false positive");
    metrics.fn.set(fixed(counts.fn, 0), "missing");
  }
}
