"""Functions that only kernels call, as tests may call them: from Python they have no entry."""

from bjp_engine.kernels import counting, lattice, local, rising
from bjp_engine.kernels import evidence as of_evidence
from bjp_engine.kernels import tests as of_tests
from bjp_engine.kernels.compiled import kernel
from bjp_engine.kernels.intrinsics import borrowed
from bjp_engine.kernels.table import begin_anew


@kernel
def run_tests(table, evidence, x, given, targets, want, out):  # type: ignore[no-untyped-def]
    """ln Pr of independence or dependence of several y."""
    table, evidence = borrowed(table), borrowed(evidence)
    begin_anew(table)
    of_tests.tests(table, evidence, x, given, targets, want, out)


@kernel
def fits_masks(table, x, given, targets):  # type: ignore[no-untyped-def]
    """Whether a test is counted by masks."""
    return counting.fits_masks(table, x, given, targets)


@kernel
def fits(table, x, given, targets):  # type: ignore[no-untyped-def]
    """Whether all slices of a test are laid out."""
    return counting.fits(table, x, given, targets)


@kernel
def small_assertion(table, evidence, x, blanket, y, scratch):  # type: ignore[no-untyped-def]
    """ln Pr of what a graph asserts of x and y; NaN where the test is no small one."""
    table, evidence = borrowed(table), borrowed(evidence)
    return of_tests.small_assertion(table, evidence, x, blanket, y, scratch)


@kernel
def few_place(n, a):  # type: ignore[no-untyped-def]
    """Where the weights of few rows begin."""
    return of_evidence.few_place(n, a)


@kernel
def rising_in(evidence, multiple, n):  # type: ignore[no-untyped-def]
    """ln Γ(γ m + n) - ln Γ(γ m) in units."""
    return rising.rising_in(evidence, multiple, n)


@kernel
def in_units(value, bits):  # type: ignore[no-untyped-def]
    """A double as a whole number of units."""
    return rising.in_units(value, bits)


@kernel
def fill_rising(table, logs, start, log_start, bits):  # type: ignore[no-untyped-def]
    """ln Γ(start + n) - ln Γ(start) for all n of a table."""
    rising.fill_rising(table, logs, start, log_start, bits)


@kernel
def log_rising(logs, start, log_start, n, bits):  # type: ignore[no-untyped-def]
    """ln Γ(start + n) - ln Γ(start) in units."""
    return rising.log_rising(logs, start, log_start, n, bits)


@kernel
def table_of(prior, log_alpha):  # type: ignore[no-untyped-def]
    """Where the table of a weight is."""
    return local.table_of(prior, log_alpha)


@kernel
def grown_scores(table, prior, j, members, candidates, out):  # type: ignore[no-untyped-def]
    """The local scores with one of several candidates in the blanket."""
    table, prior = borrowed(table), borrowed(prior)
    begin_anew(table)
    local.grown_scores(table, prior, j, members, candidates, out)


@kernel
def transform(values, size):  # type: ignore[no-untyped-def]
    """The Walsh-Hadamard transform in place."""
    lattice.transform(values, size)
