"""Penalised negative log-likelihood of chains over their weights, its quadratic bound, and parts of the sequences."""

from copy import copy

import numpy as np

from treatise.inference import ChainBound, Chains
from treatise.sequence.crf import _loops as loops
from treatise.sequence.crf._emissions import DenseEmissions


class ChainLikelihood:
    """Objective of a conditional random field of order 1: weights of attributes, then of pairs of labels.

    Parameters
    ----------
    emissions : SparseEmissions, DenseEmissions or SparseBatch
        Attributes of the positions.
    codes : ndarray of shape (T,)
        Labels of the positions.
    lengths : ndarray of shape (n,)
        Lengths of the sequences.
    pairs : ndarray of shape (M, 2)
        Pairs of labels that have a weight.
    l2 : float
        Factor of half the squared weights.
    """

    def __init__(self, emissions, codes, lengths, pairs, l2):
        self.emissions, self.codes, self.lengths, self.l2 = emissions, codes, lengths, l2
        self.pairs = pairs
        self.n_labels = emissions.shape[1]
        self.n_weights = emissions.n_weights + len(pairs)
        K = self.n_labels
        inner = np.ones(len(codes), bool)
        inner[np.cumsum(lengths) - lengths] = False
        to = np.flatnonzero(inner)
        moves = np.bincount(codes[to - 1] * K + codes[to], minlength=K * K).reshape(K, K)
        self.seen = self._gathered(np.eye(K)[codes], moves)

    def _gathered(self, nodes, moves):
        """Sums over positions and moves, as one vector over the weights."""
        return np.concatenate([self.emissions.expectations(nodes), moves[self.pairs[:, 0], self.pairs[:, 1]]])

    def _scores(self, w):
        moves = np.zeros((self.n_labels,) * 2)
        moves[self.pairs[:, 0], self.pairs[:, 1]] = w[self.emissions.n_weights :]
        return self.emissions.scores(w[: self.emissions.n_weights]), moves

    def objective(self, w):
        """The value and the gradient."""
        found = Chains(*self._scores(w), lengths=self.lengths).marginals()
        value = found.log_partition.sum() - self.seen @ w + 0.5 * self.l2 * (w @ w)
        return float(value), self._gathered(found.nodes, found.pairs) - self.seen + self.l2 * w

    def curvature(self, w, scale=1.0):
        """That of the quadratic bound made at ``w``, the penalty left out."""
        return WeightCurvature(self, ChainBound(Chains(*self._scores(w), lengths=self.lengths)), scale)

    def squares(self, nodes=None):
        """Sum over positions of squared attribute times a number of its label (1), for each weight of an attribute."""
        if nodes is None:
            nodes = np.ones((len(self.codes), self.n_labels))
        return _squared(self.emissions).expectations(nodes)

    def of_labels(self, numbers):
        """Of each weight of an attribute the number of its label."""
        if isinstance(self.emissions, DenseEmissions):
            return np.tile(numbers, self.emissions.shape[0])
        return numbers[self.emissions.label]


class WeightCurvature:
    """Curvature of the bound on chains, over weights: products with vectors, no matrix.

    Parameters
    ----------
    likelihood : ChainLikelihood
        The model.
    bound : ChainBound
        The bound over scores.
    scale : float
        What to multiply it by.

    Attributes
    ----------
    springs : ndarray of shape (T, K)
        Curvature of each score by itself.
    diagonal : ndarray
        About that of each weight by itself.
    """

    def __init__(self, likelihood, bound, scale):
        self._likelihood, self._bound = likelihood, bound
        nodes, moves = bound.diagonal()
        pairs = likelihood.pairs
        self.springs = nodes
        self._scale = scale
        self.diagonal = scale * np.concatenate([likelihood.squares(nodes), moves[pairs[:, 0], pairs[:, 1]]])

    def product(self, direction):
        """The curvature times a vector of weights."""
        return self._scale * self._likelihood._gathered(*self._bound.product(*self._likelihood._scores(direction)))


class SparseBatch:
    """Attributes of some positions, with the weights of all.

    Parameters
    ----------
    whole : SparseEmissions
        Those of all positions.
    positions : ndarray of int
        Which.
    """

    def __init__(self, whole, positions):
        self.rows = whole.rows[positions]
        self.start, self.label, self.shape, self.n_weights = whole.start, whole.label, whole.shape, whole.n_weights

    def scores(self, weights):
        """Scores of shape (T, K)."""
        rows, found = self.rows, np.empty((self.rows.shape[0], self.shape[1]))
        loops.state_scores(0, len(found), rows.indptr, rows.indices, rows.data, self.start, self.label, weights, found)
        return found

    def expectations(self, nodes):
        """Sum over positions of attribute times probability of the label, for each weight."""
        rows, found = self.rows, np.empty(self.n_weights)
        loops.scattered_expectations(
            rows.indptr, rows.indices, rows.data, self.start, self.label, np.ascontiguousarray(nodes, float), found
        )
        return found


def batch_of(likelihood, sequences):
    """The likelihood of some sequences, with their share of the penalty."""
    offsets = np.concatenate([[0], np.cumsum(likelihood.lengths)])
    positions = np.concatenate([np.arange(offsets[s], offsets[s + 1]) for s in sequences])
    whole = likelihood.emissions
    if isinstance(whole, DenseEmissions):
        emissions = DenseEmissions(whole.rows[positions], likelihood.n_labels)
    else:
        emissions = SparseBatch(whole, positions)
    share = likelihood.l2 * len(sequences) / len(likelihood.lengths)
    return ChainLikelihood(
        emissions, likelihood.codes[positions], likelihood.lengths[sequences], likelihood.pairs, share
    )


def _squared(emissions):
    twin = copy(emissions)
    if isinstance(emissions, DenseEmissions):
        twin.rows = emissions.rows**2
    elif isinstance(emissions, SparseBatch):
        twin.rows = emissions.rows.power(2)
    else:
        twin.columns = emissions.columns.power(2)
    return twin
