"""A number may be of any type: kernels are compiled for floats and 64-bit integers alone."""

import importlib
import pkgutil
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import bjp_engine as bjp
from bjp_engine import kernels

GRAPH = nx.Graph(["ab", "bc", "de"])


def signatures():
    """What each kernel is compiled for in this process."""
    modules = [
        importlib.import_module(f"{kernels.__name__}.{module.name}")
        for module in pkgutil.iter_modules(kernels.__path__)
    ]
    return {
        f"{function.py_func.__module__}.{function.py_func.__name__}": set(
            map(str, function.signatures)
        )
        for module in modules
        for function in vars(module).values()
        if isinstance(function, Dispatcher)
    }


def calls(data, half, two, three):
    """Each public call that hands numbers to a kernel; the numbers are ½, 2 and 3 of some type."""

    def learn(method, search, **options):
        call = f"learn(method={method!r}, search={search!r}, {', '.join(options)})"
        return call, lambda: bjp.learn(data, method, search, **options)

    for method in ("bjp", "ib", "near"):
        yield (
            f"score, {method}",
            lambda of=method: bjp.score(data, GRAPH, of, gamma=two, prior=half),
        )
        for search in ("auto", "ibmap-hc", "exhaustive"):
            yield learn(method, search, gamma=two, prior=half, expected_degree=two)
        yield learn(method, "ibmap-hc", gamma=two, prior_cells="centred")
    for method, weight in (("bjp", "gamma"), ("mpl", "ess")):
        yield learn(method, "tabu", tenure=three, patience=three, **{weight: two})
        yield learn(method, "restarts", restarts=three, strength=three, seed=three, **{weight: two})
    yield learn("mpl", "mpl-hc", ess=two, edge_probability=half)
    yield learn("mpl", "exhaustive", ess=two)
    yield learn("bjp", "ibmap-hc", evaluations=three, contributions=three, seconds=three * 20)
    yield learn("bjp", "ibmap-hc", log_odds=np.full((5, 5), two) - two * np.eye(5, dtype=int))
    yield "score, mpl", lambda: bjp.score(data, GRAPH, "mpl", ess=two)
    yield (
        "independence_test",
        lambda: bjp.independence_test(data, "a", "b", "c", gamma=two, prior=half),
    )
    yield "fit_parameters, ess", lambda: bjp.fit_parameters(data, GRAPH, ess=two).effects()
    yield (
        "fit_parameters, ridge",
        lambda: bjp.fit_parameters(data, GRAPH, "pseudo-likelihood", ridge=two),
    )
    yield (
        "sample",
        lambda: bjp.sampling.random_model(GRAPH, "log-odds", epsilon=two).sample(
            300, burn_in=three, sweeps=three
        ),
    )


@pytest.mark.parametrize("kind", [int, np.float32, np.int8, Fraction])
def test_a_number_of_any_type_compiles_nothing(kind):
    codes = np.random.default_rng(0).integers(0, [2, 3, 2, 3, 2], (200, 5))
    data = bjp.Dataset.from_codes(codes, names=list("abcde"))
    half = kind(1) / 2 if kind in (np.float32, Fraction) else 0.5
    usual = dict(calls(data, 0.5, 2.0, 3))
    # Whole numbers that count are counts, of whichever type.
    three = kind(3) if kind in (int, np.int8) else 3
    for call, run in calls(data, half, kind(2), three):
        usual[call]()
        before = signatures()
        run()
        fresh = {name: made - before[name] for name, made in signatures().items()}
        assert not any(fresh.values()), (call, {name for name in fresh if fresh[name]})
