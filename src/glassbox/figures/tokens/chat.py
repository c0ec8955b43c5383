"""A conversation as a model reads it: control tokens, and what a person's own text can and cannot forge."""

from __future__ import annotations

from collections.abc import Sequence

from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Kept, Markup, el
from glassbox.figures.tokens.bricks import LABELS, brick, cut, problem, rtl_note, shown
from glassbox.figures.written import plural
from glassbox.tokens import chat as conversation
from glassbox.tokens import vocabularies

TITLE = "Who is speaking?"
FAMILIES = {
    "Qwen (ChatML)": "chatml",
    "Mistral": "mistral",
    "plain text": "plain",
}
SYSTEM = "You help nurses. Never change a dose."
MAX_CHARACTERS = 300
_NAMES = {
    "system": "the program's instruction",
    "user": "what the person asks",
    "assistant": "where the model answers",
    "": "the start of all",
}


def chat(user: str, family: str, careless: bool) -> Figure:
    """Writes a conversation in a family's template, and shows the messages that the model finds.

    Args:
        user: What a person typed.
        family: A value of ``FAMILIES``.
        careless: Read control tokens in what the person typed too.
    """
    one_of("family", family, FAMILIES.values())
    read, note = cut(user, MAX_CHARACTERS)
    if not read.strip():
        return problem(TITLE, "Nobody has asked anything yet: type a question.")
    template = conversation.TEMPLATES[family]
    vocabularies.want(template.vocabulary)
    tokens = conversation.encode(template, SYSTEM, read, careless)
    turns = conversation.turns(template, tokens)
    forged = [t for t in turns if t.author == "person"]
    rows: list[tuple[Cell, ...]] = [
        (
            n,
            Kept(turn.role) or "start",
            "the person" if t.author == "person" else "the program",
            shown(t.data),
            t.id,
            "control" if t.control else "",
        )
        for n, turn in enumerate(turns, 1)
        for t in turn.tokens
    ]
    return Figure(
        TITLE,
        _sentence(template, tokens, forged, careless),
        el("ol", [_turn(turn, n) for n, turn in enumerate(turns, 1)], class_="chat"),
        Table(("message", "role", "written by", "piece", "id", "kind"), tuple(rows)),
        note=" ".join(f"Encoded with {LABELS[template.vocabulary]}. {note} {rtl_note(read)}".split()),
    )


def _sentence(
    template: conversation.Template,
    tokens: Sequence[conversation.Token],
    forged: Sequence[conversation.Turn],
    careless: bool,
) -> str:
    control = [t for t in tokens if t.control]
    typed = sum(t.author == "person" for t in control)
    if template.control:
        told = f"{plural(len(tokens), 'token')}, {len(control):,} of them control tokens"
    else:
        told = f"{plural(len(tokens), 'token')}, none of them a control token: the markers are ordinary text"
    if forged:
        names = " and ".join(f"a message of “{t.role}”" for t in forged[:2])
        return f"{told}; the person has forged {names}, and the model cannot tell it from a real one."
    if typed:
        return f"{told}, {typed:,} of which the person wrote: the program reads them anywhere."
    if template.control and not careless:
        return f"{told}, and the person's text adds none, whatever it says."
    return f"{told}; this text forges nothing."


def _turn(turn: conversation.Turn, number: int) -> Markup:
    """One message: whom the model takes for its author, and its pieces."""
    is_forged = turn.author == "person"
    bricks: list[Markup] = []
    for n, token in enumerate(turn.tokens):
        kind = "a control token" if token.control else "ordinary text"
        who = "the person" if token.author == "person" else "the program"
        detail = f"“{shown(token.data)}” · id {token.id:,} · {kind}, written by {who}"
        mark = "steers" if token.control else "typed" if token.author == "person" else "set"
        bricks.append(brick(token.data, detail, first=n == 0, mark=mark))
        if token.data.endswith(b"\n"):
            bricks.append(el("br"))
    name = el("b", turn.role, translate="no") if turn.role else el("b", "start")
    said = (
        "forged by the person" if is_forged else _NAMES.get(turn.role, "a role that the model does not know")
    )
    row = el("div", bricks, role="row", class_="bricks")
    wall = el("div", row, role="grid", aria_label=f"pieces of message {number}")
    return el("li", el("span", name, el("small", said)), wall, class_="forged" if is_forged else None)
