"""Cumulative distribution networks against derivatives, sums and draws."""

import warnings
from itertools import product
from math import factorial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm
from scipy.stats import t as student

from treatise.graphical import (
    CumulativeDistributionNetwork,
    GaussianCDF,
    GumbelCopulaCDF,
    SigmoidCDF,
    TabularCDF,
)
from treatise.statistics import bivariate_normal_cdf


def example_1():
    first = GaussianCDF("xy", [0, 3], [[3, 0.9 * np.sqrt(3)], [0.9 * np.sqrt(3), 1]])
    second = GaussianCDF("xy", [4, 4], [[5, -0.6 * np.sqrt(50)], [-0.6 * np.sqrt(50), 10]])
    return CumulativeDistributionNetwork([first, second])


def random_tree(generator, n):
    """Sigmoid functions of two or three variables on a random tree."""
    functions, have = [], [0]
    while len(have) < n:
        fresh = list(range(len(have), min(n, len(have) + int(generator.integers(1, 3)))))
        variables = [int(generator.choice(have)), *fresh]
        functions.append(SigmoidCDF(variables, generator.uniform(0.3, 2.0, len(variables))))
        have += fresh
    return CumulativeDistributionNetwork(functions)


def numeric_density(network, x, h=0.02):
    """Mixed derivative by central differences, Richardson's step taken once."""

    def at(step):
        total = 0.0
        for signs in product((-1, 1), repeat=len(x)):
            total += np.prod(signs) * network.cdf([x + step * np.array(signs)])[0]
        return total / (2 * step) ** len(x)

    return (4 * at(h / 2) - at(h)) / 3


def by_rule_of_products(network, x):
    """Every variable is differentiated in one of its functions: the sum over all such choices, one by one."""
    homes = [[s for s, f in enumerate(network.functions) if v in f.variables] for v in network.variables]
    total = 0.0
    for choice in product(*homes):
        term = 1.0
        for s, function in enumerate(network.functions):
            own = [network.variables.index(v) for v in function.variables]
            subset = tuple(i for i, v in enumerate(own) if choice[v] == s)
            term *= function.mixed_derivative(x[None, own], subset)[0]
        total += term
    return total


def test_bivariate_normal_equals_scipys_and_its_limits():
    generator = np.random.default_rng(0)
    for rho in (-0.95, -0.3, 0.0, 0.6, 0.99):
        points = generator.normal(size=(30, 2)) * 2
        points[:3] = [[0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]
        exact = multivariate_normal([0, 0], [[1, rho], [rho, 1]]).cdf(points)
        # SciPy's own two-dimensional routine is good to about 1e-8.
        np.testing.assert_allclose(bivariate_normal_cdf(*points.T, rho), exact, atol=1e-7)
        np.testing.assert_allclose(bivariate_normal_cdf([np.inf, 0.3], [0.3, np.inf], rho), norm.cdf(0.3), atol=1e-12)
        assert bivariate_normal_cdf(-np.inf, 1.0, rho) == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="between -1 and 1"):
        bivariate_normal_cdf(0.0, 0.0, 1.0)


def test_density_of_the_papers_first_example():
    network = example_1()
    assert np.exp(network.logpdf([[1.0, 3.0]]))[0] == pytest.approx(0.004660683, abs=1e-8)
    x, y = np.linspace(-8, 25, 400), np.linspace(-8, 30, 400)
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    density = np.exp(network.logpdf(grid)).reshape(400, 400)
    # The midpoint rule on cells of about a tenth is good to 1e-4 for a density this smooth.
    assert density.sum() * (x[1] - x[0]) * (y[1] - y[0]) == pytest.approx(1.0, abs=1e-3)


def test_density_on_random_trees_is_the_mixed_derivative():
    generator = np.random.default_rng(1)
    for n in (2, 3, 4, 6):
        for _ in range(3):
            network = random_tree(generator, n)
            assert network.is_tree
            x = generator.normal(size=n)
            density = np.exp(network.logpdf([x]))[0]
            assert density == pytest.approx(by_rule_of_products(network, x), rel=1e-12)
            if n <= 3:
                # Differences of step 0.02 with one extrapolation are good to about 1e-7 of the value.
                assert density == pytest.approx(numeric_density(network, x), rel=2e-5)


class Nilpotent:
    """Numbers with one infinitesimal for each variable, whose square is zero: exact mixed derivatives."""

    def __init__(self, parts):
        self.parts = parts  # by set of infinitesimals, as bits

    @classmethod
    def variable(cls, value, bit):
        return cls({0: value, bit: 1.0})

    def __add__(self, other):
        return Nilpotent({k: self.parts.get(k, 0.0) + other.parts.get(k, 0.0) for k in {*self.parts, *other.parts}})

    def __mul__(self, other):
        parts: dict = {}
        for (a, x), (b, y) in product(self.parts.items(), other.parts.items()):
            if not a & b:
                parts[a | b] = parts.get(a | b, 0.0) + x * y
        return Nilpotent(parts)

    def series(self, coefficients):
        """sum_k coefficients[k] e^k, where e is what is infinitesimal."""
        rest = Nilpotent({k: v for k, v in self.parts.items() if k})
        total, power = Nilpotent({0: coefficients[0]}), Nilpotent({0: 1.0})
        for coefficient in coefficients[1:]:
            power = power * rest
            total = total + power * Nilpotent({0: coefficient})
        return total


def differentiated(network, x):
    """The density of sigmoid functions by arithmetic on the joint distribution alone."""
    n = len(x)
    numbers = [Nilpotent.variable(value, 1 << i) for i, value in enumerate(x)]
    joint = Nilpotent({0: 1.0})
    for function in network.functions:
        total = Nilpotent({0: 1.0})
        for name, w in zip(function.variables, function.weights):
            z = numbers[network.variables.index(name)] * Nilpotent({0: -w})
            total = total + z.series([np.exp(z.parts[0]) / factorial(k) for k in range(n + 1)])
        joint = joint * total.series([(-1) ** k * total.parts[0] ** -(k + 1) for k in range(n + 1)])
    return joint.parts[(1 << n) - 1]


def test_density_on_random_trees_is_the_exact_derivative_of_the_joint_distribution():
    generator = np.random.default_rng(8)
    for n in (2, 3, 4, 5, 6):
        network, x = random_tree(generator, n), generator.normal(size=n)
        assert np.exp(network.logpdf([x]))[0] == pytest.approx(differentiated(network, x), rel=1e-10)


def test_far_off_values_lose_nothing_and_warn_of_nothing():
    lone = CumulativeDistributionNetwork([SigmoidCDF("ab", [1.0, 2.0])])
    # Far down, 1 is nothing beside exp(-x): the density of (a, b) is 2 w_a w_b e_a e_b / (e_a + e_b)^3.
    a, b = -500.0, -250.0
    expected = np.log(2 * 1.0 * 2.0) - 500.0 - 500.0 + 3 * 500.0 - 3 * np.log(2) - 1000.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lone.logpdf([[a, b]])[0] == pytest.approx(expected)
        np.testing.assert_array_equal(lone.cdf([[-np.inf, 0.0], [-2000.0, 0.0]]), 0.0)
        np.testing.assert_array_equal(lone.logpdf([[-np.inf, 0.0]]), -np.inf)


def test_ordinal_limits_below_and_between_the_values():
    table = CumulativeDistributionNetwork([TabularCDF("ab", [[0.1, 0.3], [0.4, 1.0]])])
    limits = [[-np.inf, 1], [-0.5, 1], [0.5, 1.9], [7, 7], [np.inf, 0]]
    np.testing.assert_allclose(table.cdf(limits), [0.0, 0.0, 0.3, 1.0, 0.4])
    with pytest.raises(ValueError, match="whole numbers"):
        table.logpdf([[0.5, 1]])


def test_ordinal_values_outside_the_alphabet_have_no_probability_but_an_error():
    network = CumulativeDistributionNetwork(
        [TabularCDF("ab", [[0.1, 0.3], [0.4, 1.0]]), TabularCDF("b", [0.2, 0.6, 1])]
    )
    assert np.isfinite(network.logpdf([[1, 2]])[0])  # the longer of two alphabets
    for row, message in (([2, 0], "'a' 0 to 1; X holds 2"), ([0, 3], "'b' 0 to 2; X holds 3"), ([-1, 0], "holds -1")):
        with pytest.raises(ValueError, match=message):
            network.logpdf([[0, 0], row])
    with pytest.raises(ValueError, match="X holds 2"):
        network.conditional_cdf([[2, 1]], given="a")
    with pytest.raises(ValueError, match="X holds -inf"):
        network.conditional_logpdf([[0, -np.inf]], given="a")
    # As a limit, a number beyond the last value says nothing, and one below the first everything.
    np.testing.assert_allclose(network.conditional_cdf([[1, 9], [1, -1]], given="a"), [1.0, 0.0])


def triple():
    return GaussianCDF("xyz", [0.5, -1.0, 2.0], [[2.0, 0.9, -0.5], [0.9, 1.0, 0.2], [-0.5, 0.2, 1.5]])


def test_a_gaussian_function_of_three_variables_is_scipys():
    function, x = triple(), np.random.default_rng(12).normal(size=(5, 3)) + triple().mean
    peer = multivariate_normal(function.mean, function.covariance)
    # SciPy's integral of three variables is a randomised rule, which stops at 1e-5.
    np.testing.assert_allclose(function.value(x), peer.cdf(x, rng=np.random.default_rng(0)), atol=2e-5)
    np.testing.assert_allclose(function.mixed_derivative(x, (2, 0, 1)), peer.pdf(x), rtol=1e-12)


@pytest.mark.parametrize("subset", [(0,), (1,), (2,), (0, 1), (1, 2), (2, 0), (0, 1, 2)])
def test_derivatives_of_three_normal_variables_are_numerical_ones(subset):
    function, x = triple(), np.random.default_rng(13).normal(size=(4, 3)) + triple().mean
    last, before = subset[-1], subset[:-1]
    step = np.zeros(3)

    def slope(width):
        step[last] = width
        return (function.mixed_derivative(x + step, before) - function.mixed_derivative(x - step, before)) / (2 * width)

    # Richardson's step leaves an error of the fourth power of 0.005, and differences of values exact to 1e-13.
    numeric = (4 * slope(0.005) - slope(0.01)) / 3
    np.testing.assert_allclose(function.mixed_derivative(x, subset), numeric, atol=1e-9)


def test_infinite_arguments_of_three_normal_variables_are_limits():
    function, pair = triple(), GaussianCDF("xz", triple().mean[[0, 2]], triple().covariance[np.ix_([0, 2], [0, 2])])
    x = np.array([[0.3, np.inf, 1.0], [2.0, np.inf, 3.0]])
    for subset, own in (((), ()), ((0,), (0,)), ((2,), (1,)), ((0, 2), (0, 1))):
        found = pair.mixed_derivative(x[:, [0, 2]], own)
        np.testing.assert_allclose(function.mixed_derivative(x, subset), found, rtol=1e-11)
    for subset in ((1,), (0, 1), (1, 2), (2, 1, 0)):
        np.testing.assert_array_equal(function.mixed_derivative(x, subset), 0.0)
    np.testing.assert_array_equal(function.value(np.array([[0.0, -np.inf, 0.0]])), 0.0)


def test_three_normal_variables_are_fitted_with_their_correlations():
    function = triple()
    again = function.with_parameters(function.parameters())
    np.testing.assert_allclose(again.covariance, function.covariance, rtol=1e-12)
    rows = np.random.default_rng(14).multivariate_normal(function.mean, function.covariance, size=400)
    fitted = CumulativeDistributionNetwork([GaussianCDF("xyz", np.zeros(3), np.eye(3))]).fit(rows)
    # A network of one function: the likelihood is the normal density's, whose optimum is the moments.
    np.testing.assert_allclose(fitted.functions[0].mean, rows.mean(axis=0), atol=1e-3)
    np.testing.assert_allclose(fitted.functions[0].covariance, np.cov(rows.T, bias=True), atol=1e-3)


def test_a_tree_with_a_function_of_three_normal_variables_has_the_density_of_its_distribution():
    network = CumulativeDistributionNetwork([triple(), GaussianCDF("zw", [2.0, 0.0], [[1.0, -0.4], [-0.4, 0.8]])])
    for x in np.random.default_rng(15).normal(size=(2, 4)) + [0.5, -1.0, 2.0, 0.0]:
        # The step of 0.1 leaves 1e-5 after Richardson's; smaller ones lose more to the 1e-13 of the values.
        assert np.exp(network.logpdf([x]))[0] == pytest.approx(numeric_density(network, x, h=0.1), rel=1e-3)


def test_rows_are_taken_in_parts_and_frames_by_name(monkeypatch):
    network = random_tree(np.random.default_rng(9), 4)
    X = network.sample(300, random_state=0)
    whole = network.logpdf(X)
    monkeypatch.setattr("treatise.graphical.cumulative.network._NUMBERS_AT_ONCE", 1)
    np.testing.assert_array_equal(network.logpdf(X), whole)
    named = CumulativeDistributionNetwork([SigmoidCDF("ab", [1.0, 2.0])])
    frame = pd.DataFrame({"b": [0.3], "other": [9.0], "a": [np.inf]})
    np.testing.assert_array_equal(named.cdf(frame), named.cdf([[np.inf, 0.3]]))


def test_a_condition_without_density_has_no_answer():
    network = CumulativeDistributionNetwork([SigmoidCDF("ab", [1.0, 2.0])])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(network.conditional_cdf([[-np.inf, 0.0]], given="a"))
        assert np.isnan(network.conditional_logpdf([[-np.inf, 0.0]], given="a"))
    with pytest.raises(ValueError, match=r"'a' is given, but \+inf"):
        network.conditional_cdf([[np.inf, 0.0]], given="a")
    with pytest.raises(ValueError, match="both given and below"):
        network.conditional_cdf([[0.0, 0.0]], given="a", below="a")
    with pytest.raises(ValueError, match="no observations"):
        network.fit(np.zeros((0, 2)))


def test_density_on_a_cycle_is_exact_too():
    generator = np.random.default_rng(2)
    functions = [SigmoidCDF(pair, generator.uniform(0.5, 2, 2)) for pair in ((0, 1), (1, 2), (2, 3), (3, 0))]
    network = CumulativeDistributionNetwork(functions)
    assert not network.is_tree
    x = generator.normal(size=4)
    assert np.exp(network.logpdf([x]))[0] == pytest.approx(numeric_density(network, x), rel=2e-5)


def test_gumbel_functions_have_the_right_derivatives():
    for theta in (0.25, 0.5, 1.0):
        network = CumulativeDistributionNetwork([GumbelCopulaCDF("xy", [norm(-2, 1), student(0.5)], theta)])
        for x in ([-1.5, 0.4], [-2.5, 3.0]):
            density = numeric_density(network, np.array(x))
            assert np.exp(network.logpdf([x]))[0] == pytest.approx(density, rel=1e-3, abs=1e-7)


def ordinal_network(generator, K=4):
    def table():
        masses = generator.dirichlet(np.ones(K * K)).reshape(K, K)
        return masses.cumsum(axis=0).cumsum(axis=1)

    return CumulativeDistributionNetwork([TabularCDF(pair, table()) for pair in ((0, 1), (1, 2), (1, 3), (3, 4))])


def test_probabilities_of_ordinal_values_sum_to_one_and_are_differences():
    network = ordinal_network(np.random.default_rng(3))
    cells = np.array(list(product(range(4), repeat=5)), float)
    p = np.exp(network.logpdf(cells))
    assert p.min() >= 0 and p.sum() == pytest.approx(1.0, abs=1e-10)
    joint = network.cdf(cells).reshape([4] * 5)
    for axis in range(5):
        joint = np.diff(joint, axis=axis, prepend=0.0)
    np.testing.assert_allclose(p, joint.ravel(), atol=1e-12)


@pytest.mark.parametrize("kind", ["sigmoid", "ordinal", "gaussian", "gumbel"])
def test_draws_follow_the_distribution_and_unlinked_variables_are_independent(kind):
    generator = np.random.default_rng(4)
    if kind == "sigmoid":
        network = random_tree(generator, 4)
    elif kind == "ordinal":
        network = ordinal_network(generator)
    elif kind == "gaussian":
        network = example_1()
    else:
        first = GumbelCopulaCDF("ab", [norm(), norm(1, 2)], 0.4)
        network = CumulativeDistributionNetwork([first, GumbelCopulaCDF("bc", [norm(), student(3)], 0.8)])
    draws = network.sample(100_000, random_state=0)
    for row in network.sample(20, random_state=1):
        p = network.cdf([row])[0]
        # Four standard errors of a share.
        assert np.mean((draws <= row).all(axis=1)) == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 1e5) + 1e-9)
    if kind == "ordinal":
        assert abs(np.corrcoef(draws[:, 0], draws[:, 2])[0, 1]) < 4 / np.sqrt(1e5)


def test_conditionals_obey_the_rule_of_products():
    generator = np.random.default_rng(5)
    network = random_tree(generator, 5)
    x = generator.normal(size=(6, 5))
    part = np.full_like(x, np.inf)
    part[:, [0, 2]] = x[:, [0, 2]]
    joint = network.logpdf(part) + network.conditional_logpdf(x, given=[0, 2])
    np.testing.assert_allclose(joint, network.logpdf(x), atol=1e-10)
    rising = np.tile(x[:1], (5, 1))
    rising[:, 1] = [-3, 0, 3, 30, np.inf]
    rising[:, [3, 4]] = np.inf
    p = network.conditional_cdf(rising, given=[0, 2])
    assert np.all(np.diff(p) >= 0) and p[-1] == pytest.approx(1.0)
    limits = np.full((1, 5), np.inf)
    limits[0, [0, 1]] = x[0, [0, 1]]
    alone = limits.copy()
    alone[0, 1] = np.inf
    expected = network.cdf(limits) / network.cdf(alone)
    np.testing.assert_allclose(network.conditional_cdf(limits, below=[0]), expected)


def test_a_function_that_is_always_one_and_a_lone_variable():
    network = example_1()
    flat = GaussianCDF("x", [-1e6], [[1.0]])
    x = [[1.0, 3.0]]
    with_flat = CumulativeDistributionNetwork([*network.functions, flat])
    np.testing.assert_allclose(with_flat.logpdf(x), network.logpdf(x))
    lone = CumulativeDistributionNetwork([*network.functions, GaussianCDF("z", [0.0], [[4.0]])])
    np.testing.assert_allclose(lone.logpdf([[1.0, 3.0, 0.5]]), network.logpdf(x) + norm.logpdf(0.5, 0, 2))


def test_two_hundred_variables_do_not_underflow():
    chain = CumulativeDistributionNetwork([SigmoidCDF((i, i + 1), [1.0, 1.5]) for i in range(199)])
    logp = chain.logpdf(chain.sample(3, random_state=0))
    assert np.all(np.isfinite(logp))


def test_maximum_likelihood_finds_the_weights_of_its_draws():
    truth = CumulativeDistributionNetwork([SigmoidCDF("ab", [1.0, 3.0]), SigmoidCDF("bc", [0.5, 2.0])])
    draws = truth.sample(3000, random_state=0)
    start = CumulativeDistributionNetwork([SigmoidCDF("ab", [1.0, 1.0]), SigmoidCDF("bc", [1.0, 1.0])])
    fitted = start.fit(draws)
    weights = np.concatenate([function.weights for function in fitted.functions])
    # Asymptotic standard errors are about 2 to 4 per cent.
    np.testing.assert_allclose(weights, [1.0, 3.0, 0.5, 2.0], rtol=0.15)
    assert fitted.logpdf(draws).mean() >= truth.logpdf(draws).mean()


def test_covariance_graph_of_the_papers_fourth_example_is_no_network():
    covariance = np.array([[1, np.sqrt(2) / 2, 0], [np.sqrt(2) / 2, 1, -0.5], [0, -0.5, 1]])
    joint = float(multivariate_normal(np.zeros(3), covariance, seed=0, maxpts=10**6, abseps=1e-7).cdf(np.zeros(3)))
    assert joint == pytest.approx(7 / 48, abs=1e-4)
    pair_1 = bivariate_normal_cdf(0, 0, np.sqrt(2) / 2)
    pair_2 = bivariate_normal_cdf(0, 0, -0.5)
    assert (float(pair_1), float(pair_2)) == (pytest.approx(3 / 8), pytest.approx(1 / 6))
    assert joint * 0.5 != pytest.approx(pair_1 * pair_2, abs=1e-3)


def test_bad_networks_are_refused():
    with pytest.raises(ValueError, match="must differ"):
        SigmoidCDF("aa", [1, 1])
    with pytest.raises(ValueError, match="positive weight"):
        SigmoidCDF("ab", [1, -1])
    with pytest.raises(ValueError, match="no cumulative distribution"):
        TabularCDF("ab", [[0.5, 0.4], [0.6, 1.0]])
    with pytest.raises(ValueError, match="positive weight"):
        SigmoidCDF("ab", [1, np.nan])
    with pytest.raises(ValueError, match="no cumulative distribution"):
        TabularCDF("ab", [[0.1, np.nan], [0.4, 1.0]])
    with pytest.raises(ValueError, match="the latter symmetric"):
        GaussianCDF("ab", [0, 0], [[1.0, 0.5], [0.2, 1.0]])
    with pytest.raises(ValueError, match="finite"):
        GaussianCDF("a", [np.nan], [[1.0]])
    with pytest.raises(ValueError, match="cannot share a network"):
        CumulativeDistributionNetwork([SigmoidCDF("ab", [1, 1]), TabularCDF("a", [0.5, 1.0])])
    network = example_1()
    with pytest.raises(ValueError, match="'q' is none of the variables"):
        network.conditional_cdf([[1, 2]], given="q")
    with pytest.raises(ValueError, match="in some rows only"):
        network.logpdf([[1, 2], [np.inf, 2]])
    with pytest.raises(ValueError, match="X has 3 columns"):
        network.cdf([[1, 2, 3]])
