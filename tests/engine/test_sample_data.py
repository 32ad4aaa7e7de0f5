"""What the catalogue of sample datasets says is what the files hold."""

import tomllib
from functools import cache

import pandas as pd

from bjp_engine.resources import sample_data


@cache
def catalogue():
    text = sample_data("datasets", "catalogue.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["dataset"]
    found = {entry["file"]: entry for entry in entries}
    assert len(found) == len(entries)
    return found


def read(file):
    """Every cell as text, the empty ones as empty text."""
    return pd.read_csv(sample_data("datasets", file), dtype=str, keep_default_na=False)


def test_every_dataset_is_in_the_catalogue_with_its_size_and_story():
    entries = catalogue()
    extra = {entry.get(key) for entry in entries.values() for key in ("published", "nodes")}
    files = {path.name for path in sample_data("datasets").glob("*.csv")} - extra
    assert sorted(entries) == sorted(files)
    text = sample_data("README.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    for file, entry in entries.items():
        frame = read(file)
        found = (len(frame), len(frame.columns), int((frame == "").to_numpy().sum()))
        assert found == (entry["rows"], entry["columns"], entry["missing"]), file
        assert all(entry[key].strip() for key in ("title", "about", "known", "source", "licence"))
        (line,) = (line for line in lines if line.startswith(f"| `{file}`"))
        assert f"| {entry['rows']} × {entry['columns']} | {entry['missing']} |" in line
    for path in sample_data().rglob("*.csv"):
        assert f"`{path.name}`" in text


def test_published_graphs_are_on_the_columns():
    for file, edges in (("coronary.published.csv", 9), ("rochdale.published.csv", 14)):
        (entry,) = (one for one in catalogue().values() if one.get("published") == file)
        columns, graph = set(read(entry["file"]).columns), read(file)
        found = {frozenset(pair) for pair in graph.itertuples(index=False)}
        assert len(found) == len(graph) == edges
        assert all(len(edge) == 2 and edge <= columns for edge in found)


def test_coronary_titanic_and_rochdale_are_as_published():
    frame = read("coronary.csv")
    cell = frame.query(
        "smoking == 'yes' and physical_work == 'no' and systolic_pressure == '<140'"
        " and lipoprotein_ratio == '<3' and family_history == 'neg'"
    )
    assert cell["mental_work"].value_counts().to_dict() == {"yes": 67, "no": 40}
    frame = read("titanic.csv")
    survived = frame["Survived"] == "Yes"
    for column, rates in {
        "Sex": {"Female": 73, "Male": 21},
        "Age": {"Child": 52, "Adult": 31},
        "Class": {"1st": 62, "3rd": 25},
    }.items():
        for state, rate in rates.items():
            assert round(100 * survived[frame[column] == state].mean()) == rate, state
    assert len(read("rochdale.csv").drop_duplicates()) == 91


def test_supreme_court_decisions_are_divided_and_ones_are_the_majority():
    frame = read("supreme_court.csv")
    ones, zeros, empty = ((frame == text).sum(axis=1) for text in ("1", "0", ""))
    assert (ones.min() >= 5, zeros.min() >= 1, empty.max()) == (True, True, 1)
    for a, b, wanted in (("Scalia", "Thomas", 89), ("Stevens", "Thomas", 16)):
        both = frame[(frame[a] != "") & (frame[b] != "")]
        assert round(100 * (both[a] == both[b]).mean()) == wanted, (a, b)


def test_complete_rows_parties_and_a_shared_seat():
    for name, complete in (("house_votes_84", 232), ("icar_ability16", 1248), ("senate109", 0)):
        assert int((read(f"{name}.csv") != "").all(axis=1).sum()) == complete
    parties = read("house_votes_84.csv")["party"].value_counts().to_dict()
    assert parties == {"democrat": 267, "republican": 168}
    frame, nodes = read("senate109.csv"), read("senate109.nodes.csv")
    assert list(nodes["column"]) == list(frame.columns)
    shared = frame.pop("Corzine_NJ"), frame.pop("Menendez_NJ")
    assert ((shared[0] == "") | (shared[1] == "")).all()
    assert int((frame != "").all(axis=1).sum()) == 160
    assert nodes["party"].value_counts().to_dict() == {"R": 55, "D": 45, "Indep": 1}
    assert nodes.loc[nodes["party"] == "Indep", "column"].item() == "Jeffords_VT"
