"""The driver of chains, the joint test of samplers, and random numbers against their laws."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import ConvergenceWarning

from treatise.statistics import ChainPlan, geweke_joint_test, run_chains, to_arviz
from treatise.statistics.sampling import Draws
from treatise.statistics.sampling.random_numbers import (
    beta_draw,
    categorical_draw,
    dirichlet_draw,
    inverse_gaussian,
    log_categorical_draw,
    normal_between,
    normal_tail,
    split_mix_uniform,
    split_mix_word,
)

LIKELY = 1e-4
"""Smallest p-value of a right law that is let pass: some dozen tests of fixed seeds."""


class Walk:
    """An autoregressive walk that counts its sweeps."""

    def __init__(self, rng, start=0.0):
        self.rng, self.at, self.swept = rng, start, 0

    def sweep(self, n_sweeps):
        for _ in range(n_sweeps):
            self.at = 0.5 * self.at + self.rng.normal()
        self.swept += n_sweeps

    def draw(self):
        return {"at": self.at, "swept": self.swept, "pair": [self.at, -self.at]}


def walked(plan, make=Walk, seed=0):
    return run_chains(make, plan, np.random.RandomState(seed), "Walk")


def test_draws_follow_burn_in_and_thinning():
    draws = walked(ChainPlan(3, burn_in=7, n_samples=11, thin=4))
    np.testing.assert_array_equal(draws["swept"], [[11, 15]] * 3)  # 7 + 4, 7 + 8; the last three sweeps give no draw
    assert draws["pair"].shape == (3, 2, 2) and draws.pooled("pair").shape == (6, 2)
    assert len(np.unique(draws["at"])) == 6  # chains have streams of their own


def test_draws_depend_on_the_seed_alone():
    alone, together = (walked(ChainPlan(4, 10, 30, n_jobs=jobs)) for jobs in (1, 2))
    np.testing.assert_array_equal(alone["at"], together["at"])
    assert not np.array_equal(alone["at"], walked(ChainPlan(4, 10, 30), seed=1)["at"])


def test_an_interrupt_keeps_what_all_chains_have_and_without_a_draw_is_passed_on():
    class Interrupted(Walk):
        def sweep(self, n_sweeps):
            super().sweep(n_sweeps)
            if self.swept == 50:
                raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="Walk: interrupted; 29 of 2000 draws of each chain are kept"):
        draws = walked(ChainPlan(1, 20, 2000), Interrupted)
    assert draws.interrupted
    np.testing.assert_array_equal(draws["at"], walked(ChainPlan(1, 20, 29))["at"])
    with pytest.raises(KeyboardInterrupt):
        walked(ChainPlan(1, 60, 10), Interrupted)


def test_chains_that_disagree_or_are_short_are_told():
    assert walked(ChainPlan(4, 100, 2000)).judge("Walk", "at")
    apart = iter((0.0, 0.0, 0.0, 1e9))
    with pytest.warns(ConvergenceWarning, match="R-hat of at"):
        assert not walked(ChainPlan(4, 0, 40), lambda rng: Walk(rng, next(apart))).judge("Walk", "at")
    with pytest.warns(ConvergenceWarning, match="effective sample size of at"):
        assert not walked(ChainPlan(4, 100, 40)).judge("Walk", "at", r_hat=2.0)
    with pytest.warns(ConvergenceWarning):  # too few draws for either number
        assert not walked(ChainPlan(2, 0, 2)).judge("Walk", "at")


def test_draws_leave_for_arviz():
    pytest.importorskip("arviz")
    drawn = {"mean": np.arange(30.0).reshape(2, 5, 3)}
    for chains in (Draws(drawn), drawn, SimpleNamespace(traces_=drawn)):
        np.testing.assert_array_equal(to_arviz(chains).posterior["mean"].values, drawn["mean"])
    with pytest.raises(ValueError, match="SimpleNamespace holds no chains"):
        to_arviz(SimpleNamespace(traces_={}))


@pytest.mark.parametrize("wrong", ["nothing", "mean", "variance", "rate"])
def test_the_joint_test_finds_a_wrong_conditional(wrong):
    # Mean and precision of three normal numbers, conjugate each given the other.
    def step(rng, parameters, x):
        mean, precision = parameters
        weight = 1.0 + 3 * precision
        mean = precision * x.sum() / weight + rng.normal() / np.sqrt(weight * (2.0 if wrong == "variance" else 1.0))
        mean *= 0.8 if wrong == "mean" else 1.0
        rate = 1.0 + (1.0 if wrong == "rate" else 0.5) * np.sum((x - mean) ** 2)
        return mean, rng.gamma(2.0 + 1.5) / rate

    scores = geweke_joint_test(
        lambda rng: (rng.normal(), rng.gamma(2.0)),
        lambda rng, parameters: parameters[0] + rng.normal(size=3) / np.sqrt(parameters[1]),
        step,
        lambda parameters, x: np.array([parameters[0], parameters[0] ** 2, parameters[1], parameters[0] * x[0]]),
        n_draws=4000,
    )
    assert (np.abs(scores).max() < 4.0) == (wrong == "nothing")


def drawn(draw, *arguments, size=4000):
    rng = np.random.default_rng(0)
    return np.array([draw(rng, *arguments) for _ in range(size)])


@pytest.mark.parametrize(("mean", "shape"), [(0.7, 1.3), (20.0, 1.0), (1e6, 1.0)])
def test_inverse_gaussian_draws_have_the_law_even_where_the_mean_is_large(mean, shape):
    draws = drawn(inverse_gaussian, mean, shape)
    assert draws.min() > 0
    assert stats.kstest(draws, stats.invgauss(mean / shape, scale=shape).cdf).pvalue > LIKELY


@pytest.mark.parametrize("low", [-3.0, 0.0, 0.6, 4.0, 30.0, 1e4])
def test_tails_of_the_normal_have_the_law_however_far_out(low):
    draws = drawn(normal_tail, low)
    assert draws.min() > low
    # Survival beyond low, in logs, since the tail itself underflows.
    survival = np.exp(stats.norm.logsf(draws) - stats.norm.logsf(low))
    assert stats.kstest(survival, "uniform").pvalue > LIKELY


@pytest.mark.parametrize(
    ("low", "high"),
    [(-1.0, 2.0), (-0.1, 0.1), (-np.inf, -5.0), (3.0, 3.01), (-8.0, -3.0), (2.0, np.inf), (-4.0, 4.0), (1.0, 9.0)],
)
def test_normals_between_bounds_have_the_law(low, high):
    draws = drawn(normal_between, low, high)
    assert low <= draws.min() and draws.max() <= high
    assert stats.kstest(draws, stats.truncnorm(low, high).cdf).pvalue > LIKELY


def test_categories_come_in_proportion_to_their_weights():
    weights = np.array([0.0, 3.0, 0.0, 1.0, 4.0, 0.0])
    for draws in (drawn(categorical_draw, weights), _by_logs(np.log(np.where(weights, weights, 1.0)) - 900.0, weights)):
        counts = np.bincount(draws, minlength=6)
        assert counts[weights == 0].sum() == 0
        assert stats.chisquare(counts[weights > 0], 4000 * weights[weights > 0] / 8).pvalue > LIKELY


def _by_logs(logs, weights):
    rng, logs = np.random.default_rng(1), np.where(weights > 0, logs, -np.inf)
    return np.array([log_categorical_draw(rng, logs.copy()) for _ in range(4000)])


def test_beta_and_dirichlet_draws_have_the_law():
    assert stats.kstest(drawn(beta_draw, 0.5, 2.0), stats.beta(0.5, 2.0).cdf).pvalue > LIKELY
    rng, weights, out = np.random.default_rng(0), np.array([0.5, 2.0, 1.0]), np.empty(3)
    draws = []
    for _ in range(4000):
        dirichlet_draw(rng, weights, out)
        draws.append(out.copy())
    draws = np.array(draws)
    np.testing.assert_allclose(draws.sum(axis=1), 1.0, rtol=1e-12)
    for place, weight in enumerate(weights):
        assert stats.kstest(draws[:, place], stats.beta(weight, weights.sum() - weight).cdf).pvalue > LIKELY
    # So small that all underflow: one place has all the mass, and none is NaN.
    dirichlet_draw(rng, np.full(3, 1e-5), out)
    assert out.sum() == pytest.approx(1.0)


def test_split_mix_gives_its_published_words_and_uniform_numbers():
    state = np.array([1234567], dtype=np.uint64)
    assert [int(split_mix_word(state)) for _ in range(2)] == [6457827717110365317, 3203168211198807973]
    drawn = [split_mix_uniform(state) for _ in range(5000)]
    assert stats.kstest(drawn, "uniform").pvalue > LIKELY
