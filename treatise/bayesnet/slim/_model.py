"""What a chain samples: a factor model or a DAG as roles of weights and kinds of sources, and where it starts."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv
from scipy.stats import qmc

from treatise.bayesnet.slim._loops import (
    ABSENT,
    ACTIVE,
    FIXED,
    LAPLACE,
    SPARSE,
    STUDENT,
    Prior,
    State,
    refresh_products,
)

PRIOR = Prior(noise_shape=20.0, noise_rate=1.0, slab_shape=2.0, slab_rate=1.0, link_mean=0.95, column_precision=100.0)
"""The paper's hyperparameters (Section 3), for variables of unit variance."""

UNIT_VARIANCE = 2.0**0.5
"""Rate of a Laplace distribution of unit variance."""


@dataclass(frozen=True)
class LinearModel:
    """Roles of the weights (d, K), the given ones, prior rate of links by column (K,), and the m sources' tails."""

    role: np.ndarray
    given: np.ndarray
    column_mean: np.ndarray
    kind: np.ndarray
    tail: np.ndarray

    @property
    def n_sources(self):
        return len(self.kind)

    @property
    def n_observed(self):
        """Number of regressors that are variables themselves."""
        return self.role.shape[1] - len(self.kind)

    def prior_scales(self, n_points, seed):
        """Points (n_points, m) that stand for the prior of the sources' variances: a scrambled Sobol sequence.

        The paper draws them at random; spread evenly, as many give several times smaller errors.
        """
        uniform = qmc.Sobol(self.n_sources, scramble=True, rng=seed).random(n_points)
        uniform = np.clip(uniform, 1e-12, 1.0 - 1e-12)
        laplace = -2.0 * np.log1p(-uniform) / self.tail**2
        half = np.where(self.kind == STUDENT, 0.5 * self.tail, 1.0)
        student = half / np.maximum(gammaincinv(half, uniform), 1e-300)
        return np.where(self.kind == LAPLACE, laplace, student)

    def start(self, X, missing, rng):
        """A chain's state before its first sweep; ``X`` is (d, N), with zeros in the cells listed in ``missing``."""
        d, K = self.role.shape
        m, N = self.n_sources, X.shape[1]
        F = rng.laplace(size=(K, N))
        W = np.where(self.role == FIXED, self.given, 0.0)
        hidden = slice(0, K)
        if self.n_observed:
            F[:d] = F[d : 2 * d] = X
            W[self.role == ACTIVE] = 1.0
            hidden = slice(2 * d, K)
        # Factors and hidden causes: whitened data in a random rotation. Each chain starts with all of the covariance
        # and none of the axes; from noise, weights in the spike would hardly ever leave it.
        _, _, principal = np.linalg.svd(X, full_matrices=False)
        rank = min(d, N, K - hidden.start)
        rotation, _ = np.linalg.qr(rng.standard_normal((len(principal), len(principal))))
        F[hidden][:rank] = (rotation @ principal)[:rank] * N**0.5
        W[:, hidden] = np.where(self.role[:, hidden] == SPARSE, X @ F[hidden].T / N, 0.0)
        state = State(
            X=X.copy(), F=F, precision=np.ones((m, N)), W=W, tau=np.ones((d, K)),
            linked=(self.role != ABSENT).astype(np.int8), nu=self.column_mean.copy(), psi=np.full(d, 0.1),
            role=self.role, column_mean=self.column_mean, kind=self.kind, tail=self.tail,
            XX=np.empty(d), XF=np.empty((d, K)), FF=np.empty((K, K)),
            row_rank=rng.permutation(d), column_rank=rng.permutation(K), missing=missing,
        )  # fmt: skip
        refresh_products(state)
        return state


def factor_model(n_variables, n_factors, latent, dof, column_mean, allowed=None):
    """Factors with loadings in spike and slab, or only those ``allowed``."""
    shape = (n_variables, n_factors)
    role = np.full(shape, SPARSE, np.int8) if allowed is None else np.where(allowed, SPARSE, ABSENT).astype(np.int8)
    kind = np.full(n_factors, LAPLACE if latent == "laplace" else STUDENT)
    tail = np.full(n_factors, 1.0 if latent == "laplace" else float(dof))
    return LinearModel(role, np.zeros(shape), np.full(n_factors, float(column_mean)), kind, tail)


def dag_model(order, n_latent, column_mean, driving=None, dof=1.0):
    """A DAG with edges along ``order``, a driving signal for each variable and shared latent variables.

    Driving signals are Laplace of unit variance and never absent; ``driving`` fixes their loadings. Latent variables
    have Student tails: with the same as the driving signals they could change places (Section 2.1).
    """
    d = len(order)
    rank = np.empty(d, np.int64)
    rank[np.asarray(order)] = np.arange(d)
    role = np.full((d, 2 * d + n_latent), ABSENT, np.int8)
    role[:, :d][rank[:, np.newaxis] > rank] = SPARSE
    given = np.zeros(role.shape)
    variables = np.arange(d)
    role[variables, d + variables] = ACTIVE if driving is None else FIXED
    given[variables, d + variables] = 1.0 if driving is None else driving
    role[:, 2 * d :] = SPARSE
    kind, tail = np.full(d + n_latent, LAPLACE), np.full(d + n_latent, UNIT_VARIANCE)
    kind[d:], tail[d:] = STUDENT, dof
    return LinearModel(role, given, np.full(role.shape[1], float(column_mean)), kind, tail)
