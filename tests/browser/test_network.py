"""Your network and All graphs in a browser: what is drawn is what the engine found."""

import re
from itertools import combinations

import numpy as np
import pytest
from playwright.sync_api import expect

import bjp_engine as bjp
from bjp_explorer.graphs import gallery
from bjp_explorer.shell import sources
from bjp_explorer.views.palette import DARK, LIGHT
from tests.browser import visits
from tests.browser.visits import coronary, open_view

LEGEND = ("positive", "negative", "unsigned")


def in_css(colour):
    return f"rgb{tuple(bytes.fromhex(colour[1:]))}"


@pytest.mark.filterwarnings("ignore:Some states of Class")
def test_a_network_is_drawn_asked_and_given_what_is_known(page):
    data = sources.load("titanic").data
    effects = bjp.fit_parameters(data, bjp.learn(data, "bjp", "auto").graph, "auto").effects()
    verdicts = bjp.edge_probabilities(data).verdicts().set_index(["x", "y"])["verdict"]
    view = open_view(page, "network", "titanic")
    expect(view.locator('[data-edge][data-tone="negative"]').first).to_be_attached()
    looks = view.locator("[data-edge][data-weight]").evaluate_all(
        """groups => groups.map((group) => {
          const style = getComputedStyle(group.querySelector(".ink"));
          const { edge, tone } = group.dataset;
          return [edge, tone, style.stroke, parseFloat(style.strokeWidth), style.strokeDasharray];
        })"""
    )
    found, widths = {edge: look for edge, *look in looks}, {}
    assert len(found) == (verdicts == "present").sum()
    for row in effects.sort_values("effect", key=abs).itertuples():
        if verdicts[row.x, row.y] != "present":
            continue
        tone, stroke, width, dashes = found[f"{data.index(row.x)}-{data.index(row.y)}"]
        sign = "positive" if row.effect > 0 else "negative"
        assert tone == ("unsigned" if row.kind == "strength" else sign)
        assert stroke == in_css(getattr(LIGHT, tone))
        assert (dashes != "none") == (tone == "negative")
        widths.setdefault(row.kind, []).append(width)
    assert all(of == sorted(of) for of in widths.values())
    assert max(of[-1] / of[0] for of in widths.values()) > 1.5
    for mark in (*(f':has([data-tone="{tone}"])' for tone in LEGEND), ".line-width"):
        expect(view.locator(f".swatch{mark}")).to_be_visible()
    view.locator('[data-edge][data-tone="negative"]').first.focus()
    expect(view.locator(".tooltip")).to_contain_text("goes with")
    # Undecided pairs are dashed, of whatever sign. A page can be dark.
    page.emulate_media(color_scheme="dark")
    view = open_view(page, "network", "coronary")
    dashed = view.locator('[data-edge][data-tone="undecided"]')
    expect(dashed).to_have_count(0)
    page.get_by_text("Show undecided pairs").click()
    sure = bjp.edge_probabilities(coronary())
    expect(dashed).to_have_count(int((sure.verdicts()["verdict"] == "undecided").sum()))
    expect(page).to_have_url(re.compile("undecided=1"))
    # It can be dragged in a frame, whose scripts have an origin of their own and reach nothing.
    page.get_by_text("Drag and zoom").click()
    expect(page.frame_locator("iframe").locator("canvas")).to_be_visible()
    (frame,) = page.frames[1:]
    assert frame.evaluate("self.origin") == "null"
    assert frame.evaluate("network.body.nodeIndices.length") == coronary().n
    # It takes the colours of the theme while it is shown.
    drawing = page.frame_locator("iframe").locator("#mynetwork")
    for scheme, palette in (("dark", DARK), ("light", LIGHT), ("dark", DARK)):
        page.emulate_media(color_scheme=scheme)
        expect(drawing).to_have_css("background-color", in_css(palette.paper))
    # What is known is a table, whose lines are links, too.
    view = open_view(page, "network", "coronary&known=0.5=1")
    edge = view.locator('[data-edge="0-5"]')
    expect(edge).to_have_attribute("data-tone", re.compile(r"^\w+ required$"))
    expect(edge).to_have_attribute("aria-label", re.compile("you required this edge"))
    page.locator(".st-key-network-known").get_by_role("button").first.click()
    table = page.get_by_test_id("stPopoverBody").get_by_test_id("stDataFrame")
    lines = table.locator('canvas [role="row"]')
    expect(lines).to_have_count(2)
    table.locator("canvas").first.click(position={"x": 14, "y": 52}, force=True)
    expect(lines.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Delete")
    expect(edge).to_have_count(0)
    expect(page).not_to_have_url(re.compile("known="))


def test_names_are_apart_in_the_small_pictures_on_a_phone(new_page):
    page = new_page(**visits.PHONE)
    for data in ("coronary", "supreme_court~0.1.2.3.4.5"):
        open_view(page, "graphs", data, "networks")
        panels = page.locator(".st-key-graphs-best .panel")
        expect(panels).to_have_count(10)
        for panel in panels.all():
            boxes = [label.bounding_box() for label in panel.locator("text.label").all()]
            for a, b in combinations(boxes, 2):
                across = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
                down = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
                # The boxes of two lines of text share the space between lines.
                assert across < 1 or down < 4, (data, a, b)


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
