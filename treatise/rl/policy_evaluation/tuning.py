"""Choice of a method's parameters by the surveys' criterion: errors on the way, the later the heavier."""

import warnings
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from treatise._core.progress import progress
from treatise.rl.processes.mdp import generator


class Tuned(NamedTuple):
    """What :func:`tune` found.

    Attributes
    ----------
    best_params : dict
        The parameters with the least score.
    best_score : float
        Their score.
    settings : list of dict
        All parameters tried.
    scores : ndarray of shape (n_settings,)
        The score of each; infinite where an estimate diverged.
    """

    best_params: dict[str, Any]
    best_score: float
    settings: list[dict[str, Any]]
    scores: np.ndarray


def weighted_score(errors):
    """Mean of errors over the way, with weights that rise from 1 for the first to 2 for the last.

    Parameters
    ----------
    errors : array-like of shape (n_kept,)
        Errors after ever more steps.

    Returns
    -------
    score : float

    Examples
    --------
    >>> from treatise.rl import weighted_score
    >>> weighted_score([3.0, 0.0])
    1.0
    """
    errors = np.asarray(errors, dtype=np.float64)
    weights = np.linspace(1.0, 2.0, len(errors))
    return float(weights @ errors / weights.sum()) if np.isfinite(errors).all() else np.inf


def tune(
    estimator, grid, problem, *, n_steps, keep_every=None, n_runs=3, objective="mspbe", n_jobs=None, random_state=None
):
    """Try all combinations of parameters on runs of a known world, and keep the best.

    Use it to choose step lengths and traces before a study. The projected Bellman error ("mspbe") can be computed
    without the true values, so that its choice is one that could be made in practice; "mse" is the truth.

    Parameters
    ----------
    estimator : estimator of policy evaluation
        Its other parameters stay as they are.
    grid : dict of lists
        Values to try, by the parameter's name.
    problem : FiniteEvaluation or LinearGaussianEvaluation
        Draws runs and knows the objectives.
    n_steps : int
        Steps of a run.
    keep_every : int or None, default=None
        Steps between two looks at the error; None looks a hundred times.
    n_runs : int, default=3
        Runs, the same for all settings; their scores are averaged.
    objective : {"mse", "msbe", "mspbe", "mstde", "neu"}, default="mspbe"
        Whose square root is scored.
    n_jobs : int or None, default=None
        Settings tried at a time, in threads.
    random_state : int, RandomState instance or None, default=None
        Seed of the runs.

    Returns
    -------
    tuned : Tuned

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteEvaluation, TD, tune
    >>> from treatise.rl.environments import boyan_chain, boyan_features
    >>> problem = FiniteEvaluation(
    ...     boyan_chain(), boyan_features(), np.ones((14, 1)), weights=np.ones(14), horizon=20)
    >>> tune(TD(discount=0.95), {"alpha": [1e-4, 0.1, 100.0]}, problem, n_steps=500, random_state=0).best_params
    {'alpha': 0.1}
    """
    settings = [dict(zip(grid, values)) for values in product(*grid.values())]
    if not settings:
        raise ValueError("the grid holds no setting; give at least one value for each parameter")
    every = keep_every or max(1, n_steps // 100)
    rng = generator(random_state)
    runs = [problem.sample(n_steps, random_state=rng) for _ in range(n_runs)]

    def score(setting):
        model = clone(estimator).set_params(**setting, keep_every=every)
        scores = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", UserWarning)
            for run in runs:
                model.fit(*run)
                if not np.isfinite(model.path_).all():
                    return np.inf
                scores.append(weighted_score(np.sqrt(problem.objective(model.path_, objective))))
        return float(np.mean(scores))

    scores = np.empty(len(settings))
    with progress("settings", len(settings)) as advance:
        found = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(delayed(score)(s) for s in settings)
        for place, value in enumerate(found):
            scores[place] = value if np.isfinite(value) else np.inf
            advance(1)
    best = int(scores.argmin())
    return Tuned(settings[best], float(scores[best]), settings, scores)
