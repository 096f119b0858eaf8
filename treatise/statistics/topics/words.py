"""The words of topics, by name."""

import numpy as np


def heaviest_words(estimator, weights, n_words, names=None):
    """Words of most weight in each topic of a fitted estimator.

    Parameters
    ----------
    estimator : object
        Has ``n_features_in_``, and ``feature_names_in_`` where X had names.
    weights : ndarray of shape (n_topics, n_words)
        Weight of each word in each topic; of equal ones the first comes first.
    n_words : int
        Words of each topic.
    names : sequence of str or None, default=None
        Names of the columns; None takes those that X had, or their numbers.

    Returns
    -------
    list of lists
    """
    if names is None:
        names = getattr(estimator, "feature_names_in_", np.arange(estimator.n_features_in_))
    if len(names) != estimator.n_features_in_:
        raise ValueError(f"names has {len(names)} entries; there are {estimator.n_features_in_} words")
    order = np.argsort(-weights, axis=1, kind="stable")[:, :n_words]
    return [[names[word] for word in topic] for topic in order]
