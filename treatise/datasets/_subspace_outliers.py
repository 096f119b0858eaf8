"""Rows of a subspace among rows that fill the space (section 6.1 of v15-0749)."""

import numpy as np
from sklearn.utils import check_random_state


def make_subspace_outliers(
    n_inliers: int = 125,
    n_outliers: int = 125,
    n_features: int = 50,
    n_components: int = 5,
    *,
    noise: float = 0.0,
    basis: str = "uniform",
    random_state: int | np.random.RandomState | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normal inliers of a random subspace and outliers uniform in the unit cube (section 6.1 of v15-0749).

    Parameters
    ----------
    n_inliers, n_outliers, n_features, n_components : int
        The paper's N1, N0, D and d.
    noise : float, default=0.0
        Size of the noise on every entry of every row.
    basis : {"uniform", "gaussian"}, default="uniform"
        How the subspace is drawn: as the span of vectors uniform in the unit cube, with noise uniform from 0 to
        ``noise``, by which the numbers printed in the paper come out; or as the text says, in every direction alike
        with normal noise. The outliers' mean lies far nearer to the first kind of subspace.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_inliers + n_outliers, n_features)
        The inliers, then the outliers.
    inlier : ndarray of bool of shape (n_inliers + n_outliers,)
        Which rows are inliers.
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the subspace.
    """
    if not 1 <= n_components <= n_features:
        raise ValueError(f"n_components={n_components} must be from 1 to n_features={n_features}")
    random = check_random_state(random_state)
    shape = (n_features, n_components)
    if basis == "uniform":
        spanning, draw = random.random_sample(shape), random.random_sample
    elif basis == "gaussian":
        spanning, draw = random.standard_normal(shape), random.standard_normal
    else:
        raise ValueError(f"basis={basis!r} must be 'uniform' or 'gaussian'")
    components = np.linalg.qr(spanning)[0].T
    inliers = random.standard_normal((n_inliers, n_components)) @ components
    X = np.vstack([inliers, random.random_sample((n_outliers, n_features))])
    return X + noise * draw(X.shape), np.arange(len(X)) < n_inliers, components
