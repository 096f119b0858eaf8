"""Elliptical slice sampling against its own model."""

import numpy as np
import pytest

from treatise.statistics import EllipticalSlice, geweke_joint_test


def test_elliptical_slices_keep_the_posterior_by_the_joint_test():
    root = np.linalg.cholesky(np.array([[1.0, 0.6], [0.6, 2.0]]))
    mean = np.array([0.5, -1.0])

    def prior(rng):
        return mean + root @ rng.standard_normal(2)

    def data(rng, x):
        return rng.poisson(np.exp(0.5 * x))

    def step(rng, x, y):
        def log_likelihood(x):
            return float(y @ (0.5 * x) - np.exp(0.5 * x).sum())

        chain = EllipticalSlice(rng, lambda rng: root @ rng.standard_normal(2), log_likelihood, mean, x)
        chain.sweep(2)
        return chain.x

    def statistics(x, y):
        return np.array([*x, *x**2, x[0] * x[1], *(x * y)])

    scores = geweke_joint_test(prior, data, step, statistics, n_draws=3000)
    assert np.abs(scores).max() < 3.5


def test_elliptical_slices_refuse_a_start_without_likelihood():
    with pytest.raises(ValueError, match="likelihood zero"):
        EllipticalSlice(np.random.default_rng(0), lambda rng: rng.normal(size=1), lambda x: -np.inf, start=[0.0])
