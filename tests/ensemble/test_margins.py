"""Largest margins against closed forms, their duals and support vector machines."""

import numpy as np
import pytest
from sklearn.svm import SVC

from treatise.ensemble import l1_max_margin, l2_max_margin, lp_margin, norm_for_larger_margin
from treatise.optimize import ExponentialLoss, LogisticLoss


@pytest.fixture(scope="module")
def separable():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12))
    return X, np.where(X[:, 0] - 0.5 * X[:, 3] > 0, "yes", "no")


def test_the_margin_of_three_rules_each_wrong_once_is_a_third():
    M = np.array([[-1, 1, 1], [1, -1, 1], [1, 1, -1]])
    found = l1_max_margin(np.vstack([M, -M]), [1, 1, 1, 0, 0, 0])
    assert found.margin == pytest.approx(1 / 3, abs=1e-12)
    np.testing.assert_allclose(found.coef, 1 / 3, atol=1e-12)
    assert abs(found.gap) < 1e-9


def test_the_l1_margin_has_a_dual_of_the_same_value_and_no_direction_is_better(separable):
    X, y = separable
    found = l1_max_margin(X, y)
    signed = X * np.where(y == "yes", 1.0, -1.0)[:, None]
    assert found.separable and np.abs(found.coef).sum() == pytest.approx(1.0)
    assert found.margin == pytest.approx((signed @ found.coef).min()) == pytest.approx(lp_margin(X, y, found.coef))
    assert np.abs(found.weights @ signed).max() == pytest.approx(found.margin, abs=1e-9)
    assert abs(found.gap) < 1e-9
    for direction in np.random.default_rng(1).normal(size=(200, 12)):
        assert lp_margin(X, y, direction) <= found.margin + 1e-12


def test_the_l2_margin_is_that_of_a_support_vector_machine(separable):
    X, y = separable
    # Rows and their opposites with opposite labels: the machine's offset is zero.
    both, labels = np.vstack([X, -X]), np.append(y, np.where(y == "yes", "no", "yes"))
    machine = SVC(kernel="linear", C=1e8, tol=1e-8).fit(both, labels)
    found = l2_max_margin(X, y)
    assert found.margin == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-5)
    np.testing.assert_allclose(found.coef, machine.coef_[0] / np.linalg.norm(machine.coef_), atol=1e-5)
    assert np.linalg.norm(found.coef) == pytest.approx(1.0) and abs(found.gap) < 1e-9
    assert found.margin > lp_margin(X, y, l1_max_margin(X, y).coef, 2.0)


@pytest.mark.parametrize("find", [l1_max_margin, l2_max_margin])
def test_rows_that_nothing_separates_are_flagged_and_scale_is_no_matter(find, separable):
    X, y = separable
    none = find(np.vstack([X, X]), np.append(y, np.where(y == "yes", "no", "yes")))
    assert not none.separable and none.margin <= 0 and not none.coef.any()
    assert find(1e6 * X, y).margin == pytest.approx(1e6 * find(X, y).margin, rel=1e-6)
    np.testing.assert_allclose(find(1e-6 * X, y).coef, find(X, y).coef, atol=1e-6)


def test_beyond_the_norm_of_lemma_4_the_larger_margin_has_the_smaller_loss(separable):
    X, y = separable
    signs = np.where(y == "yes", 1.0, -1.0)
    better, worse = l1_max_margin(X, y).coef, np.eye(12)[0] / 1.5 - np.eye(12)[3] / 3
    margins = lp_margin(X, y, better), lp_margin(X, y, worse)
    norm = norm_for_larger_margin(*margins, len(y))
    assert norm == pytest.approx(np.log(2 * len(y)) / (margins[0] - margins[1]))
    for loss in (LogisticLoss(), ExponentialLoss()):
        total = [loss.value(signs, 1.001 * norm * X @ coef).sum() for coef in (better, worse)]
        assert total[0] < total[1]


def test_bad_input_is_refused(separable):
    X, y = separable
    with pytest.raises(ValueError, match="gives no norm"):
        lp_margin(X, y, np.ones(12), 0.5)
    with pytest.raises(ValueError, match="all coefficients are zero"):
        lp_margin(X, y, np.zeros(12))
    with pytest.raises(ValueError, match="H has 12 columns"):
        lp_margin(X, y, np.ones(5))
    with pytest.raises(ValueError, match="one class only"):
        l1_max_margin(X, np.ones(30))
    with pytest.raises(ValueError, match="must be above"):
        norm_for_larger_margin(0.1, 0.2, 10)
