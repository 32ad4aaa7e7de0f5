"""Traces as the sentences, formulas and tables of the page about the method.

Every number is a field of a trace.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.independence import Slice, TestTrace
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.method.data import Sizes
from bjp_explorer.method.notation import NOTATION
from bjp_explorer.shell.text import latex, markdown, number, plain, probability, probability_formula
from bjp_explorer.views.payloads import edge_indices

PROSE = 760  # pixels, about 90 characters a line
INDEPENDENT, DEPENDENT = r"$\perp$", r"$\not\perp$"


def show_prose(text: str) -> None:
    """Paragraphs in lines short enough to read."""
    st.markdown(text, width=PROSE)


# --- Blankets ------------------------------------------------------------------------------------


def blanket_edges(graph: nx.Graph[Any], data: Dataset, x: Name) -> list[list[Any]]:
    """A graph's edges, those of one variable in the blanket's colour."""
    chosen = data.index(x)
    return [[i, j, "given" if chosen in (i, j) else "plain"] for i, j in edge_indices(graph, data)]


def blanket_sentences(graph: nx.Graph[Any], x: Name) -> str:
    """What the graph asserts about one variable, as Markdown."""
    inside = [y for y in graph if graph.has_edge(x, y)]
    outside = [y for y in graph if y != x and y not in inside]
    title = f"**{readable(x)}**"
    if not inside:
        return (
            f"{title} has no neighbour: its blanket is empty, $B = \\varnothing$. The graph "
            f"asserts that it is independent of {_listed(outside)}, given the empty set."
        )
    text = f"The blanket of {title} is {{{_listed(inside, ', ')}}}. "
    if outside:
        text += (
            f"**What is missing:** given {_listed(inside)}, it is independent of "
            f"{_listed(outside)}; knowing those as well "
            "would add nothing. "
        )
    rest = " even given the rest of the blanket" if len(inside) > 1 else ""
    return text + f"**What is there:** it depends on {_listed(inside)}{rest}."


# --- One test ------------------------------------------------------------------------------------


def slice_table(trace: TestTrace, part: Slice) -> pd.DataFrame:
    """Prior, evidence and posterior of the two hypotheses within one slice.

    Two rows of Markdown text.
    """
    return pd.DataFrame(
        {
            "prior": [probability(trace.log_prior), _otherwise(trace.log_prior)],
            "× evidence": [f"${_power(part.log_g)}$", f"${_power(part.log_h)}$"],
            "→ posterior": [probability(part.log_independent), _otherwise(part.log_independent)],
        },
        index=[f"independent {INDEPENDENT}", f"dependent {DEPENDENT}"],
    )


def posterior_formula(trace: TestTrace, part: Slice) -> str:
    """The posterior of independence within one slice, with its numbers, as LaTeX."""
    p, q = (
        probability(trace.log_prior).rstrip("0"),
        _otherwise(trace.log_prior).rstrip("0"),
    )
    g, h = _power(part.log_g), _power(part.log_h)
    posterior = probability_formula(part.log_independent)
    return (
        r"\begin{gathered} \Pr(\perp) = \frac{p\,g}{p\,g + (1-p)\,h} \\[0.6em]"
        rf" = \frac{{{p}\,{g}}}{{{p}\,{g} + {q}\,{h}}} = {posterior}"
        r" \end{gathered}"
    )


# --- Assertions ----------------------------------------------------------------------------------


def row_table(terms: Sequence[AssertionTerm]) -> pd.DataFrame:
    """The assertions of one variable with their posteriors, as Markdown."""
    return pd.DataFrame(
        {
            "the graph asserts": [
                f"{readable(t.x)} {DEPENDENT if t.dependent else INDEPENDENT} {readable(t.y)}"
                for t in terms
            ],
            "given": [_listed(t.given, ", ") for t in terms],
            "Pr given the data": [probability(t.value) for t in terms],
        }
    )


def twelve_table(trace: ScoreTrace) -> pd.DataFrame:
    """Every assertion of a small graph in the order ψ, computed or inferred, as Markdown."""
    terms = [term for term in trace.terms if isinstance(term, AssertionTerm)]
    return pd.DataFrame(
        {
            "assertion": [f"${assertion(term)}$" for term in terms],
            "how": [_origin(term, terms) for term in terms],
            "Pr": [probability(term.value) if term.computed else "1" for term in terms],
            "ln Pr": [_logarithm(term.value) if term.computed else "0" for term in terms],
        },
        index=[str(k) for k in range(1, len(terms) + 1)],
    )


def assertion(term: AssertionTerm) -> str:
    """An assertion in angle brackets, as LaTeX."""
    given = ", ".join(_indexed(z) for z in term.given)
    sign = r"\not\perp" if term.dependent else r"\perp"
    condition = rf"\{{{given}\}}" if given else r"\varnothing"
    return rf"\langle {_indexed(term.x)} {sign} {_indexed(term.y)} \mid {condition} \rangle"


# --- Networks and symbols ------------------------------------------------------------------------


def sizes_table(sizes: Sequence[Sizes]) -> pd.DataFrame:
    """The benchmark networks with their irregularity and their conditioning sets."""
    return pd.DataFrame(
        {
            "network": [s.info.name for s in sizes],
            "nodes": [s.info.nodes for s in sizes],
            "edges": [s.info.edges for s in sizes],
            "total irregularity": [s.info.total_irregularity for s in sizes],
            "edge irregularity": [s.info.edge_irregularity for s in sizes],
            "|Z| computed": [s.computed for s in sizes],
            "|Z| inferred": [s.inferred for s in sizes],
            "difference": [s.inferred - s.computed for s in sizes],
        }
    )


def notation_table() -> pd.DataFrame:
    """The symbols with their names in the engine, as Markdown."""
    return pd.DataFrame(
        {
            "symbol": [f"${symbol}$" for symbol, _, _ in NOTATION],
            "what it is": [meaning for _, meaning, _ in NOTATION],
            "in the engine": [f"`{name}`" for _, _, name in NOTATION],
        }
    )


def _origin(term: AssertionTerm, terms: Sequence[AssertionTerm]) -> str:
    """Computed, in the colour of its sign, or inferred, with the number that settled it."""
    if term.computed:
        return f":{'orange' if term.dependent else 'blue'}[computed]"
    other = next(k for k, t in enumerate(terms, 1) if (t.x, t.y) == (term.y, term.x))
    return f":gray[inferred from {other}]"


def _logarithm(value: float) -> str:
    """A log posterior with four decimals; nearer to 0, with the digits it has."""
    return number(value, 4) if value <= -5e-5 else f"−{probability(math.log(-value))}"


def _otherwise(log_value: float) -> str:
    """The probability of the opposite."""
    return probability(math.log(-math.expm1(log_value)))


def readable(variable: Name) -> str:
    """A variable's name as Markdown."""
    return markdown(plain(variable))


def pair(x: Name, y: Name, z: Name | None) -> str:
    """What a test is about, in a sentence, as Markdown."""
    return f"{readable(x)} and {readable(y)}" + (f" given {readable(z)}" if z is not None else "")


def sizes_columns() -> dict[str, Any]:
    """How the columns of `sizes_table` are written."""
    return {
        heading: st.column_config.NumberColumn(format="%.2f")
        for heading in ("|Z| computed", "|Z| inferred", "difference")
    }


def _listed(names: Sequence[Name], separator: str = "") -> str:
    """Names in a sentence, or with a separator throughout."""
    texts = [readable(name) for name in names]
    if separator:
        return separator.join(texts) or r"$\varnothing$"
    return " and ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part)


def _indexed(name: Name) -> str:
    """X0 as X with a subscript; any other name as text."""
    text = str(name)
    return f"{text[0]}_{{{text[1:]}}}" if text[1:].isdecimal() else latex(name)


def _power(log_value: float) -> str:
    """A number too small to write, as a power of e in LaTeX."""
    exponent = number(log_value, 2).replace("−", "-").replace(",", "{,}")
    return f"e^{{{exponent}}}"
