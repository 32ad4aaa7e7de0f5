"""Your network in a browser: the slider, the kinds of confidence, a cancelled bootstrap, a file."""

from __future__ import annotations

import re
from pathlib import Path

import networkx as nx
from playwright.sync_api import Page, expect

import bjp_engine as bjp
from bjp_explorer.shell import sources
from bjp_explorer.views.palette import LIGHT
from tests.browser.visits import RESTING, choose, open_page, view_of

KARATE = "net:karate:clique-log-weights:1000:0"
EDGES = '[data-tone="plain"][data-edge]'


def hide_below(page: Page, hundredths: int) -> None:
    """Move the threshold by the keys."""
    slider = page.locator(".st-key-network-threshold input")
    slider.focus()
    page.keyboard.press("Home")
    for _ in range(hundredths):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".st-key-network-threshold")).to_contain_text(f"{hundredths / 100:.2f}")
    expect(page.locator(RESTING)).to_be_attached()


def test_edges_are_as_wide_as_sure_and_the_slider_hides_them(page: Page, tmp_path: Path) -> None:
    data = sources.load("coronary").data
    graph = bjp.learn(data, "bjp", "auto").graph
    sure = bjp.edge_probabilities(data)
    open_page(page, "network", data="coronary&search=auto&edges=probability")
    view = view_of(page, "networks")
    edges = view.locator(EDGES)
    expect(edges).to_have_count(graph.number_of_edges())
    wide = edges.locator(".ink").evaluate_all(
        "lines => lines.map(line => parseFloat(getComputedStyle(line).strokeWidth))"
    )
    ends = edges.evaluate_all("groups => groups.map(group => group.dataset.edge)")
    found = {
        tuple(int(i) for i in pair.split("-")): width
        for pair, width in zip(ends, wide, strict=True)
    }
    order = sorted(found, key=lambda pair: float(sure.matrix[pair]))
    assert [found[pair] for pair in order] == sorted(found.values())
    assert max(found.values()) > 1.3 * min(found.values())

    weakest = order[0]
    edge = view.locator(f'[data-edge="{weakest[0]}-{weakest[1]}"]')
    edge.focus()
    told = f"calibrated probability {sure.matrix[weakest]:.4f}"
    expect(view.locator(".tooltip")).to_contain_text(told)
    expect(edge).to_have_attribute("aria-label", re.compile(re.escape(told)))

    hide_below(page, 95)
    kept = {pair for pair in found if sure.matrix[pair] >= 0.95}
    expect(edges).to_have_count(len(kept))
    expect(page.get_by_text("hidden here")).to_be_visible()
    page.locator(".st-key-network-download").get_by_role("button").click()
    with page.expect_download() as coming:
        page.get_by_role("button", name="GraphML").click()
    saved = tmp_path / "graph.graphml"
    coming.value.save_as(saved)
    read = nx.read_graphml(saved)
    assert {tuple(sorted((data.index(u), data.index(v)))) for u, v in read.edges} == kept
    for u, v, known in read.edges(data=True):
        assert known["probability"] == sure.of(u, v).confidence


def test_effects_have_a_hue_a_dash_and_a_width(page: Page) -> None:
    data = sources.load("titanic").data
    effects = bjp.fit_parameters(data, bjp.learn(data, "bjp", "auto").graph, "auto").effects()
    open_page(page, "network", data="titanic&search=auto")
    view = view_of(page, "networks")
    drawn = view.locator("[data-edge][data-weight]")
    expect(view.locator('[data-tone="negative"]').first).to_be_attached()
    looks = drawn.evaluate_all(
        """groups => groups.map((group) => {
          const style = getComputedStyle(group.querySelector(".ink"));
          const { edge, tone } = group.dataset;
          return [edge, tone, style.stroke, parseFloat(style.strokeWidth), style.strokeDasharray];
        })"""
    )
    found = {edge: look for edge, *look in looks}
    assert len(found) == len(effects)
    widths = dict[str, list[float]]()
    for row in effects.sort_values("effect", key=abs).itertuples():
        edge = f"{data.index(row.x)}-{data.index(row.y)}"
        tone, stroke, width, dashes = found[edge]
        sign = "positive" if row.effect > 0 else "negative"
        assert tone == ("unsigned" if row.kind == "strength" else sign)
        hue = getattr(LIGHT, tone)
        assert stroke == f"rgb({', '.join(str(int(hue[k : k + 2], 16)) for k in (1, 3, 5))})"
        assert (dashes != "none") == (tone == "negative")
        widths.setdefault(row.kind, []).append(width)
    assert all(of == sorted(of) for of in widths.values())
    assert len({of[-1] for of in widths.values()}) == 1
    assert max(of[-1] / of[0] for of in widths.values()) > 1.5
    for tone in ("positive", "negative", "unsigned", "width", "opacity"):
        expect(view.locator(f".swatch.line-{tone}")).to_be_visible()
    view.locator('[data-tone="negative"]').first.focus()
    expect(view.locator(".tooltip")).to_contain_text("goes with")


def test_kinds_are_switched_and_a_cancel_leaves_what_was_made(page: Page) -> None:
    open_page(page, "network", data=f"{KARATE}&edges=probability")
    view = view_of(page, "networks")
    choose(page, "network-kind", "Bootstrap")
    resamples = page.locator(".st-key-network-resamples input")
    resamples.fill("2000")
    resamples.press("Enter")
    page.get_by_role("button", name="Learn from 2,000 resamples").click()
    expect(page.get_by_text(re.compile(r"[1-9][0-9]* of 2,000 resamples"))).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    told = page.get_by_text(re.compile(r"was cancelled after [\d,]+ of 2,000"))
    expect(told).to_be_visible()
    made = re.search(r"after ([\d,]+) of", told.inner_text())
    assert made is not None
    expect(page.get_by_text(f"learned from {made[1]} resample")).to_be_visible()
    expect(view.locator(EDGES).first).to_be_attached()

    choose(page, "network-kind", "BJP’s test")
    expect(page.get_by_text("the one test that BJP computes")).to_be_visible()
    choose(page, "network-search", "Auto")
    choose(page, "network-search", "The paper’s (IBMAP-HC)")
    graph = bjp.learn(sources.load(KARATE).data, search="ibmap-hc").graph
    expect(view.locator(EDGES)).to_have_count(graph.number_of_edges())


def test_two_clicks_enter_a_pair_that_can_be_removed(page: Page) -> None:
    open_page(page, "network", data="coronary&search=auto")
    view = view_of(page, "networks")
    expect(view.locator('[data-edge="0-5"]')).to_have_count(0)
    for node in (0, 5):
        view.locator(".node").nth(node).click()
        expect(view.locator('.node[data-role="pick"]')).to_have_count(1 + node // 5)
    page.locator(".st-key-network-known-picked-add").get_by_role("button").click()
    edge = view.locator('[data-edge="0-5"]')
    expect(edge).to_have_attribute("data-tone", re.compile(r"^\w+ required$"))
    expect(edge).to_have_attribute("aria-label", re.compile("you required this edge"))
    expect(page.get_by_text("learned by auto with 1 required pair").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"known=0\.5(=|%3D)1"))

    page.locator(".st-key-network-known").get_by_role("button").first.click()
    page.locator(".st-key-network-known-remove-0").get_by_role("button").click()
    expect(edge).to_have_count(0)
    expect(page).not_to_have_url(re.compile("known="))
