"""Distances from a selection of kernels (Jebara, JMLR 12:75, Section 7.2)."""

import numpy as np

from treatise.linear.discrimination._base import resolved_kernels


def kernel_metric(weights, kernels="features"):
    r"""The distance :math:`\sqrt{\sum_d s_d [k_d(x, x) - 2 k_d(x, x') + k_d(x', x')]}` of weighted kernels.

    Hand it to a method that takes distances, such as scikit-learn's neighbours with ``metric="precomputed"``.

    Parameters
    ----------
    weights : array-like of shape (n_switches,)
        Weights from 0 on, such as ``weights_`` of :class:`MultiTaskMEDClassifier`.
    kernels : "features" or list, default="features"
        What they weigh: features, or kernels as given to that class.

    Returns
    -------
    metric : callable
        Of two tables, the matrix of distances between their rows; of one, between its own.

    Examples
    --------
    >>> from treatise.linear import kernel_metric
    >>> kernel_metric([1.0, 0.0])([[0.0, 0.0]], [[3.0, 4.0]])
    array([[3.]])

    References
    ----------
    .. [1] Paper v12-0075: Section 7.2.
    """
    weights = np.asarray(weights, np.float64)
    if weights.ndim != 1 or not np.all(weights >= 0):
        raise ValueError("weights must be one row of numbers from 0 on, such as weights_ of a shared selection")
    if isinstance(kernels, str) and kernels != "features":
        raise ValueError(
            f"kernels={kernels!r} cannot be evaluated for new rows; give the list of kernels that the weights belong to"
        )
    n = None if isinstance(kernels, str) else len(kernels)
    if n is not None and n != len(weights):
        raise ValueError(f"there are {len(weights)} weights for {n} kernels")

    def metric(A, B=None):
        A = np.asarray(A, np.float64)
        B = A if B is None else np.asarray(B, np.float64)
        if n is None:
            if A.shape[1] != len(weights):
                raise ValueError(f"there are {len(weights)} weights for {A.shape[1]} features")
            left, right = A * np.sqrt(weights), B * np.sqrt(weights)
            squared = np.sum(left**2, axis=1)[:, np.newaxis] - 2.0 * left @ right.T + np.sum(right**2, axis=1)
        else:
            squared = np.zeros((len(A), len(B)))
            for weight, kernel in zip(weights, resolved_kernels(kernels, A)):
                left, right = kernel.prepare(A), kernel.prepare(B)
                both = kernel.diagonal(left)[:, np.newaxis] + kernel.diagonal(right)
                squared += weight * (both - 2.0 * kernel.block(left, right))
        return np.sqrt(np.maximum(squared, 0.0))

    return metric
