"""Bayesian online ranking (Weng & Lin, JMLR 12:267): prediction errors on Halo 2 games, Tables 2, 3 and 5."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treatise._core.errors import DataNotFoundError
from treatise.datasets import Games, load_atp, load_halo2, make_ranking_games
from treatise.papers._evidence import Evidence, Gap, Row
from treatise.ranking import GlickoRater, OnlineRater

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODELS = {"BT-full": "bt_full", "BT-partial": "bt_partial", "PL": "pl", "TM-full": "tm_full"}
TABLE_2 = {
    "head_to_head": {"BT-full": 32.53, "BT-partial": 32.53, "PL": 32.53, "TM-full": 32.41},
    "large_team": {"BT-full": 37.30, "BT-partial": 37.30, "PL": 37.30, "TM-full": 39.37},
}
TABLE_3 = {
    "head_to_head": {"BT-full": 32.55, "PL": 32.55, "TM-full": 32.74},
    "large_team": {"BT-full": 37.30, "PL": 37.30, "TM-full": 39.13},
}
TABLE_5 = {5: (2367, 38.70), 10: (3748, 35.17), 20: (4852, 33.29), 40: (5501, 32.61)}
TRUESKILL = {"head_to_head": 32.44, "large_team": 38.15}
GLICKO = 33.88
PUBLISHED_GAMES = {"head_to_head": 6227, "large_team": 1199}
MISSING = {"head_to_head": "all drawn", "large_team": "taken to be drawn as those of Head to Head are"}
LABEL = {"head_to_head": "Head to Head", "large_team": "Large Teams"}


GLICKO_START = Gap(
    "The paper prints no start for Glicko. Tried: 25 ± 25/3, the start of its other methods, which on Glicko's scale "
    "leaves ratings almost fixed; and 1500 ± 350, the usual one. Starting deviations between the two pass through the "
    "paper's number, but it names none.",
    band=0.5,
    shown_by="Head to Head: error %, Glicko from its usual 1500 ± 350",
)
PAST_GAMES = Gap(
    "the games that the file lacks count as past ones too; which they are is not known",
    band=20.0,
)
ABSENT = "Tables 2 to 5 on Free for All (Table 4 has no other) and Small Teams: not at hand; Free for All is generated"


def experiment(*, full: bool = False) -> Evidence:
    """Progressive errors on the Halo 2 games, on tennis, and on generated free-for-all games."""
    rows: list[Row] = []
    skipped = [ABSENT]
    removals = 50 if full else 5
    parts: list[Callable[[], list[Row]]] = [
        lambda: head_to_head_rows(Sample.of("head_to_head", removals)),
        lambda: table_rows(Sample.of("large_team", removals)),
        lambda: free_for_all_rows(full),
        tennis_rows,
    ]
    for part in parts:
        try:
            rows += part()
        except DataNotFoundError as missing:
            skipped.append(str(missing))
    return Evidence(rows, _figure(rows), skipped)


@dataclass(frozen=True)
class Sample:
    """Games at hand of a set of which some drawn games are missing, and further samples short of as many again.

    The head-to-head file has exactly the decided games of the paper; what it lacks are draws. Neither file has
    a game that ended 0 to 0. Draws are never predicted, but they move ratings. Leaving out as many of those at
    hand tells how many predictions hang on them.
    """

    mode: str
    games: Games
    thinned: list[tuple[Games, np.ndarray]]
    missing: int
    scale: float

    @classmethod
    def of(cls, mode: str, removals: int) -> "Sample":
        games = load_halo2(mode)
        missing = PUBLISHED_GAMES[mode] - len(games)
        drawn = np.flatnonzero(games.ranks[::2] == games.ranks[1::2])
        taken = min(missing, len(drawn))
        rng = np.random.default_rng(0)
        kept = [np.setdiff1d(np.arange(len(games)), rng.choice(drawn, taken, replace=False)) for _ in range(removals)]
        return cls(mode, games, [(_select(games, which), which) for which in kept], missing, missing / taken)

    def error(self, rater: Any, most_appearances: float = np.inf) -> tuple[float, int, float, float]:
        """Error in per cent, decided pairs, predictions that hang on the missing draws, and its standard error.

        Only games whose players have on average no more than so many past appearances are counted.
        """
        wrong, pairs = _counts(rater, self.games, most_appearances)
        changed = []
        for part, which in self.thinned:
            other_wrong, other_pairs = _counts(rater, part, most_appearances)
            changed.append(np.sum((wrong[which] != other_wrong) | (pairs[which] != other_pairs)))
        flips = self.scale * float(np.mean(changed))
        total = int(pairs.sum())
        return 100.0 * float(wrong.sum()) / total, total, flips, 100.0 * float(np.sqrt(flips)) / total

    def row(
        self, quantity: str, place: str, published: float, effect: float, rater: Any, most_appearances: float = np.inf,
        gap: Gap | None = None,
    ) -> Row:  # fmt: skip
        """The error beside the published one, which is to be told from others that lie ``effect`` away."""
        error, total, flips, standard_error = self.error(rater, most_appearances)
        why = (
            f"predictions that hang on draws: the file lacks {self.missing} of the paper's games, "
            f"{MISSING[self.mode]}, and leaving out as many draws changes about {flips:.0f} of {total} predictions"
        )
        what = f"{LABEL[self.mode]}: error %, {quantity}"
        return Row.printed(
            what, place, published, round(error, 2), standard_error=standard_error, why=why, effect=effect, gap=gap
        )


def _select(games: Games, which: np.ndarray) -> Games:
    """Some of the games of two teams, in order."""
    teams = np.stack([2 * which, 2 * which + 1], axis=1).ravel()
    sizes = np.diff(games.team_ptr)[teams]
    team_ptr = np.append(0, np.cumsum(sizes))
    seats = np.arange(team_ptr[-1]) + np.repeat(games.team_ptr[teams] - team_ptr[:-1], sizes)
    return Games(games.players[seats], team_ptr, np.arange(0, len(teams) + 1, 2), games.ranks[teams], games.names)


def _counts(rater: Any, games: Games, most_appearances: float) -> tuple[np.ndarray, np.ndarray]:
    wrong, pairs = rater.progressive_counts(games)
    if np.isfinite(most_appearances):
        seen, counted = np.zeros(games.n_players), np.zeros(len(games), bool)
        bounds = games.team_ptr[games.game_ptr]
        for game in range(len(games)):
            present = games.players[bounds[game] : bounds[game + 1]]
            counted[game] = seen[present].mean() <= most_appearances
            seen[present] += 1
        wrong, pairs = wrong * counted, pairs * counted
    return wrong, pairs


def table_rows(sample: Sample) -> list[Row]:
    """Tables 2 and 3 on one kind of game."""
    mode = sample.mode
    # What the table tells apart: the models.
    apart = max(TABLE_2[mode].values()) - min(TABLE_2[mode].values())
    rows = [
        sample.row(f"{name}, γ = σ/c", "Table 2", published, apart, OnlineRater(MODELS[name]))
        for name, published in TABLE_2[mode].items()
    ]
    rows += [
        sample.row(f"{name}, γ = 1/k", "Table 3", published, apart, OnlineRater(MODELS[name], gamma="1/k"))
        for name, published in TABLE_3[mode].items()
    ]
    lead = 100 * OnlineRater().progressive_error(sample.games) - TRUESKILL[mode]
    rows.append(
        Row.ours(
            f"{LABEL[mode]}: error % of BT-full here less the published {TRUESKILL[mode]} of TrueSkill", round(lead, 2)
        )
    )
    return rows


def head_to_head_rows(sample: Sample) -> list[Row]:
    """Tables 2, 3 and 5(b), and single-game Glicko (Section 6.2)."""
    _, total, _, _ = sample.error(OnlineRater())
    rows = [Row.printed("Head to Head: decided pairs from the second game on", "Table 5(b)", 5715, total)]
    rows += table_rows(sample)
    lines = [*(error for _, error in TABLE_5.values()), TABLE_2["head_to_head"]["BT-full"]]
    for (most, (pairs, published)), following in zip(TABLE_5.items(), lines[1:]):
        few = f"at most {most} past games a player"
        # What a line of the table is to be told from: the next one.
        rows.append(sample.row(f"BT-full, {few}", "Table 5(b)", published, published - following, OnlineRater(), most))
        counted = sample.error(OnlineRater(), most)[1]
        rows.append(Row.printed(f"Head to Head: decided pairs, {few}", "Table 5(b)", pairs, counted, gap=PAST_GAMES))
    usual = 100 * GlickoRater().progressive_error(sample.games)
    fixed = sample.row(
        "Glicko from 25 ± 25/3", "Section 6.2", GLICKO, GLICKO - TABLE_2["head_to_head"]["BT-full"],
        GlickoRater(mu=25, sigma=25 / 3), gap=GLICKO_START,
    )  # fmt: skip
    rows += [fixed, Row.check_at_most(GLICKO_START.shown_by, GLICKO, round(usual, 2))]
    return rows


def free_for_all_rows(full: bool) -> list[Row]:
    """What Tables 2 and 3 say of Free for All, on generated games of eight players."""
    n_games, n_players = (60_022, 5_943) if full else (2_000, 100)
    games, skill = make_ranking_games(n_games, n_players=n_players, n_teams=8, random_state=0)
    raters = {name: OnlineRater(model) for name, model in MODELS.items()}
    raters["TM-full, γ = 1/k"] = OnlineRater("tm_full", gamma="1/k")
    error = {name: rater.progressive_error(games) for name, rater in raters.items()}
    truth = skill[games.players].reshape(-1, 8)
    by_rank = np.take_along_axis(truth, np.argsort(games.ranks.reshape(-1, 8), axis=1), axis=1)
    better, worse = np.triu_indices(8, 1)
    floor = float(np.mean(by_rank[:, better] <= by_rank[:, worse]))
    what = f"{n_games} generated games of eight"
    rows = [Row.ours(f"{what}: error % of the true skills", round(100 * floor, 2))]
    rows += [Row.ours(f"{what}: error %, {name}", round(100 * value, 2)) for name, value in error.items()]
    worst = max(list(MODELS), key=error.__getitem__)
    rows += [
        Row.claim(f"{what}: TM-full is the worst of the four models", "Table 2", worst == "TM-full"),
        Row.claim(f"{what}: all pairs beat neighbours only", "Table 2", error["BT-full"] < error["BT-partial"]),
        Row.claim(f"{what}: γ = 1/k mends TM-full", "Table 3", error["TM-full, γ = 1/k"] < error["TM-full"]),
    ]
    if full:
        start = time.process_time()
        OnlineRater().fit(games)
        rows.append(
            Row.time(
                f"{what}: seconds, BT-full",
                "Section 6.1",
                1.2,
                time.process_time() - start,
            )
        )
    return rows


def tennis_rows() -> list[Row]:
    """Four seasons of men's tennis, which the paper does not have."""
    matches = load_atp()
    raters = {"BT-full": OnlineRater(), "TM-full": OnlineRater("tm_full"), "Glicko": GlickoRater()}
    return [
        Row.ours(f"Tennis 2016-2019: error %, {name}", round(100 * rater.progressive_error(matches), 2))
        for name, rater in raters.items()
    ]


def _figure(rows: list[Row]) -> "Figure | None":
    """Published errors (crosses) beside ours (dots, with the tolerance as a bar)."""
    from matplotlib.figure import Figure

    compared = [row for row in rows if row.rule == "within"]
    if not compared:
        return None
    figure = Figure(figsize=(9, 0.34 * len(compared) + 1.2), layout="constrained")
    ax = figure.subplots()
    place = np.arange(len(compared))
    bars = [row.within for row in compared]
    ax.errorbar(
        np.array([row.here for row in compared], dtype=float),
        place,
        xerr=bars,
        fmt="o",
        markersize=5,
        label="here",
        elinewidth=1,
    )
    ax.plot(
        np.array([row.expected for row in compared], dtype=float),
        place,
        "x",
        color="black",
        markersize=7,
        label="paper",
    )
    ax.set_yticks(place, [row.quantity.split(" (")[0] for row in compared])
    ax.invert_yaxis()
    ax.set_xlabel("pairs of teams predicted wrongly, %")
    ax.grid(axis="x", alpha=0.3)
    ax.legend()
    return figure
