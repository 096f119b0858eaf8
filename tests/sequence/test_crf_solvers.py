"""Training of conditional random fields by majorisation, from all sequences and from mini-batches."""

import pickle
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.base import clone

from treatise.io import load_model, save_model
from treatise.sequence import CRF
from treatise.sequence.crf._emissions import emissions_of
from treatise.sequence.crf._likelihood import ChainLikelihood, batch_of
from treatise.sequence.crf._majorized import conjugate_gradients, majorized_descent
from treatise.sequence.crf._semistochastic import _Absent, _step
from treatise.sequence.features import SequenceVectorizer


def words(n=40, seed=0):
    """Lists of names, with labels that the names and the label before tell apart, but for noise."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        labels = np.abs(np.cumsum(rng.integers(-1, 2, rng.integers(1, 7)))) % 4
        named = rng.integers(0, 12, len(labels)) * 4 + np.where(rng.random(len(labels)) < 0.8, labels, 0)
        X.append([["bias", f"w{name}", f"ends{name % 4}"] for name in named])
        y.append([f"L{label}" for label in labels])
    return X, y


def columns(n=40, seed=0):
    """Arrays, whose columns are of very different sizes."""
    rng = np.random.default_rng(seed)
    labels = [np.abs(np.cumsum(rng.integers(-1, 2, rng.integers(1, 8)))) % 3 for _ in range(n)]
    return [(np.eye(3)[y] + rng.normal(size=(len(y), 3))) * [1.0, 10.0, 0.1] for y in labels], [
        y.tolist() for y in labels
    ]


def likelihood(X, y, l2=1.0):
    """The objective, as the estimator makes it."""
    names = sorted({label for path in y for label in path})
    codes = np.array([names.index(label) for path in y for label in path])
    lengths = np.array([len(path) for path in y])
    if isinstance(X[0], np.ndarray):
        rows = np.hstack([np.concatenate(X), np.ones((len(codes), 1))])
    else:
        rows, _ = SequenceVectorizer().fit_transform(X)
    emissions = emissions_of(rows, codes, len(names), everywhere=False, min_count=1)
    pairs = np.array([(i, j) for i in range(len(names)) for j in range(len(names))])
    return ChainLikelihood(emissions, codes, lengths, pairs, l2)


@pytest.mark.parametrize("make", [words, columns])
@pytest.mark.parametrize("solver", ["majorized", "semistochastic"])
@pytest.mark.parametrize("l2", [0.3, 30.0])
def test_every_solver_ends_at_the_optimum_of_lbfgs(make, solver, l2):
    X, y = make()
    best = CRF(l2=l2, tol=1e-12, max_iter=2000).fit(X, y)
    found = CRF(l2=l2, solver=solver, tol=1e-9, max_iter=1000, random_state=0).fit(X, y)
    assert found.objective_path_[-1] == pytest.approx(best.objective_path_[-1], rel=1e-6)
    assert found.predict(X) == best.predict(X)
    # The objective bends by l2 at least: an excess of 1e-6 leaves weights within sqrt(2e-6 f / l2).
    close = np.sqrt(2e-6 * best.objective_path_[-1] / l2)
    for pair, weight in best.transition_features_.items():
        assert found.transition_features_[pair] == pytest.approx(weight, abs=close)
    for pair, weight in best.state_features_.items():
        assert found.state_features_[pair] == pytest.approx(weight, abs=close)


@pytest.mark.parametrize("make", [words, columns])
@pytest.mark.parametrize("l2", [0.0, 0.1, 100.0])
def test_majorised_objectives_never_rise(make, l2):
    X, y = make()
    crf = CRF(l2=l2, solver="majorized", tol=0.0, max_iter=60).fit(X, y)
    assert len(crf.objective_path_) > 10
    assert np.all(np.diff(crf.objective_path_) <= 0.0)
    assert len(crf.passes_) == len(crf.objective_path_) == crf.n_iter_ + 1
    assert np.all(np.diff(crf.passes_) >= 1.0)


@pytest.mark.parametrize("make", [words, columns])
@pytest.mark.parametrize("l2", [1.0, 10.0])
def test_momentum_that_carries_too_far_is_given_up_and_not_the_descent(make, l2):
    X, y = make()
    best = CRF(l2=l2, tol=1e-13, max_iter=3000).fit(X, y).objective_path_[-1]
    # Both to rounding: only a descent that ends where momentum first fails stays above.
    assert CRF(l2=l2, solver="majorized", tol=0.0).fit(X, y).objective_path_[-1] == pytest.approx(best, rel=1e-11)


@pytest.mark.parametrize("make", [words, columns])
def test_plain_steps_never_rise_either_and_are_slower(make):
    problem = likelihood(*make(), l2=1.0)
    start = np.zeros(problem.n_weights)
    plain, eased = (
        majorized_descent(problem, start, max_iter=15, tol=0.0, advance=lambda steps: None, accelerate=accelerate)
        for accelerate in (False, True)
    )
    assert np.all(np.diff(plain.path) < 0.0)
    assert plain.passes == list(range(1, 17))
    assert eased.path[-1] < plain.path[-1]


@pytest.mark.parametrize("make", [words, columns])
def test_the_curvature_over_weights_bounds_the_objective(make):
    problem, rng = likelihood(*make(n=8), l2=0.5), np.random.default_rng(0)
    for _ in range(10):
        w = rng.normal(size=problem.n_weights)
        value, gradient = problem.objective(w)
        curvature = problem.curvature(w)
        for _ in range(10):
            move = 10 ** rng.uniform(-2, 1) * rng.normal(size=problem.n_weights)
            image = curvature.product(move) + problem.l2 * move
            above = value + gradient @ move + 0.5 * move @ image
            assert problem.objective(w + move)[0] <= above * (1 + 1e-12)


@pytest.mark.parametrize("make", [words, columns])
def test_a_batch_of_all_is_the_whole_and_batches_add_up(make):
    problem = likelihood(*make(n=20), l2=2.0)
    rng = np.random.default_rng(0)
    w, move = rng.normal(size=(2, problem.n_weights))
    value, gradient = problem.objective(w)
    order = rng.permutation(20)
    parts = [batch_of(problem, order[:5]), batch_of(problem, order[5:])]
    assert sum(part.objective(w)[0] for part in parts) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(sum(part.objective(w)[1] for part in parts), gradient, rtol=1e-9, atol=1e-9)
    # Springs are kept in single precision.
    np.testing.assert_allclose(
        sum(part.curvature(w).product(move) for part in parts), problem.curvature(w).product(move), rtol=1e-5, atol=1e-5
    )
    np.testing.assert_allclose(
        parts[0].curvature(w, scale=4.0).product(move), 4.0 * parts[0].curvature(w).product(move), rtol=1e-12
    )


def test_conjugate_gradients_lower_the_quadratic_with_every_iteration():
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(12, 12))
    matrix, target = factor @ factor.T, rng.normal(size=12)
    values = []
    for n_inner in range(1, 13):
        x = conjugate_gradients(lambda v: matrix @ v, target, np.diag(matrix), n_inner)
        values.append(0.5 * x @ matrix @ x - target @ x)
        # At its end the quadratic is half its slope below zero, which the step relies on.
        assert values[-1] == pytest.approx(-0.5 * target @ x)
    assert np.all(np.diff([0.0, *values]) <= 1e-12)
    np.testing.assert_array_equal(conjugate_gradients(lambda v: 0.0 * v, target, np.zeros(12), 3), np.zeros(12))


def test_mini_batches_are_far_down_after_a_pass_and_the_same_for_a_seed():
    X, y = words(n=300)
    runs = [CRF(solver="semistochastic", random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(runs[0].objective_path_, runs[1].objective_path_)
    assert not np.array_equal(runs[0].objective_path_, runs[2].objective_path_)
    assert runs[0].passes_[1] < 4
    start, best = runs[0].objective_path_[[0, -1]]
    assert runs[0].objective_path_[1] < best + 0.5 * (start - best)
    assert runs[0].n_iter_ > len(runs[0].objective_path_)


def test_a_step_leaves_weights_of_words_that_its_batch_does_not_hold():
    """Without curvature of their own they would all but vanish with every step; their share of a pass is 5 / 300."""
    problem = likelihood(*words(n=300), l2=1.0)
    drawn = np.arange(5)
    held = batch_of(problem, drawn).squares() > 0.0
    w = np.zeros(problem.n_weights)
    w[: len(held)][~held] = 1.0
    moved = _step(problem, w, drawn, _Absent(problem), 1.0).w[: len(held)][~held]
    assert len(moved) > 20
    assert 0.9 < moved.min() <= moved.max() < 1.0


def test_few_sequences_make_no_batches():
    X, y = words(n=4)
    found = [CRF(solver=solver, random_state=0).fit(X, y) for solver in ("majorized", "semistochastic")]
    np.testing.assert_array_equal(found[0].pattern_weights_, found[1].pattern_weights_)


def test_iterations_and_batches_end_at_max_iter():
    X, y = words(n=60)
    for solver in ("majorized", "semistochastic"):
        assert CRF(solver=solver, max_iter=3, random_state=0).fit(X, y).n_iter_ == 3


def test_a_hundred_thousand_weights_need_no_matrix_of_their_square():
    # Its square would be 80 gigabytes.
    rng = np.random.default_rng(0)
    X = [[[f"{name}" for name in rng.integers(0, 10**6, 400)] for _ in range(5)] for _ in range(50)]
    y = [rng.integers(0, 3, 5).tolist() for _ in range(50)]
    crf = CRF(solver="majorized", max_iter=2).fit(X, y)
    assert crf.coef_.nnz > 90_000
    assert crf.objective_path_[-1] < crf.objective_path_[0]


def test_one_label_one_position_and_pairs_that_never_occur():
    for solver in ("majorized", "semistochastic"):
        crf = CRF(solver=solver).fit([[{"a": 1}], [{"b": 1}]], [["x"], ["x"]])
        assert crf.predict([[{"c": 1}, {}]]) == [["x", "x"]]
        crf = CRF(solver=solver).fit([[{"a": 1}], [{"b": 1}]], [["x"], ["z"]])
        assert crf.predict([[{"a": 1}], [{"b": 1}]]) == [["x"], ["z"]]
        X, y = words()
        assert len(CRF(solver=solver, all_transitions=True, max_iter=3).fit(X, y).patterns_) == 16


def test_models_are_copied_pickled_and_saved(tmp_path):
    X, y = words()
    crf = CRF(solver="semistochastic", random_state=3).fit(X, y)
    assert clone(crf).get_params() == crf.get_params()
    save_model(crf, tmp_path / "crf.skops", metadata={"task": "tags"})
    for again in (pickle.loads(pickle.dumps(crf)), load_model(tmp_path / "crf.skops").model):
        assert again.predict(X) == crf.predict(X)
        np.testing.assert_array_equal(again.passes_, crf.passes_)


@pytest.mark.parametrize("solver", ["majorized", "semistochastic"])
def test_progress_is_told_of_every_iteration(solver, monkeypatch):
    steps = []

    @contextmanager
    def recorded(description, total, *, show):
        assert (description, total, show) == ("CRF", 200, True)
        yield steps.append

    monkeypatch.setattr("treatise.sequence.crf.crf.progress", recorded)
    X, y = words()
    assert CRF(solver=solver, verbose=True, random_state=0).fit(X, y).n_iter_ == sum(steps)


def test_passes_of_lbfgs_are_its_evaluations():
    X, y = words()
    crf = CRF().fit(X, y)
    assert len(crf.passes_) == len(crf.objective_path_)
    assert crf.passes_[0] == 1.0
    assert np.all(np.diff(crf.passes_) >= 1.0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"l1": 0.5, "solver": "majorized"}, "l1=0.5 needs solver='lbfgs'"),
        ({"l1": 0.5, "solver": "semistochastic"}, "l1=0.5 needs solver='lbfgs'"),
        ({"order": 2, "solver": "majorized"}, "order=2 needs solver='lbfgs'"),
        ({"solver": "newton"}, "'solver' parameter"),
    ],
)
def test_what_a_solver_cannot_do_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        CRF(**parameters).fit(*words(n=4))
