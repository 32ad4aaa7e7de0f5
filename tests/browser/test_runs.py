"""Work that takes long: it is watched, cancelled, resumed, and keeps no server from ending."""

import os
import re
from pathlib import Path

from playwright.sync_api import expect

import bjp_engine as bjp
from tests.browser import visits
from tests.browser.conftest import ROOT, serve
from tests.browser.visits import open_view

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
