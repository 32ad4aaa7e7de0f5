"""The evidence of every set of variables, from which come the local scores of every blanket.

With α(S) = N_ess / Π_{v ∈ S} r_v, ρ(α, n) = ln Γ(α + n) - ln Γ(α) and n_c the rows in
configuration c of the set S, let

    A(S) = Σ_c ρ(α(S), n_c).

The part of variable j given B (see `local`) adds ρ(α, n) over the cells of B ∪ {j} with
α = N_ess / (r_j q_j) = α(B ∪ {j}), and takes off ρ(r_j α, n) over those of B with r_j α = α(B).
So it is A(B ∪ {j}) - A(B), and 2^n sets answer for n 2^(n-1) local scores.
"""

from __future__ import annotations

import numpy as np

from bjp_engine.kernels.cells import begin_anew, borrow_table, possible
from bjp_engine.kernels.compiled import inner, kernel
from bjp_engine.kernels.layout import fits, lay_out
from bjp_engine.kernels.local import borrow_prior, risen, table_of
from bjp_engine.kernels.lookup import members_of
from bjp_engine.kernels.strata import strata


@kernel
def every_set(table, prior, begin, end, units):  # type: ignore[no-untyped-def]
    """Fill A(S), in units of 2^-bits, of the sets with masks from `begin` to `end`."""
    table, prior = borrow_table(table), borrow_prior(prior)
    n = len(table.cardinalities)
    for mask in range(begin, end):
        begin_anew(table)
        members = members_of(mask, n)
        k, log_k = possible(table.cardinalities, members)
        log_alpha = prior.log_ess - (np.log(k) if k < np.inf else log_k)
        place = table_of(prior, log_alpha)
        total = np.int64(0)
        for rows in _rows_of(table, members):
            if rows > 0:
                # Whole numbers wrap around; the difference of two sets is right again.
                total += risen(prior, place, log_alpha, rows)
        units[mask] = total


@inner
def _rows_of(table, members):  # type: ignore[no-untyped-def]
    """How many rows are in each configuration of a set, or in each that occurs."""
    none = np.empty(0, dtype=np.int64)
    last = len(members) - 1
    if last >= 0 and fits(table, members[last], members[:last], none):
        return lay_out(table, members[last], members[:last], none)[0][0]
    groups, size = strata(table, members)
    counts = np.zeros(size, dtype=np.int64)
    for i in range(len(groups)):
        counts[groups[i]] += 1
    return counts
