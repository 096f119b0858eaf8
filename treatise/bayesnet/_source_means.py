"""Means of heavy-tailed sources given one row, at fixed weights."""

import numpy as np

from treatise.bayesnet._slim_loops import LAPLACE

_MOST_NUMBERS = 2**22


def source_means(X, loadings, noise, model, *, tol=1e-8, max_iter=200):
    """Means of the sources of each row of ``X`` (n, d), (n, m).

    Variational: Gaussian sources, with the precisions that the scale mixtures give to their second moments. Each step
    raises the bound on the likelihood; rows are independent of one another.
    """
    m = loadings.shape[1]
    gram = loadings.T @ (loadings / noise[:, np.newaxis])
    target = (X / noise) @ loadings
    means = np.zeros_like(target)
    precision = np.ones_like(target)
    step = max(1, _MOST_NUMBERS // (m * m))
    for first in range(0, len(X), step):
        moving = np.arange(first, min(first + step, len(X)))
        for _ in range(max_iter):
            covariance = np.linalg.inv(gram + precision[moving, :, np.newaxis] * np.eye(m))
            mean = np.einsum("njk,nk->nj", covariance, target[moving])
            second = mean**2 + np.diagonal(covariance, axis1=1, axis2=2)
            laplace = model.tail / np.sqrt(second)
            student = (model.tail + 1.0) / (model.tail + second)
            precision[moving] = np.where(model.kind == LAPLACE, laplace, student)
            change = np.abs(mean - means[moving]).max(axis=1)
            means[moving] = mean
            moving = moving[change > tol]
            if len(moving) == 0:
                break
    return means
