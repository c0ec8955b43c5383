"""The glossary: what it takes from the chapters, where it links, and what it finds used too soon."""

import dataclasses
from types import SimpleNamespace

import pytest

from glassbox.chapters import NAMES
from glassbox.publish.errors import BuildError
from glassbox.publish.pages import glossary, notebook, prose
from glassbox.publish.pages.chapter import Block, Chapter
from tests.conftest import ROOT

SITE = SimpleNamespace(root=ROOT)


def chapter(name: str, *blocks: str) -> Chapter:
    """A chapter with its promise and these blocks; ``#name`` is a figure."""
    made = [Block("prose", "<h1>Title: more</h1><p>The promise of tokens.</p>", cell="cell 0")]
    for n, block in enumerate(blocks, 1):
        kind = "figure" if block.startswith("#") else "prose"
        made.append(Block(kind, "" if kind == "figure" else block, name=block.strip("#"), cell=f"cell {n}"))
    return Chapter(name, "Title: more", "", tuple(made), {}, {}, 0)


def book(*chapters: Chapter) -> dict[str, Chapter]:
    return {c.name: c for c in chapters}


def terms(*chapters: Chapter) -> dict[str, glossary.Term]:
    return glossary.collect(SITE, book(*chapters))


def meaning(page: str) -> str:
    return next(iter(terms(chapter("a", page)).values())).meaning


def test_the_sentence_around_a_term_is_what_the_glossary_says():
    page = "<h2>Q?</h2><p>It was 0.25 mg. A <em>piece</em> with a number is a <dfn>token</dfn>, $x. Next one.</p>"
    assert meaning(page) == "A <em>piece</em> with a number is a <strong>token</strong>, $x."
    assert meaning("<ul><li>First.</li><li>a <dfn>key</dfn>: what do I offer?</li></ul>") == (
        "a <strong>key</strong>: what do I offer?"
    )


def test_a_meaning_may_be_longer_or_shorter_than_its_sentence():
    page = '<p>Well. <span class="meaning">One. A <span class="c-key">b</span> is a <dfn>key</dfn></span>: so. No.</p>'
    assert meaning(page) == 'One. A <span class="c-key">b</span> is a <strong>key</strong>.'


def test_links_stay_in_the_chapter_and_tags_that_do_not_pair_become_text():
    assert (
        meaning('<p>A <dfn>key</dfn> is <a href="?a=1#b">this</a> one.</p>')
        == "A <strong>key</strong> is this one."
    )
    assert meaning("<p><strong>Long. A <dfn>key</dfn> &lt; is</strong> this.</p>") == "A key &lt; is this."


def test_a_term_is_listed_by_its_title_or_small_at_a_sentences_start():
    page = '<p><dfn>Paging</dfn> is. The <dfn>KV cache</dfn> is. It <dfn title="Unigram">unigrams</dfn>.</p>'
    assert [t.name for t in terms(chapter("a", page)).values()] == ["paging", "KV cache", "Unigram"]


def test_a_term_knows_its_section_and_the_figure_in_it():
    made = chapter(
        "a", "<h2>One?</h2><p>A <dfn>key</dfn> is.</p>", "#first", "<h2>Two?</h2><p>A <dfn>norm</dfn>.</p>"
    )
    found = terms(made)
    assert [(t.question, t.figure) for t in found.values()] == [("One?", "first"), ("Two?", "")]
    assert found["key"].at == 1


def test_first_uses_in_other_chapters_link_and_the_introduction_does():
    one = chapter("a", "<p>A <dfn>matrix</dfn> is.</p>", "<p>A matrix.</p>")
    two = chapter(
        "b",
        "<h2>A matrix?</h2><p><code>matrix</code>, <em>matrix</em>, submatrix, matrix-free.</p>",
        "<p>Two Matrices, a matrix.</p>",
    )
    found = terms(one, two)
    assert glossary.linked(one, found)[1:] == [
        '<p>A <dfn id="term-matrix"><a class="term" href="glossary.html#matrix">matrix</a></dfn> is.</p>',
        "<p>A matrix.</p>",
    ]
    pages = glossary.linked(two, found)
    assert pages[1] == two.blocks[1].html
    assert (
        pages[2]
        == '<p>Two <a class="term" id="use-matrix" href="glossary.html#matrix">Matrices</a>, a matrix.</p>'
    )
    assert found["matrix"].used == ["b"]


def test_an_everyday_word_is_listed_and_no_more():
    one = chapter("a", "<p>The key question.</p>", '<p>A <dfn class="everyday">key</dfn> is.</p>')
    two = chapter("b", "<p>A key.</p>")
    found = terms(one, two)
    assert glossary.early(book(one, two), found) == []
    assert glossary.linked(two, found)[1] == "<p>A key.</p>"


def test_the_longest_term_is_meant():
    one = chapter("a", "<p>A <dfn>head</dfn> is.</p>", "<p>An <dfn>induction head</dfn> is.</p>")
    two = chapter("b", "<p>An induction head, a head.</p>")
    assert glossary.linked(two, terms(one, two))[1] == (
        '<p>An <a class="term" id="use-induction-head" href="glossary.html#induction-head">induction head</a>, a '
        '<a class="term" id="use-head" href="glossary.html#head">head</a>.</p>'
    )


def test_a_word_used_before_it_is_introduced_is_named_with_chapter_and_cell():
    one = chapter("a", "<p>All tokens.</p>", '<p>A <a href="#x">vector</a>.</p>')
    two = chapter("b", "<p>Tokens, too, and a <dfn>vector</dfn>.</p>", "<p>A <dfn>token</dfn> is.</p>")
    assert glossary.early(book(one, two), terms(one, two)) == [
        "notebooks/a.py: cell 1 says “token” before cell 2 of notebooks/b.py introduces it. Introduce it sooner, link "
        "to where it is explained, or mark it <dfn class=“everyday”>."
    ]


def test_a_word_that_is_introduced_twice_stops_the_build():
    one, two = (
        chapter("a", "<p>A <dfn>token</dfn>.</p>"),
        chapter("b", "<p>Hm.</p>", "<p>A <dfn>token</dfn>.</p>"),
    )
    with pytest.raises(BuildError, match=r"cell 2 introduces “token”, and so does cell 1 of notebooks/a\.py"):
        terms(one, two)


def test_every_word_of_the_book_is_introduced_once_and_before_it_is_used():
    chapters = {name: notebook.load(ROOT / "notebooks" / f"{name}.py") for name in NAMES}
    found = glossary.collect(SITE, chapters)
    assert glossary.early(chapters, found) == []
    asked = {
        "word",
        "token",
        "piece",
        "position",
        "id",
        "vector",
        "head",
        "layer",
        "query",
        "key",
        "value",
        "kv-cache",
    }
    assert asked <= set(found)
    for term in found.values():
        said = prose.plain(term.meaning)
        assert said.endswith((".", "?", ")")), said
        assert len(said) > len(term.name) + 8, said


def test_the_promise_and_other_blocks_keep_their_text():
    one = chapter("a", "<p>A <dfn>token</dfn>.</p>", "#fig")
    two = dataclasses.replace(one, name="b", blocks=(*one.blocks[:1], Block("check", "<p>A token?</p>")))
    found = terms(one)
    assert glossary.linked(two, found) == [one.blocks[0].html, "<p>A token?</p>"]
