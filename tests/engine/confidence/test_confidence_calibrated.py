"""Calibrated probabilities: the formula of theory.md §12, and what it must not depend on."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import EdgeConfidence, calibrated
from bjp_engine.confidence.calibrated import (
    TERMS,
    coefficients,
    edge_probabilities,
    fitted_pairs,
)
from bjp_engine.errors import DataError, OptionError

CODES = np.random.default_rng(3).integers(0, [2, 3, 2, 2, 4], (300, 5))
CODES[:, 1] = np.where(np.arange(300) % 3 > 0, CODES[:, 0], CODES[:, 1])
CODES[:, 3] = np.where(np.arange(300) % 4 > 0, CODES[:, 2], CODES[:, 3])
DATA = bjp.Dataset.from_codes(CODES, [2, 3, 2, 2, 4], list("abcde"))


def s(v: float) -> float:
    return math.copysign(4 * math.log(1 + min(abs(v), 25) / 4), v)


def by_hand(data: bjp.Dataset) -> dict[tuple[int, int], float]:
    """The formula, a pair at a time."""
    trace = bjp.learn(data, "bjp", "auto")
    odds, cells = trace.structure.log_odds, trace.options["bjp"].prior_cells
    n, beta = data.n, dict(zip(TERMS, coefficients().tolist(), strict=True))
    pairs = list(combinations(range(n), 2))
    near = {i: [j for j in range(n) if j != i and odds[i, j] > 0] for i in range(n)}
    d = 2 / n * sum(1 / (1 + math.exp(-odds[pair])) for pair in pairs)

    def test(x: int, y: int) -> float:
        given = [j for j in near[x] if j != y]
        found = bjp.independence_test(data, x, y, given, prior_cells=cells)
        return max(-25, min(25, found.log_dependent - found.log_independent))

    logits = {
        (x, y): beta["constant"]
        + beta["rows"] * math.log(min(max(data.rows, 100), 8000) / 1000) / 2
        + beta["variables"] * math.log(min(max(n, 8), 128) / 30)
        + beta["evidence against"] * min(s(odds[x, y]), 0)
        + beta["test"] * s((test(x, y) + test(y, x)) / 2)
        + beta["states"] * math.log((data.cardinalities[x] - 1) * (data.cardinalities[y] - 1))
        + beta["density"] * d / (1 + d)
        + beta["density × evidence"] * d / (1 + d) * s(odds[x, y])
        for x, y in pairs
    }
    return {pair: 1 / (1 + math.exp(-v)) for pair, v in logits.items()}


class TestFormula:
    def test_by_hand(self) -> None:
        found = edge_probabilities(DATA)
        for (x, y), expected in by_hand(DATA).items():
            assert found.of(x, y).confidence == pytest.approx(expected, rel=1e-9)
        assert (found.kind, found.method, found.search) == ("calibrated", "bjp", "auto")
        assert found.error is None

    def test_more_evidence_is_more_probable(self) -> None:
        beta = dict(zip(TERMS, coefficients().tolist(), strict=True))
        assert min(beta["evidence against"], beta["density × evidence"], beta["test"]) > 0
        assert (np.diff(calibrated.saturated(np.linspace(-25, 25, 101))) > 0).all()

    def test_the_file_has_every_coefficient_and_says_what_made_it(self) -> None:
        text = calibrated.files("bjp_engine.confidence").joinpath(calibrated.FILE).read_text()
        about = calibrated.json.loads(text)
        assert tuple(about["coefficients"]) == TERMS
        assert about["made by"].startswith("python -m benchmarks calibration")
        assert not coefficients().flags.writeable

    def test_a_trace_saves_the_search(self) -> None:
        trace = bjp.learn(DATA, "bjp", "auto")
        again = edge_probabilities(DATA, trace)
        np.testing.assert_array_equal(again.matrix, edge_probabilities(DATA).matrix)


class TestKnown:
    KNOWN = bjp.scores.KnownEdges(
        required=[("a", "e")], forbidden=[("b", "c")], likely={("a", "d"): 0.05}
    )

    def test_by_hand(self) -> None:
        # Bayes' rule for the likely pair: its odds as the usual prior has them, times the ratio.
        data, known = DATA, self.KNOWN
        trace = bjp.learn(data, known=known)
        odds, n = trace.structure.log_odds, data.n
        beta = dict(zip(TERMS, coefficients().tolist(), strict=True))
        p = 0.49  # expected degree 2 of five variables, at most 0.49
        ratio = math.log(0.05 / 0.95) - math.log(p / (1 - p))
        pairs = list(combinations(range(n), 2))
        edges = {pair for pair in pairs if odds[pair] > 0} | {(0, 4)}
        near = {i: [j for j in range(n) if (min(i, j), max(i, j)) in edges] for i in range(n)}
        chance = {pair: 1 / (1 + math.exp(-odds[pair])) for pair in pairs} | {(0, 4): 1, (1, 2): 0}
        d = 2 / n * sum(chance.values())

        def test(x: int, y: int) -> float:
            given = [j for j in near[x] if j != y]
            found = bjp.independence_test(data, x, y, given, prior_cells="centred")
            return max(-25, min(25, found.log_dependent - found.log_independent))

        found = edge_probabilities(data, known=known)
        for x, y in pairs:
            added = ratio if (x, y) == (0, 3) else 0.0
            weight = s(odds[x, y] - added)
            logit = (
                beta["constant"]
                + beta["rows"] * math.log(data.rows / 1000) / 2
                + beta["variables"] * math.log(8 / 30)
                + beta["evidence against"] * min(weight, 0)
                + beta["test"] * s((test(x, y) + test(y, x)) / 2)
                + beta["states"]
                * math.log((data.cardinalities[x] - 1) * (data.cardinalities[y] - 1))
                + (beta["density"] + beta["density × evidence"] * weight) * d / (1 + d)
                + added
            )
            expected = {(0, 4): 1.0, (1, 2): 0.0}.get((x, y), 1 / (1 + math.exp(-logit)))
            assert found.of(x, y).confidence == pytest.approx(expected, rel=1e-9)

    def test_a_trace_brings_what_was_known(self) -> None:
        trace = bjp.learn(DATA, known=self.KNOWN)
        again = edge_probabilities(DATA, trace)
        np.testing.assert_array_equal(
            again.matrix, edge_probabilities(DATA, known=self.KNOWN).matrix
        )
        with pytest.raises(OptionError, match="known can't be given with a trace"):
            edge_probabilities(DATA, trace, known=self.KNOWN)

    def test_verdicts(self) -> None:
        table = edge_probabilities(DATA, known=self.KNOWN).verdicts()
        found = {(row.x, row.y): row.verdict for row in table.itertuples()}
        assert (found["a", "e"], found["b", "c"]) == ("present", "absent")

    def test_the_usual_probability_changes_nothing(self) -> None:
        same = edge_probabilities(DATA, known={("a", "d"): 0.49, ("b", "e"): 0.49})
        np.testing.assert_allclose(same.matrix, edge_probabilities(DATA).matrix, rtol=1e-9)


class TestColumns:
    def test_symmetric_and_zero_on_the_diagonal(self) -> None:
        matrix = edge_probabilities(DATA).matrix
        np.testing.assert_array_equal(matrix, matrix.T)
        assert (np.diag(matrix) == 0).all()
        assert ((matrix >= 0) & (matrix <= 1)).all()

    def test_names_and_order_of_columns_change_nothing(self) -> None:
        model = bjp.sampling.random_model(bjp.networks.load("hub-1"), "log-odds", seed=1005)
        data = model.sample(250, seed=1005)
        order = np.random.default_rng(0).permutation(data.n)
        names = [f"v{k}" for k in range(data.n)]
        moved = bjp.Dataset.from_codes(
            data.codes[:, order], [data.cardinalities[k] for k in order], names
        )
        expected = edge_probabilities(data).matrix[np.ix_(order, order)]
        np.testing.assert_allclose(edge_probabilities(moved).matrix, expected, rtol=1e-9)

    def test_of_a_constant_the_data_say_nothing(self) -> None:
        flat = CODES.copy()
        flat[:, 4] = 0
        data = bjp.Dataset.from_codes(flat, DATA.cardinalities)
        matrix = edge_probabilities(data).matrix
        assert np.ptp(matrix[[0, 2, 3], 4]) == pytest.approx(0, abs=1e-12)
        assert 0.05 < matrix[0, 4] < 0.9

    @pytest.mark.parametrize("rows", [0, 1])
    def test_few_rows_say_nothing(self, rows: int) -> None:
        data = bjp.Dataset.from_codes(CODES[:rows, [0, 2, 3]], [2, 2, 2])
        pairs = edge_probabilities(data).matrix[np.triu_indices(3, 1)]
        assert np.ptp(pairs) == pytest.approx(0, abs=1e-12)
        assert 0.05 < pairs[0] < 0.9

    def test_one_variable(self) -> None:
        found = edge_probabilities(bjp.Dataset.from_codes(CODES[:, :1]))
        assert found.matrix.tolist() == [[0.0]]
        assert found.verdicts().empty


class TestRefused:
    @pytest.mark.parametrize(("method", "search"), [("bjp", "ibmap-hc"), ("ib", "auto")])
    def test_a_trace_of_another_score_or_search(self, method: str, search: str) -> None:
        trace = bjp.learn(DATA, method, search)
        with pytest.raises(OptionError, match="need one of 'bjp' and 'auto'"):
            edge_probabilities(DATA, trace)

    def test_a_search_that_was_stopped_before_it_weighed_the_pairs(self) -> None:
        trace = bjp.learn(DATA, "bjp", "auto", seconds=1e-9)
        with pytest.raises(OptionError, match="give it more time"):
            edge_probabilities(DATA, trace)

    @pytest.mark.parametrize("option", ["prior_cells", "expected_degree", "gamma"])
    def test_a_trace_with_options(self, option: str) -> None:
        value = {"prior_cells": "equal", "expected_degree": 0.5, "gamma": 2.0}[option]
        trace = bjp.learn(DATA, **{option: value})
        with pytest.raises(OptionError, match="learned with options of its own"):
            edge_probabilities(DATA, trace)

    def test_a_trace_of_other_rows(self) -> None:
        trace = bjp.learn(DATA.take(np.arange(200)))
        with pytest.raises(DataError, match="other rows than the data"):
            edge_probabilities(DATA, trace)

    def test_a_trace_of_other_variables(self) -> None:
        trace = bjp.learn(DATA.select([0, 1, 2]), "bjp", "auto")
        with pytest.raises(DataError, match="other variables than the data"):
            edge_probabilities(DATA, trace)


class TestVerdicts:
    MATRIX = np.array([[0, 0.95, 0.9], [0.95, 0, 0.1], [0.9, 0.1, 0]])
    FOUND = EdgeConfidence("calibrated", ("a", "b", "c"), MATRIX, None, "bjp")

    def test_thresholds_belong_to_present_and_absent(self) -> None:
        assert self.FOUND.verdicts().to_numpy().tolist() == [
            ["a", "b", 0.95, "present"],
            ["a", "c", 0.9, "present"],
            ["b", "c", 0.1, "absent"],
        ]
        between = self.FOUND.verdicts(present=0.92, absent=0.05)
        assert between["verdict"].tolist() == ["present", "undecided", "undecided"]

    def test_what_no_fit_has_seen_is_not_judged(self) -> None:
        rng = np.random.default_rng(1000)
        codes = np.column_stack([rng.integers(r, size=150) for r in (2, 2, 20, 1)])
        whole, few = edge_probabilities(codes), edge_probabilities(codes[:99])
        judged = {(x, y) for x, y, _, v in whole.verdicts().to_numpy() if v != "not judged"}
        assert judged == {(0, 1)}
        assert set(few.verdicts()["verdict"]) == {"not judged"}
        assert self.FOUND.judged is None

    @pytest.mark.parametrize(
        ("present", "absent", "why"),
        [
            (0.1, 0.9, "absent=0.9 is not below present=0.1"),
            (0.5, 0.5, "absent=0.5 is not below present=0.5"),
            (1.5, 0.1, "present"),
            (0.9, None, "absent"),
        ],
    )
    def test_bad_thresholds(self, present: float, absent: float, why: str) -> None:
        with pytest.raises(OptionError, match=why):
            self.FOUND.verdicts(present, absent)


def test_pairs_unlike_those_of_the_fit_are_known() -> None:
    rng = np.random.default_rng(4)
    codes = np.column_stack([rng.integers(0, r, 100) for r in (2, 11, 12, 1, 3)])
    data = bjp.Dataset.from_codes(codes, (2, 11, 12, 2, 3))
    usual = np.array([True, True, False, False, True])
    assert (fitted_pairs(data) == np.outer(usual, usual)).all()
    assert not fitted_pairs(data.take(range(99))).any()
