"""The player of the Step page: keys, playing, hands, the full screen, low and narrow windows."""

import re
from datetime import datetime

import pytest
from playwright.sync_api import expect

import bjp_engine as bjp
from bjp_explorer.shell import sources
from tests.browser import visits


def index(name):
    """The column of one of coronary's variables."""
    return visits.coronary().index(name)


def toggled(x, y):
    """The score of the learned graph with another edge, or without one."""
    graph = visits.score_of().graph.copy()
    (graph.remove_edge if graph.has_edge(x, y) else graph.add_edge)(x, y)
    return bjp.score(visits.coronary(), graph)


# The leaps of the player from one frame to another, and how often it begins again.
NOTE_STEPS = """view => {
    let last = Number(view.dataset.step);
    Object.assign(view.dataset, { leap: 0, rounds: 0 });
    new MutationObserver(() => {
        const at = Number(view.dataset.step);
        if (at < last) view.dataset.rounds = Number(view.dataset.rounds) + 1;
        view.dataset.leap = Math.max(Number(view.dataset.leap), at - last);
        last = at;
    }).observe(view, { attributeFilter: ["data-step"] });
}"""


KARATE = "net:karate:log-odds:2000:0"


# A page and its view, and how many seconds it plays.
@pytest.mark.parametrize(
    ("name", "data", "component", "seconds"),
    [
        ("step", visits.LARGE, "step", 34),
        ("climb", KARATE, "climb", 1),
        ("climb", f"{KARATE}&beside=score&search=hill-climb", "duel", 1),
    ],
    ids=["step", "climb", "duel"],
)
def test_it_keeps_time_and_is_silent_until_it_rests(new_page, name, data, component, seconds):
    """By a clock that the test moves, a thousand steps of 128 variables are made in 34 seconds."""
    page = new_page(fresh=True)
    sent = visits.sent_by(page)
    view = visits.open_view(page, name, data, component)
    # Of two climbs one may still be learned.
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    visits.rest(page)
    assert int(view.get_attribute("data-steps")) > 60
    view.evaluate(NOTE_STEPS)
    visits.take_keys(view)
    view.get_by_label("Speed").select_option("30")
    visits.press(page, "Home")
    visits.at_step(view, 0)
    visits.frames(page, 30)
    page.clock.install()
    page.clock.pause_at(datetime(2099, 1, 1))
    assert sent
    sent.clear()
    places = visits.positions(view)
    visits.press(page, "Space")
    for second in range(1, seconds + 1):
        page.clock.run_for(1000)
        assert int(view.get_attribute("data-step")) == pytest.approx(30 * second, abs=2)
    assert view.get_attribute("data-leap") == "1"
    # After a slow frame, at most three steps are made at once.
    page.clock.fast_forward(60_000)
    assert int(view.get_attribute("data-step")) == pytest.approx(30 * seconds + 3, abs=2)
    assert int(view.get_attribute("data-leap")) <= 3
    paused = view.evaluate(
        """view => {
            view.querySelector(".control.primary").click();
            return view.dataset.step;
        }"""
    )
    expect(view).to_have_attribute("data-playing", "false")
    page.clock.run_for(200)
    visits.at_step(view, paused)
    assert visits.positions(view) == places
    assert not sent
    # Where it rests is sent within half a second, once, so that it can be found again.
    page.clock.run_for(300)
    page.clock.resume()
    page.wait_for_url(f"**/{name}?*step={paused}")
    assert len([frame for frame in sent if b"settled" in frame]) == 1
    if name == "climb":
        visits.press(page, "Space")
        last = view.get_attribute("data-steps")
        visits.at_step(view, last)
        expect(view).to_have_attribute("data-playing", "false")
        page.wait_for_url(f"**/climb?*step={last}")


def assert_in_sight_when_full(page, view):
    """On the full screen graph, matrix and player are in sight at once, and keys step."""
    visits.take_keys(view)
    page.keyboard.press("f")
    expect(view).to_have_attribute("data-filling", "")
    visits.frames(page, 10)
    for part in (".statement", ".network", ".body", ".player", ".scales"):
        box = view.locator(part).bounding_box()
        assert min(box["x"], box["y"]) >= 0, part
        assert box["x"] + box["width"] <= 1280, part
        assert box["y"] + box["height"] <= 720, part
    page.keyboard.press("ArrowRight")
    visits.at_step(view, 1)
    page.keyboard.press("f")
    expect(view).not_to_have_attribute("data-filling", "")


def test_x_twice_changes_nothing(page):
    """Though ψ is another after the first, and another pair is at the step."""
    terms = visits.score_of().terms

    def another_pair_is_at(step):
        term = terms[step - 1]
        after = toggled(term.x, term.y).terms[step - 1]
        return {after.x, after.y} != {term.x, term.y}

    step = next(filter(another_pair_is_at, range(1, len(terms) + 1)))
    view = visits.open_view(page, "step", f"coronary&step={step}")
    visits.at_step(view, step)
    page.mouse.move(2, 2)
    view.evaluate("view => view.focus()")
    before = set(visits.edges_of(view))
    pair = visits.pair_of((terms[step - 1].x, terms[step - 1].y), visits.coronary())
    edge = view.locator(f'.edge[data-edge="{pair[0]}-{pair[1]}"]')
    for edges in (before ^ {pair}, before):
        page.keyboard.press("x")
        expect(view.locator(".card.change")).to_be_visible()
        expect(edge).to_have_count(int(pair in edges))
        expect(view.locator('[data-tone="pending"]')).to_have_count(0)
        assert set(visits.edges_of(view)) == edges
        visits.at_step(view, step)


def test_the_keys_of_the_legend(page):
    view = visits.open_view(page, "step")
    visits.take_keys(view)
    keys = view.get_by_role("dialog", name="Keys")
    # Its own key closes it, and so do Escape and a press elsewhere.
    for close in (
        lambda: page.keyboard.press("?"),
        lambda: page.keyboard.press("Escape"),
        lambda: visits.take_keys(view),
    ):
        expect(keys).to_be_hidden()
        visits.at_step(view, 0)
        page.keyboard.press("?")
        expect(keys).to_be_visible()
        close()
    expect(keys).to_be_hidden()
    visits.press(page, "End")
    visits.at_step(view, 30)
    visits.press(page, "Home", "ArrowRight", "ArrowRight", "ArrowLeft")
    visits.at_step(view, 1)
    page.keyboard.press("s")
    expect(view.get_by_label("skip inferred")).to_be_checked()
    visits.press(page, "End", "ArrowLeft")
    terms = visits.score_of().terms[:-1]
    visits.at_step(view, max(k for k, term in enumerate(terms, start=1) if term.computed))
    page.keyboard.press("s")
    for pressed in ("true", "false"):
        page.keyboard.press("e")
        expect(view.locator('[data-action="edit"]')).to_have_attribute("aria-pressed", pressed)

    # With the loop it begins again after the end; without it the end is the end.
    page.keyboard.press("l")
    expect(view.get_by_label("loop")).to_be_checked()
    view.get_by_label("Speed").select_option("30")
    view.evaluate(NOTE_STEPS)
    page.keyboard.press("Space")
    expect(view).not_to_have_attribute("data-rounds", "0")
    expect(view).to_have_attribute("data-playing", "true")
    page.keyboard.press("l")
    expect(view).to_have_attribute("data-playing", "false")
    visits.at_step(view, 30)


# Cells slide where the order has changed.
STILL = """card => Promise.allSettled(
    card.getAnimations({ subtree: true }).map(each => each.finished))"""


def test_whose_keys_they_are(page):
    view = visits.open_view(page, "step")
    visits.choose(page, "step-score", "IB-score")
    expect(visits.metric(view, "inferred")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    visits.at_step(view, 1)
    expect(visits.option_of(page, "step-score", "IB-score")).to_be_checked()
    # No key acts while one types: here, in the field of a test with many slices.
    x, y = index("smoking"), index("mental_work")
    view.locator(".card.matrix").evaluate(STILL)
    view.locator(f'.cell[data-x="{x}"][data-y="{y}"]').click()
    field = page.get_by_role("spinbutton")
    expect(field).to_be_visible()
    before = view.get_attribute("data-step")
    field.click()
    visits.press(page, "ArrowRight", "ArrowLeft", "Home", "End", "Space")
    visits.press(page, "s", "l", "p", "e", "x", "f", "?")
    visits.frames(page, 3)
    visits.at_step(view, before)
    expect(view).to_have_attribute("data-playing", "false")
    expect(view).not_to_have_attribute("data-filling", "")
    for box in ("loop", "predict"):
        expect(view.get_by_role("checkbox", name=box)).not_to_be_checked()
    expect(view.locator('[data-action="edit"]')).to_have_attribute("aria-pressed", "false")
    expect(view.get_by_role("dialog", name="Keys")).to_be_hidden()
    visits.take_keys(view)
    page.keyboard.press("ArrowRight")
    visits.at_step(view, int(before) + 1)


def test_a_dragged_node_and_the_zoom_survive(page):
    view = visits.open_view(page, "step")
    # The sidebar is needed later, and takes room.
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_hidden()
    view.hover()
    start = visits.positions(view)
    box = view.locator('[data-node="2"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=2)
    page.mouse.up()
    visits.frames(page, 4)
    dragged = visits.positions(view)
    assert sum(a != b for a, b in zip(start, dragged, strict=True)) == 1
    view.get_by_label("Zoom in").first.click()
    visits.frames(page, 4)
    kept = visits.positions(view)
    assert kept != dragged
    visits.take_keys(view)
    for key in ("End", "Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        visits.frames(page, 2)
        assert visits.positions(view) == kept, key
    for score, steps in (("MPL", 6), ("IB-score", 30), ("BJP", 30)):
        visits.choose(page, "step-score", score)
        expect(view).to_have_attribute("data-steps", str(steps))
        assert visits.positions(view) == kept, score
    visits.take_keys(view)
    visits.press(page, "Home", "ArrowRight", "x")
    expect(view.locator(".card.change")).to_be_visible()
    assert visits.positions(view) == kept
    page.emulate_media(color_scheme="dark")
    expect(view).to_have_attribute("data-theme", "dark")
    visits.frames(page, 4)
    assert visits.positions(view) == kept
    # A view that is mounted again begins with them.
    visits.follow(page, "climb")
    visits.follow(page, "step")
    expect(view).to_be_visible()
    visits.frames(page, 4)
    assert visits.positions(view) == kept
    view.get_by_label("Put the moved nodes back").click()
    visits.frames(page, 4)
    assert visits.positions(view) == start


def test_the_matrix_of_128_is_read_by_hand_and_by_key(page):
    page.set_viewport_size(visits.PROJECTOR["viewport"])
    view = visits.open_view(page, "step", visits.LARGE)
    expect(view).to_have_attribute("data-steps", str(128 * 127))
    assert_in_sight_when_full(page, view)
    visits.press(page, "Home")
    page.set_viewport_size({"width": 1280, "height": 1000})
    grid, callouts = view.get_by_role("grid"), view.locator(".callout")
    expect(callouts.first).to_be_hidden()
    grid.hover(position={"x": 120, "y": 200})
    expect(callouts).to_have_text([re.compile(r"^X\d+ · ψ")] * 2)
    for callout in callouts.all():
        expect(callout).to_be_visible()
    page.mouse.move(2, 2)
    expect(callouts.first).to_be_hidden()

    grid.focus()
    visits.press(page, "Home", "ArrowRight", "ArrowRight", "ArrowDown")
    data = sources.load(visits.LARGE).data
    order = bjp.score(data, bjp.learn(data, search="ibmap-hc").graph).order
    expect(callouts).to_have_text([f"{order[1]} · ψ₁", f"{order[2]} · ψ₂"])
    page.keyboard.press("Enter")
    # The second row; before it 127 terms, and its diagonal is none.
    visits.at_step(view, 127 + 2)
    body = view.locator(".body")
    small = body.bounding_box()
    visits.press(page, "+", "+")
    assert body.bounding_box()["width"] > 2 * small["width"]
    # It scrolls in its own frame, with the current cell in sight.
    ring = view.locator(".current-ring .ring").bounding_box()
    frame = view.locator(".matrix-scroll").bounding_box()
    assert frame["x"] <= ring["x"] <= frame["x"] + frame["width"]
    page.keyboard.press("0")
    assert body.bounding_box() == small

    visits.take_keys(view)
    visits.press(page, "Home")
    assert_one_stop_of_tab(page, view)


def assert_one_stop_of_tab(page, view):
    """A network is one stop of Tab, and keys lead on in it."""
    stop = view.locator('svg.network [tabindex="0"]')
    expect(stop).to_have_count(1)
    stop.focus()
    focused = "view => view.getRootNode().activeElement.getBoundingClientRect().x"
    before = view.evaluate(focused)
    # What cannot be clicked is no button.
    expect(view.locator("[data-node]:focus")).to_have_attribute("role", "img")
    page.keyboard.press("ArrowLeft")
    assert view.evaluate(focused) < before
    visits.at_step(view, 0)
    expect(stop).to_have_count(1)
    expect(stop).to_be_focused()
    # In turn, through all nodes and edges and round to the first.
    stops = view.locator("svg.network [tabindex]").count()
    assert stops == view.locator("[data-node], [data-edge]").count()
    seen = set()
    for _ in range(min(stops, 20)):
        page.keyboard.press("PageDown")
        name = "view => view.getRootNode().activeElement.getAttribute('aria-label')"
        seen.add(view.evaluate(name))
    assert len(seen) == min(stops, 20)


def test_everything_in_the_view_is_reached_by_key(page):
    view = visits.open_view(page, "step")
    visits.take_keys(view)
    missed = view.evaluate(
        """view => [...view.querySelectorAll("button, input, select, [tabindex]")]
            .filter(e => e.checkVisibility() && !e.disabled && e !== view)
            // Arrows come to those in the network.
            .filter(e => e.tabIndex < 0 && !e.closest("svg.network")
                || !(e.getAttribute("aria-label") ?? e.textContent.trim()) && !e.labels?.length)
            .map(e => e.outerHTML.slice(0, 120))"""
    )
    assert missed == []
    for picture in view.locator("svg.network, svg.body, svg.chart").all():
        assert picture.get_attribute("aria-label")
    assert_one_stop_of_tab(page, view)
    # An edge opens its test, as by a click.
    view.locator("[data-edge]").first.focus()
    page.keyboard.press("Enter")
    expect(view).not_to_have_attribute("data-step", "0")
    # While edges are edited, nodes are chosen.
    nodes = view.locator("[data-node]")
    nodes.first.focus()
    page.keyboard.press("e")
    expect(nodes.first).to_have_attribute("role", "button")
    page.keyboard.press("Enter")
    expect(view.locator(".hint")).to_contain_text("is selected")
    nodes.nth(1).focus()
    page.keyboard.press("Enter")
    expect(view.locator(".card.change")).to_be_visible()


def assert_lit(view, term):
    """A test is lit in the graph and in the matrix, where both of its pair's cells are."""
    found = {"x": set(), "y": set(), "given": set()}
    for node in view.locator("[data-node][data-role]").all():
        found[node.get_attribute("data-role")].add(int(node.get_attribute("data-node")))
    given = set(map(index, term.given))
    assert found == {"x": {index(term.x)}, "y": {index(term.y)}, "given": given}
    assert_given_cells(view, len(given))


def assert_given_cells(view, amount):
    """So many cells of the matrix are marked as given."""
    assert view.locator(".of-given").count() == amount
    assert view.locator(".lit").count() == 2


def test_pointing_lights_cells_and_graph(page):
    view = visits.open_view(page, "step")
    score = visits.score_of()
    term = max(score.terms, key=lambda term: (len(term.given), term.computed))
    assert term.given
    view.locator(f'.cell[data-x="{index(term.x)}"][data-y="{index(term.y)}"]').hover()
    assert_lit(view, term)
    expect(view.get_by_role("tooltip")).to_contain_text(term.x)
    page.mouse.move(2, 2)
    assert view.locator(".lit").count() == 0
    # From the graph: an edge lights the test of its pair, what it is given, and both cells.
    edge = next(term for term in score.terms if term.dependent and term.computed and term.given)
    i, j = visits.pair_of((edge.x, edge.y), visits.coronary())
    view.locator(f'[data-edge="{i}-{j}"] .hit').dispatch_event("pointerover")
    assert_lit(view, edge)
    # A node lights its row, its column, and its blanket.
    view.locator(f'[data-node="{index(edge.x)}"] .reach').dispatch_event("pointerover")
    degree = score.graph.degree[edge.x]
    assert_given_cells(view, degree)
    assert view.locator("[data-node][data-near]").count() == 1 + degree
    # A click on an edge opens its test.
    visits.click_edge(page, view, i, j)
    visits.at_step(view, [(t.x, t.y) for t in score.terms].index((edge.x, edge.y)) + 1)


NEW = ("family_history", "smoking")


def add_edge(page, view):
    """Add an edge by two clicks."""
    page.keyboard.press("e")
    for name in NEW:
        view.locator(f'[data-node="{index(name)}"]').click()
    expect(view.locator(".card.change")).to_be_visible()


def test_an_edit_re_sorts_flashes_and_is_explained(new_page):
    page = new_page()
    view = visits.open_view(page, "step")
    card = view.locator(".card.change")
    expect(card).to_be_hidden()
    visits.take_keys(view)
    page.keyboard.press("End")
    visits.at_step(view, 30)
    add_edge(page, view)
    # The pointer rests on an end of the new edge, which is brought out at once.
    i, j = visits.pair_of(NEW, visits.coronary())
    expect(view.locator(f'[data-edge="{i}-{j}"]')).to_have_attribute("data-near", "")
    change = bjp.scores.score_change(visits.score_of(), toggled(*NEW))
    assert change.after.order != visits.score_of().order
    rows = card.locator("tbody tr")
    expect(rows).to_have_count(len(change.terms))
    expect(view.locator(".flash")).to_have_count(0)
    # The step is kept, and a row of the list leads to its term.
    visits.at_step(view, 30)
    rows.first.get_by_role("button").click()
    first = change.terms[0]
    terms = [(term.x, term.y) for term in change.after.terms]
    visits.at_step(view, terms.index((first.x, first.y)) + 1)
    view.get_by_role("button", name="Close").click()
    expect(card).to_be_hidden()

    # Nothing slides where that is asked for.
    page = new_page(reduced_motion="reduce")
    view = visits.open_view(page, "step")
    visits.take_keys(view)
    add_edge(page, view)
    expect(view.locator(".matrix-scroll")).to_have_attribute("data-flashed", "1")
    assert view.locator(".flash").first.evaluate("f => getComputedStyle(f).animationName") == "none"


def test_a_low_window_and_its_full_screen(new_page):
    page = new_page(**visits.PROJECTOR)
    view = visits.open_view(page, "step")
    assert view.locator(".player").bounding_box()["height"] <= 50
    # What a low window has no room for is behind a button.
    skip, options = view.get_by_label("skip inferred"), view.get_by_role("button", name="Options")
    for act in (skip.check, skip.uncheck):
        expect(skip).to_be_hidden()
        options.click()
        act()
        page.keyboard.press("Escape")
    expect(view.locator('[data-count="ib"]')).to_be_visible()
    assert_in_sight_when_full(page, view)

    # A clicker turns pages and blanks the full screen only.
    visits.press(page, "Home")
    for key in ("PageDown", "PageUp", ".", "b", "d"):
        page.keyboard.press(key)
        visits.frames(page, 2)
    visits.at_step(view, 0)
    expect(view).to_have_attribute("data-theme", "light")
    expect(view).not_to_have_attribute("data-blank", "")
    page.keyboard.press("f")
    expect(view).to_have_attribute("data-filling", "")
    visits.press(page, "PageDown", "PageDown")
    visits.at_step(view, 2)
    page.keyboard.press("PageUp")
    visits.at_step(view, 1)
    for key in ("b", "."):
        page.keyboard.press(key)
        expect(view).to_have_attribute("data-blank", "")
        # The next page comes into sight before one turns it.
        page.keyboard.press("PageDown")
        expect(view).not_to_have_attribute("data-blank", "")
        visits.at_step(view, 1)


SIZES = """(view, selector) => Math.min(...[...view.querySelectorAll(selector)]
    .filter(e => e.checkVisibility())
    .map(e => parseFloat(getComputedStyle(e).fontSize)))"""
LARGE_LETTERS = (".network .label", ".rows .name text:first-child", ".formula", ".why", ".where")


def test_a_large_full_screen_has_large_letters_and_its_own_theme(new_page):
    page = new_page(viewport={"width": 1920, "height": 1080}, fresh=True)
    view = visits.open_view(page, "step")
    visits.take_keys(view)
    page.keyboard.press("End")
    visits.at_step(view, 30)
    scroll = "e => e.scrollTop"
    place = page.get_by_test_id("stMain").evaluate(scroll)
    usual = view.evaluate(SIZES, ".network .label")
    page.keyboard.press("f")
    expect(view).to_have_attribute("data-filling", "")
    visits.frames(page, 10)
    for part in LARGE_LETTERS:
        assert view.evaluate(SIZES, part) >= 20, part
    # Nothing is smaller than letters in print, wherever it stands.
    assert view.evaluate(SIZES, ".matrix-scroll text, .scales span, .legend span, .keys dd") >= 14
    # It is dark where one wishes, and the page is as it was.
    fill = "view => view.querySelectorAll('.cell rect')[1].style.fill"
    paper = "view => getComputedStyle(view).getPropertyValue('--paper')"
    light = view.evaluate(fill)
    view.get_by_role("button", name="Dark or light").click()
    expect(view).to_have_attribute("data-theme", "dark")
    assert view.evaluate(paper) == "#12171c"
    assert view.evaluate(fill) != light
    page.keyboard.press("f")
    expect(view).not_to_have_attribute("data-filling", "")
    expect(view).to_have_attribute("data-theme", "light")
    assert view.evaluate(paper) != "#12171c"
    visits.frames(page, 10)
    assert view.evaluate(SIZES, ".network .label") == usual
    assert page.get_by_test_id("stMain").evaluate(scroll) == place
    # The next full screen is as one wished.
    view = visits.open_view(page, "step")
    visits.take_keys(view)
    page.keyboard.press("f")
    expect(view).to_have_attribute("data-theme", "dark")


# Where the lowest name or node of the graph ends.
LOWEST = """view => Math.max(...[...view.querySelectorAll(".network [data-node]")]
    .map(e => e.getBoundingClientRect().bottom))"""


def test_a_phone_shows_the_graph_and_names_no_key(new_page):
    page = new_page(**visits.PHONE)
    view = visits.open_view(page, "step")
    expect(view.locator(".statement")).not_to_contain_text("Press")
    player, graph = (view.locator(part).bounding_box() for part in (".player", ".network"))
    assert player["height"] <= 100
    assert player["y"] - graph["y"] >= 120
    view.get_by_role("button", name="Next step (→)").tap()
    visits.at_step(view, 1)
    # Nor does the sentence of a step push the lowest node under the player.
    assert view.evaluate(LOWEST) < player["y"]

    view = visits.open_view(page, "climb", "coronary")
    assert view.evaluate(LOWEST) < view.locator(".player").bounding_box()["y"]
    # The sidebar is folded.
    expect(page.get_by_test_id("stMain")).to_contain_text("Coronary heart disease")
    assert page.locator(".st-key-climb-controls").bounding_box()["height"] <= 50
    # A picture is saved by touch, and a tap elsewhere closes its list.
    card = view.locator(".card.graph")
    opener = card.get_by_role("button", name="Save this picture")
    item = card.get_by_role("button", name="SVG")
    opener.tap()
    with page.expect_download() as saved:
        item.tap()
    assert saved.value.suggested_filename.endswith(".svg")
    expect(item).to_be_hidden()
    opener.tap()
    expect(item).to_be_visible()
    card.locator("h3").tap()
    expect(item).to_be_hidden()
