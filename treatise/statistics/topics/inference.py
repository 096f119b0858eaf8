"""Topics of new documents where the words of the topics are known."""

import numpy as np

from treatise.statistics.topics._loops import infer_documents
from treatise.statistics.topics.sampler import document_blocks
from treatise.statistics.topics.tokens import Tokens


def infer_shares(
    tokens: Tokens, word_shares: np.ndarray, alpha: float, *, n_burn: int = 20, n_samples: int = 10, seed: int = 0
) -> np.ndarray:
    """Mean share of each topic in documents, over samples of a Gibbs sampler with the topics' words fixed.

    The answer for a document depends on the seed and on its own words alone: not on its place nor on the others.

    Parameters
    ----------
    tokens : Tokens
        The documents.
    word_shares : ndarray of shape (n_topics, n_words)
        Probability of each word in each topic.
    alpha : float
        Dirichlet parameter of a document's topics, the same for each.
    n_burn, n_samples : int
        Sweeps before the first sample, and samples after that, one a sweep.
    seed : int, default=0
        Of the random numbers.

    Returns
    -------
    shares : ndarray of shape (n_documents, n_topics)
        A document without tokens has equal shares, those of the prior.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.topics import infer_shares, tokens_of, whole_counts
    >>> apart = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    >>> infer_shares(tokens_of(whole_counts(np.array([[1, 2, 0, 1], [0, 0, 0, 0]]))), apart, 0.1)
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    shares = np.zeros((tokens.n_documents, len(word_shares)))
    # Ratios count: the largest of each word becomes one, so that single numbers hold what is rare everywhere.
    largest = word_shares.max(axis=0)
    given = np.ascontiguousarray((word_shares / np.where(largest > 0, largest, 1.0)).T, dtype=np.float32)
    given[largest <= 0] = 1.0
    for first, last in document_blocks(tokens.starts):
        infer_documents(
            np.uint64(seed), first, last, tokens.starts, tokens.words, given, alpha, n_burn, n_samples, shares
        )
    return shares
