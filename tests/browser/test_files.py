"""Files that go into the app and come out of it: data, programs, pictures, a paragraph."""

import html
import runpy
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
from playwright.sync_api import expect

import bjp_engine as bjp
from bjp_engine.confidence import choose_groups, compare_all_groups, describe_comparison
from tests.browser import visits


def write_survey(path):
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


def test_from_a_file_to_a_paragraph_for_a_paper(page, tmp_path):
    """Every number is the library's."""
    path = write_survey(tmp_path / "survey.csv")
    data = bjp.read_table(path)
    trace, sure = bjp.learn(data), bjp.edge_probabilities(data)
    visits.give_file(page, path)
    visits.follow(page, "network")
    present = sure.verdicts()["verdict"].eq("present").sum()
    expect(page.get_by_text(f"{present} of 10 pairs are present")).to_be_visible()
    # The card of a pair has the shares of the rows.
    i, j = visits.pair_of(("smokes", "coughs"), data)
    visits.click_edge(page, visits.view_of(page, "networks"), i, j)
    frame = data.to_frame()
    share = (frame["coughs"][frame["smokes"] == "yes"] == "yes").mean()
    card = page.get_by_role("dialog")
    expect(card.get_by_text(f"{100 * share:.0f} % of")).to_be_visible()
    probability = f"probability {sure.of('smokes', 'coughs').confidence:.4f}"
    expect(card.get_by_text(probability)).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    # For whom.
    groups = choose_groups(data, "sex")
    ((pair, one),) = compare_all_groups(groups, permutations=199).pairs.items()
    visits.follow(page, "groups")
    with visits.running(page):
        page.locator('[class*="st-key-groups-by"] input').click()
        page.get_by_role("option", name="sex", exact=True).click()
    box = page.locator(".st-key-groups-permutations input")
    box.fill("199")
    with visits.running(page):
        box.press("Enter")
    page.get_by_role("button", name="Test the difference").click()
    expect(page.get_by_text("For a paper", exact=True)).to_be_visible()
    # The paragraph, which the report has, too.
    visits.follow(page, "network")
    effects = bjp.fit_parameters(data, trace.graph, "auto").effects()
    top = effects.loc[effects["effect"].abs().idxmax()]
    page.get_by_text("For a paper: methods and results").click()
    paper = page.locator(".st-key-network-paper code")
    numbers = f"{top['effect']:.2f} [{top['low']:.2f}, {top['high']:.2f}]".replace("-", "−")
    for part in (numbers, f"{present} are present", describe_comparison(one, *pair)):
        expect(paper).to_contain_text(part)
    ((_, content),) = visits.save_as(page, "Report (HTML)").values()
    report = html.unescape(content.decode())
    for part in paper.inner_text().split("\n\n"):
        assert part in report


def test_pictures_of_cards_are_saved(page):
    view = visits.open_view(page, "step")

    def picture(card, kind):
        place = view.locator(f".card.{card}")
        place.get_by_label("Save this picture").click()
        name, content = visits.save(page, place.locator(f'[data-export="{kind}"]'))
        assert name.endswith(f".{kind}")
        return content

    svg = "{http://www.w3.org/2000/svg}"
    root = ET.fromstring(picture("graph", "svg"))
    assert root.tag == f"{svg}svg"
    # A name may stand on two lines, broken after an underscore.
    texts = {"".join(each.itertext()) for each in root.iter(f"{svg}text")}
    assert set(visits.coronary().names) <= texts
    assert not [each for each in root.iter() if each.tag.endswith(("script", "foreignObject"))]
    png = picture("matrix", "png")
    assert png.startswith(b"\x89PNG")
    assert len(png) > 10_000


SCRIPTS = {
    ("climb", "coronary&search=tabu&tenure=7&patience=9"): ["'tabu'", "tenure=7", "patience=9"],
    ("step", "coronary&score=ib"): ["bjp.learn(data, 'ib'", "bjp.score(data, graph, 'ib')"],
    ("step", "coronary&graph=edited&edges=0-1,2-5"): ["EDGES = [(0, 1), (2, 5)]"],
    ("step", "coronary&test=centred"): ["bjp.score(data, graph, 'bjp', prior_cells='centred')"],
    ("scores", "supreme_court:state"): ["missing='state'", "bjp.learn(data, 'bjp'"],
}


def test_the_script_of_a_page_comes_to_what_the_page_shows(page, tmp_path, monkeypatch):
    for number, ((name, data), parts) in enumerate(SCRIPTS.items()):
        visits.open_page(page, name, data)
        ((_, content),) = visits.save_as(page, "Python script").values()
        for part in parts:
            assert part in content.decode(), (name, data)
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "repeat.py").write_bytes(content)
        monkeypatch.chdir(folder)
        # It compares rows and score, and stops where they differ.
        runpy.run_path("repeat.py")
        assert (folder / "edges.csv").is_file(), (name, data)
