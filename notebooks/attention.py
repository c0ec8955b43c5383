import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium")

with app.setup:
    import marimo as mo

    from glassbox.figures import attention as figures


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # Attention: how a model decides what matters

    In a few minutes you will be able to say, in your own words, how a language model lets one word look back at the others; to read the heatmaps people show; and to predict what breaks when a part is taken away. Every picture on this page is computed while you watch, by a small model that was trained for it.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What does *chest* mean?

    On its own you cannot know. In *severe chest* it is a place that hurts; in *chest of drawers* it is furniture. Think of every word as carrying a pot of paint. The word <span class="c-severe">severe</span> carries red, <span class="c-drawers">drawers</span> carries brown, and *chest* starts out grey. Attention decides how much of each pot is poured into *chest*. The mixed colour is what the model goes on with.

    <aside>The colours are a picture for something longer: in the model of this chapter a word carries 128 numbers, not three.</aside>
    """)
    return


@app.cell(hide_code=True)
def _():
    paint_severe = mo.ui.slider(0, 100, value=50, step=1, label="Attention paid to severe (%)")
    paint_severe
    return (paint_severe,)


@app.cell
def paint(paint_severe):
    figures.paint(paint_severe.value)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try this.** Push the slider to the right end, slowly. Watch *chest* turn red, and the nearest next word change from *X-ray* through *tightness* to *pain*.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** Attention is a weighted mix. The weights are shares: they always add up to 100 %.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Who looks at whom?

    Every word does this mixing, not only *chest*. Put all the shares into one square table: a row for each word that reads, a column for each word that is read from. The upper right half stays empty, because no word may look at one that comes after it.
    """)
    return


@app.cell
def heatmap():
    figures.heatmap()
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Remember.** Read a heatmap row by row: the row is the reader, the columns are where it reads from, and each row sums to 100 %.
    """)
    return


if __name__ == "__main__":
    app.run()
