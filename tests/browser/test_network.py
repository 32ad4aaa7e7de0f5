"""Your network and All graphs in a browser: what is drawn is what the engine found."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import bjp_engine as bjp
from bjp_explorer.graphs import gallery
from bjp_explorer.shell import sources
from bjp_explorer.views.palette import LIGHT
from tests.browser import visits
from tests.browser.visits import coronary, open_view


def test_edges_are_as_wide_as_probable(page):
    data = coronary()
    sure = bjp.edge_probabilities(data)
    view = open_view(page, "network", "coronary&search=auto&edges=probability")
    edges = view.locator('[data-tone="plain"][data-edge]')
    expect(edges).to_have_count(bjp.learn(data, "bjp", "auto").graph.number_of_edges())
    looks = edges.evaluate_all(
        """groups => groups.map(({ dataset, children }) => [dataset.edge, parseFloat(
            getComputedStyle([...children].find(e => e.matches(".ink"))).strokeWidth)])"""
    )
    widths = {tuple(map(int, edge.split("-"))): width for edge, width in looks}
    order = sorted(widths, key=lambda pair: float(sure.matrix[pair]))
    assert [widths[pair] for pair in order] == sorted(widths.values())
    assert max(widths.values()) > 1.3 * min(widths.values())
    weakest = order[0]
    edge = view.locator(f'[data-edge="{weakest[0]}-{weakest[1]}"]')
    edge.focus()
    words = f"calibrated probability {sure.matrix[weakest]:.4f}"
    expect(view.locator(".tooltip")).to_contain_text(words)
    expect(edge).to_have_attribute("aria-label", re.compile(re.escape(words)))


@pytest.mark.filterwarnings("ignore:Some states of Class")
def test_effects_have_a_hue_a_dash_and_a_width(page):
    data = sources.load("titanic").data
    effects = bjp.fit_parameters(data, bjp.learn(data, "bjp", "auto").graph, "auto").effects()
    view = open_view(page, "network", "titanic&search=auto")
    negative = view.locator('[data-tone="negative"]').first
    expect(negative).to_be_attached()
    looks = view.locator("[data-edge][data-weight]").evaluate_all(
        """groups => groups.map((group) => {
          const style = getComputedStyle(group.querySelector(".ink"));
          const { edge, tone } = group.dataset;
          return [edge, tone, style.stroke, parseFloat(style.strokeWidth), style.strokeDasharray];
        })"""
    )
    found = {edge: look for edge, *look in looks}
    assert len(found) == len(effects)
    widths = {}
    for row in effects.sort_values("effect", key=abs).itertuples():
        tone, stroke, width, dashes = found[f"{data.index(row.x)}-{data.index(row.y)}"]
        sign = "positive" if row.effect > 0 else "negative"
        assert tone == ("unsigned" if row.kind == "strength" else sign)
        red, green, blue = bytes.fromhex(getattr(LIGHT, tone)[1:])
        assert stroke == f"rgb({red}, {green}, {blue})"
        assert (dashes != "none") == (tone == "negative")
        widths.setdefault(row.kind, []).append(width)
    assert all(of == sorted(of) for of in widths.values())
    assert len({of[-1] for of in widths.values()}) == 1
    assert max(of[-1] / of[0] for of in widths.values()) > 1.5
    for tone in ("positive", "negative", "unsigned", "width", "opacity"):
        expect(view.locator(f".swatch.line-{tone}")).to_be_visible()
    negative.focus()
    expect(view.locator(".tooltip")).to_contain_text("goes with")


def test_two_clicks_enter_a_pair_that_can_be_removed(page):
    view = open_view(page, "network", "coronary&search=auto")
    edge = view.locator('[data-edge="0-5"]')
    expect(edge).to_have_count(0)
    for picked, node in enumerate((0, 5), start=1):
        view.locator(".node").nth(node).click()
        expect(view.locator('.node[data-role="pick"]')).to_have_count(picked)
    page.locator(".st-key-network-known-picked-add").get_by_role("button").click()
    expect(edge).to_have_attribute("data-tone", re.compile(r"^\w+ required$"))
    expect(edge).to_have_attribute("aria-label", re.compile("you required this edge"))
    expect(page).to_have_url(re.compile(r"known=0\.5(=|%3D)1"))
    page.locator(".st-key-network-known").get_by_role("button").first.click()
    page.locator(".st-key-network-known-remove-0").get_by_role("button").click()
    expect(edge).to_have_count(0)
    expect(page).not_to_have_url(re.compile("known="))


POINT = re.compile(r"ln BJP (\S+) · ln MPL (\S+) · (\d+) edges?")


def test_a_click_on_a_point_shows_its_graph(page):
    tables = {method: bjp.all_graphs(coronary(), method) for method in ("bjp", "mpl")}
    open_view(page, "graphs", "coronary", "networks")
    chart = page.locator(".st-key-graphs-scatter")
    chart.scroll_into_view_if_needed()
    point = chart.locator(".scatterlayer .trace").nth(3).locator(".point")
    expect(point).to_be_visible()
    box = point.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    label = chart.locator(".hoverlayer")
    expect(label).to_have_text(POINT)
    shown = POINT.search(label.text_content())
    near = [
        np.abs(tables[method].scores - visits.figure(shown[k])) < 5.1e-5
        for k, method in enumerate(("bjp", "mpl"), 1)
    ]
    (number,) = np.flatnonzero(near[0] & near[1])
    assert tables["bjp"].graph(int(number)).number_of_edges() == int(shown[3])
    page.mouse.click(x, y)
    place = gallery.place_of(tables["bjp"], int(number))
    assert place > 1
    expect(page.get_by_role("spinbutton")).to_have_value(str(place))
