"""Tables that a benchmark writes into a document, between two marks."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
END = "<!-- end -->"


def write(document: str, name: str, text: str) -> None:
    """Put a benchmark's table where the document has a place for it.

    Parameters
    ----------
    document : str
        The name of a file in docs.
    name : str
        The benchmark's, as the command takes it.
    text : str

    Raises
    ------
    RuntimeError
        If there is no such place.
    """
    path, begin = DOCS / document, f"<!-- {name}: written by python -m benchmarks {name} -->"
    before, mark, rest = path.read_text().partition(begin)
    if not mark:
        raise RuntimeError(f"{path} has no line {begin}")
    path.write_text(f"{before}{begin}\n\n{text}\n\n{END}{rest.partition(END)[2]}")
