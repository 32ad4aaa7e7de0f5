"""Text as HTML: every value that a report writes goes through here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from bjp_engine.dataset import Name
from bjp_explorer.shell.text import plain


def text(value: object, width: int = 400) -> str:
    """Any text as HTML that shows it on one line, cut where it is too long to read."""
    return escape(plain(value, width))


def name(of: Name, width: int = 60) -> str:
    """A variable's name; written from right to left it turns nothing else round."""
    return f"<bdi>{escape(plain(of, width))}</bdi>"


def names(of: Iterable[Name], width: int = 40) -> str:
    """Names with commas, or ∅."""
    return ", ".join(name(one, width) for one in of) or "∅"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table."""

    def line(cells: Sequence[str], tag: str) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        kinds = [' class="number"' if i in numbers else "" for i in range(len(cells))]
        parts = (
            f"<{tag}{scope}{kind}>{cell}</{tag}>" for kind, cell in zip(kinds, cells, strict=True)
        )
        return f"<tr>{''.join(parts)}</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    return (
        f'<div class="wide" tabindex="0"><table>\n<thead>{line(head, "th")}</thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def listing(pairs: Iterable[tuple[str, str]]) -> str:
    """Terms with what they are."""
    return f"<dl>{''.join(f'<dt>{term}</dt><dd>{told}</dd>' for term, told in pairs)}</dl>"


def points(sentences: Iterable[str]) -> str:
    """Sentences as a list in their order."""
    return f"<ol>{''.join(f'<li>{text(one, 2000)}</li>' for one in sentences)}</ol>"
