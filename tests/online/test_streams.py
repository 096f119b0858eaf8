"""The stream itself: chunks, layouts, the constant, orders, the record of mistakes, and input that cannot be used."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from single_pass import once_in_order
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

import treatise.online
from treatise.online import (
    ALMA,
    AROW,
    NAROW,
    ConfidenceWeighted,
    NormalHerd,
    OnlineGradientDescent,
    OnlinePerceptron,
    PassiveAggressive,
    SecondOrderPerceptron,
    SoftConfidenceWeighted,
)
from treatise.online.rules._base import OnlineClassifier

KINDS = [
    member
    for name in treatise.online.__all__
    if isinstance(member := getattr(treatise.online, name), type) and issubclass(member, OnlineClassifier)
]
# What a learner else draws from the rows of its first call.
FIXED = {NAROW: {"b": 1.0}, ALMA: {"radius": 1.0}, PassiveAggressive: {"C": 1.0}}
LEARNERS = [
    once_in_order(kind, **({"covariance": covariance} if covariance else {}), **FIXED.get(kind, {}))
    for kind in KINDS
    for covariance in (("full", "diagonal") if "covariance" in kind().get_params() else (None,))
]
every_learner = pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda e: type(e).__name__ + "-" + e.get_params().get("covariance", "")
)
two_and_more_classes = pytest.mark.parametrize("n_classes", [2, 4])


def table(n_classes, n=300, seed=0):
    X, y = make_classification(n, 12, n_informative=8, n_classes=n_classes, random_state=seed)
    return np.where(np.abs(X) > 0.7, X, 0.0), y


def record(learner):
    return learner.n_seen_, learner.n_mistakes_, learner.n_updates_


@every_learner
@two_and_more_classes
def test_chunks_equal_one_pass_to_the_bit(learner, n_classes):
    X, y = table(n_classes)
    whole, parts = clone(learner).fit(X, y), clone(learner)
    for rows in np.split(np.arange(300), [1, 2, 50, 51, 200]):
        parts.partial_fit(X[rows], y[rows], classes=np.arange(n_classes))
    assert record(parts) == record(whole)
    np.testing.assert_array_equal(parts.coef_, whole.coef_)
    np.testing.assert_array_equal(parts.mistake_curve_, whole.mistake_curve_)


@every_learner
@two_and_more_classes
@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
def test_sparse_rows_give_the_weights_of_dense_ones(learner, n_classes, layout):
    X, y = table(n_classes, 120)
    dense, thin = clone(learner).fit(X, y), clone(learner).fit(layout(X), y)
    assert record(thin) == record(dense)
    # Sums without the zeros are taken in another order, which ROMMA and CW on labels in conflict multiply.
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-9, atol=1e-12 * np.abs(dense.coef_).max())
    np.testing.assert_allclose(thin.decision_function(layout(X)), dense.decision_function(X), rtol=1e-8, atol=1e-9)


@every_learner
@two_and_more_classes
def test_intercept_is_the_weight_of_a_column_of_ones(learner, n_classes):
    X, y = table(n_classes)
    with_ones = clone(learner).fit(np.column_stack([X, np.ones(300)]), y)
    for rows in (X, sparse.csr_matrix(X)):
        asked = clone(learner).set_params(fit_intercept=True).fit(rows, y)
        assert record(asked) == record(with_ones)
        scale = np.abs(with_ones.coef_).max()
        np.testing.assert_allclose(asked.coef_, with_ones.coef_[:, :-1], rtol=1e-9, atol=1e-12 * scale)
        np.testing.assert_allclose(asked.intercept_, with_ones.coef_[:, -1], rtol=1e-9, atol=1e-12 * scale)
        np.testing.assert_array_equal(asked.predict(rows), with_ones.predict(np.column_stack([X, np.ones(300)])))
    np.testing.assert_array_equal(with_ones.intercept_, 0)


@every_learner
def test_labels_of_any_kind_are_predicted(learner):
    X, y = table(3)
    names = np.array(["plum", "fig", "lime"])[y]
    learner = clone(learner).fit(X, names)
    assert set(learner.predict(X)) <= set(names)
    assert learner.decision_function(X).shape == (300, 3)
    assert learner.coef_.shape == (3, 12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_docstring_describes_every_parameter_and_the_record(kind):
    described = kind.__doc__.splitlines()
    for name in (*kind().get_params(), "coef_", "n_seen_, n_mistakes_, n_updates_"):
        assert any(line.startswith(f"{name} : ") for line in described), name
    assert f"n_passes : int, default={kind().n_passes}" in described


def test_index_arrays_of_64_bits_are_understood():
    X, y = table(2)
    long = sparse.csr_matrix(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    np.testing.assert_array_equal(
        once_in_order(AROW).fit(long, y).coef_, once_in_order(AROW).fit(sparse.csr_matrix(X), y).coef_
    )


def test_repeated_entries_of_a_sparse_row_count_as_their_sum():
    doubled = sparse.csr_matrix((np.ones(6), [0, 0, 1, 1, 2, 2], [0, 4, 6]), shape=(2, 3))
    before = doubled.data.copy()
    learner = once_in_order(PassiveAggressive, variant=0).fit(doubled, [0, 1])
    np.testing.assert_allclose(
        learner.coef_, once_in_order(PassiveAggressive, variant=0).fit(doubled.toarray(), [0, 1]).coef_
    )
    np.testing.assert_array_equal(doubled.data, before)


def test_rows_are_met_in_order_unless_shuffled():
    X, y = table(2)
    order = np.random.RandomState(5).permutation(300)
    plain, shuffled = (
        once_in_order(OnlinePerceptron).fit(X, y),
        once_in_order(OnlinePerceptron, shuffle=True, random_state=5).fit(X, y),
    )
    np.testing.assert_array_equal(shuffled.coef_, once_in_order(OnlinePerceptron).fit(X[order], y[order]).coef_)
    assert not np.array_equal(plain.coef_, shuffled.coef_)


def test_passes_continue_where_the_last_one_ended():
    X, y = table(3)
    thrice = once_in_order(OnlineGradientDescent, n_passes=3).fit(X, y)
    once = once_in_order(OnlineGradientDescent)
    for _ in range(3):
        once.partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_array_equal(thrice.coef_, once.coef_)
    assert thrice.n_seen_ == 900


def test_mistake_curve_is_the_running_count_at_evenly_spaced_moments():
    X, y = table(2, 1000)
    learner = once_in_order(PassiveAggressive, 1.0).fit(X, y)
    wrong, updated, stepwise = [], [], once_in_order(PassiveAggressive, 1.0)
    for x, label in zip(X, y):
        before = (getattr(stepwise, "n_mistakes_", 0), getattr(stepwise, "n_updates_", 0))
        stepwise.partial_fit(x[None], [label], classes=[0, 1])
        wrong.append(stepwise.n_mistakes_ - before[0])
        updated.append(stepwise.n_updates_ - before[1])
    seen = learner.mistake_curve_[:, 0]
    np.testing.assert_array_equal(seen, np.arange(16, 1001, 16))  # 62 moments; every eighth would be 125
    np.testing.assert_array_equal(learner.mistake_curve_[:, 1], np.cumsum(wrong)[seen - 1])
    np.testing.assert_array_equal(learner.mistake_curve_[:, 2], np.cumsum(updated)[seen - 1])


def test_a_long_stream_is_walked_in_blocks_without_a_seam():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 3)), rng.integers(0, 2, 20_000)
    learner = once_in_order(AROW).fit(X, y)
    parts = once_in_order(AROW).partial_fit(X[:9000], y[:9000], classes=[0, 1]).partial_fit(X[9000:], y[9000:])
    np.testing.assert_array_equal(learner.coef_, parts.coef_)
    assert learner.n_mistakes_ == parts.n_mistakes_


@every_learner
@two_and_more_classes
def test_rows_of_zeros_teach_nothing(learner, n_classes):
    X, y = table(n_classes)
    learner = clone(learner).fit(X, y)
    before = learner.coef_.copy()
    zeros = sparse.csr_matrix((n_classes, 12))
    learner.partial_fit(zeros, np.arange(n_classes)).partial_fit(zeros.toarray(), np.arange(n_classes))
    # The ellipsoid method lets its cuts shrink in every round, which a row of zeros does not show yet.
    np.testing.assert_array_equal(learner.coef_, before)
    assert learner.n_seen_ == 300 + 2 * n_classes


@every_learner
def test_a_stream_may_begin_with_one_class_alone(learner):
    X, y = table(2)
    learner = clone(learner).partial_fit(X[:20], np.zeros(20), classes=[0, 1])
    learner.partial_fit(X, y)
    assert np.all(np.isfinite(learner.coef_))


def test_constant_labels_are_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r"one class only, 7; .*partial_fit"):
        OnlinePerceptron().fit([[1.0], [2.0]], [7, 7])


def test_first_chunk_must_name_all_classes():
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        OnlinePerceptron().partial_fit([[1.0]], [0])


@pytest.mark.parametrize("known", [[0, 1], [0, 1, 3]])
def test_a_class_that_was_not_announced_is_refused_and_nothing_is_learned(known):
    learner = OnlinePerceptron().partial_fit([[1.0], [2.0]], [0, 1], classes=known)
    before = learner.coef_.copy()
    with pytest.raises(ValueError, match=r"y holds \[2\]"):
        learner.partial_fit([[1.0], [2.0]], [1, 2])
    np.testing.assert_array_equal(learner.coef_, before)
    with pytest.raises(ValueError, match="differ from those of the first call"):
        learner.partial_fit([[1.0]], [0], classes=[0, 5])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_refused(bad):
    for rows in (np.array([[1.0, bad], [0.0, 1.0]]), sparse.csr_matrix([[1.0, bad], [0.0, 1.0]])):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            AROW().fit(rows, [0, 1])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_overflow_is_told_with_the_place(n_classes):
    X = np.full((50, 2), 1e6)
    with pytest.raises(ValueError, match=r"scores overflowed after \d+ examples; scale the features"):
        OnlineGradientDescent(loss="squared_error").fit(X, np.arange(50) % n_classes)


@pytest.mark.parametrize(
    "learner",
    [
        PassiveAggressive(-1.0), PassiveAggressive(variant=3), AROW(0.0), ConfidenceWeighted(0.5),
        ConfidenceWeighted(1.0), SoftConfidenceWeighted(variant=0), NormalHerd(covariance="low rank"),
        OnlinePerceptron("most"), OnlineGradientDescent(loss="absolute"), OnlinePerceptron(n_passes=0),
    ],
)  # fmt: skip
def test_parameters_outside_their_range_are_refused(learner):
    with pytest.raises(ValueError, match=r"The '\w+' parameter"):
        learner.fit([[0.0], [1.0]], [0, 1])


def test_full_covariance_beyond_the_limit_is_refused_with_its_size():
    X = sparse.csr_matrix((2, 50_000))
    with pytest.raises(ValueError, match=r"50000 weights needs 18\.6 GiB, above the limit of 2 GiB"):
        once_in_order(AROW, covariance="full").fit(X, [0, 1])
    with pytest.raises(ValueError, match=r"needs 3\.0 GiB for 4 classes"):
        once_in_order(NormalHerd, covariance="full").fit(sparse.csr_matrix((4, 10_000)), [0, 1, 2, 3])


def test_diagonal_covariance_needs_two_vectors_of_memory():
    X = sparse.random(50, 200_000, density=1e-4, format="csr", random_state=0)
    y = np.arange(50) % 2
    once_in_order(AROW).fit(X, y)
    tracemalloc.start()
    once_in_order(AROW).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The two vectors are 3.2 MB; a full covariance would be 320 GB.
    assert peak < 8e6


def test_dense_rows_are_not_copied():
    X, y = np.random.default_rng(0).normal(size=(20_000, 50)), np.arange(20_000) % 2
    once_in_order(PassiveAggressive).fit(X, y)
    tracemalloc.start()
    once_in_order(PassiveAggressive).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 4


def test_narow_chooses_b_so_that_half_of_the_rows_can_teach():
    X, y = table(2)
    X = X / np.linalg.norm(X, axis=1, keepdims=True) * 0.1
    assert once_in_order(NAROW).fit(X, y).b_ == pytest.approx(200)
    assert np.any(once_in_order(NAROW).fit(X, y).coef_)
    # Long rows, as unscaled columns make them, are all learned from with the paper's value.
    assert once_in_order(NAROW).fit(1e4 * X, y).b_ == 1.0
    with pytest.warns(ConvergenceWarning, match="NAROW learned nothing"):
        assert not np.any(once_in_order(NAROW, 1.0).fit(X, y).coef_)  # |x|^2 = 0.01 never exceeds 1 / b
    with pytest.warns(ConvergenceWarning, match="NAROW learned nothing"):
        assert once_in_order(NAROW).fit(np.zeros((2, 2)), [0, 1]).b_ == 1.0


@pytest.mark.parametrize(
    "learner",
    [once_in_order(ALMA), once_in_order(PassiveAggressive), once_in_order(PassiveAggressive, variant=2)],
    ids=repr,
)
def test_parameters_drawn_from_the_rows_follow_their_length(learner):
    """Longer rows give shorter weights and the same scores; a power of two costs no digit."""
    X, y = table(2)
    plain, long = clone(learner).fit(X, y), clone(learner).fit(1024 * X, y)
    np.testing.assert_array_equal(long.decision_function(1024 * X), plain.decision_function(X))
    assert (long.n_mistakes_, long.n_updates_) == (plain.n_mistakes_, plain.n_updates_)
    assert clone(learner).fit(np.zeros((2, 2)), [0, 1]).n_seen_ == 2


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_narow_learns_nothing_from_rounding(covariance):
    """Rows of length one have a variance of one, which 1 / b is: what exceeds it are errors of the last digit."""
    X, y = table(2)
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert np.any(np.einsum("ij,ij->i", X, X) > 1.0)
    with pytest.warns(ConvergenceWarning, match="NAROW learned nothing"):
        assert not np.any(once_in_order(NAROW, 1.0, covariance=covariance).fit(X, y).coef_)


def test_a_covariance_of_few_weights_is_full_by_itself():
    X, y = table(2)
    for kind in KINDS:
        if "covariance" not in kind().get_params():
            continue
        few, full = once_in_order(kind), once_in_order(kind, covariance="full")
        np.testing.assert_array_equal(few.fit(X, y).coef_, full.fit(X, y).coef_)
    wide = sparse.random(20, 100, 0.2, "csr", random_state=0)
    assert once_in_order(AROW).fit(wide, np.arange(20) % 2).covariance_.shape == (100, 100)
    assert once_in_order(AROW, fit_intercept=True).fit(wide, np.arange(20) % 2).covariance_.shape == (101,)


def test_second_order_perceptron_starts_from_its_ridge():
    learner = once_in_order(SecondOrderPerceptron, 4.0).partial_fit([[0.0, 0.0]], [1], classes=[0, 1])
    np.testing.assert_array_equal(learner.covariance_, np.diag([0.25, 0.25]))
