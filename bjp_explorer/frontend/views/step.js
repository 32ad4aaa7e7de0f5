/** Step through the score: graph and matrix as one view, the player, and the numbers of the step. */

import { ChangeCard } from "../parts/change.js";
import { TestCounter } from "../parts/counter.js";
import { card, h, iconButton, legend, setAttr, setText } from "../parts/dom.js";
import { exportMenu } from "../parts/download.js";
import { EdgeEditor } from "../parts/editor.js";
import { count, fixed } from "../logic/format.js";
import { LeftAt } from "../logic/leftat.js";
import { LocalList } from "../parts/locals.js";
import { MatrixView } from "../parts/matrix.js";
import { NetworkView } from "../parts/network.js";
import { NumbersCard } from "../parts/numbers.js";
import { Player } from "../parts/player.js";
import { Predict } from "../parts/predict.js";
import { Projector } from "../parts/projector.js";
import { scaleLegend } from "../parts/scale.js";
import { Settling } from "../logic/settling.js";
import { StepQuestions } from "../logic/predict.js";
import { spotlight } from "../logic/spotlight.js";
import { Tooltip } from "../parts/tooltip.js";
import { Walk } from "../logic/walk.js";

const MOST_FLASHES = 600;
const LEGEND = [
  ["s", "skip inferred assertions, on or off"],
  ["e", "edit edges; then Tab to a node and Enter to select it"],
  ["x", "add or remove this pair's edge; press it again to undo"],
  ["Tab", "to the matrix: arrows move in it, Enter opens a test, + − 0 zoom"],
];

/** @typedef {import("../payloads.d.ts").StepPayload} Payload */
/** @typedef {import("../logic/walk.js").FullTerms} FullTerms */
/** @typedef {number | null} Term where null is none */

export default class StepView {
  /** @type {import("../parts/theme.js").Theme} */
  theme;
  /** @type {Payload & { terms: FullTerms }} */
  data;
  /** @type {Walk} */
  walk;
  /** @type {Player} */
  player;
  /** @type {ReturnType<typeof card>} */
  graphCard;
  /** @type {ReturnType<typeof card>} */
  matrixCard;
  skip = false;
  /** @type {Term} the term that is pointed at */
  hovered = null;
  /** @type {{ step: number, pair: [number, number] } | null} what x changed at this step */
  edited = null;
  /** @type {Payload} the last one, as it was sent */
  sent;
  /** The terms, as they were sent and read. */
  text = "";
  /** @type {FullTerms} */
  terms;
  themeKey = "";
  skipBox = h("input", { type: "checkbox", on: { change: () => this.setSkip(this.skipBox.checked) } });
  skipLabel = h(
    "label",
    { class: "check", title: "Pause only at computed tests (key s)" },
    this.skipBox,
    "skip inferred",
  );
  zoomTools = h(
    "span",
    { class: "tools", hidden: true },
    this.zoom("minus", "Smaller cells", 1 / 1.5),
    this.zoom("plus", "Larger cells", 1.5),
    this.zoom("fit", "Fit the matrix", 0),
  );
  legend = h("div", { class: "footer" });
  live = h("div", { class: "sr", "aria-live": "polite" });

  /**
   * @param {HTMLElement} root
   * @param {import("../parts/place.js").Send} send
   */
  constructor(root, send) {
    this.root = root;
    this.send = send;
    const onJump = (/** @type {Term} */ t) => {
      if (t !== null) this.player.jump(t + 1);
    };
    const onHover = (/** @type {Term} */ t, /** @type {PointerEvent} */ event) => this.fromMatrix(t, event);
    this.network = new NetworkView({
      label: "The graph",
      onNode: (i) => this.editor.node(i),
      onEdge: (i, j) => this.edgeClicked(i, j),
      onBackground: () => this.editor.cancel(),
      onHover: (node, edge) => this.fromGraph(node, edge),
    });
    this.editor = new EdgeEditor(
      this.network,
      (pair) => {
        // The edit tells the step, too, which is not reported once more.
        this.settling.toldOtherwise();
        this.send.trigger("toggle", [...pair, this.player.step]);
      },
    );
    this.matrix = new MatrixView({
      onJump,
      onHover,
      onCursor: (t) => this.fromCursor(t),
      onToggle: (t) => this.togglePair(t),
      describe: (t) => this.walk.describe(t),
      given: (t) => this.walk.given(t),
      blanket: (i) => [...this.walk.blankets[i]],
      beside: this.network.element,
    });
    this.change = new ChangeCard({
      onJump: (x, y) => onJump(this.walk.termAt(x, y)),
      onHover: (x, y, event) => this.fromChange(x === null ? null : this.walk.termAt(x, y), event),
    });
    this.counter = new TestCounter();
    this.projector = new Projector(root, (wide) => this.matrix.drawing.setFitting(wide), true);
    this.predict = new Predict({
      root,
      send,
      onChange: () => {
        this.matrix.light(null);
        this.show(this.player.step);
      },
    });
    this.locals = new LocalList({ onJump, onHover });
    this.numbers = new NumbersCard(
      (step) => this.player.jump(step),
      (step, event) => this.tellScore(step, event),
    );
    this.settling = new Settling(
      () => (this.walk && !this.player.playing ? this.player.step : null),
      (step) => this.settle(step),
      (step) => this.announce(step),
    );
    this.buildPlayer();
    this.left = new LeftAt(() => (this.player.playing ? [this.data.id, this.player.step] : null));
    this.build();
    this.tooltip = new Tooltip(root);
  }

  buildPlayer() {
    const whenEditable = (/** @type {() => void} */ act) => () => {
      if (this.data?.editable) act();
    };
    this.player = new Player({
      root: this.root,
      label: (step) => this.walk?.label(step) ?? "",
      onStep: (step) => this.show(step),
      onPlaying: () => this.settling.soon(),
      next: (step, direction) => this.walk.next(step, direction, this.skip),
      choices: [this.skipLabel],
      status: [this.counter.element],
      keys: {
        s: () => this.setSkip(!this.skip),
        e: whenEditable(() => this.editor.setEditing(!this.editor.editing)),
        x: whenEditable(() => this.toggleByKey()),
      },
      legend: LEGEND,
      projector: this.projector,
      predict: this.predict,
    });
  }

  /** A button that changes the size of the cells. */
  zoom(
    /** @type {"minus" | "plus" | "fit"} */ name,
    /** @type {string} */ label,
    /** @type {number} */ factor,
  ) {
    return iconButton(name, label, () => this.matrix.drawing.zoomBy(factor));
  }

  build() {
    const save = (
      /** @type {string} */ what,
      /** @type {Parameters<typeof exportMenu>[1]} */ drawn,
    ) => exportMenu(this, drawn, () => [this.data.method, what, "step", this.player.step]);
    this.graphCard = card(
      "graph",
      "The graph",
      [this.editor.button, save("graph", this.network.svg)],
      this.editor.hint,
      this.network.element,
    );
    this.network.element.append(this.network.controls);
    this.matrixCard = card(
      "matrix",
      "The assertions",
      [
        this.zoomTools,
        save(
          "assertions",
          () =>
            this.walk.local
              ? this.locals.drawing(this.theme, this.data.names, this.data.terms)
              : this.matrix.drawing.picture(),
        ),
      ],
      this.matrix.element,
      this.locals.element,
    );
    // The blanket has a line of its own, which the buttons leave room for.
    this.graphCard.element.firstElementChild?.after(this.graphCard.sub);
    this.root.append(
      h(
        "div",
        { class: "stage" },
        this.numbers.statement,
        h("div", { class: "pair-grid" }, this.graphCard.element, this.matrixCard.element),
        this.legend,
        this.player.element,
      ),
      this.change.element,
      this.numbers.element,
      this.live,
    );
  }

  update(/** @type {Payload} */ sent) {
    const themeKey = JSON.stringify(this.theme);
    if (sent === this.sent && themeKey === this.themeKey) return;
    this.sent = sent;
    const before = this.data;
    const data = { ...sent, terms: this.termsOf(sent) };
    const fresh = !before || data.id !== before.id;
    const changed = fresh && before ? this.walk.changedIn(data) : [];
    this.data = data;
    if (fresh) this.begin(data);
    this.network.setGraph({ ...data, clear_of: data.edges });
    // ψ orders assertions; local scores have no order.
    this.network.setBadges(this.walk.local || data.plain ? null : this.walk.rank, this.walk.degree);
    this.editor.setEditable(data.editable);
    this.player.keyLegend.list(["e", "x"], data.editable);
    if (fresh || themeKey !== this.themeKey) this.renew();
    this.themeKey = themeKey;
    this.change.setData(data.change ?? null, data.names);
    // Where nearly all is new, flashes show nothing, and take long to draw.
    if (changed.length && changed.length <= MOST_FLASHES) this.matrix.drawing.flash(changed);
    this.arrange(data);
    const asks = !this.walk.local && !data.plain;
    this.predict.use(asks ? new StepQuestions(this.walk) : null, fresh, data.predict);
    this.player.setLast(this.walk.size, this.walk.widestLabel);
    this.show(this.player.step);
  }

  /** The terms, which may come as text: that is not written anew for each rerun. */
  termsOf(/** @type {Payload} */ { terms }) {
    if (typeof terms !== "string") return /** @type {FullTerms} */ (terms);
    if (terms !== this.text) [this.text, this.terms] = [terms, JSON.parse(terms)];
    return this.terms;
  }

  /** Start on another trace. */
  begin(/** @type {StepView["data"]} */ data) {
    this.walk = new Walk(data);
    this.hovered = null;
    this.player.pause();
    const asked = this.settling.told = data.initial_step ?? 0;
    const step = Math.min(Math.max(this.left.take(data.id) ?? asked, 0), this.walk.size);
    this.player.step = this.matrix.drawing.step = step;
    setAttr(
      this.network.svg,
      "aria-label",
      `The graph: ${count(data.names.length, "variable")}, ${count(data.edges.length, "edge")}`,
    );
  }

  /** Rebuild what depends on the trace or on the theme. */
  renew() {
    const { walk, data } = this;
    this.matrix.element.hidden = walk.local;
    this.locals.element.hidden = !walk.local;
    if (walk.local) this.locals.setData(data, (t) => walk.given(t));
    else {
      this.matrix.setData(
        { names: data.names, order: walk.order, degree: walk.degree, terms: data.terms },
        this.theme,
      );
    }
    this.numbers.setWalk(walk, data.plain?.statement);
    this.counter.setWalk(walk);
    setText(
      this.matrixCard.heading,
      walk.local
        ? `The ${count(walk.size, "local score")}`
        : `The ${count(walk.size, "assertion")}, in the order ψ`,
    );
    this.zoomTools.hidden = walk.local || walk.n <= 8;
    this.skipLabel.hidden = walk.tests === walk.size;
    const pair = walk.local
      ? { mark: "node-local", text: "the variable" }
      : { mark: "node-x", text: "the pair of this step" };
    const near = walk.terms.way !== undefined;
    const rest = data.plain
      ? "given"
      : near
      ? "neighbours that lead to the other (given)"
      : "the rest of the blanket (given)";
    const given = walk.local ? "its blanket (given)" : rest;
    this.legend.replaceChildren(
      legend([pair, { mark: "node-given", text: given }]),
      ...(walk.local || data.plain
        ? []
        : [scaleLegend(this.theme, walk.tests < walk.size, Boolean(walk.disputed))]),
    );
  }

  /** A newcomer sees the graph and each test in words. */
  arrange(/** @type {Payload} */ { plain }) {
    this.matrixCard.element.hidden = this.numbers.element.hidden = Boolean(plain);
    if (plain) this.counter.element.hidden = true;
    if (plain) setText(this.graphCard.heading, plain.graph);
  }

  setSkip(/** @type {boolean} */ skip) {
    this.skip = skip;
    this.skipBox.checked = skip;
  }

  show(/** @type {number} */ step) {
    this.player.show(step);
    if (this.edited?.step !== step) this.edited = null;
    if (this.walk.local) this.locals.setStep(step);
    else this.matrix.setStep(step);
    this.numbers.show(step, this.predict.question?.term ?? null);
    this.counter.show(step);
    this.lightTerm(this.hovered ?? this.current);
    if (this.predict.on && !this.walk.local) this.matrix.light(null, this.predict.question?.term ?? null);
    this.settling.soon();
  }

  /** What is known of a term, unless it is still to be predicted. */
  describe(/** @type {number} */ t) {
    return this.predict.hides(t + 1) ? "not yet reached" : this.walk.describe(t);
  }

  /** The graph as a term sees it: the pair, and the blanket that is given. */
  lightTerm(/** @type {Term} */ term) {
    const { question } = this.predict;
    const t = question && this.hovered === null ? question.term ?? null : term;
    const { roles, kind, edges, link, x } = spotlight(
      this.walk,
      this.data.edges,
      t,
      (i, j) => this.editor.isPending(i, j),
      t !== null && this.predict.hides(t + 1),
    );
    this.network.setRoles(roles, kind);
    this.network.setEdges(edges);
    this.network.setLink(link);
    this.heading(x);
  }

  heading(/** @type {number} */ x) {
    const { sub } = this.graphCard;
    if (x < 0 || this.data.plain) {
      setText(sub, "");
      return;
    }
    const { rank, text } = this.walk.blanketText(x);
    sub.replaceChildren("B", this.walk.local ? "" : h("sup", { text: rank }), ` = ${text}`);
  }

  edgeClicked(/** @type {number} */ i, /** @type {number} */ j) {
    if (this.editor.editing) this.editor.edge(i, j);
    else this.player.jump(this.walk.stepOf(i, j));
  }

  /** A double click on a cell joins or parts its pair, where the graph may be edited. */
  togglePair(/** @type {Term} */ t) {
    if (t === null || t < 0 || this.walk.local || !this.data.editable) return;
    const { x, y } = this.walk.terms;
    this.editor.request(x[t], y[t]);
  }

  /** The pair that is pointed at, or of this step. A second time it is the same pair, though ψ may have changed. */
  toggleByKey() {
    const { step } = this.player;
    const t = this.hovered ?? step - 1;
    if (this.walk.local || (t < 0 && !this.edited)) return;
    const { x, y } = this.walk.terms;
    const again = this.hovered === null ? this.edited : null;
    this.edited = { step, pair: again?.pair ?? [x[t], y[t]] };
    this.editor.request(...this.edited.pair);
  }

  /** A node of the graph lights its row, column and blanket; an edge its test. */
  fromGraph(/** @type {number | null} */ node, /** @type {[number, number] | null} */ edge) {
    if (this.walk.local) {
      this.locals.light(node);
      return;
    }
    const t = edge ? this.walk.stepOf(...edge) - 1 : null;
    this.hovered = t;
    this.lightTerm(t ?? this.current);
    this.matrix.light(node, t);
  }

  /**
   * @param {Term} t
   * @param {(MouseEvent & { pointerType?: string }) | null} [event]
   */
  fromMatrix(t, event) {
    if (t !== null && event && event.pointerType !== "touch") this.tooltip.show(event, this.describe(t));
    else this.tooltip.hide();
    this.point(t);
  }

  fromCursor(/** @type {Term} */ t) {
    this.point(t);
    if (t !== null) setText(this.live, this.describe(t));
  }

  fromChange(/** @type {Term} */ t, /** @type {Event | undefined} */ event) {
    this.fromMatrix(t, event instanceof PointerEvent ? event : null);
  }

  /** Bring out a term in graph and matrix, the current one for null. */
  point(/** @type {Term} */ t) {
    if (t === this.hovered) return;
    this.hovered = t;
    this.lightTerm(t ?? this.current);
    if (!this.walk.local) this.matrix.light(null, t ?? this.predict.question?.term ?? null);
  }

  /** The term of the step shown, or null before the first. */
  get current() {
    return this.player.step > 0 ? this.player.step - 1 : null;
  }

  tellScore(/** @type {number | null} */ step, /** @type {PointerEvent} */ event) {
    if (step === null) this.tooltip.hide();
    else {
      this.tooltip.show(
        event,
        `${this.walk.label(step)}: ${this.walk.scoreName} ${fixed(this.walk.sums[step], 4)}`,
      );
    }
  }

  /** Tell Python where one has come to rest: a rerun, which only the page with the editor asks for. */
  settle(/** @type {number} */ step) {
    if (!this.data.editable) return;
    const { x, y } = this.walk.terms;
    const t = step - 1;
    this.send.state("settled", { id: this.data.id, step, x: x[t] ?? null, y: y?.[t] ?? null });
  }

  /** Tell a screen reader the step on which one rests. */
  announce(/** @type {number} */ step) {
    setText(this.live, step > 0 ? `${this.walk.label(step)}. ${this.walk.describe(step - 1)}` : "");
  }

  destroy() {
    this.settling.stop();
    const { player, network, matrix, numbers, projector, left } = this;
    for (const part of [player, network, matrix, numbers, projector, left]) part.destroy();
  }
}
