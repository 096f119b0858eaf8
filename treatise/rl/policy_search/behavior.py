"""How alike policies behave: divergences of their trajectories, and a kernel (section 4.1 of JMLR 15:253)."""

import numpy as np


def trajectory_kl(policy, theta, other, trajectory, *, drawn_by="theta"):
    """Estimated divergence KL(theta || other) of the trajectories of two policies; the world's part falls out.

    Parameters
    ----------
    policy : ControlPolicy
        The policies' common form.
    theta, other : array-like of shape (policy.size,)
        Their parameters.
    trajectory : Trajectory
        Episodes of one of them.
    drawn_by : {"theta", "other"}, default="theta"
        Which one. Those of the other are weighted by how much likelier they are under theta, in logarithms and with
        weights that sum to one; with one episode nothing is left to weigh.

    Returns
    -------
    divergence : float
        Not below zero.

    Examples
    --------
    >>> from treatise.rl import MountainCar, SoftmaxControl, StateTerms, run_policy, trajectory_kl
    >>> policy = SoftmaxControl(2, StateTerms(2))
    >>> run = run_policy(MountainCar(), policy, [0.0, 0.0, 1.0, 1.0], 5, random_state=0)
    >>> trajectory_kl(policy, [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0], run)  # the same behaviour
    0.0
    """
    _check_stochastic(policy)
    if drawn_by not in ("theta", "other"):
        raise ValueError(f"drawn_by={drawn_by!r}; choose 'theta' or 'other'")
    ratios = -np.subtract(*_likelihoods(policy, [other, theta], trajectory))
    if drawn_by == "theta":
        return float(max(ratios.mean(), 0.0))
    return float(_weighted_mean(ratios[np.newaxis], np.array([0]))[0, 0])


def behavior_kernel(policy, thetas, trajectories, new=None, *, alpha=1.0, sqrt=True):
    """Likeness of policies by what they do: ``exp(-alpha D)``, where D is the sum of the roots of both divergences.

    Two parameter vectors of one behaviour have a likeness of one however far apart they lie. The matrix is not always
    positive semidefinite; :class:`PolicyBO` adds what is missing to its diagonal. It costs one pass over all steps for
    each policy.

    Parameters
    ----------
    policy : ControlPolicy
        The policies' common form; it must be stochastic.
    thetas : array-like of shape (n, policy.size)
        Their parameters.
    trajectories : list of Trajectory
        Episodes of each.
    new : array-like of shape (m, policy.size) or None, default=None
        Policies without episodes of their own, compared with the others by importance weights.
    alpha : float, default=1.0
        How fast likeness falls.
    sqrt : bool, default=True
        Whether D has the roots of its definition; the paper's printed estimate has none.

    Returns
    -------
    K : ndarray of shape (n, n) or (m, n)

    Examples
    --------
    >>> from treatise.rl import MountainCar, SoftmaxControl, StateTerms, behavior_kernel, run_policy
    >>> policy = SoftmaxControl(2, StateTerms(2))
    >>> thetas = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.5, 0.0], [1.0, 1.0, 1.5, 1.0]]
    >>> runs = [run_policy(MountainCar(), policy, theta, 5, random_state=0) for theta in thetas]
    >>> K = behavior_kernel(policy, thetas, runs)
    >>> K.shape, float(K[1, 2]), bool(K[0, 1] < 0.5)
    ((3, 3), 1.0, True)

    References
    ----------
    .. [1] Paper v15-0253, sections 4.1 and 4.2.
    """
    archive = BehaviorArchive(policy)
    thetas = np.atleast_2d(np.asarray(thetas, dtype=np.float64))
    if len(thetas) != len(trajectories):
        raise ValueError(f"{len(thetas)} policies with {len(trajectories)} trajectories; give one for each")
    for theta, trajectory in zip(thetas, trajectories):
        archive.add(theta, trajectory)
    distances = archive.distances(sqrt) if new is None else archive.distances_of(new, sqrt)
    return np.exp(-alpha * distances)


class BehaviorArchive:
    """Episodes of all policies tried so far, as one table, and the log likelihood of each under each policy.

    Parameters
    ----------
    policy : ControlPolicy
        The policies' common form.
    """

    def __init__(self, policy):
        _check_stochastic(policy)
        self.policy = policy
        self.thetas = np.empty((0, policy.size))
        self.features = np.empty((0, policy.terms.n_terms))
        self.actions = None
        self.bounds = np.zeros(1, dtype=np.int64)
        self.first = np.empty(0, dtype=np.int64)  # the first episode of each policy
        self.table = np.empty((0, 0))  # log likelihoods of episodes under policies

    def add(self, theta, trajectory):
        """One more policy with its episodes.

        Parameters
        ----------
        theta : array-like of shape (policy.size,)
            Parameters.
        trajectory : Trajectory
            Episodes.
        """
        features, bounds = self.policy.terms(trajectory.states), episode_bounds(trajectory)
        thetas = np.vstack([self.thetas, theta])
        old = self.policy.log_likelihoods(theta, self.features, self.actions, self.bounds) if len(self.thetas) else (
            np.empty((1, 0))
        )  # fmt: skip
        own = self.policy.log_likelihoods(thetas, features, trajectory.actions, bounds)
        self.table = np.hstack([np.vstack([self.table, old]), own])
        self.first = np.append(self.first, len(self.bounds) - 1)
        self.bounds = np.append(self.bounds, self.bounds[-1] + bounds[1:])
        self.features = np.vstack([self.features, features])
        seen = [] if self.actions is None else [self.actions]
        self.actions = np.concatenate([*seen, trajectory.actions])
        self.thetas = thetas

    @property
    def _owners(self):
        return np.repeat(np.arange(len(self.thetas)), np.diff(np.append(self.first, len(self.bounds) - 1)))

    def distances(self, sqrt=True):
        """D between the policies of the archive: each divergence is a mean over the episodes of its first policy.

        Parameters
        ----------
        sqrt : bool, default=True
            Whether to take roots.

        Returns
        -------
        D : ndarray of shape (n, n)
        """
        owners = self._owners
        own = self.table[owners, np.arange(len(owners))]
        counts = np.bincount(owners)
        divergences = np.add.reduceat(own - self.table, self.first, axis=1) / counts
        divergences = np.maximum(divergences, 0.0)
        divergences = np.sqrt(divergences) if sqrt else divergences
        return divergences + divergences.T

    def distances_of(self, thetas, sqrt=True):
        """D of policies without episodes to those of the archive, by importance weights.

        Parameters
        ----------
        thetas : array-like of shape (m, policy.size)
            Parameters.
        sqrt : bool, default=True
            Whether to take roots.

        Returns
        -------
        D : ndarray of shape (m, n)
        """
        owners = self._owners
        own = self.table[owners, np.arange(len(owners))]
        ratios = self.policy.log_likelihoods(thetas, self.features, self.actions, self.bounds) - own
        there = _weighted_mean(ratios, self.first)
        back = np.maximum(np.add.reduceat(-ratios, self.first, axis=1) / np.bincount(owners), 0.0)
        return np.sqrt(there) + np.sqrt(back) if sqrt else there + back


def episode_bounds(trajectory):
    """Where each episode begins, and the number of steps.

    Parameters
    ----------
    trajectory : Trajectory
        Episodes in a row.

    Returns
    -------
    bounds : ndarray of int of shape (n_episodes + 1,)
    """
    return np.append(np.flatnonzero(trajectory.starts), len(trajectory))


def _likelihoods(policy, thetas, trajectory):
    return policy.log_likelihoods(
        thetas, policy.terms(trajectory.states), trajectory.actions, episode_bounds(trajectory)
    )


def _weighted_mean(ratios, first):
    """Mean of the log ratios of each group of columns, weighted by the ratios themselves; weights sum to one.

    The printed estimate ``mean w log w`` overflows for long episodes: one of 400 steps may be e^400 times likelier.
    Weights that sum to one are computed from logarithms alone.
    """
    counts = np.diff(np.append(first, ratios.shape[1]))
    highest = np.repeat(np.maximum.reduceat(ratios, first, axis=1), counts, axis=1)
    weights = np.exp(ratios - highest)
    total = np.add.reduceat(weights, first, axis=1)
    return np.maximum(np.add.reduceat(weights * ratios, first, axis=1) / total, 0.0)


def _check_stochastic(policy):
    if not policy.stochastic:
        raise ValueError(
            "the behaviour kernel compares probabilities of actions, and this policy is deterministic; give it noise "
            "(deviation > 0), or use kernel='se'"
        )
