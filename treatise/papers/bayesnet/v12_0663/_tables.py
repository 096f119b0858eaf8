"""Tables that exact structure learning of Bayesian networks was tried on (de Campos & Ji, JMLR 12:663, Section 6)."""

import numpy as np

from treatise._core.errors import TreatiseError
from treatise.datasets import load_table

_FILES = {"breast": "wisconsin", "letter": "letter", "mushroom": "mushroom", "wdbc": "wdbc"}


def load_structure_table(name: str) -> np.ndarray:
    """A UCI table as categories.

    As in the paper, rows with missing values are left out, and continuous columns are cut in two at their mean. The
    grades from 1 to 10 of "breast" are taken as they are: only so it has the single parents that the paper reports.

    Parameters
    ----------
    name : {"breast", "letter", "mushroom", "wdbc"}
        Wisconsin breast cancer (683 rows, 10 columns), letter recognition (20 000 rows, 17 columns), mushrooms (5644
        rows, 23 columns), and diagnostic Wisconsin breast cancer (569 rows, 31 columns). The class is the last column.

    Returns
    -------
    table : ndarray of int of shape (n_rows, n_columns)
        States, numbered from 0.
    """
    if name not in _FILES:
        raise TreatiseError(f"{name!r} is no table of the structure learners; choose one of {', '.join(_FILES)}")
    features, labels = load_table(f"keel/{_FILES[name]}.dat").arrays()
    if name not in ("breast", "mushroom"):
        features = features > features.mean(axis=0)
    columns = [*features.T, labels]
    return np.column_stack([np.unique(column, return_inverse=True)[1] for column in columns])
