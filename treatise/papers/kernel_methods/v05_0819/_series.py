"""Time series of random switching linear systems (after Jebara, Kondor & Howard, JMLR 5:819, section 8.3)."""

import numpy as np
from sklearn.utils import check_random_state


def make_switching_series(
    n_models: int = 20,
    n_series: int = 5,
    length: int = 25,
    *,
    n_regimes: int = 5,
    n_dimensions: int = 2,
    random_state: int | None = None,
) -> tuple[list[np.ndarray], np.ndarray]:
    """Series from random models that switch between linear dynamics; half of the models belong to each class.

    The paper says how many models, regimes and dimensions there are but not how their parameters are drawn. Here the
    regimes follow a Markov chain with rows uniform on the simplex; each regime's step is a Gaussian matrix scaled to a
    spectral radius uniform in (0.5, 1), its noise has standard deviations uniform in (0.1, 1), and it starts from a
    standard normal centre; the state is seen through a Gaussian matrix with noise of standard deviation 0.3.

    Parameters
    ----------
    n_models, n_series, length : int
        Models, series drawn from each, and times of each series.
    n_regimes, n_dimensions : int
        Regimes of each model, dimensions of its state and of what is seen.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    series : list of ndarray of shape (length, n_dimensions)
        The series, those of a model side by side.
    y : ndarray of shape (n_models * n_series,)
        Class of each, 0 or 1.

    Examples
    --------
    >>> from treatise.papers.kernel_methods.v05_0819._series import make_switching_series
    >>> series, y = make_switching_series(4, 2, 10, random_state=0)
    >>> len(series), series[0].shape, y.tolist()
    (8, (10, 2), [0, 0, 0, 0, 1, 1, 1, 1])
    """
    random = check_random_state(random_state)
    D, series = n_dimensions, []
    for _ in range(n_models):
        moves = random.dirichlet(np.ones(n_regimes), n_regimes + 1)
        steps = random.normal(size=(n_regimes, D, D))
        radii = np.abs(np.linalg.eigvals(steps)).max(axis=1)
        steps *= (random.uniform(0.5, 1.0, n_regimes) / radii)[:, np.newaxis, np.newaxis]
        noises = random.uniform(0.1, 1.0, (n_regimes, D))
        centres = random.normal(size=(n_regimes, D))
        seen = random.normal(size=(D, D))
        for _ in range(n_series):
            regime = random.choice(n_regimes, p=moves[-1])
            state = centres[regime] + noises[regime] * random.normal(size=D)
            path = [state]
            for _ in range(length - 1):
                regime = random.choice(n_regimes, p=moves[regime])
                state = steps[regime] @ state + noises[regime] * random.normal(size=D)
                path.append(state)
            series.append(np.array(path) @ seen.T + 0.3 * random.normal(size=(length, D)))
    return series, np.repeat(np.arange(2), (n_models // 2 * n_series, (n_models - n_models // 2) * n_series))
