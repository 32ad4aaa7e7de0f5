"""Words of the Data page: names that stay distinct, and lists that end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from bjp_engine.dataset import Name
from bjp_explorer.shell.text import plain

ROWS, MISSING, ROLE = "Rows", "Missing cells", "Role"
ROLES = {
    "variable": "variable",
    "ordered": "ordered variable",
    "group": "group",
    "frequency": "frequency",
    "leave out": "left out",
}
COLUMN, KIND, VALUES, MISSING_CELLS = "Column", "Kind", "Distinct values", "Missing"
FREQUENT, RARE, SPELLINGS = "Most frequent", "Rare states", "Several spellings"
VARIABLE, STATES_COLUMN, DISTRIBUTION = "Variable", "States", "Distribution"


def distinct(names: Sequence[Name]) -> list[str]:
    """Names as pages show them; where two look alike, their place is added. No two are equal."""
    texts = [plain(name) or "(blank)" for name in names]
    alike = Counter(texts)
    marked = [
        text if alike[text] == 1 else f"{text} (column {place})"
        for place, text in enumerate(texts, start=1)
    ]
    return marked if len(set(marked)) == len(marked) else [f"{i}: {t}" for i, t in enumerate(texts)]


def list_some(items: Iterable[str], most: int = 5) -> str:
    """The first few of a list in a sentence, the others counted."""
    everything = list(items)
    text = ", ".join(everything[:most])
    return text + (f" and {len(everything) - most:,} more" if len(everything) > most else "")
