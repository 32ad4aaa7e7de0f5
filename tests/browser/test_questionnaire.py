"""From a file to a paragraph for a paper, in a browser, every number checked by the library."""

from __future__ import annotations

import html
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Page, expect

import bjp_engine as bjp
from bjp_engine.confidence import choose_groups, compare_all_groups, describe_comparison
from bjp_explorer.groups import words as group_words
from bjp_explorer.network import words
from tests.browser.visits import click_edge, follow, open_page, view_of


def write_survey(path: Path) -> Path:
    """A survey: smokers cough more and run less, and of women only those who run sleep well."""
    rng = np.random.default_rng(8)
    n = 900
    sex, smokes = rng.random(n) < 0.5, rng.random(n) < 0.4
    coughs = rng.random(n) < np.where(smokes, 0.7, 0.2)
    runs = rng.random(n) < np.where(smokes, 0.2, 0.6)
    sleeps = rng.random(n) < np.where(sex, np.where(runs, 0.85, 0.25), 0.5)
    table = {"smokes": smokes, "coughs": coughs, "runs": runs, "sleeps": sleeps}
    frame = pd.DataFrame({name: np.where(on, "yes", "no") for name, on in table.items()})
    frame.insert(0, "sex", np.where(sex, "woman", "man"))
    frame.to_csv(path, index=False)
    return path


def test_from_a_file_to_a_paragraph(page: Page, tmp_path: Path) -> None:
    path = write_survey(tmp_path / "survey.csv")
    data = bjp.read_table(path)
    trace, sure = bjp.learn(data), bjp.edge_probabilities(data)
    open_page(page, "data")
    page.goto("/data?from=file")
    page.locator('[data-testid="stFileUploader"] input').set_input_files(path)
    expect(page.get_by_text("900 rows").first).to_be_visible()
    follow(page, "network")
    counted = sure.verdicts()["verdict"].value_counts()
    expect(page.get_by_text(f"{counted['present']} of 10 pairs are present")).to_be_visible()
    # The card of a pair has the shares of the rows.
    i, j = sorted((data.index("smokes"), data.index("coughs")))
    view = view_of(page, "networks")
    click_edge(page, view, i, j)
    frame = data.to_frame()
    share = (frame["coughs"][frame["smokes"] == "yes"] == "yes").mean()
    opened = page.get_by_role("dialog")
    expect(opened.get_by_text(f"{100 * share:.0f} % of")).to_be_visible()
    expect(
        opened.get_by_text(f"calibrated probability {sure.of('smokes', 'coughs').confidence:.4f}")
    ).to_be_visible()
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(page.get_by_text(words.ASK)).to_be_visible()
    # For whom.
    groups = choose_groups(data, "sex")
    ((pair, one),) = compare_all_groups(groups, permutations=199).pairs.items()
    follow(page, "groups")
    box = page.locator(".st-key-groups-permutations input")
    box.fill("199")
    box.press("Enter")
    page.get_by_role("button", name=group_words.TEST).click()
    expect(page.get_by_text(group_words.PAPER)).to_be_visible()
    # The paragraph.
    follow(page, "network")
    effects = bjp.fit_parameters(data, trace.graph, "auto").effects()
    top = effects.loc[effects["effect"].abs().idxmax()]
    page.get_by_text(words.FOR_PAPER).click()
    paper = page.locator(".st-key-network-paper code")
    numbers = f"{top['effect']:.2f} [{top['low']:.2f}, {top['high']:.2f}]".replace("-", "−")
    expect(paper).to_contain_text(numbers)
    expect(paper).to_contain_text(f"{counted['present']} are present")
    expect(paper).to_contain_text(describe_comparison(one, *pair))
    # The report has it, too.
    page.get_by_role("button", name="Download", exact=True).click()
    with page.expect_download() as waited:
        page.get_by_role("button", name="Report (HTML)").click()
    waited.value.save_as(tmp_path / "report.html")
    report = html.unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    for part in paper.inner_text().split("\n\n"):
        assert part in report
