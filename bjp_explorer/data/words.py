"""Words of the Data page: names that stay distinct, and lists that end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from bjp_engine.dataset import Name
from bjp_engine.parameters.imputation import TIMES
from bjp_explorer.shell.text import plain

ABOUT = (
    "Choose the data to learn from: a sample dataset, your own file, or rows drawn from a known "
    "network."
)

# --- The current dataset --------------------------------------------------------------------------
ROWS, VARIABLES, STATES, MISSING = "Rows", "Variables", "States each", "Missing cells"
TRUE_EDGES, PUBLISHED_EDGES = "True edges", "Published edges"
NEXT_PAGES = {"network": "hub", "step": "footprint", "climb": "trending_up"}

# --- The three ways to data -----------------------------------------------------------------------
WAY = "Where the data come from"
WAYS = {
    "sample": ":material/dataset: Sample datasets",
    "file": ":material/upload_file: Your own file",
    "net": ":material/hub: Benchmark network",
}
STILL_USING = "Still using {title}, until a file is uploaded and prepared."

# --- A link to a file -----------------------------------------------------------------------------
ASK_FILE = (
    "This page shows an uploaded file, and this visit doesn’t have it: files are kept for one "
    "visit only, and reloading the page begins a new one. Drop the same file here to continue. "
    "If someone sent you the link, ask them for the file."
)
OTHER_FILE = (
    "{name} is a different file: its SHA-256 begins with {digest}. Other parts of the link "
    "may not fit this file."
)

# --- Sample datasets ------------------------------------------------------------------------------
SAMPLE_SHORT_MISSING = "{rows:,} × {columns} · {missing:,} missing"
SOURCE_LICENCE = "Source: {source}. Licence: {licence}."
MISSING_WAYS = {"drop": "Drop incomplete rows", "state": "Keep as a state of their own"}
MISSING_STATE = "all {rows:,} rows remain, with “{label}” as one more state"
MISSING_ALL = (
    "{cells}, and no row is complete. Dropping rows would leave nothing, so missing cells become a "
    "state of their own, “{label}”."
)

# --- Benchmark networks ---------------------------------------------------------------------------
NETWORKS, NETWORK = "Networks", "Network"
GROUPS = {
    "targets": "Six nodes",
    "hubs": "Hubs",
    "scale-free": "Scale-free",
    "real": "Real networks",
    "appendix": "Appendix B",
}
WEIGHTS_HELP = (
    "The distribution is a product of tables with one weight per combination of states. A maximal "
    "clique is a set of nodes that are all connected to each other, to which no further node can "
    "be added. A configuration is one combination of their states."
)
# The name and a sentence for each distribution, by its name in the engine.
WEIGHTS_NAMES = {
    "clique-log-weights": "Clique log-weights",
    "clique-potentials": "Clique potentials",
    "log-odds": "Log odds",
}
WEIGHTS_ABOUT = {
    "clique-log-weights": "Each configuration of each maximal clique weighs eʷ, with w drawn "
    "between 0 and 1. This gives the paper's tables 1–3.",
    "clique-potentials": "Each configuration of each maximal clique weighs a number drawn between "
    "0 and 1: the paper's literal wording, which gives stronger dependences.",
    "log-odds": "Each edge favours agreement of its two ends, with a log odds ratio of 1. This "
    "gives the paper's table 4.",
}
SEED, SEED_HELP = "Seed", "The same seed gives the same potentials and the same rows again."
NODES, EDGES, IRREGULARITY = "Nodes", "Edges", "Irregularity"
IRREGULARITY_HELP = (
    "The differences between the degrees of any two nodes, added up: 0 where all nodes have "
    "equally many neighbours, large where a few hubs have most of them. Over the edges only: "
    "{edges:,}."
)

# --- A file of one's own --------------------------------------------------------------------------
UPLOAD = (
    "A table as CSV, TSV, text, Excel (.xlsx), SPSS (.sav), Stata (.dta), SAS (.sas7bdat, .xpt), "
    "Parquet or Libra's .data, also as .gz or .zip"
)
SERVER_FILE = "Or a file on this server"
ALL_SHARDS = "All Parquet files as one table"
SERVER_LARGE = (
    "{name} is larger than {megabytes:,} MB, the limit of a table here; use `bjp learn` on the "
    "command line."
)
SERVER_FAILED = (
    "{name} can't be read ({reason}); ask the administrator whether the file can be opened."
)
INVITATION = (
    "The file needs one row per observation, one column per variable, and the names in the first "
    "line. A variable may have any number of states, written as text or as numbers. You see what "
    "was found and can change how it is handled. The file stays in the memory of this app and is "
    "deleted after you close the page."
)
LIMITS = (
    "Up to {megabytes:,} MB, {columns:,} columns and {cells:,} cells. For a larger table, use "
    "`bjp learn` on the command line, save it as Parquet, or take a sample of its rows."
)
# --- What a file is -------------------------------------------------------------------------------
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", "whitespace": "spaces"}
KINDS = {
    "parquet": "a Parquet table",
    "excel": "an Excel sheet",
    "libra": "a Libra data file",
    "spss": "an SPSS file",
    "stata": "a Stata file",
    "sas": "a SAS file",
}
TEXT_TABLE = "a text table delimited by {between} ({encoding})"

# --- Work on a file -------------------------------------------------------------------------------
READING, A_FILE, PREPARING = "Reading {name}", "the file", "Preparing the data"
STILL_READING = (
    "Your file is still being read; *Data* shows the progress. Until then the dataset is {title}."
)
READ_MEANWHILE = "Your file has been read; open *Data* to use it. The dataset is still {title}."
WAITING, CHECKING = "Waiting for another file to be read", "Checking the columns"

# --- The health of a file -------------------------------------------------------------------------
RESOLVED, UNDO = "resolved", "Undo"
IMPUTE_HELP = (
    f"Each missing cell is drawn {TIMES} times from what a learned network makes probable, given "
    "the other answers of its row. Edge probabilities are means over the completed tables, and "
    "effects are pooled over them. This assumes that, given the other answers, a missing answer is "
    "no different from a known one."
)
ROLE = "Role"
ROLES = {
    "variable": "variable",
    "ordered": "ordered variable",
    "group": "group",
    "frequency": "frequency",
    "leave out": "left out",
}
ROLE_HELP = (
    "Variables are the nodes of the network. The states of an ordered variable run from one end "
    "to the other, so effects have a sign. A group puts rows into groups, to be compared on the "
    "page Groups. A frequency says how often its row was counted."
)
NO_LONGER_ORDERED = (
    "Not ordered in the dataset: {names}. A state for missing cells, or one of merged states, has "
    "no place in an order."
)
COLUMN, KIND, VALUES, MISSING_CELLS = "Column", "Kind", "Distinct values", "Missing"
FREQUENT, RARE, SPELLINGS = "Most frequent", "Rare states", "Several spellings"
FREQUENT_HELP = "The share of the rows that hold the most frequent value."
RARE_HELP = "States with fewer rows than a slice needs for clear evidence."
SPELLINGS_HELP = "Values that differ from another value only in capital letters or spaces."

# --- A step added by hand -------------------------------------------------------------------------
CUTS_HELP = (
    "They replace the choice of bins. Separate them by semicolons. A value on a cut point belongs "
    "to the bin above it."
)
FILTER_HELP = "As they stand in the file."

# --- Variables and rows ---------------------------------------------------------------------------
ALL_ROWS, FIRST_ROWS = "All rows", "The first {rows} rows"
VARIABLE, STATES_COLUMN, DISTRIBUTION, LABELS = "Variable", "States", "Distribution", "Labels"
DISTRIBUTION_HELP = "The share of each state, in the order of the states."
MISSING_HELP = "Missing cells, imputed or a state of their own."


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
