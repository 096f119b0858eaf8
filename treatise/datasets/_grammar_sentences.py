"""Sentences of tags drawn from a small grammar of dependencies, with their trees."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from treatise.inference.projective_trees.draw import draw_trees

TAGS = ("D", "A", "N", "V", "R", "P")
"""Determiner, adjective, noun, verb, adverb, preposition."""
_ROOT = {"V": 1.0}
_LEFT = {"N": {"D": 0.6, "A": 0.4}, "V": {"N": 0.8, "R": 0.2}}
_RIGHT = {"N": {"P": 1.0}, "V": {"N": 0.5, "R": 0.2, "P": 0.3}, "P": {"N": 1.0}}
# Probabilities of stopping with no dependent on that side, and with some.
_STOP_LEFT = {"N": (0.45, 0.85), "V": (0.15, 0.85)}
_STOP_RIGHT = {"N": (0.9, 0.98), "V": (0.4, 0.7), "P": (0.0, 1.0)}


class GrammarSentences(NamedTuple):
    """Sentences of tags, and their trees."""

    sentences: list[np.ndarray]
    heads: list[np.ndarray]


def make_grammar_sentences(
    n_sentences: int = 1000, *, max_length: int = 10, random_state: Any = None
) -> GrammarSentences:
    """Draw sentences of six tags from a dependency grammar: verbs rule, nouns may have determiners and adjectives.

    Determiners are optional, so that the noun, not the determiner, must be the head of the two: what a learner without
    trees has to find out.

    Parameters
    ----------
    n_sentences : int, default=1000
        Sentences.
    max_length : int, default=10
        Most words of one; longer ones are drawn again.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    GrammarSentences
        ``sentences``, arrays of tags; ``heads``, the head of each word, -1 for the root.

    Examples
    --------
    >>> from treatise.datasets import make_grammar_sentences
    >>> sentences, heads = make_grammar_sentences(2, random_state=0)
    >>> all(len(sentence) == len(tree) for sentence, tree in zip(sentences, heads))
    True
    """
    root, child, stop = grammar_parameters()
    drawn, heads = draw_trees(root, child, stop, n_sentences, max_length, check_random_state(random_state))
    return GrammarSentences([np.array(TAGS)[sentence] for sentence in drawn], heads)


def grammar_parameters() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities of the root's tag, of dependents by head and side, and of stopping with none and with some."""
    T = len(TAGS)
    child = np.full((T, 2, 1, T), 1.0 / T)
    stop = np.ones((T, 2, 2))
    for side, (dependents, stops) in enumerate(((_LEFT, _STOP_LEFT), (_RIGHT, _STOP_RIGHT))):
        for tag, shares in dependents.items():
            child[TAGS.index(tag), side, 0] = [shares.get(each, 0.0) for each in TAGS]
        for tag, (none, some) in stops.items():
            stop[TAGS.index(tag), side] = none, some
    return np.array([_ROOT.get(each, 0.0) for each in TAGS]), child, stop
