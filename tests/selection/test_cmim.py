"""CMIM against Algorithm 1 of its paper, in every way of storing columns, and the laws that information obeys."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import chi2
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import mutual_info_score

from treatise.selection import CMIM, MIM
from treatise.statistics import conditional_mutual_information, mutual_information
from treatise.statistics._columns import read_array
from treatise.statistics._counts import DiscreteVariable
from treatise.statistics._encoding import encode
from treatise.statistics.entropy import TableInformation


def algorithm_1(X, y, most, least=lambda values, given=None: 1e-12):
    """The paper's simple version, line by line; ``least`` is what counts as no information."""
    values = [len(np.unique(x)) for x in X.T]

    def told(n, m=None):
        bits = mutual_information(X[:, n], y) if m is None else conditional_mutual_information(X[:, n], y, X[:, m])
        return bits if bits > least(values[n], None if m is None else values[m]) else 0.0

    score = np.array([told(n) for n in range(X.shape[1])])
    picks, scores = [], []
    for _ in range(most):
        # Scores that are equal but for rounding are tied: the first wins.
        best = int(np.argmax(score > score.max() - 1e-11))
        if score[best] <= 0.0:
            break
        picks.append(best)
        scores.append(score[best])
        score = np.minimum(score, [told(n, best) for n in range(X.shape[1])])
    return picks, scores


def tied_bits(seed, n_values=2, n_classes=2):
    """Few rows and many columns, among them copies and complements: scores are tied all over."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, n_classes, 24), np.arange(n_classes))
    noisy = np.where(rng.random((len(y), 6)) < 0.6, y[:, np.newaxis] % n_values, rng.integers(0, n_values, (len(y), 6)))
    X = np.column_stack([rng.integers(0, n_values, (len(y), 4)), noisy, n_values - 1 - noisy[:, :3], noisy[:, 1:3]])
    return X[:, rng.permutation(X.shape[1])], y


@pytest.mark.parametrize("n_values, n_classes", [(2, 2), (3, 2), (4, 3)])
def test_lazy_picks_and_scores_equal_the_simple_version_under_heavy_ties(n_values, n_classes):
    for seed in range(12):
        X, y = tied_bits(seed, n_values, n_classes)
        picks, scores = algorithm_1(X, y, 8)
        found = CMIM(8, discretizer=None).fit(X, y)
        assert found.selected_.tolist() == picks
        np.testing.assert_allclose(found.pick_scores_, scores, atol=1e-11)
        assert found.n_evaluations_ < 8 * X.shape[1]


def test_every_way_of_storing_columns_gives_the_same_picks():
    X, y = tied_bits(3, 3)
    expected = CMIM(8, discretizer=None).fit(X, y)
    wide = np.column_stack([X, 100 + np.arange(len(y)) % 13])  # a column of codes among the planes
    for other in (X.astype(float), X.astype(np.uint8), sparse.csr_matrix(X), wide, X.astype(str)):
        found = CMIM(8, discretizer=None).fit(other, y)
        kept = [i for i in found.selected_ if i < X.shape[1]] if other is wide else found.selected_.tolist()
        if other is wide:
            assert X.shape[1] in found.selected_ and algorithm_1(wide, y, 8)[0] == found.selected_.tolist()
        else:
            assert kept == expected.selected_.tolist()
            np.testing.assert_allclose(found.pick_scores_, expected.pick_scores_, atol=1e-12)


def test_bytes_of_bits_in_either_order_and_of_any_width_equal_integers():
    rng = np.random.default_rng(0)
    for n, p in ((1, 3), (63, 5), (64, 257), (130, 600)):
        X = (rng.random((n, p)) < 0.3).astype(np.uint8)
        z = DiscreteVariable(rng.integers(0, 2, n), 2)
        expected = TableInformation(encode(read_array(X.astype(np.int64)))).mutual_information(z)
        for other in (X, np.asfortranarray(X), X.astype(bool), X.astype(np.int8), X[::1, ::-1][:, ::-1]):
            table = encode(read_array(other))
            np.testing.assert_array_equal(TableInformation(table).mutual_information(z), expected)
            np.testing.assert_array_equal(table.codes(np.arange(p)), X.T)
    signed = encode(read_array(np.array([[-1, 0], [0, 1], [-1, 5]], dtype=np.int8)))
    assert signed.n_values.tolist() == [2, 3], "bytes other than 0 and 1 are categories"


def test_pixels_of_digits_as_in_the_card():
    X, y = load_digits(return_X_y=True)
    found = CMIM(10, discretizer=7).fit(X, y % 2)
    assert found.selected_.tolist() == [42, 5, 28, 43, 60, 50, 27, 6, 18, 33]
    # In nats, as the paper's logarithm.
    np.testing.assert_allclose(np.log(2) * found.pick_scores_[:3], [0.191917, 0.060487, 0.040932], atol=1e-6)
    assert found.n_evaluations_ <= 121
    np.testing.assert_array_equal(found.selected_, CMIM(10, discretizer=None).fit(X > 7, y % 2).selected_)


def test_medians_cut_numbers_and_leave_columns_of_two_values():
    X, y = load_breast_cancer(return_X_y=True)
    found = CMIM(8, discretizer="median").fit(X, y)
    assert found.selected_.tolist() == [20, 26, 27, 13, 1, 6, 7, 24]
    np.testing.assert_allclose(np.log(2) * found.pick_scores_[:3], [0.318018, 0.101145, 0.082738], atol=1e-6)
    rng = np.random.default_rng(0)
    mostly = np.where(rng.random((200, 3)) < 0.8, 5.0, -1.0)  # the median is the greatest value
    y = np.where(rng.random(200) < 0.2, 1 - (mostly[:, 1] > 0), mostly[:, 1] > 0)
    shifted = np.column_stack([mostly, rng.poisson(0.4, 200) - 1.0, rng.integers(-2, 1, 200)])
    dense = CMIM(3, discretizer="median").fit(shifted, y)
    thin = CMIM(3, discretizer="median").fit(sparse.csc_array(shifted), y)
    assert dense.scores_[1] == pytest.approx(mutual_information(mostly[:, 1] > 0, y))
    np.testing.assert_allclose(thin.scores_, dense.scores_, atol=1e-12)
    for threshold in (-1.5, -0.5, 0.0, 2.0):
        dense, thin = (MIM(5, discretizer=threshold).fit(T, y) for T in (shifted, sparse.csr_matrix(shifted)))
        np.testing.assert_allclose(dense.scores_, [mutual_information(x > threshold, y) for x in shifted.T], atol=1e-12)
        np.testing.assert_allclose(thin.scores_, dense.scores_, atol=1e-12)


def test_a_copy_of_a_picked_feature_comes_after_all_that_tell_something():
    X, y = tied_bits(5)
    copied = np.column_stack([X, X])
    once, twice = CMIM(40, discretizer=None).fit(X, y), CMIM(40, discretizer=None).fit(copied, y)
    np.testing.assert_array_equal(once.selected_, twice.selected_)
    flipped = X.copy()
    flipped[:, ::2] = 1 - flipped[:, ::2]
    np.testing.assert_array_equal(CMIM(40, discretizer=None).fit(flipped, y).pick_scores_, once.pick_scores_)


def test_information_of_tables_obeys_the_laws_of_information():
    rng = np.random.default_rng(1)
    X, y, z = rng.integers(0, 3, (90, 5)), rng.integers(0, 3, 90), rng.integers(0, 4, 90)
    information = TableInformation(encode(read_array(X)))
    target, given = DiscreteVariable(y, 3), DiscreteVariable(z, 4)
    told = information.conditional_mutual_information(target, given)
    np.testing.assert_allclose(told, [conditional_mutual_information(x, y, z) for x in X.T], atol=1e-12)
    pair = np.array([mutual_information(4 * x + z, y) for x in X.T])
    np.testing.assert_allclose(pair, mutual_information(z, y) + told, atol=1e-12)
    nats = MIM(5, discretizer=None).fit(X, y).scores_ * np.log(2)
    np.testing.assert_allclose(nats, [mutual_info_score(x, y) for x in X.T], atol=1e-12)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_without_a_number_chance_ends_the_picks(storage):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 400)
    noisy = [np.where(rng.random(400) < share, rng.integers(0, 3, 400), y) for share in (0.3, 0.5, 0.7, 0.8)]
    X = np.column_stack([*noisy, noisy[0], rng.integers(0, 2, (400, 30))])

    def least(values, given=None):
        # Both storages have all values of the columns, zero among them.
        level, degrees = (0.05 / X.shape[1], 1) if given is None else (0.05, given)
        return chi2.isf(level, 2 * (values - 1) * degrees) / (2 * 400 * np.log(2))

    picks, _ = algorithm_1(X, y, 99, least)
    found = CMIM(discretizer=None).fit(storage(X), y)
    assert found.selected_.tolist() == picks and 3 <= len(picks) <= 6
    ranked = MIM(discretizer=None).fit(storage(X), y)
    assert set(ranked.selected_) == {0, 1, 2, 3, 4}, "the plain ranking keeps the copy"


@pytest.mark.filterwarnings("ignore:MIM kept no feature")
def test_noise_is_rarely_kept():
    rng = np.random.default_rng(3)
    y = np.arange(100) % 2
    kept = [len(MIM(discretizer=None).fit(rng.integers(0, 2, (100, 40)), y).selected_) for _ in range(200)]
    # One table in twenty; three standard errors of 200 draws above that.
    assert 0.0 < np.mean(np.array(kept) > 0) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_mim_is_the_ranking_by_mutual_information():
    X, y = load_digits(return_X_y=True)
    bits = (X > 7).astype(int)
    ranked = SelectKBest(lambda X, y: np.array([mutual_info_score(x, y) for x in X.T]), k=12).fit(bits, y)
    np.testing.assert_array_equal(
        np.sort(MIM(12, discretizer=7).fit(X, y).selected_), np.flatnonzero(ranked.get_support())
    )


def test_few_evaluations_on_many_near_copies():
    rng = np.random.default_rng(4)
    y = rng.random(500) < 0.5
    latent = y[:, np.newaxis] ^ (rng.random((500, 200)) < rng.uniform(0.2, 0.45, 200))
    copies = np.repeat(latent, 10, axis=1) ^ (rng.random((500, 2000)) < 0.05)
    X = np.column_stack([copies, rng.random((500, 3000)) < 0.5])
    found = CMIM(20).fit(X, y)
    assert found.n_evaluations_ < 0.05 * 20 * X.shape[1]
    assert len(set(found.selected_ // 10)) == 20, "picks come from different groups of copies"
    assert len(set(MIM(20).fit(X, y).selected_ // 10)) < 10


def test_exclusive_or_and_bad_input_say_so():
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 10, axis=0)
    with pytest.warns(UserWarning, match="CMIM kept no feature: the most informative tells 0 bits"):
        CMIM(1, discretizer=None).fit(X, X[:, 0] ^ X[:, 1])
    with pytest.raises(ValueError, match="one class only"):
        CMIM().fit(X, np.zeros(40))
    with pytest.raises(ValueError, match="column 1 of X is continuous"):
        CMIM(discretizer=None).fit(X + [[0, 0.3], [0, 0.1]] * 20, X[:, 0])
    with pytest.raises(ValueError, match="NaN"):
        CMIM(discretizer=0.5).fit(np.where(X == 0, np.nan, X), X[:, 0])
    for wrong in ({"n_features": 0}, {"discretizer": "width"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            CMIM(**wrong).fit(X, X[:, 0])
