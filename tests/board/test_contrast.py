"""Contrast of all colours of boards: in both themes, on every ground, and for colour-blind eyes.

Ratios are those of WCAG 2.1. What eyes see that lack one kind of cones is computed by the matrices for linear RGB of
Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color vision deficiency, 2009.
"""

from __future__ import annotations

import re

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
GROUNDS = ("paper", "cell", "cell.odd", "named")
THEMES = {"light": 0, "dark": 1}


def luminance(colour: str, eye: str) -> float:
    parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(np.clip(EYES[eye] @ linear, 0, 1) @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str, eye: str) -> float:
    low, high = sorted((luminance(one, eye), luminance(other, eye)))
    return (high + 0.05) / (low + 0.05)


def test_contrasts_are_computed_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff", "normal") == pytest.approx(21)
    assert contrast("#777777", "#ffffff", "normal") == pytest.approx(4.48, abs=0.01)
    # A red and a green that differ for most eyes are nearly the same for these.
    assert contrast("#b00000", "#005a00", "deuteranopia") < contrast("#ff0000", "#005a00", "normal")


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", PAINTS)
def test_a_piece_stands_out_from_every_ground(name: str, theme: str, eye: str) -> None:
    paint = PAINTS[name]
    outline = paint.night if theme == "dark" else paint.outline
    for ground in GROUNDS:
        below = COLOURS[ground, "fill"][THEMES[theme]]
        assert max(contrast(paint.body, below, eye), contrast(outline, below, eye)) >= 3, ground


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("name", PAINTS)
def test_a_line_in_a_chart_stands_out_from_the_page(name: str, eye: str) -> None:
    paint = PAINTS[name]
    page = (STATIC / "page.css").read_text(encoding="utf-8")
    grounds = [re.findall(rf"--{ground}: (#\w{{6}})", page) for ground in ("paper", "panel")]
    for light, dark in grounds:
        assert contrast(paint.day or paint.body, light, eye) >= 3
        assert contrast(paint.night, dark, eye) >= 3


def test_the_pages_draw_lines_in_these_colours() -> None:
    light, dark = chips().split("@media")
    for name, paint in PAINTS.items():
        assert f".s-{name}{{stroke:{paint.day or paint.body}}}" in light
        assert f".s-{name}{{stroke:{paint.night}}}" in dark


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("name", PAINTS)
def test_letters_on_pieces_can_be_read(name: str, eye: str) -> None:
    assert contrast(PAINTS[name].body, PAINTS[name].ink, eye) >= 4.5


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_texts_and_marks_stand_out(theme: str, eye: str) -> None:
    which = THEMES[theme]
    for text in ("label", "title", "note"):
        assert contrast(COLOURS[text, "fill"][which], COLOURS["paper", "fill"][which], eye) >= 4.5, text
    for mark in (("arrow", "stroke"), ("head", "fill"), ("mark", "stroke"), ("marksign", "fill")):
        for ground in GROUNDS:
            assert contrast(COLOURS[mark][which], COLOURS[ground, "fill"][which], eye) >= 3, (mark, ground)
