/** Watch the climb: the graph as edges flip, the score, the flips, and what comes next. */

import { ScoreChart, scaleSwitch } from "./chart.js";
import { button, card, h, legend, setText } from "./dom.js";
import { drawing, exportMenu } from "./download.js";
import { edgeKey } from "./drawing.js";
import { count, fixed, scoreDigits, short, signed } from "./format.js";
import { compare, degreeOrder, History } from "./history.js";
import { mount } from "./mount.js";
import { NetworkView } from "./network.js";
import { Player } from "./player.js";
import { FlipsTable, LowestTable, Metric, pairName } from "./tables.js";
import { css } from "./theme.js";
import { Tooltip } from "./tooltip.js";

const SETTLE = 250;

class ClimbView {
  constructor(root, send) {
    Object.assign(this, { root, send, comparing: true });
    this.network = new NetworkView({ label: "The graph at this step" });
    this.chart = new ScoreChart({ label: "Score by step", onJump: (step) => this.player.jump(step), onHover: (step, event) => this.tell(step, event) });
    this.flips = new FlipsTable({ onJump: (step) => this.player.jump(step) });
    this.lowest = new LowestTable({ onHover: (pair) => this.point(pair) });
    this.loopBox = h("input", { type: "checkbox", on: { change: () => { this.player.loop = this.loopBox.checked; } } });
    this.liveButton = button({ class: "tool wide live", hidden: true, title: "Follow the run", on: { click: () => this.player.jump(this.player.last) } }, "● live");
    this.player = new Player({ root, speed: 2, label: (step) => this.label(step), onStep: (step) => this.show(step), onPlaying: () => this.settleSoon(),
      extras: [this.liveButton, h("label", { class: "check" }, this.loopBox, "loop")] });
    this.build();
    this.tooltip = new Tooltip(root);
  }

  build() {
    const save = (what, view) => exportMenu(() => drawing(view.svg, css(this.theme.paper)), () => `${what}-step-${this.player.step}`, () => this.theme.font);
    this.truthBox = h("input", { type: "checkbox", checked: true, on: { change: () => { this.comparing = this.truthBox.checked; this.show(this.player.step); } } });
    this.truthSwitch = h("label", { class: "check", hidden: true }, this.truthBox, "compare with the truth");
    this.graphCard = card("graph", "Start", [save("graph", this.network)], this.network.element,
      h("div", { class: "footer" }, h("div", {}, this.graphLegend = h("div"), this.truthSwitch), this.network.controls));
    this.metrics = Object.fromEntries(["score", "edges", "hamming", "tp", "fp", "fn", "stop"].map((name) => [name, new Metric(name)]));
    this.scale = scaleSwitch(this.chart);
    this.chartCard = card("score", "Score by step", [this.scale, save("score", this.chart)], this.chart.element,
      h("div", { class: "metrics" }, Object.values(this.metrics).map((metric) => metric.element)));
    this.flipsCard = card("flips", "Flips", [], this.flips.element);
    this.lowestCard = card("lowest", "Lowest local contributions now", [], this.lowest.element);
    setText(this.lowestCard.sub, "· the first is the next proposal");
    this.root.append(h("div", { class: "pair-grid" }, this.graphCard.element, this.chartCard.element), this.player.element,
      h("div", { class: "pair-grid" }, this.flipsCard.element, this.lowestCard.element));
  }

  update(data) {
    const themeKey = JSON.stringify(this.theme);
    if (data === this.data && themeKey === this.themeKey) return;
    this.themeKey = themeKey;
    const fresh = !this.data || data.id !== this.data.id;
    const following = !fresh && this.player.step === this.player.last;
    this.data = data;
    if (fresh) this.renew(data);
    this.history.extend(data.steps);
    this.network.setGraph({ ...data, clear_of: [...this.history.latest.values()] });
    this.flips.setData(data, fresh);
    this.chart.setData([data.start.score, ...data.steps.map((step) => step.score)], data.rejected?.score ?? null);
    this.scale.hidden = !this.chart.canLog;
    // Searches that do not choose by local contributions have none to show.
    this.lowestCard.element.hidden = data.steps.length > 0 && ![...data.steps, data.rejected].some((step) => step?.lowest?.length);
    setText(this.chartCard.heading, `${data.score_name} by step`);
    this.player.waiting = data.running;
    const last = data.steps.length + (data.rejected ? 1 : 0);
    if (fresh) this.player.step = Math.min(data.initial_step ?? data.steps.length, last);
    if (fresh) this.settled = this.player.step;
    this.player.setLast(last, `step ${last} of ${last}`);
    if (following && !this.player.playing) this.player.show(data.running ? last : data.steps.length);
    this.show(this.player.step);
  }

  renew(data) {
    this.history = new History(data.start);
    this.truth = data.truth ? new Map(data.truth.map(([i, j]) => [edgeKey(i, j), [i, j]])) : null;
    this.truthSwitch.hidden = !this.truth;
    for (const name of ["hamming", "tp", "fp", "fn"]) this.metrics[name].element.hidden = !this.truth;
  }

  /** The step shown: a flip made, the proposal that was rejected, or null at the start. */
  stepData(step) {
    return step === 0 ? null : this.data.steps[step - 1] ?? this.data.rejected;
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
    this.showNumbers(step, now, edges);
    this.chart.setStep(step);
    this.flips.setStep(step);
    this.lowest.show(data.names, this.nextLowest(step));
    setText(this.lowestCard.heading, step > data.steps.length ? "Lowest local contributions" : "Lowest local contributions now");
    setText(this.lowestCard.sub, step > data.steps.length ? "· the first was rejected" : "· the first is the next proposal");
    this.liveButton.hidden = !data.running;
    this.liveButton.setAttribute("aria-pressed", String(step === this.player.last));
    this.settleSoon();
  }

  nextLowest(step) {
    const next = this.data.steps[Math.min(step, this.data.steps.length)] ?? this.data.rejected;
    return next?.lowest?.length ? next.lowest : null;
  }

  showGraph(step, now, edges) {
    const { data, network } = this;
    const comparing = this.truth && this.comparing;
    const drawn = [];
    const flipped = now && step <= data.steps.length ? edgeKey(...now.edge) : null;
    for (const [key, [i, j]] of edges) {
      const base = comparing ? (this.truth.has(key) ? "tp" : "fp") : "plain";
      drawn.push({ i, j, tone: key === flipped ? (comparing ? `${base} added` : "added") : base });
    }
    if (comparing) for (const [key, [i, j]] of this.truth) if (!edges.has(key) && key !== flipped) drawn.push({ i, j, tone: "missing" });
    if (flipped && !edges.has(flipped)) drawn.push({ i: now.edge[0], j: now.edge[1], tone: "removed" });
    network.setEdges(drawn);
    const { order, degree } = this.psi(step, edges);
    if (order) {
      const rank = [];
      order.forEach((variable, k) => { rank[variable] = k; });
      network.setBadges(rank, degree);
    }
    this.showProposal(step, edges);
    this.showLegend(comparing, edges, step > data.steps.length);
  }

  /** ψ as the trace gives it; where it leaves it out, by degree and index. */
  psi(step, edges) {
    const { data } = this;
    const given = step === 0 ? data.start : data.steps[Math.min(step, data.steps.length) - 1];
    const found = degreeOrder(edges, data.names.length);
    return { degree: found.degree, order: given?.order ?? found.order };
  }

  showProposal(step, edges) {
    const rejected = step > this.data.steps.length;
    const first = this.nextLowest(step)?.[0];
    const pair = rejected ? this.data.rejected.edge : first;
    this.network.setLink(pair ? { i: pair[0], j: pair[1], tone: "proposed", question: true, straight: edges.has(edgeKey(pair[0], pair[1])) } : null);
  }

  showLegend(comparing, edges, rejected) {
    const counts = comparing ? compare(edges, this.truth) : null;
    const items = counts ? [{ mark: "line-tp", text: `${counts.tp} true positive` }, { mark: "line-fp", text: `${counts.fp} false positive` }, { mark: "line-missing", text: `${counts.fn} missing` }]
      : [{ mark: "line-plain", text: "edge" }, { mark: "line-added", text: "added in this step" }];
    items.push({ mark: "line-removed", text: "removed in this step" }, { mark: "line-proposed", text: rejected ? "rejected proposal" : "next proposal" });
    const key = items.map((item) => item.text).join();
    if (key === this.legendKey) return;
    this.legendKey = key;
    this.graphLegend.replaceChildren(legend(items));
  }

  showHeading(step, now) {
    const { heading, sub } = this.graphCard;
    setText(heading, step === 0 ? "Start" : step > this.data.steps.length ? "Rejected" : `Step ${step} of ${this.data.steps.length}`);
    setText(sub, `· ${this.sentence(step, now)}`);
  }

  sentence(step, now) {
    const { data } = this;
    if (!now) return data.start.edges.length ? `a graph of ${count(data.start.edges.length, "edge")}` : "the empty graph";
    const name = pairName(data.names, now.edge, 40);
    if (step > data.steps.length) return `${now.added ? "adding" : "removing"} ${name} would change the score by ${signed(now.gain)}`;
    const earlier = this.history.earlier(step);
    const before = earlier ? `, ${data.steps[earlier - 1].added ? "added" : "removed"} at step ${earlier}` : "";
    return `${now.added ? "adds" : "removes"} ${name}${before}`;
  }

  showNumbers(step, now, edges) {
    const { metrics, data } = this;
    const made = Math.min(step, data.steps.length);
    const score = made === 0 ? data.start.score : data.steps[made - 1].score;
    metrics.score.set(fixed(score, scoreDigits(score)), data.score_name);
    const alone = this.isolated(edges);
    metrics.edges.set(count(edges.size, "edge"), alone);
    metrics.stop.element.hidden = !(data.stop && made === data.steps.length && !data.running);
    metrics.stop.set("stopped", data.stop ?? "");
    if (!this.truth) return;
    const counts = compare(edges, this.truth);
    metrics.hamming.set(String(counts.hamming), "Hamming distance");
    metrics.tp.set(String(counts.tp), `true positive, of ${this.truth.size}`);
    metrics.fp.set(String(counts.fp), "false positive");
    metrics.fn.set(String(counts.fn), "missing");
  }

  isolated(edges) {
    const { names } = this.data;
    const met = new Set([...edges.values()].flat());
    const alone = names.filter((_, i) => !met.has(i));
    if (alone.length === 0) return "no variable alone";
    return alone.length === 1 ? `${short(alone[0], 24)} stays alone` : `${alone.length} variables alone`;
  }

  tell(step, event) {
    if (step === null) {
      this.tooltip.hide();
      return;
    }
    const now = this.stepData(step);
    const what = step === 0 ? "start" : `${step > this.data.steps.length ? "rejected" : `step ${step}`}: ${now.added ? "+" : "−"} ${pairName(this.data.names, now.edge)}, ${signed(now.gain)}`;
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
