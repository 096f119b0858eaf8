"""Independent subspace analysis and its relatives: sources recovered, groupings against all of them, bad input."""

from itertools import permutations

import numpy as np
import pytest
from scipy.signal import lfilter
from sklearn.metrics import adjusted_rand_score

from treatise.datasets import make_subspace_sources
from treatise.information import (
    AutoregressiveISA,
    ComplexISA,
    ConvolutiveISA,
    IndependentSubspaceAnalysis,
    PostNonlinearISA,
    amari_index,
    landmark_spectral_clustering,
)
from treatise.information.subspaces.grouping import spectral_groups, swap_groups
from treatise.information.subspaces.isa import GroupingCost

PAIRS = [2, 2, 2]


def rings(n, rng, count=2):
    angle, radius = rng.uniform(0, 2 * np.pi, (n, count)), 1 + 0.05 * rng.normal(size=(n, count))
    both = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=2)
    return both.reshape(n, 2 * count) * np.sqrt(2)


@pytest.mark.parametrize("seed", range(5))
def test_three_sources_are_recovered_from_a_rotation(seed):
    X, _, mixing, groups = make_subspace_sources(random_state=seed)
    model = IndependentSubspaceAnalysis(PAIRS, random_state=0).fit(X)
    assert amari_index(model.components_ @ mixing, model.subspaces_, groups) < 0.03
    assert model.converged_
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-9)


@pytest.mark.parametrize("dependence", ["hsic", "distance_correlation", "energy", "kcca"])
def test_other_measures_group_the_same_components(dependence):
    X, _, mixing, groups = make_subspace_sources(800, random_state=1)
    model = IndependentSubspaceAnalysis(PAIRS, dependence=dependence, random_state=0).fit(X)
    assert amari_index(model.components_ @ mixing, model.subspaces_, groups) < 0.08


@pytest.mark.parametrize("cost", ["joint", "recursive", "entropies", "within", "pairwise"])
def test_every_cost_of_the_paper_is_least_at_the_true_groups(cost):
    S = make_subspace_sources(700, random_state=0).S
    value = GroupingCost(cost, S)
    true = np.array([0, 0, 1, 1, 2, 2])
    wrong = [np.array(labels) for labels in {(0, 1, 0, 1, 2, 2), (0, 1, 2, 0, 1, 2), (0, 2, 1, 1, 0, 2)}]
    assert all(value(true) < value(labels) for labels in wrong)
    X, _, mixing, groups = make_subspace_sources(700, random_state=0)
    model = IndependentSubspaceAnalysis(PAIRS, cost=cost, random_state=0).fit(X)
    assert amari_index(model.components_ @ mixing, model.subspaces_, groups) < 0.08


def test_the_number_of_groups_is_read_off_the_dependence():
    rng = np.random.default_rng(0)
    S = np.hstack([rings(3000, rng), rng.laplace(size=(3000, 1))])
    mixing = rng.normal(size=(5, 5))
    model = IndependentSubspaceAnalysis(random_state=0).fit(S @ mixing.T)
    assert [len(group) for group in model.subspaces_] == [2, 2, 1]
    assert amari_index(model.components_ @ mixing, model.subspaces_, [[0, 1], [2, 3], [4]]) < 0.05
    assert model.residual_ < 0.1 * model.dependence_.max()
    alone = IndependentSubspaceAnalysis(random_state=0).fit(rng.laplace(size=(2000, 4)))
    assert [len(group) for group in alone.subspaces_] == [1, 1, 1, 1]
    told = IndependentSubspaceAnalysis(n_subspaces=3, random_state=0).fit(S @ mixing.T)
    assert [len(group) for group in told.subspaces_] == [2, 2, 1]


def test_exchanges_end_at_the_best_of_all_groupings():
    rng = np.random.default_rng(0)
    for _ in range(20):
        D = rng.random((6, 6))
        D = D + D.T
        np.fill_diagonal(D, 0.0)
        within = [D[np.equal.outer(labels, labels)].sum() for labels in set(permutations([0, 0, 1, 1, 2, 2]))]
        found = swap_groups(D, PAIRS, 10, rng)
        assert sorted(found) == [0, 0, 1, 1, 2, 2]
        assert D[np.equal.outer(found, found)].sum() == pytest.approx(max(within))


def test_the_cut_finds_blocks_and_leaves_components_without_links_alone():
    blocks = np.kron(np.eye(3), np.ones((4, 4))) + 0.01
    np.fill_diagonal(blocks, 0.0)
    affinity = np.zeros((14, 14))
    affinity[:12, :12] = blocks
    labels = spectral_groups(affinity, None, 0)
    assert adjusted_rand_score(labels, [*np.repeat([0, 1, 2], 4), 3, 4]) == 1.0
    assert len(set(spectral_groups(affinity, 5, 0))) == 5


def test_landmarks_group_as_the_whole_matrix_would():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 5, 6000)
    common = rng.normal(size=(5, 64))
    features = common[true] + 0.7 * rng.normal(size=(6000, 64))
    labels = landmark_spectral_clustering(features.astype(np.float32), 5, n_landmarks=100, random_state=0)
    assert adjusted_rand_score(true, labels) > 0.98
    np.testing.assert_array_equal(
        labels, landmark_spectral_clustering(features.astype(np.float32), 5, n_landmarks=100, random_state=0)
    )
    with pytest.raises(ValueError, match="n_clusters=9 must be between 1 and the 4 landmarks"):
        landmark_spectral_clustering(features, 9, n_landmarks=4)


def test_dynamics_are_removed_before_the_analysis():
    rng = np.random.default_rng(0)
    noise = rings(4000, rng)
    S = lfilter([1.0], [1.0, -1.2, 0.5], noise, axis=0)
    mixing = rng.normal(size=(4, 4))
    model = AutoregressiveISA([2, 2], random_state=0).fit(S @ mixing.T)
    assert model.order_ == 2
    assert amari_index(model.components_ @ mixing, model.subspaces_, [[0, 1], [2, 3]]) < 0.05
    plain = IndependentSubspaceAnalysis([2, 2], random_state=0).fit(S @ mixing.T)
    ours = amari_index(model.components_ @ mixing, model.subspaces_, [[0, 1], [2, 3]])
    assert amari_index(plain.components_ @ mixing, plain.subspaces_, [[0, 1], [2, 3]]) > 2 * ours
    innovations = model.innovations(S @ mixing.T)[2:]
    assert np.abs(np.corrcoef(innovations[1:].T, innovations[:-1].T)[:4, 4:]).max() < 0.05


def test_curves_of_the_sensors_are_undone():
    rng = np.random.default_rng(0)
    S = rings(2000, rng, 4)
    mixing = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    X = S @ mixing.T
    bent = np.sign(X) * np.abs(X) ** 2.5
    groups = np.arange(8).reshape(4, 2)
    plain = IndependentSubspaceAnalysis([2] * 4, dependence="energy", random_state=0).fit(bent)
    model = PostNonlinearISA([2] * 4, dependence="energy", random_state=0).fit(bent)
    ours, theirs = (amari_index(m.components_ @ mixing, m.subspaces_, groups) for m in (model, plain))
    assert ours < 0.15 < theirs
    np.testing.assert_allclose(model.inverse_transform(model.transform(bent)), bent, atol=1e-6)
    # A rising function of a sensor changes nothing.
    again = PostNonlinearISA([2] * 4, dependence="energy", random_state=0).fit(np.sinh(bent))
    np.testing.assert_allclose(again.components_, model.components_, atol=1e-12)


def test_complex_sources_are_pairs_of_real_components():
    rng = np.random.default_rng(0)
    S = np.exp(2j * np.pi * rng.random((3000, 2))) * (1 + 0.05 * rng.normal(size=(3000, 2)))
    mixing = rng.normal(size=(2, 2)) + 1j * rng.normal(size=(2, 2))
    model = ComplexISA([1, 1], random_state=0).fit(S @ mixing.T)
    real = np.block([[mixing.real, -mixing.imag], [mixing.imag, mixing.real]])
    assert amari_index(model.components_ @ real, model.subspaces_, [[0, 2], [1, 3]]) < 0.05
    assert model.transform(S @ mixing.T).shape == (3000, 4)
    with pytest.raises(ValueError, match="must be a complex array"):
        ComplexISA().fit(np.ones((4, 2)))


def test_echoes_are_removed_with_more_sensors_than_sources():
    rng = np.random.default_rng(0)
    S = rings(6000, rng)
    taps = rng.normal(size=(3, 4, 9)) * np.array([1.0, 0.6, 0.3])[:, None, None]
    sensors = sum(np.vstack([np.zeros((lag, 4)), S[: len(S) - lag]]) @ tap for lag, tap in enumerate(taps))
    model = ConvolutiveISA(4, [2, 2], random_state=0).fit(sensors)
    found = model.transform(sensors)
    transfer = np.linalg.lstsq(S, found, rcond=None)[0].T
    explained = 1 - np.mean((found - S @ transfer.T)[20:] ** 2) / np.mean(found**2)
    assert explained > 0.95
    assert amari_index(transfer, model.subspaces_, [[0, 1], [2, 3]]) < 0.1
    with pytest.raises(ValueError, match="n_components=9 sources need more sensors than the 9"):
        ConvolutiveISA(9).fit(sensors)


def test_amaris_index_counts_leakage_between_blocks():
    groups = [[0, 1], [2]]
    clean = np.array([[1.0, 2.0, 0.0], [3.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    assert amari_index(clean, groups, groups) == 0.0
    leaking = clean.copy()
    leaking[2, 0] = 1.0
    assert amari_index(leaking, groups, groups) == pytest.approx((1 / 2 + 1 / 7) / 4)
    with pytest.raises(ValueError, match="2 groups were found where 1"):
        amari_index(clean, groups, [[0, 1, 2]])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (IndependentSubspaceAnalysis([2, 2]), r"dims=\[2, 2\] must be positive sizes that sum to the 3 components"),
        (IndependentSubspaceAnalysis(n_subspaces=7), "n_subspaces=7 exceeds the 3 components"),
        (IndependentSubspaceAnalysis(dependence="nearest"), "method='nearest' is unknown"),
        (AutoregressiveISA(order=40), "100 rows are too few to look 40 rows back"),
    ],
)
def test_bad_parameters_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(np.random.default_rng(0).normal(size=(100, 3)))


def test_constant_data_and_columns_that_repeat_are_told_apart():
    with pytest.raises(ValueError, match="all rows of X are equal"):
        IndependentSubspaceAnalysis().fit(np.ones((20, 3)))
    x = np.random.default_rng(0).laplace(size=(500, 2))
    model = IndependentSubspaceAnalysis(random_state=0).fit(np.c_[x, x[:, 0], np.ones(500)])
    assert model.components_.shape == (2, 4)
    assert np.isfinite(model.components_).all()
