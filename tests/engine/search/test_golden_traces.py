"""Every search's trace is what it was, bit by bit."""

import json

import pytest

from tests.golden import traces

QUICK = ("coronary", "titanic", "random_few_states", "random_sparse")
KEPT = json.loads(traces.DIGESTS.read_text("utf-8"))


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in traces.datasets()],
)
def test_traces_are_those_of_the_golden_digests(name):
    if traces.arithmetic() != KEPT["arithmetic"]:
        pytest.skip("this machine's logarithms or linear algebra round otherwise")
    assert dict(traces.digests_of(name)) == KEPT[name]
