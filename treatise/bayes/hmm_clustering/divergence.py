"""How far hidden Markov models are apart, without drawing from them (Hershey, Olsen & Rennie; JMLR 15:697)."""

from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval, validate_params

from treatise.bayes.hmm_clustering._packed import packed
from treatise.bayes.hmm_clustering._pairs import own_bounds, pair_bounds

_RULES = {
    "base": "no_validation",
    "others": "no_validation",
    "tau": [Interval(Integral, 1, None, closed="left")],
}


@validate_params(_RULES, prefer_skip_nested_validation=True)
def hmm_expected_log_likelihood(base, others, tau=10):
    """Lower bound on the expected log-likelihood of sequences of one model under another, for all pairs.

    ``E_i[log p_j(y)]`` over sequences of ``tau`` observations from model i has no closed form; this bound has, at
    O(S^2 (M^2 d^2 + tau S)) a pair of models of S states and M components. It is loose where states overlap, also for a
    model with itself. Use it to compare models; where the value itself counts, draw sequences.

    Parameters
    ----------
    base, others : lists of hidden Markov models
        Models of vectors: :class:`treatise.inference.MixtureHMM`, :class:`treatise.sequence.HMM`, or hmmlearn's.
    tau : int, default=10
        Length of the sequences.

    Returns
    -------
    bounds : ndarray of shape (n_base, n_others)

    Examples
    --------
    >>> from treatise.bayes import hmm_expected_log_likelihood
    >>> from treatise.inference import MixtureHMM
    >>> near, far = (
    ...     MixtureHMM([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[1.0], [1.0]], [[[0.0]], [[m]]], [[[1.0]], [[1.0]]])
    ...     for m in (4.0, 8.0)
    ... )
    >>> hmm_expected_log_likelihood([near, far], [near, far], tau=5).round(2)
    array([[ -9.09, -27.82],
           [-29.09,  -9.09]])

    References
    ----------
    .. [1] Paper v15-0697, equation 37.
    """
    return pair_bounds(packed(base), packed(others), tau)


@validate_params(_RULES, prefer_skip_nested_validation=True)
def hmm_kl(base, others=None, tau=10):
    """Approximate Kullback-Leibler divergences between hidden Markov models: ``L_ii - L_ij``.

    The difference of two bounds: zero between a model and itself, but neither a bound nor always positive where states
    overlap. Divide by ``tau`` for a rate. Cost as for :func:`hmm_expected_log_likelihood`.

    Parameters
    ----------
    base : list of hidden Markov models
        Those that sequences come from.
    others : list of hidden Markov models or None, default=None
        Those that judge them; None is all of ``base``.
    tau : int, default=10
        Length of the sequences.

    Returns
    -------
    divergences : ndarray of shape (n_base, n_others)

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import hmm_kl
    >>> from treatise.inference import MixtureHMM
    >>> one = MixtureHMM([1.0], [[1.0]], [[1.0]], [[[0.0]]], [[[1.0]]])
    >>> two = MixtureHMM([1.0], [[1.0]], [[1.0]], [[[2.0]]], [[[1.0]]])
    >>> hmm_kl([one, two], tau=3)
    array([[0., 6.],
           [6., 0.]])

    References
    ----------
    .. [1] Paper v15-0697, section 4.2 (the divergence behind the assignments).
    """
    first = packed(base)
    bounds = pair_bounds(first, first if others is None else packed(others), tau)
    own = np.diagonal(bounds) if others is None else own_bounds(first, tau)
    return own[:, np.newaxis] - bounds
