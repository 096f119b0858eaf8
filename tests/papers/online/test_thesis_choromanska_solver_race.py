"""Solvers of one logistic regression against the clock (Choromanska, 2014, Section 2.4.1)."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale

from treatise.papers.online.thesis_choromanska._solver_race import SolverRace, race_logistic_solvers


@pytest.fixture(scope="module")
def race():
    X, y = load_wine(return_X_y=True)
    return race_logistic_solvers(scale(X), y)


def test_all_solvers_come_to_the_optimum_of_scikit_learn(race):
    X, y = load_wine(return_X_y=True)
    peer = LogisticRegression(tol=1e-10, max_iter=10_000).fit(scale(X), y)
    best = -np.log(peer.predict_proba(scale(X))[np.arange(len(y)), y]).sum() + 0.5 * np.sum(peer.coef_**2)
    assert len(race.objectives) == 5
    for name, values in race.objectives.items():
        assert values[0] == pytest.approx(len(y) * np.log(3)), name
        # All but the bound as printed stop at a gradient of 1e-8 a row; that one at its thousandth step.
        assert values[-1] == pytest.approx(best, rel=1e-6), name
        assert np.all(np.diff(race.seconds[name]) >= 0.0)


def test_time_to_a_goal_is_that_of_the_first_value_below_it():
    race = SolverRace(
        {"a": np.array([1.0, 2.0, 3.0]), "b": np.array([0.5, 0.6])},
        {"a": np.array([9.0, 5.0, 4.0]), "b": np.array([9.0, 8.0])},
    )
    assert race.best == 4.0
    assert race.seconds_to(0.3) == {"a": 2.0, "b": np.inf}
    assert race.seconds_to(0.0) == {"a": 3.0, "b": np.inf}


def test_every_solver_gets_a_curve(race):
    axes = Figure().subplots()
    assert race.plot(axes) is axes
    assert [line.get_label() for line in axes.lines] == list(race.objectives)
