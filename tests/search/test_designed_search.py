"""Screening, ascent, further rounds and second-order surfaces on functions that are known."""

import math

import joblib
import numpy as np
import pytest

from treatise.search import (
    Factor,
    best_step,
    central_composite,
    designed_search,
    fractional_factorial,
    plot_effects,
    plot_search_path,
    second_order_model,
    steepest_ascent,
)

LEVELS = {"C": (4, 8, "int"), "nodes": (5000, 10000, "int"), "minacc": (0.75, 0.90), "minpos": (5, 10, "int")}
# Figures 9(a) and 10(a): responses of the eight runs and of the ascent.
SCREENED = [0.793, 0.644, 0.763, 0.669, 0.757, 0.728, 0.787, 0.669]
CLIMBED = [0.769, 0.793, 0.781, 0.781, 0.692]
PAPER = {
    "design": "minimal",
    "second_order": False,
    "start": "none",
    "spread": 1.0,
    "reach": np.inf,
    "include_default": False,
}


def replay(values):
    """A function that answers with what was printed, run after run."""
    asked = []

    def fun(**setting):
        asked.append(setting)
        return values[len(asked) - 1]

    return fun, asked


def bowl(top, weights=None):
    names = [f"x{i}" for i in range(len(top))]
    weights = np.ones(len(top)) if weights is None else np.asarray(weights)

    def fun(**setting):
        x = np.array([setting[name] for name in names])
        return float(10.0 - weights @ (x - top) ** 2)

    return fun, dict.fromkeys(names, (-1.0, 1.0))


def test_the_printed_ascent_is_replayed_run_by_run():
    fun, asked = replay(SCREENED + CLIMBED)
    found = designed_search(fun, LEVELS, **PAPER)
    assert found.relevant == ("minacc", "minpos")
    assert found.n_runs == 13 and len(found.path) == 5  # Figure 12: 13 experiments
    np.testing.assert_allclose([s["minacc"] for s in asked[8:]], [0.825, 0.7875, 0.75, 0.7125, 0.675], atol=1e-9)
    assert [s["minpos"] for s in asked[8:]] == [8, 7, 7, 6, 6]
    assert {s["C"] for s in asked[8:]} == {6}
    assert found.best_value == 0.793 and found.best_from == "screening"
    assert len(found.best_settings) == 2  # the first run of the screening, and the second of the ascent


def test_path_of_steepest_ascent_moves_in_proportion_to_the_coefficients():
    path = steepest_ascent([-0.04875, -0.018], n_steps=4)
    np.testing.assert_allclose(path[:, 0], [0, -0.5, -1, -1.5, -2])
    np.testing.assert_allclose(path[:, 1], [0, -0.18, -0.36, -0.54, -0.72], atol=0.02)
    np.testing.assert_allclose(steepest_ascent([0.2, -1.0], step=0.1, n_steps=1, start=[1, 1])[1], [1.02, 0.9])


def test_parabola_of_figure_19():
    step, coef = best_step([0, -0.5, -1.5, -2], [0.769, 0.793, 0.781, 0.692])
    np.testing.assert_allclose(coef, [0.7637, -0.11747, -0.07533], atol=5e-5)
    assert step == pytest.approx(-0.7796, abs=5e-5)
    assert math.isnan(best_step([0, 1, 2], [0, 1, 4])[0])


def test_patience_ends_the_climb_after_so_many_runs_that_are_no_higher():
    # Along one factor: rises to 1.5, then a plateau, which is no higher.
    def fun(x):
        return min(x, 1.5)

    for patience in (1, 2, 3, 5):
        found = designed_search(fun, {"x": (-1.0, 1.0)}, patience=patience, **PAPER)
        # 0, .5, 1 (all seen or new), 1.5 is the top, then `patience` more; -1 and 1 were the screening.
        visited = sorted(run.setting["x"] for run in found.runs)
        assert visited == sorted({-1.0, 0.0, 0.5, 1.0, 1.5, *(1.5 + 0.5 * i for i in range(1, patience + 1))})


def test_two_factors_of_seven_are_found_in_nearly_every_draw():
    found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        two = rng.choice(7, 2, replace=False)
        slope = np.zeros(7)
        slope[two] = rng.choice([-1, 1], 2) * rng.uniform(0.5, 1.5, 2)

        def fun(rng=rng, slope=slope, **setting):
            return float(slope @ list(setting.values()) + 0.05 * rng.normal())

        factors = {f"x{i}": (-1.0, 1.0) for i in range(7)}
        # At the usual F of 4 one of five idle factors enters in a third of the draws; an F of 20 is 1 chance in 500.
        result = designed_search(
            fun, factors, design=4, f_in=20.0, f_out=19.0, rounds=0, second_order=False, include_default=False
        )
        assert result.n_runs == 16
        found += {f"x{i}" for i in two} == set(result.relevant)
    assert found >= 95


def test_a_top_outside_of_the_levels_is_reached_with_half_the_runs_of_a_factorial():
    fun, factors = bowl(np.array([2.4, -1.5, 0.8, 0.0]), [1.0, 0.9, 0.8, 1.0])
    found = designed_search(fun, factors, **PAPER)
    assert set(found.relevant) == {"x0", "x1", "x2"}
    assert found.best_value > 9.0  # within a tenth of the optimum
    assert found.n_runs < 5**3 / 2  # all five levels of the three that matter
    inside = designed_search(fun, factors, include_default=False)
    assert all(abs(x) <= 1 for run in inside.runs for x in run.coded)


@pytest.mark.parametrize("second_order", [True, "sequential"])
def test_a_second_order_surface_finds_a_top_between_the_levels(second_order):
    fun, factors = bowl(np.array([0.3, -0.45, 0.1]), [1.0, 2.0, 0.5])
    plain = designed_search(fun, factors, second_order=False, include_default=False)
    curved = designed_search(fun, factors, second_order=second_order, include_default=False)
    assert curved.best_value >= plain.best_value
    assert curved.best_value > 9.99 and curved.best_from == "second order"
    assert curved.surface.r2 > 0.9


def test_further_rounds_come_closer():
    fun, factors = bowl(np.array([0.9, -0.7, 0.2]), [1.0, 2.0, 0.5])
    plain = {"second_order": False, "design": "full"}
    values = [designed_search(fun, factors, rounds=rounds, **plain).best_value for rounds in (1, 2, 4)]
    assert values == sorted(values) and values[2] > values[0]
    found = designed_search(fun, factors, rounds=3, **plain)
    assert len(found.models) == 3 and {run.round for run in found.runs if run.stage == "first order"} == {2, 3}


def test_runs_are_those_of_the_formula():
    # 2^(n-p) + s, and before each further climb 2^(r-q) >= r + 1 runs; the centre of a round was run before.
    fun, factors = bowl(np.array([3.0, -3.0, 3.0, 3.0]), [1.0, 0.9, 0.8, 0.7])
    paper = {**PAPER, "start": "auto"}
    one = designed_search(fun, factors, **paper)
    stages = [run.stage for run in one.runs]
    assert stages.count("screening") == 8 and one.n_runs == 8 + stages.count("ascent")
    two = designed_search(fun, factors, rounds=2, **paper)
    stages = [run.stage for run in two.runs]
    assert stages.count("first order") == fractional_factorial(len(two.relevant)).n_runs
    assert two.n_runs == 8 + stages.count("first order") + stages.count("ascent")


def test_a_constant_response_leaves_the_defaults():
    factors = {"a": Factor(0.0, 1.0, default="auto"), "b": (1, 9, "int")}
    for second_order in (False, "sequential"):
        found = designed_search(lambda a, b: 1.0, factors, second_order=second_order)
        assert found.relevant == () and found.best_setting == {"a": "auto", "b": 5}
        assert found.best_from == "default"


def test_one_factor_is_enough():
    found = designed_search(lambda x: -((x - 3.0) ** 2), {"x": (0.0, 4.0)}, second_order="sequential")
    assert found.relevant == ("x",) and found.best_setting["x"] == pytest.approx(3.0, abs=0.3)


def test_limits_and_whole_numbers_are_kept():
    asked = []

    def fun(depth, share):
        asked.append((depth, share))
        return depth + share

    designed_search(fun, {"depth": Factor(2, 6, integer=True, limits=(1, 7)), "share": Factor(0.2, 0.8, limits=(0, 1))},
                    reach=np.inf)  # fmt: skip
    assert all(isinstance(depth, int) and 1 <= depth <= 7 and 0 <= share <= 1 for depth, share in asked)
    assert (7, 1.0) in asked or max(a[0] for a in asked) == 7


def test_failed_runs_count_as_the_worst_and_do_not_end_the_search():
    def fun(x, y):
        return math.nan if y > 0.9 else x - 0.1 * y

    found = designed_search(fun, {"x": (-1.0, 1.0), "y": (-1.0, 1.0)})
    assert found.best_setting["x"] == 1.0 and found.best_value == pytest.approx(1.1)
    with pytest.raises(ValueError, match="all 4 runs failed"):
        designed_search(lambda x, y: math.nan, {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}, include_default=False)


def test_parallel_equals_serial():
    fun, factors = bowl(np.array([0.3, -0.45, 0.8]))
    serial = designed_search(fun, factors, rounds=2, second_order="sequential")
    with joblib.parallel_config(backend="threading"):
        parallel = designed_search(fun, factors, rounds=2, second_order="sequential", n_jobs=2)
    assert [(run.setting, run.value) for run in serial.runs] == [(run.setting, run.value) for run in parallel.runs]


def test_order_of_the_factors_only_renames_runs_of_the_whole_factorial():
    fun, factors = bowl(np.array([2.0, -1.0, 0.5]), [1.0, 0.5, 0.1])
    turned = dict(reversed(factors.items()))
    first, second = (designed_search(fun, f, design="full") for f in (factors, turned))
    assert first.relevant == second.relevant
    assert first.best_setting == pytest.approx(second.best_setting)


def test_shifting_or_scaling_the_response_changes_no_run():
    fun, factors = bowl(np.array([0.3, -0.45, 0.8]), [1.0, 0.3, 0.1])
    first = designed_search(fun, factors, second_order="sequential")
    second = designed_search(lambda **s: 1000 * fun(**s) - 5e4, factors, second_order="sequential")
    # Where the top is reached to the last digit, rounding decides whether another run is higher.
    assert min(len(first.runs), len(second.runs)) >= 18
    for a, b in zip(first.runs[:18], second.runs[:18]):
        np.testing.assert_allclose(a.coded, b.coded, atol=1e-4)  # tops of surfaces are found to a few digits


def test_runs_are_limited_and_a_callback_ends_the_search():
    fun, factors = bowl(np.array([0.3, -0.45, 0.8]))
    for most in (1, 3, 9, 12):
        found = designed_search(fun, factors, max_runs=most)
        assert found.n_runs == most and "limit" in found.message
    seen = []

    def stop(result):
        seen.append(result.n_runs)
        if len(seen) == 5:
            raise StopIteration

    found = designed_search(fun, factors, callback=stop)
    assert seen == [1, 2, 3, 4, 5] and found.n_runs == 5 and "callback" in found.message


def test_coding_and_decoding_are_inverse():
    for factor in (Factor(2.0, 10.0), Factor(0.01, 100.0, log=True)):
        for x in (-2.0, -1.0, -0.3, 0.0, 0.7, 1.0, 1.9):
            assert factor.coded(factor.at(x)) == pytest.approx(x, abs=1e-12)
    kinds = Factor.of(["a", "b", "c"])
    assert [kinds.at(x) for x in (-5, -1, 0, 0.4, 0.6, 1, 9)] == ["a", "a", "b", "b", "c", "c", "c"]
    assert math.isnan(Factor(1.0, 2.0).coded("auto"))
    assert Factor.of((1, 100, "log", "int")).at(0.0) == 10


def test_second_order_model_recovers_a_quadratic_and_its_top():
    rng = np.random.default_rng(0)
    B = rng.normal(size=(3, 3))
    B = -(B @ B.T) - np.eye(3)
    b, X = rng.normal(size=3), central_composite(3).matrix
    model = second_order_model(X, 2 + X @ b + np.einsum("ij,jk,ik->i", X, B, X))
    np.testing.assert_allclose(model.quadratic, B, atol=1e-10)
    np.testing.assert_allclose(model.linear, b, atol=1e-10)
    np.testing.assert_allclose(model.stationary_point, np.linalg.solve(-2 * B, b), atol=1e-9)
    assert (model.curvatures < 0).all() and model.r2 == pytest.approx(1.0)
    point, height = model.highest(np.full(3, -0.05), np.full(3, 0.05))
    grid = np.stack(np.meshgrid(*[np.linspace(-0.05, 0.05, 21)] * 3), -1).reshape(-1, 3)
    assert height >= model.predict(grid).max() - 1e-9 and np.abs(point).max() <= 0.05 + 1e-12


def test_pictures_show_what_was_kept_and_where_the_search_went():
    fun, factors = bowl(np.array([2.0, -1.0, 0.0]), [1.0, 1.0, 0.01])
    found = designed_search(fun, factors, design="full", second_order=False)
    ax = plot_effects(found)
    dark = [bar.get_facecolor() for bar in ax.patches]
    assert len(set(dark)) == 2 and len(ax.patches) == 3
    effects = found.screening.effects
    high, low = (
        np.mean([r.value for r in found.runs if r.stage == "screening" and r.setting["x0"] == s]) for s in (0.5, -0.5)
    )
    assert effects["x0"] == pytest.approx(high - low)
    ax = plot_search_path(found)
    assert {line.get_label() for line in ax.lines} == {"best so far", "default", "screening", "ascent"}
    with pytest.raises(TypeError, match="holds no designed search"):
        plot_search_path([1, 2])


@pytest.mark.parametrize(
    "factors, words",
    [
        ({"x": (1.0, 1.0)}, "'x': the low level 1.0 is not below"),
        ({"x": (2.0, 1.0)}, "not below"),
        ({"x": (0.0, 1.0, "log")}, "no logarithm"),
        ({"x": (0.2, 0.8, "int")}, "no two whole numbers"),
        ({"x": (0.0, math.inf)}, "must be finite"),
        ({"x": (0.0, 1.0, "cubic")}, "no kind of level"),
        ({"x": ["a"]}, "nothing to choose"),
        ({"x": 3}, "are no levels"),
        ({}, "not empty"),
    ],
)
def test_bad_factors_are_refused(factors, words):
    with pytest.raises(ValueError, match=words):
        designed_search(lambda x: x, factors)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"step": 0.0}, "step"),
        ({"patience": 0}, "patience"),
        ({"f_in": 3.0}, "f_in"),
        ({"start": "some"}, "start"),
        ({"reach": 0.5}, "reach"),
        ({"second_order": "yes"}, "second_order"),
        ({"max_runs": 0}, "max_runs"),
        ({"design": "tiny"}, "design"),
        ({"design": fractional_factorial(3)}, "3 columns for 1 factors"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        designed_search(lambda x: x, {"x": (0.0, 1.0)}, **options)


def test_a_function_that_is_infinite_or_no_number_is_named():
    with pytest.raises(ValueError, match="infinite at"):
        designed_search(lambda x: math.inf, {"x": (0.0, 1.0)})
    with pytest.raises(ValueError, match="must return a number"):
        designed_search(lambda x: "high", {"x": (0.0, 1.0)})
