"""What names rows or persons, how often a line was counted, and survey weights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from bjp_engine.columns import FEW_STATES, Table
from bjp_engine.errors import DataError, clip, columns_text, listed
from bjp_engine.health import thresholds as bounds
from bjp_engine.health.profile import Finding, Profile, leave_out, make_finding
from bjp_engine.health.scales import match_name, stem
from bjp_engine.identifiers import describe_repeats, find_units, is_running
from bjp_engine.preparation import RepeatRows
from bjp_engine.validate import Name

_FREQUENCY = re.compile(
    r"(?:n|nn|(?:abs(?:olute)?[\W_]*)?freq(?:s|uency|uencies)?|counts?|cases|n(?:umber|um|o)?[\W_]*(?:of)?"
    r"[\W_]*(?:obs(?:ervations?)?|cases|persons|people|individuals|respondents|students|patients"
    r"|subjects|rows|records|deaths)?|persons|people|individuals|respondents|observations|tally"
    r"|total|value|weights?|wt|wgt|(?:absolute )?häufigkeit(?:en)?|haeufigkeit(?:en)?|anzahl"
    r"|fallzahl|fälle|faelle|personen|gewicht|effectifs?|fr[ée]quences?|nombre|frecuencias?"
    r"|observed|applicants|patients|students|pupils|voters|votes|passengers|subjects|casos|conteo|cantidad|n[úu]mero|frequenz[ae]|conteggio|frequ[êe]ncias?|contagem|aantal"
    r"|antal|liczba)\W*",
    re.IGNORECASE,
)
# What follows from a frequency, and is no variable beside it.
_SHARE = re.compile(
    r"(?:.*[\W_])?(?:per[\s_-]?cent(?:age)?s?|pct|prop(?:ortion)?s?|shares?|probs?|rel\w*|cum\w*"
    r"|kum\w*|anteile?|prozente?|pourcentage|porcentaje)(?:[\W_].*)?|.*%.*",
    re.IGNORECASE,
)
_SURVEY = r"survey|sampl(?:e|ing)|final|post|design|person|house_?hold|hh|rak(?:e|ed|ing)|ps|panel"
_SURVEY += r"|analysis|pop(?:ulation)?|non_?response|calibrat(?:ed|ion)|wave|case|umfrage|personen"
# What only weights of a survey are called; a bare weight may be that of a body or a product.
_WEIGHT = re.compile(
    r"(?:.*[\W_])?(?:wts?|wgts?|wghts?|pweights?|pspw(?:ei)?ghts?|dweights?|anweights?|gew|gewichtung"
    rf"|(?:{_SURVEY})[\W_]*(?:weights?|gewicht))\d*\W*"
    rf"|(?:weights?|wts?|wgts?|gewicht)[\W_]*(?:{_SURVEY})\d*\W*",
    re.IGNORECASE,
)
_BARE_WEIGHT = re.compile(r"(?:weights?|gewicht)\d*\W*", re.IGNORECASE)
# What is measured of a person, and who that is.
_AMOUNT = re.compile(
    r"(?:.*[\W_])?(?:age|alter|edad|years?|jahre?|children|kids|kinder|siblings|scores?|points|punkte"
    r"|income|einkommen|salary|rent|price|preis|height|weight|size|hours?|days?|minutes?|grades?"
    r"|marks?|number|anzahl)(?:[\W_].*)?",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"(?:.*[\W_])?\w*name|(?:person|subject|participant|patient|pupil|student|sch(?:ü|ue)ler(?:in)?"
    r"|respondent|employee|member|child|teilnehmer(?:in)?)(?:[\W_].*)?",
    re.IGNORECASE,
)


def find_identifiers(profile: Profile) -> Iterator[Finding]:
    """Columns that number rows, and the numbers of persons or units with several rows."""
    table, variables = profile.table, profile.variables
    single = [
        name
        for name, one in variables.items()
        if (one.kind == "identifier" and one.states == one.present)
        or is_running(table.column(name))
    ]
    if single:
        yield make_finding(
            "identifier",
            single,
            f"Every row has a different value in {columns_text(single)}, so no row can confirm "
            "what another one shows.",
            leave_out(single),
        )
    repeated = {n for n, one in variables.items() if one.kind == "identifier" and n not in single}
    repeated |= set(find_units(table.columns))
    for name in (name for name in table.names if name in repeated):
        counts = table.column(name).counts
        yield make_finding(
            "repeated",
            (name,),
            describe_repeats(name, counts),
            leave_out([name]),
            figures={"units": int(np.count_nonzero(counts)), "rows": int(counts.sum())},
        )


def find_frequencies(profile: Profile) -> Iterator[Finding]:
    """A column that says how often each line was counted."""
    table, said = profile.table, profile.said
    told = [name for name, step in said.items() if isinstance(step, RepeatRows)]
    for name in told or [n for n in table.names if n not in said and match_name(_FREQUENCY, n)]:
        # What differs in every line is a name or number of lines.
        lines = table.rows if table.rows > 3 else 0
        whole = {n: c for n, c in table.columns.items() if not c.fractional}
        out = {n for n, c in whole.items() if np.count_nonzero(c.counts) == lines}
        out = out.union(_derived(table, name)) - {name}
        others = [other for other in table.names if other in out]
        left = table.keeping([other for other in table.names if other not in out])
        if not _is_tabulated(left, name):
            if told:
                yield make_finding("roles", told, f"You count by {clip(name)}.", RepeatRows(name))
            continue
        with suppress(DataError):
            rows = RepeatRows(name).apply(left).table.rows
            verbs = "follows from it or counts" if len(others) == 1 else "follow from it or count"
            yield make_finding(
                "frequencies",
                (name, *others),
                f"Each of the {table.rows:,} lines is another combination of states, and column "
                f"{clip(name, 30)} looks like its frequency, {rows:,} rows in all."
                f"{f' {listed(others)} {verbs} the lines.' if others else ''}",
                *([leave_out(others)] if others else []),
                RepeatRows(name),
                "Use as frequencies",
                figures={"lines": table.rows, "rows": rows},
            )
        return


def _derived(table: Table, name: Name) -> Iterator[Name]:
    """Columns that follow from a frequency: shares, cumulated ones, and multiples of it."""
    column = table.column(name)
    if not column.numeric or column.holes:
        return
    counts = column.numbers[column.codes]
    for other, one in table.columns.items():
        if not one.numeric or one.holes or one.declared:
            continue
        numbers = one.numbers[one.codes]
        alike = len(counts) > 3 and any(
            np.allclose(numbers / numbers.max(), base / base.max(), rtol=0, atol=0.01)
            for base in (counts, counts.cumsum())
            if numbers.max() > 0 < base.max()
        )
        if alike or match_name(_SHARE, other):
            yield other


def _is_tabulated(table: Table, name: Name) -> bool:
    """Whether every line is another combination, where persons would repeat some of them."""
    import pandas as pd

    column = table.column(name)
    others = [one for key, one in table.columns.items() if key != name]
    numbers = column.numbers if column.numeric else np.full(1, np.nan)
    if column.holes or not others or not (np.trunc(numbers) == numbers).all():
        return False
    if not len(numbers) or numbers.min() < 0 or numbers.max() < 2:
        return False
    lines = pd.DataFrame(dict(enumerate(one.codes for one in others)))
    if lines.duplicated().any():
        return False
    shares = [np.append(one.counts, one.holes) / table.rows for one in others]
    sizes = [np.count_nonzero(share) for share in shares]
    if len(others) > 1 and float(np.prod(np.array(sizes, dtype=np.float64))) == table.rows:
        return True
    alike = float(np.prod([np.square(share).sum() for share in shares]))
    # Where some columns already tell all lines apart, as subject and visit do, nothing was counted.
    return table.rows * (table.rows - 1) / 2 * alike >= bounds.PAIRS and all(
        lines.drop(columns=k).duplicated().any() for k in lines
    )


def find_cross_table(profile: Profile) -> Iterator[Finding]:
    """Lines and columns that are the states of two variables, with a count in each cell.

    Sums of the lines and of the columns show it; of a few lines it is asked.
    """
    table = profile.table
    whole = [n for n, c in table.columns.items() if c.numeric and not (c.holes or c.fractional)]
    others = [name for name in table.names if name not in whole]
    if len(others) != 1 or len(whole) < 2 or not 2 <= profile.rows <= bounds.SUMMED_LINES:
        return
    counts = np.array([table.column(name).numbers[table.column(name).codes] for name in whole])
    if table.column(others[0]).counts.tolist() != [1] * profile.rows or counts.min() < 0:
        return
    sums = [(2 * c == c.sum(axis=0)).all(axis=1).any() and len(c) > 2 for c in (counts, counts.T)]
    large = any(sums) or counts.mean() >= bounds.MEAN_COUNT
    # Numbered items and amounts are no states, nor are persons, of which there are some.
    stems = {stem(name) for name in whole}
    of_persons = len(stems - {None}) == len(stems) == 1 or any(
        match_name(_AMOUNT, name) for name in whole
    )
    of_persons |= profile.rows > 3 and match_name(_PERSON, others[0]) is not None
    if not all(sums) and (profile.rows > FEW_STATES or of_persons or not large):
        return
    does = f"{columns_text(whole)} count the rows of each state of {clip(others[0], 30)}, as a "
    does += "cross table does"
    yield make_finding(
        "cross_table",
        (*others, *whole),
        f"{f'The numbers add up: {does}.' if all(sums) else f'Do {does}?'} To learn from it, write "
        "a line to each cell, with both states and the count, which is then used as frequency.",
        severity="stop" if all(sums) else "",
    )


def find_weights(profile: Profile) -> Iterator[Finding]:
    """A column of survey weights; a bare weight may be that of a body, unless its mean is 1."""
    for name, column in profile.table.columns.items():
        bare = match_name(_BARE_WEIGHT, name) is not None
        if not (bare or match_name(_WEIGHT, name)) or not column.fractional:
            continue
        counts, numbers = column.counts[column.counts > 0], column.numbers[column.counts > 0]
        rows, total = int(counts.sum()), float(counts @ numbers)
        least, most = bounds.NEAR_MEAN if bare else bounds.MEAN
        if numbers.min() < 0 or not least <= total / rows <= most:
            continue
        effective = total**2 / float(counts @ numbers**2)
        yield make_finding(
            "weights",
            (name,),
            f"Column {clip(name, 30)} looks like survey weights. They can't be used as evidence: a "
            "test counts rows, and one of weight 2.3 is not 2.3 independent rows. The weights "
            f"leave about {effective:,.0f} effective rows of {rows:,}.",
            leave_out([name]),
            figures={"mean": total / rows, "effective": effective},
        )
