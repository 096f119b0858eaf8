"""Utterances of nine Japanese speakers, as cepstral coefficients over time."""

from dataclasses import dataclass

import numpy as np

from treatise.datasets._home import locate


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
