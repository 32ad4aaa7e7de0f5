"""Tables that a benchmark writes into a document, between two marks."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
END = "<!-- end -->"


def read(document: str, name: str) -> str:
    """What stands between two marks, whichever command wrote it.

    Parameters
    ----------
    document : str
        The name of a file in docs.
    name : str
        The block's.

    Returns
    -------
    str

    Raises
    ------
    RuntimeError
        If there is no such block.
    """
    text = (DOCS / document).read_text(encoding="utf-8")
    found = re.search(
        rf"<!-- {name}(?:: [^>]*)? -->\n(.*?)<!-- (?:end|/{name}) -->", text, re.DOTALL
    )
    if not found:
        raise RuntimeError(f"docs/{document} has no block {name}")
    return found[1]


def write(document: str, name: str, text: str, command: str | None = None) -> None:
    """Put a benchmark's table where the document has a place for it.

    Parameters
    ----------
    document : str
        The name of a file in docs.
    name : str
        The block's.
    text : str
    command : str, optional
        What the benchmark is called where it writes several blocks; by default as the block.

    Raises
    ------
    RuntimeError
        If there is no such place.
    """
    path = DOCS / document
    begin = f"<!-- {name}: written by python -m benchmarks {command or name} -->"
    before, mark, rest = path.read_text().partition(begin)
    if not mark:
        raise RuntimeError(f"{path} has no line {begin}")
    path.write_text(f"{before}{begin}\n\n{text}\n\n{END}{rest.partition(END)[2]}")
