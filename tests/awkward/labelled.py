"""Awkward SPSS, Stata and SAS files: labels that clash, damage, files under other names."""

import tempfile
from pathlib import Path

import pandas as pd
import pyreadstat

from tests.awkward.case import read, refused

SAV, DTA, XPT = {"file": "t.sav"}, {"file": "t.dta"}, {"file": "t.xpt"}
ANSWERS = {"a": [1.0, 2.0, 9.0, None], "b": ["x", "", "y", "x"]}


def stored(write, columns=ANSWERS, **how):
    """A file as pyreadstat writes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        write(pd.DataFrame(columns), str(path), **how)
        return path.read_bytes()


def sav(**how):
    """An SPSS file."""
    return stored(pyreadstat.write_sav, **how)


LABELS = {"a": {1: "yes", 2: "no", 3: "maybe", 9: "refused"}}
CASES = (
    read(
        "labels and missing codes",
        lambda: sav(variable_value_labels=LABELS, missing_ranges={"a": [9]}),
        ("a", "b"),
        4,
        labels={"a": ("yes", "no", "maybe"), "b": ("x", "y")},
        says="'9 refused' 1×",
        **SAV,
    ),
    read(
        "one label twice",
        lambda: sav(variable_value_labels={"a": {1: "yes", 2: "yes"}}),
        ("a", "b"),
        4,
        labels={"a": ("yes (1)", "yes (2)", "9")},
        says="Values with the same label",
        **SAV,
    ),
    read("zsav by its first bytes", lambda: sav(compress=True), ("a", "b"), 4, file=""),
    read("compressed rows", lambda: sav(row_compress=True), ("a", "b"), 4, **SAV),
    read("Stata", lambda: stored(pyreadstat.write_dta), ("a", "b"), 4, **DTA),
    read("Stata 8", lambda: stored(pyreadstat.write_dta, version=8), ("a", "b"), 4, file=""),
    read("SAS transport", lambda: stored(pyreadstat.write_xport), ("a", "b"), 4, **XPT),
    read(
        "SPSS portable",
        lambda: stored(pyreadstat.write_por, {"A": [1.0, 2.0]}),
        ("A",),
        2,
        file="t.por",
    ),
    refused("SPSS cut short", lambda: sav()[:-9], "can't be read as an SPSS file", **SAV),
    refused("SPSS without rows", lambda: sav(columns={"a": []}), "has no rows", **SAV),
    refused("a text named .sav", b"a,b\n1,2\n", "can't be read as an SPSS file", **SAV),
    refused("Stata named .sav", lambda: stored(pyreadstat.write_dta), "an SPSS file", **SAV),
    refused("SPSS named .csv", sav, "format='spss'"),
    refused("nothing but the mark of SPSS", b"$FL2@(#)", "an SPSS file", **SAV),
)
