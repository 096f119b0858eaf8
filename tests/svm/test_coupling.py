"""The couplings against their definitions: brute force in NumPy, closed forms, and the invariances they must have."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from treatise.datasets import make_waveform
from treatise.papers.svm.v05_0975._data import make_noisy_pairs
from treatise.svm import exponential_decoding, pairwise_coupling, plot_coupling
from treatise.svm.coupling._bradley_terry_loops import bradley_terry_rows
from treatise.svm.coupling._loops import cyclic_least_squares
from treatise.svm.coupling.coupling import COUPLINGS

HAND = np.array([[0.5, 0.9, 0.4, 0.7], [0.1, 0.5, 0.3, 0.2], [0.6, 0.7, 0.5, 0.8], [0.3, 0.8, 0.2, 0.5]])
EXACT = ("least_squares", "markov", "hastie_tibshirani", "price", "refregier_vallet")


def random_pairs(n, k, seed=0, low=1e-3):
    rng = np.random.default_rng(seed)
    R = np.full((n, k, k), 0.5)
    upper = np.triu_indices(k, 1)
    r = rng.uniform(low, 1 - low, (n, len(upper[0])))
    R[:, upper[0], upper[1]], R[:, upper[1], upper[0]] = r, 1 - r
    return R


def pairs_of(p):
    return p[..., :, None] / (p[..., :, None] + p[..., None, :])


def squares(R, p):
    """The objective of (19)."""
    D = R.T * p[:, None] - R * p
    return np.sum(D[~np.eye(len(p), dtype=bool)] ** 2)


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("k", [2, 3, 7, 26])
def test_consistent_pairs_give_back_their_probabilities(method, k):
    p = np.random.default_rng(k).dirichlet(np.ones(k), size=20) + 1e-4
    p /= p.sum(axis=1, keepdims=True)
    assert_allclose(pairwise_coupling(pairs_of(p), method), p, atol=1e-10)


@pytest.mark.parametrize(
    "method, expected",
    [
        ("markov", [0.34614347, 0.07996224, 0.42516181, 0.14873247]),
        ("least_squares", [0.33369189, 0.08036815, 0.44569063, 0.14024934]),
        ("hastie_tibshirani", [0.36136095, 0.06858293, 0.40720395, 0.16285216]),
        ("row_sum", [1 / 3, 0.1, 0.35, 0.65 / 3]),
        ("price", [0.34685507, 0.06455077, 0.44956173, 0.13903243]),
        ("vote", [1 / 3, 0, 1 / 2, 1 / 6]),
    ],
)
def test_a_matrix_worked_by_hand(method, expected):
    # Eight digits are given.
    assert_allclose(pairwise_coupling(HAND, method), expected, atol=1e-7)


@pytest.mark.parametrize("k", [3, 10, 26])
def test_least_squares_solves_the_bordered_system(k):
    for R in random_pairs(20, k, seed=k, low=1e-6):
        Q = -R.T * R
        np.fill_diagonal(Q, 0.0)
        np.fill_diagonal(Q, np.sum(R.T**2, axis=1) - 0.25)
        bordered = np.block([[Q, np.ones((k, 1))], [np.ones((1, k)), np.zeros((1, 1))]])
        p = pairwise_coupling(R)
        assert_allclose(p, np.linalg.solve(bordered, np.append(np.zeros(k), 1.0))[:-1], atol=1e-12)
        assert (p >= 0).all()
        rng = np.random.default_rng(0)
        assert all(squares(R, q) >= squares(R, p) - 1e-15 for q in rng.dirichlet(np.ones(k), size=20))


@pytest.mark.parametrize("k", [3, 10, 26])
def test_markov_solves_its_balance_equations(k):
    for R in random_pairs(20, k, seed=k, low=1e-6):
        Q = R / (k - 1)
        np.fill_diagonal(Q, 0.0)
        np.fill_diagonal(Q, (R.sum(axis=1) - 0.5) / (k - 1))
        p = pairwise_coupling(R, "markov")
        assert_allclose(Q.sum(axis=0), 1.0)
        assert_allclose(Q @ p, p, atol=1e-14)
        assert (p > 0).all() and p.sum() == pytest.approx(1.0)


def test_hastie_tibshirani_is_the_limit_of_algorithm_1_and_the_least_distance():
    R = random_pairs(1, 6, seed=3)[0]
    n = np.random.default_rng(0).uniform(1, 5, (6, 6))
    n = n + n.T
    off = ~np.eye(6, dtype=bool)

    def distance(log_p):
        mu = pairs_of(np.exp(log_p - log_p.max()))
        return np.sum((n * R * np.log(R / mu))[off])

    p = np.full(6, 1 / 6)
    for _ in range(3000):
        for i in range(6):
            mu = pairs_of(p)[i]
            p[i] *= np.sum((n * R)[i, off[i]]) / np.sum(n[i, off[i]] * mu[off[i]])
        p /= p.sum()
    ours = pairwise_coupling(R, "hastie_tibshirani", weights=n)
    assert_allclose(ours, p, atol=1e-9)
    best = minimize(distance, np.zeros(6), tol=1e-12)
    assert distance(np.log(ours)) <= best.fun + 1e-10
    assert not np.allclose(ours, pairwise_coupling(R, "hastie_tibshirani"), atol=1e-3)


def test_hastie_tibshirani_converges_in_a_few_steps_even_at_the_truncation():
    rng = np.random.default_rng(0)
    pairs = rng.choice([1e-7, 1 - 1e-7, 0.3, 0.6], size=(300, 45))
    P, iterations = bradley_terry_rows(pairs, 10, np.ones((10, 10)), 1e-10, 1000)
    assert iterations.max() <= 20
    assert_allclose(P.sum(axis=1), 1.0)


def test_row_sums_have_the_order_of_hastie_tibshirani():
    for R in random_pairs(50, 8):
        both = [np.argsort(pairwise_coupling(R, m)).tolist() for m in ("row_sum", "hastie_tibshirani")]
        assert both[0] == both[1]


@pytest.mark.parametrize("k", [3, 10, 26])
def test_algorithm_2_reaches_the_linear_solve(k):
    R = random_pairs(20, k, seed=k)
    assert_allclose(pairwise_coupling(R, solver="iterative", tol=1e-13), pairwise_coupling(R), atol=1e-9)


def test_algorithm_2_lowers_its_objective_in_every_sweep():
    R = random_pairs(1, 7, seed=5)[0]
    packed = R[np.triu_indices(7, 1)][None]
    values = [squares(R, cyclic_least_squares(packed, 7, 0.0, sweeps)[0][0]) for sweeps in range(12)]
    assert values[0] == pytest.approx(squares(R, np.full(7, 1 / 7)))
    # Level to rounding once it has converged.
    assert (np.diff(values) <= 1e-16).all() and values[3] < values[0]


@pytest.mark.parametrize("method", COUPLINGS)
def test_two_classes_need_no_coupling(method):
    R = np.array([[0.5, 0.73], [0.27, 0.5]])
    expected = [1.0, 0.0] if method == "vote" else [0.73, 0.27]
    assert_allclose(pairwise_coupling(R, method), expected, atol=1e-12)


@pytest.mark.parametrize("method", [m for m in COUPLINGS if m != "refregier_vallet"])
def test_the_names_of_the_classes_do_not_matter(method):
    R = random_pairs(30, 9, seed=2)
    order = np.random.default_rng(1).permutation(9)
    moved = pairwise_coupling(R[:, order][:, :, order], method)
    # Hastie & Tibshirani's iteration stops within 1e-10 on either side.
    assert_allclose(moved, pairwise_coupling(R, method)[:, order], atol=1e-9)


@pytest.mark.parametrize("method", COUPLINGS)
def test_rows_are_coupled_each_alone_and_sum_to_one(method):
    R = random_pairs(25, 6, seed=4)
    P = pairwise_coupling(R, method)
    assert P.shape == (25, 6) and (P >= 0).all()
    assert_allclose(P.sum(axis=1), 1.0)
    assert_allclose(P[7], pairwise_coupling(R[7], method), atol=1e-15)


def test_refregier_vallet_satisfies_the_chosen_pairs_and_depends_on_them():
    R = random_pairs(5, 5, seed=1)
    tree = [(4, 2), (0, 2), (1, 3), (3, 4)]
    p = pairwise_coupling(R, "refregier_vallet", pairs=tree)
    for i, j in tree:
        assert_allclose(p[:, i] / p[:, j], R[:, i, j] / R[:, j, i])
    assert np.abs(p - pairwise_coupling(R, "refregier_vallet")).max() > 0.05
    for bad in ([(0, 1), (1, 2), (2, 0), (3, 4)], [(0, 1)], [(0, 1), (1, 2), (2, 3), (3, 9)]):
        with pytest.raises(ValueError, match="4 pairs of the classes 0 to 4"):
            pairwise_coupling(R, "refregier_vallet", pairs=bad)


# Accuracy and squared error of a thousand replicates, computed once with NumPy's general solvers: row sums, votes,
# Markov chain, least squares, Price et al.
@pytest.mark.parametrize(
    "kind, expected",
    [("level", (0.98, 0.91, 0.98, 0.98, 0.98)), ("half", (0.91, 0.83, 0.95, 0.95, 0.94)),
     ("two", (0.93, 0.99, 0.98, 0.99, 0.99))],
)  # fmt: skip
def test_simulated_accuracy_at_sixteen_classes(kind, expected):
    R, p = make_noisy_pairs(kind, 16, 1000, random_state=0)
    rng = np.random.default_rng(0)
    for method, accuracy in zip(("row_sum", "vote", "markov", "least_squares", "price"), expected):
        P = pairwise_coupling(R, method)
        level = P.max(axis=1, keepdims=True) - 1e-12 <= P
        right = np.mean((level * rng.random(P.shape)).argmax(axis=1) == 0)
        # Four standard errors of a share near 0.95 in a thousand are 0.028.
        assert right == pytest.approx(accuracy, abs=0.03), method
    if kind == "two":
        errors = [np.mean((pairwise_coupling(R, m) - p) ** 2) for m in ("row_sum", "vote", "markov", "price")]
        assert_allclose(errors, [0.0254, 0.0249, 0.0034, 0.0016], rtol=0.1)


def test_row_sums_fail_where_two_of_many_classes_hold_the_mass():
    R, _ = make_noisy_pairs("two", 128, 200, random_state=0)
    accuracy = {m: np.mean(pairwise_coupling(R, m).argmax(axis=1) == 0) for m in ("row_sum", "least_squares", "markov")}
    assert accuracy["row_sum"] < 0.8 < accuracy["markov"] < accuracy["least_squares"]


def test_exponential_decoding_sums_over_the_other_classes():
    F = random_pairs(4, 5) - 0.5
    loss = [[sum(np.exp(-F[n, i, j]) for j in range(5) if j != i) for i in range(5)] for n in range(4)]
    assert_allclose(exponential_decoding(F), loss)
    assert_allclose(exponential_decoding(F[2]), loss[2])
    assert np.isinf(exponential_decoding(1e4 * F)).any()
    with pytest.raises(ValueError, match="f_ji = -f_ij"):
        exponential_decoding(np.ones((3, 3)))


def test_certain_pairs_are_moved_with_a_warning():
    R = HAND.copy()
    R[0, 1], R[1, 0] = 1.0, 0.0
    with pytest.warns(UserWarning, match="0 or 1"):
        P = pairwise_coupling(R)
    R[0, 1], R[1, 0] = 1 - 1e-7, 1e-7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_allclose(P, pairwise_coupling(R), atol=1e-15)


@pytest.mark.parametrize(
    "R, message",
    [
        (np.full((3, 3), 0.6), r"r\[0, 1\] \+ r\[1, 0\] = 1.2"),
        (np.array([[0.5, 1.2], [-0.2, 0.5]]), "from 0 to 1"),
        (np.array([[0.5, np.nan], [0.5, 0.5]]), "NaN"),
        (np.zeros((2, 3)), r"\(2, 3\)"),
        (np.zeros((1, 1)), "k >= 2"),
    ],
)
def test_matrices_that_are_no_pairwise_probabilities_are_refused(R, message):
    with pytest.raises(ValueError, match=message):
        pairwise_coupling(R)


def test_options_that_do_not_fit_are_refused():
    for options, message in [
        ({"method": "borda"}, "'borda' is no coupling"),
        ({"solver": "newton"}, "solver='newton'"),
        ({"method": "vote", "solver": "iterative"}, "solver is for"),
        ({"weights": np.ones((4, 4))}, "weights is for"),
        ({"method": "price", "pairs": [(0, 1)]}, "pairs is for"),
        ({"method": "hastie_tibshirani", "weights": np.ones((3, 3))}, r"shape \(4, 4\)"),
        ({"method": "hastie_tibshirani", "weights": -np.ones((4, 4))}, "positive"),
    ]:
        with pytest.raises(ValueError, match=message):
            pairwise_coupling(HAND, **options)


def test_the_diagonal_is_not_read():
    R = HAND.copy()
    np.fill_diagonal(R, np.nan)
    for method in COUPLINGS:
        assert_allclose(pairwise_coupling(R, method), pairwise_coupling(HAND, method))


def test_the_plot_draws_each_method_once_for_each_class():
    ax = plot_coupling(HAND, methods=("markov", "vote"), class_names="abcd")
    heights = [bar.get_height() for bar in ax.containers[0]]
    assert_allclose(heights, pairwise_coupling(HAND, "markov"))
    assert len(ax.containers) == 2 and plot_coupling(HAND, ax=ax) is ax
    with pytest.raises(ValueError, match="3 names for 4 classes"):
        plot_coupling(HAND, class_names="abc")
    with pytest.raises(ValueError, match="one row"):
        plot_coupling(HAND[None])


def test_simulated_pairs_have_the_stated_probabilities():
    for kind, mass, favoured in (("level", 1.0, 9), ("half", 0.95, 5), ("two", 0.95, 2)):
        R, p = make_noisy_pairs(kind, 9, 2000, random_state=0)
        assert p.sum() == pytest.approx(1.0) and p[:favoured].sum() == pytest.approx(mass)
        assert p[0] == pytest.approx(1.5 * mass / favoured)
        if kind == "level":
            # No truncation here; 0.1 / sqrt(2000) = 0.0022 is one standard error.
            assert_allclose(R.mean(axis=0), pairs_of(p), atol=0.01)
            assert R[:, 0, 1].std() == pytest.approx(0.1, abs=0.01)
    with pytest.raises(ValueError, match="'odd' is unknown"):
        make_noisy_pairs("odd", 9, 1)
    with pytest.raises(ValueError, match="n_classes=3"):
        make_noisy_pairs("two", 3, 1)


def test_waveforms_have_the_means_of_their_waves():
    X, y = make_waveform(6000, random_state=0)
    h = [np.maximum(6 - np.abs(np.arange(1, 22) - centre), 0) for centre in (11, 15, 7)]
    for label, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        # Deviation at most 2 in 2000 rows: 0.045 is one standard error, 63 are looked at.
        assert_allclose(X[y == label].mean(axis=0), (h[a] + h[b]) / 2, atol=0.2)
