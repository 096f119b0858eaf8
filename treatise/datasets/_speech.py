"""Sequences of words and of sounds: tagged sentences, spoken vowels."""

from dataclasses import dataclass

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.datasets._home import locate
from treatise.io import Sentence, read_conll


def load_english_treebank(part: str) -> list[Sentence]:
    """Sentences of English web text with their tags and syntax (Universal Dependencies, EWT).

    Parameters
    ----------
    part : {"dev", "test"}
        Which part: 2 001 or 2 077 sentences of some 25 000 words.

    Returns
    -------
    list of Sentence
        With the columns of CoNLL-U; ``sentence["form"]`` are the words, ``sentence["upos"]`` their tags.
    """
    if part not in ("dev", "test"):
        raise TreatiseError(f"no part {part!r} of the treebank; there are dev and test")
    return read_conll(locate(f"ud/en_ewt-ud-{part}.conllu"))


@dataclass(frozen=True)
class SpokenVowels:
    """Utterances and their speakers.

    Parameters
    ----------
    utterances : list of ndarray of shape (length, 12)
        Twelve cepstral coefficients at 7 to 29 times.
    speakers : ndarray of int of shape (n,)
        From 1 to 9.
    """

    utterances: list[np.ndarray]
    speakers: np.ndarray


def load_japanese_vowels() -> tuple[SpokenVowels, SpokenVowels]:
    """The vowels "ae" of nine male speakers (Kudo, Toyama and Shimbo 1999).

    Returns
    -------
    training, test : SpokenVowels
        270 utterances, 30 of each speaker; and 370.
    """
    return _read("TRAIN"), _read("TEST")


def _read(part: str) -> SpokenVowels:
    """A text file with a line for each utterance: coefficients apart by colons, times by commas, the speaker last."""
    utterances, speakers = [], []
    for line in locate(f"sequences/JapaneseVowels_{part}.ts").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "@")):
            *coefficients, speaker = line.split(":")
            utterances.append(np.array([each.split(",") for each in coefficients], np.float64).T)
            speakers.append(int(speaker))
    return SpokenVowels(utterances, np.array(speakers))
