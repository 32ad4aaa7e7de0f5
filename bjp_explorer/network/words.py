"""The sentences of *Your network*: how many edges, how probable, what the search did."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx

from bjp_engine import Dataset
from bjp_engine.confidence.edges import NOT_JUDGED, PRESENT
from bjp_engine.dataset import Name
from bjp_engine.search import SearchTrace
from bjp_engine.search.auto.evidence import PairEvidence
from bjp_engine.search.auto.lasso import share_counted
from bjp_engine.search.auto.ordered import ordered_variables
from bjp_explorer.shell import origins
from bjp_explorer.shell.text import count, markdown, names_list, number, plain, together
from bjp_explorer.views import effects
from bjp_explorer.views.edges import MOST_NAMED, Line
from bjp_explorer.views.payloads import edge_pairs
from bjp_explorer.views.verdicts import USUAL, Thresholds, Verdicts
from bjp_explorer.views.words import MEASURES

ABOUT = "The network learned from the data, the probability of each edge, and the downloads."
ONE_VARIABLE = "There is only one variable, so there is no pair that could be an edge."
SEARCH, KIND = "Search", "Measure shown for each edge"
KINDS = {
    "calibrated": "Calibrated",
    "test": "BJP’s test",
    "bootstrap": "Bootstrap",
    "graphs": "Posterior",
}
CALIBRATING = "Weighing each pair"
COUNTED_COMPLETED = "completed tables"
VERDICT = "verdict"
RESAMPLES, SEED = "Resamples", "Seed"
HIDE, HIDE_HELP = (
    "Hide edges below",
    "Applies to the drawing, the table and the files; JSON keeps all edges.",
)
STEP = "Step through its score"
STEP_HELP = "Shows the tests of this graph, one after another, down to the counts."
TRUE, PUBLISHED = "the true network", "the published graph"
SHOW, SHOWN = "Edges show", {"effect": "Effects", "probability": "Probabilities"}
SETTINGS = "Settings"
PRESENT_FROM, ABSENT_UP_TO = "Present from", "Absent up to"
THRESHOLDS_HELP = (
    "Calibrated probabilities from which a pair is taken for an edge, and up to which for none. "
    "Between them it is undecided."
)
ORDERED, NO_ORDER = "**Ordered variables**: {names}", "none"
DECLARE = "Declare them on the page Data"
ORDERED_HELP = (
    "Variables of more than two states whose states, as listed, rise or fall in steps. Between two "
    "of them, or one and a two-state variable, an effect has a sign."
)
EFFECT, LOW, HIGH, MEASURE, STATES = "effect", "low", "high", "measure", "joins"
EFFECT_HELP = (
    "Natural log. Variables of two states: the log odds ratio given all others. Ordered variables: "
    "the same for one step of each. Otherwise its root mean square over all pairs of states, "
    "without a sign."
)
INTERVAL_HELP = f"End of the {100 * effects.LEVEL:g} % interval, which takes the graph as given."
MEASURE_HELP = "What the effect is; effects of two measures are not compared."
STATES_HELP = "The states of both that go together, in the order of the pair."
AMONG = "shown by"
AMONG_HELP = (
    "The rows that show the effect, if not all do: elsewhere one variable has a single state."
)
LEGEND = {"sure": "1", "likely": "¾", "even": "½", "missing": "outside the graph"}
# The columns of the table, and what stands behind their signs.
PAIR, LEARNED, WHY, GIVEN, ERROR, TEST = (
    "pair",
    "learned",
    "why",
    "given",
    "± error",
    "Pr(dependent)",
)
WHY_HELP = (
    "Where the number says otherwise: what flipping the pair does to the whole score. Then, in ln "
    "odds of an edge, what each part of auto says of the pair before its test."
)
GIVEN_HELP = "The conditioning set of the one test that BJP computes for the pair."
ERROR_HELP = "Monte Carlo standard error"
TEST_HELP = (
    "Pr(dependent) by the one test that BJP computes for the pair, given the set on its right."
)
OF_FIRST_TABLE = " of the first completed table"
FIRST_TABLE = "What follows is from the first completed table."
HOW, TWO_SEARCHES = "How it was found", "Auto and the paper’s search"
NOT_COMPARED = "A search was cancelled, so its graph is not compared with the other one’s."
SAME = "Both learned the same graph."
NAMED, EDGES, SCORE = "Search", "Edges", "ln BJP (paper’s test, uniform prior)"
TWO_SCORES = (
    "The paper’s search climbs this score from the empty graph and stops at the first proposal "
    "that does not raise it. Auto climbs ln BJP with centred cells plus a prior of its own. It may "
    "therefore end with a lower ln BJP by the paper’s test, closer to the true graph or farther "
    "from it."
)
ASK = "Click an edge or a line of the table to see everything about the pair."
FOR_PAPER = "For a paper: methods and results"
NO_CHOICE = "a variable with one value shows nothing about its edges"
TESTS = {
    "equal": "Its tests are the paper’s, with the same prior weight for every cell of a table.",
    "centred": "Its tests centre the prior on independence (centred cells), so that many states "
    "or rare ones alone make no edge.",
}
PRIOR_OF_AUTO, UNIFORM = "a prior of two neighbours per variable", "a uniform prior"
SCORING, COUNTED_RESAMPLES, COUNTED_PARTS = "Scoring every graph", "resamples", "parts"
SHUFFLE, SHUFFLING, COUNTED_TABLES = "Compare with chance", "Shuffling every column", "tables"
WHAT_IF = "What if: probabilities given evidence"
EVIDENCE = "What is known of some variables"
EVIDENCE_HELP = (
    "Type a variable’s name and choose its state. A variable has one state at a time: another "
    "choice replaces it."
)
NO_EVIDENCE = "Nothing chosen yet"
RELIABLE = "How reliable it is"
RELIABLE_HELP = (
    "1: each state is known. 0.8: each report is right in 80 % of cases, and otherwise names any "
    "other state; the variable itself then stays open, too."
)
UNRELIABLE = "Rows cannot be counted for evidence that is not certain."
SAMPLE = "Sample instead (Gibbs)"
SAMPLE_HELP = (
    "Estimates each probability from 20,000 rows drawn from the network. Where variables depend "
    "strongly on each other, chains may keep to their starts, and the error is larger than shown."
)
VARIABLE, STATE = "variable", "state"
GIVEN_EVIDENCE, WITHOUT_EVIDENCE, ALL_ROWS = "Pr given evidence", "Pr", "share in all rows"
GIVEN_EVIDENCE_HELP = "The network’s probability of the state given the evidence."
WITHOUT_EVIDENCE_HELP = "The network’s probability of the state without evidence."
ROWS_HELP = "The state’s share among the rows of the data that have the evidence."
ALL_ROWS_HELP = "The state’s share among all rows of the data."
CONTRIBUTIONS = "What each piece of evidence changes for"
CONTRIBUTIONS_CAPTION = (
    "Each line leaves out one piece of evidence and keeps the others. The changes do not add up: "
    "two pieces that say the same can each be left out at no loss."
)
NO_TARGET = "Choose a variable"
EVIDENCE_COLUMN, ALL_EVIDENCE, LEFT_OUT = "evidence", "with all", "without it"
# Fewer rows leave a share a standard error that can exceed 0.1; and the most states of a line.
FEW_ROWS, _MOST_STATES = 25, 12
UNTIL_THEN = "Until then, the numbers below are Pr(dependent) by each pair’s test."


def ordered(data: Dataset) -> str:
    """Which variables of more than two states are ordered."""
    of = zip(data.names, data.ordered, data.cardinalities, strict=True)
    names = [name for name, known, states in of if known and states > 2]
    return ORDERED.format(names=markdown(names_list(names, NO_ORDER)))


def state(of: Name, label: str) -> str:
    """A state of a variable, as plain text."""
    return f"{plain(of, 28)} = {plain(label, 28)}"


def rows_column(rows: int) -> str:
    """The heading of the shares among the rows with the evidence."""
    return f"share in {count(rows, 'row')}"


def about_page(rows: str) -> str:
    """What a page of *What if* shows."""
    return f"The probabilities of a network fitted to {rows}"


def describe_rows(rows: int, of: int, where: str = "") -> str:
    """How many rows have the evidence, and what follows where they are few. Markdown."""
    if not rows:
        return (
            f"**None of the {count(of, 'row')}{where} has this evidence**, so the data show "
            "nothing here: the numbers rest on the network alone."
        )
    have = "has" if rows == 1 else "have"
    text = f"**{rows:,} of {count(of, 'row')}**{where} {have} this evidence."
    if rows < FEW_ROWS:
        text += (
            f" The data say little here: a share of {count(rows, 'row')} has a standard error of "
            f"up to {number(0.5 / math.sqrt(rows), 2)}."
        )
    return text


def describe_most_probable(found: Mapping[Name, str], given: bool) -> str:
    """The most probable joint state of the variables that evidence leaves open. Markdown."""
    parts = [markdown(state(*each)) for each in [*found.items()][:_MOST_STATES]]
    if len(found) > len(parts):
        parts.append(f"{len(found) - len(parts):,} more")
    which = "others" if given else "variables"
    return f"Most probable joint state of all {which}: {together(parts)}."


def learn(amount: int) -> str:
    """The button that begins a bootstrap."""
    return f"Learn from {amount:,} resamples"


def partly_hidden(how: str, threshold: float) -> str:
    """How a graph came about whose weaker edges are hidden."""
    return f"{how} (edges below {threshold:g} hidden)"


def learning(amount: int) -> str:
    """What a bootstrap does."""
    return f"Learning from {amount:,} resamples"


def takes(seconds: float) -> str:
    """How long something takes that is only guessed."""
    if seconds < 10:
        return "Takes a few seconds."
    if seconds < 90:
        return f"Takes about {10 * round(seconds / 10)} s."
    return f"Takes about {round(seconds / 60):,} min."


FIRST_SHUFFLED = (
    "It uses the first completed table. The imputation is not repeated, so this leaves out what "
    "imputed cells add by chance."
)


def describe_shuffle(tables: int, seconds: float) -> str:
    """What the comparison with shuffled columns does."""
    return (
        f"Repeats the search on {tables} tables in which every column is shuffled, so that nothing "
        f"depends on anything. {takes(seconds)}"
    )


def describe_cancel(title: str, part: tuple[int, int] | None) -> str:
    """That a job was cancelled, and after how much of it."""
    if part is None:
        return f"{title} was cancelled."
    return f"{title} was cancelled after {part[0]:,} of {part[1]:,}; the numbers below use these."


def panel_title(edges: int, how: str, measure: str, with_effects: bool) -> str:
    """What the drawing shows."""
    shows = f"the effect, opacity the {measure}" if with_effects else measure
    return f"{count(edges, 'edge')} {how}; width shows {shows}"


def describe_thresholds(chosen: Thresholds) -> str:
    """What the verdicts of the table mean."""
    return (
        f"{chosen.text.capitalize()}, undecided between; {NOT_JUDGED} where the probabilities were "
        "not fitted to such data."
    )


def refuse_thresholds(chosen: Thresholds) -> str:
    """That the thresholds of verdicts contradict each other."""
    return (
        f"“{ABSENT_UP_TO}” ({chosen.absent:g}) must be below “{PRESENT_FROM}” "
        f"({chosen.present:g}); until then verdicts use the defaults, {USUAL.text}."
    )


def effect_legend(found: effects.Effects, measure: str) -> dict[str, str]:
    """What colours, lines, widths and opacities of a drawing of effects mean, by tone."""
    signs = {each.sign for each in found.values()}
    legend = {tone: text for tone, text in effects.LEGEND.items() if tone in signs}
    return legend | {
        "width": f"width: {effects.describe_width(found)}",
        "opacity": f"opacity: {measure}",
        "missing": LEGEND["missing"],
    }


def hamming_column(known: str) -> str:
    """The heading of the distances to a known graph."""
    return f"Hamming distance to {known}"


def only_by(search: str, edges: Sequence[str]) -> str:
    """The edges that one of two searches learned alone, in a sentence."""
    was = "was" if len(edges) == 1 else "were"
    return f"{count(len(edges), 'edge')} {was} learned only by {search}: {list_up(edges)}."


def name(of: Name) -> str:
    """A variable's name as Markdown that shows it as it is."""
    return markdown(plain(of, 28))


def pair(i: int, j: int, data: Dataset) -> str:
    """A pair of variables as Markdown."""
    return f"{name(data.names[i])} – {name(data.names[j])}"


def list_up(parts: Sequence[str], of: int | None = None) -> str:
    """Parts with commas and an "and"; past the sixth only how many more there are."""
    amount = len(parts) if of is None else of
    found = list(parts[:MOST_NAMED])
    if amount > len(found):
        found.append(f"{amount - len(found):,} more")
    return together(found)


def summary(found: Sequence[Line], data: Dataset, hidden: int, kind: str, how: str) -> str:
    """How many edges there are and how they came about.

    `kind` is that of the numbers, `how` as `origins.origin` says it. Markdown.
    """
    edges = [line for line in found if line.learned]
    total = len(edges) + hidden
    if not total:
        return (
            f"**No edge was found**: the data ({count(data.rows, 'row')}) do not show that any "
            "variable depends on another."
        )
    text = f"**{count(total, 'edge')}** {how} between {count(data.n, 'variable')}"
    if kind != "calibrated":
        sure = sum(line.confidence >= PRESENT for line in edges)
        text += f", **{sure:,} with {MEASURES[kind]} {PRESENT} or more**"
    text += "."
    return text


def expect_errors(found: Verdicts) -> str:
    """The same beside the slider, in a few words."""
    if not found.present + found.undecided + found.absent:
        return ""
    false, missed = (number(x, 1) if x >= 0.1 else "< 0.1" for x in (found.false, found.missed))
    return f"expect {false} false, {missed} missed"


def _share(value: float, chosen: Thresholds) -> str:
    """A number of a pair; rounded as in the table where fewer digits would reach a limit."""
    if 0.99 < value < 1:
        return "> 0.99"
    crossed = value < chosen.present <= round(value, 2) or round(value, 2) <= chosen.absent < value
    return f"{value:.{4 if crossed else 2}f}"


def details(found: Sequence[Line], data: Dataset, kind: str, chosen: Thresholds) -> str:
    """Which edges are doubtful, and which pairs are none though their number is high. Markdown."""
    edges = [line for line in reversed(found) if line.learned]
    doubtful = [x for x in edges if x.confidence < chosen.present]
    absent = [x for x in doubtful if kind == "calibrated" and x.confidence <= chosen.absent]
    rest = [line for line in found if not line.learned and line.confidence >= chosen.present]
    parts = {
        "Learned by the search, but probably no edges": absent,
        "Less clear edges, the lowest first"
        if len(doubtful) - len(absent) > 1
        else "A less clear edge": doubtful[len(absent) :],
        f"Pairs with {MEASURES[kind]} {chosen.present:g} or more that the search left out": rest,
    }
    return " ".join(
        f"{what}: {_name_pairs(some, data, chosen)}." for what, some in parts.items() if some
    )


def _name_pairs(some: Sequence[Line], data: Dataset, chosen: Thresholds) -> str:
    """The first pairs with their numbers. Markdown."""
    named = [f"{pair(x.i, x.j, data)} ({_share(x.confidence, chosen)})" for x in some[:MOST_NAMED]]
    return list_up(named, len(some))


def describe_search(trace: SearchTrace, data: Dataset) -> str:
    """What the search did on the data, in plain words."""
    flips, tests = count(trace.best_at, "flip"), TESTS[origins.cells_of(trace)]
    if trace.search != "auto":
        reached = f"After {flips} it reached" if trace.best_at else "It kept"
        return (
            "IBMAP-HC, the paper’s search, started from the empty graph with a uniform prior over "
            f"graphs. {reached} the graph shown. {_end(trace)} {tests}"
        )
    reached = (
        f"after {flips} it reached the graph shown" if trace.best_at else "no edge had to change"
    )
    start = count(trace.milestones["nodewise"].number_of_edges(), "edge")
    data = data.drop_unused_states()
    binary, pairs = data.cardinalities.count(2), ""
    if binary > 1:
        of, two = ("", "") if binary == data.n else (" of two-state variables", "two-state ")
        pairs = f" and tested each pair{of} given the empty set"
        if share_counted(data.rows):
            pairs = f", regressed each {two}variable on the others by the lasso (L1),{pairs}"
    ordered = ""
    if ordered_variables(data).any():
        ordered = " Ordered variables were also regressed by scores of their states."
    return (
        f"Auto first found which variables predict each variable{pairs}.{ordered} This "
        f"gives a starting graph of {start}, and a prior for each edge. From there it looked for "
        f"the graph with the highest BJP score plus that prior; {reached}. {_end(trace)} {tests}"
    )


def describe_evidence(evidence: PairEvidence, line: Line) -> str:
    """What the data say of a pair, as plain text."""
    pair = line.i, line.j
    models, test, partial, marginal = (
        number(float(of[pair]), 1)
        for of in (evidence.log_odds, evidence.test, evidence.partial, evidence.marginal)
    )
    return (
        f"ln odds of an edge: {models} by regressions of each variable on the others, {test} by its "
        f"test, {partial} given all other variables, {marginal} given none"
    )


def _end(trace: SearchTrace) -> str:
    """Why the search ended."""
    if origins.is_whole(trace):
        return f"It stopped because {trace.stop_reason}."
    return "It was cancelled there, so this graph is not the learned one."


def differences(
    ours: nx.Graph[Any], theirs: nx.Graph[Any], data: Dataset
) -> tuple[list[str], list[str]]:
    """The edges of only one of two graphs, as Markdown."""
    first, second = edge_pairs(ours, data), edge_pairs(theirs, data)
    alone = [[pair(i, j, data) for i, j in sorted(p)] for p in (first - second, second - first)]
    return alone[0], alone[1]
