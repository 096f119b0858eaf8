"""Graphs of binary and of categorical variables."""

import itertools
import pickle

import numba
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from treatise.graphical import (
    IsingGraph,
    MultinomialGraph,
    MutualInformationGraph,
    fit_ising_on_graph,
    incoherence_report,
    sample_ising,
)
from treatise.optimize import solve_group_multinomial_columns
from treatise.statistics import mutual_information


def cliques(p, seed, size=5, strength=2.0):
    """Couplings of disconnected groups, as in the thesis's experiment."""
    rng = np.random.default_rng(seed)
    couplings = np.zeros((p, p))
    for first in range(0, p, size):
        for i, j in itertools.combinations(range(first, min(first + size, p)), 2):
            if rng.random() < 0.4:
                couplings[i, j] = couplings[j, i] = rng.choice([-1, 1]) * rng.uniform(1, strength)
    return -couplings.sum(axis=1) / 2, couplings


def pairs(edges):
    return {tuple(edge) for edge in np.asarray(edges).tolist()}


def test_samples_have_the_shares_of_the_enumerated_model():
    fields, couplings = cliques(5, 0)
    states = np.array(list(itertools.product([0, 1], repeat=5)))
    weight = np.exp(states @ fields + np.einsum("ni,ij,nj->n", states, np.triu(couplings), states))
    X = sample_ising(fields, couplings, 40_000, random_state=0)
    share = np.bincount(X @ 2 ** np.arange(4, -1, -1), minlength=32) / len(X)
    # Five standard errors of a share.
    expected = weight / weight.sum()
    assert (np.abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / len(X)) + 1e-9).all()


def test_wide_models_are_sampled_by_gibbs_with_the_right_means():
    p = 40
    couplings = 0.05 * (np.ones((p, p)) - np.eye(p))
    X = sample_ising(np.full(p, -0.05 * (p - 1) / 2), couplings, 4000, random_state=0)
    assert X.shape == (4000, p)
    assert np.abs(X.mean() - 0.5) < 0.1  # symmetric under exchange of 0 and 1; the mean of a row moves slowly


def test_the_graph_of_the_thesis_s_kind_is_found_with_enough_rows():
    fields, couplings = cliques(40, 1)
    X = sample_ising(fields, couplings, 5000, random_state=0)
    found = IsingGraph().fit(X)
    true = pairs(np.argwhere(np.triu(couplings)))
    precision = len(pairs(found.edges_) & true) / len(found.edges_)
    recall = len(pairs(found.edges_) & true) / len(true)
    assert precision > 0.95 and recall > 0.9
    at = tuple(found.edges_.T)
    # Without the shrinkage of the penalty the couplings come back; a coupling's standard error is about 0.1 here.
    assert np.abs(found.edge_weights_ - couplings[at])[couplings[at] != 0].max() < 0.6


def test_each_regression_equals_scikit_learn():
    X = sample_ising(*cliques(8, 2), 400, random_state=1)
    found = IsingGraph(0.03, refit=False, tol=1e-8).fit(X)
    for s in range(8):
        others = np.delete(np.arange(8), s)
        theirs = LogisticRegression(l1_ratio=1.0, solver="saga", C=1 / (400 * 0.03), tol=1e-8, max_iter=20_000)
        theirs.fit(X[:, others], X[:, s])
        np.testing.assert_allclose(found.coef_[s, others], theirs.coef_[0], atol=1e-4)


def test_values_minus_one_and_one_give_the_same_graph():
    X = sample_ising(*cliques(10, 3), 600, random_state=2)
    plain, signed = IsingGraph().fit(X), IsingGraph().fit(2 * X - 1)
    np.testing.assert_array_equal(plain.edges_, signed.edges_)
    np.testing.assert_allclose(plain.edge_weights_, signed.edge_weights_)
    assert signed.values_.tolist() == [-1, 1]
    np.testing.assert_array_equal(IsingGraph(binarize=0.5).fit(X * 0.9).edges_, plain.edges_)


def test_two_columns_are_joined_exactly_above_their_covariance():
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [30, 10, 15, 45], axis=0)
    edge = abs(np.cov(X.T, bias=True)[0, 1])
    assert len(IsingGraph(edge * 0.999).fit(X).edges_) == 1
    assert len(IsingGraph(edge * 1.001).fit(X).edges_) == 0


def test_or_joins_at_least_what_and_joins():
    X = sample_ising(*cliques(20, 4), 300, random_state=3)
    both, either = IsingGraph(0.02, rule="and").fit(X), IsingGraph(0.02, rule="or").fit(X)
    assert pairs(both.edges_) < pairs(either.edges_)


@pytest.mark.parametrize("choice", ["ebic", "stars"])
def test_chosen_penalties_find_the_graph(choice):
    fields, couplings = cliques(15, 5)
    X = sample_ising(fields, couplings, 3000, random_state=4)
    found = IsingGraph(choice, random_state=0).fit(X)
    true = pairs(np.argwhere(np.triu(couplings)))
    assert len(pairs(found.edges_) & true) >= 0.9 * len(true)
    assert len(pairs(found.edges_) - true) <= len(true)
    assert found.penalty_ in found.path_["penalty"]


def test_ebic_sums_the_regressions_and_prices_their_neighbours():
    X = sample_ising(*cliques(6, 9), 300, random_state=0)
    chosen = IsingGraph("ebic", gamma=0.4, n_penalties=5, tol=1e-9).fit(X)
    price = np.log(300) + 2 * 0.4 * np.log(5)
    expected = []
    for penalty in chosen.path_["penalty"]:
        alone = IsingGraph(float(penalty), refit=False, tol=1e-9).fit(X)
        margin = X @ alone.coef_.T + alone.intercept_
        expected.append(2 * (np.logaddexp(0, margin) - X * margin).sum() + price * np.count_nonzero(alone.coef_))
    np.testing.assert_allclose(chosen.path_["ebic"], expected, rtol=1e-7)
    assert chosen.penalty_ == chosen.path_["penalty"][np.argmin(expected)]


def test_constant_columns_have_no_edges_and_infinite_fields():
    X = np.column_stack([sample_ising(*cliques(4, 0), 200, random_state=0), np.ones(200), np.zeros(200)])
    found = IsingGraph().fit(X)
    assert not found.adjacency_[:, 4:].any()
    assert found.fields_[4] == np.inf and found.fields_[5] == -np.inf
    assert np.isfinite(found.score(X))


def test_the_refit_maximises_the_pseudo_likelihood():
    X = sample_ising(*cliques(4, 6), 300, random_state=0).astype(float)
    graph = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]], dtype=bool)
    rows, columns = np.nonzero(np.triu(graph))

    def loss(w):
        couplings = np.zeros((4, 4))
        couplings[rows, columns] = couplings[columns, rows] = w[4:]
        margin = X @ couplings + w[:4]
        return (np.log1p(np.exp(margin)) - X * margin).sum() / 300

    least = minimize(loss, np.zeros(8), tol=1e-12)
    fields, couplings = fit_ising_on_graph(X, graph, ridge=0)
    np.testing.assert_allclose(np.concatenate([fields, couplings[rows, columns]]), least.x, atol=1e-3)


def test_score_is_the_mean_pseudo_log_likelihood():
    X = sample_ising(*cliques(4, 0), 300, random_state=0)
    found = IsingGraph().fit(X)
    total = 0.0
    for row in X:
        for s in range(4):
            margin = found.fields_[s] + found.symmetric_coef_[s] @ row
            total += np.log(1 / (1 + np.exp(-margin if row[s] else margin)))
    assert found.score(X) == pytest.approx(total / 300)
    with pytest.raises(ValueError, match=r"values \[0.0, 1.0\] of the fit"):
        found.score(X + 1)


def test_incoherence_rises_when_a_stranger_repeats_a_neighbour():
    chain = np.array([[0, 2.0, 0], [2.0, 0, 0], [0, 0, 0]])
    apart = sample_ising(np.zeros(3), chain, 4000, random_state=0)
    near = apart.copy()
    near[:, 2] = np.where(np.random.default_rng(0).random(4000) < 0.95, near[:, 1], near[:, 2])
    calm, tense = (incoherence_report(X, np.zeros(3), chain) for X in (apart, near))
    assert calm.incoherence[0] < 0.1 < 0.8 < tense.incoherence[0]
    assert calm.smallest_eigenvalue[0] > 0 and np.isnan(calm.smallest_eigenvalue[2])


def test_tables_that_are_not_binary_or_have_gaps_are_refused():
    with pytest.raises(ValueError, match="3 different values, such as 0, 1, 2"):
        IsingGraph().fit([[0, 1], [2, 0], [1, 1]])
    with pytest.raises(ValueError, match="NaN"):
        IsingGraph().fit([[0, np.nan], [1, 0], [1, 1]])


def test_text_is_refused_with_the_way_to_a_binary_table():
    with pytest.raises(ValueError, match=r"the table holds text.*code the text first, or use .*MultinomialGraph"):
        IsingGraph().fit(pd.DataFrame({"a": ["yes", "no"] * 5, "b": ["no", "no"] * 5}))


@pytest.mark.parametrize("learner", [MultinomialGraph, MutualInformationGraph])
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_categories_are_refused_and_not_taken_for_a_state(learner, missing):
    column = ["x", missing, "y", "x", "y", missing]
    frame = pd.DataFrame({"a": list("uvuvuv"), "b": pd.Series(column, dtype=object)})
    with pytest.raises(ValueError, match=r"column 1 misses 2 of 6 values \(NaN or None\); fill them in"):
        learner().fit(frame)
    if missing is None:
        with pytest.raises(ValueError, match="column 1 misses 2 of 6 values"):
            learner().fit(frame.to_numpy())


def test_the_graph_does_not_depend_on_the_number_of_threads(monkeypatch):
    X = sample_ising(*cliques(60, 8), 800, random_state=0)
    found = {}
    for threads in (1, 4):
        monkeypatch.setattr(numba, "get_num_threads", lambda threads=threads: threads)
        found[threads] = IsingGraph().fit(X)
    np.testing.assert_array_equal(found[1].coef_, found[4].coef_)
    np.testing.assert_array_equal(found[1].edge_weights_, found[4].edge_weights_)


def test_fields_on_a_given_graph_refuse_other_numbers_and_other_graphs():
    X = sample_ising(*cliques(4, 0), 50, random_state=0)
    for use, name in (
        (lambda X, graph: fit_ising_on_graph(X, graph), "adjacency"),
        (lambda X, graph: incoherence_report(X, np.zeros(4), graph), "couplings"),
    ):
        with pytest.raises(ValueError, match="X holds -1; a binary field is of zeros and ones"):
            use(2 * X - 1, np.eye(4))
        with pytest.raises(ValueError, match="NaN"):
            use(np.where(X > 0, np.nan, 0.0), np.eye(4))
        for graph in (np.eye(3), np.eye(4, k=1)):
            with pytest.raises(ValueError, match=rf"{name} must be symmetric, of shape \(4, 4\) for 4 columns"):
                use(X, graph)


def test_a_saved_graph_comes_back():
    found = IsingGraph().fit(sample_ising(*cliques(6, 0), 200, random_state=0))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.edges_, found.edges_)


def test_two_states_give_the_ising_graph_at_half_the_penalty():
    X = sample_ising(*cliques(8, 7), 500, random_state=0)
    tables = MultinomialGraph(0.06, tol=1e-7, max_iter=2000).fit(X)
    ising = IsingGraph(0.03, refit=False, tol=1e-9).fit(X)
    np.testing.assert_array_equal(tables.edges_, ising.edges_)
    for (s, t), table in tables.tables_.items():
        # A table a [[1, -1], [-1, 1]] moves the odds by 4 a.
        moved = table[0, 0] - table[0, 1] - table[1, 0] + table[1, 1]
        assert moved == pytest.approx((ising.coef_[s, t] + ising.coef_[t, s]) / 2, abs=1e-3)


def categories(n, seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, n), rng.integers(0, 3, n), rng.integers(0, 4, n), rng.integers(0, 2, n)])
    X[:, 1] = np.where(rng.random(n) < 0.5, X[:, 0], X[:, 1])
    X[:, 2] = np.where(rng.random(n) < 0.4, X[:, 1] + 1, X[:, 2])
    return X


def test_the_regressions_of_categories_meet_their_conditions():
    X = categories(300, 0)
    n_states = np.array([3, 3, 4, 2])
    found = solve_group_multinomial_columns(X, n_states, 0.05, tol=1e-8, max_rounds=5000)
    assert found.converged
    for s in range(4):
        k = n_states[s]
        margins = np.tile(found.intercepts[s, :k], (300, 1))
        for t in range(4):
            margins += found.tables[s, found.starts[t] + X[:, t], :k]
        chance = np.exp(margins) / np.exp(margins).sum(axis=1, keepdims=True)
        residual = chance - np.eye(k)[X[:, s]]
        np.testing.assert_allclose(residual.mean(axis=0), 0, atol=1e-7)
        assert found.losses[s] == pytest.approx(-np.log(chance[np.arange(300), X[:, s]]).mean())
        for t in set(range(4)) - {s}:
            slope = np.eye(n_states[t])[X[:, t]].T @ residual / 300
            table = found.tables[s, found.starts[t] : found.starts[t + 1], :k]
            norm = np.linalg.norm(table)
            if norm > 0:
                np.testing.assert_allclose(slope, -0.05 * table / norm, atol=1e-7)
            else:
                assert np.linalg.norm(slope) <= 0.05 + 1e-7


def test_categories_of_any_type_give_the_chain_that_made_them():
    X = pd.DataFrame(categories(1500, 1), columns=list("abcd")).assign(
        a=lambda frame: frame["a"].map(dict(enumerate("xyz")))
    )
    for penalty in ("auto", "ebic"):
        found = MultinomialGraph(penalty).fit(X)
        assert pairs(found.edges_) == {(0, 1), (1, 2)}
    assert found.states_[0].tolist() == ["x", "y", "z"]
    assert found.tables_[0, 1].shape == (3, 3)
    assert len(MultinomialGraph(2.0).fit(X).edges_) == 0


def test_ebic_of_categories_prices_the_free_weights_of_every_table():
    X, n_states = categories(300, 3), np.array([3, 3, 4, 2])
    chosen = MultinomialGraph("ebic", gamma=0.4, n_penalties=4, tol=1e-7, max_iter=2000).fit(X)
    price = np.log(300) + 2 * 0.4 * np.log(3)
    expected = []
    for penalty in chosen.path_["penalty"]:
        alone = solve_group_multinomial_columns(X, n_states, penalty, tol=1e-7, max_rounds=2000)
        freedom = sum((n_states[s] - 1) * (n_states[t] - 1) for s, t in np.argwhere(alone.norms > 0))
        expected.append(2 * 300 * alone.losses.sum() + price * freedom)
    np.testing.assert_allclose(chosen.path_["ebic"], expected, rtol=1e-5)
    # The first penalty is the one at which the first edge is about to come in.
    assert chosen.path_["edges"][0] == 0 < chosen.path_["edges"][-1]
    assert chosen.penalty_ == chosen.path_["penalty"][np.argmin(expected)]
    assert len(MultinomialGraph(0.999 * chosen.path_["penalty"][0], tol=1e-7, rule="or").fit(X).edges_) == 1


def test_numbers_are_cut_on_request_and_refused_otherwise():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    X[:, 1] += 2 * X[:, 0]
    with pytest.raises(ValueError, match=r"column 0 has 400 different values.*cut numbers with n_bins"):
        MultinomialGraph().fit(X)
    assert pairs(MultinomialGraph(n_bins=4).fit(X).edges_) == {(0, 1)}
    assert len(MultinomialGraph(n_bins=4).fit(X).states_[0]) == 4


def test_mutual_informations_of_all_pairs_are_right_and_the_tree_is_chow_and_liu_s():
    X = categories(2000, 2)
    found = MutualInformationGraph().fit(X)
    for s, t in itertools.combinations(range(4), 2):
        bits = mutual_information(X[:, s], X[:, t])
        assert found.mutual_information_[s, t] == pytest.approx(bits * np.log(2), abs=1e-10)
    assert (0, 2) in pairs(found.edges_)  # dependent through column 1
    assert pairs(MutualInformationGraph(tree=True).fit(X).edges_) == {(0, 1), (1, 2)}
    assert len(MutualInformationGraph(threshold=5.0).fit(X).edges_) == 0


def test_the_test_of_independence_keeps_its_level():
    joined = [
        len(MutualInformationGraph(alpha=0.1).fit(np.random.default_rng(seed).integers(0, 3, (300, 5))).edges_) > 0
        for seed in range(200)
    ]
    # At most 0.1 plus three standard errors; the Bonferroni bound is nearly reached by nearly independent pairs.
    assert 0.03 < np.mean(joined) < 0.1 + 3 * np.sqrt(0.09 / 200)
