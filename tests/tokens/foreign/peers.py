"""Tokenizers of every kind, trained here by the reference libraries, and texts to hold ours to theirs with."""

import json
import random
import unicodedata
from functools import cache

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from glassbox.tokens import measure, vocabularies

QWEN = vocabularies.PATTERNS["qwen"]
LLAMA = QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")  # as the tokenizer.json of Llama 3 has it
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


@cache
def texts():
    samples = measure.samples()
    declared = [t for d in measure.declarations().values() for t in measure.articles(d).values()]
    return [
        *samples["clinical"],
        *samples["everyday"],
        samples["code"],
        *declared,
        *measure.mix()["everyday"][:800],
    ]


def strings(n, seed=7):
    """Words of many languages, digits, signs, emoji, white space and random characters of all planes.

    Random characters are those that Unicode 3.2 had and that are of the same kind still: the libraries know
    different later versions.
    """
    rng = random.Random(seed)
    words = sorted({w for text in texts() for w in text.split()})
    words += [
        "👋",
        "\n",
        "\t",
        "  ",
        "\r\n",
        " \n ",
        "'s",
        "'LL",
        "2026",
        "<|im_end|>",
        "<s>",
        "[MASK]",
        "e\u0301",
        "ﬁ",
        "Ǆ",
    ]
    words += [
        "한국",
        "각",
        "が",
        "ẛ̣",
        "①",
        "½",
        "²",
        "x" * 120,
        "▁",
        "▁▁a",
        "##a",
        "\x00",
        "\x1c",
        "\u200b",
        "\xa0",
    ]
    old = unicodedata.ucd_3_2_0
    kinds = ((chr(c), old.category(chr(c))) for c in range(0x110000))
    known = [c for c, kind in kinds if kind not in ("Cn", "Cs", "Co") and kind == unicodedata.category(c)]
    for _ in range(n):
        chosen = [*rng.choices(words, k=rng.randint(0, 8)), "".join(rng.choices(known, k=rng.randint(0, 4)))]
        rng.shuffle(chosen)
        yield rng.choice(["", " ", "  "]).join(chosen)


def _trained(tokenizer, trainer):
    tokenizer.train_from_iterator(texts(), trainer)
    return tokenizer


def _byte_level(size=2000, normalizer=None, cut=None, **model):
    made = Tokenizer(models.BPE(**model))
    if normalizer:
        made.normalizer = normalizer
    made.pre_tokenizer = cut or pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return _trained(
        made,
        trainers.BpeTrainer(
            vocab_size=size, special_tokens=CONTROL, initial_alphabet=alphabet, show_progress=False
        ),
    )


def _split(pattern):
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def gpt2():
    made = _byte_level()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    return made


def llama3():
    made = _byte_level(cut=_split(LLAMA))
    made.post_processor = processors.TemplateProcessing(
        single="<|im_start|> $A", special_tokens=[("<|im_start|>", 1)]
    )
    held = json.loads(made.to_str())
    held["model"]["ignore_merges"] = True
    held["model"]["vocab"]["Ġthrombocytopenia"] = 2000  # an entry that no two parts make
    return Tokenizer.from_str(json.dumps(held))


def qwen():
    made = _byte_level(normalizer=normalizers.NFC(), cut=_split(QWEN))
    made.add_tokens([AddedToken("<tool_call>", special=False, normalized=False)])
    return made


def falcon():
    steps = [
        pre_tokenizers.Punctuation("contiguous"),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        pre_tokenizers.Digits(individual_digits=False),
        pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated"),
    ]
    return _byte_level(cut=pre_tokenizers.Sequence(steps))


def starcoder():
    return _byte_level(
        cut=pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=True)]
        )
    )


def _fallback(normalizer, cut, decoder):
    made = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    if normalizer:
        made.normalizer = normalizer
    if cut:
        made.pre_tokenizer = cut
    made.decoder = decoder
    special = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256))]
    trainer = trainers.BpeTrainer(
        vocab_size=3000, special_tokens=special, limit_alphabet=120, show_progress=False
    )
    made = _trained(made, trainer)
    held = json.loads(made.to_str())
    held["added_tokens"] = held["added_tokens"][:3]  # bytes are entries, not control tokens
    return Tokenizer.from_str(json.dumps(held))


def llama2():
    normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    cut = None
    made = _fallback(normalizer, cut, decoder)
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return made


def gemma():
    decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return _fallback(
        normalizers.Replace(" ", "▁"), pre_tokenizers.Split(" ", "merged_with_previous"), decoder
    )


def mistral():
    cut = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return _fallback(None, cut, decoder)


def clip():
    made = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    made.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"'s|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"), "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000, special_tokens=["<unk>"], end_of_word_suffix="</w>", show_progress=False
    )
    return _trained(made, trainer)


def _wordpiece(normalizer):
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizer
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece(cleanup=False)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made = _trained(
        made, trainers.WordPieceTrainer(vocab_size=2500, special_tokens=special, show_progress=False)
    )
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


def bert():
    return _wordpiece(normalizers.BertNormalizer(lowercase=True))


def bert_cased():
    return _wordpiece(
        normalizers.BertNormalizer(lowercase=False, strip_accents=False, handle_chinese_chars=False)
    )


def _unigram(normalizer, cut, **model):
    made = Tokenizer(models.Unigram())
    if normalizer:
        made.normalizer = normalizer
    made.pre_tokenizer = cut
    made.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=2500, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    made = _trained(made, trainer)
    held = json.loads(made.to_str())
    held["model"] |= model
    return Tokenizer.from_str(json.dumps(held))


def t5():
    cut = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    return _unigram(
        normalizers.Sequence(
            [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
        ),
        cut,
    )


def albert():
    steps = [
        normalizers.Replace("``", '"'),
        normalizers.NFKD(),
        normalizers.StripAccents(),
        normalizers.Lowercase(),
        normalizers.Strip(),
    ]
    return _unigram(normalizers.Sequence(steps), pre_tokenizers.Metaspace())


def unigram_bytes():
    made = _unigram(None, pre_tokenizers.Metaspace(prepend_scheme="never"))
    held = json.loads(made.to_str())
    held["model"]["vocab"] += [[f"<0x{b:02X}>", -20.0] for b in range(256)]
    held["model"]["byte_fallback"] = True
    held["decoder"] = json.loads(
        decoders.Sequence(
            [decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="never")]
        ).__getstate__()
    )
    return Tokenizer.from_str(json.dumps(held))


KINDS = {
    f.__name__: f
    for f in (
        gpt2,
        llama3,
        qwen,
        falcon,
        starcoder,
        llama2,
        gemma,
        mistral,
        clip,
        bert,
        bert_cased,
        t5,
        albert,
        unigram_bytes,
    )
}


@cache
def peer(name):
    return KINDS[name]()
