"""Follow the perturbed leader with unbounded losses: zero-sum traders on volatile prices (JMLR 12:241, Section 5)."""

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from treatise._core.errors import DataNotFoundError
from treatise._core.magnitudes import LARGEST_NUMBER
from treatise.datasets import load_portfolio, make_fractional_brownian_motion, make_leader_losses
from treatise.online import (
    AdaHedge,
    ExpertStrategy,
    FollowTheLeader,
    NormalHedge,
    PerturbedLeader,
    Play,
    game_volume,
)
from treatise.papers._evidence import Evidence, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARES = 600.0
FIRST_PRICE = 163.45
N_POINTS = 400
ABSENT = (
    "Section 5, gains of 456 970 Rub without and 230 099 Rub with costs: the hourly prices of Gazprom from 2 July to 2 "
    "September 2009 are not at hand, and the paper prints only a picture of them. Run instead: paths of exponential "
    "fractional Brownian motion of the same length, start and holdings, and three sets of daily stock prices"
)


def experiment(*, full: bool = False) -> Evidence:
    """The traders on generated and real prices; the theorem's bound and the proposition's adversary."""
    rows = _theorem_rows(100 if full else 20) + _adversary_rows() + _brownian_rows(1000 if full else 100)
    skipped = [ABSENT]
    for name in ("djia", "sp500", "nyse_o"):
        try:
            rows += _portfolio_rows(name)
        except DataNotFoundError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(), skipped)


def volatility_gains(prices: np.ndarray, shares: float = 1.0) -> np.ndarray:
    """Gains of two zero-sum traders, of whom one wins when a price moves far and the other when it moves much.

    The first holds 2 * shares * (price - first price) at every moment, the second as many short. Over a series the
    first gains shares * ((last - first)^2 - sum of squared steps): it bets on macro against micro volatility
    (Equations 45 to 47; the paper prints twice this total, but by its Equation 45 the factor is one).

    Parameters
    ----------
    prices : array-like of shape (n_steps + 1,)
        The price at each moment.
    shares : float, default=1.0
        Scale of the holdings.

    Returns
    -------
    gains : ndarray of shape (n_steps, 2)
        Gain of each trader in each step; play ``-gains`` as losses.
    """
    prices = np.asarray(prices, dtype=float)
    if prices.ndim != 1 or len(prices) < 2 or not np.all(np.isfinite(prices)):
        raise ValueError(f"prices must be a series of at least two finite numbers, got shape {prices.shape}")
    first = 2.0 * shares * (prices[:-1] - prices[0]) * np.diff(prices)
    return np.column_stack([first, -first])


def growing_adversary(strategy: ExpertStrategy, n_rounds: int, epsilon: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Losses for two experts that explode, always on the expert whom the strategy favours (Proposition 1).

    The loss of round t is 4 / epsilon times the volume so far. The strategy's regret is at least (1 - epsilon) / 2
    of the volume after every round: without limits on the fluctuation of a game nothing helps.

    Parameters
    ----------
    strategy : ExpertStrategy
        Who plays; the object itself is left alone.
    n_rounds : int
        Number of rounds; losses grow by the factor 1 + 4 / epsilon in each.
    epsilon : float, default=0.1
        Between 0 and 1.

    Returns
    -------
    losses : ndarray of shape (n_rounds, 2)
    share : ndarray of shape (n_rounds,)
        The strategy's regret after each round, as a share of the volume, which starts at 1.
    """
    if not 0.0 < epsilon < 1.0:
        raise ValueError(f"epsilon={epsilon!r} must lie between 0 and 1")
    most = int(np.log(LARGEST_NUMBER) / np.log1p(4.0 / epsilon))
    if not 0 <= n_rounds <= most:
        raise ValueError(f"n_rounds={n_rounds} must lie between 0 and {most}, beyond which losses overflow")
    player = clone(strategy).start(2)
    losses, share, volume = np.zeros((n_rounds, 2)), np.empty(n_rounds), 1.0
    for t in range(n_rounds):
        favourite = 0 if player.weights_[0] >= 0.5 else 1
        losses[t, favourite] = 4.0 * volume / epsilon
        volume += losses[t, favourite]
        player.update(losses[t])
        share[t] = player.regret_ / volume
    return losses, share


def _prices(hurst: float, seed: int) -> np.ndarray:
    return FIRST_PRICE * np.exp(0.05 * make_fractional_brownian_motion(N_POINTS - 1, hurst, random_state=seed))


def _theorem_rows(n_games: int) -> list[Row]:
    """Theorem 2 on games whose losses grow as fast as gamma allows, and on the leader's worst case."""
    broken, tightest = 0, 0.0
    for seed in range(n_games):
        rng = np.random.default_rng(seed)
        n_rounds, n_experts, power = 500, int(rng.integers(2, 20)), float(rng.uniform(0.3, 1.0))
        limit = 0.9 * np.arange(1.0, n_rounds + 1.0) ** -power
        losses, volume = rng.uniform(-1, 1, (n_rounds, n_experts)), 1.0
        for t in range(n_rounds):
            growth = limit[t] * rng.random() * volume
            losses[t] *= growth / np.abs(losses[t]).max()
            volume += growth
        strategy = PerturbedLeader(lambda t, power=power: 0.9 * t**-power, initial_volume=1.0)
        share = strategy.run(losses).regret[-1] / strategy.regret_bounds(losses)["Theorem 2"]
        broken, tightest = broken + int(share > 1.0), max(tightest, float(share))
    worst = make_leader_losses(1)
    calm = PerturbedLeader(lambda t: np.minimum(0.999, 1.0 / t), signed=False).run(worst).regret[-1]
    leader = float(FollowTheLeader().run(worst).regret[-1])
    return [
        Row.check(f"games of {n_games} in which the bound of Theorem 2 is broken", 0, broken),
        Row.ours("largest regret in them, as a share of the bound", round(tightest, 3)),
        Row.ours("alternating losses, 1000 rounds: regret of PROT", round(float(calm), 2)),
        Row.ours("alternating losses, 1000 rounds: regret of the leader", leader),
    ]


def _adversary_rows() -> list[Row]:
    rows = []
    for name, strategy in (("PROT", PerturbedLeader()), ("AdaHedge", AdaHedge()), ("NormalHedge", NormalHedge())):
        _, share = growing_adversary(strategy, 60, 0.1)
        what = f"growing adversary, epsilon 0.1: least regret of {name} over the volume (Proposition 1)"
        rows.append(Row.check_at_least(what, 0.45, float(share.min())))
    return rows


def _brownian_rows(n_paths: int) -> list[Row]:
    """Rough paths should reward the second trader, persistent ones the first, and the learner whoever is better."""
    rows = []
    for hurst, winner in ((0.3, "second"), (0.7, "first")):
        first, learner, share = [], [], []
        for seed in range(n_paths):
            gains = volatility_gains(_prices(hurst, seed), SHARES)
            play = PerturbedLeader(0.5).run(-gains)
            first.append(gains[:, 0].sum())
            learner.append(-play.losses.sum())
            share.append(play.regret[-1] / game_volume(gains).volume[-1])
        what = f"{n_paths} paths with Hurst index {hurst:g}"
        better = "first" if np.median(first) > 0 else "second"
        rows += [
            Row.claim(f"{what}: the {winner} trader gains on the median path", "Section 5", better == winner),
            Row.claim_positive(
                f"{what}: mean gain of PROT, Rub",
                "Section 5",
                float(np.mean(learner)),
                standard_error=float(np.std(learner, ddof=1)) / n_paths**0.5,
            ),
            Row.ours(f"{what}: share in which PROT gains", float(np.mean(np.array(learner) > 0))),
            Row.ours(f"{what}: mean regret over the volume", round(float(np.mean(share)), 3)),
        ]
    return rows


def _portfolio_rows(name: str) -> list[Row]:
    """Every stock's own game, bought and sold without costs."""
    prices, stocks = load_portfolio(name)
    gains = [volatility_gains(column) for column in prices.T]
    volumes = [game_volume(gain) for gain in gains]
    prot, ada = ([strategy.run(-gain) for gain in gains] for strategy in (PerturbedLeader(0.5), AdaHedge()))

    def share(plays: list[Play]) -> float:
        return round(float(np.median([p.regret[-1] / v.volume[-1] for p, v in zip(plays, volumes)])), 4)

    limit = np.arange(1.0, len(prices)) ** -0.5
    wild = [np.count_nonzero((volume.fluctuation > limit)[9:]) for volume in volumes]
    winners = float(np.mean([play.losses.sum() < 0 for play in prot]))
    what = f"{name}, {len(stocks)} stocks, {len(prices)} days"
    return [
        Row.ours(f"{what}: share of stocks on which PROT gains", round(winners, 3)),
        Row.ours(f"{what}: median regret of PROT over the volume", share(prot)),
        Row.ours(f"{what}: median regret of AdaHedge over the volume", share(ada)),
        Row.ours(f"{what}: median days from the tenth on that break fluctuation <= t^-1/2", float(np.median(wild))),
    ]


def _figure() -> "Figure":
    """Figures 4 to 6 on a generated path in place of Gazprom's: price, fluctuation, gains and volume."""
    from matplotlib.figure import Figure

    prices = _prices(0.3, 0)
    gains = volatility_gains(prices, SHARES)
    volume, play = game_volume(gains), PerturbedLeader(0.5).run(-gains)
    figure = Figure(figsize=(15, 4), layout="constrained")
    price, fluctuation, gain = figure.subplots(1, 3)
    price.plot(prices, linewidth=1)
    price.set_ylabel("price")
    fluctuation.plot(volume.fluctuation, linewidth=1, label="fluctuation")
    fluctuation.plot(np.arange(1, N_POINTS) ** -0.5, color="black", linewidth=1, label="gamma(t)")
    fluctuation.legend()
    gain.plot(np.cumsum(gains, axis=0), color="black", linewidth=1)
    gain.plot(-np.cumsum(play.losses), ":", label="PROT")
    gain.plot(volume.volume, "--", label="volume")
    gain.set_ylabel("cumulative gain, Rub")
    gain.legend()
    for ax in (price, fluctuation, gain):
        ax.set_xlabel("step (generated path, Hurst index 0.3)")
    return figure
