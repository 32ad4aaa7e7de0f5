"""Every symbol of the method with the name it has in the engine, and where the method comes from.

docs/theory.md holds the same notation for readers of the source; a test keeps the two equal.
"""

from __future__ import annotations

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
