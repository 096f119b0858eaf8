"""Pseudo-Euclidean embedding of non-metric dissimilarities (Laub & Müller, JMLR 5:801)."""

from numbers import Integral

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.metrics import pairwise_distances
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_array

_SMALL = 400
"""Objects up to which all eigenvalues cost no more than a few of them."""
_NOTHING = 1e-10
"""Share of the largest eigenvalue below which a direction is rounding."""


class PseudoEuclideanEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Coordinates of objects known by their dissimilarities, along both ends of the spectrum.

    Classical scaling keeps the directions of large positive eigenvalues and takes negative ones for noise. Where a
    similarity is not metric (human judgements, matching scores, overlaps divided by the smaller set) features of the
    objects may show along the negative ones only: this keeps both. Squared dissimilarities are squared distances of the
    positive coordinates minus squared distances of the negative ones.

    Use it to look at a similarity matrix with clearly negative eigenvalues, after :func:`negative_spectrum` has told
    that they are no noise. Not to feed a distance-based method with all coordinates together, for which the difference
    of signs is lost, nor for Euclidean distances, where it equals principal components. Time n^2 for each direction
    found, n^3 for all; memory n^2.

    Parameters
    ----------
    n_positive, n_negative : int or None, default=2
        Directions of the largest and of the lowest eigenvalues; None is all of that sign. A direction that does not
        exist gets a column of zeros.
    metric : "precomputed", str or callable, default="precomputed"
        Where the proximities come from: X itself, or rows of X compared by a distance that scikit-learn knows by name
        or by a function of two tables that gives the matrix, such as :func:`simpson_similarity`.
    proximity : {"squared", "distance", "similarity"}, default="squared"
        What they are: dissimilarities that play the part of squared distances, distances to be squared, or
        similarities.
    conversion : {"one_minus", "gower", "neg_log", "reciprocal"}, default="one_minus"
        Similarities become ``1 - s``, ``s_ii + s_jj - 2 s_ij``, ``-log s`` or ``1 / s - 1``.
    symmetrize : bool, default=True
        Take the mean of both orders of a pair; else a matrix that is not symmetric is refused.
    correction : {"clip", "flip", "shift"} or None, default=None
        None keeps both ends. The others make the spectrum non-negative and give its ``n_positive`` leading directions,
        no negative ones: negative eigenvalues become 0 (classical scaling), change their sign, or all eigenvalues are
        raised by the lowest (constant shift embedding).
    eigen_solver : {"auto", "dense", "lanczos"}, default="auto"
        All eigenvalues, or only those at the ends, which is quicker for more than some hundred objects but leaves
        ``signature_`` and ``negative_fraction_`` unknown (None).

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_directions)
        Coordinates, positive directions first; the last column belongs to the lowest eigenvalue.
    kept_eigenvalues_ : ndarray of shape (n_directions,)
        Eigenvalue of each column, before any correction; 0 for a column of zeros.
    eigenvalues_ : ndarray
        All that were computed, from the largest to the lowest.
    signature_ : tuple of int or None
        Numbers of positive, negative and zero eigenvalues.
    negative_fraction_ : float or None
        Share of the negative ones in the sum of absolute eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.metric import PseudoEuclideanEmbedding
    >>> half, parity = np.arange(8) // 4, np.arange(8) % 2
    >>> D = 3.0 * (half[:, None] != half) - 3.0 * (parity[:, None] != parity)
    >>> model = PseudoEuclideanEmbedding(n_positive=1, n_negative=1).fit(D)
    >>> model.kept_eigenvalues_.round(6)
    array([ 6., -6.])
    >>> np.sign(model.embedding_[:, 1]).astype(int)
    array([ 1, -1,  1, -1,  1, -1,  1, -1])

    References
    ----------
    .. [1] Paper v05-0801, section 2.3.
    """

    _parameter_constraints: dict = {
        "n_positive": [Interval(Integral, 0, None, closed="left"), None],
        "n_negative": [Interval(Integral, 0, None, closed="left"), None],
        "metric": [str, callable],
        "proximity": [StrOptions({"squared", "distance", "similarity"})],
        "conversion": [StrOptions({"one_minus", "gower", "neg_log", "reciprocal"})],
        "symmetrize": ["boolean"],
        "correction": [StrOptions({"clip", "flip", "shift"}), None],
        "eigen_solver": [StrOptions({"auto", "dense", "lanczos"})],
    }

    def __init__(
        self,
        n_positive=2,
        n_negative=2,
        *,
        metric="precomputed",
        proximity="squared",
        conversion="one_minus",
        symmetrize=True,
        correction=None,
        eigen_solver="auto",
    ):
        self.n_positive = n_positive
        self.n_negative = n_negative
        self.metric = metric
        self.proximity = proximity
        self.conversion = conversion
        self.symmetrize = symmetrize
        self.correction = correction
        self.eigen_solver = eigen_solver

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Embed the objects.

        Parameters
        ----------
        X : array of shape (n_objects, n_objects) or (n_objects, n_features)
            Proximities of all pairs, or rows for the metric to compare.
        y : None
            Not used.

        Returns
        -------
        self : PseudoEuclideanEmbedding
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.n_positive == 0 and (self.n_negative == 0 or self.correction is not None):
            raise ValueError("n_positive and n_negative leave no direction to keep; ask for at least one")
        proximities = self._proximities(X, X)
        if proximities.shape[0] != proximities.shape[1]:
            raise ValueError(f"X has shape {X.shape}; proximities of all pairs make a square matrix")
        D = self._symmetric_dissimilarities(proximities)
        if self.metric != "precomputed":
            self.objects_ = X
        values, vectors, constant = self._eigenpairs(D)
        self._column_means = D.mean(axis=0)
        chosen, lengths = self._directions(values, constant)
        vectors = _with_fixed_signs(vectors[:, chosen])
        kept = np.where(lengths > 0, values[chosen], 0.0)
        self.kept_eigenvalues_ = kept
        self.embedding_ = vectors * lengths
        # A new object's row of the centred matrix, times this, extends each eigenvector to it.
        # Directions that only the shift gave a length tell nothing of new objects, which get zero there.
        told = np.abs(kept) > _NOTHING * np.abs(values).max()
        self._extension = vectors * np.divide(lengths, kept, out=np.zeros_like(kept), where=told)
        self._n_features_out = len(kept)
        return self

    def fit_transform(self, X, y=None):
        """Embed the objects and give their coordinates.

        Parameters
        ----------
        X : array of shape (n_objects, n_objects) or (n_objects, n_features)
            Proximities of all pairs, or rows for the metric to compare.
        y : None
            Not used.

        Returns
        -------
        coordinates : ndarray of shape (n_objects, n_directions)
        """
        return self.fit(X, y).embedding_

    def transform(self, X):
        """Coordinates of objects from their proximities to the fitted ones; fitted objects keep theirs.

        Parameters
        ----------
        X : array of shape (n_new, n_objects) or (n_new, n_features)
            Proximities to the fitted objects, or rows for the metric to compare.

        Returns
        -------
        coordinates : ndarray of shape (n_new, n_directions)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        D = self._dissimilarities(self._proximities(X, None), self._self_proximities)
        # -Q (d - mean of the columns) / 2: what an object's own distance to the centre adds falls out with its mean.
        centred = D - self._column_means
        centred -= centred.mean(axis=1, keepdims=True)
        return -0.5 * centred @ self._extension

    def reconstruct(self):
        """Squared dissimilarities that the kept directions stand for, an array of shape (n_objects, n_objects)."""
        check_is_fitted(self)
        signs = np.ones(len(self.kept_eigenvalues_)) if self.correction else np.sign(self.kept_eigenvalues_)
        products = (self.embedding_ * signs) @ self.embedding_.T
        own = np.diagonal(products)
        return own[:, np.newaxis] + own - 2 * products

    def _invariants(self):
        n = self.n_features_in_ if self.metric == "precomputed" else len(self.objects_)
        for name in ("_column_means", "_self_proximities"):
            yield f"{name} has a number for each object", is_array(getattr(self, name), np.float64, n)
        k = len(self.kept_eigenvalues_)
        for name in ("embedding_", "_extension"):
            yield f"{name} has a number for each object and direction", is_array(getattr(self, name), np.float64, n, k)
        if self.metric != "precomputed":
            yield "objects have the columns of X", is_array(self.objects_, np.float64, n, self.n_features_in_)
            yield "objects are numbers", finite(self.objects_)
        yield "directions are counted", self._n_features_out == k

    def _proximities(self, X, Y):
        if self.metric == "precomputed":
            return X
        Y = self.objects_ if Y is None else Y
        if callable(self.metric):
            return np.asarray(self.metric(X, Y), np.float64)
        return pairwise_distances(X, Y, metric=self.metric)

    def _symmetric_dissimilarities(self, proximities):
        scale = np.abs(proximities).max()
        if self.symmetrize:
            proximities = (proximities + proximities.T) / 2
        elif np.abs(proximities - proximities.T).max() > 1e-8 * scale:
            raise ValueError("the proximities are not symmetric; make them so or set symmetrize=True")
        self._self_proximities = np.diagonal(proximities).copy()
        D = self._dissimilarities(proximities, self._self_proximities)
        if self.proximity == "similarity" and self.conversion == "gower":
            D += self._self_proximities[:, np.newaxis]
        np.fill_diagonal(D, 0.0)
        return D

    def _dissimilarities(self, proximities, own):
        """Squared dissimilarities; under "gower" without the first object's own similarity, constant in each row."""
        if self.proximity == "squared":
            return proximities.copy()
        if self.proximity == "distance":
            return proximities**2
        if self.conversion == "one_minus":
            return 1.0 - proximities
        if self.conversion == "gower":
            return own - 2.0 * proximities
        if not (proximities > 0).all():
            raise ValueError(
                f"conversion={self.conversion!r} needs positive similarities, the lowest is {proximities.min():g}; "
                "raise those to a small number first, or use conversion='one_minus'"
            )
        return -np.log(proximities) if self.conversion == "neg_log" else 1.0 / proximities - 1.0

    def _eigenpairs(self, D):
        """Eigenpairs of ``-Q D Q / 2`` from the largest to the lowest, and which of them are the constant vector."""
        n = len(D)
        wanted = [n if number is None else min(number, n) for number in (self.n_positive, self.n_negative)]
        dense = self.eigen_solver == "dense" or (self.eigen_solver == "auto" and (n <= _SMALL or sum(wanted) > n // 10))
        if not dense and (None in (self.n_positive, self.n_negative) or sum(wanted) >= n - 1 or n < 4):
            raise ValueError(f"eigen_solver='lanczos' finds a few directions of many, not {wanted} of {n}; use 'dense'")
        if dense:
            C = D - D.mean(axis=0)
            C -= C.mean(axis=1, keepdims=True)
            C *= -0.5
            # The constant vector has eigenvalue zero, perhaps among others; lifted above all it cannot mix with them.
            values, vectors = np.linalg.eigh((C + C.T) / 2 + 2 * (np.linalg.norm(C) + np.finfo(float).tiny) / n)
            values[-1] = 0.0
            order = np.argsort(-values, kind="stable")
            values, vectors, constant = values[order], vectors[:, order], order == n - 1
            nothing = _NOTHING * np.abs(values).max()
            self.signature_ = int((values > nothing).sum()), int((values < -nothing).sum())
            self.signature_ += (n - sum(self.signature_),)
            total = np.abs(values).sum()
            self.negative_fraction_ = float(-values[values < -nothing].sum() / total) if total > 0 else 0.0
        else:
            values, vectors = _spectrum_ends(D, *wanted, self.correction)
            constant = np.abs(values) <= _NOTHING * np.abs(values).max()
            self.signature_ = self.negative_fraction_ = None
        self.eigenvalues_ = values
        return values, vectors, constant

    def _directions(self, values, constant):
        """Which eigenvectors are kept, in their order, and the lengths given to them."""
        n, nothing = len(values), _NOTHING * np.abs(values).max()
        if self.correction is None:
            positive = int((values > nothing).sum()) if self.n_positive is None else min(self.n_positive, n)
            negative = int((values < -nothing).sum()) if self.n_negative is None else min(self.n_negative, n - positive)
            chosen = np.concatenate((np.arange(positive), np.arange(n - negative, n))).astype(int)
            ahead = np.arange(len(chosen)) < positive
            signed = np.where(ahead, values[chosen], -values[chosen])
            return chosen, np.sqrt(np.where(signed > nothing, signed, 0.0))
        corrected = {
            "clip": np.maximum(values, 0.0),
            "flip": np.abs(values),
            "shift": values - min(values.min(), 0.0),
        }[self.correction]
        corrected = np.where(constant | (corrected <= nothing), 0.0, corrected)
        order = np.argsort(-corrected, kind="stable")
        chosen = order[: int((corrected > 0).sum()) if self.n_positive is None else self.n_positive]
        return chosen, np.sqrt(corrected[chosen])


def _spectrum_ends(D, n_positive, n_negative, correction):
    """A few eigenpairs from either end, without forming the centred matrix."""
    n = len(D)

    def centred_product(x):
        x = x.ravel()
        product = D @ (x - x.mean())
        return -0.5 * (product - product.mean())

    operator = LinearOperator((n, n), matvec=centred_product, dtype=np.float64)
    # A fixed start, so that two fits give the same bits.
    start = np.cos(np.arange(n) ** 2)
    sides = {"clip": [("LA", n_positive)], "flip": [("LM", n_positive)], "shift": [("LA", n_positive), ("SA", 1)]}
    values, vectors = np.empty(0), np.empty((n, 0))
    if not centred_product(start).any():
        # Nothing but zeros, from which no Krylov space grows.
        return np.zeros(n_positive + n_negative), np.eye(n, n_positive + n_negative)
    for which, number in sides.get(correction, [("LA", n_positive), ("SA", n_negative)]):
        if number > 0:
            found = eigsh(operator, k=number, which=which, v0=start)
            values, vectors = np.append(values, found[0]), np.hstack((vectors, found[1]))
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _with_fixed_signs(vectors):
    """Eigenvectors whose entry of largest size is positive; the first of those level with it to rounding."""
    sizes = np.abs(vectors)
    first = np.argmax(sizes > (1 - 1e-8) * sizes.max(axis=0), axis=0)
    return vectors * np.where(vectors[first, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
