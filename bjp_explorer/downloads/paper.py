"""What a paper may say of a result: methods, results, warnings and references as plain text."""

from __future__ import annotations

from dataclasses import replace

from bjp_engine.paper import write_paragraph
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell import origins


def paper_of(result: Result) -> str:
    """The text; empty of a graph that no search learned, or of which the search was cancelled."""
    found, loaded = result.learned, result.loaded
    if found is None or not origins.is_whole(found):
        return ""
    # The methods say it where all tables are pooled.
    pooled = result.tables > 1
    return write_paragraph(
        result.data,
        replace(found, graph=result.graph),
        result.confidence,
        effects=result.shown_effects(),
        source=f"“{loaded.title}”",
        preparation=loaded.for_paper,
        imputed=loaded.imputed,
        further=result.further,
        warnings=[one for one in result.warnings if not (pooled and one == result.imputation)],
    )
