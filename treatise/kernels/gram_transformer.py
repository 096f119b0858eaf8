"""Objects described by their kernels with the training objects: a kernel as a step of a pipeline."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise.kernels.base import Kernel, count
from treatise.kernels.input import kept_beside
from treatise.kernels.vectors import Gaussian


class GramTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Turns objects into their kernel values with the training objects.

    Any kernel, of strings or distributions too, then feeds an estimator that takes ``kernel="precomputed"``, inside a
    pipeline, a cross-validation or a grid search over the kernel's own parameters. Do not use it where the estimator
    takes the kernel itself, which then computes only the rows it needs: the cost here is all n m values.

    Parameters
    ----------
    kernel : Kernel or None, default=None
        The kernel; None is ``Gaussian()``.

    Attributes
    ----------
    objects_ : prepared objects
        What the kernel keeps of the training objects.
    n_features_in_ : int
        Number of features seen, for kernels of rows.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> from treatise.kernels import Gaussian, GramTransformer
    >>> model = make_pipeline(GramTransformer(Gaussian(0.5)), SVC(kernel="precomputed"))
    >>> model.fit([[0.0], [1.0], [4.0], [5.0]], ["near", "near", "far", "far"]).predict([[4.5]])
    array(['far'], dtype='<U4')
    """

    _parameter_constraints: dict = {"kernel": [Kernel, None]}

    def __init__(self, kernel=None):
        self.kernel = kernel

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Keep the training objects.

        Parameters
        ----------
        X : collection of objects
            Whatever the kernel reads.
        y : None
            Not used.

        Returns
        -------
        self : GramTransformer
        """
        self.kernel_ = Gaussian() if self.kernel is None else self.kernel
        self.objects_ = self.kernel_.prepare(self._checked(X, reset=True))
        return self

    def transform(self, X):
        """Kernel values of objects with the training objects.

        Parameters
        ----------
        X : collection of objects
            Objects to describe.

        Returns
        -------
        K : ndarray of shape (n_objects, n_training_objects)
        """
        check_is_fitted(self)
        return np.ascontiguousarray(
            self.kernel_.block(self.kernel_.prepare(self._checked(X, reset=False)), self.objects_)
        )

    def _invariants(self):
        yield "there is a kernel", isinstance(self.kernel_, Kernel)
        yield from kept_beside(self.kernel_, self.objects_, getattr(self, "n_features_in_", None))

    @property
    def _n_features_out(self):
        return count(self.objects_)

    def _checked(self, X, reset):
        if self.kernel_.structured:
            return X
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
