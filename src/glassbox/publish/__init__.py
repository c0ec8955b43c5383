"""The build's steps: from notebooks to a folder of static files. Needs marimo; not in the browser's wheel."""
