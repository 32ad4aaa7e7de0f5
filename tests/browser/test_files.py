"""What goes into the app as a file, and what comes out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_engine.health import health, suggest
from bjp_engine.io import read_frame
from bjp_engine.preparation import Preparation, prepare
from bjp_explorer.shell.text import count
from tests.browser.visits import (
    PAGES,
    RESTING,
    ROOT,
    at_rest,
    figure,
    follow,
    open_page,
    view_of,
)
from tests.messy import messy

COMPONENTS = {
    "network": "networks",
    "step": "step",
    "climb": "climb",
    "scores": "networks",
    "graphs": "networks",
}
HOSTILE = ("<img src=hacked onerror=a>", "<script>hacked()", "$\\hacked$ [a](//hacked.test)")
# Names and cells for everything that the page Data tells of a file.
WORSE = (
    "</script><script>hacked()</script>",
    '" onload=hacked() x="',
    "=cmd|' /C hacked'!A0",
    "$\\href{javascript:hacked()}{a}$",
    "[a](javascript:hacked())",
    "\u202egnp.dekcah\u202c",
    "![a](//hacked.test/a.png)",
    ":material/hacked: :red[hacked]",
    "a" * 10_000,
)
# Elements, attributes and addresses that could only come from a name that was taken for markup.
INTRUDERS = r"""() => {
  const found = [];
  const active = ({ name, value }) => /^on/.test(name)
    || (/^(xlink:)?(href|src|srcdoc|action)$/.test(name) && /hacked/.test(value));
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const script = element.localName === "script" && /hacked/.test(element.textContent);
      if (script || [...element.attributes].some(active)) found.push(element.outerHTML);
      if (element.shadowRoot) walk(element.shadowRoot);
    }
  };
  walk(document);
  return found;
}"""


def upload(page: Page, file: Path) -> None:
    """Take a file in hand on the Data page."""
    open_page(page, "data")
    page.locator(".st-key-data-way").get_by_role("radio", name="Your own file").click()
    page.locator('[data-testid="stFileUploader"] input').set_input_files(file)
    expect(page.get_by_test_id("stSidebar")).to_contain_text(file.stem)
    expect(page.locator(RESTING)).to_be_attached()


def table(names: list[str], states: list[str]) -> pd.DataFrame:
    """Three hundred rows in which each variable mostly repeats the one before."""
    random = np.random.default_rng(0)
    columns = [random.integers(len(states), size=300)]
    for _ in names[1:]:
        other = random.integers(len(states), size=300)
        columns.append(np.where(random.random(300) < 0.7, columns[-1], other))
    labels = np.array(states, dtype=object)
    return pd.DataFrame({name: labels[codes] for name, codes in zip(names, columns, strict=True)})


def test_an_uploaded_file_is_learned(page: Page, tmp_path: Path) -> None:
    frame = table(["colour", "shape", "size", "taste"], ["a", "b", "c"])
    file = tmp_path / "fruit.csv"
    frame.to_csv(file, index=False)
    upload(page, file)
    expect(page.get_by_test_id("stSidebar")).to_contain_text("300 rows · 4 variables · 3 states")
    follow(page, "climb")
    # For people's own data the page begins with auto.
    climb = bjp.learn(bjp.Dataset.from_frame(frame), "bjp", "auto")
    assert climb.steps
    view = view_of(page, "climb")
    names = view.locator(".node title").all_text_contents()
    assert names == list(frame)
    rows = view.locator("table.flips tbody tr:not([data-rejected])")
    expect(rows).to_have_count(len(climb.steps))
    scores = [figure(text) for text in rows.locator("td:last-child").all_inner_texts()]
    assert scores == pytest.approx([step.score for step in climb.steps], abs=5e-4)


@pytest.mark.parametrize("which", ["messy", "house_votes_84", "senate109"])
def test_a_messy_file_becomes_a_network(page: Page, tmp_path: Path, which: str) -> None:
    """Uploaded, told, prepared by the suggested steps, and learned from, every cell accounted."""
    file = tmp_path / f"{which}.csv"
    shipped = ROOT / "sample_data" / "datasets" / f"{which}.csv"
    file.write_bytes(messy() if which == "messy" else shipped.read_bytes())
    frame = read_frame(file)[0]
    report = health(frame)
    made = prepare(frame, suggest(report))
    upload(page, file)
    main = page.get_by_test_id("stMain")
    for finding in report.findings:
        expect(main.get_by_text(" ".join(finding.sentence.split())).first).to_be_attached()
    for one in made.trace:
        expect(main.get_by_text(one.sentence).first).to_be_attached()
    size = f"{made.data.rows:,} rows · {made.data.n} variables"
    expect(page.get_by_test_id("stSidebar")).to_contain_text(size)
    follow(page, "network")
    view = view_of(page, "networks")
    assert view.locator(".node").count() == made.data.n
    found, tables = bjp.learn(made.data, "bjp", "auto").graph, ""
    if made.imputed is not None:
        found = bjp.edge_probabilities(made.imputed).graph(0.5)
        tables = f" in {len(made.imputed.datasets)} completed tables"
    assert found.number_of_edges() > 0
    edges = count(found.number_of_edges(), "edge")
    title = f"{edges} learned by auto{tables}; width shows"
    expect(main.get_by_text(title).first).to_be_attached()
    page.get_by_role("button", name="Download", exact=True).click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Report (HTML)").click()
    waiting.value.save_as(tmp_path / "report.html")
    told = unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    for text in (made.data.digest, *(one.sentence for one in made.trace)):
        assert text in told
    for u, v in found.edges:
        assert str(u) in told
        assert str(v) in told
    # What was learned is repeated from the file and the report's own program.
    (folder := tmp_path / "again").mkdir()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Python script").click()
    waiting.value.save_as(folder / "repeat.py")
    (folder / file.name).write_bytes(file.read_bytes())
    run = subprocess.run(
        [sys.executable, "repeat.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert f"{found.number_of_edges()} edges written" in run.stdout


def test_steps_are_taken_back_saved_and_applied(
    page: Page, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    file = tmp_path / "messy.csv"
    file.write_bytes(messy())
    upload(page, file)
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text("400 rows · 6 variables")
    page.locator(".st-key-data-step-out-1 button").click()
    expect(sidebar).to_contain_text("400 rows · 9 variables")
    # A button with a help text is in the page twice.
    page.locator(".st-key-data-undo button:enabled").first.click()
    expect(sidebar).to_contain_text("400 rows · 6 variables")
    at_rest(page, "data")
    page.get_by_role("button", name="Drop their rows").click()
    expect(sidebar).not_to_contain_text("400 rows")
    at_rest(page, "data")
    page.get_by_role("button", name="Steps as a file").click()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download the steps").click()
    saved = tmp_path / "steps.json"
    coming.value.save_as(saved)
    steps = Preparation.from_json(saved.read_bytes())
    assert [step.kind for step in steps.steps] == ["drop", "tidy", "missing", "bins"]

    other = new_page()
    again = tmp_path / "again.csv"
    again.write_bytes(messy(rows=300))
    expected = prepare(read_frame(again)[0], steps).data
    upload(other, again)
    other.get_by_role("button", name="Steps as a file").click()
    other.locator('[class*="st-key-data-steps-file"] input').set_input_files(saved)
    other.locator(".st-key-data-steps-apply button").click()
    expect(other.get_by_test_id("stSidebar")).to_contain_text(
        f"{expected.rows} rows · {expected.n} variables"
    )


def test_names_of_a_hostile_file_stay_text(page: Page, tmp_path: Path) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    file = tmp_path / "hostile.csv"
    table([*HOSTILE, "=hacked()"], [f"{name} {k}" for k, name in enumerate(HOSTILE)]).to_csv(
        file, index=False
    )
    upload(page, file)
    expect(page.get_by_test_id("stMain").get_by_text("<script>hacked()").first).to_be_attached()
    for name in PAGES:
        if name != "data":
            follow(page, name)
        if name in COMPONENTS:
            view = view_of(page, COMPONENTS[name])
            expect(view.get_by_text("<img src=hacked").first).to_be_attached()
        if name == "step":
            show_counts(page, view)
        assert page.evaluate(INTRUDERS) == [], name
    assert not [url for url in requests if "hacked" in url]


def test_a_hostile_file_is_told_of_as_text(page: Page, tmp_path: Path) -> None:
    """Every kind of finding and step, about names and cells that would be markup elsewhere."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    random = np.random.default_rng(0)
    cells = [*HOSTILE, *WORSE]
    states = np.array(cells, dtype=object)
    frame = table(cells, cells[:3])
    frame[cells[0]] = states[random.integers(len(states), size=300)]
    frame[cells[1]] = [f"{cells[1]} {k}" for k in range(300)]
    frame[cells[2]] = frame[cells[3]]
    frame[cells[4]] = np.where(random.random(300) < 0.5, cells[4], cells[4].upper())
    frame[cells[5]] = random.normal(size=300)
    frame.loc[::5, cells[6]] = None
    frame[cells[7]] = cells[7]
    file = tmp_path / "<script>hacked()<b>.csv"
    frame.to_csv(file, index=False)
    upload(page, file)
    main = page.get_by_test_id("stMain")
    for kind in (
        "Missing cells",
        "Identifiers",
        "Copies",
        "Constant",
        "Several spellings",
        "Many distinct",
    ):
        expect(main.get_by_text(kind).first).to_be_attached()
    expect(main.get_by_text("</script><script>hacked()").first).to_be_attached()
    page.get_by_text("What the reader noticed").click()
    page.get_by_text("What each column is").click()
    # A table saves no cell that a spreadsheet would run.
    page.get_by_test_id("stDataFrame").first.hover()
    expect(page.get_by_role("button", name="Search").first).to_be_visible()
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
    for kind in ("Keep some variables", "Order of the states", "Missing cells"):
        at_rest(page, "data")
        choice = page.get_by_role("combobox", name="Add a step")
        choice.click()
        choice.press_sequentially(kind)
        page.get_by_role("option", name=kind, exact=True).click()
        expect(page.get_by_role("button", name="Add this step")).to_be_visible()
        assert page.evaluate(INTRUDERS) == [], kind
    assert page.locator('[data-testid="stMain"] a[href*="hacked"]').count() == 0
    assert page.locator('[data-testid="stMain"] .katex').count() == 0
    assert not [url for url in requests if "hacked" in url]


def show_counts(page: Page, view: Locator) -> None:
    """Go to the first test, whose counts and formula bear the names and labels."""
    page.keyboard.press("ArrowRight")
    expect(view).to_have_attribute("data-step", "1")
    expect(page.locator(".bjp-slice").first).to_contain_text("<script>hacked() 1")


def picture(page: Page, card: Any, kind: str) -> bytes:
    """Save a card's picture."""
    card.get_by_label("Save this picture").click()
    with page.expect_download() as coming:
        card.locator(f'[data-export="{kind}"]').click()
    assert coming.value.suggested_filename.endswith(f".{kind}")
    return Path(coming.value.path()).read_bytes()


def test_pictures_are_saved(page: Page) -> None:
    open_page(page, "step")
    view = view_of(page, "step")
    root = ET.fromstring(picture(page, view.locator(".card.graph"), "svg"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    # A name may stand on two lines, broken after an underscore.
    texts = {"".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"smoking", "mental_work", "family_history"} <= texts
    assert not [e for e in root.iter() if e.tag.endswith(("script", "foreignObject"))]
    png = picture(page, view.locator(".card.matrix"), "png")
    assert png.startswith(b"\x89PNG")
    assert len(png) > 10_000
