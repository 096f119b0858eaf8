"""Texts as counts of words: subjects of 20 Newsgroups."""

import numpy as np
from scipy import sparse
from scipy.io import loadmat
from sklearn.datasets import load_svmlight_file

from treatise._core.errors import TreatiseError
from treatise.datasets._home import locate

NEWSGROUP_PAIRS = ("BASEHOCK", "PCMAC", "RELATHE")


def load_newsgroups() -> tuple[sparse.csr_array, np.ndarray]:
    """The training part of 20 Newsgroups as word counts, without the words' names.

    Returns
    -------
    X : CSR array of shape (15935, 62061)
        Counts.
    y : ndarray of shape (15935,)
        The newsgroup, 0 to 19.
    """
    X, y = load_svmlight_file(locate("libsvm/news20.bz2"))
    return sparse.csr_array(X), y.astype(int) - 1


def load_newsgroup_counts() -> tuple[sparse.csr_array, np.ndarray, list[str]]:
    """20 Newsgroups as counts of 1000 frequent words, without those that say nothing.

    Returns
    -------
    X : CSR array of shape (18745, 1000)
        Counts: 11 256 earlier documents, and then 7 489 later ones.
    y : ndarray of shape (18745,)
        The newsgroup, 0 to 19.
    words : list of str
        One form of each word, where the file counts several as one.
    """
    content = loadmat(locate("text/20news_w1000.mat"), simplify_cells=True)
    X = sparse.csr_array(sparse.vstack([content["trainW"], content["testW"]]), dtype=np.float64)
    y = np.concatenate([np.asarray(content[part].argmax(axis=1)).ravel() for part in ("trainC", "testC")])
    return X, y, [str(np.atleast_1d(word)[0]) for word in content["vocab"]]


def load_newsgroup_pair(name: str = "PCMAC") -> tuple[sparse.csr_array, np.ndarray]:
    """Two subjects of 20 Newsgroups as word counts: hockey and baseball, two kinds of computer, religion and atheism.

    Parameters
    ----------
    name : {"BASEHOCK", "PCMAC", "RELATHE"}
        Which pair.

    Returns
    -------
    X : CSR array of shape (n_documents, n_words)
        Counts: 1993 x 4862, 1943 x 3289 or 1427 x 4322.
    y : ndarray of shape (n_documents,)
        0 or 1.
    """
    if name not in NEWSGROUP_PAIRS:
        raise TreatiseError(f"{name!r} is no pair of newsgroups here; there are {', '.join(NEWSGROUP_PAIRS)}")
    content = loadmat(locate(f"text/{name}.mat"))
    return sparse.csr_array(content["X"].astype(np.float64)), content["Y"].ravel().astype(int) - 1


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
