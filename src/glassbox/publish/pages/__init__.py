"""The wing of the pages: notebooks cut into prose, controls and figures, and written as HTML."""
