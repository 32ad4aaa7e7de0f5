/** Watch the climb: the graph as edges flip, the score, the flips, and what comes next. */

import { ScoreChart } from "../parts/chart.js";
import { ClimbGraph } from "../parts/climbgraph.js";
import { button, card, checkbox, h, legend, setText, toneMark } from "../parts/dom.js";
import { exportMenu } from "../parts/download.js";
import { EdgeEditor } from "../parts/editor.js";
import { count, fixed } from "../logic/format.js";
import { compare, drawnEdges } from "../logic/history.js";
import { Player } from "../parts/player.js";
import { candidates, ClimbQuestions } from "../logic/predict.js";
import { brief, flipNumber, legendItems, stepOf } from "../logic/story.js";
import { FlipsTable, LowestTable } from "../parts/tables.js";
import { Tooltip } from "../parts/popover.js";
/** @import { Send } from "../parts/place.js" */
/** @import { Theme } from "../parts/theme.js" */
/** @import { ClimbPayload as Climb } from "../payloads.d.ts" */

export default class ClimbView {
  /** @type {Theme} */ theme;
  /** @type {Climb} */ data;
  comparing = true;
  graphLegend = h("div");
  bestButton = button("tool.wide", {
    hidden: true,
    title: "Go to the best graph, the result",
    on: { click: () => this.player.jump(stepOf(this.data, this.data.best ?? 0)) },
    text: "the best",
  });
  truthBox = checkbox("compare with the truth", (comparing) => {
    this.comparing = comparing;
    this.show(this.player.step);
  }, { hidden: true });
  graph = new ClimbGraph({
    label: "The graph at this step",
    onNode: (i) => this.picker.node(i),
    onEdge: (i, j) => this.picker.edge(i, j),
    onBackground: () => this.picker.cancel(),
  });

  constructor(/** @type {HTMLElement} */ root, /** @type {Send} */ send) {
    this.root = root;
    this.truthBox.box.checked = true;
    const { network } = this.graph;
    network.setClickable({ edges: false });
    // Predicted is a flip, and picked as an edge is edited.
    const how = "Click the two nodes of a pair, or an edge, to predict it.";
    this.picker = new EdgeEditor(network, (pair) => this.predict.answer(pair), how);
    const onJump = (/** @type {number} */ step) => this.player.jump(step);
    const onHover = this.tell.bind(this);
    this.chart = new ScoreChart({ label: "Score by step", onJump, onHover });
    this.flips = new FlipsTable(onJump);
    this.lowest = new LowestTable((pair) => network.setRoles(new Map(pair?.map((i) => [i, "pick"]))));
    this.player = new Player({
      root,
      send,
      speed: 2,
      label: (step) => this.label(step),
      onStep: (step) => this.show(step),
      reports: () => Boolean(this.data?.report),
      onSettle: (step) => send.state("settled", { id: this.data.id, step }),
      pickAt: () => network.svg.querySelector('[tabindex="0"]'),
      extras: [this.bestButton],
    });
    this.predict = this.player.predict;
    const below = h("div", this.graphLegend, this.truthBox.label);
    const graph = this.graph.build(this, "graph", this.picker.hint, below);
    const { svg, scaleButton, element } = this.chart;
    const save = exportMenu(this, svg, () => [this.data.method, "score", "step", this.player.step]);
    this.chartCard = card("score", "Score by step", [scaleButton, save], element, this.graph.figures);
    this.flipsCard = card("flips", "Flips", [], this.flips.element);
    this.lowestCard = card("lowest", "Lowest local contributions now", [], this.lowest.element);
    root.append(
      h("div.stage", h("div.pair-grid", graph, this.chartCard.element), this.player.element),
      h("div.pair-grid", this.flipsCard.element, this.lowestCard.element),
    );
    this.tooltip = new Tooltip(root);
  }

  update(/** @type {Climb} */ data) {
    const before = this.data;
    // A search that was cancelled and begun anew has the same id, and fewer steps.
    const fresh = !before || data.id !== before.id || data.made < before.made;
    // A long walk is shown anew whenever its steps come to stand for more flips.
    const anew = fresh || data.series !== before.series || data.steps.length < before.steps.length;
    // Only a live run is followed: once it has ended, a step stays where one put it.
    const following = !fresh && before.running && this.player.step === this.player.last;
    const stood = anew && !fresh ? flipNumber(before, this.player.step) : null;
    this.data = data;
    const { graph } = this;
    graph.setData(data, anew, "flips", data.truth);
    this.truthBox.label.hidden = !graph.truth;
    graph.network.setGraph({ ...data, clear_of: graph.history.inTheWay });
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
    if (fresh) this.player.begin(Math.min(data.initial_step ?? (data.running ? last : end), last));
    else if (stood !== null) this.player.step = stepOf(data, stood);
    const widest = fixed(data.made, 0);
    this.player.setLast(last, `step ${widest} of ${widest}`);
    if (following && !this.player.playing) {
      // A link may ask for a step of a climb that had to run first.
      this.player.show(data.running ? last : Math.min(data.asked ?? end, last));
    }
    this.show(this.player.step);
  }

  showChart(/** @type {Climb} */ { look, steps, rejected, best, made }) {
    const thinned = steps.length > 0 && steps[0].others !== undefined;
    this.chart.setLooks([look]);
    this.chart.setData([this.graph.scores], this.graph.places, {
      rejected: rejected?.score ?? null,
      best: this.wanders ? stepOf({ steps }, best ?? made) : null,
      wide: thinned,
    });
    this.bestButton.hidden = !this.wanders;
    setText(this.flipsCard.sub, thinned ? `· ${count(steps.length, "step")} of ${count(made, "flip")}` : "");
  }

  /** Whether the search went on after the graph that it ends with. */
  get wanders() {
    return this.data.best !== null && this.data.best < this.data.made;
  }

  label(/** @type {number} */ step) {
    if (!this.data) return "";
    if (step > this.data.steps.length) return "rejected proposal";
    return `step ${fixed(flipNumber(this.data, step), 0)} of ${fixed(this.data.made, 0)}`;
  }

  show(/** @type {number} */ step) {
    const { data, graph, player } = this;
    player.show(step);
    graph.go(graph.places[step]);
    const asking = this.predict.question !== null;
    this.pick(asking);
    const rejected = graph.isRejected;
    const { lowest = [] } = data.steps[Math.min(step, data.steps.length)] ?? data.rejected ?? {};
    const truth = this.comparing ? graph.truth : null;
    const next = asking ? undefined : lowest[0];
    graph.show(drawnEdges(graph.edges, graph.flip, truth), rejected ? data.rejected?.edge : next);
    const counts = truth && compare(graph.edges, truth);
    const proposes = rejected || !this.lowestCard.element.hidden;
    const items = legendItems(counts, rejected, proposes);
    this.graphLegend.replaceChildren(legend(items.map(([tone, text]) => ({ mark: toneMark(tone), text }))));
    this.chart.setStep(step);
    this.flips.setStep(step);
    // What a live run proposes next is known only once it has.
    const none = data.running ? "" : "No further proposal.";
    this.lowest.show(data.names, asking ? candidates(lowest) : lowest, none);
    setText(this.lowestCard.heading, `${data.queue}${rejected ? "" : " now"}`);
    const first = rejected ? "· the first was rejected" : "· the first is the next proposal";
    const order = asking ? "· in column order, while you predict" : first;
    setText(this.lowestCard.sub, lowest.length ? order : "");
  }

  /** Pairs can be picked while the next one is asked for. */
  pick(/** @type {boolean} */ asking) {
    if (asking === this.picker.editing) this.picker.cancel();
    else {
      this.picker.setEditing(asking);
      this.graph.network.setClickable({ edges: asking });
    }
  }

  tell(/** @type {number | null} */ step, /** @type {PointerEvent} */ event) {
    if (step === null || this.predict.hides(step)) return this.tooltip.hide();
    const what = brief(this.data, step, this.graph.stepData(step));
    this.tooltip.show(event, `${what} · ${this.data.score_name} ${this.chart.text(step)}`);
  }

  destroy() {
    this.player.destroy();
  }
}
