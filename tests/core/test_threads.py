"""Sharing a compiled loop out over threads."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_info, threadpool_limits

from treatise import bayes, decomposition, kernel_methods, linear, selection, svm
from treatise._core import threads as _threads


@pytest.mark.parametrize("threads, cost", [(1, 1e9), (4, 1e9), (4, 1e3), (64, 1e9)])
def test_ranges_cover_every_item_once(monkeypatch, threads, cost):
    monkeypatch.setattr(_threads.numba, "get_num_threads", lambda: threads)
    done = []
    _threads.over_ranges(lambda first, last: done.extend(range(first, last)), 13, cost=cost)
    assert sorted(done) == list(range(13))


def test_little_work_stays_in_the_calling_thread(monkeypatch):
    monkeypatch.setattr(_threads, "ThreadPoolExecutor", None)
    _threads.over_ranges(lambda first, last: None, 100, cost=1e6)


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(_threads.numba, "get_num_threads", lambda: 2)

    def work(first, last):
        raise FloatingPointError(f"{first} to {last}")

    with pytest.raises(FloatingPointError, match="0 to 5"):
        _threads.over_ranges(work, 10, cost=1e9)


def _matrix_threads():
    np.eye(2) @ np.eye(2)
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_small_matrices_have_one_thread_and_large_ones_keep_theirs():
    with threadpool_limits(2, "blas"):
        before = _matrix_threads()
        with _threads.one_blas_thread(999):
            assert _matrix_threads() == {1}
        with _threads.one_blas_thread(1000):
            assert _matrix_threads() == before
        assert _matrix_threads() == before


def test_a_fit_to_few_rows_has_one_thread_and_one_to_many_keeps_its_own():
    class Model:
        @_threads.few_rows_in_one_thread
        def fit(self, X, y=None):
            return _matrix_threads()

    few, many = np.ones((999, 1)), np.ones((1000, 1))
    with threadpool_limits(2, "blas"):
        before = _matrix_threads()
        assert Model().fit(few) == Model().fit(X=few) == Model().fit([few, few]) == Model().fit(few.tolist()) == {1}
        assert Model().fit(many) == Model().fit(X=many) == Model().fit([few, many]) == Model().fit(many.tolist())
        assert Model().fit(many) == before


def _estimators_of_small_matrices():
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(30, 2)), np.arange(30) % 2
    yield lambda: bayes.VariationalGLMM().fit(X, signs, groups=np.arange(30) // 3)
    yield lambda: bayes.HeteroscedasticAdditiveRegressor(max_iter=3).fit(X, X[:, 0])
    yield lambda: bayes.GPBinaryClassifier(gamma=0.5, variance=1.0).fit(X, signs)
    yield lambda: bayes.LatentGaussianModel(covariance=np.eye(30)).fit(signs)
    yield lambda: bayes.LogisticStickBreaking(max_iter=2, random_state=0).fit(X, locations=np.arange(30))
    yield lambda: linear.GroupARDRegressor(1).fit(X, X[:, 0])
    yield lambda: linear.GroupLassoMKL(1, gamma=1.0).fit(X, X[:, 0])
    yield lambda: bayes.HMMClusterer(2, n_states=1, n_init=1, random_state=0).fit([X, X + 5, X + 6])
    yield lambda: decomposition.GeometricMedianSubspace(1).fit(X)
    yield lambda: kernel_methods.EarlyStoppedKernelRegressor().fit(X, X[:, 0])
    yield lambda: kernel_methods.KernelMachineClassifier().fit(X, signs)
    yield lambda: kernel_methods.LpMKLClassifier().fit(X, signs)
    yield lambda: linear.KernelMarginClassifier().fit(X, signs)
    yield lambda: linear.KernelMinimaxProbabilityMachine().fit(X, signs)
    yield lambda: linear.MultiTaskMEDClassifier().fit(X, signs)
    yield lambda: selection.KernelMomentSparseClassifier().fit(X, signs)
    yield lambda: selection.RandomizedVariableElimination(GaussianNB()).fit(X, signs)
    yield lambda: svm.SVMPathCV().fit(X, signs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fit", list(_estimators_of_small_matrices()))
def test_estimators_of_small_matrices_ask_for_one_thread(fit, monkeypatch):
    """On a busy machine their products took twenty times as long with two."""
    asked, libraries = [], _threads._matrix_libraries()
    monkeypatch.setattr(_threads, "_matrix_libraries", lambda: asked.append(1) or libraries)
    fit()
    assert asked
