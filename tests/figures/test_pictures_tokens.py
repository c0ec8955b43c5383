"""What Chapter 1's pictures draw is what the vocabularies give, read back."""

import json
import re

import pytest

from glassbox.figures import tokens as figures
from glassbox.tokens import bpe, measure, vocabularies
from tests.figures import drawn

NAMES = ("gpt2", "o200k_base", "everyday")
TEXT = "The patient has 👋 thrombocytopenia,\n2026!"
RIGHT_TO_LEFT = {"Hebrew": "שלום עולם", "Arabic": "مرحبا", "Persian among English": "the word سلام here"}


def label_of(data):
    """A token as a brick shows it: the leading space is drawn as a stud, a part of a character in hex."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data.hex(" ").upper()
    shown = text.replace(" ", "·").replace("\n", "↵")
    return shown[1:] if shown.startswith("·") and shown.strip("·") else shown


def is_part(data):
    return data.decode("utf-8", "ignore").encode() != data


@pytest.mark.parametrize("name", NAMES)
def test_each_brick_is_one_piece_with_its_id(name):
    pieces = vocabularies.load(name).pieces(TEXT)
    picture = drawn.read(figures.split(TEXT, name).picture)
    bricks = picture.all("span", "brick")
    for brick, piece in zip(bricks, pieces, strict=True):
        assert brick.one("b").raw == label_of(piece.data)
        assert brick.one("small").text == str(piece.id)
        assert ("part" in brick.classes) == is_part(piece.data)
        assert f"id {piece.id:,} " in brick.attrs["data-detail"]
        assert piece.data.hex(" ").upper() in brick.attrs["data-detail"]
    counts = {li.one("span").text: li.one("b").text for li in picture.one("ul", "counts").kids()}
    assert counts == {
        "pieces": f"{len(pieces)}",
        "words": f"{len(TEXT.split())}",
        "characters": f"{len(TEXT)}",
        "bytes": f"{len(TEXT.encode())}",
    }
    assert len(picture.all("br")) == sum(p.data.endswith(b"\n") for p in pieces)


@pytest.mark.parametrize("script", RIGHT_TO_LEFT)
def test_a_script_from_right_to_left_is_said_to_be_laid_out_in_reading_order(script):
    text = RIGHT_TO_LEFT[script]
    words = "Pieces stand from left to right in the order the model reads them, in every script."
    assert words in figures.split(text, "o200k_base").note
    assert words in figures.compare(figures.CHOICES[-1], text, ["gpt2", "o200k_base"]).note
    pieces = vocabularies.load("o200k_base").pieces(text)
    bricks = drawn.read(figures.split(text, "o200k_base").picture).all("span", "brick")
    assert [b.one("small").text for b in bricks] == [str(p.id) for p in pieces]


@pytest.mark.parametrize("text", ["plain", "é ü ñ", "Привет", "हिन्दी", "漢字", "👋"])
def test_other_scripts_need_no_such_word(text):
    assert "left to right" not in figures.split(text, "o200k_base").note
    assert "left to right" not in figures.compare(figures.CHOICES[-1], text, ["gpt2", "o200k_base"]).note


@pytest.mark.parametrize("chosen", [*figures.SETS])
def test_each_line_of_the_comparison_covers_its_stretch_with_its_own_pieces(chosen):
    names, text = figures.SETS[chosen], "The patient has hyperlipidemia 👋."
    picture = drawn.read(figures.compare(figures.CHOICES[-1], text, names).picture)
    rows = [vocabularies.load(n).pieces(text) for n in names]
    start = 0
    for stretch in picture.one("div", "stretches").all("div", "stretch"):
        width = int(stretch.style("--n"))
        lines = [[p for p in row if start <= p.start < start + width] for row in rows]
        differs = len({tuple(p.data for p in line) for line in lines}) > 1
        assert ("differs" in stretch.classes) == differs
        places = {}
        for cell in stretch.all("span"):
            top, left, bottom, right = map(int, cell.style("grid-area").split("/"))
            places.setdefault((top, bottom), []).append((left, right, cell))
        if differs:
            assert sorted(places) == [(n, n + 1) for n in range(1, len(names) + 1)]
        else:
            assert list(places) == [(1, len(names) + 1)]
        for (top, _), cells in places.items():
            edges = [1]
            for left, right, cell in sorted(cells, key=lambda c: c[:2]):
                assert left == edges[-1]
                edges.append(right)
                inside = [p for p in lines[top - 1] if left <= p.start - start + 1 < right]
                assert cell.raw == " ".join(
                    p.data.hex(" ").upper() if is_part(p.data) else p.data.decode().replace(" ", "·")
                    for p in inside
                )
            assert edges[-1] == width + 1
        start += width
    assert start == len(text)
    high = max(map(len, rows))
    for li, row in zip(picture.one("ol", "compare-key").kids(), rows, strict=True):
        assert li.one("b").text == str(len(row))
        assert li.one("i").share("--share") == pytest.approx(100 * len(row) / high, rel=1e-3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("step", [0, 4, 99])
def test_each_line_of_the_merges_is_the_word_so_far(name, step):
    trace = vocabularies.merges(name).trace("hyperlipidemia")
    lines = drawn.read(figures.merge("hyperlipidemia", name, step).picture).one("ol", "merge").kids()
    assert len(lines) == min(step, len(trace) - 1) + 1
    for n, (line, state) in enumerate(zip(lines, trace, strict=False)):
        bricks = line.one("span", "bricks").all("span", "brick")
        assert [b.text for b in bricks] == [d.decode() for d in state]
        new = {b.text for b in bricks if "new" in b.classes}
        if n:
            left, right = line.one("span", "merge-said").one("b").text.split(" + ")
            assert new == {left + right}
            assert left in [d.decode() for d in trace[n - 1]]
        assert ("now" in line.classes) == (n == len(lines) - 1)


@pytest.mark.parametrize(("words", "kind"), [(100, "clinical"), (3_000, "everyday"), (100_000, "clinical")])
def test_the_bars_of_the_bill_are_pieces_a_word(words, kind):
    picture = drawn.read(figures.cost(words, kind, "", 2.5, 128_000).picture)
    rows = picture.one("ul", "bill").kids()
    for li, name in zip(rows, vocabularies.NAMES, strict=False):
        texts = measure.base()[kind]
        rate = sum(len(vocabularies.load(name).encode(t)) for t in texts) / sum(len(t.split()) for t in texts)
        assert li.one("i").share("--share") == pytest.approx(100 * rate / 2.5, rel=1e-3)
        assert li.one("b").text == f"{round(words * rate):,}"
        assert li.text.split(" a word")[0].endswith(f"{rate:.2f}")
        assert ("over" in li.all("small")[-1].classes) == (round(words * rate) > 128_000)
    assert ["reported-row" in li.classes for li in rows] == [False] * 7 + [True] * 2


@pytest.mark.parametrize("name", NAMES)
def test_each_languages_mark_is_its_pieces_over_those_of_english(name):
    texts = {
        code: [t for number, t in entry.items() if number.isdigit()]
        for code, entry in measure.declarations().items()
    }
    tok = vocabularies.load(name)
    pieces = {code: sum(len(tok.encode(t)) for t in found) for code, found in texts.items()}
    sets = drawn.rows(figures.languages(name, "Hindi").picture, "tokens.languages")
    assert len(sets["dots"]) == len(texts) * len(vocabularies.NAMES)
    chosen = sets["chosen"]
    assert sorted(row["pieces"] for row in chosen) == sorted(pieces.values())
    for row in chosen:
        assert row["times"] == pytest.approx(row["pieces"] / pieces["eng"], rel=1e-5)
        assert json.loads(row["set"])["follow"] == row["language"]
    assert len({json.loads(row["set"])["vocabulary"] for row in chosen}) == 1
    assert {row["language"]: row["pieces"] for row in chosen}["Hindi"] == pieces["hin"]
    assert sets["followed"] == [{"language": "Hindi"}]
    for span in sets["spans"]:
        own = [row["times"] for row in sets["dots"] if row["language"] == span["language"]]
        assert (span["least"], span["most"]) == (min(own), max(own))


@pytest.mark.parametrize("space", [True, False])
def test_letters_marks_each_one_and_shows_the_ids(space):
    picture = drawn.read(figures.letters("Strawberry", "r", space, "gpt2").picture)
    seen = picture.one("p", "letters-seen").kids()
    assert "".join(b.text for b in seen) == "Strawberry"
    assert [b.text for b in seen if "hit" in b.classes] == ["r", "r", "r"]
    ids = vocabularies.load("gpt2").encode(" Strawberry" if space else "Strawberry")
    assert [b.text for b in picture.one("p", "letters-ids").kids()] == [str(i) for i in ids]


def test_numbers_puts_each_vocabularys_pieces_in_its_own_column():
    picture = drawn.read(figures.numbers("77 kg").picture)
    rows = picture.one("tbody").all("tr")
    assert len(rows) == 9
    for row in rows:
        text = row.one("th").raw
        for cell, name in zip(row.all("td"), ("gpt2", "cl100k_base", "o200k_base", "qwen"), strict=True):
            pieces = vocabularies.load(name).pieces(text)
            assert [b.one("b").raw for b in cell.all("span", "brick")] == [label_of(p.data) for p in pieces]
    assert [("own" in row.classes) for row in rows] == [True] + [False] * 8


@pytest.mark.parametrize("sign", [*figures.SIGNS.values()][::3])
def test_a_sign_lies_over_its_bytes_and_its_pieces_under_them(sign):
    grid = drawn.read(figures.emoji(sign, "cl100k_base").picture).one("div", "emoji-grid")
    data = sign.encode()
    assert int(grid.style("--n")) == len(data)
    assert [s.text for s in grid.kids() if s.tag == "span"] == [f"{b:02X}" for b in data]
    at = 1
    for node, c in zip([n for n in grid.kids() if n.tag == "b"], sign, strict=True):
        assert node.style("grid-area") == f"1/{at}/2/{at + len(c.encode())}"
        assert node.one("small").text == f"U+{ord(c):04X}"
        at += len(c.encode())
    at = 1
    pieces = vocabularies.load("cl100k_base").pieces(sign)
    for node, piece in zip([n for n in grid.kids() if n.tag == "i"], pieces, strict=True):
        assert node.style("grid-area") == f"3/{at}/4/{at + len(piece.data)}"
        assert node.text == str(piece.id)
        at += len(piece.data)


@pytest.mark.parametrize(("written", "read"), [("gpt2", "clinical"), ("o200k_base", "everyday")])
def test_each_column_of_the_swap_is_one_id_in_both_vocabularies(written, read):
    text = "The patient has thrombocytopenia 你好"
    columns = drawn.read(figures.swap(text, written, read).picture).all("span", "swap-column")
    columns = [c for c in columns if "swap-names" not in c.classes]
    source, target = vocabularies.load(written), vocabularies.load(read)
    for column, piece in zip(columns, source.pieces(text), strict=True):
        was, number, becomes = column.kids()
        assert was.one("b").raw == label_of(piece.data)
        assert number.text == str(piece.id)
        try:
            data = target.data(piece.id)
        except ValueError:
            assert "swap-none" in becomes.classes
            continue
        assert becomes.one("b").raw == label_of(data)
        assert ("wrong" in becomes.classes) == (data != piece.data)


@pytest.mark.parametrize(("percent", "size"), [(0, 300), (50, 600), (100, 300)])
def test_training_draws_its_newest_merges_and_the_two_words(percent, size):
    merges = [m for m, _ in zip(bpe.learn(_mixed(percent)), range(size - 256), strict=False)]
    tokenizer = bpe.Tokenizer([m.pair for m in merges])
    shown = figures.train(percent, size).last().picture
    picture = drawn.read(shown)
    newest = picture.one("ol", "train-newest").kids()
    assert len(newest) == 8
    for li, merge in zip(newest, merges[::-1], strict=False):
        spelled = [tokenizer.vocab[i].decode("utf-8", "replace").replace(" ", "·") for i in merge.pair]
        assert li.one("b").raw == "".join(spelled)
        assert li.one("span").raw == " + ".join(spelled)
    sets = drawn.rows(shown, "tokens.train")
    lines = drawn.lines(sets, "entries", "pieces")
    words = picture.one("div", "train-words").kids()
    assert list(lines) == ["thrombocytopenia", "harbaugh"]
    for (word, line), node in zip(lines.items(), words, strict=True):
        ids = tokenizer.encode(f" {word}")
        assert [b.one("b").raw for b in node.all("span", "brick")] == [
            label_of(tokenizer.vocab[i]) for i in ids
        ]
        assert line[0] == (256, len(word) + 1)
        assert line[-1] == (size, len(ids))
        counts = [y for _, y in line]
        assert counts == sorted(counts, reverse=True)
    assert re.search(rf"{size - 256:,} of {size - 256:,} merges", picture.text)


def _mixed(percent):
    """The words of the mix by their weights, counted here."""
    counts = {}
    for kind, share in (("everyday", 100 - percent), ("clinical", percent)):
        for word, times in bpe.count_words(measure.mix()[kind]).items():
            if share:
                counts[word] = counts.get(word, 0) + times * share
    return counts
