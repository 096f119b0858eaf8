"""Labels that follow a logistic model exactly, with rows on the unit sphere."""

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state


def make_logistic_sphere(
    n_samples: int,
    coef: tuple[float, ...] = (1.0, -1.0, 0.5, 0.0, 2.0),
    *,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows uniform on the unit sphere, and labels 1 with probability 1 / (1 + exp(-row . coef)), else -1.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    coef : tuple of float, default=(1, -1, 0.5, 0, 2)
        The true weights.
    random_state : int, RandomState instance or None, default=None
        Source of the draws.

    Returns
    -------
    X : ndarray of shape (n_samples, len(coef))
        The rows, of norm one.
    y : ndarray of shape (n_samples,)
        Labels -1 and 1.
    """
    rng = check_random_state(random_state)
    X = rng.standard_normal((n_samples, len(coef)))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.where(rng.uniform(size=n_samples) < expit(X @ np.asarray(coef)), 1, -1)
