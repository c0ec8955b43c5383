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

    from glassbox.costs import catalogue
    from glassbox.figures import kv_cache as figures
    from glassbox.figures import written
    from glassbox.page import check, guess


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # The KV cache: why generation is fast at all

    In the next forty minutes you will watch the same text come out of a model many times sooner with nothing approximated; learn what is kept for that and what it costs; and size a real deployment from a model’s own config file. At the end you will be able to say why the memory of a GPU, and not its arithmetic, decides how many people it can serve. (A GPU is the processor that large models run on, a graphics card by origin.)
    """)
    return


@app.cell(hide_code=True)
def _():
    facts = figures.facts()
    return (facts,)


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## Why would anyone do it all again?

    Think of a court stenographer. The witness adds one word, and the stenographer adds one word to the transcript. Now imagine one who, at every new word, tears up the transcript and types it again from the start. After a hundred words that is {facts.rows_100:,} words typed; after a thousand, {facts.rows_1000:,}. Nobody works like that.

    A language model without a cache works exactly like that. It writes one token (a word or a piece of one) at a time, and each new token is predicted from all tokens before it. So the plain way to get the next one is to push the whole text through the model again. The <dfn>KV cache</dfn> is the transcript that nobody retypes: what the model has already worked out about the earlier tokens is kept and read.

    <aside>Attention itself remembers nothing. Without a cache nothing but the text is carried from one step to the next; see the chapter on attention.</aside>
    """)
    return


@app.cell(hide_code=True)
def _():
    steps_word = mo.ui.slider(1, 12, value=8, step=1, label="The word being written")
    steps_word
    return (steps_word,)


@app.cell
def steps(steps_word):
    figures.steps(steps_word.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Move the slider forwards and back, one word at a time. On the left a whole new line is worked through at every step. On the right one cell is, and the empty ones are only read.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Written as a formula, for a text of $T$ tokens, it is $T$ rows of work with a cache, and without one

    $$1 + 2 + \dots + T = \frac{T(T+1)}{2}$$

    **Remember.** Without a cache the rows of work for a text grow with the square of its length. With one they grow with its length, though each new row still reads all earlier notes.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## What is the trick worth?

    Time it. The button makes the small model of these pages write the same text twice, once starting over at every token and once with a cache, in your own browser. Both runs take the likeliest token each time, so if the cache changed anything, the two texts would drift apart.

    What can be counted is there before you press. For {facts.race_tokens} tokens the run without a cache needs {facts.race_ratio:.0f} times as many multiply-adds. The seconds depend on your machine. They come out less far apart than that, because a small step wastes some of its time on other things than arithmetic. For a model, unnamed, on other hardware others reported {facts.reported_without} s without a cache and {facts.reported_with} s with one, {facts.reported_ratio} times as fast, and the same text.

    <aside>That nothing is approximated is about the tokens. The <dfn title="logit">logits</dfn>, the scores of which softmax makes the probabilities, agree to rounding and not bit for bit: the same sums are made in another order. With numbers of 16 bits, as engines use, that can now and then turn a near tie between two tokens, and from there on the texts part.</aside>
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    guess.number(
        f"For {facts.race_tokens} tokens it is {facts.race_ratio:.0f} times as many multiply-adds without a cache. For {facts.race_short_tokens}, an eighth of the text?",
        (2, 15, 100),
        round(facts.race_short_ratio),
        opens="?race_length=32#race",
        unit="times",
        explain="Without a cache the work grows with the square of the length, with one nearly with the length; so what the cache saves grows with the length.",
    )
    return


@app.cell(hide_code=True)
def _():
    race_length = mo.ui.slider(steps=[16, 32, 64, 128, 256], value=64, label="Tokens to write")
    race_length
    return (race_length,)


@app.cell(hide_code=True)
def _():
    race_start = mo.ui.button(value=0, on_click=lambda n: n + 1, label="Start the race")
    race_start
    return (race_start,)


@app.cell
def race(race_length, race_start):
    figures.race(race_length.value, race_start.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Race over [32 tokens](?race_length=32#race), then over [256](?race_length=256#race), and compare the two ratios. Stop a race in the middle: the page stays yours.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A larger model has more to save. The race, the notepad and the calculators below can take one of yours, which your browser reads and sends nowhere; the [last chapter](own_model.html) says which files it takes.

    <div class="own-model folded"></div>
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Where does the difference come from? Look at single steps. Without a cache a step works through the whole text and gets dearer with every token; with one it works through a single row and reads the rest, and grows slowly. The button times both, from a short text to one of 512 tokens, on your machine.
    """)
    return


@app.cell(hide_code=True)
def _():
    per_step_start = mo.ui.button(value=0, on_click=lambda n: n + 1, label="Time the steps")
    per_step_start
    return (per_step_start,)


@app.cell
def per_step(per_step_start):
    figures.per_step(per_step_start.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Compare the counts, then press the button. Where the lower line begins you see what a step takes at least on your machine, whatever it works on; the upper line leaves it behind with every token.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** The cache is no approximation. The same tokens come out, sooner, and the longer the text the bigger the difference.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Why keep keys and values, and never queries?

    A nurse reads a patient’s chart before every visit. In its margin stand short notes: what this entry is about, and what it says. In attention the note that says what a token is about is its <span class="c-key">key</span>, what it says is its <span class="c-value">value</span>, and the question a reader comes with is the <span class="c-query">query</span>. The notes stay, because every later reader needs them. The question is asked once. Tomorrow’s visit has its own.

    In each layer a new token makes one query in each head, and a key and a value to go with it (heads may share these two, as you will see below). The query is compared with all keys, the values are mixed in those shares, and then the query has done its work: no later token will ever ask with it. The key and the value will be read at every step to come.

    And they stay right. A token may look only at itself and at tokens before it, so nothing that comes later can change what was worked out for it.

    <aside>The key is kept after its position has been turned into it (rotary positions), so it needs no second turn.</aside>
    """)
    return


@app.cell(hide_code=True)
def _():
    notepad_word = mo.ui.slider(1, 9, value=5, step=1, label="The new word")
    notepad_word
    return (notepad_word,)


@app.cell(hide_code=True)
def _():
    notepad_ahead = mo.ui.switch(value=False, label="Let words look ahead")
    notepad_ahead
    return (notepad_ahead,)


@app.cell
def notepad(notepad_word, notepad_ahead):
    figures.notepad(notepad_word.value, notepad_ahead.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Step through the words, then switch [*Let words look ahead* on](?notepad_ahead=true#notepad). Now old keys change whenever a word arrives. Only in the first layer do they stay, where a key depends on its own token alone. Without the mask there could be no cache.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    For the newest token, with all keys $K$ and values $V$ in the cache:

    $$\text{output} = \text{softmax}\left(\frac{q\,K^{\mathsf T}}{\sqrt{d}}\right) V$$

    One row $q$, and it never comes back. $K$ and $V$ get one row longer.

    **Remember.** A query is used once, a key and a value by every later token. And because no token sees what comes after it, an old key never changes.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## How much memory does the past take?

    It grows with every token, in every layer. For a model whose layers all see everything, one token takes

    $$2 \times \text{{layers}} \times \text{{KV heads}} \times d \times \text{{bytes}}$$

    where the 2 stands for a key and a value, *KV heads* for the sets of keys and values in a layer (one for each head, or one that several share), $d$ for the numbers in each (the head dimension) and *bytes* for the size of one number. Llama 3 8B has 32 layers and 8 KV heads of 128 numbers at 2 bytes: {facts.token_bytes:,} bytes for one token. At 8,000 tokens that is {facts.gb_8000:.4f} GB, or {facts.gib_8000:.4f} GiB. On a GPU with 80 GB of which 16 GB hold the weights, {facts.users_8000} such users fit at the very most. The programs that serve a model to many people, <dfn title="engine" class="everyday">engines</dfn> such as vLLM and SGLang, also keep room for their own work, often a tenth of the memory, so plan for fewer. At 8,192 tokens it is exactly 1 GiB and {facts.users_8192} users. Always say which.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        "Give every one of the 32 query heads a key and a value of its own, as Llama 2 7B does, instead of 8 that are shared. What do 8,000 tokens take then?",
        (1, 4, 16),
        round(
            guess.seen(figures.per_token(32, 32, 128, 2, 8000, 1), "one user, 8,000 tokens", "bytes") / 10**9,
            4,
        ),
        opens="?per_token_heads=32#per_token",
        unit="GB",
        explain="The cache counts KV heads: four times as many, four times the memory.",
    )
    return


@app.cell(hide_code=True)
def _():
    per_token_layers = mo.ui.slider(
        steps=[1, 4, 12, 16, 24, 28, 32, 36, 40, 48, 61, 64, 80, 96, 126], value=32, label="Layers"
    )
    per_token_layers
    return (per_token_layers,)


@app.cell(hide_code=True)
def _():
    per_token_heads = mo.ui.slider(steps=[1, 2, 4, 8, 16, 32, 40, 64, 128], value=8, label="KV heads")
    per_token_heads
    return (per_token_heads,)


@app.cell(hide_code=True)
def _():
    per_token_dim = mo.ui.slider(
        steps=[32, 64, 80, 96, 128, 192, 256, 512], value=128, label="Numbers in a key"
    )
    per_token_dim
    return (per_token_dim,)


@app.cell(hide_code=True)
def _():
    per_token_size = mo.ui.radio(
        {"32 bits": 4, "16 bits": 2, "8 bits": 1}, value="16 bits", label="Of one number"
    )
    per_token_size
    return (per_token_size,)


@app.cell(hide_code=True)
def _():
    per_token_context = mo.ui.slider(
        steps=[1, 1000, 4000, 8000, 8192, 32768, 131072, 1000000], value=8000, label="Tokens of each user"
    )
    per_token_context
    return (per_token_context,)


@app.cell(hide_code=True)
def _():
    per_token_users = mo.ui.slider(
        steps=[1, 2, 4, 8, 16, 32, 64, 128, 256, 1024], value=1, label="Users at once"
    )
    per_token_users
    return (per_token_users,)


@app.cell
def per_token(
    per_token_layers, per_token_heads, per_token_dim, per_token_size, per_token_context, per_token_users
):
    figures.per_token(
        per_token_layers.value,
        per_token_heads.value,
        per_token_dim.value,
        per_token_size.value,
        per_token_context.value,
        per_token_users.value,
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Give every query head [its own key and value, 32 of them](?per_token_heads=32#per_token), as Llama 2 7B does. Then go from [8,000 tokens to 8,192](?per_token_context=8192#per_token), and see which unit is round.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    Many newer models are not that plain. In Gemma 3 27B, 52 of 62 layers keep only their last 1,024 tokens: at 131,072 tokens it needs {facts.gemma_state_gib:.2f} GiB, and an engine that reserves the full context in every layer would take {facts.gemma_reserved_gib:.1f} GiB. Others compress keys and values into one short vector, or into one for several tokens, or keep a state that does not grow at all. The calculator reads which, from the model’s own config.json, and says no when it does not know the architecture.

    <aside>1 GB is 10⁹ bytes, 1 GiB is 2³⁰: the second is 7 % larger. Data sheets are loose about this: a GPU sold with 80 GB may hold some more. The page takes the sheet at its word.</aside>
    """)
    return


@app.cell(hide_code=True)
def _():
    memory_model = mo.ui.dropdown(list(catalogue.models()), value="Llama 3 8B", label="Model")
    memory_model
    return (memory_model,)


@app.cell(hide_code=True)
def _():
    memory_context = mo.ui.slider(steps=list(figures.CONTEXTS), value=8000, label="Tokens of each user")
    memory_context
    return (memory_context,)


@app.cell(hide_code=True)
def _():
    memory_precision = mo.ui.dropdown(dict(figures.PRECISIONS), value="16 bits", label="Numbers in the cache")
    memory_precision
    return (memory_precision,)


@app.cell(hide_code=True)
def _():
    memory_users = mo.ui.slider(steps=list(figures.USERS), value=1, label="Users at once")
    memory_users
    return (memory_users,)


@app.cell(hide_code=True)
def _():
    memory_gpu = mo.ui.dropdown(list(catalogue.gpus()), value="A100 80 GB", label="GPU")
    memory_gpu
    return (memory_gpu,)


@app.cell(hide_code=True)
def _():
    memory_gpus = mo.ui.slider(steps=[1, 2, 4, 8, 16], value=1, label="How many GPUs")
    memory_gpus
    return (memory_gpus,)


@app.cell(hide_code=True)
def _():
    memory_together = mo.ui.radio(
        {"share every layer": True, "only add up": False}, value="share every layer", label="Several GPUs"
    )
    memory_together
    return (memory_together,)


@app.cell(hide_code=True)
def _():
    memory_weights = mo.ui.text(value="", label="Weights in GB (empty: as published)")
    memory_weights
    return (memory_weights,)


@app.cell(hide_code=True)
def _():
    memory_config = mo.ui.text_area(value="", label="Or paste a config.json", rows=4, max_length=1_000_000)
    memory_config
    return (memory_config,)


@app.cell
def memory(
    memory_model,
    memory_context,
    memory_precision,
    memory_users,
    memory_gpu,
    memory_gpus,
    memory_together,
    memory_weights,
    memory_config,
):
    figures.memory(
        memory_model.value,
        memory_context.value,
        memory_precision.value,
        memory_users.value,
        memory_gpu.value,
        memory_gpus.value,
        memory_weights.value,
        memory_config.value,
        memory_together.value,
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Choose [Gemma 3 27B and pull the context to 131,072](<?memory_model=Gemma 3 27B&memory_context=131072#memory>): the pale bars are what a careless engine would reserve. Then choose [DeepSeek-V3 on 16 GPUs](?memory_model=DeepSeek-V3&memory_context=8000&memory_gpus=16#memory): its compressed vectors belong to no head, so every GPU keeps all of them, and more than ten times fewer users fit than if [the memory just added up](<?memory_model=DeepSeek-V3&memory_context=8000&memory_gpus=16&memory_together=only add up#memory>). Engines can get round that: each GPU then attends for users of its own.

    Look at [Jamba on 2](<?memory_model=Jamba v0.1&memory_context=8000&memory_gpus=2#memory>), too: most of its layers keep a state that does not grow with the text. Then paste the config.json of a model you use yourself.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Where do these differences come from? Below stands every model of that list, by the month of its release and by what it keeps for each token. At first each head kept a key and a value of its own. Then several heads came to share them; later models give some layers a short window, or all of them, keep one short vector instead of all keys and values, or keep a state of fixed size in most layers. The bytes per token do not simply fall: models also grew.
    """)
    return


@app.cell(hide_code=True)
def _():
    landscape_context = mo.ui.slider(
        steps=list(figures.LANDSCAPE_CONTEXTS), value=8000, label="Tokens of one user"
    )
    landscape_context
    return (landscape_context,)


@app.cell(hide_code=True)
def _():
    landscape_open = mo.ui.dropdown(list(catalogue.models()), value="Llama 3 8B", label="Model")
    landscape_open
    return (landscape_open,)


@app.cell
def landscape(landscape_context, landscape_open):
    figures.landscape(landscape_context.value, landscape_open.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Pull the context from [1,000 tokens](?landscape_context=1000#landscape) to [131,072](?landscape_context=131072#landscape): models with windows and fixed states fall, the others stay where they are. Press a name of the legend to see one kind alone, draw a box around a crowd to look closer, and press a model: the calculator above takes it.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    And when it does not fit? A user who pauses need not block a GPU. The cache can be <dfn title="offload">offloaded</dfn> to the machine’s main memory and fetched again: the {facts.gb_8000:.2f} GB of 8,000 tokens take {facts.offload_ms:.0f} ms over an A100’s link of {facts.link_gb_s} GB/s, and {facts.disk_ms:.0f} ms from a disk of {facts.disk_gb_s} GB/s. Or it is <dfn title="evict">evicted</dfn>, dropped to make room, and worked out again when the user is back: {facts.again_ms:.0f} ms of reading. Engines do the first by themselves or with LMCache, a store for caches; vLLM does the second when its memory runs out. Either way memory is lent, not given.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** The cache grows with every token of every user, in every layer that keeps them all. Weights are paid once; the past is paid per user.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## Why are there two speeds?

    You have seen it in every chat: a pause, then words that drip. These are two different jobs. Reading your prompt, called <dfn>prefill</dfn>, pushes all its tokens through the model together, so each weight that is fetched from memory is used for every one of them. Writing, called <dfn>decode</dfn>, fetches all the weights, and the cache, for one single token.

    A GPU can be short of two things: arithmetic, and <dfn>bandwidth</dfn>, the bytes fetched from memory in a second. An A100 can do {facts.ridge:.0f} operations in the time it fetches one byte. Work that does more than that with each byte is short of arithmetic; work that does less is short of bandwidth. Reading 8,192 tokens takes Llama 3 8B {facts.first_token_ms:.0f} ms there if the data sheet is kept to, and the arithmetic is what takes it; only a prompt of fewer than {facts.short_prompt} tokens would wait for the weights instead. For one written token the 16 GB of weights alone take {facts.weights_ms:.1f} ms to fetch, so for one user, one token at a time, about {facts.tokens_per_second:.0f} tokens a second can come out, however fast the arithmetic.

    The way out is company: {facts.turning_batch} users of 512 tokens each can share one fetch before arithmetic becomes the limit. But each brings a cache that must be fetched as well. From about {facts.endless_tokens:.0f} tokens each on no company is large enough, because fetching a user’s cache then takes longer than computing with it; and memory fills up first anyway.
    """)
    return


@app.cell(hide_code=True)
def _():
    roofline_model = mo.ui.dropdown(list(figures.ROOFLINE_MODELS), value="Llama 3 8B", label="Model")
    roofline_model
    return (roofline_model,)


@app.cell(hide_code=True)
def _():
    roofline_gpu = mo.ui.dropdown(list(catalogue.gpus()), value="A100 80 GB", label="GPU")
    roofline_gpu
    return (roofline_gpu,)


@app.cell(hide_code=True)
def _():
    roofline_context = mo.ui.slider(
        steps=[128, 512, 2048, 8192, 32768, 131072], value=8192, label="Tokens of each user"
    )
    roofline_context
    return (roofline_context,)


@app.cell(hide_code=True)
def _():
    roofline_batch = mo.ui.slider(
        steps=[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], value=1, label="Users in one step"
    )
    roofline_batch
    return (roofline_batch,)


@app.cell
def roofline(roofline_model, roofline_gpu, roofline_context, roofline_batch):
    figures.roofline(roofline_model.value, roofline_gpu.value, roofline_context.value, roofline_batch.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Look at the purchases: twice the compute halves the wait for the first token and leaves the drip as it is, twice the bandwidth leaves the wait and doubles the drip. Then drag the users upwards: the dot climbs the slanted part of the roof and gets stuck before its corner, because fetching all those caches takes longer than computing with them. With [512 tokens each](?roofline_context=512&roofline_batch=512#roofline) it gets past it. At [128 tokens](?roofline_context=128#roofline) even reading is short of bandwidth.

    Choose [a mixture of experts](<?roofline_model=Qwen3 30B-A3B&roofline_batch=8#roofline>), a model in which each token passes through only a few of many small networks, and see what company costs there: each user calls for other experts.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** Unless the prompt is very short, the first token waits for arithmetic; unless very many with short texts share a step, every later one waits for bandwidth. More compute shortens the pause, more bandwidth or a smaller cache quickens the drip, more memory lets more users share it.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## Can one pass write more than one token?

    While bandwidth is short, a pass that fetches all the weights for one token leaves the arithmetic idle. Checking five tokens fetches the same weights once. <span class="meaning">So let something cheap guess: a <dfn class="everyday">draft</dfn> proposes the next few tokens, and the model reads them all in one pass, as it reads a prompt. At each place it sees what it would have written there. The guesses stay up to the first wrong one; there, or behind the last if all were right, the model puts its own token, and the cache forgets what came after. This is <dfn>speculative decoding</dfn>, and it approximates nothing: every token that stays is the one the model would have written alone.</span>

    If a guess is right with chance $a$, and a pass of the draft takes the share $c$ of the model’s, then $k$ guesses make it

    $$\frac{{1 + a + a^2 + \dots + a^k}}{{1 + k\,c}}$$

    times as fast: tokens in a pass (one for certain, a second if the first guess is right, and so on), over what the pass takes.

    Below, our own model checks drafts cut from it: its first layers, read out as if they were all. Such a draft is dear, as the first layer alone fetches {facts.draft_percent:.0f} % of the weights, {facts.table_percent:.0f} % for the table of all tokens that both need. Engines use a much smaller model of the same family, a small part trained on top of the large one, or no model at all: what followed the last time the same words stood there.

    <aside>Where tokens are drawn instead of taking the likeliest, a rule for accepting them leaves the distribution as it is. With many users in a step arithmetic becomes short, and then wrong guesses cost. In a mixture of experts they cost sooner, as each guess calls for experts of its own.</aside>
    """)
    return


@app.cell(hide_code=True)
def _():
    speculative_draft = mo.ui.dropdown(dict(figures.DRAFTS), value="its first layer", label="Who guesses")
    speculative_draft
    return (speculative_draft,)


@app.cell(hide_code=True)
def _():
    speculative_guesses = mo.ui.slider(0, 8, value=4, step=1, label="Guesses for each pass")
    speculative_guesses
    return (speculative_guesses,)


@app.cell(hide_code=True)
def _():
    speculative_prompt = mo.ui.dropdown(
        list(figures.GUESSED), value=figures.GUESSED[0], label="The text begins"
    )
    speculative_prompt
    return (speculative_prompt,)


@app.cell(hide_code=True)
def _():
    speculative_run = mo.ui.button(value=0, on_click=lambda n: n + 1, label="Time both here")
    speculative_run
    return (speculative_run,)


@app.cell
def speculative(speculative_draft, speculative_guesses, speculative_prompt, speculative_run):
    figures.speculative(
        speculative_draft.value, speculative_guesses.value, speculative_prompt.value, speculative_run.value
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** As it opens, the draft saves passes and still loses time, because it is so dear: *times as fast* below 1 means slower.

    Give the draft [three layers](<?speculative_draft=its first three layers#speculative>): more guesses are right, and each is dearer. Then let [what it wrote before](<?speculative_draft=what it wrote before#speculative>) guess, which costs next to nothing. Move the guesses from 1 to 8: behind a wrong guess the rest is wasted, so each further one saves less, and where guesses are dear it costs more than it saves.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** Checking several guesses takes one pass, and the text stays the same. It pays while bandwidth is short, when guesses are cheap and often right.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## Can many heads share one set of notes?

    Back to the formula: the number that is easiest to change is the number of KV heads. In plain <dfn>multi-head attention</dfn> each query head has keys and values of its own. In <dfn>grouped-query attention</dfn> several query heads read the same ones, and in <dfn>multi-query attention</dfn> all do. The questions stay as many as before; only the notes they are asked of are shared. Llama 2 7B has 32 sets of notes in a layer, Llama 3 8B has 8, and a token takes {facts.mha_ratio} times less.
    """)
    return


@app.cell(hide_code=True)
def _():
    sharing_heads_sets = mo.ui.slider(steps=[1, 2, 4, 8, 16, 32], value=8, label="Sets of keys and values")
    sharing_heads_sets
    return (sharing_heads_sets,)


@app.cell
def sharing_heads(sharing_heads_sets):
    figures.sharing_heads(sharing_heads_sets.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Go from [32 sets](?sharing_heads_sets=32#sharing_heads) to [1](?sharing_heads_sets=1#sharing_heads) and watch the bar. Then look at the two heads below: they read the very same keys and still look at different words, because each asks its own question.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** Query heads can share keys and values. The memory shrinks by the size of the group; the heads keep their own questions.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What if old notes are thrown away?

    A sliding window keeps the last few tokens in a layer and drops the rest, so the cache stops growing. What is dropped is gone from *that layer*. But the layer below has already mixed some of it into tokens that are still there. Such a relay can carry a fact from window to window: with a window of $w$ and $L$ layers it gets at most $L \times (w-1)$ tokens far.

    Here is a fact, who is tired, and a question that depends on it, the word after *so*. The same text is read twice, once with the fact and once with another in its place. Wherever the two readings differ, something of the fact has arrived. Our model was trained without a window, so for it a window is an approximation. For a model trained with one it is simply how the model works, and such models learn to relay much more.
    """)
    return


@app.cell(hide_code=True)
def _():
    window_width = mo.ui.slider(1, 11, value=5, step=1, label="Tokens each layer keeps")
    window_width
    return (window_width,)


@app.cell(hide_code=True)
def _():
    window_story = mo.ui.radio(["who is tired", "what Emma did"], value="who is tired", label="The fact")
    window_story
    return (window_story,)


@app.cell
def window(window_width, window_story):
    figures.window(window_width.value, window_story.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Start at [11](?window_width=11#window) and narrow the window step by step. With *who is tired* the answer is lost sooner than you may expect: as soon as the start token leaves the blue frame, with the fact still in it. Many heads rest on that token, as the chapter on attention shows, and without it our model goes astray. In [*what Emma did*](<?window_story=what Emma did&window_width=9#window>) the answer lasts two steps longer.

    Were that one token kept as well, as engines with a window may do, the first answer would hold until the fact itself leaves, and the second for three steps more, by relay. Either way some of the fact still climbs up from layer to layer. At [a window of 1](?window_width=1#window) not even that is left.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** A window bounds the memory and forgets. Stacked layers relay a part of what has left the window, but at most one window a layer.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## Do the notes need all their digits?

    Numbers in the cache usually have 16 bits. With 8, the cache should halve. A stored number is then multiplied by a <dfn class="everyday">scale</dfn>. With one for a whole table or head, as engines’ fp8 caches have (floating-point numbers of 8 bits), it does. Block formats keep more of the digits and do not quite: 32 numbers share one 16-bit scale, so they take 34 bytes, or {facts.bytes_8} bytes each, and the cache is {facts.saved_8:.2f} times smaller. With 4 bits it is {facts.bytes_4} bytes each and {facts.saved_4:.2f} times. For Llama 3.1 8B at 8,192 tokens, 8 bits in blocks take {facts.mib_8:.0f} MiB instead of 1,024.

    And this one *is* an approximation. The question is only whether it shows.
    """)
    return


@app.cell(hide_code=True)
def _():
    precision_bits = mo.ui.radio(
        {"16 bits": 16, "8 bits": 8, "4 bits": 4}, value="4 bits", label="Bits of a stored number"
    )
    precision_bits
    return (precision_bits,)


@app.cell(hide_code=True)
def _():
    precision_prompt = mo.ui.dropdown(
        list(figures.PROMPTS), value=figures.PROMPTS[0], label="The text begins"
    )
    precision_prompt
    return (precision_prompt,)


@app.cell
def precision(precision_bits, precision_prompt):
    figures.precision(precision_bits.value, precision_prompt.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Go from [16](<?precision_bits=16 bits#precision>) to [8](<?precision_bits=8 bits#precision>) to [4 bits](<?precision_bits=4 bits#precision>) and watch the typical change of a logit grow, until the text changes. Then keep 4 bits and change the beginning. After [*Patient has severe chest*](<?precision_prompt=Patient has severe chest&precision_bits=4 bits#precision>) the logits move as far and no token changes; after [*Emma put the lamp and the cup in the*](<?precision_prompt=Emma put the lamp and the cup in the&precision_bits=4 bits#precision>) the very first one does. Where two words are nearly equally likely, a tiny push decides; where none are, a large one changes nothing.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** 8-bit notes save half or almost half and often change no word; 4-bit notes save more and start to show. Scales cost: in blocks 34 bytes for 32 numbers, not 32.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## Where does each user’s cache go?

    Nobody knows how long an answer will get. An engine that wants one long stretch of memory for each request must reserve the longest one allowed, and most of it stays empty. When requests end they leave gaps, and a new one may find no gap long enough although plenty is free.

    <dfn>Paging</dfn> borrows a trick from operating systems: memory is cut into small blocks, a request takes one when it needs it, and its blocks may lie anywhere. This is PagedAttention, with which vLLM began and which most engines now have. Only the last block of each request has empty slots. A text of 10,718 tokens takes {facts.blocks} blocks of 16, that is {facts.slots:,} slots: two wasted.
    """)
    return


@app.cell(hide_code=True)
def _():
    paging_step = mo.ui.slider(0, 60, value=36, step=1, label="Step")
    paging_step
    return (paging_step,)


@app.cell(hide_code=True)
def _():
    paging_block = mo.ui.slider(steps=[4, 8, 16, 32], value=8, label="Slots in a block")
    paging_block
    return (paging_block,)


@app.cell
def paging(paging_step, paging_block):
    figures.paging(paging_step.value, paging_block.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Play the steps from 0 and watch who is turned away on the left while the right still has room. Then make [the blocks larger](?paging_block=32#paging): the hatched ends grow.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** Reserved is not used. Blocks on demand waste at most one block’s end for each request, and nobody is turned away for want of a long gap.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What if everybody’s text begins the same?

    A thousand users, one system prompt. Its keys and values are the same for all of them, so they can be kept once and read by everyone. The condition is strict: a key depends on its token *and* on everything before it. Engines therefore compare block by block from the very start, and the first token that differs ends the hits for the rest of the request. vLLM finds the blocks by a hash (a fingerprint) of their content and of all before it, as the figure does; SGLang keeps a tree of all beginnings, a radix tree, and walks down it; LMCache keeps such blocks outside the engine, in main memory or on disk, for several machines to share. (The figure counts in bytes, because they are easy to see.)
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.number(
        "With the time of day at the end, the figure below finds more than half of all bytes in the cache. What if the same time stands at the front?",
        (0, 30, 55),
        100
        * sum(row[2] for row in figures.prefix("front").table.rows)
        / sum(row[1] for row in figures.prefix("front").table.rows),
        opens="?prefix_place=at the front#prefix",
        unit="%",
        explain="Every key depends on all that stands before it, and that differs from the first block on.",
    )
    return


@app.cell(hide_code=True)
def _():
    prefix_place = mo.ui.radio(
        {"at the end": "end", "at the front": "front", "nowhere": "none"},
        value="at the end",
        label="Where the time of day stands",
    )
    prefix_place
    return (prefix_place,)


@app.cell(hide_code=True)
def _():
    prefix_count = mo.ui.slider(1, 8, value=5, step=1, label="Requests")
    prefix_count
    return (prefix_count,)


@app.cell(hide_code=True)
def _():
    prefix_block = mo.ui.slider(steps=[8, 16, 32], value=16, label="Bytes in a block")
    prefix_block
    return (prefix_block,)


@app.cell(hide_code=True)
def _():
    prefix_system = mo.ui.text_area(
        value=figures.SYSTEM, label="The shared beginning", rows=3, max_length=20_000
    )
    prefix_system
    return (prefix_system,)


@app.cell
def prefix(prefix_place, prefix_count, prefix_block, prefix_system):
    figures.prefix(prefix_place.value, prefix_count.value, prefix_block.value, prefix_system.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Move the time of day [to the front](<?prefix_place=at the front#prefix>), with the blocks as they are. Every hit is gone, though the beginning that follows the time is letter for letter the same in all of them.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** What is shared must stand first and stay the same to the last letter. Put what changes at the end.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## What does a long conversation cost?

    A chat model is sent the whole conversation again at every turn. That is the stenographer who retypes everything, one level up, and here it shows on the bill. Thirty turns of 600 tokens, half question and half answer, after a beginning of 2,000 send {facts.talk_sent:,} tokens, though only {facts.talk_new:,} were ever written, the last answer among them. Providers that keep the cache of a beginning charge less for it, since they do not have to work through it again.

    The prices below are placeholders. Put in your own.
    """)
    return


@app.cell(hide_code=True)
def _():
    guess.word(
        f"Thirty turns cost {written.dollars(guess.seen(figures.prompt_cache(), '30', 'paid so far with ($)'))} with a cached beginning. To save, only the last ten turns are sent again. What do they cost now?",
        ("$0.05", "$0.13", "$0.40", "$0.90"),
        written.dollars(guess.seen(figures.prompt_cache(keep=10), "30", "paid so far with ($)")),
        opens="?prompt_cache_keep=10#prompt_cache",
        explain="Fewer tokens are sent, but now each text differs right after its fixed beginning, and only that is still cached.",
    )
    return


@app.cell(hide_code=True)
def _():
    prompt_cache_turns = mo.ui.slider(1, 60, value=30, step=1, label="Turns")
    prompt_cache_turns
    return (prompt_cache_turns,)


@app.cell(hide_code=True)
def _():
    prompt_cache_system = mo.ui.slider(
        steps=[0, 500, 1000, 2000, 5000, 10000, 20000], value=2000, label="Tokens of the fixed beginning"
    )
    prompt_cache_system
    return (prompt_cache_system,)


@app.cell(hide_code=True)
def _():
    prompt_cache_turn = mo.ui.slider(
        steps=[100, 200, 400, 600, 1000, 2000, 4000], value=600, label="Tokens each turn adds"
    )
    prompt_cache_turn
    return (prompt_cache_turn,)


@app.cell(hide_code=True)
def _():
    prompt_cache_price = mo.ui.slider(
        steps=[0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 15, 30], value=3, label="Price of a million tokens ($)"
    )
    prompt_cache_price
    return (prompt_cache_price,)


@app.cell(hide_code=True)
def _():
    prompt_cache_cached = mo.ui.slider(
        steps=[0, 5, 10, 20, 25, 50, 75, 100], value=10, label="Price of a cached token (% of that)"
    )
    prompt_cache_cached
    return (prompt_cache_cached,)


@app.cell(hide_code=True)
def _():
    prompt_cache_keep = mo.ui.slider(
        steps=[0, 1, 2, 5, 10, 20], value=0, label="Send only the last turns again (0: all)"
    )
    prompt_cache_keep
    return (prompt_cache_keep,)


@app.cell
def prompt_cache(
    prompt_cache_turns,
    prompt_cache_system,
    prompt_cache_turn,
    prompt_cache_price,
    prompt_cache_cached,
    prompt_cache_keep,
):
    figures.prompt_cache(
        prompt_cache_turns.value,
        prompt_cache_system.value,
        prompt_cache_turn.value,
        prompt_cache_price.value,
        prompt_cache_cached.value,
        prompt_cache_keep.value,
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Trim the conversation to its [last 10 turns](?prompt_cache_keep=10#prompt_cache). The bill without a cache falls. The bill *with* one rises, because every text now differs right after its fixed beginning. Then keep [only the last turn](?prompt_cache_keep=1#prompt_cache), and compare again: only a text cut very short is worth a broken cache.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** Every turn pays for all turns before it. A cached beginning makes that cheap, as long as nothing before the new part changes.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## Where does it break?

    **A damaged note stays.** A run that starts over works every key and value out again from the text, so it heals by itself. A cache does not: what is wrong in it is read at every step from then on. Choose an entry and overwrite it with noise. It opens on the keys that go on doing most harm. The text itself need not turn: of the {facts.entries} entries of this beginning, each the keys or the values of one token in one layer, damaged one at a time, {facts.entries_changed} change any of the next ten tokens.
    """)
    return


@app.cell(hide_code=True)
def _():
    corrupt_layer = mo.ui.slider(1, 4, value=figures.corrupt_survey().layer, step=1, label="Layer")
    corrupt_layer
    return (corrupt_layer,)


@app.cell(hide_code=True)
def _():
    corrupt_position = mo.ui.slider(
        0, 6, value=figures.corrupt_survey().position, step=1, label="Place in the text (0: the start token)"
    )
    corrupt_position
    return (corrupt_position,)


@app.cell(hide_code=True)
def _():
    corrupt_part = mo.ui.radio(["key", "value"], value="key", label="What is damaged")
    corrupt_part
    return (corrupt_part,)


@app.cell
def corrupt(corrupt_layer, corrupt_position, corrupt_part):
    figures.corrupt(corrupt_layer.value, corrupt_position.value, corrupt_part.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Damage different words in layer 1, then the same ones in layer 4. Some entries hardly matter, some shift every later word a little, and a few turn the text over. You can click the cells, too.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** A note is written once and never worked out again. A small error may never show; a bad one stays until the cache is thrown away.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## Who waits longest?

    People notice two waits. The <dfn>time to first token</dfn> is the pause before an answer begins. The <dfn class="everyday">gap</dfn> is the time from one token to the next. Operators watch both, and not the averages: <dfn>p50</dfn> is what half of all waits stay within, <dfn>p99</dfn> what all but one in a hundred do.

    In a plain engine a new request joins at the next step, and that step reads its whole prompt while everybody else is given one token. A long prompt makes a long step, and everybody waits for it. In the simulation below, of Llama 3 8B at 4 requests a second, half the gaps stay within {facts.gap_p50_ms:.1f} ms, but p99 is {facts.gap_p99_ms:.0f} ms and the longest takes {facts.gap_longest_ms:.0f} ms. No average shows it: nobody’s own average gap exceeds {facts.average_longest_ms:.0f} ms.

    There are cures, and each has its price. Prompts can be read in <dfn title="chunk" class="everyday">chunks</dfn>: with 256 tokens a step the longest gap falls to {facts.chunk_longest_ms:.0f} ms, but a prompt now needs many steps, and p99 of the first token goes from {facts.first_p99_ms:.0f} to {facts.chunk_first_p99_ms:.0f} ms. One machine can read and another write, if the caches are sent across. What is already cached need not be read at all. And the oldest way, fixed batches that nobody may join, has no gap above {facts.fixed_gap_longest_ms:.0f} ms and lets one first token in a hundred wait longer than {facts.fixed_first_p99_s:.1f} s.

    <aside>Joining at every step is called continuous batching (Orca, 2022), chunks come from Sarathi (2023) and Sarathi-Serve (2024) and are how vLLM works unless told otherwise; separate machines from Splitwise (2023) and DistServe (2024).</aside>
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    guess.number(
        f"Read whole, prompts let one user in a hundred wait longer than {facts.first_p99_ms / 1000:.1f} s for the first token. If they are read 64 tokens a step, how long is it?",
        (0.3, 1.5, 6),
        round(facts.short_chunk_first_p99_s, 2),
        opens="?tail_chunk=in chunks of 64#tail",
        unit="s",
        explain=f"A prompt of 1,000 tokens now needs {-(-1000 // 64)} steps, each of which fetches all weights; and prompts wait behind one another, since only about {facts.short_chunk_rate:,.0f} tokens a second can be read while some 4,000 come in. In return no gap is long any more.",
    )
    return


@app.cell(hide_code=True)
def _():
    tail_rate = mo.ui.slider(steps=[0.5, 1, 2, 3, 4, 5, 6, 8, 10], value=4, label="Requests a second")
    tail_rate
    return (tail_rate,)


@app.cell(hide_code=True)
def _():
    tail_prompt = mo.ui.slider(
        steps=[250, 500, 1000, 2000, 4000], value=1000, label="Tokens of a prompt, on average"
    )
    tail_prompt
    return (tail_prompt,)


@app.cell(hide_code=True)
def _():
    tail_chunk = mo.ui.dropdown(dict(figures.TAIL_CHUNKS), value="whole", label="Prompts are read")
    tail_chunk
    return (tail_chunk,)


@app.cell(hide_code=True)
def _():
    tail_batching = mo.ui.radio(
        {"at every step": True, "in fixed batches": False}, value="at every step", label="Requests join"
    )
    tail_batching
    return (tail_batching,)


@app.cell(hide_code=True)
def _():
    tail_apart = mo.ui.switch(value=False, label="One machine reads, another writes")
    tail_apart
    return (tail_apart,)


@app.cell(hide_code=True)
def _():
    tail_shared = mo.ui.switch(value=False, label="¾ of each prompt is cached already")
    tail_shared
    return (tail_shared,)


@app.cell(hide_code=True)
def _():
    tail_cache = mo.ui.switch(value=True, label="With a KV cache")
    tail_cache
    return (tail_cache,)


@app.cell
def tail(
    tail_rate,
    tail_prompt,
    tail_chunk,
    tail_batching,
    tail_apart,
    tail_shared,
    tail_cache,
):
    figures.tail(
        tail_rate.value,
        tail_prompt.value,
        tail_chunk.value,
        tail_batching.value,
        tail_apart.value,
        tail_shared.value,
        tail_cache.value,
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Read prompts [in chunks of 256](<?tail_chunk=in chunks of 256#tail>), then [of 64](<?tail_chunk=in chunks of 64#tail>): the longest gaps get much shorter, many others longer, and the first token comes later. Let [one machine read and another write](?tail_apart=true#tail): the gaps hardly stall, and what is left of them is the caches on their way. Compare with two plain machines, as the sentence does: they give the first token sooner. Then see what helps both waits: [a cached beginning](?tail_shared=true#tail), or [half the prompt](?tail_prompt=500#tail). At last switch [the cache off](?tail_cache=false#tail).
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** Two waits, and of each the slowest one in a hundred. A long prompt read whole stalls everybody; chunks move that wait to the prompt’s own first token. Shorter prompts and shared beginnings shorten both.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Whiteboard check

    Answer before you look. Rough is fine; the page knows what is close enough.
    """)
    return


@app.cell(hide_code=True)
def _(facts):
    check.number(
        "A model writes 100 tokens, starting from one, without a cache. How many rows of work are that in all?",
        facts.rows_100,
        tolerance=50,
        unit="rows",
        hint="1 + 2 + 3 + … + 100.",
        explain="100 × 101 / 2. With a cache it would be 100.",
        name="rows-without-cache",
    )
    return


@app.cell(hide_code=True)
def _(facts):
    check.number(
        "32 layers, 8 KV heads, head dimension 128, 16 bits: what does the cache of 8,000 tokens take, in GB?",
        facts.gb_8000,
        tolerance=0.06,
        unit="GB",
        hint="2 × layers × KV heads × head dimension × 2 bytes for one token, times the tokens.",
        explain="131,072 bytes a token × 8,000. A GB is 10⁹ bytes.",
        name="cache-8000",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "32 layers, 8 KV heads, head dimension 128, 16 bits: what does the cache of 8,192 tokens take, in GiB?",
        1,
        tolerance=0.03,
        unit="GiB",
        hint="131,072 is 2 to the power of 17 and 8,192 is 2 to the power of 13.",
        explain="Exactly 1 GiB, 2³⁰ bytes.",
        name="cache-8192",
    )
    return


@app.cell(hide_code=True)
def _(facts):
    check.number(
        "A GPU has 80 GB, the weights take 16 GB and each token’s cache 131,072 bytes. How many users with 8,000 tokens each fit?",
        facts.users_8000,
        tolerance=1,
        unit="users",
        hint="What is left after the weights, divided by one user’s cache.",
        explain=f"64 GB over 1.0486 GB. With 8,192 tokens each it would be {facts.users_8192}.",
        name="users-80-gb",
    )
    return


@app.cell(hide_code=True)
def _(facts):
    check.number(
        "A model you have not seen: 36 layers, 8 KV heads, head dimension 128, 16 bits. The weights take 8 GB of a GPU "
        "with 24 GB. How many users with 16,384 tokens each fit at the very most?",
        facts.users_new,
        tolerance=0,
        unit="users",
        hint="First one token, then one user, then what is left.",
        explain="2 × 36 × 8 × 128 × 2 is 147,456 bytes a token, times 16,384 is 2.416 GB; 16 GB are left, and 6 fit.",
        name="users-24-gb",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "A layer has 32 query heads. How many times smaller is its cache with one KV head than with one for each?",
        32,
        tolerance=0,
        unit="times",
        hint="The cache counts KV heads, not query heads.",
        explain="Multi-query attention keeps one key and one value instead of 32.",
        name="one-kv-head",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "How many bytes do 32 numbers take in an 8-bit cache whose blocks of 32 share a 16-bit scale?",
        34,
        tolerance=0,
        unit="bytes",
        hint="Do not forget the scale.",
        explain="32 + 2. So in blocks the cache shrinks 1.88 times, not twice.",
        name="bytes-8-bit",
    )
    return


@app.cell(hide_code=True)
def _():
    check.number(
        "A draft makes two guesses for each pass, and each is right half the time. How many tokens does a pass yield "
        "on average?",
        1.75,
        tolerance=0.02,
        unit="tokens",
        hint="One for certain, a second if the first guess is right, a third if both are.",
        explain="1 + ½ + ¼. With many more guesses it would come close to 2 and never reach it.",
        name="tokens-a-pass",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "The average gap between tokens is 10 ms, and its p99 is ten times that. What happens, and what do you do?",
        "Now and then a step reads a long prompt beside the answers it writes, and everybody waits for it. Read "
        "prompts in chunks, or on another machine; the first token of the long prompt pays for it.",
        name="stalled-gaps",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "Why are keys and values kept, but never queries?",
        "A query is asked once, by its own token, and no later token asks it again. Keys and values are read by "
        "every later token, and since no token sees what comes after it, they never change.",
        name="why-not-queries",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "The first token comes quickly, but then the words drip. Would you buy compute or bandwidth?",
        "Bandwidth. Reading a long prompt is short of arithmetic, and that is fine here. Writing one token fetches all "
        "weights and the cache for a single token, so it is short of bandwidth. A smaller cache helps, too.",
        name="compute-or-bandwidth",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "Does the cache change what the model writes?",
        "No. The same tokens come out and the logits agree to rounding, which at 16 bits may now and then turn a near tie. A cache in 8 or 4 bits is another matter: that "
        "is an approximation, and so is a sliding window put on a model that was trained without one.",
        name="same-words",
    )
    return


@app.cell(hide_code=True)
def _():
    check.reveal(
        "Your prompts begin with the time of day and the prefix cache never hits. Why, and what do you do?",
        "Hits end at the first token that differs, and here that is in the first block. Put the time at the end.",
        name="time-of-day",
    )
    return


@app.cell(hide_code=True)
def _(facts):
    mo.md(rf"""
    ## In short

    * Without a cache every token pays for the whole text again; with one it pays for itself.
    * Kept are keys and values, one of each for every token, layer and KV head. Queries are used once.
    * One token of Llama 3 8B takes {facts.token_bytes:,} bytes, 8,000 tokens {facts.gb_8000:.2f} GB. Read your own model’s config: layers may slide, compress, share or keep a constant state.
    * Reading a long prompt is short of arithmetic, writing for a few users is short of bandwidth, and memory sets how many users share a step.
    * Sharing heads, windows, fewer bits, paging and shared beginnings all make the cache smaller or fuller. Sharing heads is decided when the model is trained; of the rest, only fewer bits, and a window on a model trained without one, change what comes out.
    * Guesses that are checked in one pass write the same text in fewer passes, while bandwidth is what is short.
    * People wait for a first token and for the longest gap. Chunks trade the one for the other, reading and writing apart takes a second machine; shorter prompts and shared beginnings shorten both.
    * What is shared must stand first, and a damaged note stays damaged.

    Tokens, attention, cache: these are parts. How they work together, and what the rest of the model does, is [the whole machine](machine.html), where you can take any part out.
    """)
    return


if __name__ == "__main__":
    app.run()
