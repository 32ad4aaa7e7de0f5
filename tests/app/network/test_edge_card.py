"""The edge card: its shares are those of the rows, and every number is the engine's."""

from __future__ import annotations

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_explorer.network import card
from bjp_explorer.network.slices import (
    MOST_SLICES,
    count_shares,
    describe_shares,
    describe_where,
    slice_table,
)
from bjp_explorer.shell import sources
from tests.app.looks import settled, texts
from tests.app.network.pages import learn, open_network


def test_shares_are_those_of_the_rows() -> None:
    data = sources.load("coronary").data
    frame = data.to_frame()
    for x, y, *given in (
        ("smoking", "lipoprotein_ratio"),
        ("smoking", "systolic_pressure", "lipoprotein_ratio"),
        ("mental_work", "physical_work", "smoking", "lipoprotein_ratio", "family_history"),
    ):
        test = bjp.independence_test(data, x, y, given)
        for of, by in ((x, y), (y, x)):
            found = count_shares(test, data, of)
            table = slice_table(found)
            groups = [*frame.groupby([*given])] if given else [((), frame)]
            assert len(table) == min(len(groups), MOST_SLICES)
            assert [*table["rows"]] == sorted((len(part) for _, part in groups), reverse=True)
            for key, part in groups:
                where = ", ".join(f"{n} = {v}" for n, v in zip(given, key, strict=True))
                (row,) = table[table["where"] == (where or "all rows")].to_dict("records")
                for k, state in enumerate(data.labels[data.index(by)]):
                    those = part[part[by] == state][of]
                    assert row[f"of {k}"] == pytest.approx((those == found.state).mean())
            whole = (frame[of] == found.state).groupby(frame[by]).mean()
            said = describe_shares(found)[0]
            for state, share in whole.items():
                assert f"{100 * share:.0f} % of {(frame[by] == state).sum():,} with" in said
                assert f"= {state}" in said


def test_the_state_is_the_one_that_differs_most() -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 2, 600)
    b = np.where(rng.random(600) < 0.7, 2 * a, rng.integers(0, 3, 600))
    data = bjp.Dataset.from_codes(np.column_stack([a, b]), [2, 3], ["a", "b"])
    found = count_shares(bjp.independence_test(data, "a", "b"), data, "b")
    shares = [[(b[a == k] == s).mean() for s in range(3)] for k in (0, 1)]
    apart = np.abs(np.subtract(*shares))
    assert found.state == data.labels[1][int(apart.argmax())]
    # Of ordered states the later ones count, too.
    a = rng.integers(0, 2, 800)
    b = rng.binomial(4, np.where(a == 1, 0.7, 0.4))
    data = bjp.Dataset.from_codes(np.column_stack([a, b]), [2, 5], ["a", "b"])
    found = count_shares(bjp.independence_test(data, "a", "b"), data, "b", ordered=True)
    later = np.array([[(b[a == k] >= s).mean() for s in range(5)] for k in (0, 1)])
    place = int(np.abs(np.subtract(*later)).argmax())
    assert (found.state, found.at_least, found.text()) == (str(place), True, f"b ≥ {place}")
    (row,) = slice_table(found).to_dict("records")
    assert [row["of 0"], row["of 1"]] == pytest.approx(later[:, place])
    assert row["rows"] == 800
    # Of two states, later ones are the one.
    other = count_shares(bjp.independence_test(data, "a", "b"), data, "a", ordered=True)
    assert other.text() == "a = 1"


def test_slices_with_dependence_are_counted_and_empty_ones_have_no_share() -> None:
    rng = np.random.default_rng(4)
    z = np.repeat([0, 1], 500)
    x = rng.integers(0, 2, 1000)
    # Dependent where z is 0, independent where it is 1.
    y = np.where(z == 0, x ^ (rng.random(1000) < 0.1), rng.integers(0, 2, 1000))
    data = bjp.Dataset.from_codes(np.column_stack([x, y, z]), [2, 2, 2], ["x", "y", "z"])
    test = bjp.independence_test(data, "x", "y", ["z"])
    found = count_shares(test, data, "y")
    assert sorted(found.dependent) == pytest.approx(
        sorted(-np.expm1([part.log_independent for part in test.slices]))
    )
    assert "dependence (probability 0.9 or more) in 1 (500 rows)" in describe_where(found)
    assert describe_where(count_shares(bjp.independence_test(data, "x", "y"), data, "y")) == ""
    codes = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 5
    data = bjp.Dataset.from_codes(codes, [2, 2, 2], ["x", "y", "z"])
    found = count_shares(bjp.independence_test(data, "x", "y", ["z"]), data, "y")
    assert slice_table(found)[["of 0", "of 1"]].isna().sum().sum() == 2
    assert len(describe_shares(found)) == 1  # in no slice two states can be compared


def test_the_card_opens_on_the_page_and_steps_to_its_test() -> None:
    page = open_network(search="auto")
    assert "network-card-step" not in {one.key for one in page.button}
    data = sources.load("coronary").data
    trace, sure = learn("coronary"), bjp.edge_probabilities(data)
    u, v = next(iter(trace.graph.edges))
    pair = tuple(sorted((data.index(u), data.index(v))))
    page.session_state["network-card-asked"] = pair
    text = texts(settled(page.run())).replace("\\", "")
    assert f"calibrated probability {sure.matrix[pair]:.4f}" in text
    assert "Of all rows:" in text
    assert "Bootstrap not computed" in text
    # A browser reruns the card alone; here the whole page runs again.
    page.session_state["network-card-asked"] = pair
    page = settled(page.button(key="network-card-step").click().run())
    (step,) = page.session_state["step-at"].values()
    scored = bjp.score(data, trace.graph, prior_cells="centred")
    computed = [
        k for k, term in enumerate(scored.terms, 1) if term.computed and {term.x, term.y} == {u, v}
    ]
    assert step in computed


def test_what_is_no_edge_opens_nothing() -> None:
    for edge in (None, [0], [0, 0], [0, 99], ["a", 1], [1.0, 2], {"i": 1}):
        card.ask_clicked(edge, 6)
        assert card.asked() is None, edge
