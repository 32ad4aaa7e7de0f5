"""The player's promises, measured inside the page: rate, pause, silence, layout, keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_explorer.shell import sources
from tests.browser.visits import (
    ROOT,
    at_step,
    choose,
    click_edge,
    click_until,
    follow,
    frames,
    metric,
    open_page,
    positions,
    selected,
    take_keys,
    view_of,
)

LARGE = "net:scale-free-4:clique-log-weights:500:0"
TERMS = 128 * 127
DATA = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")
SCORE = bjp.score(DATA, bjp.learn(DATA, search="ibmap-hc").graph)

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PLAY = Path(__file__).with_name("playing.js").read_text(encoding="utf-8")


def sent_by(page: Page) -> list[Any]:
    """What the page sends to the server from now on."""
    sent: list[Any] = []

    def note(frame: Any) -> None:
        sent.append(frame)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    return sent


def test_a_thousand_steps_of_128_nodes(new_page: Callable[..., Any]) -> None:
    page = new_page()
    sent = sent_by(page)
    open_page(page, "step", data=LARGE)
    view = view_of(page, "step")
    expect(view).to_have_attribute("data-steps", str(TERMS))
    take_keys(view)
    frames(page, 30)
    sent.clear()
    played = view.evaluate(PLAY, ["30", 1000])
    assert played["made"] >= 1000
    assert played["rate"] >= 20, played
    assert played["paused"] < 100
    assert played["after"] == 0
    assert played["playing"] == "false"
    assert played["still"]
    # However busy the machine is, no frame leaps over more than two of them.
    assert 1 <= played["leap"] <= 3, played
    assert not sent


def test_where_it_rests_reaches_python_within_half_a_second(new_page: Callable[..., Any]) -> None:
    page = new_page()
    # The time at which each message leaves, taken where it leaves.
    page.add_init_script(
        """const send = WebSocket.prototype.send;
        globalThis.left = [];
        WebSocket.prototype.send = function (...given) {
            left.push(performance.now());
            return send.apply(this, given);
        };"""
    )
    open_page(page, "step", data=LARGE)
    view = view_of(page, "step")
    take_keys(view)
    waited = view.evaluate(
        """view => new Promise(done => {
            left.length = 0;
            const begun = performance.now();
            view.querySelector('[title="Next step (→)"]').click();
            const look = () => left.length ? done(left[0] - begun) : setTimeout(look, 10);
            look();
        })"""
    )
    assert waited < 500
    expect(page.get_by_text("The counts behind it")).to_be_visible()
    at_step(view, 1)


def test_loop_begins_anew(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    take_keys(view)
    page.keyboard.press("l")
    expect(view.get_by_label("loop")).to_be_checked()
    view.get_by_label("Speed").select_option("30")
    view.evaluate(
        """v => { let high = 0; v.dataset.rounds = 0; new MutationObserver(() => {
            const at = Number(v.dataset.step);
            if (at < high) { v.dataset.rounds = Number(v.dataset.rounds) + 1; high = at; }
            high = Math.max(high, at);
        }).observe(v, { attributeFilter: ["data-step"] }); }"""
    )
    page.keyboard.press("Space")
    expect(view).to_have_attribute("data-rounds", "1")
    expect(view).to_have_attribute("data-playing", "true")
    page.keyboard.press("l")
    expect(view).to_have_attribute("data-playing", "false")
    at_step(view, 30)
    # Without it the end is the end.
    assert view.get_attribute("data-rounds") in ("1", "2")


def test_every_key_of_the_legend(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    take_keys(view)
    keys = view.get_by_role("dialog", name="Keys")
    expect(keys).to_be_hidden()
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    listed = keys.locator("kbd").all_inner_texts()
    everywhere = ["f", "b", ".", "d", "v", "r", "q", "1", "9"]
    mine = ["l", "s", "e", "x", "Tab", "p", "a"]
    assert listed == ["space", "←", "→", "Home", "End", *mine, *everywhere, "?"]
    # Its own key closes it, and so do Escape and a press elsewhere.
    for close in ("?", "Escape", None):
        if close:
            page.keyboard.press(close)
        else:
            take_keys(view)
        expect(keys).to_be_hidden()
        at_step(view, 0)
        page.keyboard.press("?")
        expect(keys).to_be_visible()
    page.keyboard.press("?")

    page.keyboard.press("End")
    at_step(view, 30)
    page.keyboard.press("Home")
    at_step(view, 0)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    at_step(view, 1)
    page.keyboard.press("s")
    expect(view.get_by_label("skip inferred")).to_be_checked()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    last = max(k for k, term in enumerate(SCORE.terms[:-1], start=1) if term.computed)
    at_step(view, last)
    page.keyboard.press("s")
    page.keyboard.press("e")
    edit = view.locator('[data-action="edit"]')
    expect(edit).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("e")
    expect(edit).to_have_attribute("aria-pressed", "false")
    # The pair of a step, joined or parted by one key.
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    first = sorted(DATA.index(name) for name in (SCORE.terms[0].x, SCORE.terms[0].y))
    edge = view.locator(f'[data-edge="{first[0]}-{first[1]}"]:not([data-tone="pending"])')
    expect(edge).to_have_count(0)
    page.keyboard.press("x")
    expect(edge).to_have_count(1)
    at_step(view, 1)
    page.keyboard.press("x")
    expect(edge).to_have_count(0)


def test_x_twice_changes_nothing(page: Page) -> None:
    """Though ψ is another after the first, and another pair stands at the step."""

    def toggled(x: str, y: str) -> bjp.scores.ScoreTrace:
        graph = SCORE.graph.copy()
        (graph.remove_edge if graph.has_edge(x, y) else graph.add_edge)(x, y)
        return bjp.score(DATA, graph)

    step = next(
        k
        for k, term in enumerate(SCORE.terms, 1)
        if {(after := toggled(term.x, term.y).terms[k - 1]).x, after.y} != {term.x, term.y}
    )
    open_page(page, "step", data=f"coronary&step={step}")
    view = view_of(page, "step")
    at_step(view, step)
    page.mouse.move(2, 2)
    view.evaluate("view => view.focus()")
    edges = view.locator('[data-edge]:not([data-tone="pending"])')
    drawn = "edges => edges.map(edge => edge.dataset.edge).sort()"
    before = edges.evaluate_all(drawn)
    page.keyboard.press("x")
    expect(view.locator(".card.change")).to_be_visible()
    expect(view.locator('[data-tone="pending"]')).to_have_count(0)
    assert edges.evaluate_all(drawn) != before
    page.keyboard.press("x")
    expect(edges).to_have_count(len(before))
    assert edges.evaluate_all(drawn) == before


def test_the_keys_come_back_when_another_player_has_gone(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    # One that lived beside this one and has gone, as when a view is mounted anew.
    page.evaluate(
        """async () => {
            const files = performance.getEntriesByType("resource").map(({ name }) => name);
            const { listen } = await import(files.find(name => name.includes("/keys.js")));
            listen({ root: document.createElement("div") }, {})();
        }"""
    )
    choose(page, "step-score", "IB-score")
    expect(metric(view, "inferred")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(view).to_have_attribute("data-step", "1")
    assert selected(page, "step-score") == "IB-score"


def test_no_key_acts_while_one_types(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    choose(page, "step-score", "IB-score")
    expect(metric(view, "inferred")).to_be_hidden()
    # A test with so many slices that they are paged through.
    pair = [DATA.index(name) for name in ("smoking", "mental_work")]
    field = page.get_by_role("spinbutton")
    click_until(view.locator('.cell[data-x="{}"][data-y="{}"]'.format(*pair)), field)
    before = view.get_attribute("data-step")
    field.click()
    for key in (
        "ArrowRight",
        "ArrowLeft",
        "Home",
        "End",
        "Space",
        "s",
        "l",
        "p",
        "e",
        "x",
        "f",
        "?",
    ):
        page.keyboard.press(key)
    frames(page, 3)
    assert view.get_attribute("data-step") == before
    assert view.get_attribute("data-playing") == "false"
    assert view.get_attribute("data-filling") is None
    for box in ("loop", "predict"):
        expect(view.get_by_role("checkbox", name=box)).not_to_be_checked()
    expect(view.locator('[data-action="edit"]')).to_have_attribute("aria-pressed", "false")
    expect(view.get_by_role("dialog", name="Keys")).to_be_hidden()
    take_keys(view)
    page.keyboard.press("ArrowRight")
    at_step(view, int(before) + 1)


def drag(page: Page, node: Locator, dx: int, dy: int) -> None:
    """Drag a node by the mouse."""
    box = node.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx / 2, y + dy / 2)
    page.mouse.move(x + dx, y + dy)
    page.mouse.up()


def test_a_second_pinch_begins_where_the_fingers_are(page: Page) -> None:
    """One finger lies still where it slid to while the other was away."""
    open_page(page, "step")
    drawing = view_of(page, "step").locator("svg.network")
    drawing.evaluate("svg => { svg.setPointerCapture = () => {}; }")
    before = positions(drawing)
    frame = drawing.bounding_box()
    for kind, finger, x in [
        ("down", 1, 200),
        ("down", 2, 300),
        ("move", 2, 400),
        ("up", 2, 400),
        ("move", 1, 150),
        ("down", 3, 350),
        ("move", 3, 250),
    ]:
        drawing.dispatch_event(
            f"pointer{kind}",
            {
                "pointerId": finger,
                "pointerType": "touch",
                "button": -1 if kind == "move" else 0,
                "clientX": frame["x"] + x,
                "clientY": frame["y"] + 100,
            },
        )
    frames(page, 2)
    sizes = [width_of(places) for places in (before, positions(drawing))]
    assert sizes[1] == pytest.approx(sizes[0], abs=1.0)


def width_of(places: list[str]) -> float:
    """How far the outermost nodes are apart."""
    across = [float(re.findall(r"[-\d.]+", place)[0]) for place in places]
    return max(across) - min(across)


@pytest.mark.parametrize("data", ["coronary", LARGE])
def test_a_dragged_node_and_the_zoom_survive(page: Page, data: str) -> None:
    open_page(page, "step", data=data)
    view = view_of(page, "step")
    # The sidebar is needed below, and takes room.
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_hidden()
    view.hover()
    start = positions(view)
    drag(page, view.locator('[data-node="2"]'), 40, 30)
    frames(page, 4)
    dragged = positions(view)
    assert sum(a != b for a, b in zip(start, dragged, strict=True)) == 1
    view.get_by_label("Zoom in").first.click()
    frames(page, 4)
    kept = positions(view)
    assert kept != dragged

    take_keys(view)
    for key in ("End", "Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        frames(page, 2)
        assert positions(view) == kept
    steps = view.get_attribute("data-steps")
    for score, expected in (("MPL", len(start)), ("IB-score", int(steps)), ("BJP", int(steps))):
        choose(page, "step-score", score)
        expect(view).to_have_attribute("data-steps", str(expected))
        assert positions(view) == kept
    take_keys(view)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("x")
    expect(view.locator(".card.change")).to_be_visible()
    assert positions(view) == kept
    page.emulate_media(color_scheme="dark")
    expect(view).to_have_attribute("data-theme", "dark")
    frames(page, 4)
    assert positions(view) == kept
    # A view that is made anew begins with them.
    follow(page, "climb")
    follow(page, "step")
    expect(view).to_be_visible()
    frames(page, 4)
    assert positions(view) == kept
    view.get_by_label("Put the moved nodes back").click()
    frames(page, 4)
    assert positions(view) == start


def roles(view: Locator) -> dict[str, set[int]]:
    """The nodes of each role in the graph."""
    found: dict[str, set[int]] = {"x": set(), "y": set(), "given": set()}
    for node in view.locator("[data-node][data-role]").all():
        found[str(node.get_attribute("data-role"))].add(int(node.get_attribute("data-node") or -1))
    return found


def given_cells(view: Locator) -> int:
    """How many cells of the matrix are marked as given, each with a tick at both margins."""
    cells = view.locator(".of-given").count()
    assert view.locator(".rows .given-tick").count() == cells
    assert view.locator(".columns .given-tick").count() == cells
    return int(cells)


def test_hovering_a_cell_lights_the_graph_and_the_other_way_round(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    term = max(SCORE.terms, key=lambda term: (len(term.given), term.computed))
    x, y = DATA.index(term.x), DATA.index(term.y)
    given = set(map(DATA.index, term.given))
    assert given
    view.locator(f'.cell[data-x="{x}"][data-y="{y}"]').hover()
    assert roles(view) == {"x": {x}, "y": {y}, "given": given}
    assert given_cells(view) == len(given)
    # Both cells of the pair.
    assert view.locator(".lit").count() == 2
    expect(view.get_by_role("tooltip")).to_contain_text(term.x)

    # From the graph: an edge lights the test of its pair, what it is given, and both cells.
    page.mouse.move(2, 2)
    assert view.locator(".lit").count() == 0
    edge = next(term for term in SCORE.terms if term.dependent and term.computed and term.given)
    i, j = sorted((DATA.index(edge.x), DATA.index(edge.y)))
    view.locator(f'[data-edge="{i}-{j}"] .hit').dispatch_event("pointerover")
    assert roles(view) == {
        "x": {DATA.index(edge.x)},
        "y": {DATA.index(edge.y)},
        "given": set(map(DATA.index, edge.given)),
    }
    assert given_cells(view) == len(edge.given)
    assert view.locator(".lit").count() == 2

    # A node lights its row, its column, and its blanket.
    node = DATA.index(edge.x)
    view.locator(f'[data-node="{node}"] .reach').dispatch_event("pointerover")
    assert given_cells(view) == SCORE.graph.degree[edge.x]
    assert view.locator(".lit").count() == 2
    near = view.locator("[data-node][data-near]").count()
    assert near == 1 + SCORE.graph.degree[edge.x]

    # A click on an edge opens its test.
    click_edge(page, view, i, j)
    at_step(view, [(t.x, t.y) for t in SCORE.terms].index((edge.x, edge.y)) + 1)


def test_the_matrix_of_128_is_read_by_hand_and_by_key(page: Page) -> None:
    open_page(page, "step", data=LARGE)
    view = view_of(page, "step")
    grid, callouts = view.get_by_role("grid"), view.locator(".callout")
    expect(callouts.first).to_be_hidden()
    grid.hover(position={"x": 120, "y": 200})
    expect(callouts).to_have_count(2)
    for callout in callouts.all():
        expect(callout).to_be_visible()
        expect(callout).to_have_text(re.compile(r"^X\d+ · ψ"))
    page.mouse.move(2, 2)
    expect(callouts.first).to_be_hidden()

    grid.focus()
    page.keyboard.press("Home")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    truth = sources.load(LARGE).data
    order = bjp.score(truth, bjp.learn(truth, search="ibmap-hc").graph).order
    expect(callouts.first).to_have_text(f"{order[1]} · ψ₁")
    expect(callouts.last).to_have_text(f"{order[2]} · ψ₂")
    page.keyboard.press("Enter")
    # The second row; before it 127 terms, and its diagonal is none.
    at_step(view, 127 + 2)
    small = view.locator(".body").bounding_box()
    page.keyboard.press("+")
    page.keyboard.press("+")
    large = view.locator(".body").bounding_box()
    assert small
    assert large
    assert large["width"] > 2 * small["width"]
    # It scrolls in its own frame, with the current cell in sight.
    ring = view.locator(".current-ring .ring").bounding_box()
    frame = view.locator(".matrix-scroll").bounding_box()
    assert ring
    assert frame
    assert frame["x"] <= ring["x"] <= frame["x"] + frame["width"]
    page.keyboard.press("0")
    assert view.locator(".body").bounding_box() == small


# Notes which animations begin and what flashes, from now on.
NOTE = """view => {
    const frame = view.querySelector(".matrix-scroll");
    globalThis.noted = { slid: 0, flashed: 0, lasting: 0 };
    new MutationObserver(() => {
        const moving = view.querySelector(".card.matrix").getAnimations({ subtree: true })
            .filter(a => !(a instanceof CSSTransition) && !(a instanceof CSSAnimation));
        noted.slid = Math.max(noted.slid, moving.length);
        noted.lasting = Math.max(noted.lasting, ...moving.map(a => a.effect.getTiming().duration));
        noted.flashed = Math.max(noted.flashed, view.querySelectorAll(".flash").length);
    }).observe(frame, { attributes: true, attributeFilter: ["data-resorted", "data-flashed"] });
}"""


def test_an_edit_re_sorts_flashes_and_is_told(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    expect(view.locator(".card.change")).to_be_hidden()
    take_keys(view)
    page.keyboard.press("End")
    at_step(view, 30)
    view.evaluate(NOTE)
    page.keyboard.press("e")
    new = ("family_history", "smoking")
    for name in new:
        view.locator(f'[data-node="{DATA.index(name)}"]').click()
    card = view.locator(".card.change")
    expect(card).to_be_visible()
    # The pointer rests on an end of the new edge, which is brought out at once.
    edge = "-".join(map(str, sorted(map(DATA.index, new))))
    expect(view.locator(f'[data-edge="{edge}"]')).to_have_attribute("data-near", "")
    graph = SCORE.graph.copy()
    graph.add_edge(*new)
    change = bjp.scores.score_change(SCORE, bjp.score(DATA, graph))
    assert change.after.order != SCORE.order
    size = f"{abs(change.difference):.3f}"
    told = f"ln BJP fell by {size}: {len(change.terms)} of 30 terms changed"
    expect(card.get_by_role("heading")).to_have_text(told)
    rows = card.locator("tbody tr")
    expect(rows).to_have_count(len(change.terms))
    for row, term in zip(rows.all(), change.terms, strict=True):
        expect(row).to_contain_text(str(term.kind))
        expect(row).to_contain_text(str(term.x))
    noted = page.evaluate("noted")
    # Two variables change places: their rows, their columns, their names.
    assert noted["slid"] >= 16
    assert noted["lasting"] == 600
    assert noted["flashed"] == len(change.terms)
    expect(view.locator(".flash")).to_have_count(0)
    # The step is kept, and a row of the list leads to its term.
    at_step(view, 30)
    rows.first.get_by_role("button").click()
    first = change.terms[0]
    place = [(t.x, t.y) for t in change.after.terms].index((first.x, first.y))
    at_step(view, place + 1)
    # The same edit by the other scores.
    for title, method, noun in (("IB-score", "ib", "terms"), ("MPL", "mpl", "local scores")):
        choose(page, "step-score", title)
        other = bjp.scores.score_change(
            bjp.score(DATA, SCORE.graph, method), bjp.score(DATA, graph, method)
        )
        expect(card.get_by_role("heading")).to_have_text(
            re.compile(rf"^ln {title} (rose|fell) by .*: {len(other.terms)} of \d+ {noun} changed$")
        )
    view.get_by_role("button", name="Close").click()
    expect(card).to_be_hidden()


def test_nothing_slides_where_that_is_asked_for(new_page: Callable[..., Any]) -> None:
    page = new_page(reduced_motion="reduce")
    open_page(page, "step")
    view = view_of(page, "step")
    view.evaluate(NOTE)
    take_keys(view)
    page.keyboard.press("e")
    for name in ("family_history", "smoking"):
        view.locator(f'[data-node="{DATA.index(name)}"]').click()
    expect(view.locator(".matrix-scroll")).to_have_attribute("data-flashed", "1")
    noted = page.evaluate("noted")
    assert noted["slid"] == 0
    assert noted["flashed"] > 0
    assert view.locator(".flash").first.evaluate("f => getComputedStyle(f).animationName") == "none"


def test_the_counter_of_tests(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    take_keys(view)
    bjp_made, ib_made = (view.locator(f'[data-count="{name}"]') for name in ("bjp", "ib"))
    page.keyboard.press("Home")
    for k, term in enumerate(SCORE.terms, start=1):
        page.keyboard.press("ArrowRight")
        at_step(view, k)
        made = sum(t.computed for t in SCORE.terms[:k])
        assert bjp_made.inner_text() == f"{made} / 15", term
        assert ib_made.inner_text() == f"{k} / 30"
    choose(page, "step-score", "MPL")
    expect(view.locator(".counter")).to_be_hidden()


def test_the_projector_sees_graph_matrix_and_player_at_once(new_page: Callable[..., Any]) -> None:
    page = new_page(viewport={"width": 1280, "height": 720})
    for data in ("coronary", LARGE):
        open_page(page, "step", data=data)
        view = view_of(page, "step")
        take_keys(view)
        page.keyboard.press("f")
        expect(view).to_have_attribute("data-filling", "")
        frames(page, 10)
        for part in (".statement", ".network", ".body", ".player", ".scales"):
            box = view.locator(part).bounding_box()
            assert box, part
            assert box["x"] >= 0, part
            assert box["y"] >= 0, part
            assert box["x"] + box["width"] <= 1280, part
            assert box["y"] + box["height"] <= 720, part
        # Keys, the list of keys and stepping work there, too.
        page.keyboard.press("ArrowRight")
        at_step(view, 1)
        page.keyboard.press("f")
        expect(view).not_to_have_attribute("data-filling", "")


SIZES = """(view, selector) => Math.min(...[...view.querySelectorAll(selector)]
    .filter(e => e.checkVisibility())
    .map(e => parseFloat(getComputedStyle(e).fontSize)))"""


def test_letters_grow_with_the_screen(new_page: Callable[..., Any]) -> None:
    page = new_page(viewport={"width": 1920, "height": 1080})
    open_page(page, "step")
    view = view_of(page, "step")
    take_keys(view)
    page.keyboard.press("End")
    at_step(view, 30)
    place = page.get_by_test_id("stMain").evaluate("e => e.scrollTop")
    usual = view.locator(".network .label").first.evaluate("e => getComputedStyle(e).fontSize")
    page.keyboard.press("f")
    expect(view).to_have_attribute("data-filling", "")
    frames(page, 10)
    for part in (".network .label", ".rows .name text:first-child", ".formula", ".why", ".where"):
        assert view.evaluate(SIZES, part) >= 20, part
    # Nothing is smaller than letters in print, wherever it stands.
    assert view.evaluate(SIZES, ".matrix-scroll text, .scales span, .legend span, .keys dd") >= 14
    page.keyboard.press("f")
    expect(view).not_to_have_attribute("data-filling", "")
    frames(page, 10)
    assert usual == view.locator(".network .label").first.evaluate(
        "e => getComputedStyle(e).fontSize"
    )
    assert page.get_by_test_id("stMain").evaluate("e => e.scrollTop") == place


def test_a_clicker_turns_pages_and_blanks_the_full_screen_only(
    new_page: Callable[..., Any],
) -> None:
    page = new_page(fresh=True)
    open_page(page, "step")
    view = view_of(page, "step")
    take_keys(view)
    for key in ("PageDown", "PageUp", ".", "b", "d"):
        page.keyboard.press(key)
        frames(page, 2)
    at_step(view, 0)
    expect(view).to_have_attribute("data-theme", "light")
    expect(view).not_to_have_attribute("data-blank", "")
    page.keyboard.press("f")
    expect(view).to_have_attribute("data-filling", "")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    at_step(view, 2)
    page.keyboard.press("PageUp")
    at_step(view, 1)
    for key in ("b", "."):
        page.keyboard.press(key)
        expect(view).to_have_attribute("data-blank", "")
        # The next page comes into sight before one turns it.
        page.keyboard.press("PageDown")
        expect(view).not_to_have_attribute("data-blank", "")
        at_step(view, 1)


def test_the_full_screen_is_dark_where_one_wishes(new_page: Callable[..., Any]) -> None:
    page = new_page(fresh=True)
    open_page(page, "step")
    view = view_of(page, "step")
    paper = "view => getComputedStyle(view).getPropertyValue('--paper')"
    take_keys(view)
    page.keyboard.press("End")
    page.keyboard.press("f")
    light = view.locator(".cell rect").nth(1).evaluate("e => e.style.fill")
    view.get_by_role("button", name="Dark or light").click()
    expect(view).to_have_attribute("data-theme", "dark")
    assert view.evaluate(paper) == "#12171c"
    assert view.locator(".cell rect").nth(1).evaluate("e => e.style.fill") != light
    page.keyboard.press("f")
    # The page is as it was, and the next full screen as one wished.
    expect(view).to_have_attribute("data-theme", "light")
    assert view.evaluate(paper) != "#12171c"
    page.reload()
    view = view_of(page, "step")
    take_keys(view)
    page.keyboard.press("f")
    expect(view).to_have_attribute("data-theme", "dark")


def test_the_ring_of_the_current_cell_is_whole_at_the_rim(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    take_keys(view)
    # The first row's second cell, the second row's first, and the last row's last but one.
    for step in (1, 6, 30):
        page.goto(f"/step?step={step}")
        at_step(view, step)
        side = float(view.locator("svg.body").get_attribute("width") or 0)
        ring = view.locator(".current-ring .ring")
        x, y, width, height = (
            float(ring.get_attribute(name) or -1) for name in ("x", "y", "width", "height")
        )
        # Half of its line lies outside of it.
        assert min(x, y) >= 1.5
        assert max(x + width, y + height) <= side - 1.5 + 0.1


def test_the_player_leaves_a_low_window_to_the_figures(new_page: Callable[..., Any]) -> None:
    page = new_page(viewport={"width": 1280, "height": 720})
    open_page(page, "step")
    view = view_of(page, "step")
    box = view.locator(".player").bounding_box()
    assert box
    assert box["height"] <= 50
    # What it has no room for is behind a button.
    skip = view.get_by_label("skip inferred")
    expect(skip).to_be_hidden()
    view.get_by_role("button", name="Options of the player").click()
    skip.check()
    page.keyboard.press("Escape")
    expect(skip).to_be_hidden()
    expect(view.locator('[data-count="ib"]')).to_be_visible()


def test_a_phone_shows_the_graph_and_names_no_key(new_page: Callable[..., Any]) -> None:
    page = new_page(**PHONE)
    open_page(page, "step")
    view = view_of(page, "step")
    expect(view.locator(".statement")).not_to_contain_text("Press")
    player, graph = (view.locator(part).bounding_box() for part in (".player", ".network"))
    assert player
    assert graph
    assert player["height"] <= 100
    assert player["y"] - graph["y"] >= 120
    view.get_by_role("button", name="Next step (→)").tap()
    at_step(view, 1)
    # Nor does the sentence of a step push the lowest node under the player.
    assert lowest_node(view) < player["y"]


def lowest_node(view: Locator) -> float:
    """Where the lowest name or node of the graph ends."""
    found: float = view.evaluate(
        """view => Math.max(...[...view.querySelectorAll(".network [data-node]")]
            .map(e => e.getBoundingClientRect().bottom))"""
    )
    return found


def test_a_phone_shows_the_whole_graph_of_a_climb_and_its_dataset(
    new_page: Callable[..., Any],
) -> None:
    page = new_page(**PHONE)
    open_page(page, "climb", "coronary")
    view = view_of(page, "climb")
    player = view.locator(".player").bounding_box()
    assert player
    assert lowest_node(view) < player["y"]
    # The sidebar is folded.
    expect(page.get_by_test_id("stMain")).to_contain_text("Coronary heart disease")
    assert (page.locator(".st-key-climb-controls").bounding_box() or {})["height"] <= 50


def test_everything_in_the_view_is_reached_by_key(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    take_keys(view)
    reached = view.evaluate(
        """view => [...view.querySelectorAll("button, input, select, [tabindex]")]
            .filter(e => e.checkVisibility() && !e.disabled && e !== view)
            // Arrows come to those in the network.
            .filter(e => e.tabIndex < 0 && !e.closest("svg.network")
                || !(e.getAttribute("aria-label") ?? e.textContent.trim()) && !e.labels?.length)
            .map(e => e.outerHTML.slice(0, 120))"""
    )
    assert reached == []
    for picture in view.locator("svg.network, svg.body, svg.chart").all():
        assert picture.get_attribute("aria-label")
    nodes = view.locator("[data-node]")
    nodes.first.focus()
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    expect(view.locator(".hint")).to_contain_text("is selected")
    nodes.nth(1).focus()
    page.keyboard.press("Enter")
    expect(view.locator(".card.change")).to_be_visible()


@pytest.mark.parametrize("data", ["coronary", LARGE])
def test_a_network_is_one_stop_of_tab_and_arrows_lead_on(page: Page, data: str) -> None:
    open_page(page, "step", data=data)
    view = view_of(page, "step")
    stop = view.locator('svg.network [tabindex="0"]')
    expect(stop).to_have_count(1)
    stop.focus()
    focused = "view => view.getRootNode().activeElement.getBoundingClientRect().x"
    before = view.evaluate(focused)
    # What cannot be clicked is no button.
    expect(view.locator("[data-node]:focus")).to_have_attribute("role", "img")
    page.keyboard.press("ArrowLeft")
    assert view.evaluate(focused) < before
    at_step(view, 0)
    expect(stop).to_have_count(1)
    expect(stop).to_be_focused()
    # In turn, through all nodes and edges and round to the first.
    stops = view.locator("svg.network [tabindex]").count()
    assert stops == view.locator("[data-node], [data-edge]").count()
    seen = set()
    for _ in range(min(stops, 20)):
        page.keyboard.press("PageDown")
        seen.add(
            view.evaluate("view => view.getRootNode().activeElement.getAttribute('aria-label')")
        )
    assert len(seen) == min(stops, 20)
    # An edge opens its test, as by a click.
    view.locator("[data-edge]").first.focus()
    page.keyboard.press("Enter")
    expect(view).not_to_have_attribute("data-step", "0")
    # While edges are edited, nodes are chosen.
    page.keyboard.press("e")
    expect(view.locator("[data-node]").first).to_have_attribute("role", "button")
