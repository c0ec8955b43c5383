"""How the shipped model was made: its texts, its training and its card. Needs torch; nothing imports it.

``python -m glassbox.training --wordnet <folder>`` repeats it; see ``__main__``. Read in order: ``words``,
``grammar``, ``notes``, ``corpus``, ``network``, ``train``, ``measure``.
"""
