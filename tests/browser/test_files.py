"""What goes into the app as a file, and what it becomes: datasets, networks, paragraphs."""

from __future__ import annotations

import html
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Locator, Page, expect

import bjp_engine as bjp
from bjp_engine.confidence import choose_groups, compare_all_groups, describe_comparison
from bjp_engine.health import health, suggest
from bjp_engine.io import read_columns, read_frame
from bjp_engine.preparation import Preparation, prepare
from bjp_explorer.groups import words as group_words
from bjp_explorer.network import words
from bjp_explorer.shell.text import count
from tests.browser.visits import (
    COMPONENTS,
    HOSTILE,
    INTRUDERS,
    PAGES,
    at_step,
    click_edge,
    follow,
    give_file,
    rest,
    running,
    save_as,
    view_of,
)
from tests.messy import messy

# So few that all pages can be seen with them.
NAMES = (
    "<img src=hacked onerror=a>",
    "<script>hacked()",
    "$\\hacked$ [a](//hacked.test)",
    "=hacked()",
)


def table(names: list[str], states: list[str]) -> pd.DataFrame:
    """Three hundred rows in which each variable mostly repeats the one before."""
    random = np.random.default_rng(0)
    columns = [random.integers(len(states), size=300)]
    for _ in names[1:]:
        other = random.integers(len(states), size=300)
        columns.append(np.where(random.random(300) < 0.7, columns[-1], other))
    labels = np.array(states, dtype=object)
    return pd.DataFrame({name: labels[codes] for name, codes in zip(names, columns, strict=True)})


def sidebar(page: Page) -> Locator:
    return page.get_by_test_id("stSidebar")


def test_a_messy_file_becomes_a_network_and_a_program(page: Page, tmp_path: Path) -> None:
    """Prepared by the suggested steps, every cell accounted for, and repeated elsewhere."""
    file = tmp_path / "messy.csv"
    file.write_bytes(messy())
    frame = read_frame(file)[0]
    report = health(frame)
    made = prepare(frame, suggest(report))
    give_file(page, file)
    main = page.get_by_test_id("stMain")
    for finding in report.findings:
        expect(main.get_by_text(" ".join(finding.sentence.split())).first).to_be_attached()
    for one in made.trace:
        expect(main.get_by_text(one.sentence).first).to_be_attached()
    expect(sidebar(page)).to_contain_text(f"{made.data.rows:,} rows · {made.data.n} variables")
    follow(page, "network")
    expect(view_of(page, "networks").locator(".node")).to_have_count(made.data.n)
    found, tables = bjp.learn(made.data, "bjp", "auto").graph, ""
    if made.imputed is not None:
        found = bjp.edge_probabilities(made.imputed).graph(0.5)
        tables = f" in {len(made.imputed.datasets)} completed tables"
    assert found.number_of_edges() > 0
    edges = count(found.number_of_edges(), "edge")
    title = f"{edges} learned by auto{tables}; width shows"
    expect(main.get_by_text(title).first).to_be_attached()
    files = save_as(page, "Report (HTML)", "Python script")
    text = html.unescape(files["Report (HTML)"][1].decode())
    for part in (made.data.digest, *(one.sentence for one in made.trace)):
        assert part in text
    for edge in found.edges:
        assert set(edge) <= set(made.data.names)
        assert all(name in text for name in edge)
    (folder := tmp_path / "again").mkdir()
    (folder / "repeat.py").write_bytes(files["Python script"][1])
    (folder / file.name).write_bytes(file.read_bytes())
    run = subprocess.run(
        [sys.executable, "repeat.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert f"{found.number_of_edges()} edges written" in run.stdout


def test_steps_are_saved_and_applied_to_another_file(
    page: Page, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    file = tmp_path / "messy.csv"
    file.write_bytes(messy())
    give_file(page, file)
    expect(sidebar(page)).to_contain_text("400 rows · 6 variables")
    page.get_by_role("button", name="Drop their rows").click()
    expect(sidebar(page)).not_to_contain_text("400 rows")
    rest(page)
    page.get_by_role("button", name="Steps as a file").click()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download the steps").click()
    coming.value.save_as(saved := tmp_path / "steps.json")
    steps = Preparation.from_json(saved.read_bytes())
    assert [step.kind for step in steps.steps] == ["drop", "tidy", "missing", "bins"]

    other, again = new_page(), tmp_path / "again.csv"
    again.write_bytes(messy(rows=300))
    expected = prepare(read_frame(again)[0], steps).data
    give_file(other, again)
    other.get_by_role("button", name="Steps as a file").click()
    other.locator('[class*="st-key-data-steps-file"] input').set_input_files(saved)
    other.locator(".st-key-data-steps-apply button").click()
    expect(sidebar(other)).to_contain_text(f"{expected.rows} rows · {expected.n} variables")


def test_hostile_names_stay_text_on_every_page(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "hostile.csv"
    table([*NAMES], [f"{name} {k}" for k, name in enumerate(NAMES[:3])]).to_csv(file, index=False)
    give_file(page, file)
    expect(page.get_by_test_id("stMain").get_by_text("<script>hacked()").first).to_be_attached()
    for name in PAGES:
        if name != "data":
            follow(page, name)
        if name in COMPONENTS:
            view = view_of(page, COMPONENTS[name])
            if name != "start":
                expect(view.get_by_text("<img src=hacked").first).to_be_attached()
        if name == "step":
            # The first test, whose counts and formula bear the names and labels.
            page.keyboard.press("ArrowRight")
            at_step(view, 1)
            expect(page.locator(".bjp-slice").first).to_contain_text("<script>hacked() 1")
        assert page.evaluate(INTRUDERS) == [], name


def test_findings_and_steps_of_a_hostile_file_are_text(page: Page, tmp_path: Path) -> None:
    """Every kind of finding and step, about names and cells that would be markup elsewhere."""
    random = np.random.default_rng(0)
    cells = [*NAMES[:3], *HOSTILE]
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
    give_file(page, file)
    main = page.get_by_test_id("stMain")
    findings = ("Missing cells", "Identifiers", "Copies", "Constant", "Several spellings")
    for text in (*findings, "Many distinct", "</script><script>hacked()"):
        expect(main.get_by_text(text).first).to_be_attached()
    page.get_by_text("What the reader noticed").click()
    page.get_by_text("What each column is").click()
    # A table saves no cell that a spreadsheet would run.
    page.get_by_test_id("stDataFrame").first.hover()
    expect(page.get_by_role("button", name="Search").first).to_be_visible()
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
    for kind in ("Keep some variables", "Order of the states", "Missing cells"):
        rest(page)
        choice = page.get_by_role("combobox", name="Add a step")
        choice.click()
        choice.press_sequentially(kind)
        page.get_by_role("option", name=kind, exact=True).click()
        expect(page.get_by_role("button", name="Add this step")).to_be_visible()
        assert page.evaluate(INTRUDERS) == [], kind
    assert page.locator('[data-testid="stMain"] a[href*="hacked"]').count() == 0
    assert page.locator('[data-testid="stMain"] .katex').count() == 0


def write_export(path: Path) -> bjp.Dataset:
    """Items with the code 9, ages with 99, weights with decimal commas, and an identifier."""
    rng = np.random.default_rng(3)
    rows = 600
    mood = rng.integers(1, 6, rows)
    items = {f"Q1_{k}": np.clip(mood + rng.integers(-1, 2, rows), 1, 5) for k in range(1, 5)}
    missing = {name: rng.random(rows) < 0.02 for name in items}
    kilos = np.round(60 + 3 * mood + rng.normal(0, 9, rows), 1)
    age = rng.integers(18, 80, rows)
    aged = rng.random(rows) < 0.02
    written = pd.DataFrame({"id": 1000 + np.arange(rows)})
    true = pd.DataFrame(index=range(rows))
    for name, answers in items.items():
        written[name] = np.where(missing[name], 9, answers)
        true[name] = pd.Series(answers, dtype="Int64").mask(missing[name])
    written["kilos"] = [str(each).replace(".", ",") for each in kilos]
    written["age"] = np.where(aged, 99, age)
    true["kilos"] = kilos
    true["age"] = pd.Series(age, dtype="Int64").mask(aged)
    written.to_csv(path, sep=";", index=False)
    # The same answers with empty cells, decimal points and no identifier.
    clean = path.with_name("clean.csv")
    true.to_csv(clean, index=False)
    read = read_columns(clean)[0]
    steps = suggest(health(read))
    assert [step.kind for step in steps.steps] == ["ordered", "missing", "bins"]
    return prepare(read, steps).data


def test_a_survey_as_it_comes_is_its_clean_table(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    data = write_export(path)
    read = read_columns(path)[0]
    assert prepare(read, suggest(health(read))).data.digest == data.digest
    give_file(page, path)
    expect(sidebar(page)).to_contain_text(f"{data.rows:,} rows · {data.n} variables")


def write_survey(path: Path) -> Path:
    """A survey: smokers cough more and run less, and of women only those who run sleep well."""
    rng = np.random.default_rng(8)
    n = 900
    sex, smokes = rng.random(n) < 0.5, rng.random(n) < 0.4
    coughs = rng.random(n) < np.where(smokes, 0.7, 0.2)
    runs = rng.random(n) < np.where(smokes, 0.2, 0.6)
    sleeps = rng.random(n) < np.where(sex, np.where(runs, 0.85, 0.25), 0.5)
    answers = {"smokes": smokes, "coughs": coughs, "runs": runs, "sleeps": sleeps}
    frame = pd.DataFrame({name: np.where(on, "yes", "no") for name, on in answers.items()})
    frame.insert(0, "sex", np.where(sex, "woman", "man"))
    frame.to_csv(path, index=False)
    return path


def test_from_a_file_to_a_paragraph_for_a_paper(page: Page, tmp_path: Path) -> None:
    """Every number is the library's."""
    path = write_survey(tmp_path / "survey.csv")
    data = bjp.read_table(path)
    trace, sure = bjp.learn(data), bjp.edge_probabilities(data)
    give_file(page, path)
    expect(page.get_by_text("900 rows").first).to_be_visible()
    follow(page, "network")
    present = sure.verdicts()["verdict"].eq("present").sum()
    expect(page.get_by_text(f"{present} of 10 pairs are present")).to_be_visible()
    # The card of a pair has the shares of the rows.
    i, j = sorted((data.index("smokes"), data.index("coughs")))
    click_edge(page, view_of(page, "networks"), i, j)
    frame = data.to_frame()
    share = (frame["coughs"][frame["smokes"] == "yes"] == "yes").mean()
    card = page.get_by_role("dialog")
    expect(card.get_by_text(f"{100 * share:.0f} % of")).to_be_visible()
    probability = f"calibrated probability {sure.of('smokes', 'coughs').confidence:.4f}"
    expect(card.get_by_text(probability)).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(page.get_by_text(words.ASK)).to_be_visible()
    # For whom.
    groups = choose_groups(data, "sex")
    ((pair, one),) = compare_all_groups(groups, permutations=199).pairs.items()
    follow(page, "groups")
    box = page.locator(".st-key-groups-permutations input")
    box.fill("199")
    with running(page):
        box.press("Enter")
    page.get_by_role("button", name=group_words.TEST).click()
    expect(page.get_by_text(group_words.PAPER)).to_be_visible()
    # The paragraph, which the report has, too.
    follow(page, "network")
    effects = bjp.fit_parameters(data, trace.graph, "auto").effects()
    top = effects.loc[effects["effect"].abs().idxmax()]
    page.get_by_text(words.FOR_PAPER).click()
    paper = page.locator(".st-key-network-paper code")
    numbers = f"{top['effect']:.2f} [{top['low']:.2f}, {top['high']:.2f}]".replace("-", "−")
    for part in (numbers, f"{present} are present", describe_comparison(one, *pair)):
        expect(paper).to_contain_text(part)
    ((_, content),) = save_as(page, "Report (HTML)").values()
    report = html.unescape(content.decode())
    for part in paper.inner_text().split("\n\n"):
        assert part in report
