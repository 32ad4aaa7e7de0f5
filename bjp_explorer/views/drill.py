"""Behind one number: the tables of counts and what follows from them, as plain HTML tables.

Every text goes through `html.escape`; every number is a field of an engine trace.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.classical import ClassicalTrace
from bjp_engine.dataset import Name
from bjp_engine.independence import IndependenceTrace
from bjp_engine.kernels.centred import KAPPAS
from bjp_engine.scores import LocalTrace
from bjp_explorer.shell.templates import render
from bjp_explorer.shell.text import count, in_state, number, p_value, plain, probability

# Wider tables are cut; the rest is counted, never silently dropped.
MOST_STATES = 8
# A product is written with so many factors; the rest is one more.
MOST_FACTORS = 4


def slices_html(
    trace: IndependenceTrace, classical: ClassicalTrace, data: Dataset, which: Sequence[int]
) -> str:
    """Some slices of a test as tables with margins, each with its numbers, as inert HTML."""
    y_labels = data.labels[data.index(trace.y)]
    return render(
        "views/slices.html.jinja",
        trace=trace,
        slices=[
            (part, classical.slices[k], configuration(trace.given, part.configuration, data))
            for k, part in ((k, trace.slices[k]) for k in which)
        ],
        x_labels=data.labels[data.index(trace.x)][:MOST_STATES],
        y_labels=y_labels[:MOST_STATES],
        trace_columns=len(y_labels),
        kappas=KAPPAS,
    )


def telling(trace: IndependenceTrace) -> list[int]:
    """The slices by how far each moves its factor of the product from its prior.

    Places in the trace, the most telling first; equal ones in order.
    """
    moved = np.abs(trace.slices.log_independent - trace.log_prior)
    return [int(k) for k in np.argsort(-moved, kind="stable")]


def local_html(trace: LocalTrace, data: Dataset, first: int, last: int) -> str:
    """Some configurations of a blanket: its counts of states and their evidence, as inert HTML."""
    labels = data.labels[data.index(trace.x)]
    return render(
        "views/blanket.html.jinja",
        trace=trace,
        given=", ".join(plain(name) for name in trace.given) or "no blanket",
        labels=labels[:MOST_STATES],
        all_labels=len(labels),
        slices=[
            (part, configuration(trace.given, part.configuration, data))
            for part in trace.slices[first:last]
        ],
    )


def product_html(
    trace: IndependenceTrace, dependent: bool, order: Sequence[int] | None = None
) -> str:
    """The test's posterior as the product over its slices, with the numbers in it.

    HTML without anything active, in lines that break where they must.
    """
    x, y, *given = (escape(plain(name)) for name in (trace.x, trace.y, *trace.given))
    condition = ", ".join([*given, "D"])
    factors = _factors(trace, range(len(trace.slices)) if order is None else order)
    if len(factors) > 1:  # of a single factor, the product is the factor
        factors = [" × ".join(factors), _factor(trace.log_independent)]
    lines = [f"Pr({x} ⊥ {y} | {condition}) = {' = '.join(factors)}"]
    if dependent:
        line = f"Pr({x} ⊥̸ {y} | {condition}) = 1 − {_factor(trace.log_independent)}"
        if not probability(trace.log_dependent).startswith("1"):
            line += f" = {_factor(trace.log_dependent)}"
        lines.append(line)
    return "".join(f'<p class="bjp-product">{line}</p>' for line in lines)


def _factors(trace: IndependenceTrace, order: Sequence[int]) -> list[str]:
    """The first slices one by one, the other slices as one factor, those without rows as one."""
    each = trace.slices.log_independent
    factors = [_factor(float(each[k])) for k in order[:MOST_FACTORS]]
    if rest := order[MOST_FACTORS:]:
        more = min(0.0, math.fsum(each[list(rest)].tolist()))
        factors.append(f"{_factor(more)} <small>({len(rest):,} more)</small>")
    if trace.unseen:
        factors.append(f"{_factor(trace.log_unseen)} <small>(no rows)</small>")
    return factors


def _factor(log_value: float) -> str:
    """A probability in a product: in one piece, and in brackets where × would tear it apart."""
    text = probability(log_value)
    return f"<span>{f'({text})' if ' ' in text else text}</span>"


def configuration(given: Sequence[Name], codes: Sequence[int], data: Dataset) -> str:
    """A configuration in words: "mental work = no, family history = pos"; "all rows" of none."""
    return (
        ", ".join(
            in_state(name, data.labels[data.index(name)][code])
            for name, code in zip(given, codes, strict=True)
        )
        or "all rows"
    )


def odds_words(log_independent: float) -> str:
    """How far a posterior is from one half, in words."""
    value = math.exp(log_independent)
    away = abs(value - 0.5)
    if away < 0.1:
        return "undecided: the data say little"
    if away < 0.4:
        return "leaning to independence" if value > 0.5 else "leaning to dependence"
    return "clear independence" if value > 0.5 else "clear dependence"


# --- Classical tests ------------------------------------------------------------------------------

# The usual level, and the expected count below which its p-values are known to be rough.
LEVEL, ENOUGH = 0.05, 5
CONVENTION = (
    "χ² is Pearson’s, G² the likelihood ratio; both are summed over the slices, without correction "
    "for continuity. df adds (rows − 1)(columns − 1) of each slice’s table, where states that the "
    "slice lacks are not counted. MI, the mutual information, is G² / 2N in nats."
)


def show_classical(test: IndependenceTrace, classical: ClassicalTrace) -> None:
    """The table and the sentences below it."""
    # Both kinds of answer, a line each, as inert HTML.
    freedom = f"{classical.freedom:,}"
    lines = [
        (sign, number(value, 2), freedom, p_value(p), _sign(p < LEVEL) if freedom != "0" else "–")
        for sign, value, p in (
            ("χ²", classical.pearson, classical.p_pearson),
            ("G²", classical.g_squared, classical.p_g_squared),
        )
    ]
    lines.append(("MI", f"{classical.information:.4g}", "", "", ""))
    verdict = "½" if is_undecided(test) else _sign(leans_to_dependence(test))
    lines.append(("Pr(⊥ | D)", probability(test.log_independent), "", "", verdict))
    body = "".join(
        f"<tr><th>{name}</th>{''.join(f'<td>{text}</td>' for text in texts)}</tr>"
        for name, *texts in lines
    )
    head = "".join(f"<th>{name}</th>" for name in ("", "value", "df", "p-value", "result"))
    st.html(
        f'<div class="bjp-answers"><table><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )
    st.markdown(relation(test, classical))
    st.caption(f"{CONVENTION} {roughness(classical)}".strip())


def is_undecided(test: IndependenceTrace) -> bool:
    """Whether the posterior is too near ½ to be called an answer."""
    return abs(math.exp(test.log_independent) - 0.5) < 0.1


def leans_to_dependence(test: IndependenceTrace) -> bool:
    """Whether dependence is the more probable of the two."""
    return test.log_independent < test.log_dependent


def relation(test: IndependenceTrace, classical: ClassicalTrace) -> str:
    """One or two sentences that relate the two answers. Markdown without any name of the data's."""
    if not classical.freedom:
        return (
            "**The classical tests have nothing to test:** no slice holds two states of either "
            "variable, so df = 0. The posterior equals its prior."
        )
    rejected = classical.p_g_squared < LEVEL
    if is_undecided(test):
        mean = classical.rows / len(classical.slices)
        says = "rejects independence" if rejected else "does not reject independence"
        return (
            f"**The posterior is undecided, G² {says} at {LEVEL}.** Prior ½, and "
            f"{number(mean, 1)} rows per slice: "
            + (
                "the evidence for dependence about equals that for independence."
                if rejected
                else "a test that does not reject is no evidence for independence, and the "
                "posterior shows that."
            )
        )
    if rejected == leans_to_dependence(test):
        return (
            f"**The answers agree at {LEVEL}: {_answer(rejected)}.** The p-value is the "
            "probability, under independence, of counts at least this far from it; the posterior "
            "weighs independence against dependence, from a prior of ½."
        )
    return f"**The answers disagree at {LEVEL}.** {_why(classical, rejected)}"


def _why(classical: ClassicalTrace, rejected: bool) -> str:
    if not rejected and len(classical.slices) == 1:
        return (
            "The posterior weighs how well dependence and independence predict these counts. G² "
            f"asks only how far they are from independence, for df = {classical.freedom:,}."
        )
    if not rejected:
        return (
            f"Independence must hold in each of {count(len(classical.slices), 'slice')}, and the "
            "posterior multiplies the doubts of single slices. G² adds them up and compares the "
            f"sum with what is large for df = {classical.freedom:,}."
        )
    slices = classical.slices
    needed = 0.5 * float(np.sum(slices.freedom * np.log(np.maximum(slices.rows, 1))))
    return (
        "Such counts are rare under independence, but dependence explains them no better. The "
        f"evidence for independence grows like ½·df·ln N, here about {number(needed, 1)}, and "
        f"½·G² = {number(classical.g_squared / 2, 1)} has to exceed it. The threshold of the "
        "p-value does not grow with the number of rows."
    )


def roughness(classical: ClassicalTrace) -> str:
    """Where the p-values are only rough. Empty where all expected counts are large enough."""
    sparse = int(np.sum(classical.slices.least_expected < ENOUGH))
    if not sparse:
        return ""
    where = (
        "An"
        if len(classical.slices) == 1
        else f"In {sparse:,} of {len(classical.slices):,} slices an"
    )
    return f"{where} expected count is below {ENOUGH}, so the p-values are rough."


def _answer(dependent: bool) -> str:
    return "dependent" if dependent else "independent"


def _sign(dependent: bool) -> str:
    return "⊥̸" if dependent else "⊥"
