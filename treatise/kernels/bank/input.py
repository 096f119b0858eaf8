"""How an estimator takes many kernels: by a rule, as a list, or as a stack of Gram matrices."""

from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _num_samples, validate_data

from treatise._core.invariants import all_alike, finite, is_array, within
from treatise.kernels.bank._families import KernelFamilies
from treatise.kernels.bank.bank import NORMALIZATIONS, KernelBank
from treatise.kernels.base import Kernel
from treatise.kernels.columns import OnColumns
from treatise.kernels.vectors import KERNEL_NAMES, Gaussian, kernel_gamma, resolve_kernel

_WIDTH_STEPS = range(-3, 4)
"""Powers of four of the width's inverse around the one that fits the scale of the data."""


class KernelBankInputMixin:
    """The parameters ``kernels``, ``normalize`` and ``memory_bytes`` of an estimator, and what follows from them.

    ``kernels`` is "widths" (Gaussian kernels of seven widths), "features" (a Gaussian kernel of every feature), a list
    of kernels (objects, names, functions of two tables), or "precomputed". Precomputed kernels come as a list of Gram
    matrices, or as one array of shape (n_samples, n_samples, n_kernels), which cross-validation can slice; new objects
    as a list of matrices, or one array, of their kernels with all training objects.
    """

    _bank_constraints: dict = {
        "kernels": [StrOptions({"widths", "features", "precomputed"}), list, tuple],
        "normalize": [StrOptions(set(NORMALIZATIONS)), None],
        "memory_bytes": [Interval(Integral, 1, None, closed="left")],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.kernels, str) and self.kernels == "precomputed"
        tags.input_tags.sparse = not precomputed
        tags.input_tags.pairwise = precomputed
        return tags

    def _fit_bank(self, X, *, weights=None, **checks):
        """Check X, settle the kernels as ``kernels_``, and return their bank and, if it is among the checks, y."""
        if self._is_precomputed:
            grams = gram_matrices(X)
            y = np.asarray(checks["y"]) if "y" in checks else None
            if y is not None and len(y) != len(grams[0]):
                raise ValueError(f"y is of {len(y)} objects, the Gram matrices of {len(grams[0])}")
            self.kernels_, self.n_features_in_ = "precomputed", len(grams[0])
            bank = KernelBank.precomputed(grams, normalize=self.normalize, weights=weights)
            return (bank, y) if "y" in checks else bank
        if self._structured:
            rows, y = X, np.asarray(checks["y"]) if "y" in checks else None
            if y is not None and len(y) != len(X):
                raise ValueError(f"y is of {len(y)} objects, X of {len(X)}")
        else:
            checked = validate_data(self, X, accept_sparse="csr", dtype=np.float64, **checks)
            rows, y = checked if "y" in checks else (checked, None)
        self.kernels_ = self._resolved(rows, weights)
        bank = KernelBank(
            self.kernels_, rows, normalize=self.normalize, weights=weights, memory_bytes=self.memory_bytes
        )
        return (bank, y) if "y" in checks else bank

    @property
    def _is_precomputed(self):
        return isinstance(self.kernels, str) and self.kernels == "precomputed"

    @property
    def _structured(self):
        return not isinstance(self.kernels, str) and any(
            isinstance(kernel, Kernel) and kernel.structured for kernel in self.kernels
        )

    def _resolved(self, X, weights):
        if isinstance(self.kernels, str):
            if self.kernels == "widths":
                middle = kernel_gamma("scale", X, weights)
                return [Gaussian(middle * 4.0**step) for step in _WIDTH_STEPS]
            columns = range(X.shape[1])
            return [OnColumns(Gaussian(kernel_gamma("scale", X[:, [j]], weights)), [j]) for j in columns]
        if len(self.kernels) == 0:
            raise ValueError("kernels is empty; give at least one kernel")
        for kernel in self.kernels:
            if not (isinstance(kernel, Kernel) or callable(kernel) or kernel in KERNEL_NAMES):
                raise ValueError(
                    f"kernels holds {kernel!r}; it may hold Kernel objects, functions and {', '.join(KERNEL_NAMES)}"
                )
        return [resolve_kernel(kernel, X, weights=weights) for kernel in self.kernels]

    def _keep(self, bank, positions):
        """Store what later scores need of the bank: the training objects at ``positions``, or where they were."""
        self._scales = bank.scales
        self._kept_kernels = None if bank.families is None else bank.families.kernels
        self._kept_objects = positions if bank.families is None else bank.families.take(bank.objects, positions)

    def _invariants(self):
        kernels = self._kept_kernels
        yield "kernels have scales", is_array(self._scales, np.floating, len(self._scales)) and finite(self._scales)
        if kernels is None:
            sound = is_array(self._kept_objects, np.integer, None) and within(
                self._kept_objects, 0, self.n_features_in_
            )
            yield "objects that are kept were there", sound
        else:
            yield "kernels are kernels", all_alike(kernels, Kernel) and len(kernels) == len(self._scales)
            families, kept = KernelFamilies(kernels), self._kept_objects
            yield "every family keeps its objects", len(kept) == len(families.members)
            n = families.count(kept)
            for _, block in families.blocks([part[:1] for part in kept], kept):
                yield "the objects are such as the kernels take", block.shape == (min(n, 1), n)

    def _mixture_scores(self, X, coef, weights):
        """``sum_m weights[k, m] sum_i coef[i, k] k_m(kept_i, x)`` for new objects, of shape (n, n_machines)."""
        blocks, n = self._new_blocks(X)
        factors = weights * self._scales
        scores = np.zeros((n, coef.shape[1]))
        for rows, m, block in blocks:
            used = np.flatnonzero(factors[:, m])
            if len(used):
                scores[rows[:, None], used] += (block @ coef[:, used]) * factors[used, m]
        return scores

    def _new_blocks(self, X, chunk_bytes=32 << 20):
        """Blocks of new objects with the kept ones, as (positions of the new ones, kernel, block), and their number."""
        if self._kept_kernels is None:
            matrices = gram_matrices(X)
            if len(matrices) != len(self._scales) or matrices[0].shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X holds {len(matrices)} matrices of {matrices[0].shape[1]} columns; {type(self).__name__} was "
                    f"fitted to {len(self._scales)} kernels of {self.n_features_in_} objects"
                )
            everything = np.arange(len(matrices[0]))
            pairs = ((everything, m, matrix[:, self._kept_objects]) for m, matrix in enumerate(matrices))
            return pairs, len(everything)
        if not self._structured:
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        families = KernelFamilies(self._kept_kernels)
        objects, n = families.prepare(X), _num_samples(X)
        width = int(np.clip(chunk_bytes // (8 * max(1, families.count(self._kept_objects))), 1, 4096))

        def blocks():
            for start in range(0, n, width):
                rows = np.arange(start, min(start + width, n))
                for m, block in families.blocks(families.take(objects, rows), self._kept_objects):
                    yield rows, m, block

        return blocks(), n


def gram_matrices(X):
    """Matrices out of a list of them, or out of an array with the kernels along its last axis."""
    if isinstance(X, (list, tuple)):
        matrices = [np.asarray(matrix, np.float64) for matrix in X]
    else:
        array = np.asarray(X, np.float64)
        if array.ndim != 3:
            raise ValueError(
                f"precomputed kernels come as a list of matrices or as an array of shape (n_samples, n_samples, "
                f"n_kernels); X has shape {array.shape}"
            )
        matrices = list(np.moveaxis(array, -1, 0))
    if not matrices:
        raise ValueError("X holds no Gram matrix; give at least one")
    for number, matrix in enumerate(matrices):
        if matrix.ndim != 2 or matrix.shape != matrices[0].shape:
            raise ValueError(f"matrix {number} has shape {matrix.shape}, the first one {matrices[0].shape}")
        if not np.isfinite(matrix).all():
            raise ValueError(f"matrix {number} of the precomputed kernels contains NaN or infinity")
    return matrices
