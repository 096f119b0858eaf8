"""Empirical risk minimisation with differential privacy: Algorithms 1 and 2 on rows of norm at most one."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from treatise.linear.private._newton import minimise
from treatise.linear.private.mechanisms import Perturbation, perturbation, vector_laplace
from treatise.optimize import HuberHingeLoss, LogisticLoss, Loss, SmoothHingeLoss


def private_loss(name: str, h: float = 0.5) -> Loss:
    """The losses for which privacy is proven, of slope at most 1: logistic, and hinges with a rounded corner."""
    return LogisticLoss() if name == "logistic" else {"huber": HuberHingeLoss, "smooth_hinge": SmoothHingeLoss}[name](h)


@dataclass(frozen=True)
class PrivateERM:
    """A loss, a penalty and a mechanism: everything but the data."""

    loss: Loss
    mechanism: str
    epsilon: float
    alpha: float

    def plan(self, n_samples: int) -> Perturbation:
        """The noise and the further penalty for so many rows."""
        return perturbation(self.mechanism, self.epsilon, n_samples, self.alpha, self.loss.curvature_bound)

    def releases(self, signed_rows, count: int, random_state) -> Iterator[np.ndarray]:
        """Weights drawn independently of one another; each of them costs epsilon.

        Rows have norm at most one and are multiplied by their label, -1 or 1: the losses see nothing else.
        """
        n, p = signed_rows.shape
        plan, zero = self.plan(n), np.zeros(p)
        penalty = self.alpha + plan.extra_penalty
        noises = vector_laplace(p, plan.noise_rate, size=count, random_state=random_state)
        if self.mechanism == "output":
            yield from minimise(signed_rows, self.loss, penalty, zero, zero) + noises
            return
        for noise in noises:
            yield minimise(signed_rows, self.loss, penalty, noise / n, zero)


def sign_rows(rows, signs: np.ndarray):
    """Rows times their labels; dense ones are changed in place."""
    if sparse.issparse(rows):
        signed = sparse.csr_matrix(sparse.diags(signs) @ rows)
        signed.sort_indices()
        return signed
    rows *= signs[:, None]
    return rows


def bound_rows(X, data_norm: float, norm_excess: str):
    """Rows divided by ``data_norm``; those that are longer are cut to norm one, or refused."""
    norms = np.sqrt(
        np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
    )
    # A few roundings of slack: rows that were divided by their norm may exceed one by an ulp.
    long = norms > data_norm * (1.0 + 1e-12)
    if norm_excess == "raise" and long.any():
        raise ValueError(
            f"{np.count_nonzero(long)} of {len(norms)} rows have a norm above data_norm={data_norm:g}. Set data_norm "
            "from what is known of the features without a look at the data, or norm_excess='clip' to shorten such rows"
        )
    scale = 1.0 / np.maximum(data_norm, norms)
    if sparse.issparse(X):
        return sparse.csr_matrix(sparse.diags(scale) @ X)
    return X * scale[:, None]


def append_constant(rows):
    """Rows with a constant feature, all divided by the square root of two so that their norm stays at most one."""
    ones = np.ones((rows.shape[0], 1))
    if sparse.issparse(rows):
        return sparse.csr_matrix(sparse.hstack([rows, sparse.csr_matrix(ones)])) * np.sqrt(0.5)
    return np.hstack([rows, ones]) * np.sqrt(0.5)
