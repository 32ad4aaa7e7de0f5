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
NEXT = "Next"
NEXT_PAGES = {"network": "hub", "step": "footprint", "climb": "trending_up"}

# --- The three ways to data -----------------------------------------------------------------------
WAY = "Where the data come from"
WAYS = {
    "sample": ":material/dataset: Sample datasets",
    "file": ":material/upload_file: Your own file",
    "net": ":material/hub: Benchmark network",
}
STILL_USING = "Still using {title}, until a file is uploaded and prepared."
ONLY_SOME = "**Only {some} of {all} variables are selected:** {names}."
USE_ALL = "Use all {all}"

# --- A link to a file -----------------------------------------------------------------------------
ASK_FILE = (
    "This page shows an uploaded file, and this visit doesn’t have it: files are kept for one "
    "visit only, and reloading the page begins a new one. Drop the same file here to continue. "
    "If someone sent you the link, ask them for the file."
)
ASK_DIGEST = "Your file (its SHA-256 begins with {digest})"
ASK_STEPS = (
    "The file was prepared with steps that a link can’t hold. The page Data saves them as JSON: "
    "drop that file here, too."
)
ASK_STEPS_DIGEST = "The steps whose SHA-256 begins with {digest}"
OTHER_FILE = (
    "{name} is a different file: its SHA-256 begins with {digest}. Other parts of the link "
    "may not fit this file."
)
OTHER_STEPS = "These are different steps: their SHA-256 begins with {digest}."
USE_ANYWAY = "Use it anyway"
CONTINUE = "Continue with {title}"
THIS_FILE = "This file"

# --- Sample datasets ------------------------------------------------------------------------------
SAMPLE = "Dataset"
SAMPLE_HEAD = "**{title}** · {rows:,} rows × {variables}, {missing} missing"
SAMPLE_SHORT = "{rows:,} × {columns}"
SAMPLE_SHORT_MISSING = "{rows:,} × {columns} · {missing:,} missing"
NO_CELL = "no cell"
KNOWN = "**What is known.** {text}"
SOURCE = "Source: {source}."
SOURCE_LICENCE = "Source: {source}. Licence: {licence}."
MISSING_ASKED = "What to do with the {cells}"
MISSING_WAYS = {"drop": "Drop incomplete rows", "state": "Keep as a state of their own"}
MISSING_DROP = "{complete:,} of {rows:,} rows remain"
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
WEIGHTS = "Distribution"
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
RECONSTRUCTED = "reconstructed"
PICTURE = "The rows are drawn from this network."

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
THE_FILE = "The file"
WHAT_IT_IS = "{name} is {kind}, with {size}."
YOUR_FILE = "Your file"
UNCHANGED = "{every} columns are used unchanged; no cell is missing."
BOTH, ALL = "Both", "All {columns:,}"
APPLIED = "{steps} {are} applied{suggested}: {what}{more}. You can undo {them}. {left}."
AS_SUGGESTED, MORE = ", as suggested", "; and {steps} more"
LEFT = "{rows} and {variables} remain"
UNPREPARED = "It is used without preparation."
TO_APPLY, TO_APPLY_MORE = "{steps} to apply: {what}{more}", " And {steps} more."
ONE_LEFT = "Only {name} is left; a network needs at least two variables."
ONE_STATE = "In the remaining rows, {name}{more} only one state."
HAS, HAVE = " has", " and {others} more have"

# --- Work on a file -------------------------------------------------------------------------------
READING, A_FILE, PREPARING = "Reading {name}", "the file", "Preparing the data"
STILL_READING = (
    "Your file is still being read; *Data* shows the progress. Until then the dataset is {title}."
)
READ_MEANWHILE = "Your file has been read; open *Data* to use it. The dataset is still {title}."
IMPUTING = "Imputing missing cells"
WAITING, CHECKING = "Waiting for another file to be read", "Checking the columns"
CANCELLED = "{title} was cancelled."

# --- How a file is read ---------------------------------------------------------------------------
HOW_READ = "How it is read"
NOTICED = "What the reader noticed ({notes})"
DETECTED = "detected"
CHOICES = {
    "sheet": "Sheet",
    "member": "File in the archive",
    "format": "File type",
    "delimiter": "Delimiter",
    "quote": "Quotation marks around cells",
    "encoding": "Encoding",
    "decimal": "Decimal separator",
    "thousands": "Thousands separator",
    "comment": "Comment prefix",
    "skip_lines": "Lines to skip above the table",
    "index_column": "Row names",
    "missing_values": "Cells that count as missing",
    "malformed": "Rows with the wrong number of cells",
    "header_rows": "Lines of names and question texts",
    "header": "The first line holds the names (header)",
}

# --- The health of a file -------------------------------------------------------------------------
HEALTH = "**Health of the file**, worst finding first"
RESOLVED, UNDO = "resolved", "Undo"
MORE_FINDINGS = "more finding"
DROP_ROWS = "Drop their rows ({complete:,.0f} left)"
MAKE_STATE, FILL_IN = "Make them a state", "Fill in the most frequent state"
IMPUTE = f"Impute ({TIMES} times)"
IMPUTE_HELP = (
    f"Each missing cell is drawn {TIMES} times from what a learned network makes probable, given "
    "the other answers of its row. Edge probabilities are means over the completed tables, and "
    "effects are pooled over them. This assumes that, given the other answers, a missing answer is "
    "no different from a known one."
)
COLUMNS = "**What each column is**; click a role to change it"
ROLE = "Role"
ROLES = {
    "answer": "answer",
    "ordered": "ordered answer",
    "group": "group",
    "frequency": "frequency",
    "out": "left out",
}
ROLE_HELP = (
    "An answer is a variable of the network. The states of an ordered answer run from one end to "
    "the other, so effects have a sign. A group puts rows into groups, to be compared on the page "
    "Groups. A frequency says how often its row was counted."
)
NO_LONGER_ORDERED = (
    "Not ordered in the dataset: {names}. A state for missing cells, or one of merged states, has "
    "no place in an order."
)
COLUMN, KIND, VALUES, MISSING_CELLS = "Column", "Kind", "Distinct values", "Missing"
QUESTION = "Question"
FREQUENT, RARE, SPELLINGS = "Most frequent", "Rare states", "Several spellings"
FREQUENT_HELP = "The share of the rows that hold the most frequent value."
RARE_HELP = "States with fewer rows than a slice needs for clear evidence."
SPELLINGS_HELP = "Values that differ from another value only in capital letters or spaces."

# --- The steps of a preparation -------------------------------------------------------------------
STEPS = "**Steps of the preparation**, in their order"
NO_STEPS = "No steps: the file is used unchanged."
MORE_STEPS = "And {steps} more."
EARLIER, REMOVE, REMOVE_ALL = "Earlier", "Remove", "Remove all"
UNDO_HELP = "Undoes the last change of this list."
SUGGESTED = "As suggested"
STEPS_FILE = "Steps as a file"
STEPS_DOWNLOAD = "Download the steps (JSON)"
STEPS_DOWNLOAD_HELP = (
    "Includes the cuts, imputed values and states computed here, so another file is treated in the "
    "same way: on this page, or by bjp learn --prepare."
)
STEPS_UPLOAD = "Apply the steps of a file"
STEPS_ALIKE = "Use the cuts, imputed values and states in the file"
STEPS_ALIKE_HELP = "Otherwise each step computes them from the current data."
STEPS_APPLY = "Apply {steps}"

# --- A step added by hand -------------------------------------------------------------------------
ADD_STEP, ADD_STEP_HINT, ADD = "Add a step", "Add a step by hand …", "Add this step"
FORMS = {
    "keep": "Keep some variables",
    "drop": "Leave variables out",
    "codes": "Codes of missing cells",
    "missing": "Missing cells",
    "recode": "Recode states",
    "reverse": "Reverse answers",
    "choices": "Choices of one question",
    "filter": "Filter rows",
    "bins": "Numbers into bins",
    "merge": "Merge rare states",
    "order": "Order of the states",
    "tidy": "Tidy texts",
    "rename": "Rename a variable",
    "sample": "A sample of the rows",
}
KEEP, DROP = "Variables to keep", "Variables to leave out"
EVERY_VARIABLE = "Variables (none chosen: all of them)"
ALL_BUT_NUMBERS = "Variables (none chosen: all but numbers)"
ALL_TEXTS = "Variables (none chosen: all texts)"
CELLS = "Their missing cells"
CELLS_WAYS = {
    "drop": "Drop their rows",
    "state": "Make them a state of their own",
    "most_frequent": "Fill in the most frequent state",
    "impute": IMPUTE,
}
NUMBERS, BINS, MOST_BINS = "Variables that hold numbers", "Bins", "At most how many"
BINS_WAYS = {
    "quantile": "Equally many rows",
    "equal_width": "Equal width",
    "kmeans": "Around centres (k-means)",
    "whole": "Each whole number",
}
CUTS, CUTS_EXAMPLE = "Or own cut points", "18; 65"
CUTS_HELP = (
    "They replace the choice of bins. Separate them by semicolons. A value on a cut point belongs "
    "to the bin above it."
)
BELOW, INTO, OTHER = "States with fewer rows than", "become the state", "other"
ONE_VARIABLE = "Variable"
ORDER = "Its states in order, one per line"
ORDER_HELP = "States not listed follow in their current order."
NEW_NAME = "Its new name"
CODED, CODES, CODES_EXAMPLE = "Variables", "Values that stand for missing cells", "9; 99; k.A."
CODES_HELP = "Separate them by semicolons."
PAIRS, PAIRS_EXAMPLE = "Old and new states, one pair per line", "sometimes = often\n5 = 1"
PAIRS_HELP = "States that get the same name become one state."
NO_PAIR = "{text} is no pair; write the old state, =, and the new one."
REVERSED = "Variables whose answers are reversed"
REVERSED_HELP = "Numbers, or ordered answers. The lowest becomes the highest, and so on."
ENDS, ENDS_EXAMPLE = "Lowest and highest answer", "1; 5"
ENDS_HELP = (
    "For numbers. If you leave it empty: the ends of all columns with the same name and another "
    "number, such as trust1 and trust2; else those of each column. An end that nobody chose must "
    "be given."
)
CHOICES_OF = "The columns of one question, a choice each"
SKIPPED = "Rows that ticked none of them"
SKIPPED_WAYS = {"no": "are “no” to each", "missing": "skipped the question"}
FILTERED = "What becomes of rows with these states"
FILTER_WAYS = {"keep": "Only they are kept", "leave": "They are left out"}
FILTER_STATES, FILTER_HELP = "Its states, one per line", "As they stand in the file."
FOLD = "Unify values that differ only in capital letters"
SAMPLE_ROWS, SAMPLE_NUMBER = "Rows", "How many, or k"
SAMPLE_WAYS = {
    "random": "Drawn at random",
    "first": "The first rows",
    "every": "Every k-th row",
}
CHOOSE = "Choose"
PLACES, PLACES_EXAMPLE = "{label}, by column number", "1-40, 57"
PLACES_HELP = "There are {columns:,}, counted from 1."
NO_PLACE = "{text} is not a place from 1 to {most:,}; write 1-40, 57."
NO_NUMBER = "{text} is not a number; write cut points such as 18; 65."

# --- Variables and rows ---------------------------------------------------------------------------
VARIABLES_TABLE = "**Variables**"
COUNTS_OF = "Counts of"
COUNTS_TEXT = "Counts of {name}: {counts}."
NOT_DRAWN = "{states} not drawn."
ALL_ROWS, FIRST_ROWS = "All rows", "The first {rows} rows"
FIRST_COLUMNS = ", the first {columns} variables"
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
