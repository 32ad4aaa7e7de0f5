"""Imputed cells against sums over all joint states, known truths and the plain result."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.columns import Table
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.parameters import fit_parameters, impute
from bjp_engine.parameters.imputation import sweep
from bjp_engine.progress import Progress

TRUTH = nx.cycle_graph(5)


def with_holes(share: float, rows: int = 600, seed: int = 1) -> tuple[bjp.Dataset, pd.DataFrame]:
    """A sample of a known network, and the same without some of its cells."""
    data = bjp.sampling.random_model(TRUTH, "log-odds", seed=3).sample(rows, seed=seed)
    frame = pd.DataFrame(np.array(data.codes), columns=list("abcde")).astype(object)
    gone = np.random.default_rng(seed).random(frame.shape) < share
    return bjp.Dataset.from_codes(data.codes, data.cardinalities, list("abcde")), frame.mask(gone)


def test_a_sweep_draws_from_the_conditional_of_the_joint_distribution() -> None:
    codes = np.random.default_rng(0).integers(0, (2, 3, 2), (400, 3))
    codes[:, 1] = (codes[:, 0] + codes[:, 1] * (codes[:, 2] + 1)) % 3
    data = bjp.Dataset.from_codes(codes, (2, 3, 2))
    network = fit_parameters(data, nx.complete_graph(3), "likelihood")
    joint = np.ones((2, 3, 2))
    for members, table in network.potentials().items():
        for state in itertools.product(range(2), range(3), range(2)):
            joint[state] *= table[tuple(state[i] for i in members)]
    rows, rng = 6000, np.random.default_rng(1)
    for first, last in itertools.product(range(2), range(2)):
        drawn = np.tile([first, 0, last], (rows, 1))
        sweep(network.model, drawn, {1: np.arange(rows)}, rng)
        assert (drawn[:, [0, 2]] == [first, last]).all()
        expected = joint[first, :, last] / joint[first, :, last].sum()
        found = np.bincount(drawn[:, 1], minlength=3) / rows
        # Four standard errors.
        assert (np.abs(found - expected) <= 4 * np.sqrt(expected * (1 - expected) / rows)).all()


def test_known_cells_stay_and_missing_ones_get_known_states() -> None:
    _, frame = with_holes(0.3, 200)
    made = impute(frame, 3, rounds=2)
    known = frame.notna().to_numpy()
    assert dict(made.missing) == frame.isna().sum().to_dict()
    assert made.cells == (~known).sum()
    assert made.share == pytest.approx((~known).mean())
    for one in made.datasets:
        assert one.labels == (("0", "1"),) * 5
        assert (one.codes[known] == frame.to_numpy()[known].astype(int)).all()
    assert any((made.datasets[0].codes != one.codes).any() for one in made.datasets[1:])


def test_a_seed_gives_the_same_draws_with_any_number_of_threads_and_another_seed_others() -> None:
    _, frame = with_holes(0.2, 150)
    first = impute(frame, 4, seed=5, rounds=2, n_jobs=1)
    again = impute(Table.of(frame), 4, seed=5, rounds=2, n_jobs=2)
    other = impute(frame, 4, seed=6, rounds=2)
    digests = [[one.digest for one in made.datasets] for made in (first, again, other)]
    assert digests[0] == digests[1] != digests[2]
    # The first ones don't depend on how many follow.
    assert [one.digest for one in impute(frame, 2, seed=5, rounds=2).datasets] == digests[0][:2]


def test_without_missing_cells_the_result_is_the_plain_one() -> None:
    data, frame = with_holes(0.0)
    made = impute(frame)
    assert len(made.datasets) == 1
    assert not made.missing
    assert made.datasets[0].digest == data.digest
    pooled, plain = bjp.edge_probabilities(made), bjp.edge_probabilities(data)
    assert pooled.matrix.tobytes() == plain.matrix.tobytes()
    assert pooled.error is None


def test_the_pool_is_the_mean_over_the_completed_tables() -> None:
    _, frame = with_holes(0.3, 300)
    made = impute(frame, 4, seed=2, rounds=3)
    each = [bjp.edge_probabilities(one).matrix for one in made.datasets]
    pooled = bjp.edge_probabilities(made)
    assert pooled.kind == "calibrated"
    assert (pooled.made, pooled.asked, pooled.seed) == (4, 4, 2)
    for i, j in itertools.combinations(range(5), 2):
        values = [float(matrix[i, j]) for matrix in each]
        mean = sum(values) / 4
        spread = (sum((v - mean) ** 2 for v in values) / 3) ** 0.5
        assert pooled.of("abcde"[i], "abcde"[j]).confidence == pytest.approx(mean, abs=1e-12)
        assert pooled.error is not None
        assert pooled.error[i, j] == pytest.approx(spread, abs=1e-12)
    with pytest.raises(OptionError, match="several completed ones"):
        bjp.edge_probabilities(made, bjp.learn(made.datasets[0], "bjp", "auto"))


def test_cells_that_are_missing_at_random_do_not_bend_the_margin() -> None:
    # Whether b is known depends on a alone; among the known cells its margin is far off.
    rng = np.random.default_rng(4)
    a = rng.integers(0, 2, 4000)
    b = np.where(rng.random(4000) < 0.85, a, 1 - a)
    gone = rng.random(4000) < np.where(a == 1, 0.6, 0.1)
    c = np.where(rng.random(4000) < 0.7, b, 1 - b)
    frame = pd.DataFrame({"a": a, "b": np.where(gone, np.nan, b), "c": c})
    made = impute(frame, 10, seed=1)
    margins = [float((one.codes[:, 1] == 1).mean()) for one in made.datasets]
    known = float(b[~gone].mean())
    error = 4 * (0.25 / (4000 * (1 - gone.mean()))) ** 0.5
    assert abs(float(np.mean(margins)) - float(b.mean())) < error < abs(known - float(b.mean()))


def test_states_of_their_own_and_orders_stay() -> None:
    _, frame = with_holes(0.2, 120)
    frame["f"] = pd.Categorical.from_codes(
        np.arange(120) % 3 - (np.arange(120) % 7 == 0), ["low", "mid", "high"], ordered=True
    )
    (one, *_) = impute(frame, 2, rounds=1).datasets
    assert one.labels[5] == ("low", "mid", "high")
    assert one.ordered == (False,) * 5 + (True,)


def test_what_cannot_be_imputed_is_refused_in_a_sentence() -> None:
    _, frame = with_holes(0.2, 60)
    with pytest.raises(DataError, match=r"Column 'x' has no known cell.*leave it out"):
        impute(frame.assign(x=None))
    with pytest.raises(DataError, match="no rows"):
        impute(frame.iloc[:0])
    with pytest.raises(OptionError, match="give a DataFrame or a Table"):
        impute(np.zeros((3, 2)))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="times"):
        impute(frame, 1)
    with pytest.raises(OptionError, match="rounds"):
        impute(frame, rounds=0)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_it_reports_and_is_cancelled(n_jobs: int) -> None:
    _, frame = with_holes(0.2, 120)
    seen: list[tuple[int, int]] = []
    impute(frame, 3, rounds=1, n_jobs=n_jobs, progress=Progress(lambda *now: seen.append(now)))
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    with pytest.raises(Cancelled):
        impute(frame, n_jobs=n_jobs, progress=Progress(cancelled=lambda: True))
    made = impute(frame, 3, rounds=1)
    with pytest.raises(Cancelled):
        bjp.edge_probabilities(made, progress=Progress(cancelled=lambda: True))


@pytest.mark.parametrize("call", [bjp.learn, bjp.edge_probabilities])
def test_where_cells_are_missing_the_error_names_it(call: Callable[[pd.DataFrame], object]) -> None:
    _, frame = with_holes(0.2, 60)
    with pytest.raises(DataError, match=r"or impute them with bjp_engine\.parameters\.impute\."):
        call(frame)


def test_measurements_are_not_imputed_without_a_word() -> None:
    cells = np.random.default_rng(0).normal(size=100)
    frame = pd.DataFrame({"a": [*"xy"] * 50, "b": cells})
    frame.loc[0, "a"] = None
    with pytest.warns(UserWarning, match=r"Column 'b' holds 100 different numbers in 100 rows"):
        impute(frame.assign(b=cells), 2, rounds=1)
