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

    from glassbox.figures import attention as figures
    from glassbox.figures.attention import facts
    from glassbox.page import check, guess


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Attention: how a model decides what matters

    In three quarters of an hour you will be able to explain in one minute how a language model lets a word look back at the others, to read the heatmaps (tables of numbers drawn as shades) that people show, and to say what breaks when a part is taken away. Most pictures come from a small model trained for this page, and answer when you move a control. You need adding and multiplying; where a power or a root comes in, it is explained. An engineer can check every number against the code.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## What is the model’s one job?

    It guesses the next piece of text. That is all it is ever asked to do. Give it a beginning, and it hands back a number for every entry of its vocabulary: how likely that entry is to come next. To write, it draws one entry, appends it, and starts again. The figure has the usual knobs for the draw: the <dfn>temperature</dfn> makes the list steeper or flatter before it, and a cut leaves only the likeliest entries in.

    The model on this page has {facts.million(facts.card()["parameters"])} learned numbers and knows {len(facts.probabilities("The")):,} entries, each a word or a piece of one (a token). That is a ten-thousandth of a model with ten billion, and it works the same way.

    <aside>It was trained on medical descriptions, dictionary sentences and small stories of the clinic and the house; more than half of what it read were exercises in looking back. Outside these it is lost.</aside>
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        "Our model reads *Patient has severe chest*. What probability does it give to the word that it finds likeliest?",
        (50, 90, 99),
        round(
            guess.seen(
                figures.next_word(facts.CLINICAL), facts.likeliest(facts.CLINICAL)[0][0], "probability (%)"
            ),
            1,
        ),
        opens="?next_word_temperature=1&next_word_text=Patient has severe chest#next_word",
        unit="%",
        explain=f"The word is *{facts.likeliest(facts.CLINICAL)[0][0]}*. After *The patient has* it is far less sure.",
    )
    return


@app.cell(hide_code=True)
def _():
    next_word_text = mo.ui.text(value="The patient has", label="A beginning")
    next_word_text
    return (next_word_text,)


@app.cell(hide_code=True)
def _():
    next_word_temperature = mo.ui.slider(0, 2, value=1, step=0.1, label="Temperature")
    next_word_temperature
    return (next_word_temperature,)


@app.cell(hide_code=True)
def _():
    next_word_top_k = mo.ui.slider(0, 50, value=0, step=1, label="Keep the k likeliest (0 keeps all)")
    next_word_top_k
    return (next_word_top_k,)


@app.cell(hide_code=True)
def _():
    next_word_top_p = mo.ui.slider(0.05, 1, value=1, step=0.05, label="Keep the likeliest up to this share")
    next_word_top_p
    return (next_word_top_p,)


@app.cell(hide_code=True)
def _():
    next_word_seed = mo.ui.slider(1, 12, value=1, step=1, label="Draw (the seed)")
    next_word_seed
    return (next_word_seed,)


@app.cell
def next_word(next_word_seed, next_word_temperature, next_word_text, next_word_top_k, next_word_top_p):
    figures.next_word(
        next_word_text.value,
        next_word_temperature.value,
        next_word_top_k.value,
        next_word_top_p.value,
        next_word_seed.value,
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Set [the temperature to 0](?next_word_temperature=0#next_word): only the likeliest entry is left, and every draw is the same. Raise it [to 2](?next_word_temperature=2#next_word) and draw a few times: rare entries get their chance, and the text falls apart. Then type [*Patient has severe chest*](<?next_word_temperature=1&next_word_text=Patient has severe chest#next_word>).
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    And in a real model? This figure and most others of this chapter that run a model can run one of yours. Your browser reads its files and sends nothing; the [last chapter](own_model.html) says which files it takes.

    <div class="own-model folded"></div>
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    Look at the list that the article reports, of a model that it does not name. *Been, a, not, no, had*: there is no medicine in it, only grammar. After three words little else can be known yet, and our small model, which has read far less, has {facts.shared_next_words()} of these five among its own ten likeliest. To say something about *this* patient, a model must use the words that stand before. So the question of this chapter is: how does it look back?

    **Remember.** A language model turns the text so far into one number for every possible next token. Everything else serves that list.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## How does a word get its meaning from its neighbours?

    What does *chest* mean? On its own you cannot know. In *severe chest* it is a place that hurts. In *chest of drawers* it is furniture. <span class="meaning">Think of every word as carrying a pot of paint: <span class="c-severe">severe</span> carries red, <span class="c-drawers">drawers</span> carries brown, and *chest* begins grey. <dfn>Attention</dfn> decides how much of each pot is poured into *chest*.</span> The mixed colour is what the model goes on with, and the next word is the one whose own colour lies nearest.

    <aside>Here <em>chest</em> may look to both sides. A model that writes from left to right may only look back; you will soon see why, and what does the work then.</aside>
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        "Suppose that *drawers* gets nothing. From what share for *severe* on will the next word be *pain*?",
        (25, 50, 75, 100),
        facts.pain_from(),
        opens=[f"?paint_severe={s}&paint_drawers=0#paint" for s in (25, 50, 75, 100, facts.pain_from())],
        unit="%",
        explain="The figure shows the share that you chose: move it up and down from there.",
    )
    return


@app.cell(hide_code=True)
def _():
    paint_severe = mo.ui.slider(0, 100, value=50, step=1, label="Attention paid to severe (%)")
    paint_severe
    return (paint_severe,)


@app.cell(hide_code=True)
def _():
    paint_drawers = mo.ui.slider(0, 100, value=0, step=1, label="Attention paid to drawers (%)")
    paint_drawers
    return (paint_drawers,)


@app.cell
def paint(paint_drawers, paint_severe):
    figures.paint(paint_severe.value, paint_drawers.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Pull *severe* to [the left end](?paint_severe=0&paint_drawers=0#paint), then push it slowly to the right and watch the next word change from *X-ray* through *tightness* to *pain*. Then give [*drawers* its share](?paint_severe=10&paint_drawers=70#paint), or click a dot of the map. Whatever you do, the three shares add up to 100 %: what one word gets, another loses.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    You can also ask the other way round: which mixes lead to the word I want? There is never just one.
    """)
    return


@app.cell(hide_code=True)
def _():
    paint_reverse_word = mo.ui.dropdown(list(figures.NEXT_WORDS), value="pain", label="The next word I want")
    paint_reverse_word
    return (paint_reverse_word,)


@app.cell
def paint_reverse(paint_reverse_word):
    figures.paint_reverse(paint_reverse_word.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Choose [*damage*](?paint_reverse_word=damage#paint_reverse): it needs both neighbours at once. Choose [*X-ray*](?paint_reverse_word=X-ray#paint_reverse): it needs *chest* to keep three quarters for itself.

    **What paint leaves out.** In the mixer the word becomes its mix. In a model it does not: the mix is *added* to what the word holds, and *chest* stays *chest*, with something of *severe* beside it. The share that *chest* leaves for itself is one more look, at its own value.

    **Remember.** Attention is a weighted mix. The weights are shares of one whole, and the mix is added to the word, not put in its place.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## Who decides how much?

    Nobody moves sliders inside a model. It finds the shares by comparing <dfn title="vector">vectors</dfn>, which are simply lists of numbers. Every <dfn class="everyday">position</dfn>, every place in the row of tokens, makes three of them from what it holds:

    * a <span class="c-query"><dfn class="everyday">query</dfn></span>: what am I looking for?
    * a <span class="c-key"><dfn class="everyday">key</dfn></span>: what do I offer to those who look?
    * a <span class="c-value"><dfn class="everyday">value</dfn></span>: what do I pass on if I am chosen?

    The query of one word is compared with the key of another by multiplying them number by number and adding up: the <dfn>dot product</dfn>. The result is a <dfn class="everyday">score</dfn>; a large one means that offer and wish fit. The scores of a row are turned into shares, and the shares mix the values. What makes such queries, keys and values and mixes by them is called a <dfn>head</dfn>. Heads stand side by side in <dfn title="layer">layers</dfn>, the storeys of a model, which every token passes one after the other. Before every text stands a token of its own, written ⟨start⟩. Below is one real head of our model, {facts.habit("deciding").name}, with its 32 numbers in each vector.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        "When this head reads *chest* in *Patient has severe chest*, what share of its attention goes to *severe*?",
        (40, 80, 100),
        facts.weight_on(facts.CLINICAL, "severe", figures.best_head("deciding")),
        opens="?qkv_stage=softmax#qkv",
        unit="%",
        explain="Go through the stages from the first on, and see where the share comes from.",
    )
    return


@app.cell(hide_code=True)
def _():
    qkv_text = mo.ui.text(value="Patient has severe chest", label="A sentence (its last seven tokens)")
    qkv_text
    return (qkv_text,)


@app.cell(hide_code=True)
def _():
    qkv_head = mo.ui.dropdown(
        {name: i for i, name in enumerate(figures.head_names())},
        value=facts.habit("deciding").name,
        label="Head",
    )
    qkv_head
    return (qkv_head,)


@app.cell(hide_code=True)
def _():
    qkv_stage = mo.ui.radio(list(figures.STAGES), value="scores", label="Stage")
    qkv_stage
    return (qkv_stage,)


@app.cell(hide_code=True)
def _():
    qkv_query = mo.ui.slider(0, 7, value=4, step=1, label="Reader’s position (query)")
    qkv_query
    return (qkv_query,)


@app.cell(hide_code=True)
def _():
    qkv_key = mo.ui.slider(0, 7, value=3, step=1, label="Position read from (key)")
    qkv_key
    return (qkv_key,)


@app.cell
def qkv(qkv_head, qkv_key, qkv_query, qkv_stage, qkv_text):
    figures.qkv(qkv_text.value, qkv_head.value, qkv_stage.value, qkv_query.value, qkv_key.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Go through the five stages in order and keep your eye on the row of *chest*. Click any cell, or walk with the arrow keys, to see the two vectors behind it. At [*softmax*](?qkv_stage=softmax#qkv) the row of *chest* gives *severe* {facts.weight_on(facts.CLINICAL, "severe", figures.best_head("deciding"))} %.

    **Change the word, and see what happens.** Take one word of this sentence for another: [*Patient has wooden chest*](<?qkv_text=Patient has wooden chest&qkv_stage=softmax#qkv>). The row of *chest* looks much the same, and gives *wooden* {facts.weight_on(facts.OTHER_WORD, "wooden", figures.best_head("deciding"))} %. Another value is fetched. And what the whole model expects next is another word, too: no longer *{facts.likeliest(facts.CLINICAL)[0][0]}* with {facts.likeliest(facts.CLINICAL)[0][1]}, but *{facts.likeliest(facts.OTHER_WORD)[0][0]}* with {facts.likeliest(facts.OTHER_WORD)[0][1]}, on its way to *drawers*. (Whether the one is the reason for the other will be tested.) With [*mild*](<?qkv_text=Patient has mild chest&qkv_stage=softmax#qkv>) it is *{facts.likeliest(facts.MILD)[0][0]}* again. Two sentences that differ in one word are called a <dfn>minimal pair</dfn>; this one will be with us to the end.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The whole head is one line. A table of numbers is called a <dfn>matrix</dfn>. With all queries, keys and values stacked as the rows of $Q$, $K$ and $V$, and $d$ numbers in each:

    $$\text{attention}(Q, K, V) = \text{softmax}\!\left(\frac{QK^\top}{\sqrt{d}} + \text{mask}\right) V$$

    <span class="meaning"><dfn>Softmax</dfn> makes shares of scores: raise $e$ to each score, then divide by the sum of the row.</span> Larger scores win, but nobody falls to zero.

    <aside>To predict what follows, the model uses the query of the <em>last real word</em>. A blank to be filled is not a token: there is nothing there that could ask.</aside>
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    The article this chapter follows prints four shares for *Patient*, *has*, *severe* and *chest* in *Patient has severe chest*, {facts.reported_attention()}, as an illustration; the last is what *chest* keeps for itself. The head above is a real one. Its model was never shown this beginning letter for letter, but it was shown many in which *severe* stands before *chest*. It puts {facts.likeliest(facts.CLINICAL)[0][1]} on *{facts.likeliest(facts.CLINICAL)[0][0]}*; after *She opened a wooden chest of*, whose first five words were kept from training too, it puts {facts.likeliest(facts.HOUSEHOLD)[0][1]} on *{facts.likeliest(facts.HOUSEHOLD)[0][0]}*. Whether the bright cell is the reason is another question. Further down you will put it to the test.

    **Remember.** Query times key gives a score, softmax makes shares, shares mix values. Before that, queries and keys are turned by their place in the text (you will see how), and afterwards one more matrix adds the mix to what the token holds already: [the whole machine](machine.html#project) shows it.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## Why divide by √d?

    A dot product adds up *d* products. The more there are, the further the sum strays from zero: at width 512 random scores spread by {facts.experiments.spread(512, False).deviation:.1f}, at width 4 by {facts.experiments.spread(4, False).deviation:.1f}. Softmax takes wide scores as certainty, so in a wide head one key would take nearly everything before anything has been learned.
    """)
    return


@app.cell(hide_code=True)
def _():
    scaling_width = mo.ui.slider(steps=list(figures.WIDTHS), value=64, label="Width d")
    scaling_width
    return (scaling_width,)


@app.cell
def scaling(scaling_width):
    figures.scaling(scaling_width.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Move the width from [4](?scaling_width=4#scaling) to [512](?scaling_width=512#scaling). Undivided, the largest weight climbs towards 100 % and the gradient, which is what learning runs on, dies away, together with the entropy, which says how evenly the shares are spread. Divided by √d, all four lines stay flat.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    *Variance* is the average square of how far numbers stray; its root is their spread. If the numbers of $q$ and $k$ have mean 0 and variance 1 and do not hang on one another, each product has variance 1, and the sum of $d$ of them has variance $d$. Its spread is $\sqrt{d}$, and dividing by that makes it 1 again.

    **Remember.** The division keeps scores in the range where softmax still listens.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Why may it not look forward?

    Because it is trained to guess the next word. A reader who can see that word need not learn anything: it copies. So every score that points to a later position is struck out before softmax: this is the <dfn>mask</dfn>. It is set to minus infinity, and its share is then exactly 0, not just small.

    <span class="meaning">The figure also shows <dfn>surprise</dfn>. It counts, in bits, how unlikely the model thought the word that came</span>: 0 bits for a sure thing, 1 bit for a coin toss, 3 bits for one in eight.
    """)
    return


@app.cell(hide_code=True)
def _():
    mask_text = mo.ui.text(
        value="She was tired, so she went home.", label="A sentence (its last eleven tokens)"
    )
    mask_text
    return (mask_text,)


@app.cell(hide_code=True)
def _():
    mask_on = mo.ui.switch(value=True, label="Mask on (causal; off: both ways)")
    mask_on
    return (mask_on,)


@app.cell(hide_code=True)
def _():
    mask_head = mo.ui.dropdown(
        {name: i for i, name in enumerate(figures.head_names())},
        value=facts.habit("previous").name,
        label="Head",
    )
    mask_head
    return (mask_head,)


@app.cell
def mask(mask_head, mask_on, mask_text):
    figures.mask(mask_text.value, mask_on.value, mask_head.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Turn [the mask off](?mask_on=false#mask): the upper right half opens. The head shown hardly uses it and goes on reading the word before; choose others, and you see it fill.

    Then compare the three bars. Even our model, which was trained with the mask, gains by peeping. The head that copies is hardly surprised by any word of the sentence. It would be a perfect student in training and of no use afterwards, because at the end of a text there is nothing to its right.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **That switch parts two families.** Models that write are *causal*, as ours is. A model that only reads may look both ways: it is *bidirectional*. BERT (Devlin and others, 2018) is the best-known one. It cannot be trained on the next word, which it sees, so some words of its texts are hidden, and it guesses these from both sides. That makes good vectors for searching and sorting texts, and it writes nothing. Turning the mask off does not make a BERT of our model, which was never trained with it off.

    The first row of a masked matrix is always the same: the first position can only see itself, so it gives itself 100 %.

    **Remember.** A causal mask makes training honest. It also means that what is written later never changes what an earlier position has worked out, and that is what will make the cache of the next chapter possible.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Why more than one head?

    One set of shares can ask one question at a time. A model asks many side by side: each **head** has its own queries, and so its own heatmap. In the plainest form it has keys and values of its own too; in ours two heads share one set, as the next chapter explains. Ours has sixteen heads, four in each of four layers. Nobody told any of them what to do: training asked for the next token and for nothing else. The names below come from measuring where their attention went on 300 <dfn>held-out</dfn> texts: texts kept from training.
    """)
    return


@app.cell(hide_code=True)
def _():
    heads_text = mo.ui.text(
        value="She has an old chest of drawers", label="A sentence (its last eleven tokens)"
    )
    heads_text
    return (heads_text,)


@app.cell(hide_code=True)
def _():
    heads_open = mo.ui.dropdown(
        {name: i for i, name in enumerate(figures.head_names())},
        value=facts.habit("deciding").name,
        label="Head shown large",
    )
    heads_open
    return (heads_open,)


@app.cell
def heads(heads_open, heads_text):
    figures.heads(heads_text.value, heads_open.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Open [{facts.habit("previous").name}](<?heads_open={facts.habit("previous").name}#heads>): a stripe beside the diagonal, each word reading the one before ({facts.habit("previous").percent} % of its weight). Open [{facts.habit("self").name}](<?heads_open={facts.habit("self").name}#heads>): the diagonal, each word reading itself ({facts.habit("self").percent} %). Then open [{facts.reader(facts.NAMED, "Ada")} on a name that is asked for again](<?heads_open={facts.reader(facts.NAMED, "Ada")}&heads_text={facts.NAMED}#heads>): its last row reads the name, and those of the other heads in its layer do so in part. Below each map stand two lines that only a cut could give: how much of what was said before our model still repeats when this head adds nothing.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Sixteen little pictures are hard to keep in mind, so here is a map. Each dot is a head, placed by what the measuring found: to the right the weight it gives to the token before, upwards the weight it gives to the first token. Heads that do alike stand together, and nobody had to look at a heatmap to find that out.
    """)
    return


@app.cell(hide_code=True)
def _():
    head_map_head = mo.ui.dropdown(
        {name: i for i, name in enumerate(figures.head_names())},
        value=facts.habit("previous").name,
        label="Head",
    )
    head_map_head
    return (head_map_head,)


@app.cell
def head_map(head_map_head):
    figures.head_map(head_map_head.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Point at dots, and see each head’s heatmap; press one, and see it at work beside the map, and opened in the figure above. To the right stands [the head that reads the word before](<?head_map_head={facts.habit("previous").name}#head_map>). Those at the top, {facts.resting()}, [rest on the first token](<?head_map_head={facts.habit("first").name}#head_map>), of which more below.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    The head that looks most at the deciding adjective is {facts.habit("deciding").name}, the same that reads the word before: that is where an adjective stands. On 300 held-out sentences (new ones, made by the same generator as the training texts) such as *They noted a purulent discharge*, it gave the adjective {facts.habit("deciding").percent} % of the weight when the noun was read. In {round(100 * facts.card()["right"]["next word after a noun with two meanings"])} % of them the model’s next word then fitted the right meaning.

    **Heads also work together.** Show the model random tokens and then the same ones again. In training it saw others of the kind, never these, and yet {facts.copying("random tokens").whole} of the second round are right. How it does that was found by cutting. Each place must know what stood before it: without the looks that {facts.copying("random tokens").linker} casts one token back, {facts.copying("random tokens").unlinked} are right. Then another head must look for the place where the same token stood before, and read what followed there: without these looks of {facts.copying("random tokens").readers}, {facts.copying("random tokens").unread} are left. A head that so looks for an earlier copy of a token and reads what followed it is called an <dfn>induction head</dfn>; large models have such pairs too (Olsson and others, 2022).

    **How did they come to be?** By practice at the next token alone; but three in ten tokens were random ones said twice, which only copying can guess. While the model was trained, it was measured at {facts.training().measured} steps. Its <dfn class="everyday">loss</dfn>, which is its surprise at the token that really came, falls quickly at first and slowly later on texts kept from it. On those it learns from there is a step down, between step {facts.training().before:,} and step {facts.training().after:,}. Just there the share of repeated random tokens that it gets right jumps from {facts.training().low} to {facts.training().high}. In the finished model that takes the heads just named.
    """)
    return


@app.cell(hide_code=True)
def _():
    loss_step = mo.ui.slider(steps=list(figures.kept_steps()), value=1400, label="Steps of training")
    loss_step
    return (loss_step,)


@app.cell
def loss(loss_step):
    figures.loss(loss_step.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Begin at [step 0](?loss_step=0#loss), where every token is nearly as likely as any other, and go to [step 150](?loss_step=150#loss): *pain* has {facts.said_at(150, 1, "pain")} after a wooden *chest*, too. At [step 600](?loss_step=600#loss) the wooden chest has lost its pain. By [step 1,400](?loss_step=1400#loss) the name is there. Names told just before came sooner than random tokens: at step 1,200 it had {facts.skill_at(1200, "recall_near")} of them right, and {facts.skill_at(1200, "repeats")} of random tokens.

    **Remember.** A head is one question asked of all earlier words. What it asks is found by measuring, never by looking at one pretty picture.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## How does it know the order of words?

    So far it does not. A score compares two words and does not ask where they stand. Shuffle the words, and without mask and positions each word gets exactly the output it had before, only in another place. *The dog bit the man* and *the man bit the dog* would be the same bag of words.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        f"Reverse all words but the last, with the mask on and no positions. Of the {len(figures.order('reversed', True, False).table.rows)} outputs of the first layer, how many stay exactly as they were?",
        (0, 2, 9),
        sum(row[2] == 0 for row in figures.order("reversed", True, False).table.rows),
        opens="?order_mask=true&order_positions=false#order",
        explain="The start token and the last word: each of them still sees exactly the words that it saw before.",
    )
    return


@app.cell(hide_code=True)
def _():
    order_arrangement = mo.ui.radio(list(figures.ARRANGEMENTS), value="reversed", label="Words")
    order_arrangement
    return (order_arrangement,)


@app.cell(hide_code=True)
def _():
    order_mask = mo.ui.switch(value=False, label="Mask")
    order_mask
    return (order_mask,)


@app.cell(hide_code=True)
def _():
    order_positions = mo.ui.switch(value=False, label="Positions")
    order_positions
    return (order_positions,)


@app.cell
def order(order_arrangement, order_mask, order_positions):
    figures.order(order_arrangement.value, order_mask.value, order_positions.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Begin with both switches off: reverse, shuffle, nothing moves. Now turn [the mask on alone](?order_mask=true&order_positions=false#order). Words move, because each now sees other words than before; but the last word’s output in this first layer stays exactly the same, since it still sees all of them. The mask breaks the symmetry without telling anyone who stands where. In deeper layers even the last word notices, because the words it reads have themselves changed. [Positions](?order_mask=true&order_positions=true#order) tell it at once, in the first layer.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    <span class="meaning">Our model marks positions as most do today: by <dfn>rotation</dfn> (RoPE). Each pair of numbers in a query or key is turned by an angle that grows with its position.</span> When two turned vectors are multiplied, the turns cancel except for the difference. So the score depends on how far apart two words stand, not on where.
    """)
    return


@app.cell(hide_code=True)
def _():
    distance_head = mo.ui.dropdown(
        {name: i for i, name in enumerate(figures.head_names())},
        value=facts.habit("previous").name,
        label="Head",
    )
    distance_head
    return (distance_head,)


@app.cell
def distance(distance_head):
    figures.distance(distance_head.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Begin with {facts.habit("previous").name}, the head that looks most at the word before: its score is highest {facts.peak("previous")}, then goes up and down as the pairs turn, and is never so high again. Other heads care less, or like another distance.

    **Remember.** Attention alone sees a bag of words. The mask lets a stack of layers guess the order; rotation says how far.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## Why is long context expensive?

    Every word asks every word before it. Twice the text makes four times the scores. For 4,096 tokens one head’s square has {facts.scores.square(4096):,} cells, and Llama 3 8B, which the figure counts with, has 1,024 heads.

    But scores are not all there is to do. Every token also passes through all the learned numbers of the model, and that part is *linear*: twice the text, twice the work. While texts are short it is nearly everything. Of the arithmetic of reading a text, if each learned number is counted once for each token, attention takes {facts.quadratic.share(1_000)} at 1,000 tokens, {facts.quadratic.share(10_000)} at 10,000, and half only at about {facts.half_length():,}. From there on the square wins.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        "A text of 10,000 tokens grows to 100,000. How many times as many scores does a head compute?",
        (10, 100, 1000),
        round(facts.scores.square(100_000) / facts.scores.square(10_000)),
        opens="?quadratic_n=100000#quadratic",
        unit="times",
        explain="Ten times as many readers, each with ten times as many words to read.",
    )
    return


@app.cell(hide_code=True)
def _():
    quadratic_n = mo.ui.slider(steps=list(figures.LENGTHS), value=10000, label="Tokens")
    quadratic_n
    return (quadratic_n,)


@app.cell(hide_code=True)
def _():
    quadratic_gpu = mo.ui.dropdown(
        ["RTX 4090", "A100 80 GB", "H100 SXM", "H200"], value="A100 80 GB", label="GPU"
    )
    quadratic_gpu
    return (quadratic_gpu,)


@app.cell
def quadratic(quadratic_gpu, quadratic_n):
    figures.quadratic(quadratic_n.value, quadratic_gpu.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Go from [10,000](?quadratic_n=10000#quadratic) to [100,000 tokens](?quadratic_n=100000#quadratic): ten times the text, a hundred times the scores. Between [46,416](?quadratic_n=46416#quadratic) and [68,129](?quadratic_n=68129#quadratic) attention crosses the line of everything else. Then compare the dashed line, where each word sees only the last 4,096.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The bytes in that figure are what it would take to *keep* the square. Nobody has to. Softmax can be done in tiles: read a few keys, keep a running peak and a running sum, repair what was added before, forget the tile. This is the idea of FlashAttention (Dao and others, 2022). The arithmetic stays quadratic, and the result is the same. What it saves is traffic: a square that is never written to the GPU’s large, slow memory need not be read back either, and as that carrying took longer than the computing, attention becomes faster, not only smaller.
    """)
    return


@app.cell(hide_code=True)
def _():
    tiled_size = mo.ui.radio({"2 × 2": 2, "4 × 4": 4, "7 × 7": 7}, value="4 × 4", label="Tile")
    tiled_size
    return (tiled_size,)


@app.cell(hide_code=True)
def _():
    tiled_step = mo.ui.slider(1, 28, value=28, step=1, label="Tiles, at most")
    tiled_step
    return (tiled_step,)


@app.cell
def tiled(tiled_size, tiled_step):
    figures.tiled(tiled_size.value, tiled_step.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Move the tiles forward one by one. Tiles wholly above the diagonal are never touched. However small the tile, the last sentence says how far the result is from doing it all at once.

    ### Can one read less?

    Tiles do all the work. To do less of it, something has to be given up. Three ways are common. A <dfn>sliding window</dfn> reads the last few tokens. A <dfn title="sparse attention">sparse</dfn> pattern reads these and every so many before (Child and others, 2019). <dfn title="linear attention">Linear</dfn> attention gives up scores altogether: each token adds its key and value to one table of fixed size, and a query reads the table (Katharopoulos and others, 2020). The figure runs our model with the first two in all its layers and asks it for a name.
    """)
    return


@app.cell(hide_code=True)
def _():
    cheaper_kind = mo.ui.radio(list(figures.PATTERNS), value="sliding window", label="Each token reads")
    cheaper_kind
    return (cheaper_kind,)


@app.cell(hide_code=True)
def _():
    cheaper_window = mo.ui.slider(steps=list(figures.WINDOWS), value=8, label="Window in tokens")
    cheaper_window
    return (cheaper_window,)


@app.cell
def cheaper(cheaper_kind, cheaper_window):
    figures.cheaper(cheaper_kind.value, cheaper_window.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Read [everything](?cheaper_kind=everything#cheaper): the name is there. Then give it [a window of 8](?cheaper_kind=sliding+window&cheaper_window=8#cheaper), and [of 16](?cheaper_kind=sliding+window&cheaper_window=16#cheaper), which reaches back to the name. Compare with [a sparse pattern](?cheaper_kind=sparse&cheaper_window=4#cheaper): it reaches the beginning, but not every token there.

    A window loses what lies before it from *that layer’s* sight. Layers above can still learn of it from a token in between that did see it: in principle {facts.config().n_layers} layers with a window of 8 reach {facts.reach(8)} tokens back. Our model never had to learn to pass a name on like this, as the figure shows. Many models of today mix kinds: most layers with a window or linear, a few that read everything; [the next chapter](kv_cache.html) counts what that saves.

    **Remember.** Learned numbers cost by the token, scores by the square. Tiles save traffic and change nothing; a window, a sparse pattern or a running sum save work and do change what can be seen.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## Where does it break?

    **With many words, the best one gets less.** Softmax gives nobody zero. A key whose score is 5 points above all others takes {100 * facts.experiments.best_share(5, 10):.0f} % among ten and {100 * facts.experiments.best_share(5, 1000):.0f} % among a thousand. To hold its share while the text grows tenfold, its lead must grow by 2.3 points.
    """)
    return


@app.cell(hide_code=True)
def _():
    dilution_advantage = mo.ui.slider(0, 14, value=5, step=0.5, label="Points the best score is ahead")
    dilution_advantage
    return (dilution_advantage,)


@app.cell
def dilution(dilution_advantage):
    figures.dilution(dilution_advantage.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Find the lead that still holds half of the attention among a million keys.

    The circles are our model. Asked for a name at the end of a text of {facts.told(0).tokens} tokens, a head gives it {facts.told(0).share} of its weight, at the end of {facts.told(-1).tokens} tokens {facts.told(-1).share}: it thins out, but the lead holds. And what is looked at is used: even at the worst of these lengths {facts.recalled()} of the names are right. The heads that copy random tokens do this as well. Without the looks of {facts.copying("names").linker} one token back, {facts.copying("names").unlinked} of the names are right. Asked two sentences later, those that read the name can stand in for each other: whichever of them may not look, {facts.copying("names").alone} are right; if none of {facts.copying("names").readers} may, {facts.copying("names").unread}.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Long texts have a second trouble. Models may miss a fact that stands neither near the beginning nor near the end. Liu and others measured this on large models in 2023 and called it *lost in the middle*. It is a finding about trained models, and newer ones do better, not a law of the formula above.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **The weights are not the reasons.** A heatmap shows where a head looked. It does not show that the answer hangs on it. Here the page takes a sentence, turns round the last row of one head after another, the largest share where the smallest was, and reports the head where that mattered least, and the one where it mattered most. The third panel is a head you have met. The last one cuts: it takes away all looks at one token at a time.
    """)
    return


@app.cell(hide_code=True)
def _():
    not_explanation_text = mo.ui.dropdown(
        [
            "Patient has severe chest",
            "She opened a wooden chest",
            "She opened a wooden chest of",
            "The blood culture",
            "The patient has no known drug",
        ],
        value="Patient has severe chest",
        label="Sentence",
    )
    not_explanation_text
    return (not_explanation_text,)


@app.cell
def not_explanation(not_explanation_text):
    figures.not_explanation(not_explanation_text.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Try this.** Choose another sentence. There is nearly always a head whose picture could be turned upside down with nothing to show for it.

    Now the head you met above, which gave *severe* {facts.weight_on(facts.CLINICAL, "severe", figures.best_head("deciding"))} %. Turn it round in *Patient has severe chest*, and hardly anything is lost: *pain* {facts.after_turning(facts.CLINICAL)}. Is *severe* not the reason, then? Take away every look of *chest* at *severe*, in all sixteen heads, and let each share the rest among the other tokens: *pain* falls to {facts.cut(facts.CLINICAL, "pain", "severe")}, near the {facts.probability("Patient has chest", "pain")} that it has without the word. Take away the looks at *has* instead, and it stays at {facts.cut(facts.CLINICAL, "pain", "has")}. In [*She opened a wooden chest*](<?not_explanation_text=She opened a wooden chest#not_explanation>) the cut from *chest* to *wooden* takes *of*, on the way to *drawers*, from {facts.probability(facts.WOODEN, "of")} to {facts.cut(facts.WOODEN, "of", "wooden")}. And in which head? Cut the look at *severe* in one head at a time. In {facts.needed(facts.CLINICAL, "pain", "severe").name} it is missed most: *pain* falls to {facts.needed(facts.CLINICAL, "pain", "severe").left}. In the head with the bright cell it stays at {facts.cut_alone(facts.CLINICAL, "pain", "severe")[figures.best_head("deciding")]}. So the adjective matters more than any other word, and the bright cell alone can go: other heads carry the same news. It is held in reserve, for with both looks cut *pain* falls to {facts.cut_in(facts.CLINICAL, "pain", "severe", (figures.best_head("deciding"), facts.needed(facts.CLINICAL, "pain", "severe").at))}. No word decides alone, either: without *Patient* and *has* together {facts.cut(facts.CLINICAL, "pain", "Patient", "has")} are left. And the first bar is no word: many heads rest on the start token, as you will see next.

    Jain and Wallace made this point in 2019 (*Attention is not explanation*); Wiegreffe and Pinter replied the same year (*Attention is not not explanation*): weights can still be evidence if you test them, as the figure does.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    **Somebody has to be looked at.** Shares must add up to 100 %, even when a head finds nothing that it wants. Many heads then rest on the first token, which carries little to pass on: a <dfn>sink</dfn>, a parking place. Large models have them, and nobody asked ours for one, but it came to the same. On held-out texts {len(facts.parked())} of its sixteen heads give the first token more than 40 % of their weight, {facts.parked()[0].name} the most, {facts.parked()[0].percent} %. They stand in the layer that reads what followed last time, and on held-out texts they rest most of the time. Over such texts the surprise is {facts.card()["sink"]["whole"]:.1f} bits a token; if these heads may not look at the first token, it is {facts.card()["sink"]["without all"]:.1f}; without the token, {facts.card()["sink"]["without the token"]:.1f}. What hurts is what they fetch from elsewhere instead: where they add nothing at all, it is {facts.card()["sink"]["adding nothing"]:.1f}.
    """)
    return


@app.cell(hide_code=True)
def _():
    sink_text = mo.ui.text(value="The patient has a history of asthma.", label="A sentence (its last tokens)")
    sink_text
    return (sink_text,)


@app.cell(hide_code=True)
def _():
    sink_start = mo.ui.switch(value=True, label="Start token present")
    sink_start
    return (sink_start,)


@app.cell
def sink(sink_start, sink_text):
    figures.sink(sink_text.value, sink_start.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Remove [the start token](?sink_start=false#sink) and watch the first column and the surprise. The word predicted at the very end may well stay the same; those on the way become harder to guess. The last bar is the cut: the token is there, and the heads that rest on it may not.

    Xiao and others (2023) found that in large models keeping a few first tokens is what lets a model with a [sliding window](kv_cache.html#window) go on for ever. In [a model of your own](own_model.html#rest) you see it head by head.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **And where does the paint stop being true?** Paint has three numbers, a word here has 128. In the mixer *chest* could see *drawers*, which stands after it; a model that writes may only look back, so there *wooden* has to do the deciding. Paint only mixes; between two attention layers the model also transforms each word on its own. Paint is poured once; here it is poured in four layers, sixteen times in all, and each pour adds to what the word already holds instead of replacing it. And attention is not memory: when the next token is written, nothing of this is carried over, unless somebody keeps the keys and values. That somebody is the next chapter.

    **Remember.** Attention thins out over long texts unless the lead grows, its pictures are evidence rather than proof, and only a cut tells what an answer hangs on.
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
        "Two scores are 0 and ln 3 = 1.0986. What share does the second get, in percent?",
        facts.two_scores_percent(),
        tolerance=1,
        unit="%",
        hint="Raise e to each score: 1 and 3. What part of their sum is the 3?",
        explain="e to the 0 is 1, e to the ln 3 is 3, and 3 of 4 is 75 %.",
        name="share-of-two",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "How many cells has one head’s square of scores for 4,096 tokens?",
        facts.scores.square(4096),
        tolerance=300_000,
        unit="cells",
        hint="4,096 readers, each row with 4,096 places.",
        explain="4,096 times 4,096. The mask strikes out nearly half of them.",
        name="cells-4096",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "In a masked matrix, what percentage does the first row give to the first key?",
        facts.first_row_percent(),
        tolerance=0,
        unit="%",
        hint="Whom can the first position see?",
        explain="It sees nobody but itself, and shares add up to 100 %.",
        name="first-row",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "A text becomes three times as long. How many times as many scores does a head compute?",
        facts.scores.square(3),
        tolerance=0,
        unit="times",
        explain="Three times the readers, each with three times the keys.",
        name="three-times-longer",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "Query (1, 2, 0, 1), key (3, 0, 5, 1). What is the score after dividing by √d?",
        facts.small_score(),
        tolerance=0.05,
        hint="Multiply number by number and add up; d is 4, so √d is 2.",
        explain="3 + 0 + 0 + 1 is 4, and 4 divided by 2 is 2.",
        name="small-score",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "Mask on, positions off, and the words before the last one are shuffled. Which outputs of the first layer change?",
        "The last word’s output stays the same, because it still sees the same words. The others may change, "
        "because each of them now sees other words before it.",
        name="shuffled-words",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "A colleague shows a heatmap in which the answer’s row is bright at one word, and says the model answered because of that word. What do you ask for?",
        "A test: cut the looks at that word, in that head and in all of them, and see whether the answer changes. A heatmap shows where one "
        "head looked, in one layer; another weighting may lead to the same answer.",
        name="bright-row",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "Why are scores divided by √d?",
        "A score is a sum of d products and spreads by about √d. Undivided, softmax would turn the wide scores of a wide "
        "head into near-certainty, and where one key takes everything nothing is learned. Divided, the spread is 1 at any width.",
        name="why-the-root",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "What would happen if the mask were missing while a model is trained, and back in place when it writes?",
        "It would learn to copy the next word from the right, where it stands, and little else. When it writes, nothing stands "
        "there: what it learned is of no use.",
        name="mask-in-training",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "Why several heads, when one of the same total width takes as many weights?",
        "One head has one row of shares for each reader, so it asks one question at a time, and what it reads is one mix. "
        "Several ask different questions side by side, and can work together: one looks at the token before, another finds "
        "what followed last time.",
        name="why-several-heads",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "A text becomes twice as long. What doubles, and what quadruples?",
        "The arithmetic with the weights doubles, and so do the keys and values that are kept. The scores, and the arithmetic "
        "with them, quadruple. Which of the two is felt depends on the length: in Llama 3 8B they are even at about "
        f"{facts.half_length():,} tokens.",
        name="doubles-or-quadruples",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "Explain self-attention in one minute, to someone who has never seen a matrix.",
        "In a model that writes, every word asks a question (query), and every word before it, and the word itself, "
        "has a label (key). Where label and question fit, the score is high. The scores become shares of 100 %. The word then mixes what the others have to "
        "say (values) in these shares and goes on with the mix. Many heads do this side by side with other "
        "questions, and no word may look at words that come later.",
        name="one-minute",
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## In short

    * A model’s one job is a list of probabilities for the next token.
    * A **query** meets every earlier **key**; their dot product, divided by √d, is a score; softmax turns a row of scores into shares; the shares mix the **values**.
    * The causal mask gives later words exactly 0, so nobody can copy the answer.
    * Heads are questions asked side by side; what they do is measured.
    * Without mask and positions attention sees a bag of words; positions say how far apart two words stand.
    * Scores grow with the square of the text, all else with its length. Tiles spare the memory’s traffic; windows, sparse patterns and linear attention spare the work, and lose something for it.
    * Where a head looks is evidence, not a reason. And nothing is remembered from one step to the next, until somebody builds a cache.
    """)
    return


if __name__ == "__main__":
    app.run()
