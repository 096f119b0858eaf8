"""Pseudo-Euclidean embedding, the similarities that need it, and the checks of its negative part."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.manifold import ClassicalMDS
from sklearn.metrics import pairwise_distances, roc_auc_score
from sklearn.utils.estimator_checks import check_estimator

from treatise.datasets import load_newsgroup_words
from treatise.metric import (
    PseudoEuclideanEmbedding,
    jaccard_similarity,
    metricity,
    negative_spectrum,
    plot_pseudo_euclidean,
    simpson_similarity,
)
from treatise.papers.metric.v05_0801 import binary_usps
from treatise.papers.metric.v05_0801._states import make_perceptual_states

HALF, PARITY = np.arange(8) // 4, np.arange(8) % 2


def by_group(group, across=5.0, within=2.0):
    D = np.where(group[:, np.newaxis] == group, within, across)
    np.fill_diagonal(D, 0.0)
    return D


def random_dissimilarities(n, seed=0):
    D = np.random.default_rng(seed).uniform(0, 1, (n, n))
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0.0)
    return D


def aligned(A, B):
    """A with the signs of its columns turned to B's."""
    return A * np.sign(np.einsum("ij,ij->j", A, B))


def test_squared_euclidean_distances_give_principal_components_and_no_negative_direction():
    X = np.random.default_rng(0).normal(size=(40, 3)) * [3, 2, 1]
    D = pairwise_distances(X, metric="sqeuclidean")
    model = PseudoEuclideanEmbedding(3, 2).fit(D)
    # Rounding of an eigenvalue problem of size 40.
    np.testing.assert_allclose(
        aligned(PCA().fit_transform(X), model.embedding_[:, :3]), model.embedding_[:, :3], atol=1e-8
    )
    classical = ClassicalMDS(3, metric="precomputed").fit_transform(np.sqrt(D))
    np.testing.assert_allclose(aligned(classical, model.embedding_[:, :3]), model.embedding_[:, :3], atol=1e-8)
    assert (model.embedding_[:, 3:] == 0).all()
    assert model.eigenvalues_.min() > -1e-10 and model.signature_ == (3, 0, 37)
    distances = PseudoEuclideanEmbedding(3, 2, proximity="distance").fit_transform(np.sqrt(D))
    np.testing.assert_allclose(distances, model.embedding_, atol=1e-8)


def test_the_toy_has_its_halves_ahead_and_its_parity_last():
    model = PseudoEuclideanEmbedding(1, 1).fit(by_group(HALF) - by_group(PARITY))
    np.testing.assert_allclose(model.eigenvalues_, [6, 0, 0, 0, 0, 0, 0, -6], atol=1e-12)
    np.testing.assert_allclose(
        model.embedding_[:, 0] * np.sign(model.embedding_[0, 0]), np.sqrt(6 / 8) * (1 - 2 * HALF)
    )
    np.testing.assert_allclose(
        model.embedding_[:, 1] * np.sign(model.embedding_[0, 1]), np.sqrt(6 / 8) * (1 - 2 * PARITY)
    )
    assert model.negative_fraction_ == pytest.approx(0.5) and model.signature_ == (1, 1, 6)


def test_the_printed_matrix_is_squared_euclidean():
    from treatise.papers.metric.v05_0801 import PRINTED_D1

    D1 = np.array(PRINTED_D1.split(), float).reshape(8, 8)
    values = PseudoEuclideanEmbedding().fit(D1).eigenvalues_
    # Values worked out to four decimals.
    expected = [7.1666, 1.5350, 1.2988, 1.1619, 0.8683, 0.7115, 0.4593, 0.0]
    np.testing.assert_allclose(values, expected, atol=1e-3)


def test_small_digits_show_their_shape_ahead_and_their_ink_last():
    X, y = load_digits(return_X_y=True)
    chosen = (y == 0) | (y == 7)
    B, y = (X[chosen] >= 8).astype(float), y[chosen]
    model = PseudoEuclideanEmbedding(proximity="similarity", metric=simpson_similarity).fit(B)
    ends = model.eigenvalues_[[0, 1, -1, -2]]
    np.testing.assert_allclose(ends, [23.069, 7.005, -4.104, -1.362], atol=1e-3)
    area = roc_auc_score(y == 7, model.embedding_[:, 0])
    assert max(area, 1 - area) > 0.99
    inks = [abs(spearmanr(column, B.sum(axis=1)).statistic) for column in model.embedding_.T]
    assert inks[-1] > 0.95 and max(inks[:2]) < 0.3


def test_all_directions_reconstruct_any_dissimilarities():
    D = random_dissimilarities(30)
    model = PseudoEuclideanEmbedding(None, None).fit(D)
    np.testing.assert_allclose(model.reconstruct(), D, atol=1e-10)
    assert sum(model.signature_) == 30 and model.signature_[1] > 0
    few = PseudoEuclideanEmbedding(2, 2).fit(D).reconstruct()
    x = PseudoEuclideanEmbedding(2, 2).fit_transform(D)
    expected = ((x[3, :2] - x[7, :2]) ** 2).sum() - ((x[3, 2:] - x[7, 2:]) ** 2).sum()
    assert few[3, 7] == pytest.approx(expected, rel=1e-10)


def test_corrections_do_to_the_spectrum_what_they_say():
    D = random_dissimilarities(25)
    plain = PseudoEuclideanEmbedding(None, None).fit(D)
    centre = np.eye(25) - 1 / 25
    C = -0.5 * centre @ D @ centre
    values, vectors = np.linalg.eigh(C)
    grams = {
        "clip": (vectors * np.maximum(values, 0)) @ vectors.T,
        "flip": (vectors * np.abs(values)) @ vectors.T,
        "shift": C - values.min() * centre,
    }
    for correction, gram in grams.items():
        x = PseudoEuclideanEmbedding(None, correction=correction).fit_transform(D)
        np.testing.assert_allclose(x @ x.T, gram, atol=1e-10)
        two = PseudoEuclideanEmbedding(2, correction=correction).fit(D)
        assert two.embedding_.shape == (25, 2)
        np.testing.assert_allclose(two.embedding_, x[:, :2], atol=1e-8)
    clipped = PseudoEuclideanEmbedding(2, correction="clip").fit_transform(D)
    np.testing.assert_allclose(clipped, plain.embedding_[:, :2], atol=1e-10)
    # A constant added to all dissimilarities is what the shift does to them.
    shifted = PseudoEuclideanEmbedding(None, correction="shift").fit(D).reconstruct()
    np.testing.assert_allclose(
        shifted[np.triu_indices(25, 1)], (D - 2 * values.min())[np.triu_indices(25, 1)], atol=1e-9
    )


def test_a_shift_lifts_directions_of_eigenvalue_zero_too():
    D = by_group(HALF) - by_group(PARITY)
    model = PseudoEuclideanEmbedding(None, correction="shift").fit(D)
    assert model.embedding_.shape == (8, 6)
    # The lowest eigenvalue is -6: every pair moves twelve apart, and the last direction shrinks to nothing.
    np.testing.assert_allclose(model.reconstruct(), D + 12 * (1 - np.eye(8)), atol=1e-10)


@pytest.mark.parametrize("correction", [None, "clip", "flip", "shift"])
def test_lanczos_finds_the_same_ends_as_the_whole_problem(correction):
    random = np.random.default_rng(1)
    X = random.normal(size=(500, 6)) * [5, 4, 3, 3, 2, 2]
    D = pairwise_distances(X[:, :3], metric="sqeuclidean") - pairwise_distances(X[:, 3:], metric="sqeuclidean")
    D += random_dissimilarities(500)
    dense = PseudoEuclideanEmbedding(correction=correction, eigen_solver="dense").fit(D)
    lanczos = PseudoEuclideanEmbedding(correction=correction, eigen_solver="lanczos").fit(D)
    np.testing.assert_allclose(lanczos.kept_eigenvalues_, dense.kept_eigenvalues_, rtol=1e-8)
    scale = np.abs(dense.embedding_).max()
    np.testing.assert_allclose(lanczos.embedding_, dense.embedding_, atol=1e-6 * scale)
    assert lanczos.signature_ is None and lanczos.negative_fraction_ is None
    new = D[:7] + random.uniform(0, 0.1, (7, 500))
    np.testing.assert_allclose(lanczos.transform(new), dense.transform(new), atol=1e-6 * scale)


@pytest.mark.parametrize("eigen_solver", ["dense", "lanczos"])
def test_objects_that_are_all_alike_lie_in_one_point(eigen_solver):
    model = PseudoEuclideanEmbedding(eigen_solver=eigen_solver).fit(np.zeros((50, 50)))
    assert model.embedding_.shape == (50, 4) and not model.embedding_.any()


def test_another_order_of_the_objects_gives_the_coordinates_in_that_order():
    D = random_dissimilarities(20)
    order = np.random.default_rng(2).permutation(20)
    x, moved = (PseudoEuclideanEmbedding().fit_transform(each) for each in (D, D[np.ix_(order, order)]))
    np.testing.assert_allclose(aligned(moved, x[order]), x[order], atol=1e-10)


@pytest.mark.parametrize("correction", [None, "clip", "flip", "shift"])
@pytest.mark.parametrize(
    "settings", [{}, {"proximity": "distance"}, *({"proximity": "similarity", "conversion": c} for c in
    ("one_minus", "gower", "neg_log", "reciprocal"))],
)  # fmt: skip
def test_fitted_objects_keep_their_coordinates_and_new_ones_lie_where_their_distances_say(settings, correction):
    random = np.random.default_rng(3)
    P = np.exp(-random.uniform(0.1, 2, (30, 30)))
    P = (P + P.T) / 2
    np.fill_diagonal(P, random.uniform(0.9, 1.4, 30) if settings.get("conversion") == "gower" else 1.0)
    if settings.get("proximity") != "similarity":
        np.fill_diagonal(P, 0.0)
    model = PseudoEuclideanEmbedding(correction=correction, **settings).fit(P)
    np.testing.assert_allclose(model.transform(P), model.embedding_, atol=1e-9)


def test_a_new_point_of_a_euclidean_set_is_placed_exactly():
    X = np.random.default_rng(4).normal(size=(31, 2))
    D = pairwise_distances(X, metric="sqeuclidean")
    model = PseudoEuclideanEmbedding(2, 0).fit(D[:30, :30])
    placed = model.transform(D[30:, :30])
    away = ((model.embedding_ - placed) ** 2).sum(axis=1)
    np.testing.assert_allclose(away, D[30, :30], atol=1e-9)
    rows = PseudoEuclideanEmbedding(2, 0, metric="sqeuclidean").fit(X[:30])
    np.testing.assert_allclose(rows.transform(X[30:]), placed, atol=1e-9)


def test_conversions_of_similarities_are_the_formulas():
    S = np.array([[0.9, 0.5, 0.2], [0.5, 1.0, 0.4], [0.2, 0.4, 0.8]])
    own = np.diagonal(S)
    expected = {
        "one_minus": 1 - S,
        "gower": own[:, np.newaxis] + own - 2 * S,
        "neg_log": -np.log(S),
        "reciprocal": 1 / S - 1,
    }
    for conversion, D in expected.items():
        model = PseudoEuclideanEmbedding(None, None, proximity="similarity", conversion=conversion).fit(S)
        np.testing.assert_allclose(model.reconstruct(), D - np.diag(np.diagonal(D)), atol=1e-12)


def test_asymmetric_input_is_averaged_or_refused():
    D = random_dissimilarities(12)
    tilted = D + np.triu(np.full((12, 12), 0.2), 1) - np.tril(np.full((12, 12), 0.2), -1)
    np.testing.assert_allclose(
        PseudoEuclideanEmbedding().fit_transform(tilted), PseudoEuclideanEmbedding().fit_transform(D), atol=1e-10
    )
    with pytest.raises(ValueError, match="not symmetric"):
        PseudoEuclideanEmbedding(symmetrize=False).fit(tilted)


@pytest.mark.parametrize(
    "settings, X, message",
    [
        ({}, np.ones((3, 4)), "square"),
        ({}, np.array([[0, np.nan], [1, 0]]), "NaN"),
        ({"n_positive": 0, "n_negative": 0}, random_dissimilarities(5), "no direction"),
        ({"proximity": "similarity", "conversion": "neg_log"}, np.eye(4), "positive similarities"),
        ({"eigen_solver": "lanczos", "n_positive": None}, random_dissimilarities(9), "use 'dense'"),
        ({"n_positive": -1}, random_dissimilarities(5), "n_positive"),
        ({"correction": "raise"}, random_dissimilarities(5), "correction"),
    ],
)
def test_what_cannot_be_is_refused(settings, X, message):
    with pytest.raises(ValueError, match=message):
        PseudoEuclideanEmbedding(**settings).fit(X)


def test_scikit_learn_accepts_the_embedding_of_rows_and_of_matrices():
    check_estimator(PseudoEuclideanEmbedding(metric="sqeuclidean"))
    check_estimator(PseudoEuclideanEmbedding())


def test_overlap_scores_are_counts_of_shared_ones():
    random = np.random.default_rng(5)
    X, Y = (random.integers(0, 2, (n, 9)) | (np.arange(9) == 0) for n in (6, 4))
    for function, bottom in (
        (simpson_similarity, lambda a, b: min(sum(a), sum(b))),
        (jaccard_similarity, lambda a, b: sum(a | b)),
    ):
        expected = [[sum(a & b) / bottom(a, b) for b in Y] for a in X]
        np.testing.assert_allclose(function(X, Y), expected)
        np.testing.assert_allclose(function(sparse.csr_array(X), sparse.csr_array(Y)), expected)
        np.testing.assert_allclose(np.diagonal(function(X)), 1.0)
    with pytest.raises(ValueError, match="rows of X have 9 columns, rows of Y 8"):
        simpson_similarity(X, Y[:, :8])
    with pytest.raises(ValueError, match="zeros and ones"):
        simpson_similarity([[0.5, 1.0]])
    with pytest.warns(UserWarning, match="without a one"):
        assert simpson_similarity([[0, 0], [1, 0]])[0].tolist() == [0, 0]


def test_metricity_counts_detours_and_signs():
    Euclidean = pairwise_distances(np.random.default_rng(6).normal(size=(15, 3)), metric="sqeuclidean")
    fine = metricity(Euclidean)
    assert (fine.asymmetry, fine.negative_pairs, fine.detours) == (0, 0, 0) and fine.lowest_eigenvalue > -1e-10
    D = Euclidean.copy()
    D[0, 1] = D[1, 0] = 1000.0
    assert metricity(D).detours == pytest.approx(1 / 105)
    D[0, 1] = D[1, 0] = -1.0
    worse = metricity(D)
    assert worse.negative_pairs == pytest.approx(1 / 105) and worse.lowest_eigenvalue < 0
    D[2, 3] += 0.5
    assert metricity(D).asymmetry == pytest.approx(0.5 / np.abs(D).max())
    with pytest.raises(ValueError, match="square"):
        metricity(np.ones((4, 3)))


def test_structure_comes_back_on_halves_and_noise_does_not():
    random = np.random.default_rng(7)
    groups = random.integers(0, 2, (2, 60))
    noise = random.normal(scale=0.3, size=(60, 60))
    D = by_group(groups[0], 6) - by_group(groups[1], 5) + noise + noise.T
    structure = negative_spectrum(D, 1, n_draws=30, random_state=0)
    assert structure.stability[0] > 0.95 and structure.p_value == pytest.approx(1 / 31)
    noise_only = negative_spectrum(by_group(groups[0], 6) + noise + noise.T, 1, n_draws=30, random_state=0)
    # Half of the objects keep a quarter of the pairs: noise too agrees in part, by 0.5 on average, 0.7 at most.
    assert noise_only.stability[0] < 0.8 and noise_only.p_value > 0.05
    # A positive part twenty times as strong is taken out first, and hides nothing.
    overshone = negative_spectrum(by_group(groups[0], 62) - by_group(groups[1], 4) + noise + noise.T, 1, random_state=0)
    assert overshone.p_value < 0.05 and overshone.stability[0] > 0.95
    again = negative_spectrum(D, 1, n_draws=30, random_state=0)
    np.testing.assert_array_equal(again.shuffled, structure.shuffled)
    with pytest.raises(ValueError, match="n_directions=0"):
        negative_spectrum(D, 0)


def test_one_state_of_perception_is_euclidean_and_several_are_not():
    D, points, _ = make_perceptual_states(20, states=[(2.0, 1.0, 0.5)], random_state=0)
    np.testing.assert_allclose(D, pairwise_distances(points * [2.0, 1.0, 0.5], metric="sqeuclidean"), atol=1e-12)
    D, points, chosen = make_perceptual_states(random_state=0)
    assert metricity(D).lowest_eigenvalue < -0.1
    assert (D == D.T).all() and (chosen == chosen.T).all()


def test_the_drawing_shows_both_ends():
    model = PseudoEuclideanEmbedding().fit(random_dissimilarities(15))
    axes = plot_pseudo_euclidean(model, np.arange(15) % 2)
    assert [ax.get_title() for ax in axes[1:]] == ["positive eigenvalues", "negative eigenvalues"]
    assert len(axes[0].patches) == 15
    shown = np.concatenate([points.get_offsets() for points in axes[2].collections])
    np.testing.assert_allclose(np.sort(shown[:, 1]), np.sort(model.embedding_[:, -1]))
    with pytest.raises(ValueError, match="either sign"):
        plot_pseudo_euclidean(PseudoEuclideanEmbedding(2, 1).fit(random_dissimilarities(15)))


def test_words_of_two_newsgroups_are_those_of_most_documents(real_data):
    real_data("text/20news_w1000.mat")
    occurs, source, words = load_newsgroup_words(n_words=30)
    assert occurs.shape == (30, len(source)) and len(words) == 30
    assert (np.diff(occurs.sum(axis=1)) <= 0).all()
    space = words.index("space")
    assert occurs[space, source == 0].mean() > 5 * occurs[space, source == 1].mean()
    with pytest.raises(ValueError, match="no newsgroup"):
        load_newsgroup_words("sci.fi")


def test_black_and_white_digits(real_data):
    pytest.importorskip("h5py")
    real_data("images/usps.h5")
    B, y = binary_usps()
    assert np.unique(B).tolist() == [0, 1] and [int((y == digit).sum()) for digit in (0, 7)] == [1194, 645]
