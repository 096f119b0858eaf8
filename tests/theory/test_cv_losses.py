"""Held-out losses and jackknife terms, against scikit-learn's loop and the paper's equation 6."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from treatise.theory import cross_val_losses, jackknife_losses


def test_zero_one_losses_are_those_of_cross_val_predict():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    losses, fold = cross_val_losses(KNeighborsClassifier(1), X, names, cv=5)
    expected = cross_val_predict(KNeighborsClassifier(1), X, names, cv=5) != names
    np.testing.assert_array_equal(losses, expected)
    for k, (_, test) in enumerate(StratifiedKFold(5).split(X, names)):
        assert (fold[test] == k).all()


@pytest.mark.parametrize(("loss", "power"), [(None, 2), ("squared", 2), ("absolute", 1)])
def test_regression_losses_are_those_of_cross_val_predict(loss, power):
    X, y = load_diabetes(return_X_y=True)
    cv = KFold(7, shuffle=True, random_state=0)
    losses, _ = cross_val_losses(Ridge(), X, y, cv=cv, loss=loss)
    np.testing.assert_allclose(losses, np.abs(cross_val_predict(Ridge(), X, y, cv=cv) - y) ** power)


def test_a_callable_loss_is_used():
    X, y = load_diabetes(return_X_y=True)
    losses, _ = cross_val_losses(Ridge(), X, y, cv=3, loss=lambda truth, prediction: 3.0 * (truth > 100))
    np.testing.assert_array_equal(losses, 3.0 * (y > 100))


def test_sparse_input_and_data_frames_give_the_same_losses():
    pandas = pytest.importorskip("pandas")
    X, y = load_diabetes(return_X_y=True)
    ridge = Ridge(fit_intercept=False, solver="cholesky")
    dense = cross_val_losses(ridge, X, y, cv=4).losses
    frame = cross_val_losses(ridge, pandas.DataFrame(X), pandas.Series(y), cv=4).losses
    thin = cross_val_losses(ridge, sparse.csr_matrix(X), y, cv=4).losses
    np.testing.assert_allclose(frame, dense)
    np.testing.assert_allclose(thin, dense)


def test_differences_of_an_algorithm_with_itself_are_zero():
    X, y = load_iris(return_X_y=True)
    cv = StratifiedKFold(5, shuffle=True, random_state=1)
    one, other = (cross_val_losses(LogisticRegression(max_iter=500), X, y, cv=cv).losses for _ in range(2))
    assert not (one - other).any()


def test_the_mean_of_the_jackknife_terms_is_equation_6():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:90], y[:90]
    cv, model = KFold(6), Ridge(alpha=0.01)

    def squared(train):
        return (model.fit(X[train], y[train]).predict(X) - y) ** 2

    whole = squared(np.arange(90))
    estimate = 0.0
    for train, test in cv.split(X):
        deprived = squared(train)
        estimate += deprived[test].sum() / 90 + (whole - deprived).sum() / 90
    terms, fold = jackknife_losses(model, X, y, cv=cv)
    assert terms.mean() == pytest.approx(estimate, rel=1e-10)
    np.testing.assert_array_equal(fold, np.repeat(np.arange(6), 15))


def test_a_jackknife_term_is_the_third_case_of_section_2_5():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:20], y[:20]
    model = Ridge(alpha=0.1)
    terms, _ = jackknife_losses(model, X, y, cv=4)
    at = 7  # in the second fold of five
    others = [np.delete(np.arange(20), np.arange(5 * k, 5 * k + 5)) for k in (0, 2, 3)]
    own = (model.fit(X, y).predict(X[[at]])[0] - y[at]) ** 2
    expected = 4 * own - sum((model.fit(X[t], y[t]).predict(X[[at]])[0] - y[at]) ** 2 for t in others)
    assert terms[at] == pytest.approx(expected, rel=1e-9)


def test_folds_fitted_at_once_give_the_same():
    X, y = load_diabetes(return_X_y=True)
    one, two = (cross_val_losses(Ridge(), X, y, cv=4, n_jobs=jobs).losses for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("cv", [RepeatedKFold(n_splits=3, n_repeats=2), ShuffleSplit(3, random_state=0)])
def test_splits_that_do_not_partition_the_sample_are_refused(cv):
    X, y = load_diabetes(return_X_y=True)
    for function in (cross_val_losses, jackknife_losses):
        with pytest.raises(ValueError, match=r"exactly once.*corrected_interval"):
            function(Ridge(), X, y, cv=cv)


def test_a_loss_that_is_unknown_or_of_the_wrong_shape_is_named():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match=r"loss='hinge' is unknown; choose one of zero_one"):
        cross_val_losses(Ridge(), X, y, loss="hinge")
    with pytest.raises(ValueError, match="one each"):
        cross_val_losses(Ridge(), X, y, loss=lambda truth, prediction: np.mean(truth))
