import itertools
import re
from importlib import resources
from pathlib import Path

import pytest

from glassbox.figures import palette, style

ROOT = Path(__file__).parents[2]
FOLDER = resources.files("glassbox.figures")
WRITTEN = "\n".join(FOLDER.joinpath(name).read_text(encoding="utf-8") for name in style.sheets())
CSS = style.inlined()
THEMES = ("light", "dark")
PROPERTIES = palette.properties()
TEXT = [*palette.COLOURS, "ink", "soft", "accent", *(f"cat-{n + 1}" for n in range(len(palette.CATEGORIES)))]


def mixed(colour: str, paper: str, share: float) -> str:
    """What ``color-mix(in srgb, colour share, paper)`` gives."""
    channels = [
        round(int(colour[i : i + 2], 16) * share + int(paper[i : i + 2], 16) * (1 - share)) for i in (1, 3, 5)
    ]
    return "#" + "".join(f"{c:02x}" for c in channels)


def test_contrast_is_21_between_black_and_white_and_4_48_for_a_known_grey():
    assert palette.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert palette.contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)
    assert palette.contrast("#ffffff", "#777777") == palette.contrast("#777777", "#ffffff")


def test_the_stylesheet_states_exactly_the_palette():
    stated = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS)
    # ... and each colour once more, under a name that no host has
    own = {f"{style.OWN}{name}": pair for name, pair in PROPERTIES.items()}
    assert {name: (light, dark) for name, light, dark in stated} == {**PROPERTIES, **own}
    assert len(stated) == 2 * len(PROPERTIES)


def test_outside_the_palette_no_style_sheet_names_a_colour():
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(", WRITTEN) == []


def test_every_meaning_has_a_class_of_its_colour():
    for name in palette.COLOURS:
        assert f":where(.glassbox) .c-{name} {{ color: var(--{name}); }}" in CSS


@pytest.mark.parametrize("theme", [0, 1], ids=THEMES)
@pytest.mark.parametrize("surface", ["paper", "wash"])
@pytest.mark.parametrize("name", TEXT)
def test_every_text_colour_is_legible_on_both_surfaces(name: str, surface: str, theme: int):
    assert palette.contrast(PROPERTIES[name][theme], PROPERTIES[surface][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=THEMES)
def test_the_focus_ring_stands_out_from_paper_and_wash(theme: int):
    for surface in ("paper", "wash"):
        assert palette.contrast(PROPERTIES["focus"][theme], PROPERTIES[surface][theme]) >= 3


@pytest.mark.parametrize("theme", [0, 1], ids=THEMES)
@pytest.mark.parametrize("step", range(len(palette.SCALE)))
def test_text_on_each_step_of_the_scale_is_legible_and_the_stylesheet_says_which(step: int, theme: int):
    text = palette.text_on(step)
    assert f"--on-scale-{step}: var(--{text});" in CSS
    assert palette.contrast(PROPERTIES[text][theme], palette.SCALE[step][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=THEMES)
def test_the_scale_only_ever_moves_away_from_paper(theme: int):
    paper = PROPERTIES["paper"][theme]
    steps = [palette.contrast(pair[theme], paper) for pair in palette.SCALE]
    assert steps == sorted(steps)
    assert all(b / a > 1.15 for a, b in itertools.pairwise(steps))


@pytest.mark.parametrize("theme", [0, 1], ids=THEMES)
@pytest.mark.parametrize("name", [*palette.COLOURS, "accent"])
def test_ink_is_legible_on_the_strongest_heat(name: str, theme: int):
    caps = [float(c) for c in re.findall(r"calc\(var\(--w, 0%\) \* ([\d.]+)\)", CSS)]
    assert len(caps) == 2
    strongest = mixed(PROPERTIES[name][theme], PROPERTIES["paper"][theme], caps[theme])
    assert palette.contrast(PROPERTIES["ink"][theme], strongest) >= 4.5


def test_the_notebooks_prose_has_the_same_colours():
    sheet = ROOT.joinpath("notebooks", "prose.css").read_text(encoding="utf-8")
    for name, (light, dark) in palette.COLOURS.items():
        assert f".c-{name} {{ color: light-dark({light}, {dark}); font-weight: 600; }}" in sheet
        assert f".dark .c-{name} {{ color: {dark}; }}" in sheet
