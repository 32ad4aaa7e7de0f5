"""The text of a value, the natural order of values, and which texts are codes of places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Places

MISSING_LABEL = "(missing)"

_DIGITS = re.compile(r"(\d+)")
# A number as a value has it, and not as a code such as 007.
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d{1,3})?", re.IGNORECASE | re.ASCII)
_TRUTH = {"true": 1, "false": 0}
# Python refuses to read more of them as one number, since that takes long.
_MOST_DIGITS = 4000


# The codes of countries by ISO 3166, of those the ones that are states of the USA as well, and of
# continents: among them NA is Namibia or North America.
_COUNTRIES = (
    "ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCL"
    "CMCNCOCRCUCVCWCXCYCZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGU"
    "GWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMC"
    "MDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPT"
    "PWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZUA"
    "UGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZW"
)
_STATES_TOO = "ALARAZCACODEGAIDILINKYLAMAMDMEMNMOMSMTNCNEPASCSDTNVA"
_CONTINENTS = "AFANASEUOCSA"


def count_places(texts: Sequence[str]) -> int:
    """How many other codes of countries or continents NA stands among; 0 where others are none."""
    others = {text for text in texts if text not in ("NA", "")}
    if "NA" not in texts or len(others) > len(_COUNTRIES):
        return 0
    of_places, of_states, of_continents = (
        {codes[k : k + 2] for k in range(0, len(codes), 2)}
        for codes in (_COUNTRIES, _STATES_TOO, _CONTINENTS)
    )
    known = (others <= of_places and not others <= of_states) or others <= of_continents
    return len(others) if known else 0


def label_of(value: object) -> str:
    """A value as text: whole numbers without a decimal point."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def labels_of(values: NDArray[Any]) -> tuple[str, ...]:
    """The text of each value of an array."""
    # Half-precision numbers have fewer digits than the Python numbers made of them.
    short = values.dtype in (np.float32, np.float16)
    return tuple(map(label_of, values if short else values.tolist()))


def match_states(known: Sequence[str], given: Iterable[object]) -> list[int]:
    """The place of each value among known states, and their number where it is none of them.

    Numbers agree by size ("1.0" is 1). Truth values are 1 and 0 unless a known state is another
    number. Where two known states agree so, only the very text of each is that state.
    """
    sizes = [_size(label) for label in known]
    truths = {size for size in sizes if size is not None} <= {0, 1}
    if truths:
        sizes = [_TRUTH.get(label.lower(), size) for label, size in zip(known, sizes, strict=True)]
    often = Counter(sizes)
    by_size = {size: k for k, size in enumerate(sizes) if often[size] == 1}
    place: dict[str, int] = {label: k for k, label in enumerate(known)}
    found = []
    for label in map(label_of, given):
        size = _TRUTH.get(label.lower(), _size(label)) if truths else _size(label)
        other = len(known) if size is None else by_size.get(size, len(known))
        found.append(place.get(label, other))
    return found


def _size(label: str) -> Decimal | int | None:
    """The number that a label is the text of."""
    return Decimal(label) if _PLAIN.fullmatch(label) else None


def natural_key(value: object) -> tuple[Any, ...]:
    """Sort key: numbers by size, then text with its digits read as numbers."""
    text = label_of(value)
    number = _number(value)
    if number is not None:
        return (0, number, text)
    pieces = tuple(
        (0, int(p), "") if p.isdecimal() and len(p) <= _MOST_DIGITS else (1, 0, p)
        for p in _DIGITS.split(text)
        if p
    )
    return (1, pieces, text)


def natural_order(values: NDArray[Any]) -> Places:
    """The places of some values in natural order."""
    if values.dtype.kind in "iufb" and np.isfinite(values).all():
        return np.argsort(values, kind="stable")
    listed = values.tolist()
    order = sorted(range(len(listed)), key=lambda place: natural_key(listed[place]))
    return np.array(order, dtype=np.intp)


def _number(value: object) -> float | None:
    """The value as a finite number, or None where it is something else."""
    if not isinstance(value, (int, float, np.integer, np.floating, np.bool_, str)):
        return None
    if isinstance(value, str) and "_" in value:
        # Python's programs may write 1_10 for 110; a table doesn't.
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None
