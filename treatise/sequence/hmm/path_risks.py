"""Risks of a hidden path (Lember & Koloydenko, JMLR 15:1, sections 2 and 3)."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PathRisks:
    """Risks of one path for each sequence, each an average over its positions.

    Attributes
    ----------
    log_path : ndarray of shape (n,)
        Minus the log posterior probability of the path (the paper's R_inf bar, equation 3); Viterbi's is least.
    log_states : ndarray of shape (n,)
        Minus the log posterior probabilities of its states (R_1 bar, equation 6).
    error : ndarray of shape (n,)
        Expected share of wrong states (R_1, equation 5), or expected loss; that of posterior decoding is least.
    prior_log_path, prior_log_states, prior_error : ndarray of shape (n,)
        The same before anything is observed (equations 12, 20 and 27).
    admissible : ndarray of bool, of shape (n,)
        Whether the path is possible at all.
    """

    log_path: np.ndarray
    log_states: np.ndarray
    error: np.ndarray
    prior_log_path: np.ndarray
    prior_log_states: np.ndarray
    prior_error: np.ndarray
    admissible: np.ndarray


def path_risks(chains, paths, *, loss=None, state_labels=None):
    """Risks of given paths under a hidden Markov model.

    Use it to see what any path costs, a decoder's or the true one: how improbable it is as a whole, how many of its
    states are expected to be wrong, and whether it is possible at all. All assume that the model is right. O(T K^2),
    once for all paths of the same chains, then O(T).

    Parameters
    ----------
    chains : HiddenChains
        The model and what was observed.
    paths : array-like of int, of shape (T,)
        Numbers of the states, the sequences one after another.
    loss : array-like of shape (K,) or (K, K), or None, default=None
        Loss behind ``error`` and ``prior_error``: of missing state y, or of taking y for s in row s and column y.
        None counts errors. With ``state_labels`` it is over labels, in sorted order.
    state_labels : array-like of shape (K,) or None, default=None
        Labels of the states; only a wrong label is an error.

    Returns
    -------
    risks : PathRisks

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.sequence import HiddenChains, path_risks
    >>> chains = HiddenChains([0.5, 0.5], [[0.7, 0.3], [0.3, 0.7]], np.log([[0.9, 0.2], [0.1, 0.8], [0.9, 0.2]]))
    >>> path_risks(chains, [0, 1, 0]).error.round(3)
    array([0.27])

    References
    ----------
    .. [1] Paper v15-0001, equations 3, 5, 6, 12, 20, 27.
    """
    paths = chains.checked_paths(paths)
    lengths = np.diff(chains.offsets)
    here = np.arange(len(paths))

    def of_states(distribution):
        with np.errstate(divide="ignore"):
            surprise = -np.log(distribution[here, paths])
        return chains.per_sequence(surprise) / lengths

    expected = loss_matrix(chains.n_states, loss, state_labels)

    def of_errors(distribution):
        if loss is None and state_labels is None:
            return 1.0 - chains.per_sequence(distribution[here, paths]) / lengths
        return chains.per_sequence((distribution @ expected.T)[here, paths]) / lengths

    log_path = (chains.log_likelihood - chains.posterior_scores.path_scores(paths)) / lengths
    return PathRisks(
        log_path=log_path,
        log_states=of_states(chains.posterior),
        error=of_errors(chains.posterior),
        prior_log_path=-chains.per_sequence(_prior_scores(chains, paths)) / lengths,
        prior_log_states=of_states(chains.prior),
        prior_error=of_errors(chains.prior),
        admissible=np.isfinite(log_path),
    )


def _prior_scores(chains, paths):
    """Log-probability of each move, and of each first state."""
    scores = np.empty(len(paths))
    if chains.log_transitions.ndim == 2:
        scores[1:] = chains.log_transitions[paths[:-1], paths[1:]]
    else:
        scores[1:] = chains.log_transitions[np.arange(1, len(paths)), paths[:-1], paths[1:]]
    firsts = chains.offsets[:-1]
    scores[firsts] = chains.log_start[paths[firsts]]
    return scores


def loss_matrix(n_states, loss, state_labels):
    """Loss of answering state s where y is true, in row s and column y."""
    if state_labels is None:
        label = np.arange(n_states)
        n_labels = n_states
    else:
        names, label = np.unique(np.asarray(state_labels), return_inverse=True)
        n_labels = len(names)
        if label.shape != (n_states,):
            raise ValueError(f"state_labels must label each of the {n_states} states; its shape is {label.shape}")
    values = np.ones(n_labels) if loss is None else np.asarray(loss, np.float64)
    if values.shape not in ((n_labels,), (n_labels, n_labels)):
        kind = "states" if state_labels is None else "labels"
        raise ValueError(
            f"loss must have the shape {(n_labels,)} or {(n_labels, n_labels)} for {n_labels} {kind}; "
            f"its shape is {values.shape}"
        )
    if not ((values >= 0).all() and np.isfinite(values).all()):
        raise ValueError("loss must hold numbers that are not negative")
    if values.ndim == 1:
        values = values * (1.0 - np.eye(n_labels))
    return values[label][:, label]
