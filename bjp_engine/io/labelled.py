"""SPSS, Stata and SAS files: codes with labels, missing codes, measurement levels and questions.

pyreadstat reads them some columns at a time. What a code stands for is decided on the distinct
values.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bjp_engine.columns import Column, Table, as_values
from bjp_engine.errors import clip, columns_text
from bjp_engine.io.excel import cell_text
from bjp_engine.io.headings import check_names, choose
from bjp_engine.io.limits import Guard
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.sources import PROGRAMS, Content, find_reader, readable
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

    def is_missing(self, value: Any, tokens: frozenset[str]) -> bool:
        """Whether a value counts as missing: in the file, or by the options."""
        label = " ".join(self.labels.get(value, "").split())
        if label_of(value).strip() in tokens or (label and label in tokens):
            return True
        return self.is_letter(value) or any(
            low <= value <= high
            for low, high in self.missing
            if isinstance(low, str) == self.textual
        )

    def is_letter(self, value: Any) -> bool:
        """Whether it is one of the missing values .a to .z of Stata and SAS; a date is longer."""
        return not self.textual and isinstance(value, str) and len(value) == 1

    def missing_text(self, value: Any) -> str:
        """A missing value as a note names it: its code, and its label."""
        if self.textual and not value.strip():
            return ""
        code = f".{value}" if self.is_letter(value) else label_of(value)
        return " ".join(filter(None, (code, self.labels.get(value))))

    def has_states(self, labels: Mapping[Any, str], seen: Sequence[Any]) -> bool:
        """Whether labels name states, and not a few of many quantities."""
        bare = sum(value not in labels for value in seen)
        if not bare or self.textual or self.measure in ("nominal", "ordinal"):
            return True
        return self.measure != "scale" and bare <= _UNLABELLED


class _Notes:
    """What was done with codes and labels, for one sentence each."""

    def __init__(self) -> None:
        self.missing = Counter[str]()  # how often each text was
        self.holes = list[Name]()  # columns with missing cells
        self.ordinal = list[Name]()
        self.unused = list[str]()
        self.alike = list[str]()

    def sentences(self) -> list[str]:
        """What the reader of the table should know."""
        ordered = f"Ordered, as the file says: {columns_text(self.ordinal)}."
        return [
            *[ordered] * bool(self.ordinal),
            *self.unused[:_MOST],
            *self.alike[:_MOST],
            *note_missing(self.missing, self.holes),
        ]


def read_labelled(
    content: Content, options: ReadOptions, guard: Guard, notes: list[str]
) -> tuple[Table, ReadOptions]:
    """The columns of an SPSS, Stata or SAS file, and the options that read them."""
    made, columns, distinct = _Notes(), dict[Name, Column](), 0
    tokens = frozenset([""] if options.missing_values is None else options.missing_values)
    assert options.format in PROGRAMS
    with readable(content.title, PROGRAMS[options.format]):
        file = _File(content.data, options, guard)
        names = [str(name) for name in file.about.column_names]
        if not names:
            raise ValueError("no columns")
        check_names(names)
        kept = [names[i] for i in choose(names, options)]
        guard.check("columns", len(kept))
        guard.check("cells", file.declared * len(kept))
        # Some files don't say how many rows they have.
        rows = file.declared or len(file.read(kept[:1])[kept[0]])
        guard.check("cells", rows * len(kept))
        size = max(1, _CELLS // max(1, rows))
        for start in range(0, len(kept) if rows else 0, size):
            cells = file.read(kept[start : start + size])
            for name in kept[start : start + size]:
                variable = file.variable(name)
                coded = _coded(variable, cells.pop(name), rows)
                distinct += len(coded.values)
                guard.check("distinct", distinct)
                columns[name] = _column(variable, coded, tokens, made)
            guard.progress.tick(len(columns), len(kept))
    notes.extend([*file.notes, *made.sentences()])
    return Table(rows, columns), replace(options, encoding=file.encoding)


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


def _column(variable: Variable, column: Column, tokens: frozenset[str], notes: _Notes) -> Column:
    """One column: without what is missing, by its labels where it has them."""
    values, name = column.values.tolist(), variable.name
    gone = np.array([variable.is_missing(value, tokens) for value in values], np.bool_)
    for place in np.flatnonzero(gone).tolist():
        notes.missing[variable.missing_text(values[place])] += int(column.counts[place])
    notes.missing[""] += column.holes
    column = replace(column.without(gone), title=variable.title)
    if column.holes:
        notes.holes.append(name)
    seen = column.values.tolist()
    if not variable.textual and all(isinstance(value, (int, float)) for value in seen):
        column = replace(column, values=whole_numbers(column.values.astype(np.float64)))
    labels = {
        code: " ".join(text.split())
        for code, text in variable.labels.items()
        if not variable.is_missing(code, tokens)
    }
    ordinal = variable.measure == "ordinal"
    if labels and variable.has_states(labels, seen):
        column = _labelled(variable, column, labels, notes)
    else:
        if labels:
            such = f"few of them have a label, such as {clip(next(iter(labels.values())), 30)}"
            notes.unused.append(f"Column {clip(name)} stays numbers, since {such}.")
            aliases = {label_of(code): text for code, text in labels.items()}
            column = replace(column, aliases=aliases)
        ordinal &= column.numeric
        column = replace(column, nominal=variable.measure == "nominal")
    if ordinal:
        notes.ordinal.append(name)
    return replace(column, ordinal=ordinal)


def _labelled(
    variable: Variable, column: Column, labels: Mapping[Any, str], notes: _Notes
) -> Column:
    """A column by its labels, in the order of the codes; one that no row holds is a state, too."""
    seen = column.values.tolist()
    every = as_values(dict.fromkeys([*seen, *(labels if variable.complete else ())]))
    codes = every[natural_order(every)].tolist()
    plain = [labels.get(code) or label_of(code) for code in codes]
    texts, taken, times = list[str](), set(plain), Counter(plain)
    for code, text in zip(codes, plain, strict=True):
        name = text if times[text] == 1 else f"{text} ({label_of(code)})"
        while name != text and name in taken:
            name += "'"
        taken.add(name)
        texts.append(name)
    notes.alike += [
        f"Column {clip(variable.name)} has two values labelled {clip(text, 30)}; their codes were "
        "added to tell them apart."
        for text in times
        if times[text] > 1
    ]
    place = {code: k for k, code in enumerate(codes)}
    made = column.recoded(np.array([place[value] for value in seen], dtype=np.intp), texts)
    aliases = dict(zip(texts, map(label_of, codes), strict=True))
    return replace(made, ordered=True, declared=True, aliases=aliases)


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

    def variable(self, name: str) -> Variable:
        """What the file says of a column."""
        about = self.about
        title = " ".join((about.column_names_to_labels.get(name) or "").split())
        return Variable(
            name,
            "" if title == name else title,
            textual=about.readstat_variable_types.get(name) == "string",
            measure=about.variable_measure.get(name, "unknown"),
            labels=dict(about.variable_value_labels.get(name, {})),
            missing=tuple((one["lo"], one["hi"]) for one in about.missing_ranges.get(name, [])),
            complete=self.gives_missing,
        )

    def read(self, names: list[str]) -> dict[str, list[Any]]:
        """The cells of some columns."""
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
