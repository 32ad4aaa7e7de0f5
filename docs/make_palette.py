"""Draw docs/images/palette.svg: the app's colours as colour-blind readers see them.

`python docs/make_palette.py` reads the colours from the style sheet, the browser's theme module and
Streamlit's configuration, where the app has them. Colour blindness is simulated by the matrices of
G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, *A physiologically-based model for simulation
of color vision deficiency*, IEEE Transactions on Visualization and Computer Graphics 15 (2009),
1291-1298, at severity 1, in linear RGB. tests/contracts/test_palette.py holds the distances and
contrasts to limits.
"""

from __future__ import annotations

import re
import tomllib
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Colour = NDArray[np.float64]

ROOT = Path(__file__).parents[1]
FRONTEND = ROOT / "bjp_explorer" / "frontend"
PICTURE = ROOT / "docs" / "images" / "palette.svg"

# Severity 1.0 of the table in the paper's supplement.
VISION = {
    "normal vision": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
ROLES = {
    "blue": "independence",
    "vermilion": "dependence",
    "green": "given",
    "pink": "changed",
    "ink": "current",
}
# Of the scores, and of buttons and what is selected.
HUES = {
    "bjp": "BJP",
    "ib": "IB-score",
    "mpl": "MPL",
    "near": "near blankets",
    "primary": "selected",
}
# Of effects; a negative one is dashed, too.
SIGNS = {"positive": "positive", "negative": "negative", "unsigned": "no sign"}
# Given by Streamlit's theme; the style sheet only has values to fall back on.
STREAMLITS = ("paper", "panel", "ink", "primary")
_TALL = 360
# How full a computed cell is at Pr = 1, ½, 10⁻³ and 10⁻³⁰⁰, as theme.js has it.
FULLNESS = {"1": 0.84, "½": 0.5, "10⁻³": 0.38, "10⁻³⁰⁰": 0.14}


def hexed(text: str) -> Colour:
    """A colour written as #rrggbb.

    Parameters
    ----------
    text : str

    Returns
    -------
    ndarray of float, shape (3,)
        Red, green and blue in [0, 1].
    """
    return np.array([int(text[k : k + 2], 16) for k in (1, 3, 5)]) / 255


def written(colour: Colour) -> str:
    """The same the other way.

    Parameters
    ----------
    colour : ndarray of float, shape (3,)

    Returns
    -------
    str
    """
    return "#" + "".join(f"{round(float(v) * 255):02x}" for v in np.clip(colour, 0, 1))


def mixed(a: Colour, b: Colour, share: float) -> Colour:
    """The CSS mixture of two colours, `share` of the first.

    Parameters
    ----------
    a, b : ndarray of float, shape (3,)
    share : float

    Returns
    -------
    ndarray of float, shape (3,)
    """
    return a * share + b * (1 - share)


def linear(colour: Colour) -> Colour:
    """Linear RGB of sRGB (IEC 61966-2-1).

    Parameters
    ----------
    colour : ndarray of float, shape (3,)

    Returns
    -------
    ndarray of float, shape (3,)
    """
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def seen(colour: Colour, vision: str) -> Colour:
    """A colour as it is seen with a kind of vision.

    Parameters
    ----------
    colour : ndarray of float, shape (3,)
    vision : str
        One of `VISION`.

    Returns
    -------
    ndarray of float, shape (3,)
    """
    light = np.clip(VISION[vision] @ linear(colour), 0, 1)
    found: Colour = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return found


def lab(colour: Colour) -> Colour:
    """CIE L*a*b* with the white point D65.

    Parameters
    ----------
    colour : ndarray of float, shape (3,)

    Returns
    -------
    ndarray of float, shape (3,)
    """
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    ratio = to_xyz @ linear(colour) / to_xyz.sum(axis=1)
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(a: Colour, b: Colour) -> float:
    """How far apart two colours are in CIE L*a*b* (ΔE of 1976); 2.3 is just noticeable.

    Parameters
    ----------
    a, b : ndarray of float, shape (3,)

    Returns
    -------
    float
    """
    return float(np.linalg.norm(lab(a) - lab(b)))


def contrast(a: Colour, b: Colour) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21.

    Parameters
    ----------
    a, b : ndarray of float, shape (3,)

    Returns
    -------
    float
    """
    weights = np.array([0.2126, 0.7152, 0.0722])
    low, high = sorted(float(weights @ linear(colour)) for colour in (a, b))
    return (high + 0.05) / (low + 0.05)


def tokens(theme: str) -> dict[str, Colour]:
    """The colours of a theme by the names of the style sheet.

    Parameters
    ----------
    theme : {"light", "dark"}

    Returns
    -------
    dict of str to ndarray of float, shape (3,)
    """
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    given = config["theme"][theme]
    found = {
        "paper": hexed(given["backgroundColor"]),
        "panel": hexed(given["secondaryBackgroundColor"]),
        "ink": hexed(given["textColor"]),
        "primary": hexed(given["primaryColor"]),
    }
    sheet = (FRONTEND / "style.css").read_text(encoding="utf-8")
    blocks = re.findall(
        r"^\.bjp(\[data-theme=\"dark\"\])? \{(.*?)^\}", sheet, re.DOTALL | re.MULTILINE
    )
    for dark, body in blocks:
        if dark and theme == "light":
            continue
        for name, value in re.findall(r"--([\w-]+): ([^;]+);", body):
            colour = colour_of(value, found)
            if colour is not None and name not in STREAMLITS:
                found[name] = colour
    return found


def colour_of(value: str, known: dict[str, Colour]) -> Colour | None:
    """What a CSS value comes to: a hex colour, a token or a mixture of two tokens.

    Parameters
    ----------
    value : str
    known : dict of str to ndarray

    Returns
    -------
    ndarray of float, shape (3,), or None
        None where it is no colour of these kinds.
    """
    if plain := re.fullmatch(r"#[0-9a-f]{6}", value.strip()):
        return hexed(plain[0])
    if name := re.fullmatch(r"var\(--([\w-]+)\)", value.strip()):
        return known.get(name[1])
    both = re.search(
        r"color-mix\(in srgb, var\(--([\w-]+)\) (\d+)%, (?:var\(--([\w-]+)\)|transparent)\)", value
    )
    if both is None or both[1] not in known:
        return None
    return mixed(known[both[1]], known[both[3] or "paper"], int(both[2]) / 100)


def cell_hues() -> dict[str, Colour]:
    """The hues that cells of the matrix are mixed from, as theme.js has them.

    Returns
    -------
    dict of str to ndarray of float, shape (3,)
    """
    text = (FRONTEND / "parts" / "theme.js").read_text(encoding="utf-8")
    found = re.findall(r"const (BLUE|VERMILION) = \[(\d+), (\d+), (\d+)\]", text)
    return {name.lower(): np.array([int(v) for v in rgb]) / 255 for name, *rgb in found}


def picture() -> str:
    """The whole picture as an SVG document.

    Returns
    -------
    str
    """
    parts, wide, tall = [], 210, _TALL
    for down, theme in enumerate(("light", "dark")):
        for across, vision in enumerate(VISION):
            inside = "".join(panel(theme, vision))
            parts.append(f'<g transform="translate({across * wide} {down * tall})">{inside}</g>')
    size = f"{len(VISION) * wide} {2 * tall}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
        'font-family="system-ui, sans-serif" font-size="12">'
        "<title>The colours of BJP Explorer in light and dark, by kind of vision</title>"
        f"{''.join(parts)}</svg>\n"
    )


def panel(theme: str, vision: str) -> list[str]:
    """One theme with one kind of vision: the roles, and the states of the matrix's cells.

    Parameters
    ----------
    theme, vision : str

    Returns
    -------
    list of str
        SVG elements.
    """
    base = tokens(theme)
    colours = {name: written(seen(colour, vision)) for name, colour in base.items()}
    ink, paper = colours["ink"], colours["paper"]
    parts = [
        f'<rect width="210" height="{_TALL}" fill="{paper}"/>',
        f'<text x="14" y="24" font-weight="600" fill="{ink}">{vision}</text>',
    ]
    for x, wide, named in ((14, 20, ROLES), (134, 20, HUES)):
        for k, (name, role) in enumerate(named.items()):
            y, look = 40 + 24 * k, f'rx="3" fill="{colours[name]}"'
            parts.append(f'<rect x="{x}" y="{y}" width="{wide}" height="16" {look}/>')
            parts.append(f'<text x="{x + wide + 6}" y="{y + 12}" fill="{ink}">{role}</text>')
    for k, (name, hue) in enumerate(cell_hues().items()):
        for j, (label, share) in enumerate(FULLNESS.items()):
            full = mixed(hue, base["paper"], share)
            # Black or white, whichever reads better.
            pen = max((np.zeros(3), np.ones(3)), key=partial(contrast, full))
            fill = written(seen(full, vision))
            x, y = 14 + 46 * j, 176 + 32 * k
            parts.append(f'<rect x="{x}" y="{y}" width="28" height="28" rx="2" fill="{fill}"/>')
            parts.append(sign(x + 14, y + 14, written(pen), struck=name == "vermilion"))
            if k == 1:
                parts.append(
                    f'<text x="{x}" y="{y + 41}" font-size="10" fill="{ink}">{label}</text>'
                )
    for k, (name, sign_of) in enumerate(SIGNS.items()):
        x, dash = 14 + 66 * k, ' stroke-dasharray="9 6"' if name == "negative" else ""
        line = f'd="M{x} 330h52" stroke="{colours[name]}" stroke-width="5"{dash}'
        parts.append(f"<path {line}/>")
        parts.append(f'<text x="{x}" y="347" font-size="10" fill="{ink}">{sign_of}</text>')
    return [*parts, *shapes(colours)]


def sign(x: int, y: int, colour: str, *, struck: bool) -> str:
    """⊥ or ⊥̸, as in the cells of the app.

    Parameters
    ----------
    x, y : int
        The middle.
    colour : str
    struck : bool

    Returns
    -------
    str
    """
    path = f"M{x - 5} {y + 5}h10M{x} {y + 5}v-10"
    if struck:
        path += f"M{x - 4} {y + 7}l8 -14"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.4"/>'


def shapes(colours: dict[str, str]) -> list[str]:
    """The states that are told by their shape: inferred, to come, current, given, changed.

    Parameters
    ----------
    colours : dict of str to str

    Returns
    -------
    list of str
        SVG elements.
    """
    y, ink, muted = 268, colours["ink"], colours["muted"]
    square = f'y="{y}" width="26" height="26" fill="none"'
    names = ("inferred", "to come", "current", "given", "changed")
    words = [
        f'<text x="{14 + 39 * k + 13}" y="{y + 42}" font-size="8.5" text-anchor="middle" '
        f'fill="{ink}">{name}</text>'
        for k, name in enumerate(names)
    ]
    return [
        f'<path d="M27 {y}l13 13l-13 13l-13 -13z" fill="none" stroke="{muted}"/>',
        f'<text x="27" y="{y + 17}" text-anchor="middle" fill="{ink}">1</text>',
        f'<rect x="53" {square} stroke="{muted}" rx="3"/>',
        f'<rect x="92" {square} stroke="{ink}" stroke-width="3"/>',
        f'<rect x="131" {square} stroke="{colours["green"]}" stroke-dasharray="3 3"/>',
        f'<rect x="170" {square} stroke="{colours["pink-ink"]}" stroke-width="3" rx="2"/>',
        *words,
    ]


def main() -> None:
    """Draw the picture."""
    PICTURE.write_text(picture(), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
