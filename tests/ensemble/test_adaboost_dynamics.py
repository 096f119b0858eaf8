"""AdaBoost's map against AdaBoost itself, and its cycles against their closed forms."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from treatise.ensemble import (
    adaboost_map,
    adaboost_margins,
    cycle_margin,
    cycle_optimality,
    find_cycle,
    margin_matrix,
    max_margin,
    one_mistake_cycle,
    one_mistake_matrix,
    plot_adaboost_margins,
    plot_adaboost_weights,
    rudin_matrix,
)

ROOT5 = np.sqrt(5.0)


def adaboost(M, n_steps):
    """AdaBoost with exponential weights (Figure 1 of the paper)."""
    coef, chosen, weights = np.zeros(M.shape[1]), [], []
    for _ in range(n_steps):
        d = np.exp(-(M @ coef) + (M @ coef).min())
        d /= d.sum()
        edges = d @ M
        j = int(np.argmax(edges >= edges.max() - 1e-12))
        coef[j] += 0.5 * np.log((1 + edges[j]) / (1 - edges[j]))
        chosen.append(j)
        weights.append(d)
    return coef, chosen, np.array(weights)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_map_is_adaboost(seed):
    M = np.random.default_rng(seed).choice([-1, 1], size=(10, 14), p=[0.4, 0.6])
    coef, chosen, weights = adaboost(M, 1000)
    found = adaboost_map(M, 1000, keep_path=True)
    np.testing.assert_array_equal(found.chosen, chosen)
    np.testing.assert_allclose(found.path[:-1], weights, atol=1e-10)
    np.testing.assert_allclose(found.coef, coef, rtol=1e-9)
    margin = (M @ coef).min() / coef.sum()
    assert adaboost_margins(M, found)[-1] == pytest.approx(margin, rel=1e-9)
    assert adaboost_margins(M, found, [1000, 3])[0] == pytest.approx(margin, rel=1e-9)


def test_weights_sum_to_one_and_the_last_column_has_no_edge_left():
    M = rudin_matrix("8x8")
    found = adaboost_map(M, 1_000_000)
    assert found.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert abs(found.weights @ M[:, found.chosen[-1]]) < 1e-12
    assert (found.weights >= 0).all() and found.status == "ran"


def test_adaboost_misses_the_largest_margin_on_the_matrix_of_theorem_7():
    M = rudin_matrix("8x8")
    best = max_margin(M)
    assert best.margin == pytest.approx(0.375, abs=1e-12) and abs(best.gap) < 1e-12
    np.testing.assert_allclose(M @ np.array([2, 3, 4, 1, 2, 2, 1, 1]) / 16, 0.375)
    found = adaboost_map(M, 20_000)
    np.testing.assert_array_equal(found.chosen, np.resize([0, 2, 1], 20_000))
    assert adaboost_margins(M, found, [20_000])[0] == pytest.approx(0.33329, abs=5e-6)
    cycle = find_cycle(M, found)
    assert cycle.margin == pytest.approx(1 / 3, abs=1e-10)
    conditions = cycle_optimality(M, cycle)
    assert not conditions.reaches and not conditions.sufficient
    # Example 8 is right in all three columns, and loses its weight.
    np.testing.assert_array_equal(cycle.support, np.arange(7))
    start = np.array([(3 - ROOT5) / 8] * 2 + [1 / 6] * 3 + [(ROOT5 - 1) / 8] * 2 + [0.0])
    turn = adaboost_map(M, 3, weights=start, keep_path=True)
    np.testing.assert_array_equal(turn.chosen, [0, 2, 1])
    np.testing.assert_allclose(turn.path[-1], start, atol=1e-14)
    edges = [(ROOT5 - 1) / 2, 0, (3 - ROOT5) / 2, *[(3 * ROOT5 - 1) / 12] * 3, 0.5, (11 - 3 * ROOT5) / 12]
    np.testing.assert_allclose(start @ M, edges, atol=1e-14)


@pytest.mark.parametrize("m", range(3, 11))
def test_rules_with_one_mistake_each_cycle_in_closed_form(m):
    M = one_mistake_matrix(m)
    cycle = find_cycle(M, adaboost_map(M, 3000))
    assert cycle.period == m and sorted(cycle.columns) == list(range(m))
    exact = one_mistake_cycle(m)
    assert exact[-1] == 0.5 and exact[0] * 2.0**m * (1 - exact[0]) ** (m - 1) == pytest.approx(1.0)
    for weights in cycle.weights:
        np.testing.assert_allclose(np.sort(weights), exact, atol=1e-8)
    assert cycle.margin == pytest.approx((m - 2) / m, abs=1e-9) == pytest.approx(max_margin(M).margin, abs=1e-9)
    assert cycle_optimality(M, cycle).sufficient
    products = np.prod(1 + M[:, cycle.columns] * cycle.edges, axis=1)
    np.testing.assert_allclose(products, 1.0, atol=1e-9)


def test_another_preference_among_ties_leads_to_the_other_cycle():
    M = one_mistake_matrix(3)
    turns = [find_cycle(M, adaboost_map(M, 300, order=order)).columns for order in ([0, 1, 2], [0, 2, 1])]
    following = [set(zip(turn, np.roll(turn, -1))) for turn in turns]
    assert following[0] != following[1] and following[0] == {(b, a) for a, b in following[1]}


def test_a_careless_weak_learner_misses_what_the_best_one_reaches():
    M = rudin_matrix("4x5")
    assert max_margin(M).margin == pytest.approx(0.5, abs=1e-12)
    best = find_cycle(M, adaboost_map(M, 2000))
    assert best.period == 4 and best.margin == pytest.approx(0.5, abs=1e-9)
    start = [(3 - ROOT5) / 8, (3 - ROOT5) / 8, 0.5, (ROOT5 - 1) / 4]
    taken = []

    def careless(edges, step):
        taken.append(edges[[4, 3, 2][step % 3]])
        return [4, 3, 2][step % 3]

    found = adaboost_map(M, 3, weights=start, choose=careless, keep_path=True)
    np.testing.assert_allclose(found.path[-1], start, atol=1e-12)
    assert min(taken) > 0.5  # above the largest margin, so a permitted choice
    assert cycle_margin(found.edges) == pytest.approx(1 / 3, abs=1e-12)


def test_the_four_cycle_of_the_appendix_has_the_margin_of_three_cycles():
    start = [0.5, 0.5 - np.sqrt(2) / 4, np.sqrt(2) / 4]
    found = adaboost_map(
        one_mistake_matrix(3), 4, weights=start, choose=lambda _, step: [1, 0, 2, 0][step], keep_path=True
    )
    np.testing.assert_allclose(found.path[-1], start, atol=1e-12)
    np.testing.assert_allclose(found.edges, [1 / np.sqrt(2), np.sqrt(2) - 1] * 2, atol=1e-12)
    assert cycle_margin(found.edges) == pytest.approx(1 / 3, abs=1e-12)


def test_examples_with_the_same_row_act_as_one():
    M = one_mistake_matrix(4)
    once = adaboost_map(M, 400, weights=[0.3, 0.2, 0.4, 0.1], keep_path=True)
    twice = adaboost_map(M[[0, 1, 1, 2, 3]], 400, weights=[0.3, 0.15, 0.05, 0.4, 0.1], keep_path=True)
    np.testing.assert_array_equal(once.chosen, twice.chosen)
    np.testing.assert_allclose(twice.path[:, 1] + twice.path[:, 2], once.path[:, 1], atol=1e-10)


def test_rules_that_cannot_separate_end_in_a_fixed_point():
    M = np.array([[1, -1, 1, -1], [-1, 1, 1, -1], [1, -1, -1, 1], [-1, 1, -1, 1]])
    found = adaboost_map(M, 5000)
    assert found.status == "fixed point" and max_margin(M).margin <= 0 and not max_margin(M).separable
    assert (found.weights @ M).max() < 1e-11
    assert find_cycle(M, found) is None


def test_no_cycle_is_claimed_before_the_weights_come_back():
    M = np.random.default_rng(0).choice([-1, 1], size=(30, 40), p=[0.4, 0.6])
    assert find_cycle(M, adaboost_map(M, 30), tol=1e-14) is None


def test_a_weight_that_rises_from_next_to_nothing_is_no_cycle():
    """The cycle of three columns of the counter-example, and an example that is wrong in all of them."""
    M = np.vstack([rudin_matrix("8x8"), [-1, -1, -1, 1, 1, 1, 1, 1]])
    start = np.array([(3 - ROOT5) / 8] * 2 + [1 / 6] * 3 + [(ROOT5 - 1) / 8] * 2 + [0.0, 1e-120])
    found = adaboost_map(M, 60, weights=start)
    np.testing.assert_array_equal(found.chosen, np.resize([0, 2, 1], 60))
    assert find_cycle(M, found) is None
    later = adaboost_map(M, 3000, weights=start)
    assert later.weights[-1] > 1e-6 and set(later.chosen[-100:]) - {0, 1, 2}


def test_fitted_rules_make_a_matrix():
    X, y = load_breast_cancer(return_X_y=True)
    rules = [DecisionTreeClassifier(max_depth=1, random_state=k, max_features=1).fit(X, y) for k in range(20)]
    M = margin_matrix(rules, X, y)
    assert M.shape == (569, 20) and M[:, 3].tolist() == np.where(rules[3].predict(X) == y, 1, -1).tolist()
    found = adaboost_map(M, 500)
    assert adaboost_margins(M, found)[-1] <= max_margin(M).margin + 1e-9


def test_bad_matrices_and_choices_are_refused():
    M = one_mistake_matrix(3)
    with pytest.raises(ValueError, match="column 3 is right about every example"):
        adaboost_map(np.column_stack([M, np.ones(3)]))
    with pytest.raises(ValueError, match="1 where a rule is right and -1"):
        adaboost_map([[0.5, 1], [1, -1]])
    with pytest.raises(ValueError, match="M has 3 examples"):
        adaboost_map(M, weights=[1, 2])
    with pytest.raises(ValueError, match="right about all examples that have weight"):
        adaboost_map(M, weights=[0, 1, 1])
    with pytest.raises(ValueError, match="better than chance"):
        adaboost_map(M, 5, choose=lambda edges, step: 0)
    with pytest.raises(ValueError, match="gave column 7"):
        adaboost_map(M, 5, choose=lambda edges, step: 7)
    with pytest.raises(ValueError, match="each of the 3 columns once"):
        adaboost_map(M, order=[0, 0, 1])
    with pytest.raises(ValueError, match="between 0 and 1"):
        cycle_margin([0.5, 1.0])
    with pytest.raises(ValueError, match="may be 4x5, 8x8"):
        rudin_matrix("3x3")
    with pytest.raises(ValueError, match="between 1 and 5"):
        adaboost_margins(M, adaboost_map(M, 5), [6])


def test_pictures_are_drawn_on_the_axes_given():
    from matplotlib.figure import Figure

    M = rudin_matrix("8x8")
    left, right = Figure().subplots(1, 2)
    found = adaboost_map(M, 50, keep_path=True)
    assert plot_adaboost_margins(M, found, left) is left and len(left.lines) == 2
    assert plot_adaboost_weights(found, right, examples=(2, 5)) is right
    with pytest.raises(ValueError, match="keep_path=True"):
        plot_adaboost_weights(adaboost_map(M, 5))
