"""Policy gradients of finite processes without sampling: the gradient, the best baselines, variances, mixing."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from treatise.rl.processes.markov_chain import checked_rows, stationary_distribution


class ExactGradient(NamedTuple):
    """What a policy is worth in the long run, and how that changes with its parameters."""

    average_reward: float
    """Reward of a step in the long run, the paper's eta."""
    gradient: np.ndarray
    """Its gradient."""
    discounted_gradient: np.ndarray
    """What GPOMDP estimates, the paper's grad_beta eta; it tends to the gradient as beta tends to one."""
    values: np.ndarray
    """Expected discounted rewards from each state on, that for reaching the state included: J_beta where rewards
    belong to the state reached."""
    stationary: np.ndarray
    """How often each state is met."""


class _Steps(NamedTuple):
    """Probabilities and parts of a step: state i, observation y, action u, next state j."""

    joint: np.ndarray  # (S, Y, U): stationary, seen, done
    moves: np.ndarray  # (S, U, S): of the next state
    rewards: np.ndarray  # (S, U, S)
    log_gradients: np.ndarray  # (Y, U, K)
    chain: np.ndarray
    mean_rewards: np.ndarray
    stationary: np.ndarray


def sights_of(pomdp):
    """Probability of each observation in each state; one table, as the paper has it, whatever was done before."""
    sights = getattr(pomdp, "observations", None)
    if sights is None:
        return np.eye(pomdp.n_states)
    if not (sights == sights[0]).all():
        raise ValueError("what is seen depends on the action here; a policy that reacts to it needs one table for all")
    return sights[0]


def _steps(pomdp, policy, theta):
    sights = sights_of(pomdp)
    probabilities, gradients = policy.probabilities(theta), policy.log_gradients(theta)
    if probabilities.shape != (sights.shape[1], pomdp.n_actions):
        raise ValueError(
            f"the policy has {probabilities.shape[0]} observations and {probabilities.shape[1]} actions; the process "
            f"has {sights.shape[1]} and {pomdp.n_actions}"
        )
    moves = pomdp.transitions.transpose(1, 0, 2)
    acts = sights @ probabilities
    chain = np.einsum("iu,iuj->ij", acts, moves)
    mean_rewards = np.einsum("iu,iuj,iuj->i", acts, moves, pomdp.rewards)
    stationary = stationary_distribution(chain)
    joint = stationary[:, None, None] * sights[:, :, None] * probabilities[None]
    return _Steps(joint, moves, pomdp.rewards, gradients, chain, mean_rewards, stationary)


def _returns(steps, beta):
    """What follows a step: its reward and the discounted ones after it, (S, U, S)."""
    later = np.linalg.solve(np.eye(len(steps.chain)) - beta * steps.chain, steps.mean_rewards)
    return steps.rewards + beta * later[None, None, :], later


def exact_policy_gradient(pomdp, policy, theta, *, beta=0.95):
    """The gradient of the average reward, and the discounted one that GPOMDP estimates. Costs states^3.

    Parameters
    ----------
    pomdp : FiniteMDP or FinitePOMDP
        The process, under whose policy one class of states is reached from everywhere.
    policy : ParameterizedPolicy
        Acts on the last observation (the state, for an MDP).
    theta : array-like
        Its parameters.
    beta : float, default=0.95
        Discount of the estimate, below one.

    Returns
    -------
    found : ExactGradient

    Examples
    --------
    >>> from treatise.rl import exact_policy_gradient, three_state_process
    >>> process, policy, theta = three_state_process()
    >>> exact_policy_gradient(process, policy, theta).discounted_gradient.round(5).tolist()
    [-0.03259, -0.0351, 0.03259, 0.0351]

    References
    ----------
    .. [1] Paper v05-1471, section 2.
    """
    _check_beta(beta)
    steps = _steps(pomdp, policy, theta)
    average = float(steps.stationary @ steps.mean_rewards)
    ones = np.outer(np.ones(len(steps.chain)), steps.stationary)
    bias = np.linalg.solve(np.eye(len(steps.chain)) - steps.chain + ones, steps.mean_rewards - average)
    returns, later = _returns(steps, beta)
    # J_beta of the paper counts the reward of the state itself.
    reached = np.einsum("iyu,iuj->ij", steps.joint, steps.moves)
    arriving = np.einsum("iyu,iuj,iuj->j", steps.joint, steps.moves, steps.rewards)
    arriving = arriving / np.maximum(reached.sum(axis=0), 1e-300)
    return ExactGradient(
        average, _mean_score(steps, steps.rewards + bias[None, None, :]), _mean_score(steps, returns),
        arriving + beta * later, steps.stationary,
    )  # fmt: skip


def _mean_score(steps, worth):
    """Mean of the log gradient times what the step is worth."""
    return np.einsum("iyu,iuj,iuj,yuk->k", steps.joint, steps.moves, worth, steps.log_gradients)


def optimal_baseline(pomdp, policy, theta, *, beta=0.95, kind="observation"):
    """The baseline that makes the variance of gradient estimates least.

    Parameters
    ----------
    pomdp, policy, theta, beta
        As for :func:`exact_policy_gradient`.
    kind : {"observation", "constant", "mean_return"}, default="observation"
        One number for each observation, one for all, or the mean return, which is usual and not the best.

    Returns
    -------
    baseline : ndarray of shape (n_observations,)

    Examples
    --------
    >>> from treatise.rl import optimal_baseline, three_state_process
    >>> optimal_baseline(*three_state_process()).round(5).tolist()
    [6.35254, 6.35254, 6.26938]

    References
    ----------
    .. [1] Paper v05-1471, Theorems 11 and 13, and section 5.
    """
    _check_beta(beta)
    steps = _steps(pomdp, policy, theta)
    returns, _ = _returns(steps, beta)
    lengths = np.square(steps.log_gradients).sum(axis=2)
    n_observations = len(lengths)
    if kind == "mean_return":
        return np.full(n_observations, np.einsum("iyu,iuj,iuj->", steps.joint, steps.moves, returns))
    weighted = np.einsum("iyu,iuj,iuj,yu->y", steps.joint, steps.moves, returns, lengths)
    weights = np.einsum("iyu,yu->y", steps.joint, lengths)
    if kind == "constant":
        return np.full(n_observations, weighted.sum() / weights.sum() if weights.sum() > 0.0 else 0.0)
    if kind == "observation":
        # Where no action can be changed no baseline matters.
        return np.divide(weighted, weights, out=np.zeros(n_observations), where=weights > 0.0)
    raise ValueError(f"kind={kind!r} is not known; choose 'observation', 'constant' or 'mean_return'")


def gradient_variance(pomdp, policy, theta, *, beta=0.95, baseline=None, value=None):
    """Variance of one step's contribution to the gradient, the trace of its covariance, at stationarity.

    Parameters
    ----------
    pomdp, policy, theta, beta
        As for :func:`exact_policy_gradient`.
    baseline : array-like of shape (n_observations,) or float or None, default=None
        What is taken from the returns.
    value : array-like of shape (n_states,) or None, default=None
        Values of the states reached in place of the exact returns.

    Returns
    -------
    variance : float

    References
    ----------
    .. [1] Paper v05-1471, sections 5 and 6.
    """
    _check_beta(beta)
    steps = _steps(pomdp, policy, theta)
    returns, _ = _returns(steps, beta)
    if value is not None:
        returns = np.broadcast_to(np.asarray(value, dtype=np.float64)[None, None, :], returns.shape)
    lengths = np.square(steps.log_gradients).sum(axis=2)
    b = np.broadcast_to(0.0 if baseline is None else np.asarray(baseline, dtype=np.float64), (len(lengths),))
    off = np.square(returns[:, None] - b[None, :, None, None])
    second = np.einsum("iyu,iuj,iyuj,yu->", steps.joint, steps.moves, off, lengths)
    return float(second - np.square(_mean_score(steps, returns)).sum())


def mixing_time(transitions):
    """Steps after which two starts of a Markov chain are hardly told apart: their total variation is 1/e or less.

    Parameters
    ----------
    transitions : array-like of shape (n_states, n_states)
        Probability of the column's state after the row's.

    Returns
    -------
    steps : int

    Examples
    --------
    >>> from treatise.rl import mixing_time
    >>> mixing_time([[0.9, 0.1], [0.1, 0.9]])
    5

    References
    ----------
    .. [1] Paper v05-1471, section 3.
    """
    chain = checked_rows("transitions", transitions)
    stationary_distribution(chain)

    def apart(power):
        return max(0.5 * np.abs(power[i] - power).sum(axis=1).max() for i in range(len(power)))

    powers = [chain]
    while apart(powers[-1]) > np.exp(-1.0):
        if len(powers) > 40:
            raise ValueError("the chain is periodic, or nearly so: two starts stay apart for ever")
        powers.append(powers[-1] @ powers[-1])
    # Variation never rises with time: the bits of the last time at which it is too large, from the highest down.
    steps, reached = 0, np.eye(len(chain))
    for bit in reversed(range(len(powers))):
        further = reached @ powers[bit]
        if apart(further) > np.exp(-1.0):
            steps, reached = steps + 2**bit, further
    return steps + 1


def variance_bound(variance, n_steps, *, mixing, most, eps=None):
    """Bound on the variance of a mean along a Markov chain, in place of ``variance / n_steps`` of independent draws.

    Parameters
    ----------
    variance : float
        That of the quantity at stationarity.
    n_steps : int
        Steps that the mean is taken over.
    mixing : int
        Mixing time of the chain.
    most : float
        Largest size of the quantity.
    eps : float or None, default=None
        The bound's free constant; None takes the best.

    Returns
    -------
    bound : float

    References
    ----------
    .. [1] Paper v05-1471, Corollary 5.
    """

    def bound(e):
        return e + (1.0 + 25.0 * mixing * (1.0 + most) * e + 4.0 * mixing * np.log(1.0 / e)) * variance / n_steps

    if eps is not None:
        return float(bound(eps))
    found = minimize_scalar(lambda log_e: bound(np.exp(log_e)), bounds=(-40.0, 0.0), method="bounded")
    return float(found.fun)


def _check_beta(beta):
    if not 0.0 <= beta < 1.0:
        raise ValueError(f"beta={beta!r} must be from 0 to below 1")
