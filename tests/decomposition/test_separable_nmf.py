"""Separable factorisation: the methods against brute force and theorems of the paper, noise, and bad data."""

import tracemalloc
import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import sparse
from scipy.optimize import nnls

from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_moffett, make_separable, make_swimmer
from treatise.decomposition import LPSeparableNMF, SeparableNMF, plot_ellipsoid
from treatise.decomposition.separable_nmf._xray import xray

METHODS = [
    {"method": "er-spa"},
    {"method": "spa"},
    *({"method": "xray", "xray_selection": selection} for selection in ("max", "dist", "greedy", "rand")),
    {"method": "er-xray", "xray_selection": "greedy"},
]
by_method = pytest.mark.parametrize("parameters", METHODS, ids=lambda p: "-".join(p.values()))


@by_method
def test_pure_rows_are_found_without_noise(parameters):
    for seed in range(20):
        X, pure = make_separable(80, 15, 5, random_state=seed)
        model = SeparableNMF(5, random_state=seed, **parameters).fit(X)
        np.testing.assert_array_equal(np.sort(model.components_indices_), pure)
        assert model.reconstruction_err_ < 1e-7 * np.linalg.norm(X)


def test_noise_below_the_bound_of_theorem_9_leaves_exactly_the_pure_rows_on_the_ellipsoid():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        F = rng.random((30, 5))
        K = rng.dirichlet(np.full(5, 2.0), 400)
        K = K[np.linalg.norm(K, axis=1) < 0.8]
        mu = np.linalg.norm(K, axis=1).max()
        noise = rng.normal(size=(30, 5 + len(K)))
        noise *= 0.99 * np.linalg.svd(F)[1][-1] * (1 - mu) / 4 / np.linalg.norm(noise, 2)
        order = rng.permutation(noise.shape[1])
        X = (F @ np.hstack([np.eye(5), K.T]) + noise)[:, order].T
        model = SeparableNMF(5).fit(X)
        np.testing.assert_array_equal(model.candidates_, np.flatnonzero(order < 5))
        # Corollary 10: each row is matched to twice the noise.
        left = np.linalg.norm(X - model.transform(X) @ model.components_, axis=1).max()
        assert left < 2 * np.linalg.norm(noise, 2) / 0.99


def test_ellipsoid_resists_noise_that_misleads_successive_projection():
    for noise in (0.32, 0.4):
        found = {"er-spa": 0.0, "spa": 0.0}
        for seed in range(10):
            X, pure = make_separable(2000, 100, 8, noise=noise, random_state=seed)
            for method in found:
                found[method] += np.isin(pure, SeparableNMF(8, method=method).fit(X).components_indices_).mean() / 10
        assert found["er-spa"] >= found["spa"] + 0.05


def brute_xray(X, n_rows, selection):
    """The steps of XRAY, with everything formed and solved one row at a time."""
    chosen, R = [], X.copy()
    while len(chosen) < n_rows:
        products = R @ X.T
        pull = {
            "max": np.linalg.norm(R, axis=1),
            "dist": np.linalg.norm(np.maximum(products, 0), axis=1),
            "greedy": np.linalg.norm(np.maximum(products, 0), axis=0) / np.linalg.norm(X, axis=1),
        }[selection]
        pull[chosen] = -1.0
        merits = products[np.argmax(pull)] / X.sum(axis=1)
        merits[chosen] = -np.inf
        chosen.append(int(np.argmax(merits)))
        R = X - np.array([nnls(X[chosen].T, row)[0] for row in X]) @ X[chosen]
    return chosen


@pytest.mark.parametrize("selection", ["max", "dist", "greedy"])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_xray_takes_the_steps_of_its_definition(selection, layout):
    for seed in range(5):
        X, _ = make_separable(60, 12, 4, noise=0.02, random_state=seed)
        X = np.maximum(X, 0.0)
        expected = brute_xray(X, 6, selection)
        np.testing.assert_array_equal(xray(layout(X), 6, selection, None), expected)


def test_xray_finds_parts_that_depend_on_one_another_where_projection_stops_at_the_rank():
    X = make_swimmer()
    with pytest.warns(UserWarning, match="n_components=16 exceeds the 13 parts"):
        projected = SeparableNMF(16, method="spa", normalize=True).fit(X)
    assert projected.reconstruction_err_ == pytest.approx(20.785, abs=1e-3)  # printed in the paper v15-1249 as 20.8
    cones = SeparableNMF(16, method="xray", normalize=True).fit(X)
    assert cones.n_components_ > 13


def test_weights_are_non_negative_least_squares():
    X, _ = make_separable(100, 20, 4, noise=0.1, random_state=0)
    model = SeparableNMF(4)
    weights = model.fit_transform(X)
    np.testing.assert_array_equal(model.components_, X[model.components_indices_])
    expected = np.array([nnls(model.components_.T, row)[0] for row in X])
    np.testing.assert_allclose(weights, expected, atol=1e-9)
    np.testing.assert_allclose(model.transform(X[:7]), weights[:7], atol=1e-9)
    np.testing.assert_allclose(model.inverse_transform(weights), weights @ model.components_)
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - weights @ model.components_))


@by_method
def test_unit_and_order_of_rows_change_nothing_else(parameters):
    X, _ = make_separable(150, 20, 5, noise=0.1, random_state=1)
    if parameters.get("xray_selection") == "rand":
        pytest.skip("draws rows by their places")
    plain = SeparableNMF(5, **parameters).fit(X).components_indices_
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(order[SeparableNMF(5, **parameters).fit(X[order]).components_indices_], plain)
    for unit in (1e-8, 1e8):
        np.testing.assert_array_equal(SeparableNMF(5, **parameters).fit(unit * X).components_indices_, plain)


@by_method
def test_zero_rows_are_never_chosen_and_equal_rows_count_once(parameters):
    X, _ = make_separable(60, 12, 4, random_state=2)
    plain = SeparableNMF(4, random_state=0, **parameters).fit(X)
    more = np.vstack([np.zeros((5, 12)), X, X[::-1]])
    model = SeparableNMF(4, random_state=0, **parameters).fit(more)
    assert model.components_indices_.min() >= 5
    key = np.lexsort(plain.components_.T), np.lexsort(model.components_.T)
    np.testing.assert_allclose(model.components_[key[1]], plain.components_[key[0]])


def test_scaled_rows_need_normalisation():
    X, pure = make_separable(200, 20, 4, random_state=3)
    X *= np.random.default_rng(0).uniform(0.1, 10.0, size=(200, 1))
    model = SeparableNMF(4, normalize=True).fit(X)
    np.testing.assert_array_equal(np.sort(model.components_indices_), pure)
    np.testing.assert_array_equal(model.components_, X[model.components_indices_])
    assert model.reconstruction_err_ < 1e-7 * np.linalg.norm(X)


def test_a_small_ellipsoid_grows_until_enough_rows_touch():
    X, pure = make_separable(200, 20, 6, random_state=4)
    model = SeparableNMF(6, rho=2).fit(X)
    assert len(model.components_indices_) == 6 and 2 <= len(model.ellipsoid_) <= 6
    np.testing.assert_array_equal(np.sort(SeparableNMF(6, rho=6).fit(X).components_indices_), pure)


def test_more_parts_than_the_rank_are_told_and_auto_takes_the_rank():
    X, pure = make_separable(100, 20, 5, random_state=5)
    for method in ("er-spa", "spa"):
        with pytest.warns(UserWarning, match="n_components=9 exceeds the 5 parts that X allows"):
            model = SeparableNMF(9, method=method).fit(X)
        np.testing.assert_array_equal(np.sort(model.components_indices_), pure)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert SeparableNMF(method=method).fit(X).n_components_ == 5


@pytest.mark.parametrize("shape", [(200, 30), (60, 60), (40, 400)])
@pytest.mark.parametrize("deviation", [0.001, 0.03])
def test_auto_takes_the_parts_that_stand_out_of_noise(shape, deviation):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        pure = rng.random((5, shape[1]))
        X = np.vstack([rng.dirichlet(np.ones(5), shape[0] - 5) @ pure, pure]) + deviation * rng.normal(size=shape)
        assert SeparableNMF().fit(X).n_components_ == 5
        assert SeparableNMF().fit(sparse.csr_array(1e-3 * X)).n_components_ == 5


@pytest.mark.parametrize("noise", ["uneven", "in proportion"])
@pytest.mark.parametrize("r", [3, 5])
def test_auto_takes_the_parts_that_stand_out_of_noise_that_is_not_white(noise, r):
    for seed in range(3):
        X, _ = make_separable(600, 60, r, random_state=seed)
        rng = np.random.default_rng(seed)
        errors = 0.02 * rng.normal(size=X.shape)
        X = X + errors * np.exp(rng.normal(size=60)) if noise == "uneven" else X * (1.0 + errors)
        assert SeparableNMF().fit(X).n_components_ == r
        assert SeparableNMF().fit(sparse.csr_array(1e-3 * X)).n_components_ == r
        assert SeparableNMF().fit(np.column_stack([X, X[:, :3]])).n_components_ == r  # copies of columns


def test_auto_takes_three_parts_of_a_scene_of_three_materials():
    try:
        X = load_moffett()[0]
    except DataNotFoundError as missing:
        pytest.skip(str(missing))
    assert SeparableNMF().fit(X).n_components_ == 3
    assert SeparableNMF().fit(X[::7]).n_components_ == 3


def test_auto_looks_for_no_more_than_a_hundred_parts_of_large_data(monkeypatch):
    X, _ = make_separable(400, 150, 4, random_state=0)
    X += 0.02 * np.random.default_rng(0).normal(size=X.shape) * np.linspace(0.2, 3.0, 150)
    monkeypatch.setattr("treatise.decomposition._noise.LARGEST", 100)
    for data in (X, sparse.csr_array(X)):
        assert SeparableNMF().fit(data).n_components_ == 4


def test_auto_takes_the_rank_of_few_columns():
    few = np.random.default_rng(0).random((200, 3)) @ np.diag([1.0, 0.1, 0.01])
    assert SeparableNMF().fit(few).n_components_ == 3


def test_nearly_dependent_parts_are_told_apart():
    rng = np.random.default_rng(6)
    F = rng.random((3, 10))
    F[2] = F[0] + 1e-9 * rng.random(10)
    X = np.vstack([F, rng.dirichlet(np.ones(3), 50) @ F])
    np.testing.assert_array_equal(np.sort(SeparableNMF(3).fit(X).components_indices_), [0, 1, 2])


def test_sparse_data_are_never_filled_in():
    X = sparse.random_array((20_000, 10_000), density=1e-4, format="csr", rng=np.random.default_rng(0))
    for method in ("er-spa", "spa", "xray"):
        tracemalloc.start()
        SeparableNMF(5, method=method).fit(X)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        # Filled in, the data alone would take 1.6 GB.
        assert peak < 60e6


def test_large_data_take_lanczos_steps_to_the_same_rows(monkeypatch):
    X, _ = make_separable(300, 60, 5, noise=0.05, random_state=7)
    plain = SeparableNMF(5).fit(X)
    monkeypatch.setattr("treatise.decomposition.separable_nmf._rounding._WHOLE", 10)
    for data in (X, sparse.csr_array(X)):
        model = SeparableNMF(5).fit(data)
        np.testing.assert_array_equal(model.components_indices_, plain.components_indices_)
        np.testing.assert_array_equal(model.candidates_, plain.candidates_)


@pytest.mark.parametrize("model", [SeparableNMF(), SeparableNMF(3, method="xray"), LPSeparableNMF()])
def test_numbers_whose_squares_overflow_are_named(model):
    with pytest.raises(ValueError, match=r"X holds .*, whose square overflows"):
        model.fit(1e200 * np.random.default_rng(0).random((20, 5)))


def test_bad_data_are_refused():
    with pytest.raises(ValueError, match="all 4 rows of X are zero"):
        SeparableNMF(2).fit(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="NaN"):
        SeparableNMF(2).fit([[1.0, np.nan], [0.0, 1.0]])
    model = SeparableNMF(2).fit(np.eye(4))
    with pytest.raises(ValueError, match="X has 3 columns; there are 2 parts"):
        model.inverse_transform(np.ones((2, 3)))


def test_picture_shows_rows_ellipsoid_and_parts():
    X, _ = make_separable(100, 20, 4, noise=0.05, random_state=0)
    model = SeparableNMF(4).fit(X)
    ax = Figure().subplots()
    assert plot_ellipsoid(model, X, ax=ax) is ax
    rows, touching, parts, outline = ax.lines
    assert len(rows.get_xdata()) == 100 and len(touching.get_xdata()) == len(model.candidates_)
    np.testing.assert_allclose(parts.get_xydata(), (X @ model.directions_)[model.components_indices_][:, [1, 2]])
    # All points lie within the shadow: no support of theirs is beyond that of the outline.
    for angle in np.linspace(0, np.pi, 20):
        side = np.array([np.cos(angle), np.sin(angle)])
        assert np.abs(rows.get_xydata() @ side).max() <= (outline.get_xydata() @ side).max() * 1.001
    with pytest.raises(ValueError, match="makes no ellipsoid"):
        plot_ellipsoid(SeparableNMF(4, method="spa").fit(X), X)
    with pytest.raises(ValueError, match=r"dimensions=\(0, 4\) must be two different numbers from 0 to 3"):
        plot_ellipsoid(model, X, dimensions=(0, 4))
