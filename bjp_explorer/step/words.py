"""What *Step through the score* says, but for names and numbers that only data fill."""

from __future__ import annotations

import math

from bjp_engine.dataset import Name
from bjp_engine.kernels.centred import KAPPAS
from bjp_engine.scores import AssertionTerm
from bjp_explorer.shell.text import count, markdown, names_list, number, plain, probability
from bjp_explorer.views.words import centred_odds

_CENTRED = (
    "With centred cells, the test’s prior expects independence: fairer than the paper’s where "
    "variables have many states or rare ones."
)
ABOUT = {
    "bjp": "The score multiplies one probability per assertion. Variables are sorted by degree, "
    "and each pair is tested once, from its lower-degree end; the other half is already known. "
    f"{_CENTRED}",
    "ib": "The same assertions, but each pair is tested from both ends: twice as many tests, "
    f"those with the largest conditioning sets included. {_CENTRED}",
    "near": "Our extension of the paper’s BJP: each pair is tested once, given only the neighbours "
    f"through which the other variable can be reached, not the whole blanket. {_CENTRED}",
    "mpl": "No tests: each variable is scored given its blanket, one local score per variable.",
}
SCORE, TEST, GRAPH = "Score", "Test", "Graph"
TESTS = {"equal": "Paper’s test", "centred": "Centred cells"}
UNDO, UNDO_HELP = "Undo", "Undo the last edit of the graph"
OTHER = "other"
NO_EDITS = "No other graph yet: press Edit edges and click two variables to connect them."
NO_LINK = "This graph has too many edges for a link; the link leads to the learned graph instead."
BEFORE_FIRST = (
    "From the first step on, the counts behind each number appear here. "
    "For blankets, assertions and the order ψ, see:"
)
TABLE = "Show every term as a table"
ASSERTED = {True: "dependent", False: "independent"}
MADE = {True: "computed", False: "inferred as 1"}
# How the graph came about, by the choice of the page; what was learned says it by its search.
CAME = {"true": "of the true network", "published": "published", "edited": "edited by you"}
FROM_LINK = "from a link"
# Graphs that the skipped tests are compared with, by the choice of the page.
KNOWN = {"true": "true network", "published": "published graph"}

COUNTS = "**The counts behind it**"
ROWS, FEWER_ROWS = "Rows", "**With fewer rows**"
CLASSICAL = "**Compare with the classical tests**"
ROWS_HELP = "The first rows of a random order. Everything in this box uses these rows."
SHUFFLE, SHUFFLE_HELP = "Shuffle", "Uses another random order of the rows."
GROWTH = (
    "The same rows, divided among the configurations of ever more variables. The more variables "
    "are given, the more rows a test needs to leave ½."
)
GROWS = {"rise": "It rises", "fall": "It falls"}
SLICES, CONFIGURATIONS = "Slices", "Configurations"
TELLING_FIRST, IN_ORDER = "most telling first", "in order"
SKIPPED = "Show the skipped test"


def some_rows(rows: int, of: int) -> str:
    """Which rows a box is about."""
    return f"This box uses {rows:,} of the {of:,} rows. The score above uses all rows."


def grows(few: int, rows: int) -> str:
    """What is asked before the curve of a posterior is shown."""
    return f"From {few:,} to all {rows:,} rows: does Pr(⊥ | D) rise or fall?"


def grown(sizes: list[int], curve: list[float]) -> str:
    """How a posterior went over some numbers of rows, given as logs, and where it turned."""
    way = "rises" if curve[-1] > curve[0] else "falls"
    text = (
        f"It {way} from {probability(curve[0])} with {sizes[0]:,} rows to "
        f"{probability(curve[-1])} with all {sizes[-1]:,}."
    )
    # The extreme that is no end of the curve by what a plot shows.
    for extreme, name in ((max(curve), "highest"), (min(curve), "lowest")):
        inner = min(abs(math.exp(extreme) - math.exp(end)) for end in (curve[0], curve[-1]))
        if inner > 0.01:
            at = sizes[curve.index(extreme)]
            text += f" In between it is {name} with {at:,} rows, {probability(extreme)}."
    return text


def page_of(noun: str, last: int) -> str:
    """The label of a box that turns pages."""
    return f"{noun}, page 1 to {last}"


def without_rows(given: tuple[Name, ...], unseen: int, log_unseen: float) -> str:
    """What the configurations without a row do to a test."""
    keeps = "it keeps" if unseen == 1 else "each keeps"
    return (
        f"{_configurations(unseen)} of {names_list(given)} without a row: {keeps} its prior, "
        f"in total a factor of {probability(log_unseen)}."
    )


def reading_slices(log_independent: float, odds: str) -> str:
    """How to read the tables of a test."""
    return (
        f"Pr(⊥ | D) = {probability(log_independent)}: {odds}. Small numbers: counts expected "
        "under independence. In each slice, g is the evidence of independence, h the evidence of "
        "dependence, and pₖ the slice’s share of the prior ½. "
        "Pr(⊥ here) = pₖ g / (pₖ g + (1 − pₖ) h), and these multiply."
    )


def reading_centred(log_independent: float, odds: str) -> str:
    """How to read the tables of a test with centred prior cells. Markdown with a formula."""
    light, heavy = (f"{kappa:g}" for kappa in KAPPAS)
    return (
        f"Pr(⊥ | D) = {probability(log_independent)}: {odds}. Small numbers: counts expected "
        "under independence. In each slice, h / g is the odds of dependence: the mean of those by "
        f"a light prior (κ = {light}), which allows strong association, and a heavy one "
        f"(κ = {heavy}), which allows only weak association. pₖ is the slice’s share of the "
        "prior ½. Pr(⊥ here) = pₖ / (pₖ + (1 − pₖ) h / g), and these multiply."
        f"\n\n{centred_odds()}"
    )


def reading_local(value: float, log_alpha: float) -> str:
    """How to read the table of a local score."""
    return (
        "The table counts rows by state of the variable, in each configuration of its blanket. The "
        f"last column adds up to the local score, {number(value)}. "
        f"α = {probability(log_alpha)} for each cell."
    )


def empty_configurations(without: int) -> str:
    """What the configurations without a row do to a local score."""
    return f"{_configurations(without)} without a row: each adds 0."


def _configurations(unseen: int) -> str:
    """How many configurations; beyond a billion only the order of magnitude."""
    if unseen < 10**9:
        return count(unseen, "configuration")
    return f"About 10^{len(str(unseen)) - 1} configurations"


def why_inferred(
    term: AssertionTerm, made: AssertionTerm, *, test: int, step: int, ranks: tuple[str, str]
) -> str:
    """Why an assertion has no test. `ranks` are those of the pair's earlier and later variable."""
    earlier, later = markdown(plain(term.y)), markdown(plain(term.x))
    presence = "an edge" if term.dependent else "no edge"
    given = markdown(names_list(made.given))
    return (
        f"**Why 1? Already tested from {earlier}** (test {test:,}, assertion {step:,}): "
        f"{earlier} {_sign(made)} {later} given {given}, Pr = {probability(made.value)}. "
        f"{earlier} ({ranks[0]}) comes before {later} ({ranks[1]}), so its blanket is given when "
        f"the score comes here, and it says that there is {presence}. "
        "Given that, this assertion is certain: the score adds ln 1 = 0."
    )


def verdict(
    term: AssertionTerm,
    made: AssertionTerm,
    skipped: float,
    *,
    test: int,
    rows: tuple[float, float],
    known: dict[str, bool],
) -> tuple[bool, str]:
    """Whether the skipped test agrees with the graph, and a sentence or three about it.

    `skipped` is ln Pr of the assertion by that test; `rows` are the mean rows per non-empty slice
    of the test that was made, and of it; `known` says of known graphs, by their names, whether they
    have the edge.
    """
    sign = _sign(term)
    here = (
        f"Pr({sign}) = {probability(skipped)} with {count(len(term.given), 'variable')} given "
        f"and {_mean(rows[1])} per non-empty slice"
    )
    there = f"test {test:,} gives {probability(made.value)} with {_mean(rows[0])} per slice"
    agrees, kept = skipped >= -math.log(2), made.value >= -math.log(2)
    if agrees and kept:
        return True, f"**The skipped test agrees.** From this end it gives {here}; {there}."
    if agrees:
        return True, (
            f"**The skipped test supports the graph, the test that was made does not.** From this "
            f"end it gives {here}; {there}."
        )
    edge = "an edge" if term.dependent else "no edge"
    speaks = "against" if term.dependent else "for"
    if not kept:
        return False, (
            f"**Both tests contradict the graph.** It has {edge} here, but from this end the "
            f"skipped test gives {here}; {there}. The score counts this once."
        )
    return False, (
        f"**A bet, and its price.** From this end the skipped test gives {here}: it speaks "
        f"{speaks} an edge. From the other end {there}, and the score counts that one alone"
        f"{_reliability(rows)}. The graph has {edge} here, and the score never sees the "
        f"disagreement.{_known(known, term.dependent)}"
    )


def _sign(term: AssertionTerm) -> str:
    return "⊥̸" if term.dependent else "⊥"


def _mean(rows: float) -> str:
    """A mean number of rows."""
    return "1 row" if rows == 1 else f"{number(rows, 0 if rows >= 10 else 1)} rows"


def _reliability(rows: tuple[float, float]) -> str:
    """Which of two tests has more rows to go by."""
    made, skipped = (_mean(each) for each in rows)
    if made == skipped:
        return ", with as many rows per slice"
    if rows[0] > rows[1]:
        return ": with more rows per slice, it is the more reliable of the two"
    return ", though the skipped test has more rows per slice and is the more reliable of the two"


def _known(known: dict[str, bool], dependent: bool) -> str:
    """What the graphs that are known have in this place, and whether the bet was right by them."""
    return "".join(
        f" The {name} has {'this edge' if has else 'no such edge'}: judged by that graph, the "
        f"bet was {'right' if has == dependent else 'wrong'}."
        for name, has in known.items()
    )
