"""The charts' wing of the build: Altair's specifications compiled once, and the Vega that draws them."""
