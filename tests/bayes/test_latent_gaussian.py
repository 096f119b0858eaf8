"""Latent Gaussian models against exact integrals, other estimators, sequential EP, samplers and limits."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.special import expit, log_expit, ndtr
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.preprocessing import scale

from treatise._core.errors import TreatiseError
from treatise.bayes import (
    DoubleExponential,
    HyperparameterGrid,
    LatentGaussianModel,
    Likelihood,
    Logit,
    Marginal,
    Normal,
    Poisson,
    Probit,
    Step,
    StochasticVolatility,
    autoregression,
    grid_field,
    plot_field,
    plot_intervals,
    plot_marginals,
    random_walk,
    spatial_car,
)
from treatise.io import load_model, save_model
from treatise.statistics import ChainPlan, EllipticalSlice, run_chains

EP_METHODS = ("ep-g", "ep-l", "ep-fact", "ep-1step", "ep-full", "ep-opw", "ep-opw-local")
LM_METHODS = ("lm-g", "lm-l", "la-fact", "la-cm", "la-cm2", "la-tk")


def alike(n, v, c):
    """Covariance with variances v and correlations c."""
    return v * ((1 - c) * np.eye(n) + c * np.ones((n, n)))


def exact_alike(n, v, c, x, chance):
    """Log evidence and marginal of the first entry: given the common part all entries are independent.

    ``chance(mean, variance)`` is the integral of a term under a normal law, ``chance(x, 0)`` the term itself.
    """
    z = np.linspace(-10, 10, 1501) * np.sqrt(c * v)
    weight = np.exp(-0.5 * z**2 / (c * v))
    weight /= weight.sum()
    each = chance(z, (1 - c) * v)
    conditional = np.exp(-0.5 * (x[:, None] - z) ** 2 / ((1 - c) * v))
    density = (conditional @ (weight * each ** (n - 1))) * chance(x, 0.0)
    return np.log(weight @ each**n), density / np.trapezoid(density, x)


def steep_probit(mean, variance):
    return ndtr(4 * mean / np.sqrt(1 + 16 * variance))


def total_variation(law, x, density):
    return 0.5 * np.trapezoid(np.abs(law.pdf(x) - density), x)


@pytest.fixture(scope="module", params=["covariance", "precision"])
def toys(request):
    """Fits of the paper's probit toys, with the prior given either way."""
    found = {}
    for toy in ((3, 1, 0.25), (3, 4, 0.9), (32, 4, 0.95)):
        prior = alike(*toy) if request.param == "covariance" else np.linalg.inv(alike(*toy))
        settings = {request.param: prior, "likelihood": Probit(4.0)}
        found[toy] = [
            LatentGaussianModel(**settings, inference=how, tol=1e-10).fit(np.ones(toy[0])) for how in ("ep", "laplace")
        ]
    return found


@pytest.mark.parametrize(
    ("toy", "distances"),
    [
        ((3, 1, 0.25), {"ep-l": (0.0002, 1e-4), "ep-fact": (0, 1e-4), "ep-1step": (0, 1e-4), "lm-l": (0.048, 0.002)}),
        (
            (3, 4, 0.9),
            {
                "ep-g": (0.129, 0.001), "ep-l": (0.049, 0.001), "ep-fact": (0.0039, 3e-4), "ep-1step": (0.0003, 1e-4),
                "ep-full": (0.0003, 1e-4), "lm-g": (0.423, 0.002), "lm-l": (0.284, 0.002), "la-cm": (0.151, 0.002),
                "la-fact": (0.152, 0.002), "la-cm2": (0.051, 0.001), "la-tk": (0.046, 0.001),
            },
        ),
        (
            (32, 4, 0.95),
            {"ep-l": (0.155, 0.001), "ep-fact": (0.051, 0.001), "ep-1step": (0.012, 0.001), "la-cm": (0.305, 0.002),
             "la-cm2": (0.106, 0.002)},
        ),
    ],
)  # fmt: skip
def test_corrected_marginals_are_as_far_from_exact_ones_as_they_should_be(toys, toy, distances):
    x = np.linspace(-6, 14, 1501)
    _, exact = exact_alike(*toy, x, steep_probit)
    for method, (expected, within) in distances.items():
        law = toys[toy][0 if method.startswith("ep") else 1].marginal(0, method)
        assert total_variation(law, x, exact) == pytest.approx(expected, abs=within), method


def test_evidence_and_moments_of_the_toys(toys):
    ep = toys[3, 4, 0.9][0]
    assert ep.log_evidence_ == pytest.approx(-0.999158, abs=1e-6)
    assert ep.mean_[0] == pytest.approx(1.88294, abs=1e-5)
    assert ep.variance_[0] == pytest.approx(1.21757, abs=1e-5)
    assert exact_alike(3, 4, 0.9, np.arange(2.0), steep_probit)[0] == pytest.approx(-0.954579, abs=1e-6)
    assert toys[32, 4, 0.95][0].log_evidence_ == pytest.approx(-1.41358, abs=1e-5)
    assert exact_alike(32, 4, 0.95, np.arange(2.0), steep_probit)[0] == pytest.approx(-1.22139, abs=1e-5)
    law = ep.marginal(0, "ep-1step")
    assert law.mean == pytest.approx(1.88782, abs=2e-3)
    assert law.variance == pytest.approx(1.44898, abs=5e-3)


def test_all_marginals_of_a_symmetric_model_are_equal(toys):
    for model in toys[3, 4, 0.9]:
        for method in ("ep-1step", "ep-fact") if model.inference == "ep" else ("la-cm2", "la-tk"):
            laws = model.marginals([0, 2], method)
            np.testing.assert_allclose(laws[0].density, laws[1].density, atol=1e-9)


@pytest.mark.parametrize("toy", [(3, 4, 0.5), (3, 9, 0.95)])
def test_step_terms_are_served_by_ep_and_their_marginals_end_at_zero(toy):
    def side(mean, variance):
        return ndtr(mean / np.sqrt(variance)) if variance else (mean >= 0).astype(float)

    x = np.linspace(0, 18, 1501)
    evidence, exact = exact_alike(*toy, x, side)
    model = LatentGaussianModel(covariance=alike(*toy), likelihood="step").fit(np.ones(toy[0]))
    law = model.marginal(0)
    assert law.x[0] == pytest.approx(0.0, abs=1e-9) and law.density[0] > 0.01
    distances = [total_variation(model.marginal(0, method), x, exact) for method in ("ep-l", "ep-fact", "ep-1step")]
    assert distances[2] < distances[1] < distances[0] < 0.1
    assert distances[2] < 0.003
    assert model.log_evidence_ == pytest.approx(evidence, abs=0.1)
    with pytest.raises(ValueError, match="choose inference='ep'"):
        LatentGaussianModel(covariance=alike(*toy), likelihood="step", inference="laplace").fit(np.ones(toy[0]))


def test_two_entries_and_conditionally_independent_ones_have_exact_factorised_marginals():
    model = LatentGaussianModel(covariance=alike(2, 4, 0.9), likelihood=Probit(4.0), tol=1e-11).fit(np.ones(2))
    law = model.marginal(0, "ep-fact")
    _, exact = exact_alike(2, 4, 0.9, law.x, steep_probit)
    np.testing.assert_allclose(law.density, exact, atol=1e-8)
    # A star: given its centre the leaves are independent.
    leaves = np.eye(5)
    leaves[0, 0] = 3.0
    leaves[0, 1:] = leaves[1:, 0] = -0.6
    law = LatentGaussianModel(leaves, likelihood=Probit(2.0), tol=1e-11).fit([1, 1, -1, 1, 1]).marginal(0, "ep-fact")
    exact = np.exp(-0.5 * 3.0 * law.x**2) * ndtr(2 * law.x)
    for sign in (1, -1, 1, 1):
        exact *= np.exp(0.5 * 0.36 * law.x**2) * ndtr(2 * sign * 0.6 * law.x / np.sqrt(1 + 4))
    np.testing.assert_allclose(law.density, exact / np.trapezoid(exact, law.x), atol=1e-8)


@pytest.mark.parametrize("form", ["precision", "covariance"])
def test_with_normal_noise_every_method_is_exact(form):
    rng = np.random.default_rng(0)
    n, U = 6, rng.normal(size=(9, 6))
    Q = np.linalg.inv(alike(n, 2.0, 0.5))
    mean, noise, y = rng.normal(size=n), rng.random(9) + 0.5, rng.normal(size=9)
    V = np.linalg.inv(Q + U.T @ (U / noise[:, None]))
    m = V @ (Q @ mean + U.T @ (y / noise))
    total = np.diag(noise) + U @ np.linalg.inv(Q) @ U.T
    away = y - U @ mean
    evidence = -0.5 * (away @ np.linalg.solve(total, away) + np.linalg.slogdet(total)[1] + len(y) * np.log(2 * np.pi))
    prior = {form: Q if form == "precision" else np.linalg.inv(Q)}
    for how, methods in (("ep", EP_METHODS), ("laplace", LM_METHODS)):
        model = LatentGaussianModel(**prior, likelihood=Normal(noise), inference=how, linear=U, mean=mean).fit(y)
        assert model.n_iter_ <= 2
        np.testing.assert_allclose(model.mean_, m, atol=1e-10)
        np.testing.assert_allclose(model.variance_, np.diag(V), atol=1e-10)
        assert model.log_evidence_ == pytest.approx(evidence, abs=1e-9)
        for method in methods:
            law = model.marginal(1, method)
            exact = np.exp(-0.5 * (law.x - m[1]) ** 2 / V[1, 1]) / np.sqrt(2 * np.pi * V[1, 1])
            np.testing.assert_allclose(law.density, exact, atol=1e-10, err_msg=method)
    assert LatentGaussianModel(**prior, likelihood=Normal(noise), linear=U, mean=mean, power=0.4).fit(
        y
    ).log_evidence_ == (pytest.approx(evidence, abs=1e-8))


def test_laplace_evidence_equals_that_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:150], y[:150]
    kernel = ConstantKernel(3.0) * RBF(4.0)
    theirs = GaussianProcessClassifier(kernel, optimizer=None).fit(X, y)
    ours = LatentGaussianModel(covariance=kernel(X), likelihood="logit", inference="laplace").fit(y)
    assert ours.log_evidence_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-6)


def sequential_ep(K, y, sweeps=200):
    """Expectation propagation for probit terms, site after site with rank-one updates."""
    n = len(y)
    a, b, V, m = np.zeros(n), np.zeros(n), K.copy(), np.zeros(n)
    for _ in range(sweeps):
        for i in range(n):
            vc = 1 / (1 / V[i, i] - a[i])
            mc = vc * (m[i] / V[i, i] - b[i])
            z = y[i] * mc / np.sqrt(1 + vc)
            ratio = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) / ndtr(z)
            mean, variance = mc + y[i] * vc * ratio / np.sqrt(1 + vc), vc - vc**2 * ratio * (z + ratio) / (1 + vc)
            new = 1 / variance - 1 / vc
            column = V[:, i].copy()
            V -= (new - a[i]) / (1 + (new - a[i]) * column[i]) * np.outer(column, column)
            a[i], b[i] = new, mean / variance - mc / vc
            m = V @ b
    return a, b


@pytest.fixture(scope="module")
def process():
    """A Gaussian process and labels."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    K = 3 * np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1)) + 1e-6 * np.eye(40)
    return K, np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, 1.0, -1.0)


def test_parallel_and_sequential_ep_share_their_fixed_point(process):
    K, y = process
    model = LatentGaussianModel(covariance=K, likelihood="probit", tol=1e-11).fit(y)
    a, b = sequential_ep(K, y)
    np.testing.assert_allclose(model.site_precision_, a, atol=1e-7)
    np.testing.assert_allclose(model.site_shift_, b, atol=1e-7)
    damped = LatentGaussianModel(covariance=K, likelihood="probit", damping=0.5, tol=1e-11).fit(y)
    np.testing.assert_allclose(damped.mean_, model.mean_, atol=1e-8)


def variational_fit(K, y):
    """The normal law nearest to the posterior in the other direction: sites are expected slopes and curvatures."""
    a, b = np.full(len(y), 0.1), np.zeros(len(y))
    t, w = np.polynomial.hermite_e.hermegauss(60)
    w = w / w.sum()
    for _ in range(400):
        V = np.linalg.inv(np.linalg.inv(K) + np.diag(a))
        m = V @ b
        u = m[:, None] + np.sqrt(np.diag(V))[:, None] * t
        slope = (y[:, None] * expit(-y[:, None] * u)) @ w
        new = (expit(u) * expit(-u)) @ w
        a, b = 0.5 * a + 0.5 * new, 0.5 * b + 0.5 * (slope + new * m)
    return m, np.diag(V)


def test_small_powers_move_ep_to_the_variational_solution(process):
    K, y = process
    m, v = variational_fit(K, y)
    gaps = []
    for power in (1.0, 0.5, 0.05):
        model = LatentGaussianModel(covariance=K, likelihood="logit", power=power, tol=1e-7).fit(y)
        gaps.append(np.abs(model.mean_ - m).max() + np.abs(model.variance_ - v).max())
    assert gaps[2] < 0.15 * gaps[0] and gaps[1] < gaps[0]
    assert gaps[2] < 0.01


def test_the_factorised_family_is_bounded_by_its_limits(toys):
    model = toys[3, 4, 0.9][0]
    update, terms = model._posterior()
    from treatise.bayes.latent_gaussian._corrections import Slice

    here, x = Slice(update, terms, 0), np.linspace(0.0, 4.0, 9)
    logs = [here.log_factors(x, power).sum(axis=0) for power in (0, 0.5, 1.0, 2.0)]
    assert np.all(np.diff(logs, axis=0) > 0)
    np.testing.assert_allclose(here.log_factors(x, 1e-4), here.log_factors(x, 0), atol=2e-3)
    # The exact correction for two other terms, by brute force over both.
    covariance = np.linalg.inv(np.linalg.inv(alike(3, 4, 0.9)) + np.diag(model.site_precision_))
    covariance -= np.outer(covariance[0], covariance[0]) / covariance[0, 0]
    t, w = np.polynomial.hermite_e.hermegauss(80)
    root = np.linalg.cholesky(covariance[1:, 1:])
    for k, value in enumerate(x):
        mean = here.at(np.array([value]), np.array([1, 2]))[:, 0]
        u = mean + (np.stack(np.meshgrid(t, t), axis=-1).reshape(-1, 2)) @ root.T
        inner = np.exp(here.remainders.some(np.array([1, 2])).log_density(u.T).sum(axis=0))
        exact = np.log((np.outer(w, w).ravel() / (2 * np.pi)) @ inner)
        assert logs[0][k] <= exact + 1e-6 <= logs[3][k] + 2e-6


LIKELIHOODS = [
    (Probit(3.0), [1.0, -1.0]),
    (Probit(np.array([3.0, 0.5])), [1.0, -1.0]),
    (Logit(), [1.0, -1.0]),
    (Step(), [1.0, -1.0]),
    (Poisson(2.0), [0.0, 7.0]),
    (Poisson(np.array([0.5, 30.0])), [3.0, 200.0]),
    (Normal(0.3), [1.0, -2.0]),
    (StochasticVolatility(), [0.0, 2.5]),
    (DoubleExponential(0.4), [0.0, 3.0]),
]


@pytest.mark.parametrize("power", [1.0, 0.6])
@pytest.mark.parametrize("case", range(len(LIKELIHOODS)))
def test_tilted_moments_equal_dense_sums(case, power):
    likelihood, y = LIKELIHOODS[case]
    y = np.array(y)
    # An even number of points, so that none stands on the jump of a step.
    for mean, variance in ((0.3, 0.5), (-1.5, 2.0), (2.0, 9.0)):
        t = np.linspace(-40, 40, 200_002)
        log_z, center, spread = likelihood.tilted(y, np.full(2, mean), np.full(2, variance), power)
        for k in range(2):
            one = likelihood._part(slice(k, k + 1))
            logs = power * one.log_density(y[k : k + 1, None], t[None])[0] - 0.5 * (t - mean) ** 2 / variance
            mass = np.exp(logs - logs.max())
            expected = (mass @ t) / mass.sum()
            assert center[k] == pytest.approx(expected, abs=2e-4 * np.sqrt(variance))
            assert spread[k] == pytest.approx((mass @ (t - expected) ** 2) / mass.sum(), rel=2e-4)
            norm = np.log(mass.sum() * (t[1] - t[0])) + logs.max() - 0.5 * np.log(2 * np.pi * variance)
            assert log_z[k] == pytest.approx(norm, abs=2e-4)


@pytest.mark.parametrize("case", [0, 1, 2, 4, 5, 6, 7])
def test_derivatives_of_smooth_likelihoods_equal_differences(case):
    likelihood, y = LIKELIHOODS[case]
    y, h = np.array(y), 1e-4
    for u in (-1.3, 0.2, 2.1):
        at = [likelihood.log_density(y, np.full(2, u + s * h)) for s in (-1, 0, 1)]
        slope, bend = likelihood.derivatives(y, np.full(2, u))
        np.testing.assert_allclose(slope, (at[2] - at[0]) / (2 * h), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(bend, (at[2] - 2 * at[1] + at[0]) / h**2, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("case", [0, 2, 4, 6, 7, 8])
def test_likelihoods_of_data_integrate_to_one(case):
    likelihood, _ = LIKELIHOODS[case]
    if case in (0, 2):
        total = sum(np.exp(likelihood.log_density(np.array([s]), np.array([0.7]))[0]) for s in (-1.0, 1.0))
    elif case == 4:
        total = np.exp(likelihood.log_density(np.arange(200.0), np.full(200, 0.7))).sum()
    else:
        total = quad(
            lambda s: float(np.exp(likelihood.log_density(np.array(s), np.array(0.7)))), -40, 40, points=[0.7]
        )[0]
    assert total == pytest.approx(1.0, abs=1e-7)


def test_a_log_density_of_ones_own_equals_the_named_likelihood(process):
    K, y = process
    named = LatentGaussianModel(covariance=K, likelihood="logit").fit(y)
    own = LatentGaussianModel(covariance=K, likelihood=lambda y, u: log_expit(y * u)).fit(y)
    np.testing.assert_allclose(own.mean_, named.mean_, atol=1e-5)
    assert own.log_evidence_ == pytest.approx(named.log_evidence_, abs=1e-5)


def test_precision_and_covariance_linear_maps_and_constraints_agree():
    rng = np.random.default_rng(2)
    Q = autoregression(12, 0.8, precision=2.0)
    U = sparse.csr_array(rng.normal(size=(15, 12)) * (rng.random((15, 12)) < 0.3))
    A, e = np.vstack([np.ones(12), np.arange(12.0)]), np.array([0.5, -1.0])
    y = rng.poisson(2.0, 15)
    for how, methods in (("ep", ("ep-fact", "ep-1step", "ep-full")), ("laplace", ("la-cm2", "la-tk", "la-cm"))):
        fits = [
            LatentGaussianModel(**prior, likelihood="poisson", linear=U, constraints=(A, e), inference=how).fit(y)
            for prior in ({"precision": Q}, {"covariance": np.linalg.inv(Q.toarray())})
        ]
        assert fits[0].log_evidence_ == pytest.approx(fits[1].log_evidence_, abs=1e-7)
        np.testing.assert_allclose(fits[0].mean_, fits[1].mean_, atol=1e-7)
        np.testing.assert_allclose(fits[0].variance_, fits[1].variance_, atol=1e-7)
        np.testing.assert_allclose(fits[0].term_variance_, fits[1].term_variance_, atol=1e-7)
        np.testing.assert_allclose(A @ fits[0].mean_, e, atol=1e-9)
        np.testing.assert_allclose(A @ fits[0].sample(3, random_state=0).T, np.tile(e[:, None], 3), atol=1e-8)
        for method in methods:
            laws = [fit.marginal(4, method) for fit in fits]
            np.testing.assert_allclose(laws[0].pdf(laws[1].x), laws[1].density, atol=1e-5, err_msg=method)


def test_evidence_under_a_constraint_is_that_of_the_conditioned_prior():
    # Two entries that add up to zero are one number: its evidence is an integral on a line.
    V = np.array([[2.0, 0.3], [0.3, 1.0]])
    variance = V[0, 0] - (V[0] @ [1, 1]) ** 2 / V.sum()
    line = quad(
        lambda x: np.exp(-0.5 * x**2 / variance) / np.sqrt(2 * np.pi * variance) * expit(x) * expit(x), -30, 30
    )[0]
    model = LatentGaussianModel(np.linalg.inv(V), likelihood="logit", constraints=([1, 1], 0.0)).fit([1, -1])
    assert model.log_evidence_ == pytest.approx(np.log(line), abs=0.01)
    np.testing.assert_allclose(model.mean_.sum(), 0.0, atol=1e-12)


def test_marginals_agree_with_elliptical_slice_sampling():
    rng = np.random.default_rng(0)
    n = 15
    Q = random_walk(n, precision=4.0, ridge=0.2)
    y = rng.poisson(np.exp(0.3 + np.sin(np.arange(n) / 3)))
    model = LatentGaussianModel(Q, likelihood="poisson").fit(y)
    root = np.linalg.cholesky(np.linalg.inv(Q.toarray()))
    draws = run_chains(
        lambda rng: EllipticalSlice(
            rng, lambda rng: root @ rng.standard_normal(n), lambda x: float(y @ x - np.exp(x).sum()), start=model.mean_
        ),
        ChainPlan(2, 200, 8_000, thin=2), np.random.RandomState(0), "gold standard",
    )  # fmt: skip
    assert draws.judge("gold standard", r_hat=1.05, ess=200)
    sample = draws.pooled("x")
    for i in (0, 7, 14):
        law = model.marginal(i, "ep-fact")
        # Of two hundred free draws and more, a share is known to three hundredths.
        np.testing.assert_allclose(law.cdf(np.quantile(sample[:, i], [0.1, 0.5, 0.9])), [0.1, 0.5, 0.9], atol=0.07)
    np.testing.assert_allclose(model.mean_, sample.mean(axis=0), atol=0.1)
    np.testing.assert_allclose(model.variance_, sample.var(axis=0), rtol=0.2)


@pytest.mark.parametrize("inference", ["ep", "laplace"])
def test_draws_of_the_posterior_itself_are_exact_whatever_they_begin_from(inference):
    model = LatentGaussianModel(covariance=alike(3, 4, 0.9), likelihood=Probit(4.0), inference=inference)
    draws = model.fit(np.ones(3)).sample_posterior(6000, thin=2, random_state=0)
    sample = draws.pooled("x")
    # Four standard errors of the free draws among them.
    error = np.sqrt(1.44898 / draws.diagnostics("x")["x"]["ess"])
    assert error < (0.06 if inference == "ep" else 0.15)
    np.testing.assert_allclose(sample.mean(axis=0), 1.88782, atol=4 * error)
    np.testing.assert_allclose(sample.var(axis=0), 1.44898, atol=8 * error)


def test_draws_keep_constraints_and_the_side_that_steps_tell():
    model = LatentGaussianModel(
        alike(4, 1.0, 0.3), likelihood="step", linear=np.array([0, 1]), constraints=(np.ones(4), 1.0)
    )
    sample = model.fit([1, -1]).sample_posterior(300, random_state=0).pooled("x")
    np.testing.assert_allclose(sample.sum(axis=1), 1.0, atol=1e-9)
    assert sample[:, 0].min() >= 0 >= sample[:, 1].max()


def test_models_with_the_same_zeros_share_their_symbolic_factor():
    from treatise.bayes.latent_gaussian._sparse_field import layout_of

    one, other = random_walk(30, precision=2.0), random_walk(30, precision=7.0)
    assert layout_of(one) is layout_of(other)
    assert layout_of(one) is not layout_of(autoregression(31, 0.5))


def test_samples_of_the_approximation_have_its_moments(process):
    K, y = process
    for prior in ({"covariance": K}, {"precision": np.linalg.inv(K + 0.1 * np.eye(40))}):
        model = LatentGaussianModel(**prior).fit(y)
        draws = model.sample(20_000, random_state=0)
        np.testing.assert_allclose(draws.mean(axis=0), model.mean_, atol=0.06)
        np.testing.assert_allclose(draws.var(axis=0), model.variance_, rtol=0.08)


def test_predictions_equal_marginals_of_a_field_with_the_new_places_in_it(process):
    K, y = process
    model = LatentGaussianModel(covariance=K[:35, :35], likelihood="probit").fit(y[:35])
    whole = LatentGaussianModel(covariance=K, likelihood="probit", linear=np.arange(35)).fit(y[:35])
    mean, variance = model.predict_latent(K[:35, 35:], np.diag(K)[35:])
    np.testing.assert_allclose(mean, whole.mean_[35:], atol=1e-7)
    np.testing.assert_allclose(variance, whole.variance_[35:], atol=1e-7)
    law = model.predict_latent(K[:35, 35:], np.diag(K)[35:], method="ep-fact")[2]
    other = whole.marginal(37, "ep-fact")
    np.testing.assert_allclose(law.pdf(other.x), other.density, atol=1e-6)


def test_scaling_the_field_scales_the_posterior_and_nothing_else():
    rng = np.random.default_rng(3)
    K, y = alike(6, 1.0, 0.4), rng.choice([-1.0, 1.0], 6)
    one = LatentGaussianModel(covariance=K, likelihood=Probit(2.0)).fit(y)
    other = LatentGaussianModel(covariance=1e6 * K, likelihood=Probit(2e-3)).fit(y)
    np.testing.assert_allclose(other.mean_, 1e3 * one.mean_, rtol=1e-6)
    assert other.log_evidence_ == pytest.approx(one.log_evidence_, abs=1e-9)
    assert other.n_iter_ == one.n_iter_
    order = rng.permutation(6)
    turned = LatentGaussianModel(covariance=K[np.ix_(order, order)], likelihood=Probit(2.0)).fit(y[order])
    np.testing.assert_allclose(turned.mean_, one.mean_[order], atol=1e-7)


def test_a_grid_of_900_cells_keeps_constraints_and_agrees_with_dense_algebra():
    rng = np.random.default_rng(0)
    Q = grid_field((30, 30), precision=2.0, ridge=1e-2)
    y = rng.poisson(np.exp(np.sin(np.arange(900) / 90)))
    A = np.ones((1, 900))
    fits = [
        LatentGaussianModel(**prior, likelihood="poisson", constraints=(A, [30.0])).fit(y)
        for prior in ({"precision": Q}, {"covariance": np.linalg.inv(Q.toarray())})
    ]
    np.testing.assert_allclose(fits[0].mean_, fits[1].mean_, atol=1e-5)
    np.testing.assert_allclose(fits[0].variance_, fits[1].variance_, atol=1e-6)
    assert abs(A @ fits[0].mean_ - 30.0) < 1e-9


def test_terms_over_linear_maps_are_corrected_too():
    rng = np.random.default_rng(0)
    U = rng.normal(0, np.sqrt(10), (8, 3))
    y = np.where(U @ [1.0, -1.0, 0.5] + rng.normal(size=8) > 0, 1.0, -1.0)
    model = LatentGaussianModel(np.eye(3) * 0.01, likelihood="probit", linear=U).fit(y)
    grid = np.linspace(-30, 30, 81)
    points = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), axis=-1).reshape(-1, 3)
    logs = -0.005 * (points**2).sum(axis=1) + np.log(np.maximum(ndtr(y[:, None] * (U @ points.T)), 1e-300)).sum(axis=0)
    mass = np.exp(logs - logs.max()).reshape(81, 81, 81)
    for i in range(3):
        exact = mass.sum(axis=tuple(k for k in range(3) if k != i))
        exact /= np.trapezoid(exact, grid)
        assert total_variation(model.marginal(i, "ep-fact"), grid, exact) < total_variation(
            model.marginal(i, "ep-g"), grid, exact
        )


@pytest.mark.parametrize("inference", ["ep", "laplace"])
def test_hyper_parameters_are_integrated_as_by_a_dense_sum(inference):
    rng = np.random.default_rng(0)
    n = 20
    y = np.sin(np.arange(n) / 4) + 0.5 * rng.normal(size=n)

    def build(theta):
        return LatentGaussianModel(
            random_walk(n, precision=np.exp(theta[0]), ridge=0.1), likelihood=Normal(np.exp(theta[1])),
            inference=inference,
        )  # fmt: skip

    def log_prior(theta):
        return -0.5 * ((theta[0] - 2) ** 2 + (theta[1] + 1) ** 2)

    grid = HyperparameterGrid(build, [1.0, 0.0], log_prior, step=0.7, drop=5.0).fit(y)
    D = np.diff(np.eye(n), axis=0)
    theta = np.stack(np.meshgrid(np.linspace(-2, 6, 41), np.linspace(-6, 1, 41), indexing="ij"), axis=-1).reshape(-1, 2)
    logs, means, variances = [], [], []
    for t in theta:
        V = np.linalg.inv(np.exp(t[0]) * D.T @ D + 0.1 * np.eye(n))
        total = V + np.exp(t[1]) * np.eye(n)
        logs.append(-0.5 * (y @ np.linalg.solve(total, y) + np.linalg.slogdet(total)[1]) + log_prior(t))
        gain = np.linalg.solve(total, V).T
        means.append(gain @ y)
        variances.append(np.diag(V - gain @ V))
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    np.testing.assert_allclose(grid.weights_ @ grid.nodes_, weights @ theta, atol=0.03)
    mean = weights @ np.array(means)
    np.testing.assert_allclose(grid.mean_, mean, atol=0.01)
    second = weights @ (np.array(variances) + (np.array(means) - mean) ** 2)
    np.testing.assert_allclose(grid.variance_, second, rtol=0.03)
    law = grid.marginal(3)
    assert law.mean == pytest.approx(mean[3], abs=0.01)
    assert law.variance == pytest.approx(second[3], rel=0.03)
    assert grid.converged_ and grid.n_evaluations_ > len(grid.nodes_)
    # Every node touches another one, and rejected ones were not expanded.
    steps = grid.steps_
    assert all(
        np.abs(steps - place).sum(axis=1).min(initial=9, where=(steps != place).any(axis=1)) == 1 for place in steps
    )


def test_priors_are_what_their_names_say():
    walk = random_walk(6, order=2, precision=3.0, ridge=1e-3).toarray()
    x = np.random.default_rng(0).normal(size=6)
    assert x @ walk @ x == pytest.approx(3.0 * (np.diff(x, 2) ** 2).sum() + 1e-3 * x @ x)
    V = np.linalg.inv(autoregression(8, 0.7, precision=2.0).toarray())
    lag = np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    np.testing.assert_allclose(V, 0.5 / (1 - 0.49) * 0.7**lag, atol=1e-12)
    W = np.zeros((4, 4))
    W[[0, 1, 1, 2], [1, 0, 2, 1]] = 1.0
    car = spatial_car(W, precision=2.0, dependence=0.5).toarray()
    # Region 1 given its neighbours: half of their mean, with precision 2 for each of them.
    assert car[1, 1] == 4.0 and -car[1, 0] / car[1, 1] == 0.25 and car[3, 3] == 2.0
    plane = grid_field((4, 5), precision=1.0, ridge=1e-9)
    np.testing.assert_allclose(plane @ np.ones(20), 1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        ({}, [1, 1], "and not both"),
        ({"precision": np.eye(2), "covariance": np.eye(2)}, [1, 1], "and not both"),
        ({"precision": np.array([[1.0, 2.0], [2.0, 1.0]])}, [1, 1], "not positive definite"),
        ({"covariance": np.array([[1.0, 2.0], [2.0, 1.0]])}, [1, 1], "least eigenvalue is -1"),
        ({"precision": np.array([[1.0, 0.5], [0.0, 1.0]])}, [1, 1], "not symmetric"),
        ({"precision": np.array([[1.0, np.nan], [np.nan, 1.0]])}, [1, 1], "precision holds NaN"),
        ({"precision": np.ones((2, 3))}, [1, 1], "has one of"),
        ({"precision": np.eye(2)}, [1, np.nan], "y holds NaN"),
        ({"precision": np.eye(2)}, [1, 1, 1], "y has 3 entries, and there are 2 terms"),
        ({"precision": np.eye(2)}, [1, 3], "takes -1 and 1, or 0 and 1"),
        ({"precision": np.eye(2), "likelihood": "poisson"}, [1, -3], "counts are whole"),
        ({"precision": np.eye(2), "likelihood": Poisson([1.0, 2.0, 3.0])}, [1, 3], "3 entries for 2 terms"),
        ({"precision": np.eye(2), "likelihood": Normal(-1.0)}, [1, 3], "variance must be a positive"),
        ({"precision": np.eye(2), "constraints": (np.ones((2, 2)), [0, 0])}, [1, 1], "have rank 1"),
        ({"precision": np.eye(2), "constraints": (np.eye(2), [0, 0])}, [1, 1], "leave nothing"),
        ({"precision": np.eye(2), "constraints": (np.ones((1, 3)), [0])}, [1, 1], "have shapes"),
        ({"precision": np.eye(2), "linear": np.array([0, 5])}, [1, 1], "names entry 5"),
        ({"precision": np.eye(2), "linear": np.array([0, -1])}, [1, 1], "names entry -1"),
        ({"precision": np.eye(2), "linear": np.ones((2, 3))}, [1, 1], "has 3 columns"),
        ({"precision": np.eye(2), "mean": [0.0]}, [1, 1], "mean must hold 2"),
        ({"precision": np.eye(2), "likelihood": "laplace", "inference": "laplace"}, [1, 1], "no second derivative"),
        ({"precision": np.eye(2), "power": 1.5}, [1, 1], "power"),
    ],
)
def test_bad_input_is_refused_with_what_is_wrong(settings, y, message):
    with pytest.raises(ValueError, match=message):
        LatentGaussianModel(**settings).fit(y)


def test_wrong_questions_to_a_fitted_model_are_refused():
    model = LatentGaussianModel(np.eye(3)).fit([1, 1, -1])
    with pytest.raises(ValueError, match="numbered from 0"):
        model.marginal(3)
    with pytest.raises(ValueError, match="does not correct a fit by inference='ep'"):
        model.marginal(0, "la-cm")
    with pytest.raises(ValueError, match="choose at least 9"):
        model.marginal(0, n_grid=3)
    with pytest.raises(ValueError, match="given by its covariance"):
        model.predict_latent(np.ones((3, 1)), [1.0])
    with pytest.raises(ValueError, match="pair of arrays of 3"):
        model.fit([1, 1, -1], start=(np.zeros(2), np.zeros(2)))


def test_too_few_rounds_are_told(process):
    K, y = process
    for how in ("ep", "laplace"):
        with pytest.warns(ConvergenceWarning, match="still moves by"):
            model = LatentGaussianModel(covariance=K, inference=how, max_iter=1).fit(y)
        assert not model.converged_


def test_one_entry_and_unobserved_entries_are_served():
    law = LatentGaussianModel(np.eye(1), likelihood=Probit(2.0)).fit([1]).marginal(0)
    x = np.linspace(-5, 6, 2001)
    exact = np.exp(-0.5 * x**2) * ndtr(2 * x)
    np.testing.assert_allclose(law.pdf(x), exact / np.trapezoid(exact, x), atol=1e-4)
    model = LatentGaussianModel(autoregression(5, 0.5), likelihood="probit", linear=np.array([0, 0, 4])).fit([1, 1, -1])
    assert model.mean_.shape == (5,) and model.mean_[0] > model.mean_[1] > 0 > model.mean_[4]


def test_a_stored_model_answers_as_before(tmp_path):
    import pickle

    model = LatentGaussianModel(autoregression(9, 0.5), likelihood="probit").fit([1, -1, 1] * 3)
    again = pickle.loads(pickle.dumps(model))
    assert again._prepared is None
    np.testing.assert_allclose(again.marginal(4).density, model.marginal(4).density, atol=1e-12)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops").model
    np.testing.assert_allclose(loaded.marginal(4).density, model.marginal(4).density, atol=1e-12)
    model.site_shift_ = model.site_shift_[:3]
    save_model(model, tmp_path / "forged.skops")
    with pytest.raises(TreatiseError, match="every observation has a site"):
        load_model(tmp_path / "forged.skops")


def test_likelihoods_are_abstract_or_final_and_marginals_measure_themselves():
    with pytest.raises(TypeError):
        Likelihood()
    x = np.linspace(-9, 11, 101)
    law = Marginal.of_values(x, np.exp(-0.5 * (x - 1) ** 2))
    assert law.mean == pytest.approx(1.0) and law.expectation(lambda t: t**2) == pytest.approx(2.0)
    np.testing.assert_allclose(law.cdf(law.quantile([0.1, 0.5, 0.975])), [0.1, 0.5, 0.975], atol=1e-5)
    assert law.pdf(50.0) == 0.0


def test_pictures_draw_what_they_say():
    rng = np.random.default_rng(0)
    model = LatentGaussianModel(grid_field((4, 6), ridge=0.1), likelihood="poisson").fit(rng.poisson(1.0, 24))
    line = plot_intervals(model, transform=np.exp).lines[0]
    np.testing.assert_allclose(line.get_ydata(), np.exp(model.mean_))
    image = plot_field(model, (4, 6), what="deviation").images[0]
    np.testing.assert_allclose(np.asarray(image.get_array()).ravel(), np.sqrt(model.variance_))
    ax = plot_marginals({name: model.marginal(3, name) for name in ("ep-g", "ep-fact")})
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ep-g", "ep-fact"]
    with pytest.raises(ValueError, match="has 35 cells"):
        plot_field(model, (5, 7))
    with pytest.raises(ValueError, match="level=2"):
        plot_intervals(model, level=2)


def test_a_posterior_of_hyper_parameters_without_end_is_told():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="has no end there"):
            HyperparameterGrid(
                lambda theta: LatentGaussianModel(np.eye(2), likelihood="probit"), [0.0], max_nodes=20
            ).fit([1, 1])
    with pytest.raises(ValueError, match="begin where it is finite"):
        HyperparameterGrid(lambda theta: LatentGaussianModel(np.eye(2)), [0.0], lambda theta: -np.inf).fit([1, 1])
