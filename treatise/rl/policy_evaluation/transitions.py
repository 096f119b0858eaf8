"""What a method of policy evaluation learns from: features before and after a step, a reward, a ratio of policies."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from treatise._core.magnitudes import check_magnitudes
from treatise.rl.processes.markov_chain import checked_rows


class Transitions(NamedTuple):
    """Steps in the order in which they were made, as the estimators' ``fit`` takes them.

    Attributes
    ----------
    features, next_features : ndarray or csr_array of shape (n_steps, n_features)
        Of the state that a step leaves and of the one that it reaches.
    rewards : ndarray of shape (n_steps,)
        What was earned.
    ratios : ndarray of shape (n_steps,)
        Probability of the action under the policy to be judged, divided by that under the policy that acted.
    starts : ndarray of bool of shape (n_steps,)
        True where an episode begins.
    ends : ndarray of bool of shape (n_steps,)
        True where a step ends an episode for good, so that nothing is earned beyond it.
    """

    features: np.ndarray
    rewards: np.ndarray
    next_features: np.ndarray
    ratios: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


def transitions_of(trajectory, features, *, target=None, behaviour=None):
    """The steps of a run through a finite decision process, with the features of its states.

    Parameters
    ----------
    trajectory : Trajectory
        From :meth:`FiniteMDP.sample`.
    features : array-like of shape (n_states, n_features)
        A row for each state.
    target, behaviour : array-like of shape (n_states, n_actions) or None, default=None
        Probabilities of actions under the policy to be judged and under the one that acted; without them they are the
        same.

    Returns
    -------
    transitions : Transitions

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, LSTD, transitions_of
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> run = mdp.sample(np.ones((2, 1)), 100_000, random_state=0)
    >>> LSTD(discount=0.8).fit(*transitions_of(run, np.eye(2))).coef_.round(1) + 0.0
    array([0., 2.])
    """
    features = np.ascontiguousarray(features, dtype=np.float64)
    highest = max(trajectory.states.max(initial=0), trajectory.next_states.max(initial=0))
    if features.ndim != 2 or len(features) <= highest:
        raise ValueError(f"features have the shape {features.shape}; state {highest} needs a row of its own")
    if (target is None) != (behaviour is None):
        raise ValueError("give both policies, or none where the run followed the policy to be judged")
    ratios = np.ones(len(trajectory))
    if target is not None:
        target, behaviour = checked_rows("target", target), checked_rows("behaviour", behaviour)
        if target.ndim != 2 or target.shape != behaviour.shape or len(target) != len(features):
            raise ValueError(
                f"target has the shape {target.shape} and behaviour {behaviour.shape}; give both a row for each of the "
                f"{len(features)} states, a column for each action"
            )
        acted = behaviour[trajectory.states, trajectory.actions]
        if (acted <= 0.0).any():
            where = int(np.argmax(acted <= 0.0))
            raise ValueError(f"step {where} took an action that the behaviour policy never takes")
        ratios = target[trajectory.states, trajectory.actions] / acted
    return Transitions(
        features[trajectory.states], np.asarray(trajectory.rewards, dtype=np.float64),
        features[trajectory.next_states], ratios, trajectory.starts, trajectory.ends,
    )  # fmt: skip


def checked_transitions(features, rewards, next_features, ratios, starts, ends, *, first, takes_sparse=False):
    """Transitions whose arrays belong together; features beyond an end are zero. ``first``: nothing was seen before."""
    features = checked_features("features", features, takes_sparse)
    next_features = checked_features("next_features", next_features, takes_sparse)
    if sparse.issparse(features) or sparse.issparse(next_features):
        features, next_features = (sparse.csr_array(both) for both in (features, next_features))
    n = features.shape[0]
    if next_features.shape != features.shape:
        raise ValueError(
            f"next_features have the shape {next_features.shape} and features {features.shape}; give the features of "
            "the state that each step reaches"
        )
    rewards = checked_rewards(rewards, n)
    ratios = np.ones(n) if ratios is None else checked_ratios(ratios, n)
    ends = np.zeros(n, dtype=bool) if ends is None else checked_flags("ends", ends, n)
    starts = np.zeros(n, dtype=bool) if starts is None else checked_flags("starts", starts, n).copy()
    starts[1:] |= ends[:-1]
    if first:
        starts[0] = True
    if ends.any() and sparse.issparse(next_features):
        next_features = sparse.csr_array(sparse.diags_array(1.0 - ends) @ next_features)
    elif ends.any():
        next_features = np.where(ends[:, np.newaxis], 0.0, next_features)
    return Transitions(features, rewards, next_features, ratios, starts, ends)


def checked_features(name, values, takes_sparse=False):
    """Finite numbers in rows that follow each other in memory, or sparse rows where those are taken."""
    values = check_array(values, accept_sparse="csr" if takes_sparse else False, dtype=np.float64, input_name=name)
    check_magnitudes(values, name)
    if not sparse.issparse(values):
        return np.ascontiguousarray(values)
    values.check_format(full_check=True)  # compiled passes follow the indices without looking
    return values


def checked_column(name, values, n):
    """One finite number for each step."""
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"{name} have the shape {values.shape}; give one for each of the {n} steps")
    if not np.isfinite(values).all():
        where = int(np.argmax(~np.isfinite(values)))
        raise ValueError(f"{name} hold {values[where]} at step {where}; all must be finite")
    return values


def checked_rewards(values, n, name="rewards"):
    """One reward for each step, in a unit in which its square is finite."""
    values = checked_column(name, values, n)
    check_magnitudes(values, name)
    return values


def checked_ratios(values, n):
    """Ratios of probabilities: finite, none negative."""
    values = checked_column("ratios", values, n)
    if (values < 0.0).any():
        where = int(np.argmax(values < 0.0))
        raise ValueError(f"ratios hold {values[where]:g} at step {where}; a ratio of probabilities is at least 0")
    return values


def checked_flags(name, values, n):
    """One truth value for each step."""
    values = np.asarray(values)
    if values.shape != (n,) or not (values.dtype == bool or np.isin(values, (0, 1)).all()):
        raise ValueError(f"{name} have the shape {values.shape}; give True or False for each of the {n} steps")
    return values.astype(bool)


def warn_of_heavy_traces(ratios, factor):
    """Tell where products of ratios along a trace have no variance: estimates then rest on few steps."""
    growth = factor * factor * float(np.mean(ratios**2))
    if growth >= 1.0 and ratios.max() > 1.0:
        warnings.warn(
            f"the squares of importance weights grow along a trace (by {growth:.3g} a step): the estimate has no "
            "finite variance; take a smaller trace_decay",
            stacklevel=4,
        )
