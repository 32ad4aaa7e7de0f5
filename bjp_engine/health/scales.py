"""Which variables are ordered answers: by words of known scales, intervals, or the file's labels.

Numbers alone are no evidence, since codes of regions are numbers, too: of them it is asked, and all
columns of one form are asked about together.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, takewhile

from bjp_engine.columns import Column
from bjp_engine.errors import columns_text
from bjp_engine.health import thresholds as bounds
from bjp_engine.health.profile import Finding, Profile, make_finding
from bjp_engine.preparation import SetRoles
from bjp_engine.preparation.states import seen_labels, trimmed
from bjp_engine.validate import Name

# Patterns take time that grows with the square of a name's length.
_LONGEST_NAME = 200
# Numbers as text; one that begins with 0, as a postcode may, is a code.
_PLAIN = re.compile(r"[-−]?\d+(?:[.,]\d+)?")
_ZERO = re.compile(r"0\d")
# What a column is numbered by: Q3_1, Q3_2; item1, item2; q3a, q3b; Q3[1].
_NUMBERED = re.compile(r"(.*?)[\W_]*(?:\d+|(?<=\d)[a-z]|(?<=[\W_])[a-z])[\W_]*", re.IGNORECASE)
# A scale an item, from one end to the other; words that mean the same are divided by |.
_TEXT = """
- never; almost never|hardly ever|very rarely; rarely|seldom; occasionally|once in a while;
  sometimes|now and then; often|frequently|fairly often; usually|mostly|most of the time; very
  often|very frequently; almost always|nearly always; always|all the time
- strongly disagree|completely disagree|totally disagree; disagree|tend to disagree; somewhat
  disagree|slightly disagree|disagree somewhat|rather disagree; neutral|neither agree nor
  disagree|neither|undecided|neither/nor|neither nor; somewhat agree|slightly agree|agree
  somewhat|rather agree; agree|tend to agree; strongly agree|completely agree|totally agree
- very dissatisfied|extremely dissatisfied; dissatisfied; somewhat dissatisfied|rather
  dissatisfied|slightly dissatisfied; neutral|neither satisfied nor dissatisfied|neither; somewhat
  satisfied|rather satisfied|slightly satisfied; satisfied; very satisfied|extremely satisfied
- very unlikely|extremely unlikely; unlikely; somewhat unlikely; neutral|neither; somewhat likely;
  likely; very likely|extremely likely
- very unhappy; unhappy|not happy|not too happy; neutral|neither; happy|pretty happy; very happy
- very poor|very bad|terrible; poor|bad; fair|average|neutral|acceptable|ok; good; very good;
  excellent
- not at all|none|none at all; hardly|hardly any|very little|not very much|not too|not very|not
  much; slightly|a little|a little bit; somewhat|moderately|partly|some|only some|to some extent;
  quite|fairly|quite a bit|quite a lot|considerably; mostly|largely|to a large extent; very|very
  much|a lot|a great deal; extremely|completely|fully|entirely|totally
- very low; low; medium|middle|moderate|average|normal; high; very high
- definitely not; no; probably not|rather no; maybe|perhaps|possibly|partly|partially|in
  part|somewhat|sometimes|unsure|undecided; probably|probably yes|rather yes; yes; definitely
- much worse; worse|somewhat worse; same|the same|about the same|no change|unchanged;
  better|somewhat better; much better
- much less; less|fewer|somewhat less|decreased; same|the same|about the same|no change|unchanged;
  more|somewhat more|increased; much more
- none|no; mild; moderate; severe; very severe
- not important|unimportant|not at all important; slightly important|of little importance|less
  important; neutral|moderately important|somewhat important; important|quite important; very
  important; extremely important
- very small; small; medium|middle; large|big; very large|very big
- xs; s; m; l; xl; xxl
- no education|no formal education|no schooling|none|illiterate; incomplete primary|some primary;
  primary|primary school|primary education|elementary|elementary school; lower secondary|middle
  school|incomplete secondary|some secondary|some high school; secondary|secondary school|secondary
  education|high school|high school graduate|high school or equivalent|ged; upper secondary;
  post-secondary|vocational|some college; associate|associate's; tertiary|tertiary education|
  higher|higher education|college|university|college graduate; bachelor|bachelors|bachelor's|
  undergraduate; graduate|postgraduate|advanced|professional; master|masters|master's;
  doctorate|doctoral|doctor|phd|ph.d.
- beginner|novice; elementary; basic; intermediate; proficient; advanced; expert
- below basic; basic; proficient; advanced
- fail|failed; pass|passed|sufficient; satisfactory; merit|good; distinction|very good; excellent
- infant|baby; child; adolescent|teenager|teen; young adult|young; adult; middle-aged|middle aged|
  middle age; old|elderly|senior
- lower class|lower|working class; lower middle class|lower middle; middle class|middle; upper
  middle class|upper middle; upper class|upper
- underweight; normal|normal weight|healthy|healthy weight; overweight; obese; severely obese
- freezing; cold; cool; mild; warm; hot; very hot
- very negative; negative; neutral; positive; very positive
- very short; short; medium|average|middle; tall|long; very tall|very long
- very slow; slow; medium|moderate|average; fast; very fast
- very weak; weak; medium|moderate; strong; very strong
- very light; light; medium|moderate; heavy; very heavy
- very easy; easy; medium|moderate|neutral; difficult|hard; very difficult|very hard
- early; middle|mid; late
- trivial; minor; moderate; major; critical
- far too little|much too little; too little; about right|just right; too much; far too much|much
  too much
- never; less than once a year; yearly|annually|once a year; several times a year|a few times a
  year; monthly|once a month; several times a month|a few times a month; weekly|once a week;
  several times a week|a few times a week; daily|every day; several times a day
- nein; eher nein; vielleicht|teilweise|teils|teils/teils|manchmal|unentschieden; eher ja; ja
- nie|niemals; fast nie|kaum|sehr selten; selten; gelegentlich|ab und zu; manchmal|hin und wieder;
  oft|häufig|haeufig; meistens|meist; sehr oft|sehr häufig; fast immer; immer
- trifft überhaupt nicht zu|trifft gar nicht zu|trifft ganz und gar nicht zu; trifft nicht zu;
  trifft eher nicht zu|trifft kaum zu|trifft wenig zu; teils/teils|teils teils|teils,
  teils|teils-teils|weder noch|neutral|unentschieden; trifft eher zu|trifft ziemlich zu; trifft
  zu; trifft voll zu|trifft voll und ganz zu|trifft völlig zu|trifft sehr zu|trifft genau zu
- stimme überhaupt nicht zu|stimme gar nicht zu; stimme nicht zu|lehne ab; stimme eher nicht
  zu|lehne eher ab; teils/teils|teils teils|teils-teils|weder noch|neutral|unentschieden; stimme
  eher zu; stimme zu; stimme voll zu|stimme voll und ganz zu|stimme völlig zu
- sehr unzufrieden; unzufrieden; eher unzufrieden; teils/teils|teils teils|weder noch|neutral;
  eher zufrieden; zufrieden; sehr zufrieden
- sehr schlecht; schlecht; eher schlecht; mittel|mittelmäßig|teils/teils|neutral|befriedigend;
  eher gut; gut; sehr gut
- überhaupt nicht|gar nicht; kaum|wenig|ein wenig; etwas|mittelmäßig|teils/teils;
  ziemlich|überwiegend; sehr|stark; äußerst|völlig|voll und ganz
- sehr gering|sehr niedrig; gering|niedrig; mittel; hoch; sehr hoch
- sehr unwichtig|gar nicht wichtig; unwichtig|nicht wichtig; eher unwichtig; neutral|teils/teils;
  eher wichtig; wichtig; sehr wichtig
- sehr klein; klein; mittel; groß|gross; sehr groß|sehr gross
"""
# Of each scale the place of every word.
_SCALES = tuple(
    {
        word.strip().casefold(): k
        for k, words in enumerate(" ".join(scale.split()).split("; "))
        for word in words.split("|")
    }
    for scale in _TEXT.split("\n- ")[1:]
)
# What stands half a place from a word of a scale, or with it.
_BESIDE = (
    (re.compile(r"(?:no|below|under|(?:less|fewer|lower)(?: often)? than) (.+)"), -0.5),
    (re.compile(r"(?:above|over|(?:more|better|higher)(?: often)? than) (.+)"), 0.5),
    (re.compile(r"(.+) (?:or|and) (?:higher|more|above|over)"), 0.25),
    (re.compile(r"(.+) (?:or|and) (?:lower|less|below)"), -0.25),
    (re.compile(r"(.+?) (?:degree|diploma|education)"), 0),
)


def find_orders(profile: Profile) -> Iterator[Finding]:
    """Columns whose states read as an ordered scale, and numbers of which that is asked."""
    orders: dict[tuple[str, ...] | None, list[Name]] = defaultdict(list)
    asked: dict[object, list[Name]] = defaultdict(list)
    for name, one in profile.variables.items():
        column = profile.table.column(name)
        known = column.ordinal or column.nominal or one.kind == "date"
        if known or one.states not in bounds.SCALE_STATES:
            continue
        states = seen_labels(column, 1)
        scale = _scale_of_labels(column, states)
        if scale is not None:
            orders[scale or None].append(name)
        elif name not in profile.said and (form := _form(column, states)):
            asked[form].append(name)
    names = [name for columns in orders.values() for name in columns]
    if names:
        verb = "has" if len(names) == 1 else "have"
        yield make_finding(
            "ordered",
            names,
            f"C{columns_text(names)[1:]} {verb} states that read as an ordered scale.",
            *(SetRoles(tuple(columns), "ordered", states) for states, columns in orders.items()),
            "Declare as ordered",
        )
    # Labels that several columns share are those of a scale; numbers may be on one in any column.
    forms = [c for form, c in asked.items() if isinstance(form, int) or len(c) >= bounds.ITEMS]
    names = [name for name in profile.table.names if any(name in columns for columns in forms)]
    if names:
        yield make_finding(
            "ordered",
            names,
            f"Do the states of {columns_text(names)} have an order, as answers from 1 to 5 do and "
            "numbers of regions don't? Numbers alone don't say; until you do, they are taken as "
            "unordered.",
            SetRoles(tuple(names), "ordered"),
            "Declare as ordered",
            advised=False,
        )


def _scale_of_labels(column: Column, states: list[str]) -> tuple[str, ...] | None:
    """The order of states by words or intervals; empty where it is the file's."""
    numbers = [_PLAIN.fullmatch(label) is not None for label in states]
    if column.numeric or all(numbers):
        return None
    # The ends of a scale have labels, and what is between them a number.
    ends = column.declared and column.aliases and not (numbers[0] or numbers[-1])
    if ends and all(numbers[1:-1]):
        return ()
    intervals = order_intervals(states)
    return tuple(states) if intervals == tuple(states[::-1]) else intervals or scale_of(states)


def _form(column: Column, states: list[str]) -> int | tuple[str, ...] | None:
    """What columns of one form share: whole numbers, amounts, or the labels of a file."""
    if column.declared:
        return tuple(states) if column.aliases else None
    numbers = column.numeric or all(_PLAIN.fullmatch(label) for label in states)
    whole = numbers and not any(_ZERO.match(label) or {".", ","} & {*label} for label in states)
    return 1 if whole or (not numbers and order_intervals(states, amounts=True)) else None


# --- Intervals ------------------------------------------------------------------------------------

_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_SPELLED = {word: str(k) for k, word in enumerate(_WORDS)}
_SPELLED |= {"none": "0", "no": "0", "never": "0", "not at all": "0", "once": "1", "twice": "2"}
_SPELLED |= {"kein": "0", "keine": "0", "nie": "0", "∞": "inf"}
_SPELLED_WORD = re.compile(rf"∞|\b(?:{'|'.join(_SPELLED)})\b")
# Words after which a number says how far something is.
_STEP = re.compile(
    r"(?:stage|grade|level|tier|step|degree|(?:tert|quart|quint|dec)ile|stadium|grad|stufe)[\s_-]*"
    r"(\d{1,2}|[ivx]+)"
)
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii")
# What an interval is called: moderate (10-14), high: 7-10; or what stands in brackets behind it.
_IN_BRACKETS = re.compile(r"[^\d(\[:]*\w\s*(?:\(|: )([^()]*\d[^()]*)\)?")
_BRACKETED = re.compile(r"\([^\d()]*\)")
# Brackets of intervals, and currencies, whatever side of a number they stand on.
_SIGNS = re.compile(r"[\[\](){}$€£¥%]|\b(?:us|usd|eur|euros?|gbp|chf|aged?|ages)\b")
_THOUSANDS = {"k": 1e3, "tsd": 1e3, "thousand": 1e3, "mio": 1e6, "million": 1e6}
# A number; a minus sign belongs to it where no other number ends before.
_FIGURE = re.compile(
    r"(?<!\w)(-?(?:inf\b|(?:\d{1,3}(?:[ ,'’]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[+-]?\d+)?))"
    rf"(?: ?({'|'.join(_THOUSANDS)})\b\.?)?"
)
_LESS = r"<=?|=<|≤|under|below|(?:less|lower|fewer|younger|shorter|smaller|no more|not more) than"
_LESS += r"|at most|up to|until|max\.?|maximum|unter|bis(?: zu)?(?: unter)?|höchstens"
_LESS += r"|(?:weniger|jünger|kürzer|kleiner) als|(?:moins|menos) de|meno di|jusqu'à|hasta|fino a"
_MORE = r">=?|=>|≥|over|above|(?:more|greater|older|longer|larger|higher) than|at least|from"
_MORE += r"|min\.?|minimum|ab|über|(?:mehr|älter|länger|größer|höher) als|mindestens"
_MORE += r"|(?:plus|más) de|più di|à partir de|desde"
_AND = r"(?:and|or|&|und|oder|et|ou|y|o|e)"
_OR_LESS = rf"{_AND} (?:under|below|less|fewer|lower|younger|weniger|jünger|moins|menos|meno)"
_OR_MORE = rf"\+|plus|{_AND} (?:over|above|more|up|upwards|older|higher|greater|mehr|älter|plus"
_OR_MORE += r"|más|più)"
_TO = r"-|to|till|through|bis|and|und|&|but|à|a|y|et|,|;|\.{2,3}|…|:"
# What is counted: 3 children, 65 years old, 2 times per week.
_OF = r" ?((?:[^\W\d_]+\b[.']? ?){0,4}?)"
_DASH, _GROUPING, _AGE = re.compile("[–—]"), re.compile("[ ,'’]"), re.compile(r"\b(?:old|of age)\b")
_MINUTES = {"min": 1, "hou": 60, "hrs": 60, "std": 60, "stu": 60, "day": 1440, "tag": 1440}
_MINUTES |= {"wee": 10080, "woc": 10080, "mon": 43830, "yea": 525960, "yrs": 525960, "jah": 525960}
_LONGEST_INTERVAL = 100
# Of 5 m, which are metres, and 5M the latter.
_MILLION = re.compile(r"(?<=\d)M\b")
# Each form, and where its ends stand in [-inf, the numbers, inf].
_BETWEEN = rf"(?:(?:between|zwischen|von|de|entre|{_MORE}) ?)?#{_OF}"
_BETWEEN += rf"(?:(?:{_TO}) ?(?:{_LESS})?|{_LESS}) ?#{_OF}"
_FORMS = (
    (re.compile(rf"(?:{_MORE}) ?#{_OF}|#{_OF}(?:{_OR_MORE}){_OF}"), (1, -1)),
    (re.compile(rf"(?:{_LESS}) ?#{_OF}|#{_OF}(?:{_OR_LESS}){_OF}"), (0, 1)),
    (re.compile(_BETWEEN), (1, 2)),
    (re.compile(rf"#(?:st|nd|rd|th)?{_OF}"), (1, 1)),
)


def order_intervals(states: Sequence[str], *, amounts: bool = False) -> tuple[str, ...] | None:
    """States as intervals that rise and don't overlap, if all are some and count the same.

    Only `amounts`, such as 5 mg, are none unless one is an interval, such as 20 mg or more.
    """
    for decimal in ".,":
        read = takewhile(bool, (_read_interval(state, decimal) for state in states))
        found = sorted((*one, state) for one, state in zip(read, states, strict=False) if one)
        units = {unit for _, _, unit, _ in found} - {""}
        ranges = amounts or not units or any(low < high for low, high, _, _ in found)
        apart = all(a[:2] < b[:2] and a[1] <= b[0] for a, b in pairwise(found))
        if len(found) == len(states) and ranges and apart and len(units) < 2:
            return tuple(state for *_, state in found)
    return None


def _read_interval(label: str, decimal: str) -> tuple[float, float, str] | None:
    """The ends of an interval, and what it counts."""
    if len(label) > _LONGEST_INTERVAL:
        return None
    text = _DASH.sub(" - ", _MILLION.sub("million", label).casefold().replace("−", "-"))
    if step := _STEP.fullmatch(text):
        text = str(_ROMAN.index(step[1])) if step[1] in _ROMAN else step[1]
    if decimal == ",":
        text = text.translate({ord(","): ".", ord("."): ","})
    if text.startswith(("(", "[")):
        text = text.replace(",", ";")
    named = _IN_BRACKETS.fullmatch(text)
    text = _SIGNS.sub("", named[1] if named else _BRACKETED.sub("", text))
    text = _SPELLED_WORD.sub(lambda word: _SPELLED[word[0]], text)
    figures, form = _FIGURE.findall(text), " ".join(_FIGURE.sub("#", text).split())
    # 20-40k begins at 20 thousand.
    sizes = [_THOUSANDS.get(of, 1) for _, of in figures]
    numbers = [
        float(_GROUPING.sub("", x)) * size for (x, _), size in zip(figures, sizes, strict=True)
    ]
    if len(numbers) == 2 and sizes[0] == 1 and numbers[0] * sizes[1] < numbers[1]:
        numbers[0] *= sizes[1]
    for pattern, (low, high) in _FORMS:
        if match := pattern.fullmatch(form):
            of = [_AGE.sub("", part).split() for part in match.groups() if part is not None]
            # What is said once is meant of both ends, and stands on both sides of "or more".
            units = [of[0] or of[-1], of[-1]] if len(numbers) == 2 else [[*chain(*of)]]
            periods = [_MINUTES.get(unit[0][:3], 0) if len(unit) == 1 else 0 for unit in units]
            if all(periods):
                numbers = [number * size for number, size in zip(numbers, periods, strict=True)]
            # A name with a number behind it, such as yes (1), is no amount.
            if numbers != sorted({*numbers}) or (named and low == high and any(numbers)):
                return None
            # 1 year and 2 years count the same; no children and none, too.
            first, *rest = units[-1] or [""]
            unit = "minutes" if all(periods) else " ".join([first[:3], *rest])
            ends = [-math.inf, *numbers, math.inf]
            return ends[low], ends[high], unit if any(numbers) else ""
    return None


# --- Words ----------------------------------------------------------------------------------------


def scale_of(states: list[str]) -> tuple[str, ...] | None:
    """States in the order of a known scale, or None where there is none that names all of them."""
    texts = {trimmed(state).casefold().replace("’", "'"): state for state in states}
    # Not at all worried, somewhat worried, very worried: what all end with is what is asked.
    ends = {text.rpartition(" ")[2] for text in texts}
    cut = {text.rpartition(" ")[0]: state for text, state in texts.items()}
    return _ordered(texts, states) or (_ordered(cut, states) if len(ends) == 1 else None)


def _ordered(texts: dict[str, str], states: list[str]) -> tuple[str, ...] | None:
    """States in the order of the first scale that has all of their texts."""
    words = [[*_words(text)] for text in texts] if len(texts) == len(states) else []
    for scale in _SCALES if words else ():
        places = [[scale[word] + shift for word, shift in some if word in scale] for some in words]
        order = {
            places[0]: texts[text] for text, places in zip(texts, places, strict=True) if places
        }
        # Two words for one place leave open which of them is more.
        if len(order) == len(texts):
            return tuple(order[place] for place in sorted(order))
    return None


def _words(text: str) -> Iterator[tuple[str, float]]:
    """A text and the word within, with how far from its place: less than weekly, PhD or higher."""
    yield text, 0
    for pattern, shift in _BESIDE:
        if match := pattern.fullmatch(text):
            yield from ((word, shift + further) for word, further in _words(match[1]))


def stem(name: Name) -> str | None:
    """What comes before the number of a column, or None where it bears none."""
    match = match_name(_NUMBERED, name)
    return match[1] if match and match[1] else None


def match_name(pattern: re.Pattern[str], name: Name) -> re.Match[str] | None:
    """Whether a pattern is a column's whole name; a text too long for a name is none."""
    return pattern.fullmatch(str(name)) if len(str(name)) <= _LONGEST_NAME else None
