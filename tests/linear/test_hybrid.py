"""Hybrid online and batch learning: the optimum, the online update, averaging, checkpoints."""

import gc
import subprocess
import sys
import textwrap
import tracemalloc
import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge
from sklearn.svm import LinearSVC

from treatise._core.errors import TreatiseError
from treatise._core.files import HeldError
from treatise.io import Stream, load_model, save_model
from treatise.io.source import lines
from treatise.linear import HybridLinearClassifier, HybridLinearRegressor
from treatise.linear.hybrid import _checkpoint as checkpoints
from treatise.linear.hybrid import _online_loops as loops
from treatise.linear.hybrid._base import MatrixShard
from treatise.linear.hybrid._checkpoint import Checkpoint
from treatise.linear.hybrid._passes import (
    LocalPasses,
    OnlineState,
    Settings,
    averaged,
    combine_shares,
    learn_online,
    tree_reduce,
)
from treatise.optimize import HingeLoss, LogisticLoss, QuantileLoss, make_loss
from treatise.optimize.losses._loops import invariant_step


@pytest.fixture(scope="module")
def problem():
    """Sparse rows with noisy labels of a linear rule."""
    rng = np.random.default_rng(0)
    X = sparse.random(1500, 120, 0.08, random_state=0, format="csr")
    score = 3 * X @ rng.normal(size=120) + 0.3
    return X, np.where(score + rng.logistic(size=1500) > 0, 1, 0), score + rng.normal(size=1500)


@pytest.fixture
def files(problem, tmp_path):
    """The same rows as seven files of text, values to single precision."""
    X, y, _ = problem
    X = X.astype(np.float32).astype(np.float64)
    bounds = np.linspace(0, len(y), 8).astype(int)
    for number, (a, b) in enumerate(pairwise(bounds)):
        rows = []
        for i in range(a, b):
            part = slice(X.indptr[i], X.indptr[i + 1])
            pairs = (f"{j}:{np.float32(v)!s}" for j, v in zip(X.indices[part], X.data[part]))
            rows.append(f"{y[i]} | {' '.join(pairs)}\n")
        (tmp_path / f"part-{number}.vw").write_text("".join(rows))
    return str(tmp_path / "part-*.vw"), X, y


@pytest.mark.parametrize("shards", [1, 2, 4, 7])
@pytest.mark.parametrize("intercept", [False, True])
def test_optimum_is_that_of_scikit_learn_for_any_number_of_shards(problem, shards, intercept):
    X, y, _ = problem
    peer = LogisticRegression(C=2.0, fit_intercept=intercept, tol=1e-12, max_iter=10_000).fit(X, y)
    model = HybridLinearClassifier(alpha=0.5, fit_intercept=intercept, n_shards=shards).fit(X, y)
    assert model.status_ == "gradient"
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-5)
    signs, w = 2 * y - 1, peer.coef_[0]
    best = np.logaddexp(0, -signs * (X @ w + peer.intercept_[0])).sum() + 0.25 * w @ w
    np.testing.assert_allclose(model.objective_path_[-1], best, rtol=1e-8)


def test_other_losses_reach_the_optima_of_their_peers(problem):
    X, y, target = problem
    ridge = Ridge(0.5, solver="sparse_cg", tol=1e-12).fit(X, target)
    np.testing.assert_allclose(HybridLinearRegressor(alpha=0.5).fit(X, target).coef_, ridge.coef_, atol=1e-5)
    counts = np.random.default_rng(1).poisson(np.exp(np.clip(target, -3, 2)))
    # scikit-learn's penalty is of the mean deviance.
    poisson = PoissonRegressor(alpha=0.5 / len(y), tol=1e-10, max_iter=1000).fit(X, counts)
    model = HybridLinearRegressor("poisson", alpha=0.5).fit(X, counts)
    np.testing.assert_allclose(model.coef_, poisson.coef_, atol=1e-4)
    np.testing.assert_allclose(model.predict(X), poisson.predict(X), rtol=1e-3)
    # Half its squared weights and C times the losses; its intercept is penalised, so there is none.
    svc = LinearSVC(C=2.0, fit_intercept=False, dual=False, tol=1e-10, max_iter=10_000).fit(X, y)
    squared_hinge = HybridLinearClassifier("squared_hinge", alpha=0.5, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(squared_hinge.coef_, svc.coef_, atol=1e-5)


@pytest.mark.parametrize("loss", [HingeLoss(), QuantileLoss(0.8)], ids=str)
def test_losses_with_kinks_come_close_to_their_optimum(problem, loss):
    X, y, target = problem
    classify, tau = loss.of_labels, loss.parameter
    labels = 2.0 * y - 1 if classify else target
    if classify:
        model = HybridLinearClassifier(loss.name, alpha=5.0, fit_intercept=False).fit(X, y)
    else:
        model = HybridLinearRegressor(loss.name, tau=tau, alpha=5.0, fit_intercept=False).fit(X, target)
    w = np.ravel(model.coef_)
    value = loss.value(labels, X @ w).sum() + 2.5 * w @ w
    # The dual is smooth in a box: max sum_i a_i y_i - |X'a|^2 / (2 alpha).
    low, high = (np.minimum(labels, 0), np.maximum(labels, 0)) if classify else (tau - 1 + 0 * labels, tau + 0 * labels)
    gain = 1.0 / labels if classify else labels
    dual = minimize(
        lambda a: (np.sum((X.T @ a) ** 2) / 10 - a @ gain, X @ (X.T @ a) / 5 - gain), np.zeros(len(y)), jac=True,
        method="L-BFGS-B", bounds=list(zip(low, high)), options={"maxiter": 2000},
    )  # fmt: skip
    assert -dual.fun <= value <= -dual.fun * 1.03


def test_l1_penalty_gives_the_optimum_and_zeros_of_its_peer(problem):
    X, y, _ = problem
    peer = LogisticRegression(
        C=0.5, l1_ratio=1.0, solver="saga", fit_intercept=False, tol=1e-9, max_iter=20_000, random_state=0
    ).fit(X, y)
    model = HybridLinearClassifier(alpha=0.0, l1=2.0, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_array_equal(model.coef_ == 0, peer.coef_ == 0)
    assert (model.coef_ == 0).sum() > 10


def test_threads_change_no_bit(problem):
    X, y, _ = problem
    alone = HybridLinearClassifier(n_shards=7).fit(X, y)
    together = HybridLinearClassifier(n_shards=7, n_jobs=3).fit(X, y)
    np.testing.assert_array_equal(alone.coef_, together.coef_)


def learned_by_hand(X, y, weights, kind, rate, adaptive, normalized, invariant, l2=0.0, l1=0.0):
    """Algorithm 1, densely, from its text; the penalties by minimising over each weight where it is read."""
    d = X.shape[1]
    u, G, s = np.zeros(d), np.ones(d), np.zeros(d)
    count = norm = 0.0

    def read(u, r):
        # (w - u)^2 / (2 r) + l2 w^2 / 2 + l1 |w| is least at 0, or where its slope is 0 on u's side of it.
        return np.where(np.abs(u) <= l1 * r, 0.0, (u - np.sign(u) * l1 * r) / (1 + l2 * r))

    for x, label, h in zip(X, y, weights):
        if normalized:
            wider = np.abs(x) > s
            u[wider] *= (s[wider] / np.abs(x[wider])) ** (1 if adaptive else 2)
            s[wider] = np.abs(x[wider])
            seen = x != 0
            count, norm = count + h, norm + h * np.sum((x[seen] / s[seen]) ** 2)
        A = G**-0.5 if adaptive else np.ones(d)
        pace = rate
        if normalized:
            power = 1 if adaptive else 2
            A = np.divide(A, s**power, out=np.zeros(d), where=s > 0)
            pace *= (count / norm) ** (0.5 * power)
        p, q = read(u, pace * A) @ x, np.sum(A / (1 + l2 * pace * A) * x * x)
        slope = float(make_loss(kind).derivative(label, p))
        step = invariant_step(make_loss(kind).number, 0.0, label, p, pace * h, q) if invariant else pace * h * slope
        u = u - step * A * x
        G = G + h * (slope * x) ** 2
    A = G**-0.5 if adaptive else np.ones(d)
    if normalized:
        A = np.divide(A, s**power, out=np.zeros(d), where=s > 0)
    return read(u, pace * A), G


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("invariant", [False, True])
@pytest.mark.parametrize(("l2", "l1"), [(0.0, 0.0), (0.7, 0.0), (0.0, 0.4), (0.7, 0.4)])
def test_online_pass_is_algorithm_one_with_every_switch_and_penalty(adaptive, normalized, invariant, l2, l1):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 6)) * (rng.random((60, 6)) < 0.6)
    y, weights = rng.integers(0, 2, 60), rng.integers(1, 4, 60).astype(float)
    model = HybridLinearClassifier(
        max_iter=0, fit_intercept=False, adaptive=adaptive, normalized=normalized, invariant=invariant, alpha=l2, l1=l1
    ).fit(X, y, sample_weight=weights)
    w, G = learned_by_hand(X, 2.0 * y - 1, weights, "logistic", 0.5, adaptive, normalized, invariant, l2, l1)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(model.gradient_squares_[0, :-1], G, rtol=1e-10)


def test_penalties_of_the_online_pass_spare_the_intercept_and_make_zeros(problem):
    X, y, _ = problem
    coef = {}
    for l1 in (0.0, 1.0, 1e6):
        model = HybridLinearClassifier(max_iter=0, alpha=0.0, l1=l1).fit(X, y)
        coef[l1] = model.coef_[0]
    assert np.all(coef[0.0] != 0)
    assert 0 < np.count_nonzero(coef[1.0]) < 120
    np.testing.assert_array_equal(coef[1e6], 0.0)
    assert model.intercept_[0] != 0
    sizes = [np.abs(HybridLinearClassifier(max_iter=0, alpha=l2).fit(X, y).coef_).sum() for l2 in (0.0, 1.0, 10.0)]
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.parametrize("penalty", [{"alpha": 30.0}, {"alpha": 0.0, "l1": 20.0}])
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("shards", [1, 4])
def test_penalties_bring_the_online_passes_nearer_to_the_optimum(penalty, passes, shards):
    # The same penalties count in the objective of the batch phase, whatever the number of passes and shards.
    X, y = zipf_problem(n=1500, d=256)

    def objective(model):
        w = model.coef_[0]
        loss = np.logaddexp(0, -y * (X @ w + model.intercept_[0])).sum()
        return loss + 0.5 * penalty["alpha"] * w @ w + penalty.get("l1", 0.0) * np.abs(w).sum()

    best = HybridLinearClassifier(**penalty).fit(X, y).objective_path_[-1]
    settings = {"max_iter": 0, "online_passes": passes, "n_shards": shards}
    with_it = objective(HybridLinearClassifier(**settings, **penalty).fit(X, y))
    without = objective(HybridLinearClassifier(**settings, alpha=0.0).fit(X, y))
    assert with_it - best < 0.5 * (without - best)


def test_learning_on_from_the_optimum_predicts_as_the_optimum_does(problem):
    X, y, _ = problem
    model = HybridLinearClassifier(alpha=2.0, l1=1.0).fit(X, y)
    before = model.coef_.copy()
    model.partial_fit(X[:1], y[:1], sample_weight=[1e-300])
    # Rounding of the penalties' map and of its inverse.
    np.testing.assert_allclose(model.coef_, before, rtol=1e-12, atol=1e-14)


def test_intercept_learns_as_a_constant_feature(problem):
    X, y, _ = problem
    wide = sparse.hstack([X, np.ones((X.shape[0], 1))]).tocsr()
    # The penalties would spare the one and not the other.
    built_in = HybridLinearClassifier(max_iter=0, alpha=0.0).fit(X, y)
    by_hand = HybridLinearClassifier(max_iter=0, alpha=0.0, fit_intercept=False).fit(wide, y)
    # The sums run in another order.
    np.testing.assert_allclose(np.append(built_in.coef_, built_in.intercept_), by_hand.coef_[0], atol=1e-12)


@pytest.mark.parametrize("l1", [0.0, 0.5])
def test_partial_fit_goes_on_where_it_stood(problem, l1):
    X, y, _ = problem
    once = HybridLinearClassifier(max_iter=0, normalized=True, l1=l1).fit(X, y)
    parts = HybridLinearClassifier(normalized=True, l1=l1)
    for a, b in ((0, 10), (10, 700), (700, 1500)):
        parts.partial_fit(X[a:b], y[a:b], classes=[0, 1])
    np.testing.assert_allclose(parts.coef_, once.coef_, rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match=r"holds \[7\], not among the classes \[0, 1\]"):
        parts.partial_fit(X[:2], [7, 7])
    with pytest.raises(ValueError, match="needs classes"):
        HybridLinearClassifier().partial_fit(X, y)


def test_learners_are_averaged_by_confidence():
    w, G = np.array([[1.0, 2.0, 0.0], [3.0, -2.0, 0.0]]), np.array([[1.0, 4.0, 1.0], [3.0, 4.0, 1.0]])
    shares = [[g, g * v, g * g, np.zeros(3), np.zeros(2), np.zeros(3)] for v, g in zip(w, G)]
    state, _ = averaged(combine_shares(*shares), np.float64)
    # Equation 2 by hand: (1*1 + 3*3) / 4 and (4*2 - 4*2) / 8; confidences (1 + 9) / 4 and (16 + 16) / 8.
    np.testing.assert_allclose(state.table[:, loops.WEIGHT], [2.5, 0.0, 0.0])
    np.testing.assert_allclose(state.table[:, loops.SQUARES], [2.5, 4.0, 1.0])
    alone, _ = averaged(shares[0], np.float64)
    np.testing.assert_allclose(alone.table[:, loops.WEIGHT], w[0])
    np.testing.assert_allclose(alone.table[:, loops.SQUARES], G[0])


def test_unseen_features_stay_at_zero(problem):
    X, y, _ = problem
    wide = sparse.hstack([X, sparse.csr_matrix((X.shape[0], 3))]).tocsr()
    model = HybridLinearClassifier(n_shards=3, alpha=0.0, max_iter=3).fit(wide, y)
    np.testing.assert_array_equal(model.coef_[0, -3:], 0.0)


@pytest.mark.parametrize("length", [0, 1, 1000])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 16])
def test_tree_of_sums_is_the_sum_whatever_the_number_of_shards(count, length):
    parts = np.random.default_rng(count).normal(size=(count, length))
    # Each of at most 4 levels of the tree and each of 15 additions in a row rounds once.
    np.testing.assert_allclose(tree_reduce(list(parts), np.add), parts.sum(axis=0), rtol=0, atol=16 * 2e-16 * 4)
    names = tree_reduce([str(i) for i in range(count)], lambda a, b: f"({a}{b})")
    level = [str(i) for i in range(count)]
    while len(level) > 1:
        level = [f"({''.join(level[i : i + 2])})" if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    assert names == level[0]


def zipf_problem(n=4000, s=12, d=1 << 14, seed=0):
    """Categorical features with frequencies of Zipf's law, labels of a sparse logistic rule."""
    rng = np.random.default_rng(seed)
    indices = np.minimum(rng.zipf(1.4, (n, s)), d) - 1
    X = sparse.csr_matrix((np.ones(n * s), indices.ravel(), np.arange(0, n * s + 1, s)), shape=(n, d))
    X.sum_duplicates()
    w = rng.normal(size=d) * (rng.random(d) < 0.3)
    return X, np.where(X @ w + rng.logistic(size=n) > 0, 1, -1)


def test_one_online_pass_saves_iterations():
    # The gain is of the order of log(n / m) passes (Section 4.1): n must be large.
    X, y = zipf_problem(n=20_000)
    paths = {}
    for passes in (0, 1):
        paths[passes] = HybridLinearClassifier(online_passes=passes, max_iter=7, n_shards=2).fit(X, y).objective_path_
    assert np.all(np.diff(paths[1]) <= 0)
    # After t iterations and the online pass, against t + 1 iterations from zero.
    assert all(paths[1][t] < paths[0][t + 1] for t in range(1, 6))


def test_files_give_the_optimum_of_the_matrix_for_any_number_of_shards(files):
    pattern, X, y = files
    peer = LogisticRegression(C=1.0, tol=1e-12, max_iter=10_000).fit(X, y)
    for shards in (1, 3, 7):
        model = HybridLinearClassifier(bits=7, n_shards=shards, n_jobs=2).fit_files(pattern)
        np.testing.assert_allclose(model.coef_[0, :120], peer.coef_[0], atol=1e-5)
        np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-5)
        np.testing.assert_array_equal(model.coef_[0, 120:], 0.0)


def test_files_are_scored_as_the_matrix_is_and_models_saved(files, tmp_path):
    pattern, X, y = files
    model = HybridLinearClassifier(bits=7, max_iter=5).fit_files(pattern)
    save_model(model, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops").model
    found = loaded.evaluate_files(pattern)
    scores = X @ model.coef_[0, :120] + model.intercept_[0]
    assert found.examples == 1500
    np.testing.assert_allclose(found.loss, np.logaddexp(0, -(2 * y - 1) * scores).mean(), rtol=1e-6)
    np.testing.assert_allclose(found.score, np.mean((scores > 0) == y), rtol=1e-6)
    in_order = np.concatenate([part for _, part in loaded.scores_of_files(pattern)])
    np.testing.assert_allclose(in_order, scores, atol=1e-6)


def test_lines_left_out_of_a_test_are_counted(files, tmp_path):
    pattern, _, _ = files
    model = HybridLinearClassifier(bits=7, max_iter=1).fit_files(pattern, on_error="skip")
    (tmp_path / "test.vw").write_text("1 | 3\noops\n0 | 4\n")
    found = model.evaluate_files(tmp_path / "test.vw")
    assert (found.examples, found.skipped, model.skipped_) == (2, 1, 0)


def test_second_fit_from_the_cache_gives_the_same_bits(files, monkeypatch):
    pattern, _, _ = files
    first = HybridLinearClassifier(bits=7).fit_files(pattern)
    monkeypatch.setattr(
        "treatise.io.streams.stream.text_chunks", lambda *a, **k: pytest.fail("the text was parsed again")
    )
    np.testing.assert_array_equal(HybridLinearClassifier(bits=7).fit_files(pattern).coef_, first.coef_)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("cache", [False, True])
def test_memory_does_not_grow_with_the_examples(tmp_path, monkeypatch, cache):
    monkeypatch.setattr(lines, "BLOCK", 1 << 12)
    shards = sorted(tmp_path.glob("part-*.vw"))
    peaks = []
    for copies in (1, 1, 8):  # the first time is for what is loaded once
        gc.collect()
        tracemalloc.start()
        HybridLinearClassifier(bits=16, max_iter=2).fit_files(shards * copies, cache=cache)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.05 * peaks[1]


@pytest.mark.parametrize("labels", [("1", "2"), ("0", "-1"), ("3", "3")])
def test_labels_that_are_no_two_classes_are_refused(tmp_path, labels):
    path = tmp_path / "d.vw"
    path.write_text("".join(f"{label} |f a\n" for label in labels))
    with pytest.raises(TreatiseError, match="labels must be -1 and 1, or 0 and 1"):
        HybridLinearClassifier().fit_files(path)


def test_label_that_is_no_class_is_named_by_its_line_or_left_out(tmp_path):
    path = tmp_path / "d.vw"
    path.write_text("1 |f a\n0 |f b\n7 |f a\n")
    with pytest.raises(TreatiseError, match="line 3: the label is 7"):
        HybridLinearClassifier().fit_files(path)
    assert HybridLinearClassifier(bits=7).fit_files(path, on_error="skip").skipped_ == 1
    path.write_text("1 |f a\n-2 |f b\n")
    with pytest.raises(TreatiseError, match="line 2: the label is -2; labels must be from 0 on"):
        HybridLinearRegressor(loss="poisson").fit_files(path)


def test_run_broken_off_after_any_pass_ends_in_the_same_bits(files, tmp_path, monkeypatch):
    pattern, _, _ = files
    settings = {"bits": 7, "n_shards": 2, "online_passes": 2, "max_iter": 6, "memory": 3}
    whole = HybridLinearClassifier(**settings).fit_files(pattern)
    write = Checkpoint.write
    folder, survived = tmp_path / "run", 0
    for _ in range(60):
        # Each run writes two files more, a pair and the state that names it, and breaks off in the next.
        left = [2]

        def break_off(self, name, left=left, **arrays):
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            write(self, name, **arrays)

        monkeypatch.setattr(Checkpoint, "write", break_off)
        try:
            resumed = HybridLinearClassifier(**settings).fit_files(pattern, checkpoint=folder)
            break
        except KeyboardInterrupt:
            survived += 1
    assert survived > 4
    np.testing.assert_array_equal(resumed.coef_, whole.coef_)
    assert resumed.objective_path_ == whole.objective_path_


def test_killed_process_is_taken_up_to_the_same_bits(files, tmp_path):
    pattern, _, _ = files
    settings = {"bits": 7, "n_shards": 3, "max_iter": 12, "alpha": 0.3}
    script = f"""
        import os, signal
        from treatise.linear import HybridLinearClassifier
        from treatise.linear.hybrid._checkpoint import Checkpoint
        save = Checkpoint.save_batch
        def killing(self, state, *rest):
            if state.iteration == 4:
                os.kill(os.getpid(), signal.SIGKILL)
            save(self, state, *rest)
        Checkpoint.save_batch = killing
        HybridLinearClassifier(**{settings!r}).fit_files({pattern!r}, checkpoint={str(tmp_path / "run")!r})
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert ended.returncode == -9
    resumed = HybridLinearClassifier(**settings).fit_files(pattern, checkpoint=tmp_path / "run")
    whole = HybridLinearClassifier(**settings).fit_files(pattern)
    np.testing.assert_array_equal(resumed.coef_, whole.coef_)
    assert resumed.objective_path_ == whole.objective_path_


@pytest.mark.parametrize("phases", [{"online_passes": 2, "max_iter": 0}, {"online_passes": 0, "max_iter": 3}])
def test_run_taken_up_after_its_last_pass_tells_what_the_whole_one_told(files, tmp_path, phases):
    pattern, _, _ = files
    (tmp_path / "part-3.vw").write_text("oops\n1 | 3\n")
    settings = {"checkpoint": tmp_path / "run", "on_error": "skip", "cache": False}
    whole = HybridLinearClassifier(bits=7, **phases).fit_files(pattern, **settings)
    resumed = HybridLinearClassifier(bits=7, **phases).fit_files(pattern, **settings)
    np.testing.assert_array_equal(resumed.coef_, whole.coef_)
    np.testing.assert_equal(resumed.progressive_loss_, whole.progressive_loss_)
    assert (resumed.skipped_, resumed.complaints_) == (whole.skipped_, whole.complaints_)
    assert resumed.skipped_ == 1
    assert "'oops' stands where the label belongs" in resumed.complaints_[0]


def test_checkpoint_of_another_run_or_a_damaged_one_is_refused(files, tmp_path):
    pattern, _, _ = files
    HybridLinearClassifier(bits=7, max_iter=2).fit_files(pattern, checkpoint=tmp_path / "run")
    with pytest.raises(TreatiseError, match="belongs to another run"):
        HybridLinearClassifier(bits=7, max_iter=2, alpha=3.0).fit_files(pattern, checkpoint=tmp_path / "run")
    (tmp_path / "run" / "batch.npz").write_bytes(b"PK nonsense")
    with pytest.raises(TreatiseError, match="is damaged"):
        HybridLinearClassifier(bits=7, max_iter=2).fit_files(pattern, checkpoint=tmp_path / "run")


@pytest.mark.parametrize(("n_shards", "cache"), [(1, False), (2, True)])
def test_pass_that_is_broken_off_within_is_taken_up_to_the_same_bits(files, tmp_path, monkeypatch, n_shards, cache):
    pattern, _, _ = files
    monkeypatch.setattr(lines, "BLOCK", 1 << 10)
    settings = {"bits": 7, "max_iter": 0, "online_passes": 2, "normalized": True, "n_shards": n_shards}
    whole = HybridLinearClassifier(**settings).fit_files(pattern, cache=cache)
    # A clock of our own: every chunk is due, and the run breaks off after forty of them.
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr(checkpoints, "clock", lambda: float(next(hours)))
    monkeypatch.setattr(checkpoints, "_SHARE", 0.0)
    keep, kept = checkpoints.PassMoments.keep, []

    def break_off(self, state, counts):
        keep(self, state, counts)
        kept.append(int(counts[0]))
        if len(kept) % 40 == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints.PassMoments, "keep", break_off)
    broken = 0
    while True:
        try:
            resumed = HybridLinearClassifier(**settings).fit_files(pattern, cache=cache, checkpoint=tmp_path / "run")
            break
        except KeyboardInterrupt:
            broken += 1
    assert broken > 3
    # No chunk was learned from twice.
    assert len(kept) == 2 * sum(1 for _ in Stream(pattern, bits=7))
    np.testing.assert_array_equal(resumed.coef_, whole.coef_)
    assert resumed.progressive_loss_ == whole.progressive_loss_
    assert not list((tmp_path / "run").glob("within-*"))


def test_a_checkpoint_has_one_fit_at_a_time(files, tmp_path):
    pattern, _, _ = files
    model = HybridLinearClassifier(bits=7, max_iter=2)
    first = Checkpoint(tmp_path / "run", {})
    with pytest.raises(HeldError, match=r"the checkpoint .* is in use by process"):
        model.fit_files(pattern, checkpoint=tmp_path / "run")
    first.close()
    model.fit_files(pattern, checkpoint=tmp_path / "run")
    model.fit_files(pattern, checkpoint=tmp_path / "run")


@pytest.mark.parametrize("seen", [1, 10**6])
def test_a_moment_at_no_end_of_a_chunk_is_refused(files, tmp_path, seen):
    pattern, _, _ = files
    settings = Settings(LogisticLoss(), 128, True)
    state = OnlineState.fresh(settings, 1.0, np.float32)
    record = Checkpoint(tmp_path / "run", {})
    record.write("within-0-0.npz", table=state.table, totals=state.totals, counts=np.array([seen, 0.0, 0, 0, 0]))
    with pytest.raises(TreatiseError, match="no end of a chunk"):
        learn_online(Stream(pattern, bits=7), state, settings, moments=record.moments_of(0)(0))


def test_moments_within_a_pass_are_minutes_apart(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(checkpoints, "clock", lambda: now[0])
    moments = Checkpoint(tmp_path / "run", {}).moments_of(0)(0)
    state, counts = OnlineState(np.zeros((3, 3)), np.zeros(2)), np.zeros(5)
    for now[0] in np.arange(0.0, 600.0, 10.0):
        counts[0] += 1
        moments.keep(state, counts)
    assert moments.load(state)[0] == 49  # at 480 seconds, the fourth


@pytest.mark.parametrize("name", ["online.npz", "batch.npz", "diagonal.npz"])
def test_checkpoint_that_is_well_formed_but_foreign_is_refused(files, tmp_path, name):
    pattern, _, _ = files
    own, other = tmp_path / "own", tmp_path / "other"
    HybridLinearClassifier(bits=7, max_iter=2).fit_files(pattern, checkpoint=own)
    HybridLinearClassifier(bits=7, max_iter=2, alpha=3.0).fit_files(pattern, checkpoint=other)
    mine = (own / name).read_bytes()
    (own / name).write_bytes((other / name).read_bytes())
    with pytest.raises(TreatiseError, match="belongs to another run"):
        HybridLinearClassifier(bits=7, max_iter=2).fit_files(pattern, checkpoint=own)
    # The right name on the wrong arrays.
    (own / name).write_bytes(mine)
    with np.load(own / name) as archive:
        arrays = dict(archive)
    for key in ("table", "totals", "w", "gradient", "diagonal"):
        if key in arrays:
            np.savez(own / name, **{**arrays, key: np.zeros((4, 3))})
            with pytest.raises(TreatiseError, match=rf"is damaged .*{key} is not what it should be"):
                HybridLinearClassifier(bits=7, max_iter=2).fit_files(pattern, checkpoint=own)
            np.savez(own / name, **{k: v for k, v in arrays.items() if k != key})
            with pytest.raises(TreatiseError, match=f"is damaged .*{key}"):
                HybridLinearClassifier(bits=7, max_iter=2).fit_files(pattern, checkpoint=own)


ONE_CLASS = {
    "data.vw": "1 |a b\n1 |a c\n",
    "data.svm": "1 1:0.5\n1 2:1\n",
    "data.csv": "y,x\n1,2.5\n1,3.5\n",
}


@pytest.mark.parametrize("name", ONE_CLASS)
@pytest.mark.parametrize("phases", [{"online_passes": 1, "max_iter": 0}, {"online_passes": 0, "max_iter": 3}])
def test_files_of_one_class_are_refused(tmp_path, name, phases):
    (tmp_path / name).write_text(ONE_CLASS[name])
    target = "y" if name.endswith("csv") else None
    with pytest.raises(ValueError, match="all 2 examples are of one class, 1; a classifier needs examples of both"):
        HybridLinearClassifier(bits=7, **phases).fit_files(tmp_path / name, target=target, cache=False)
    # One file may hold one class where another holds the other.
    (tmp_path / name.replace("data", "more")).write_text(ONE_CLASS[name].replace("\n1", "\n-1"))
    HybridLinearClassifier(bits=7, n_shards=2, **phases).fit_files(
        [tmp_path / name, tmp_path / name.replace("data", "more")], target=target, cache=False
    )


def test_progress_has_a_line_for_every_power_of_two(files, capsys):
    pattern, _, _ = files
    HybridLinearClassifier(bits=7, max_iter=2, verbose=True).fit_files(pattern)
    lines_of = [line.split() for line in capsys.readouterr().err.splitlines()]
    batch = lines_of.index(["L-BFGS"])
    examples = [int(words[0]) for words in lines_of[2:batch]]
    assert examples == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1500]
    assert [int(words[0]) for words in lines_of[batch + 2 :]] == [0, 1, 2]
    assert float(lines_of[2][1]) == pytest.approx(np.log(2), abs=1e-6)


def test_progressive_loss_does_not_depend_on_chunks(files, monkeypatch):
    pattern, _, _ = files
    whole = HybridLinearClassifier(bits=7, max_iter=0, verbose=True).fit_files(pattern, cache=False)
    monkeypatch.setattr(lines, "BLOCK", 1 << 10)
    cut = HybridLinearClassifier(bits=7, max_iter=0).fit_files(pattern, cache=False)
    np.testing.assert_array_equal(whole.coef_, cut.coef_)
    assert whole.progressive_loss_ == pytest.approx(cut.progressive_loss_, rel=1e-12)


def test_bad_input_is_told(problem, tmp_path):
    X, y, _ = problem
    with pytest.raises(ValueError, match="exceeds the 3 rows"):
        HybridLinearClassifier(n_shards=4).fit(X[:3], [0, 1, 0])
    with pytest.raises(ValueError, match="counts, from 0 on"):
        HybridLinearRegressor("poisson").fit(X, -np.ones(len(y)))
    with pytest.raises(ValueError, match="online_passes=0 and max_iter=0 leave nothing to learn by"):
        HybridLinearClassifier(online_passes=0, max_iter=0).fit(X, y)
    (tmp_path / "empty.vw").write_text("")
    for phases in ({"max_iter": 0}, {"online_passes": 0}):
        with pytest.raises(ValueError, match="no example of positive weight"):
            HybridLinearClassifier(bits=7, **phases).fit_files(tmp_path / "empty.vw")
    with np.errstate(over="ignore", invalid="ignore"):
        for learn in ("fit", "partial_fit"):
            plain = HybridLinearRegressor(max_iter=0, adaptive=False, invariant=False)
            with pytest.raises(ValueError, match="online steps diverge: choose a smaller learning_rate"):
                getattr(plain, learn)(1e3 * X, y)
    with pytest.raises(TreatiseError, match="not fitted to files"):
        HybridLinearClassifier(max_iter=1).fit(X, y).evaluate_files("nothing.vw")
    with pytest.raises(ValueError, match="a cross is 2 letters"):
        HybridLinearClassifier(quadratic=("abc",)).fit_files(__file__)


def test_lone_learner_and_local_passes_agree_with_a_plain_sum(problem):
    X, y, _ = problem
    signs = 2.0 * y - 1
    shards = [MatrixShard(X, signs, np.ones(len(y)), a, b) for a, b in ((0, 500), (500, 1500))]
    passes = LocalPasses(shards, Settings(LogisticLoss(), 120, True), 2)
    w = np.random.default_rng(0).normal(size=121)
    p = X @ w[:-1] + w[-1]
    loss, gradient = passes.gradient(w)
    slope, bend = LogisticLoss().derivative(signs, p), LogisticLoss().curvature(signs, p)
    np.testing.assert_allclose(loss, LogisticLoss().value(signs, p).sum(), rtol=1e-12)
    np.testing.assert_allclose(gradient, np.append(X.T @ slope, slope.sum()), atol=1e-10)
    counts, diagonal = passes.diagonal(w)
    np.testing.assert_array_equal(counts, [1500, 0, 1500, 1500, np.count_nonzero(y)])
    np.testing.assert_allclose(diagonal, np.append(X.multiply(X).T @ bend, bend.sum()), atol=1e-10)
    v = np.random.default_rng(1).normal(size=121)
    np.testing.assert_allclose(passes.curvature(w, v), bend @ (X @ v[:-1] + v[-1]) ** 2, rtol=1e-10)
    assert OnlineState.fresh(passes.settings, 2.0, np.float32).table[0, loops.SQUARES] == 2.0


def test_iterations_that_do_not_suffice_are_told():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="raise max_iter, or scale the features"):
        model = HybridLinearClassifier().fit(X, y)
    assert not model.converged_
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        scaled = HybridLinearClassifier().fit((X - X.mean(axis=0)) / X.std(axis=0), y)
        online = HybridLinearClassifier(max_iter=0, normalized=True).fit(X, y)
    assert scaled.converged_ and online.status_ == "online"


def test_a_file_of_one_class_is_refused(tmp_path):
    path = tmp_path / "one.vw"
    path.write_text("1 | a b\n1 | b c\n1 | a\n")
    with pytest.raises(ValueError, match="one class"):
        HybridLinearClassifier().fit_files(path)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_rows_of_ones_are_learned_to_the_last_bit_as_among_other_rows(normalized, l2):
    """Values that are all 1 have a loop of their own; a row of weight 0 with a value of 2 sends them the long way."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 40), density=0.2, rng=rng, format="csr")
    X.data[:] = 1.0
    y = np.where(rng.random(300) < 0.4, 1.0, -1.0)
    settings = {"alpha": l2, "max_iter": 0, "normalized": normalized}
    longer = sparse.block_array([[X, None], [None, sparse.csr_array([[2.0]])]], format="csr")
    ones = HybridLinearClassifier(**settings).fit(X, y)
    among = HybridLinearClassifier(**settings).fit(
        longer, np.append(y, 1.0), sample_weight=np.append(np.ones(300), 0.0)
    )
    np.testing.assert_array_equal(ones.coef_[0], among.coef_[0, :-1])
    np.testing.assert_array_equal(ones.gradient_squares_[0, :-1], among.gradient_squares_[0, :-2])
    assert ones.intercept_ == among.intercept_
    assert np.abs(ones.coef_).max() > 0.1


@pytest.mark.parametrize("adaptive", [False, True])
def test_rows_of_ones_raise_smaller_scales_and_leave_larger_ones_to_the_last_bit_as_among_other_rows(adaptive):
    """As above, where the features had values of a half, of 1 and of 3 before."""
    rng = np.random.default_rng(1)
    X = sparse.random_array((300, 41), density=0.2, rng=rng, format="lil")
    X[:, 40] = 0.0
    X = sparse.csr_array(X)
    before, ones = X.copy(), X.copy()
    before.data[:] = np.array([0.5, 1.0, 3.0])[before.indices % 3]
    ones.data[:] = 1.0
    y = np.where(rng.random(300) < 0.4, 1.0, -1.0)
    other = sparse.csr_array(([2.0], ([0], [40])), shape=(1, 41))
    fitted = []
    for rows, weights in ((ones, np.ones(300)), (sparse.vstack([ones, other], format="csr"), np.r_[np.ones(300), 0.0])):
        model = HybridLinearClassifier(alpha=0.0, max_iter=0, normalized=True, adaptive=adaptive)
        model.fit(before, y)
        fitted.append(model.partial_fit(rows, np.r_[y, 1.0][: rows.shape[0]], sample_weight=weights))
    alone, among = fitted
    np.testing.assert_array_equal(alone.coef_[:, :40], among.coef_[:, :40])
    np.testing.assert_array_equal(alone.gradient_squares_[:, :40], among.gradient_squares_[:, :40])
    np.testing.assert_array_equal(alone.feature_scales_[:, :40], among.feature_scales_[:, :40])
    assert set(alone.feature_scales_[0, :40]) == {1.0, 3.0}
