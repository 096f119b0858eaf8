"""How wide the columns of a table are, and what a small gradient is beside them."""

import numpy as np
from scipy import sparse


def mean_and_variance(features, weights):
    """Weighted mean and variance of each column, dense or sparse."""
    share = weights / weights.sum()
    mean = features.T @ share
    if sparse.issparse(features):
        squares = features.multiply(features).T @ share
    else:
        squares = np.einsum("ij,ij,i->j", features, features, share)
    return mean, np.maximum(squares - np.square(mean), 0.0)


def gradient_unit(variance):
    """The width of the widest column, at most one: the unit in which the gradient of a mean loss is judged.

    The gradient is as small as the columns are: of columns in a small unit it is below any fixed tolerance from the
    start, however far the minimum is.
    """
    widest = float(np.sqrt(variance.max(initial=0.0)))
    return min(widest, 1.0) if widest > 0.0 else 1.0
