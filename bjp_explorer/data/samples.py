"""The first way in: the sample datasets."""

from __future__ import annotations

import streamlit as st

from bjp_engine.dataset import MISSING_LABEL, Missing
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
        return _described(samples[name])


def _sample_choice() -> OneOf:
    """The dataset."""
    labels = {name: sample.title for name, sample in sources.samples().items()}
    return OneOf("", "data-sample", sources.DEFAULT, labels)


def _missing_choice(name: str) -> OneOf:
    """What to do with a dataset's missing cells."""
    labels = {"drop": "Drop incomplete rows", "state": "Keep as a state of their own"}
    usual = sources.usual_missing(sources.sample_frame(name))
    return OneOf("", f"data-missing-{name}", usual, labels)


def _described(sample: Sample) -> str:
    """Everything the catalogue says, and what to do with missing cells."""
    st.markdown(f"**{sample.title}** · {_size(sample)}")
    st.markdown(sample.about)
    st.markdown(f"**What is known.** {sample.known}")
    st.caption(f"Source: {sample.source}. Licence: {sample.licence}.")
    if not sample.missing:
        return sources.sample_token(sample.name)
    return sources.sample_token(sample.name, _ask_missing(sample))


def _ask_missing(sample: Sample) -> Missing:
    """Ask what to do with missing cells, where there is a choice."""
    what = count(sample.missing, "missing cell")
    complete = sources.complete_rows(sources.sample_frame(sample.name))
    if not complete:
        st.info(
            f"{what}, and no row is complete. Dropping rows would leave nothing, so missing "
            f"cells become a state of their own, “{MISSING_LABEL}”.",
            icon=":material/rule:",
        )
        return "state"
    chosen: Missing = _missing_choice(sample.name).radio(
        st,
        f"What to do with the {what}",
        captions=[
            f"{complete:,} of {sample.rows:,} rows remain",
            f"all {sample.rows:,} rows remain, with “{MISSING_LABEL}” as one more state",
        ],
        horizontal=True,
    )
    return chosen


def _size(sample: Sample) -> str:
    """The size of a dataset in a few words."""
    missing = f"{sample.missing:,} cells" if sample.missing else "no cell"
    return f"{sample.rows:,} rows × {count(sample.columns, 'variable')}, {missing} missing"


def _short(sample: Sample) -> str:
    """The same in one line of a narrow column."""
    missing = f" · {sample.missing:,} missing" if sample.missing else ""
    return f"{sample.rows:,} × {sample.columns}{missing}"
