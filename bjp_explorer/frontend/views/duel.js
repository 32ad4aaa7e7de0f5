/** Two climbs on the same data, in step: one player, one timeline, two graphs on one layout. */

import { ScoreChart } from "../parts/chart.js";
import { ClimbGraph } from "../parts/climbgraph.js";
import { card, checkbox, h, legend, setText, svg, toneMark } from "../parts/dom.js";
import { exportMenu } from "../parts/download.js";
import { fixed, scoreDigits } from "../logic/format.js";
import { byKey, drawnEdges } from "../logic/history.js";
import { Scene } from "../parts/layout.js";
import { Player } from "../parts/player.js";
import { DuelQuestions } from "../logic/predict.js";
import { pairName } from "../logic/story.js";
import { stateAt, union } from "../logic/timeline.js";
import { Tooltip } from "../parts/popover.js";
/** @import { ClimbPayload, DuelPayload as Duel } from "../payloads.d.ts" */
/** @import { Send } from "../parts/place.js" */
/** @import { Theme } from "../parts/theme.js" */

const ALWAYS = [["removed", "removed in this step"], ["proposed", "next proposal"]];
const BETWEEN = [
  ["both", "in both graphs"],
  ["only", "only in this one"],
  ["missing", "only in the other"],
  ["added", "added in this step"],
  ...ALWAYS,
];
const AGAINST = [["tp", "true positive"], ["fp", "false positive"], ["missing", "missing"], ...ALWAYS];

/** One of the two climbs, with its sentence on the next proposal. */
class Side extends ClimbGraph {
  of = h("p.of");
  proposal = h("p.proposal");

  constructor(/** @type {DuelView} */ owner, /** @type {"first" | "second"} */ name) {
    super({ label: `The graph of the ${name} climb`, scene: owner.scene });
    this.name = name;
    this.element = this.build(owner, `graph side ${name}`, this.of, this.proposal, this.figures);
    this.element.dataset.side = name;
  }

  update(/** @type {Duel} */ duel, /** @type {ClimbPayload} */ data, /** @type {boolean} */ fresh) {
    const before = this.data;
    const anew = fresh || data.series !== before.series || data.steps.length < before.steps.length;
    this.setData(data, anew, duel.by, duel.truth);
    setText(this.of, data.title ?? "");
    this.element.setAttribute("aria-label", data.title ?? "");
  }

  /** Beside the other climb's graph, or compared with the truth. */
  compare(/** @type {Side} */ other, /** @type {boolean} */ comparing) {
    const { data, step, edges, flip, truth, isRejected } = this;
    this.element.dataset.step = String(step);
    const next = isRejected ? null : (data.steps[step] ?? data.rejected);
    const pair = isRejected ? data.rejected?.edge : next?.lowest?.[0];
    const drawn = comparing && truth
      ? drawnEdges(edges, flip, truth)
      : drawnEdges(edges, flip, other.edges, ["both", "only"]);
    this.show(drawn, pair);
    setText(this.proposal, this.propose(pair));
  }

  propose(/** @type {[number, number, unknown?, number?] | undefined} */ pair) {
    const { data, step, isRejected } = this;
    const ended = !data.running && step >= data.steps.length;
    if (!pair) return ended ? "No further proposal: this climb ends here." : "";
    const [i, j, , value] = pair;
    const name = pairName(data.names, [i, j], 40);
    const about = value === undefined ? "" : `, local contribution ${fixed(value, scoreDigits(value))}`;
    return isRejected ? `Rejected: ${name}. This climb ends here.` : `Next proposal: ${name}${about}`;
  }
}

export default class DuelView {
  /** @type {Theme} */ theme;
  /** @type {Duel} */ data;
  /** @type {number[]} the places of the common timeline at which one of the climbs changes */ ticks = [0];
  graphLegend = h("div");
  truthBox = checkbox("compare with the truth", () => {
    this.showLegend();
    this.show(this.player.step);
  }, { hidden: true });
  scene = new Scene();
  sides = [new Side(this, "first"), new Side(this, "second")];

  constructor(/** @type {HTMLElement} */ root, /** @type {Send} */ send) {
    this.root = root;
    this.charts = this.sides.map(({ name }, k) => this.chart(name, k));
    this.player = new Player({
      root,
      send,
      speed: 2,
      label: (step) => this.label(step),
      onStep: (step) => this.show(step),
      reports: () => Boolean(this.data?.report),
      onSettle: (step) => send.state("settled", { id: this.data.id, step, ended: step === this.player.last }),
    });
    root.append(
      h("div.stage", [
        h("div.duel-grid", [
          this.sides.map((side) => side.element),
          h("div.charts", this.charts.map((chart) => chart.card.element)),
        ]),
        h("div.footer", this.graphLegend, this.truthBox.label),
        this.player.element,
      ]),
    );
    this.tooltip = new Tooltip(root);
  }

  chart(/** @type {string} */ name, /** @type {number} */ k) {
    const chart = new ScoreChart({
      label: `Score of the ${name} climb`,
      onJump: (step) => this.player.jump(step),
      onHover: (step, event) => this.tell(step, event),
      lines: 2,
    });
    const parts = () => [this.sides[k].data.method, "score", "step", this.player.step];
    const save = exportMenu(this, chart.svg, parts);
    const key = h("div");
    const made = card("score", "Score", [chart.scaleButton, save], chart.element, key);
    return { chart, card: made, legend: key };
  }

  update(/** @type {Duel} */ data) {
    const before = this.data;
    const fresh = !before || data.id !== before.id ||
      data.climbs.some((c, k) => c.made < before.climbs[k].made);
    const place = this.ticks[this.player.step] ?? 0;
    const following = !fresh && before.running && this.player.step === this.player.last;
    this.data = data;
    this.truthBox.label.hidden = !data.truth;
    this.sides.forEach((side, k) => side.update(data, data.climbs[k], fresh));
    const near = this.sides.flatMap((side) => side.history.inTheWay);
    const clear = [...byKey(near).values()];
    for (const side of this.sides) side.network.setGraph({ ...data, clear_of: clear });
    this.ticks = union(...this.sides.map((side) => side.places));
    this.player.predict.use(new DuelQuestions(data.climbs, this.ticks.length - 1), fresh, data.predict);
    this.showCharts();
    this.showLegend();
    // Stand where one stood: at a step for new climbs, at a place for those that grew.
    const last = this.ticks.length - 1;
    this.player.live = data.running;
    if (fresh) this.player.begin(Math.min(data.initial_step ?? last, last));
    else this.player.step = following && !this.player.playing ? last : stateAt(this.ticks, place);
    if (before?.running && !data.running && typeof data.asked === "number") {
      this.player.step = Math.min(data.asked, last);
    }
    this.player.setLast(last);
    this.show(this.player.step);
  }

  /** The same score: two lines on one axis. Different scores: two charts, each with its own axis. */
  showCharts() {
    const scores = this.sides.map((side) => side.scores);
    const names = this.sides.map((side) => side.data.score_name);
    const one = names[0] === names[1];
    const looks = this.sides.map((side) => side.data.look);
    const unit = this.data.by === "tests" ? "tests made" : "flip";
    this.root.dataset.charts = one ? "1" : "2";
    this.charts.forEach(({ chart, card, legend: key }, k) => {
      const lines = one ? (k ? [] : [0, 1]) : [k];
      card.element.hidden = one && k === 1;
      setText(card.heading, `${names[k]} by ${unit}`);
      chart.setLooks(looks);
      chart.setData(scores.map((each, m) => lines.includes(m) ? each : null), this.ticks, { wide: true });
      const items = lines.map((m) => ({
        mark: svg("path.line", { d: "M1 6h24", "data-score": looks[m].score, "data-dash": looks[m].dash }),
        text: this.sides[m].data.title ?? "",
      }));
      key.replaceChildren(legend(items));
    });
  }

  showLegend() {
    const items = this.truthBox.box.checked && this.data.truth ? AGAINST : BETWEEN;
    this.graphLegend.replaceChildren(legend(items.map(([tone, text]) => ({ mark: toneMark(tone), text }))));
  }

  /** @returns {string} */
  label(/** @type {number} */ step) {
    if (!this.data) return "";
    const byTests = this.data.by === "tests";
    const made = Math.max(...this.data.climbs.map((climb) => climb.made));
    if (!byTests && this.ticks[step] > made) return "rejected proposal";
    const end = byTests ? this.ticks[this.ticks.length - 1] : made;
    const unit = byTests ? "tests" : "flip";
    const at = `${unit} ${fixed(this.ticks[step] ?? end, 0)}`;
    return this.player.predict.open(step) ? at : `${at} of ${fixed(end, 0)}`;
  }

  show(/** @type {number} */ step) {
    this.player.show(step);
    const { sides } = this;
    for (const side of sides) side.go(this.ticks[step]);
    sides.forEach((side, k) => side.compare(sides[1 - k], this.truthBox.box.checked));
    // What comes next would give the answer away.
    const asking = this.player.predict.question !== null;
    for (const { chart } of this.charts) chart.setStep(step, asking);
  }

  tell(/** @type {number | null} */ step, /** @type {PointerEvent} */ event) {
    const { question } = this.player.predict;
    if (step === null || (question && step > this.player.step)) return this.tooltip.hide();
    const told = this.sides.map(({ data, scores: { values, at } }) => {
      const score = values[stateAt(at, this.ticks[step])];
      return `${data.title}: ${fixed(score, scoreDigits(score))}`;
    });
    this.tooltip.show(event, `${this.label(step)} · ${told.join(" · ")}`);
  }

  destroy() {
    this.player.destroy();
  }
}
