"""docs/theory.md §9: the names that programs call, with these signatures."""

import inspect
import re

import bjp_engine as bjp

REQUIRED = inspect.Parameter.empty
MODEL = bjp.sampling.random_model([(0, 1)])
SIGNATURES = {
    bjp.Dataset.from_frame: {"frame": REQUIRED},
    bjp.Dataset.from_codes: {"codes": REQUIRED, "cardinalities": None, "names": None},
    bjp.independence_test: {"data": REQUIRED, "x": REQUIRED, "y": REQUIRED, "given": ()},
    bjp.score: {"data": REQUIRED, "graph": REQUIRED, "method": "bjp"},
    bjp.learn: {"data": REQUIRED, "method": "bjp", "search": None},
    bjp.networks.names: {},
    bjp.networks.load: {"name": REQUIRED},
    bjp.sampling.random_model: {"graph": REQUIRED, "weights": "clique-log-weights", "seed": 0},
    MODEL.sample: {"rows": REQUIRED, "seed": 0, "method": None},
}


def test_parameters_in_this_order_with_these_defaults():
    for function, leading in SIGNATURES.items():
        found = [
            (p.name, p.default)
            for p in inspect.signature(function).parameters.values()
            if p.kind is p.POSITIONAL_OR_KEYWORD
        ]
        assert found[: len(leading)] == list(leading.items()), function
        assert all(default is not REQUIRED for _, default in found[len(leading) :]), function


def test_every_public_name_is_in_the_docstring_of_the_package_and_errors_are_value_errors():
    for name in dir(bjp):
        assert name.startswith("_") or re.search(rf"\b{name}\b", bjp.__doc__), name
    for name in ("BJPError", "DataError", "GraphError", "OptionError"):
        assert issubclass(getattr(bjp.errors, name), ValueError), name
    assert not issubclass(bjp.errors.Cancelled, ValueError)
