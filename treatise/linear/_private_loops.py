"""The losses of margins, and the Gram matrix of weighted sparse rows."""

from treatise._core.jit import compiled
from treatise.optimize.losses._loops import loss_at, loss_curvature


@compiled
def losses(number, parameter, margins, slopes, curvatures):
    """Slopes and curvatures of all margins, and the sum of their losses."""
    total = 0.0
    for i in range(len(margins)):
        value, slopes[i] = loss_at(number, parameter, 1.0, margins[i])
        curvatures[i] = loss_curvature(number, parameter, 1.0, margins[i])
        total += value
    return total


@compiled
def add_sparse_gram(indptr, indices, data, weights, gram):
    """Add the upper triangle of X' diag(weights) X to ``gram``; indices ascend within a row."""
    for row in range(len(indptr) - 1):
        weight = weights[row]
        if weight == 0.0:
            continue
        for a in range(indptr[row], indptr[row + 1]):
            scaled, i = weight * data[a], indices[a]
            for b in range(a, indptr[row + 1]):
                gram[i, indices[b]] += scaled * data[b]
