"""Stepwise regression against its definition and the models that the paper prints."""

from itertools import combinations

import numpy as np
import pytest

from treatise.optimize import stepwise_regression

# The design of Section 5.3 (C, Nodes, Minacc, Minpos) and the responses of Figure 9.
DESIGN = np.array(
    [[-1, -1, -1, -1], [-1, -1, 1, 1], [-1, 1, -1, 1], [-1, 1, 1, -1],
     [1, -1, -1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, 1, 1, 1]]
)  # fmt: skip
MUTAGENESIS_MIN = [0.793, 0.644, 0.763, 0.669, 0.757, 0.728, 0.787, 0.669]
MUTAGENESIS_MAX = [0.911, 0.870, 0.899, 0.899, 0.899, 0.905, 0.905, 0.876]
CARCINOGENESIS_MIN = [0.464, 0.461, 0.444, 0.447, 0.457, 0.451, 0.467, 0.461]


def squared_error(X, y):
    full = np.column_stack([np.ones(len(y)), X])
    return float(np.sum((y - full @ np.linalg.lstsq(full, y)[0]) ** 2))


def partial_f(X, y, chosen, column):
    """F of a column given others, from two least squares (caption of Figure 18)."""
    before, after = squared_error(X[:, chosen], y), squared_error(X[:, [*chosen, column]], y)
    return (before - after) / (after / (len(y) - len(chosen) - 2))


def stepr(X, y, f_in, f_out):
    """Figure 18, line by line, with two least squares for every F."""
    chosen = []
    while True:
        before, offers = list(chosen), [j for j in range(X.shape[1]) if j not in chosen]
        if offers:
            best = min(offers, key=lambda j: squared_error(X[:, [*chosen, j]], y))
            if partial_f(X, y, chosen, best) >= f_in:
                chosen = [*chosen, best]
        if chosen:
            least = min(chosen, key=lambda j: squared_error(X[:, [i for i in chosen if i != j]], y))
            rest = [i for i in chosen if i != least]
            if partial_f(X, y, rest, least) <= f_out:
                chosen = rest
        if set(chosen) == set(before):
            return chosen


def test_models_of_figure_9_are_found_with_their_f():
    found = stepwise_regression(DESIGN, MUTAGENESIS_MIN)
    assert found.selected == (2, 3)
    np.testing.assert_allclose(found.coef, [0, 0, -0.04875, -0.018], atol=1e-12)
    assert found.intercept == pytest.approx(0.72625)
    assert [step.action for step in found.steps] == ["enter", "enter", "refused"]
    np.testing.assert_allclose([step.f for step in found.steps], [24.0, 6.0, 1.71], atol=0.005)
    np.testing.assert_allclose([step.p for step in found.steps[:2]], [0.0027, 0.0580], atol=1e-4)
    found = stepwise_regression(DESIGN, MUTAGENESIS_MAX)
    assert found.selected == (3, 2)
    np.testing.assert_allclose([step.f for step in found.steps[:2]], [5.66, 10.08], atol=0.005)
    np.testing.assert_allclose(found.coef[[3, 2]], [-0.0095, -0.008], atol=1e-12)
    found = stepwise_regression(DESIGN, CARCINOGENESIS_MIN)
    assert found.selected == ()
    assert found.steps[0].f == pytest.approx(0.69, abs=0.005)


@pytest.mark.parametrize("seed", range(12))
def test_selection_equals_the_printed_procedure_on_correlated_columns(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 6)) @ rng.normal(size=(6, 6)) + rng.normal(size=6) * 100
    y = X @ rng.normal(size=6) * (rng.random() < 0.7) + rng.normal(size=25) * 8
    found = stepwise_regression(X, y)
    assert sorted(found.selected) == sorted(stepr(X, y, 4.0, 3.9))
    chosen = list(found.selected)
    full = np.column_stack([np.ones(25), X[:, chosen]])
    expected = np.linalg.lstsq(full, y)[0]
    np.testing.assert_allclose([found.intercept, *found.coef[chosen]], expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.predict(X), full @ expected, rtol=1e-6)


def test_a_column_leaves_when_others_make_it_needless():
    # x3 is close to x1 + x2 and enters first; with both it is superfluous.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    X[:, 2] = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=60)
    found = stepwise_regression(X, X[:, 0] + X[:, 1] + 0.05 * rng.normal(size=60))
    assert [step.action for step in found.steps][:1] == ["enter"] and found.steps[0].column == 2
    assert ("leave", 2) in [(step.action, step.column) for step in found.steps]
    assert sorted(found.selected) == [0, 1]
    forward = stepwise_regression(X, X[:, 0] + X[:, 1] + 0.05 * rng.normal(size=60), direction="forward")
    assert 2 in forward.selected and all(step.action != "leave" for step in forward.steps)


def test_whole_f_and_r2_are_those_of_appendix_a():
    found = stepwise_regression(DESIGN, MUTAGENESIS_MIN)
    y = np.array(MUTAGENESIS_MIN)
    fitted = found.predict(DESIGN)
    regression, error = np.sum((fitted - y.mean()) ** 2), np.sum((y - fitted) ** 2)
    assert found.f == pytest.approx((regression / 2) / (error / 5))
    assert found.r2 == pytest.approx(1 - error / np.sum((y - y.mean()) ** 2))
    assert found.r2_adj == pytest.approx(1 - 7 / 5 * (1 - found.r2))


def test_units_and_order_of_rows_change_nothing_but_the_units():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 5)), rng.normal(size=30)
    y += X[:, 1] - 2 * X[:, 4]
    found, order = stepwise_regression(X, y), rng.permutation(30)
    other = stepwise_regression(X[order] * [1e6, 1e-6, 1, 1, 1e3] + 7, 1e5 * y[order] - 3)
    assert found.selected == other.selected
    np.testing.assert_allclose([s.f for s in found.steps], [s.f for s in other.steps], rtol=1e-6)


def test_constant_columns_constant_responses_and_copies_never_enter():
    X = np.column_stack([DESIGN, np.ones(8), DESIGN[:, 2]])
    assert stepwise_regression(X, MUTAGENESIS_MIN).selected == (2, 3)
    assert stepwise_regression(DESIGN, np.full(8, 0.1)).selected == ()
    exact = stepwise_regression(DESIGN, 2 + 3 * DESIGN[:, 0] - DESIGN[:, 3])
    assert sorted(exact.selected) == [0, 3] and exact.r2 == pytest.approx(1.0)


def test_backward_starts_with_all_columns_and_only_leaves():
    found = stepwise_regression(DESIGN, MUTAGENESIS_MIN, direction="backward")
    assert all(step.action == "leave" for step in found.steps)
    assert set(found.selected) == {2, 3}
    best = min(combinations(range(4), 2), key=lambda c: squared_error(DESIGN[:, c], np.array(MUTAGENESIS_MIN)))
    assert set(best) == {2, 3}


@pytest.mark.parametrize(
    "change, words",
    [
        ({"f_out": 5.0}, "must be above f_out"),
        ({"direction": "sideways"}, "is not known"),
        ({"start": [4]}, "columns 0 to 3"),
        ({"y": [1.0, 2.0]}, "do not belong together"),
        ({"y": [np.nan] * 8}, "must be finite"),
        ({"X": DESIGN[:5], "y": [1.0, 2, 3, 4, 6], "direction": "backward"}, "leave no error"),
    ],
)
def test_bad_input_is_refused(change, words):
    call = {"X": DESIGN, "y": MUTAGENESIS_MIN, **change}
    with pytest.raises(ValueError, match=words):
        stepwise_regression(call.pop("X"), call.pop("y"), **call)
