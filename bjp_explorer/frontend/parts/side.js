/** One of two climbs: its graph, its key numbers and its next proposal. */

import { card, h, setText } from "./dom.js";
import { exportMenu } from "./download.js";
import { byKey, edgeKey } from "../logic/pairs.js";
import { ClimbFigures } from "./figures.js";
import { fixed, scoreDigits } from "../logic/format.js";
import { compare, degreeOrder, drawnBeside, drawnEdges, History, ranks } from "../logic/history.js";
import { NetworkView } from "./network.js";
import { pairName, sentence, title } from "../logic/story.js";
import { places, stateAt } from "../logic/timeline.js";

/** @import { ClimbPayload, DuelPayload } from "../payloads.d.ts" */
/** @import { Scene } from "./layout.js" */
/** @import { Theme } from "./theme.js" */

/** @typedef {{ scene: Scene, theme: Theme, data: { stem?: string } }} Owner */

export class Side {
  step = 0;
  /** @type {ClimbPayload} */ data;
  /** @type {History} */ history;
  /** @type {number[]} */ places;
  /** @type {Map<string, [number, number]>} */ edges;
  /** @type {Map<string, [number, number]> | null} */ truth;

  constructor(/** @type {Owner} */ owner, /** @type {"first" | "second"} */ name) {
    this.name = name;
    this.network = new NetworkView({ label: `The graph of the ${name} climb`, scene: owner.scene });
    this.figures = new ClimbFigures();
    this.of = h("p", { class: "of" });
    this.proposal = h("p", { class: "proposal" });
    const save = exportMenu(owner, this.network.svg, () => [this.data.method, "graph", "step", this.step]);
    this.card = card(
      `graph side ${name}`,
      "Start",
      [save],
      this.of,
      this.network.element,
      h("div", { class: "footer" }, this.proposal, this.network.controls),
      this.figures.element,
    );
    this.element = this.card.element;
    this.element.dataset.side = name;
  }

  /** duel: what both have in common; data: this climb; fresh: whether it is another than before. */
  update(/** @type {DuelPayload} */ duel, /** @type {ClimbPayload} */ data, /** @type {boolean} */ fresh) {
    const before = this.data;
    const anew = fresh || data.series !== before.series || data.steps.length < before.steps.length;
    this.data = data;
    if (anew) {
      this.history = new History(data.start);
      this.truth = duel.truth && byKey(duel.truth);
    }
    this.history.extend(data.steps);
    this.places = places(data, duel.by);
    setText(this.of, data.title ?? "");
    this.element.setAttribute("aria-label", data.title ?? "");
  }

  /** Its scores and where they stand; a proposal that was refused leaves the score as it was. */
  series() {
    const { start, steps } = this.data;
    return {
      values: [start.score, ...steps.map((step) => step.score)],
      at: this.places.slice(0, steps.length + 1),
    };
  }

  scoreAt(/** @type {number} */ place) {
    const { values, at } = this.series();
    return values[stateAt(at, place)];
  }

  /** Go to a place on the timeline; beyond its end a climb waits. */
  go(/** @type {number} */ place) {
    this.step = stateAt(this.places, place);
    this.edges = this.history.go(this.step);
  }

  /** other: the other climb's edges now; comparing: whether to compare with the truth instead. */
  show(/** @type {Map<string, [number, number]>} */ other, /** @type {boolean} */ comparing) {
    const { data, step, edges, history } = this;
    const rejected = step > data.steps.length;
    const now = step === 0 ? null : (data.steps[step - 1] ?? data.rejected);
    const flip = now && !rejected ? now.edge : null;
    this.element.dataset.step = String(step);
    this.network.setEdges(
      comparing && this.truth ? drawnEdges(edges, flip, this.truth) : drawnBeside(edges, other, flip),
    );
    const found = degreeOrder(edges, data.names.length);
    const given = step === 0 ? data.start : data.steps[Math.min(step, data.steps.length) - 1];
    this.network.setBadges(ranks(given?.order ?? found.order), found.degree);
    setText(this.card.heading, title(data, step));
    setText(this.card.sub, `· ${sentence(data, history, step, now)}`);
    this.figures.show(data, step, edges, this.truth ? compare(edges, this.truth) : null, this.truth?.size);
    this.propose(rejected, edges);
  }

  /** The pair that is proposed next, or the one that was refused. */
  propose(/** @type {boolean} */ rejected, /** @type {Map<string, [number, number]>} */ edges) {
    const { data, step } = this;
    const next = rejected ? null : (data.steps[step] ?? data.rejected);
    const pair = rejected ? data.rejected?.edge : next?.lowest?.[0];
    if (!pair) {
      this.network.setLink(null);
      const ended = !data.running && step >= data.steps.length;
      setText(this.proposal, ended ? "No further proposal: this climb ends here." : "");
      return;
    }
    const [i, j, , value] = pair;
    this.network.setLink({ i, j, tone: "proposed", question: true, straight: edges.has(edgeKey(i, j)) });
    const name = pairName(data.names, [i, j], 40);
    const about = value === undefined ? "" : `, local contribution ${fixed(value, scoreDigits(value))}`;
    setText(
      this.proposal,
      rejected ? `Rejected: ${name}. This climb ends here.` : `Next proposal: ${name}${about}`,
    );
  }

  destroy() {
    this.network.destroy();
  }
}
