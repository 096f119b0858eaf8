"""Data in the likeness of the terascale paper's (JMLR 15:1111), whose own are private or terabytes large."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state


def make_zipf_ads(
    n_samples: int = 20_000, n_active: int = 40, n_features: int = 1 << 20, random_state: int | None = None
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Categorical features with frequencies of Zipf's law, clicks of a sparse logistic rule.

    Parameters
    ----------
    n_samples, n_active, n_features : int
        Examples, features that are 1 in each, and columns.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    X : csr_matrix of shape (n_samples, n_features)
        Counts of the features, 1 for most.
    y : ndarray of shape (n_samples,)
        1 for a click, -1 for none: about one in three.

    Examples
    --------
    >>> from treatise.papers.linear.v15_1111._ads import make_zipf_ads
    >>> X, y = make_zipf_ads(1000, 20, 5000, random_state=0)
    >>> X.shape, bool(0.2 < (y == 1).mean() < 0.5)
    ((1000, 5000), True)
    """
    random = check_random_state(random_state)
    # Field by field: a frequent value, or a rare one, of a category of its own.
    ranks = np.minimum(random.zipf(1.3, (n_samples, n_active)), n_features // n_active) - 1
    columns = ranks + np.arange(n_active) * (n_features // n_active)
    pointers = np.arange(0, n_samples * n_active + 1, n_active)
    X = sparse.csr_matrix((np.ones(columns.size), columns.ravel(), pointers), shape=(n_samples, n_features))
    truth = random.normal(size=n_features) * (random.uniform(size=n_features) < 0.5)
    score = X @ truth
    score = 2.0 * (score - score.mean()) / max(score.std(), 1e-12) - 1.0
    return X, np.where(score + random.logistic(size=n_samples) > 0, 1, -1)
