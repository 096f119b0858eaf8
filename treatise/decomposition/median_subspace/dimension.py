"""The dimension of a subspace from the eigenvalues of a robust inverse covariance (Section 5.1 of v15-0749)."""

import numpy as np
from sklearn.utils import check_array


def eigengap_dimension(eigenvalues):
    """Dimension of the subspace by the largest gap between logarithms of eigenvalues.

    Parameters
    ----------
    eigenvalues : array-like of shape (n_features,)
        Of the robust inverse covariance, all above zero, in any order.

    Returns
    -------
    dimension : int
        How many lie below the gap; 1 where there is one eigenvalue.
    factor : float
        Ratio of the two eigenvalues beside the gap. Below about ten nothing speaks for this dimension.

    Examples
    --------
    >>> from treatise.decomposition import eigengap_dimension
    >>> dimension, factor = eigengap_dimension([1e-9, 2e-9, 0.3, 0.7])
    >>> dimension, f"{factor:.1e}"
    (2, '1.5e+08')

    References
    ----------
    .. [1] Paper v15-0749, Section 6.3.
    """
    values = np.sort(check_array(eigenvalues, dtype=np.float64, ensure_2d=False))
    if values.ndim != 1 or not values[0] > 0.0:
        raise ValueError(f"eigenvalues must be a list of numbers above 0; the least is {values.min():g}")
    if len(values) == 1:
        return 1, 1.0
    ratios = values[1:] / values[:-1]
    below = int(np.argmax(ratios)) + 1
    return below, float(ratios[below - 1])


def share_dimension(eigenvalues, share):
    """Least number of directions with this share of the robust variance, the sum of inverse eigenvalues."""
    variances = np.sort(1.0 / np.asarray(eigenvalues))[::-1]
    reached = np.cumsum(variances) / variances.sum() >= share * (1.0 - 1e-12)
    return int(np.argmax(reached)) + 1
