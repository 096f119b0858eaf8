"""Group-sparse estimators in closed form: orthogonal designs, chances of a zero, and the mean squared error."""

import numpy as np
from scipy.stats import chi2, ncx2

METHODS = ("ard", "pard", "glasso")


def orthogonal_variances(norms, sizes, noise_var, gram, gamma=0.0, method="ard"):
    """Variances of blocks when ``G' G = gram I``, in closed form.

    Parameters
    ----------
    norms : array-like
        Norms of the least squares estimates of the blocks.
    sizes : array-like of int
        Columns of the blocks; they are broadcast.
    noise_var : float
        Variance of the noise.
    gram : float
        Squared norm of a column of G (n for standardised columns).
    gamma : float, default=0.0
        Penalty on the variances; "ard" has none, "glasso" needs one.
    method : {"ard", "pard", "glasso"}, default="ard"
        Evidence, penalised evidence, or the group lasso.

    Returns
    -------
    variances : ndarray
        Zero where the block is zero.

    Examples
    --------
    >>> from treatise.linear import orthogonal_variances
    >>> orthogonal_variances([0.1, 1.0], 2, noise_var=1.0, gram=10.0)
    array([0. , 0.4])

    References
    ----------
    .. [1] Paper v15-0217, equations 18 and 22 and Proposition 7.
    """
    norms, sizes = np.asarray(norms, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    gamma = _checked(method, noise_var, gram, gamma)
    shift = noise_var / gram
    if method == "glasso":
        return np.maximum(0.0, norms / np.sqrt(2 * gamma) - shift)
    if gamma == 0.0:
        return np.maximum(0.0, norms**2 / sizes - shift)
    # The root as it stands loses its digits for small gamma: multiplied through by its conjugate it keeps them.
    root = np.sqrt(sizes**2 + 8 * gamma * norms**2)
    return np.maximum(0.0, 2 * norms**2 / (root + sizes) - shift)


def zero_probability(norms, sizes, noise_var, gram, gamma=0.0, method="ard"):
    """The chance that a block is set to zero when ``G' G = gram I``.

    Parameters
    ----------
    norms : array-like
        Norms of the true coefficients of the blocks; zero for a block that should vanish.
    sizes, noise_var, gram, gamma, method :
        As for :func:`orthogonal_variances`.

    Returns
    -------
    probability : ndarray

    Examples
    --------
    >>> from treatise.linear import zero_probability
    >>> zero_probability(0.0, 10, noise_var=1.0, gram=1.0).round(6)
    np.float64(0.559507)

    References
    ----------
    .. [1] Paper v15-0217, equations 19 and 24.
    """
    norms, sizes = np.asarray(norms, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    gamma = _checked(method, noise_var, gram, gamma)
    limit = 2 * gamma * noise_var / gram + (0.0 if method == "glasso" else sizes)
    centre = norms**2 * gram / noise_var
    return np.where(centre > 0, ncx2.cdf(limit, sizes, np.maximum(centre, 1e-300)), chi2.cdf(limit, sizes))[()]


def bayes_ridge_mse(G, theta, variances, noise_var):
    """Mean squared error of ``E[theta | y]`` for known coefficients and given prior variances of the columns.

    Parameters
    ----------
    G : array-like of shape (n, m)
        Design.
    theta : array-like of shape (m,)
        True coefficients.
    variances : array-like of shape (m,)
        Prior variance of every coefficient; zero takes its column out.
    noise_var : float
        Variance of the noise.

    Returns
    -------
    error : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import bayes_ridge_mse
    >>> bayes_ridge_mse(np.eye(2), [1.0, 0.0], [1.0, 0.0], 1.0)
    0.5

    References
    ----------
    .. [1] Paper v15-0217, equation 17.
    """
    G, theta = np.asarray(G, dtype=np.float64), np.asarray(theta, dtype=np.float64)
    variances = np.broadcast_to(np.asarray(variances, dtype=np.float64), theta.shape)
    if G.ndim != 2 or G.shape[1] != len(theta):
        raise ValueError(f"G has shape {G.shape} and theta {theta.shape}; G needs a column for each coefficient")
    if not noise_var > 0 or (variances < 0).any():
        raise ValueError("noise_var must be above 0, and variances must not be negative")
    gram = G.T @ G
    inner = variances[:, None] * gram + noise_var * np.eye(len(theta))
    middle = variances[:, None] * gram * variances + noise_var * np.outer(theta, theta)
    left = np.linalg.solve(inner, middle)
    return float(noise_var * np.trace(np.linalg.solve(inner, left.T)))


def _checked(method, noise_var, gram, gamma):
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not known; choose one of {', '.join(METHODS)}")
    if not (noise_var > 0 and gram > 0 and gamma >= 0):
        raise ValueError(f"noise_var={noise_var:g} and gram={gram:g} must be above 0, gamma={gamma:g} not below")
    if method == "glasso" and gamma == 0.0:
        raise ValueError("the group lasso without a penalty is least squares; give gamma above 0")
    return 0.0 if method == "ard" else float(gamma)
