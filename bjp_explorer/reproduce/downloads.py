"""The rows, the means and the engine's report of what is shown, as files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from bjp_engine.experiments import Results, report_html, write_summary
from bjp_explorer.downloads.formats import Format


def formats(results: Results) -> tuple[Format, ...]:
    """Every file of some results, each made when it is asked for."""
    return (
        Format("rows.csv", "All rows (CSV)", "text/csv", "table", lambda: rows_csv(results)),
        Format(
            "means.csv",
            "Means and the paper’s (CSV)",
            "text/csv",
            "table_chart",
            lambda: _written(write_summary, results, "means.csv"),
        ),
        Format(
            "html",
            "Report with figures (HTML)",
            "text/html",
            "public",
            lambda: _written(report_html, results, "report.html"),
        ),
    )


def rows_csv(results: Results) -> bytes:
    """A line for each learn. The columns of the engine's rows, in full precision."""
    return results.to_frame().to_csv(index=False, lineterminator="\n").encode()


def _written(write: Callable[[Results, Path], None], results: Results, name: str) -> bytes:
    """What the engine writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(results, path)
        return path.read_bytes()
