"""Every symbol of the method with the name it has in the engine, and where the method comes from.

docs/theory.md holds the same notation for readers of the source; a test keeps the two equal.
"""

from __future__ import annotations

from bjp_engine.kernels.centred import KAPPAS
from bjp_engine.search import GraphTable, SearchTrace
from bjp_explorer.shell.text import count, number
from bjp_explorer.views.words import centred_odds

# (symbol as LaTeX, what it is, name in the engine)
NOTATION: tuple[tuple[str, str, str], ...] = (
    (r"\mathcal{D}", "the data", "Dataset"),
    ("N", "number of rows", "Dataset.rows"),
    ("n", "number of variables", "Dataset.n"),
    ("X_i", "a variable, by its column", "Dataset.names"),
    ("r_i", "number of states of variable i", "Dataset.cardinalities"),
    ("G", "an undirected graph on the variables", "ScoreTrace.graph"),
    ("B^i", "the blanket of variable i: its neighbours in the graph", "graph.blanket"),
    (r"\psi", "the variables by ascending degree", "ScoreTrace.order"),
    (r"Z", "the variables a test conditions on", "IndependenceTrace.given"),
    ("K", "number of configurations of Z, seen or not", "IndependenceTrace.configurations"),
    ("k", "one configuration of Z, a slice", "IndependenceTrace.slices"),
    ("c", "counts of a slice by the states of X and Y", "Slice.counts"),
    (r"\gamma", "prior weight of every cell of a table of counts", "IndependenceOptions.gamma"),
    (r"\ln g_k", "evidence of independence in slice k", "Slice.log_g"),
    (r"\ln h_k", "evidence of dependence in slice k", "Slice.log_h"),
    (r"\ln p_k", "prior of independence in slice k", "IndependenceTrace.log_prior"),
    (r"\ln \Pr(\perp)", "posterior of independence", "IndependenceTrace.log_independent"),
    (r"\ln \Pr(\not\perp)", "posterior of dependence", "IndependenceTrace.log_dependent"),
    ("e", "expected counts in a slice under independence", "Slice.expected"),
    (r"\chi^2", "Pearson's statistic, summed over the slices", "ClassicalTrace.pearson"),
    ("G^2", "likelihood-ratio statistic, summed over the slices", "ClassicalTrace.g_squared"),
    (r"\mathrm{df}", "degrees of freedom of both", "ClassicalTrace.freedom"),
    (
        r"\mathrm{I}",
        "mutual information of X and Y given Z, in nats",
        "ClassicalTrace.information",
    ),
    (
        r"c_{ij}",
        "the graph's assertion about a pair, given the blanket of the first",
        "AssertionTerm",
    ),
    (r"\ln \mathrm{BJP}", "the score of a graph, likewise IB and MPL", "ScoreTrace.total"),
    (
        r"\sigma_{ij}",
        "local contribution of a pair to BJP, IB-score or near blankets",
        "Contribution.value",
    ),
    (r"\lambda_{ij}", "prior ln odds of an edge", "StructurePrior.log_odds"),
    (r"N_{\mathrm{ess}}", "weight of MPL's prior, in rows", "MPLOptions.ess"),
    (
        r"\mathrm{irr}_t(G)",
        "total irregularity",
        "metrics.total_irregularity",
    ),
    (
        r"\mathrm{irr}(G)",
        "edge irregularity",
        "metrics.edge_irregularity",
    ),
)

REFERENCES = """
- F. Schlüter, Y. Strappa, D. H. Milone and F. Bromberg: *Blankets Joint Posterior score for
  learning Markov network structures*. [arXiv:1608.02315](https://arxiv.org/abs/1608.02315). The
  score, the order and the example of section 4.
- F. Schlüter, F. Bromberg and A. Edera: *The IBMAP approach for Markov network structure learning*.
  Annals of Mathematics and Artificial Intelligence 72, 2014. IB-score and the climb.
- D. Margaritis: *Distribution-free learning of Bayesian network structure in continuous domains*.
  AAAI, 2005; D. Margaritis and F. Bromberg: *Efficient Markov network discovery using particle
  filters*. Computational Intelligence 25, 2009. The Bayesian test.
- J. Pensar, H. Nyman, J. Niiranen and J. Corander: *Marginal pseudo-likelihood learning of discrete
  Markov network structures*. Bayesian Analysis 12, 2017. MPL and its search.
- M. O. Albertson: *The irregularity of a graph*. Ars Combinatoria 46, 1997; H. Abdo, S. Brandt and
  D. Dimitrov: *The total irregularity of a graph*. Discrete Mathematics & Theoretical Computer
  Science 16, 2014.
- Z. Reinis and others: *Prognostic significance of the risk profile in the prevention of coronary
  heart disease*. Bratislavské lekárske listy 76, 1981; J. Whittaker: *Graphical Models in Applied
  Multivariate Statistics*. Wiley, 1990. The data of sections 1 to 3.
"""


ABOUT = (
    "The scores in formulas, what they do not do, the notation, and where the method comes from."
)
SECTIONS = {
    "scores": "The scores",
    "own": "What your own data get",
    "limits": "What the scores do not do",
    "notation": "Notation",
    "references": "References",
}
LESSONS = "Learn the method step by step in the lessons"
COMPARE, EVERY = "Compare the three scores", "See every graph"
TWO_TESTS, HOW_RIGHT = "Step through either test", "See how right the probabilities are"

SCORES = r"""
A graph $G$ makes $n(n-1)$ assertions $c_{ij}$, one about each $X_i$ and each $X_j$ given the
blanket of $X_i$. **IB-score** multiplies the posteriors of all of them. **BJP**, the Blankets Joint
Posterior, multiplies those in which $X_i$ comes before $X_j$ in the order $\psi$, by ascending
degree; given the blankets before, the others hold with probability 1:

$$
\begin{aligned}
\mathrm{IB}(G) &= \prod_{i} \prod_{j \neq i} \Pr(c_{ij} \mid \mathcal{D}) \\
\mathrm{BJP}(G) &= \prod_{i} \Pr(B^{\psi_i} \mid B^{\psi_0}, \dots, B^{\psi_{i-1}}, \mathcal{D})
\end{aligned}
$$
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


def centred() -> str:
    """The test with centred prior cells, which auto learns with."""
    light, heavy = (f"{kappa:g}" for kappa in KAPPAS)
    return rf"""
The lessons use the paper's test. Under dependence, its prior gives each *cell* of a table the
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
