"""Functions that only kernels call, as tests may call them: from Python they have no entry."""

from bjp_engine.counts import table_of as table_of_data
from bjp_engine.kernels import counting, local, pairwise, rising
from bjp_engine.kernels.compiled import borrowed, kernel

# Far more masks than are usual, and none at all.
MANY_MASKS, NO_MASKS = 1 << 13, 0


def ways(sample):
    """The dataset as counted by masks, as is usual, row by row, and by strata."""
    table = table_of_data(sample.data)
    by_rows = table._replace(most_masks=NO_MASKS)
    strata = by_rows._replace(cells_a_row=0)
    return [table._replace(most_masks=MANY_MASKS), table, by_rows, strata]


@kernel
def run_tests(table, evidence, x, given, targets, want, out):
    table, evidence = borrowed(table), borrowed(evidence)
    pairwise.test_pairs(table, evidence, x, given, targets, want, out)


@kernel
def fits_masks(table, x, given, targets):
    return counting.fits_masks(table, x, given, targets)


@kernel
def fits(table, x, given, targets):
    return counting.fits(table, x, given, targets)


@kernel
def rising_in(evidence, multiple, n):
    return rising.rising_in(evidence, multiple, n)


@kernel
def fill_rising(table, logs, start, log_start, bits):
    rising.fill_rising(table, logs, start, log_start, bits)


@kernel
def log_rising(logs, start, log_start, n, bits):
    return rising.log_rising(logs, start, log_start, n, bits)


@kernel
def table_of(prior, log_alpha):
    return local.table_of(prior, log_alpha)


@kernel
def grown_scores(table, prior, j, members, candidates, out):
    table, prior = borrowed(table), borrowed(prior)
    local.grown_scores(table, prior, j, members, candidates, out)
