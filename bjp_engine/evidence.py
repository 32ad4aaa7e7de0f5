"""How probable a table of counts is: the Dirichlet-multinomial evidence, in logs.

Every score of the engine is made of one quantity, the log of a rising factorial

    ln Γ(a + n) - ln Γ(a),

since U(v; γ) of SPEC section 2 is Σ_q rising(γ, v_q) - rising(γm, Σv), and a node's part of
the MPL (section 3) is the same with γ = N_ess / (r q). Kernels read the non-zero cells that
`bjp_engine.counts` returns; a cell without rows contributes nothing.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bjp_engine.counts import Counts, CrossTally

Floats = NDArray[np.float64]

# Stirling's series with four terms is good to 1e-16 from here on.
_STIRLING_FROM = 16.0
# Below this ln Γ(a) is -ln a to the last bit.
_VANISHING = 1e-17


def slice_evidence(cells: CrossTally, size: int, gamma: float) -> tuple[Floats, Floats]:
    """The evidence of independence and of dependence in each slice.

    Parameters
    ----------
    cells : CrossTally
        Non-zero cells (stratum, x, y).
    size : int
        S, the number of strata.
    gamma : float
        γ, the hyperparameter of every cell.

    Returns
    -------
    log_g, log_h : ndarray of float, shape (S,)
        U(a; γ) + U(b; γ) and U(c; γ), natural logs.
    """
    log_g, log_h = _slice_evidence(cells.keys, cells.counts, size, cells.rx, cells.ry, float(gamma))
    return log_g, log_h


def node_evidence(keys: Counts, counts: Counts, r: int, log_alpha: float) -> float:
    """A node's part of the MPL, from the counts of its states in each configuration.

    Parameters
    ----------
    keys : ndarray of int64, ascending
        configuration · r + state, non-zero cells only.
    counts : ndarray of int64
    r : int
        States of the node.
    log_alpha : float
        ln(N_ess / (r q)), the log of each cell's hyperparameter.

    Returns
    -------
    float
        Σ_l { -rising(r α, n_l) + Σ_s rising(α, n_sl) }.
    """
    return float(_node_evidence(keys, counts, r, log_alpha, log_alpha + math.log(r)))


@njit(cache=True, nogil=True)
def _slice_evidence(keys, counts, size, rx, ry, gamma):  # type: ignore[no-untyped-def]
    """U(a) + U(b) and U(c) of each slice, from its non-zero cells in (x, y) order.

    Where g = h by the formula (one row, or a variable of one state) they are equal to the
    last bit: the three U are summed apart, and a single row is not summed at all.
    """
    log_gamma, log_row = math.log(gamma), math.log(gamma * rx)
    log_column, log_cells = math.log(gamma * ry), math.log(gamma * rx * ry)
    log_g, log_h = np.zeros(size), np.zeros(size)
    column = np.zeros(ry, dtype=np.int64)
    end = 0
    for k in range(size):
        start, rows, a, state = end, 0, 0, -1
        u_a = u_b = u_c = lost_a = lost_b = lost_c = 0.0
        while end < len(keys) and keys[end] < (k + 1) * rx * ry:
            x, y = divmod(keys[end] - k * rx * ry, ry)
            if x != state:
                u_a, lost_a = _add(u_a, lost_a, _log_rising(gamma, log_gamma, a))
                a, state = 0, x
            a += counts[end]
            column[y] += counts[end]
            rows += counts[end]
            u_c, lost_c = _add(u_c, lost_c, _log_rising(gamma, log_gamma, counts[end]))
            end += 1
        u_a, lost_a = _add(u_a, lost_a, _log_rising(gamma, log_gamma, a))
        for cell in range(start, end):
            y = keys[cell] % ry
            u_b, lost_b = _add(u_b, lost_b, _log_rising(gamma, log_gamma, column[y]))
            column[y] = 0
        if rows == 1:
            log_g[k] = log_h[k] = -math.log(rx) - math.log(ry)
            continue
        log_g[k] = (u_a + lost_a - _log_rising(gamma * rx, log_row, rows)) + (
            u_b + lost_b - _log_rising(gamma * ry, log_column, rows)
        )
        log_h[k] = u_c + lost_c - _log_rising(gamma * rx * ry, log_cells, rows)
    return log_g, log_h


@njit(cache=True, nogil=True)
def _node_evidence(keys, counts, r, log_alpha, log_total):  # type: ignore[no-untyped-def]
    """The sum over configurations l of -rising(α_l, n_l) + Σ_s rising(α_sl, n_sl).

    The sum is compensated, so that it doesn't depend on the order of the configurations; one
    row alone contributes -ln r, whatever α is.
    """
    alpha, total = math.exp(log_alpha), math.exp(log_total)
    evidence, lost, cell = 0.0, 0.0, 0
    while cell < len(keys):
        configuration, rows, first = keys[cell] // r, 0, cell
        while cell < len(keys) and keys[cell] // r == configuration:
            rows += counts[cell]
            cell += 1
        if rows == 1:
            evidence, lost = _add(evidence, lost, -math.log(r))
            continue
        evidence, lost = _add(evidence, lost, -_log_rising(total, log_total, rows))
        for filled in range(first, cell):
            evidence, lost = _add(evidence, lost, _log_rising(alpha, log_alpha, counts[filled]))
    return evidence + lost


@njit(cache=True, nogil=True)
def _add(total, lost, value):  # type: ignore[no-untyped-def]
    """Neumaier's step: what rounding takes from the total is kept apart."""
    raised = total + value
    if abs(total) >= abs(value):
        return raised, lost + ((total - raised) + value)
    return raised, lost + ((value - raised) + total)


@njit(cache=True, nogil=True)
def _log_rising(start, log_start, n):  # type: ignore[no-untyped-def]
    """ln Γ(start + n) - ln Γ(start), digits kept where start is huge or vanishes."""
    if n == 0:
        return 0.0
    if start < _VANISHING:
        return math.lgamma(float(n)) + log_start
    if start < _STIRLING_FROM:
        return math.lgamma(start + n) - math.lgamma(start)
    end = start + n
    main = (start - 0.5) * math.log1p(n / start) + n * math.log(end) - n
    return main + _stirling_rest(end) - _stirling_rest(start)


@njit(cache=True, nogil=True)
def _stirling_rest(z):  # type: ignore[no-untyped-def]
    """What Stirling's formula leaves out of ln Γ(z), to z^-9."""
    w = 1.0 / (z * z)
    return (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w / 1680))) / z
