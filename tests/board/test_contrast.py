"""Contrast of all colours of boards: in both themes, on every ground, and for colour-blind eyes.

Ratios are those of WCAG 2.1. What eyes see that lack one kind of cones is computed by the matrices for linear RGB of
Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color vision deficiency, 2009.
"""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from support.toy_files import ROOT

from ggp.board.drawing.palette import PAINTS, SURFACES, chips

STATIC = ROOT / "ggp" / "server" / "static"

EYES = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}

COLOURS = {(name, what): shades for name, what, *shades in SURFACES}
GROUNDS = ("paper", "cell", "cell.odd", "named", "first-gains", "second-gains")
THEMES = {"light": 0, "dark": 1}


def light(colour: str, eye: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The red, green and blue light that eyes see of a colour, from 0 to 1."""
    parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen: np.ndarray[tuple[int], np.dtype[np.float64]] = np.clip(EYES[eye] @ linear, 0, 1)
    return seen


def luminance(colour: str, eye: str) -> float:
    return float(light(colour, eye) @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str, eye: str) -> float:
    low, high = sorted((luminance(one, eye), luminance(other, eye)))
    return (high + 0.05) / (low + 0.05)


def tone(colour: str, eye: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A colour as eyes see it in Oklab, where distances are differences to the eye: black and white are 1 apart."""
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    seen: np.ndarray[tuple[int], np.dtype[np.float64]] = np.array(to_lab) @ np.cbrt(to_cones @ light(colour, eye))
    return seen


def test_contrasts_are_computed_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff", "normal") == pytest.approx(21)
    assert contrast("#777777", "#ffffff", "normal") == pytest.approx(4.48, abs=0.01)
    # A red and a green that differ for most eyes are nearly the same for these.
    assert contrast("#b00000", "#005a00", "deuteranopia") < contrast("#ff0000", "#005a00", "normal")


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_a_piece_stands_out_from_every_ground(theme: str, eye: str) -> None:
    for (name, paint), ground in product(PAINTS.items(), GROUNDS):
        outline = paint.night if theme == "dark" else paint.outline
        below = COLOURS[ground, "fill"][THEMES[theme]]
        assert max(contrast(paint.body, below, eye), contrast(outline, below, eye)) >= 3, (name, ground)


@pytest.mark.parametrize("eye", EYES)
def test_a_line_in_a_chart_stands_out_from_the_page(eye: str) -> None:
    page = (STATIC / "page.css").read_text(encoding="utf-8")
    grounds = [re.findall(rf"--{ground}: (#\w{{6}})", page) for ground in ("paper", "panel")]
    for (name, paint), (light, dark) in product(PAINTS.items(), grounds):
        assert contrast(paint.day or paint.body, light, eye) >= 3, name
        assert contrast(paint.night, dark, eye) >= 3, name


def test_the_pages_draw_lines_in_these_colours() -> None:
    light, dark = chips().split("@media")
    for name, paint in PAINTS.items():
        assert f".s-{name}{{stroke:{paint.day or paint.body}}}" in light
        assert f".s-{name}{{stroke:{paint.night}}}" in dark


@pytest.mark.parametrize("eye", EYES)
def test_letters_on_pieces_can_be_read(eye: str) -> None:
    assert [name for name, paint in PAINTS.items() if contrast(paint.body, paint.ink, eye) < 4.5] == []


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_texts_and_marks_stand_out(theme: str, eye: str) -> None:
    which = THEMES[theme]
    for text in ("label", "title", "note"):
        assert contrast(COLOURS[text, "fill"][which], COLOURS["paper", "fill"][which], eye) >= 4.5, text
    for mark in (("arrow", "stroke"), ("head", "fill"), ("mark", "stroke"), ("marksign", "fill")):
        for ground in GROUNDS:
            assert contrast(COLOURS[mark][which], COLOURS[ground, "fill"][which], eye) >= 3, (mark, ground)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_shades_of_a_value_stand_out_and_are_told_apart(theme: str, eye: str) -> None:
    which = THEMES[theme]
    shades = [COLOURS[name, "stroke"][which] for name in ("first-gains", "second-gains")]
    page = (STATIC / "page.css").read_text(encoding="utf-8")
    pages = [re.findall(rf"--{ground}: (#\w{{6}})", page)[which] for ground in ("paper", "panel")]
    for frame in shades:
        for below in (COLOURS["cell", "fill"][which], COLOURS["cell.odd", "fill"][which], *pages):
            assert contrast(frame, below, eye) >= 3
    # A difference of 0.02 is just noticed.
    assert np.linalg.norm(tone(shades[0], eye) - tone(shades[1], eye)) > 0.2
    fills = [tone(COLOURS[name, "fill"][which], eye) for name in ("first-gains", "second-gains")]
    assert np.linalg.norm(fills[0] - fills[1]) > 0.12
