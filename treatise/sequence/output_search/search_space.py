"""Spaces of complete outputs that a search may go through: the interface, and labellings of a grid (JMLR 15:1317)."""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression

from treatise._core.invariants import is_count


class SearchSpace(BaseEstimator, ABC):
    """Where a search over outputs starts, which outputs lie one change apart, and what a cost sees of them.

    An output is a row of whole numbers, whatever it stands for. Write the three methods below for a structure of your
    own and give the space to :class:`LearnedOutputSearch`.
    """

    def fit(self, inputs, outputs):
        """Learn what the space needs of training examples: nothing, unless a space says otherwise."""
        return self

    @abstractmethod
    def start(self, x):
        """The output that the search of an input begins with."""

    @abstractmethod
    def successors(self, x, output):
        """All outputs one change away, an array with one of them in each row."""

    @abstractmethod
    def features(self, x, outputs):
        """Numbers of which the cost of each output is a weighted sum, an array of shape (n_outputs, n_features)."""


class GridSpace(SearchSpace):
    """Labellings of a grid of cells, such as an image; one change is another label of one cell.

    Each cell has a row of numbers, and a classifier of single cells gives the start. The cost sees, for each label,
    the sum of the rows of its cells, and how often two labels lie side by side or one above the other. A step of a
    search looks at H W ``sparsity`` labellings of an H x W grid and costs that times H W: for some hundred cells.

    Parameters
    ----------
    classifier : classifier or None, default=None
        Of single cells, with ``predict_proba``; None is logistic regression.
    sparsity : int or None, default=None
        How many other labels of a cell to consider, those that the classifier holds likeliest; None is all.

    Attributes
    ----------
    classifier_ : classifier
        Fitted to the cells of the training grids.
    n_labels_ : int
        Labels are the numbers from 0 to one less.

    References
    ----------
    .. [1] Paper v15-1317, Sections 3.2 and 6.2.
    """

    def __init__(self, classifier=None, *, sparsity=None):
        self.classifier = classifier
        self.sparsity = sparsity

    def fit(self, inputs, outputs):
        """Fit the classifier to single cells.

        Parameters
        ----------
        inputs : list of arrays of shape (H, W, p)
            The grids.
        outputs : list of arrays of int, of shape (H, W)
            Labels from 0.

        Returns
        -------
        self : GridSpace
        """
        for number, (x, labels) in enumerate(zip(inputs, outputs)):
            if np.ndim(x) != 3 or np.shape(labels) != np.shape(x)[:2]:
                raise ValueError(
                    f"grid {number} has the shape {np.shape(x)} and its labels {np.shape(labels)}; expected are "
                    "(H, W, p) and (H, W)"
                )
        labels = np.concatenate([np.ravel(each) for each in outputs])
        self.n_labels_ = int(labels.max()) + 1
        if not np.array_equal(np.unique(labels), np.arange(self.n_labels_)) or self.n_labels_ < 2:
            raise ValueError(
                f"labels must be the numbers 0, 1, ... without a gap; they are {np.unique(labels).tolist()}"
            )
        cells = np.concatenate([np.reshape(x, (-1, np.shape(x)[2])) for x in inputs])
        start = LogisticRegression(max_iter=1000) if self.classifier is None else clone(self.classifier)
        self.classifier_ = start.fit(cells, labels)
        return self

    @property
    def n_features(self):
        """Numbers that the cost sees of a labelling: the columns of each label and a constant, and pairs of labels."""
        return self.n_labels_ * (self.classifier_.n_features_in_ + 1) + 2 * self.n_labels_**2

    def _invariants(self):
        yield "labels are numbered", is_count(self.n_labels_, 2)
        yield "the classifier knows them all", np.array_equal(self.classifier_.classes_, np.arange(self.n_labels_))
        yield "other labels are counted", self.sparsity is None or is_count(self.sparsity, 1)

    def start(self, x):
        return self.classifier_.predict(_cells(x)).astype(np.int32)

    def successors(self, x, output):
        likely = np.argsort(-self.classifier_.predict_proba(_cells(x)), axis=1, kind="stable")
        others = np.array([row[row != label] for row, label in zip(likely, output)])[:, : self.sparsity]
        changed = np.repeat(output[np.newaxis], others.size, axis=0)
        changed[np.arange(others.size), np.repeat(np.arange(len(output)), others.shape[1])] = others.ravel()
        return changed

    def features(self, x, outputs):
        H, W, _ = np.shape(x)
        K, cells = self.n_labels_, np.column_stack([_cells(x), np.ones(H * W)])
        one_hot = np.eye(K)[outputs]
        grids = one_hot.reshape(-1, H, W, K)
        beside = np.einsum("nhwa,nhwb->nab", grids[:, :, :-1], grids[:, :, 1:], optimize=True)
        above = np.einsum("nhwa,nhwb->nab", grids[:, :-1], grids[:, 1:], optimize=True)
        own = np.einsum("nca,cp->nap", one_hot, cells, optimize=True)
        return np.hstack([part.reshape(len(outputs), -1) for part in (own, beside, above)])


def _cells(x):
    return np.reshape(np.asarray(x, np.float64), (-1, np.shape(x)[2]))
