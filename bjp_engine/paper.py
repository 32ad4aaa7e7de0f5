"""A methods and results paragraph for a paper.

Each sentence is made of what was really done: the record of the search, of the probabilities, and
of the effects. Nothing is said of what none of these records holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bjp_engine.associations import ordered_variables
from bjp_engine.confidence.calibrated import is_usual
from bjp_engine.confidence.doubts import check_records, list_warnings
from bjp_engine.confidence.edges import ABSENT, PRESENT, EdgeConfidence
from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import DataError, list_up, plural, single_line
from bjp_engine.io.results import version
from bjp_engine.parameters.effects import (
    INFINITE,
    LOG_ODDS_RATIO,
    PER_STEP,
    SILENT,
    STRENGTH,
    UNKNOWN,
    effect_rows,
)
from bjp_engine.preparation import Prepared
from bjp_engine.scores import SCORES
from bjp_engine.scores.prior import KnownEdges
from bjp_engine.search import SEARCHES, SearchTrace
from bjp_engine.validate import sentences
from bjp_engine.validate import text as check_text

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.parameters import Imputed

__all__ = ["write_paragraph"]

# How many edges, ordered variables and known pairs a sentence names.
_MOST_NAMED, _MOST_ORDERED, _MOST_KNOWN = 3, 30, 6
# What the text cites, each with its reference.
_REFERENCES = {
    "arXiv:1608.02315": "F. Schlüter, Y. Strappa, D. H. Milone, F. Bromberg: Blankets Joint "
    "Posterior score for learning Markov network structures. arXiv:1608.02315.",
    "Schlüter et al., 2014": "F. Schlüter, F. Bromberg, A. Edera: The IBMAP approach for Markov "
    "network structure learning. Annals of Mathematics and Artificial Intelligence 72, 2014.",
    "Pensar et al., 2017": "J. Pensar, H. Nyman, J. Niiranen, J. Corander: Marginal "
    "pseudo-likelihood learning of discrete Markov network structures. Bayesian Analysis 12, 2017.",
    "Margaritis, 2005": "D. Margaritis: Distribution-free learning of Bayesian network structure "
    "in continuous domains. AAAI, 2005.",
    "Mantel & Haenszel, 1959": "N. Mantel, W. Haenszel: Statistical aspects of the analysis of "
    "data from retrospective studies of disease. Journal of the National Cancer Institute 22, "
    "1959.",
    "Liang & Qin, 2000": "K.-Y. Liang, J. Qin: Regression analysis under non-standard situations: "
    "a pairwise pseudolikelihood approach. Journal of the Royal Statistical Society B 62, 2000.",
    "Rubin, 1987": "D. B. Rubin: Multiple Imputation for Nonresponse in Surveys. Wiley, 1987.",
    "Schafer, 1997": "J. L. Schafer: Analysis of Incomplete Multivariate Data. Chapman & Hall, "
    "1997.",
    "van Borkulo et al., 2022": "C. D. van Borkulo, R. van Bork, L. Boschloo, J. J. Kossakowski, "
    "P. Tio, R. A. Schoevers, D. Borsboom, L. J. Waldorp: Comparing network structures on three "
    "aspects: a permutation test. Psychological Methods 28, 2023 (online 2022).",
    "Epskamp et al., 2018": "S. Epskamp, D. Borsboom, E. I. Fried: Estimating psychological "
    "networks and their accuracy: a tutorial paper. Behavior Research Methods 50, 2018.",
}
_KINDS = {
    LOG_ODDS_RATIO: "log odds ratios",
    PER_STEP: "log odds ratios for one step of each ordered variable",
    STRENGTH: "strengths (of variables with more states: the root mean square of all log odds "
    "ratios)",
}


def write_paragraph(  # noqa: PLR0913 - the records, and what none of them knows
    data: DataLike,
    trace: SearchTrace,
    confidence: EdgeConfidence | None = None,
    *,
    effects: pd.DataFrame | None = None,
    imputed: Imputed | None = None,
    present: float = PRESENT,
    absent: float = ABSENT,
    source: str = "",
    preparation: Prepared | Sequence[str] = (),
    further: Sequence[str] = (),
    warnings: Sequence[str] | None = None,
) -> str:
    r"""Write what was done and found, as a paper reports it.

    Parameters
    ----------
    data : Dataset, DataFrame or array
        What was learned from. The variables of trace, confidence and effects are compared with
        these, and the edges of effects with those of trace; whether they were made of the same rows
        can't be seen.
    effects : DataFrame, optional
        The effects of the edges of this graph, from `FittedNetwork.effects` or `pool_effects`.
    imputed : Imputed, optional
        The completed tables of which data is the first, where missing cells were imputed.
    present, absent : float
        The thresholds of the verdicts on calibrated probabilities, see `EdgeConfidence.verdicts`.
    source : str
        Where the rows come from, as the end of "… rows of": "the survey of 2024".
    preparation : Prepared or sequence of str
        What was done to the table: what `prepare` gave, or sentences in the past tense such as its
        `for_paper`.
    further : sequence of str
        Sentences that end the results, such as those on groups or stability.
    warnings : sequence of str, optional
        By default those of `list_warnings`.

    Returns
    -------
    str
        Plain text: paragraphs that begin with "Methods.", "Results.", "Warnings." (where there are
        any) and "References.", a blank line between them.

    Examples
    --------
    >>> from bjp_engine.paper import write_paragraph
    >>> import bjp_engine as bjp
    >>> data = bjp.Dataset.from_codes([[0, 0], [1, 1]] * 60, [2, 2], ["smoker", "cough"])
    >>> text = write_paragraph(data, bjp.learn(data), bjp.edge_probabilities(data))
    >>> print(text.split("\n\n")[1].replace(". ", ".\n"))
    Results.
    The learned graph has 1 of 1 possible edge.
    Of all pairs, 1 is present.
    The present pair is smoker – cough.
    """
    rows = as_dataset(data)
    check_records(rows, trace, confidence)
    if effects is not None:
        ends = {frozenset((row["x"], row["y"])) for row in effect_rows(effects)}
        if ends != {*map(frozenset, trace.graph.edges)}:
            raise DataError("effects are of another graph; fit the network to the graph of trace.")
    if not isinstance(source, str) or source:
        check_text(source, "source")
    done = preparation
    if isinstance(preparation, Prepared):
        done, imputed = preparation.for_paper, imputed or preparation.imputed
    done, further = sentences(done, "preparation"), sentences(further, "further")
    if warnings is None:
        warnings = list_warnings(rows, trace, confidence, effects=effects)
    warnings = sentences(warnings, "warnings")
    methods = [
        *_data_sentences(rows, source, done),
        *_imputed_sentences(imputed, trace, confidence),
        *_search_sentences(trace, rows),
        *_known_sentences(trace.known),
        *_confidence_sentences(trace, confidence, present, absent),
        *_effect_sentences(effects),
        f"Computed with BJP Explorer {version()}.",
    ]
    results = [
        *_edge_results(trace, confidence, present, absent),
        *_effect_results(rows, effects),
        *further,
    ]
    said = " ".join((*methods, *results))
    cited = [reference for mark, reference in _REFERENCES.items() if mark in said]
    parts = {
        "Methods": methods,
        "Results": results,
        "Warnings": warnings,
        "References": sorted(cited, key=lambda text: text.partition(". ")[2]),
    }
    return "\n\n".join(f"{title}. {' '.join(some)}" for title, some in parts.items() if some)


def _data_sentences(data: Dataset, source: str, done: Sequence[str]) -> Iterator[str]:
    of, data = f" of {source}" if source else "", data.drop_unused_states()
    states = sorted(set(data.cardinalities))
    some = f"{states[0]} to {states[-1]} states" if states[1:] else plural(states[0], "state")
    yield (
        f"The structure of a Markov network of {plural(data.n, 'discrete variable')} "
        f"({some}) was learned from {plural(data.rows, 'row')}{of}."
    )
    yield from done
    if ordered := [single_line(data.names[i]) for i in np.flatnonzero(ordered_variables(data))]:
        have = f"{plural(len(ordered), 'variable')} {'have' if ordered[1:] else 'has'}"
        yield f"{have} ordered states: {list_up(ordered, _MOST_ORDERED)}."


def _imputed_sentences(
    imputed: Imputed | None, trace: SearchTrace, confidence: EdgeConfidence | None
) -> Iterator[str]:
    """How many cells were imputed, by what, what that assumes, and which graph comes of it."""
    if imputed is None or not imputed.cells:
        return
    yield (
        f"{plural(imputed.cells, 'missing cell')} ({100 * imputed.share:.3g} % of all) "
        f"{'was' if imputed.cells == 1 else 'were'} imputed {len(imputed.datasets)} times (Rubin, "
        f"1987) by data augmentation (Schafer, 1997; seed {imputed.seed}): each completed table is "
        f"from a chain of its own, which {plural(imputed.rounds, 'time')} learns a network and "
        "draws the missing cells from it. Cells are assumed to be missing at random given the "
        "known ones."
    )
    if confidence is not None and confidence.made > 1 and confidence.kind == "calibrated":
        likely = {frozenset(edge) for edge in confidence.graph(0.5).edges}
        if likely == {frozenset(edge) for edge in trace.graph.edges}:
            yield "The learned graph has the pairs with a mean probability of 0.5 or more."
    else:
        yield "What follows is from the first completed table, so intervals are too narrow."


def _search_sentences(trace: SearchTrace, data: Dataset) -> Iterator[str]:
    yield f"Graphs were scored by {_cited(trace.method)}."
    options = trace.options[trace.method]
    if hasattr(options, "prior_cells"):
        cells = "centred on independence"
        if options.prior_cells == "equal":
            cells = f"with γ = {options.gamma:g} for every cell"
        yield (
            "Its conditional independence tests are Bayesian (Margaritis, 2005), with prior "
            f"probability {options.prior:g} of independence and Dirichlet priors {cells}."
        )
    elif hasattr(options, "ess"):
        yield f"Its Dirichlet priors have an equivalent sample size of {options.ess:g}."
    prior = trace.structure
    if trace.evidence is not None:
        ordered = ""
        if ordered_variables(data).any():
            ordered = " (of ordered variables also of mid-rank scores of their states)"
        yield (
            "The search (auto) weighed each pair by regressions of each variable on the others"
            f"{ordered}, by its test, by its association given all other variables, and by how "
            "much weaker than the links of a path between the two its own association is; a "
            "logistic map fitted to samples of known networks made probabilities of these, and the "
            "graph has the pairs of probability ½ or more."
        )
        return
    if prior.uniform:
        over = "a uniform prior over graphs"
    elif prior.log_odds is not None:
        over = "given prior odds of each edge"
    else:
        over = f"prior probability {prior.probability(len(trace.graph)):.3g} of each edge"
    title = SEARCHES[trace.search].title if trace.search in SEARCHES else trace.search
    yield f"The search was {title}, with {over}; it stopped because {trace.stop_reason}."


def _known_sentences(known: KnownEdges | None) -> Iterator[str]:
    """What was known of pairs, each by name where they are few."""
    if known is None:
        return
    likely = [f"{_pair(x, y)} ({odds:g})" for x, y, odds in known.likely]
    for named, what in (
        ([_pair(*pair) for pair in known.required], "required to be an edge"),
        ([_pair(*pair) for pair in known.forbidden], "forbidden to be an edge"),
        (likely, "given a prior probability"),
    ):
        if named:
            which = f" ({'; '.join(named)})" if len(named) <= _MOST_KNOWN else ""
            were = f"{plural(len(named), 'pair')} {'was' if len(named) == 1 else 'were'}"
            yield f"Before the data were seen, {were} {what}{which}."
    if known.required or known.forbidden:
        yield "Required pairs count as present, forbidden ones as absent."


def _is_separate(trace: SearchTrace, confidence: EdgeConfidence) -> bool:
    """Whether probabilities come from another run than the graph."""
    return confidence.kind == "calibrated" and not is_usual(trace)


def _confidence_sentences(
    trace: SearchTrace, confidence: EdgeConfidence | None, present: float, absent: float
) -> Iterator[str]:
    if confidence is None:
        return
    drawn, by = f"{confidence.made:,}", ""
    pooled = f" and a mean over {drawn} completed tables" * (confidence.made > 1)
    if _is_separate(trace, confidence):
        by = f" comes from a separate run, of {_cited(confidence.method)} by auto with its usual "
        by += "options, and"
    yield {
        "calibrated": f"The probability of each edge{by} is calibrated on samples of known networks"
        f"{pooled}; pairs of {present:g} or more are called present, of {absent:g} or less absent, "
        "and undecided between.",
        "test": "The number of each pair is the posterior probability of dependence by one test, "
        "given the Markov blanket of one end.",
        "bootstrap": f"The number of each pair is its share among the graphs learned from {drawn} "
        f"bootstrap resamples of the rows (seed {confidence.seed}).",
        "exact": "The probability of each edge is its posterior over all graphs.",
    }[confidence.kind]


def _effect_sentences(effects: pd.DataFrame | None) -> Iterator[str]:
    if effects is None or effects.empty:
        return
    made, how, kinds = effects.attrs, "intervals", [*dict.fromkeys(effects["kind"])]
    if made:
        how = f"{100 * made['level']:g} % intervals"
        if "tables" in made:
            times = f"{made['tables']} completed tables"
            how += f"; both are pooled over {times} by Rubin's rules (Rubin, 1987)"
        if STRENGTH in kinds:
            times = f"{made['resamples']:,} resamples (seed {made['seed']})"
            how += f"; those of strengths are from {times}"
    by = "pairs of rows (Mantel & Haenszel, 1959"
    if kinds != [LOG_ODDS_RATIO]:
        by += "; for more than two states Liang & Qin, 2000"
    names = list_up(_KINDS.get(kind, f"{kind}s") for kind in kinds)
    yield (
        f"Effects are {names} given all other variables (natural log), from {by}) that agree on "
        "variables which separate the ends of the edge in the learned graph, with "
        f"{how}; the graph is taken as given."
    )


def _edge_results(
    trace: SearchTrace, confidence: EdgeConfidence | None, present: float, absent: float
) -> Iterator[str]:
    """How many edges, and how many pairs of each verdict."""
    nodes, edges = len(trace.graph), trace.graph.number_of_edges()
    pairs = nodes * (nodes - 1) // 2
    yield f"The learned graph has {edges:,} of {plural(pairs, 'possible edge')}."
    if confidence is None or not pairs:
        return
    if confidence.judged is None:
        least = [confidence.of(x, y).confidence >= PRESENT for x, y in trace.graph.edges]
        yield f"Of these edges, {sum(least):,} {_be(sum(least))} at {PRESENT:g} or more."
        return
    verdicts = confidence.verdicts(present, absent)
    judged = verdicts["verdict"].value_counts()
    kinds = [one for one in ("present", "absent", "undecided") if one in judged]
    if kinds:
        yield f"Of all pairs, {list_up(f'{judged[k]:,} {_be(judged[k])} {k}' for k in kinds)}."
    else:
        yield "No pair was judged, for the rows or states are unlike those of the fit."
    found = verdicts.loc[verdicts["verdict"] == "present", ["x", "y"]].to_numpy().tolist()
    if found:
        pairs_are = "pair is" if len(found) == 1 else "pairs are"
        yield f"The present {pairs_are} {list_up((_pair(*one) for one in found), _MOST_KNOWN)}."
    if _is_separate(trace, confidence):
        both = sum(trace.graph.has_edge(*one) for one in found)
        yield f"Of the edges of the graph, {both:,} {_be(both)} present by these probabilities."


def _effect_results(data: Dataset, effects: pd.DataFrame | None) -> Iterator[str]:
    """The strongest edges."""
    if effects is None or effects.empty:
        return
    known = effects[~effects["doubt"].isin((UNKNOWN, INFINITE))]
    several = {PER_STEP: "log odds ratios per step", STRENGTH: "effects (strengths)"}
    # Strengths of different kinds are not compared by size.
    for kind, rows in known.groupby("kind", sort=False):
        strongest = rows.sort_values("effect", key=np.abs, ascending=False, kind="stable")
        named = [_effect(data, row) for row in strongest.head(_MOST_NAMED).itertuples()]
        are = f"{kind} is" if len(named) == 1 else f"{several.get(str(kind), f'{kind}s')} are"
        yield f"The {'strongest ' * (len(rows) > 1)}{are} {list_up(named)}."


def _effect(data: Dataset, row: Any) -> str:
    """An edge with its effect, and which states a log odds ratio joins."""
    states = ""
    # Without a clear sign there is nothing that goes together.
    if row.kind != STRENGTH and not row.low <= 0 <= row.high:
        ends = []
        for name, last in ((row.x, True), (row.y, row.effect >= 0)):
            used = data.drop_unused_states().labels[data.index(name)]
            state = f"{single_line(name)} = {single_line(used[-1 if last else 0])}"
            steps = f"{'higher' if last else 'lower'} {single_line(name)}"
            ends.append(steps if len(used) > 2 else state)
        states = f" ({' goes with '.join(ends)})"
    numbers = f"{row.effect:.2f} [{row.low:.2f}, {row.high:.2f}]".replace("-", "−")
    among = f" among rows with {row.among}" if row.doubt == SILENT else ""
    return f"{_pair(row.x, row.y)} {numbers}{states}{among}"


def _pair(x: object, y: object) -> str:
    return f"{single_line(x)} – {single_line(y)}"


def _cited(method: str) -> str:
    return (SCORES[method].cited if method in SCORES else "") or method


def _be(amount: int) -> str:
    return "is" if amount == 1 else "are"
