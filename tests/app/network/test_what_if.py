"""What if: probabilities given evidence are the engine's, and the rows that have it are counted."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_explorer.network import choices, whatif, words
from bjp_explorer.shell import sources, subsets
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views.words import SEEING
from tests.app.looks import address, settled, texts
from tests.app.network.pages import has_table, learn, open_network, table, upload

EVIDENCE = {"smoking": "yes", "mental_work": "no"}


def open_part(given: dict[Any, str], about: str | Loaded = "coronary") -> AppTest:
    """Open the page with evidence, by which the part is unfolded."""
    loaded = sources.load(about) if isinstance(about, str) else about
    asked = {"given": choices.evidence_of(loaded).write([*given.items()])} if given else {}
    return open_network(about, confidence="test", edges="probability", **asked)


def share(data: bjp.Dataset, column: str, state: str, given: dict[Any, str]) -> float:
    """A raw share, counted in a frame."""
    frame = data.to_frame()
    for name, value in given.items():
        frame = frame[frame[name] == value]
    return float((frame[column] == state).mean())


def fit_coronary() -> bjp.FittedNetwork:
    data = sources.load("coronary").data
    return bjp.fit_parameters(data, learn("coronary", "ibmap-hc").graph, "auto")


def test_the_numbers_are_the_fitted_networks_and_the_rows() -> None:
    data, network = sources.load("coronary").data, fit_coronary()
    page = open_part(EVIDENCE)
    with_it, alone = network.query(given=EVIDENCE), network.query()
    found = table(page, "state")
    assert len(found) == len(with_it) == 8
    np.testing.assert_array_equal(found["given"], with_it["probability"])
    for shown, row in zip(found.itertuples(), with_it.itertuples(), strict=True):
        same = (alone["variable"] == row.variable) & (alone["state"] == row.state)
        assert (shown.variable, shown.state) == (row.variable, row.state)
        assert shown.network == alone["probability"][same].item()
        assert shown.rows == pytest.approx(share(data, row.variable, row.state, EVIDENCE))
        assert shown.data == pytest.approx(share(data, row.variable, row.state, {}))
    codes = data.codes[:, [data.index("smoking"), data.index("mental_work")]]
    rows = int((codes == [1, 0]).all(axis=1).sum())
    assert f"**{rows:,} of 1,841 rows** have this evidence." in texts(page)
    best = network.most_probable(EVIDENCE)
    (line,) = [each.value for each in page.markdown if each.value.startswith("Most probable")]
    assert rf"physical\_work \= {best['physical_work']}" in line
    assert "smoking" not in line
    assert SEEING in texts(page)
    # Each piece of evidence is left out in turn.
    page = settled(page.selectbox(key="network-whatif-target").set_value("physical_work").run())
    found = table(page, "without")
    assert found["evidence"].tolist() == ["smoking = yes"] * 2 + ["mental_work = no"] * 2
    for piece, rest in (("smoking", {"mental_work": "no"}), ("mental_work", {"smoking": "yes"})):
        of_piece = found[found["evidence"].str.startswith(piece)]
        expected = network.query("physical_work", rest)["probability"]
        np.testing.assert_allclose(of_piece["without"], expected)


def test_evidence_that_may_be_wrong_is_weighed() -> None:
    data = sources.load("coronary").data
    page = open_part(EVIDENCE)
    page = settled(page.slider(key="network-reliable").set_value(0.8).run())
    assert address(page)["reliable"] == "0.8"
    # Bayes by hand, over every joint state.
    joint = np.zeros([2] * 6)
    for factor in fit_coronary().model.factors:
        shape = [2 if k in factor.variables else 1 for k in range(6)]
        assert [*factor.variables] == sorted(factor.variables)
        joint += np.asarray(factor.log_table).reshape(shape)
    joint = np.exp(joint)
    for name, said in EVIDENCE.items():
        i = data.index(name)
        weights = np.array([0.8 if label == said else 0.2 for label in data.labels[i]])
        joint = joint * weights.reshape([2 if k == i else 1 for k in range(6)])
    joint /= joint.sum()
    shown = table(page, "state")
    assert len(shown) == 12  # the variables of the evidence are open, too
    assert "rows" not in shown
    expected = [
        joint.sum(axis=tuple(k for k in range(6) if k != i))[s] for i in range(6) for s in range(2)
    ]
    np.testing.assert_allclose(shown["given"], expected, atol=1e-9)
    assert words.UNRELIABLE in texts(page)


def test_evidence_is_replaced_cleared_and_in_the_link() -> None:
    page = open_part({})
    assert not has_table(page, "state"), "folded it fits nothing"
    assert words.WHAT_IF in [each.label for each in page.expander]
    page = open_part({"smoking": "yes"})
    assert address(page)["given"] == "0.1"
    (menu,) = page.multiselect
    page = settled(menu.set_value([("smoking", "yes"), ("smoking", "no")]).run())
    assert page.multiselect[0].value == [("smoking", "no")]
    assert address(page)["given"] == "0.0"
    page = settled(page.multiselect[0].set_value([]).run())
    found = table(page, "state")  # what is unfolded stays so
    assert [*found] == ["variable", "state", "network", "data"]
    assert len(found) == 12
    assert "rows** have this evidence" not in texts(page)
    assert "given" not in address(page)


def test_a_link_with_states_of_one_variable_or_of_none_is_refused() -> None:
    field = choices.evidence_of(sources.load("coronary"))
    assert field.read("0.1,2.0") == [("smoking", "yes"), ("physical_work", "no")]
    assert field.write(field.read("0.1,2.0")) == "0.1,2.0"
    for wrong in ("0.0,0.1", "0.0,0.0", "0.9", "9.0", "", "smoking", "0.0,"):
        with pytest.raises(OptionError, match="by their places"):
            field.read(wrong)


def test_it_says_where_the_data_are_silent() -> None:
    # a and b are never both 1; few rows have c = 1.
    codes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]] * 40 + [[0, 0, 1]] * 4)
    page = open_part({"a": "1", "b": "1"}, upload(codes, ("a", "b", "c")))
    assert "**None of the 124 rows has this evidence**" in texts(page)
    found = table(page, "state")
    assert found["rows"].isna().all()
    assert found["given"].sum() == pytest.approx(1)
    page = settled(page.multiselect[0].set_value([("a", "1"), ("b", "1"), ("c", "0")]).run())
    assert "**None of the 124 rows has" in texts(page)
    few = words.describe_rows(4, 124)
    assert few.startswith("**4 of 124 rows** have this evidence. The data say little here")
    assert few.endswith("up to 0.25.")
    imputed = words.describe_rows(4, 124, words.OF_FIRST_TABLE)
    assert imputed.startswith("**4 of 124 rows** of the first completed table have this evidence.")
    assert "say little" not in words.describe_rows(words.FEW_ROWS, 124)


def test_choices_follow_the_variables_and_look_alike_names_are_told_apart() -> None:
    whole = sources.load("coronary")
    some = subsets.subset(whole, ["smoking", "family_history"])
    one, other = choices.evidence_of(whole), choices.evidence_of(some)
    assert one.key == other.key
    assert ("smoking", "yes") in other.labels
    assert ("mental_work", "yes") not in other.labels
    assert choices.evidence_of(sources.load("titanic")).key != one.key
    # The browser answers with the text of a choice.
    alike = choices.evidence_of(upload([[0, 0], [1, 1]], ("a_b", "a b"))).labels
    assert len(set(alike.values())) == len(alike) == 4


def test_where_exact_inference_is_out_of_reach_samples_are_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = bjp.Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (80, 26)))
    graph: nx.Graph[Any] = nx.Graph(combinations(range(26), 2))
    network = bjp.fit_parameters(data, graph, "auto", factors="edges")
    with pytest.raises(OptionError, match="gibbs"):
        network.query(given={0: "1"})
    assert [*whatif.table(network, data, {0: "1"})] == ["variable", "state", "rows", "data"]
    found = whatif.table(network, data, {0: "1"}, sampled=True)
    assert [*found] == ["variable", "state", "given", "error", "network", "rows", "data"]
    expected = network.query(given={0: "1"}, method="gibbs")
    np.testing.assert_array_equal(found["given"], expected["probability"])
    np.testing.assert_array_equal(found["error"], expected["standard_error"])
    # With enough evidence the answer is exact, though that without evidence is not.
    much = dict.fromkeys(range(20), "1")
    assert "network" not in whatif.table(network, data, much)
    exact = network.query(given=much)["probability"]
    np.testing.assert_array_equal(whatif.table(network, data, much)["given"], exact)
    # On the page: the sentence, and samples once they are asked for.
    monkeypatch.setattr("bjp_explorer.jobs.results.fit_network", lambda *_: network)
    page = open_part({0: "1"}, Loaded("file:made", "Made up", "", data))
    assert "would hold more than" in texts(page).replace("\\", "")
    page = settled(page.toggle(key="network-whatif-sample").set_value(True).run())
    np.testing.assert_array_equal(table(page, "state")["given"], expected["probability"])


def test_a_constant_variable_has_no_other_state() -> None:
    codes = np.column_stack([np.zeros(40), np.arange(40) % 2]).astype(int)
    data = bjp.Dataset.from_codes(codes, [1, 2], ["one", "two"])
    network = bjp.fit_parameters(data, nx.empty_graph(data.names))
    given = whatif.weigh({"one": "0", "two": "1"}, network, 0.75)
    assert given == {"one": "0", "two": {"0": 0.25, "1": 0.75}}
