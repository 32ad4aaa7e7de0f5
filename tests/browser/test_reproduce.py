"""Reproduce the paper in a browser: a run to its end, one that is cancelled and gone on with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bjp_engine.experiments import read_results
from tests.browser.conftest import Server, serving
from tests.browser.visits import at_rest, choose, follow, open_page, selected

NAME = "reproduce"
# Workers start, and on a busy machine that takes a while.
LONG = 120_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the server keeps its results files."""
    made = tmp_path / "results"
    made.mkdir()
    return made


@pytest.fixture
def running(tmp_path: Path, folder: Path) -> Iterator[Server]:
    """A server with no runs yet."""
    with serving(tmp_path / "log.txt", BJP_RESULTS_DIR=str(folder)) as server:
        yield server


def done(page: Page) -> int:
    """How many learns the page says are done, in its bar or beside its button."""
    found = re.search(
        r"([\d,]+) (?:of [\d,]+ searches|are done)", page.get_by_test_id("stMain").inner_text()
    )
    return int(found[1].replace(",", "")) if found else 0


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


# The server stands first, so that it outlives the pages.
def test_run_cancel_and_resume(running: Server, folder: Path, new_page: Callable[..., Any]) -> None:
    page = new_page(at=running)
    page.goto("/reproduce?table=1&size=glance")
    at_rest(page, NAME)
    expect(page.get_by_text("the page shows the included results")).to_be_visible()
    button(page, "Run").click()
    expect(button(page, "Cancel")).to_be_visible()
    # The session isn't kept waiting: another table is there at once, and the run goes on.
    choose(page, "reproduce-table", "2 · Hubs")
    expect(page.get_by_text("Table 2:")).to_be_visible()
    choose(page, "reproduce-table", "1 · Six nodes")
    expect(page.get_by_text("All of them are done")).to_be_visible(timeout=LONG)
    expect(page.get_by_text(re.compile("All 108 rows .* are identical"))).to_be_visible()
    expect(page.get_by_text("shows the included results")).to_have_count(0)

    # Long enough to be cancelled on any machine.
    choose(page, "reproduce-table", "4 · Real")
    page.locator(".st-key-reproduce-size").get_by_role("combobox").click()
    page.get_by_role("option", name="Complete run").click()
    button(page, "Run").click()
    expect(page.get_by_text(re.compile(r"[1-9][\d,]* of 10,800 searches"))).to_be_visible(
        timeout=LONG
    )
    expect(page.get_by_text(re.compile(r"per second · about .* left"))).to_be_visible()
    button(page, "Cancel").click()
    expect(button(page, "Resume")).to_be_visible()
    before = done(page)
    assert before > 0
    expect(page).to_have_url("/reproduce?data=coronary&table=4&size=full")

    # A second visit finds what the first has made.
    other = new_page(at=running)
    other.goto("/reproduce?table=4&size=full")
    at_rest(other, NAME)
    button(other, "Resume").click()
    expect(button(other, "Cancel")).to_be_visible()
    for _ in range(600):
        if done(other) > before:
            break
        other.wait_for_timeout(200)
    assert done(other) > before
    button(other, "Cancel").click()
    expect(button(other, "Resume")).to_be_visible()
    (path,) = folder.glob("table-4-*.db")
    assert len(read_results(path)) >= before


def test_a_link_leads_to_what_was_shown(page: Page) -> None:
    page.goto("/reproduce?table=3&show=times")
    at_rest(page, NAME)
    expect(page.get_by_text("Table 3:")).to_be_visible()
    expect(page.get_by_text("Mean seconds per search over N")).to_be_visible()
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(4)
    choose(page, "reproduce-table", "2 · Hubs")
    choose(page, "reproduce-draw", "Hamming distance")
    expect(page).to_have_url("/reproduce?data=coronary&table=2")
    follow(page, "data")
    follow(page, NAME)
    expect(page.get_by_text("Table 2:")).to_be_visible()


def test_report_and_rows_are_downloaded(page: Page, tmp_path: Path) -> None:
    open_page(page, NAME)
    assert selected(page, "reproduce-table") == "1 · Six nodes"
    size = page.locator(".st-key-reproduce-size").get_by_role("combobox")
    expect(size).to_have_value("Included")
    assert selected(page, "reproduce-draw") == "Success rate"
    button(page, "Download").click()
    for label, beginning in (
        ("All rows (CSV)", b"experiment,network,rows"),
        ("Report with figures (HTML)", b"<!doctype html>"),
    ):
        with page.expect_download() as waiting:
            button(page, label).click()
        waiting.value.save_as(tmp_path / "file")
        assert (tmp_path / "file").read_bytes().startswith(beginning)


def test_a_run_keeps_no_server_from_ending(
    tmp_path: Path, folder: Path, new_page: Callable[..., Any]
) -> None:
    """Nor do its workers outlive it: the results file has no log, as none has it open."""
    with serving(tmp_path / "log.txt", BJP_RESULTS_DIR=str(folder)) as server:
        page = new_page(at=server)
        page.goto("/reproduce?table=4&size=full")
        at_rest(page, NAME)
        button(page, "Run").click()
        expect(page.get_by_text(re.compile(r"[1-9][\d,]* of 10,800 searches"))).to_be_visible(
            timeout=LONG
        )
        page.context.close()
        assert not (told := server.complaints()), told
    # `serving` fails where it has to kill.
    (path,) = folder.iterdir()
    assert 0 < len(read_results(path)) < 10_800
