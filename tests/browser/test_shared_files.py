"""Views as files, from the disk and in a sandbox, with the network off: all by keys."""

from functools import cache

import pytest
from playwright.sync_api import expect

import bjp_engine as bjp
from tests.browser.visits import assert_fits, at_step, climb_of, coronary, press, save, score_of


@cache
def fitted():
    return bjp.fit_parameters(coronary(), climb_of().graph)


VIEWS = {
    "step": score_of,
    "climb": climb_of,
    "duel": lambda: [climb_of(), climb_of("ib")],
    "networks": lambda: {"one": climb_of().graph, "two": climb_of("ib").graph},
    "whatif": fitted,
}


@cache
def shared(view):
    """A page of that view."""
    more = {"truth": climb_of("ib").graph} if view == "climb" else {}
    return bjp.share(VIEWS[view](), **more)


def written(folder, text):
    """The address of a page with that text."""
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def assert_read_by_keys(page, place, name):
    """Light or dark, steps, and evidence, none of them by the mouse."""
    view = place.locator("main > .bjp")
    expect(view).to_have_attribute("data-component", name)
    place.locator("h1").wait_for()
    page.keyboard.press("Tab")
    expect(place.get_by_role("button", name="Dark or light")).to_be_focused()
    dark = view.get_attribute("data-theme") == "dark"
    page.keyboard.press("Enter")
    expect(view).to_have_attribute("data-theme", "light" if dark else "dark")
    if name in ("step", "climb", "duel"):
        last = int(view.get_attribute("data-steps"))
        at_step(view, 0)
        for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last)):
            page.keyboard.press(key)
            at_step(view, step)
    if name == "whatif":
        given = {"smoking": "yes", "systolic_pressure": ">140"}
        for variable, state in given.items():
            state_of(view, variable, state).focus()
            page.keyboard.press("Enter")
        assert_probabilities(view, fitted().query(given=given))
        view.get_by_role("button", name="Forget the evidence").focus()
        page.keyboard.press("Enter")
        assert_probabilities(view, fitted().query())


def state_of(view, variable, state):
    """The row of one state of a variable."""
    i = fitted().names.index(variable)
    k = fitted().labels[i].index(state)
    return view.locator(f'[data-variable="{i}"] [data-state="{k}"]')


def assert_probabilities(view, rows):
    """Every probability is the engine's."""
    for variable, state, probability in rows.itertuples(index=False):
        value = state_of(view, variable, state).locator(".value")
        expect(value).to_have_text(f"{probability:.3f}")


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_at_any_width_in_any_colours_and_in_a_frame(open_file, tmp_path, name):
    address = written(tmp_path, shared(name))
    for scheme, other in (("light", "dark"), ("dark", "light")):
        page = open_file(address, color_scheme=scheme)
        view = page.locator("main > .bjp")
        expect(view).to_have_attribute("data-theme", scheme)
        for width in (390, 768, 1280, 1920):
            page.set_viewport_size({"width": width, "height": 844})
            assert_fits(page)
            assert width * 0.9 <= view.bounding_box()["width"] <= width
        page.emulate_media(color_scheme=other)
        expect(view).to_have_attribute("data-theme", other)
    assert_read_by_keys(page, page, name)
    # In a notebook, which shows it in a frame.
    page = open_file(written(tmp_path, f"<!doctype html>{shared(name)._repr_html_()}"))
    assert_read_by_keys(page, page.frame_locator("iframe"), name)


def test_shared_pages_show_the_engines_numbers_and_offer_what_needs_no_python(open_file, tmp_path):
    page = open_file(written(tmp_path, shared("climb")))
    view = page.locator("main > .bjp")
    page.get_by_role("button", name="Save this picture").first.click()
    assert b"<svg" in save(page, page.get_by_role("button", name="SVG").first)[1]

    page.goto(written(tmp_path, shared("step")))
    expect(view.get_by_role("button", name="Edit edges")).to_be_hidden()
    before = view.locator(".edge").count()
    press(page, "ArrowRight", "e", "x")
    at_step(view, 1)
    assert view.locator(".edge").count() == before
    page.keyboard.press("?")
    keys = view.locator(".keys")
    expect(keys).to_be_visible()
    shown = keys.inner_text()
    assert "play or pause" in shown
    assert "edit edges" not in shown
    press(page, "Escape", "End")
    at_step(view, len(score_of().terms))
    assert f"{score_of().total:.4f}".replace("-", "−") in view.inner_text()
    page.goto(written(tmp_path, shared("networks")))
    expect(view).to_have_attribute("data-component", "networks")
    expect(page.get_by_role("button", name="Open")).to_have_count(0)
