"""Rows of sources that are smooth functions: Gaussian-process priors (Sections 3.4, 3.5 and A.3 of JMLR 12:863)."""

import numpy as np
from scipy.linalg import cho_solve, cholesky

from treatise.bayesnet.slim._loops import (
    SPARSE,
    draw_missing,
    draw_noise,
    evidence_for,
    refresh_products,
)
from treatise.bayesnet.slim._model import PRIOR
from treatise.bayesnet.slim._sweep_loops import draw_links, draw_signals
from treatise.bayesnet.slim.sampler import Chain

SCALE_SHAPE, RATE_SHAPE, RATE_RATE = 2.0, 2.0, 0.02
"""u_s, k_s and k_r of Equation 9."""

NUGGET = 1e-6
"""Variance added to each value of a smooth row, so that its covariance has an inverse."""


def covariance(inputs, others, decay):
    """exp(-decay (x - x')^2) between two sets of inputs."""
    return np.exp(-decay * np.subtract.outer(inputs, others) ** 2)


class SmoothRow:
    """One row of sources with the covariance exp(-decay (t - t')^2) over its inputs.

    What the data say of the row is exp(total y - own y'y / 2), as :func:`evidence_for` gives it. All draws are made
    from Cholesky factors, which unlike eigenvectors change little where the inputs do.
    """

    def __init__(self, inputs, decay):
        self.inputs = inputs
        self._set(decay, self.covariance_at(decay))

    def _set(self, decay, K):
        self.decay, self._K = decay, K
        self._root = cholesky(K, lower=True, check_finite=False)

    def covariance_at(self, decay):
        K = covariance(self.inputs, self.inputs, decay)
        K[np.diag_indices_from(K)] += NUGGET
        return K

    @staticmethod
    def log_evidence(K, own, total):
        """log of the integral of exp(total y - own y'y / 2) over a row of covariance K; and the factor of own K + I."""
        inner = own * K
        inner[np.diag_indices_from(inner)] += 1.0
        factor = cholesky(inner, lower=True, check_finite=False)
        smooth = K @ total
        solved = cho_solve((factor, True), smooth, check_finite=False)
        return 0.5 * (total @ smooth - own * (smooth @ solved)) - np.sum(np.log(np.diag(factor))), factor

    def update(self, own, total, proposed, rng):
        """Decay and row given the data: an independence Metropolis step for the decay, then the row.

        The paper holds the row fixed while the decay moves; given its values a smooth row all but determines its decay.
        Here the row is integrated out of the ratio, so that both move together in the same posterior.
        """
        now, factor = self.log_evidence(self._K, own, total)
        K = self.covariance_at(proposed)
        then, new_factor = self.log_evidence(K, own, total)
        if np.log1p(-rng.random()) <= then - now:
            self._set(proposed, K)
            factor = new_factor
        return self._draw(own, total, factor, rng)

    def _draw(self, own, total, factor, rng):
        """The row given the data, V = (own I + K^-1)^-1: a draw of the prior, moved by what it misses of the data."""
        prior, noise = self._root @ rng.standard_normal(len(total)), rng.standard_normal(len(total))
        missed = total - own * prior - own**0.5 * noise
        return prior + self._K @ cho_solve((factor, True), missed, check_finite=False)

    def prior_square(self, row):
        """The square y' K^-1 y of a row's prior density."""
        return row @ self.solve(row)

    def solve(self, right):
        """K^-1 times a vector or a matrix."""
        return cho_solve((self._root, True), right, check_finite=False)


class SmoothChain(Chain):
    """A chain in which some regressors are smooth rows; the others, if any, are heavy-tailed sources.

    Parameters
    ----------
    inputs : dict
        For the number of each smooth regressor, its inputs.
    """

    def __init__(self, model, X, missing, truth, plan, rng, *, inputs):
        super().__init__(model, X, missing, truth, plan, rng)
        self.rate = RATE_SHAPE / RATE_RATE
        self.rows = {j: SmoothRow(each, SCALE_SHAPE / self.rate) for j, each in inputs.items()}
        # Smooth regressors that stand where a DAG's parents do leave the driving signals as the only sources.
        self._has_sources = model.n_observed > 0
        if self._has_sources:
            # An edge that starts absent would stay so until its function came to fit by chance.
            self.state.W[:, list(inputs)] = np.where(model.role[:, list(inputs)] == SPARSE, 0.5, 0.0)

    def sweep(self, n_sweeps):
        rng, state = self.rng, self.state
        total = np.empty(state.X.shape[1])
        for _ in range(n_sweeps):
            if self._has_sources:
                draw_signals(rng, PRIOR, state)
            else:
                draw_noise(rng, PRIOR, state)
            for j, row in self.rows.items():
                own = evidence_for(state, j, total)
                state.F[j] = row.update(own, total, rng.gamma(SCALE_SHAPE, 1 / self.rate), rng)
                self._exchange_magnitude(j, row)
            decays = sum(row.decay for row in self.rows.values())
            self.rate = rng.gamma(RATE_SHAPE + SCALE_SHAPE * len(self.rows), 1 / (RATE_RATE + decays))
            if len(state.missing):
                draw_missing(rng, state)
            else:
                refresh_products(state)
            draw_links(rng, PRIOR, state)

    def _exchange_magnitude(self, j, row):
        """A factor between row and loadings, as for heavy-tailed sources (:func:`draw_magnitudes`)."""
        state = self.state
        slab = np.flatnonzero(state.W[:, j])
        if len(slab):
            shape = 0.5 * len(state.F[j]) + PRIOR.slab_shape * len(slab)
            rate = 0.5 * row.prior_square(state.F[j]) + PRIOR.slab_rate * np.sum(1.0 / state.tau[slab, j])
            square = self.rng.gamma(shape, 1.0 / rate)
            state.F[j] *= square**0.5
            state.W[slab, j] /= square**0.5
            state.tau[slab, j] /= square

    def draw(self):
        rows = self.rows
        return {
            **super().draw(), "smooth": self.state.F[list(rows)], "decays": [each.decay for each in rows.values()]
        }  # fmt: skip


def continued(values, inputs, new_inputs, decay):
    """Mean and variance of a smooth row at new inputs, given its values at its own."""
    row = SmoothRow(inputs, decay)
    cross = covariance(new_inputs, inputs, decay)
    solved = row.solve(cross.T)
    return values @ solved, np.maximum(1.0 - np.einsum("ij,ji->i", cross, solved), 0.0)
