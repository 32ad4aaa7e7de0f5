"""Edge probabilities of a table whose missing cells were filled in several times.

With p_k the calibrated probability of a pair in the k-th of m completed tables, the pooled one is
p = (p_1 + … + p_m) / m, for Pr(edge | known cells) is the mean of Pr(edge | all cells) over what
the missing cells may hold. Its error is the standard deviation of the p_k: how much of the answer
hangs on the missing cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bjp_engine.confidence.edges import EdgeConfidence


def pool(parts: Sequence[EdgeConfidence], seed: int, seconds: float) -> EdgeConfidence:
    """The mean of the probabilities in completed tables; of a single one, that one itself."""
    first = parts[0]
    if len(parts) == 1:
        return first
    every = np.stack([one.matrix for one in parts])
    judged = [one.judged for one in parts if one.judged is not None]
    return replace(
        first,
        matrix=every.mean(axis=0),
        error=every.std(axis=0, ddof=1),
        judged=np.all(judged, axis=0) if judged else None,
        seed=seed,
        asked=len(parts),
        made=len(parts),
        seconds=seconds,
    )
