# /// script
# dependencies = ["altair", "glassbox", "marimo", "numpy"]
#
# [tool.uv.sources]
# glassbox = { path = "..", editable = true }
# ///
import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium")

with app.setup:
    import marimo as mo

    from glassbox.figures import machine as figures
    from glassbox.figures.machine import facts
    from glassbox.page import check


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # The whole machine: one word, from bytes to the next

    The other chapters take a language model apart. This one shows it in one piece: you follow a sentence from its letters to the next word, see every part that the numbers pass on the way, and take any part out to find out what it was for. It needs nothing but the will to press things, so you may also begin here; where a part has a chapter of its own, a link goes there.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## What does the whole thing look like?

    Like this. The pieces of a sentence, its **tokens**, stand side by side at the bottom, and depth goes upwards. Each token has a grey line of its own, its **stream**: {facts.config().d_model} numbers that are carried from the bottom to the top. On the way the streams pass {facts.counted(facts.config().n_layers)} **layers**. In each of them {facts.counted(facts.config().n_heads)} **heads** (green) let a token read what stands in the streams of those before it, and one **MLP** (blue), a small network, works on each stream by itself. Every part does the same two things: it reads the stream, and it adds something to it. At the top, the stream of the last token has become a guess at the next word.

    <aside>The thicker a line, the larger its numbers are: one power of ten is about two and a half pixels. Dots show where the token that you follow looks in each head; the larger a dot, the larger its share.</aside>

    This is no sketch. It is the model of these pages with all its {facts.million(facts.card()["parameters"])} learned numbers, and it runs while you look. So you can do what nobody can do with a brain or an engine that runs: press a part, and it adds nothing any more. Everything above is then computed again without it, and what has changed turns red.
    """)
    return


@app.cell(hide_code=True)
def _():
    machine_text = mo.ui.text(value="Patient has severe chest", label="A text (its last seven tokens)")
    machine_text
    return (machine_text,)


@app.cell(hide_code=True)
def _():
    machine_cut = mo.ui.text(value="", label="What is cut (or press the parts)")
    machine_cut
    return (machine_cut,)


@app.cell(hide_code=True)
def _():
    machine_position = mo.ui.slider(0, 7, value=7, step=1, label="Position that is followed (7: the last)")
    machine_position
    return (machine_position,)


@app.cell(hide_code=True)
def _():
    machine_beside = mo.ui.radio(list(figures.BESIDE), value=figures.BESIDE[0], label="Beside each part")
    machine_beside
    return (machine_beside,)


@app.cell
def machine(machine_beside, machine_cut, machine_position, machine_text):
    figures.machine(machine_text.value, machine_cut.value, machine_position.value, machine_beside.value)
    return


@app.cell(hide_code=True)
def _():
    _head = facts.heaviest(facts.CLINICAL, "head").key
    _mlp = facts.heaviest(facts.CLINICAL, "MLP").key
    _light = facts.lightest(facts.CLINICAL)
    _severe, _has = (facts.hidden(facts.CLINICAL, w) for w in ("severe", "has"))
    mo.md(rf"""
    **Try this.** A tour, one press a step:

    1. Cut [the head that matters most here](?machine_cut={_head}#machine), {_head}: {facts.outcome(facts.CLINICAL, _head)}.
    2. Cut [the one that matters least](?machine_cut={_light}#machine), {_light}: {facts.outcome(facts.CLINICAL, _light)}. Of all {facts.n_heads()} heads {facts.spared(facts.CLINICAL)} can go, one at a time, and *{facts.likeliest(facts.CLINICAL)}* stays in front.
    3. Cut [the MLP that matters most](?machine_cut={_mlp}#machine), {_mlp}: {facts.outcome(facts.CLINICAL, _mlp)}.
    4. Cut a whole layer, [the first](?machine_cut=1#machine) or [the last](?machine_cut={facts.config().n_layers}#machine), and read the guesses at the right from the bottom up.
    5. Put all back and [hide *severe*](?machine_cut={_severe}#machine): no later token may look at it, in any head. Now {facts.outcome(facts.CLINICAL, _severe)}. If you [hide *has*](?machine_cut={_has}#machine) instead, {facts.outcome(facts.CLINICAL, _has)}.
    6. Give the same machine [*She opened the wooden chest*](<?machine_text=She opened the wooden chest#machine>). Its last token is the same as before, with the same first {facts.config().d_model} numbers; yet at the top *{facts.likeliest(facts.HOUSEHOLD)}* has {facts.chance(facts.HOUSEHOLD)}.
    7. See [what each cut alone would leave](<?machine_beside=what is left when it alone is cut#machine>), all at once.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Two things are worth noticing before we go into the parts. A part that adds much need not matter much, and the other way round: what it adds may point where nothing further up reads. And parts can stand in for each other: that a head can go alone does not mean that several can go together.

    **Remember.** A model is a stack of parts that read one stream and add to it. What a part is for is seen when it is gone.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Whiteboard check

    Answer each one before you look.
    """)
    return


@app.cell(hide_code=True)
def _():
    check.number(
        f"A model has {facts.config().n_layers} layers of {facts.config().n_heads} heads and one MLP. How many parts add to a stream on its way up?",
        facts.n_parts(),
        tolerance=0,
        unit="parts",
        hint="In each layer all heads and the MLP add; then count the layers.",
        explain="Every head and every MLP adds once. The embedding is what they add to.",
        name="parts-that-add",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "You cut a head, and the answer stays as it was. Was the head useless?",
        "Not for certain. Another head may carry the same, so that either can go but not both; or the head is for "
        "other texts. A cut tells what this answer hangs on, with all the other parts in place.",
        name="cut-without-effect",
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## In short

    * Each token has one stream of numbers; every head and every MLP reads it and adds to it.
    * Heads carry something from one token to another, MLPs work on each token alone.
    * A part's size does not tell what it is for. Cutting it does.
    """)
    return


if __name__ == "__main__":
    app.run()
