"""SLIM: weights, orders, hidden causes, and the choice between DAG and factor model."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from treatise.bayesnet import (
    SLIM,
    NonlinearSLIM,
    SparseFactorModel,
    plot_edge_probabilities,
    plot_likelihoods,
    plot_traces,
)
from treatise.bayesnet.slim.sampler import Chain
from treatise.datasets import make_factor_data, make_linear_network

QUICK = {"n_burn": 300, "n_samples": 500, "n_burn_dag": 120, "n_samples_dag": 200, "thin": 5, "n_chains": 1}


@pytest.fixture(scope="module")
def network():
    return make_linear_network(500, 5, density=0.6, random_state=3)


@pytest.fixture(scope="module")
def fitted(network):
    return SLIM(4, random_state=0, **QUICK).fit(network.X)


def test_weights_and_edges_are_recovered_under_the_true_order():
    errors, true, absent = [], [], []
    for seed in (1, 3):
        data = make_linear_network(1000, 5, density=0.5, random_state=seed)
        model = SLIM(orders=data.order, test_size=0, n_burn_dag=300, n_samples_dag=600, n_chains=1, random_state=0)
        model.fit(data.X)
        scaled = data.weights / model.scale_[:, np.newaxis] * model.scale_
        rank = np.argsort(data.order)
        possible = rank[:, np.newaxis] > rank
        errors += list(np.abs(model.coef_ - scaled)[data.weights != 0])
        true += list(model.edge_probabilities_[data.weights != 0])
        absent += list(model.edge_probabilities_[possible & (data.weights == 0)])
        assert (model.edge_probabilities_[~possible] == 0).all()
        expected = np.linalg.inv(np.eye(5) - scaled)
        found = model.mixing_ / np.diag(model.mixing_[:, :5])
        np.testing.assert_allclose(found, expected, atol=0.25)
    assert np.median(errors) < 0.1
    assert min(true) > 0.9
    assert np.mean(np.array(absent) < 0.5) >= 0.9


def test_the_chosen_order_is_right_and_its_graph_is_given_in_all_forms(network, fitted):
    assert network.admits(fitted.order_)
    np.testing.assert_array_equal(fitted.order_, fitted.candidate_orders_[fitted.selected_])
    assert np.median(fitted.candidate_draws_, axis=1).argmax() == fitted.selected_
    np.testing.assert_array_equal(fitted.adjacency_, fitted.edge_probabilities_.T > 0.5)
    # At most one error among twenty pairs: small weights are hard.
    assert (fitted.adjacency_ != (network.weights.T != 0)).sum() <= 1
    graph = fitted.to_networkx()
    assert graph.number_of_nodes() == 5 and graph.number_of_edges() == len(fitted.edges_)
    for (parent, child), weight in zip(fitted.edges_, fitted.edge_weights_):
        assert graph.edges[parent, child]["weight"] == weight == fitted.coef_[child, parent]
        assert graph.edges[parent, child]["probability"] == fitted.edge_probabilities_[child, parent]
    assert set(map(tuple, fitted.to_network().edges_.tolist())) == set(map(tuple, fitted.edges_.tolist()))
    assert fitted.dag.order and fitted.variables == (0, 1, 2, 3, 4)
    rows = fitted.transform(network.X)
    scaled = (network.X - fitted.mean_) / fitted.scale_
    np.testing.assert_allclose(rows, scaled - scaled @ fitted.coef_.T)


def test_dag_and_factor_data_are_told_apart_by_rows_kept_back(network, fitted):
    assert fitted.preferred_ == "dag"
    other = make_factor_data(500, 5, density=0.9, random_state=1)
    model = SLIM(4, random_state=0, **QUICK).fit(other.X)
    assert model.preferred_ == "factor"
    assert model.held_out_log_likelihood_["factor"] > model.held_out_log_likelihood_["dag"] + 3
    fresh = make_factor_data(500, 5, density=0.9, random_state=1).X[:60]
    compared = model.compare(fresh)
    assert compared["factor"] > compared["dag"]
    assert compared["factor"] == pytest.approx(np.median(model.factor_model_.log_likelihood_of(fresh)))
    assert fitted.score(network.X) > -50 and len(fitted.score_samples(network.X[:7])) == 7


def confounded(seed, direct):
    """Section 6.4: an edge of weight 1 and a hidden Cauchy cause with weights (1, -1); or no edge, and (1, 1)."""
    rng = np.random.default_rng(seed)
    z, hidden = rng.laplace(scale=2**-0.5, size=(500, 2)), rng.standard_cauchy(500)
    first = z[:, 0] + hidden
    second = first + z[:, 1] - hidden if direct else z[:, 1] + hidden
    return np.column_stack([first, second])


@pytest.mark.parametrize("direct", [True, False])
def test_a_hidden_cause_is_told_from_an_edge_by_its_tails(direct):
    X, right = confounded(0, direct), 0
    for chain in range(10):
        model = SLIM(
            orders=[[0, 1]], n_latent=1, edge_mean=0.99, driving=1.0, standardize=False, test_size=0,
            n_burn_dag=400, n_samples_dag=800, n_chains=1, random_state=chain,
        ).fit(X)  # fmt: skip
        weight, (one, two) = model.coef_[1, 0], model.latent_loadings_[:, 0]
        # The two hypotheses are (1, 1, -1) and (0, 1, 1), up to the sign of the hidden cause.
        right += (weight > 0.5 and one * two < 0) if direct else (weight < 0.5 and one * two > 0)
        assert model.mixing_.shape == (2, 3)
    assert right >= 8


def test_missing_cells_are_masked(network):
    rng = np.random.default_rng(0)
    X = np.where(rng.random(network.X.shape) < 0.05, np.nan, network.X)
    model = SLIM(orders=network.order, missing="mask", test_size=0.1, random_state=0, **QUICK).fit(X)
    whole = SLIM(orders=network.order, test_size=0.1, random_state=0, **QUICK).fit(network.X)
    # Five per cent of the cells: the medians move by about their posterior spread.
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=0.15)
    with pytest.raises(ValueError, match="NaN"):
        SLIM(**QUICK).fit(X)
    with pytest.raises(ValueError, match=r"rows are complete; test_size=0\.2 needs 100"):
        SLIM(missing="mask", **QUICK).fit(np.where(rng.random(X.shape) < 0.6, np.nan, X))


def test_training_likelihood_chooses_where_no_rows_are_kept_back(network):
    model = SLIM(2, test_size=0, random_state=0, **QUICK).fit(network.X)
    assert model.preferred_ is None and model.held_out_log_likelihood_ == {} and len(model.factor_draws_) == 0
    best = np.median(model.candidate_draws_[model.selected_])
    assert best == np.median(model.candidate_draws_, axis=1).max()
    assert best == pytest.approx(np.median(model.log_likelihood_draws_), abs=15)
    assert set(model.compare(network.X[:40])) == {"dag", "factor"}
    given = SLIM(orders=network.order, test_size=0, random_state=0, **QUICK).fit(network.X)
    assert given.factor_model_ is None and given.candidate_counts_.tolist() == [0]
    with pytest.raises(ValueError, match="no factor model was fitted"):
        given.compare(network.X)


def test_same_seed_same_draws(network, fitted):
    again = SLIM(4, random_state=0, **QUICK).fit(network.X)
    np.testing.assert_array_equal(again.weights_draws_, fitted.weights_draws_)
    np.testing.assert_array_equal(again.candidate_draws_, fitted.candidate_draws_)


def test_an_interrupt_leaves_out_the_remaining_orders(network, monkeypatch):
    draw, drawn = Chain.draw, []

    def interrupted(self):
        if self.state.role.shape[1] == 10:
            drawn.append(1)
            if len(drawn) == 40 + 31:
                raise KeyboardInterrupt
        return draw(self)

    monkeypatch.setattr(Chain, "draw", interrupted)
    with pytest.warns(UserWarning, match="DAG 2 of 4: interrupted; 30 of 40 draws"):
        model = SLIM(4, random_state=0, **QUICK).fit(network.X)
    assert model.interrupted_ and len(model.candidate_orders_) == 2 == len(model.candidate_coef_)
    assert model.selected_ in (0, 1) and model.candidate_draws_.shape[0] == 2


def test_bad_input_is_told_apart(network):
    with pytest.raises(ValueError, match="n_orders"):
        SLIM(0).fit(network.X)
    with pytest.raises(ValueError, match="permutations of 0 to 4"):
        SLIM(orders=[[0, 1, 2, 3, 3]], **QUICK).fit(network.X)
    with pytest.raises(ValueError, match="permutations of 0 to 4"):
        SLIM(orders=[0, 1], **QUICK).fit(network.X)
    with pytest.raises(ValueError, match="constant columns"):
        SLIM(**QUICK).fit(np.column_stack([network.X, np.ones(500)]))
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        SLIM(**QUICK).fit(network.X[:1])
    with pytest.raises(ValueError, match="leaves fewer than 2 of 4 rows"):
        SLIM(test_size=0.7, **QUICK).fit(network.X[:4])
    one = SLIM(random_state=0, **QUICK).fit(network.X[:, :1])
    assert one.order_.tolist() == [0] and len(one.edges_) == 0


def test_a_non_linear_cause_is_found_and_its_function_drawn():
    rng = np.random.default_rng(1)
    cause = rng.uniform(-2, 2, 90)
    X = np.column_stack([cause**2 + 0.2 * rng.laplace(size=90), cause])
    model = NonlinearSLIM(n_burn=100, n_samples=200, thin=4, random_state=0).fit(X)
    assert model.order_.tolist() == [1, 0] and model.edges_.tolist() == [[1, 0]]
    medians = np.median(model.candidate_draws_, axis=1)
    assert medians.max() - medians.min() > 5 and model.held_out_log_likelihood_ == medians.max()
    grid = np.linspace(-1.5, 1.5, 7)
    low, middle, high = model.effect(1, 0, grid)
    assert (low <= middle).all() and (middle <= high).all()
    # The function is known up to a constant; its spread within the data is about 0.1.
    np.testing.assert_allclose(middle - middle.mean(), grid**2 - np.mean(grid**2), atol=0.35)
    assert (model.effect(0, 1, grid) == 0).all()
    assert np.isnan(model.decays_[0]) and model.decays_[1] > 0
    left = model.transform(X)
    np.testing.assert_array_equal(left[:, 1], (X[:, 1] - model.mean_[1]) / model.scale_[1])
    assert left[:, 0].var() < 0.25
    assert model.to_networkx().edges[1, 0]["weight"] > 0.5
    assert model.score(X) > NonlinearSLIM([[0, 1]], n_burn=100, n_samples=200, random_state=0).fit(X).score(X)
    trained = NonlinearSLIM("columns", test_size=0, n_burn=5, n_samples=5, thin=1, random_state=0).fit(X)
    assert trained.candidate_orders_.tolist() == [[0, 1]]
    with pytest.raises(ValueError, match='orders="all" would sample 5040 orders of 7 variables'):
        NonlinearSLIM().fit(rng.laplace(size=(30, 7)))
    with pytest.raises(ValueError, match="permutations of 0 to 1"):
        NonlinearSLIM([[1, 1]]).fit(X)


def test_drawings_show_what_was_fitted(fitted):
    ax = plot_edge_probabilities(fitted)
    assert [text.get_text() for text in ax.get_xticklabels()] == [str(i) for i in fitted.order_]
    assert len(ax.texts) == len(fitted.edges_)
    np.testing.assert_array_equal(
        ax.images[0].get_array(), fitted.edge_probabilities_[np.ix_(fitted.order_, fitted.order_)]
    )
    ax = plot_likelihoods(fitted, Figure().add_subplot())
    assert len(ax.get_xticklabels()) == len(fitted.candidate_orders_) + 1
    ax = plot_traces(fitted)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), fitted.log_likelihood_draws_[0])
    assert plot_edge_probabilities(fitted.factor_model_).get_xlabel() == "factor"
    assert isinstance(fitted.factor_model_, SparseFactorModel)
