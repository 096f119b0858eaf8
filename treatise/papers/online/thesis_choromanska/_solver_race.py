"""How soon solvers of one logistic regression come near its optimum (Choromanska, 2014, Section 2.4.1)."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from treatise.linear.majorized._descent import bound_descent, quasi_newton_descent
from treatise.linear.majorized._log_linear import inverse_penalty
from treatise.linear.majorized._majorizer import Majorizer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# By name: how each goes down, given the problem, the start, the tolerance and the most iterations.
SOLVERS: dict[str, Callable[[Any, np.ndarray, float, int], Any]] = {
    "bound, accelerated": lambda problem, theta, tol, most: quasi_newton_descent(problem, theta, tol, most),
    "bound": lambda problem, theta, tol, most: bound_descent(
        problem, theta, lambda scores, _, gradient: problem.bound_step(scores, gradient), tol, most
    ),
    "L-BFGS": lambda problem, theta, tol, most: _scipy_descent("L-BFGS-B", problem, theta, tol, most),
    "BFGS": lambda problem, theta, tol, most: _scipy_descent("BFGS", problem, theta, tol, most),
    "CG": lambda problem, theta, tol, most: _scipy_descent("CG", problem, theta, tol, most),
}


@dataclass(frozen=True)
class SolverRace:
    """Objectives that solvers met, and when.

    Attributes
    ----------
    seconds : dict of str to ndarray
        Of each solver, the time of every evaluation of the objective since its start.
    objectives : dict of str to ndarray
        The least objective (negative log-likelihood and penalty over C) that it had met by then.
    """

    seconds: dict[str, np.ndarray]
    objectives: dict[str, np.ndarray]

    @property
    def best(self) -> float:
        """Least objective that any of them met."""
        return float(min(values[-1] for values in self.objectives.values()))

    def seconds_to(self, excess: float = 1e-6) -> dict[str, float]:
        """Of each solver, the seconds to an objective within a share ``excess`` of the best; infinite where never.

        A microsecond at least: on a busy machine the clock of the process may stand still for a few evaluations.
        """
        goal = self.best * (1.0 + excess)
        return {
            name: max(float(self.seconds[name][np.argmax(values <= goal)]), 1e-6) if values[-1] <= goal else np.inf
            for name, values in self.objectives.items()
        }

    def plot(self, ax: "Axes") -> "Axes":
        """Draw the excess of each solver over the best objective against seconds."""
        for name, values in self.objectives.items():
            excess = np.maximum(values / self.best - 1.0, 1e-16)
            ax.plot(self.seconds[name], excess, drawstyle="steps-post", label=name)
        ax.set(xscale="log", yscale="log", ylim=(1e-10, None), xlabel="seconds", ylabel="excess over the optimum")
        ax.legend()
        return ax


def race_logistic_solvers(
    X: np.ndarray, y: np.ndarray, C: float = 1.0, *, tol: float = 1e-8, max_iter: int = 1000
) -> SolverRace:
    """Run all solvers on the same logistic regression with an intercept and note what they reach when.

    All evaluate the same compiled objective from zero, so that only the paths differ. ``C`` is the inverse strength of
    the penalty, as in :class:`MajorizedLogisticRegression`, and ``tol`` the largest entry of the gradient of the mean
    objective at the end.
    """
    classes, labels = np.unique(y, return_inverse=True)
    seconds, objectives = {}, {}
    X = np.ascontiguousarray(X, np.float64)
    for name, solve in SOLVERS.items():
        problem = _Watched(X, labels.astype(np.int64), np.ones(len(labels)), len(classes), 1, inverse_penalty(C), True)
        solve(problem, np.zeros(problem.shape), tol, max_iter)
        seconds[name] = np.array(problem.times) - problem.start
        objectives[name] = np.minimum.accumulate(problem.values)
    return SolverRace(seconds, objectives)


class _Watched(Majorizer):
    """Notes every evaluation of the objective and its time."""

    def __init__(self, *problem: Any) -> None:
        self.start, self.times, self.values = time.process_time(), list[float](), list[float]()
        super().__init__(*problem)

    def objective(self, scores: np.ndarray, theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = super().objective(scores, theta)
        self.times.append(time.process_time())
        self.values.append(float(value))
        return value, gradient


def _scipy_descent(method: str, problem: Majorizer, theta: np.ndarray, tol: float, max_iter: int) -> None:
    def evaluated(flat: np.ndarray) -> tuple[float, np.ndarray]:
        moved = flat.reshape(problem.shape)
        value, gradient = problem.objective(problem.scores(moved), moved)
        return value, gradient.ravel()

    tolerances = {"L-BFGS-B": {"ftol": 0.0, "maxfun": 10 * max_iter}}
    options = {"gtol": tol * problem.scale(), "maxiter": max_iter, **tolerances.get(method, {})}
    minimize(evaluated, theta.ravel(), jac=True, method=method, options=options)
