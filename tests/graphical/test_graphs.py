"""What all learners of undirected graphs share: edges, pictures, criteria, stability."""

import networkx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.covariance import empirical_covariance

from treatise.graphical import (
    Clime,
    JunctionTreeGraph,
    NeighborhoodLasso,
    PCSkeleton,
    SparsePrecision,
    edge_stability,
    gaussian_ebic,
    gaussian_log_likelihood,
    plot_graph,
)
from treatise.graphical.graph_plot import graph_layout


def chain(n, p, seed=0):
    """Rows of a Gaussian chain: precision with one band."""
    T = np.eye(p) + 0.4 * (np.eye(p, k=1) + np.eye(p, k=-1))
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) @ np.linalg.cholesky(np.linalg.inv(T)).T


@pytest.mark.parametrize("penalty", ["ebic", "stars"])
def test_the_chosen_penalty_finds_a_chain(penalty):
    found = SparsePrecision(penalty, random_state=0).fit(chain(1000, 12))
    pairs = {tuple(edge) for edge in found.edges_.tolist()}
    assert {(i, i + 1) for i in range(11)} <= pairs
    # StARS keeps a few false edges by design: it bounds their instability, not their number.
    assert len(pairs) <= (12 if penalty == "ebic" else 30)
    assert found.penalty_ in found.path_["penalty"]


def test_edges_weights_and_precision_say_the_same():
    found = SparsePrecision(0.1).fit(chain(500, 6) * [1, 10, 100, 1, 1, 1e-3])
    root = np.sqrt(np.diag(found.precision_))
    partial = -found.precision_ / np.outer(root, root)
    np.testing.assert_allclose(found.edge_weights_, partial[tuple(found.edges_.T)])
    assert (found.adjacency_ == found.adjacency_.T).all() and not found.adjacency_.diagonal().any()
    np.testing.assert_array_equal(np.argwhere(np.triu(found.adjacency_)), found.edges_)
    np.testing.assert_allclose(found.precision_ @ found.covariance_, np.eye(6), atol=1e-8)


def test_networkx_gets_names_weights_and_lonely_columns():
    X = pd.DataFrame(chain(400, 4), columns=["a", "b", "c", "d"]).assign(constant=1.0)
    found = SparsePrecision(0.15).fit(X)
    graph = found.to_networkx()
    assert list(graph) == ["a", "b", "c", "d", "constant"]
    assert graph.degree["constant"] == 0
    assert graph["a"]["b"]["weight"] == pytest.approx(found.edge_weights_[0])


def test_score_is_the_mean_log_density():
    from scipy.stats import multivariate_normal

    X, new = chain(200, 4), chain(50, 4, seed=1)
    found = SparsePrecision(0.1).fit(X)
    density = multivariate_normal(found.location_, found.covariance_).logpdf(new).mean()
    assert found.score(new) == pytest.approx(density, abs=1e-8)
    assert gaussian_log_likelihood(np.eye(2), -np.eye(2)) == -np.inf


def test_ebic_is_the_likelihood_plus_a_price_per_edge():
    X = chain(80, 5)
    S = empirical_covariance(X)
    T = np.linalg.inv(S)
    n, p, edges = 80, 5, 10
    likelihood = n * gaussian_log_likelihood(S, T) + n * p / 2 * np.log(2 * np.pi)
    expected = -2 * likelihood + edges * np.log(n) + 4 * 0.5 * edges * np.log(p)
    assert gaussian_ebic(S, T, n) == pytest.approx(expected)
    assert gaussian_ebic(S, T, n, gamma=0, n_edges=0) == pytest.approx(-2 * likelihood)


def test_stable_edges_are_the_true_ones_and_do_not_depend_on_jobs():
    X = chain(600, 6)
    alone = edge_stability(SparsePrecision(0.15), X, n_subsamples=10, random_state=0)
    together = edge_stability(SparsePrecision(0.15), X, n_subsamples=10, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(alone.frequency, together.frequency)
    assert all(alone.frequency[i, i + 1] == 1.0 for i in range(5))
    assert alone.frequency[0, 5] < 0.5
    share = alone.frequency[np.triu_indices(6, 1)]
    assert alone.instability == pytest.approx(np.mean(2 * share * (1 - share)))


def test_bad_subsamples_and_bad_tables_are_refused():
    X = chain(20, 3)
    with pytest.raises(ValueError, match="size=50 rows cannot be drawn from 20"):
        edge_stability(SparsePrecision(0.1), X, size=50)
    with pytest.raises(ValueError, match="at least 2"):
        edge_stability(SparsePrecision(0.1), X, n_subsamples=1)
    with pytest.raises(ValueError, match="singular, so penalty=0 has no"):
        SparsePrecision(0.0).fit(chain(5, 8))
    with pytest.raises(ValueError, match="NaN"):
        SparsePrecision().fit([[1.0, np.nan], [0.0, 1.0], [2.0, 1.0]])


def test_every_node_has_its_own_place_and_layers_follow_the_arrows():
    graph = networkx.disjoint_union(networkx.cycle_graph(7), networkx.path_graph(3))
    graph.add_nodes_from(["alone", "too"])
    places = np.array(list(graph_layout(graph).values()))
    distance = np.linalg.norm(places[:, None] - places[None], axis=2) + 10 * np.eye(len(places))
    assert distance.min() > 0.1
    arrows = networkx.DiGraph([("a", "c"), ("b", "c"), ("c", "d"), ("a", "d")])
    places = graph_layout(arrows)
    assert all(places[parent][1] > places[child][1] for parent, child in arrows.edges)


def test_the_picture_names_few_nodes_all_and_many_nodes_only_hubs():
    small = plot_graph(SparsePrecision(0.1).fit(chain(200, 5)))
    assert {text.get_text() for text in small.texts} == {"0", "1", "2", "3", "4"}
    star = networkx.star_graph(120)
    assert 1 <= len(plot_graph(star).texts) <= 15
    assert not plot_graph(networkx.Graph()).texts
    directed = plot_graph(networkx.DiGraph([(0, 1)]), stability=[0.5])
    assert len(directed.patches) == 1


class Arrows:
    """A learner whose arrow between the first two columns turns with the mean of the first."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X):
        self.adjacency_ = np.zeros((3, 3), dtype=bool)
        self.adjacency_[(0, 1) if np.asarray(X)[:, 0].mean() > 0 else (1, 0)] = True
        return self


def test_arrows_are_counted_by_direction():
    X = np.random.default_rng(0).standard_normal((40, 3))
    X[:, 0] -= X[:, 0].mean()
    found = edge_stability(Arrows(), X, n_subsamples=30, random_state=0)
    forth, back = found.frequency[0, 1], found.frequency[1, 0]
    assert forth + back == pytest.approx(1) and 0 < forth < 1
    assert found.edges.tolist() == [[0, 1], [1, 0]]
    np.testing.assert_array_equal(found.of_edges, [forth, back])
    # Two of six possible arrows come and go.
    assert found.instability == pytest.approx((2 * forth * (1 - forth) + 2 * back * (1 - back)) / 6)


def test_stability_takes_lists_and_frames_and_leaves_refusals_to_the_learner():
    X = chain(60, 3)
    whole = edge_stability(SparsePrecision(0.2), X, n_subsamples=4, random_state=0).frequency
    for same in (X.tolist(), pd.DataFrame(X, columns=list("abc"))):
        np.testing.assert_array_equal(
            edge_stability(SparsePrecision(0.2), same, n_subsamples=4, random_state=0).frequency, whole
        )
    with pytest.raises(TypeError, match="dense data is required"):
        edge_stability(SparsePrecision(0.2), sparse.csr_array(X), n_subsamples=4, random_state=0)


def test_pictures_of_anything_but_a_graph_and_stability_of_other_edges_are_refused():
    path = networkx.path_graph(4)
    with pytest.raises(ValueError, match=r"shape \(2,\); the graph has 3 edges"):
        plot_graph(path, stability=[0.5, 1.0])
    with pytest.raises(ValueError, match="leave it out where it was not measured"):
        plot_graph(path, stability=[0.5, np.nan, 1.0])
    with pytest.raises(ValueError, match=r"not ndarray; for a matrix use networkx.from_numpy_array"):
        plot_graph(np.eye(3))


COVARIANCE_LEARNERS = [SparsePrecision(), Clime(), NeighborhoodLasso(), PCSkeleton(), JunctionTreeGraph()]


@pytest.mark.parametrize("learner", COVARIANCE_LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_covariance_teaches_what_its_rows_do(learner):
    X = chain(300, 6) * [1, 10, 100, 1, 1, 1e-3] + 5
    plain = clone(learner).fit(X)
    names = list("abcdef")
    covariance = pd.DataFrame(empirical_covariance(X), columns=names)
    found = clone(learner).fit_covariance(covariance, 300)
    np.testing.assert_array_equal(found.edges_, plain.edges_)
    # Both solve to the tolerance of their solver, from correlations that agree to rounding.
    np.testing.assert_allclose(found.edge_weights_, plain.edge_weights_, rtol=1e-4, atol=1e-6)
    assert found.n_features_in_ == 6 and found.feature_names_in_.tolist() == names
    assert set(found.to_networkx()) == set(names)
    if hasattr(plain, "precision_"):
        np.testing.assert_allclose(found.precision_, plain.precision_, rtol=1e-3, atol=1e-8)
        assert found.score(pd.DataFrame(X - X.mean(axis=0), columns=names)) == pytest.approx(plain.score(X), rel=1e-4)


@pytest.mark.parametrize(
    ("covariance", "n_samples", "message"),
    [
        (np.ones((2, 3)), 10, "square matrix"),
        ([[1.0, 0.5], [0.2, 1.0]], 10, "not symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], 10, "negative eigenvalue -1"),
        ([[1.0, np.nan], [np.nan, 1.0]], 10, "not finite"),
        (np.eye(2), 1, "n_samples=1 must be"),
        (np.eye(2), 10.5, "n_samples=10.5 must be"),
    ],
)
def test_matrices_that_are_no_covariance_are_refused(covariance, n_samples, message):
    with pytest.raises(ValueError, match=message):
        SparsePrecision().fit_covariance(covariance, n_samples)


def test_what_needs_rows_says_so():
    for learner in (SparsePrecision("stars"), JunctionTreeGraph(base=lambda X, candidates, allowed: candidates)):
        with pytest.raises(ValueError, match="a covariance has none; use fit"):
            learner.fit_covariance(np.eye(9) + 0.5, 50)
