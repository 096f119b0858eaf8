"""A chain of the sampler: weights of the topics, topics of the tokens, scales of the losses, by turns."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from treatise.bayes.gibbs_medlda._loops import add_moments
from treatise.statistics.topics import CollapsedTopics, ScoreFactor


class Chain:
    """State of Algorithm 1, 2 or 3, by the loss that it is given.

    Parameters
    ----------
    tokens : Tokens
        The documents, each with a token at least.
    loss : HingeLoss or InsensitiveLoss
        What is said of their labels.
    n_topics : int
        Number of topics.
    alpha, beta : float
        Dirichlet parameters of one topic in a document and of one word in a topic.
    prior_var : float
        Variance of the weights a priori.
    rng : numpy.random.Generator
        Random numbers.
    """

    def __init__(self, tokens, loss, n_topics, alpha, beta, prior_var, rng):
        self.loss, self.prior_var, self.rng = loss, prior_var, rng
        self.topics = CollapsedTopics(tokens, n_topics, alpha, beta, rng)
        self.lengths = tokens.lengths.astype(float)
        self.weights = np.zeros((loss.gaussian()[0].shape[1], n_topics))
        self.word_shares = np.zeros((n_topics, tokens.n_words))
        self.n_kept = 0
        self.losses = []

    def sweep(self, n_sweeps):
        """Draw everything once, so many times."""
        for _ in range(n_sweeps):
            pull, precision = self.loss.gaussian()
            self.weights = self._draw_weights(pull, precision)
            self.topics.sweep(ScoreFactor(self.weights, pull, precision))
            scores = self.scores()
            self.loss.draw_scales(self.rng, scores)
            self.losses.append(self.loss.of(scores))

    def scores(self):
        """Scores of the documents by their present topics, (n_documents, n_scores)."""
        return (self.topics.doc_topic @ self.weights.T) / self.lengths[:, np.newaxis]

    def draw(self):
        """The weights; the words of the topics, which are large, are added up here."""
        self.word_shares += self.topics.word_shares()
        self.n_kept += 1
        return {"weights": self.weights}

    def _draw_weights(self, pull, precision):
        """A draw of the weights given all else, normal for each task (equations 10, 17 and 22)."""
        n_topics, n_scores = self.topics.n_topics, pull.shape[1]
        squares, sums = np.zeros((n_topics, n_topics, n_scores)), np.zeros((n_topics, n_scores))
        add_moments(self.topics.doc_topic, self.lengths, pull, precision, squares, sums)
        drawn = np.empty((n_scores, n_topics))
        for t in range(n_scores):
            factor = cholesky(squares[:, :, t] + np.eye(n_topics) / self.prior_var, lower=True, check_finite=False)
            mean = solve_triangular(factor, sums[:, t], lower=True, check_finite=False)
            noise = self.rng.standard_normal(n_topics)
            drawn[t] = solve_triangular(factor, mean + noise, lower=True, trans=1, check_finite=False)
        return drawn
