"""The formula of one token's cache, written out with a reader's own numbers."""

from __future__ import annotations

from glassbox.costs import catalogue, kv
from glassbox.figures.choices import one_of
from glassbox.figures.figure import Cell, Figure, Table
from glassbox.figures.markup import Markup, el
from glassbox.figures.written import both, plural

TITLE = "What one token leaves behind"
LAYERS = (1, 4, 12, 16, 24, 28, 32, 36, 40, 48, 61, 64, 80, 96, 126)
KV_HEADS = (1, 2, 4, 8, 16, 32, 40, 64, 128)
HEAD_DIMS = (32, 64, 80, 96, 128, 192, 256, 512)
BYTES = {"32 bits": 4, "16 bits": 2, "8 bits": 1}
CONTEXTS = (1, 1000, 4000, 8000, 8192, 32_768, 131_072, 1_000_000)
USERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 1024)
KNOWN = ("GPT-2 small", "Llama 2 7B", "Llama 3 8B", "Qwen3 32B", "Llama 3.1 405B")


def per_token(
    layers: int = 32,
    kv_heads: int = 8,
    head_dim: int = 128,
    size: int = 2,
    context: int = 8000,
    users: int = 1,
) -> Figure:
    """Multiplies the formula out.

    Args:
        layers: How many layers keep keys and values.
        kv_heads: KV heads in each.
        head_dim: Numbers in a key, and in a value.
        size: Bytes of one number.
        context: Tokens of each user.
        users: How many users.
    """
    one_of("layers", layers, LAYERS)
    one_of("kv_heads", kv_heads, KV_HEADS)
    one_of("head_dim", head_dim, HEAD_DIMS)
    one_of("size", size, BYTES.values())
    one_of("context", context, CONTEXTS)
    one_of("users", users, USERS)
    take = "takes" if context == 1 else "take"
    token = 2 * layers * kv_heads * head_dim * size
    user, all_users = token * context, token * context * users
    sentence = (
        f"One token leaves 2 × {layers} × {kv_heads} × {head_dim} × {size} = {token:,} bytes behind; "
        f"{plural(context, 'token')} of {plural(users, 'user')} {take} {both(all_users)}."
    )
    factors = (
        ("2", "a key and a value"),
        (str(layers), plural(layers, "layer").split(" ")[1]),
        (str(kv_heads), "KV head" + "s" * (kv_heads > 1)),
        (str(head_dim), "numbers in each"),
        (str(size), "byte" + "s" * (size > 1)),
    )
    picture = el(
        "div",
        _product(factors, f"{token:,} bytes", "one token"),
        _product(
            ((f"{token:,}", "bytes"), (f"{context:,}", "token" + "s" * (context > 1))), both(user), "one user"
        ),
        _product(
            ((both(user).split(" (")[0], "one user"), (f"{users:,}", "user" + "s" * (users > 1))),
            both(all_users),
            "all users",
        ),
        _known(token),
        class_="per-token",
    )
    rows: tuple[tuple[Cell, ...], ...] = (
        ("one token", token),
        (f"one user, {plural(context, 'token')}", user),
        (plural(users, "user"), all_users),
        *((name, bytes_) for name, *_, bytes_ in known()),
    )
    return Figure(TITLE, sentence, picture, Table(("what", "bytes"), rows))


def _product(factors: tuple[tuple[str, str], ...], result: str, name: str) -> Markup:
    parts = []
    for n, (number, meaning) in enumerate(factors):
        sign = el("i", "×") if n else None
        parts.append(el("span", sign, el("b", number), el("small", meaning)))
    total = el("span", el("i", "="), el("b", result), el("small", name), class_="total")
    return el("p", parts, total, class_="per-token-product")


def known() -> list[tuple[str, int, int, int, int]]:
    """Models that follow the plain formula at 16 bits: name, layers, KV heads, head dimension, bytes a token."""
    found = []
    for name in KNOWN:
        config = catalogue.models()[name].config
        plan = kv.plan(config, 1)
        (heads, dim), *_ = plan.layers[0].vectors
        found.append((name, len(plan.layers), heads, dim, plan.bytes_per_token))
    return found


def _known(token: int) -> Markup:
    head = el(
        "tr", [el("th", c, scope="col") for c in ("model", "layers", "KV heads", "numbers", "bytes a token")]
    )
    rows = [
        el(
            "tr",
            el("th", name, scope="row"),
            [el("td", f"{n:,}", class_="number") for n in numbers],
            class_="same" if numbers[-1] == token else None,
        )
        for name, *numbers in known()
    ]
    table = el("table", el("thead", head), el("tbody", rows), class_="data")
    title = el("p", "The same formula for models you can look up, at 16 bits:", class_="small soft")
    return el(
        "div", title, el("div", table, class_="scroll", tabindex="0", role="group", aria_label="Known models")
    )
