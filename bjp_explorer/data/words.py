"""Words of the Data page: names that stay distinct, and lists that end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from bjp_engine.dataset import Name
from bjp_explorer.shell.text import shown

TITLE = "Data"
ABOUT = (
    "Choose the data to learn from: a sample dataset, your own file, or rows drawn from a known "
    "network."
)

# --- The current dataset --------------------------------------------------------------------------
ROWS, VARIABLES, STATES, MISSING = "Rows", "Variables", "States each", "Missing cells"
TRUE_EDGES, PUBLISHED_EDGES = "True edges", "Published edges"
NEXT = "Next"
NEXT_PAGES = {
    "network": ("Your network", "hub"),
    "step": ("Step through the score", "footprint"),
    "climb": ("Watch the climb", "trending_up"),
}

# --- The three ways to data -----------------------------------------------------------------------
WAY = "Where the data come from"
WAYS = {
    "sample": ":material/dataset: Sample datasets",
    "file": ":material/upload_file: Your own file",
    "net": ":material/hub: Benchmark network",
}
STILL_USING = "Still using {title}, until you upload a file."
ONLY_SOME = "**Only {some} of {all} variables are selected:** {names}."
USE_ALL = "Use all {all}"

# --- A link to a file -----------------------------------------------------------------------------
ASK_FILE = (
    "This page shows an uploaded file, and this visit doesn’t have it: files are kept for one "
    "visit only, and reloading the page begins a new one. Drop the same file here to continue. "
    "If someone sent you the link, ask them for the file."
)
ASK_DIGEST = "The file whose SHA-256 begins with {digest}"
ASK_STEPS = (
    "The file was prepared with steps that a link can’t hold. The page Data saves them as JSON: "
    "drop that file here, too."
)
ASK_STEPS_DIGEST = "The steps whose SHA-256 begins with {digest}"
OTHER_FILE = (
    "{name} is a different file: its SHA-256 begins with {digest}. The rest of the link may not "
    "fit it."
)
OTHER_STEPS = "These are different steps: their SHA-256 begins with {digest}."
USE_ANYWAY = "Use it anyway"
CONTINUE = "Continue with coronary"
THIS_FILE = "This file"

# --- Small words ----------------------------------------------------------------------------------


def distinct(names: Sequence[Name]) -> list[str]:
    """Names as pages show them; where two look alike, their place is added. No two are equal."""
    texts = [shown(name) or "(blank)" for name in names]
    alike = Counter(texts)
    marked = [
        text if alike[text] == 1 else f"{text} (column {place})"
        for place, text in enumerate(texts, start=1)
    ]
    return marked if len(set(marked)) == len(marked) else [f"{i}: {t}" for i, t in enumerate(texts)]


def listed(items: Iterable[str], most: int = 5) -> str:
    """The first few of a list in a sentence, the others counted."""
    everything = list(items)
    text = ", ".join(everything[:most])
    return text + (f" and {len(everything) - most:,} more" if len(everything) > most else "")
