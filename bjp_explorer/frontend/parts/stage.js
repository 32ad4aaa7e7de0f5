/** The live view of a lesson: whatever a scene holds, drawn in place, and what is clicked in it. */

import { h, setAttr, setText } from "./dom.js";
import { countsCard } from "./counts.js";
import { Hub } from "./hub.js";
import { NetworkView } from "./network.js";
import { markShape, PickMatrix } from "./pickmatrix.js";
import { letterScale } from "./projector.js";
import { holds } from "../logic/picks.js";
import { fillIn } from "../logic/words.js";
import { inCell, rich } from "./rich.js";
import { scaleLegend } from "./scale.js";

/** A matrix of so few variables has room beside the network. */
const SMALL = 4;

/** @typedef {import("../payloads.d.ts").SceneNetwork} SceneNetwork */
/** @typedef {ReturnType<Stage["panel"]>} Panel */

export class Stage {
  /** @type {import("../payloads.d.ts").Scene} */
  scene;
  /** @type {import("./pickmatrix.js").Picking | null} */
  picking = null;
  /** @type {Panel[]} */
  panels = [];

  /**
   * @param {object} options
   * @param {(about: string, pick: any) => void} options.onPick a pick is an index or a cell
   * @param {(i: number, j: number) => void} options.onEdge
   * @param {(text: string) => void} options.onSay
   * @param {import("../logic/words.js").Words} options.words
   */
  constructor(options) {
    this.options = options;
    this.words = options.words;
    this.nets = h("div", { class: "nets" });
    this.matrix = new PickMatrix({
      onPick: (cell) => options.onPick("cells", cell),
      onSay: (text) => options.onSay(text),
      describe: (t) => this.scene?.matrix?.describe[t] ?? "",
      words: this.words,
    });
    this.scale = h("div");
    this.matrixCard = h(
      "section",
      { class: "card matrix", "aria-label": this.words.assertions },
      this.matrix.element,
      this.scale,
    );
    this.cards = h("div", { class: "count-cards" });
    this.table = h("div", { class: "lesson-table" });
    this.figures = h("div", { class: "metrics" });
    this.bars = h("div", { class: "bars" });
    this.hub = new Hub(this.words, (text) => options.onSay(text));
    this.element = h(
      "div",
      { class: "stage" },
      this.hub.element,
      this.bars,
      this.nets,
      this.matrixCard,
      this.cards,
      this.table,
      this.figures,
    );
  }

  /**
   * Draw a scene; picking is null where nothing can be picked.
   *
   * @param {import("../payloads.d.ts").Scene} scene
   * @param {import("./theme.js").Theme} theme
   * @param {import("./pickmatrix.js").Picking | null} picking
   * @param {import("../payloads.d.ts").StarsPayload | null} [stars] of the figure of a hub
   */
  show(scene, theme, picking, stars) {
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
      this.scale.replaceChildren(scaleLegend(theme, Boolean(inferred), false, this.words, walked));
    }
    this.cards.replaceChildren(
      ...(scene.cards ?? []).map((card, k) => countsCard(card, this.words, this.cardPick(k))),
    );
    this.cards.hidden = !scene.cards?.length;
    this.showTable(scene.table);
    this.figures.replaceChildren(...(scene.figures ?? []).map(figure));
    this.figures.hidden = !scene.figures?.length;
    setAttr(
      this.element,
      "data-parts",
      [
        scene.networks?.length && "nets",
        scene.matrix && "matrix",
        scene.matrix && scene.matrix.order.length <= SMALL && "small",
        scene.cards?.length && "cards",
        (scene.networks?.length ?? 0) > 2 && "several",
        (scene.table?.rows.length ?? 0) > 8 && "long",
        (scene.table || scene.figures?.length) && "numbers",
      ].filter(Boolean).join(" "),
    );
  }

  /**
   * @param {number} k
   * @returns {Parameters<typeof countsCard>[2]}
   */
  cardPick(k) {
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
    for (const { network, element } of this.panels.splice(networks.length)) {
      network.destroy();
      element.remove();
    }
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
      label: this.words.network,
      words: this.words,
      onNode: (i) => this.clicked(k, i),
      onEdge: (i, j) => (this.picking?.about === "cards" ? this.clicked(k, i) : this.options.onEdge(i, j)),
    });
    const title = h("h4");
    const choose = h("button", { type: "button", class: "pick", on: { click: () => this.clicked(k, 0) } });
    network.element.append(network.controls);
    return {
      network,
      title,
      choose,
      element: h("section", { class: "card net-card" }, title, choose, network.element),
    };
  }

  clicked(/** @type {number} */ k, /** @type {number} */ i) {
    if (this.picking?.about === "cards") {
      if (this.picking.open) this.options.onPick("cards", k);
    } else this.options.onPick("nodes", i);
  }

  /**
   * @param {Panel} panel
   * @param {SceneNetwork} model
   * @param {number} k
   */
  showNetwork({ network, title, choose, element }, model, k) {
    const pick = this.cardPick(k);
    const name = model.title || this.words.network;
    setText(title, `${model.title}${pick.mark ?? ""}`);
    title.hidden = !model.title || Boolean(pick.onPick);
    choose.hidden = !pick.onPick;
    setText(choose, `${name}${pick.mark ?? ""}`);
    setAttr(choose, "aria-pressed", String(Boolean(pick.picked)));
    setAttr(element, "data-picked", pick.picked ? "" : null);
    setAttr(element, "data-mark", pick.wrong ? "wrong" : null);
    setAttr(element, "aria-label", name);
    setAttr(
      network.svg,
      "aria-label",
      fillIn(this.words.network_size, { name, variables: model.names.length, edges: model.edges.length }),
    );
    network.setGraph({ ...model, clear_of: model.edges });
    network.setEdges(model.edges.map(([i, j, tone]) => ({ i, j, tone })));
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

  showTable(/** @type {import("../payloads.d.ts").SceneTable | undefined} */ model) {
    this.table.hidden = !model;
    if (!model) return;
    this.table.replaceChildren(
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, model.head.map((text) => h("th", { scope: "col" }, rich(text))))),
        h(
          "tbody",
          {},
          model.rows.map((row, k) =>
            h(
              "tr",
              { "aria-current": k === model.current ? "true" : null },
              row.map((text) => h("td", {}, inCell(text))),
            )
          ),
        ),
      ),
    );
  }

  /** Bars that grow from where they are, with a line of two standard errors to either side. */
  showBars(/** @type {NonNullable<import("../payloads.d.ts").Scene["bars"]>} */ bars) {
    while (this.bars.childElementCount < bars.length) {
      this.bars.append(
        h("div", { class: "measured" }, h("span"), h("div", { class: "bar" }, h("i"), h("b")), h("strong")),
      );
    }
    bars.forEach(({ label, value, error, most }, k) => {
      const [name, bar, number] = /** @type {HTMLElement[]} */ ([...this.bars.children[k].children]);
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

  destroy() {
    this.matrix.destroy();
    this.hub.destroy();
    for (const { network } of this.panels) network.destroy();
  }
}

function figure(/** @type {import("../payloads.d.ts").Figure} */ { value, caption }) {
  return h(
    "div",
    { class: "metric" },
    h("strong", { class: "value", text: value }),
    h("span", { class: "caption" }, rich(caption)),
  );
}
