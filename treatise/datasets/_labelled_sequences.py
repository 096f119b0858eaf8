"""Labelled sequences: handwritten words, tagged sentences, and labels made by Markov models of high order."""

from dataclasses import dataclass

import numpy as np
from scipy.io import loadmat
from sklearn.utils import check_random_state

from treatise._core.errors import TreatiseError
from treatise.datasets._home import locate
from treatise.io import Sentence, read_conll


@dataclass(frozen=True)
class HandwrittenWords:
    """Words as images of their letters.

    Parameters
    ----------
    images : list of ndarray of shape (length, 128)
        Pixels 0 or 1 of each letter, an image of 16 by 8, column by column as in the file.
    letters : list of lists of str
        The letters, lower case.
    """

    images: list[np.ndarray]
    letters: list[list[str]]


def load_handwritten_words() -> tuple[HandwrittenWords, HandwrittenWords]:
    """Words written by some 150 people (Kassel, 1995; Taskar et al., 2004), without their first letters.

    Returns
    -------
    training, test : HandwrittenWords
        One of ten folds (626 words), and the other nine (6 251).
    """
    content = loadmat(locate("sequences/ocr_taskar.mat"))
    parts = []
    for part in ("train", "test"):
        # The last of 129 numbers is a constant.
        images = [np.asarray(word, np.float64).T[:, :128] for word in content[f"patterns_{part}"].ravel()]
        codes = [np.asarray(word, np.int64).ravel() for word in content[f"labels_{part}"].ravel()]
        parts.append(HandwrittenWords(images, [[chr(ord("a") + int(c)) for c in word] for word in codes]))
    return parts[0], parts[1]


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
class MarkovSequences:
    """Sequences of labels, and observations of them.

    Parameters
    ----------
    observations : list of ndarray of shape (length, n_observed)
        What each label shows.
    labels : list of lists of int
        The labels.
    """

    observations: list[np.ndarray]
    labels: list[list[int]]


def make_high_order_sequences(
    sizes: tuple[int, ...],
    *,
    order: int = 2,
    noise: float = 0.5,
    n_labels: int = 5,
    n_successors: int = 2,
    n_observed: int = 3,
    length: int = 20,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[MarkovSequences, ...]:
    """Sequences from a random Markov model of given order with few successors (paper v15-0981, Section 3.1.1).

    Parameters
    ----------
    sizes : tuple of int
        Numbers of sequences of the sets to draw from one model: training, test.
    order : int, default=2
        Labels that the next one depends on.
    noise : float, default=0.5
        Standard deviation of the observations; their means are uniform on [0, 1].
    n_labels, n_successors, n_observed : int
        Labels, labels that may follow each history, and numbers observed.
    length : int, default=20
        Length of every sequence; its first labels are uniform.
    random_state : int, RandomState instance or None, default=None
        Source of the model and of the draws. The labels do not depend on ``noise``.

    Returns
    -------
    tuple of MarkovSequences
        One for each size.
    """
    if not 1 <= n_successors <= n_labels:
        raise ValueError(f"n_successors={n_successors} must lie between 1 and n_labels={n_labels}")
    rng = check_random_state(random_state)
    histories = n_labels**order
    successors = np.array([rng.permutation(n_labels)[:n_successors] for _ in range(histories)])
    chances = rng.uniform(size=(histories, n_successors))
    edges = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
    means = rng.uniform(size=(n_labels, n_observed))
    drawn = []
    for size in sizes:
        labels = np.empty((size, length), np.int64)
        labels[:, :order] = rng.randint(n_labels, size=(size, order))
        powers = n_labels ** np.arange(order)[::-1]
        for t in range(order, length):
            history = labels[:, t - order : t] @ powers
            which = (rng.uniform(size=(size, 1)) > edges[history]).sum(axis=1)
            labels[:, t] = successors[history, np.minimum(which, n_successors - 1)]
        drawn.append(labels)
    seen = [means[labels] + noise * rng.standard_normal((*labels.shape, n_observed)) for labels in drawn]
    return tuple(MarkovSequences(list(shown), labels.tolist()) for shown, labels in zip(seen, drawn))
