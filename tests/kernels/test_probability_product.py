"""Kernels between distributions: values, limits, and what is refused."""

import itertools

import numpy as np
import pytest
from scipy import integrate, sparse, stats
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from treatise.kernels import (
    BernoulliProductKernel,
    ExponentialProductKernel,
    FeatureSpaceProductKernel,
    GammaProductKernel,
    Gammas,
    Gaussian,
    GaussianProductKernel,
    Gaussians,
    GramTransformer,
    Linear,
    Mixture,
    MixtureProductKernel,
    MultinomialProductKernel,
    PoissonProductKernel,
    Polynomial,
    plot_gram,
)


def integral(p, q, rho, low=-np.inf, high=np.inf):
    return integrate.quad(lambda x: (p(x) * q(x)) ** rho, low, high, epsabs=1e-12, epsrel=1e-12, limit=200)[0]


@pytest.mark.parametrize("rho, expected", [(0.5, 0.8508054622), (1.0, 0.1614342259), (0.3, 1.8590133419)])
def test_gaussians_of_one_dimension_are_integrated(rho, expected):
    value = GaussianProductKernel(rho=rho)(Gaussians([[0.0], [1.0]], [1.0, 4.0]))[0, 1]
    # The number has ten decimals, and quadrature its own 1e-12.
    assert value == pytest.approx(expected, abs=1e-9)
    assert value == pytest.approx(integral(stats.norm(0, 1).pdf, stats.norm(1, 2).pdf, rho), abs=1e-9)


@pytest.mark.parametrize("rho", [0.3, 0.5, 1.0])
def test_whole_covariances_follow_equation_5(rho):
    rng = np.random.default_rng(0)
    D = 3
    means = rng.normal(size=(2, D))
    roots = rng.normal(size=(2, D, D + 2))
    S, S2 = covariances = roots @ roots.transpose(0, 2, 1)
    inverse, inverse2 = np.linalg.inv(covariances)
    joint = np.linalg.inv(inverse + inverse2)
    pulled = inverse @ means[0] + inverse2 @ means[1]
    exponent = means[0] @ inverse @ means[0] + means[1] @ inverse2 @ means[1] - pulled @ joint @ pulled
    expected = (
        (2 * np.pi) ** ((1 - 2 * rho) * D / 2) * rho ** (-D / 2) * np.sqrt(np.linalg.det(joint))
        * (np.linalg.det(S) * np.linalg.det(S2)) ** (-rho / 2) * np.exp(-rho / 2 * exponent)
    )  # fmt: skip
    # Inverses of well-conditioned 3 x 3 matrices: rounding only.
    assert GaussianProductKernel(rho=rho)(Gaussians(means, covariances))[0, 1] == pytest.approx(expected, rel=1e-10)


def test_spherical_and_diagonal_covariances_are_cases_of_whole_ones():
    rng = np.random.default_rng(1)
    means, variances = rng.normal(size=(6, 4)), rng.uniform(0.5, 2, (6, 4))
    kernel = GaussianProductKernel(rho=0.7)
    whole = np.array([np.diag(each) for each in variances])
    np.testing.assert_allclose(kernel(Gaussians(means, variances)), kernel(Gaussians(means, whole)), rtol=1e-12)
    round_ones, same = Gaussians(means, variances[:, 0]), Gaussians(means, np.repeat(variances[:, :1], 4, axis=1))
    np.testing.assert_allclose(kernel(round_ones), kernel(same), rtol=1e-12)
    mixed = kernel(round_ones, Gaussians(means, whole))
    np.testing.assert_allclose(mixed, kernel(same, Gaussians(means, variances)), rtol=1e-12)


def test_fixed_variance_and_expected_likelihood_are_the_radial_kernel():
    X = np.random.default_rng(2).normal(size=(20, 3))
    squared_width = 1.7
    ours = GaussianProductKernel(squared_width / 2, rho=1.0).normalized()(X)
    # Equal up to a constant factor, which the normalisation removes.
    np.testing.assert_allclose(ours, rbf_kernel(X, gamma=1 / (2 * squared_width)), atol=1e-12)


def test_sets_get_their_maximum_likelihood_gaussian():
    rng = np.random.default_rng(3)
    sets = [rng.normal(size=(30, 2)) + i for i in range(3)]
    means = [each.mean(axis=0) for each in sets]
    ready = Gaussians(means, [np.cov(each.T, bias=True) + 0.1 * np.eye(2) for each in sets])
    np.testing.assert_allclose(GaussianProductKernel(ridge=0.1)(sets), GaussianProductKernel()(ready), rtol=1e-12)
    spherical = Gaussians(means, [each.var(axis=0).mean() for each in sets])
    np.testing.assert_allclose(GaussianProductKernel("spherical")(sets), GaussianProductKernel()(spherical), rtol=1e-12)


def test_ten_thousand_dimensions_stay_on_the_unit_sphere():
    rng = np.random.default_rng(4)
    models = Gaussians(rng.normal(size=(4, 10_000)) * 0.01, rng.uniform(0.9, 1.1, 4) * 1e-3)
    kernel = GaussianProductKernel(rho=1.0)
    # The kernel itself is beyond the largest double, exp(709).
    assert (kernel.log_diagonal(kernel.prepare(models)) > 10_000).all()
    gram = kernel.normalized()(models)
    # Ten thousand additions to a logarithm of about 1e4 lose up to 1e-8.
    np.testing.assert_allclose(np.diagonal(gram), 1.0, rtol=1e-7)
    assert (gram >= 0).all() and (gram < 1 + 1e-7).all()


@pytest.mark.parametrize("rho, expected", [(0.5, 0.6822178053), (1.0, 2 / 27)])
def test_gammas_are_integrated(rho, expected):
    value = GammaProductKernel(rho=rho)(Gammas([[2.0], [3.0]], [[1.0], [2.0]]))[0, 1]
    assert value == pytest.approx(expected, abs=1e-9)
    p, q = stats.gamma(2, scale=1).pdf, stats.gamma(3, scale=2).pdf
    assert value == pytest.approx(integral(p, q, rho, 0, 200), abs=1e-9)


def test_gammas_are_fitted_by_maximum_likelihood():
    rng = np.random.default_rng(5)
    sets = [rng.gamma(shape, 2.0, size=(500, 1)) for shape in (0.3, 4.0, 60.0)]
    shapes, scales = GammaProductKernel().prepare(sets).parameters
    for each, shape, scale in zip(sets, shapes[:, 0], scales[:, 0]):
        expected_shape, _, expected_scale = stats.gamma.fit(each, floc=0)
        # The peer's root finder stops at about 1e-8 of the shape.
        assert (shape, scale) == (pytest.approx(expected_shape, rel=1e-5), pytest.approx(expected_scale, rel=1e-5))


@pytest.mark.parametrize("rho, expected", [(0.5, 0.9428090416), (1.0, 1 / 3)])
def test_exponentials_are_integrated_and_are_gammas_of_shape_one(rho, expected):
    scales = np.array([[1.0], [2.0]])
    value = ExponentialProductKernel(rho=rho)(scales)
    assert value[0, 1] == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(GammaProductKernel(rho=rho)(Gammas(np.ones((2, 1)), scales)), value, rtol=1e-12)


@pytest.mark.parametrize("rho", [0.5, 1.0])
def test_poissons_are_summed_over_counts(rho):
    counts = np.arange(200)
    expected = ((stats.poisson(3).pmf(counts) * stats.poisson(5).pmf(counts)) ** rho).sum()
    value = PoissonProductKernel(rho=rho)(np.array([[3.0, 1.0], [5.0, 1.0]]))[0, 1]
    own = 1.0 if rho == 0.5 else (stats.poisson(1).pmf(counts) ** 2).sum()
    assert value == pytest.approx(expected * own, rel=1e-12)
    if rho == 0.5:
        assert value == pytest.approx(0.8807190052, abs=1e-9)


@pytest.mark.parametrize("rho, expected", [(0.5, 0.7439483097), (1.0, 0.17)])
def test_bernoullis_are_summed_over_all_binary_vectors(rho, expected):
    g = np.array([[0.2, 0.7], [0.5, 0.1]])
    value = BernoulliProductKernel(rho=rho)(g)[0, 1]
    vectors = np.array(list(itertools.product((0, 1), repeat=2)))
    p, q = (np.prod(np.where(vectors, each, 1 - each), axis=1) for each in g)
    assert value == pytest.approx(expected, abs=1e-9)
    assert value == pytest.approx(((p * q) ** rho).sum(), rel=1e-12)


def test_bernoulli_sets_are_smoothed_and_single_vectors_are_not():
    kernel = BernoulliProductKernel(smoothing=1.0)
    found = kernel.prepare([np.array([[1, 0], [1, 1], [1, 0]])])
    np.testing.assert_allclose(found, [[4 / 5, 2 / 5]])
    assert BernoulliProductKernel()(np.array([[1.0, 0.0], [0.0, 0.0]])).tolist() == [[1, 0], [0, 1]]


def test_multinomials_are_summed_over_all_tables_of_counts():
    counts = np.array([[3, 1, 0, 2], [1, 1, 2, 1]])
    a, b = counts / counts.sum(axis=1, keepdims=True)
    for draws in (1, 2, 3):
        tables = [t for t in itertools.product(range(draws + 1), repeat=4) if sum(t) == draws]
        expected = sum(np.sqrt(stats.multinomial(draws, a).pmf(t) * stats.multinomial(draws, b).pmf(t)) for t in tables)
        assert MultinomialProductKernel(draws=draws)(counts)[0, 1] == pytest.approx(expected, rel=1e-12)
    assert MultinomialProductKernel(rho=0.8)(counts)[0, 1] == pytest.approx(((a * b) ** 0.8).sum(), rel=1e-12)


def test_sparse_counts_and_sets_of_counts_give_the_dense_values():
    counts = np.random.default_rng(6).poisson(0.7, (12, 30)) + np.eye(12, 30, dtype=int)
    kernel = MultinomialProductKernel()
    expected = kernel(counts)
    np.testing.assert_allclose(kernel(sparse.csr_matrix(counts)), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel([np.array([row, row]) for row in counts]), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(kernel.prepare(sparse.csr_matrix(counts))), 1.0, rtol=1e-12)


def two_mixtures(rho):
    p = Mixture([0.3, 0.7], Gaussians([[0.0], [2.0]], [1.0, 0.5]))
    q = Mixture([0.6, 0.3, 0.1], Gaussians([[1.0], [-1.0], [0.5]], [2.0, 0.3, 1.0]))
    return MixtureProductKernel(GaussianProductKernel(rho=rho)), p, q


def density(mixture):
    means, variances = mixture.components.parameters
    return lambda x: float(mixture.weights @ stats.norm(means[:, 0], np.sqrt(variances)).pdf(x))


def test_expected_likelihood_of_mixtures_is_the_integral_of_their_densities():
    kernel, p, q = two_mixtures(1.0)
    assert kernel([p, q])[0, 1] == pytest.approx(integral(density(p), density(q), 1.0), abs=1e-9)


def test_other_powers_of_mixtures_sum_the_components_by_hand():
    kernel, p, q = two_mixtures(0.4)
    pairs = kernel.components(p.components, q.components)
    expected = np.sum(np.outer(p.weights, q.weights) ** 0.4 * pairs)
    assert kernel([p, q])[0, 1] == pytest.approx(expected, rel=1e-12)


def test_one_component_is_the_component_and_equal_halves_matter_only_beside_power_one():
    one = Gaussians([[0.3]], [1.5])
    other = Mixture([1.0], Gaussians([[1.0]], [0.5]))
    for rho in (0.5, 1.0):
        kernel = MixtureProductKernel(GaussianProductKernel(rho=rho))
        whole = kernel([Mixture([1.0], one), other])[0, 1]
        assert whole == pytest.approx(kernel.components(one, other.components)[0, 0], rel=1e-12)
        halves = kernel([Mixture([0.5, 0.5], Gaussians([[0.3], [0.3]], [1.5, 1.5])), other])[0, 1]
        assert halves == pytest.approx(whole * 2 * 0.5**rho, rel=1e-12)


def test_fitted_mixtures_of_scikit_learn_and_sets_give_the_same():
    rng = np.random.default_rng(7)
    sets = [np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + shift]) for shift in (3, 4, 8)]
    for covariance, name in (("full", "full"), ("diagonal", "diag"), ("spherical", "spherical")):
        kernel = MixtureProductKernel(GaussianProductKernel(covariance, rho=1.0))
        fitted = [GaussianMixture(2, covariance_type=name, random_state=0).fit(each) for each in sets]
        np.testing.assert_allclose(kernel([fitted[0], sets[1], fitted[2]]), kernel(sets), rtol=1e-12)
    tied = [GaussianMixture(2, covariance_type="tied", random_state=0).fit(each) for each in sets]
    assert MixtureProductKernel()(tied).shape == (3, 3)


def test_gaussians_in_the_feature_space_of_the_linear_kernel_are_plain_ones():
    rng = np.random.default_rng(12)
    sets = [rng.normal(size=(n, 3)) + rng.normal(size=3) for n in (4, 9, 6)]
    ours = FeatureSpaceProductKernel(Linear(), ridge=0.3)(sets)
    # Square roots of Gram eigenvalues lose half of the digits of the smallest kept.
    np.testing.assert_allclose(ours, GaussianProductKernel(ridge=0.3)(sets), rtol=1e-7)


def test_gaussians_in_the_feature_space_of_squares_are_those_of_the_squares_written_out():
    rng = np.random.default_rng(13)
    sets = [rng.normal(size=(7, 2)) * scale for scale in (0.5, 1.0, 2.0)]
    # (x z + 1)^2 in two dimensions: constant, linear and quadratic terms.
    written = [np.column_stack([np.ones(len(X)), np.sqrt(2) * X, X**2, np.sqrt(2) * X[:, 0] * X[:, 1]]) for X in sets]
    ours = FeatureSpaceProductKernel(Polynomial(2), ridge=0.2)(sets)
    np.testing.assert_allclose(ours, GaussianProductKernel(ridge=0.2)(written), rtol=1e-7)


def test_gram_matrices_of_feature_space_gaussians_are_positive_semidefinite_with_unit_diagonal():
    rng = np.random.default_rng(14)
    kernel = FeatureSpaceProductKernel(Gaussian(0.5))
    sets = [rng.normal(size=(n, 2)) for n in rng.integers(1, 9, 30)]
    gram = kernel(sets)
    assert np.linalg.eigvalsh(gram)[0] > -1e-10 * len(sets)
    np.testing.assert_allclose(np.diagonal(gram), 1.0, rtol=1e-9)
    prepared = kernel.prepare(sets)
    np.testing.assert_allclose(kernel.block(prepared[[3, 1]], prepared[5:8]), gram[[3, 1], 5:8], rtol=1e-9)


def random_models(name, rng, n=50):
    if name == "gaussian":
        roots = rng.normal(size=(n, 3, 5))
        return GaussianProductKernel, Gaussians(rng.normal(size=(n, 3)), roots @ roots.transpose(0, 2, 1) / 5)
    if name == "bernoulli":
        return BernoulliProductKernel, rng.random((n, 4))
    if name == "multinomial":
        return MultinomialProductKernel, rng.poisson(1.0, (n, 6)) + np.eye(n, 6)[:, ::-1] + [1, 0, 0, 0, 0, 0]
    if name == "poisson":
        return PoissonProductKernel, rng.gamma(1.0, 3.0, (n, 3))
    if name == "gamma":
        return GammaProductKernel, Gammas(rng.uniform(0.8, 5, (n, 2)), rng.uniform(0.5, 2, (n, 2)))
    return ExponentialProductKernel, rng.gamma(1.0, 3.0, (n, 3)) + 0.1


@pytest.mark.parametrize("rho", [0.5, 1.0])
@pytest.mark.parametrize("name", ["gaussian", "bernoulli", "multinomial", "poisson", "gamma", "exponential"])
def test_gram_matrices_are_positive_semidefinite_and_bhattacharyya_has_unit_lengths(name, rho):
    family, models = random_models(name, np.random.default_rng(8))
    kernel = family(rho=rho)
    gram = kernel(models)
    assert np.linalg.eigvalsh(gram)[0] > -1e-10 * np.trace(gram)
    prepared = kernel.prepare(models)
    np.testing.assert_allclose(kernel.diagonal(prepared), np.diagonal(gram), rtol=1e-9)
    np.testing.assert_allclose(np.diagonal(kernel.normalized()(models)), 1.0, rtol=1e-9)
    if rho == 0.5:
        np.testing.assert_allclose(np.diagonal(gram), 1.0, rtol=1e-9)


@pytest.mark.parametrize("rho", [0.5, 1.0])
def test_gram_matrices_of_mixtures_are_positive_semidefinite(rho):
    rng = np.random.default_rng(9)
    mixtures = [
        Mixture(rng.dirichlet(np.ones(k)), Gaussians(rng.normal(size=(k, 2)), rng.uniform(0.3, 2, k)))
        for k in rng.integers(1, 4, 50)
    ]
    kernel = MixtureProductKernel(GaussianProductKernel(rho=rho))
    gram = kernel(mixtures)
    assert np.linalg.eigvalsh(gram)[0] > -1e-10 * np.trace(gram)
    prepared = kernel.prepare(mixtures)
    np.testing.assert_allclose(kernel.block(prepared[[3, 1]], prepared[5:9]), gram[[3, 1], 5:9], rtol=1e-12)
    np.testing.assert_allclose(np.diagonal(kernel.normalized()(mixtures)), 1.0, rtol=1e-12)


def test_a_grid_search_sets_the_power_and_sets_are_classified():
    rng = np.random.default_rng(10)
    sets = [rng.normal(size=(25, 2)) * (1.0 if i % 2 else 2.5) for i in range(40)]
    y = np.arange(40) % 2
    model = make_pipeline(GramTransformer(GaussianProductKernel().normalized()), SVC(kernel="precomputed"))
    search = GridSearchCV(model, {"gramtransformer__kernel__kernel__rho": [0.5, 1.0]}, cv=4).fit(sets, y)
    # The means agree, only the spread tells the classes apart.
    assert search.best_score_ > 0.95
    assert clone(GaussianProductKernel(rho=0.3)).rho == 0.3


@pytest.mark.parametrize(
    "kernel, objects, message",
    [
        (GaussianProductKernel(rho=0), [np.zeros((3, 1))], "rho=0"),
        (GaussianProductKernel("round"), [np.zeros((3, 1))], "'full', 'diagonal'"),
        (GaussianProductKernel(ridge=-1), [np.zeros((3, 1))], "ridge=-1"),
        (GaussianProductKernel(), [np.ones((3, 2))], "ridge > 0"),
        (GaussianProductKernel(), np.ones((3, 2)), "list of arrays"),
        (GaussianProductKernel(), [np.ones(3)], "object 0 has 1 dimensions"),
        (GaussianProductKernel(), [np.eye(3), np.eye(2)], "object 1 has 2 dimensions"),
        (GaussianProductKernel(), [np.array([[np.nan], [1.0]])], "NaN"),
        (GaussianProductKernel(), [], "empty"),
        (BernoulliProductKernel(), np.array([[1.2]]), "between 0 and 1, got 1.2"),
        (MultinomialProductKernel(), np.array([[1, 1], [0, 0]]), "object 1 has no counts"),
        (MultinomialProductKernel(), np.array([[1, -1]]), "negative"),
        (MultinomialProductKernel(rho=1, draws=2), np.array([[1, 1]]), "no closed form"),
        (MultinomialProductKernel(draws=0), np.array([[1, 1]]), "draws=0"),
        (PoissonProductKernel(rho=0.7), np.array([[1.0]]), "0.5 or 1"),
        (PoissonProductKernel(), np.array([[-1.0]]), "got -1"),
        (ExponentialProductKernel(), np.array([[0.0]]), "got 0"),
        (GammaProductKernel(), [np.array([[1.0], [-2.0]])], "positive numbers"),
        (GammaProductKernel(), [np.ones((4, 1))], "that differ"),
        (GammaProductKernel(rho=1), Gammas([[0.4]], [[1.0]]), "infinite integral"),
        (MixtureProductKernel(PoissonProductKernel()), [np.ones((4, 1))], "Mixture objects"),
        (FeatureSpaceProductKernel(ridge=0), [np.eye(2)], "ridge=0"),
        (FeatureSpaceProductKernel("rbf"), [np.eye(2)], "no kernel object"),
        (FeatureSpaceProductKernel(), [], "empty"),
        (FeatureSpaceProductKernel(), [np.eye(2), np.empty((0, 2))], "object 1 .* empty set"),
        (FeatureSpaceProductKernel(), np.eye(2), "row of a table"),
        (GaussianProductKernel(ridge="much"), [np.eye(2)], "ridge='much' must be a number"),
        (BernoulliProductKernel(smoothing=-1), [np.eye(2)], "smoothing=-1"),
        (MixtureProductKernel("gaussian"), [np.eye(2)], "no kernel of models"),
        (MixtureProductKernel(), np.eye(2), "row of a table"),
        (MixtureProductKernel(n_components=0), [np.ones((4, 1))], "n_components=0"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(kernel, objects, message):
    with pytest.raises(ValueError, match=message):
        kernel(objects)


def test_models_over_different_spaces_have_no_product():
    with pytest.raises(ValueError, match="over 2 and over 3"):
        MultinomialProductKernel()(np.ones((1, 2)), np.ones((1, 3)))
    with pytest.raises(ValueError, match="over 1 and over 2"):
        GaussianProductKernel()(Gaussians([[0.0]], [1.0]), Gaussians([[0.0, 0.0]], [1.0]))
    with pytest.raises(ValueError, match="do not belong together"):
        Gaussians([[0.0, 0.0]], [[1.0]])
    with pytest.raises(ValueError, match="sum to 1"):
        Mixture([0.3, 0.3], np.ones((2, 1)))


def test_the_drawn_gram_matrix_has_a_block_to_each_class():
    labels = np.array(["b", "a", "b", "a", "a"])
    gram = (labels[:, np.newaxis] == labels).astype(float)
    image = plot_gram(gram, labels).images[0].get_array()
    np.testing.assert_array_equal(image, np.kron(np.eye(2), np.ones((3, 3)))[:5, :5])
    with pytest.raises(ValueError, match="square"):
        plot_gram(gram[:2])


@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
def test_sets_that_fill_no_space_are_always_refused(covariance):
    kernel = GaussianProductKernel(covariance)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        D, unit = int(rng.integers(2, 12)), 10.0 ** rng.integers(-6, 6)
        good, bad = unit * rng.normal(size=(40, D)), unit * rng.normal(size=(40, D))
        if covariance == "full":
            # As many dimensions as vectors, or one that is the sum of others.
            bad = bad[:D] if seed % 2 else np.column_stack((bad[:, 1:], bad[:, 1:].sum(axis=1)))
        elif covariance == "diagonal":
            bad[:, 0] = 0.1 * unit
        else:
            bad[:] = 0.1 * unit
        assert np.isfinite(kernel([good, good[:30]])).all()
        with pytest.raises(ValueError, match="ridge > 0"):
            kernel([good, bad])
        assert np.isfinite(GaussianProductKernel(covariance, ridge=1e-3 * unit**2)([good, bad])).all()


def test_units_of_columns_do_not_decide_what_is_singular():
    rng = np.random.default_rng(0)
    sets = [rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3)) for _ in range(3)]
    one = GaussianProductKernel().normalized()(sets)
    np.testing.assert_allclose(
        GaussianProductKernel().normalized()([X * [1e-9, 1.0, 1e7] for X in sets]), one, rtol=1e-6
    )
