"""Why keys and values, never queries: what one new word adds to the notes, reads and throws away."""

from __future__ import annotations

from glassbox import model
from glassbox.figures import subject
from glassbox.figures.figure import Figure, Table
from glassbox.figures.kv_cache import runs
from glassbox.figures.markup import Markup, el
from glassbox.model import experiments

TITLE = "The notepad, one new word at a time"
TEXT = "The patient has severe chest pain and a cough"


@subject.kept(maxsize=128)
def changes(n_old: int, ahead: bool) -> tuple[tuple[float, ...], ...]:
    """By how much each old word's key changes when the next word arrives, for each layer.

    Both keys are worked out from the text alone, without a cache.

    Args:
        n_old: How many words were there before, the start token among them.
        ahead: Whether words may look at later ones, which a language model does not allow.

    Returns:
        For each layer and old word the length of the difference over the length of the key.
    """
    found = experiments.key_changes(subject.model(), runs.encoded(TEXT)[: n_old + 1], ahead)
    return tuple(tuple(row) for row in found.tolist())


def notepad(word: int = 5, ahead: bool = False) -> Figure:
    """Every layer's notes when a word arrives.

    Args:
        word: The new word's place in the text, from 1; the start token is 0.
        ahead: Let words look at later ones and see old keys change.
    """
    ids = runs.encoded(TEXT)
    word = min(max(int(word), 1), len(ids) - 1)
    words = runs.shown(ids[: word + 1])
    change = changes(word, ahead)
    c = subject.model().config
    per_layer = 2 * c.n_kv_heads * c.d_head
    new = words[-1].strip()
    most = max(max(row) for row in change)
    if ahead:
        sentence = (
            f"If words may look ahead, the new word “{new}” changes old keys by up to "
            f"{100 * most:.0f}\u00a0%: notes on them would be wrong at once."
        )
    else:
        sentence = (
            f"“{new}” adds {c.n_kv_heads} keys and {c.n_kv_heads} values to each of {c.n_layers} layers, one pair for each "
            f"KV head, reads those of all {word + 1} words, "
            f"and leaves every older key as it was; its queries are used once and thrown away."
        )
    rows = tuple(
        (f"layer {n}", c.n_kv_heads, c.n_kv_heads * (word + 1), c.n_heads, per_layer * 2, f"{max(row):.1e}")
        for n, row in enumerate(change, 1)
    )
    columns = (
        "layer",
        "keys and values appended",
        "keys and values read",
        "queries thrown away",
        "bytes appended at 16 bits",
        "largest relative change of an old key",
    )
    picture = el("div", _grid(words, change), _ledger(word, c), class_="notepad")
    note = "Changes below 0.001 % are rounding: the same sums in another order."
    return Figure(TITLE, sentence, picture, Table(columns, rows), note=note)


def _grid(words: tuple[str, ...], change: tuple[tuple[float, ...], ...]) -> Markup:
    head = [
        el("th", w.strip(), scope="col", class_="new" if n == len(words) - 1 else None)
        for n, w in enumerate(words)
    ]
    lines = [el("tr", el("td"), head, el("td"))]
    for layer, row in enumerate(change, 1):
        cells = [_kept(words[n], layer, share) for n, share in enumerate(row)]
        cells.append(
            el(
                "td",
                el("i", "K"),
                el("i", "V"),
                class_="new",
                data_detail=_DETAIL_NEW.format(layer, words[-1].strip()),
            )
        )
        query = el(
            "td",
            el("s", "Q"),
            class_="query",
            data_detail="The queries of this word are used now and never again.",
        )
        lines.append(el("tr", el("th", f"layer {layer}", scope="row"), cells, query))
    table = el("table", el("tbody", lines))
    return el("div", table, class_="scroll", tabindex="0", role="group", aria_label="Notes of every layer")


_DETAIL_NEW = "Layer {}: a key and a value for “{}” are written once and stay."


def _kept(word: str, layer: int, share: float) -> Markup:
    percent = 100 * share
    shown = "0 %" if percent < 0.001 else f"{percent:.0f}\u00a0%" if percent >= 1 else f"{percent:.2g}\u00a0%"
    changed = percent >= 0.001
    detail = f"Layer {layer}, key of “{word.strip()}”: changes by {shown} when the new word arrives."
    cells = [el("i", "K"), el("i", "V")] if not changed else [el("i", shown, class_="changed")]
    return el("td", cells, data_detail=detail)


def _ledger(word: int, c: model.Config) -> Markup:
    d, kv = c.d_head, c.n_kv_heads
    entries = (
        (
            "Written down",
            "c-value",
            f"{kv} keys and {kv} values of {d} numbers, in each layer",
            f"{2 * kv * d * c.n_layers:,} numbers",
        ),
        (
            "Read",
            "c-key",
            f"the keys and values of all {word + 1} words, in each layer",
            f"{2 * kv * d * c.n_layers * (word + 1):,} numbers",
        ),
        (
            "Thrown away",
            "c-query",
            f"{c.n_heads} queries, {c.n_heads * (word + 1)} scores and as many weights, in each layer",
            f"{(c.n_heads * d + 2 * c.n_heads * (word + 1)) * c.n_layers:,} numbers",
        ),
    )
    items = [
        el(
            "div",
            el("dt", name, class_=tone),
            el("dd", el("b", amount), el("span", what, class_="soft small")),
        )
        for name, tone, what, amount in entries
    ]
    return el("dl", items, class_="notepad-ledger")
