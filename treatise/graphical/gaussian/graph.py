"""What learners of Gaussian graphs share: the likelihood of rows, and partial correlations as weights of edges."""

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import is_array
from treatise.graphical.gaussian.criteria import gaussian_log_likelihood
from treatise.graphical.graph import UndirectedGraphMixin


class GaussianGraphMixin(UndirectedGraphMixin):
    """Common face of the learners that set ``precision_`` and ``location_``."""

    def score(self, X, y=None):
        """Mean log-likelihood of new rows; minus infinity where the estimate is not positive definite.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored.

        Returns
        -------
        score : float
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False) - self.location_
        return gaussian_log_likelihood(X.T @ X / len(X), self.precision_)

    def _invariants(self):
        p = self.n_features_in_
        yield "columns have a location", is_array(self.location_, np.floating, p)
        yield "the precision is of the columns", is_array(self.precision_, np.floating, p, p)

    def _set_gaussian_graph(self, precision, adjacency=None):
        """Keep the graph of a precision matrix, its edges weighted by partial correlations."""
        root = np.sqrt(np.maximum(np.diag(precision), np.finfo(float).tiny))
        self._set_graph(np.where(precision != 0, -precision / np.outer(root, root), 0.0), adjacency)
