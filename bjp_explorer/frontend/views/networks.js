/** Several networks on one layout: zoom, drag and highlight go together. */

import { count } from "../logic/format.js";
import { edgeKey } from "../logic/history.js";
import { button, h, legend, setText, toneMark } from "../parts/dom.js";
import { exportMenu } from "../parts/download.js";
import { Scene } from "../parts/layout.js";
import { NetworkView } from "../parts/network.js";
import { Projector } from "../parts/projector.js";
import { Tooltip } from "../parts/popover.js";
/** @import { Send } from "../parts/place.js" */
/** @import { Theme } from "../parts/theme.js" */
/** @import { NetworkPanel, NetworksPayload as Networks } from "../payloads.d.ts" */

/** More nodes than this need more room. */
const MANY = 20;

export default class NetworksView {
  /** @type {Theme} */ theme;
  /** @type {Networks} */ data;
  /** @type {Map<string, Panel>} by key */ panels = new Map();
  scene = new Scene();
  grid = h("div.panels");
  key = h("div");

  constructor(/** @type {HTMLElement} */ root, /** @type {Send} */ send) {
    this.root = root;
    this.send = send;
    this.projector = new Projector(root);
    const tools = h("div.tools", this.projector.buttons);
    root.append(this.grid, h("div.footer", this.key, tools));
    this.tip = new Tooltip(root);
  }

  update(/** @type {Networks} */ data) {
    this.data = data;
    this.grid.style.setProperty("--columns", String(data.columns));
    this.tip.hide();
    this.grid.toggleAttribute("data-tall", Boolean(data.tall));
    this.grid.dataset.size = data.columns > 3 ? "small" : data.names.length > MANY ? "large" : "";
    for (const [name, panel] of this.panels) {
      if (data.panels.some(({ key }) => key === name)) continue;
      panel.network.destroy();
      this.panels.delete(name);
    }
    const elements = data.panels.map((content) => {
      const panel = this.panels.get(content.key) ?? new Panel(this, content.key);
      this.panels.set(content.key, panel);
      panel.update(data, content);
      return panel.element;
    });
    this.grid.replaceChildren(...elements);
    const items = (data.tones ?? []).map(({ tone, label }) => ({ mark: toneMark(tone), text: label }));
    this.key.replaceChildren(items.length ? legend(items) : "");
    this.root.dataset.panels = String(data.panels.length);
  }

  destroy() {
    this.projector.destroy();
  }
}

class Panel {
  title = h("h3");
  subtitle = h("p.sub");
  badge = h("span.tag");

  constructor(/** @type {NetworksView} */ owner, /** @type {string} */ key) {
    this.owner = owner;
    this.key = key;
    this.network = new NetworkView({
      label: key,
      compact: true,
      scene: owner.scene,
      onEdge: (i, j) => owner.send.trigger("edge", [i, j]),
      onHover: (_, edge) => this.tell(edge),
    });
    this.open = button("tool.wide", { on: { click: () => owner.send.trigger("open", key) } }, "Open");
    const save = exportMenu(owner, this.network.svg, () => ["network", key]);
    this.element = h("section.card.panel", { "data-panel": key }, [
      h("header", h("div.heading", this.title, this.badge), h("div.tools", this.open, save)),
      this.subtitle,
      this.network.element,
    ]);
  }

  tell(/** @type {[number, number] | null} */ ends) {
    const edge = ends && this.network.edges.get(edgeKey(...ends));
    if (!edge?.title) return this.owner.tip.hide();
    const { left, top, width, height } = edge.lines[1].getBoundingClientRect();
    this.owner.tip.show({ clientX: left + width / 2, clientY: top + height / 2 }, edge.title);
  }

  update(/** @type {Networks} */ data, /** @type {NetworkPanel} */ { title, subtitle, edges, badge, roles }) {
    setText(this.title, title);
    setText(this.subtitle, subtitle ?? "");
    // One panel with a subtitle gives the others an empty line, so that the networks stay level.
    this.subtitle.hidden = !data.panels.some((panel) => panel.subtitle);
    setText(this.badge, badge ?? "");
    this.badge.hidden = !badge;
    this.open.hidden = !data.clickable;
    this.open.setAttribute("aria-label", `Open ${title}`);
    this.element.setAttribute("aria-label", title);
    this.network.svg.setAttribute("aria-label", `${title}: ${count(edges.length, "edge")}`);
    const all = data.panels.flatMap((panel) => panel.edges);
    const union = new Map(all.map((edge) => [edgeKey(edge[0], edge[1]), edge]));
    this.network.setClickable({ edges: Boolean(data.edge_clicks) });
    this.network.setGraph({ ...data, clear_of: [...union.values()] });
    this.network.setEdges(edges);
    this.network.setBadges(null, null);
    this.network.setRoles(new Map(roles), "local");
  }
}
