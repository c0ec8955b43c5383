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
    from glassbox.page import check, guess


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # The whole machine: one word, from bytes to the next

    In the next half hour you will follow one sentence through a whole language model, from its letters to the next word, and take any part out to find out what it was for. The other chapters take the model apart; this one shows it in one piece. It needs nothing but the will to press things, so you may also begin here; where a part has a chapter of its own, a link goes there.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## What does the whole thing look like?

    Like this. At the very bottom a text is bytes; some that stand together are a **token**, a piece of the text, and each token has a number, its **id**. The tokens stand side by side, and depth goes upwards. Each token has a grey line of its own, its <dfn class="everyday">stream</dfn>: {facts.config().d_model} numbers that are carried from the bottom to the top. On the way the streams pass {facts.counted(facts.config().n_layers)} **layers**. In each of them {facts.counted(facts.config().n_heads)} **heads** (green) let a token read what stands in its own stream and in those before it, and one <dfn>MLP</dfn> (blue), a small network, works on each stream by itself. Every part does the same two things: it reads the stream, and it adds something to it. At the top, the stream of the last token has become a guess at the next word.

    <aside>The thicker a line, the larger its numbers are: one power of ten is about two and a half pixels. Dots show where the token that you follow looks in each head; the larger a dot, the larger its share; very small shares are left out.</aside>

    This is no sketch. It is the model of these pages with all its {facts.million(facts.card()["parameters"])} learned numbers, and it runs while you look. So you can do what is hard to do with a brain: press a part, and it adds nothing any more; press it again, and it is back. Everything above is computed again each time, and what has changed by more than a trace turns red.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        f"After *{facts.CLINICAL}* this model says *{facts.likeliest(facts.CLINICAL)}*, with {facts.chance(facts.CLINICAL)}. Forbid every later token to look at *severe*: what is left of it?",
        (5, 45, 85),
        round(
            guess.seen(
                figures.machine(facts.CLINICAL, facts.hidden(facts.CLINICAL, "severe"), 7, figures.BESIDE[0]),
                "next word: pain",
                "with the cuts (%)",
            )
        ),
        opens=f"?machine_cut={facts.hidden(facts.CLINICAL, 'severe')}#machine",
        unit="%",
        explain="Hide *Patient* and *has* as well, and nearly the same is left: it comes from *chest* itself. What has changed turns red.",
    )
    return


@app.cell(hide_code=True)
def _():
    machine_tour = mo.ui.slider(1, figures.STOPS, value=1, step=1, label="Stop of the tour")
    machine_tour
    return (machine_tour,)


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


@app.cell(hide_code=True)
def _():
    _all = 2 * facts.config().n_layers
    machine_depth = mo.ui.slider(
        0, _all, value=_all, step=1, label="Additions to the stream (at the right: all)"
    )
    machine_depth
    return (machine_depth,)


@app.cell
def machine(machine_beside, machine_cut, machine_depth, machine_position, machine_text, machine_tour):
    figures.machine(
        machine_text.value,
        machine_cut.value,
        machine_position.value,
        machine_beside.value,
        machine_depth.value,
        machine_tour.value,
    )
    return


@app.cell(hide_code=True)
def _():
    _last = facts.config().n_layers
    mo.md(rf"""
    **Try this.** Press *Next* and go through the twelve stops of the tour, or let them play. A head is called by its layer and its place in it, an MLP by its layer. Wherever you are, press any part, and you are on your own; the tour waits where you left it. Then try what it leaves out:

    * Cut a whole layer, [the first](?machine_cut=1#machine) or [the last](?machine_cut={_last}#machine), and read the guesses at the right from the bottom up.
    * Let the stream rise step by step: begin at [the embedding](?machine_depth=0#machine) and press ↑.
    * See [what each cut alone would leave](<?machine_beside={figures.BESIDE[1]}#machine>), all at once.
    * Cut single looks: [each head’s strongest look back](<?machine_beside={figures.BESIDE[2]}#machine>) is a button there.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The same drawing works for a real model: nearly every figure of this chapter can show one of yours, which your browser reads and sends nowhere. Of a model with many layers you see the layers first, and open the ones that you want to see inside. The [last chapter](own_model.html) says which files it takes.

    <div class="own-model folded"></div>
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Two things are worth noticing before we go into the parts. A part that adds much need not matter much: what it adds may point where nothing further up reads, or help the answer’s rivals as much. And parts can stand in for each other: that a head can go alone does not mean that several can.

    **Remember.** A model is a stack of parts that read one stream and add to it. What a part is for is seen when it is gone.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## How does a piece of text become numbers?

    A computer holds a text as **bytes**, numbers from 0 to 255, as a rule one for each English letter. The model’s tokenizer joins those that often stand together to **tokens**, words and pieces of words, each with a number of its own, its **id**; how, is the subject of [Tokens](tokens.html). The id is no quantity. It says which row of a table to take. This table, the <dfn>embedding</dfn>, has a row of {facts.config().d_model} numbers for each of {facts.config().vocab_size:,} tokens, and it holds {facts.table_share()} of all the numbers that the model has learned. A list of numbers like such a row is called a **vector**; think of it as an arrow with {facts.config().d_model} coordinates.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.word(
        "The model has only ever read texts, and nobody told it what a word means. Which row lies nearest to that of *left*?",
        ("gone", "right", "arm"),
        facts.near("left", 1).strip("*"),
        opens="?embed_text=left#embed",
        explain="Words that can stand in for each other in the texts have ended up side by side.",
    )
    return


@app.cell(hide_code=True)
def _():
    embed_text = mo.ui.text(value="severe", label="A word")
    embed_text
    return (embed_text,)


@app.cell(hide_code=True)
def _():
    embed_minus = mo.ui.text(value="", label="Move its row by the difference from")
    embed_minus
    return (embed_minus,)


@app.cell(hide_code=True)
def _():
    embed_plus = mo.ui.text(value="", label="to")
    embed_plus
    return (embed_plus,)


@app.cell
def embed(embed_minus, embed_plus, embed_text):
    figures.embed(embed_text.value, embed_minus.value, embed_plus.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Look up [*Monday*](?embed_text=Monday#embed), [*wooden*](?embed_text=wooden#embed) and [*left*](?embed_text=left#embed). Nobody told the model which words belong together. Then try [*chest*](?embed_text=chest#embed): its row must serve the body and the furniture alike. And [*asthma*](?embed_text=asthma#embed) is several tokens, each with a row of its own.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    The bars show the <dfn>cosine</dfn> of two rows: 1 if the arrows point the same way, 0 if they stand at a right angle. Near *severe* lie {facts.near("severe")}. Words that can stand in for each other in the texts the model was trained on have mostly ended up side by side. That is all that nearness means here: the row nearest to *left* is that of {facts.near("left", 1)}.

    **Do directions mean something, too?** In large tables the step from *man* to *king* can be much like that from *woman* to *queen* (Mikolov and others, 2013). In ours one such step shows. From a small first letter to a capital, as [from *the* to *The*, begun at *patient*](?embed_text=patient&embed_minus=the&embed_plus=The#embed), the differences of {facts.counted(len(facts.CAPITALS))} pairs have a mean cosine of {facts.alike(facts.CAPITALS)}. From [*he* to *she*](?embed_text=his&embed_minus=he&embed_plus=she#embed) and the like it is {facts.alike(facts.GENDER)}, from *is* to *was* and the like {facts.alike(facts.TENSES)}: next to nothing in common. A word like *woman* lies beside *man* all the same, but as a neighbour, not at the end of a step that other pairs share. The tables in which such steps were found are larger, and were learned from far more text.

    **Remember.** A token is an id, an id is a row of a table, and the row is where its stream begins.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What does a layer do to a stream?

    It adds to it, twice. First its heads read the streams and each adds a vector; then its MLP reads what has come of that and adds another. Nothing is ever replaced, and so the numbers at the top are a plain sum: the row of the table, plus what every part has added. Engineers call the stream <dfn>residual</dfn>, since each part only has to supply what is still missing.
    """)
    return


@app.cell(hide_code=True)
def _():
    residual_text = mo.ui.text(value="Patient has severe chest", label="A text (its last seven tokens)")
    residual_text
    return (residual_text,)


@app.cell(hide_code=True)
def _():
    residual_number = mo.ui.slider(1, 128, value=5, step=1, label="Entry that is followed")
    residual_number
    return (residual_number,)


@app.cell
def residual(residual_number, residual_text):
    figures.residual(residual_text.value, residual_number.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Move the frame to [another entry](?residual_number=70#residual) and add up its column from the top down: the bold numbers give the last one. Then compare the sizes of the rows, and read the other sentence, [*She opened the wooden chest*](<?residual_text=She opened the wooden chest#residual>): the first row is the same, number by number, and no other.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    In this model the stream of *chest* grows from a size of {facts.sizes(facts.CLINICAL)[0]} to {facts.sizes(facts.CLINICAL)[1]}, so that the row it began with is soon a small part of it. Since sizes differ so much, every part reads the stream after a <dfn>norm</dfn>: all numbers are divided by their typical size and each is multiplied by a learned factor. A part therefore sees which way the stream points, not how long it is.

    **Remember.** The stream is a sum. Whatever a part has to say, it says by adding.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## What is inside a head?

    <span class="meaning">Four tables of learned numbers. Such a table is called a **matrix**, and its numbers are <dfn title="weight" class="everyday">weights</dfn>.</span> Multiplying a vector by a matrix is simple and long: each number of the result is one row of weights times the vector, number by number, added up; this is a **dot product**. Three matrices make the three vectors of [attention](attention.html) from the stream: $W_Q$ the query (what am I looking for?), $W_K$ the key (what do I offer to those who look?) and $W_V$ the value (what do I pass on?). Queries and keys decide how much each token reads of which other, and the values are mixed in these shares. The fourth, $W_O$, turns the mix of {facts.config().d_head} numbers into {facts.config().d_model} that can be added to the stream.
    """)
    return


@app.cell(hide_code=True)
def _():
    project_text = mo.ui.text(value="Patient has severe chest", label="A text (its last seven tokens)")
    project_text
    return (project_text,)


@app.cell(hide_code=True)
def _():
    project_head = mo.ui.dropdown(
        {name: i for i, name in enumerate(figures.head_names())},
        value=facts.heaviest_name(facts.CLINICAL),
        label="Head",
    )
    project_head
    return (project_head,)


@app.cell(hide_code=True)
def _():
    project_matrix = mo.ui.radio(list(figures.MATRICES), value=figures.MATRICES[0], label="Matrix")
    project_matrix
    return (project_matrix,)


@app.cell(hide_code=True)
def _():
    project_number = mo.ui.slider(1, 32, value=3, step=1, label="Number of the result")
    project_number
    return (project_number,)


@app.cell
def project(project_head, project_matrix, project_number, project_text):
    figures.project(project_text.value, project_head.value, project_matrix.value, project_number.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Move the number of the result: each has a row of weights of its own. Go on to [the key](<?project_matrix=W_K: the key#project>), [the value](<?project_matrix=W_V: the value#project>) and [the output](<?project_matrix=W_O: the output#project>), where far fewer numbers go in and many come out.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    So one head works with {facts.head_weights():,} weights. (In this model two heads share one $W_K$ and one $W_V$; why, is told in [the chapter on the cache](kv_cache.html).) The {facts.counted(facts.config().n_heads)} heads of a layer work side by side, each on {facts.config().d_head} numbers of its own, {facts.config().n_heads * facts.config().d_head} together. Without that sharing, a single head with {facts.config().n_heads * facts.config().d_head} numbers would take matrices of the same size; but it could ask one question at a time, and its shares would have to serve everything at once.

    How do {facts.counted(facts.config().n_heads)} answers become one? The mixes are written one after the other, <dfn title="concatenate">concatenated</dfn>, and go through $W_O$ together. That is the same as letting each head put its mix through its own part of $W_O$, and adding up.
    """)
    return


@app.cell(hide_code=True)
def _():
    heads_join_text = mo.ui.text(value="Patient has severe chest", label="A text (its last seven tokens)")
    heads_join_text
    return (heads_join_text,)


@app.cell(hide_code=True)
def _():
    heads_join_layer = mo.ui.slider(1, facts.config().n_layers, value=1, step=1, label="Layer")
    heads_join_layer
    return (heads_join_layer,)


@app.cell
def heads_join(heads_join_layer, heads_join_text):
    figures.heads_join(heads_join_text.value, heads_join_layer.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Go up [to the second layer](?heads_join_layer=2#heads_join) and further, and compare the sizes at the right: heads of one layer can differ a great deal. Then read [*She opened the wooden chest*](<?heads_join_text=She opened the wooden chest#heads_join>).

    **Remember.** A head asks with $W_Q$, is found with $W_K$, passes on with $W_V$ and adds with $W_O$. The matrices are learned once; the shares are worked out anew for every text.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## What does the MLP do?

    Heads move things between tokens. The MLP works on one token at a time; with {facts.mlp_share()} of all learned numbers the MLPs are the largest part of the model. (MLP is short for *multi-layer perceptron*, an old name.) <span class="meaning">It has {facts.config().d_ff} <dfn title="unit" class="everyday">units</dfn>. Each has its rows of weights with which it reads the stream, and <dfn title="fire" class="everyday">fires</dfn>: strongly where they fit, hardly at all where they do not.</span> And each has one column of weights, a vector that it adds to the stream, by as much as it fires; if it fires below zero, it takes that vector away.
    """)
    return


@app.cell(hide_code=True)
def _():
    mlp_text = mo.ui.text(value="Patient has severe chest", label="A text (its last seven tokens)")
    mlp_text
    return (mlp_text,)


@app.cell(hide_code=True)
def _():
    mlp_layer = mo.ui.slider(1, facts.config().n_layers, value=3, step=1, label="Layer")
    mlp_layer
    return (mlp_layer,)


@app.cell(hide_code=True)
def _():
    mlp_unit = mo.ui.slider(1, 8, value=1, step=1, label="Unit (1 writes most)")
    mlp_unit
    return (mlp_unit,)


@app.cell(hide_code=True)
def _():
    mlp_silenced = mo.ui.slider(steps=list(figures.SILENCED), value=0, label="Units cut, the strongest first")
    mlp_silenced
    return (mlp_silenced,)


@app.cell
def mlp(mlp_layer, mlp_silenced, mlp_text, mlp_unit):
    figures.mlp(mlp_text.value, mlp_layer.value, mlp_unit.value, mlp_silenced.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Read what else wakes the strongest unit, and where it fires below zero, then [the second](?mlp_unit=2#mlp) and the third. Go to [the first layer](?mlp_layer=1#mlp) and to the last. Then cut: [one unit](?mlp_silenced=1#mlp), [eight](?mlp_silenced=8#mlp), [all](?mlp_silenced=384#mlp); and see how far *pain* falls, or rises.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The weights fit in two ways at once, which is why this kind is called *gated*: one row of a unit says how much passes, the other what. The rule for how much is a bent line (SiLU): what is well above zero passes nearly as it is, what is well below nearly vanishes. With neither the bend nor the product an MLP could do no more than a single matrix, however many units it had.

    It is tempting to name a unit after the words that wake it. Look through a few before you do. What wakes a unit is where it speaks, not yet what it is for.

    **Remember.** An MLP is many small rules of the form: where the stream looks like this, add that.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When does the guess form?

    <span class="meaning">At the top, a stream is read as a guess at the next token. Nothing stops us from reading it sooner: after every layer the same reading can be done to what the stream holds so far. This is the <dfn>logit lens</dfn> (nostalgebraist, 2020).</span> What it shows is not what the model thinks, only what it would say if it had to stop there; lower layers have never been trained to be read.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.word(
        f"In *{facts.HOUSEHOLD}* the model says *{facts.likeliest(facts.HOUSEHOLD)}* at the top. From which layer on would it say so?",
        facts.layers(),
        facts.settled(facts.HOUSEHOLD),
        opens="?lens_text=She opened the wooden chest#lens",
        explain=f"Right after the embedding it says *{facts.start_of_guess(facts.HOUSEHOLD)}*.",
    )
    return


@app.cell(hide_code=True)
def _():
    lens_text = mo.ui.text(value="Patient has severe chest", label="A text (its last seven tokens)")
    lens_text
    return (lens_text,)


@app.cell(hide_code=True)
def _():
    lens_cut = mo.ui.text(value="", label="What is cut (as 1.4 or 2.MLP)")
    lens_cut
    return (lens_cut,)


@app.cell
def lens(lens_cut, lens_text):
    figures.lens(lens_text.value, lens_cut.value)
    return


@app.cell(hide_code=True)
def _():
    _last = facts.config().n_layers
    mo.md(rf"""
    **Try this.** Read the right column from the bottom up, then the one of [*She opened the wooden chest*](<?lens_text=She opened the wooden chest#lens>). Both begin with the same row of the table. Cut [the MLP of the last layer](?lens_cut={_last}.MLP#lens) or [that of the first](?lens_cut=1.MLP#lens), and see from where on the guesses differ.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    Read right after the embedding, *chest* would be followed by *{facts.start_of_guess(facts.CLINICAL)}*: the same table serves at both ends, and so a row that nobody has changed fits itself best. In *Patient has severe chest* the stream says *{facts.likeliest(facts.CLINICAL)}* from {facts.settled(facts.CLINICAL)} on; in *She opened the wooden chest* it says *{facts.likeliest(facts.HOUSEHOLD)}* from {facts.settled(facts.HOUSEHOLD)} on.

    **Remember.** The guess forms on the way. What stands at the top only reads it out.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## How does a vector become probabilities?

    By comparing it with every row of the embedding. The stream passes a last norm, and its dot product with a row is that token’s **logit**; this step is the <dfn>unembedding</dfn>, and in our model it uses the very same table. Then **softmax** makes shares of the {facts.config().vocab_size:,} logits: it raises $e$ to each and divides by the sum. A lead of one point is then a factor of $e$, about 2.7.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        f"The word *{facts.likeliest(facts.CLINICAL)}* has {facts.chance(facts.CLINICAL)}. Divide all logits by 3 before softmax: what has it then?",
        (9, 30, 60),
        round(guess.seen(figures.unembed(facts.CLINICAL, 3), facts.likeliest(facts.CLINICAL), "share (%)")),
        opens="?unembed_temperature=3#unembed",
        unit="%",
        explain=f"Its lead over each of the other {facts.config().vocab_size - 1:,} tokens is a third of what it was, and together they are many.",
    )
    return


@app.cell(hide_code=True)
def _():
    unembed_text = mo.ui.text(value="Patient has severe chest", label="A text (its last seven tokens)")
    unembed_text
    return (unembed_text,)


@app.cell(hide_code=True)
def _():
    unembed_temperature = mo.ui.slider(0.2, 3, value=1, step=0.2, label="Temperature")
    unembed_temperature
    return (unembed_temperature,)


@app.cell
def unembed(unembed_temperature, unembed_text):
    figures.unembed(unembed_text.value, unembed_temperature.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Divide the logits before softmax by a [temperature of 3](?unembed_temperature=3#unembed) or [of 0.2](?unembed_temperature=0.2#unembed): the order stays, the shares do not. Then read the logits of [*She opened the wooden chest*](<?unembed_text=She opened the wooden chest#unembed>).
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The stream is a sum, and a dot product of a sum is the sum of the dot products. So a logit can be split, with nothing left over, into what the embedding and each part have added to it: their <dfn title="vote" class="everyday">votes</dfn>. (The last norm treats all that was added alike; where a part is cut, it brings what is left up to the same size.)
    """)
    return


@app.cell(hide_code=True)
def _():
    contributions_text = mo.ui.text(value="Patient has severe chest", label="A text (its last seven tokens)")
    contributions_text
    return (contributions_text,)


@app.cell(hide_code=True)
def _():
    contributions_word = mo.ui.text(value="", label="Next word (empty: the likeliest)")
    contributions_word
    return (contributions_word,)


@app.cell
def contributions(contributions_text, contributions_word):
    figures.contributions(contributions_text.value, contributions_word.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Ask who voted for [*of*](?contributions_word=of#contributions) after the same beginning, then who did in [*She opened the wooden chest*](<?contributions_text=She opened the wooden chest&contributions_word=of#contributions>). Compare the two columns of numbers at the right.
    """)
    return


@app.cell(hide_code=True)
def _():
    _voter, _needed = facts.voter(facts.CLINICAL), facts.needed(facts.CLINICAL)
    mo.md(rf"""
    The two columns need not agree. Most votes for *{facts.likeliest(facts.CLINICAL)}* come from {_voter.name}; cut alone, it leaves {facts.runs.percent(_voter.left)}. The cut that costs most is that of {_needed.name}, with a vote of {facts.signed(_needed.points)}: it leaves {facts.runs.percent(_needed.left)}. Softmax goes by leads, and a part that votes for all likely words alike decides little. And what a part makes the parts above it add, by turning what they read, shows only in the cut.

    **Remember.** A logit is a sum of votes, and softmax makes shares of logits. Who votes is one question, who is needed is another.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## What is kept for the next word?

    The guess is made; one token is drawn from it and appended, and everything begins again for the next. But not from nothing. Because no token may look at later ones, the streams of the earlier tokens stay as they are, and all that a new token will ever ask of them are their keys and values. So these are kept, in every layer: the **KV cache**, {facts.kept_numbers():,} numbers a token in this model.
    """)
    return


@app.cell(hide_code=True)
def _():
    kept_text = mo.ui.text(value="Patient has severe chest", label="A text (its last seven tokens)")
    kept_text
    return (kept_text,)


@app.cell(hide_code=True)
def _():
    kept_layer = mo.ui.slider(1, facts.config().n_layers, value=1, step=1, label="Layer")
    kept_layer
    return (kept_layer,)


@app.cell
def kept(kept_layer, kept_text):
    figures.kept(kept_text.value, kept_layer.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Take [a shorter text](?kept_text=Patient has#kept) and compare the two bars: the saving grows with what stands before. Walk through the layers: each has keys and values of its own.

    **Remember.** Streams and queries are used once and forgotten. Keys and values stay, and [a chapter](kv_cache.html) tells what they cost.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## How did it come to be?

    Nearly all weights began as small random numbers. Then the model was shown {facts.trained()} tokens, about two thousand at a time: more than half of them exercises in looking back, the rest medical descriptions, dictionary entries and made-up sentences. Token by token it had to guess the next one; from how unlikely it had found the true one, its **surprise**, the direction was worked out in which each weight had to be nudged to make it a little less surprised; and every weight was nudged. That is all training is, {facts.steps()} times over. Nobody ever told it what a head is for.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        f"Training took {facts.steps()} steps. The model was looked at now and then: at which step was *{figures.sentences()[1]}* first answered as it is today, and for good?",
        (150, 1000, 5000),
        facts.learned_by(1),
        opens=f"?learning_sentence={figures.sentences()[1]}#learning",
        explain=f"For *{figures.sentences()[0]}* it is step {facts.learned_by(0):,}.",
    )
    return


@app.cell(hide_code=True)
def _():
    learning_sentence = mo.ui.radio(figures.sentences(), value=figures.sentences()[0], label="Beginning")
    learning_sentence
    return (learning_sentence,)


@app.cell
def learning(learning_sentence):
    figures.learning(learning_sentence.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Choose the second beginning, and see which of the two was settled sooner. Then the third, whose answer stands in its own text: hardly anything but looking back and copying can find it. (In the finished model, hide the name from all later tokens, and the answer is lost; that text is too long for the figure above.)

    <aside>Surprise is counted in bits: 1 bit for a coin toss, 11 bits for one among two thousand.</aside>

    A large model that talks with you has been trained once more after this. It was shown conversations and told which answers people like better, and its weights were nudged again, as a rule by less. The machine is the same before and after. Ours has had the first kind of training only: it goes on with your text, it does not answer you.

    **Remember.** Training asks for the next token and for nothing else. What the parts do is what helped.
    """)
    return


@app.cell(hide_code=True)
def _():
    _head = facts.heaviest(facts.CLINICAL, "head").key
    _severe = facts.hidden(facts.CLINICAL, "severe")
    _look = facts.one_look(facts.CLINICAL, "severe")
    _second, _all, _mlps = facts.heads_of(1), facts.all_heads(), facts.all_mlps()
    _wooden = facts.hidden(facts.HOUSEHOLD, "wooden")
    mo.md(rf"""
    ## What would you cut?

    Now that every part has a name, go back to [the whole machine](?machine_cut=#machine) and operate. Guess first what will happen, then press. Each of these opens there:

    * [All heads of the second layer](<?machine_cut={_second}#machine>): {facts.outcome(facts.CLINICAL, _second)}.
    * [Every head of the model](<?machine_cut={_all}#machine>), so that nothing of the other words reaches *chest*: {facts.outcome(facts.CLINICAL, _all)}.
    * [Every MLP](<?machine_cut={_mlps}#machine>): {facts.outcome(facts.CLINICAL, _mlps)}.
    * [One look](<?machine_cut={_look}#machine>), written `{_look}`: head {_look.removesuffix(_severe)} may do all it did, except look at *severe*. {facts.outcome(facts.CLINICAL, _look, begins=True)}. In [{_head}](<?machine_cut={_head}{_severe}#machine>), the head that matters most, the same cut is felt little: {facts.outcome(facts.CLINICAL, _head + _severe)}. A head may matter much, and one of its looks hardly at all.
    * [*She opened the wooden chest*, with *wooden* hidden](<?machine_text=She opened the wooden chest&machine_cut={_wooden}#machine>): {facts.outcome(facts.HOUSEHOLD, _wooden)}.

    What you find holds for this text in this model. A part that *{facts.likeliest(facts.CLINICAL)}* hangs on here may be idle elsewhere. To say what a part is for, one cuts it on many texts, as the measurements in [the model’s card](sources.html#model) do with looks.

    **Remember.** A picture of a model suggests; a cut tells. Say what you cut, on which text, and what was left.
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
    check.number(
        f"The embedding has {facts.config().vocab_size:,} rows of {facts.config().d_model} numbers. How many learned numbers is that?",
        facts.config().vocab_size * facts.config().d_model,
        tolerance=3_000,
        unit="numbers",
        hint="Rows times columns.",
        explain="One row a token, each with as many numbers as a stream has.",
        name="numbers-in-the-table",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "A row of weights is (1, −2, 0) and the vector that goes in is (3, 1, 5). Which number comes out?",
        facts.small_product(),
        tolerance=0,
        hint="Multiply number by number and add up.",
        explain="3 − 2 + 0 is 1. The other numbers of the result have rows of their own.",
        name="row-times-vector",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "Two tokens have the logits 3 and 1. How many times as likely is the first?",
        facts.lead(3, 1),
        tolerance=0.25,
        unit="times",
        hint="Softmax raises e, about 2.7, to each; the sum is the same for both.",
        explain="e to the 3 divided by e to the 1 is e to the 2.",
        name="lead-of-two",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        f"A model keeps keys and values in {facts.config().n_layers} layers, for {facts.config().n_kv_heads} heads in each, with {facts.config().d_head} numbers apiece. How many numbers does one token leave behind?",
        facts.kept_numbers(),
        tolerance=0,
        unit="numbers",
        hint="Keys and values: so twice.",
        explain="2 times layers times heads times the numbers of each.",
        name="kept-by-a-token",
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
    check.reveal(
        "A part’s vote for the answer is close to zero, and yet the answer is lost when it is cut. How can that be?",
        "A vote counts only what the part itself adds to the logit. The part may write something that later parts "
        "read, and these then vote. Without it they read something else.",
        name="small-vote-large-cut",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "Tell in one minute how a model gets from a text to the next word.",
        "The text is cut into tokens, and each takes a row of numbers from a table: its stream. Layer by layer, "
        "heads let each token read from earlier ones and MLPs work on each by itself; all of them add to the "
        "streams. The last token’s stream is compared with every row of the table, and softmax makes "
        "probabilities of that. One token is drawn, appended, and its stream is next.",
        name="one-minute",
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## In short

    * A token’s **id** takes a row from a table, the **embedding**. There its **stream** begins.
    * Every **head** and every **MLP** reads the stream and adds to it; at the top it is a sum.
    * A head carries something to a token from those before it, or from itself: query, key, value, and a matrix that adds. An MLP works on each token alone.
    * At the top the stream is compared with every row of the table: **logits**. Softmax makes probabilities of them.
    * For the next token keys and values are kept, all else is worked out anew.
    * Training asked for the next token alone.
    * How much a part adds, where it looks and how it votes are hints. What it is for is seen when it is cut.
    """)
    return


if __name__ == "__main__":
    app.run()
