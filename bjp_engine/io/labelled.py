"""SPSS, Stata and SAS files: codes with labels, missing codes, measurement levels and questions.

pyreadstat reads them some columns at a time. What a code stands for is decided on the distinct
values.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.columns import Column, Table, as_values
from bjp_engine.errors import DataError, clip, columns_text
from bjp_engine.io.excel import cell_text
from bjp_engine.io.headings import check_names, choose
from bjp_engine.io.limits import Guard
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.sources import PROGRAMS, Content, find_reader
from bjp_engine.io.values import note_missing, whole_numbers
from bjp_engine.labels import label_of, natural_order
from bjp_engine.validate import Name

# These give user-defined missing values as such; the others as missing cells.
_GIVES_MISSING = ("read_sav", "read_dta", "read_sas7bdat")
# What most files hold that aren't in the encoding they should be in.
_WESTERN = "windows-1252"
# Cells that are Python objects at once: some 300 MB.
_CELLS = 1 << 23
# More numbers without a label than this are quantities, of which a few are labelled.
_UNLABELLED = 10
_MOST = 5


@dataclass(frozen=True)
class Variable:
    """What a file says of one column."""

    name: str
    title: str = ""
    textual: bool = False
    measure: str = "unknown"  # "nominal", "ordinal", "scale"
    labels: Mapping[Any, str] = field(default_factory=dict)
    missing: tuple[tuple[Any, Any], ...] = ()  # from, to
    complete: bool = True  # whether a label that no row holds is a state, not a missing code

    def is_missing(self, value: Any) -> bool:
        """Whether a value counts as missing by the file's own word, as letters among numbers do."""
        if self.is_letter(value):
            return True
        return any(
            low <= value <= high
            for low, high in self.missing
            if isinstance(low, str) == self.textual
        )

    def is_letter(self, value: Any) -> bool:
        """Whether it is one of the missing values .a to .z of Stata and SAS; a date is longer."""
        return not self.textual and isinstance(value, str) and len(value) == 1


@dataclass
class _Notes:
    """What was done with codes and labels, for one sentence each."""

    missing: Counter[str] = field(default_factory=Counter)  # how often each text was
    holes: list[Name] = field(default_factory=list)  # columns with missing cells
    ordinal: list[Name] = field(default_factory=list)
    unused: list[tuple[Name, str]] = field(default_factory=list)
    alike: list[tuple[Name, str]] = field(default_factory=list)

    def sentences(self) -> list[str]:
        """What the reader of the table should know."""
        notes = []
        if self.ordinal:
            notes.append(f"Ordered, as the file says: {columns_text(self.ordinal)}.")
        notes += [
            f"Column {clip(name)} stays numbers, since few of them have a label, such as "
            f"{clip(text, 30)}."
            for name, text in self.unused[:_MOST]
        ]
        notes += [
            f"Column {clip(name)} has two values labelled {clip(text, 30)}; their codes were added "
            "to tell them apart."
            for name, text in self.alike[:_MOST]
        ]
        return notes + note_missing(self.missing, self.holes)


def read_labelled(
    content: Content, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[Table, ReadOptions]:
    """The columns of an SPSS, Stata or SAS file, and the options that read them."""
    notes_of_cells, columns = _Notes(), dict[Name, Column]()
    tokens = frozenset([""] if options.missing_values is None else options.missing_values)
    with _readable(content, options):
        file = _File(content.data, options, guard)
        kept = _variables(file, options)
        guard.check("columns", len(kept))
        guard.check("cells", file.declared * len(kept))
        # Some files don't say how many rows they have.
        rows = file.declared or len(file.read(kept[:1])[kept[0].name])
        guard.check("cells", rows * len(kept))
        size, distinct = max(1, _CELLS // max(1, rows)), 0
        for start in range(0, len(kept) if rows else 0, size):
            part = kept[start : start + size]
            cells = file.read(part)
            for one in part:
                coded = _coded(one, cells.pop(one.name), rows)
                distinct += len(coded.values)
                guard.check("distinct", distinct)
                columns[one.name] = _column(one, coded, tokens, notes_of_cells)
            guard.progress.tick(len(columns), len(kept))
    notes.extend([*file.notes, *notes_of_cells.sentences()])
    return Table(rows, columns), replace(options, encoding=file.encoding)


def _column(variable: Variable, coded: Column, tokens: frozenset[str], notes: _Notes) -> Column:
    """One column: without what is missing, by its labels where it has them."""
    column = replace(coded, title=variable.title)
    values = column.values
    labels = {
        code: text for code, text in variable.labels.items() if not _gone(variable, code, tokens)
    }
    gone = np.array([_gone(variable, value, tokens) for value in values.tolist()], np.bool_)
    for place, value in zip(np.flatnonzero(gone).tolist(), values[gone].tolist(), strict=True):
        if isinstance(value, str) and variable.textual and not value.strip():
            notes.missing[""] += int(column.counts[place])
        else:
            notes.missing[_missing_text(variable, value)] += int(column.counts[place])
    if column.holes:
        notes.missing[""] += column.holes
    column = column.without(gone)
    seen = column.values
    if not variable.textual and all(isinstance(value, (int, float)) for value in seen.tolist()):
        seen = whole_numbers(seen.astype(np.float64))
        column = replace(column, values=seen)
    if column.holes:
        notes.holes.append(variable.name)
    if labels and _are_states(variable, labels, seen):
        return _labelled(variable, column, labels, notes)
    if labels:
        notes.unused.append((variable.name, next(iter(labels.values()))))
        aliases = {label_of(code): " ".join(text.split()) for code, text in labels.items()}
        column = replace(column, aliases=aliases)
    ordinal = variable.measure == "ordinal" and column.numeric
    if ordinal:
        notes.ordinal.append(variable.name)
    return replace(column, ordinal=ordinal, nominal=variable.measure == "nominal")


def _gone(variable: Variable, value: Any, tokens: frozenset[str]) -> bool:
    """Whether a value counts as missing: in the file, or by its code or label in the options."""
    texts = (label_of(value).strip(), " ".join(variable.labels.get(value, "-").split()))
    return variable.is_missing(value) or texts[0] in tokens or bool(texts[1] and texts[1] in tokens)


def _missing_text(variable: Variable, value: Any) -> str:
    """A missing value as a note names it: its code, and its label."""
    code = f".{value}" if variable.is_letter(value) else label_of(value)
    label = variable.labels.get(value, "")
    return f"{code} {label}" if label else code


def _are_states(variable: Variable, labels: Mapping[Any, str], seen: NDArray[Any]) -> bool:
    """Whether the labels name states, and not a few of many quantities."""
    bare = sum(value not in labels for value in seen.tolist())
    if not bare or variable.textual or variable.measure in ("nominal", "ordinal"):
        return True
    return variable.measure != "scale" and bare <= _UNLABELLED


def _labelled(
    variable: Variable, column: Column, labels: Mapping[Any, str], notes: _Notes
) -> Column:
    """A column by its labels, in the order of the codes; one that no row holds is a state, too."""
    codes = [*column.values.tolist(), *(labels if variable.complete else ())]
    every = as_values(dict.fromkeys(codes))
    every = every[natural_order(every)]
    texts = [" ".join(labels.get(code, "").split()) or label_of(code) for code in every.tolist()]
    times, taken = Counter(texts), set(texts)
    for k, code in enumerate(every.tolist()):
        if times[texts[k]] > 1:
            if (variable.name, texts[k]) not in notes.alike:
                notes.alike.append((variable.name, texts[k]))
            texts[k] = f"{texts[k]} ({label_of(code)})"
            while texts[k] in taken:
                texts[k] += "'"
            taken.add(texts[k])
    place = {code: k for k, code in enumerate(every.tolist())}
    places = np.array([place[value] for value in column.values.tolist()], dtype=np.intp)
    ordinal = variable.measure == "ordinal"
    if ordinal:
        notes.ordinal.append(variable.name)
    made = column.recoded(places, texts)
    aliases = dict(zip(texts, map(label_of, every.tolist()), strict=True))
    return replace(made, ordered=True, declared=True, ordinal=ordinal, aliases=aliases)


def _variables(file: _File, options: ReadOptions) -> list[Variable]:
    names = [str(name) for name in file.about.column_names]
    if not names:
        raise ValueError("no columns")
    check_names(names)
    return [_variable(names[i], file) for i in choose(names, options)]


def _variable(name: str, file: _File) -> Variable:
    about = file.about
    title = " ".join((about.column_names_to_labels.get(name) or "").split())
    ranges = about.missing_ranges.get(name, [])
    return Variable(
        name,
        "" if title == name else title,
        textual=about.readstat_variable_types.get(name) == "string",
        measure=about.variable_measure.get(name, "unknown"),
        labels=dict(about.variable_value_labels.get(name, {})),
        missing=tuple((one["lo"], one["hi"]) for one in ranges),
        complete=file.gives_missing,
    )


def _coded(variable: Variable, cells: list[Any], rows: int) -> Column:
    """The distinct values of a column, and the codes of its rows."""
    if len(cells) != rows:
        raise ValueError("another number of rows than declared")
    if not variable.textual:
        # Dates, and the letters of missing values, are no numbers.
        with suppress(TypeError, ValueError):
            return Column.of(np.array(cells, dtype=np.float64), variable.name)
    column = Column.of(as_values(cells), variable.name)
    plain = [
        value if isinstance(value, (str, int, float)) else cell_text(value)
        for value in column.values.tolist()
    ]
    place = {value: k for k, value in enumerate(dict.fromkeys(plain))}
    return column.recoded(np.array([place[value] for value in plain], dtype=np.intp), [*place])


class _File:
    def __init__(self, data: bytes, options: ReadOptions, guard: Guard) -> None:
        import pyreadstat

        kind, reader = find_reader(data)
        if kind != options.format:
            raise ValueError("begins like another file")
        self.gives_missing = reader in _GIVES_MISSING
        self.notes: list[str] = []
        self._read = getattr(pyreadstat, reader)
        self._data = data
        self._most = guard.limits.cells
        self._options: dict[str, Any] = {"output_format": "dict"}
        if self.gives_missing:
            self._options["user_missing"] = True
        self._encoded = reader != "read_por"
        if options.encoding is not None and self._encoded:
            self._options["encoding"] = options.encoding
        self.about = self._try(metadataonly=True)[1]
        self.declared = max(0, self.about.number_rows or 0)

    @property
    def encoding(self) -> str | None:
        """The encoding that was given, or taken where the file's own fails."""
        return self._options.get("encoding")

    def read(self, variables: Sequence[Variable]) -> dict[str, list[Any]]:
        names = [one.name for one in variables]
        return dict(self._try(usecols=names, row_limit=self._most // len(names) + 1)[0])

    def _try(self, **options: Any) -> Any:
        """Read something; once more where another encoding, or numbers for dates, may help."""
        try:
            return self._read(io.BytesIO(self._data), **self._options, **options)
        except MemoryError:
            raise
        except Exception as reason:  # pyreadstat's own are of no common kind
            if not self._remedy(reason):
                raise
        return self._try(**options)

    def _remedy(self, reason: Exception) -> bool:
        """Whether there is another way to read the file, which is taken then."""
        foreign = isinstance(reason, UnicodeError) or "requested encoding" in str(reason)
        if foreign and self._encoded and "encoding" not in self._options:
            self._options["encoding"] = _WESTERN
            self.notes.append(
                f"Encoding (detected): {_WESTERN}, since the texts are not in the file's own; if "
                "letters look wrong, give it (encoding=)."
            )
            return True
        undated = "disable_datetime_conversion"
        if isinstance(reason, (ArithmeticError, ValueError)) and undated not in self._options:
            self._options[undated] = True
            self.notes.append("A date is beyond the calendar, so all dates stay numbers.")
            return True
        return False


@contextmanager
def _readable(content: Content, options: ReadOptions) -> Iterator[None]:
    try:
        yield
    except (DataError, MemoryError):
        raise
    except Exception as reason:  # a damaged file fails in any way
        why = str(reason)
        if "allocate" in why:
            raise MemoryError from None
        if "character set" in why:
            raise DataError(
                f"encoding={clip(options.encoding)} is not known for {content.title}; use 'utf-8' "
                "or 'windows-1252'."
            ) from None
        other = " or give its encoding (encoding=)" if "encoding" in why else ""
        kind = next(text for name, text in PROGRAMS.items() if name == options.format)
        raise DataError(
            f"{content.title} can't be read as {kind} ({type(reason).__name__}); "
            f"save it again,{other} or export it as CSV."
        ) from None
