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
    found = {}
    for module in pkgutil.iter_modules(kernels.__path__):
        for function in vars(importlib.import_module(f"{kernels.__name__}.{module.name}")).values():
            if isinstance(function, Dispatcher):
                of = function.py_func
                found[f"{of.__module__}.{of.__name__}"] = set(map(str, function.signatures))
    return found


def calls(data, half, two, three):
    """Each public call that hands numbers to a kernel; the numbers are ½, 2 and 3 of some type."""

    def learn(method, search, **options):
        call = f"learn(method={method!r}, search={search!r}, {', '.join(options)})"
        return call, lambda: bjp.learn(data, method, search, **options)

    def score(method, **options):
        return f"score, {method}", lambda: bjp.score(data, GRAPH, method, **options)

    def fit(*how, **options):
        call = f"fit_parameters, {[*options]}"
        return call, lambda: bjp.fit_parameters(data, GRAPH, *how, **options).effects()

    def sample():
        model = bjp.sampling.random_model(GRAPH, "log-odds", epsilon=two)
        return model.sample(300, burn_in=three, sweeps=three)

    def test():
        return bjp.independence_test(data, "a", "b", "c", gamma=two, prior=half)

    for method in ("bjp", "ib", "near"):
        yield score(method, gamma=two, prior=half)
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
    yield score("mpl", ess=two)
    yield fit(ess=two)
    yield fit("pseudo-likelihood", ridge=two)
    yield from (("independence_test", test), ("sample", sample))


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
