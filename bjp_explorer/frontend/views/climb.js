/** Watch the climb: the graph as edges flip, the score, the flips, and what comes next. */

import { ScoreChart } from "../parts/chart.js";
import { button, card, h, legend, setText } from "../parts/dom.js";
import { exportMenu } from "../parts/download.js";
import { EdgeEditor } from "../parts/editor.js";
import { byKey, edgeKey } from "../logic/pairs.js";
import { ClimbFigures } from "../parts/figures.js";
import { count, fixed } from "../logic/format.js";
import { compare, degreeOrder, drawnEdges, History, ranks } from "../logic/history.js";
import { NetworkView } from "../parts/network.js";
import { Player } from "../parts/player.js";
import { candidates, ClimbQuestions } from "../logic/predict.js";
import { Predict } from "../parts/predict.js";
import { Projector } from "../parts/projector.js";
import { Settling } from "../logic/settling.js";
import { brief, flipNumber, legendItems, sentence, stepOf, title } from "../logic/story.js";
import { FlipsTable, LowestTable } from "../parts/tables.js";
import { Tooltip } from "../parts/tooltip.js";

/** @import { Send } from "../parts/place.js" */
/** @import { Theme } from "../parts/theme.js" */
/** @import { ClimbPayload as Climb, Flip } from "../payloads.d.ts" */

/** @typedef {Map<string, [number, number]>} Edges by key */

export default class ClimbView {
  /** @type {Theme} */ theme;
  /** @type {Climb} */ data;
  /** @type {Player} */ player;
  /** @type {History} */ history;
  /** @type {Edges | null} */ truth;
  /** @type {ReturnType<typeof card>} */ graphCard;
  /** @type {ReturnType<typeof card>} */ chartCard;
  /** @type {ReturnType<typeof card>} */ flipsCard;
  /** @type {ReturnType<typeof card>} */ lowestCard;
  figures = new ClimbFigures();
  graphLegend = h("div");
  themeKey = "";
  legendKey = "";
  comparing = true;
  bestButton = button(
    {
      class: "tool wide",
      hidden: true,
      title: "Go to the best graph, the result",
      on: { click: () => this.player.jump(stepOf(this.data, this.data.best ?? 0)) },
    },
    "the best",
  );
  truthBox = h("input", {
    type: "checkbox",
    checked: true,
    on: { change: () => this.setComparing(this.truthBox.checked) },
  });
  truthSwitch = h("label", { class: "check", hidden: true }, this.truthBox, "compare with the truth");

  constructor(/** @type {HTMLElement} */ root, /** @type {Send} */ send) {
    this.root = root;
    this.send = send;
    this.network = new NetworkView({
      label: "The graph at this step",
      onNode: (i) => this.picker.node(i),
      onEdge: (i, j) => this.picker.edge(i, j),
      onBackground: () => this.picker.cancel(),
    });
    this.network.setClickable({ edges: false });
    // Predicted is a flip, and picked as an edge is edited.
    this.picker = new EdgeEditor(this.network, (pair) => this.predict.answer(pair));
    this.predict = new Predict({
      root,
      send,
      onChange: () => this.show(this.player.step),
      pickAt: () => this.network.svg.querySelector('[tabindex="0"]'),
    });
    const onJump = (/** @type {number} */ step) => this.player.jump(step);
    this.chart = new ScoreChart({
      label: "Score by step",
      onJump,
      onHover: (step, event) => this.tell(step, event),
    });
    this.flips = new FlipsTable({ onJump });
    this.lowest = new LowestTable({ onHover: (pair) => this.point(pair) });
    this.settling = new Settling(
      () => (this.data?.report && !this.player.playing ? this.player.step : null),
      (step) => this.send.state("settled", { id: this.data.id, step }),
    );
    this.projector = new Projector(root, () => {}, true);
    this.buildPlayer();
    this.build();
    this.tooltip = new Tooltip(root);
  }

  buildPlayer() {
    this.player = new Player({
      root: this.root,
      speed: 2,
      label: (step) => this.label(step),
      onStep: (step) => this.show(step),
      onPlaying: () => this.settling.soon(),
      projector: this.projector,
      predict: this.predict,
      extras: [this.bestButton],
    });
  }

  build() {
    const save = (/** @type {string} */ what, /** @type {NetworkView | ScoreChart} */ view) =>
      exportMenu(this, view.svg, () => [this.data.method, what, "step", this.player.step]);
    this.graphCard = card(
      "graph",
      "Start",
      [save("graph", this.network)],
      this.picker.hint,
      this.network.element,
      h("div", { class: "footer" }, h("div", {}, this.graphLegend, this.truthSwitch), this.network.controls),
    );
    this.chartCard = card(
      "score",
      "Score by step",
      [this.chart.plot.scaleButton, save("score", this.chart)],
      this.chart.element,
      this.figures.element,
    );
    this.flipsCard = card("flips", "Flips", [], this.flips.element);
    this.lowestCard = card("lowest", "Lowest local contributions now", [], this.lowest.element);
    setText(this.lowestCard.sub, "· the first is the next proposal");
    this.root.append(
      h(
        "div",
        { class: "stage" },
        h("div", { class: "pair-grid" }, this.graphCard.element, this.chartCard.element),
        this.player.element,
      ),
      h("div", { class: "pair-grid" }, this.flipsCard.element, this.lowestCard.element),
    );
  }

  setComparing(/** @type {boolean} */ comparing) {
    this.comparing = comparing;
    this.show(this.player.step);
  }

  update(/** @type {Climb} */ data) {
    const themeKey = JSON.stringify(this.theme);
    if (data === this.data && themeKey === this.themeKey) return;
    this.themeKey = themeKey;
    const before = this.data;
    // A search that was cancelled and begun anew has the same id, and fewer steps.
    const fresh = !before || data.id !== before.id || data.made < before.made;
    // A long walk is shown anew whenever its steps come to stand for more flips.
    const anew = fresh || data.series !== before.series || data.steps.length < before.steps.length;
    // Only a live run is followed: once it has ended, a step stays where one put it.
    const following = !fresh && before.running && this.player.step === this.player.last;
    const stood = anew && !fresh ? flipNumber(before, this.player.step) : null;
    this.data = data;
    if (anew) this.renew(data);
    this.history.extend(data.steps);
    this.network.setGraph({ ...data, clear_of: this.history.inTheWay });
    this.flips.setData(data, anew);
    this.predict.use(new ClimbQuestions(data), anew, data.predict);
    this.showChart(data);
    // Searches that do not choose by local contributions have none to show.
    this.lowestCard.element.hidden = (data.steps.length > 0 || !data.running) &&
      ![...data.steps, data.rejected].some((step) => step?.lowest?.length);
    setText(this.chartCard.heading, `${data.score_name} by step`);
    this.player.live = data.running;
    const last = data.steps.length + (data.rejected ? 1 : 0);
    // A live run is followed from its first step on; else one stands where one was.
    const end = stepOf(data, data.best ?? data.made);
    if (fresh) this.player.step = Math.min(data.initial_step ?? (data.running ? last : end), last);
    else if (stood !== null) this.player.step = stepOf(data, stood);
    if (fresh) this.settling.told = this.player.step;
    const widest = fixed(data.made, 0);
    this.player.setLast(last, `step ${widest} of ${widest}`);
    if (following && !this.player.playing) {
      // A link may ask for a step of a climb that had to run first.
      this.player.show(data.running ? last : Math.min(data.asked ?? end, last));
    }
    this.show(this.player.step);
  }

  showChart(/** @type {Climb} */ { look, start, steps, rejected, best, made }) {
    const thinned = steps.length > 0 && steps[0].others !== undefined;
    this.chart.setLook(look);
    this.chart.setData([start.score, ...steps.map((step) => step.score)], rejected?.score ?? null, {
      at: thinned ? [0, ...steps.map((step) => step.at ?? 0)] : null,
      best: this.wanders ? stepOf({ steps }, best ?? made) : null,
    });
    this.bestButton.hidden = !this.wanders;
    setText(this.flipsCard.sub, thinned ? `· ${count(steps.length, "step")} of ${count(made, "flip")}` : "");
  }

  /** Whether the search went on after the graph that it ends with. */
  get wanders() {
    return this.data.best !== null && this.data.best < this.data.made;
  }

  renew(/** @type {Climb} */ data) {
    this.history = new History(data.start);
    this.truth = data.truth && byKey(data.truth);
    this.truthSwitch.hidden = !this.truth;
  }

  /** The step shown: a flip made, the proposal that was rejected, or null at the start. */
  stepData(/** @type {number} */ step) {
    return step === 0 ? null : (this.data.steps[step - 1] ?? this.data.rejected);
  }

  label(/** @type {number} */ step) {
    if (!this.data) return "";
    if (step > this.data.steps.length) return "rejected proposal";
    return `step ${fixed(flipNumber(this.data, step), 0)} of ${fixed(this.data.made, 0)}`;
  }

  show(/** @type {number} */ step) {
    this.player.show(step);
    const { data } = this;
    const edges = this.history.go(step);
    const now = this.stepData(step);
    this.pick();
    this.showGraph(step, now, edges);
    this.showHeading(step, now);
    const counts = this.truth ? compare(edges, this.truth) : null;
    this.figures.show(data, step, edges, counts, this.truth?.size);
    this.chart.setStep(step);
    this.flips.setStep(step);
    const asking = this.predict.question !== null;
    const lowest = asking ? candidates(this.nextLowest(step)) : this.nextLowest(step);
    // What a live run proposes next is known only once it has.
    this.lowest.show(data.names, lowest, data.running ? "" : "No further proposal.");
    const rejected = step > data.steps.length;
    setText(this.lowestCard.heading, `${data.queue}${rejected ? "" : " now"}`);
    const first = rejected ? "· the first was rejected" : "· the first is the next proposal";
    setText(this.lowestCard.sub, !lowest ? "" : asking ? "· in column order, while you predict" : first);
    this.settling.soon();
  }

  /** Pairs can be picked while the next one is asked for. */
  pick() {
    const asking = this.predict.question !== null;
    if (asking === this.picker.editing) this.picker.cancel();
    else {
      this.picker.setEditing(asking);
      this.network.setClickable({ edges: asking });
    }
  }

  nextLowest(/** @type {number} */ step) {
    const next = this.data.steps[Math.min(step, this.data.steps.length)] ?? this.data.rejected;
    return next?.lowest?.length ? next.lowest : null;
  }

  showGraph(/** @type {number} */ step, /** @type {Flip | null} */ now, /** @type {Edges} */ edges) {
    const rejected = step > this.data.steps.length;
    const truth = this.comparing ? this.truth : null;
    this.network.setEdges(drawnEdges(edges, now && !rejected ? now.edge : null, truth));
    const { order, degree } = this.psi(step, edges);
    this.network.setBadges(ranks(order), degree);
    const asking = this.predict.question !== null;
    const next = asking ? undefined : this.nextLowest(step)?.[0];
    this.showProposal(rejected ? this.data.rejected?.edge : next, edges);
    this.showLegend(truth ? compare(edges, truth) : null, rejected);
  }

  /** ψ as the trace gives it; where it leaves it out, by degree and index. */
  psi(/** @type {number} */ step, /** @type {Edges} */ edges) {
    const { data } = this;
    const given = step === 0 ? data.start : data.steps[Math.min(step, data.steps.length) - 1];
    const found = degreeOrder(edges, data.names.length);
    return { degree: found.degree, order: given?.order ?? found.order };
  }

  showProposal(/** @type {[number, number, ...unknown[]] | undefined} */ pair, /** @type {Edges} */ edges) {
    if (!pair) {
      this.network.setLink(null);
      return;
    }
    const [i, j] = pair;
    this.network.setLink({ i, j, tone: "proposed", question: true, straight: edges.has(edgeKey(i, j)) });
  }

  showLegend(/** @type {ReturnType<typeof compare> | null} */ counts, /** @type {boolean} */ rejected) {
    const items = legendItems(counts, rejected, rejected || !this.lowestCard.element.hidden);
    const key = items.map((item) => item.text).join();
    if (key === this.legendKey) return;
    this.legendKey = key;
    this.graphLegend.replaceChildren(legend(items));
  }

  showHeading(/** @type {number} */ step, /** @type {Flip | null} */ now) {
    setText(this.graphCard.heading, title(this.data, step));
    setText(this.graphCard.sub, `· ${sentence(this.data, this.history, step, now)}`);
  }

  tell(/** @type {number | null} */ step, /** @type {PointerEvent} */ event) {
    if (step === null || this.predict.hides(step)) {
      this.tooltip.hide();
      return;
    }
    const what = brief(this.data, step, this.stepData(step));
    this.tooltip.show(event, `${what} · ${this.data.score_name} ${this.chart.text(step)}`);
  }

  point(/** @type {[number, number] | null} */ pair) {
    const roles = new Map(pair ? pair.map((i) => [i, "pick"]) : []);
    this.network.setRoles(roles);
  }

  destroy() {
    this.settling.stop();
    for (const part of [this.player, this.network, this.chart, this.projector]) part.destroy();
  }
}
