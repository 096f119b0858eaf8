"""Features for clusters: the criteria against their definitions, the theorem, and the card's data."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from treatise.datasets import make_hidden_clusters
from treatise.selection import (
    ClusterFeatureSelector,
    cross_projected,
    likelihood_prefers_smaller,
    mixture_loglik,
    plot_cluster_path,
    scatter_trace,
)
from treatise.statistics import MergeGaussianMixture


def class_error(labels, y):
    """Share of rows outside the majority class of their cluster."""
    return 1.0 - sum(np.bincount(y[labels == label]).max() for label in np.unique(labels)) / len(y)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(120, 4)) @ rng.normal(size=(4, 4)), rng.dirichlet(np.ones(3), 120)


# The criteria.


def test_trace_is_the_sum_of_eigenvalues_and_no_linear_map_changes_it(table):
    X, memberships = table
    shares = memberships.mean(axis=0)
    means = memberships.T @ X / memberships.sum(axis=0)[:, np.newaxis]
    within = sum(share * np.cov(X.T, aweights=weights, bias=True) for share, weights in zip(shares, memberships.T))
    between = np.cov(means.T, aweights=shares, bias=True)
    value = scatter_trace(X, memberships)
    assert value == pytest.approx(np.linalg.eigvals(np.linalg.solve(within, between)).real.sum(), rel=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(5):
        assert scatter_trace(X @ rng.normal(size=(4, 4)) + rng.normal(size=4), memberships) == pytest.approx(
            value, rel=1e-8
        )
    smaller = [scatter_trace(X[:, :d], memberships) for d in (1, 2, 3, 4)]
    assert np.diff(smaller).min() >= 0.0, "a feature more never lowers the trace"
    assert scatter_trace(X, np.ones((120, 1))) == 0.0


def test_likelihood_is_that_of_the_mixture_of_one_m_step_and_q_plus_h_bounds_it(table):
    X, memberships = table
    shares = memberships.mean(axis=0)
    covariances = [np.cov(X.T, aweights=weights, bias=True) for weights in memberships.T]
    means = memberships.T @ X / memberships.sum(axis=0)[:, np.newaxis]
    total = sum(s * multivariate_normal(m, c).pdf(X) for s, m, c in zip(shares, means, covariances))
    value = mixture_loglik(X, memberships)
    assert value == pytest.approx(np.log(total).sum(), rel=1e-5)
    assert q_plus_h(X, memberships) <= value + 1e-3

    fixed = MergeGaussianMixture(3, min_components=3, covariance="full", tol=1e-10, max_iter=5000, random_state=0).fit(
        X
    )
    at_end = fixed.responsibilities_
    assert q_plus_h(X, at_end) == pytest.approx(mixture_loglik(X, at_end), rel=1e-4)


def q_plus_h(X, memberships):
    """The paper's lemma: what the memberships' own parameters give, and their entropy."""
    n, d = X.shape
    shares = memberships.mean(axis=0)
    log_dets = [np.linalg.slogdet(np.cov(X.T, aweights=weights, bias=True))[1] for weights in memberships.T]
    q = n * np.sum(shares * (np.log(shares) - 0.5 * d * np.log(2 * np.pi * np.e) - 0.5 * np.array(log_dets)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return q - np.nansum(memberships * np.log(memberships))


def test_theorem_4_1_agrees_with_q_itself():
    rng = np.random.default_rng(0)
    agreed = 0
    for _ in range(1000):
        memberships = rng.dirichlet(np.ones(2), 30)
        X = rng.normal(size=(30, 3)) * rng.uniform(0.05, 0.6, 3)
        covariances = np.array([np.cov(X.T, aweights=weights, bias=True) for weights in memberships.T])
        found = likelihood_prefers_smaller(covariances[:, :2, :2], covariances, memberships.mean(axis=0))
        agreed += found == (q_plus_h(X[:, :2], memberships) >= q_plus_h(X, memberships))
    assert agreed == 1000
    with pytest.raises(ValueError, match="one of each a cluster"):
        likelihood_prefers_smaller(np.ones((2, 1, 1)), np.ones((2, 2, 2)), [1.0])


@pytest.mark.parametrize("criterion", ["trace", "likelihood"])
def test_equal_clusters_get_equal_values_and_order_does_not_matter(table, criterion):
    X, memberships = table
    first, second = cross_projected(X, [0], memberships, [0, 1, 2], memberships, criterion)
    assert first == second
    other = np.random.default_rng(2).dirichlet(np.ones(2), 120)
    one = cross_projected(X, [0], memberships, [0, 2], other, criterion)
    two = cross_projected(X, [0, 2], other, [0], memberships, criterion)
    assert one == two[::-1]
    judge = {"trace": scatter_trace, "likelihood": mixture_loglik}[criterion]
    parts = judge(X[:, [0]], memberships), judge(X[:, [0, 2]], memberships)
    assert one[0] == pytest.approx(np.prod(parts) if criterion == "trace" else np.sum(parts), rel=1e-12)


def test_criteria_refuse_what_are_no_memberships(table):
    X, memberships = table
    with pytest.raises(ValueError, match="do not fit the 120 rows"):
        scatter_trace(X, memberships[:50])
    with pytest.raises(ValueError, match="one in sum"):
        mixture_loglik(X, 2 * memberships)
    with pytest.raises(ValueError, match="criterion='bic'"):
        cross_projected(X, [0], memberships, [1], memberships, "bic")


# The selector.


@pytest.mark.parametrize("criterion", ["trace", "likelihood"])
def test_four_clusters_hidden_among_noise_are_found(criterion):
    for seed in range(3):
        X, y, relevant = make_hidden_clusters("four", random_state=seed)
        model = ClusterFeatureSelector(criterion=criterion, max_clusters=8, random_state=0).fit(X)
        assert set(model.selected_[:2]) == set(relevant) and model.n_clusters_ == 4
        assert class_error(model.labels_, y) <= 0.06 and 2 <= len(model.selected_) <= 4
        np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_iris_is_told_apart_by_its_petals():
    X, y = load_iris(return_X_y=True)
    model = ClusterFeatureSelector(criterion="likelihood", max_clusters=6, random_state=0).fit(X)
    assert set(model.selected_[:2]) == {2, 3} and model.n_clusters_ == 3
    assert class_error(model.labels_, y) <= 0.05
    assert model.converged_ and model.responsibilities_.shape == (150, 3)


def test_the_order_and_the_unit_of_the_columns_do_not_matter():
    X, _, _ = make_hidden_clusters("four", 300, random_state=1)
    plain = ClusterFeatureSelector(max_clusters=6, random_state=0).fit(X)
    order = [3, 1, 4, 0, 2]
    moved = ClusterFeatureSelector(max_clusters=6, random_state=0).fit(X[:, order])
    np.testing.assert_array_equal(np.array(order)[moved.selected_], plain.selected_)
    for scaled in (1e6 * X + 1e7, X * [1e-6, 1.0, 1e6, 1.0, 3.0]):
        other = ClusterFeatureSelector(max_clusters=6, random_state=0).fit(scaled)
        np.testing.assert_array_equal(other.selected_, plain.selected_)
    threads = ClusterFeatureSelector(max_clusters=6, n_jobs=2, random_state=0).fit(X)
    np.testing.assert_array_equal(threads.responsibilities_, plain.responsibilities_)


def test_the_path_holds_what_was_compared():
    X, _, _ = make_hidden_clusters("four", 300, random_state=2)
    model = ClusterFeatureSelector(max_clusters=6, random_state=0).fit(X)
    path = model.path_
    assert path["feature"][path["accepted"]].tolist() == model.selected_.tolist()
    after = path["value"][1:] > path["before"][1:]
    np.testing.assert_array_equal(after, path["accepted"][1:])
    scaled = X / X.std(axis=0)
    chosen = model.selected_.tolist()
    assert path["criterion"][len(chosen) - 1] == pytest.approx(
        scatter_trace(scaled[:, chosen], model.responsibilities_), rel=1e-9
    )
    ax = plot_cluster_path(model)
    np.testing.assert_array_equal(ax.get_lines()[0].get_ydata(), path["criterion"])
    assert plot_cluster_path(model, ax=ax) is ax
    with pytest.raises(ValueError, match="2 feature_names"):
        plot_cluster_path(model, feature_names=["a", "b"])


def test_without_normalisation_the_likelihood_takes_one_feature_and_the_trace_more():
    X, _, _ = make_hidden_clusters("four", 300, random_state=0)
    raw = ClusterFeatureSelector(criterion="likelihood", normalize=False, max_clusters=6, random_state=0).fit(X)
    assert len(raw.selected_) == 1
    raw = ClusterFeatureSelector(normalize=False, max_clusters=6, random_state=0).fit(X)
    kept = ClusterFeatureSelector(max_clusters=6, random_state=0).fit(X)
    assert len(raw.selected_) >= len(kept.selected_)


def test_k_means_other_clusterers_and_given_numbers():
    X, y, relevant = make_hidden_clusters("four", 300, random_state=0)
    fixed = ClusterFeatureSelector(n_clusters=4, max_features=2, random_state=0).fit(X)
    assert fixed.n_clusters_ == 4 and len(fixed.selected_) <= 2
    means = ClusterFeatureSelector("kmeans", n_clusters=4, criterion="likelihood", random_state=0).fit(X)
    assert set(relevant) <= set(means.selected_) and class_error(means.labels_, y) < 0.1
    np.testing.assert_array_equal(means.predict(X), means.labels_)
    auto = ClusterFeatureSelector("kmeans", criterion="likelihood", max_features=2, random_state=0).fit(X)
    assert auto.n_clusters_ >= 2 and isinstance(auto.clusterer_, KMeans)
    tree = ClusterFeatureSelector(AgglomerativeClustering(4), max_features=2).fit(X)
    assert tree.n_clusters_ == 4 and not hasattr(tree, "predict")
    assert make_pipeline(StandardScaler(), ClusterFeatureSelector(max_clusters=4, max_features=1)).fit_transform(
        X
    ).shape == (300, 1)


def test_constant_columns_few_values_noise_and_gaps_are_told():
    X, _, _ = make_hidden_clusters("four", 200, random_state=0)
    with_constant = np.column_stack([X, np.full(200, 3.0)])
    with pytest.warns(UserWarning, match=r"features \[5\] are constant"):
        model = ClusterFeatureSelector(max_clusters=5, random_state=0).fit(with_constant)
    assert not model.support_[5]
    with pytest.warns(UserWarning, match=r"features \[5\] have no more different values"):
        ClusterFeatureSelector(max_clusters=4, random_state=0).fit(np.column_stack([X, np.arange(200) % 3]))
    with pytest.raises(ValueError, match="every feature of X is constant"):
        ClusterFeatureSelector().fit(np.ones((20, 2)))
    with pytest.raises(ValueError, match="NaN"):
        ClusterFeatureSelector().fit(np.where(X > 3, np.nan, X))
    noise = np.random.default_rng(1).normal(size=(200, 3))
    with pytest.warns(UserWarning, match="one cluster only"):
        ClusterFeatureSelector(max_clusters=4, random_state=0).fit(noise)
    single = ClusterFeatureSelector(max_clusters=4, random_state=0).fit(X[:, :1])
    assert single.selected_.tolist() == [0]
    repeated = ClusterFeatureSelector(max_clusters=4, random_state=0).fit(np.repeat(X[:40], 3, axis=0))
    assert np.isfinite(repeated.responsibilities_).all()
