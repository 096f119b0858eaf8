"""What must hold of a reward if a controller is optimal: linear conditions, by comparing it with one-step changes."""

from typing import NamedTuple

import numpy as np

MOST_NODES = 1_000_000
"""New nodes that are listed at most."""


class NewNodes(NamedTuple):
    """Nodes to compare a controller's own with: an action, and a node of the controller after each observation."""

    actions: np.ndarray
    """Of shape (n_new,)."""
    successors: np.ndarray
    """Of shape (n_new, n_observations)."""


class Conditions(NamedTuple):
    """Linear conditions on rewards, which are flattened from (n_states, n_actions)."""

    rows: np.ndarray
    """``rows @ rewards >= 0``, of shape (n_conditions, n_states * n_actions), without repetitions."""
    total: np.ndarray
    """The summed margins are ``total @ rewards``."""
    n_comparisons: int
    """Nodes that the controller is compared with, as the paper counts them."""


def count_new_nodes(controller, pomdp, method):
    """How many nodes a controller's own are compared with; an upper bound for ``method="witness"``.

    Parameters
    ----------
    controller : FiniteStateController
        The expert.
    pomdp : FinitePOMDP
        The process.
    method : {"witness", "dp", "q"}
        Section 5.3, 5.2 or 5.1 of the paper.

    Returns
    -------
    count : int
    """
    n_nodes, n_observations = controller.successors.shape
    every = n_nodes**n_observations
    if method == "witness":
        unused = pomdp.n_actions - len(np.unique(controller.actions))
        return n_nodes * (1 + n_observations * (n_nodes - 1)) + unused * every
    return pomdp.n_actions * every * (n_nodes if method == "q" else 1)


def new_nodes(controller, pomdp, method):
    """The nodes to compare a controller's own with.

    Parameters
    ----------
    controller : FiniteStateController
        The expert.
    pomdp : FinitePOMDP
        The process.
    method : {"witness", "dp"}
        By the witness theorem, nodes that differ from one of the controller in what follows one observation, and all
        with an action that it never takes; or all whatever, as a step of dynamic programming makes them. Those of "q"
        are those of "dp", once for each node.

    Returns
    -------
    nodes : NewNodes
    """
    count = count_new_nodes(controller, pomdp, method)
    if count > MOST_NODES:
        few = count_new_nodes(controller, pomdp, "witness")
        hint = f"; method='witness' needs {few} at most" if few <= MOST_NODES else ""
        said = f"{count:.1e}".replace("e+", "e")
        raise ValueError(
            f"too many nodes ({said}): {controller.n_nodes} nodes and {pomdp.n_observations} observations, with at "
            f"most {MOST_NODES} to list{hint}; give a smaller controller"
        )
    unused = [action for action in range(pomdp.n_actions) if action not in controller.actions]
    if method == "dp" or unused:
        every = np.indices((controller.n_nodes,) * pomdp.n_observations).reshape(pomdp.n_observations, -1).T
    if method == "dp":
        actions = np.repeat(np.arange(pomdp.n_actions), len(every))
        return NewNodes(actions, np.tile(every, (pomdp.n_actions, 1)))
    listed = []
    for action, successors in zip(controller.actions, controller.successors):
        changed = np.tile(successors, (controller.n_nodes * pomdp.n_observations, 1))
        place = np.repeat(np.arange(pomdp.n_observations), controller.n_nodes)
        changed[np.arange(len(changed)), place] = np.tile(np.arange(controller.n_nodes), pomdp.n_observations)
        listed.append(np.column_stack([np.full(len(changed), action), changed]))
    listed += [np.column_stack([np.full(len(every), a), every]) for a in unused]
    unique = np.unique(np.concatenate(listed), axis=0)
    return NewNodes(unique[:, 0], unique[:, 1:])


def controller_conditions(controller, pomdp, method):
    """Conditions under which no new node is worth more than the controller's own, at the beliefs that it meets.

    Two new nodes that differ only in what follows observations that cannot come from a belief make one condition.

    Parameters
    ----------
    controller : FiniteStateController
        The expert.
    pomdp : FinitePOMDP
        The process.
    method : {"witness", "dp", "q"}
        Which new nodes; "q" has those of "dp" and leaves those with the node's own action out of the summed margins.

    Returns
    -------
    conditions : Conditions

    References
    ----------
    .. [1] Paper v12-0691, Tables 2 and 3.
    """
    nodes = new_nodes(controller, pomdp, "witness" if method == "witness" else "dp")
    linear = controller.reward_values(pomdp).reshape(controller.n_nodes, pomdp.n_states, -1)
    visits = controller.visited_beliefs(pomdp)
    rows, total = [], np.zeros(linear.shape[2])
    for node, belief in zip(*visits):
        own = belief @ linear[node]
        for action in np.unique(nodes.actions):
            margins, strategies, counts = _margins(pomdp, nodes, linear, belief, own, action)
            if method == "q":
                expected = controller.successors[node][strategies.possible]
                counts = counts - (strategies.after == expected).all(axis=1)
                counts = counts * (action != controller.actions[node])
            rows.append(margins)
            total += counts @ margins
    compared = len(nodes.actions) * (controller.n_nodes if method == "q" else 1)
    return Conditions(distinct_rows(np.concatenate(rows)), total, compared)


class _Strategies(NamedTuple):
    possible: np.ndarray  # observations that can come
    after: np.ndarray  # nodes after these


def _margins(pomdp, nodes, linear, belief, own, action):
    """Of the node's value over that of new nodes with an action, at a belief: as linear functions of the rewards."""
    joint = (belief @ pomdp.transitions[action])[:, np.newaxis] * pomdp.observations[action]
    possible = np.flatnonzero(joint.sum(axis=0) > 0.0)
    after, counts = np.unique(nodes.successors[nodes.actions == action][:, possible], axis=0, return_counts=True)
    now = np.zeros((pomdp.n_states, pomdp.n_actions))
    now[:, action] = belief
    margins = np.tile(own - now.ravel(), (len(after), 1))
    for place, observation in enumerate(possible):
        later = pomdp.discount * np.einsum("s,nsr->nr", joint[:, observation], linear)
        margins -= later[after[:, place]]
    return margins, _Strategies(possible, after), counts


def policy_conditions(mdp, policy):
    """Conditions under which a policy for states that are seen is optimal (Ng & Russell's inequality).

    Parameters
    ----------
    mdp : FiniteMDP
        The process.
    policy : ndarray of int of shape (n_states,)
        Its action in each state.

    Returns
    -------
    conditions : Conditions

    References
    ----------
    .. [1] Paper v12-0691, Theorem 1 and Table 1.
    """
    states = np.arange(mdp.n_states)
    chosen = np.zeros((mdp.n_states, mdp.n_states, mdp.n_actions))
    chosen[states, states, policy] = 1.0
    own = mdp.transitions[policy, states]
    chosen = chosen.reshape(mdp.n_states, -1)
    linear = np.linalg.solve(np.eye(mdp.n_states) - mdp.discount * own, chosen)
    rows = []
    for action in range(mdp.n_actions):
        other = np.zeros((mdp.n_states, mdp.n_states, mdp.n_actions))
        other[states, states, action] = 1.0
        rows.append(chosen - other.reshape(mdp.n_states, -1) + mdp.discount * (own - mdp.transitions[action]) @ linear)
    rows = np.concatenate(rows)
    return Conditions(distinct_rows(rows), rows.sum(axis=0), len(rows))


def distinct_rows(rows):
    """The rows that say something: no zeros, and none twice."""
    kept = np.unique(np.round(rows, 12) + 0.0, axis=0)
    return kept[np.abs(kept).max(axis=1, initial=0.0) > 1e-12]
