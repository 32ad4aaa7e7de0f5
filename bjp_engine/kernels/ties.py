"""What counts as equal: two numbers whose difference is no more than rounding leaves."""

from __future__ import annotations

from bjp_engine.kernels.compiled import bare

# Scores that differ by less, relative to their size, are equal but for rounding.
TIE = 1e-12


@bare
def better(value, other):  # type: ignore[no-untyped-def]
    """Whether a score is greater than another by more than rounding."""
    return value - other > TIE * max(abs(value), abs(other))
