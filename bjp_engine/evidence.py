"""How probable a table of counts is: what the Dirichlet-multinomial evidence is computed with.

Every score of the engine is made of one quantity, the log of a rising factorial

    ln Γ(a + n) - ln Γ(a),

since U(v; γ) of docs/theory.md §2 is Σ_q rising(γ, v_q) - rising(γm, Σv), and a node's part of
the MPL (section 3) is the same with γ = N_ess / (r q). It is tabulated here, once for each γ, and
read in `bjp_engine.kernels`.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from bjp_engine.dataset import Dataset
from bjp_engine.kernels import local
from bjp_engine.kernels.cells import blank_table
from bjp_engine.kernels.posterior import HEAVY
from bjp_engine.kernels.rising import fraction_bits, leading_logs, table_entries
from bjp_engine.kernels.slices import FEW, Evidence, few_size, fill_tables


def test_evidence(data: Dataset, gamma: float, prior: float, observed: bool, rows: int) -> Evidence:
    """What the tests of a dataset are computed with."""
    states = max(data.cardinalities)
    # No odds are larger: each row adds at most ln r twice, and a rare γ its logarithm.
    largest = rows * 2 * (math.log(states) + abs(math.log(gamma))) + 64
    bits = fraction_bits(largest)
    shared = _evidence(gamma, rows + states * states, bits)
    return shared._replace(log_prior=math.log(prior), observed=observed)


# Room for a few datasets, and for all the numbers of rows to which `growth` thins one.
@lru_cache(maxsize=64)
def _evidence(gamma: float, largest: int, bits: int) -> Evidence:
    """The tables that all datasets of a size share; read-only by agreement."""
    table = np.empty(table_entries(largest), dtype=np.int64)
    few = np.ones(few_size())
    evidence = Evidence(gamma, bits, table, leading_logs(), few, -1.0, False)
    fill_tables(blank_table(), evidence)
    if few.max() < math.exp(HEAVY):
        return evidence
    return evidence._replace(few=np.empty(0))


def local_prior(data: Dataset, ess: float) -> local.Prior:
    """What the local scores of a dataset are computed with; not to be shared between threads."""
    log_ess = math.log(ess)
    spread = abs(log_ess) + sum(math.log(r) for r in data.cardinalities)
    bits = fraction_bits((data.rows + 1) * (spread + math.log(max(data.cardinalities))))
    entries = min(1 << max(4, (data.rows + 1).bit_length()), local.MOST_ENTRIES)
    logs = np.full(local.MOST_TABLES, np.nan)
    tables = np.empty((local.MOST_TABLES, entries), np.int64)
    prior = local.Prior(log_ess, bits, leading_logs(), logs, tables)
    kept = data.derived("local prior", dict[float, local.Prior]).get(log_ess)
    if kept is not None:
        made = int(np.sum(~np.isnan(kept.logs)))
        logs[:made], prior.tables[:made] = kept.logs[:made], kept.tables[:made]
    return prior


def keep_local_prior(data: Dataset, prior: local.Prior) -> None:
    """Keep the tables of a finished search for the next one on the same data."""
    data.derived("local prior", dict[float, local.Prior])[prior.log_ess] = prior


__all__ = ["FEW", "keep_local_prior", "local_prior", "test_evidence"]
