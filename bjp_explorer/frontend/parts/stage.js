/** The live view of a lesson: whatever a scene holds, drawn in place, and what is clicked in it. */

import { button, fillList, h, setAttr, setText } from "./dom.js";
import { Hub } from "./hub.js";
import { NetworkView } from "./network.js";
import { markShape, PickMatrix } from "./pickmatrix.js";
import { letterScale } from "./projector.js";
import { holds } from "../logic/picks.js";
import { breakable, inCell, rich } from "./rich.js";
import { scaleLegend } from "./scale.js";
import { count, fixed } from "../logic/format.js";
/** @import { CountsCard, Figure, Scene, SceneNetwork, SceneTable, StarsPayload } from "../payloads.d.ts" */
/** @import { Picking } from "./pickmatrix.js" */
/** @import { Theme } from "./theme.js" */

/** A matrix of so few variables has room beside the network. */
const SMALL = 4;

/** @typedef {ReturnType<Stage["panel"]>} Panel */

export class Stage {
  /** @type {Scene} */ scene;
  /** @type {Picking | null} */ picking = null;
  /** @type {Panel[]} */ panels = [];
  nets = h("div.nets");
  scale = h("div");
  cards = h("div.count-cards");
  table = h("div.lesson-table");
  figures = h("div.metrics");
  bars = h("div.bars");

  /**
   * @param {object} options
   * @param {(about: string, pick: any) => void} options.onPick a pick is an index or a cell
   * @param {(i: number, j: number) => void} options.onEdge
   * @param {(text: string) => void} options.onSay
   * @param {string} [options.node] what a node is called
   */
  constructor(options) {
    this.options = options;
    this.matrix = new PickMatrix(
      (t) => this.scene?.matrix?.describe[t] ?? "",
      (cell) => options.onPick("cells", cell),
      options.onSay,
    );
    const name = { "aria-label": "The assertions" };
    this.matrixCard = h("section.card.matrix", name, this.matrix.element, this.scale);
    this.hub = new Hub(options.onSay);
    const { hub, bars, nets, matrixCard, cards, table, figures } = this;
    this.element = h("div.stage", hub.element, bars, nets, matrixCard, cards, table, figures);
  }

  show(
    /** @type {Scene} */ scene,
    /** @type {Theme} */ theme,
    /** @type {Picking | null} null where nothing can be picked */ picking,
    /** @type {StarsPayload | null} of the figure of a hub */ stars = null,
  ) {
    Object.assign(this, { scene, picking });
    this.hub.element.hidden = !scene.hub;
    if (scene.hub && stars) this.hub.show(stars, scene.hub, /** @type {any} */ (picking?.picks), theme);
    this.bars.hidden = !scene.bars;
    if (scene.bars) this.showBars(scene.bars);
    this.showNetworks(scene.networks ?? []);
    this.matrixCard.hidden = !scene.matrix;
    if (scene.matrix) {
      this.matrix.display(scene.matrix, theme, picking?.about === "cells" ? picking : null);
      const inferred = scene.matrix.terms.computed?.some((computed) => !computed);
      const walked = scene.matrix.reached !== null;
      this.scale.replaceChildren(scaleLegend(theme, Boolean(inferred), false, walked));
    }
    const cards = scene.cards ?? [];
    this.cards.replaceChildren(...cards.map((card, k) => countsCard(card, this.cardPick(k))));
    this.cards.hidden = !scene.cards?.length;
    this.showTable(scene.table);
    this.figures.replaceChildren(...(scene.figures ?? []).map(figure));
    this.figures.hidden = !scene.figures?.length;
    const parts = [
      scene.networks?.length && "nets",
      scene.matrix && "matrix",
      scene.matrix && scene.matrix.order.length <= SMALL && "small",
      scene.cards?.length && "cards",
      (scene.networks?.length ?? 0) > 2 && "several",
      (scene.table?.rows.length ?? 0) > 8 && "long",
      (scene.table || scene.figures?.length) && "numbers",
    ];
    setAttr(this.element, "data-parts", parts.filter(Boolean).join(" "));
  }

  /** @returns {Parameters<typeof countsCard>[1]} */
  cardPick(/** @type {number} */ k) {
    const { picking } = this;
    if (picking?.about !== "cards") return {};
    const picked = holds(picking.picks, k);
    const wrong = picked && picking.culprit === k;
    return {
      picked,
      wrong,
      // What is chosen isn't right yet.
      mark: !picked ? "" : wrong ? " ✗" : picking.open ? " ●" : " ✓",
      onPick: picking.open ? () => this.options.onPick("cards", k) : null,
    };
  }

  showNetworks(/** @type {SceneNetwork[]} */ networks) {
    for (const { element } of this.panels.splice(networks.length)) element.remove();
    while (this.panels.length < networks.length) {
      const panel = this.panel(this.panels.length);
      this.panels.push(panel);
      this.nets.append(panel.element);
    }
    this.nets.hidden = !networks.length;
    this.nets.style.setProperty("--columns", String(networks.length));
    networks.forEach((model, k) => this.showNetwork(this.panels[k], model, k));
  }

  panel(/** @type {number} */ k) {
    const network = new NetworkView({
      label: "The network",
      onNode: (i) => this.clicked(k, i),
      onEdge: (i, j) => (this.picking?.about === "cards" ? this.clicked(k, i) : this.options.onEdge(i, j)),
    });
    const title = h("h4");
    const choose = button("pick", { on: { click: () => this.clicked(k, 0) } });
    network.element.append(network.controls);
    return { network, title, choose, element: h("section.card.net-card", title, choose, network.element) };
  }

  clicked(/** @type {number} */ k, /** @type {number} */ i) {
    if (this.picking?.about === "cards") {
      if (this.picking.open) this.options.onPick("cards", k);
    } else this.options.onPick("nodes", i);
  }

  showNetwork(
    /** @type {Panel} */ { network, title, choose, element },
    /** @type {SceneNetwork} */ model,
    /** @type {number} */ k,
  ) {
    const pick = this.cardPick(k);
    const name = model.title || "The network";
    setText(title, `${model.title}${pick.mark ?? ""}`);
    title.hidden = !model.title || Boolean(pick.onPick);
    choose.hidden = !pick.onPick;
    setText(choose, `${name}${pick.mark ?? ""}`);
    setAttr(choose, "aria-pressed", String(Boolean(pick.picked)));
    setAttr(element, "data-picked", pick.picked ? "" : null);
    setAttr(element, "data-mark", pick.wrong ? "wrong" : null);
    setAttr(element, "aria-label", name);
    const { names: { length }, edges } = model;
    const nodes = count(length, this.options.node ?? "variable");
    setAttr(network.svg, "aria-label", `${name}: ${nodes}, ${count(edges.length, "edge")}`);
    network.setGraph({ ...model, clear_of: model.edges });
    network.setEdges(model.edges);
    network.setBadges(model.rank, model.degree);
    const { picking } = this;
    network.setClickable({
      nodes: Boolean(picking?.open && ["nodes", "cards"].includes(picking.about)),
      edges: Boolean(picking?.open && (picking.about === "cards" || picking.paired)),
    });
    network.setRoles(new Map(model.roles), model.kind);
    network.setLink(this.linkOf(model));
    this.markNodes(network, model);
    if (network.letters !== letterScale()) network.measure();
    network.letters = letterScale();
  }

  /** The line of the pair: the scene's, or the one that is being picked. */
  linkOf(/** @type {SceneNetwork} */ model) {
    const { picking } = this;
    if (!picking?.pair || picking.picks.length < 2) return model.link;
    const [i, j] = [...picking.picks].sort((a, b) => a - b);
    const straight = model.edges.some(([a, b]) => a === i && b === j);
    return { i, j, tone: "proposed", question: true, straight };
  }

  /** What is picked: a dashed ring, a mark, and words for screen readers. */
  markNodes(/** @type {NetworkView} */ network, /** @type {SceneNetwork} */ model) {
    const about = this.picking?.about === "nodes" ? this.picking : null;
    network.nodes.forEach((node, i) => {
      const at = about ? about.picks.indexOf(i) : -1;
      const wrong = at >= 0 && about?.culprit === i;
      if (model.badges) setText(node.badge, model.badges[i]);
      else if (!model.rank) setText(node.badge, about?.order && at >= 0 ? String(at + 1) : "");
      setAttr(node.group, "data-picked", at >= 0 ? "" : null);
      setAttr(node.group, "aria-pressed", about?.open ? String(at >= 0) : null);
      node.mark?.remove();
      node.mark = null;
      if (at < 0 || (!wrong && (about?.order || !about?.asks))) return;
      node.mark = markShape(wrong ? "wrong" : "picked", network.radius * 0.85, -network.radius * 0.85, 7);
      node.group.append(node.mark);
    });
    network.keepNames();
  }

  showTable(/** @type {SceneTable | undefined} */ model) {
    this.table.hidden = !model;
    if (!model) return;
    const head = model.head.map((text) => h("th", { scope: "col" }, rich(text)));
    const rows = model.rows.map((row, k) =>
      h(
        "tr",
        { "aria-current": k === model.current ? "true" : null },
        row.map((text) => h("td", inCell(text))),
      )
    );
    this.table.replaceChildren(h("table", h("thead", h("tr", head)), h("tbody", rows)));
  }

  /** Bars that grow from where they are, with a line of two standard errors to either side. */
  showBars(/** @type {NonNullable<Scene["bars"]>} */ bars) {
    const row = () => h("div.measured", h("span"), h("div.bar", h("i"), h("b")), h("strong"));
    fillList(this.bars, bars.length, row).forEach(({ children }, k) => {
      const { label, value, error, most } = bars[k];
      const [name, bar, number] = children;
      setText(name, label);
      setText(number, `${value.toFixed(2)} ± ${error.toFixed(2)}`);
      const [fill, whisker] = /** @type {HTMLElement[]} */ ([...bar.children]);
      fill.style.width = `${(100 * value) / most}%`;
      const low = Math.max(0, value - 2 * error);
      Object.assign(whisker.style, {
        left: `${(100 * low) / most}%`,
        width: `${(100 * (value + 2 * error - low)) / most}%`,
      });
    });
  }
}

function figure(/** @type {Figure} */ { value, caption }) {
  return h("div.metric", h("strong.value", value), h("span.caption", rich(caption)));
}

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);

function countsTable(/** @type {CountsCard["counts"]} */ { x, y, rows, columns, cells, expected }) {
  const amount = (/** @type {number} */ value, /** @type {Element | string} */ extra = "") =>
    h("td.number", fixed(value, 0), extra);
  const small = (/** @type {number} */ value) =>
    h("small", { title: "expected under independence", text: fixed(value, 1) });
  return h("table.counts", [
    h("caption.sr", { text: `${x} by ${y}` }),
    h("thead", [
      h("tr", h("td"), h("th", { colspan: columns.length, scope: "colgroup" }, breakable(y)), h("td")),
      h("tr", [
        h("th", { scope: "col" }, breakable(x)),
        columns.map((text) => h("th.number", { scope: "col" }, breakable(text))),
        h("th.number", { scope: "col", text: "all" }),
      ]),
    ]),
    h("tbody", [
      cells.map((line, r) =>
        h("tr", [
          h("th", { scope: "row" }, breakable(rows[r])),
          line.map((value, c) => amount(value, small(expected[r][c]))),
          amount(sum(line)),
        ])
      ),
      h("tr.total", [
        h("th", { scope: "row", text: "all" }),
        columns.map((_, c) => amount(sum(cells.map((line) => line[c])))),
        amount(sum(cells.flat())),
      ]),
    ]),
  ]);
}

/** One card; with onPick it is picked by its heading or anywhere on it. */
function countsCard(
  /** @type {CountsCard} */ { title, counts, lines },
  /** @type {{ onPick?: (() => void) | null, picked?: boolean, wrong?: boolean, mark?: string }} */ picking,
) {
  const { onPick, picked, wrong, mark = "" } = picking;
  const text = `${title}${mark}`;
  const heading = onPick
    ? button("pick", {
      "aria-pressed": String(picked),
      on: { click: (/** @type {Event} */ event) => (event.stopPropagation(), onPick()) },
    }, text)
    : h("h4", text);
  const states = {
    "data-picked": picked,
    "data-mark": picked && wrong ? "wrong" : null,
    "data-pickable": Boolean(onPick),
    "aria-label": title,
    on: onPick ? { click: onPick } : {},
  };
  const notes = lines.map((text) => h("p.note", rich(text)));
  return h("section.card.counts-card", states, heading, countsTable(counts), notes);
}
