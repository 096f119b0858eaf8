"""The value of a policy from a log of another's episodes, with intervals from resampled episodes."""

from typing import NamedTuple

import numpy as np

from treatise.rl.policy_evaluation.least_squares import scaled_solve
from treatise.rl.policy_evaluation.transitions import checked_column, checked_features, checked_flags, checked_ratios
from treatise.rl.processes.mdp import generator

LOG_METHODS = ("doubly robust", "LSTD", "importance sampling", "as observed")
LEAST_EFFECTIVE = 30
"""Effective episodes below which whole-episode weights rest on too few to be trusted."""


class LogValue(NamedTuple):
    """What :func:`evaluate_log` found.

    Attributes
    ----------
    method : str
        Of the value: "doubly robust" or "LSTD".
    value, low, high : float
        Expected discounted reward of an episode under the target policy, and its interval.
    level : float
        Share of such intervals that are to hold the true value.
    estimates : dict of (float, float, float)
        Value and interval by each method; "as observed" is of the policy that acted.
    n_episodes, n_steps : int
        Size of the log.
    effective_episodes : float
        Episodes of the target policy that the weights of whole episodes amount to.
    effective_steps : float
        Steps of the target policy that the weights of single steps amount to.
    notes : list of str
        What to be careful about.
    """

    method: str
    value: float
    low: float
    high: float
    level: float
    estimates: dict[str, tuple[float, float, float]]
    n_episodes: int
    n_steps: int
    effective_episodes: float
    effective_steps: float
    notes: list[str]


def effective_size(weights):
    """How many draws of equal weight some weighted ones amount to: (sum w)^2 / sum w^2.

    Parameters
    ----------
    weights : array-like
        None negative.

    Returns
    -------
    size : float

    Examples
    --------
    >>> from treatise.rl import effective_size
    >>> effective_size([1.0, 1.0, 0.0, 0.0])
    2.0
    """
    weights = np.asarray(weights, dtype=np.float64)
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise ValueError("weights hold a number that is negative or not finite; ratios of probabilities are neither")
    largest = weights.max(initial=0.0)
    if largest == 0.0:
        return 0.0
    shares = weights / largest  # squares of the weights themselves may overflow, or vanish
    return float(shares.sum() ** 2 / np.sum(shares**2))


class _Episodes:
    """A log as tables with a row for each episode; steps after an end have weight, and earn nothing."""

    def __init__(self, features, rewards, ratios, starts, cut_off, discount):
        self.discount, self.cut_off = discount, cut_off
        first = np.flatnonzero(starts)
        lengths = np.diff(np.append(first, len(rewards)))
        if cut_off:
            # The state that an episode's last step reaches is not in the log: it serves as a successor alone.
            kept = lengths > 1
            first, lengths = first[kept], lengths[kept] - 1
        self.n, self.longest, self.lengths = len(first), int(lengths.max(initial=0)), lengths
        self.rows = first[:, np.newaxis] + np.minimum(np.arange(self.longest), lengths[:, np.newaxis] - 1)
        self.alive = np.arange(self.longest) < lengths[:, np.newaxis]
        self.last = np.arange(self.longest) == lengths[:, np.newaxis] - 1
        self.features, self.first = features, first
        self.rewards = np.where(self.alive, rewards[self.rows], 0.0)
        self.ratios = np.where(self.alive, ratios[self.rows], 1.0)
        with np.errstate(over="ignore"):
            self.weights = np.cumprod(self.ratios, axis=1)

    def moments(self):
        """LSTD-TO's matrix and vector of each episode, and the features of its first state."""
        p = self.features.shape[1]
        matrices, vectors = np.zeros((self.n, p, p)), np.zeros((self.n, p))
        for episode in range(self.n):
            rows = self.rows[episode, : self.lengths[episode]]
            phi, after = self.features[rows], self._after(rows)
            weighted = phi * self.ratios[episode, : len(rows), np.newaxis]
            matrices[episode] = weighted.T @ (phi - self.discount * after)
            vectors[episode] = weighted.T @ self.rewards[episode, : len(rows)]
        return matrices, vectors, self.features[self.first]

    def _after(self, rows):
        if self.cut_off:
            return self.features[rows + 1]
        return np.vstack([self.features[rows[1:]], np.zeros((1, self.features.shape[1]))])

    def differences(self, coefs):
        """First values and temporal differences of every step, with coefficients for each episode."""
        values = np.einsum("eti,ei->et", self.features[self.rows], coefs)
        values = np.where(self.alive, values, 0.0)
        after = np.zeros_like(values)
        after[:, :-1] = values[:, 1:]
        if self.cut_off:
            beyond = np.einsum("ei,ei->e", self.features[self.rows[:, -1] + 1], coefs)
            after = np.where(self.last, beyond[:, np.newaxis], after)
        else:
            after = np.where(self.last, 0.0, after)
        return values[:, 0], np.where(self.alive, self.rewards + self.discount * after - values, 0.0)


def evaluate_log(
    features, rewards, ratios, starts, *, discount=0.95, cut_off=False, method="auto", level=0.95, resamples=1000,
    random_state=None,
):  # fmt: skip
    """The value of a policy, from episodes of another policy whose probabilities were written down.

    Use it to judge a new policy before it acts. Three estimates are made. "LSTD" fits values to the features with
    weights of single steps: steady, but biased where the features cannot express the values. "importance sampling"
    weights whole episodes up to each reward (normalised over the episodes at each step): right whatever the features,
    but its variance grows with every step. "doubly robust" corrects a fit of values, made without the episode at hand,
    by such weights: right whatever the features, with less variance. Intervals come from resampled episodes. Costs
    O(n p^2) and a system of p equations for each resample.

    Parameters
    ----------
    features : array-like of shape (n_steps, n_features)
        Of the state at each step, in order; a constant is added where there is none.
    rewards : array-like of shape (n_steps,)
        What each step earned.
    ratios : array-like of shape (n_steps,)
        Probability of its action under the target policy divided by that under the policy that acted.
    starts : array-like of bool of shape (n_steps,)
        True where an episode begins.
    discount : float, default=0.95
        What a reward is worth one step later, in [0, 1]; below 1 with ``cut_off``.
    cut_off : bool, default=False
        Whether episodes were only cut off, and would have gone on; then the last step of each is a successor alone.
    method : {"auto", "doubly robust", "LSTD", "importance sampling"}, default="auto"
        Which estimate is the value; "auto" takes the doubly robust one where the weights of whole episodes amount to 30
        episodes or more, else LSTD's. Weights alone decide, so that the choice does not favour a value.
    level : float, default=0.95
        Share of intervals that are to hold the true value.
    resamples : int, default=1000
        Samples of the episodes.
    random_state : int, RandomState instance or None, default=None
        Seed of the samples.

    Returns
    -------
    found : LogValue

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import evaluate_log
    >>> rng = np.random.default_rng(0)
    >>> action = rng.integers(0, 2, 400)  # one step an episode; the second action earns 1, the target takes it always
    >>> found = evaluate_log(np.ones((400, 1)), action + rng.normal(size=400), 2.0 * action, np.ones(400, bool),
    ...                      random_state=0)
    >>> found.method, found.low < 1.0 < found.high, round(found.effective_episodes)
    ('doubly robust', True, 221)

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Section 2.4.2 (LSTD-TO).
    """
    features = checked_features("features", features)
    n = len(features)
    rewards, ratios = checked_column("rewards", rewards, n), checked_ratios(ratios, n)
    starts = checked_flags("starts", starts, n)
    if not starts[0]:
        raise ValueError("the first step begins no episode; starts must be True there")
    if not 0.0 <= discount <= 1.0:
        raise ValueError(f"discount={discount!r} is not between 0 and 1")
    if cut_off and discount == 1.0:
        raise ValueError("discount=1 gives episodes that go on for ever no finite value; give a discount below 1")
    if not ratios.any():
        raise ValueError(
            "every ratio is 0: the target policy takes none of the actions in the log, which tells nothing"
        )
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level!r} must lie between 0 and 1; the usual one is 0.95")
    if method not in ("auto", *LOG_METHODS[:3]):
        raise ValueError(f"method={method!r}; take 'auto', {', '.join(map(repr, LOG_METHODS[:3]))}")
    if not ((np.ptp(features, axis=0) == 0.0) & (features[0] != 0.0)).any():
        features = np.column_stack([features, np.ones(n)])
    episodes = _Episodes(features, rewards, ratios, starts, cut_off, float(discount))
    if episodes.n < 2:
        raise ValueError(f"the log has {episodes.n} episodes of use; intervals need at least 2, and 30 to be trusted")
    if not np.isfinite(episodes.weights).all():
        raise ValueError("the ratios' products along an episode overflow; check the two policies' probabilities")
    rng = generator(random_state)
    counts = rng.multinomial(episodes.n, np.full(episodes.n, 1.0 / episodes.n), size=resamples).astype(np.float64)
    counts = np.vstack([np.ones(episodes.n), counts])
    matrices, vectors, first = episodes.moments()
    drawn = {
        "doubly robust": _doubly_robust(episodes, matrices, vectors, first, counts, rng),
        "LSTD": _lstd_values(matrices, vectors, first, counts),
        "importance sampling": _weighted_returns(episodes, counts),
        "as observed": counts @ (episodes.rewards @ discount ** np.arange(episodes.longest)) / episodes.n,
    }
    tails = [50.0 * (1.0 - level), 50.0 * (1.0 + level)]
    estimates = {name: (float(v[0]), *map(float, np.percentile(v[1:], tails))) for name, v in drawn.items()}
    effective = effective_size(episodes.weights[:, -1])
    notes = _cautions(episodes, effective, features.shape[1])
    if method == "auto":
        method = "doubly robust" if effective >= LEAST_EFFECTIVE else "LSTD"
    return LogValue(
        method, *estimates[method], level, estimates, episodes.n, n, effective, effective_size(ratios), notes
    )


def _lstd_values(matrices, vectors, first, counts):
    """LSTD's value of the first states, for each weighting of the episodes."""
    p = first.shape[1]
    ridge = 1e-6 * np.maximum(np.einsum("eii->i", matrices), 1e-12)  # of the whole log; a column of zeros has some too
    flat = matrices.reshape(len(matrices), -1)
    found = np.empty(len(counts))
    for place, weights in enumerate(counts):
        matrix = (weights @ flat).reshape(p, p) + np.diag(ridge)
        found[place] = weights @ first @ scaled_solve(matrix, weights @ vectors)[0] / weights.sum()
    return found


def _weighted_returns(episodes, counts):
    """Rewards weighted by the ratios up to each step, the weights normalised over the episodes at every step."""
    total = counts @ episodes.weights
    mean = np.divide(counts @ (episodes.weights * episodes.rewards), total, out=np.zeros_like(total), where=total > 0.0)
    return mean @ episodes.discount ** np.arange(episodes.longest)


def _doubly_robust(episodes, matrices, vectors, first, counts, rng):
    """Values fitted without the episode at hand, corrected by its weighted steps (weights normalised at every step)."""
    folds = rng.permutation(episodes.n) % min(5, episodes.n)
    coefs = np.empty((episodes.n, first.shape[1]))
    ridge = np.diag(1e-3 * np.maximum(np.einsum("eii->i", matrices) / episodes.n, 1e-12))
    for fold in range(folds.max() + 1):
        others = folds != fold
        coefs[~others] = scaled_solve(matrices[others].sum(axis=0) + ridge, vectors[others].sum(axis=0))[0]
    # V(s_0) + sum of gamma^t w_t (r_t + gamma V' - V): whatever V is, its mean is the value of the target policy, since
    # a ratio has the mean one in every state.
    values, differences = episodes.differences(coefs)
    total = counts @ episodes.weights
    summed = counts @ (episodes.weights * differences)
    mean = np.divide(summed, total, out=np.zeros_like(total), where=total > 0.0)
    return counts @ values / episodes.n + mean @ episodes.discount ** np.arange(episodes.longest)


def _cautions(episodes, effective, n_features):
    notes = []
    if effective < LEAST_EFFECTIVE:
        notes.append(
            f"weights of whole episodes amount to {effective:.1f} episodes: values weighted by them rest on few, and "
            "LSTD's on features that express the values"
        )
    if episodes.n < LEAST_EFFECTIVE:
        notes.append(f"{episodes.n} episodes are few to resample: the interval may be too short")
    if episodes.lengths.sum() < n_features:
        notes.append(f"{int(episodes.lengths.sum())} steps are fewer than the {n_features} features")
    if (episodes.weights[:, -1] == 0.0).all():
        notes.append("the target policy would have ended every episode otherwise: no whole one counts for it")
    return notes
