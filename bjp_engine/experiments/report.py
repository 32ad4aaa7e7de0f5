"""Results as tables of text: in the terminal, as one HTML file, and as a CSV of means."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.experiments.runs import Results, check_results
from bjp_engine.experiments.summary import claims, gaps, summaries
from bjp_engine.scores import SCORES
from bjp_engine.validate import file_path

if TYPE_CHECKING:
    import pandas as pd

MEASURES = {"hamming": "mean Hamming distance", "success": "rate of success"}
CLAIMED = (
    "The paper's claims: by how much BJP does better on the same data, with a 95 % confidence "
    "interval, at the N where the paper prints it so"
)
STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border: 0; border-bottom: 1px solid #8885; text-align: left; }
.wide { overflow-x: auto; }
"""


def write_summary(results: Results, path: str | Path) -> None:
    """Write a CSV with a line for each network, N and score: our means and the paper's figures."""
    table = summaries(results).drop(columns=["mean", "error"])
    table.to_csv(file_path(path), index=False, lineterminator="\n")


def report_html(results: Results, path: str | Path) -> None:
    """Write a report: claims and tables in one HTML file, without scripts or links to elsewhere."""
    import pandas as pd

    versions = ", ".join(sorted(set(check_results(results)["version"]))) or "none"
    found, claimed = summaries(results), claims(results)
    blocks = [
        *([(CLAIMED, claim_table(claimed))] if len(claimed) else []),
        *network_tables(found, seconds=True),
    ]
    # pandas would cut longer texts off.
    with pd.option_context("display.max_colwidth", None):
        tables = [
            f'<h2>{escape(title)}</h2><div class="wide">{table.to_html(border=0)}</div>'
            for title, table in blocks
        ]
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>BJP experiments</title>',
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>',
        "<h1>BJP, IB-score and MPL on known networks</h1>",
        f"<p>{len(results):,} of {results.expected:,} results, engine version {escape(versions)}.",
        f"{agreement(found)} Seconds are the mean of a search.</p>",
        *tables,
        "<h2>Designs</h2><ul>",
        *(
            f"<li>{escape('; '.join(f'{key} {value}' for key, value in one.as_plain().items()))}"
            for one in results.experiments.values()
        ),
        "</ul></html>\n",
    ]
    file_path(path).write_text("\n".join(parts), encoding="utf-8")


def report_lines(results: Results) -> Iterator[str]:
    """A table for each network: ours ± standard error, the paper's, the difference."""
    found = summaries(results)
    for title, table in network_tables(found):
        yield f"{title}\n{table.to_string()}\n"
    if text := agreement(found):
        yield text
    for network, gap in gaps(found).items():
        yield f"  {network}: {gap:.3g} apart on average"


def claim_lines(results: Results) -> Iterator[str]:
    """The paper's claims, one a line."""
    if len(found := claims(results)):
        yield f"\n{CLAIMED}\n{claim_table(found).to_string()}"


def network_tables(
    found: pd.DataFrame, *, seconds: bool = False
) -> Iterator[tuple[str, pd.DataFrame]]:
    """For each network a title and a table: a line for each N, a column for each score."""
    import pandas as pd

    for (experiment, network), cells in found.groupby(["experiment", "network"], sort=False):
        lines: dict[int, dict[str, str]] = {}
        one: Any
        for one in cells.itertuples():
            text = _figure(one) + f", {one.seconds:.2g} s" * seconds
            lines.setdefault(one.rows, {})[f"{SCORES[one.score].title} by {one.search}"] = text
        measure = MEASURES[cells["measure"].iloc[0]]
        title = f"{experiment}, {network}: {measure} ± standard error (the paper's, difference)"
        yield title, pd.DataFrame.from_dict(lines, "index").fillna("–").rename_axis("N", axis=1)


def _figure(one: Any) -> str:
    """Our mean ± its error; then the paper's, where it prints one, and the difference."""
    digits = 2 if one.measure == "success" else 1
    text, apart = f"{one.mean:.{digits}f}", f"{one.difference:+.{digits}f}"
    if not math.isnan(one.error):
        text += f" ± {one.error:.{digits}f}"
    if not math.isnan(one.printed):
        text += f" ({one.printed:.{digits}f}, {apart}){'' if one.agrees else ' *'}"
    return text


def claim_table(found: pd.DataFrame) -> pd.DataFrame:
    """A line for each of the paper's claims."""
    import pandas as pd

    estimate, low, high = (found[name].map("{:.3g}".format) for name in ("estimate", "low", "high"))
    columns = {
        "On our rows": found["verdict"],
        "Estimate": estimate,
        "Interval": low + " to " + high,
        "Unit": found["unit"],
        "N": [", ".join(map(str, rows)) for rows in found["rows"]],
    }
    table = pd.DataFrame(columns).set_axis([*found["sentence"]])
    return table.rename_axis("Claim", axis=1)


def agreement(found: pd.DataFrame) -> str:
    """How many figures agree with the paper's; nothing where it prints none."""
    agrees = found["agrees"].dropna()
    return bool(len(agrees)) * (
        f"{agrees.sum()} of {len(agrees)} figures agree with the paper's ({agrees.mean():.0%}): "
        "within 10 % of its Hamming distance, or within three standard errors of the difference. "
        "The others are marked *."
    )
