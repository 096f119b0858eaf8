"""A sample of the forest cover types, as two classes."""

import numpy as np
import polars as pl

from treatise.datasets._home import locate


def load_forest_cover_sample() -> tuple[np.ndarray, np.ndarray]:
    """Forest cover type, 10 000 of the 581 012 rows: lodgepole pine (type 2) against the rest.

    Returns
    -------
    X : ndarray of shape (10000, 54)
        Ten measurements and 44 indicators, as they are in the file.
    y : ndarray of shape (10000,)
        1 for type 2 (49 %), else -1.

    References
    ----------
    .. [1] Claesen, De Smet, Suykens & De Moor, JMLR 15:141-145, 2014, Section 3.
    """
    frame = pl.read_csv(locate("libsvm/covtype_sample.csv.gz"))
    y = np.where(frame["Cover_Type"].to_numpy() == 2, 1, -1)
    return frame.drop("Cover_Type").to_numpy().astype(np.float64), y
