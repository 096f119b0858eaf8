"""Texts with an opinion: reviews of films."""

import zipfile

import numpy as np

from treatise.datasets._home import locate


def load_movie_reviews() -> tuple[list[str], np.ndarray]:
    """Reviews of films (Pang & Lee, polarity data 2.0), in small letters with spaces between words and marks.

    Returns
    -------
    texts : list of str
        2000 reviews.
    y : ndarray of shape (2000,)
        1 for praise, 0 for blame; a thousand each, blame first.
    """
    with zipfile.ZipFile(locate("text/movie_reviews.zip")) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".txt"))
        texts = [archive.read(name).decode("latin-1") for name in names]
    return texts, np.array(["/pos/" in name for name in names], dtype=int)
