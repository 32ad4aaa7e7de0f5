"""One "Download" for every page: each file of a result, made when it is asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from threading import Thread

import pandas as pd
import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

from bjp_explorer.downloads.formats import Format, formats_of, shared_page, table_csv
from bjp_explorer.downloads.result import Result


def downloads(
    result: Result,
    *,
    name: str,
    key: str,
    label: str = "Download",
    page: Callable[[], str] | None = None,
) -> None:
    """A button that unfolds to every file of a result, and first to the page of its own."""
    kinds = [shared_page(page)] if page is not None else []
    offer([*kinds, *formats_of(result)], file_stem(result.loaded.title, name), key, label)


def share_button(page: Callable[[], str], *, stem: str, key: str, problem: str = "") -> None:
    """A button for a page of its own alone."""
    kind = shared_page(page, problem)
    _button(kind, stem, f"{key}-{kind.extension}")


def offer(kinds: Sequence[Format], stem: str, key: str, label: str = "Download") -> None:
    """The button that unfolds to some files, those of a group in a row."""
    with st.popover(label, icon=":material/download:", width="content", key=f"{key}-download"):
        for group, some in groupby(kinds, key=lambda kind: kind.group):
            if group:
                st.caption(group)
            with st.container(horizontal=bool(group)):
                for kind in some:
                    _button(kind, stem, f"{key}-{kind.extension}")


def offer_tables(tables: Sequence[tuple[str, str, pd.DataFrame]], stem: str, key: str) -> None:
    """The same for tables as CSV, each by its extension and label."""
    kinds = [
        Format(end, label, "text/csv", "table", partial(table_csv, table))
        for end, label, table in tables
    ]
    offer(kinds, stem, key)


def file_stem(*parts: str) -> str:
    """A file name without its extension: ASCII letters, digits and hyphens.

    "network" where nothing is left.
    """
    text = unicodedata.normalize("NFKD", " ".join(parts)).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return stem[:80].rstrip("-") or "network"


def held(make: Callable[[], bytes | str], name: str, mime: str) -> Callable[[], bytes | str]:
    """What makes the same file, there until the browser has fetched it, even in a busy class.

    Streamlit drops a file made on a click once two scripts have ended, whosesoever; one that
    belongs to the visit stays.
    """
    context = get_script_run_ctx(suppress_warning=True)

    def made() -> bytes | str:
        data = make()
        if context is not None and runtime.exists():
            raw = data.encode() if isinstance(data, str) else data
            keep = Thread(
                target=runtime.get_instance().media_file_mgr.add,
                args=(raw, mime, f"download {name}", name),
                kwargs={"is_for_static_download": True},
            )
            add_script_run_ctx(keep, context)
            keep.start()
            keep.join()
        return data

    return made


def _button(kind: Format, stem: str, key: str) -> None:
    """One file's button; greyed out, with the reason, where there can be no such file."""
    name = f"{stem}.{kind.extension}"
    st.download_button(
        kind.label,
        held(kind.make, name, kind.mime),
        file_name=name,
        mime=kind.mime,
        key=key,
        help=kind.problem or kind.about or None,
        disabled=bool(kind.problem),
        on_click="ignore",
        icon=f":material/{kind.icon}:",
        width="content" if kind.group else "stretch",
    )
