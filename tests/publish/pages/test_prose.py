from glassbox.publish.pages import prose


def test_formulas_become_mathml_and_need_no_script():
    page = prose.render(r"Share $\frac{q \cdot k}{\sqrt{d}}$ and" + "\n\n$$a < b$$\n")
    assert page.count("<math") == 2
    assert "arithmatex" not in page
    assert 'display="block"' in page


def test_prices_are_not_formulas():
    assert "<math" not in prose.render("It costs $5 now and $7 later.")


def test_asides_and_coloured_words_pass_through():
    page = prose.render('<aside markdown="1">A *note*.</aside>\n\n<span class="c-severe">severe</span>')
    assert "<em>note</em>" in page
    assert 'class="c-severe"' in page


def test_an_aside_holds_markdown_without_saying_so():
    assert "A <em>byte</em>." in prose.render("Text.\n\n<aside>A *byte*.</aside>")


def test_what_to_try_and_what_to_remember_have_classes_of_their_own():
    page = prose.render("**Try this.** Move it.\n\n**Remember.** It moves.\n\n**Money.** It costs.")
    assert '<p class="try-this"><strong>Try this.</strong> Move it.</p>' in page
    assert '<p class="remember"><strong>Remember.</strong> It moves.</p>' in page
    assert "<p><strong>Money.</strong>" in page


def test_headings_have_ids_and_are_listed():
    page = prose.render("# T\n\n## What is *it*?\n\ntext\n\n## And then?")
    assert prose.headings(page) == [("what-is-it", "What is it?"), ("and-then", "And then?")]
    assert (prose.first(page, "h1"), prose.last(page, "h2")) == ("T", "And then?")


def test_a_space_in_a_link_to_a_state_is_written_as_addresses_want_it() -> None:
    page = prose.render("[a card](?memory_model=Gemma 3 27B&memory_gpu=H100#memory)")
    assert 'href="?memory_model=Gemma+3+27B&amp;memory_gpu=H100#memory"' in page


def test_no_line_begins_with_the_sign_of_a_share() -> None:
    page = prose.render("It gives *severe* 40 % and the rest 60\n% of it, 100 %.\n\n`7 % 2`\n\n    3 % 2\n")
    assert [page.count(text) for text in ("40\xa0%", "60\xa0%", "100\xa0%", "7 % 2", "3 % 2")] == [1] * 5
    assert prose.first(page, "p").endswith("60 % of it, 100 %.")  # as plain text it is found as it is typed
