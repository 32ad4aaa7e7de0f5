"""Columns that number persons or other units, and codes: values that are names, not amounts.

A person's number in several rows means that these rows are not independent of each other, which no
test, interval or permutation of rows allows for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Ints
from bjp_engine.columns import FEW_ROWS, FEW_STATES, Column
from bjp_engine.errors import clip
from bjp_engine.labels import label_of
from bjp_engine.validate import Name

# Of more different values, with fewer rows each, a column lists what it names.
MANY_STATES, ROWS_EACH = 50, 10
# Longer names are questions.
_LONGEST_NAME = 100
# Values that are looked at.
_LOOKED_AT = 200
# Who or what is numbered. In the plural it is counted, as in "patients".
_UNIT = (
    "participant|partic|subject|subj|sujet|sujeto|person|persona|pers|patient|paciente|pat"
    "|respondent|resp|proband(?:in)?|versuchsperson|vpn?|teilnehmer(?:in)?|case|student|pupil"
    "|sch(?:ü|ue)ler(?:in)?|employee|worker|user|member|customer|client|kunden?|child|twin|animal"
    "|household|haushalt|hh|family|mother|donor|panel(?:ist)?|interview|questionnaire|record"
    "|serial|rater|resident|voter"
)
_ID = "ids?|ident|identifier|identifikation|identifiant|identificador|kennung|kennziffer"
# id, ID_2, subjectId, patient_no, VPN-Code, and what some panels call theirs.
_NAMED = re.compile(
    rf"(?:.*[\W_\d])?(?:{_ID})(?:[\W_].*|\d+)?|(?-i:.*[a-z]I[Dd]|i[Dd][A-Z].*)"
    rf"|(?:.*[\W_])?(?:{_UNIT})[\W_]*(?:{_ID}|nr|no|number|nummer|num[ée]ro|code|key)\W*"
    r"|[pshuc]id|uuid|guid|pidp|hidp|idno|mergeid|seqn|mrn|lfd[\W_]*n?r?|nomem_encr|folio|e?-?mail"
    r"|user[\W_]*name",
    re.IGNORECASE,
)
_NOUN = re.compile(rf"(?:{_UNIT}|nr|nummer)\W*\d*", re.IGNORECASE)
# Codes of places, occupations, devices.
_CODE = re.compile(
    r"(?:.*[\W_])?(?:\w*codes?|zip|plz|postleitzahl|phone\w*|tel|telefon\w*|fax|fips|iban|isbn|ean"
    r"|upc|icd\w*|isco\w*|nace\w*|naics\w*|siren|siret)\W*\d*",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"[-+]?\d*[.,]\d+(?:e[-+]?\d+)?|[-+]?\d+e-\d+")
# P017, vp-3, 5001.
_RUNNING = re.compile(r"[^\W\d]{0,4}[\W_]?\d{1,15}")
# Running numbers: so many rows have their own, and so many from the least to the largest occur.
_NEARLY_ALL, _GAPLESS = 0.9, 0.8
# Numbers of at least seven digits, all as long, are those of accounts or students.
_LONG = 1e6
# The numbers of persons have so few rows each; or their counts differ less than by chance, whose
# variance is their mean. In fewer lines, running numbers may be anything.
_FEW_EACH, _EVEN, _LEAST = 6, 0.5, 4
# So improbable, as a natural logarithm, is it that rows agree by chance.
_CHANCE = 14.0
_SO, ADVICE = "p-values are too small and intervals too narrow", " Leave the column out."

# By labels, or as they are.
Values = Sequence[str] | NDArray[Any]


def is_code(name: Name) -> bool:
    """Whether a column of numbers is named like one of codes, such as a postcode."""
    return _CODE.fullmatch(_title(name)) is not None


def is_numbering(name: Name) -> bool:
    """Whether a column is named like the number of a person or another unit."""
    return _NAMED.fullmatch(_title(name)) is not None


def is_repeated(name: Name, values: Values, counts: Ints) -> bool:
    """Whether a column looks like the number of a person or unit, and one has several rows.

    By its name; or as numbers that run on, nearly each in one row.
    """
    held = np.flatnonzero(counts)
    states, rows = len(held), int(counts.sum())
    if not FEW_STATES < states < rows or has_fraction(values, counts):
        return False
    if is_numbering(name):
        return True
    if _NOUN.fullmatch(_title(name)):
        looked = (label_of(values[k]) for k in held[:_LOOKED_AT].tolist())
        return states > MANY_STATES or all(map(_RUNNING.fullmatch, looked))
    if states < _NEARLY_ALL * rows or rows < FEW_ROWS or is_code(name):
        return False
    try:
        numbers = np.array([values[k] for k in held.tolist()], dtype=np.float64)
    except (TypeError, ValueError):
        return False
    whole = bool((np.trunc(numbers) == numbers).all())
    return whole and states >= _GAPLESS * (float(np.ptp(numbers)) + 1)


def is_identifier(name: Name, column: Column) -> bool:
    """Whether each row has a value of its own that is no amount.

    Numbers are none by their name, or where they run on with few gaps or are long and of one
    length; amounts that happen to differ lie apart.
    """
    held = column.counts > 0
    states = int(np.count_nonzero(held))
    if not states == column.rows - column.holes >= FEW_ROWS or column.fractional:
        return False
    if not column.numeric or column.nominal or is_numbering(name) or is_code(name):
        return True
    numbers = np.abs(column.numbers[held])
    dense = states >= _GAPLESS * (float(np.ptp(column.numbers[held])) + 1)
    length = 10.0 ** np.floor(np.log10(max(float(numbers.max()), 1)))
    long = length >= _LONG and bool(numbers.min() >= length)
    return dense or long or _NOUN.fullmatch(_title(name)) is not None


def is_running(column: Column) -> bool:
    """Whether a column numbers the rows from 0 or 1 on, as row names do."""
    rows = column.rows
    if not column.numeric or rows < _LEAST or len(column.values) != rows or column.holes:
        return False
    first = float(column.numbers[column.codes[0]])
    return first in (0, 1) and bool((column.numbers[column.codes] == first + np.arange(rows)).all())


def find_units(columns: Mapping[Name, Column]) -> Iterator[Name]:
    """Columns that repeat the same few times, with another column constant within each value.

    Persons with several visits look so, whatever their column is called: sex is the same in each
    row of a person. So does a column whose values stand in one row of each person and are missing
    in the others.
    """
    shown = [one for one in columns.values() if np.count_nonzero(one.counts) > 1]
    for name, column in columns.items():
        counts = column.counts[column.counts > 0]
        rows = int(counts.sum())
        some = FEW_STATES < len(counts) <= rows / 2 and not column.declared
        if not some or has_fraction(column.values, column.counts):
            continue
        even = counts.var() < _EVEN * counts.mean()
        # Persons have numbers; a town or a trade that is as rare is a word.
        if not even and _has_digits(column):
            even = counts.mean() <= _FEW_EACH
        if even and any(_is_constant_within(column, one) for one in shown if one is not column):
            yield name


def _is_constant_within(column: Column, other: Column) -> bool:
    """Whether each value of a column goes with one of the other, beyond what chance would do."""
    states = np.count_nonzero(other.counts)
    if states * 2 > np.count_nonzero(column.counts):
        return False
    held = (column.codes >= 0) & (other.codes >= 0)
    codes, others = column.codes[held].astype(np.intp), other.codes[held]
    first = np.full(len(column.values), -1, dtype=np.intp)
    first[codes[::-1]] = others[::-1]
    alike = first[codes] == others
    if not alike.all() or _is_cut_from(column, first):
        return False
    units = int(np.count_nonzero(first >= 0))
    again = len(codes) - units
    # One row of each person holds it, or so many rows agree with another one.
    single = again == 0 and units > FEW_STATES and units == np.count_nonzero(column.counts)
    share = float(np.square(other.counts / max(1, other.counts.sum())).sum())
    return bool(single and other.holes) or again * -np.log(share) > _CHANCE


def _has_digits(column: Column) -> bool:
    """Whether most values that occur have a digit."""
    labels = [label_of(column.values[k]) for k in np.flatnonzero(column.counts)[:_LOOKED_AT]]
    return 2 * sum(any(map(str.isdigit, label)) for label in labels) > len(labels)


def _is_cut_from(column: Column, classes: NDArray[np.intp]) -> bool:
    """Whether the classes of its values are intervals, as of an age and its group."""
    try:
        numbers = np.array([float(label_of(value)) for value in column.values])
    except ValueError:
        return False
    there = classes >= 0
    in_order = classes[there][np.argsort(numbers[there], kind="stable")]
    return int(np.count_nonzero(np.diff(in_order))) + 1 == len(np.unique(in_order))


def has_fraction(values: Values, counts: Ints) -> bool:
    """Whether a value is a number that is not whole, as of a measurement."""
    looked = np.flatnonzero(counts)[:_LOOKED_AT].tolist()
    return any(_FRACTION.fullmatch(label_of(values[k])) for k in looked)


def describe_identifier(name: Name, values: Values, counts: Ints) -> str:
    """What is to be known of a column that identifies rows or persons; empty where none does."""
    rows = int(counts.sum())
    if np.count_nonzero(counts) == rows >= FEW_ROWS and not has_fraction(values, counts):
        return (
            f"Column {clip(name)} has a different value in each of {rows:,} rows; leave an "
            "identifier out."
        )
    if is_repeated(name, values, counts):
        return f"{describe_repeats(name, counts)}{ADVICE}"
    return ""


def describe_repeats(name: Name, counts: Ints, so: str = _SO) -> str:
    """What follows from a person's number that occurs in several rows, each value so often."""
    return (
        f"Column {clip(name, 30)} looks like the number of a person or another unit: "
        f"{np.count_nonzero(counts):,} different values in {counts.sum():,} rows, up to "
        f"{counts.max():,} rows each. Rows of one person or unit are not independent of each "
        f"other, so {so}."
    )


def _title(name: Name) -> str:
    """A name as patterns take it, whose time grows with the square of its length."""
    return str(name).strip() if len(str(name)) <= _LONGEST_NAME else ""
