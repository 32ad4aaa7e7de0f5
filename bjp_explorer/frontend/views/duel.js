/** Two climbs on the same data, in step: one player, one timeline, two graphs on one layout. */

import { card, h, legend, setText } from "../parts/dom.js";
import { exportMenu } from "../parts/download.js";
import { DuelChart } from "../parts/duelchart.js";
import { fixed, scoreDigits } from "../logic/format.js";
import { byKey } from "../logic/pairs.js";
import { Scene } from "../parts/layout.js";
import { Player } from "../parts/player.js";
import { DuelQuestions } from "../logic/predict.js";
import { Predict } from "../parts/predict.js";
import { Projector } from "../parts/projector.js";
import { Settling } from "../logic/settling.js";
import { Side } from "../parts/side.js";
import { nearest, stateAt, union } from "../logic/timeline.js";
import { Tooltip } from "../parts/tooltip.js";

/** @import { Send } from "../parts/place.js" */
/** @import { Theme } from "../parts/theme.js" */
/** @import { DuelPayload as Duel } from "../payloads.d.ts" */

const BETWEEN = [
  ["both", "in both graphs"],
  ["only", "only in this one"],
  ["missing", "only in the other"],
  ["added", "added in this step"],
  ["removed", "removed in this step"],
  ["proposed", "next proposal"],
];
const AGAINST = [
  ["tp", "true positive"],
  ["fp", "false positive"],
  ["missing", "missing"],
  ["removed", "removed in this step"],
  ["proposed", "next proposal"],
];

export default class DuelView {
  /** @type {Theme} */ theme;
  /** @type {Duel} */ data;
  /** @type {Player} */ player;
  /** @type {number[]} the places of the common timeline at which one of the climbs changes */ ticks = [0];
  comparing = false;
  /** @type {(ReturnType<typeof card> & { legend: HTMLElement })[]} */ chartCards;
  graphLegend = h("div");
  themeKey = "";
  truthBox = h("input", {
    type: "checkbox",
    on: {
      change: () => {
        this.comparing = this.truthBox.checked;
        this.showLegend();
        this.show(this.player.step);
      },
    },
  });
  truthSwitch = h("label", { class: "check", hidden: true }, this.truthBox, "compare with the truth");

  constructor(/** @type {HTMLElement} */ root, /** @type {Send} */ send) {
    this.root = root;
    this.send = send;
    this.scene = new Scene();
    this.sides = [new Side(this, "first"), new Side(this, "second")];
    this.charts = this.sides.map((_, k) => this.chart(k));
    this.settling = new Settling(
      () => (this.data?.report && !this.player.playing ? this.player.step : null),
      (step) => this.send.state("settled", { id: this.data.id, step }),
    );
    this.projector = new Projector(root, () => {}, true);
    this.predict = new Predict({ root, send, onChange: () => this.show(this.player.step) });
    this.buildPlayer();
    this.build();
    this.tooltip = new Tooltip(root);
  }

  chart(/** @type {number} */ k) {
    return new DuelChart({
      label: `Score of the ${this.sides[k].name} climb`,
      onJump: (step) => this.player.jump(step),
      onHover: (step, event) => this.tell(step, event),
      tick: (place) => nearest(this.ticks, place),
      place: (step) => this.ticks[step],
    });
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
    });
  }

  build() {
    const save = (/** @type {number} */ k) =>
      exportMenu(
        this,
        this.charts[k].svg,
        () => [this.sides[k].data.method, "score", "step", this.player.step],
      );
    this.chartCards = this.charts.map((chart, k) => {
      const made = card("score", "Score", [chart.plot.scaleButton, save(k)], chart.element);
      const key = h("div");
      made.element.append(key);
      return { ...made, legend: key };
    });
    this.root.append(
      h(
        "div",
        { class: "stage" },
        h(
          "div",
          { class: "duel-grid" },
          this.sides.map((side) => side.element),
          h("div", { class: "charts" }, this.chartCards.map((made) => made.element)),
        ),
        h("div", { class: "footer" }, this.graphLegend, this.truthSwitch),
        this.player.element,
      ),
    );
  }

  update(/** @type {Duel} */ data) {
    const themeKey = JSON.stringify(this.theme);
    if (data === this.data && themeKey === this.themeKey) return;
    this.themeKey = themeKey;
    const before = this.data;
    const fresh = !before || data.id !== before.id ||
      data.climbs.some((c, k) => c.made < before.climbs[k].made);
    const place = this.ticks[this.player.step] ?? 0;
    const following = !fresh && before.running && this.player.step === this.player.last;
    this.data = data;
    this.truthSwitch.hidden = !data.truth;
    this.sides.forEach((side, k) => side.update(data, data.climbs[k], fresh));
    const near = this.sides.flatMap((side) => side.history.inTheWay);
    const clear = [...byKey(near).values()];
    for (const side of this.sides) side.network.setGraph({ ...data, clear_of: clear });
    this.ticks = union(...this.sides.map((side) => side.places));
    this.predict.use(new DuelQuestions(data.climbs, this.ticks.length - 1), fresh, data.predict);
    this.showCharts();
    this.showLegend();
    this.place({ data, before, fresh, following, place });
  }

  /** Stand where one stood: at a step for new climbs, at a place for those that grew. */
  place(
    /** @type {{ data: Duel, before?: Duel, fresh: boolean, following: boolean, place: number }} */ {
      data,
      before,
      fresh,
      following,
      place,
    },
  ) {
    const last = this.ticks.length - 1;
    this.player.live = data.running;
    if (fresh) this.player.step = Math.min(data.initial_step ?? last, last);
    else this.player.step = following && !this.player.playing ? last : stateAt(this.ticks, place);
    if (before?.running && !data.running && typeof data.asked === "number") {
      this.player.step = Math.min(data.asked, last);
    }
    if (fresh) this.settling.told = this.player.step;
    this.player.setLast(last);
    this.show(this.player.step);
  }

  /** The same score: two lines on one axis. Different scores: two charts, each with its own axis. */
  showCharts() {
    const series = this.sides.map((side) => side.series());
    const span = this.ticks[this.ticks.length - 1];
    const names = this.sides.map((side) => side.data.score_name);
    const one = names[0] === names[1];
    const looks = this.sides.map((side) => side.data.look);
    for (const chart of this.charts) chart.setLooks(looks);
    const unit = this.data.by === "tests" ? "tests made" : "flip";
    this.chartCards[1].element.hidden = one;
    this.root.dataset.charts = one ? "1" : "2";
    this.charts[0].setSeries(one ? series : [series[0], null], span);
    if (!one) this.charts[1].setSeries([null, series[1]], span);
    this.chartCards.forEach((made, k) => {
      setText(made.heading, `${names[k]} by ${unit}`);
      const lines = one ? [0, 1] : [k];
      made.legend.replaceChildren(
        legend(
          lines.map((m) => ({
            mark: `line-score ${looks[m].score} ${looks[m].dash}`,
            text: this.sides[m].data.title ?? "",
          })),
        ),
      );
    });
  }

  showLegend() {
    const against = this.comparing && this.data.truth;
    const items = against ? AGAINST : BETWEEN;
    this.graphLegend.replaceChildren(legend(items.map(([tone, text]) => ({ mark: `line-${tone}`, text }))));
  }

  label(/** @type {number} */ step) {
    if (!this.data) return "";
    const byTests = this.data.by === "tests";
    const made = Math.max(...this.data.climbs.map((climb) => climb.made));
    if (!byTests && this.ticks[step] > made) return "rejected proposal";
    const end = byTests ? this.ticks[this.ticks.length - 1] : made;
    const unit = byTests ? "tests" : "flip";
    return `${unit} ${fixed(this.ticks[step] ?? end, 0)} of ${fixed(end, 0)}`;
  }

  show(/** @type {number} */ step) {
    this.player.show(step);
    for (const side of this.sides) side.go(this.ticks[step]);
    const [first, second] = this.sides;
    first.show(second.edges, this.comparing);
    second.show(first.edges, this.comparing);
    for (const chart of this.charts) chart.setStep(step);
    this.settling.soon();
  }

  tell(/** @type {number | null} */ step, /** @type {PointerEvent} */ event) {
    if (step === null) {
      this.tooltip.hide();
      return;
    }
    const place = this.ticks[step];
    const scores = this.sides.map((side) => {
      const score = side.scoreAt(place);
      return `${side.data.title}: ${fixed(score, scoreDigits(score))}`;
    });
    this.tooltip.show(event, `${this.label(step)} · ${scores.join(" · ")}`);
  }

  destroy() {
    this.settling.stop();
    for (const part of [this.player, this.projector, ...this.charts, ...this.sides]) part.destroy();
  }
}
