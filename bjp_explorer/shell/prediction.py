"""A question that is asked before its answer is shown, for what Streamlit draws.

Answers stay in the visit. The browser's components ask their own (``frontend/parts/predict.js``).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import streamlit as st

PREDICT, SHOW = "Predict", "Show"
# Of a component, in the help of its page.
ABOUT = "*Predict* (key p) asks for each result before it is shown."


def is_open(key: str, about: Hashable) -> bool:
    """Whether what is asked has neither been predicted nor shown."""
    return about not in _answers(key)


def ask(question: str, options: Mapping[str, str], key: str, about: Hashable) -> None:
    """Ask; a click on an answer's button answers, and the next run finds the question closed.

    `key` is that of one kind of question, `about` tells this one from the others.
    """
    st.markdown(question)
    line = st.container(horizontal=True, vertical_alignment="center")
    texts = {**options, "": SHOW}
    for answer, text in texts.items():
        line.button(
            text,
            key=f"{key}-predict-{answer}",
            type="secondary" if answer else "tertiary",
            on_click=_answers(key).__setitem__,
            args=(about, answer),
        )


def compare(right: Mapping[str, bool], text: str, key: str, about: Hashable) -> None:
    """What came of an answer, with how many of its kind were right; the bare text without one."""
    answer = _answers(key)[about]
    kept: dict[Hashable, bool] = st.session_state.setdefault(f"{key}-predicted", {})
    if not answer:
        st.markdown(text)
        return
    kept[about] = right[answer]
    verdict = "✓ Right." if right[answer] else "✗ Not so."
    tally = f"{sum(kept.values()):,} of {len(kept):,} right"
    st.markdown(f"**{verdict}** {text} :gray[{tally}]")


def _answers(key: str) -> dict[Hashable, str]:
    """The answers of this visit to one kind of question; empty where it was shown without one."""
    answers: dict[Hashable, str] = st.session_state.setdefault(f"{key}-answers", {})
    return answers
