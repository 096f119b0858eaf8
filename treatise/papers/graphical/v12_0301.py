"""Cumulative distribution networks: the paper's examples and its ratings of team games (Huang & Frey, JMLR 12:301)."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import norm
from scipy.stats import t as student

from treatise._core.errors import DataNotFoundError
from treatise.datasets import Games, load_halo2
from treatise.graphical import (
    CumulativeDistributionNetwork,
    CumulativeTeamRating,
    GaussianCDF,
    GumbelCopulaCDF,
    SigmoidCDF,
)
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.ranking import EloRater, OnlineRater
from treatise.statistics import bivariate_normal_cdf

# Section 4.3: mu, beta, sigma and rho of the two kinds of games of which a file is to be had.
HALO_2 = (
    ("Halo 2 duels", "head_to_head", (25.0, 20.0, 0.25, -0.95)),
    ("Halo 2 large teams", "large_team", (1.0, 1.0, 0.01, -0.9)),
)
MESSAGE = "change of the paper's message with the rival's score"
RECORD_ONLY = (
    "between two teams the network's message to a player is the same whatever the "
    "rivals scored and however strong they are, so that in duels a rating knows wins and losses alone; and a product "
    "of cumulative distributions is that of a largest score, which rises with every game, a lost one too. Multiplying "
    "densities, with the others' skills and the player's own score, the same model errs less"
)
BAND = 0.005  # a game counts or not by the last digit of a sum; a few of a thousand may turn


def experiment(*, full: bool = False) -> Evidence:
    """Examples 1 to 4 in numbers, and the order of teams predicted before each game.

    Parameters
    ----------
    full : bool, default=False
        All games of the two Halo 2 files instead of the first 500 of each.
    """
    rows = [*_example_rows(), *_simulated_rows()]
    skipped = []
    for what, mode, parameters in HALO_2:
        try:
            games = load_halo2(mode)
        except DataNotFoundError as missing:
            skipped.append(str(missing))
            continue
        rows += _halo_rows(what, games if full else games[:500], parameters)
    skipped.append("Figure 18, free for all and small teams: their games are not to be had")
    return Evidence(rows, _figure(), skipped)


def example_1() -> CumulativeDistributionNetwork:
    """Product of two bivariate Gaussian distributions (Figure 3)."""
    first = GaussianCDF("xy", [0, 3], [[3, 0.9 * np.sqrt(3)], [0.9 * np.sqrt(3), 1]])
    second = GaussianCDF("xy", [4, 4], [[5, -0.6 * np.sqrt(50)], [-0.6 * np.sqrt(50), 10]])
    return CumulativeDistributionNetwork([first, second])


def example_2() -> CumulativeDistributionNetwork:
    """Product of two Gumbel copulas over a Gaussian and a Student distribution (Figure 4)."""
    marginals = [norm(-2, 1), student(0.5)]
    return CumulativeDistributionNetwork([GumbelCopulaCDF("xy", marginals, theta) for theta in (0.25, 0.5)])


def example_3() -> CumulativeDistributionNetwork:
    """Product of two bivariate sigmoids (Figure 5)."""
    return CumulativeDistributionNetwork([SigmoidCDF("xy", [12.5, 0.125]), SigmoidCDF("xy", [0.4, 0.5])])


def _example_rows() -> list[Row]:
    rows = []
    for name, network, box in (("1", example_1(), (-8, 25, -8, 30)), ("3", example_3(), (-15, 30, -60, 90))):
        x, y = np.linspace(box[0], box[1], 600), np.linspace(box[2], box[3], 600)
        grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
        mass = float(np.exp(network.logpdf(grid)).sum() * (x[1] - x[0]) * (y[1] - y[0]))
        rows.append(
            Row.check(f"Example {name}: mass of the density", 1.0, mass, within=0.01, why="a grid of 600 x 600 cells")
        )
    pair_1, pair_2 = (float(bivariate_normal_cdf(0, 0, rho)) for rho in (np.sqrt(2) / 2, -0.5))
    # Of three normal variables, by Sheppard's formula for the share of an orthant.
    joint = 1 / 8 + (np.arcsin(np.sqrt(2) / 2) + np.arcsin(-0.5)) / (4 * np.pi)
    rows.append(Row.printed("F(0, 0, 0)", "Example 4", 7 / 48, float(joint), within=1e-12, why="rounding"))
    rows.append(Row.printed("F(0, 0, inf)", "Example 4", 3 / 8, pair_1, within=1e-12, why="rounding"))
    rows.append(Row.printed("F(inf, 0, 0)", "Example 4", 1 / 6, pair_2, within=1e-12, why="rounding"))
    rows.append(
        Row.printed(
            "F(0,0,inf) F(inf,0,0), which a network would need to equal 7/96",
            "Example 4",
            3 / 48,
            pair_1 * pair_2,
            within=1e-12,
            why="rounding",
        )
    )
    return rows


def _simulated_rows() -> list[Row]:
    generator = np.random.default_rng(0)
    skill = generator.normal(25, 8, 50)
    games = []
    for _ in range(1200):
        a, b = (int(player) for player in generator.choice(50, 2, replace=False))
        won = skill[a] + 4 * generator.normal() > skill[b] + 4 * generator.normal()
        games.append(([[a], [b]], [1, 2] if won else [2, 1]))
    log = Games.from_lists(games)
    ratings: dict[str, Any] = {
        "the paper's rule": CumulativeTeamRating(25.0, 8.0, 0.5, rule="paper"),
        "the rule of skills": CumulativeTeamRating(25.0, 8.0),
        "Bayesian online rating": OnlineRater("tm_full"),
    }
    return [
        Row.ours(f"simulated duels: pairs in wrong order, {name}", round(rating.progressive_error(log), 4))
        for name, rating in ratings.items()
    ]


def _halo_rows(what: str, games: Games, parameters: tuple) -> list[Row]:
    """Figure 18's comparison; the numbers of its bars are lost in every copy of the paper at hand."""
    known = games[: max(len(games) // 10, 1)]
    ratings: dict[str, Any] = {
        "the paper's rule": CumulativeTeamRating(*parameters, rule="paper").fit_cutpoints(_team_scores(known)),
        "the rule of skills": CumulativeTeamRating.for_scores(known.scores),
        "Bayesian online rating": OnlineRater("tm_full"),
    }
    if all(len(team) == 1 for team in games[0][0]):
        ratings["Elo"] = EloRater()
    counts = {name: rating.progressive_counts(games) for name, rating in ratings.items()}
    counts["share of games won"] = _win_rate_counts(games)
    errors = {name: wrong.sum() / pairs.sum() for name, (wrong, pairs) in counts.items()}
    rows = [
        Row.ours(f"{what}: pairs in wrong order, {name} (Figure 18)", round(float(error), 4))
        for name, error in errors.items()
    ]
    others: list[str] = [name for name in ("Bayesian online rating", "Elo") if name in errors]
    for name in others:
        lead, error = _lead(counts[name], counts["the paper's rule"])
        rows.append(
            Row.claim_positive(
                f"{what}: lead of the network over {name}",
                "Section 4.3",
                lead,
                standard_error=error,
                gap=Gap(RECORD_ONLY, BAND, shown_by=f"{what}: {MESSAGE}"),
            )
        )
    for name in ("share of games won", *others):
        lead, error = _lead(counts[name], counts["the rule of skills"])
        rows.append(
            Row.ours(
                f"{what}: lead of the rule of skills over {name}, and its standard error", f"{lead:.4f} ± {error:.4f}"
            )
        )
    return rows + _reason_rows(what, parameters)


def _team_scores(games: Games) -> list[list[float]]:
    return [[sum(made) for made in games.scores_of(number) or []] for number in range(len(games))]


def _lead(worse: tuple, better: tuple) -> tuple[float, float]:
    """Difference of two error rates over the same games, and its standard error."""
    # Some raters leave out the very first game.
    difference = (worse[0] - better[0])[1:]
    pairs = better[1][1:].sum()
    return float(difference.sum() / pairs), float(difference.std() * np.sqrt(len(difference)) / pairs)


def _win_rate_counts(games: Games) -> tuple[np.ndarray, np.ndarray]:
    """Wrong and decided games, by the sums of the players' shares of games won, with half a win and a loss each."""
    won, played = np.ones(games.n_players) / 2, np.ones(games.n_players)
    wrong, pairs = np.zeros((2, len(games)), np.int64)
    for number in range(len(games)):
        first = games.game_ptr[number]
        one, two = (games.players[games.team_ptr[t] : games.team_ptr[t + 1]] for t in (first, first + 1))
        edge = int(games.ranks[first + 1] - games.ranks[first])
        lead = (won[one] / played[one]).sum() - (won[two] / played[two]).sum()
        pairs[number], wrong[number] = edge != 0, edge != 0 and not lead * edge > 0
        won[one] += (edge > 0) + 0.5 * (edge == 0)
        won[two] += (edge < 0) + 0.5 * (edge == 0)
        played[one] += 1
        played[two] += 1
    return wrong, pairs


def _reason_rows(what: str, parameters: tuple) -> list[Row]:
    """What stands behind ``RECORD_ONLY``, shown with the paper's parameters."""
    mean, spread = parameters[:2]
    found = []
    for score in (mean - spread, mean + spread):
        rating = CumulativeTeamRating(*parameters, rule="paper")
        rating.update([["rival"], ["rated"]], scores=[[score], [mean]])
        found.append(rating.distribution("rated"))
    moved = float(np.abs(found[0] - found[1]).max())
    rating = CumulativeTeamRating(*parameters, rule="paper")
    likeliest = []
    for _ in range(50):
        rating.update([["lost always"], ["other"]])
        likeliest.append(rating.score("lost always"))
    return [
        Row.check(f"{what}: {MESSAGE}", 0.0, moved, within=1e-9, why="rounding"),
        Row.ours(
            f"{what}: rise of the likeliest score from the first to the fiftieth lost game, by the paper's rule",
            round(likeliest[-1] - likeliest[0], 4),
        ),
    ]


def _figure() -> Figure:
    figure = Figure(figsize=(12, 4), layout="constrained")
    boxes = ((-6, 12, -4, 14), (-6, 2, -10, 10), (-2, 12, -20, 60))
    names = ("Example 1: Gaussian", "Example 2: Gumbel copula", "Example 3: sigmoid")
    for ax, network, box, name in zip(figure.subplots(1, 3), (example_1(), example_2(), example_3()), boxes, names):
        x, y = np.linspace(box[0], box[1], 150), np.linspace(box[2], box[3], 150)
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        density = np.exp(network.logpdf(grid)).reshape(150, 150)
        ax.contourf(x, y, density, 20, cmap="viridis")
        ax.set(title=name, xlabel="x", ylabel="y")
    return figure
