"""What *About the method* says, section by section; numbers come from the engine's traces."""

from __future__ import annotations

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.kernels.centred import KAPPAS
from bjp_engine.scores import ScoreTrace
from bjp_engine.search import GraphTable, SearchTrace
from bjp_explorer.method.data import Sizes, StarPoint
from bjp_explorer.shell.text import count, markdown, number, plain, probability
from bjp_explorer.views.words import centred_odds

ABOUT = (
    "The idea in ten minutes. Every figure is live: the engine computes it while you read, and it "
    "changes when you change its settings."
)
_TITLES = {
    "edges": "What an edge means",
    "test": "One Bayesian test",
    "assertions": "What a graph asserts",
    "order": "The order, and the half that needs no test",
    "hubs": "Why that helps",
    "irregularity": "Irregular networks",
    "climb": "The climb",
    "mpl": "A third score: MPL",
    "own": "What your own data get",
    "limits": "What the scores do not do",
    "notation": "Notation",
    "references": "References",
}
SECTIONS = {
    anchor: f"{position}\N{NO-BREAK SPACE}\N{NO-BREAK SPACE}{title}"
    for position, (anchor, title) in enumerate(_TITLES.items(), 1)
}
VARIABLE, X, Y, GIVEN, SAMPLE, ROWS = "Variable", "X", "Y", "given", "Sample", "Rows"
SAMPLE_HELP = "Each number draws another sample from the same network."
CLIMB, COMPARE, EVERY = "Watch the climb", "Compare the three scores", "See every graph"
TWO_TESTS, HOW_RIGHT = "Step through either test", "See how right the probabilities are"

EDGES = """
A **Markov network** shows which variables depend on each other. Its nodes are variables, $X_0$,
$X_1$ and so on; an edge connects two variables that stay dependent when all others are known. So
the *missing* edges say the most.

Here is a small network, learned from data on six risk factors for coronary heart disease. Click a
node, or choose it next to the drawing.
"""
BLANKET = """
The neighbours of a variable $X_i$ are its **blanket**, written $B^i$. The network asserts that,
given its blanket, a variable is independent of everything else. This is the **local Markov
property**.
"""
TEST = r"""
Are two variables $X$ and $Y$ independent? Count the rows by the states of both, and compare two
explanations of the counts: $X$ and $Y$ each have a distribution of their own, or they have one
joint distribution.

The **evidence** of an explanation is the probability of the counts under it: $g$ for independence,
$h$ for dependence. Before the data are seen, both are equally probable: the **prior** of
independence is $p = \frac12$. Prior times evidence, scaled so that the two add up to one, is the
**posterior**.
"""
CLASSICAL = """
The same counts, judged by the classical tests. A p-value is the probability of counts at
least this far from independence if $X$ and $Y$ are independent; the posterior is the probability
that they are.
"""
SLICES = r"""
Choose a variable under *given*, and the rows split into $K$ **slices**, one for each configuration
of the conditioning set. Independence must then hold in every slice, so the slices' posteriors
multiply. The prior is spread over them, $p = (\frac12)^{1/K}$ each, so the product is
$\frac12$ again: without any data, the answer is an honest "I don't know".
"""
ORDER = r"""
Most of these assertions come in pairs: one about $(X_i, X_j)$ given the blanket of $X_i$, one about
$(X_j, X_i)$ given the blanket of $X_j$. Both are about the same edge, or the same missing edge.
So one blanket says something about all others: if $X_j$ is not in $B^i$, then $X_i$ is not
in $B^j$.

The **Blankets Joint Posterior**, BJP, uses this. It takes the blankets one after
another, each given the earlier ones:

$$
\begin{aligned}
\Pr(G \mid \mathcal{D}) = {} & \Pr(B^{\psi_0} \mid \mathcal{D}) \\
& \cdot \Pr(B^{\psi_1} \mid B^{\psi_0}, \mathcal{D}) \\
& \cdot \Pr(B^{\psi_2} \mid B^{\psi_0}, B^{\psi_1}, \mathcal{D}) \cdots
\end{aligned}
$$

When a variable's turn comes, its assertions about all earlier variables are already decided. Given
the earlier blankets, they hold with probability 1 and need no test. Only its assertions about later
variables are computed. That is half of them in any order. But the order, $\psi$, decides *which*
half: BJP sorts the variables by **degree**, the size of the blanket, smallest first. So each pair
is tested from the end with the smaller blanket.

The paper's example is a hub $X_0$ with three leaves. The leaves have degree 1 and come first, in
the order of their numbers; the hub comes last: $\psi = (X_1, X_2, X_3, X_0)$. Step through it:
"""
HUBS = r"""
A test given a large blanket is a poor test. With $d$ two-state variables in the blanket there are
$2^d$ slices, and the same rows are divided among ever more of them. A slice with one row, or with
none, says nothing: both explanations give it the same evidence. So the posterior drifts back to the
prior $\frac12$, with detours.

The stars below show this: a hub with 1, 2, 3 … leaves, and one lone variable without any edge.
Two assertions are true in each: the hub depends on its first leaf, and the hub is independent of
the lone variable. Each can be tested from either end. From the small end the conditioning set is
empty (solid lines). From the hub it holds all other leaves (dotted lines). BJP computes the
solid lines, IB-score both.
"""


def centred() -> str:
    """The test with centred prior cells, which auto learns with."""
    light, heavy = (f"{kappa:g}" for kappa in KAPPAS)
    return rf"""
Everything above uses the paper's test. Under dependence, its prior gives each *cell* of a table the
same weight; under independence, each *state*. With many states or rare ones, the two differ in more
than the association, and independent variables can look dependent.

*Auto*, which learns from your own data, therefore tests with **centred cells**: dependence starts
from the margins that independence has, and the prior of each slice is centred on them. It is the
mean of a light prior ($\kappa = {light}$), which allows strong association, and a heavy one
($\kappa = {heavy}$), which allows only weak association. The odds of dependence in a slice are

{centred_odds()}
"""


CALIBRATED = r"""
A test's posterior is about one pair given one set; it is not the probability that the pair is an
edge. *Your network* begins with a **calibrated probability**, which combines the pair's test with
what auto found before: how well each variable predicts the others, and the size of the table. Its
scale was fitted to samples of known networks, so that about nine in ten pairs with 0.9 are edges.
"""


def how_learned(data: Dataset, trace: SearchTrace) -> str:
    """How the network of the first sections came about."""
    return (
        f"Learned by BJP from {data.rows:,} men: {count(trace.graph.number_of_edges(), 'edge')}. "
        "The edges to the blanket are green. “Open” shows the network on the page *Step through "
        "the score*."
    )


def blanket_title(node: Name) -> str:
    """The title of the drawing."""
    return f"The blanket of {plain(node)}"


def result(pair: str, odds: str, log_independent: float, log_dependent: float) -> str:
    """What a test says about a pair."""
    return (
        f"The result for {pair}: **{odds}**, Pr(⊥) = {probability(log_independent)} and "
        f"Pr(⊥̸) = {probability(log_dependent)}."
    )


def assertions(n: int, terms: int, own: int, node: Name) -> str:
    """What a graph asserts, before the assertions of one variable."""
    return rf"""
A graph makes an assertion about each variable and every other variable: independent given the
blanket if there is no edge, dependent given the rest of the blanket if there is one. For $n$
variables these are $n(n-1)$ **assertions**. The network above has $n = {n}$, hence
{terms} of them. These {own} are about {markdown(plain(node))}, the variable
chosen above:
"""


def ib_score(total: float) -> str:
    """How IB-score is made of the assertions."""
    return rf"""
Each assertion can be tested, and each test gives a probability. The **IB-score**
(independence-based score) multiplies all of them, as if they were independent of each other:

$$
\mathrm{{IB}}(G) = \prod_{{i}} \prod_{{j \neq i}} \Pr(c_{{ij}} \mid \mathcal{{D}})
$$

where $G$ is the graph, $\mathcal{{D}}$ the data, and $c_{{ij}}$ the graph's assertion about $X_i$
and $X_j$ given the blanket of $X_i$. Scores are written as natural logarithms, so products
become sums: for this graph, ln IB = **{number(total, 4)}**.
"""


def order_table(bjp: ScoreTrace) -> str:
    """What introduces the table of a hub's assertions."""
    return f"The same as a table, in the order ψ = ({', '.join(map(str, bjp.order))}):"


def order_result(bjp: ScoreTrace, ib: ScoreTrace, data: Dataset) -> str:
    """How many of the assertions each score computes."""
    return (
        f"**{len(bjp.computed)} computed, {len(bjp.inferred)} inferred.** "
        f"The computed logarithms add up to ln BJP = **{number(bjp.total, 4)}**. The IB-score "
        f"computes all {len(ib.computed)}: ln IB = **{number(ib.total, 4)}**. "
        f"({data.rows:,} rows drawn from the hub's network.)"
    )


STAR_ROWS = "**Rows per slice in the hub's tests**"
STAR_POSTERIOR = "**The posterior of the true assertions**"


def star(last: StarPoint, rows: int) -> str:
    """The largest star in words."""
    return (
        f"With {last.leaves} leaves, the {rows:,} rows occur in {last.occurring:,} of "
        f"{last.configurations:,} slices, {number(rows / last.occurring, 1)} rows each. "
        f"From the hub, Pr(⊥̸) of the edge is {probability(last.hub_dependent)} and Pr(⊥) of the "
        f"missing edge {probability(last.hub_independent)}; from the small ends, "
        f"{probability(last.leaf_dependent)} and {probability(last.lone_independent)}."
    )


def irregularity(karate: Sizes, networks: int) -> str:
    """When skipping half of the tests helps most."""
    return rf"""
BJP skips half of the tests in every network. How much that helps depends on which half. If all
variables have the same degree, both ends of a pair are alike. If a network has a few hubs among
many small variables, the skipped tests are those given the hubs' blankets.

The **irregularity** of a network measures how uneven the degrees $d_i$ are. The *total*
irregularity adds up $|d_i - d_j|$ over all pairs of variables, the *edge* irregularity over the
edges only. Total irregularity counts exactly what BJP saves: in total, the skipped tests would have
conditioned on that many more variables than the computed ones. For karate these are
{karate.saved:,} variables, and its total irregularity is {karate.info.total_irregularity:,}.

The figure shows the {networks} benchmark networks of the paper. The further apart the two marks,
the more BJP gains.
"""


IRREGULARITY_CAPTION = (
    "Click a heading to sort. |Z| is the mean number of variables that a test conditions on. "
    "The target, hub and scale-free networks are reconstructions: the paper prints no edge lists."
)


def climb(trace: SearchTrace) -> str:
    """How the paper's search goes, and how it went on coronary."""
    return f"""
A score judges a graph; a search has to find one. **IBMAP-HC** starts from the empty graph, looks
for the pair whose assertions have the lowest posterior, and proposes to flip it: to add the edge,
or to remove it. If the score of the whole graph rises, the flip is kept and the next one is
proposed. At the first flip that does not raise the score, the climb stops.

On coronary it makes {count(len(trace.steps), "flip")} with BJP and ends at ln BJP =
{number(trace.score, 4)}, because {trace.stop_reason}.
"""


def mpl(trace: SearchTrace, bjp: SearchTrace) -> str:
    """What MPL scores, and how its graph differs in size."""
    return f"""
**MPL**, the marginal pseudo-likelihood, makes no tests. It scores how well each variable's blanket
predicts it: it splits the rows by the blanket's configurations, and multiplies the evidence of the
variable's states in each of them. Each extra neighbour splits the rows further, which lowers the
evidence unless the neighbour predicts something. So large blankets must earn their place. But each
variable is judged separately, and two variables may disagree on whether they are neighbours; the
search resolves that afterwards.

On coronary it ends at ln MPL = {number(trace.score, 4)} with
{count(trace.graph.number_of_edges(), "edge")}, BJP at {count(bjp.graph.number_of_edges(), "edge")}.
The values of different scores cannot be compared with each other, only graphs under one score.
"""


def limits(table: GraphTable, trace: SearchTrace) -> str:
    """What the scores do not do."""
    return f"""
- **They have no prior preference.** All graphs are equally probable before the data are seen,
  sparse and dense ones alike.
- **They are not probabilities of a graph.** The tests are multiplied as if they were independent
  pieces of evidence, and the products do not add up to one over all graphs. The page *All graphs*
  scales them so that they do.
- **The climb is greedy.** It tries one flip at a time and never looks beyond the first that fails.
  On coronary its graph is number {table.rank(trace.graph):,} of {len(table.scores):,} under BJP; on
  other data it may be far from the best.
- **With few rows they say little.** A test whose slices are empty returns its prior, ½.
- **Edges are not causes.** An edge says that two variables stay dependent given all other recorded
  variables. An unrecorded variable may be the reason.
- **They need complete tables of discrete variables.** The page *Data* says what the app does with
  missing cells.
"""
