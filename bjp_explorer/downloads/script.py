"""The steps to a result as a Python script and as a notebook."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import bjp_engine
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script_steps import Piece, pieces
from bjp_explorer.shell.text import count, markdown, number, plain


def script(result: Result) -> bytes:
    """A Python script. ASCII. It learns again, compares digest and score, and writes edges.csv."""
    usage = "python repeat.py"
    if result.loaded.kind == "file":
        usage += " YOUR-FILE"
    head = [
        "# How to reproduce this network:",
        "#",
        f"#     pip install bjp-explorer=={bjp_engine.__version__}",
        f"#     {usage}",
        "#",
        f"# Data: {plain(result.loaded.title, 80)!a}, {_describe_data(result)}.",
        *(f"# Warning: {plain(one, 400)!a}" for one in result.warnings),
    ]
    parts = ["\n".join(head), *map(_commented, pieces(result, arguments=True))]
    return ("\n\n".join(parts) + "\n").encode("ascii")


def notebook(result: Result) -> bytes:
    """A Jupyter notebook. JSON of notebook format 4.5, without outputs."""
    version = bjp_engine.__version__
    cells = [
        _markdown(
            "head",
            f"# {markdown(result.loaded.title)}\n\n{_describe_data(result)}.\n\n"
            "Run every cell. The notebook stops where rows or score differ from the report's; "
            "it needs the package bjp-explorer "
            f"(`pip install bjp-explorer=={version}`)."
            + "".join(f"\n\n**Warning:** {markdown(one)}" for one in result.warnings),
        )
    ]
    for position, piece in enumerate(pieces(result)):
        cells.append(_markdown(f"about-{position}", piece.about))
        cells.append(
            {
                "cell_type": "code",
                "execution_count": None,
                "id": f"code-{position}",
                "metadata": {},
                "outputs": [],
                "source": piece.code.splitlines(keepends=True),
            }
        )
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(content, indent=1) + "\n").encode("ascii")


def _describe_data(result: Result) -> str:
    """Rows, variables, edges and score in a line of plain text."""
    data = result.data
    return (
        f"{count(data.rows, 'row')}, {count(data.n, 'variable')}: "
        f"{count(result.graph.number_of_edges(), 'edge')}, "
        f"{result.score_name} {number(result.total, 4).replace('−', '-')}"
    )


def _commented(piece: Piece) -> str:
    """A piece with its sentence above."""
    about = textwrap.wrap(piece.about, 96, initial_indent="# ", subsequent_indent="# ")
    return "\n".join([*about, piece.code])


def _markdown(name: str, text: str) -> dict[str, Any]:
    """A cell of text."""
    return {
        "cell_type": "markdown",
        "id": name,
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }
