/** Watch the climb: the graph as edges flip, the score, the flips, and what comes next. */

import { ScoreChart, scaleSwitch } from "./chart.js";
import { button, card, h, legend, setText } from "./dom.js";
import { drawing, exportMenu, pictureName } from "./download.js";
import { edgeKey } from "./drawing.js";
import { ClimbFigures } from "./figures.js";
import { compare, degreeOrder, drawnEdges, History, ranks } from "./history.js";
import { mount } from "./mount.js";
import { NetworkView } from "./network.js";
import { Player } from "./player.js";
import { brief, legendItems, sentence, title } from "./story.js";
import { FlipsTable, LowestTable } from "./tables.js";
import { css } from "./theme.js";
import { Tooltip } from "./tooltip.js";

const SETTLE = 250;

class ClimbView {
  constructor(root, send) {
    Object.assign(this, { root, send, comparing: true });
    this.network = new NetworkView({ label: "The graph at this step" });
    const onJump = (step) => this.player.jump(step);
    this.chart = new ScoreChart({
      label: "Score by step",
      onJump,
      onHover: (step, event) => this.tell(step, event),
    });
    this.flips = new FlipsTable({ onJump });
    this.lowest = new LowestTable({ onHover: (pair) => this.point(pair) });
    this.buildPlayer();
    this.build();
    this.tooltip = new Tooltip(root);
  }

  buildPlayer() {
    const follow = () => this.player.jump(this.player.last);
    this.liveButton = button(
      { class: "tool wide live", hidden: true, title: "Follow the run", on: { click: follow } },
      "● live",
    );
    const loop = () => {
      this.player.loop = this.loopBox.checked;
    };
    this.loopBox = h("input", { type: "checkbox", on: { change: loop } });
    this.player = new Player({
      root: this.root,
      speed: 2,
      label: (step) => this.label(step),
      onStep: (step) => this.show(step),
      onPlaying: () => this.settleSoon(),
      extras: [this.liveButton, h("label", { class: "check" }, this.loopBox, "loop")],
    });
  }

  build() {
    const save = (what, view) =>
      exportMenu(
        () => drawing(view.svg, css(this.theme.paper)),
        () => pictureName(this.data, this.data.method, what, "step", this.player.step),
        () => this.theme.font,
      );
    this.truthBox = h("input", {
      type: "checkbox",
      checked: true,
      on: { change: () => this.setComparing(this.truthBox.checked) },
    });
    this.truthSwitch = h("label", { class: "check", hidden: true }, this.truthBox, "compare with the truth");
    this.graphCard = card(
      "graph",
      "Start",
      [save("graph", this.network)],
      this.network.element,
      h(
        "div",
        { class: "footer" },
        h("div", {}, (this.graphLegend = h("div")), this.truthSwitch),
        this.network.controls,
      ),
    );
    this.figures = new ClimbFigures();
    this.scale = scaleSwitch(this.chart);
    this.chartCard = card(
      "score",
      "Score by step",
      [this.scale, save("score", this.chart)],
      this.chart.element,
      this.figures.element,
    );
    this.flipsCard = card("flips", "Flips", [], this.flips.element);
    this.lowestCard = card("lowest", "Lowest local contributions now", [], this.lowest.element);
    setText(this.lowestCard.sub, "· the first is the next proposal");
    this.root.append(
      h("div", { class: "pair-grid" }, this.graphCard.element, this.chartCard.element),
      this.player.element,
      h("div", { class: "pair-grid" }, this.flipsCard.element, this.lowestCard.element),
    );
  }

  setComparing(comparing) {
    this.comparing = comparing;
    this.show(this.player.step);
  }

  update(data) {
    const themeKey = JSON.stringify(this.theme);
    if (data === this.data && themeKey === this.themeKey) return;
    this.themeKey = themeKey;
    // A search that was cancelled and begun anew has the same id, and fewer steps.
    const fresh = !this.data || data.id !== this.data.id || data.steps.length < this.data.steps.length;
    // Only a live run is followed: once it has ended, a step stays where one put it.
    const following = !fresh && this.data.running && this.player.step === this.player.last;
    this.data = data;
    if (fresh) this.renew(data);
    this.history.extend(data.steps);
    this.network.setGraph({ ...data, clear_of: [...this.history.latest.values()] });
    this.flips.setData(data, fresh);
    this.chart.setData(
      [data.start.score, ...data.steps.map((step) => step.score)],
      data.rejected?.score ?? null,
    );
    this.scale.hidden = !this.chart.canLog;
    // Searches that do not choose by local contributions have none to show.
    this.lowestCard.element.hidden =
      data.steps.length > 0 && ![...data.steps, data.rejected].some((step) => step?.lowest?.length);
    setText(this.chartCard.heading, `${data.score_name} by step`);
    this.player.waiting = data.running;
    const last = data.steps.length + (data.rejected ? 1 : 0);
    // A live run is followed from its first step on; else one stands where one was.
    if (fresh) this.player.step = Math.min(data.initial_step ?? last, last);
    if (fresh) this.settled = this.player.step;
    this.player.setLast(last, `step ${last} of ${last}`);
    if (following && !this.player.playing) this.player.show(data.running ? last : data.steps.length);
    this.show(this.player.step);
  }

  renew(data) {
    this.history = new History(data.start);
    this.truth = data.truth ? new Map(data.truth.map(([i, j]) => [edgeKey(i, j), [i, j]])) : null;
    this.truthSwitch.hidden = !this.truth;
  }

  /** The step shown: a flip made, the proposal that was rejected, or null at the start. */
  stepData(step) {
    return step === 0 ? null : (this.data.steps[step - 1] ?? this.data.rejected);
  }

  label(step) {
    if (!this.data) return "";
    const made = this.data.steps.length;
    if (step > made) return "rejected proposal";
    return `step ${step} of ${made}`;
  }

  show(step) {
    this.player.show(step);
    const { data } = this;
    const edges = this.history.go(step);
    const now = this.stepData(step);
    this.showGraph(step, now, edges);
    this.showHeading(step, now);
    const counts = this.truth ? compare(edges, this.truth) : null;
    this.figures.show(data, step, edges, counts, this.truth?.size);
    this.chart.setStep(step);
    this.flips.setStep(step);
    this.lowest.show(data.names, this.nextLowest(step));
    const rejected = step > data.steps.length;
    setText(this.lowestCard.heading, `Lowest local contributions${rejected ? "" : " now"}`);
    setText(this.lowestCard.sub, rejected ? "· the first was rejected" : "· the first is the next proposal");
    this.liveButton.hidden = !data.running;
    this.liveButton.setAttribute("aria-pressed", String(step === this.player.last));
    this.settleSoon();
  }

  nextLowest(step) {
    const next = this.data.steps[Math.min(step, this.data.steps.length)] ?? this.data.rejected;
    return next?.lowest?.length ? next.lowest : null;
  }

  showGraph(step, now, edges) {
    const rejected = step > this.data.steps.length;
    const truth = this.comparing ? this.truth : null;
    this.network.setEdges(drawnEdges(edges, now && !rejected ? now.edge : null, truth));
    const { order, degree } = this.psi(step, edges);
    this.network.setBadges(ranks(order), degree);
    this.showProposal(rejected ? this.data.rejected.edge : this.nextLowest(step)?.[0], edges);
    this.showLegend(truth ? compare(edges, truth) : null, rejected);
  }

  /** ψ as the trace gives it; where it leaves it out, by degree and index. */
  psi(step, edges) {
    const { data } = this;
    const given = step === 0 ? data.start : data.steps[Math.min(step, data.steps.length) - 1];
    const found = degreeOrder(edges, data.names.length);
    return { degree: found.degree, order: given?.order ?? found.order };
  }

  showProposal(pair, edges) {
    if (!pair) {
      this.network.setLink(null);
      return;
    }
    const [i, j] = pair;
    this.network.setLink({ i, j, tone: "proposed", question: true, straight: edges.has(edgeKey(i, j)) });
  }

  showLegend(counts, rejected) {
    const items = legendItems(counts, rejected);
    const key = items.map((item) => item.text).join();
    if (key === this.legendKey) return;
    this.legendKey = key;
    this.graphLegend.replaceChildren(legend(items));
  }

  showHeading(step, now) {
    setText(this.graphCard.heading, title(this.data, step));
    setText(this.graphCard.sub, `· ${sentence(this.data, this.history, step, now)}`);
  }

  tell(step, event) {
    if (step === null) {
      this.tooltip.hide();
      return;
    }
    const what = brief(this.data, step, this.stepData(step));
    this.tooltip.show(event, `${what} · ${this.data.score_name} ${this.chart.text(step)}`);
  }

  point(pair) {
    const roles = new Map(pair ? pair.map((i) => [i, "pick"]) : []);
    this.network.setRoles(roles);
  }

  settleSoon() {
    clearTimeout(this.timer);
    if (!this.data?.report || this.player.playing) return;
    this.timer = setTimeout(() => {
      if (this.player.step === this.settled) return;
      this.settled = this.player.step;
      this.send.state("settled", { id: this.data.id, step: this.settled });
    }, SETTLE);
  }

  destroy() {
    clearTimeout(this.timer);
    for (const part of [this.player, this.network, this.chart]) part.destroy();
  }
}

export default mount("climb", ClimbView);
