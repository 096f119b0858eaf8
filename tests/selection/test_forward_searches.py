"""The forward searches of the paper's comparison, each against a search written out in full."""

import numpy as np
import pytest
from scipy import sparse

from treatise.datasets import make_corral
from treatise.selection import CFSForward, ConsistencyForward
from treatise.statistics import symmetrical_uncertainty


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    noisy = [np.where(rng.random(200) < share, rng.integers(0, 3, 200), y) for share in (0.3, 0.5, 0.5, 0.7, 1.0)]
    return np.column_stack([*noisy, noisy[0] + 3 * rng.integers(0, 5, 200), rng.integers(0, 2, 200)]), y


def merit(X, y, chosen):
    """Hall's merit, as printed."""
    k = len(chosen)
    r_cf = np.mean([symmetrical_uncertainty(X[:, i], y) for i in chosen])
    pairs = [symmetrical_uncertainty(X[:, i], X[:, j]) for i in chosen for j in chosen if i < j]
    r_ff = np.mean(pairs) if pairs else 0.0
    return k * r_cf / np.sqrt(k + k * (k - 1) * r_ff)


def inconsistency(X, y, chosen):
    """Rows outside the majority of the rows that agree with them."""
    groups = {}
    for row, label in zip(X[:, chosen], y):
        groups.setdefault(tuple(row), []).append(label)
    return sum(len(labels) - max(map(labels.count, labels)) for labels in groups.values())


def test_cfs_adds_the_feature_of_highest_merit_until_none_helps(table):
    X, y = table
    chosen, best = [], 0.0
    while True:
        merits = {i: merit(X, y, [*chosen, i]) for i in range(X.shape[1]) if i not in chosen}
        feature = max(merits, key=merits.get)
        if merits[feature] <= best:
            break
        chosen, best = [*chosen, feature], merits[feature]
    found = CFSForward(discretizer=None).fit(X, y)
    assert found.selected_.tolist() == chosen
    assert 1 < len(chosen) < X.shape[1]
    np.testing.assert_allclose(found.merits_, [merit(X, y, chosen[: k + 1]) for k in range(len(chosen))], atol=1e-12)


def test_consistency_adds_the_feature_that_leaves_fewest_until_as_good_as_all(table):
    X, y = table
    full, chosen, left = inconsistency(X, y, list(range(X.shape[1]))), [], len(y)
    while left > full:
        counts = {i: inconsistency(X, y, [*chosen, i]) for i in range(X.shape[1]) if i not in chosen}
        feature = min(counts, key=counts.get)
        chosen, left = [*chosen, feature], counts[feature]
    found = ConsistencyForward(discretizer=None).fit(X, y)
    assert found.selected_.tolist() == chosen
    assert found.full_inconsistency_ == full
    expected = [inconsistency(X, y, chosen[: k + 1]) for k in range(len(chosen))]
    assert found.inconsistencies_.tolist() == expected


def test_consistency_stops_above_zero_where_equal_rows_differ_in_class():
    X = np.array([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]])
    found = ConsistencyForward(discretizer=None).fit(X, [0, 1, 1, 0, 1])
    assert found.full_inconsistency_ == 1
    assert found.selected_.tolist() == [1]


def test_consistency_finds_an_exclusive_or():
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 6, axis=0)
    irrelevant = np.tile([0, 1], 12)
    found = ConsistencyForward(discretizer=None).fit(np.column_stack([X, irrelevant]), X[:, 0] ^ X[:, 1])
    assert set(found.selected_) == {0, 1} and found.inconsistencies_[-1] == 0


@pytest.mark.parametrize("selector", [CFSForward, ConsistencyForward])
def test_sparse_equals_dense(selector, table):
    X, y = table
    dense, thin = selector(discretizer=None).fit(X, y), selector(discretizer=None).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(dense.selected_, thin.selected_)


def test_corral_selections_of_cfs_are_those_of_table_1():
    for kind in ("corral", "corral-47"):
        X, y, names = make_corral(kind)
        assert {names[i] for i in CFSForward().fit(X, y).selected_} == {"A0", "A1", "B0", "B1", "R"}


@pytest.mark.parametrize("selector", [CFSForward, ConsistencyForward])
def test_nothing_to_find_leaves_nothing_with_a_warning(selector):
    with pytest.warns(UserWarning, match=f"{selector.__name__} kept no feature"):
        found = selector().fit(np.ones((6, 3)), [0, 1, 0, 1, 0, 1])
    assert len(found.selected_) == 0
