"""What a reader has to know before relying on a result, in sentences of plain text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bjp_engine.arrays import Bools, Ints, Places
from bjp_engine.associations import MOST_STATES, ordered_variables
from bjp_engine.confidence.calibrated import edge_probabilities
from bjp_engine.confidence.edges import ABSENT, PRESENT, EdgeConfidence
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import list_up, plural, single_line
from bjp_engine.identifiers import describe_identifier, is_code
from bjp_engine.independence import IndependenceOptions
from bjp_engine.kernels import table
from bjp_engine.parameters.effects import describe_doubts, effect_rows
from bjp_engine.search import SearchTrace, StopReason
from bjp_engine.search.auto.nodewise import FEW_ROWS, MOST_PLANES, tells_nothing
from bjp_engine.search.auto.probability import ROWS, STATES, VARIABLES
from bjp_engine.validate import instance, same_variables

if TYPE_CHECKING:
    import pandas as pd

# Pairs, or variables, that a sentence names.
_MOST_NAMED = 3


def list_warnings(
    data: DataLike,
    trace: SearchTrace,
    confidence: EdgeConfidence | None = None,
    *,
    without_known: EdgeConfidence | None = None,
    effects: pd.DataFrame | None = None,
) -> tuple[str, ...]:
    """What a reader has to know before relying on a result.

    Parameters
    ----------
    without_known : EdgeConfidence, optional
        `edge_probabilities(data)`, which a search that required or forbade pairs is compared with;
        computed where it is needed and not given.
    effects : DataFrame, optional
        The effects of the edges, from `FittedNetwork.effects`.

    Examples
    --------
    >>> from bjp_engine import learn
    >>> from bjp_engine.confidence import list_warnings
    >>> rows = [[0, 0, 0], [1, 1, 0]] * 60
    >>> list_warnings(rows, learn(rows))
    ('2 has the same value in every row, so its edges cannot be learned.',)
    """
    rows = as_dataset(data)
    check_records(rows, trace, confidence, without_known)
    return (
        *_warnings(rows, trace, confidence, without_known),
        *describe_doubts([] if effects is None else effect_rows(effects)),
    )


def check_records(
    data: Dataset,
    trace: SearchTrace,
    confidence: EdgeConfidence | None,
    without_known: EdgeConfidence | None = None,
) -> None:
    """Refuse records of other variables."""
    instance(trace, "trace", SearchTrace, "what `learn` returns")
    same_variables(trace.graph, "trace", data.names)
    instead = "an EdgeConfidence, such as `edge_probabilities` returns"
    for name, one in (("confidence", confidence), ("without_known", without_known)):
        if one is not None:
            same_variables(instance(one, name, EdgeConfidence, instead).names, name, data.names)


def _warnings(
    data: Dataset,
    trace: SearchTrace,
    confidence: EdgeConfidence | None,
    without_known: EdgeConfidence | None,
) -> Iterator[str]:
    if trace.stop_reason is StopReason.CANCELLED:
        yield "The search was cancelled: the graph is how far it came, not the learned one."
    elif trace.stop_reason in (StopReason.TIME, StopReason.EVALUATIONS):
        yield (
            f"The search stopped because {trace.stop_reason}; a longer one may find another graph."
        )
    if data.rows < ROWS[0] and (confidence is None or confidence.kind != "calibrated"):
        yield (
            f"The data have only {plural(data.rows, 'row')}. With fewer than {ROWS[0]} a missing "
            "edge says little, and the edges found can be due to chance."
        )
    counts = data.state_counts
    seen = np.array([np.count_nonzero(one) for one in counts])
    named = [*map(describe_identifier, data.names, data.labels, counts)]
    yield from filter(None, named)
    # What names rows or persons is no variable of many states.
    yield from _many_states(data, trace, np.where(np.array(named, dtype=np.bool_), 0, seen))
    yield from warn_of_unused_states(data, trace.options[trace.method])
    yield from _known_warnings(data, trace, without_known)
    if confidence is not None:
        yield from _confidence_warnings(confidence)
    constant, few = seen == 1, np.flatnonzero(seen > 1)
    if data.rows and len(few) < 2:
        only = f"Only {single_line(data.names[few[0]])}" if len(few) else "No variable"
        yield f"{only} varies, so no edge can be learned; a network needs two that do."
    elif data.rows and constant.any():
        names = [data.names[i] for i in np.flatnonzero(constant)]
        have, whose = ("has", "its") if len(names) == 1 else ("have", "their")
        yield (
            f"{list_up(map(single_line, names))} {have} the same value in every row, so {whose} "
            "edges cannot be learned."
        )


def _many_states(data: Dataset, trace: SearchTrace, seen: Ints) -> Iterator[str]:
    """Which orders `auto` leaves out, and which variables have too many states for the rows."""
    if trace.evidence is not None:
        unused = np.flatnonzero(np.array(data.ordered, dtype=np.bool_) & (seen > MOST_STATES))
        if len(unused):
            it = "it" if len(unused) == 1 else "them"
            yield (
                f"The order of {_with_states(data, unused, seen)} was not used: auto uses the "
                f"order of at most {MOST_STATES} states. Cut {it} into bins."
            )
        yield from _unscanned(data.drop_unused_states(), seen)
    crowded = np.flatnonzero(_crowded(data, seen))
    if trace.evidence is not None and len(crowded):
        unrelated = crowded[tells_nothing(data)[crowded]]
        crowded = np.setdiff1d(crowded, unrelated)
        if len(unrelated):
            yield (
                f"Auto left out {_with_states(data, unrelated, seen)}: with so few rows a state, "
                "no association with another variable shows."
            )
    if len(crowded):
        it = "it" if len(crowded) == 1 else "them"
        codes = any(is_code(data.names[i]) for i in crowded)
        yield (
            f"{plural(data.rows, 'row')} are few for {_with_states(data, crowded, seen)}: tests "
            f"can hardly condition on {it}, so variables that depend on {it} may seem to be "
            f"connected. {f'Merge states of {it}' if codes else f'Cut {it} into bins'}."
        )


def _crowded(data: Dataset, seen: Ints) -> Bools:
    """Which variables have many states, and few rows in each."""
    found: Bools = (seen > STATES[1]) & (data.rows < FEW_ROWS * seen)
    return found


def _unscanned(data: Dataset, seen: Ints) -> Iterator[str]:
    """Where `auto` finds no exclusive or: neither by planes nor by products of ordered scores."""
    shows = ~tells_nothing(data) & (seen > 0)
    few = seen <= table.MOST_STATES
    scanned = few if (seen - 1)[shows & few].sum() <= MOST_PLANES else np.zeros_like(few)
    out = np.flatnonzero(shows & ~scanned & ~ordered_variables(data) & ~_crowded(data, seen))
    if len(out) and np.count_nonzero(shows) > 2:
        yield (
            f"Pairs that only an exclusive or with {_with_states(data, out, seen)} connects are "
            f"called absent; auto looks for it among variables of at most {table.MOST_STATES} "
            f"states, and up to {MOST_PLANES} states in all, the first of each not counted."
        )


def warn_of_unused_states(data: Dataset, options: object = None) -> Iterator[str]:
    """Which states a score with these options counts, though no row has them."""
    unused = [int(np.count_nonzero(counts == 0)) for counts in data.state_counts]
    if not data.rows or not any(unused) or getattr(options, "prior_cells", "") == "centred":
        return
    order = [i for i in np.argsort(np.negative(unused), kind="stable").tolist() if unused[i]]
    named = list_up((single_line(data.names[i]) for i in order), _MOST_NAMED, "other variable")
    yield (
        f"No row has {plural(sum(unused), 'declared state')} of {named}. The paper's test "
        "and MPL count such states, so their graph may differ from that of the same rows without "
        "them. Auto by its usual test, probabilities, bootstrap and stability leave them out; "
        "Dataset.drop_unused_states removes them."
    )


def _with_states(data: Dataset, which: Places, seen: Ints) -> str:
    """Some variables with the number of their observed states, most of them first."""
    order = which[np.argsort(-seen[which], kind="stable")]
    shown = (f"{single_line(data.names[i])} ({seen[i]} states)" for i in order)
    return list_up(shown, _MOST_NAMED, "other variable")


def _known_warnings(
    data: Dataset, trace: SearchTrace, without_known: EdgeConfidence | None
) -> Iterator[str]:
    """Which fixed pairs the data contradict, most clearly contradicted first."""
    if trace.known is None or trace.known.empty:
        return
    pairs = trace.known.on(data.names)
    if pairs.fixed is None:
        return
    found = edge_probabilities(data) if without_known is None else without_known
    p, judged = found.matrix, True if found.judged is None else found.judged
    against = pairs.forbidden & (p >= PRESENT) | pairs.required & (p <= ABSENT)
    doubt = np.where(pairs.required, p, 1 - p)
    ends = sorted(np.argwhere(np.triu(against & judged, 1)).tolist(), key=lambda pair: doubt[*pair])
    if not ends:
        return
    named = (
        f"{single_line(data.names[i])} – {single_line(data.names[j])} is "
        f"{'an' if pairs.required[i, j] else 'no'} edge (calibrated probability "
        f"{_probability(p[i, j])})"
        for i, j in ends
    )
    against_known = list_up(named, _MOST_NAMED, "other pair")
    text = f"The data contradict what was given as known: {against_known}."
    if isinstance(trace.options[trace.method], IndependenceOptions):
        text += (
            " Don't rely on the other edges at these variables: some may only be there to weaken "
            "the test of such a pair. Compare with MPL, which has no such test."
        )
    yield text


def _probability(p: float) -> str:
    """A probability of which neither 0 nor 1 is claimed."""
    if p > 0.9999:
        return "above 0.9999"
    return "below 0.0001" if p < 0.0001 else f"{p:.4f}"


def _confidence_warnings(confidence: EdgeConfidence) -> Iterator[str]:
    """What is doubtful about the number of each pair."""
    if not confidence.complete:
        yield (
            f"The edge probabilities rest on {confidence.made:,} of {confidence.asked:,} "
            "resamples, because the rest was cancelled."
        )
    if confidence.judged is not None:
        beyond = int((~confidence.judged[np.triu_indices(len(confidence.names), 1)]).sum())
        if beyond:
            yield (
                f"{plural(beyond, 'pair')} {'is' if beyond == 1 else 'are'} not judged: the "
                f"calibrated probabilities were fitted to {ROWS[0]} rows or more and to variables "
                f"of {STATES[0]} to {STATES[1]} states. Elsewhere they can be far too high."
            )
    if confidence.kind == "calibrated" and len(confidence.names) > VARIABLES[1]:
        yield (
            f"The calibrated probabilities were fitted to at most {VARIABLES[1]} variables, and "
            f"these data have {len(confidence.names)}. With so many variables and few rows, fewer "
            "than nine in ten pairs of 0.9 or more are edges."
        )
