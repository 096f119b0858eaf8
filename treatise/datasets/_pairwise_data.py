"""Objects compared in pairs: binary digits of two classes, and words by the documents they occur in."""

import numpy as np
from scipy.io import loadmat

from treatise.datasets._coupling_tables import _usps
from treatise.datasets._home import locate


def load_binary_usps(first: int = 0, second: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Two digits of the training part of USPS, in black and white.

    Parameters
    ----------
    first, second : int
        The digits.

    Returns
    -------
    X : ndarray of shape (n_images, 256)
        1 for a pixel of at least half of the full ink, 0 else.
    y : ndarray of shape (n_images,)
        The digits: 1194 zeros and 645 sevens by default.
    """
    X, y = (each[:7291] for each in _usps())
    chosen = (y == first) | (y == second)
    return (X[chosen] >= 0.5).astype(float), y[chosen]


def load_newsgroup_words(
    first: str = "sci.space", second: str = "soc.religion.christian", n_words: int = 120
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The words that occur in most documents of two newsgroups, and which documents hold them.

    Parameters
    ----------
    first, second : str
        Names of two of the 20 Newsgroups, training part.
    n_words : int
        How many words, of a vocabulary of 1000.

    Returns
    -------
    occurs : ndarray of shape (n_words, n_documents)
        1 where the document holds the word, 0 else.
    source : ndarray of shape (n_documents,)
        0 for documents of the first newsgroup, 1 for those of the second.
    words : list of str
        The words, the most frequent first; one form of each, where the file counts several as one.
    """
    content = loadmat(locate("text/20news_w1000.mat"), simplify_cells=True)
    names = [str(name) for name in content["class_names"]]
    for name in (first, second):
        if name not in names:
            raise ValueError(f"{name!r} is no newsgroup; they are {', '.join(names)}")
    classes = np.asarray(content["trainC"].argmax(axis=1)).ravel()
    documents = [np.flatnonzero(classes == names.index(name)) for name in (first, second)]
    occurs = (content["trainW"].tocsr()[np.concatenate(documents)].toarray() > 0).astype(float).T
    frequent = np.argsort(-occurs.sum(axis=1), kind="stable")[:n_words]
    source = np.repeat([0, 1], [len(each) for each in documents])
    return occurs[frequent], source, [str(np.atleast_1d(content["vocab"][word])[0]) for word in frequent]
