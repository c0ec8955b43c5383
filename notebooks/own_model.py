# /// script
# dependencies = ["glassbox", "marimo", "numpy"]
#
# [tool.uv.sources]
# glassbox = { path = "..", editable = true }
# ///
import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium")

with app.setup:
    import marimo as mo

    from glassbox.figures import own_model as figures
    from glassbox.figures.own_model import facts
    from glassbox.page import check, guess


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Your own model: the same pictures of a real one

    And in a real one? Nearly everything in this book was shown on a small model, trained for these pages. Here you put a real checkpoint in its place, one that others have trained and that you have on your disk, and look inside it: what it guesses, layer by layer, where each of its heads looks, where its attention rests, how much room its past takes and how fast it writes. Your browser reads the files itself. Nothing is sent anywhere, and without a network it works as well.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## What can I bring?

    A <dfn>checkpoint</dfn>: a folder that holds the learned numbers of a model and a description of it, as nearly everybody publishes them today. Three kinds of files matter. `config.json` says how the model is built, `*.safetensors` holds its numbers, in one file or in several, and `tokenizer.json` says how it cuts text. All others may stay where they are.

    {facts.families()} are read, in 32 or 16 bits. A good first one is SmolLM2-135M: 270 MB to download, {facts.times_ours(134_515_008)} times the size of ours, and quick enough to play with. Where you get it, look for the three files above, and put them in one folder.

    <aside>What cannot be read is said by name: which file, which field, and what was expected. Weights in fewer than 16 bits, pickles (<code>*.bin</code>) and GGUF are not read.</aside>

    <div class="own-model"></div>
    """)
    return


@app.cell
def parts():
    figures.parts()
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Bring a model and compare. In small models the **embedding**, a row of numbers for each token they know, is a large part of the whole, because it does not grow with the number of layers. In Llama 3 8B the MLPs hold {facts.large_mlps()} %.

    **Remember.** A published model is a few files: its plan, its numbers, and its tokenizer. A page can read them without anybody’s help.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What does it know?

    Ask it for the next token. Ours has only read medical descriptions, dictionary entries, made-up sentences and exercises in looking back. A real model has read a good part of the web, and its list shows it. The line below the list is what comes out when the likeliest token is taken again and again.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.word(
        "Our model has read medical descriptions, dictionary entries and small stories. Which next word does it find likeliest after *The capital of France is*?",
        ("Paris", "a", "not"),
        facts.likeliest("The capital of France is"),
        opens="?guesses_text=The capital of France is#guesses",
        explain="It knows how sentences go, and nothing of France.",
    )
    return


@app.cell(hide_code=True)
def _():
    guesses_text = mo.ui.text(value="She opened the wooden chest of", label="A beginning")
    guesses_text
    return (guesses_text,)


@app.cell
def guesses(guesses_text):
    figures.guesses(guesses_text.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Ask both models for [*The capital of France is*](<?guesses_text=The capital of France is#guesses>), then for [*Patient has severe chest*](<?guesses_text=Patient has severe chest#guesses>). The first is lost on ours. With the second it does well, because that is what it was made for.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    And at which depth can the answer be read? Each layer adds something to what a position holds, and what the last leaves is read out. You can read out any layer as if it were the last. Which part made the answer is another question: for that one cuts, as in [chapter 4](machine.html).
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.word(
        "Our model has four layers. After which of them does it first say *of*, and stay with it, when it reads *She opened the wooden chest*?",
        ("layer 1", "layer 2", "layer 3", "layer 4"),
        facts.settled("She opened the wooden chest"),
        opens="?depth_text=She opened the wooden chest#depth",
        explain="A model with more layers has more room to change its mind.",
    )
    return


@app.cell(hide_code=True)
def _():
    depth_text = mo.ui.text(value="She opened the wooden chest of", label="A beginning")
    depth_text
    return (depth_text,)


@app.cell
def depth(depth_text):
    figures.depth(depth_text.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Find the layer at which the last word first leads, in our model and in yours. A model with more layers has more room to change its mind.

    **Remember.** A guess is built up layer by layer, and a bigger model mostly has more of them to build with.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## What do its heads look at?

    Our model has {facts.heads()} heads, a small real one hundreds. Each square is one head, drawn as in chapter 2: rows are readers, columns are what they read, dark is much. An edge in colour marks a head that puts at least half of its attention on one place: the first token, the token before, or itself.
    """)
    return


@app.cell(hide_code=True)
def _():
    looks_text = mo.ui.text(value="She opened the wooden chest of", label="A sentence (its last tokens)")
    looks_text
    return (looks_text,)


@app.cell(hide_code=True)
def _():
    looks_layer = mo.ui.slider(1, figures.layers(), value=2, step=1, label="Layer")
    looks_layer
    return (looks_layer,)


@app.cell(hide_code=True)
def _():
    looks_head = mo.ui.slider(1, figures.heads(), value=1, step=1, label="Head")
    looks_head
    return (looks_head,)


@app.cell
def looks(looks_head, looks_layer, looks_text):
    figures.looks(looks_text.value, looks_layer.value, looks_head.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Click through the squares, or walk with the arrow keys. Look for heads that look at the token before, and for whole layers that look at the first token: in Llama 2 Xiao and others (2023) found them from the third layer up.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    That resting is no defect. Shares must add up to 100 %, also where a head finds nothing that it wants, and many models learn a place where attention does no harm: a **sink**. Ours has come to one as well: of the text below it leaves {facts.resting()} % of its attention on the start token. That it needs this place, a cut shows: if its heads may not look there, [its guesses get much worse](attention.html#sink). Look at how it is in yours.
    """)
    return


@app.cell(hide_code=True)
def _():
    rest_text = mo.ui.text(
        value="The patient has a history of asthma and was seen for a cough that would not go away.",
        label="A text (its last tokens)",
    )
    rest_text
    return (rest_text,)


@app.cell
def rest(rest_text):
    figures.rest(rest_text.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Change the text’s first word. With ours little moves: its sink is the start token, which stands before every text. Where a model has none, the first word mostly takes its place, whichever it is: Llama 2 rested even on line breaks that Xiao and others put there.

    **Remember.** A head that finds nothing needs a place to rest, and mostly the first token is that place.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What does it cost to keep and to run?

    The cache of chapter 3 in your model’s own sizes. What a token leaves behind depends on the layers, on the heads that have keys of their own, and on the numbers in a head; not on how much the model knows.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        f"At 16 bits the past of 8,000 tokens takes {facts.times_weights(8000):.1f} times the room of our model’s weights. Of 32,000 tokens?",
        (4, 16, 64),
        round(facts.times_weights(32_000), 1),
        opens="?room_tokens=32000#room",
        unit="times",
        explain="The weights stay as they are; the past grows with every token by the same amount.",
    )
    return


@app.cell(hide_code=True)
def _():
    room_tokens = mo.ui.slider(steps=list(figures.LENGTHS), value=8000, label="Tokens in the text")
    room_tokens
    return (room_tokens,)


@app.cell(hide_code=True)
def _():
    room_numbers = mo.ui.radio(list(figures.NUMBERS), value="16 bits", label="Each number in")
    room_numbers
    return (room_numbers,)


@app.cell
def room(room_numbers, room_tokens):
    figures.room(room_tokens.value, room_numbers.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Find out between which lengths the past comes to take more room than the model itself, both at 16 bits. For ours it comes after {facts.outgrown_ours():,} tokens, for Llama 3 8B, which shares its keys and values among heads, after {facts.outgrown_large():,}: more than either was made to read at once.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Now let it write, in this page, on one core of your machine. Reading the beginning goes in one pass; then every token passes all the learned numbers once.
    """)
    return


@app.cell(hide_code=True)
def _():
    pace_text = mo.ui.text(value="The patient has", label="A beginning")
    pace_text
    return (pace_text,)


@app.cell(hide_code=True)
def _():
    pace_length = mo.ui.slider(steps=[16, 32, 64, 128, 256], value=64, label="Tokens to write, at most")
    pace_length
    return (pace_length,)


@app.cell(hide_code=True)
def _():
    pace_start = mo.ui.button(value=0, on_click=lambda n: n + 1, label="Let it write")
    pace_start
    return (pace_start,)


@app.cell
def pace(pace_length, pace_start, pace_text):
    figures.pace(pace_text.value, pace_length.value, pace_start.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Press the button, then multiply: tokens a second times the model’s multiplications a token is how many multiplications a second your browser really does. Engines on graphics cards are far faster, and still wait for memory.

    **Remember.** The cost of a token is nearly all in passing the learned numbers once. The cost of a long text is in what it leaves behind.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Whiteboard check

    Answer each one before you look. A pencil is enough.
    """)
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "SmolLM2-135M has 30 layers, 3 heads with keys of their own, and 64 numbers in each. How many bytes does a token leave behind at 16 bits?",
        facts.bytes_a_token(30, 3, 64),
        tolerance=0,
        unit="bytes",
        hint="A key and a value, in every layer and for every head of keys, two bytes a number.",
        explain="2 × 30 × 3 × 64 × 2.",
        name="bytes-a-token",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "A friend’s model rests with most of its heads on the first token. Should the first token be removed?",
        "No. The heads rest there because they need a place that does no harm. Without it they would have to put "
        "their shares on tokens that carry something, and the text would suffer. Engines that forget old tokens "
        "keep the first few for this reason.",
        name="remove-the-sink",
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## In short

    * A published model is a folder: `config.json`, `*.safetensors`, `tokenizer.json`. This page reads it where it lies.
    * Families differ in details: how they norm, turn, share keys and look back. The arithmetic is that of chapter 2.
    * A guess is built up layer by layer; heads that find nothing mostly rest on the first token.
    * The past of a text costs memory by layers, heads of keys and numbers a head; a token costs one pass through all learned numbers.
    * In Python it is `model.load("path/to/folder")`, and in a notebook `subject.use(…)` shows it in every figure.
    """)
    return


if __name__ == "__main__":
    app.run()
