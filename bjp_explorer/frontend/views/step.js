/** Step through the score: graph and matrix as one view, the player, and the numbers of the step. */

import { ChangeCard } from "../parts/change.js";
import { TestCounter } from "../parts/counter.js";
import { card, checkbox, h, iconButton, legend, setAttr, setText } from "../parts/dom.js";
import { exportMenu } from "../parts/download.js";
import { EdgeEditor } from "../parts/editor.js";
import { count, fixed } from "../logic/format.js";
import { edgeKey } from "../logic/history.js";
import { sendKept, store, stored } from "../logic/memory.js";
import { LocalList } from "../parts/locals.js";
import { MatrixView } from "../parts/matrix.js";
import { NetworkView } from "../parts/network.js";
import { NumbersCard } from "../parts/numbers.js";
import { Player } from "../parts/player.js";
import { scaleLegend } from "../parts/scale.js";
import { StepQuestions } from "../logic/predict.js";
import { Tooltip } from "../parts/popover.js";
import { spotlight, Walk } from "../logic/walk.js";
/** @import { FullTerms } from "../logic/walk.js" */
/** @import { Send } from "../parts/place.js" */
/** @import { Theme } from "../parts/theme.js" */
/** @import { StepPayload as Payload } from "../payloads.d.ts" */

const MOST_FLASHES = 600;
const LEFT_AT = "bjp-left-at";
const LEGEND = [
  ["s", "skip inferred assertions, on or off"],
  ["e", "edit edges; then Tab to a node and Enter to select it"],
  ["x", "add or remove this pair's edge; press it again to undo"],
  ["Tab", "to the matrix: arrows move in it, Enter opens a test, + − 0 zoom"],
];

/** @typedef {number | null} Term where null is none */

export default class StepView {
  /** @type {Theme} */ theme;
  /** @type {Payload & { terms: FullTerms }} */ data;
  /** @type {Walk} */ walk;
  skip = false;
  /** @type {Term} the term that is pointed at */ hovered = null;
  /** @type {{ step: number, pair: [number, number] } | null} what x changed at this step */ edited = null;
  text = "";
  /** @type {FullTerms} */ terms;
  themeKey = "";
  skipBox = checkbox("skip inferred", (skip) => this.skip = skip, {
    title: "Pause only at computed tests (key s)",
  });
  zoomTools = h("span.tools", { hidden: true }, [
    iconButton("minus", "Smaller cells", () => this.matrix.zoomBy(1 / 1.5)),
    iconButton("plus", "Larger cells", () => this.matrix.zoomBy(1.5)),
    iconButton("fit", "Fit the matrix", () => this.matrix.zoomBy(0)),
  ]);
  legend = h("div.footer");
  live = h("div.sr", { "aria-live": "polite" });

  constructor(/** @type {HTMLElement} */ root, /** @type {Send} */ send) {
    this.root = root;
    this.send = send;
    const onJump = (/** @type {Term} */ t) => {
      if (t !== null) this.player.jump(t + 1);
    };
    const onHover = (/** @type {Term} */ t, /** @type {PointerEvent} */ event) => this.fromMatrix(t, event);
    this.network = new NetworkView({
      label: "The graph",
      onNode: (i) => this.editor.node(i),
      onEdge: (i, j) => {
        if (this.editor.editing) this.editor.edge(i, j);
        else this.player.jump(this.walk.stepOf(i, j));
      },
      onBackground: () => this.editor.cancel(),
      onHover: (node, edge) => this.fromGraph(node, edge),
    });
    this.editor = new EdgeEditor(this.network, (pair) => {
      // The edit tells the step, too, which is not reported once more.
      this.player.reported();
      send.trigger("toggle", [...pair, this.player.step]);
    });
    this.matrix = new MatrixView({
      onJump,
      onHover,
      onCursor: (t) => {
        this.point(t);
        if (t !== null) setText(this.live, this.describe(t));
      },
      onToggle: (t) => this.togglePair(t),
      describe: (t) => this.walk.describe(t),
      given: (t) => this.walk.given(t),
      blanket: (i) => [...this.walk.blankets[i]],
      beside: this.network.element,
    });
    this.change = new ChangeCard({
      onJump: (x, y) => onJump(this.walk.termAt(x, y)),
      onHover: (x, y, event) => {
        const t = x === null ? null : this.walk.termAt(x, y);
        this.fromMatrix(t, event instanceof PointerEvent ? event : null);
      },
    });
    this.counter = new TestCounter();
    this.locals = new LocalList(onJump, onHover);
    this.numbers = new NumbersCard(
      (step) => this.player.jump(step),
      (step, event) => {
        if (step === null) return this.tooltip.hide();
        const { scoreName, sums } = this.walk;
        this.tooltip.show(event, `${this.walk.label(step)}: ${scoreName} ${fixed(sums[step], 4)}`);
      },
    );
    const whenEditable = (/** @type {() => void} */ act) => () => {
      if (this.data?.editable) act();
    };
    this.player = new Player({
      root,
      send,
      label: (step) => this.walk?.label(step) ?? "",
      onStep: (step) => this.show(step),
      reports: () => Boolean(this.walk),
      onSettle: (step) => this.settle(step),
      // For a screen reader.
      onRest: (step) =>
        setText(this.live, step > 0 ? `${this.walk.label(step)}. ${this.walk.describe(step - 1)}` : ""),
      onAsk: () => {
        this.matrix.light(null);
        this.show(this.player.step);
      },
      onWide: (wide) => this.matrix.setFitting(wide),
      next: (step, direction) => this.walk.next(step, direction, this.skip),
      choices: [this.skipBox.label],
      status: [this.counter.element],
      keys: {
        s: () => this.skipBox.box.click(),
        e: whenEditable(() => this.editor.setEditing(!this.editor.editing)),
        x: whenEditable(() => this.toggleByKey()),
      },
      legend: LEGEND,
    });
    this.predict = this.player.predict;
    // The link holds only steps of rest.
    addEventListener("pagehide", () => {
      const { playing, step } = this.player;
      store(LEFT_AT, playing ? JSON.stringify([this.data.id, step]) : null, "sessionStorage");
    }, { signal: this.player.gone.signal });
    const parts = (/** @type {string} */ what) => () => [this.data.method, what, "step", this.player.step];
    const { editor, network, matrix, locals, zoomTools } = this;
    const saveGraph = exportMenu(this, network.svg, parts("graph"));
    this.graphCard = card("graph", "The graph", [editor.button, saveGraph], editor.hint, network.element);
    network.element.append(network.controls);
    const picture = () =>
      this.walk.local ? locals.drawing(this.theme, this.data.names, this.data.terms) : matrix.picture();
    const tools = [zoomTools, exportMenu(this, picture, parts("assertions"))];
    this.matrixCard = card("matrix", "The assertions", tools, matrix.element, locals.element);
    // The blanket has a line of its own, which the buttons leave room for.
    this.graphCard.element.firstElementChild?.after(this.graphCard.sub);
    root.append(
      h("div.stage", [
        this.numbers.statement,
        h("div.pair-grid", this.graphCard.element, this.matrixCard.element),
        this.legend,
        this.player.element,
      ]),
      this.change.element,
      this.numbers.element,
      this.live,
    );
    this.tooltip = new Tooltip(root);
  }

  update(/** @type {Payload} */ sent) {
    const themeKey = JSON.stringify(this.theme);
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
    this.player.offerKeys(["e", "x"], data.editable);
    if (fresh || themeKey !== this.themeKey) this.renew();
    this.themeKey = themeKey;
    this.change.setData(data.change ?? null, data.names);
    // Where nearly all is new, flashes show nothing, and take long to draw.
    if (changed.length && changed.length <= MOST_FLASHES) this.matrix.flash(changed);
    // A newcomer sees the graph and each test in words.
    this.matrixCard.element.hidden = this.numbers.element.hidden = Boolean(data.plain);
    if (data.plain) this.counter.element.hidden = true;
    if (data.plain) setText(this.graphCard.heading, data.plain.graph);
    // Who begins here may have been in the lessons before.
    if (data.plain && fresh && !data.plain.restored) sendKept(this.send);
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

  begin(/** @type {StepView["data"]} */ data) {
    this.walk = new Walk(data);
    this.hovered = null;
    this.player.pause();
    const asked = data.initial_step ?? 0;
    const step = Math.min(Math.max(this.leftAt(data.id) ?? asked, 0), this.walk.size);
    this.matrix.step = step;
    this.player.begin(step, asked);
    const size = `${count(data.names.length, "variable")}, ${count(data.edges.length, "edge")}`;
    setAttr(this.network.svg, "aria-label", `The graph: ${size}`);
  }

  /** The step, once, at which this was playing when the page was reloaded. @returns {number | null} */
  leftAt(/** @type {string} */ id) {
    const [of, step] = JSON.parse(stored(LEFT_AT, "sessionStorage") ?? "[]");
    store(LEFT_AT, null, "sessionStorage");
    const [entry] = performance.getEntriesByType("navigation");
    return of === id && /** @type {PerformanceNavigationTiming} */ (entry)?.type === "reload" ? step : null;
  }

  /** Rebuild what depends on the trace or on the theme. */
  renew() {
    const { walk, data } = this;
    this.matrix.element.hidden = walk.local;
    this.locals.element.hidden = !walk.local;
    if (walk.local) this.locals.setData(data, (t) => walk.given(t));
    else this.matrix.setData(data, this.theme);
    this.numbers.setWalk(walk, data.plain?.statement);
    this.counter.setWalk(walk);
    const [what, order] = walk.local ? ["local score", ""] : ["assertion", ", in the order ψ"];
    setText(this.matrixCard.heading, `The ${count(walk.size, what)}${order}`);
    this.zoomTools.hidden = walk.local || walk.n <= 8;
    this.skipBox.label.hidden = walk.tests === walk.size;
    const near = walk.terms.way !== undefined;
    const some = near ? "neighbours that lead to the other (given)" : "the rest of the blanket (given)";
    const [mark, text, given] = walk.local
      ? ["node-local", "the variable", "its blanket (given)"]
      : ["node-x", "the pair of this step", data.plain ? "given" : some];
    this.legend.replaceChildren(legend([{ mark, text }, { mark: "node-given", text: given }]));
    if (walk.local || data.plain) return;
    this.legend.append(scaleLegend(this.theme, walk.tests < walk.size, Boolean(walk.disputed)));
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
      (i, j) => this.editor.pending === edgeKey(i, j),
      t !== null && this.predict.hides(t + 1),
    );
    this.network.setRoles(roles, kind);
    this.network.setEdges(edges);
    this.network.setLink(link);
    this.heading(x);
  }

  heading(/** @type {number} */ x) {
    const { sub } = this.graphCard;
    if (x < 0 || this.data.plain) return setText(sub, "");
    const { rank, text } = this.walk.blanketText(x);
    sub.replaceChildren("B", this.walk.local ? "" : h("sup", rank), ` = ${text}`);
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
    if (this.walk.local) return this.locals.light(node);
    const t = edge ? this.walk.stepOf(...edge) - 1 : null;
    this.hovered = t;
    this.lightTerm(t ?? this.current);
    this.matrix.light(node, t);
  }

  fromMatrix(/** @type {Term} */ t, /** @type {(MouseEvent & { pointerType?: string }) | null} */ event) {
    if (t !== null && event && event.pointerType !== "touch") this.tooltip.show(event, this.describe(t));
    else this.tooltip.hide();
    this.point(t);
  }

  /** Bring out a term in graph and matrix, the current one for null. */
  point(/** @type {Term} */ t) {
    if (t === this.hovered) return;
    this.hovered = t;
    this.lightTerm(t ?? this.current);
    if (!this.walk.local) this.matrix.light(null, t ?? this.predict.question?.term ?? null);
  }

  get current() {
    return this.player.step > 0 ? this.player.step - 1 : null;
  }

  /** Tell Python where one has come to rest: a rerun, which only the page with the editor asks for. */
  settle(/** @type {number} */ step) {
    if (!this.data.editable) return;
    const { x, y } = this.walk.terms;
    const t = step - 1;
    this.send.state("settled", { id: this.data.id, step, x: x[t] ?? null, y: y?.[t] ?? null });
  }

  destroy() {
    this.player.destroy();
  }
}
