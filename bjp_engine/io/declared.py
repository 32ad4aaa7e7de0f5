"""Files that say what their columns are: Parquet; SPSS, Stata and SAS; Weka's ARFF.

Parquet has types and missing values of its own. SPSS, Stata and SAS files have codes with labels,
missing codes, measurement levels and questions: pyreadstat reads them, and what a code stands for
is decided on the distinct values. ARFF names the states of a column above rows of text.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bjp_engine.arrays import threads_for
from bjp_engine.columns import Column, Table, as_values
from bjp_engine.errors import DataError, NoRowsError, clip, columns_text, plural
from bjp_engine.io import child
from bjp_engine.io.excel import cell_text
from bjp_engine.io.limits import Guard, Limits
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.sources import PROGRAMS, Content, find_reader, readable
from bjp_engine.io.text import Dialect, Grid, read_text
from bjp_engine.io.values import missing_texts, note_missing, read_values, whole_numbers
from bjp_engine.labels import label_of, natural_order
from bjp_engine.validate import MAX_STATES, MOST_CELLS, Name, check_names

# Rows of Parquet that are coded at once, and the cells of narrow columns that are.
ROWS, _CODED = 1 << 18, 1 << 20
# Beyond this nobody needs the exact number; values are held in memory.
MAX_VALUES = 1 << 20
# The bytes of a column that are read at once; without a bound, all of a row group.
_BUFFER = 1 << 20
# Under which keys programs keep what a column is about.
_TITLES = (b"label", b"title", b"description", b"comment")

# What pyreadstat reads as Python objects at once: some 300 MB.
CELLS = 1 << 23
# These give user-defined missing values as such; the others as missing cells.
_GIVES_MISSING = ("read_sav", "read_dta", "read_sas7bdat")
# What most files hold that aren't in the encoding they should be in.
_WESTERN = "windows-1252"
_UNDATED = "disable_datetime_conversion"
# More numbers without a label than this are quantities, of which a few are labelled.
_UNLABELLED = 10

_DATA = re.compile(rb"^[ \t]*@data\b[^\n]*\n?", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(rb"^%[^\n]*", re.MULTILINE)
_ATTRIBUTE = re.compile(
    r"""^[ \t]*@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(\{.*\}|\S.*?)\s*$""",
    re.IGNORECASE | re.MULTILINE,
)


def _without(column: Column, missing: Sequence[str | None]) -> tuple[Column, Counter[str]]:
    """A column without the values that have a text of a missing one; how often each was."""
    found = Counter({"": column.holes})
    for text, rows in zip(missing, column.counts.tolist(), strict=True):
        if text is not None:
            found[text] += rows
    return column.without(np.array([text is not None for text in missing], np.bool_)), +found


def _tokens(options: ReadOptions) -> frozenset[str]:
    """The texts that count as missing where a file has missing values of its own."""
    return frozenset([""] if options.missing_values is None else options.missing_values)


# --- Parquet: no more of the raw cells is ever held than a few batches ----------------------------


def read_parquet(
    source: Path | bytes, options: ReadOptions, guard: Guard, notes: list[str], send: child.Send
) -> tuple[list[str], int]:
    """Send the columns of a file; then their names in order, and how many rows there are.

    A file given by its path may have as many cells as are held.
    """
    tokens = _tokens(options)
    with readable(guard.title, "a Parquet table"):
        with _opened(source) as file:
            metadata, schema = file.metadata, file.schema_arrow
        stored = _variables(schema, options, notes)
        rows, names = metadata.num_rows, [one.name for one in stored]
        if rows < 0:
            raise ValueError("fewer than no rows")
        if not rows:
            raise NoRowsError(f"{guard.title} has no rows; add the data.")
        guard.check("columns", len(names))
        if isinstance(source, bytes):
            guard.check("cells", rows * len(names))
        if rows * len(names) > MOST_CELLS:
            raise DataError(
                f"{guard.title} has {rows:,} rows of {len(names):,} columns, too many cells to be "
                "held; leave columns out with columns=, or cut the table into several files for "
                "bjp_engine.read_sharded."
            )
        texts = [one.name for one in stored if one.type in (pa.string(), pa.large_string())]
        size = max(1, _CODED // rows)
        groups = [stored[i : i + size] for i in range(0, len(stored), size)]

        def work(group: Sequence[Any]) -> list[tuple[Name, Counter[str]]]:
            with _opened(source, metadata=metadata, read_dictionary=texts) as file:
                parts = _read_parts(file, [one.name for one in group], rows)
            found = []
            for one in group:
                column, missing = _stored(one, parts.pop(one.name), tokens)
                send((one.name, column))
                found.append((one.name, missing))
            return found

        every, holes = Counter[str](), list[Name]()
        with ThreadPoolExecutor(threads_for(len(groups))) as pool:
            for done, group in enumerate(pool.map(work, groups), start=1):
                guard.progress.tick(rows * done // len(groups), rows)
                for name, missing in group:
                    every.update(missing)
                    holes += [name] * bool(missing)
    notes += note_missing(every, holes)
    return names, rows


@contextmanager
def _opened(source: Path | bytes, **options: Any) -> Iterator[Any]:
    """A Parquet file, read through small buffers and never a row group ahead."""
    raw = pa.BufferReader(source) if isinstance(source, bytes) else pa.OSFile(str(source), "rb")
    with raw:
        yield pq.ParquetFile(raw, buffer_size=_BUFFER, pre_buffer=False, **options)


def _variables(schema: Any, options: ReadOptions, notes: list[str]) -> list[Any]:
    """The columns that are variables and wanted."""
    fields = [one for one in schema if not one.name.startswith("__index_level_")]
    if len(fields) < len(schema):
        notes.append("A stored index without a name was left out.")
    names = [one.name for one in fields]
    check_names(tuple(names))
    kept = [fields[i] for i in options.places(names)]
    for one in kept:
        kind = one.type
        if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise DataError(
                f"Column {clip(one.name)} holds {kind}, not one value per cell; "
                "leave it out with columns=."
            )
    return kept


def _read_parts(file: Any, names: list[str], rows: int) -> dict[str, list[Any]]:
    """The cells of some columns, batch by batch, each as its distinct values and their places."""
    parts: dict[str, list[Any]] = {name: [] for name in names}
    done = 0
    for batch in file.iter_batches(ROWS, columns=names, use_threads=False):
        # Texts that aren't UTF-8 would only be noticed where they are looked at.
        batch.validate(full=True)
        for name, cells in zip(batch.schema.names, batch.columns, strict=True):
            parts[name].append(cells)
            if not pa.types.is_null(cells.type):
                with suppress(pa.ArrowNotImplementedError):  # refused by its column's name
                    parts[name][-1] = cells.dictionary_encode()
        done += batch.num_rows
        if done > rows:
            break
    if done != rows:
        raise ValueError("another number of rows than declared")
    return parts


def _stored(stored: Any, parts: list[Any], tokens: frozenset[str]) -> tuple[Column, Counter[str]]:
    """A column without what counts as missing, and how often each such text was."""
    column = Column.of_arrow(pa.chunked_array(parts), stored.name)
    if len(column.values) > MAX_VALUES:
        raise DataError(
            f"Column {clip(stored.name)} has more than {MAX_VALUES} states; a variable has 1 to "
            f"{MAX_STATES} (group a measurement into bins, leave an identifier out)."
        )
    # Not of a cell, but of a batch: some are dictionaries only because they are read so.
    declared = pa.types.is_dictionary(stored.type)
    values = column.values
    if values.dtype.kind == "f" and not declared:
        values = whole_numbers(values)
    about = stored.metadata or {}
    titles = (" ".join(about.get(key, b"").decode("utf-8", "replace").split()) for key in _TITLES)
    column = replace(
        column,
        values=values,
        ordered=declared,
        declared=declared,
        ordinal=column.ordinal and declared,
        title=next(filter(None, titles), ""),
    )
    texts = (value.strip() if isinstance(value, str) else None for value in values.tolist())
    return _without(column, [text if text in tokens else None for text in texts])


_UNREADABLE = (pa.ArrowException, OSError, LookupError, TypeError, ValueError)


def read_arrays(path: Path, names: Sequence[str], refusal: str) -> tuple[dict[str, Any], Any]:
    """Whole columns of a file as arrays, and its own metadata; or a sentence that refuses it."""
    guard = Guard(Limits.from_environment(), clip(path.name))
    found: tuple[dict[str, Any], Any] = child.run(_send_arrays, path, names, refusal, guard=guard)
    return found


def _send_arrays(_: child.Send, path: Path, names: Sequence[str], refusal: str) -> Any:
    try:
        table = pq.read_table(path, columns=list(names))
        return {name: table[name].to_numpy() for name in names}, table.schema.metadata
    except _UNREADABLE:
        for part in sorted(path.glob("*.parquet")):
            try:
                pq.read_metadata(part)
            except _UNREADABLE:
                raise DataError(
                    f"{clip(part.name)} in {clip(path.name)} is damaged; delete it to have it "
                    "computed again."
                ) from None
        raise DataError(refusal) from None


# --- SPSS, Stata and SAS --------------------------------------------------------------------------


def _is_textual(name: Name, about: Any) -> bool:
    """Whether the values of a column are texts."""
    return bool(about.readstat_variable_types.get(name) == "string")


def _missing_text(value: Any, name: Name, about: Any, tokens: frozenset[str]) -> str | None:
    """A value that counts as missing as a note names it: its code and label; else None."""
    code, label = label_of(value), about.variable_value_labels.get(name, {}).get(value, "")
    # The missing values .a to .z of Stata and SAS; a date is longer.
    is_letter = isinstance(value, str) and len(value) == 1 and not _is_textual(name, about)
    named = code.strip() in tokens or (label.strip() and " ".join(label.split()) in tokens)
    if not (named or is_letter) and not any(
        one["lo"] <= value <= one["hi"]
        for one in about.missing_ranges.get(name, [])
        if isinstance(one["lo"], str) == isinstance(value, str)
    ):
        return None
    code = f".{code}" * is_letter or code
    return " ".join(filter(None, (code, label))) if code.strip() else ""


def read_labelled(
    content: Content, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[Table, ReadOptions]:
    """The columns of an SPSS, Stata or SAS file, and the options that read them."""
    tokens, columns, distinct = _tokens(options), dict[Name, Column](), 0
    every, holes, named = Counter[str](), list[Name](), defaultdict[str, list[Name]](list)
    assert options.format in PROGRAMS
    with readable(content.title, PROGRAMS[options.format]):
        kind, reader = find_reader(content.data)
        if kind != options.format:
            raise ValueError("begins like another file")
        read, given = _opened_labelled(content.data, reader, options, notes)
        about = read(metadataonly=True)[1]
        names = [str(name) for name in about.column_names]
        if not names:
            raise ValueError("no columns")
        check_names(tuple(names))
        kept = [names[i] for i in options.places(names)]
        guard.check("columns", len(kept))
        # Some files don't say how many rows they have.
        rows, most = max(0, about.number_rows or 0), guard.limits.cells
        guard.check("cells", rows * len(kept))
        rows = rows or len(read(usecols=kept[:1], row_limit=most + 1)[0][kept[0]])
        guard.check("cells", rows * len(kept))
        size = max(1, CELLS // max(1, rows))
        for start in range(0, len(kept) if rows else 0, size):
            group = kept[start : start + size]
            cells = read(usecols=group, row_limit=most // len(group) + 1)[0]
            for name in group:
                coded = _coded(cells.pop(name), name, rows, textual=_is_textual(name, about))
                distinct += len(coded.values)
                guard.check("distinct", distinct)
                gone = [_missing_text(x, name, about, tokens) for x in coded.values.tolist()]
                coded, missing = _without(coded, gone)
                every.update(missing)
                holes += [name] * bool(missing)
                complete = reader in _GIVES_MISSING
                columns[name] = _by_labels(coded, name, about, tokens, named, complete=complete)
            guard.progress.tick(len(columns), len(kept))
    notes += [sentence.format(columns_text(columns)) for sentence, columns in named.items()]
    notes += note_missing(every, holes)
    return Table(rows, columns), replace(options, encoding=given.get("encoding"))


def _opened_labelled(
    data: bytes, reader: str, options: ReadOptions, notes: list[str]
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """What reads parts of a file, and the options that it found to be needed."""
    import pyreadstat

    given: dict[str, Any] = {"output_format": "dict"}
    encodes = reader != "read_por"
    if reader in _GIVES_MISSING:
        given["user_missing"] = True
    if options.encoding is not None and encodes:
        given["encoding"] = options.encoding

    def read(**more: Any) -> Any:
        try:
            return getattr(pyreadstat, reader)(io.BytesIO(data), **given, **more)
        except MemoryError:
            raise
        except Exception as reason:  # pyreadstat's own are of no common kind
            foreign = isinstance(reason, UnicodeError) or "requested encoding" in str(reason)
            if foreign and encodes and "encoding" not in given:
                given["encoding"] = _WESTERN
                notes.append(
                    f"Encoding (detected): {_WESTERN}, since the texts are not in the file's own; "
                    "if letters look wrong, give it (encoding=)."
                )
            elif isinstance(reason, (ArithmeticError, ValueError)) and _UNDATED not in given:
                given[_UNDATED] = True
                notes.append("A date is beyond the calendar, so all dates stay numbers.")
            else:
                raise
        return read(**more)

    return read, given


def _coded(cells: list[Any], name: Name, rows: int, *, textual: bool) -> Column:
    """The distinct values of a column, and the codes of its rows."""
    if len(cells) != rows:
        raise ValueError("another number of rows than declared")
    if not textual:
        # Dates, and the letters of missing values, are no numbers.
        with suppress(TypeError, ValueError):
            return Column.of(np.array(cells, dtype=np.float64), name)
    column = Column.of(as_values(cells), name)
    plain = [
        value if isinstance(value, (str, int, float)) else cell_text(value)
        for value in column.values.tolist()
    ]
    place = {value: k for k, value in enumerate(dict.fromkeys(plain))}
    return column.recoded(np.array([place[value] for value in plain], dtype=np.intp), [*place])


def _by_labels(
    column: Column,
    name: Name,
    about: Any,
    tokens: frozenset[str],
    named: dict[str, list[Name]],
    *,
    complete: bool,
) -> Column:
    """A column by its labels where they name states, and not a few of many quantities.

    They stand in the order of the codes. A label that no row holds is a state, too, where the file
    shows which belong to missing codes.
    """
    labels = {
        code: " ".join(text.split())
        for code, text in about.variable_value_labels.get(name, {}).items()
        if _missing_text(code, name, about, tokens) is None
    }
    seen, measure = column.values.tolist(), about.variable_measure.get(name, "unknown")
    ordinal, textual = measure == "ordinal", _is_textual(name, about)
    title = " ".join((about.column_names_to_labels.get(name) or "").split())
    column = replace(column, title=title * (title != name))
    if not textual and all(isinstance(value, (int, float)) for value in seen):
        column = replace(column, values=whole_numbers(column.values.astype(np.float64)))
    bare = sum(value not in labels for value in seen)
    few = measure == "unknown" and bare <= _UNLABELLED
    states = not bare or textual or measure in ("nominal", "ordinal") or few
    if not (labels and states):
        if labels:
            named["Numbers stay as they are in {}, since few of them have a label."].append(name)
        ordinal &= column.numeric
        column = replace(
            column,
            nominal=measure == "nominal",
            aliases={label_of(code): text for code, text in labels.items()},
        )
    else:
        seen = column.values.tolist()
        every = as_values(dict.fromkeys([*seen, *(labels if complete else ())]))
        codes = every[natural_order(every)].tolist()
        plain = [labels.get(code) or label_of(code) for code in codes]
        texts, taken, times = list[str](), set(plain), Counter(plain)
        for code, text in zip(codes, plain, strict=True):
            new = text if times[text] == 1 else f"{text} ({label_of(code)})"
            while new != text and new in taken:
                new += "'"
            taken.add(new)
            texts.append(new)
        if len(times) < len(codes):
            named["Values with the same label have their codes added in {}."].append(name)
        place = {code: k for k, code in enumerate(codes)}
        column = column.recoded(np.array([place[v] for v in seen], dtype=np.intp), texts)
        aliases = dict(zip(texts, map(label_of, codes), strict=True))
        column = replace(column, ordered=True, declared=True, aliases=aliases)
    if ordinal:
        named["Ordered, as the file says: {}."].append(name)
    return replace(column, ordinal=ordinal)


# --- ARFF -----------------------------------------------------------------------------------------


def read_arff(
    title: str, data: bytes, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[Table, ReadOptions]:
    """The attributes of a file that is decoded to UTF-8; a nominal one has all its states.

    SciPy's and liac-arff's readers go cell by cell; SciPy's refuses states outside ASCII.
    """
    begin = _DATA.search(data)
    if begin is None:
        raise DataError(f"{title} has no line @data, which precedes the rows of an ARFF file.")
    rows = data[begin.end() :]
    if re.match(rb"\s*(?:%[^\n]*\s+)*\{", rows):
        raise DataError(f"{title} is a sparse ARFF file; write all cells of each row, or use CSV.")
    attributes = _ATTRIBUTE.findall(data[: begin.start()].decode("utf-8", "replace"))
    names = [
        re.sub(r"\\(.)", r"\1", name[1:-1]) if name[:1] in ("'", '"') else name
        for name, _ in attributes
    ]
    check_names(tuple(names))
    dialect = Dialect(
        delimiter="," if b"," in rows or b"\t" not in rows else "\t",
        quote='"' if b"'" not in rows else "'",
        escape="\\" if b"\\" in rows else None,
        above=data.count(b"\n", 0, begin.end()),
    )
    bare = replace(options, header_rows=0)
    # A mark alone is a comment to the reader of texts, unless rows have one cell, too.
    data = _COMMENT.sub(b"%" if len(names) > 1 else b"", data)
    grid = read_text(data, dialect, bare, guard, notes)
    if len(grid.columns) != len(names):
        raise DataError(
            f"{title} names {plural(len(names), 'attribute')}, and its rows have "
            f"{plural(len(grid.columns), 'cell')}; add what is missing."
        )
    # In ARFF nothing else is missing, and no decimals are in doubt.
    given = ("?",) if options.missing_values is None else options.missing_values
    used = replace(options, missing_values=given, decimal=".")
    kept = options.places(names)
    table, _ = read_values([(names[i], grid.columns[i]) for i in kept], grid, used, guard, notes)
    nominal: dict[Name, Column] = {
        names[i]: _nominal(names[i], _states(attributes[i][1]), grid.columns[i], grid, used)
        for i in kept
        if attributes[i][1].startswith("{")
    }
    return table.having(nominal), replace(options, delimiter=dialect.delimiter)


def _states(text: str) -> list[str]:
    """The states between braces."""
    quote = '"' if "'" not in text else "'"
    inside = text.strip("{}")
    cut = csv.reader([inside], quotechar=quote, escapechar="\\", skipinitialspace=True)
    return [state.strip() for state in next(cut, [])]


def _nominal(
    name: Name, states: Sequence[str], texts: Column, grid: Grid, options: ReadOptions
) -> Column:
    """A column by its declared states."""
    missing, place = missing_texts(options), {state: k for k, state in enumerate(states)}
    places = np.full(len(texts.values), -1)
    for k, cell in enumerate(map(str.strip, texts.values)):
        if cell in place:
            places[k] = place[cell]
        elif cell not in missing:
            raise DataError(
                f"{grid.place(texts, k)}: {clip(cell)} is not among the states of {clip(name)}; "
                "add it to the attribute, or correct the cell."
            )
    return replace(texts.recoded(places, [*place]), ordered=True, declared=True)
