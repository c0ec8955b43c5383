"""Many requests with one beginning: what they share, and how a timestamp at the front ends it."""

from __future__ import annotations

from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import plural
from glassbox.serving import prefix as store

TITLE = "A beginning that many share"
SYSTEM = (
    "You are a careful assistant for a hospital. Answer in plain words, say what you do not know, and never "
    "give a dose without its source."
)
QUESTIONS = (
    "What is an ECG?",
    "What does afebrile mean?",
    "Can I take this with food?",
    "How long does a cast stay on?",
    "Is a cold contagious?",
    "What does the chest X-ray show?",
    "When can I drive again?",
    "Why does my hand tingle?",
)
PLACES = {"at the front": "front", "at the end": "end", "nowhere": "none"}
BLOCKS = (8, 16, 32)
MAX_SYSTEM = 2000  # characters that are used of a typed text


def prompts(system: str, place: str, count: int) -> list[bytes]:
    """The requests' bytes, one every seven seconds."""
    built = []
    for n in range(count):
        stamp = f"[09:{15 + 7 * n // 60:02}:{7 * n % 60:02}]"
        parts = [system, QUESTIONS[n % len(QUESTIONS)]]
        parts = [stamp, *parts] if place == "front" else [*parts, stamp] if place == "end" else parts
        built.append("\n".join(parts).encode("utf-8", "replace"))
    return built


def prefix(place: str = "end", count: int = 5, block: int = 16, system: str = SYSTEM) -> Figure:
    """Requests one under the other: what is read from the cache and what has to be worked through.

    Args:
        place: Where each request's time stands: ``front``, ``end`` or ``none``.
        count: How many requests come.
        block: Bytes in a block; only whole blocks are shared.
        system: The beginning that all share.
    """
    one_of("place", place, PLACES.values())
    one_of("block", block, BLOCKS)
    built = prompts(system[:MAX_SYSTEM], place, min(max(int(count), 1), len(QUESTIONS)))
    reads = store.serve(built, block)
    total, hit = sum(r.total for r in reads), sum(r.hit for r in reads)
    share = round(100 * hit / total)
    where = {
        "front": "With the time in front",
        "end": "With the time at the end",
        "none": "Without the time",
    }[place]
    sentence = (
        f"{where}, {hit:,} of {total:,} bytes ({share}\u00a0%) of {plural(len(reads), 'request')} "
        f"come from the cache; hits end at the first byte that differs, at a whole block of {block}."
    )
    items = [_request(data, read) for data, read in zip(built, reads, strict=True)]
    key = el(
        "p",
        el("span", "from the cache", class_="hit"),
        " ",
        el("span", "worked through", class_="new"),
        class_="small",
    )
    picture = el("div", key, el("ol", items), class_="prefix")
    rows = tuple((n, r.total, r.hit, r.computed, r.new_blocks) for n, r in enumerate(reads, 1))
    columns = ("request", "bytes", "from the cache", "worked through", "new blocks kept")
    note = (
        "" if len(system) <= MAX_SYSTEM else f"Only the first {MAX_SYSTEM:,} characters of the text are used."
    )
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=note)


def _request(data: bytes, read: store.Read) -> Markup:
    text = data.decode("utf-8", "replace")
    cut, size = 0, 0
    while cut < len(text) and size + len(text[cut].encode("utf-8", "replace")) <= read.hit:
        size += len(text[cut].encode("utf-8", "replace"))
        cut += 1
    share = 100 * read.hit / read.total if read.total else 0
    return el(
        "li",
        el("p", el("span", text[:cut], class_="hit") if cut else None, el("span", text[cut:], class_="new")),
        el("b", f"{share:.0f}\u00a0%", class_="number"),
    )
