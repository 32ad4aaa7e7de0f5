"""Groups in a browser: networks side by side, the test in a worker, a cancel, a file."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bjp_engine.confidence import choose_groups, compare_all_groups
from bjp_explorer.groups import words
from bjp_explorer.shell import sources
from tests.browser.visits import open_page, view_of

DAYTON = "dayton_drugs&by=3&permutations={}"


def test_the_networks_and_the_test(page: Page, tmp_path: Path) -> None:
    groups = choose_groups(sources.load("dayton_drugs").data, "sex")
    found = compare_all_groups(groups, search="ibmap-hc", permutations=99)
    (one,) = found.pairs.values()
    open_page(page, "groups", data=DAYTON.format(99))
    view = view_of(page, "networks")
    panels = view.locator("[data-panel]")
    for k, graph in enumerate((one.graph_a, one.graph_b)):
        expect(panels.nth(k).locator(".edge")).to_have_count(graph.number_of_edges())
    both = sum(one.graph_a.has_edge(*pair) for pair in one.graph_b.edges)
    expect(panels.nth(1).locator('[data-tone="all"]')).to_have_count(both)
    page.get_by_role("button", name=words.TEST).click()
    expect(page.get_by_text(words.PAPER)).to_be_visible()
    expect(page.get_by_text("by 99 permutations")).to_be_visible()
    page.get_by_role("button", name="Download", exact=True).click()
    with page.expect_download() as waited:
        page.get_by_role("button", name=words.PAIRS_CSV).click()
    target = tmp_path / "pairs.csv"
    waited.value.save_as(target)
    with target.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["x"], row["y"]) for row in rows] == list(
        zip(one.edges.x, one.edges.y, strict=True)
    )
    assert [float(row["difference"]) for row in rows] == pytest.approx(one.edges["difference"])


def test_a_cancel_ends_the_test_at_once(page: Page) -> None:
    open_page(page, "groups", data=DAYTON.format(10_000))
    page.get_by_role("button", name=words.TEST).click()
    expect(page.get_by_text("of 10,000 permutations")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(f"{words.TESTING} was cancelled.")).to_be_visible(timeout=10_000)
    expect(page.get_by_role("button", name="Run it again")).to_be_visible()
