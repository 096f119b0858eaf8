"""Logistic stick breaking: every part of the bound against integration, limits with known answers, bad input."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import expit, logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, rand_score

from treatise.bayes import (
    HierarchicalStickBreaking,
    LogisticStickBreaking,
    draw_stick_weights,
    image_patches,
    plot_segments,
)
from treatise.bayes.stick_breaking._atoms import DiagonalAtoms, GaussianAtoms, MultinomialAtoms
from treatise.bayes.stick_breaking._shared import Library
from treatise.bayes.stick_breaking._sticks import Places, Stick, Sticks, curvature, reaching, stick_shares


def fitted(X, locations=None, **parameters):
    """A fit that may end early."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogisticStickBreaking(**{"random_state": 0, "centers": 30, **parameters}).fit(X, locations=locations)


def series(seed=0, n=40):
    """Three stretches, the first and the last alike."""
    state = np.repeat([0, 1, 0], n)
    rng = np.random.default_rng(seed)
    return state, rng.normal(size=(3 * n, 2)) + 2.5 * state[:, np.newaxis], np.arange(3.0 * n)


def squares(side=32, seed=0):
    """Two pairs of squares on a ground."""
    truth, grid = np.zeros((side, side), dtype=int), np.indices((side, side)).reshape(2, -1).T.astype(float)
    truth[4:12, 4:12] = truth[20:28, 20:28] = 1
    truth[4:12, 20:28] = truth[20:28, 4:12] = 2
    X = np.random.default_rng(seed).normal(np.array([5.0, 40.0, 60.0])[truth], 10.0)
    return truth.ravel(), X.reshape(-1, 1), grid


# Parts of the bound.


def test_equation_7_bounds_the_logistic_function_and_touches_it():
    x, eta = np.linspace(-12, 12, 241), np.array([0.0, 1e-5, 1e-4, 0.3, 1.0, 4.0, 9.0])[:, np.newaxis]
    lower = expit(eta) * np.exp(0.5 * (x - eta) - curvature(eta) * (x**2 - eta**2))
    assert (lower <= expit(x) * (1 + 1e-12)).all()
    touching = expit(eta) * np.exp(0.5 * (-2 * eta))
    np.testing.assert_allclose(touching, expit(-eta), rtol=1e-12)
    np.testing.assert_allclose(curvature(np.array([0.0, 1e-4])), 0.125, rtol=1e-8)


def sequential(atoms, Y):
    """Log evidence of rows, each predicted from those before it."""
    total = 0.0
    for n in range(len(Y)):
        atoms.update(Y[:n], np.ones((n, 1)))
        total += atoms.predictive(Y[n : n + 1])[0, 0]
    return total


@pytest.mark.parametrize(
    "atoms",
    [
        GaussianAtoms(np.array([0.3, -0.2]), np.array([[2.0, 0.5], [0.5, 1.0]]), 0.7, 3.5),
        DiagonalAtoms(np.array([0.3, -0.2]), np.array([2.0, 1.0]), 0.7, 3.5),
        MultinomialAtoms([2, 3]),
    ],
)
def test_evidence_of_rows_is_the_product_of_their_predictions(atoms):
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(7, 2))
    if isinstance(atoms, MultinomialAtoms):
        Y = np.hstack([np.eye(2)[rng.integers(0, 2, 7)], np.eye(3)[rng.integers(0, 3, 7)]])
    predicted = sequential(atoms, Y)
    atoms.update(Y, np.ones((7, 1)))
    assert atoms.evidence[0] == pytest.approx(predicted, rel=1e-10)
    expected = atoms.log_likelihood(Y).sum() - atoms.penalty[0]
    assert expected == pytest.approx(predicted, rel=1e-10)
    atoms.update(Y, np.zeros((7, 1)))
    assert atoms.penalty[0] == pytest.approx(0.0, abs=1e-10)


def test_predictions_of_gaussian_segments_are_student_t():
    rng = np.random.default_rng(1)
    Y = rng.normal(size=(6, 3))
    atoms = GaussianAtoms(np.zeros(3), np.eye(3), 0.5, 5.0)
    atoms.update(Y, np.ones((6, 1)))
    freedom = atoms.freedom[0] - 2.0
    shape = atoms.root[0] @ atoms.root[0].T * (atoms.strength[0] + 1) / (atoms.strength[0] * freedom)
    expected = stats.multivariate_t(atoms.mean[0], shape, df=freedom).logpdf(Y)
    np.testing.assert_allclose(atoms.predictive(Y)[:, 0], expected, rtol=1e-9)


def test_expected_log_likelihood_is_that_of_draws_from_the_posterior():
    rng = np.random.default_rng(2)
    Y = rng.normal(size=(9, 2))
    atoms = GaussianAtoms(np.zeros(2), np.eye(2), 0.5, 6.0)
    atoms.update(Y, np.ones((9, 1)))
    scale = np.linalg.inv(atoms.root[0] @ atoms.root[0].T)
    precisions = stats.wishart(atoms.freedom[0], scale).rvs(40_000, random_state=0)
    roots = np.linalg.cholesky(np.linalg.inv(precisions * atoms.strength[0]))
    means = atoms.mean[0] + np.einsum("nij,nj->ni", roots, rng.normal(size=(40_000, 2)))
    away = Y[0] - means
    logs = 0.5 * np.linalg.slogdet(precisions)[1] - np.log(2 * np.pi)
    logs -= 0.5 * np.einsum("ni,nij,nj->n", away, precisions, away)
    error = logs.std() / np.sqrt(len(logs))
    assert abs(logs.mean() - atoms.log_likelihood(Y)[0, 0]) < 4 * error


def test_divergence_of_a_stick_is_that_of_its_factors():
    stick = Stick(2, 1.0, 0.8, 1.3)
    rng = np.random.default_rng(0)
    features, taken = np.c_[np.ones(5), rng.random(5)], np.array([1.0, 0.0, 1.0, 0.4, 0.2])
    stick.update(features, np.ones(5), taken, np.ones(5))
    covariance = np.linalg.inv(stick.root @ stick.root.T)
    np.testing.assert_allclose(stick.variance, np.diag(covariance), rtol=1e-10)
    weights = stats.multivariate_normal(stick.mean, covariance)
    total = -weights.entropy()
    for mean, variance, rate in zip(stick.mean, np.diag(covariance), stick.rate):
        posterior, prior = stats.gamma(1.3, scale=1 / rate), stats.gamma(0.8, scale=1 / 1.3)
        total -= posterior.entropy()
        total -= posterior.expect(prior.logpdf, lb=1e-12)
        square = mean**2 + variance
        total -= posterior.expect(lambda x, s=square: 0.5 * np.log(x) - 0.5 * x * s - 0.5 * np.log(2 * np.pi), lb=1e-12)
    assert stick.penalty() == pytest.approx(total, rel=1e-4)


def test_divergence_of_the_library_is_that_of_its_factors():
    library = Library(3, 1.2, 0.7)
    library.update(np.array([3.0, 1.5, 0.5]))
    precision = stats.gamma(library.shape, scale=1 / library.rate)
    prior = stats.gamma(1.2, scale=1 / 0.7)
    total = precision.expect(lambda g: precision.logpdf(g) - prior.logpdf(g))
    for first, second in zip(library.first, library.second):
        stick = stats.beta(first, second)
        left = quad(lambda v, s=stick: s.pdf(v) * np.log1p(-v), 0, 1)[0]
        total += -stick.entropy() - precision.expect(lambda g, e=left: np.log(g) + (g - 1) * e)
    assert library.penalty() == pytest.approx(total, rel=1e-6)
    weights = np.exp(library.log_weights())
    assert weights.sum() < 1.0  # geometric means


def test_bound_lies_below_the_exact_evidence_and_near_it():
    """Four rows, two sticks, a constant alone: all labels gone through, its weight integrated out."""
    X = np.array([[-1.0], [-1.2], [1.1], [0.9]])
    settings = {"n_sticks": 2, "a0": 2.0, "b0": 2.0, "merge": False, "max_iter": 500, "tol": 1e-12}
    bounds = {breaks: fitted(X, breaks=breaks, **settings).bound_ for breaks in ("reached", "independent")}
    model = fitted(X, **settings)
    Y = model.scale_.apply(X)
    atoms = GaussianAtoms(np.zeros(1), Y.T @ Y / 4, 0.1, 3.0)
    prior = stats.t(df=4.0)  # a normal weight whose precision is gamma(2, 2)
    total = []
    for labels in product([0, 1], repeat=4):
        shares = np.eye(2)[list(labels)]
        atoms.update(Y, shares)
        zeros = shares[:, 0].sum()
        chance = quad(lambda w, z=zeros: prior.pdf(w) * expit(w) ** z * expit(-w) ** (4 - z), -60, 60)[0]
        total.append(atoms.evidence.sum() + np.log(chance))
    exact = logsumexp(total) - 4 * model.scale_.log_volume
    assert bounds["independent"] <= bounds["reached"] + 1e-9
    assert exact - 2.5 < bounds["reached"] < exact


@pytest.mark.parametrize(
    "parameters",
    [
        {"breaks": "reached", "width_update": "fixed"},
        {"breaks": "independent", "width_update": "fixed"},
        {"breaks": "reached", "width_update": "map"},
        {"emission": "diag"},
    ],
)
def test_bound_never_falls(parameters):
    _, X, times = series()
    settings = {"n_sticks": 6, "centers": 20, "max_iter": 60, "tol": 1e-300, "n_neighbors": 1, **parameters}
    for merge in (False, True):
        trace = fitted(X, times, merge=merge, **settings).bound_trace_
        assert np.diff(trace).min() >= -1e-8 * abs(trace[-1])


def test_breaks_of_each_row_are_at_their_optimum():
    """Appendix A's update against the bound itself, one break moved at a time."""
    rng = np.random.default_rng(0)
    sticks = Sticks(Places(rng.random((5, 2))), np.array([1.0]), 4, 1.0, 1.0, "independent")
    fits = rng.normal(size=(5, 4))
    for _ in range(200):
        _, best = sticks._assign_independent(fits)
    for k in range(3):
        for step in (-0.02, 0.02):
            moved = sticks.rho.copy()
            moved[:, k] = np.clip(moved[:, k] + step, 1e-6, 1 - 1e-6)
            shares = stick_shares(moved)
            rows = moved * sticks.means + np.log(expit(sticks.etas)) - 0.5 * (sticks.means + sticks.etas)
            entropy = -moved * np.log(moved) - (1 - moved) * np.log1p(-moved)
            assert (shares * fits).sum() + rows.sum() + entropy.sum() < best


# Limits and behaviour.


def test_shares_and_what_reaches_a_stick():
    rho = np.array([[0.5, 0.5], [1.0, 0.3]])
    np.testing.assert_allclose(stick_shares(rho), [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(reaching(stick_shares(rho)), [[1.0, 0.5, 0.25], [1.0, 0.0, 0.0]])


def test_one_stick_is_the_plain_gaussian_posterior():
    _, X, times = series()
    model = fitted(X, times, n_sticks=1)
    Y = model.scale_.apply(X)
    covariance = Y.T @ Y / len(Y)
    covariance[~np.eye(2, dtype=bool)] *= 0.95
    atoms = GaussianAtoms(np.zeros(2), 2 * covariance, 0.1, 5.0)
    atoms.update(Y, np.ones((len(Y), 1)))
    assert model.bound_ == pytest.approx(atoms.evidence[0] - len(X) * np.log(X.std(axis=0)).sum(), rel=1e-12)
    assert model.n_segments_ == 1
    assert model.bound_trace_[0] == pytest.approx(model.bound_, rel=1e-12)


def test_ten_sticks_end_as_the_three_kinds_of_the_picture():
    truth, X, grid = squares()
    model = fitted(X, grid, centers=64)
    assert model.n_segments_ == 3
    assert rand_score(truth, model.labels_) >= 0.985
    np.testing.assert_allclose(np.sort(model.means_[:3, 0]), [5, 40, 60], atol=3.0)
    assert model.converged_
    assert np.array_equal(model.predict(X, grid), model.labels_)
    np.testing.assert_allclose(model.predict_prior(grid + 0.5).sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X, grid), model.resp_, atol=1e-12)


def test_a_merge_has_the_cycles_it_needs_to_settle():
    """Of this picture the ground stays in two pieces if a merge is judged after ten cycles."""
    _, X, grid = squares(seed=2)
    centers = grid.reshape(32, 32, 2)[::3, ::3].reshape(-1, 2)
    assert fitted(X, grid, centers=centers, widths=[20.0, 50.0]).n_segments_ == 3


def test_three_sticks_find_the_picture_too():
    truth, X, grid = squares()
    centers = grid.reshape(32, 32, 2)[::3, ::3].reshape(-1, 2)
    model = fitted(
        X, grid, n_sticks=3, n_neighbors=25, centers=centers, widths=[20.0], merge=False, breaks="independent"
    )
    assert rand_score(truth, model.labels_) >= 0.985


def test_a_state_that_comes_back_is_one_segment():
    state, X, times = series()
    model = fitted(X, times)
    assert model.n_segments_ == 2
    assert adjusted_rand_score(state, model.labels_) > 0.95
    inside = model.predict_prior(np.array([20.0, 60.0, 100.0]))[:, :2]
    assert inside.max(axis=1).min() > 0.9
    assert np.array_equal(inside.argmax(axis=1), model.labels_[[20, 60, 100]])


def test_without_places_responsibilities_depend_on_features_alone():
    _, X, _ = series()
    model = fitted(np.vstack([X, X[::-1]]))
    np.testing.assert_array_equal(model.resp_[: len(X)], model.resp_[len(X) :][::-1])
    assert model.centers_.shape == (0, 0)
    assert model.n_segments_ == 2
    one_place = fitted(np.vstack([X, X[::-1]]), np.zeros(2 * len(X)), n_neighbors=1)
    np.testing.assert_array_equal(one_place.resp_[: len(X)], one_place.resp_[len(X) :][::-1])


def test_constant_features_are_one_segment():
    model = fitted(np.full((30, 2), 3.0), np.arange(30.0))
    assert model.n_segments_ == 1
    assert model.resp_[:, 0].min() > 0.99
    _, X, times = series()
    with_constant = fitted(np.c_[X, np.full(len(X), 7.0)], times)
    plain = fitted(X, times)
    assert np.array_equal(with_constant.labels_, plain.labels_)
    assert with_constant.bound_ == pytest.approx(plain.bound_)
    assert with_constant.means_[0, 2] == 7.0


def test_units_and_order_of_rows_do_not_matter():
    _, X, times = series()
    plain = fitted(X, times)
    scaled = fitted(X * np.array([1e3, 1e-4]) + 5.0, 60.0 * times + 1e6)
    assert np.array_equal(plain.labels_, scaled.labels_)
    assert scaled.bound_ == pytest.approx(plain.bound_ - len(X) * np.log(0.1), rel=1e-6)
    order = np.random.default_rng(0).permutation(len(X))
    assert np.array_equal(fitted(X[order], times[order]).labels_, plain.labels_[order])


def test_more_columns_than_rows():
    state, X, times = series()
    wide = np.random.default_rng(1).normal(size=(len(X), 130)) + 1.5 * state[:, np.newaxis]
    model = fitted(wide, times, emission="diag", centers=20)
    assert adjusted_rand_score(state, model.labels_) > 0.9
    assert np.isfinite(fitted(wide, times, centers=20, n_sticks=3, max_iter=20).bound_)


def test_words_of_codebooks_are_segmented():
    state, _, times = series()
    rng = np.random.default_rng(0)
    books = [rng.multinomial(5, chances, size=len(state)) for chances in ([0.6, 0.3, 0.1], [0.5, 0.5])]
    other = [rng.multinomial(5, chances, size=len(state)) for chances in ([0.1, 0.3, 0.6], [0.9, 0.1])]
    X = np.where(state[:, np.newaxis] == 0, np.hstack(books), np.hstack(other))
    model = fitted(X, times, emission="multinomial", codebooks=[3, 2])
    assert model.n_segments_ == 2
    assert adjusted_rand_score(state, model.labels_) > 0.9
    np.testing.assert_allclose(model.means_[0], [0.6, 0.3, 0.1, 0.5, 0.5], atol=0.1)


def test_density_of_rows_integrates_to_one():
    _, X, times = series()
    model = fitted(X[:, :1], times)
    total = quad(lambda x: np.exp(model.score_samples([[x]], [60.0])[0]), -2000, 2000, points=[0.0, 2.5], limit=200)[0]
    assert total == pytest.approx(1.0, abs=1e-4)


def test_drawn_widths_are_among_those_given():
    _, X, times = series()
    model = fitted(X, times, widths=[10.0, 40.0], width_update="sample")
    assert set(model.widths_) <= {10.0, 40.0}
    again = fitted(X, times, widths=[10.0, 40.0], width_update="sample")
    assert np.array_equal(model.bound_trace_, again.bound_trace_)


# Several data sets.


def hierarchical(data_sets, locations=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = HierarchicalStickBreaking(**{"centers": 20, "n_atoms": 8, "random_state": 0, **parameters})
        return model.fit(data_sets, locations=locations)


def test_one_data_set_is_segmented_as_by_the_plain_form():
    state, X, times = series()
    plain = fitted(X, times, centers=20, n_sticks=8)
    shared = hierarchical([X], [times], n_sticks=8)
    assert abs(rand_score(state, plain.labels_) - rand_score(state, shared.labels_[0])) <= 0.01
    trace = shared.bound_trace_
    assert np.diff(trace).min() >= -1e-8 * abs(trace[-1])
    assert np.array_equal(shared.predict(X, times), shared.labels_[0])


def test_data_sets_of_the_same_kinds_are_alike_and_others_are_not():
    rng = np.random.default_rng(0)
    states = [np.repeat([0, 1], [50, 50]), np.repeat([1, 0], [50, 50]), np.repeat([2, 3], [50, 50])]
    X = [rng.normal(6.0 * state, 1.0)[:, np.newaxis] for state in states]
    for breaks in ("reached", "independent"):
        model = hierarchical(X, [np.arange(100.0)] * 3, breaks=breaks)
        similarity = model.similarity()
        assert similarity[0, 1] > 0.9
        assert similarity[:2, 2].max() < 0.1
        np.testing.assert_allclose(np.diag(similarity), 1.0, rtol=1e-12)
        assert model.n_segments_ == 4
        np.testing.assert_allclose(model.atom_usage_.sum(axis=1), 1.0)
        assert adjusted_rand_score(np.concatenate(states), np.concatenate(model.labels_)) > 0.95


def test_kinds_that_one_data_set_has_in_two_places_point_to_one_atom():
    _, X, times = series()
    other = np.random.default_rng(5).normal(size=(60, 2)) + 2.5
    model = hierarchical([X, other], [times, np.arange(60.0)])
    assert model.n_segments_ == 2
    assert len(np.unique(model.labels_[1])) == 1
    assert model.labels_[1][0] == model.labels_[0][60]


# Images, prior, pictures.


def test_patches_have_means_places_and_texture():
    rng = np.random.default_rng(0)
    image = rng.random((20, 33, 3))
    patches = image_patches(image, 8)
    assert patches.shape == (2, 4)
    assert patches.features.shape == (8, 6)
    np.testing.assert_allclose(patches.features[5, :3], image[8:16, 8:16].mean(axis=(0, 1)))
    np.testing.assert_allclose(patches.locations[5], [11.5, 11.5])
    grey = image[8:16, 8:16].mean(axis=2)
    near = np.log([grey.std(), np.abs(np.diff(grey, axis=0)).mean(), np.abs(np.diff(grey, axis=1)).mean()])
    np.testing.assert_allclose(patches.features[5, 3:], near, atol=2e-3)
    assert np.isfinite(image_patches(np.zeros((8, 8)), 4).features).all()


def test_wider_kernels_draw_larger_segments():
    grid = np.indices((30, 30)).reshape(2, -1).T
    changes = []
    for width in (4.0, 100.0):
        drawn = [draw_stick_weights(grid, width=width, centers="all", random_state=seed) for seed in range(20)]
        labels = [own.argmax(axis=1).reshape(30, 30) for own in drawn]
        changes.append(np.mean([(np.diff(own, axis=0) != 0).mean() for own in labels]))
    assert changes[1] < 0.6 * changes[0]


def test_pictures_are_drawn():
    from matplotlib.figure import Figure

    panels = Figure().subplots(1, 3)
    truth, X, grid = squares()
    plot_segments(truth, grid, image=X.reshape(32, 32), ax=panels[0])
    assert len(panels[0].images) == 2
    plot_segments(truth, grid, ax=panels[1])
    plot_segments([0, 0, 1, 1, 0], np.arange(5), values=np.arange(5.0), ax=panels[2])
    assert len(panels[2].patches) == 3
    with pytest.raises(ValueError, match="labels has 4 entries"):
        plot_segments([0, 1, 0, 1], np.arange(5))
    with pytest.raises(ValueError, match="locations has 3 columns"):
        plot_segments([0, 1], np.zeros((2, 3)))


# Bad input.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"locations": np.arange(10.0)}, "locations has 10 rows and X has 120"),
        ({"locations": np.full(120, np.nan)}, "locations contains NaN"),
        ({"widths": [1.0, -2.0]}, "must be one or more finite numbers above zero"),
        ({"centers": np.zeros((3, 2))}, "centers has 2 columns; 1 are needed"),
        ({"emission": "multinomial"}, "needs counts, zero or more"),
        ({"n_sticks": 0}, "n_sticks"),
    ],
)
def test_what_cannot_be_fitted_is_refused(change, message):
    _, X, times = series()
    parameters = {"locations": times, **change}
    locations = parameters.pop("locations")
    with pytest.raises(ValueError, match=message):
        LogisticStickBreaking(**parameters).fit(X, locations=locations)


def test_codebooks_must_fit_the_columns():
    with pytest.raises(ValueError, match="add up to the 4 columns"):
        LogisticStickBreaking(emission="multinomial", codebooks=[2, 3]).fit(np.ones((5, 4)))


def test_places_of_new_rows_must_be_like_those_of_the_fit():
    _, X, times = series()
    model = fitted(X, times)
    with pytest.raises(ValueError, match="locations is None; the model was fitted to places of 1 dimensions"):
        model.predict(X)
    with pytest.raises(ValueError, match="locations has 2 columns; 1 are needed"):
        model.predict(X, np.zeros((len(X), 2)))
    with pytest.raises(ValueError, match="fitted without locations"):
        fitted(X).predict(X, times)


def test_data_sets_that_do_not_belong_together_are_refused():
    _, X, times = series()
    model = HierarchicalStickBreaking()
    for data_sets, locations, message in (
        (X, None, "data_sets is one table"),
        ([], None, "data_sets is empty"),
        ([X, X[:, :1]], None, r"data_sets\[1\] has 1 columns and data_sets\[0\] has 2"),
        ([X, X], [times], "locations has 1 entries for 2 data sets"),
        ([X, X * np.nan], None, r"data_sets\[1\] contains NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(data_sets, locations=locations)
    with pytest.raises(ValueError, match="data_set=1 is none of the 1 data sets"):
        hierarchical([X], [times]).predict(X, times, data_set=1)


@pytest.mark.parametrize(
    ("image", "size", "message"),
    [(np.zeros(4), 2, "1 dimensions"), (np.zeros((4, 4)), 5, "size=5"), (np.full((4, 4), np.nan), 2, "NaN")],
)
def test_images_that_cannot_be_cut_are_refused(image, size, message):
    with pytest.raises(ValueError, match=message):
        image_patches(image, size)


def test_too_few_cycles_are_told():
    _, X, times = series()
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        LogisticStickBreaking(max_iter=2, random_state=0).fit(X, locations=times)
