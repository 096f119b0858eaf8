"""Low-rank kernels and embeddings from distances (Meyer, Bonnabel & Sepulchre, JMLR 12:593)."""

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted, column_or_1d

from treatise.metric.fixed_rank._base import FixedRankLearner, checked_pairs, checked_targets
from treatise.metric.fixed_rank._measurements import PairMeasurements
from treatise.metric.fixed_rank.metric import random_pairs


class LowRankKernelLearner(FixedRankLearner):
    """Places objects in a space of few dimensions from wanted squared distances of some pairs.

    The kernel of the objects is ``K = G G'``, and row i of G is where object i lies. Targets may be equalities, which
    is multidimensional scaling by SSTRESS from whichever distances are known, or bounds from above and below, which
    improves a given kernel by knowledge of what is alike and what is not (:func:`distance_constraints`).

    Use it for objects known only through distances, many of which may be missing, and for semi-supervised reduction
    of a kernel. It places only the objects it was given. Do not use it where a whole distance matrix of Euclidean
    points is known: classical scaling has a closed form. Not convex: take several starts where it matters.

    A step costs m r + n r^2 for m pairs and n objects; memory (n + m) r. The polar geometry moves all objects in every
    step, the flat one only those that are in a pair whose target is missed.

    Parameters
    ----------
    rank : int or None, default=None
        Rank of the kernel, the dimension of the space; None is the number of objects.
    init : {"random", "identity"} or ndarray of shape (n_objects, rank), default="random"
        Where the objects start; the coordinates of kernel PCA, to improve a given kernel.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, rank)
        Where the objects lie.
    components_ : ndarray of shape (rank, n_objects)
        The same transposed.
    kernel_ : ndarray of shape (n_objects, n_objects)
        The kernel matrix, computed when asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.metric import LowRankKernelLearner
    >>> corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> pairs = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
    >>> learner = LowRankKernelLearner(2, tol=1e-9, random_state=0).fit(pairs, [1, 1, 2, 2, 1, 1])
    >>> learner.predict(pairs).round(2)
    array([1., 1., 2., 2., 1., 1.])

    References
    ----------
    .. [1] Paper v12-0593: Sections 8.4, 9.1 and 10.2.
    """

    _parameter_constraints: dict = {
        **FixedRankLearner._parameter_constraints,
        "init": [StrOptions({"random", "identity"}), "array-like"],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, pairs, distances, sense=None, sample_weight=None, *, n_objects=None):
        """Place the objects.

        Parameters
        ----------
        pairs : array of int of shape (n_pairs, 2)
            Numbers of the objects of each pair.
        distances : array of shape (n_pairs,)
            Wanted squared distances.
        sense : array of shape (n_pairs,), default=None
            0 for equal, 1 for at most, -1 for at least. None is 0 throughout.
        sample_weight : array of shape (n_pairs,), default=None
            Weights of the pairs.
        n_objects : int or None, default=None
            Number of objects; None is the number of rows of `init`, or one more than the largest number in `pairs`.

        Returns
        -------
        self : LowRankKernelLearner
        """
        return self._learn(*self._checked(pairs, distances, sense, sample_weight, n_objects))

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, pairs, distances, sense=None, sample_weight=None, *, n_objects=None):
        """One online pass over more pairs: follows distances that change, without a jump to another solution.

        Parameters
        ----------
        pairs, distances, sense, sample_weight, n_objects
            As for :meth:`fit`; the number of objects is that of the first call.

        Returns
        -------
        self : LowRankKernelLearner
        """
        if hasattr(self, "components_"):
            n_objects = self.components_.shape[1]
        return self._advance(*self._checked(pairs, distances, sense, sample_weight, n_objects))

    def predict(self, pairs):
        """Squared distances of pairs of objects.

        Parameters
        ----------
        pairs : array of int of shape (n_pairs, 2)
            Numbers of the objects.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
        """
        check_is_fitted(self)
        places = self.embedding_
        pairs = checked_pairs(pairs, len(places))
        return ((places[pairs[:, 0]] - places[pairs[:, 1]]) ** 2).sum(axis=1)

    @property
    def embedding_(self):
        """Where the objects lie."""
        return self.components_.T

    @property
    def kernel_(self):
        """The kernel matrix."""
        return self.components_.T @ self.components_

    def _checked(self, pairs, distances, sense, sample_weight, n_objects):
        if n_objects is None:
            given = not isinstance(self.init, str)
            n_objects = len(self.init) if given else int(np.max(pairs, initial=0)) + 1
        pairs = checked_pairs(pairs, n_objects)
        distances = column_or_1d(np.asarray(distances, dtype=np.float64))
        if len(distances) != len(pairs) or not (distances >= 0).all() or not np.isfinite(distances).all():
            raise ValueError(f"distances must hold {len(pairs)} finite numbers, one for each pair, none negative")
        return PairMeasurements(pairs, n_objects), checked_targets(distances, sense, sample_weight)


def distance_constraints(gram, labels, n_constraints, *, margin=0.0, random_state=None):
    """Bounds on squared distances that pull objects of one class together and push different classes apart.

    A pair of one class is to come within ``(1 - margin)`` times its squared distance under the kernel, a pair of
    different classes to stay beyond ``(1 + margin)`` times.

    Parameters
    ----------
    gram : array of shape (n_objects, n_objects)
        Kernel matrix to improve.
    labels : array of shape (n_objects,)
        Classes.
    n_constraints : int
        Number of pairs drawn.
    margin : float, default=0.0
        Share alpha of the distance, not negative.
    random_state : int, RandomState or None, default=None
        Draws the pairs.

    Returns
    -------
    pairs : ndarray of shape (n_constraints, 2)
    distances : ndarray of shape (n_constraints,)
        Bounds.
    sense : ndarray of shape (n_constraints,)
        1 for at most, -1 for at least: what :meth:`LowRankKernelLearner.fit` takes.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.metric import distance_constraints
    >>> pairs, distances, sense = distance_constraints(np.eye(3), [0, 0, 1], 100, margin=0.5, random_state=0)
    >>> sorted(set(zip(distances.tolist(), sense.tolist())))
    [(1.0, 1), (3.0, -1)]

    References
    ----------
    .. [1] Paper v12-0593, Section 10.2.1.
    """
    gram, labels = np.asarray(gram, dtype=np.float64), np.asarray(labels)
    n = len(labels)
    if gram.shape != (n, n) or n < 2:
        raise ValueError(f"gram has shape {gram.shape}; with {n} labels it must be {(n, n)}, of at least two objects")
    if not margin >= 0 or n_constraints < 1:
        raise ValueError(f"margin={margin} must not be negative, and n_constraints={n_constraints} at least 1")
    pairs = random_pairs(n, n_constraints, check_random_state(random_state))
    first, second = pairs.T
    alike = labels[first] == labels[second]
    distances = np.maximum(gram[first, first] + gram[second, second] - 2.0 * gram[first, second], 0.0)
    distances *= np.where(alike, max(1.0 - margin, 0.0), 1.0 + margin)
    return pairs, distances, np.where(alike, 1, -1)
