"""Sources with delays: against known mixtures, the best subspace and what shifts must change; delays against theory."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treatise.datasets import make_anechoic_mixture, make_moved_objects
from treatise.decomposition import AnechoicBSS, estimate_delays, plot_sources


def likeness(found, true):
    """Mean over the best matching of the largest circular correlation (the paper's Pe), for two sources."""
    table = np.empty((2, 2))
    for j in range(2):
        for k in range(2):
            a, b = (s - s.mean() for s in (found[j], true[k]))
            lags = np.fft.irfftn(np.fft.rfftn(a) * np.conj(np.fft.rfftn(b)), s=a.shape, axes=range(a.ndim))
            table[j, k] = np.abs(lags).max() / (np.linalg.norm(a) * np.linalg.norm(b))
    return max(table[0, 0] + table[1, 1], table[0, 1] + table[1, 0]) / 2


def test_sources_of_the_papers_second_set_are_recovered():
    found, principal = [], []
    for seed in range(10):
        X, sources, _, _ = make_anechoic_mixture(n_samples=8000 if seed == 0 else 2000, random_state=seed)
        model = AnechoicBSS(2, random_state=0).fit(X)
        found.append(likeness(model.sources_, sources))
        principal.append(likeness(np.linalg.svd(X, full_matrices=False)[2][:2], sources))
        assert np.all(np.diff(model.residual_history_) <= 0.0)
    assert np.sum(np.array(found) >= 0.99) >= 9
    assert np.mean(principal) <= 0.75


def test_weights_and_delays_are_those_of_the_mixture_between_the_samples_too():
    weights = np.array([[1.0, 0.5], [0.3, -1.0], [0.8, 0.9], [-0.6, 0.4]])
    delays = np.array([[0.0, 3.0], [40.25, -17.5], [-8.6, 90.3], [12.9, 55.0]])
    X, _, _, _ = make_anechoic_mixture(weights, delays, n_samples=600, random_state=1)
    model = AnechoicBSS(2, random_state=0, tol=1e-8, max_iter=2000).fit(X)
    assert model.unexplained_ < 1e-5
    for j in range(2):
        apart = model.delays_[:, :, np.newaxis] - delays[:, np.newaxis, :]
        spread = np.ptp((apart[:, :, j] - apart[0, :, j] + 300) % 600, axis=0)
        mine = np.argmin(spread)
        assert spread[mine] < 0.02
        ratio = model.weights_[:, mine] / weights[:, j]
        np.testing.assert_allclose(ratio, ratio[0], rtol=0.01)
        # Sources have mean square one, as those of the mixture: only the sign is open.
        assert abs(ratio[0]) == pytest.approx(1.0, rel=0.01)


def test_without_delays_it_is_the_best_subspace_and_with_them_never_worse():
    X = make_anechoic_mixture(n_samples=300, delays=np.zeros((5, 2)), noise=0.3, random_state=0).X
    values = np.linalg.svd(X, compute_uv=False)
    best = np.sum(values[2:] ** 2) / np.sum(values**2)
    still = AnechoicBSS(2, max_delay=0, random_state=0, tol=1e-7).fit(X)
    assert still.unexplained_ == pytest.approx(best, rel=1e-3)
    np.testing.assert_array_equal(still.delays_, 0.0)
    for seed in range(4):
        rows = np.random.default_rng(seed).normal(size=(6, 60))
        values = np.linalg.svd(rows, compute_uv=False)
        moving = AnechoicBSS(2, random_state=0).fit(rows)
        assert moving.unexplained_ <= np.sum(values[2:] ** 2) / np.sum(values**2) + 1e-9


def test_unexplained_is_what_the_placed_sources_leave():
    X = make_anechoic_mixture(n_samples=500, noise=0.2, random_state=3).X
    model = AnechoicBSS(2, random_state=0).fit(X)
    k = np.fft.rfftfreq(500)
    rebuilt = sum(
        model.weights_[:, [j]]
        * np.fft.irfft(np.fft.rfft(model.sources_[j]) * np.exp(-2j * np.pi * k * model.delays_[:, [j]]), 500)
        for j in range(2)
    )
    assert np.sum((X - rebuilt) ** 2) / np.sum(X**2) == pytest.approx(model.unexplained_, rel=1e-9)
    assert model.score(X) == pytest.approx(1.0 - np.sqrt(model.unexplained_), abs=1e-6)
    np.testing.assert_allclose(np.mean(model.sources_**2, axis=1), 1.0)


def test_a_shifted_recording_changes_its_own_delays_alone():
    X = make_anechoic_mixture(n_samples=800, noise=0.01, random_state=0).X
    moved = X.copy()
    moved[1] = np.roll(X[1], 37)
    first, second = (AnechoicBSS(2, random_state=0).fit(rows) for rows in (X, moved))
    np.testing.assert_allclose(second.weights_, first.weights_, rtol=1e-3)
    change = (second.delays_ - first.delays_ + 400) % 800 - 400
    change -= change[0]  # the shift that a source has in common is open
    np.testing.assert_allclose(change[[0, 2, 3, 4]], 0.0, atol=0.05)
    np.testing.assert_allclose(change[1], 37.0, atol=0.05)


def test_scale_changes_weights_alone():
    X = make_anechoic_mixture(n_samples=400, noise=0.05, random_state=0).X
    plain = AnechoicBSS(2, random_state=0).fit(X)
    for unit in (1e-9, 1e9):
        scaled = AnechoicBSS(2, random_state=0).fit(unit * X)
        np.testing.assert_allclose(scaled.weights_, unit * plain.weights_, rtol=1e-5)
        np.testing.assert_allclose(scaled.delays_, plain.delays_, atol=1e-4)


def test_objects_in_images_are_found_with_their_places():
    explained = []
    for seed in range(2):
        X, objects, _, places = make_moved_objects(6, size=64, random_state=seed)
        model = AnechoicBSS(2, positive=True, random_state=0).fit(X)
        explained.append(1.0 - model.unexplained_)
        assert (model.weights_ >= 0).all()
        if explained[-1] > 0.999:
            assert likeness(model.sources_, objects) > 0.99
            apart = model.delays_[:, 0, np.newaxis] - places
            spreads = [np.abs((a - a[0] + 32) % 64 - 32).max() for a in (apart[:, 0], apart[:, 1])]
            assert min(spreads) < 0.05
    assert min(explained) >= 0.95
    assert max(explained) > 0.9999


def test_transform_places_new_recordings_and_reconstructs_them():
    mixture = make_anechoic_mixture(n_samples=1000, random_state=0)
    model = AnechoicBSS(2, random_state=0).fit(mixture.X)
    new = 2.0 * np.roll(model.sources_[0], 123) - 0.5 * np.roll(model.sources_[1], -45)
    weights, delays = model.place([new])
    np.testing.assert_allclose(weights, [[2.0, -0.5]], atol=1e-4)
    np.testing.assert_allclose(delays, [[123.0, -45.0]], atol=1e-3)
    np.testing.assert_allclose(model.reconstruct([new])[0], new, atol=1e-3)
    np.testing.assert_allclose(model.transform(mixture.X), model.weights_, rtol=1e-3)


def test_signals_between_silences_are_shifted_without_coming_round():
    rng = np.random.default_rng(0)
    burst = rng.normal(size=30)
    X = np.zeros((4, 100))
    for row, (start, weight) in zip(X, [(0, 1.0), (70, 2.0), (35, 0.5), (50, 1.5)]):
        row[start : start + 30] = weight * burst
    model = AnechoicBSS(1, boundary="zero", random_state=0).fit(X)
    assert model.unexplained_ < 1e-6
    np.testing.assert_allclose(model.delays_[:, 0] - model.delays_[0, 0], [0, 70, 35, 50], atol=0.02)
    assert model.reconstruct(X).shape == X.shape


def test_recordings_that_are_zero_or_constant_have_no_part_in_it():
    X = make_anechoic_mixture(n_samples=300, random_state=0).X
    X = X - X.mean(axis=1, keepdims=True)
    model = AnechoicBSS(2, random_state=0).fit(np.vstack([X, np.zeros(300), np.full(300, 1.0)]))
    np.testing.assert_allclose(model.weights_[5], 0.0, atol=1e-12)
    np.testing.assert_allclose(model.delays_[5], 0.0)
    assert np.abs(model.weights_[6]).max() < 0.05 * np.abs(model.weights_).max()
    assert np.isfinite(model.sources_).all()


def test_sources_that_always_come_together_are_told():
    X = make_anechoic_mixture(delays=np.zeros((5, 2)), n_samples=300, random_state=0).X
    with pytest.warns(UserWarning, match="same delays"):
        AnechoicBSS(2, random_state=0).fit(X)


def test_bad_input_is_refused():
    X = make_anechoic_mixture(n_samples=50, delays=np.zeros((5, 2)), random_state=0).X
    with pytest.raises(ValueError, match="n_sources=6 exceeds"):
        AnechoicBSS(6).fit(X)
    with pytest.raises(ValueError, match="all 3 recordings are zero"):
        AnechoicBSS(2).fit(np.zeros((3, 10)))
    with pytest.raises(ValueError, match="NaN"):
        AnechoicBSS(2).fit(np.where(X.max() / 2 < X, np.nan, X))
    with pytest.raises(ValueError, match="one line"):
        AnechoicBSS(2).fit(X[:, np.newaxis])
    with pytest.raises(ValueError, match="dimensions"):
        AnechoicBSS(2).fit(X.reshape(5, 5, 5, 2))
    with pytest.raises(ValueError, match="samples and sources"):
        estimate_delays(X, X[:, :20])
    with pytest.raises(ValueError, match="source 1 is zero"):
        estimate_delays(X, [X[0], np.zeros(50)])
    with pytest.raises(ValueError, match="'joint' or 'simple'"):
        estimate_delays(X, X, method="ml")
    images = make_moved_objects(4, size=20, random_state=0).X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = AnechoicBSS(1, random_state=0, max_iter=5).fit(images)
    with pytest.raises(ValueError, match="the model has seen"):
        model.transform(images[:, :, :10])


def delay_example(n_samples):
    """Three sources of the appendix's test, their recording, and the Cramér-Rao bound for noise of variance one."""
    tau = np.array([[20.2, 7.9, 120.2]])
    X, sources, _, _ = make_anechoic_mixture(np.ones((1, 3)), tau, n_samples=n_samples, random_state=0)
    k = np.fft.rfftfreq(n_samples)
    shifted = np.fft.rfft(sources) * np.exp(-2j * np.pi * k * tau.T)
    slopes = np.vstack([np.fft.irfft(-2j * np.pi * k * shifted, n_samples), np.fft.irfft(shifted, n_samples)])
    bound = np.sqrt(np.mean(np.diag(np.linalg.inv(slopes @ slopes.T))[:3]))
    return X[0], sources, tau[0], bound


def test_delays_are_exact_without_noise_and_near_the_bound_with_it():
    x, sources, tau, bound = delay_example(2000)
    weights, delays = estimate_delays([x], sources)
    np.testing.assert_allclose(delays[0], tau, atol=1e-4)
    np.testing.assert_allclose(weights[0], 1.0, atol=1e-4)
    simple = estimate_delays([x], sources, method="simple")[1][0]
    assert np.abs(simple - tau).max() > 5e-3
    for decibels in (20, 0):
        level = x.std() * 10 ** (-decibels / 20)
        noisy = x + level * np.random.default_rng(1).normal(size=(40, len(x)))
        error = np.sqrt(np.mean((estimate_delays(noisy, sources)[1] - tau) ** 2))
        # Of 120 delays the root of the mean square is known to about a fifteenth.
        assert error == pytest.approx(level * bound, rel=0.2)


def test_no_source_is_placed_beyond_the_largest_delay_nor_with_a_negative_weight():
    x, sources, _, _ = delay_example(500)
    weights, delays = estimate_delays([x, -x], sources, max_delay=10, positive=True)
    assert np.abs(delays).max() <= 10
    assert weights.min() >= 0.0


def test_sources_are_drawn_with_weights_and_delays():
    X = make_anechoic_mixture(n_samples=200, random_state=0).X
    model = AnechoicBSS(2, random_state=0).fit(X)
    ax = plot_sources(model)
    np.testing.assert_array_equal(ax[2].lines[0].get_ydata(), model.sources_[1])
    np.testing.assert_array_equal(ax[1].lines[-1].get_xdata(), model.delays_[:, 0])
    images = plot_sources(AnechoicBSS(2, positive=True, random_state=0).fit(make_moved_objects(4, size=20).X))
    assert images[0].images[0].get_array().shape == (20, 20)
