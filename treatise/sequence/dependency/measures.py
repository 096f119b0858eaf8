"""How right predicted trees are, and how many types of dependencies posteriors use."""

import numpy as np

from treatise.sequence.dependency._corpus import Corpus
from treatise.sequence.dependency._tags import tags_of


def attachment_accuracy(predicted, gold, *, directed=True):
    """Share of the words that have the right head.

    Parameters
    ----------
    predicted, gold : list of array-like of int
        Heads of the words of each sentence, -1 for the root.
    directed : bool, default=True
        False also counts a word whose true dependent is taken for its head; the root must still be the root.

    Returns
    -------
    accuracy : float
        Between 0 and 1, over all words of all sentences.

    Examples
    --------
    >>> from treatise.sequence import attachment_accuracy
    >>> attachment_accuracy([[1, -1, 1], [-1, 0]], [[1, 2, -1], [-1, 0]])
    0.6
    >>> attachment_accuracy([[1, -1, 1], [-1, 0]], [[1, 2, -1], [-1, 0]], directed=False)
    0.8
    """
    if len(predicted) != len(gold) or not len(gold):
        raise ValueError(f"{len(predicted)} predicted trees do not belong to {len(gold)} gold ones")
    right = words = 0
    for s, (said, true) in enumerate(zip(predicted, gold)):
        said, true = checked_heads(said, f"predicted[{s}]"), checked_heads(true, f"gold[{s}]")
        if len(said) != len(true):
            raise ValueError(f"sentence {s} has {len(said)} predicted heads and {len(true)} gold ones")
        hits = said == true
        if not directed:
            joined = said >= 0
            hits[joined] |= true[said[joined]] == np.flatnonzero(joined)
        right += int(hits.sum())
        words += len(true)
    return right / words


def dependency_ambiguity(heads, sentences, *, symmetric=True, roots=True):
    """How many types of dependencies distributions over heads use: the sum over types of their largest probability.

    A type is a pair of tags, of the dependent and its head. Of single trees it is the number of types in them, and a
    type counts once however often it occurs. Small values belong to grammars that allow few types.

    Parameters
    ----------
    heads : list of ndarray of shape (n, n + 1)
        Probabilities of the heads of each sentence's words as :meth:`DependencyModelWithValence.predict_proba` gives
        them: head h of word c at ``[c, h]``, the root at ``[c, -1]``.
    sentences : list of sequences of tags
        Tags of the words.
    symmetric : bool, default=True
        Whether every pair of words counts by itself (the paper's PR-S); False first adds up the heads of one tag that
        a word may have (PR-AS).
    roots : bool, default=True
        Whether the root counts as the tag of a head.

    Returns
    -------
    ambiguity : float

    Examples
    --------
    The two sentences of the paper's Figure 4.

    >>> import numpy as np
    >>> from treatise.sequence import dependency_ambiguity
    >>> first = np.array([[0, 0.3, 0.7, 0], [0, 0, 0, 0], [0.4, 0.6, 0, 0]])
    >>> second = np.array([[0, 0.4, 0.6, 0], [0.5, 0, 0.5, 0], [0, 0, 0, 0]])
    >>> sentences = [["N", "V", "V"], ["A", "N", "V"]]
    >>> round(dependency_ambiguity([first, second], sentences, roots=False), 6)
    3.2
    >>> round(dependency_ambiguity([first, second], sentences, symmetric=False, roots=False), 6)
    3.5

    References
    ----------
    .. [1] Paper v12-0455, section 4.1, equation 3.
    """
    observed = tags_of(sentences)
    tags, codes = np.unique(observed.values, return_inverse=True)
    corpus = Corpus(codes, observed.lengths)
    if len(heads) != len(corpus):
        raise ValueError(f"{len(heads)} tables of heads do not belong to {len(corpus)} sentences")
    for s, (table, n) in enumerate(zip(heads, corpus.lengths)):
        if np.shape(table) != (n, n + 1):
            raise ValueError(
                f"heads[{s}] has the shape {np.shape(table)}; for a sentence of {n} words it is {(n, n + 1)}"
            )
    edges = np.concatenate([np.asarray(table, np.float64).ravel() for table in heads])
    return float(corpus.features(len(tags), symmetric, roots).largest(edges).sum())


def checked_heads(heads, name):
    """Heads as an array, refused where they make no tree."""
    found = np.asarray(heads)
    if found.ndim != 1 or found.dtype.kind not in "iu" or not len(found):
        raise ValueError(f"{name} must be whole numbers, a head for each word; it is {heads!r}")
    n = len(found)
    if (found < -1).any() or (found >= n).any():
        wrong = int(found[(found < -1) | (found >= n)][0])
        raise ValueError(
            f"{name} holds the head {wrong}; heads of {n} words are from 0 to {n - 1}, and -1 for the root"
        )
    if (found == -1).sum() != 1:
        raise ValueError(f"{name} has {(found == -1).sum()} roots (heads of -1); a tree has one")
    above = found.astype(np.int64)
    for _ in range(n.bit_length()):  # twice as far up each time: within n steps every word is at the root
        above = np.where(above >= 0, above[above], -1)
    if (above >= 0).any():
        raise ValueError(f"{name} goes in a circle at word {int(np.argmax(above >= 0))}; it is no tree")
    return found.astype(np.int64)
