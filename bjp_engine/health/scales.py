"""Which variables are ordered answers: words of a known scale, intervals, and items in numbers."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.columns import Column
from bjp_engine.health.code_order import CodeOrder, code_orders, group_p
from bjp_engine.labels import has_order, natural_key
from bjp_engine.preparation.states import trimmed, usual_spellings
from bjp_engine.validate import Name

# Items have so many states, and so many of them make a battery.
_STATES = range(3, 13)
_ITEMS = 3
# Patterns take time that grows with the square of a name's length.
_LONGEST_NAME = 200
# Numbers as text; one that begins with 0, as a postcode may, is a code.
_PLAIN = re.compile(r"[-−]?\d+(?:[.,]\d+)?")
_ZERO = re.compile(r"0\d")
# A name that only numbers the columns of a file, whatever they hold.
_MERE_NUMBER = re.compile(
    r"(?:q|qu|v|x|f|var|variable|question|frage|col|column|field|spalte|nr|no)", re.IGNORECASE
)
# A smaller share of groups with drawn orders fits as well.
_LEVEL = 0.05
# So many columns of one range that are in order speak for the others.
_MOST = 0.75
# What a column is numbered by: Q3_1, Q3_2; item1, item2; q3a, q3b; Q3[1].
_NUMBERED = re.compile(r"(.*?)[\W_]*(?:\d+|(?<=\d)[a-z]|(?<=[\W_])[a-z])[\W_]*", re.IGNORECASE)
# A scale a paragraph, from one end to the other; words that mean the same are divided by |.
_TEXT = """
never; almost never|hardly ever|very rarely; rarely|seldom; occasionally|once in a while;
sometimes|now and then; often|frequently|fairly often; usually|mostly|most of the time; very
often|very frequently; almost always|nearly always; always|all the time

strongly disagree|completely disagree|totally disagree; disagree|tend to disagree; somewhat
disagree|slightly disagree|disagree somewhat|rather disagree; neutral|neither agree nor
disagree|neither|undecided|neither/nor|neither nor; somewhat agree|slightly agree|agree
somewhat|rather agree; agree|tend to agree; strongly agree|completely agree|totally agree

very dissatisfied|extremely dissatisfied; dissatisfied; somewhat dissatisfied|rather
dissatisfied|slightly dissatisfied; neutral|neither satisfied nor dissatisfied|neither; somewhat
satisfied|rather satisfied|slightly satisfied; satisfied; very satisfied|extremely satisfied

very unlikely|extremely unlikely; unlikely; somewhat unlikely; neutral|neither; somewhat likely;
likely; very likely|extremely likely

very unhappy; unhappy|not happy|not too happy; neutral|neither; happy|pretty happy; very happy

very poor|very bad|terrible; poor|bad; fair|average|neutral|acceptable|ok; good; very good;
excellent

not at all|none; hardly|very little|not very much; slightly|a little|a little bit;
somewhat|moderately|partly|to some extent; quite|quite a bit|considerably; mostly|largely|to a large
extent; very|very much|a lot|a great deal; extremely|completely|fully|entirely|totally

very low; low; medium|middle|moderate|average|normal; high; very high

definitely not; no; probably not|rather no; maybe|perhaps|possibly|partly|partially|in
part|somewhat|sometimes|unsure|undecided; probably|probably yes|rather yes; yes; definitely

much worse; worse|somewhat worse; same|the same|about the same|no change|unchanged; better|somewhat
better; much better

much less; less|fewer|somewhat less|decreased; same|the same|about the same|no
change|unchanged; more|somewhat more|increased; much more

none; mild; moderate; severe; very severe

not important|unimportant|not at all important; slightly important|of little importance|less
important; neutral|moderately important|somewhat important; important|quite important; very
important; extremely important

very small; small; medium|middle; large|big; very large|very big

nein; eher nein; vielleicht|teilweise|teils|teils/teils|manchmal|unentschieden; eher ja; ja

nie|niemals; fast nie|kaum|sehr selten; selten; gelegentlich|ab und zu; manchmal|hin und wieder;
oft|häufig|haeufig; meistens|meist; sehr oft|sehr häufig; fast immer; immer

trifft überhaupt nicht zu|trifft gar nicht zu|trifft ganz und gar nicht zu; trifft nicht zu;
trifft eher nicht zu|trifft kaum zu|trifft wenig zu; teils/teils|teils teils|teils,
teils|teils-teils|weder noch|neutral|unentschieden; trifft eher zu|trifft ziemlich zu; trifft zu;
trifft voll zu|trifft voll und ganz zu|trifft völlig zu|trifft sehr zu|trifft genau zu

stimme überhaupt nicht zu|stimme gar nicht zu; stimme nicht zu|lehne ab; stimme eher nicht
zu|lehne eher ab; teils/teils|teils teils|teils-teils|weder noch|neutral|unentschieden; stimme
eher zu; stimme zu; stimme voll zu|stimme voll und ganz zu|stimme völlig zu

sehr unzufrieden; unzufrieden; eher unzufrieden; teils/teils|teils teils|weder noch|neutral; eher
zufrieden; zufrieden; sehr zufrieden

sehr schlecht; schlecht; eher schlecht; mittel|mittelmäßig|teils/teils|neutral|befriedigend; eher
gut; gut; sehr gut

überhaupt nicht|gar nicht; kaum|wenig|ein wenig; etwas|mittelmäßig|teils/teils;
ziemlich|überwiegend; sehr|stark; äußerst|völlig|voll und ganz

sehr gering|sehr niedrig; gering|niedrig; mittel; hoch; sehr hoch

sehr unwichtig|gar nicht wichtig; unwichtig|nicht wichtig; eher unwichtig; neutral|teils/teils;
eher wichtig; wichtig; sehr wichtig

sehr klein; klein; mittel; groß|gross; sehr groß|sehr gross
"""
# Of each scale the place of every word.
_SCALES = tuple(
    {
        word.casefold(): k
        for k, words in enumerate(" ".join(scale.split()).split("; "))
        for word in words.split("|")
    }
    for scale in _TEXT.split("\n\n")
)


class _Item(NamedTuple):
    """A column of whole numbers: the ends, and whether every number between them occurs."""

    name: Name
    low: int
    high: int
    gapless: bool


def ordered_states(columns: Mapping[Name, Column]) -> dict[Name, tuple[str, ...] | None]:
    """Columns whose states are ordered answers: their order, or None where it is that of now."""
    found: dict[Name, tuple[str, ...] | None] = {}
    items: list[_Item] = []
    for name, column in columns.items():
        if column.ordinal or int(np.count_nonzero(column.counts)) not in _STATES:
            continue
        if column.numeric:
            items += _items(name, column.numbers[column.counts > 0])
            continue
        seen = [label for label, rows in zip(column.labels, column.counts, strict=True) if rows]
        tidy = [*usual_spellings(column).values()] if column.textual else seen
        seen = seen if len(tidy) == len(seen) else tidy
        in_order = seen if column.ordered else sorted(seen, key=natural_key)
        if all(map(_PLAIN.fullmatch, in_order)):
            if not any(map(_ZERO.match, in_order)):
                numbers = [label.replace("−", "-").replace(",", ".") for label in in_order]
                items += _items(name, np.array(numbers, dtype=np.float64))
        elif has_order(in_order):
            found[name] = None
        elif scale := scale_of(in_order):
            found[name] = scale
    found |= dict.fromkeys(_in_batteries(items, columns))
    return {name: found[name] for name in columns if name in found}


# Nothing is between these, and nobody asks for their order.
_TWO_ANSWERS = ({"no", "yes"}, {"nein", "ja"})


def scale_of(states: list[str]) -> tuple[str, ...] | None:
    """States in the order of a known scale, or None where there is none that names all of them."""
    texts = {trimmed(state).casefold(): state for state in states}
    if texts.keys() in _TWO_ANSWERS:
        return None
    for places in _SCALES:
        if len(texts) == len(states) and texts.keys() <= places.keys():
            order = sorted(texts, key=places.__getitem__)
            # Two words for one place leave open which of them is more.
            if len({places[text] for text in texts}) == len(texts):
                return tuple(texts[text] for text in order)
    return None


def stem(name: Name) -> str | None:
    """What comes before the number of a column, or None where it bears none."""
    match = match_name(_NUMBERED, name)
    return match[1] if match and match[1] else None


def scale_ends(
    labels: Mapping[Name, Sequence[str]], names: Sequence[Name]
) -> tuple[float, float] | None:
    """The lowest and highest state of a battery, or None where names or states make none."""
    begins = {stem(name) for name in names}
    begin = begins.pop() if len(begins) == 1 else None
    if begin is None or is_mere_number(begin):
        return None
    items = [states for name, states in labels.items() if stem(name) == begin]
    try:
        numbers = [float(state) for states in items for state in states]
    except ValueError:
        return None
    low, high = min(numbers), max(numbers)
    return (low, high) if math.isfinite(high - low) and low < high else None


def is_mere_number(begin: str) -> bool:
    """Whether the number behind it only counts the columns of a file, as in q1, q2, q3."""
    return _MERE_NUMBER.fullmatch(begin) is not None


def match_name(pattern: re.Pattern[str], name: Name) -> re.Match[str] | None:
    """Whether a pattern is a column's whole name; a text too long for a name is none."""
    return pattern.fullmatch(str(name)) if len(str(name)) <= _LONGEST_NAME else None


def _items(name: Name, numbers: Floats) -> Iterator[_Item]:
    seen = np.sort(numbers)
    if np.isfinite(seen).all() and (np.trunc(seen) == seen).all():
        whole = bool((np.diff(seen) == 1).all())
        yield _Item(name, int(seen[0]), int(seen[-1]), whole)


def _in_batteries(items: list[_Item], columns: Mapping[Name, Column]) -> set[Name]:
    """The items of a battery: of one name, or of one range in an order that others confirm."""
    # Codes of regions have a range, too, so columns of one range need evidence; those of one name
    # do without, if none speaks against it.
    ranges: dict[tuple[int, int], list[Name]] = defaultdict(list)
    stems: dict[str, list[_Item]] = defaultdict(list)
    for item in items:
        if item.gapless and (item.low in (0, 1) or item.low == -item.high):
            ranges[item.low, item.high].append(item.name)
        begin = stem(item.name)
        if begin is not None and not is_mere_number(begin):
            stems[begin].append(item)
    named: set[Name] = set()
    for group in stems.values():
        full = [item for item in group if item.gapless]
        if len(full) >= _ITEMS:
            low, high = min(item.low for item in full), max(item.high for item in full)
            # An answer that nobody gave leaves a gap.
            named |= {item.name for item in group if low <= item.low and item.high <= high}
    asked = {name for group in ranges.values() if len(group) >= _ITEMS for name in group} | named
    said = code_orders(columns, [item.name for item in items if item.name in asked])
    named -= {name for name in named if name in said and said[name].contradicted}
    for names in ranges.values():
        named |= _confirmed({name: said[name] for name in names if name in said})
    return named


def _confirmed(group: dict[Name, CodeOrder]) -> set[Name]:
    """The columns of one range of which the others confirm the order."""
    fitting = {name for name, one in group.items() if one.fits}
    if len(fitting) < _ITEMS or group_p(group.values()) > _LEVEL:
        return set()
    if len(fitting) < _MOST * len(group):
        return fitting
    return {name for name, one in group.items() if not one.contradicted}
