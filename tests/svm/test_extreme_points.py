"""Representative sets and the machines trained on them: against brute force, an exact SVM, and the paper's theorems."""

import numpy as np
import pytest
from joblib import Memory
from scipy.optimize import minimize, nnls
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from treatise.kernels import Gaussian, SpectrumKernel
from treatise.svm import ExtremePointsSVC, plot_representatives, representative_set
from treatise.svm.extreme_points._loops import share_among


@pytest.fixture(scope="module")
def moons():
    return make_moons(600, noise=0.3, random_state=0)


def hull_distance(gram, products, own):
    """Least squared distance from a hull and its weights, by non-negative least squares with a heavy row of ones."""
    values, vectors = np.linalg.eigh(gram)
    keep = values > 1e-14 * values[-1]
    root = (vectors[:, keep] * np.sqrt(values[keep])).T
    target = (vectors[:, keep] / np.sqrt(values[keep])).T @ products
    # The heavy row holds the sum at 1 to about 1e-9.
    heavy = 1e4
    mu, _ = nnls(np.vstack([root, heavy * np.ones(len(gram))]), np.append(target, heavy), maxiter=50 * len(gram))
    mu /= mu.sum()
    return own + mu @ gram @ mu - 2 * mu @ products, mu


def test_distances_from_a_hull_agree_with_a_general_solver():
    generator = np.random.default_rng(0)
    corners, points = generator.normal(size=(7, 3)), generator.normal(size=(20, 3))
    gram, cross = rbf_kernel(corners, gamma=0.3), rbf_kernel(points, corners, gamma=0.3)
    for i in range(20):
        beta = np.zeros(7)
        found = share_among(
            gram, cross, np.ones(20), np.array([i]), np.full(20, 2.0), 7, 1e-8, np.zeros(7), np.zeros(7),
            np.zeros(8, np.int64), beta,
        )  # fmt: skip
        best = minimize(
            lambda mu, i=i: 1 + mu @ gram @ mu - 2 * mu @ cross[i],
            np.full(7, 1 / 7),
            bounds=[(0, 1)] * 7,
            constraints={"type": "eq", "fun": lambda mu: mu.sum() - 1},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        # SLSQP stops at about 1e-9, ours at 1e-2 of epsilon = 1e-8.
        assert found == pytest.approx(best.fun, abs=1e-7)
        assert beta.sum() == pytest.approx(2.0, abs=1e-12)
        assert beta.min() >= 0


@pytest.mark.parametrize("epsilon", [1e-2, 1e-3])
@pytest.mark.parametrize("segregation", ["distance", "position"])
def test_every_row_lies_within_epsilon_of_the_hull_of_its_subset(moons, epsilon, segregation):
    X, y = moons
    found = representative_set(X, y, gamma=1.0, epsilon=epsilon, subset_size=80, leaf_size=150, segregation=segregation)
    K = rbf_kernel(X, gamma=1.0)
    largest, beta = 0.0, np.zeros(len(X))
    for number in range(found.subset.max() + 1):
        members = np.flatnonzero(found.subset == number)
        kept = np.intersect1d(members, found.indices)
        beta[kept] += 1.0
        for i in np.setdiff1d(members, kept):
            distance, mu = hull_distance(K[np.ix_(kept, kept)], K[i, kept], 1.0)
            largest = max(largest, distance)
            beta[kept] += mu
    assert largest <= epsilon * (1 + 1e-6)
    # Distances are computed to a hundredth of epsilon.
    assert found.error == pytest.approx(largest, abs=0.01 * epsilon)
    assert found.error <= epsilon
    # Weights follow distances less sharply: a hundredth of epsilon in the square leaves a tenth of its root.
    assert np.abs(found.weights - beta[found.indices]).sum() < 0.05 * len(X)


def test_weights_add_up_class_by_class_and_none_is_below_that_of_its_own_row(moons):
    X, y = moons
    generator = np.random.default_rng(0)
    for weight in (None, generator.uniform(0.0, 3.0, len(X))):
        found = representative_set(X, y, sample_weight=weight, gamma=1.0, subset_size=100, leaf_size=200)
        own = np.ones(len(X)) if weight is None else weight
        assert len(np.unique(found.indices)) == len(found.indices)
        for label in (0, 1):
            total = found.weights[y[found.indices] == label].sum()
            assert total == pytest.approx(own[y == label].sum(), abs=1e-8)
        assert np.all(found.weights >= own[found.indices] - 1e-12)


@pytest.mark.parametrize("segregation", ["distance", "position"])
def test_subsets_are_a_partition_into_small_parts_of_one_class(segregation):
    X, y = make_blobs(1000, centers=3, random_state=0)
    X[100:400] = X[100]  # many equal distances must not stop the halving
    found = representative_set(X, y, subset_size=70, leaf_size=150, segregation=segregation)
    assert found.subset.min() == 0
    for number in range(found.subset.max() + 1):
        members = found.subset == number
        assert 0 < members.sum() <= 70
        assert len(np.unique(y[members])) == 1


def test_subsets_hold_near_rows_and_begin_at_the_longest(moons):
    X, _ = moons
    found = representative_set(X, gamma=1.0, subset_size=100, leaf_size=300)
    half = np.sort(np.argsort(((X - X[0]) ** 2).sum(axis=1), kind="stable")[:300])
    longest = half[np.argmax((X[half] ** 2).sum(axis=1))]
    nearest = half[np.argsort(((X[half] - X[longest]) ** 2).sum(axis=1), kind="stable")[:100]]
    np.testing.assert_array_equal(np.flatnonzero(found.subset == 0), np.sort(nearest))


def test_objectives_obey_theorems_1_and_2_at_any_machine(moons):
    X, y = moons[0][:200], moons[1][:200]
    signs, K = 2.0 * y - 1.0, rbf_kernel(moons[0][:200], gamma=1.0)
    found = representative_set(X, y, gamma=1.0, subset_size=60, leaf_size=100)
    gamma = np.zeros((200, 200))
    for i in range(200):
        kept = found.indices[found.subset[found.indices] == found.subset[i]]
        gamma[i, kept] = np.eye(200)[i, kept] if i in kept else hull_distance(K[np.ix_(kept, kept)], K[i, kept], 1.0)[1]
    beta = gamma.sum(axis=0)
    generator = np.random.default_rng(1)
    for _ in range(200):
        coef, offset = generator.normal(size=200) * generator.exponential(), generator.normal()
        scores = K @ coef
        square = 0.5 * coef @ scores
        slack = np.maximum(0.0, 1.0 - signs * (scores + offset))
        full, reduced = square + slack.sum(), square + beta @ slack
        between = square + np.maximum(0.0, 1.0 - signs * (gamma @ scores + offset)).sum()
        assert between <= reduced + 1e-9 * abs(reduced)
        residual = np.abs(scores - gamma @ scores)
        assert abs(full - between) <= residual.sum() + 1e-9 * abs(full)


# Least agreement and largest share of objective lost; sizes an independent implementation found, within a quarter.
@pytest.mark.parametrize(
    ("epsilon", "agreement", "excess", "share"),
    [(1e-2, 0.985, 0.02, 0.14), (1e-3, 0.99, 0.002, 0.45), (1e-4, 0.995, 0.0002, 0.83)],
)
def test_the_machine_is_close_to_an_exact_one(epsilon, agreement, excess, share):
    X, y = make_moons(2000, noise=0.3, random_state=0)
    new, _ = make_moons(10_000, noise=0.3, random_state=1)
    exact = SVC(gamma=1.0, tol=1e-5).fit(X, y)
    machine = ExtremePointsSVC(gamma=1.0, epsilon=epsilon, tol=1e-5).fit(X, y)
    assert np.mean(exact.predict(new) == machine.predict(new)) >= agreement
    least = full_objective(exact, X, y)
    assert least == pytest.approx(419.40, abs=0.01)
    assert least - 1e-3 <= full_objective(machine, X, y) <= (1 + excess) * least
    assert machine.n_representatives_ / 2000 == pytest.approx(share, rel=0.25)
    # Corollary 3, with the paper's C = N times the cost of a row.
    kept = machine.representative_indices_
    reduced = full_objective(machine, X, y, kept, machine.representative_weights_)
    assert least - reduced <= 2000 * np.sqrt(2000 * epsilon)


def full_objective(machine, X, y, rows=slice(None), weights=1.0):
    coef = machine.dual_coef_[0]
    slack = np.maximum(0.0, 1.0 - (2.0 * y[rows] - 1.0) * machine.decision_function(X[rows]))
    return 0.5 * coef @ rbf_kernel(X[machine.support_], gamma=1.0) @ coef + np.sum(weights * slack)


def test_large_data_keep_few_rows_and_lose_little_accuracy():
    X, y = make_moons(20_000, noise=0.3, random_state=0)
    new, truth = make_moons(10_000, noise=0.3, random_state=1)
    machine = ExtremePointsSVC(gamma=1.0, leaf_size=10_000).fit(X, y)
    assert machine.n_representatives_ / 20_000 == pytest.approx(0.026, rel=0.25)
    # 0.9109 is the accuracy of SVC(gamma=1) on the same rows, which takes seconds.
    assert machine.score(new, truth) >= 0.9109 - 0.005
    assert machine.approximation_error_ <= 1e-2


def test_more_rows_are_kept_by_narrow_kernels_and_small_epsilon_and_fewer_by_large_subsets(moons):
    X, y = moons
    size = lambda **options: len(representative_set(X, y, **{"gamma": 1.0, **options}).indices)  # noqa: E731
    assert size(gamma=0.1) < size(gamma=1.0) < size(gamma=10.0)
    assert size(epsilon=1e-2) < size(epsilon=1e-3) < size(epsilon=1e-4)
    assert size(subset_size=20, leaf_size=40) > size(subset_size=300)


def test_epsilon_of_zero_keeps_all_distinct_rows_and_gives_the_exact_machine(moons):
    X, y = moons[0][:200], moons[1][:200]
    exact = SVC(gamma=1.0, tol=1e-8).fit(X, y)
    machine = ExtremePointsSVC(gamma=1.0, epsilon=0.0, tol=1e-8).fit(X, y)
    assert machine.n_representatives_ == 200
    np.testing.assert_allclose(machine.representative_weights_, 1.0)
    coef = np.zeros((2, 200))
    coef[0, exact.support_], coef[1, machine.support_] = exact.dual_coef_[0], machine.dual_coef_[0]
    np.testing.assert_allclose(coef[0], coef[1], atol=1e-5)
    np.testing.assert_allclose(machine.decision_function(X), exact.decision_function(X), atol=1e-6)


def test_a_large_epsilon_leaves_the_points_on_the_enclosing_ball(moons):
    X = moons[0][:100]
    found = representative_set(X, gamma=1.0, epsilon=4.0)
    K = rbf_kernel(X, gamma=1.0)
    for number in range(2):
        members = np.flatnonzero(found.subset == number)
        kept = found.indices[found.subset[found.indices] == number]
        # The least ball: min a' K a over the simplex, whose largest distance is that of the corners it uses.
        gram = K[np.ix_(members, members)]
        best = minimize(
            lambda a, gram=gram: a @ gram @ a,
            np.full(len(members), 1 / len(members)),
            jac=lambda a, gram=gram: 2 * gram @ a,
            bounds=[(0, 1)] * len(members),
            constraints={"type": "eq", "fun": lambda a: a.sum() - 1},
            options={"ftol": 1e-12, "maxiter": 500},
        )
        # The ball is found to 1e-3, so corners of hardly any weight may differ.
        assert set(members[best.x > 0.02]) <= set(kept)
        assert len(kept) <= np.count_nonzero(best.x > 1e-6) + 5
    assert len(found.indices) < 40


def test_duplicates_are_kept_once_and_add_their_weight():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [5, 3, 2], axis=0)
    found = representative_set(X, gamma=1.0, epsilon=1e-6, segregation="position")
    assert sorted(zip(X[found.indices].tolist(), found.weights.round(9))) == [
        ([0.0, 0.0], 5.0),
        ([0.0, 1.0], 2.0),
        ([1.0, 0.0], 3.0),
    ]


def test_a_linear_kernel_keeps_the_corners_of_the_convex_hull():
    inside = np.random.default_rng(0).uniform(-0.9, 0.9, (200, 2))
    corners = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    found = representative_set(np.vstack([inside, corners]), kernel="linear", epsilon=1e-9, segregation="position")
    assert set(found.indices) == {200, 201, 202, 203}


def test_classes_are_learnt_pair_by_pair():
    X, y = load_iris(return_X_y=True)
    exact, machine = SVC(gamma=0.5, tol=1e-8).fit(X, y), ExtremePointsSVC(gamma=0.5, epsilon=1e-12, tol=1e-8).fit(X, y)
    np.testing.assert_array_equal(machine.predict(X), exact.predict(X))
    # scikit-learn breaks ties between votes by the same formula.
    np.testing.assert_allclose(machine.decision_function(X), exact.decision_function(X), atol=1e-5)
    assert machine.dual_coef_.shape == (3, len(machine.support_))


def test_class_weights_scale_costs(moons):
    X, y = moons
    weighted = ExtremePointsSVC(gamma=1.0, class_weight={0: 3.0, 1: 1.0}, tol=1e-8).fit(X, y)
    by_row = ExtremePointsSVC(gamma=1.0, tol=1e-8).fit(X, y, sample_weight=np.where(y == 0, 3.0, 1.0))
    np.testing.assert_allclose(weighted.decision_function(X), by_row.decision_function(X), atol=1e-10)
    assert np.sum(weighted.predict(X) == 0) > np.sum(ExtremePointsSVC(gamma=1.0).fit(X, y).predict(X) == 0)


def test_rows_of_weight_zero_count_as_absent(moons):
    X, y = moons
    weight = (np.arange(len(X)) % 3 > 0).astype(float)
    machine = ExtremePointsSVC(gamma=1.0).fit(X, y, sample_weight=weight)
    smaller = ExtremePointsSVC(gamma=1.0).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(machine.decision_function(X), smaller.decision_function(X), atol=1e-10)


def test_a_gram_matrix_gives_the_machine_of_its_kernel(moons):
    X, y = moons[0][:300], moons[1][:300]
    # Only the longest row decides where subsets begin, and a Gram matrix does not know it: one subset, one machine.
    by_rows = ExtremePointsSVC(gamma=1.0, tol=1e-10).fit(X, y)
    by_gram = ExtremePointsSVC(kernel="precomputed", tol=1e-10).fit(rbf_kernel(X, gamma=1.0), y)
    np.testing.assert_array_equal(by_rows.representative_indices_, by_gram.representative_indices_)
    # Kernel values that differ in the last bit may share a row's weight otherwise, within a hundredth of epsilon.
    np.testing.assert_allclose(
        by_gram.decision_function(rbf_kernel(moons[0][300:], X, gamma=1.0)),
        by_rows.decision_function(moons[0][300:]),
        atol=1e-4,
    )
    by_object = ExtremePointsSVC(kernel=Gaussian(1.0), tol=1e-10).fit(X, y)
    np.testing.assert_array_equal(by_object.decision_function(X), by_rows.decision_function(X))


def test_strings_can_be_learnt_with_a_string_kernel():
    generator = np.random.default_rng(0)
    words = ["".join(generator.choice(list(letters), 12)) for letters in ("AAAC", "CCCA") for _ in range(40)]
    y = np.repeat(["a", "c"], 40)
    machine = ExtremePointsSVC(kernel=SpectrumKernel(2).normalized()).fit(words, y)
    assert machine.score(words, y) > 0.9


def test_threads_and_a_memory_change_nothing(moons, tmp_path):
    X, y = moons
    machine = ExtremePointsSVC(gamma=1.0, subset_size=50, leaf_size=100).fit(X, y)
    memory = Memory(tmp_path, verbose=0)
    for C in (1.0, 1.0, 10.0):
        other = ExtremePointsSVC(C=C, gamma=1.0, subset_size=50, leaf_size=100, n_jobs=2, memory=memory).fit(X, y)
        np.testing.assert_array_equal(machine.representative_indices_, other.representative_indices_)
        np.testing.assert_array_equal(machine.representative_weights_, other.representative_weights_)
    stored = list(tmp_path.rglob("output.pkl"))
    assert len(stored) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subset_size": 1}, "subset_size"),
        ({"subset_size": 50, "leaf_size": 20}, "leaf_size=20 is below subset_size=50"),
        ({"epsilon": -1e-3}, "epsilon"),
        ({"segregation": "random"}, "segregation"),
        ({"C": 0.0}, "'C'"),
        ({"gamma": -1.0}, "gamma"),
    ],
)
def test_bad_parameters_are_named(moons, options, message):
    with pytest.raises(ValueError, match=message):
        ExtremePointsSVC(**options).fit(*moons)


def test_bad_data_are_refused(moons):
    X, y = moons
    with pytest.raises(ValueError, match="one class only"):
        ExtremePointsSVC().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match=r"only \[1\] of the classes of y have a weight above zero"):
        ExtremePointsSVC().fit(X, y, sample_weight=y.astype(float))
    with pytest.raises(ValueError, match="NaN"):
        ExtremePointsSVC().fit(np.where(X > 1, np.nan, X), y)
    with pytest.raises(ValueError, match="599 classes for 600 rows"):
        representative_set(X, y[1:])
    with pytest.raises(ValueError, match="at least one non-zero"):
        representative_set(X, sample_weight=np.zeros(len(X)))


def test_the_picture_shows_every_row_kept(moons):
    X, y = moons
    machine = ExtremePointsSVC(gamma=1.0).fit(X, y)
    ax = plot_representatives(machine, X, y)
    drawn = sum(len(points.get_offsets()) for points in ax.collections[1:4:2])
    assert drawn == machine.n_representatives_
    with pytest.raises(ValueError, match="two features"):
        plot_representatives(machine, np.ones((5, 3)), np.zeros(5))
    with pytest.raises(ValueError, match="must hold the training rows; row 5"):
        plot_representatives(machine, X[:5], y[:5])
    with pytest.raises(NotFittedError):
        plot_representatives(ExtremePointsSVC(), X, y)
