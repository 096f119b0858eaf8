"""The value of a policy from a log of decisions: a table read, an estimate with its interval, and a picture."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare.interval_picture import draw_intervals
from treatise.compare.output import output_folder, write_table
from treatise.datasets import load_table
from treatise.io import Table

if TYPE_CHECKING:
    from treatise.rl import LogValue

ROLES = {
    "episode": ("episode", "episode_id", "trajectory"),
    "step": ("step", "time", "t"),
    "action": ("action",),
    "reward": ("reward",),
    "behaviour": ("behaviour", "behavior", "behaviour_probability", "behavior_probability", "propensity"),
    "target": ("target", "target_probability"),
}
"""What columns are called where nobody says, by their role."""


@dataclass(frozen=True)
class EvaluatedPolicy:
    """The value of a policy from a log of decisions.

    Attributes
    ----------
    found : LogValue
        The value, its interval, and how much of the log speaks for the policy.
    table : polars.DataFrame
        Columns "method", "value", "low" and "high"; the method taken comes first.
    features : list of str
        Columns that describe the states.
    discount : float
        What a reward is worth one step later.
    notes : list of str
        What was decided about the log, and what to be careful about.
    """

    found: "LogValue"
    table: pl.DataFrame
    features: list[str]
    discount: float
    notes: list[str]

    def write(self, folder: str | os.PathLike[str]) -> dict[str, Path]:
        """Write the picture and the table into a folder, which is made.

        Parameters
        ----------
        folder : path
            Where to write.

        Returns
        -------
        files : dict
            "picture" and "table".
        """
        with output_folder(folder) as place:
            files = {"picture": place / "value.png", "table": place / "value.csv"}
            title = f"Value of the target policy, {100 * self.found.level:g}% intervals"
            draw_intervals(self.table, "method", "value", files["picture"], title=title)
            write_table(self.table, files["table"])
        return files


def evaluate_policy(
    data: str | os.PathLike[str] | Table, *, discount: float, features: Sequence[str] | None = None,
    episode: str | None = None, step: str | None = None, action: str | None = None, reward: str | None = None,
    behaviour: str | None = None, target: str | None = None, cut_off: bool = False, method: str = "auto",
    level: float = 0.95, resamples: int = 1000, header: bool | None = None, seed: int = 0,
) -> EvaluatedPolicy:  # fmt: skip
    """Judge a policy by a log of another one's decisions.

    Parameters
    ----------
    data : path, bundled name or Table
        A row for each decision.
    discount : float
        What a reward is worth one step later, in [0, 1].
    features : sequence of str or None, default=None
        Columns that describe the state; None takes all columns of numbers that have no other role.
    episode, step, action, reward, behaviour, target : str or None, default=None
        The column of each role: which episode, its order within the episode, what was done, what it earned, and the
        action's probability under the policy that acted and under the one to be judged. None takes the usual names.
        Without a column of steps the order of the rows counts; what was done is not needed.
    cut_off : bool, default=False
        Whether episodes were only cut off, and would have gone on.
    method, level, resamples :
        As for :func:`treatise.rl.evaluate_log`.
    header, seed :
        As for :func:`compare_methods`.

    Returns
    -------
    evaluated : EvaluatedPolicy
    """
    from treatise.rl import evaluate_log

    table = data if isinstance(data, Table) else load_table(data, header=header)
    if table.matrix is not None:
        raise TreatiseError("this is a sparse matrix without names; a log of decisions needs a table, such as CSV")
    given = {"episode": episode, "step": step, "action": action, "reward": reward}
    places = _places(table, {**given, "behaviour": behaviour, "target": target})
    frame = _ordered(table.frame, places)
    described, notes = _described(frame, places, features)
    acted, judged = (_probabilities(frame, places[role]) for role in ("behaviour", "target"))
    if (acted == 0.0).any():
        row = int(np.argmax(acted == 0.0))
        raise TreatiseError(
            f"{places['behaviour']!r} is 0 in a row ({_place(frame, places, row)}): the policy that acted cannot have "
            "done what it never does"
        )
    which = frame[places["episode"]]
    starts = np.append(True, (which[1:] != which[:-1]).to_numpy())
    X = frame.select(described).to_numpy().astype(np.float64) if described else np.zeros((frame.height, 0))
    X = np.column_stack([X, np.ones(frame.height)])
    try:
        found = evaluate_log(
            X, _numbers(frame, places["reward"]), judged / acted, starts, discount=discount, cut_off=cut_off,
            method=method, level=level, resamples=resamples, random_state=seed,
        )  # fmt: skip
    except ValueError as error:
        raise TreatiseError(f"this log cannot be evaluated: {error}") from error
    order = [found.method, *(name for name in found.estimates if name != found.method)]
    columns = [[found.estimates[name][place] for name in order] for place in range(3)]
    board = pl.DataFrame({"method": order, "value": columns[0], "low": columns[1], "high": columns[2]})
    return EvaluatedPolicy(found, board, described, discount, [*table.notes, *notes, *found.notes])


def _places(table: Table, given: dict[str, str | None]) -> dict[str, str]:
    """The column of each role."""
    lower = {name.lower(): name for name in table.frame.columns}
    found = {}
    for role, name in given.items():
        usual = next((lower[each] for each in ROLES[role] if each in lower), None)
        if name is not None:
            found[role] = table.column(name)
        elif usual is not None:
            found[role] = usual
        elif role not in ("step", "action"):
            raise TreatiseError(
                f"{table.name} has no column called {' or '.join(map(repr, ROLES[role][:2]))}; say which one is the "
                f"{role} with --{role}"
            )
    doubled = [name for name in found.values() if list(found.values()).count(name) > 1]
    if doubled:
        raise TreatiseError(f"the column {doubled[0]!r} has two roles; give each its own")
    return found


def _ordered(frame: pl.DataFrame, places: dict[str, str]) -> pl.DataFrame:
    """Rows of an episode one after another, in the order of their steps, episodes in the order of the table."""
    if not frame.height:
        raise TreatiseError("the log has no rows")
    for role, name in places.items():
        if frame[name].null_count():
            raise TreatiseError(f"the column {name!r} ({role}) has {frame[name].null_count()} empty cells")
    keys = ["__first"]
    if "step" in places:
        twice = frame.select(pl.struct(places["episode"], places["step"]).is_duplicated()).to_series()
        if twice.any():
            row = int(twice.arg_max() or 0)
            raise TreatiseError(f"a step stands twice in the log: {_place(frame, places, row)}")
        keys.append(places["step"])
    frame = frame.with_row_index("__row").with_columns(pl.col("__row").min().over(places["episode"]).alias("__first"))
    return frame.sort(keys, maintain_order=True).drop("__row", "__first")


def _described(
    frame: pl.DataFrame, places: dict[str, str], features: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """The columns of features, and a word on them."""
    if features is not None:
        missing = [name for name in features if name not in frame.columns]
        if missing:
            raise TreatiseError(f"there is no column {missing[0]!r}; the log has {', '.join(frame.columns)}")
        wrong = [name for name in features if not frame[name].dtype.is_numeric()]
        if wrong:
            raise TreatiseError(f"the column {wrong[0]!r} holds no numbers; features are numbers")
        chosen, left = list(features), list[str]()
    else:
        others = [name for name in frame.columns if name not in places.values()]
        chosen = [name for name in others if frame[name].dtype.is_numeric()]
        left = [name for name in others if name not in chosen]
    for name in chosen:
        if frame[name].null_count() or not np.isfinite(frame[name].to_numpy().astype(np.float64)).all():
            raise TreatiseError(f"the column {name!r} has cells that are empty or not finite; fill them in first")
    notes = [f"states are described by {', '.join(chosen)}" if chosen else "no column describes the states"]
    if left:
        notes.append(f"left aside, since they hold no numbers: {', '.join(left)}")
    if "step" not in places:
        notes.append("the rows of an episode are taken in their order")
    return chosen, notes


def _numbers(frame: pl.DataFrame, name: str) -> np.ndarray:
    if not frame[name].dtype.is_numeric():
        raise TreatiseError(f"the column {name!r} holds no numbers")
    return frame[name].to_numpy().astype(np.float64)


def _probabilities(frame: pl.DataFrame, name: str) -> np.ndarray:
    values = _numbers(frame, name)
    wrong = ~((values >= 0.0) & (values <= 1.0))
    if wrong.any():
        raise TreatiseError(f"the column {name!r} holds {values[wrong][0]:g}; probabilities lie between 0 and 1")
    return values


def _place(frame: pl.DataFrame, places: dict[str, str], row: int) -> str:
    said = [f"{role} {frame[places[role]][row]}" for role in ("episode", "step") if role in places]
    return ", ".join(said)
