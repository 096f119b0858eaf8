"""Machine teaching over a pool of models: the rows that tell one of them from all others."""

from dataclasses import dataclass

import numpy as np

from treatise.theory.teaching.concepts import ConceptClass


@dataclass(frozen=True)
class TeachingRows:
    """Rows that teach a model.

    Attributes
    ----------
    rows : tuple of int
        Numbers of the rows; on them every model that differs from the target anywhere gives itself away.
    labels : list
        The target's predictions on them.
    alike : list of int
        Models whose predictions equal the target's on all rows, and which nothing tells from it.
    exact : bool
        Whether no smaller set of rows does the same.
    """

    rows: tuple[int, ...]
    labels: list
    alike: list[int]
    exact: bool


def teaching_rows(predictions, target=0, *, exact=True):
    """The fewest rows whose labels tell one model from all others of a pool.

    Use it to show what sets a fitted model apart from its rivals, to write the shortest test that only it passes, or to
    choose examples for a person.

    Parameters
    ----------
    predictions : array-like of shape (n_models, n_rows)
        Predicted classes of each model on the same rows.
    target : int, default=0
        Number of the model to teach.
    exact : bool, default=True
        Whether to look for the smallest set; by greed otherwise, which takes no time to speak of.

    Returns
    -------
    TeachingRows

    Examples
    --------
    >>> from treatise.theory import teaching_rows
    >>> teaching_rows([[0, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1], [0, 1, 1, 0]]).rows
    (3,)

    References
    ----------
    .. [1] Paper v12-0349, Definition 2.
    """
    predictions = np.asarray(predictions)
    if predictions.ndim != 2 or predictions.size == 0:
        raise ValueError(f"predictions has shape {predictions.shape}; give a row of classes for each model")
    if not 0 <= target < len(predictions):
        raise ValueError(f"there is no model {target}; they go from 0 to {len(predictions) - 1}")
    same = np.all(predictions == predictions[target], axis=1)
    alike = [int(c) for c in np.flatnonzero(same) if c != target]
    others = np.unique(predictions[~same], axis=0)
    concepts = ConceptClass(np.vstack([predictions[target : target + 1], others]))
    rows = concepts.teaching_set(0, method="exact" if exact else "greedy")
    return TeachingRows(rows, predictions[target, list(rows)].tolist(), alike, exact)
