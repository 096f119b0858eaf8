"""Slow feature analysis and xSFA against their definitions, the theory of harmonics, and a plain transcription."""

import warnings
from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.preprocessing import SplineTransformer

from treatise.datasets import make_colored_sources, mix_postnonlinear, mix_spiral
from treatise.decomposition import XSFA, SlowFeatureAnalysis, delta_value, plot_slow_features, required_length
from treatise.decomposition.slow_features.slowness import resolvable_difference


def match(found, truth):
    """Absolute correlation of each output with the source of the same number."""
    count = found.shape[1]
    return np.abs(np.corrcoef(found.T, truth.T)[:count, count:]).diagonal()


def sines(n_times=4000):
    time = np.arange(n_times)
    return np.column_stack([np.sin(time / period) for period in (151.0, 43.0, 17.0, 5.0)])


def spiral_sources(n_times, seed):
    sources = make_colored_sources(n_times, 3, random_state=seed)[:, [0, 2]]
    return sources / np.abs(sources).max(axis=0)


# The method as it is written, on whole arrays.


def monomials(signals, degree):
    columns = [
        np.prod(signals[:, list(chosen)], axis=1)
        for power in range(1, degree + 1)
        for chosen in combinations_with_replacement(range(signals.shape[1]), power)
    ]
    return standard(np.column_stack(columns))


def standard(signals):
    return (signals - signals.mean(axis=0)) / signals.std(axis=0)


def whitened(signals, eps=1e-7):
    variances, axes = np.linalg.eigh(signals.T @ signals / len(signals))
    return signals @ axes[:, variances > eps] / np.sqrt(variances[variances > eps])


def plain_sfa(signals):
    white = whitened(signals)
    changes = np.diff(white, axis=0)
    return white @ np.linalg.eigh(changes.T @ changes / len(changes))[1]


def plain_xsfa(X, n_sources, expansion_degree, removal_degree):
    left, sources = monomials(standard(X), expansion_degree), []
    while True:
        outputs = plain_sfa(left)
        sources.append(outputs[:, 0])
        if len(sources) == n_sources:
            return np.column_stack(sources)
        known = whitened(monomials(np.column_stack(sources), removal_degree))
        left = outputs[:, 1:] - known @ (known.T @ outputs[:, 1:] / len(X))


# Linear


def test_sines_are_recovered_from_a_linear_mixture_in_the_order_of_their_slowness():
    sources = sines()
    X = sources @ np.random.default_rng(0).normal(size=(4, 4)) + 5.0
    model = SlowFeatureAnalysis()
    found = model.fit_transform(X)
    assert match(found, sources).min() > 0.9999
    assert np.all(np.diff(model.deltas_) > 0)
    np.testing.assert_allclose(np.cov(found.T, bias=True), np.eye(4), atol=1e-10)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=1e-10)
    np.testing.assert_allclose(model.deltas_, delta_value(found), rtol=1e-10)


def test_directions_are_those_of_the_generalised_eigenproblem():
    X = np.cumsum(np.random.default_rng(1).normal(size=(300, 5)), axis=0) @ np.diag([1.0, 10.0, 0.1, 1.0, 3.0])
    centred, changes = X - X.mean(axis=0), np.diff(X, axis=0)
    values, vectors = eigh(changes.T @ changes / len(changes), centred.T @ centred / len(X))
    model = SlowFeatureAnalysis(dt=0.5).fit(X)
    np.testing.assert_allclose(model.deltas_, values / 0.25, rtol=1e-8)
    signs = np.sign(np.sum(model.components_ * vectors.T, axis=1, keepdims=True))
    np.testing.assert_allclose(model.components_, signs * vectors.T, atol=1e-8 * np.abs(vectors).max())
    np.testing.assert_allclose(model.transform(X), centred @ model.components_.T, atol=1e-9)


def test_no_change_is_taken_across_the_end_of_a_sequence():
    rng = np.random.default_rng(2)
    parts = [np.cumsum(rng.normal(size=(n, 3)), axis=0) + 100 * rng.normal(size=3) for n in (50, 1, 80, 20)]
    X, lengths = np.vstack(parts), [50, 1, 80, 20]
    changes = np.vstack([np.diff(part, axis=0) for part in parts])
    centred = X - X.mean(axis=0)
    expected = eigh(changes.T @ changes / len(changes), centred.T @ centred / len(X), eigvals_only=True)
    model = SlowFeatureAnalysis().fit(X, lengths=lengths)
    np.testing.assert_allclose(model.deltas_, expected, rtol=1e-9)
    np.testing.assert_allclose(delta_value(model.transform(X), lengths=lengths), expected, rtol=1e-9)
    assert model.score(X, lengths=lengths) == pytest.approx(-expected.mean())
    assert SlowFeatureAnalysis().fit(X).deltas_[-1] > 2 * expected[-1]  # the jumps count there


@pytest.mark.parametrize("estimator", [SlowFeatureAnalysis(2, degree=3), XSFA()], ids=["SFA", "XSFA"])
def test_unit_and_origin_of_columns_change_nothing(estimator):
    X = mix_spiral(spiral_sources(3000, 0))
    plain = estimator.fit_transform(X)
    for unit, origin in ((1e-150, 0.0), (1e150, 0.0), (1e-3, 5.0), ([2.0, 1e6], [1e3, -1e7])):
        moved = estimator.fit_transform(X * unit + origin)
        np.testing.assert_allclose(moved, plain, atol=1e-5)


# Polynomials and the theory


def test_harmonics_of_a_gaussian_source_are_hermite_polynomials_at_multiples_of_its_slowness():
    source = make_colored_sources(200_000, 1, random_state=0)
    model = SlowFeatureAnalysis(3, degree=5).fit(source)
    found = model.transform(source)
    hermite = np.column_stack([source, source**2 - 1, source**3 - 3 * source])
    assert match(found, hermite)[0] > 0.999 and match(found, hermite).min() > 0.98
    # A record of some 3000 independent pieces; the third moments and up are less well known.
    assert model.deltas_[1] / model.deltas_[0] == pytest.approx(2.0, abs=0.05)
    assert model.deltas_[2] / model.deltas_[0] == pytest.approx(3.0, abs=0.2)


@pytest.mark.parametrize("basis", ["monomial", "legendre"])
def test_sources_are_those_of_the_plain_transcription(basis):
    X = mix_postnonlinear(make_colored_sources(2000, 4, random_state=0), random_state=1)
    expected = plain_xsfa(X, 4, 3, 4)
    found = XSFA(4, expansion_degree=3, removal_degree=4, basis=basis).fit_transform(X)
    signs = np.sign(np.sum(found * expected, axis=0))
    # Nothing is dropped, so that both bases span the same functions.
    np.testing.assert_allclose(found, signs * expected, atol=1e-8)


def test_high_powers_drop_what_the_plain_transcription_drops():
    X = mix_spiral(spiral_sources(4000, 3))
    expected = plain_xsfa(X, 2, 7, 20)
    found = XSFA(expansion_degree=7, removal_degree=20, basis="monomial").fit_transform(X)
    assert match(found, expected).min() > 1 - 1e-9


def test_outputs_do_not_depend_on_an_invertible_linear_mixture():
    sources = make_colored_sources(4000, 3, random_state=1)
    mixed = sources @ np.random.default_rng(0).normal(size=(3, 3))
    plain, of_mixed = (XSFA(3, expansion_degree=3, removal_degree=4).fit_transform(X) for X in (sources, mixed))
    assert match(of_mixed, plain).min() > 0.9999
    assert match(plain, sources).min() > 0.95


def test_sources_on_a_spiral_are_recovered_at_the_defaults_for_every_seed():
    for seed in range(10):
        sources = spiral_sources(20_000, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = XSFA().fit(mix_spiral(sources))
        assert match(model.transform(mix_spiral(sources)), sources).min() > 0.97, seed
        assert (model.degree_, model.removal_degree_) == (7, 20)


def test_the_first_of_six_sources_are_recovered_and_a_longer_record_helps():
    shares = []
    for n_times in (10_000, 40_000):
        found = []
        for seed in range(5):
            sources = make_colored_sources(n_times, random_state=seed)
            X = mix_postnonlinear(sources, random_state=seed)
            found.append(match(XSFA(6, expansion_degree=3, removal_degree=4).fit_transform(X), sources))
        shares.append(np.median(found, axis=0))
    assert shares[0][:3].min() > 0.80
    assert shares[1][:2].min() > 0.90 and np.all(shares[1][:3] > shares[0][:3] - 0.01)


def test_blocks_and_new_rows_give_what_the_whole_record_gives():
    X = mix_postnonlinear(make_colored_sources(1500, 3, random_state=2), random_state=2)
    for estimator in (XSFA(3), SlowFeatureAnalysis(5, degree=3), SlowFeatureAnalysis(degree=1)):
        whole = estimator.fit_transform(X)
        for size in (1, 7, 400, 10_000):
            if size == 1 and not isinstance(estimator, SlowFeatureAnalysis):
                continue
            chunked = estimator.set_params(chunk_size=size).fit_transform(X)
            np.testing.assert_allclose(chunked, whole, atol=1e-8)
        np.testing.assert_allclose(estimator.transform(X[::-1])[::-1], whole, atol=1e-8)
        np.testing.assert_allclose(estimator.transform(X[500:503]), whole[500:503], atol=1e-8)


def test_sources_have_unit_variance_and_their_own_delta_values():
    X, lengths = mix_spiral(spiral_sources(3000, 1)), [1000, 1500, 500]
    model = XSFA(dt=0.1).fit(X, lengths=lengths)
    found = model.transform(X)
    np.testing.assert_allclose(found.std(axis=0), 1.0, atol=1e-9)
    np.testing.assert_allclose(model.deltas_, delta_value(found, dt=0.1, lengths=lengths), rtol=1e-9)
    assert abs(np.corrcoef(found.T)[0, 1]) < 1e-9


def test_new_rows_beyond_the_range_stay_bounded_with_legendre_polynomials():
    sources = spiral_sources(3000, 1)
    X = mix_spiral(sources)
    outside = np.vstack([X, 3 * X])
    bounded, free = (XSFA(basis=basis).fit(X).transform(outside) for basis in ("legendre", "monomial"))
    # The corners of the range are far from the spiral, and polynomials of degree 7 are large there.
    assert np.abs(bounded).max() < 1000 and np.abs(free).max() > 1e4


def test_any_transformer_can_make_the_functions():
    X = mix_spiral(spiral_sources(2000, 0))
    model = SlowFeatureAnalysis(3, expansion=SplineTransformer(6)).fit(X)
    terms = SplineTransformer(6).fit_transform(standard(X))
    expected = plain_sfa(standard(terms))[:, :3]
    assert match(model.transform(X), expected).min() > 1 - 1e-6
    assert model.n_terms_ == terms.shape[1] and model.n_dropped_ == 2  # splines of a column add up to one


# What is wrong with the data, or asked too much


def test_constant_and_repeated_columns_are_dropped_and_counted():
    X = sines(1000)
    poor = np.column_stack([X, np.full(1000, 3.0), X[:, 1], X[:, 0] + X[:, 2]])
    model = SlowFeatureAnalysis().fit(poor)
    assert model.n_components_ == 4 and model.n_dropped_ == 3
    np.testing.assert_allclose(model.deltas_, SlowFeatureAnalysis().fit(X).deltas_, rtol=1e-6)
    found = XSFA(2, expansion_degree=2, removal_degree=3).fit(poor)
    assert np.isfinite(found.transform(poor)).all() and found.n_dropped_[0] > 3


def test_a_column_of_two_values_has_constant_even_powers_and_harms_nothing():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat(rng.choice([-1.0, 1.0], 50), 40), np.sin(np.arange(2000) / 30)])
    for basis in ("legendre", "monomial"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = XSFA(expansion_degree=3, removal_degree=5, basis=basis).fit(X)
        assert np.isfinite(model.transform(X)).all()
        assert model.n_dropped_[0] >= 2


def test_more_terms_than_rows_and_white_noise_are_warned_of():
    rng = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="no slower than what"):
        model = SlowFeatureAnalysis().fit(rng.normal(size=(20, 30)))
    assert model.n_components_ == 19 and np.isfinite(model.components_).all()
    for seed in range(10):
        with pytest.warns(UserWarning, match="no slower than what"):
            SlowFeatureAnalysis().fit(np.random.default_rng(seed).normal(size=(2000, 10)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SlowFeatureAnalysis().fit(make_colored_sources(2000, 3, random_state=0))


def test_sources_of_equal_slowness_are_warned_of():
    time = np.arange(3000)
    X = np.column_stack([np.sin(time / 20), np.cos(time / 20)])
    with pytest.warns(UserWarning, match="source 1 may be a mixture"):
        XSFA(1, expansion_degree=1).fit(X)


def test_fewer_sources_than_asked_for_are_told():
    x = make_colored_sources(1000, 1, random_state=0)
    with pytest.warns(UserWarning, match="n_sources=3 exceeds the 1 columns"):
        model = XSFA(3).fit(x)
    assert model.n_sources_ == 1 and model.transform(x).shape == (1000, 1)
    with pytest.warns(UserWarning, match="n_sources=2 exceeds the 1 found"):
        model = XSFA(expansion_degree=1).fit(np.column_stack([x, 2 * x]))
    assert model.n_sources_ == 1


def test_automatic_degrees_grow_with_the_number_of_independent_pieces():
    degrees = []
    for n_times in (100, 1000, 30_000):
        sources = make_colored_sources(n_times, 6, random_state=0)
        model = XSFA(6).fit(sources)
        repeated = XSFA(6).fit(np.repeat(sources[: n_times // 10], 10, axis=0))
        assert repeated.degree_ <= model.degree_ and repeated.removal_degree_ <= model.removal_degree_
        degrees.append((model.degree_, model.removal_degree_))
    assert degrees[0][0] == 1 and degrees[2] == (3, 4)  # the paper's for six sources


def test_bad_input_is_refused_with_a_reason():
    X = sines(100)
    with pytest.raises(ValueError, match="all 2 columns of X are constant"):
        SlowFeatureAnalysis().fit(np.ones((50, 2)))
    with pytest.raises(ValueError, match="NaN"):
        XSFA().fit(np.where(X > 0.99, np.nan, X))
    with pytest.raises(ValueError, match="n_components=5 exceeds the 4 dimensions"):
        SlowFeatureAnalysis(5).fit(X)
    with pytest.raises(ValueError, match="two frames in a row"):
        SlowFeatureAnalysis().fit(X[:3], lengths=[1, 1, 1])
    with pytest.raises(ValueError, match="add up to 99 frames; X has 100"):
        XSFA().fit(X, lengths=[99])
    with pytest.raises(ValueError, match=r"degree=9 of 20 columns makes 10,015,004 terms"):
        SlowFeatureAnalysis(degree=9).fit(np.random.default_rng(0).normal(size=(100, 20)))
    with pytest.raises(ValueError, match="minimum of 2"):
        SlowFeatureAnalysis().fit(X[:1])


def test_slowness_of_signals_and_the_length_that_tells_two_apart():
    rng = np.random.default_rng(0)
    assert delta_value(rng.normal(size=100_000)) == pytest.approx(2.0, abs=0.03)
    ramp = delta_value(np.column_stack([np.arange(50.0), np.ones(50)]), dt=2.0)
    assert ramp[0] == pytest.approx(1 / np.arange(50).var() / 4) and np.isnan(ramp[1])
    # Section 5.1: values of 0.01 that differ by a twentieth need 400 pieces of 10 frames.
    assert required_length(0.01, 0.0105) == pytest.approx(4000)
    assert required_length(0.0105, 0.01) == pytest.approx(4000)
    assert required_length(1.0, 1.05, dt=0.1) == pytest.approx(4000)
    assert required_length(0.3, 0.3) == np.inf
    with pytest.raises(ValueError, match="above zero"):
        required_length(0.0, 1.0)


def test_picture_has_a_panel_for_each_feature_and_tells_how_close_it_is():
    sources = spiral_sources(2000, 1)
    X = mix_spiral(sources)
    panels = plot_slow_features(XSFA().fit(X), X, truth=sources, frames=slice(0, 300))
    assert len(panels) == 2
    assert all("correlation 0.9" in panel.get_title("left") for panel in panels)
    assert len(panels[0].lines) == 2 and len(panels[0].lines[1].get_xdata()) == 300
    with pytest.raises(ValueError, match="does not fit the 2000 rows"):
        plot_slow_features(XSFA().fit(X), X, truth=sources[:5])


@pytest.mark.parametrize("dt", [1e-200, 1e308])
def test_times_whose_squares_are_no_numbers_are_refused(dt):
    with pytest.raises(ValueError, match="'dt' parameter"):
        SlowFeatureAnalysis(dt=dt).fit(np.random.default_rng(0).normal(size=(50, 3)))


@pytest.mark.parametrize("dt", [1e-200, 1e308, 0.0, -1.0, np.nan, np.inf])
def test_functions_of_slowness_refuse_the_times_that_the_estimators_refuse(dt):
    for told in (
        lambda: delta_value(np.arange(9.0), dt=dt),
        lambda: required_length(0.01, 0.02, dt=dt),
        lambda: resolvable_difference(0.01, 100, dt=dt),
    ):
        with pytest.raises(ValueError, match="dt="):
            told()


@pytest.mark.parametrize("unit", [1e-300, 1e-170, 1e200, 1e307])
def test_slowness_does_not_know_the_unit_of_a_signal(unit):
    signal = np.sin(np.arange(100.0) / 7)
    assert delta_value(unit * signal) == pytest.approx(delta_value(signal), rel=1e-12)
