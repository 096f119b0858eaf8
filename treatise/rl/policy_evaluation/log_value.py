"""The value of a policy from a log of another's episodes, with intervals from resampled episodes."""

from typing import NamedTuple

import numpy as np

from treatise.rl.policy_evaluation.least_squares import scaled_solve
from treatise.rl.policy_evaluation.transitions import checked_features, checked_flags, checked_ratios, checked_rewards
from treatise.rl.processes.mdp import generator

LOG_METHODS = ("doubly robust", "LSTD", "importance sampling", "as observed")
LEAST_EFFECTIVE = 30
"""Effective episodes below which whole-episode weights rest on too few to be trusted."""
AT_ONCE = 1 << 23
"""Numbers of a table that are laid out at a time, however long the log and however many its features."""


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
    """The episodes of a log, longest first, and sums over them for many weightings at once, in tables of bounded size.

    Weightings have a row each, with a number for each episode.
    """

    def __init__(self, features, rewards, ratios, starts, cut_off, discount):
        self.discount, self.cut_off = discount, cut_off
        first = np.flatnonzero(starts)
        lengths = np.diff(np.append(first, len(rewards)))
        if cut_off:
            # The state that an episode's last step reaches is not in the log: it serves as a successor alone.
            kept = lengths > 1
            first, lengths = first[kept], lengths[kept] - 1
        order = np.argsort(-lengths, kind="stable")
        self.first, self.lengths = first[order], lengths[order]
        self.n, self.longest, self.n_steps = len(first), int(lengths.max(initial=0)), int(lengths.sum())
        self.episode = np.repeat(np.arange(self.n), self.lengths)
        self.began = np.cumsum(self.lengths) - self.lengths  # where an episode begins among the steps in this order
        self.rows = np.arange(self.n_steps) + (self.first - self.began)[self.episode]
        self.last = np.append(np.diff(self.episode) != 0, True)
        self.features, self.rewards, self.ratios = features, rewards[self.rows], ratios[self.rows]

    def parts(self, width):
        """Slices of the steps, in which tables with so many numbers for a step are of bounded size."""
        size = max(1, AT_ONCE // max(width, 1))
        return (slice(at, min(at + size, self.n_steps)) for at in range(0, self.n_steps, size))

    def after(self, part):
        """Features of the states that steps reach; zero beyond an end."""
        following = self.features[np.minimum(self.rows[part] + 1, len(self.features) - 1)]
        return following if self.cut_off else np.where(self.last[part, np.newaxis], 0.0, following)

    def moments(self, weightings):
        """LSTD-TO's matrix and vector for each weighting."""
        p = self.features.shape[1]
        matrices, vectors = np.zeros((len(weightings), p * p)), np.zeros((len(weightings), p))
        for part in self.parts(p * p):
            phi = self.features[self.rows[part]]
            weighted = phi * self.ratios[part, np.newaxis]
            products = weighted[:, :, np.newaxis] * (phi - self.discount * self.after(part))[:, np.newaxis]
            # An episode that a part cuts in two adds to both.
            episodes, begin = np.unique(self.episode[part], return_index=True)
            matrices += weightings[:, episodes] @ np.add.reduceat(products.reshape(len(phi), -1), begin)
            vectors += weightings[:, episodes] @ np.add.reduceat(weighted * self.rewards[part, np.newaxis], begin)
        return matrices.reshape(-1, p, p), vectors

    def differences(self, coefs, group):
        """First values and the temporal differences of every step, by the coefficients of each episode's group."""
        found, first = np.empty(self.n_steps), (self.features[self.first] @ coefs.T)[np.arange(self.n), group]
        for part in self.parts(self.features.shape[1] + len(coefs)):
            chosen = coefs[group[self.episode[part]]]
            ahead = self.discount * self.after(part) - self.features[self.rows[part]]
            found[part] = self.rewards[part] + np.einsum("ij,ij->i", ahead, chosen)
        return first, found

    def weights(self):
        """The product of an episode's ratios up to every step, and up to its last."""
        found = np.empty(self.n_steps)
        running = np.ones(self.n)
        with np.errstate(over="ignore"):
            for step in range(self.longest):
                live = np.count_nonzero(self.lengths > step)
                running[:live] *= self.ratios[self.began[:live] + step]
                found[self.began[:live] + step] = running[:live]
        return found, running

    def discounted_means(self, weightings, weights, amounts):
        """What steps amount to, averaged over episodes at every step and summed with the discount, for each weighting.

        Episodes that have ended keep the weight that they ended with, and amount to nothing.
        """
        means, ended = np.zeros(len(weightings)), np.zeros(len(weightings))
        for step in range(self.longest):
            live = np.count_nonzero(self.lengths > step)
            places = self.began[:live] + step
            shares = weightings[:, :live] @ np.column_stack([weights[places], weights[places] * amounts[places]])
            total = shares[:, 0] + ended
            means += self.discount**step * np.divide(shares[:, 1], total, out=np.zeros_like(total), where=total > 0.0)
            ending = np.flatnonzero(self.lengths[:live] == step + 1)
            if len(ending):
                ended += weightings[:, ending] @ weights[places[ending]]
        return means


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
    O(n p^2), and for each resample O(episodes p^2), a pass over the steps and a system of p equations. Beside the log
    memory is some hundred megabytes, or a few matrices of p x p numbers where that is more.

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
    rewards, ratios = checked_rewards(rewards, n), checked_ratios(ratios, n)
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
    if resamples < 1:
        raise ValueError(f"resamples={resamples!r}: an interval needs samples of the episodes, 1000 as a rule")
    if method not in ("auto", *LOG_METHODS[:3]):
        raise ValueError(f"method={method!r}; take 'auto', {', '.join(map(repr, LOG_METHODS[:3]))}")
    if not ((np.ptp(features, axis=0) == 0.0) & (features[0] != 0.0)).any():
        features = np.column_stack([features, np.ones(n)])
    episodes = _Episodes(features, rewards, ratios, starts, cut_off, float(discount))
    if episodes.n < 2:
        raise ValueError(f"the log has {episodes.n} episodes of use; intervals need at least 2, and 30 to be trusted")
    weights, whole = episodes.weights()
    if not np.isfinite(weights).all():
        raise ValueError("the ratios' products along an episode overflow; check the two policies' probabilities")
    found = _drawn(episodes, weights, resamples, generator(random_state))
    tails = [50.0 * (1.0 - level), 50.0 * (1.0 + level)]
    estimates = {name: (float(v[0]), *map(float, np.percentile(v[1:], tails))) for name, v in found.items()}
    effective = effective_size(whole)
    notes = _cautions(episodes, whole, effective, features.shape[1])
    if method == "auto":
        method = "doubly robust" if effective >= LEAST_EFFECTIVE else "LSTD"
    return LogValue(
        method, *estimates[method], level, estimates, episodes.n, n, effective, effective_size(ratios), notes
    )


def _drawn(episodes, weights, resamples, rng):
    """Each estimate from the log as it is, then from samples of its episodes, as many at a time as memory allows."""
    n, p = episodes.n, episodes.features.shape[1]
    first = episodes.features[episodes.first]
    folds = rng.permutation(n) % min(5, n)
    by_fold, vectors = episodes.moments((folds == np.arange(folds.max() + 1)[:, np.newaxis]).astype(np.float64))
    size = np.maximum(np.einsum("fii->i", by_fold), 1e-12)  # of the whole log; a column of zeros has some too
    # Values fitted without the episode at hand.
    coefs = np.array([
        scaled_solve(np.delete(by_fold, fold, 0).sum(axis=0) + np.diag(1e-3 * size / n),
                     np.delete(vectors, fold, 0).sum(axis=0))[0]
        for fold in range(len(by_fold))
    ])  # fmt: skip
    values, differences = episodes.differences(coefs, folds)
    returns = np.zeros(n)
    np.add.at(returns, episodes.episode, episodes.rewards * episodes.discount ** (
        np.arange(episodes.n_steps) - episodes.began[episodes.episode]
    ))  # fmt: skip
    found = {name: [] for name in LOG_METHODS}
    for counts in _samples(n, resamples, max(1, AT_ONCE // max(n, p * p)), rng):
        # V(s_0) + sum of gamma^t w_t (r_t + gamma V' - V): whatever V is, its mean is the value of the target policy,
        # since a ratio has the mean one in every state.
        corrections = episodes.discounted_means(counts, weights, differences)
        found["doubly robust"].append(counts @ values / n + corrections)
        found["importance sampling"].append(episodes.discounted_means(counts, weights, episodes.rewards))
        found["as observed"].append(counts @ returns / n)
        found["LSTD"].append(np.array([
            weighting @ first @ scaled_solve(matrix + np.diag(1e-6 * size), vector)[0] / n
            for weighting, matrix, vector in zip(counts, *episodes.moments(counts))
        ]))  # fmt: skip
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _samples(n, resamples, at_once, rng):
    """How often each episode counts: once, then as often as it is drawn."""
    yield np.ones((1, n))
    for begun in range(0, resamples, at_once):
        size = min(at_once, resamples - begun)
        yield rng.multinomial(n, np.full(n, 1.0 / n), size=size).astype(np.float64)


def _cautions(episodes, whole, effective, n_features):
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
    if (whole == 0.0).all():
        notes.append("the target policy would have ended every episode otherwise: no whole one counts for it")
    return notes
