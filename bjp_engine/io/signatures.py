"""By which first bytes files of SPSS, Stata and SAS are known."""

from __future__ import annotations

from typing import Literal

Labelled = Literal["spss", "stata", "sas"]
# What a sentence calls a file of each.
PROGRAMS: dict[Labelled, str] = {
    "spss": "an SPSS file",
    "stata": "a Stata file",
    "sas": "a SAS file",
}

# Old Stata files begin with their version, the order of their bytes, and 1.
_OLD_STATA = tuple(
    bytes([version, order, 1]) for version in (104, 105, 108, *range(110, 116)) for order in (1, 2)
)
_SAS = bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00"
_READERS: tuple[tuple[tuple[bytes, ...], Labelled, str], ...] = (
    ((b"$FL2@(#)", b"$FL3@(#)"), "spss", "read_sav"),
    ((b"<stata_dta>", *_OLD_STATA), "stata", "read_dta"),
    ((_SAS,), "sas", "read_sas7bdat"),
    ((b"HEADER RECORD*******LIB",), "sas", "read_xport"),
)
# A portable file says what it is in several alphabets.
_PORTABLE, _WITHIN = b"SPSS PORT FILE", 500


def find_reader(data: bytes) -> tuple[Labelled | None, str]:
    """The format of a file, and the function of pyreadstat that reads it; None and "" of others."""
    for heads, kind, reader in _READERS:
        if data.startswith(heads):
            return kind, reader
    return ("spss", "read_por") if _PORTABLE in data[:_WITHIN] else (None, "")
