"""Diverse density against its definition, the prototypes against Algorithm 3.1."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from treatise.applications import (
    EMDD,
    Bags,
    DiverseDensity,
    DiverseDensityMapper,
    bag_features,
    diverse_density,
)
from treatise.applications.multiple_instance._cut import best_cut
from treatise.applications.multiple_instance._density_loops import chosen_terms
from treatise.applications.multiple_instance._search import search_maxima
from treatise.applications.multiple_instance.density import LogDensity
from treatise.datasets import make_concept_bags


@pytest.fixture
def small():
    rng = np.random.default_rng(0)
    bags = [rng.normal(size=(size, 3)) for size in (1, 4, 2, 3, 5)]
    return bags, np.array([1, -1, 1, -1, 1]), rng.normal(size=3), rng.uniform(0.2, 1.2, size=3)


def product_formula(bags, y, x, w):
    """Equation (3), factor by factor."""
    density = 1.0
    for bag, label in zip(bags, y):
        product = 1.0
        for instance in bag:
            product *= 1.0 - np.exp(-np.sum(w**2 * (instance - x) ** 2))
        density *= (1 + label) / 2 - label * product
    return density


def test_density_is_the_product_of_equation_3(small):
    bags, y, x, w = small
    expected = product_formula(bags, y, x, w)
    assert diverse_density(bags, y, x, w, log=False) == pytest.approx(expected, rel=1e-12)
    assert diverse_density(bags, y, x, w) == pytest.approx(np.log(expected), rel=1e-12)
    assert 0 <= expected <= 1


def test_gradient_is_that_of_finite_differences(small):
    bags, y, x, w = small
    value, by_point, by_weights = diverse_density(bags, y, x, w, gradient=True)
    assert value == diverse_density(bags, y, x, w)
    for d in range(3):
        step = 1e-6 * np.eye(3)[d]
        rise = diverse_density(bags, y, x + step, w) - diverse_density(bags, y, x - step, w)
        assert by_point[d] == pytest.approx(rise / 2e-6, rel=1e-6, abs=1e-8)
        rise = diverse_density(bags, y, x, w + step) - diverse_density(bags, y, x, w - step)
        assert by_weights[d] == pytest.approx(rise / 2e-6, rel=1e-6, abs=1e-8)


def test_many_points_at_once_are_as_one_by_one(small):
    bags, y, x, w = small
    points, weights = np.array([x, x + 0.3, 5 * x]), np.array([w, 2 * w, 0.5 * w])
    values, by_points, by_weights = LogDensity(Bags.from_list(bags), y > 0)(points, weights)
    for k in range(3):
        alone = diverse_density(bags, y, points[k], weights[k], gradient=True)
        assert values[k] == pytest.approx(alone.value, rel=1e-10)
        np.testing.assert_allclose(by_points[k], alone.by_point, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(by_weights[k], alone.by_weights, rtol=1e-8, atol=1e-10)


def test_at_a_negative_instance_the_density_is_zero_and_its_logarithm_finite(small):
    bags, y, _, w = small
    at = bags[1][2]
    assert diverse_density(bags, y, at, w, log=False) == 0.0
    found = diverse_density(bags, y, at, w, gradient=True)
    assert np.isfinite(found.value) and found.value < np.log(1e-11)
    assert np.isfinite(found.by_point).all() and np.isfinite(found.by_weights).all()


def test_far_from_everything_the_logarithm_is_that_of_a_sum_too_small_for_a_number(small):
    bags, y, x, w = small
    far = x + 400.0
    squared = [np.sum(w**2 * (bag - far) ** 2, axis=1) for bag in bags]
    # There 1 - prod(1 - p) is the sum of the p, of some 1e-80000, and negative bags add nothing.
    expected = sum(np.logaddexp.reduce(-q) for q, label in zip(squared, y) if label > 0)
    assert diverse_density(bags, y, far, w) == pytest.approx(expected, rel=1e-12)
    assert expected < -10_000


def test_signs_of_weights_and_a_label_negated_twice_change_nothing(small):
    bags, y, x, w = small
    assert diverse_density(bags, y, x, -w) == diverse_density(bags, y, x, w) == diverse_density(bags, -1 * -y, x, w)
    assert diverse_density(bags, -y, x, w) != diverse_density(bags, y, x, w)


def test_em_dd_maximises_the_likelihood_of_one_instance_a_bag(small):
    bags, y, x, w = small
    read, chosen = Bags.from_list(bags), np.array([[0, 3, 5, 8, 11]])

    def likelihood(point, weights):
        q = np.sum(weights**2 * (read.instances[chosen[0]] - point) ** 2, axis=1)
        return np.sum(np.where(y > 0, -q, np.log1p(-np.exp(-q))))

    values, gradients = np.empty(1), np.empty((1, 6))
    chosen_terms(read.instances, chosen, y > 0, np.array([0]), np.hstack([x, w])[np.newaxis], values, gradients)
    assert values[0] == pytest.approx(-likelihood(x, w), rel=1e-12)
    for d in range(3):
        step = 1e-6 * np.eye(3)[d]
        by_point = (likelihood(x + step, w) - likelihood(x - step, w)) / 2e-6
        by_weight = (likelihood(x, w + step) - likelihood(x, w - step)) / 2e-6
        assert -gradients[0, d] == pytest.approx(by_point, rel=1e-6)
        assert -gradients[0, 3 + d] == pytest.approx(by_weight, rel=1e-6)


@pytest.mark.parametrize("method", ["noisy-or", "em-dd"])
def test_searches_climb_and_those_that_converge_are_flat_at_their_end(method):
    bags, y = make_concept_bags(20, random_state=1)
    read, positive = Bags.from_list(bags), y == 1
    found = search_maxima(read, positive, method=method, max_iter=2000, tol=1e-12)
    starts = np.unique(read.instances[positive[read.owners]], axis=0)
    density = LogDensity(read, positive)
    begun = density(starts, np.ones_like(starts))[0]
    assert len(found.points) == len(starts)
    if method == "noisy-or":
        assert (found.log_density >= begun).all()
        best = int(np.argmax(found.log_density))
        slopes = density(found.points[best : best + 1], found.weights[best : best + 1])[1:]
        assert max(np.abs(slope).max() for slope in slopes) < 1e-2
    assert found.log_density.max() > begun.max()


def test_prototypes_follow_algorithm_3_1():
    bags, y = make_concept_bags(20, random_state=2)
    mapper = DiverseDensityMapper(both_classes=False, scale=None).fit(bags, y)
    ordered, codes = Bags.from_list(bags).in_fixed_order(y)
    maxima = search_maxima(ordered, codes == 1, method="noisy-or", max_iter=200, tol=1e-3)
    middle = 0.5 * (maxima.log_density.max() + maxima.log_density.min())
    values = mapper.log_dd_
    assert values[0] == maxima.log_density.max()
    assert (np.diff(values) <= 0).all() and (values >= middle).all()
    weighted = mapper.prototypes_ * np.abs(mapper.weights_)
    for k in range(len(weighted)):
        apart = np.linalg.norm(weighted[k + 1 :] - weighted[k], axis=1)
        assert (apart >= 0.05 * np.linalg.norm(weighted[k])).all()
    # Whatever is high enough and no prototype lies near one that is higher.
    chosen = {tuple(row) for row in mapper.prototypes_}
    for point, weights, value in zip(maxima.points, maxima.weights, maxima.log_density):
        if value >= middle and tuple(point) not in chosen:
            apart = np.linalg.norm(weighted - point * weights, axis=1)
            assert (apart < 0.05 * np.linalg.norm(weighted, axis=1)).any()


def test_both_classes_are_the_prototypes_of_each_with_the_labels_negated():
    bags, y = make_concept_bags(14, random_state=3)
    both = DiverseDensityMapper().fit(bags, y)
    for label in (0, 1):
        alone = DiverseDensityMapper(both_classes=False).fit(bags, y == label)
        part = both.prototype_classes_ == label
        # The bags of the other class stand first now, and sums are taken in another order.
        assert part.sum() == len(alone.prototypes_)
        np.testing.assert_allclose(both.log_dd_[part], alone.log_dd_, rtol=1e-6)


def test_bag_features_are_least_weighted_distances():
    rng = np.random.default_rng(4)
    bags, points, weights = (
        [rng.normal(size=(k, 2)) for k in (3, 1, 4)],
        rng.normal(size=(5, 2)),
        rng.normal(size=(5, 2)),
    )
    expected = [[min(np.linalg.norm(w * (i - p)) for i in bag) for p, w in zip(points, weights)] for bag in bags]
    np.testing.assert_allclose(bag_features(bags, points, weights), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="as the bags have 2 features"):
        bag_features(bags, points[:, :1], weights)


def test_a_point_near_the_concept_is_found_in_nine_of_ten_sets():
    distances = []
    for seed in range(10):
        bags, y = make_concept_bags(40, random_state=seed)
        distances.append(np.linalg.norm(DiverseDensity().fit(bags, y).point_))
    assert np.sum(np.array(distances) < 0.3) >= 9


def test_fewer_starts_are_a_draw_of_the_seed_and_a_cut_search_warns():
    bags, y = make_concept_bags(20, random_state=5)
    mapper = DiverseDensityMapper(max_starts=7, random_state=0).fit(bags, y)
    assert mapper.n_starts_ == 14
    again = DiverseDensityMapper(max_starts=7, random_state=0).fit(bags, y)
    np.testing.assert_array_equal(again.prototypes_, mapper.prototypes_)
    with pytest.warns(ConvergenceWarning, match="cut off after max_iter=1 steps"):
        short = DiverseDensityMapper(max_iter=1).fit(bags, y)
    assert not short.converged_ and mapper.converged_
    with pytest.warns(ConvergenceWarning, match="cut off after max_iter=1 steps"):
        DiverseDensity(max_iter=1).fit(bags, y)


def test_a_round_that_was_cut_short_does_not_end_a_search_by_em():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    bags = [rng.normal(size=(6, 4)) + 2.0 * (1 - each) * (np.arange(6) == 0)[:, np.newaxis] for each in y]
    with pytest.warns(ConvergenceWarning, match="cut off after max_iter=1 steps"):
        assert not EMDD(max_iter=1, max_starts=5, random_state=0).fit(bags, y).converged_


def test_a_quantile_as_threshold_keeps_that_share_of_the_maxima_at_least():
    bags, y = make_concept_bags(20, random_state=6)
    high = DiverseDensityMapper(threshold=0.9, both_classes=False, beta=0.0).fit(bags, y)
    every = DiverseDensityMapper(threshold=0.0, both_classes=False, beta=0.0).fit(bags, y)
    assert len(every.prototypes_) == every.n_starts_
    assert high.log_dd_.min() >= np.quantile(every.log_dd_, 0.9)


def test_the_cut_is_right_as_often_as_any():
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores, positive = rng.integers(0, 6, 9) / 2.0, rng.random(9) < 0.5
        cut = best_cut(scores, positive)
        every = np.concatenate([[-1.0, 9.0], np.arange(0, 3, 0.25)])
        best = max(np.sum((scores > other) == positive) for other in every)
        assert np.sum((scores > cut) == positive) == best


@pytest.mark.parametrize("kind", [DiverseDensity, EMDD])
def test_a_threshold_that_is_given_is_used(kind):
    bags, y = make_concept_bags(20, random_state=8)
    model = kind(threshold=0.7).fit(bags, y)
    distances = bag_features(bags, model.point_, model.weights_)[:, 0]
    np.testing.assert_allclose(model.decision_function(bags), 0.7 - distances, rtol=1e-12)


def test_the_defaults_converge_without_a_warning():
    bags, y = make_concept_bags(40, random_state=9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert DiverseDensity().fit(bags, y).converged_
        assert EMDD().fit(bags, y).converged_
