"""The first way in: the sample datasets."""

from __future__ import annotations

import streamlit as st

from bjp_engine.dataset import MISSING_LABEL, Missing
from bjp_explorer.data import words
from bjp_explorer.shell import sources
from bjp_explorer.shell.choices import OneOf
from bjp_explorer.shell.sources import Sample
from bjp_explorer.shell.text import count


def follow(token: str) -> None:
    """Set the widgets to a sample's token."""
    name, _, missing = token.partition(":")
    _sample_choice().put(name)
    one = _missing_choice(name)
    one.put(missing or one.default)


def pick() -> str:
    """Choose a sample dataset."""
    samples = sources.samples()
    left, right = st.columns([2, 5], gap="large")
    captions = [_short(sample) for sample in samples.values()]
    name = _sample_choice().radio(left, "Dataset", captions=captions)
    with right:
        return _describe(samples[name])


def _sample_choice() -> OneOf:
    """The dataset."""
    labels = {name: sample.title for name, sample in sources.samples().items()}
    return OneOf("", "data-sample", sources.DEFAULT, labels)


def _missing_choice(name: str) -> OneOf:
    """What to do with a dataset's missing cells."""
    usual = sources.usual_missing(sources.sample_frame(name))
    return OneOf("", f"data-missing-{name}", usual, words.MISSING_WAYS)


def _describe(sample: Sample) -> str:
    """Everything the catalogue says, and what to do with missing cells."""
    missing = count(sample.missing, "cell") if sample.missing else "no cell"
    variables = count(sample.columns, "variable")
    st.markdown(f"**{sample.title}** · {sample.rows:,} rows × {variables}, {missing} missing")
    st.markdown(sample.about)
    st.markdown(f"**What is known.** {sample.known}")
    st.caption(words.SOURCE_LICENCE.format(source=sample.source, licence=sample.licence))
    if not sample.missing:
        return sources.sample_token(sample.name)
    return sources.sample_token(sample.name, _ask_missing(sample))


def _ask_missing(sample: Sample) -> Missing:
    """Ask what to do with missing cells, where there is a choice."""
    what = count(sample.missing, "missing cell")
    complete = sources.complete_rows(sources.sample_frame(sample.name))
    if not complete:
        st.info(
            words.MISSING_ALL.format(cells=what, label=MISSING_LABEL),
            icon=":material/rule:",
        )
        return "state"
    chosen: Missing = _missing_choice(sample.name).radio(
        st,
        f"What to do with the {what}",
        captions=[
            f"{complete:,} of {sample.rows:,} rows remain",
            words.MISSING_STATE.format(rows=sample.rows, label=MISSING_LABEL),
        ],
        horizontal=True,
    )
    return chosen


def _short(sample: Sample) -> str:
    """The size of a dataset in one line of a narrow column."""
    short = words.SAMPLE_SHORT_MISSING if sample.missing else "{rows:,} × {columns}"
    return short.format(rows=sample.rows, columns=sample.columns, missing=sample.missing)
