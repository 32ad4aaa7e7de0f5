"""A result as one HTML file to keep and to print: no script, nothing fetched, every name escaped.

The sections are written by `report_parts`, `report_edges` and `report_script`; here they become a
page that forbids whatever it doesn't hold itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import bjp_engine
from bjp_explorer.downloads import report_edges, report_parts, report_script
from bjp_explorer.downloads.drawing import drawing_of
from bjp_explorer.downloads.drawing_svg import svg_element
from bjp_explorer.downloads.paper import paper_of
from bjp_explorer.downloads.report_markup import text
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell import origins
from bjp_explorer.shell.text import count, number

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
STYLE = """
:root { color-scheme: light dark; --line: #8886; --quiet: #5c6873; --paper: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --quiet: #a3aeb8; --paper: #12171c; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 0.5rem; padding-top: 0.6rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.2rem 0 0.3rem; }
p, li { overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.6rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.8rem 0.25rem 0; border-bottom: 1px solid var(--line);
  text-align: left; vertical-align: top; overflow-wrap: break-word; }
th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
figure { margin: 1rem 0; }
figure svg { display: block; width: 100%; height: auto; border: 1px solid var(--line);
  border-radius: 4px; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0.8rem;
  border: 1px solid var(--line);
  border-radius: 4px; font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
code { font: 0.9em ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.6rem 0; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 32rem) { dl { display: block; } dd { margin-bottom: 0.4rem; } }
@media print {
  :root { color-scheme: light; --quiet: #444; --line: #999; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h2, h3 { break-after: avoid; }
  tr, figure, li { break-inside: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; }
}
@page { margin: 18mm 16mm; }
"""


def report_html(result: Result, made: date | None = None) -> bytes:
    """The report, in UTF-8."""
    tests = result.tests()
    drawing = drawing_of(
        result.data,
        result.graph,
        result.points,
        result.loaded.title,
        result.about,
        result.confidence,
        result.of_edges(),
    )
    title = text(result.loaded.title, 120)
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>",
        f"<h1><bdi>{title}</bdi></h1>",
        f"<p>{_summary(result)}</p>",
        *(f"<p><strong>Warning:</strong> {text(one, 2000)}</p>" for one in result.warnings),
        f"<figure>{svg_element(drawing)}</figure>",
        *report_parts.data_section(result),
        *report_parts.search_section(result),
        *report_edges.edge_section(result, tests),
        *report_edges.blanket_section(result),
        *report_parts.score_section(result),
        *report_script.repeat_section(result),
        *_paper_section(result),
        f'<p class="quiet">{_made(made)}</p>',
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts).encode()


def _paper_section(result: Result) -> Iterator[str]:
    """What a paper may say of it, as HTML."""
    paper = paper_of(result)
    if paper:
        yield "<h2>For a paper</h2>"
        yield from (f"<p>{text(part, 20_000)}</p>" for part in paper.split("\n\n"))


def _summary(result: Result) -> str:
    """What it is, in a sentence."""
    data, edges = result.data, result.graph.number_of_edges()
    size = f"{count(edges, 'edge')} between {count(data.n, 'variable')}"
    found = result.learned
    how = (
        "compared with" if found is None else f"{text(origins.origin(found, result.tables))}, from"
    )
    prior = result.trace.log_prior
    objective = (
        f" The prior over graphs adds {number(prior, 4)} to it. The search maximised the sum, "
        f"{number(result.objective, 4)}."
        if prior
        else ""
    )
    return (
        f"A Markov network with {size}, {how} {count(data.rows, 'row')}. "
        f"{result.score_name} = {number(result.total, 4)}.{objective}"
    )


def _made(made: date | None) -> str:
    """With what it was made, and when."""
    when = "" if made is None else f" on {made.isoformat()}"
    return f"Made{when} with BJP Explorer {text(bjp_engine.__version__)}."
