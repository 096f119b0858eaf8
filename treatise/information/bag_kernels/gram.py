"""Kernels of bags of rows, for kernel machines on distributions."""

import numpy as np

from treatise.information._estimator import named
from treatise.information.bag_kernels.estimators import ExpectedKernel
from treatise.kernels import Kernel


class BagKernel(Kernel):
    """Kernel of bags: each object is a sample of rows, and the kernel one between their distributions.

    Use it to classify or regress groups of measurements, with :class:`treatise.kernels.GramTransformer` and any machine
    that takes ``kernel="precomputed"``. Estimates from few rows need not be positive semi-definite;
    :func:`treatise.kernels.positive_definiteness` tells. Costs one estimate for each pair of bags.

    Parameters
    ----------
    method : str or estimator, default="bhattacharyya_knn"
        The kernel between distributions: a name that :func:`list_estimators` gives for "distribution_kernel", or an
        estimator of one. "expected" needs an estimator with a ``kernel`` of rows, whose width must be one for all.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.information import BagKernel
    >>> from treatise.information.bag_kernels import ExpectedKernel
    >>> from treatise.kernels import Linear
    >>> bags = [np.array([[1.0], [3.0]]), np.array([[4.0], [6.0]])]
    >>> BagKernel(ExpectedKernel(Linear()))(bags)
    array([[ 4., 10.],
           [10., 25.]])
    """

    structured = True

    def __init__(self, method="bhattacharyya_knn"):
        self.method = method

    def prepare(self, X):
        """Check each bag: a list of arrays of shape (n_rows, n_features)."""
        estimator = self._estimator()
        bags = np.empty(len(X), dtype=object)
        for i, bag in enumerate(X):
            bags[i] = estimator._prepare(bag, f"bag {i}")
        return bags

    def block(self, A, B):
        """Kernel values between two collections of bags."""
        estimator = self._estimator()
        return np.array([[self._value(estimator, a, b) for b in B] for a in A]).reshape(len(A), len(B))

    def diagonal(self, A):
        """Kernel values of bags with themselves."""
        estimator = self._estimator()
        return np.array([estimator.self_value(bag) for bag in A])

    def _estimator(self):
        estimator = named("distribution_kernel", self.method, {})
        if isinstance(estimator, ExpectedKernel) and estimator.kernel is None:
            raise ValueError(
                "the expected kernel needs one kernel of rows for all bags: give ExpectedKernel(Gaussian(gamma)), with "
                "median_gamma(np.vstack(bags)) for gamma if nothing better is known"
            )
        return estimator

    @staticmethod
    def _value(estimator, a, b):
        return estimator.self_value(a) if a is b else estimator.estimate(a, b)
