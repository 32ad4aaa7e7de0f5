"""The classical tests beside the Bayesian one: a small table, and how the two answers relate."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from bjp_engine.classical import ClassicalTrace
from bjp_engine.independence import IndependenceTrace
from bjp_explorer.shell.text import count, number, p_value, probability
from bjp_explorer.views import drill

# The usual level, and the expected count below which its p-values are known to be rough.
LEVEL, ENOUGH = 0.05, 5
CONVENTION = (
    "χ² is Pearson’s, G² the likelihood ratio; both are summed over the slices, without correction "
    "for continuity. df adds (rows − 1)(columns − 1) of each slice’s table, where states that the "
    "slice lacks are not counted. MI, the mutual information, is G² / 2N in nats."
)


def show(test: IndependenceTrace, classical: ClassicalTrace) -> None:
    """The table and the sentences below it."""
    st.html(table_html(test, classical))
    st.markdown(relation(test, classical))
    st.caption(f"{CONVENTION} {roughness(classical)}".strip())


def table_html(test: IndependenceTrace, classical: ClassicalTrace) -> str:
    """Both kinds of answer, a line each, as inert HTML."""
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
    return (
        f'{drill.STYLE}<div class="bjp-answers"><table><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


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
    """Why the tests differ where they do."""
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
    """An answer in a word."""
    return "dependent" if dependent else "independent"


def _sign(dependent: bool) -> str:
    """The same as a sign, which fits a narrow table."""
    return "⊥̸" if dependent else "⊥"
