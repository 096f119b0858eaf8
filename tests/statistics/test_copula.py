"""Ranks as shares and as normal scores."""

import numpy as np
import pytest
from scipy.stats import norm

from treatise.statistics import copula_transform, normal_scores


def test_ranks_are_places_divided_by_their_number():
    X = np.array([[3.0, 10.0], [1.0, 20.0], [2.0, 30.0]])
    np.testing.assert_allclose(copula_transform(X, scale="n"), np.array([[3, 1], [1, 2], [2, 3]]) / 3)
    np.testing.assert_allclose(copula_transform(X), np.array([[3, 1], [1, 2], [2, 3]]) / 4)
    np.testing.assert_allclose(copula_transform(X, scale="middle"), (np.array([[3, 1], [1, 2], [2, 3]]) - 0.5) / 3)


def test_rising_functions_leave_ranks_alone_and_ties_share_theirs():
    x = np.random.default_rng(0).normal(size=50)
    np.testing.assert_array_equal(copula_transform(x), copula_transform(np.exp(x)))
    np.testing.assert_allclose(copula_transform([1.0, 1.0, 2.0], scale="n"), [0.5, 0.5, 1.0])
    np.testing.assert_allclose(copula_transform([1.0, 1.0, 2.0], scale="n", ties="max"), [2 / 3, 2 / 3, 1.0])


def test_normal_scores_are_normal_quantiles_of_the_ranks():
    x = np.array([5.0, -1.0, 7.0])
    np.testing.assert_allclose(normal_scores(x), norm.ppf([0.5, 0.25, 0.75]))


def test_missing_values_and_unknown_scales_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        copula_transform([1.0, np.nan])
    with pytest.raises(ValueError, match="empty"):
        copula_transform([])
    with pytest.raises(ValueError, match="scale='m' is unknown"):
        copula_transform([1.0], scale="m")
