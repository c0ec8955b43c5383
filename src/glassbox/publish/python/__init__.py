"""The wing of the browser's Python: the wheel of glassbox, the runtime, and their compiled forms."""
