"""How a table is read: every choice that a reader of files may make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict, get_args

from bjp_engine.errors import OptionError, clip
from bjp_engine.io.limits import Limits
from bjp_engine.validate import Name, choice, text, truth, whole_number

Format = Literal["csv", "tsv", "parquet", "excel", "libra", "spss", "stata", "sas", "arff"]
Malformed = Literal["error", "skip"]
AUTO = "auto"
THOUSANDS = (",", ".", " ", "'", "\u00a0", "\u202f")
FORMATS: tuple[Format, ...] = get_args(Format)


class ReadArguments(TypedDict, total=False):
    """The fields of `ReadOptions` as keyword arguments."""

    format: Format | None
    delimiter: str | None
    columns: Sequence[Name] | None
    sheet: Name | None
    header: bool
    header_rows: int | str
    encoding: str | None
    index_column: Name | None
    missing_values: Sequence[str] | None
    quote: str | None
    comment: str | None
    skip_lines: int | str
    decimal: str
    thousands: str | None
    malformed: Malformed
    member: str | None
    limits: Limits | None


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a table is read; by default everything is detected.

    Parameters
    ----------
    format : {"csv", "tsv", "parquet", "excel", "libra", "spss", "stata", "sas", "arff"}, optional
        By default what the file's extension says, or its first bytes where it has none.
    delimiter : str, optional
        Text tables: the character between cells, or "whitespace" for any number of spaces and
        tabs; by default the most even of , tab ; | or, where none of them occurs, spaces.
    columns : sequence of str or int, optional
        The columns to keep, by name or index, in the order wanted; by default all.
    sheet : str or int, optional
        Excel: the sheet by name or index; by default the first.
    header : bool
        Text tables and Excel: whether the first line holds the names. Without one the
        names are the indices 0..n-1.
    header_rows : int or "auto"
        Text tables and Excel with a header: how many lines at the top hold names, question texts
        or import ids. The shortest distinct names are taken, the other texts become titles. By
        default more than one only where the others can hardly be rows (docs/surveys.md).
    encoding : str, optional
        Text tables: by default detected by byte order mark, else UTF-8, else UTF-16 by its
        zero bytes, else by the letters of its script, else Windows-1252. SPSS, Stata and SAS: by
        default what the file says.
    index_column : str or int, optional
        A column of row names to leave out. By default ("auto") an unnamed first column
        with another value in each row; None keeps every column.
    missing_values : sequence of str, optional
        The cells that count as missing. By default `values.MISSING_VALUES` (empty, "?",
        "NA", "NaN", "NULL", … but not "None") in text tables and Excel; only empty text
        in Parquet, which has missing values of its own and where only text is looked at; in
        SPSS, Stata and SAS files, which have such codes too, each is a code or its label.
    quote : str or None
        Text tables: the character around cells that hold the delimiter.
    comment : str or None
        Text tables: what a line to be left out begins with. By default ("auto") # or %, above
        the table or where the line has another number of cells.
    skip_lines : int or "auto"
        Text tables and Excel: lines, or rows, above the table to leave out. By default those that
        hold a title and are narrower than the table, if there is a header.
    decimal, thousands : str or None
        Text tables and Excel: "." or ",", and one of `THOUSANDS` or None. By default ("auto")
        what the cells say beyond doubt.
    malformed : {"error", "skip"}
        Text tables: what to do with a row that has another number of cells.
    member : str, optional
        Zip archives of several files: which one is the table.
    limits : Limits, optional
        By default what the environment says, see `Limits.from_environment`.
    """

    format: Format | None = None
    delimiter: str | None = None
    columns: Sequence[Name] | None = None
    sheet: Name | None = None
    header: bool = True
    header_rows: int | str = AUTO
    encoding: str | None = None
    index_column: Name | None = "auto"
    missing_values: Sequence[str] | None = None
    quote: str | None = '"'
    comment: str | None = AUTO
    skip_lines: int | str = AUTO
    decimal: str = AUTO
    thousands: str | None = AUTO
    malformed: Malformed = "error"
    member: str | None = None
    limits: Limits | None = None

    def __post_init__(self) -> None:
        """Refuse what no reader could follow."""
        if self.format is not None:
            choice(self.format, "format", FORMATS)
        for name in ("columns", "missing_values"):
            value = getattr(self, name)
            if value is not None:
                if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
                    raise OptionError(f"{name}={clip(value)} must be a list.")
                object.__setattr__(self, name, tuple(value))
        if self.columns is not None and not self.columns:
            raise OptionError("columns is empty; name at least one column.")
        truth(self.header, "header")
        for name in ("encoding", "member", "comment"):
            if getattr(self, name) is not None:
                text(getattr(self, name), name)
        self._check_lines()
        choice(self.malformed, "malformed", ("error", "skip"))
        if self.limits is not None and not isinstance(self.limits, Limits):
            raise OptionError(f"limits={clip(self.limits)} must be Limits(…).")
        self._check_characters()

    def _check_lines(self) -> None:
        if self.skip_lines != AUTO:
            whole_number(self.skip_lines, "skip_lines")
        if self.header_rows != AUTO:
            whole_number(self.header_rows, "header_rows", 1)

    def _check_characters(self) -> None:
        one = isinstance(self.delimiter, str) and len(self.delimiter) == 1
        if self.delimiter not in (None, "whitespace") and (
            not one or str(self.delimiter) in '"\r\n\0'
        ):
            raise OptionError(
                f"delimiter={self.delimiter!a} can't separate cells; give one character "
                "or 'whitespace'."
            )
        one = isinstance(self.quote, str) and len(self.quote) == 1 and self.quote.isprintable()
        if self.quote is not None and (not one or self.quote in (self.delimiter, " ")):
            raise OptionError(
                f"quote={clip(self.quote)} must be one character other than the delimiter, or None."
            )
        choice(self.decimal, "decimal", (AUTO, ".", ","))
        if self.thousands is not None:
            choice(self.thousands, "thousands", (AUTO, *THOUSANDS))
        if self.decimal == self.thousands != AUTO:
            raise OptionError("decimal and thousands are the same character; give one of them.")

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
