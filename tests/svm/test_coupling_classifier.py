"""The classifier against pairs fitted by hand, scikit-learn's own one-against-one machine, and odd input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import expit
from sklearn import get_config
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_info, threadpool_limits

from treatise.io import load_model, save_model
from treatise.svm import PairwiseCouplingClassifier, pairwise_coupling, platt_sigmoid
from treatise.svm.coupling import _support_machines, classifier
from treatise.svm.coupling.coupling import COUPLINGS

X_IRIS, Y_IRIS = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X / 16, y, train_size=500, test_size=500, random_state=0, stratify=y)


def test_pairs_are_those_fitted_by_hand():
    model = PairwiseCouplingClassifier(GaussianNB()).fit(X_IRIS, Y_IRIS)
    R = np.full((150, 3, 3), 0.5)
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        rows = np.isin(Y_IRIS, (i, j))
        own = GaussianNB().fit(X_IRIS[rows], Y_IRIS[rows]).predict_proba(X_IRIS)
        R[:, i, j], R[:, j, i] = own.T
    assert model.calibration_ is None and model.calibrators_ is None
    # The odds of naive Bayes span hundreds of decades, and 1 - r loses the small end.
    assert_allclose(model.pairwise_proba(X_IRIS), R, atol=1e-12)
    truncated = np.clip(R, 1e-7, 1 - 1e-7)
    for method in COUPLINGS:
        P = model.set_params(method=method).predict_proba(X_IRIS)
        assert_allclose(P, pairwise_coupling(truncated, method), atol=1e-9)
        assert_array_equal(model.predict(X_IRIS), P.argmax(axis=1))


def test_decision_values_are_those_of_one_against_one_machines(digits):
    X, X_test, y, _ = digits
    ours = PairwiseCouplingClassifier(SVC(C=8, gamma=0.1, tol=1e-8)).fit(X, y)
    theirs = SVC(C=8, gamma=0.1, tol=1e-8, decision_function_shape="ovo").fit(X, y)
    F = ours.pairwise_decision(X_test)
    assert_allclose(F[:, ours.pairs_[:, 0], ours.pairs_[:, 1]], theirs.decision_function(X_test), atol=1e-6)
    assert_allclose(F, -F.transpose(0, 2, 1))
    assert ours.calibration_ == "sigmoid"
    # Voting on probabilities shifts the cuts a little; a wrong sign or order of pairs would give chance.
    assert ours.score(X_test, y=digits[3]) > theirs.score(X_test, digits[3]) - 0.02


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_calibration_is_on_rows_that_were_held_out(calibration):
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    model = PairwiseCouplingClassifier(LinearSVC(dual=False), calibration=calibration, cv=folds).fit(X_IRIS, Y_IRIS)
    held_out = np.empty(150)
    for train, test in folds.split(X_IRIS, Y_IRIS):
        pair = train[Y_IRIS[train] > 0]
        machine = LinearSVC(dual=False).fit(X_IRIS[pair], Y_IRIS[pair] == 1)
        held_out[test] = machine.decision_function(X_IRIS[test])
    rows = Y_IRIS > 0
    final = LinearSVC(dual=False).fit(X_IRIS[rows], Y_IRIS[rows] == 1).decision_function(X_IRIS)
    if calibration == "sigmoid":
        A, B = platt_sigmoid(held_out[rows], Y_IRIS[rows] == 1)
        assert A < 0
        expected = expit(-(A * final + B))
    else:
        step = IsotonicRegression(out_of_bounds="clip").fit(held_out[rows], Y_IRIS[rows] == 1)
        expected = step.predict(final)
    assert_allclose(model.pairwise_proba(X_IRIS)[:, 1, 2], expected, atol=1e-6)
    # Folds that put whole classes aside are the user's to mend.
    with pytest.warns(UserWarning, match="one fold"):
        PairwiseCouplingClassifier(LinearSVC(dual=False), cv=KFold(3)).fit(X_IRIS, Y_IRIS)


def test_probabilities_of_least_squares_beat_votes_on_digits(digits):
    X, X_test, y, y_test = digits
    model = PairwiseCouplingClassifier(LogisticRegression()).fit(X, y)
    losses = {}
    for method in ("least_squares", "markov", "vote"):
        P = np.maximum(model.set_params(method=method).predict_proba(X_test), 1e-7)
        losses[method] = log_loss(y_test, P / P.sum(axis=1, keepdims=True))
    assert max(losses["least_squares"], losses["markov"]) < losses["vote"]
    assert losses["least_squares"] < 0.5 and model.score(X_test, y_test) > 0.93


@pytest.mark.parametrize(
    "base",
    [SVC(), LinearSVC(), RidgeClassifier(), BernoulliNB(binarize=2.0), RandomForestClassifier(10, random_state=0)],
    ids=lambda base: type(base).__name__,
)
def test_any_binary_classifier_serves_dense_and_sparse_with_names(base):
    names = np.array(["setosa", "versicolor", "virginica"])[Y_IRIS]
    model = PairwiseCouplingClassifier(base).fit(X_IRIS, names)
    P = model.predict_proba(X_IRIS)
    assert_allclose(P.sum(axis=1), 1.0)
    assert model.score(X_IRIS, names) > 0.6
    thin = PairwiseCouplingClassifier(base).fit(sparse.csr_matrix(X_IRIS), names)
    # LinearSVC's coordinate descent stops at 1e-4, and a forest may split at another of level features.
    assert_allclose(thin.predict_proba(sparse.csc_array(X_IRIS)), P, atol=0.05)
    assert hasattr(model, "pairwise_decision") == hasattr(base, "decision_function")


def test_a_base_that_takes_missing_values_is_given_them():
    X = X_IRIS.copy()
    X[::7, 1] = np.nan
    model = PairwiseCouplingClassifier(HistGradientBoostingClassifier(max_iter=5)).fit(X, Y_IRIS)
    assert model.score(X, Y_IRIS) > 0.9
    with pytest.raises(ValueError, match="NaN"):
        PairwiseCouplingClassifier(SVC()).fit(X, Y_IRIS)


def test_a_kernel_matrix_gives_what_the_kernel_gives():
    K = rbf_kernel(X_IRIS, gamma=0.5)
    given = PairwiseCouplingClassifier(SVC(kernel="precomputed", tol=1e-8)).fit(K, Y_IRIS)
    made = PairwiseCouplingClassifier(SVC(gamma=0.5, tol=1e-8)).fit(X_IRIS, Y_IRIS)
    assert_allclose(given.predict_proba(K[:9]), made.predict_proba(X_IRIS[:9]), atol=1e-5)


def test_integer_weights_count_as_rows():
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, 150)
    rows = np.repeat(np.arange(150), weight)
    # The same folds for a row and for its copies.
    fold = rng.integers(0, 4, 150)

    def splits(index):
        return [(np.flatnonzero(fold[index] != f), np.flatnonzero(fold[index] == f)) for f in range(4)]

    base = LogisticRegression(tol=1e-10, max_iter=1000)
    for calibration in ("auto", "sigmoid", "isotonic"):
        options = {"calibration": calibration}
        weighted = PairwiseCouplingClassifier(base, cv=splits(np.arange(150)), **options).fit(X_IRIS, Y_IRIS, weight)
        repeated = PairwiseCouplingClassifier(base, cv=splits(rows), **options).fit(X_IRIS[rows], Y_IRIS[rows])
        assert_allclose(weighted.predict_proba(X_IRIS), repeated.predict_proba(X_IRIS), atol=1e-6)
    with pytest.raises(ValueError, match=r"KNeighborsClassifier\.fit takes none"):
        PairwiseCouplingClassifier(KNeighborsClassifier()).fit(X_IRIS, Y_IRIS, weight)


def test_the_default_keeps_scikit_learns_contract_but_for_the_weights_of_an_svm():
    reason = 'an SVM with gamma="scale" takes the variance of the rows without their weights'
    xfail = {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}
    found = check_estimator(PairwiseCouplingClassifier(), expected_failed_checks=xfail, on_skip=None)
    assert {check["status"] for check in found} <= {"passed", "xfail", "skipped"}


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_a_calibrated_model_survives_the_model_file(tmp_path, calibration):
    model = PairwiseCouplingClassifier(SVC(), calibration=calibration).fit(X_IRIS, Y_IRIS)
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops").model
    assert_array_equal(again.predict_proba(X_IRIS), model.predict_proba(X_IRIS))


def test_two_classes_and_small_classes():
    rows = Y_IRIS < 2
    two = PairwiseCouplingClassifier(SVC()).fit(X_IRIS[rows], Y_IRIS[rows])
    assert two.predict_proba(X_IRIS[:3]).shape == (3, 2) and two.score(X_IRIS[rows], Y_IRIS[rows]) == 1.0
    few = np.r_[0:30, 50:80, 100:102]
    three = PairwiseCouplingClassifier(SVC()).fit(X_IRIS[few], Y_IRIS[few])
    assert_allclose(three.predict_proba(X_IRIS).sum(axis=1), 1.0)
    with pytest.warns(UserWarning, match="too sure"):
        PairwiseCouplingClassifier(SVC()).fit(X_IRIS[few[:-1]], Y_IRIS[few[:-1]])


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="one class only, 0; a classifier needs at least two"):
        PairwiseCouplingClassifier().fit(X_IRIS[:50], Y_IRIS[:50])
    with pytest.raises(ValueError, match="every class has one row"):
        PairwiseCouplingClassifier().fit(X_IRIS[::50], Y_IRIS[::50])
    with pytest.raises(ValueError, match="'method' parameter"):
        PairwiseCouplingClassifier(method="borda").fit(X_IRIS, Y_IRIS)
    with pytest.raises(ValueError, match="holds out 30 of 150 rows"):
        PairwiseCouplingClassifier(cv=[(np.arange(30, 150), np.arange(30))]).fit(X_IRIS, Y_IRIS)
    with pytest.raises(ValueError, match="Negative values"):
        PairwiseCouplingClassifier().fit(X_IRIS, Y_IRIS, -np.ones(150))
    with pytest.raises(ValueError, match="'C' parameter of SVC"):
        PairwiseCouplingClassifier(SVC(C=-1.0)).fit(X_IRIS, Y_IRIS)


def test_platt_sigmoid_is_the_most_likely_one():
    rng = np.random.default_rng(0)
    f = rng.normal(size=4000)
    y = rng.random(4000) < expit(2 * f - 1)
    A, B = platt_sigmoid(f, y)
    # Three standard errors of a logistic fit to 4000 rows.
    assert pytest.approx((-2, 1), abs=0.2) == (A, B)
    wins, losses = y.sum(), (~y).sum()
    soft = np.where(y, (wins + 1) / (wins + 2), 1 / (losses + 2))
    off = soft - expit(-(A * f + B))
    assert_allclose([off.sum(), (off * f).sum()], 0, atol=1e-7)


def test_platt_sigmoid_stays_finite_on_separated_constant_and_huge_values():
    A, B = platt_sigmoid([-1.0, -1.0, 1.0, 1.0], [0, 0, 1, 1])
    # Soft labels of two rows each are 1/4 and 3/4.
    assert_allclose(expit(-(A + B)), 0.75)
    A, B = platt_sigmoid([2.0, 2.0, 2.0], [1, 1, 0])
    # Soft labels 3/4, 3/4 and 1/3 average to 11/18.
    assert_allclose(expit(-(2 * A + B)), 11 / 18)
    assert np.isfinite(platt_sigmoid([-1e6, -2e6, 1e6, 3e6], [0, 0, 1, 1])).all()
    for bad in ([np.nan, 1.0], [[1.0], [2.0]]):
        with pytest.raises(ValueError, match="finite"):
            platt_sigmoid(bad, [0, 1])


@pytest.mark.parametrize(
    "parameters", [{"gamma": 0.001, "C": 8.0}, {"gamma": "scale"}, {"kernel": "linear", "C": 0.01}]
)
def test_machines_without_checks_are_those_of_scikit_learn(parameters):
    class Checked(SVC):
        """Not a plain machine, and so fitted fold by fold."""

    X, y = load_digits(return_X_y=True)
    X, y = X[y < 4][:200], y[y < 4][:200]
    weights = 1.0 + (np.arange(len(y)) % 2)
    plain, checked = (
        PairwiseCouplingClassifier(kind(tol=1e-8, **parameters)).fit(X[::2], y[::2], weights[::2])
        for kind in (SVC, Checked)
    )
    # Both solvers stop at 1e-8; the sigmoid steepens that where the classes are apart.
    np.testing.assert_allclose(plain.predict_proba(X), checked.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(plain.calibrators_, checked.calibrators_, rtol=1e-3)


def test_small_machines_are_fitted_and_asked_in_one_thread_without_checks_which_come_back(monkeypatch):
    seen = []

    def noted(work):
        def noting(*arguments, **named):
            blas = [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
            seen.append((set(blas), get_config()["skip_parameter_validation"]))
            return work(*arguments, **named)

        return noting

    monkeypatch.setattr(_support_machines, "solve_svm_dual", noted(_support_machines.solve_svm_dual))
    with threadpool_limits(2, "blas"):
        before = threadpool_info()
        model = PairwiseCouplingClassifier(SVC()).fit(X_IRIS, Y_IRIS)
        assert seen == [({1}, True)] * 15
        seen.clear()
        monkeypatch.setattr(classifier, "decisions", noted(classifier.decisions))
        model.predict(X_IRIS)
        assert seen == [({1}, False)] * 3
        assert threadpool_info() == before and not get_config()["skip_parameter_validation"]
