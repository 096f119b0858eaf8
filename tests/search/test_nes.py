"""Natural evolution strategies against their formulas, their invariances and reference counts."""

import pickle

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import Bounds, rosen

from treatise._core.errors import TreatiseError
from treatise.optimize.evolution.base import reflected
from treatise.optimize.evolution.utilities import ranked, shared_utilities
from treatise.search import (
    SNES,
    XNES,
    canonical_nes_step,
    load_search,
    minimize_nes,
    nes_utilities,
    plot_search,
    search_gradient_step,
)


def sphere(X):
    return np.sum(X**2, axis=-1)


def ellipsoid(X):
    return X**2 @ 10 ** (6 * np.arange(X.shape[-1]) / (X.shape[-1] - 1))


def evaluations(make, function, seeds, limit=40_000):
    """Evaluations until the best value is 1e-8, for each seed."""
    found = []
    for seed in seeds:
        search = make(seed)
        while search.best_f > 1e-8 and search.evaluations < limit:
            X = search.ask()
            search.tell(X, function(X))
        found.append(search.evaluations if search.best_f <= 1e-8 else np.inf)
    return np.array(found)


def test_utilities_sum_to_zero_fall_and_have_the_values_of_the_formula():
    np.testing.assert_allclose(nes_utilities(4), [0.4804227, 0.0195773, -0.25, -0.25], atol=5e-8)
    for popsize in (2, 5, 10, 101):
        utilities = nes_utilities(popsize)
        assert abs(utilities.sum()) < 1e-15 * popsize and np.all(np.diff(utilities) <= 0)


def test_equal_values_share_ranks_and_utilities_and_nan_is_last():
    values = np.array([3.0, 1.0, np.nan, 1.0, -np.inf, np.inf])
    ranks, order, _ = ranked(values)
    np.testing.assert_array_equal(ranks, [4, 2.5, 5.5, 2.5, 1, 5.5])
    assert order[0] == 4
    u = nes_utilities(6)
    shared = shared_utilities(values, u)
    second, worst = (u[1] + u[2]) / 2, (u[4] + u[5]) / 2
    np.testing.assert_allclose(shared, [u[3], second, worst, second, u[0], worst])


@pytest.mark.parametrize(("d", "popsize"), [(3, 12), (8, 5), (1, 4)])
def test_a_step_of_xnes_is_that_of_the_algorithm(d, popsize):
    # Both ways to the exponential: more trials than coordinates, and fewer.
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(d, d)) + 2 * np.eye(d)
    search = XNES(rng.normal(size=d), factor, popsize=popsize, random_state=1)
    sigma, B, mean = search.sigma, search.shape, search.mean
    assert sigma == pytest.approx(abs(np.linalg.det(factor)) ** (1 / d)) and abs(np.linalg.det(B)) == pytest.approx(1)
    X = search.ask()
    s = np.linalg.solve(sigma * B, (X - mean).T).T
    values = sphere(X)
    u = np.empty(popsize)
    u[np.argsort(values)] = nes_utilities(popsize)
    search.tell(X, values)
    G = sum(u[k] * (np.outer(s[k], s[k]) - np.eye(d)) for k in range(popsize))
    g = np.trace(G) / d
    np.testing.assert_allclose(search.mean, mean + sigma * B @ (u @ s), atol=1e-10)
    assert search.sigma == pytest.approx(sigma * np.exp(search.eta_sigma * g / 2))
    np.testing.assert_allclose(search.shape, B @ expm(search.eta_shape / 2 * (G - g * np.eye(d))), atol=1e-10)


def test_small_rates_move_the_covariance_as_the_weighted_scatter_does():
    # With both rates equal to eta the covariance is Sigma + eta sum u (z - mu)(z - mu)', up to eta squared.
    errors = []
    for eta in (1e-2, 1e-3):
        search = XNES(np.ones(3), [1.0, 2.0, 0.5], popsize=7, eta_sigma=eta, eta_shape=eta, random_state=0)
        X, mean = search.ask(), search.mean
        before = search.sigma**2 * search.shape @ search.shape.T
        u = np.empty(7)
        u[np.argsort(sphere(X))] = nes_utilities(7)
        search.tell(X, sphere(X))
        after = search.sigma**2 * search.shape @ search.shape.T
        errors.append(np.abs(after - before - eta * (u * (X - mean).T) @ (X - mean)).max())
    assert errors[1] < errors[0] / 50 < 1e-3


def test_a_step_of_snes_is_that_of_the_algorithm():
    search = SNES(np.arange(5.0), np.arange(1.0, 6.0), random_state=0)
    X, mean, deviations = search.ask(), search.mean, search.deviations
    s = (X - mean) / deviations
    u = np.empty(search.popsize)
    u[np.argsort(sphere(X))] = nes_utilities(search.popsize)
    search.tell(X, sphere(X))
    np.testing.assert_allclose(search.mean, mean + deviations * (u @ s), rtol=1e-12)
    np.testing.assert_allclose(
        search.deviations, deviations * np.exp(search.eta_sigma / 2 * (u @ (s**2 - 1))), rtol=1e-12
    )


def test_rates_and_trials_are_those_of_table_1():
    search = XNES(np.zeros(10))
    assert search.popsize == 10 and search.eta_sigma == pytest.approx((9 + 3 * np.log(10)) / (50 * np.sqrt(10)))
    assert SNES(np.zeros(10)).eta_sigma == pytest.approx((3 + np.log(10)) / (5 * np.sqrt(10)))


def test_evaluations_to_the_target_are_those_of_a_right_implementation():
    # Medians of ten runs of another implementation of the same formulas; 10 %, as runs scatter by about 4 %.
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(10, 10)))[0]
    seeds = range(10)
    bowl = evaluations(lambda seed: XNES(np.ones(10), random_state=seed), sphere, seeds)
    assert np.median(bowl) == pytest.approx(6140, rel=0.1)
    plain = np.median(evaluations(lambda seed: XNES(np.ones(10), random_state=seed), ellipsoid, seeds))
    turned = np.median(
        evaluations(lambda seed: XNES(turn.T @ np.ones(10), random_state=seed), lambda X: ellipsoid(X @ turn.T), seeds)
    )
    assert plain == pytest.approx(8945, rel=0.1) and turned == pytest.approx(plain, rel=0.1)
    valley = evaluations(lambda seed: XNES(np.zeros(10), random_state=seed), lambda X: rosen(X.T), seeds)
    assert np.median(valley) == pytest.approx(10355, rel=0.1)
    separable = evaluations(lambda seed: SNES(np.ones(10), random_state=seed), sphere, seeds)
    assert np.median(separable) == pytest.approx(1895, rel=0.1)


def test_adaptation_is_faster_on_simple_functions_and_keeps_its_rate_in_range():
    bowl = evaluations(lambda seed: XNES(np.ones(10), adapt=True, random_state=seed), sphere, range(6))
    assert np.median(bowl) <= 1500
    rates = []

    def watched(seed):
        search = XNES(np.ones(10), adapt=True, random_state=seed)
        learn = search._learn

        def noted(values, ranks):
            learn(values, ranks)
            rates.append(search.eta_sigma)

        search._learn = noted
        return search

    assert np.median(evaluations(watched, ellipsoid, range(6))) <= 6000
    assert min(rates) > 0 and max(rates) <= 1


def test_only_the_order_of_values_counts():
    plain, monotone = (XNES(np.ones(4), random_state=3) for _ in range(2))
    for _ in range(100):
        X = plain.ask()
        np.testing.assert_array_equal(X, monotone.ask())
        plain.tell(X, sphere(X))
        monotone.tell(X, np.exp(sphere(X)))
    np.testing.assert_array_equal(plain.shape, monotone.shape)


def test_a_moved_problem_takes_as_long_and_permuted_coordinates_permute_snes():
    far = 2.0**20  # rounding there is 1e-10: the last digits of a run may differ
    (moved,) = evaluations(lambda seed: XNES(np.full(5, 1.0 + far), random_state=seed), lambda X: sphere(X - far), [0])
    (near,) = evaluations(lambda seed: XNES(np.ones(5), random_state=seed), sphere, [0])
    assert moved == pytest.approx(near, rel=0.05)
    order = np.array([2, 0, 3, 1])
    first, second = SNES(np.arange(4.0), random_state=0), SNES(np.arange(4.0)[order], random_state=0)
    weights = np.array([1.0, 10.0, 100.0, 5.0])
    for _ in range(50):
        X = first.ask()
        second._trials = first._trials[:, order].copy()
        Y = second.ask()
        np.testing.assert_array_equal(Y, X[:, order])
        first.tell(X, X**2 @ weights)
        second.tell(Y, X**2 @ weights)
    np.testing.assert_allclose(second.mean, first.mean[order], rtol=1e-12)


def test_the_determinant_of_the_shape_stays_one():
    search = XNES(np.zeros(4), random_state=0)
    for _ in range(10_000):
        X = search.ask()
        search.tell(X, ellipsoid(X))
        search.sigma = 1.0  # so that the search never ends, and its shape keeps moving
    assert np.linalg.det(search.shape) == pytest.approx(1.0, abs=1e-8)


def test_equal_values_change_nothing_and_values_that_are_none_do_no_harm():
    search = XNES(np.ones(3), adapt=True, random_state=0)
    mean, shape, sigma = search.mean.copy(), search.shape.copy(), search.sigma
    search.tell(search.ask(), np.full(search.popsize, 7.0))
    np.testing.assert_array_equal(search.mean, mean)
    np.testing.assert_array_equal(search.shape, shape)
    assert search.sigma == sigma and search.still_generations == 1

    def holes(x):
        return np.nan if x[0] > 1.5 else np.inf if x[1] > 1.5 else sphere(x)

    result = minimize_nes(holes, np.ones(3), ftarget=1e-8, random_state=0)
    assert result.success and np.isfinite(result.mean).all()


@pytest.mark.parametrize("kind", [XNES, SNES])
def test_a_saved_search_goes_on_to_the_bit(kind, tmp_path):
    search = kind(np.ones(6), 0.5, bounds=(-3.0, 2.0), random_state=0)
    for _ in range(7):
        X = search.ask()
        search.tell(X, sphere(X))
    waiting = search.ask()  # asked for and not yet told
    search.save(tmp_path / "search.npz")
    for again in (load_search(tmp_path / "search.npz"), pickle.loads(pickle.dumps(search))):
        np.testing.assert_array_equal(again.ask(), waiting)
        again.tell(waiting, sphere(waiting))
        for _ in range(5):
            X = again.ask()
            again.tell(X, sphere(X))
        assert again.best_f <= search.best_f and again.evaluations == search.evaluations + 6 * search.popsize
    twin = load_search(tmp_path / "search.npz")
    for one in (twin, search):
        for _ in range(6):
            X = one.ask()
            one.tell(X, sphere(X))
    np.testing.assert_array_equal(twin.mean, search.mean)


def test_forged_and_damaged_files_are_refused(tmp_path):
    path = tmp_path / "search.npz"
    XNES(np.ones(3), random_state=0).save(path)
    whole = path.read_bytes()
    with np.load(path) as held:
        arrays = dict(held)
    for name, value in {
        "shape": np.eye(2),
        "mean": np.ones(4),
        "sigma": np.array(-1.0),
        "bounds": np.zeros((2, 2)),
    }.items():
        np.savez(tmp_path / "forged.npz", **{**arrays, name: value})
        with pytest.raises(TreatiseError, match="holds no search"):
            load_search(tmp_path / "forged.npz")
    for damaged in (whole[:200], b"", b"text", whole[:-40] + bytes(40)):
        path.write_bytes(damaged)
        with pytest.raises(TreatiseError):
            load_search(path)
    with pytest.raises(TreatiseError, match="cannot be read"):
        load_search(tmp_path / "absent.npz")


def test_reflection_folds_any_point_into_the_box():
    bounds = np.array([[0.0, 1.0], [-np.inf, 2.0], [1.0, np.inf], [-np.inf, np.inf]])
    X = np.array([[1.25, 3.0, 0.0, -5.0], [-2.5, 1.0, 4.0, 9.0], [7.75, 2.0, -3.0, 0.0]])
    np.testing.assert_allclose(
        reflected(X, bounds), [[0.75, 1.0, 2.0, -5.0], [0.5, 1.0, 4.0, 9.0], [0.25, 2.0, 5.0, 0.0]]
    )


@pytest.mark.parametrize("method", ["xnes", "snes"])
def test_bounds_hold_and_a_minimum_on_the_wall_is_found(method):
    seen = []

    def slope(x):
        seen.append(x)
        return x[0] + sphere(x[1:] - 0.5)

    result = minimize_nes(slope, [0.9, 0.0, 0.0], 0.3, method=method, bounds=(0.0, 1.0), random_state=0, max_evals=6000)
    assert np.min(seen) >= 0.0 and np.max(seen) <= 1.0
    np.testing.assert_allclose(result.x, [0.0, 0.5, 0.5], atol=1e-4)


def test_one_coordinate_works():
    result = minimize_nes(lambda x: (x[0] - 3.0) ** 2, [0.0], ftarget=1e-10, random_state=0)
    assert result.success and result.x == pytest.approx([3.0], abs=1e-4)


def test_batches_and_processes_give_the_same_search():
    options = {"ftarget": 1e-6, "random_state": 0}
    one = minimize_nes(lambda x: float(np.sum(x**2)), np.ones(4), **options)
    batch = minimize_nes(lambda X: [float(np.sum(x**2)) for x in X], np.ones(4), batch=True, **options)
    many = minimize_nes(lambda x: float(np.sum(x**2)), np.ones(4), n_jobs=2, **options)
    for other in (batch, many):
        np.testing.assert_array_equal(other.x, one.x)
        assert other.nfev == one.nfev == one.history["nfev"][-1]


def test_each_ending_is_told():
    converged = minimize_nes(sphere, np.ones(3), tol=1e-3, random_state=0)
    assert converged.success and converged.status == 0 and "drawn together" in converged.message
    short = minimize_nes(sphere, np.ones(3), max_evals=50, random_state=0)
    assert not short.success and short.status == 1 and short.nfev <= 50
    with pytest.raises(ValueError, match="max_evals=3 is less than the 7 trials of one generation"):
        minimize_nes(sphere, np.ones(3), max_evals=3)
    flat = minimize_nes(lambda x: 1.0, np.ones(3), random_state=0)
    assert not flat.success and flat.status == 3 and "equal" in flat.message
    missed = minimize_nes(sphere, np.ones(3), tol=1e-2, ftarget=-1.0, random_state=0)
    assert not missed.success and missed.status == 0
    falling = minimize_nes(lambda x: x[0], np.ones(2), max_evals=10**6, random_state=0)
    assert not falling.success and "fly apart" in falling.message
    for seed in range(3):  # a sum loses the trials' differences to rounding, long before they are infinitely far
        falling = minimize_nes(lambda x: x.sum(), np.zeros(2), max_evals=10**5, random_state=seed)
        assert not falling.success and falling.status == 3 and "fly apart" in falling.message

    def stop(result):
        if result.nit == 3:
            raise StopIteration

    stopped = minimize_nes(sphere, np.ones(3), callback=stop, random_state=0)
    assert stopped.status == 2 and stopped.nit == 3


def test_an_interrupt_leaves_the_best_so_far():
    calls = []

    def interrupted(x):
        calls.append(x)
        if len(calls) == 100:
            raise KeyboardInterrupt
        return sphere(x)

    result = minimize_nes(interrupted, np.ones(3), random_state=0)
    assert result.status == 2 and result.fun == min(map(sphere, calls[: result.nfev]))


def test_restarts_find_a_minimum_that_one_search_misses():
    def rastrigin(x):
        return 10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x))

    options = {"bounds": (-5.0, 5.0), "ftarget": 1e-6, "tol": 1e-6, "max_evals": 200_000}
    alone, again = (
        [minimize_nes(rastrigin, [3.0, 3.0], restarts=n, random_state=seed, **options).success for seed in range(5)]
        for n in (0, 9)
    )
    assert sum(again) == 5 > sum(alone)


def test_the_search_gradient_is_that_of_the_mean_value():
    # The value of N(mean, variance) under z^2 is mean^2 + variance: its derivatives are 2 mean and 1.
    rng = np.random.default_rng(0)
    z = 0.7 + 0.5 * rng.normal(size=(400_000, 1))
    mean, covariance = search_gradient_step(z[:, 0] ** 2, z, [0.7], [[0.25]], 1.0)
    # Standard errors below 0.005 at this size.
    assert 0.7 - mean[0] == pytest.approx(1.4, abs=0.02) and 0.25 - covariance[0, 0] == pytest.approx(1.0, abs=0.02)


def test_the_canonical_step_divides_by_the_fisher_matrix():
    rng = np.random.default_rng(0)
    z = 0.7 + 0.5 * rng.normal(size=400_000)
    score = (z - 0.7) / 0.25
    # The natural gradient of the mean is the variance times the plain one.
    step = canonical_nes_step(z**2, score[:, np.newaxis], [0.7], 1.0)
    assert 0.7 - step[0] == pytest.approx(0.25 * 1.4, abs=0.01)


def test_the_picture_shows_the_fall():
    result = minimize_nes(sphere, np.ones(3), ftarget=1e-6, random_state=0)
    ax = plot_search(result)
    assert ax.lines[0].get_ydata()[-1] == result.fun and ax.get_yscale() == "log"
    assert plot_search(result, optimum=1.0).get_yscale() == "linear"


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (([np.nan, 1.0],), {}, "among its coordinates"),
        (([[1.0]],), {"method": "xnes"}, "shape"),
        (([],), {}, "shape"),
        (([1.0, 1.0], -1.0), {}, "must be positive"),
        (([1.0, 1.0], [[1.0, 1.0], [1.0, 1.0]]), {}, "without an inverse"),
        (([1.0, 1.0], [1.0, 2.0, 3.0]), {}, "one for each of 2 coordinates"),
        (([1.0, 1.0],), {"popsize": 1}, "2 or more"),
        (([1.0, 1.0],), {"bounds": (2.0, 0.0)}, "cross"),
        (([1.0, 1.0],), {"bounds": (2.0, 3.0)}, "outside its bounds"),
        (([1.0, 1.0],), {"method": "cma"}, "choose 'auto', 'xnes' or 'snes'"),
        (([1.0, 1.0],), {"method": "snes", "adapt": True}, "is for method='xnes'"),
        (([1.0, 1.0],), {"max_evals": 0}, "allows no evaluation"),
        (([1.0, 1.0],), {"batch": True, "n_jobs": 2}, "whole generations"),
    ],
)
def test_bad_input_is_told(arguments, options, said):
    with pytest.raises(ValueError, match=said):
        minimize_nes(sphere, *arguments, random_state=0, **options)


def test_bad_values_are_told():
    with pytest.raises(ValueError, match="NaN at every trial"):
        minimize_nes(lambda x: np.nan, [1.0, 1.0], random_state=0)
    with pytest.raises(ValueError, match="returned values of shape"):
        minimize_nes(lambda x: x, [1.0, 1.0], random_state=0)
    with pytest.raises(ZeroDivisionError):
        minimize_nes(lambda x: 1 / 0, [1.0, 1.0], random_state=0)
    search = XNES([1.0, 1.0], random_state=0)
    with pytest.raises(ValueError, match="ask first"):
        search.tell(np.ones((6, 2)), np.ones(6))
    search.ask()
    with pytest.raises(ValueError, match="one number for each of 6 trials"):
        search.tell(search.ask(), np.ones(3))
    with pytest.raises(ValueError, match="eta_sigma=2"):
        XNES([1.0, 1.0], eta_sigma=2)


@pytest.mark.parametrize("kind", [XNES, SNES])
@pytest.mark.parametrize("d", [1, 5, 1500])
def test_trials_may_be_told_in_any_order_and_with_lost_digits(kind, d):
    if kind is XNES and d > 1000:
        d = 300
    told, shuffled = (kind(np.full(d, 3.0), 0.1, bounds=(2.5, 3.2), popsize=9, random_state=1) for _ in range(2))
    rng = np.random.default_rng(0)
    for _ in range(4):
        X = told.ask()
        order, values = rng.permutation(9), np.where(np.arange(9) == 4, np.nan, sphere(X))
        told.tell(X, values)
        shuffled.ask()
        shuffled.tell(X[order].round(12), values[order])
        np.testing.assert_array_equal(told.mean, shuffled.mean)
        np.testing.assert_array_equal(told.deviations, shuffled.deviations)
        np.testing.assert_allclose(told.best_x, shuffled.best_x, rtol=0, atol=1e-11)


@pytest.mark.parametrize("kind", [XNES, SNES])
def test_rows_that_were_not_asked_for_are_refused(kind):
    search = kind(np.zeros(4), popsize=6, random_state=0)
    X = search.ask()
    rounded, doubled = X.round(1), X[[0, 1, 2, 3, 4, 4]]
    for wrong in (rounded, doubled, np.zeros((6, 4)), np.full((6, 4), np.nan)):
        with pytest.raises(ValueError, match="no trial that was asked for, or stands there twice"):
            search.tell(wrong, np.arange(6.0))
    assert search.evaluations == 0
    search.tell(X, sphere(X))  # a refusal changes nothing
    assert search.evaluations == 6


def test_a_search_that_has_drawn_together_to_rounding_still_takes_its_trials():
    search = XNES(np.full(3, 1e6), 1e-12, popsize=5, random_state=0)  # all trials are the same numbers
    X = search.ask()
    search.tell(X[::-1], np.arange(5.0))
    assert search.evaluations == 5


def test_a_function_that_changes_its_argument_does_not_change_the_answer():
    def careless(x):
        value = sphere(x - 1.0)
        x[:] = 7.0
        return value

    found = minimize_nes(careless, np.zeros(3), ftarget=1e-6, random_state=0)
    np.testing.assert_allclose(found.x, 1.0, atol=1e-2)


def test_a_matrix_too_large_is_refused_before_memory_is_spent():
    with pytest.raises(ValueError, match="298 GiB; take SNES"):
        XNES(np.zeros(200_000))
    with pytest.raises(ValueError, match="take SNES"):
        minimize_nes(sphere, np.zeros(200_000), method="xnes")


def test_bounds_of_scipy_are_taken():
    def run(bounds):
        return minimize_nes(lambda x: float(x @ x), [0.5, 0.7], bounds=bounds, max_evals=200, random_state=0).x

    np.testing.assert_array_equal(run(Bounds([0.2, 0.3], 1.0)), run([(0.2, 1.0), (0.3, 1.0)]))
    with pytest.raises(ValueError, match="cross"):
        run(Bounds([0.2, 1.0], 1.0))
