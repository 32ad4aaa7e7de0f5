"""Counting for whoever asks, and weighing what was counted elsewhere.

Both halves are those of `tests` and `local`: a part of a table lays out its counts, and their sum
over all parts is weighed as if it had been laid out here.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.compiled import kernel
from bjp_engine.kernels.counting import fits_masks, lay_out, without
from bjp_engine.kernels.evidence import DEPENDENT
from bjp_engine.kernels.intrinsics import borrowed
from bjp_engine.kernels.local import in_configurations, in_tally, log_alphas, score_layers
from bjp_engine.kernels.loops import copy
from bjp_engine.kernels.table import begin_anew, possible
from bjp_engine.kernels.tests import weigh_laid_out


@kernel
def reads_rows(table, x, given, targets):  # type: ignore[no-untyped-def]
    """Whether codes are read to lay out the counts, since masks would be slower."""
    return not fits_masks(table, x, given, targets)


@kernel
def counts_laid_out(table, x, given, targets):  # type: ignore[no-untyped-def]
    """The cells of (Z, x), and their part in each state but the first of the targets."""
    table = borrowed(table)
    begin_anew(table)
    cells, within = lay_out(table, x, given, targets)
    return cells[0].copy(), within.copy()


@kernel
def weigh(table, evidence, counts, x, given, targets, want, out):  # type: ignore[no-untyped-def]
    """ln Pr(x ⊥ y | Z), or of its negation, of several targets; `counts` are cells and layers."""
    table, evidence, counts = borrowed(table), borrowed(evidence), borrowed(counts)
    begin_anew(table)
    weigh_laid_out(table, evidence, counts[0], counts[1], x, given, targets, want, out)


@kernel
def weigh_member(table, evidence, cells, x, blanket, place, out):  # type: ignore[no-untyped-def]
    """ln Pr(x ⊥̸ y | the rest) of y = blanket[place], from the cells of (blanket, x)."""
    table, evidence = borrowed(table), borrowed(evidence)
    begin_anew(table)
    rest = np.empty(len(blanket) - 1, dtype=np.int64)
    copy(blanket[:place], rest)
    copy(blanket[place + 1 :], rest[place:])
    margin, within = without(table, borrowed(cells), x, blanket, place)
    one, want = blanket[place : place + 1], np.int64(DEPENDENT)
    weigh_laid_out(table, evidence, margin, within, x, rest, one, want, out)


@kernel
def parts_grown(table, prior, counts, j, members, candidates, out):  # type: ignore[no-untyped-def]
    """The local scores of j when a candidate joins its blanket; `counts` are cells and layers."""
    table, prior, counts = borrowed(table), borrowed(prior), borrowed(counts)
    score_layers(table, prior, j, members, candidates, counts[0], counts[1], out)


@kernel
def part_laid_out(table, prior, cells, j, members):  # type: ignore[no-untyped-def]
    """The local score of j given its blanket, from the cells of both."""
    table, prior = borrowed(table), borrowed(prior)
    k, log_k = possible(table.cardinalities, members)
    logs = log_alphas(table, prior, j, k, log_k)
    return in_configurations(prior, logs, cells, table.cardinalities[j])


@kernel
def part_tallied(table, prior, keys, counts, j, members):  # type: ignore[no-untyped-def]
    """The same from the cells that occur: configuration · r + state, ascending."""
    table, prior = borrowed(table), borrowed(prior)
    k, log_k = possible(table.cardinalities, members)
    logs = log_alphas(table, prior, j, k, log_k)
    return in_tally(prior, logs, keys, counts, table.cardinalities[j])
