"""Names and numbers as text: nothing from a file is ever read as markup or formula."""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bjp_engine.dataset import Name
from bjp_engine.errors import single_line

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&\"'=@^/])")
_REWRITTEN = re.compile(r"www(?=\.)|(?:mailto|xmpp)(?=:)|:(?=/)|@|[-<](?=-)|-(?=>)", re.IGNORECASE)
_RANGE = re.compile(r"[<>≤≥]=?\s*[-+−]?[\d.]")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain(name: object, width: int = 60) -> str:
    """A name on one line, without control characters, cut where it is too long to read."""
    line = single_line(name)
    return line if len(line) <= width else line[: width - 1] + "…"


def tell_apart(names: Iterable[object], width: int = 60) -> list[str]:
    """Names as pages show them; where two look alike, their place is added. No two are equal."""
    texts = [plain(name, width) or "(blank)" for name in names]
    alike = Counter(texts)
    marked = [
        text if alike[text] == 1 else f"{text} ({place})" for place, text in enumerate(texts, 1)
    ]
    return marked if len(set(marked)) == len(marked) else [f"{i}: {t}" for i, t in enumerate(texts)]


def html_text(name: Name, width: int = 24) -> str:
    """A name as plotly shows it as it is: plotly reads tags in every text."""
    return html.escape(plain(name, width), quote=False)


def markdown(text: object) -> str:
    """Text that Markdown leaves as it is: every active character is escaped."""
    # Bare addresses and arrows are rewritten after escapes are read; a word joiner, which has no
    # width, keeps their parts apart.
    apart = _REWRITTEN.sub("\\g<0>\u2060", plain(text, 200))
    return _MARKDOWN.sub(r"\\\1", apart)


def prose(sentence: str) -> str:
    """A sentence that quotes a file, as Markdown that shows it as it is."""
    # Word by word, because `markdown` cuts what is too long for a name.
    return " ".join(markdown(word) for word in sentence.split())


def names_list(names: Iterable[Name], empty: str = "∅") -> str:
    """Names with commas, or a sign for none."""
    return ", ".join(plain(name) for name in names) or empty


def psi(position: int) -> str:
    """ψ with its position as subscript."""
    return "ψ" + str(position).translate(_SUBSCRIPTS)


def probability(log_value: float) -> str:
    """A probability from its natural log, to digits that mean something.

    "0.9989"; near the ends a power of ten ("1 − 2.10·10⁻⁹", "3.40·10⁻¹²⁷"); "1" only for 1.
    """
    before, mantissa, exponent = _digits(log_value)
    power = f"·10{str(exponent).translate(_SUPERSCRIPTS)}" if exponent else ""
    return f"{before}{mantissa}{power}".replace("-", "−")


def p_value(value: float) -> str:
    """A p-value to four decimals, or to three digits where it is small.

    "0.0312", "3.40·10⁻¹²⁷"; "below 10⁻³⁰⁰" where it is too small for a double.
    """
    if value >= 1e-3:
        return f"{value:.4f}"
    return probability(math.log(value)) if value > 1e-300 else "below 10⁻³⁰⁰"


def _digits(log_value: float) -> tuple[str, str, int]:
    """What is written before a probability, its mantissa, and its exponent or 0."""
    value = math.exp(log_value)
    if 1e-3 <= value < 0.99995:
        return "", f"{value:.4f}", 0
    if value < 1e-3:
        return "", *_power_of_ten(log_value)
    rest = -math.expm1(log_value)
    return ("1 - ", *_power_of_ten(math.log(rest))) if rest > 0 else ("", "1", 0)


def _power_of_ten(log_value: float) -> tuple[str, int]:
    """Mantissa and exponent of e to some power, however small."""
    exponent = math.floor(log_value / math.log(10))
    mantissa = math.exp(log_value - exponent * math.log(10))
    if mantissa >= 9.995:  # would be written 10.00
        mantissa, exponent = 1.0, exponent + 1
    return f"{mantissa:.2f}", exponent


def number(value: float, digits: int = 3) -> str:
    """A number with a true minus sign."""
    text = f"{value:,.{digits}f}"
    # What is written as zero has no sign.
    return text.replace("-", "−" if any(c in "123456789" for c in text) else "")


def in_state(of: object, label: object, width: int = 28, sign: str = "=") -> str:
    """A variable in a state: "sex = female", or "age ≥65" where the state is a range."""
    text = plain(label, width)
    return f"{plain(of, width)} {'' if _RANGE.match(text) else f'{sign} '}{text}"


def duration(seconds: float) -> str:
    """How long something took, to what a reader needs. "under 1 ms", "23 ms", "1.2 s"."""
    if seconds < 0.001:
        return "under 1 ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:,.1f} s"


def count(amount: int, noun: str, plural: str | None = None) -> str:
    """An amount with its noun."""
    return f"{amount:,} {noun if amount == 1 else plural or noun + 's'}"


def together(parts: Sequence[str], last: str = "and") -> str:
    """Parts with commas and an "and"."""
    return f" {last} ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)
