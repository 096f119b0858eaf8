"""Threshold neurons against all neurons, on samples small enough to try them all."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import OptimizeResult
from sklearn.exceptions import ConvergenceWarning

from treatise.optimize.two_sat import components_in_order
from treatise.theory import (
    fit_threshold_neuron,
    neuron_complexity,
    sample_measures,
    sample_of_one_in_three,
    sample_of_vertex_cover,
    two_sat,
)
from treatise.theory.threshold_neurons import fitting


def least_error(X, y, weights=None, max_threshold=None):
    """The least error of any neuron with weights 0 and 1."""
    n, d = X.shape
    counts = np.ones(n) if weights is None else weights
    sums = X @ np.array(list(product((0, 1), repeat=d))).T
    thresholds = range((d + 1 if max_threshold is None else max_threshold) + 1)
    return min(float(np.min(counts @ ((sums >= t) != y[:, np.newaxis]))) for t in thresholds)


def drawn(rng, sparseness, d=5, n=None):
    """A random sample; some vectors are drawn twice and may contradict each other."""
    n = rng.integers(1, 9) if n is None else n
    X = np.zeros((n, d), dtype=int)
    for row in X:
        row[rng.choice(d, rng.integers(0, sparseness + 1), replace=False)] = 1
    return X, rng.integers(0, 2, n)


@pytest.mark.parametrize("max_threshold", [None, 0, 1, 2, 3])
def test_sparse_samples_are_consistent_just_where_some_neuron_is(max_threshold):
    rng, found = np.random.default_rng(0), 0
    for _ in range(700):
        X, y = drawn(rng, 3)
        neuron = fit_threshold_neuron(X, y, max_threshold=max_threshold, solver="linear")
        assert (neuron is not None) == (least_error(X, y, max_threshold=max_threshold) == 0)
        if neuron is not None:
            found += 1
            np.testing.assert_array_equal(neuron.predict(X), y)
            assert neuron.consistent and neuron.optimal and set(neuron.weights) <= {0.0, 1.0}
            assert max_threshold is None or neuron.threshold <= max_threshold
    assert 50 < found < 650


def test_every_threshold_of_the_sparse_cases_is_needed():
    only_three = [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]], [1, 0, 0, 0]
    only_two = [[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], [1, 1, 1, 0, 0, 0]
    for (X, y), threshold in ((only_three, 3), (only_two, 2), (([[1, 0], [0, 1]], [1, 0]), 1), (([[1, 0]], [1]), 0)):
        assert fit_threshold_neuron(X, y).threshold == threshold


def apart(rng, d=7):
    """A sample whose different vectors share no one; some twice, with either label, one perhaps without ones."""
    cuts = np.sort(rng.choice(np.arange(1, d), rng.integers(1, 4), replace=False))
    vectors = [np.isin(np.arange(d), part).astype(int) for part in np.split(np.arange(d), cuts)]
    vectors = vectors + [np.zeros(d, dtype=int)]
    X = np.array([vectors[k] for k in rng.integers(0, len(vectors), rng.integers(1, 9))])
    return X, rng.integers(0, 2, len(X))


@pytest.mark.parametrize("max_threshold", [None, 0, 1])
def test_samples_without_overlap_are_fitted_as_well_as_by_any_neuron(max_threshold):
    rng = np.random.default_rng(1)
    for _ in range(700):
        X, y = apart(rng)
        weights = rng.integers(1, 4, len(y)).astype(float)
        neuron = fit_threshold_neuron(
            X, y, task="max", max_threshold=max_threshold, solver="linear", sample_weight=weights
        )
        assert neuron.error == least_error(X, y, weights, max_threshold)
        assert neuron.error == weights @ (neuron.predict(X) != y)


def test_the_neuron_that_always_fires_may_be_the_best():
    X, y = np.array([[0, 1], [1, 0], [1, 0], [0, 0]]), np.array([1, 0, 1, 1])
    neuron = fit_threshold_neuron(X, y, task="max")
    assert neuron.error == 1 and neuron.threshold == 0


def test_any_weights_lose_one_example_for_each_contradiction():
    rng = np.random.default_rng(2)
    for _ in range(500):
        X, y = apart(rng)
        X, y = (part[np.unique(np.c_[X, y], axis=0, return_index=True)[1]] for part in (X, y))  # a set, as in the paper
        neuron = fit_threshold_neuron(X, y, model="real", task="max")
        assert neuron.error == sample_measures(X, y).n_contradictions


def test_integer_programs_agree_with_brute_force():
    rng = np.random.default_rng(3)
    for _ in range(25):
        X, y = drawn(rng, 5, n=12)
        neuron = fit_threshold_neuron(X, y, task="max", solver="milp")
        assert neuron.optimal and neuron.error == least_error(X, y) == np.sum(neuron.predict(X) != y)
        bounded = fit_threshold_neuron(X, y, task="max", solver="milp", max_threshold=1)
        assert bounded.error == least_error(X, y, max_threshold=1)
        assert (fit_threshold_neuron(X, y, solver="milp") is None) == (least_error(X, y) > 0)


def test_separable_samples_are_separated_and_others_are_not():
    rng = np.random.default_rng(4)
    for _ in range(30):
        X = np.unique(rng.integers(0, 2, (12, 4)), axis=0)
        y = (X @ rng.normal(size=4) >= rng.normal()).astype(int)
        neuron = fit_threshold_neuron(X, y, model="real")
        np.testing.assert_array_equal(neuron.predict(X), y)
    parity = np.array(list(product((0, 1), repeat=2)))
    assert fit_threshold_neuron(parity, parity.sum(axis=1) % 2, model="real") is None


def test_the_best_neuron_of_a_vertex_cover_sample_tells_the_smallest_cover():
    rng = np.random.default_rng(5)
    for _ in range(12):
        n = int(rng.integers(3, 7))
        edges = [pair for pair in combinations(range(n), 2) if rng.random() < 0.5] or [(0, 1)]
        cover = next(
            k for k in range(n + 1)
            if any(all(set(edge) & set(chosen) for edge in edges) for chosen in combinations(range(n), k))
        )  # fmt: skip
        X, y = sample_of_vertex_cover(edges, n)
        assert fit_threshold_neuron(X, y, task="max").error == cover
        measures = sample_measures(X, y)
        assert measures.sparseness == 2 and measures.coincidence <= 1 and measures.n_contradictions == 0
        assert neuron_complexity(X, y, task="max").verdict == "np-complete"


@pytest.mark.parametrize(
    "triples", [[(0, 1, 2), (0, 3, 4), (1, 3, 5), (2, 4, 5)], list(combinations(range(4), 3)), [(0, 1, 2)]]
)
def test_one_in_three_samples_are_consistent_just_where_an_assignment_exists(triples):
    n = max(map(max, triples)) + 1
    answers = [v for v in product((0, 1), repeat=n) if all(sum(v[i] for i in triple) == 1 for triple in triples)]
    X, y = sample_of_one_in_three(triples, n)
    neuron = fit_threshold_neuron(X, y)
    assert (neuron is not None) == bool(answers)
    if neuron is not None:
        assert tuple(neuron.weights[:n].astype(int)) in answers and neuron.threshold == 2
    assert sample_measures(X, y).sparseness == 4


def test_complexity_is_that_of_the_table():
    pair, triple, four = (
        ([[1, 1, 0, 0], [0, 1, 1, 0]],),
        ([[1, 1, 1, 0], [0, 1, 1, 0]],),
        ([[1, 1, 1, 1], [0, 1, 1, 0]],),
    )
    apart = ([[1, 1, 1, 1, 0], [0, 0, 0, 0, 1]],)

    def verdict(rows, **question):
        return neuron_complexity(rows[0], [1, 0], **question).verdict

    assert [verdict(rows) for rows in (pair, triple, four, apart)] == ["linear", "linear", "np-complete", "linear"]
    assert verdict(four, max_threshold=1) == "linear" and verdict(four, max_threshold=2) == "np-complete"
    assert verdict(pair, task="max") == "np-complete" and verdict(apart, task="max") == "linear"
    assert verdict(pair, task="max", max_threshold=0) == "linear"
    assert verdict(four, model="real") == "polynomial" and verdict(pair, model="real", task="max") == "np-complete"


def test_coincidence_is_the_largest_product_of_different_vectors():
    rng = np.random.default_rng(6)
    for _ in range(50):
        X, y = drawn(rng, 4, n=6)
        different = np.unique(X, axis=0)
        products = [int(a @ b) for a, b in combinations(different, 2)]
        assert sample_measures(X, y).coincidence == max(products, default=0)


def test_two_sat_agrees_with_brute_force():
    rng, satisfiable = np.random.default_rng(7), 0
    for _ in range(1500):
        n, m = int(rng.integers(1, 8)), int(rng.integers(0, 16))
        clauses = (rng.integers(1, n + 1, (m, 2)) * rng.choice([-1, 1], (m, 2))).reshape(-1, 2)
        found = two_sat(n, clauses)

        def holds(values, clauses=clauses):
            return bool(np.all(np.any(values[np.abs(clauses) - 1] == (clauses > 0), axis=1)))

        exists = any(holds(np.array(values, dtype=bool)) for values in product((0, 1), repeat=n))
        assert (found is not None) == exists and (found is None or holds(found))
        satisfiable += exists
    assert 300 < satisfiable < 1400


def test_long_chains_of_implications_need_no_recursion():
    n = 200_000
    clauses = np.stack([-np.arange(1, n), np.arange(2, n + 1)], axis=1)
    assert two_sat(n, np.vstack([clauses, [1, 1]])).all()
    assert two_sat(n, np.vstack([clauses, [[1, 1], [-n, -n]]])) is None


def test_components_come_in_reverse_order_of_reach():
    graph = sparse.csr_array(np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0]]))
    found = components_in_order(graph.indptr.astype(np.int64), graph.indices.astype(np.int64))
    np.testing.assert_array_equal(found, [2, 1, 1, 0])


def test_weights_and_repeated_rows_count_alike_and_sparse_equals_dense():
    X, y = np.array([[1, 1], [0, 1], [1, 1]]), np.array([1, 1, 0])
    heavy = fit_threshold_neuron(X, y, task="max", sample_weight=[3, 1, 1])
    repeated = fit_threshold_neuron(np.vstack([X, X[:1], X[:1]]), np.r_[y, 1, 1], task="max")
    thin = fit_threshold_neuron(sparse.csc_matrix(np.vstack([X, X[:1], X[:1]])), np.r_[y, 1, 1], task="max")
    assert heavy.error == repeated.error == thin.error == 1


@pytest.mark.parametrize(
    ("X", "y", "options", "said"),
    [
        ([[0.5, 1]], [1], {}, "zeros and ones; X holds 0.5"),
        ([[np.nan, 1]], [1], {}, "zeros and ones"),
        ([[1, 0]], [2], {}, "labels must be 0 and 1"),
        ([[1, 0]], [1, 0], {}, "one label for each"),
        (np.empty((0, 2)), [], {}, "one example"),
        ([[1, 0]], [1], {"max_threshold": -1}, "max_threshold"),
        ([[1, 0]], [1], {"model": "any"}, "'binary' or 'real'"),
        ([[1, 0]], [1], {"task": "all"}, "'consistent' or 'max'"),
        ([[1, 0]], [1], {"solver": "brute"}, "'auto', 'linear' or 'milp'"),
        ([[1, 1, 0], [0, 1, 1]], [1, 0], {"task": "max", "solver": "linear"}, "hard case of Theorem 3"),
        ([[1, 1, 0], [0, 1, 1]], [1, 0], {"task": "max", "model": "real"}, "LinearSVC"),
        ([[1, 0]], [1], {"model": "real", "solver": "milp"}, "is for model='binary'"),
    ],
)
def test_bad_input_is_told(X, y, options, said):
    with pytest.raises(ValueError, match=said):
        fit_threshold_neuron(X, y, **options)


def test_bad_clauses_and_groups_are_told():
    for clauses in ([(0, 1)], [(3, 1)], [(1, 2, 3)], [(1.5, 2.0)]):
        with pytest.raises(ValueError, match="clause"):
            two_sat(2, clauses)
    assert two_sat(2, []).shape == (2,)
    with pytest.raises(ValueError, match="places from 0 to 2"):
        sample_of_vertex_cover([(0, 3)], 3)
    with pytest.raises(ValueError, match="3 different members"):
        sample_of_one_in_three([(0, 0, 1)], 2)


def test_a_program_without_time_says_so(monkeypatch):
    X, y = [[1, 1, 0], [0, 1, 1]], [1, 0]
    stopped = OptimizeResult(status=1, x=np.zeros(3 + 1 + 2))
    monkeypatch.setattr(fitting, "milp", lambda *_, **__: stopped)
    with pytest.warns(ConvergenceWarning, match="a better neuron may exist"):
        neuron = fit_threshold_neuron(X, y, task="max")
    assert not neuron.optimal and neuron.error == 1  # it always fires
    stopped.x = None
    with pytest.raises(TimeoutError, match="longer time_limit"):
        fit_threshold_neuron(X, y, task="max")
