"""What an expert's behaviour earns of each feature, from a policy exactly or from recorded runs."""

from typing import NamedTuple

import numpy as np

from treatise.rl.inverse._first_visit_loops import first_visit_weights
from treatise.rl.processes.controller import FiniteStateController, belief_key


class ExpertExpectations(NamedTuple):
    """Discounted features that follow, at beliefs of the expert; the first is where it begins."""

    beliefs: np.ndarray
    """Of shape (n_beliefs, n_states)."""
    expected: np.ndarray
    """Of shape (n_beliefs, n_features)."""


def checked_features(features, process):
    """Features of shape (n_states, n_actions, n_features); None has one for each action in each state.

    Parameters
    ----------
    features : array-like of shape (n_states, n_actions, n_features) or None
        Numbers from 0 to 1.
    process : FiniteMDP
        Whose states and actions they are for.

    Returns
    -------
    features : ndarray of shape (n_states, n_actions, n_features)
    """
    size = process.n_states, process.n_actions
    if features is None:
        return np.eye(size[0] * size[1]).reshape(*size, -1)
    features = np.asarray(features, dtype=np.float64)
    if features.ndim != 3 or features.shape[:2] != size or not features.shape[2]:
        raise ValueError(f"features have the shape {features.shape}; give ({size[0]}, {size[1]}, n_features)")
    if not (np.isfinite(features).all() and features.min() >= 0.0 and features.max() <= 1.0):
        raise ValueError("features hold a number that is not between 0 and 1; scale them")
    return features


def expert_of_pomdp(pomdp, expert, features):
    """Expectations of a controller or of runs, at all beliefs met.

    Parameters
    ----------
    pomdp : FinitePOMDP
        The process.
    expert : FiniteStateController or list of (actions, observations)
        Who is to be explained.
    features : ndarray of shape (n_states, n_actions, n_features)
        Features.

    Returns
    -------
    expectations : ExpertExpectations
    """
    if isinstance(expert, FiniteStateController):
        visits = expert.visited_beliefs(pomdp)
        values = expert.values(pomdp, np.moveaxis(features, 2, 0))
        return ExpertExpectations(visits.beliefs, np.einsum("bs,fbs->bf", visits.beliefs, values[:, visits.nodes]))
    follow = _Beliefs(pomdp)
    runs = [follow.run(place, *run) for place, run in enumerate(checked_runs(expert, "observations"))]
    beliefs = np.array(follow.beliefs)
    done = np.einsum("bs,saf->baf", beliefs, features).reshape(-1, features.shape[2])
    return ExpertExpectations(beliefs, _first_visits(runs, pomdp, len(beliefs)) @ done)


def expert_of_mdp(mdp, expert, features):
    """Expectations of a policy or of runs, from the start on.

    Parameters
    ----------
    mdp : FiniteMDP
        The process.
    expert : array-like of int of shape (n_states,) or list of (states, actions)
        Who is to be explained.
    features : ndarray of shape (n_states, n_actions, n_features)
        Features.

    Returns
    -------
    expected : ndarray of shape (n_features,)
    """
    if not is_list_of_runs(expert):
        return policy_expectation(mdp, expert, features)
    total = np.zeros(features.shape[2])
    runs = checked_runs(expert, "actions")
    for states, actions in runs:
        if min(states.min(), actions.min()) < 0 or states.max() >= mdp.n_states or actions.max() >= mdp.n_actions:
            raise ValueError(f"a run names a state or an action beyond the {mdp.n_states} and {mdp.n_actions} known")
        total += mdp.discount ** np.arange(len(states)) @ features[states, actions]
    return total / len(runs)


def policy_expectation(mdp, policy, features):
    """Expected discounted features of a policy for states that are seen, exactly.

    Parameters
    ----------
    mdp : FiniteMDP
        The process.
    policy : array-like of int of shape (n_states,)
        Its action in each state.
    features : ndarray of shape (n_states, n_actions, n_features)
        Features.

    Returns
    -------
    expected : ndarray of shape (n_features,)
    """
    probabilities = mdp.checked_policy(policy)
    chain = np.einsum("sa,ast->st", probabilities, mdp.transitions)
    visits = np.linalg.solve(np.eye(mdp.n_states) - mdp.discount * chain.T, mdp.start)
    return np.einsum("s,sa,saf->f", visits, probabilities, features)


def is_list_of_runs(expert):
    """Whether an expert is told by recorded runs: pairs of sequences."""
    if not isinstance(expert, list | tuple) or not len(expert):
        return False
    return all(isinstance(run, list | tuple) and len(run) == 2 and np.ndim(run[0]) == 1 for run in expert)


def checked_runs(runs, second):
    """Runs as pairs of arrays of whole numbers; ``second`` names what the second holds."""
    if not is_list_of_runs(runs):
        raise ValueError(f"the expert is neither a policy nor a list of runs, each a pair of sequences with {second}")
    checked = []
    for place, run in enumerate(runs):
        pair = [np.asarray(part) for part in run]
        if len(pair[0]) != len(pair[1]) or not len(pair[0]):
            raise ValueError(f"run {place} has {len(pair[0])} and {len(pair[1])} entries; give as many, at least one")
        if not all(np.issubdtype(part.dtype, np.integer) for part in pair):
            raise ValueError(f"run {place} holds what is no whole number; give the numbers of actions and {second}")
        checked.append(tuple(part.astype(np.int64) for part in pair))
    return checked


class _Beliefs:
    """Beliefs along runs; each is computed once."""

    def __init__(self, pomdp):
        self._pomdp = pomdp
        self.beliefs = [pomdp.start]
        self._places = {belief_key(pomdp.start): 0}
        self._after = {}

    def run(self, place, actions, observations):
        """Numbers of the beliefs before each action of a run, and the actions."""
        pomdp = self._pomdp
        if min(actions.min(), observations.min()) < 0 or actions.max() >= pomdp.n_actions:
            raise ValueError(f"run {place} names an action beyond the {pomdp.n_actions} known, or a negative number")
        if observations.max() >= pomdp.n_observations:
            raise ValueError(f"run {place} names observation {observations.max()}; there are {pomdp.n_observations}")
        met = np.empty(len(actions), dtype=np.int64)
        belief = 0
        for step, (action, seen) in enumerate(zip(actions.tolist(), observations.tolist())):
            met[step] = belief
            after = self._after.get((belief, action, seen))
            if after is None:
                after = self._after[belief, action, seen] = self._update(belief, action, seen, place, step)
            belief = after
        return met, actions

    def _update(self, belief, action, seen, place, step):
        try:
            after = self._pomdp.belief_update(self.beliefs[belief], action, seen)
        except ValueError as error:
            raise ValueError(f"run {place}, step {step}: {error}; is this the right model?") from None
        number = self._places.setdefault(belief_key(after), len(self.beliefs))
        if number == len(self.beliefs):
            self.beliefs.append(after)
        return number


def _first_visits(runs, pomdp, n_beliefs):
    """Mean discounted counts of (belief, action) from the first visit of each belief on."""
    weights = np.zeros((n_beliefs, n_beliefs * pomdp.n_actions))
    counts, first = np.zeros(n_beliefs), np.full(n_beliefs, -1)
    visited = np.empty(n_beliefs, dtype=np.int64)
    for met, actions in runs:
        pairs = met * pomdp.n_actions + actions
        first_visit_weights(met, pairs, pomdp.discount, first, visited, weights, counts)
    # The belief after a run's last step has no return.
    return weights / np.maximum(counts, 1.0)[:, np.newaxis]
