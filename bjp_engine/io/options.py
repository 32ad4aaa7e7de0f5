"""How a table is read: every choice that a reader of files may make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict, get_args

from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.io.limits import Limits
from bjp_engine.validate import (
    Name,
    VariableIndex,
    choice,
    entries,
    sentences,
    text,
    whole_number,
)

Format = Literal["csv", "tsv", "parquet", "excel", "spss", "stata", "sas", "arff"]
AUTO = "auto"
FORMATS: tuple[Format, ...] = get_args(Format)


class ReadArguments(TypedDict, total=False):
    """The fields of `ReadOptions` as keyword arguments."""

    format: Format | None
    delimiter: str | None
    columns: Sequence[Name] | None
    sheet: Name | None
    header_rows: int | str
    encoding: str | None
    missing_values: Sequence[str] | None
    quote: str | None
    skip_lines: int | str
    decimal: str
    limits: Limits | None


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a table is read; by default everything is detected.

    Parameters
    ----------
    format : {"csv", "tsv", "parquet", "excel", "spss", "stata", "sas", "arff"}, optional
        By default what the file's extension says, or its first bytes where it has none.
    delimiter : str, optional
        Of text: one character, or "whitespace" for any number of spaces and tabs.
    columns : sequence of str or int, optional
        The columns to keep, by name or index, in the order wanted.
    sheet : str or int, optional
        Of a workbook, by name or index.
    header_rows : int or "auto"
        Of text and workbooks: how many lines at the top hold names, question texts or import ids
        (docs/surveys.md). Where there is none, 0, as usual in files that end in .data, the columns
        are named by place: "column 1", "column 2" …
    encoding : str, optional
        By default detected in text, and else what the file says.
    missing_values : sequence of str, optional
        The cells that count as missing. By default `values.MISSING_VALUES` (empty, "?", "NA",
        "NaN", "NULL", … but not "None") in text and workbooks; only empty text in Parquet, which
        has missing values of its own; in SPSS, Stata and SAS files, which have such codes too, each
        is a code or its label.
    quote : str or None
        Of text: the character around cells that hold the delimiter.
    skip_lines : int or "auto"
        Of text and workbooks: lines, or rows, above the table to leave out.
    decimal : {"auto", ".", ","}
        Of text and workbooks. What parts thousands is detected.
    limits : Limits, optional
        By default what the environment says, see `Limits.from_environment`.
    """

    format: Format | None = None
    delimiter: str | None = None
    columns: Sequence[Name] | None = None
    sheet: Name | None = None
    header_rows: int | str = AUTO
    encoding: str | None = None
    missing_values: Sequence[str] | None = None
    quote: str | None = '"'
    skip_lines: int | str = AUTO
    decimal: str = AUTO
    limits: Limits | None = None

    def __post_init__(self) -> None:
        """Refuse what no reader could follow."""
        if self.format is not None:
            choice(self.format, "format", FORMATS)
        for name, check in (("columns", entries), ("missing_values", sentences)):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, check(value, name))
        if self.columns is not None and not self.columns:
            raise OptionError("columns is empty; name at least one column.")
        if self.encoding is not None:
            text(self.encoding, "encoding")
        for name in ("skip_lines", "header_rows"):
            if getattr(self, name) != AUTO:
                whole_number(getattr(self, name), name)
        choice(self.decimal, "decimal", (AUTO, ".", ","))
        self._check_marks()

    def _check_marks(self) -> None:
        marks = {"delimiter": ('"', "'whitespace'"), "quote": (f" {self.delimiter or ''}", "None")}
        for name, (wrong, other) in marks.items():
            mark = getattr(self, name)
            if mark is None or (name, mark) == ("delimiter", "whitespace"):
                continue
            if not (isinstance(mark, str) and len(mark) == 1) or mark in f"{wrong}\r\n\0":
                raise OptionError(
                    f"{name}={clip(mark)} can't be used; give one character that has no other use, "
                    f"or {other}."
                )

    def places(self, names: Sequence[Name]) -> list[int]:
        """Where the columns to be read stand."""
        if not names:
            raise DataError("The file has no column besides its row names; it needs one variable.")
        if self.columns is None:
            return list(range(len(names)))
        places = [*map(VariableIndex(names).place, self.columns)]
        for place, times in Counter(places).items():
            if times > 1:
                raise DataError(f"columns has {clip(names[place])} twice; name it once.")
        return places

    @classmethod
    def of(cls, arguments: dict[str, Any] | ReadArguments) -> ReadOptions:
        """Options from keyword arguments; an unknown one is refused."""
        known = [field.name for field in fields(cls)]
        for name in arguments:
            if name not in known:
                raise OptionError(
                    f"There is no option {clip(name)}; a table is read with {', '.join(known)}."
                )
        return cls(**arguments)
