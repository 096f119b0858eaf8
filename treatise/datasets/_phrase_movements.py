"""Sentences of a made-up language pair, phrase by phrase, with how far each phrase moves in translation."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

WORDS = {"noun": 120, "adjective": 60, "verb": 50, "adverb": 25, "particle": 6}
"""How many words each kind has; all have three translations, of which the first is the usual one."""


class PhraseMovements(NamedTuple):
    """Phrase pairs as :class:`treatise.sequence.PhrasePairFeatures` takes them, distances, and the source phrases."""

    pairs: list[tuple[list[str], int, int, list[str]]]
    distances: np.ndarray
    phrases: np.ndarray


def make_phrase_movements(n_sentences: int = 1000, *, noise: float = 0.05, random_state: Any = None) -> PhraseMovements:
    """Draw sentences whose translation moves verbs to the end, adverbs to the front and adjectives behind nouns.

    A sentence is a subject, a verb, an object and perhaps an adverb, with an adjective before some nouns and more nouns
    behind them. In translation the verb goes to the end unless a particle stands before it, an adjective goes behind
    its noun unless it is one of those that stay, and an adverb goes to the front unless the verb is one of those that
    keep it. So words around a phrase tell which way it moves, and the phrase alone tells it partly. A share of the
    sentences is left in the order of the source.

    Parameters
    ----------
    n_sentences : int, default=1000
        Sentences.
    noise : float, default=0.05
        Share of the sentences in which nothing moves.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    PhraseMovements
        ``pairs``, a list of (source words, first place, last place, translated words) in the order of the translation;
        ``distances``, how far each moves; ``phrases``, the words of the source phrase.

    Examples
    --------
    >>> from treatise.datasets import make_phrase_movements
    >>> pairs, distances, phrases = make_phrase_movements(2, random_state=0)
    >>> len(pairs) == len(distances) == len(phrases)
    True
    """
    rng = check_random_state(random_state)
    pairs, distances, phrases = [], [], []
    for _ in range(n_sentences):
        source, order = _sentence(rng)
        if rng.uniform() < noise:
            order = list(range(len(source)))
        before = -1
        for place in order:
            number = min(rng.geometric(0.7), 3)
            pairs.append((source, place, place, [f"{source[place]}.{number}"]))
            distances.append(before + 1 - place)
            phrases.append(source[place])
            before = place
    return PhraseMovements(pairs, np.array(distances), np.array(phrases))


def _word(rng: np.random.RandomState, kind: str) -> str:
    """Words as common as one over their number."""
    shares = 1.0 / np.arange(1, WORDS[kind] + 1)
    return f"{kind}{rng.choice(WORDS[kind], p=shares / shares.sum())}"


def _number(word: str) -> int:
    return int("".join(filter(str.isdigit, word)))


def _sentence(rng: np.random.RandomState) -> tuple[list[str], list[int]]:
    """Words of the source, and their places in the order of the translation."""
    source: list[str] = []

    def add(kind: str) -> int:
        source.append(_word(rng, kind))
        return len(source) - 1

    def noun_phrase() -> list[int]:
        places = [add("adjective")] if rng.uniform() < 0.5 else []
        noun = add("noun")
        stays = places and _number(source[places[0]]) % 3 == 0
        more = [add("noun") for _ in range(min(rng.geometric(0.6) - 1, 4))]
        return [*places, noun, *more] if stays else [noun, *places, *more]

    subject = noun_phrase()
    particle = [add("particle")] if rng.uniform() < 0.3 else []
    verb = [*particle, add("verb")]
    adverb = [add("adverb")] if rng.uniform() < 0.4 else []
    aim = noun_phrase() if rng.uniform() < 0.8 else []
    last = [*subject, *verb, *aim] if particle else [*subject, *aim, *verb]
    keeps = _number(source[verb[-1]]) % 4 == 0
    return source, [*last, *adverb] if keeps else [*adverb, *last]
