"""Linear networks and single-cell signals: what is drawn is what is said."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from treatise.datasets import load_cell_signals, make_factor_data, make_linear_network
from treatise.datasets._linear_networks import heavy_tailed, is_triangular_up_to_exchange


@pytest.mark.parametrize("n_latent", [0, 2])
def test_rows_follow_the_returned_model(n_latent):
    data = make_linear_network(200, 6, density=0.7, n_latent=n_latent, random_state=0)
    disturbed = data.X - data.X @ data.weights.T
    loadings = (np.eye(6) - data.weights) @ data.mixing
    assert np.linalg.matrix_rank(disturbed) == 6
    # Disturbances lie in the span of the loadings: one driving signal each, and the hidden ones.
    driving = (np.abs(loadings) > 1e-12).sum(axis=0)
    assert sorted(driving)[:6] == [1] * 6 and (driving[driving > 1] >= 2).all() and loadings.shape == (6, 6 + n_latent)
    sizes = np.abs(data.weights[data.weights != 0])
    assert sizes.min() >= 0.5 and sizes.max() <= 1.5
    assert data.admits(data.order) and not data.admits(data.order[::-1])
    if n_latent == 0:
        np.testing.assert_allclose(disturbed.var(axis=0), 1.0)


def test_balanced_networks_get_half_to_one_and_a_half_from_parents_and_from_the_disturbance():
    for seed in range(5):
        data = make_linear_network(20_000, 8, density=1.0, balanced=True, random_state=seed)
        disturbances = data.X - data.X @ data.weights.T
        # Deviations of 20 000 heavy-tailed values are exact for the disturbances, and within some per cent for sums.
        assert disturbances.std(axis=0).min() > 0.5 - 1e-9 and disturbances.std(axis=0).max() < 1.5 + 1e-9
        parents = (data.X @ data.weights.T).std(axis=0)[data.order[1:]]
        assert parents.min() > 0.46 and parents.max() < 1.6


def test_every_order_that_is_admitted_has_causes_first():
    data = make_linear_network(20, 4, density=0.5, random_state=4)
    for order in permutations(range(4)):
        forward = all(order.index(p) < order.index(c) for c, p in np.argwhere(data.weights != 0))
        assert data.admits(np.array(order)) == forward


def test_density_and_structure_set_the_edges():
    assert np.count_nonzero(make_linear_network(10, 6, density=1.0, random_state=0).weights) == 15
    assert np.count_nonzero(make_linear_network(10, 6, density=0.0, random_state=0).weights) == 0
    structure = np.zeros((4, 4), bool)
    structure[2, 0] = structure[3, 1] = True
    data = make_linear_network(10, structure=structure, random_state=1)
    in_order = data.weights[np.ix_(data.order, data.order)] != 0
    np.testing.assert_array_equal(in_order, structure)


def test_triangularity_is_that_of_all_exchanges():
    rng = np.random.default_rng(0)
    orders = np.array(list(permutations(range(4))))
    above, seen = np.triu(np.ones((4, 4), bool), 1), set()
    for _ in range(200):
        matrix = rng.random((4, 4)) < rng.uniform(0.2, 0.7)
        matrix[np.diag_indices(4)] = True
        exchanged = matrix[orders[:, np.newaxis, :, np.newaxis], orders[np.newaxis, :, np.newaxis, :]]
        brute = bool((~exchanged[..., above].any(axis=-1) & exchanged[..., range(4), range(4)].all(axis=-1)).any())
        assert is_triangular_up_to_exchange(matrix) == brute
        seen.add(brute)
    assert seen == {True, False}


def test_factor_data_admit_no_dag():
    for seed in range(5):
        data = make_factor_data(30, 5, random_state=seed)
        assert data.weights is None and data.order is None and not data.admits(np.arange(5))
        assert not is_triangular_up_to_exchange(data.mixing)
    with pytest.raises(ValueError, match="always admit a DAG"):
        make_factor_data(10, 1)


def test_sources_have_heavy_tails_and_unit_variance():
    sources = heavy_tailed(4000, 5, np.random.RandomState(0))
    np.testing.assert_allclose(sources.var(axis=0), 1.0)
    assert (stats.kurtosis(sources) > 0.5).all()


def test_cell_signals_are_the_cells_under_general_stimulation(real_data):
    real_data("graphical/cyto_full_data.csv")
    data = load_cell_signals()
    assert data.X.shape == (1755, 11) and (data.X > 0).all()
    assert data.names[:3] == ("raf", "mek", "plc") and data.X[0, 0] == 26.4
    assert len(data.arcs) == 20
    name = {key: i for i, key in enumerate(data.names)}
    assert (name["pip3"], name["plc"]) in data.arcs and (name["pkc"], name["pka"]) in data.arcs
    assert load_cell_signals(general=False).X.shape == (7466, 11)
