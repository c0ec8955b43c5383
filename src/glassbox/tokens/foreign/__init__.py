"""Tokenizers of others, read from their files: ``tokenizer.json`` and ``.tiktoken``.

    >>> from glassbox.tokens.foreign import reading
    >>> file = '{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}}'
    >>> reading.read(file).encode("abba")
    [2, 1, 0]

A text goes through the steps that the file names, in this order:

    added     control tokens and other whole entries are found first
    normals   the text is normalised, for example to one way of writing accents
    cuts      it is cut into parts that no token reaches across
    merging, unigram, wordpiece      each part becomes ids, by one of three methods

``traced`` remembers through all of it which characters of the reader's text each token stands for. What a
file asks for and these modules do not know is refused by name, never passed over.
"""
