"""Work that takes long: it is watched, cancelled, resumed, and keeps no server from ending."""

import os
import re
from pathlib import Path

from playwright.sync_api import expect

import bjp_engine as bjp
from bjp_engine.experiments import read_results
from bjp_explorer.groups import words as group_words
from tests.browser import visits
from tests.browser.conftest import ROOT, serve
from tests.browser.visits import at_rest, choose, choose_from_list, open_page, open_view

# The IB-score makes a hundred flips on these.
FLIPS, OTHER = (f"net:adj-noun:log-odds:10000:{seed}" for seed in (1, 2))
NOT_RAISED = str(bjp.search.StopReason.NOT_RAISED)
ONE_DIGIT, TWO_DIGITS = re.compile(r"^\d$"), re.compile(r"^\d\d$")
SOME = re.compile(r"^([2-9]|\d\d+)$")


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def test_running_climbs_are_followed_and_cancelled(new_page, tmp_path):
    """At a server whose searches rest before each step for as long as a file says."""
    pause = tmp_path / "rest.txt"
    # What it imports before the app does is this checkout's, too.
    path = os.pathsep.join((str(Path(__file__).parent / "slowly"), str(ROOT)))
    pause.write_text("0")
    with serve(tmp_path, PYTHONPATH=path, BJP_REST=str(pause)) as server:
        # The places of the variables come from what BJP learns. A server's first visit may go to
        # any page.
        page = new_page(at=server)
        view = open_view(page, "climb", FLIPS)
        links = page.get_by_test_id("stSidebarNav").get_by_role("link")
        expect(links).to_have_text(list(visits.PAGES.values()))
        expect(page.get_by_text("ln BJP =")).to_be_visible()
        pause.write_text("0.5")
        page.goto(f"/climb?data={FLIPS}&score=ib")
        cancel, following = button(page, "Cancel"), view.get_by_title("Follow the run")
        stop = view.locator('[data-metric="stop"]')
        expect(cancel).to_be_visible()
        expect(view).to_have_attribute("data-steps", TWO_DIGITS)
        expect(following).to_be_visible()
        cancel.click()
        expect(page.get_by_text("Learning with IB-score was cancelled.")).to_be_visible()
        visits.take_keys(view)
        page.keyboard.press("End")
        expect(stop).to_contain_text("cancelled")
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
        expect(stop).to_contain_text(NOT_RAISED)
        assert int(view.get_attribute("data-steps")) > stopped

        # Two at once, of other data.
        open_view(page, "climb", OTHER)
        expect(page.get_by_text("ln BJP =")).to_be_visible()
        pause.write_text("0.5")
        page.goto(f"/climb?data={OTHER}&score=ib&beside=search&beside-search=hill-climb&step=2")
        view = visits.view_of(page, "duel")
        expect(cancel).to_have_count(2)
        expect(view.get_by_title("Follow the run")).to_be_visible()
        for name in ("first", "second"):
            expect(view.locator(f'[data-side="{name}"]')).to_have_attribute("data-step", SOME)
        reached = view.get_attribute("data-steps")
        expect(view).not_to_have_attribute("data-steps", reached)
        assert view.evaluate("({ dataset }) => dataset.step === dataset.steps")
        for left in (1, 0):
            cancel.last.click()
            expect(cancel).to_have_count(left)
        expect(page.get_by_text("was cancelled.")).to_have_count(2)
        # The link asked for a step of climbs that had to run first.
        visits.at_step(view, 2)
        visits.rest(page)
        page.context.close()


def test_a_comparison_of_groups_is_cancelled(page):
    open_page(page, "groups", "dayton_drugs&by=3&permutations=10000")
    button(page, group_words.TEST).click()
    expect(page.get_by_text("of 10,000 permutations")).to_be_visible()
    button(page, "Cancel").click()
    expect(page.get_by_text(f"{group_words.TESTING} was cancelled.")).to_be_visible()
    expect(button(page, "Run it again")).to_be_visible()


# Whether an experiment has made more searches than before.
MORE = """before => {
    const text = document.querySelector('[data-testid="stMain"]').innerText;
    const found = /([\\d,]+) of 10,800 searches/.exec(text);
    return found && Number(found[1].replaceAll(",", "")) > before;
}"""


def test_an_experiment_runs_is_cancelled_and_resumed(tmp_path, new_page):
    folder = tmp_path / "results"
    folder.mkdir()
    with serve(tmp_path, BJP_RESULTS_DIR=str(folder)) as server:
        page = new_page(at=server)
        page.goto("/reproduce?table=1&size=glance")
        at_rest(page, "reproduce")
        included = page.get_by_text("shows the included results")
        expect(included).to_be_visible()
        button(page, "Run").click()
        expect(button(page, "Cancel")).to_be_visible()
        # The session isn't kept waiting: another table is there at once, and the run goes on.
        choose(page, "reproduce-table", "2 · Hubs")
        expect(page.get_by_text("Table 2:")).to_be_visible()
        choose(page, "reproduce-table", "1 · Six nodes")
        expect(page.get_by_text(re.compile("All 108 rows .* are identical"))).to_be_visible()
        expect(included).to_have_count(0)

        # Long enough to be cancelled on any machine.
        choose(page, "reproduce-table", "4 · Real")
        choose_from_list(page, "reproduce-size", "Complete run")
        button(page, "Run").click()
        page.wait_for_function(MORE, arg=0)
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
        other.wait_for_function(MORE, arg=before)
        page.context.close()
        other.context.close()
    # Where a process had to be killed, `serve` fails. No worker outlives the server either: a
    # results file that is still open has a log beside it.
    assert {path.suffix for path in folder.iterdir()} == {".db"}
    (path,) = folder.glob("table-4-*.db")
    assert before <= len(read_results(path)) < 10_800
