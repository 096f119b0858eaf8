"""What all that end with a mixture of hidden Markov models share: the centres as arrays, and what they say."""

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array, within
from treatise.bayes.hmm_clustering._packed import PackedHMMs
from treatise.bayes.hmm_clustering.fitting import checked_sequences


class HMMCenters:
    """Fitted centres, kept as arrays; ``centers_`` has them as models."""

    @property
    def centers_(self):
        """The centres as a list of :class:`treatise.inference.MixtureHMM`."""
        check_is_fitted(self)
        return self._packed_centers().models()

    def sequence_log_likelihood(self, sequences):
        """Log-likelihood of each sequence under each centre.

        Parameters
        ----------
        sequences : list of array-like of shape (length, d)
            What was observed.

        Returns
        -------
        log_likelihood : ndarray of shape (n_sequences, n_clusters)
        """
        parts, centers = self._known_sequences(sequences), self.centers_
        return np.column_stack([center.log_likelihood(parts) for center in centers])

    def score_sequences(self, sequences):
        """Log-likelihood of each sequence under the mixture of the centres.

        Parameters
        ----------
        sequences : list of array-like of shape (length, d)
            What was observed.

        Returns
        -------
        log_likelihood : ndarray of shape (n_sequences,)
        """
        found = self.sequence_log_likelihood(sequences)
        with np.errstate(divide="ignore"):
            return logsumexp(found + np.log(self.weights_), axis=1)

    def _known_sequences(self, sequences):
        """Checked sequences with the columns of the fit."""
        parts = checked_sequences(sequences)
        if parts[0].shape[1] != self.n_features_in_:
            raise ValueError(f"sequences have {parts[0].shape[1]} columns; the fit had {self.n_features_in_}")
        return parts

    def _packed_centers(self):
        return PackedHMMs(self.start_, self.transitions_, self.component_weights_, self.means_, self.covariances_)

    def _keep_centers(self, centers, weights):
        self.start_, self.transitions_, self.component_weights_, self.means_, self.covariances_ = centers
        self.weights_ = weights
        self.n_features_in_ = centers.means.shape[3]

    def _invariants(self):
        K = len(self.weights_)
        S, M, d = self.means_.shape[1:]
        yield "there are centres", K > 0
        yield "centres have weights", is_array(self.weights_, np.float64, K) and within(self.weights_, 0, 1.001)
        yield "centres have first states", _are_chances(self.start_, K, S)
        yield "centres have moves", _are_chances(self.transitions_, K, S, S)
        yield "states have weights of components", _are_chances(self.component_weights_, K, S, M)
        yield "components have means", is_array(self.means_, np.float64, K, S, M, d) and finite(self.means_)
        shape = (K, S, M, d) if self.covariances_.ndim == 4 else (K, S, M, d, d)
        kept = is_array(self.covariances_, np.float64, *shape) and finite(self.covariances_)
        yield "components have covariances", kept
        # Of a diagonal, or the eigenvalues: either says whether there is a density.
        spreads = self.covariances_ if self.covariances_.ndim == 4 else np.linalg.eigvalsh(self.covariances_)
        yield "components have a density", within(spreads, np.finfo(float).tiny, np.inf)
        yield "columns are those of the means", self.n_features_in_ == d


def _are_chances(values, *shape):
    sums = np.asarray(values).sum(axis=-1)
    return is_array(values, np.float64, *shape) and within(values, 0, 1.001) and bool((np.abs(sums - 1) < 1e-6).all())
