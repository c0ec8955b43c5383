"""What its cache takes, beside its weights."""

from __future__ import annotations

from glassbox.figures import chart, subject
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Figure, Table
from glassbox.figures.markup import el
from glassbox.figures.own_model.parts import sizes
from glassbox.figures.written import decimal
from glassbox.model.config import Config

TITLE = "What its past takes"
LENGTHS = (1, 100, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000)
NUMBERS = {"32 bits": 4.0, "16 bits": 2.0, "8 bits, in groups": 34 / 32}
READ = 8  # tokens that are really read, to hold the formula against


def kept(c: Config, tokens: int, wide: float) -> float:
    """Bytes of the keys and values of so many tokens; a layer with a window keeps no more than it.

    Args:
        c: The sizes.
        tokens: How many tokens have been read.
        wide: Bytes of one number.
    """
    rows = sum(min(tokens, c.window(layer) or tokens) for layer in range(c.n_layers))
    return 2 * c.n_kv_heads * c.d_head * wide * rows


@subject.kept(maxsize=1)
def measured() -> tuple[int, int]:
    """Tokens really read into a cache here, and the bytes that it then held, in 32 bits."""
    m = subject.model()
    ids = [n % m.config.vocab_size for n in range(min(READ, m.config.context))]
    cache = m.new_cache()
    m.forward(ids, cache, last_only=True, keep=False)
    return len(ids), cache.cache_bytes


def room(tokens: int, numbers: str) -> Figure:
    """The cache of a text beside the weights.

    Args:
        tokens: Its length; one of ``LENGTHS``.
        numbers: How each number is stored; one of ``NUMBERS``.
    """
    one_of("numbers", numbers, tuple(NUMBERS))
    c, wide = subject.model().config, NUMBERS[numbers]
    weights = 2 * sum(sizes(subject.model()).values())
    size, token = kept(c, tokens, wide), kept(c, 1, wide)
    sentence = (
        f"A token of {subject.name()} leaves {decimal(token)} behind, and {_tokens(tokens)} {decimal(size)}: "
        f"{_times(size / weights)} its weights at 16 bits."
    )
    lengths = sorted({*(n for n in (1000, 8000, 32_000, 128_000) if n != tokens), tokens})
    rows: list[chart.Bar] = [("its weights, 16 bits", float(weights), decimal(weights), "masked")]
    rows += [
        (_tokens(n), kept(c, n, wide), decimal(kept(c, n, wide)), "value" if n == tokens else "key")
        for n in lengths
    ]
    high = max(value for _, value, *_ in rows)
    read, really = measured()
    note = f"Reading {read} tokens here really stored {decimal(really)}, in 32 bits; the formula says {decimal(kept(c, read, 4.0))}."
    if tokens > c.context:
        note = f"This model may read {c.context:,} tokens at most. {note}"
    picture = el("div", chart.bars(rows, high=high, sentence=sentence), class_="om-room")
    table = Table(
        ("tokens", *(f"{name} (bytes)" for name in NUMBERS)),
        tuple((n, *(round(kept(c, n, w)) for w in NUMBERS.values())) for n in LENGTHS),
    )
    return Figure(TITLE, sentence, picture, table, note=note)


def _tokens(n: int) -> str:
    return f"{n:,} token" + "s" * (n != 1)


def _times(ratio: float) -> str:
    if ratio >= 0.995:
        return f"{ratio:.1f} times"
    return f"{100 * ratio:.2g} % of" if ratio >= 0.001 else "under 0.1 % of"
