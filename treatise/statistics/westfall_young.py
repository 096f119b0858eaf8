"""Many permutation tests at once, corrected by the permutations themselves (Westfall & Young)."""

import numpy as np


def westfall_young(observed, null):
    """Adjusted p-values of many statistics from their joint permutations, step down.

    The largest statistic is set beside the largest of all in each permutation, the next beside the largest of the rest,
    and so on; the chance of any false rejection stays at the level. Unlike Holm's or Benjamini and Yekutieli's
    corrections it asks for no tiny p-values, so that some hundred permutations do for any number of tests, and it loses
    nothing where tests depend on each other. Statistics must be comparable, as those in standard deviations are. It
    costs O(permutations x tests) after a sort.

    Parameters
    ----------
    observed : array-like of shape (n_tests,)
        Statistics; large ones speak against their hypotheses.
    null : array-like of shape (n_permutations, n_tests)
        The same on permuted data, each row from one permutation.

    Returns
    -------
    adjusted : ndarray of shape (n_tests,)
        At least 1 / (n_permutations + 1).

    References
    ----------
    .. [1] Westfall & Young, Resampling-Based Multiple Testing, Wiley 1993, algorithm 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import westfall_young
    >>> null = np.random.default_rng(0).normal(size=(99, 3))
    >>> westfall_young([5.0, 0.0, 0.1], null)
    array([0.01, 0.7 , 0.7 ])
    """
    observed, null = np.asarray(observed, dtype=float), np.asarray(null)
    if observed.ndim != 1 or null.ndim != 2 or null.shape[1] != len(observed) or not len(null):
        raise ValueError(
            f"one column of null for each statistic is needed, in one row or more; the shapes are {observed.shape} "
            f"and {null.shape}"
        )
    if not (np.isfinite(observed).all() and np.isfinite(null).all()):
        raise ValueError("a statistic is NaN or infinite; leave such tests out")
    order = np.argsort(observed, kind="stable")
    count = np.zeros(len(observed))
    for row in null:
        # From the smallest observed one on: the largest of this and all smaller ones.
        count += np.maximum.accumulate(row[order]) >= observed[order]
    p_values = (1.0 + count) / (1.0 + len(null))
    adjusted = np.empty(len(observed))
    adjusted[order] = np.maximum.accumulate(p_values[::-1])[::-1]
    return adjusted
