"""How an estimator takes its kernel and its objects: by name, as an object, as a function, or as a Gram matrix."""

from numbers import Integral, Real

import numpy as np
from scipy.linalg import eigvalsh
from scipy.linalg.lapack import dpotrf
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, validate_data

from treatise._core.invariants import is_array, within
from treatise._core.magnitudes import check_magnitudes
from treatise.kernels.base import Kernel, count
from treatise.kernels.gram_rows import GramRows
from treatise.kernels.vectors import KERNEL_NAMES, VectorKernel, resolve_kernel

_ROUNDING = 1e-8
"""What a Gram matrix may miss its conditions by, as a share of its largest entry or of its trace."""
_MOST_FACTORED = 4000


class KernelInputMixin:
    """The parameters ``kernel``, ``gamma``, ``degree`` and ``coef0`` of an estimator, and what follows from them.

    ``fit`` calls :meth:`_fit_objects` for the training objects in prepared form and later methods call
    :meth:`_block` for kernel values of new objects with some of those. An estimator that keeps only part of the
    objects, such as support vectors, hands that part to :meth:`_block`.

    With ``kernel="precomputed"`` the objects are positions in the training set, so ``X`` is the Gram matrix in ``fit``
    and later the matrix of kernel values between new objects (rows) and all training objects (columns).
    """

    _kernel_constraints: dict = {
        "kernel": [StrOptions({*KERNEL_NAMES, "precomputed"}), Kernel, callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale", "auto"})],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, 0, None, closed="left")],
    }
    _needs_definite = True
    """Whether a Gram matrix must be positive semi-definite; symmetric it must be anyhow."""
    _kept_as: str | None = "_support_objects"
    """Where a fitted estimator keeps the objects that new ones are compared with; None where it may keep none."""

    def _invariants(self):
        given = self.kernel == "precomputed"
        sound = self.kernel_ == "precomputed" if given else isinstance(self.kernel_, Kernel)
        yield "the kernel is a kernel, or given as a matrix", sound
        yield "objects are kept that new ones are compared with", self._kept_as is None or self._kept_as in vars(self)
        for kept in (vars(self)[name] for name in ("_support_objects", "_objects") if name in vars(self)):
            n = count(kept)
            if given:
                sound = is_array(kept, np.int64, n) and within(kept, 0, self.n_features_in_)
                yield "objects that are kept were there", sound
            else:
                yield from kept_beside(self.kernel_, kept, getattr(self, "n_features_in_", None))
            if "dual_coef_" in vars(self):
                yield "objects that are kept have their coefficients", n in self.dual_coef_.shape

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _fit_objects(self, X, *, sample_weight=None, **checks):
        """Check X, settle the kernel as ``kernel_``, and return the prepared training objects.

        ``sample_weight`` counts in ``gamma="scale"``, so that a weight of two is a second copy. ``checks`` go to
        scikit-learn's ``validate_data``; with ``y`` among them, the checked y is returned too.
        """
        structured = isinstance(self.kernel, Kernel) and self.kernel.structured
        if structured:
            self.kernel_ = self.kernel
            objects = self.kernel.prepare(X)
            return (objects, np.asarray(checks["y"])) if "y" in checks else objects
        sparse = False if self.kernel == "precomputed" else "csr"
        checked = validate_data(self, X, accept_sparse=sparse, dtype=np.float64, **checks)
        X = checked[0] if "y" in checks else checked
        if self.kernel == "precomputed":
            self.kernel_ = "precomputed"
            check_gram(X, definite=self._needs_definite)
            objects = X
        else:
            check_magnitudes(X, "X")
            # Parameters that the estimator does not offer keep the defaults of the kernel.
            offered = {name: getattr(self, name) for name in ("gamma", "degree", "coef0") if hasattr(self, name)}
            weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
            self.kernel_ = resolve_kernel(self.kernel, X, weights=weights, **offered)
            objects = self.kernel_.prepare(X)
        return (objects, checked[1]) if "y" in checks else objects

    def _gram_rows(self, objects, cache_bytes=200 << 20):
        """Rows of the Gram matrix of the training objects, for a solver."""
        if isinstance(self.kernel_, str):
            return GramRows.precomputed(objects)
        return GramRows(self.kernel_, objects, cache_bytes=cache_bytes)

    def _gram(self, objects):
        """The whole Gram matrix of the training objects, symmetric to the last bit."""
        if isinstance(self.kernel_, str):
            return objects
        gram = self.kernel_.block(objects, objects)
        return (gram + gram.T) / 2.0

    def _kept(self, objects, positions):
        """What must be stored of the training objects at ``positions``: themselves, or where they were."""
        positions = np.asarray(positions)
        return positions if isinstance(self.kernel_, str) else objects[positions]

    def _new_objects(self, X):
        """Check objects that come after ``fit``, in the form that :meth:`_block` takes."""
        if isinstance(self.kernel_, Kernel) and self.kernel_.structured:
            return self.kernel_.prepare(X)
        sparse = False if isinstance(self.kernel_, str) else "csr"
        X = validate_data(self, X, accept_sparse=sparse, dtype=np.float64, reset=False)
        return X if isinstance(self.kernel_, str) else self.kernel_.prepare(X)

    def _block(self, new_objects, kept):
        """Kernel values between new objects and those that :meth:`_kept` stored."""
        if isinstance(self.kernel_, str):
            return new_objects[:, kept]
        return self.kernel_.block(new_objects, kept)

    def _weighted_scores(self, new_objects, kept, weights, *, block_bytes=64 << 20):
        """``sum_i weights_i k(kept_i, x)`` for all new objects, a block of them at a time."""
        n = count(new_objects)
        scores = np.empty((n, *np.shape(weights)[1:]))
        width = max(1, block_bytes // (8 * max(1, len(weights))))
        for start in range(0, n, width):
            scores[start : start + width] = self._block(new_objects[start : start + width], kept) @ weights
        return scores


def kept_beside(kernel, kept, n_columns):
    """What holds of prepared objects that are stored beside their kernel: it takes them, and rows are as wide as X."""
    n = count(kept)
    yield "the objects that are kept are such as the kernel takes", kernel.block(kept[:1], kept).shape == (min(n, 1), n)
    if isinstance(kernel, VectorKernel):
        rows = getattr(kept, "objects", kept)
        yield "rows that are kept have the columns of X", rows.shape == (n, n_columns)


def check_gram(gram, *, definite=True):
    """Refuse a matrix that cannot be a Gram matrix, naming what is at fault.

    Squareness, symmetry, the diagonal and every pair of objects are always looked at; beyond that, up to 4 000 objects,
    the whole spectrum by one factorisation.

    Parameters
    ----------
    gram : ndarray
        The matrix.
    definite : bool, default=True
        Whether it must be positive semi-definite, and not only square and symmetric.
    """
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1]:
        raise ValueError(f"a precomputed kernel must be a square matrix; it has shape {gram.shape}")
    diagonal = np.diagonal(gram)
    if definite and np.any(diagonal < 0):
        i = int(np.argmin(diagonal))
        raise ValueError(f"a kernel of an object with itself is never negative; entry ({i}, {i}) is {gram[i, i]:g}")
    largest = max(np.abs(gram).max(initial=0.0), np.finfo(float).tiny)
    lengths = np.sqrt(np.maximum(diagonal, 0.0))
    for start in range(0, len(gram), 512):
        rows = gram[start : start + 512]
        _refuse_entry(
            np.abs(rows - gram[:, start : start + 512].T) - _ROUNDING * largest,
            start,
            lambda i, j: (
                f"must be symmetric; entry ({i}, {j}) is {gram[i, j]:g} and entry ({j}, {i}) is {gram[j, i]:g}"
            ),
        )
        if not definite:
            continue
        _refuse_entry(
            np.abs(rows) - np.outer(lengths[start : start + 512], lengths) - _ROUNDING * largest,
            start,
            lambda i, j: (
                f"must be positive semi-definite; entry ({i}, {j}) is {gram[i, j]:g}, more than the lengths of the two "
                f"objects allow, {lengths[i] * lengths[j]:g}"
            ),
        )
    if definite and len(gram) <= _MOST_FACTORED:
        shifted = gram + _ROUNDING * max(diagonal.sum(), np.finfo(float).tiny) * np.eye(len(gram))
        if dpotrf(shifted, lower=1, overwrite_a=1)[1] > 0:
            smallest = float(eigvalsh(gram, subset_by_index=[0, 0])[0])
            raise ValueError(
                f"a precomputed kernel must be positive semi-definite; its smallest eigenvalue is {smallest:g}. Clip "
                "the spectrum at zero, or use a method for indefinite similarities"
            )


def _refuse_entry(excess, first_row, complaint):
    if excess.size and excess.max() > 0:
        i, j = np.unravel_index(np.argmax(excess), excess.shape)
        raise ValueError(f"a precomputed kernel {complaint(int(i) + first_row, int(j))}")
