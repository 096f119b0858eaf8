"""Collapsed Gibbs sampling of topics: the state of a chain over the topics of all tokens."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from treatise.statistics.topics._loops import sweep_documents
from treatise.statistics.topics.tokens import Tokens

BLOCK = 2**19
"""Tokens between two looks at the interpreter, about a tenth of a second: an interrupt waits no longer."""


class ScoreFactor(NamedTuple):
    """A factor of each document that favours topics by linear scores of its mean topic.

    With the score s_i the mean of row i of ``weights`` over the topics of the document's tokens, the factor is the
    product over i of exp(pull_i s_i - precision_i s_i^2 / 2): what a Gaussian, or a scale mixture of Gaussians given
    its scales, says of a response.
    """

    weights: np.ndarray
    """(n_scores, n_topics)."""
    pull: np.ndarray
    """(n_documents, n_scores)."""
    precision: np.ndarray
    """(n_documents, n_scores), not negative."""

    @classmethod
    def none(cls, n_documents: int, n_topics: int) -> "ScoreFactor":
        """No factor: plain latent Dirichlet allocation."""
        return cls(np.zeros((0, n_topics)), np.zeros((n_documents, 0)), np.zeros((n_documents, 0)))


class CollapsedTopics:
    """Topics of all tokens under latent Dirichlet allocation, with the Dirichlet variables integrated out.

    Parameters
    ----------
    tokens : Tokens
        The documents.
    n_topics : int
        Number of topics.
    alpha : float
        Dirichlet parameter of a document's topics, the same for each topic.
    beta : float
        Dirichlet parameter of a topic's words, the same for each word.
    rng : numpy.random.Generator
        Where the first topics come from, uniform draws, and all later ones.

    Attributes
    ----------
    topics : ndarray of int32 of shape (n_tokens,)
        Topic of each token.
    doc_topic : ndarray of int32 of shape (n_documents, n_topics)
        Tokens of each topic in each document.
    word_topic : ndarray of int32 of shape (n_words, n_topics)
        How often each word has each topic.
    totals : ndarray of int64 of shape (n_topics,)
        Tokens of each topic.

    Notes
    -----
    A sweep costs n_tokens n_topics; weights of topics are single numbers, exact to one part in a million.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics.topics import CollapsedTopics, tokens_of, whole_counts
    >>> counts = np.kron(np.eye(2, dtype=int), np.full((20, 5), 4))  # two subjects with words of their own
    >>> state = CollapsedTopics(tokens_of(whole_counts(counts)), 2, 0.5, 0.01, np.random.default_rng(0))
    >>> for _ in range(20):
    ...     state.sweep()
    >>> bool((state.shares().max(axis=1) == 1.0).all())
    True
    """

    def __init__(self, tokens: Tokens, n_topics: int, alpha: float, beta: float, rng: np.random.Generator) -> None:
        self.tokens, self.n_topics, self.alpha, self.beta, self.rng = tokens, n_topics, alpha, beta, rng
        self.set_topics(rng.integers(0, n_topics, len(tokens.words), dtype=np.int32))

    def set_topics(self, topics: np.ndarray) -> None:
        """Go on from given topics of the tokens."""
        tokens, size = self.tokens, self.n_topics
        documents = np.repeat(np.arange(tokens.n_documents), tokens.lengths)
        self.topics = topics.astype(np.int32)
        self.doc_topic = _counted(documents, self.topics, tokens.n_documents, size)
        self.word_topic = _counted(tokens.words, self.topics, tokens.n_words, size)
        self.totals = np.bincount(self.topics, minlength=size).astype(np.int64)

    def sweep(self, factor: ScoreFactor | None = None) -> None:
        """Draw the topic of every token anew, document by document, given all other topics and the factor."""
        tokens = self.tokens
        weights, pull, precision = factor or ScoreFactor.none(tokens.n_documents, self.n_topics)
        for first, last in document_blocks(tokens.starts):
            sweep_documents(
                self.rng, first, last, tokens.starts, tokens.words, self.topics, self.doc_topic, self.word_topic,
                self.totals, self.alpha, self.beta, weights, pull, precision,
            )  # fmt: skip

    def shares(self) -> np.ndarray:
        """Share of each topic among the tokens of each document; none in a document without tokens."""
        return self.doc_topic / np.maximum(self.tokens.lengths, 1)[:, np.newaxis]

    def word_shares(self) -> np.ndarray:
        """Posterior mean of the words' probabilities in each topic, (n_topics, n_words)."""
        return (self.word_topic.T + self.beta) / (self.totals + self.tokens.n_words * self.beta)[:, np.newaxis]

    def log_joint(self) -> float:
        """Log probability of the words and their topics."""
        n_topics, n_words = self.n_topics, self.tokens.n_words
        found = 0.0
        for counts, prior, width in ((self.doc_topic, self.alpha, n_topics), (self.word_topic.T, self.beta, n_words)):
            each = gammaln(counts + prior).sum(axis=1) - width * gammaln(prior)
            found += float(np.sum(each - gammaln(counts.sum(axis=1) + width * prior) + gammaln(width * prior)))
        return found


def document_blocks(starts: np.ndarray) -> list[tuple[int, int]]:
    """Runs of documents, of about a tenth of a second each."""
    places = np.arange(BLOCK, starts[-1], BLOCK) if starts[-1] > BLOCK else np.empty(0, np.int64)
    cuts = np.unique(np.concatenate([[0], np.searchsorted(starts, places), [len(starts) - 1]]))
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist()))


def _counted(rows: np.ndarray, topics: np.ndarray, n_rows: int, n_topics: int) -> np.ndarray:
    """How often each row has each topic."""
    found = np.zeros((n_rows, n_topics), dtype=np.int32)
    np.add.at(found, (rows, topics), 1)
    return found
