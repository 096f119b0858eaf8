"""The objectives of paper v15-0367, their gradients by signed responsibilities, and their maximiser."""

from typing import Any, NamedTuple

import numpy as np

from treatise.optimize import LBFGSState, minimize_lbfgs
from treatise.semisupervised.generative._densities import Density, Sums

OBJECTIVES = ("unbiased", "biased", "supervised")
BLOCK = 1 << 12
"""Rows that are looked at together: their responsibilities stay within the processor's cache."""


class Weights(NamedTuple):
    """What log P(y|x) and log P(x) of a labelled row count, and log P(x) of an unlabelled one."""

    conditional: float
    labelled: float
    unlabelled: float


def weights_of(objective: str, n_labelled: int, n_unlabelled: int) -> Weights:
    """The weights of Equations 20 (unbiased), 3 (biased) and 1 (supervised)."""
    share = n_labelled / (n_labelled + n_unlabelled)
    if objective == "unbiased":
        return Weights(1.0, share, share)
    return Weights(1.0, 1.0, 1.0 if objective == "biased" else 0.0)


class Objective:
    """A weighted log likelihood of labelled and unlabelled rows, and the log prior of the density's parameters.

    Parameters
    ----------
    density : Density
        Of the classes.
    X, codes : ndarray or CSR matrix, and ndarray of int
        Labelled rows and their classes.
    unlabelled : ndarray or CSR matrix
        The other rows.
    weights : Weights
        What each kind of row counts.
    """

    def __init__(self, density: Density, X: Any, codes: np.ndarray, unlabelled: Any, weights: Weights) -> None:
        self.density, self.X, self.codes, self.weights = density, X, codes, weights
        self.unlabelled = unlabelled if weights.unlabelled else unlabelled[:0]

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient; theta has the log shares of the classes, then the parameters of the density."""
        k = self.density.k
        value, slope = self.density.penalty(theta[k:])
        added: list[np.ndarray] = []
        for first in range(0, self.X.shape[0], BLOCK):
            rows = self.X[first : first + BLOCK]
            part, signed = self._labelled(log_joint(self.density, theta, rows), self.codes[first : first + BLOCK])
            value += part
            added = _add(added, self.density.sums(rows, signed))
        for first in range(0, self.unlabelled.shape[0], BLOCK):
            rows = self.unlabelled[first : first + BLOCK]
            marginal, responsibilities = _posterior(log_joint(self.density, theta, rows))
            value += self.weights.unlabelled * float(marginal.sum())
            added = _add(added, self.density.sums(rows, self.weights.unlabelled * responsibilities))
        by_share = added[0] - added[0].sum() * np.exp(log_shares(theta[:k]))
        return value, np.concatenate([by_share, slope + self.density.gradient(theta[k:], tuple(added))])

    def _labelled(self, joint: np.ndarray, codes: np.ndarray) -> tuple[float, np.ndarray]:
        """Value of labelled rows, and their signed responsibilities, the weights of the slopes of log P(x, class)."""
        rows = np.arange(len(codes))
        excess = self.weights.labelled - self.weights.conditional
        marginal, signed = _posterior(joint)
        value = self.weights.conditional * joint[rows, codes].sum() + excess * marginal.sum()
        signed *= excess
        signed[rows, codes] += self.weights.conditional
        return float(value), signed

    def supervised(self, smoothing: float | None = None) -> np.ndarray:
        """The parameters that fit the labelled rows best, by the density's own smoothing or another."""
        sums = self.density.sums(self.X, np.eye(self.density.k)[self.codes])
        own = self.density.smoothing if smoothing is None else smoothing
        return np.concatenate([np.log(sums[0] / len(self.codes)), self.density.start(sums, own)])

    def start(self) -> np.ndarray:
        """The supervised fit, or a smoother one where that is better: a few labels may give variances near zero."""
        own, smooth = self.supervised(), self.supervised(max(self.density.smoothing, 1.0))
        return own if self(own)[0] >= self(smooth)[0] else smooth

    def maximise(self, max_iter: int, tol: float, start: np.ndarray | None = None) -> tuple[np.ndarray, LBFGSState]:
        """Climb, from the supervised fit if no start is given; gives the parameters, and how the climb ended.

        Value and slope of the end are those of the loss for a labelled row.
        """
        start, k = self.start() if start is None else start, self.density.k

        def moved(step: np.ndarray) -> np.ndarray:
            return np.concatenate([start[:k] + step[:k], self.density.moved(start[k:], step[k:])])

        def loss(step: np.ndarray) -> tuple[float, np.ndarray]:
            # A step that is far too long overflows, and is taken back.
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                value, slope = self(moved(step))
                by_step = np.concatenate([slope[:k], self.density.slope_of_step(start[k:], slope[k:])])
            return -value / len(self.codes), -by_step / len(self.codes)

        # Signed weights give a likelihood of any curvature; that of the supervised one is its size.
        shares = np.exp(log_shares(start[:k]))
        diagonal = np.concatenate([shares, self.density.curvature(start[k:], shares)])
        rest = np.zeros(len(start))
        end = minimize_lbfgs(loss, rest, diagonal=diagonal, max_iter=max_iter, gradient_tolerance=tol)
        return moved(end.w), end


def log_shares(scores: np.ndarray) -> np.ndarray:
    """Scores less the logarithm of the sum of their exponentials; for a few numbers, many times."""
    shifted = scores - scores.max()
    return shifted - np.log(np.exp(shifted).sum())


def log_joint(density: Density, theta: np.ndarray, X: Any) -> np.ndarray:
    """log P(x, class) of rows, of shape (n, k)."""
    return density.log_density(theta[density.k :], X) + log_shares(theta[: density.k])


def _add(added: list[np.ndarray], sums: Sums) -> list[np.ndarray]:
    return [one + other for one, other in zip(added, sums, strict=True)] if added else list(sums)


def _posterior(joint: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log P(x), and P(class | x)."""
    top = joint.max(axis=1, keepdims=True)
    shares = np.exp(joint - top)
    total = shares.sum(axis=1, keepdims=True)
    shares /= total
    return (top + np.log(total))[:, 0], shares
