"""The colours of the browser's views: WCAG's contrasts, and what colour blindness leaves."""

import itertools
import re

import numpy as np
import pytest

from bjp_explorer.views.palette import DARK, LIGHT
from docs import make_palette as palette
from docs.make_palette import (
    FRONTEND,
    HUES,
    ROLES,
    SIGNS,
    VISION,
    contrast,
    distance,
    mixed,
    seen,
)

THEMES = ("light", "dark")
SHEET = "\n".join(p.read_text(encoding="utf-8") for p in sorted(FRONTEND.glob("*.css")))
# Text needs 4.5 : 1, what is drawn 3 : 1 (WCAG 2.2, 1.4.3 and 1.4.11).
TEXT, DRAWN = 4.5, 3.0
# Lines that only set off what is told apart otherwise: by its text, its icon or its place.
DECORATION = re.compile(
    r"\.lesson|\.judged|\.say|\.counts|"
    r"\.card\b|\.player \{|\.tool|\.menu|\.keys|\.choices|\.control|\.speed|kbd|\.grid|^td|hatch"
)
# What shows ⊥ and ⊥̸: a pair that is tested, its result, and the key of both.
OF_ASSERTIONS = re.compile(r"dependent|node-x|cell-computed")
# Half a dozen of the least differences that can be noticed (ΔE 2.3).
APART = 14.0


def rules():
    """Every selector with its declarations."""
    plain = re.sub(r"/\*.*?\*/", "", SHEET, flags=re.DOTALL)
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", plain):
        pairs = (part.split(":", 1) for part in body.split(";") if ":" in part)
        yield selector.strip(), {name.strip(): value.strip() for name, value in pairs}


def used(names, theme):
    """Selectors with the colours that they give to one of these properties."""
    known = palette.tokens(theme)
    colour = r"color-mix\([^()]*(?:\([^()]*\)[^()]*)*\)|var\(--[\w-]+\)|#[0-9a-f]{6}"
    for selector, rule in rules():
        for name in rule.keys() & names:
            for text in re.findall(colour, rule[name]):
                if (found := palette.colour_of(text, known)) is not None:
                    yield f"{selector} {{ {name}: {rule[name]} }}", found


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read(theme):
    known = palette.tokens(theme)
    # Inside of these the ground is another one.
    own = ("--on-primary", ".tooltip", "var(--paper)")
    texts = [(what, c) for what, c in used({"color"}, theme) if not any(o in what for o in own)]
    texts += [one for one in used({"fill"}, theme) if re.search(r"text|label|badge", one[0])]
    texts.append(("ink", known["ink"]))
    assert len(texts) > 15
    for what, colour in texts:
        for ground in ("paper", "panel"):
            assert contrast(colour, known[ground]) >= TEXT, f"{what} on {ground}"


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_drawn_stands_out(theme):
    known = palette.tokens(theme)
    ink, paper = known["ink"], known["paper"]
    properties = {"stroke", "border", "border-top", "border-color", "outline"}
    drawn = [
        (what, colour)
        for what, colour in used(properties, theme)
        if not DECORATION.search(what) and not np.array_equal(colour, paper)
    ]
    assert len(drawn) > 30
    # On a canvas, scripts mix the colours.
    text = "".join(p.read_text(encoding="utf-8") for p in sorted(FRONTEND.rglob("*.js")))
    shares = re.findall(r"mix\(theme\.ink, theme\.paper, ([\d.]+)\)", text)
    assert shares
    drawn += [(share, mixed(ink, paper, float(share))) for share in shares]
    for what, colour in drawn:
        assert contrast(colour, paper) >= DRAWN, what


@pytest.mark.parametrize("theme", THEMES)
def test_the_signs_in_cells_can_be_read_however_full_they_are(theme):
    paper = palette.tokens(theme)["paper"]
    for hue in palette.cell_hues().values():
        for share in np.linspace(0, 1, 101):
            fill = np.round(mixed(hue, paper, float(share)) * 255) / 255
            # theme.js writes in black or white, whichever reads better.
            assert max(contrast(fill, np.zeros(3)), contrast(fill, np.ones(3))) >= TEXT


@pytest.mark.parametrize("theme", THEMES)
def test_roles_scores_buttons_and_signs_stay_apart_in_every_vision(theme):
    known = palette.tokens(theme)
    groups = [*ROLES, "paper"], [*HUES, "blue", "vermilion", "paper"], [*SIGNS, "ink", "paper"]
    for vision, group in itertools.product(VISION, groups):
        for a, b in itertools.combinations(group, 2):
            apart = distance(seen(known[a], vision), seen(known[b], vision))
            assert apart >= APART, f"{a} and {b}, {vision}: {apart:.1f}"


@pytest.mark.parametrize("theme", THEMES)
def test_signs_of_uncertain_edges_are_seen_and_charts_have_the_same_colours(theme):
    known, charts = palette.tokens(theme), {"light": LIGHT, "dark": DARK}[theme]
    for name in SIGNS:
        # The stroke of an edge with probability ½; the style sheet has 0.3 + 0.6 p.
        drawn = mixed(known[name], known["paper"], 0.6)
        assert contrast(drawn, known["paper"]) >= 2, name
    for name in (*HUES, *SIGNS, "blue", "vermilion", "ink", "paper"):
        assert palette.written(known[name]) == getattr(charts, name), name


def test_nothing_but_assertions_is_blue_or_vermilion():
    for selector, rule in rules():
        used = re.findall(r"var\(--(?:blue|vermilion)(?:-ink)?\)", " ".join(rule.values()))
        assert not used or OF_ASSERTIONS.search(selector), selector


def test_the_cells_have_the_hues_of_the_roles():
    known = palette.tokens("light")
    for name, hue in palette.cell_hues().items():
        assert np.array_equal(hue, known[name])
    script = (FRONTEND / "parts" / "theme.js").read_text(encoding="utf-8")
    half, slope = map(float, re.search(r"return ([\d.]+) \+ ([\d.]+) \* \(p", script).groups())
    assert palette.FULLNESS["½"] == half
    assert palette.FULLNESS["1"] == pytest.approx(half + slope / 2)


def test_contrasts_and_colours_are_those_that_are_published():
    black, white = np.zeros(3), np.ones(3)
    # WCAG: the lightest grey that passes on white, and the next.
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(palette.hexed("#767676"), white) == pytest.approx(4.54, abs=5e-3)
    assert contrast(palette.hexed("#777777"), white) < TEXT
    # Red, green and blue of sRGB in CIE L*a*b*, D65.
    for text, expected in (
        ("#ff0000", (53.24, 80.09, 67.20)),
        ("#00ff00", (87.73, -86.18, 83.18)),
        ("#0000ff", (32.30, 79.19, -107.86)),
        ("#ffffff", (100.0, 0.0, 0.0)),
    ):
        assert palette.lab(palette.hexed(text)) == pytest.approx(expected, abs=0.02), text


def test_a_vision_keeps_greys_and_takes_red_and_green_for_alike():
    for vision, matrix in VISION.items():
        assert matrix.sum(axis=1) == pytest.approx(np.ones(3), abs=2e-6), vision
    colours = [palette.hexed(text) for text in ("#b33a3a", "#4f7a28")]
    apart = abs(np.subtract(*(palette.lab(colour)[1] for colour in colours)))
    for vision in ("deuteranopia", "protanopia"):
        hues = [palette.lab(seen(colour, vision))[1] for colour in colours]
        assert abs(hues[0] - hues[1]) < 0.35 * apart, vision


def test_the_picture_is_what_the_command_draws():
    assert palette.PICTURE.read_text(encoding="utf-8") == palette.picture()
