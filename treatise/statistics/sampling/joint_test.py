"""Geweke's joint test: a sampler and its model must tell the same story about parameters and data together."""

from collections.abc import Callable
from typing import Any

import numpy as np

from treatise.statistics.chain_diagnostics import effective_sample_size


def geweke_joint_test(
    prior: Callable[[np.random.Generator], Any],
    data: Callable[[np.random.Generator, Any], Any],
    step: Callable[[np.random.Generator, Any, Any], Any],
    statistics: Callable[[Any, Any], np.ndarray],
    *,
    n_draws: int = 2000,
    random_state: int = 0,
) -> np.ndarray:
    """z-scores of a sampler against its own model (Geweke, 2004).

    Parameters and data are drawn together in two ways: parameters from the prior and data given them; and by turns,
    data given the parameters and a step of the sampler given the data. If the sampler leaves the posterior as it is,
    both have one distribution, so a mistake in any conditional shows in some statistic. Each score is the difference
    of the means over its standard error, which allows for the dependence of the second sequence.

    Parameters
    ----------
    prior : callable (rng) -> parameters
        A draw from the prior.
    data : callable (rng, parameters) -> data
        A draw of the data.
    step : callable (rng, parameters, data) -> parameters
        One sweep of the sampler.
    statistics : callable (parameters, data) -> array of shape (n_statistics,)
        What is compared; squares and products show more than means.
    n_draws : int, default=2000
        Draws of each kind.
    random_state : int, default=0
        Seed.

    Returns
    -------
    ndarray of shape (n_statistics,)
        Scores: standard normal where the sampler is right.

    Examples
    --------
    The mean of a normal sample under a normal prior; then with a conditional of half the right variance.

    >>> import numpy as np
    >>> from treatise.statistics import geweke_joint_test
    >>> def scores(spread):
    ...     def step(rng, mean, x):
    ...         return x.sum() / (len(x) + 1) + spread * rng.normal() / np.sqrt(len(x) + 1)
    ...     return geweke_joint_test(lambda rng: rng.normal(), lambda rng, mean: mean + rng.normal(size=3), step,
    ...                              lambda mean, x: np.array([mean, mean**2]))
    >>> bool(np.abs(scores(1.0)).max() < 3.5), bool(np.abs(scores(0.7)).max() > 3.5)
    (True, True)
    """
    rng = np.random.default_rng(random_state)
    apart = []
    for _ in range(n_draws):
        parameters = prior(rng)
        apart.append(np.asarray(statistics(parameters, data(rng, parameters)), dtype=float))
    parameters = prior(rng)
    by_turns = []
    for _ in range(n_draws):
        seen = data(rng, parameters)
        parameters = step(rng, parameters, seen)
        by_turns.append(np.asarray(statistics(parameters, seen), dtype=float))
    first, second = np.array(apart), np.array(by_turns)
    sizes = np.minimum(effective_sample_size(second[np.newaxis]), n_draws)
    error = np.sqrt(first.var(axis=0, ddof=1) / n_draws + second.var(axis=0, ddof=1) / sizes)
    difference = first.mean(axis=0) - second.mean(axis=0)
    # A statistic that never changes is equal or it is not.
    return np.where(error > 0.0, difference / np.where(error > 0.0, error, 1.0), np.where(difference == 0, 0.0, np.inf))
