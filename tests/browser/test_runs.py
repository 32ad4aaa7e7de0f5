"""Work that takes long: it is watched, cancelled, resumed, and keeps no server from ending."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import bjp_engine as bjp
from bjp_engine.confidence import choose_groups, compare_all_groups
from bjp_engine.experiments import read_results
from bjp_explorer.groups import words as group_words
from bjp_explorer.shell import sources
from tests.browser.conftest import ROOT, serve
from tests.browser.visits import (
    PAGES,
    at_rest,
    at_step,
    choose,
    choose_from_list,
    follow,
    open_page,
    open_view,
    option_of,
    rest,
    running,
    save_as,
    take_keys,
    view_of,
)

# The IB-score makes a hundred flips on these.
FLIPS, OTHER = (f"net:adj-noun:log-odds:10000:{seed}" for seed in (1, 2))
NOT_RAISED = str(bjp.search.StopReason.NOT_RAISED)
ONE_DIGIT, TWO_DIGITS = re.compile(r"^\d$"), re.compile(r"^\d\d$")


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def test_running_climbs_are_followed_and_cancelled(
    new_page: Callable[..., Page], tmp_path: Path
) -> None:
    """At a server whose searches rest before each step for as long as a file says."""
    pause = tmp_path / "rest.txt"
    # What it imports before the app does is this checkout's, too.
    path = os.pathsep.join((str(Path(__file__).parent / "slowly"), str(ROOT)))
    pause.write_text("0")
    with serve(tmp_path, PYTHONPATH=path, BJP_REST=str(pause)) as server:
        page = new_page(at=server)
        # The places of the variables come from what BJP learns. A server's first visit may go to
        # any page.
        view = open_view(page, "climb", FLIPS)
        links = page.get_by_test_id("stSidebarNav").get_by_role("link")
        expect(links).to_have_text(list(PAGES.values()))
        expect(page.get_by_text("ln BJP =")).to_be_visible()
        pause.write_text("0.5")
        page.goto(f"/climb?data={FLIPS}&score=ib")
        cancel, following = button(page, "Cancel"), view.get_by_title("Follow the run")
        expect(cancel).to_be_visible()
        expect(view).to_have_attribute("data-steps", TWO_DIGITS)
        expect(following).to_be_visible()
        cancel.click()
        expect(page.get_by_text("Learning with IB-score was cancelled.")).to_be_visible()
        take_keys(view)
        page.keyboard.press("End")
        expect(view.locator('[data-metric="stop"]')).to_contain_text("cancelled")
        stopped = int(view.get_attribute("data-steps"))
        # It begins again from no step.
        pause.write_text("3")
        button(page, "Run it again").click()
        expect(following).to_be_visible()
        expect(view).to_have_attribute("data-steps", ONE_DIGIT)
        view.evaluate("view => view.setAttribute('data-met', 'running')")
        pause.write_text("0")
        expect(page.get_by_text("ln IB-score =")).to_be_visible()
        # What one has zoomed and stepped to is not lost at the end: it is still the same view.
        expect(view).to_have_attribute("data-met", "running")
        expect(view.locator('[data-metric="stop"]')).to_contain_text(NOT_RAISED)
        assert int(view.get_attribute("data-steps")) > stopped

        # Two at once, of other data.
        open_view(page, "climb", OTHER)
        expect(page.get_by_text("ln BJP =")).to_be_visible()
        pause.write_text("0.5")
        page.goto(f"/climb?data={OTHER}&score=ib&beside=search&beside-search=hill-climb&step=2")
        view = view_of(page, "duel")
        expect(cancel).to_have_count(2)
        expect(view.get_by_title("Follow the run")).to_be_visible()
        for name in ("first", "second"):
            some = re.compile(r"^([2-9]|\d\d+)$")
            expect(view.locator(f'[data-side="{name}"]')).to_have_attribute("data-step", some)
        reached = view.get_attribute("data-steps")
        expect(view).not_to_have_attribute("data-steps", reached)
        assert view.evaluate("({ dataset }) => dataset.step === dataset.steps")
        for left in (1, 0):
            cancel.last.click()
            expect(cancel).to_have_count(left)
        expect(page.get_by_text("was cancelled.")).to_have_count(2)
        # The link asked for a step of climbs that had to run first.
        at_step(view, 2)
        rest(page)
        page.context.close()


def test_a_bootstrap_that_is_cancelled_keeps_what_it_made(page: Page) -> None:
    karate = "net:karate:clique-log-weights:1000:0"
    view = open_view(page, "network", f"{karate}&edges=probability")
    edges = view.locator('[data-tone="plain"][data-edge]')
    choose(page, "network-kind", "Bootstrap")
    resamples = page.locator(".st-key-network-resamples input")
    resamples.fill("2000")
    with running(page):
        resamples.press("Enter")
    button(page, "Learn from 2,000 resamples").click()
    expect(page.get_by_text(re.compile(r"[1-9][0-9]* of 2,000 resamples"))).to_be_visible()
    button(page, "Cancel").click()
    ended = page.get_by_text(re.compile(r"was cancelled after [\d,]+ of 2,000"))
    expect(ended).to_be_visible()
    made = re.search(r"after ([\d,]+) of", ended.inner_text())
    expect(page.get_by_text(f"learned from {made[1]} resample")).to_be_visible()
    expect(edges.first).to_be_attached()
    choose(page, "network-kind", "BJP’s test")
    expect(page.get_by_text("the one test that BJP computes")).to_be_visible()
    choose(page, "network-search", "Auto")
    choose(page, "network-search", "The paper’s (IBMAP-HC)")
    graph = bjp.learn(sources.load(karate).data, search="ibmap-hc").graph
    expect(edges).to_have_count(graph.number_of_edges())


def test_groups_are_compared_after_one_comparison_was_cancelled(page: Page) -> None:
    data = "dayton_drugs&by=3&permutations={}"
    open_page(page, "groups", data.format(10_000))
    button(page, group_words.TEST).click()
    expect(page.get_by_text("of 10,000 permutations")).to_be_visible()
    button(page, "Cancel").click()
    expect(page.get_by_text(f"{group_words.TESTING} was cancelled.")).to_be_visible()
    expect(button(page, "Run it again")).to_be_visible()

    groups = choose_groups(sources.load("dayton_drugs").data, "sex")
    found = compare_all_groups(groups, search="ibmap-hc", permutations=99)
    (one,) = found.pairs.values()
    panels = open_view(page, "groups", data.format(99)).locator("[data-panel]")
    for k, graph in enumerate((one.graph_a, one.graph_b)):
        expect(panels.nth(k).locator(".edge")).to_have_count(graph.number_of_edges())
    both = sum(one.graph_a.has_edge(*pair) for pair in one.graph_b.edges)
    expect(panels.nth(1).locator('[data-tone="all"]')).to_have_count(both)
    button(page, group_words.TEST).click()
    expect(page.get_by_text(group_words.PAPER)).to_be_visible()
    expect(page.get_by_text("by 99 permutations")).to_be_visible()
    ((_, content),) = save_as(page, group_words.PAIRS_CSV).values()
    lines = content.decode("utf-8-sig").splitlines()
    names = lines[0].split(",")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]
    assert [(row["x"], row["y"]) for row in rows] == [*zip(one.edges.x, one.edges.y, strict=True)]
    assert [float(row["difference"]) for row in rows] == pytest.approx(one.edges["difference"])


def test_an_experiment_runs_is_cancelled_and_resumed(
    tmp_path: Path, new_page: Callable[..., Any]
) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    with serve(tmp_path, BJP_RESULTS_DIR=str(folder)) as server:
        page = new_page(at=server)
        page.goto("/reproduce?table=1&size=glance")
        at_rest(page, "reproduce")
        expect(page.get_by_text("the page shows the included results")).to_be_visible()
        button(page, "Run").click()
        expect(button(page, "Cancel")).to_be_visible()
        # The session isn't kept waiting: another table is there at once, and the run goes on.
        choose(page, "reproduce-table", "2 · Hubs")
        expect(page.get_by_text("Table 2:")).to_be_visible()
        choose(page, "reproduce-table", "1 · Six nodes")
        expect(page.get_by_text("All of them are done")).to_be_visible()
        expect(page.get_by_text(re.compile("All 108 rows .* are identical"))).to_be_visible()
        expect(page.get_by_text("shows the included results")).to_have_count(0)

        # Long enough to be cancelled on any machine.
        choose(page, "reproduce-table", "4 · Real")
        choose_from_list(page, "reproduce-size", "Complete run")
        button(page, "Run").click()
        expect(page.get_by_text(re.compile(r"[1-9][\d,]* of 10,800 searches"))).to_be_visible()
        expect(page.get_by_text(re.compile(r"per second · about .* left"))).to_be_visible()
        button(page, "Cancel").click()
        expect(button(page, "Resume")).to_be_visible()
        done = re.search(r"([\d,]+) are done", page.get_by_test_id("stMain").inner_text())
        before = int(done[1].replace(",", ""))
        assert before > 0
        expect(page).to_have_url("/reproduce?data=coronary&table=4&size=full")

        # A second visit finds what the first has made, and goes on while the server ends.
        other = new_page(at=server)
        other.goto("/reproduce?table=4&size=full")
        at_rest(other, "reproduce")
        button(other, "Resume").click()
        expect(button(other, "Cancel")).to_be_visible()
        other.wait_for_function(
            """before => {
                const text = document.querySelector('[data-testid="stMain"]').innerText;
                const found = /([\\d,]+) of 10,800 searches/.exec(text);
                return found && Number(found[1].replaceAll(",", "")) > before;
            }""",
            arg=before,
        )
        page.context.close()
        other.context.close()
    # Where a process had to be killed, `serve` fails. No worker outlives the server either: a
    # results file that is still open has a log beside it.
    assert {path.suffix for path in folder.iterdir()} == {".db"}
    (path,) = folder.glob("table-4-*.db")
    assert before <= len(read_results(path)) < 10_800


def test_a_table_of_the_paper_has_its_link_and_its_files(page: Page) -> None:
    open_page(page, "reproduce")
    expect(option_of(page, "reproduce-table", "1 · Six nodes")).to_be_checked()
    expect(option_of(page, "reproduce-draw", "Success rate")).to_be_checked()
    size = page.locator(".st-key-reproduce-size").get_by_role("combobox")
    expect(size).to_have_value("Included")
    files = {
        "All rows (CSV)": b"experiment,network,rows",
        "Report with figures (HTML)": b"<!doctype html>",
    }
    for label, (_, content) in save_as(page, *files).items():
        assert content.startswith(files[label]), label

    open_page(page, "reproduce", "coronary&table=3&show=times")
    expect(page.get_by_text("Table 3:")).to_be_visible()
    expect(page.get_by_text("Mean seconds per search over N")).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(4)
    choose(page, "reproduce-table", "2 · Hubs")
    choose(page, "reproduce-draw", "Hamming distance")
    expect(page).to_have_url("/reproduce?data=coronary&table=2")
    follow(page, "data")
    follow(page, "reproduce")
    expect(page.get_by_text("Table 2:")).to_be_visible()
