"""How soon solvers of one logistic regression come near its optimum (Choromanska, 2014, Section 2.4.1)."""

import time
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from treatise.linear._log_linear import inverse_penalty
from treatise.linear._majorized_descent import bound_descent, quasi_newton_descent
from treatise.linear._majorizer import Majorizer

# By name: how each goes down, given the problem, the start, the tolerance and the most iterations.
SOLVERS = {
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

    seconds: dict
    objectives: dict

    @property
    def best(self):
        """Least objective that any of them met."""
        return float(min(values[-1] for values in self.objectives.values()))

    def seconds_to(self, excess=1e-6):
        """Of each solver, the seconds to an objective within a share ``excess`` of the best; infinite where never.

        Parameters
        ----------
        excess : float, default=1e-6
            Share of the best objective.

        Returns
        -------
        seconds : dict of str to float
        """
        goal = self.best * (1.0 + excess)
        return {
            name: float(self.seconds[name][np.argmax(values <= goal)]) if values[-1] <= goal else np.inf
            for name, values in self.objectives.items()
        }

    def plot(self, ax=None):
        """Draw the excess of each solver over the best objective against seconds.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ax : matplotlib axes
        """
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        for name, values in self.objectives.items():
            excess = np.maximum(values / self.best - 1.0, 1e-16)
            ax.plot(self.seconds[name], excess, drawstyle="steps-post", label=name)
        ax.set(xscale="log", yscale="log", ylim=(1e-10, None), xlabel="seconds", ylabel="excess over the optimum")
        ax.legend()
        return ax


def race_logistic_solvers(X, y, C=1.0, *, solvers=None, tol=1e-8, max_iter=1000):
    """Run several solvers on the same logistic regression and note what they reach when.

    All evaluate the same compiled objective from zero, so that only the paths differ. Use it to see which solver
    suits your data before training many models of their kind; it runs them all, one after the other.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their classes.
    C : float, default=1.0
        Inverse strength of the penalty, as in :class:`MajorizedLogisticRegression`; an intercept is learnt.
    solvers : list of str or None, default=None
        Among "bound, accelerated", "bound" (as printed), "L-BFGS", "BFGS" and "CG"; None takes all.
    tol : float, default=1e-8
        Largest entry of the gradient of the mean objective at the end.
    max_iter : int, default=1000
        Most iterations of each.

    Returns
    -------
    SolverRace

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from treatise.linear import race_logistic_solvers
    >>> X, y = load_wine(return_X_y=True)
    >>> race = race_logistic_solvers(scale(X), y, solvers=["bound, accelerated", "L-BFGS"])
    >>> round(race.best, 4), sorted(race.seconds_to(1e-6))
    (12.0903, ['L-BFGS', 'bound, accelerated'])
    """
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64, order="C")
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y holds one class only, {classes[0]}; a classifier needs 2 classes at least")
    chosen = list(SOLVERS) if solvers is None else list(solvers)
    if unknown := [name for name in chosen if name not in SOLVERS]:
        raise ValueError(f"no solver is named {unknown[0]!r}; there are {', '.join(SOLVERS)}")
    seconds, objectives = {}, {}
    for name in chosen:
        problem = _Watched(X, labels.astype(np.int64), np.ones(len(labels)), len(classes), 1, inverse_penalty(C), True)
        SOLVERS[name](problem, np.zeros(problem.shape), tol, max_iter)
        seconds[name] = np.array(problem.times) - problem.start
        objectives[name] = np.minimum.accumulate(problem.values)
    return SolverRace(seconds, objectives)


class _Watched(Majorizer):
    """Notes every evaluation of the objective and its time."""

    def __init__(self, *problem):
        self.start, self.times, self.values = time.perf_counter(), [], []
        super().__init__(*problem)

    def objective(self, scores, theta):
        value, gradient = super().objective(scores, theta)
        self.times.append(time.perf_counter())
        self.values.append(float(value))
        return value, gradient


def _scipy_descent(method, problem, theta, tol, max_iter):
    def evaluated(flat):
        moved = flat.reshape(problem.shape)
        value, gradient = problem.objective(problem.scores(moved), moved)
        return value, gradient.ravel()

    tolerances = {"L-BFGS-B": {"ftol": 0.0, "maxfun": 10 * max_iter}}
    options = {"gtol": tol * problem.scale(), "maxiter": max_iter, **tolerances.get(method, {})}
    minimize(evaluated, theta.ravel(), jac=True, method=method, options=options)
