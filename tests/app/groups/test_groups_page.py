"""Groups: networks, sentences and the test are what the engine computes of the groups' rows."""

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import choose_groups, compare_all_groups, describe_comparison
from bjp_explorer.groups import views as shown_views
from bjp_explorer.groups.parts import largest_gap
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views.payloads import edge_pairs
from tests.app.looks import address, payload, settled, take, views

DAYTON = "dayton_drugs"


@pytest.fixture
def opened(open_app, switch_page):
    """Open the page on a dataset, or on uploads of which the first is selected."""

    def open_(about, *others, **query):
        page = open_app("start")
        if isinstance(about, Loaded):
            take(page, about, *others)
            about = about.token
        return settled(switch_page(page, "groups", data=about, **query))

    return open_


def made(frame, token="file:made", title="Made up"):
    return Loaded(token, title, "", bjp.Dataset.from_frame(frame))


def table(seed=0, rows=300):
    """x and y agree in the first place, not in the second; some columns make no groups."""
    rng = np.random.default_rng(seed)
    place = np.where(np.arange(rows) < rows / 3, "here", "there")
    x, z = rng.integers(2, size=(2, rows))
    same = rng.random(rows) < np.where(place == "here", 0.9, 0.5)
    y = np.where(same, x, 1 - x)
    given = {
        "x": x,
        "y": y,
        "z": z,
        "place": place,
        "same": 1,
        "number": rng.integers(100, size=rows),
    }
    return pd.DataFrame(given)


def sentences(page):
    parts = (*page.markdown, *page.caption, *page.warning, *page.info)
    return " ".join(each.value for each in parts).replace("\\", "")


def titles(page):
    return [panel["title"] for panel in payload(page)["panels"]]


def run_test(page):
    return settled(page.button(key="groups-test").click().run())


def test_each_panel_is_what_its_rows_give(opened):
    page, data = opened(DAYTON, by="3"), sources.load(DAYTON).data
    given = payload(page)
    groups = choose_groups(data, "sex")
    graphs = {name: bjp.learn(part, search="ibmap-hc").graph for name, part in groups.items()}
    part = next(iter(groups.values()))
    both = frozenset.intersection(*(edge_pairs(graph, part) for graph in graphs.values()))
    assert given["names"] == ["cigarette", "alcohol", "marijuana", "race"]
    assert titles(page) == ["sex = female", "sex = male"]
    for panel, graph, rows in zip(given["panels"], graphs.values(), (1120, 1156), strict=True):
        assert {(i, j) for i, j, *_ in panel["edges"]} == edge_pairs(graph, part)
        assert panel["subtitle"] == f"n = {rows:,} · {graph.number_of_edges()} edges"
        for i, j, tone, _, text in panel["edges"]:
            assert tone == ("all" if (i, j) in both else "only")
            assert text.endswith("in every group" if (i, j) in both else "only in sex = male")
    assert f"**{len(both)} edges are in both networks, 2 differ.**" in sentences(page)
    # Sizes are alike, so nothing is said of them; others are named.
    assert not page.warning
    few = table(rows=60)
    few["place"] = ["here"] * 2 + ["there"] * 58
    small = opened(made(few), by="3")
    assert "place = here (2) has fewer than 50 rows" in sentences(small)


def test_which_columns_and_states_make_groups(opened):
    page = opened("titanic")
    assert "Choose the column" in sentences(page)
    assert not views(page)
    settled(page.selectbox(key="groups-by titanic").set_value(0).run())
    # The two states with most rows first; more than three are a table.
    counted = sources.sample_frame("titanic")["Class"].value_counts()
    assert {title.removeprefix("Class = ") for title in titles(page)} == {*counted.index[:2]}
    settled(page.multiselect(key="groups-states titanic 0").set_value([0, 1, 2, 3]).run())
    assert not views(page)
    lines = page.dataframe[0].value.set_index("pair")
    groups = choose_groups(sources.load("titanic").data, "Class")
    assert [*lines] == [*groups]
    for name, part in groups.items():
        graph = bjp.learn(part, search="ibmap-hc").graph
        wanted = {frozenset(edge) for edge in graph.edges}
        found = {frozenset(pair.split(" – ")) for pair in lines.index[lines[name] == "edge"]}
        assert found == wanted, name
    settled(page.multiselect(key="groups-states titanic 0").set_value([3]).run())
    assert titles(page) == ["Class = Crew", "Class ≠ Crew"]
    assert address(page) == {"data": "titanic", "by": "0", "states": "3"}
    page.multiselect(key="groups-states titanic 0").set_value([]).run()
    assert "Choose one state or more" in sentences(page)
    assert not views(page)
    page = opened(made(table().assign(number=np.arange(300) % 8)), by="5")
    states = page.multiselect(key="groups-states file:made 5")
    assert states.value == [0, 1]
    states.set_value(list(range(8))).run()
    assert "at most six states" in sentences(page)
    long = table().assign(number=np.arange(300) % 4).rename(columns={"number": "many words " * 4})
    page = opened(made(long), by="5", states="0,1,2,3")
    assert len(page.dataframe[0].value.columns) == 1 + 4
    choice = opened(made(table())).selectbox(key="groups-by file:made")
    assert choice.options == ["x", "y", "z", "place"]
    for columns, sentence in (
        (["same", "number"], "No variable has 2 to 12 states"),
        (["x", "place"], "Two variables are needed"),
    ):
        page = opened(made(table()[columns]), by="0")
        assert sentence in sentences(page)
        assert not views(page)


def test_another_upload_is_the_second_group_if_it_fits(opened):
    frame = table().drop(columns=["same", "number"])
    halves = [frame[frame["place"] == p].drop(columns="place") for p in ("here", "there")]
    page = opened(*(made(half, f"file:{k}", f"File {k}") for k, half in enumerate(halves)))
    choice = page.selectbox(key="groups-by file:0")
    assert choice.options == ["x", "y", "z", "this file and File 1"]
    settled(choice.set_value("file:1").run())
    assert titles(page) == ["File 0", "File 1"]
    sizes = [panel["subtitle"].split(" · ")[0] for panel in payload(page)["panels"]]
    assert (sizes, address(page)["by"]) == (["n = 100", "n = 200"], "file:1")
    frame = table()[["x", "y", "z"]]
    other = made(frame.rename(columns={"z": "w"}), "file:other", "Other")
    binned = made(frame.assign(z=frame["z"] + 1), "file:binned", "Binned")
    coded = made(frame.assign(z=frame["z"] + 5), "file:coded", "Coded")
    page = opened(made(frame), other, binned, coded)
    for token, sentence in (
        ("file:other", "lacks the variable 'z'"),
        ("file:coded", "'z' has the states '0', '1' in the first group"),
    ):
        page.selectbox(key="groups-by file:made").set_value(token).run()
        (error,) = page.error
        assert sentence in error.value.replace("\\", "")
        assert not views(page)
    settled(page.selectbox(key="groups-by file:made").set_value("file:binned").run())
    assert "The files have different states of z." in page.warning[0].value


@pytest.mark.filterwarnings("ignore:.*effect")
def test_every_number_of_the_test_is_the_engines(opened):
    loaded = made(table().drop(columns=["same", "number"]))
    page = opened(loaded, by="3", permutations="39", seed="5", search="ibmap-hc")
    run_test(page)
    groups = choose_groups(loaded.data, "place")
    whole = compare_all_groups(groups, search="ibmap-hc", permutations=39, seed=5)
    (found,) = whole.pairs.values()
    drawn = [len(panel["edges"]) for panel in payload(page)["panels"]]
    assert drawn == [g.number_of_edges() for g in (found.graph_a, found.graph_b)]
    assert page.code[0].value == describe_comparison(found, "place = here", "place = there")
    shown = page.dataframe[0].value
    for name in ("effect_a", "effect_b", "difference", "p", "p_adjusted", "kind"):
        assert shown[name].tolist() == found.edges[name].tolist()
    assert shown["pair"][0] == "x – y"
    names = {(True, True): "both", (True, False): "place = here", (False, True): "place = there"}
    ends = zip(found.edges["in_a"], found.edges["in_b"], strict=True)
    assert shown["edge"].tolist() == [names[pair] for pair in ends]
    assert found.edges["p_adjusted"][0] == 1 / 40
    assert "**The groups differ clearly:** 1 pair of variables differs" in sentences(page)
    assert not [each for each in page.button if each.key == "groups-test"]
    labels = [each.label for each in page.get("download_button")]
    assert labels == ["Pairs of variables (CSV)"]
    page = run_test(opened("titanic", by="0", states="0,1,3", permutations="19"))
    groups = choose_groups(sources.load("titanic").data, "Class", ["1st", "2nd", "Crew"])
    found = compare_all_groups(groups, search="ibmap-hc", permutations=19)
    chances = [shown_views.chance(p) for p in found.table["p_strength_adjusted"]]
    assert page.table[0].value["p (global strength)"].tolist() == chances
    settled(page.selectbox(key="groups-states titanic 0 pair [0, 1, 3]").set_value(2).run())
    assert address(page)["pair"] == "2"
    (pair, last) = list(found.pairs.items())[-1]
    assert page.code[0].value.startswith(describe_comparison(last, *pair))


def test_margins_are_named_where_they_differ():
    gap = largest_gap(choose_groups(sources.load("titanic").data, "Sex"))
    frame = sources.sample_frame("titanic")
    shares = pd.crosstab(frame["Sex"], frame["Survived"], normalize="index")["No"]
    assert gap[:2] == ("Survived", "No")
    assert gap[2] == pytest.approx({f"Sex = {sex}": share for sex, share in shares.items()})
    assert "27% of the rows in Sex \\= Female, 79%" in shown_views.describe_margins(gap)


@pytest.mark.filterwarnings("ignore:Column '")
def test_doubts_about_the_rows_are_on_the_page_and_in_the_paragraph(opened):
    frame = table().drop(columns=["same", "number"])
    frame = frame.assign(person=[f"P{k // 2}" for k in range(300)])
    page = run_test(opened(made(frame), by="3", permutations="19", search="ibmap-hc"))
    (note,) = [n for each in page.warning if "person" in (n := each.value.replace("\\", ""))]
    assert "so p-values are too small" in note
    assert note in page.code[0].value
