"""How a table is read: every choice that a reader of files may make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.io.delimited import check_delimiter

Format = Literal["csv", "tsv", "parquet", "excel", "libra"]
FORMATS: tuple[Format, ...] = ("csv", "tsv", "parquet", "excel", "libra")


class ReadArguments(TypedDict, total=False):
    """The fields of `ReadOptions` as keyword arguments."""

    format: Format | None
    delimiter: str | None
    columns: Sequence[Name] | None
    sheet: Name | None
    header: bool
    encoding: str | None
    index_column: Name | None
    missing_values: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a table is read; by default everything is found out from the file.

    Parameters
    ----------
    format : {"csv", "tsv", "parquet", "excel", "libra"}, optional
        By default what the file's extension says, or its first bytes where it has none.
    delimiter : str, optional
        Text tables: the character between cells; by default the most even of , tab ; |.
    columns : sequence of str or int, optional
        The columns to keep, by name or index, in the order wanted; by default all.
    sheet : str or int, optional
        Excel: the sheet by name or index; by default the first.
    header : bool
        Text tables and Excel: whether the first line holds the names. Without one the
        names are the indices 0..n-1.
    encoding : str, optional
        Text tables: by default found by byte order mark, else UTF-8, else Windows-1252.
    index_column : str or int, optional
        A column of row names to leave out. By default ("auto") an unnamed first column
        that counts 0..N-1 or 1..N; None keeps every column.
    missing_values : sequence of str, optional
        The cells that count as missing. By default `cells.MISSING_VALUES` (empty, "?",
        "NA", "NaN", "NULL", … but not "None") in text tables and Excel; only empty text
        in Parquet, which has missing values of its own and where only text is looked at.

    Raises
    ------
    OptionError
        If one is out of range.
    """

    format: Format | None = None
    delimiter: str | None = None
    columns: Sequence[Name] | None = None
    sheet: Name | None = None
    header: bool = True
    encoding: str | None = None
    index_column: Name | None = "auto"
    missing_values: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Refuse what no reader could follow."""
        if self.format is not None and self.format not in FORMATS:
            known = ", ".join(repr(name) for name in FORMATS)
            raise OptionError(f"format={clip(self.format)} is not known; use one of {known}.")
        check_delimiter(self.delimiter)
        for name in ("columns", "missing_values"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
                raise OptionError(f"{name}={clip(value)} must be a list.")
            object.__setattr__(self, name, tuple(value))
        if self.columns is not None and not self.columns:
            raise OptionError("columns is empty; name at least one column.")
        if not isinstance(self.header, bool):
            raise OptionError(f"header={clip(self.header)} must be True or False.")
        if self.encoding is not None and not isinstance(self.encoding, str):
            raise OptionError(f"encoding={clip(self.encoding)} must be the name of an encoding.")

    @classmethod
    def of(cls, arguments: dict[str, Any] | ReadArguments) -> ReadOptions:
        """Options from keyword arguments.

        Parameters
        ----------
        arguments : dict

        Returns
        -------
        ReadOptions

        Raises
        ------
        OptionError
            If there is no such option.
        """
        known = [field.name for field in fields(cls)]
        for name in arguments:
            if name not in known:
                raise OptionError(
                    f"There is no option {clip(name)}; a table is read with {', '.join(known)}."
                )
        return cls(**arguments)
