"""The search over a program's arguments, every trial kept, so that the same call goes on where it stopped.

The search is a function of its seed and of the values that it was told. To go on, it is begun anew and takes the values
of the trials that the folder holds; programs run for the others alone.
"""

import csv
import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from treatise._core.errors import TreatiseError
from treatise._core.files import held, made_folder, replacing, telling
from treatise._core.progress import progress
from treatise.search.commands.program import Program
from treatise.search.commands.space import Argument
from treatise.search.nes import minimize_nes

TRIALS, QUESTION, BEST, PICTURE = "trials.csv", "question.json", "best.json", "search.png"
START, SPREAD = 0.5, 0.3
"""Of the unit cube: where the search begins and its first deviation, about a third of the way to the walls."""
CLOSE = 1e-6
"""A search has converged when its trials are so close, as a share of the first deviation."""
RESTARTS = 9


@dataclass(frozen=True)
class CommandSearch:
    """What a search of a program's arguments found.

    Attributes
    ----------
    arguments : dict of str to number
        The best arguments.
    value : float
        What the program printed for them.
    command : list of str
        The program's words with the best arguments.
    n_trials, n_failed : int
        Trials in all, and those without a number.
    n_taken_up : int
        Trials that the folder held already.
    finished : bool
        Whether all evaluations were made, the target was reached, or nothing is left to search.
    message : str
        Why it ended.
    folder : Path
        Where trials, answer and picture are.
    """

    arguments: dict[str, float | int]
    value: float
    command: list[str]
    n_trials: int
    n_failed: int
    n_taken_up: int
    finished: bool
    message: str
    folder: Path


def minimize_command(
    command: str,
    arguments: Sequence[Argument],
    folder: str | Path,
    *,
    evaluations: int = 200,
    budget: float | None = None,
    target: float | None = None,
    maximize: bool = False,
    timeout: float | None = None,
    n_jobs: int = 1,
    seed: int = 0,
    verbose: bool | None = None,
) -> CommandSearch:
    """Search the arguments of a program for the least number that it prints, by natural evolution strategies.

    Use it for simulations, builds and training runs that no gradient is known of. The program is started without a
    shell; a run that fails counts as the worst. The same call goes on where an earlier one stopped, also with more
    evaluations.

    Parameters
    ----------
    command : str
        The program, with places such as ``{rate}``. Its number is the last one on the last line that it prints.
    arguments : sequence of Argument
        One for each place.
    folder : str or Path
        Where every trial is kept.
    evaluations : int, default=200
        Runs of the program.
    budget : float or None, default=None
        Seconds after which no generation is begun.
    target : float or None, default=None
        A value that is good enough.
    maximize : bool, default=False
        Whether larger numbers are better.
    timeout : float or None, default=None
        Seconds that a run may take.
    n_jobs : int, default=1
        Runs at a time.
    seed : int, default=0
        Seed.
    verbose : bool or None, default=None
        None shows progress on a terminal.

    Returns
    -------
    CommandSearch

    Examples
    --------
    >>> import sys, tempfile
    >>> from treatise.search import Argument, minimize_command
    >>> program = f"{sys.executable} -c 'print(({{x}} - 2) ** 2)'"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = minimize_command(program, [Argument("x", 0, 5)], folder, evaluations=40)
    >>> found.n_trials, abs(found.arguments["x"] - 2) < 0.5
    (40, True)
    """
    program = Program(command, timeout)
    _check(program, arguments, evaluations, n_jobs, timeout, budget)
    question = {
        "command": command, "arguments": [asdict(argument) for argument in arguments], "maximize": maximize,
        "seed": seed,
    }  # fmt: skip
    place = made_folder(folder)
    with held(place, what="search"), closing(program):
        log = _Log(place, question, [argument.name for argument in arguments])
        runner = _Runner(program, arguments, log, maximize, n_jobs)
        with progress("Runs of the program", evaluations, show=verbose) as advance:
            result = _searched(runner, len(arguments), evaluations, target, budget, seed, advance)
        found = runner.found(result.status != 2, result.message)
        _write(found, log, maximize)
        return found


def _check(
    program: Program, arguments: Sequence[Argument], evaluations: int, n_jobs: int, timeout: float | None,
    budget: float | None,
) -> None:  # fmt: skip
    names = [argument.name for argument in arguments]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TreatiseError(f"{twice} has two ranges; give it one")
    for name in program.places:
        if name not in names:
            raise TreatiseError(f"the place {{{name}}} has no range; give one, as in {name}=0:1")
    for name in names:
        if name not in program.places:
            raise TreatiseError(f"the command has no place {{{name}}}; write it where the number goes")
    if not names:
        raise TreatiseError("the command has no place for a number; write one, as in 'prog {x}', and give its range")
    if evaluations < 1:
        raise TreatiseError(f"{evaluations} evaluations allow no run; give 1 or more")
    if n_jobs < 1:
        raise TreatiseError(f"{n_jobs} runs at a time do nothing; give 1 or more")
    for what, seconds in (("timeout", timeout), ("budget", budget)):
        if seconds is not None and not seconds > 0:
            raise TreatiseError(f"a {what} of {seconds:g} s leaves no time; give more than 0")


def _searched(
    runner: "_Runner", d: int, evaluations: int, target: float | None, budget: float | None, seed: int,
    advance: Callable[[int], None],
) -> Any:  # fmt: skip
    begun = time.monotonic()

    def batch(X: np.ndarray) -> np.ndarray:
        # The last generation of the budget may be cut short: trials beyond it are not run, and count as the worst.
        values = runner.values(X[: max(0, evaluations - runner.n_trials)])
        advance(len(values))
        return np.concatenate([values, np.full(len(X) - len(values), np.nan)])

    def watch(_: Any) -> None:
        if runner.n_trials >= evaluations:
            raise StopIteration
        if budget is not None and time.monotonic() - begun >= budget:
            runner.out_of_time = True
            raise StopIteration

    sign = -1.0 if runner.maximize else 1.0
    try:
        result = minimize_nes(
            batch, np.full(d, START), SPREAD, bounds=(0.0, 1.0), max_evals=2**62, tol=CLOSE, restarts=RESTARTS,
            batch=True, ftarget=None if target is None else sign * target, random_state=seed, callback=watch,
            verbose=False,
        )  # fmt: skip
    except KeyboardInterrupt:
        # In its first generation the search has no answer yet; runs that ended are one.
        if all(math.isnan(value) for value, _ in runner.tried):
            raise
        return OptimizeResult(status=2, message="interrupted from the keyboard")
    if runner.n_trials >= evaluations:
        result.status, result.message = 1, f"{evaluations} evaluations were made"
    elif runner.out_of_time:
        result.message = f"the budget of {budget:g} s ended"
    return result


class _Log:
    """The trials of a search in a file, a row for each, written as they end."""

    def __init__(self, folder: Path, question: dict[str, Any], names: list[str]) -> None:
        self.folder, self.columns = folder, ["trial", "value", "seconds", "complaint", *names]
        self.rows: dict[int, dict[str, str]] = {}
        kept = folder / QUESTION
        if kept.exists():
            try:
                earlier = json.loads(kept.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise TreatiseError(f"{kept} cannot be read ({error}); take another folder") from error
            if not isinstance(earlier, dict):
                raise TreatiseError(f"{kept} holds no question of a search; take another folder")
            if earlier != question:
                other = [name for name in question if earlier.get(name) != question[name]]
                raise TreatiseError(f"{folder} holds a search with another {other[0]}; take another folder")
            self._read()
        else:
            with replacing(kept) as temporary:
                temporary.write_text(json.dumps(question, indent=1), encoding="utf-8")

    def _read(self) -> None:
        path = self.folder / TRIALS
        if not path.exists():
            return
        try:
            # The last row may have been cut off by whatever ended the search, even within a letter.
            lines = path.read_bytes().decode("utf-8", errors="replace").splitlines(keepends=True)
            whole = lines if lines and lines[-1].endswith("\n") else lines[:-1]
            self.rows = {int(row["trial"]): row for row in csv.DictReader(whole)}
            for row in self.rows.values():
                float(row["value"])
                if None in [row[name] for name in self.columns]:
                    raise ValueError(f"trial {row['trial']} is cut short")
        except (OSError, KeyError, TypeError, ValueError, csv.Error) as error:
            raise TreatiseError(f"{path} holds no trials of a search ({error}); take another folder") from error
        # Written anew without what was cut off, so that the next row begins a line.
        with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, self.columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(self.rows[number] for number in sorted(self.rows))

    def value(self, number: int, values: dict[str, float | int]) -> float | None:
        """What a trial came to, if it is there; the arguments must be the same."""
        row = self.rows.get(number)
        if row is None:
            return None
        if any(row[name] != repr(value) for name, value in values.items()):
            raise TreatiseError(
                f"trial {number} of {self.folder / TRIALS} has other arguments than this search would try; it was made "
                "by another version or changed: take another folder"
            )
        return float(row["value"])

    def keep(self, number: int, values: dict[str, float | int], value: float, seconds: float, complaint: str) -> None:
        """Add a trial to the file."""
        path = self.folder / TRIALS
        new = not path.exists()
        row = {"trial": str(number), "value": repr(value), "seconds": f"{seconds:.3f}", "complaint": complaint}
        row |= {name: repr(each) for name, each in values.items()}
        self.rows[number] = row
        with telling(f"{path} cannot be written"), path.open("a", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, self.columns)
            if new:
                writer.writeheader()
            writer.writerow(row)


class _Runner:
    """Trials in the order of the search: from the log where they are there, else by the program."""

    def __init__(self, program: Program, arguments: Sequence[Argument], log: _Log, maximize: bool, n_jobs: int) -> None:
        self.program, self.arguments, self.log, self.maximize, self.n_jobs = program, arguments, log, maximize, n_jobs
        self.n_trials = self.n_taken_up = 0
        self.tried: list[tuple[float, dict[str, float | int]]] = []
        self.out_of_time = False

    def values(self, X: np.ndarray) -> np.ndarray:
        """The values of trials in the unit cube, the lower the better."""
        points = [{a.name: a.at(float(share)) for a, share in zip(self.arguments, x)} for x in X]
        numbers = range(self.n_trials, self.n_trials + len(points))
        found = {n: self.log.value(n, point) for n, point in zip(numbers, points)}
        self.n_taken_up += sum(value is not None for value in found.values())
        missing = [(n, point) for n, point in zip(numbers, points) if found[n] is None]
        with ThreadPoolExecutor(min(self.n_jobs, max(1, len(missing)))) as threads:
            jobs = {threads.submit(self._timed, point): (n, point) for n, point in missing}
            try:
                for job in as_completed(jobs):
                    n, point = jobs[job]
                    printed, seconds = job.result()
                    self.log.keep(n, point, printed.value, seconds, printed.complaint)
                    found[n] = printed.value
            except BaseException:
                for job in jobs:
                    job.cancel()
                self.program.stop()
                self._count({n: point for n, point in zip(numbers, points) if found[n] is not None}, found)
                raise
        values = np.array([found[n] for n in numbers], dtype=float)
        self._count(dict(zip(numbers, points)), found)
        if self.n_trials == len(points) and np.isnan(values).all():
            row = self.log.rows[0]
            words = " ".join(self.program.filled(points[0]))
            raise TreatiseError(f"no run of the first {len(points)} gave a number; {words!r}: {row['complaint']}")
        return -values if self.maximize else values

    def _count(self, points: dict[int, dict[str, float | int]], found: dict[int, Any]) -> None:
        """Take trials that ended as made."""
        self.tried += [(float(found[n]), point) for n, point in points.items()]
        self.n_trials += len(points)

    def _timed(self, point: dict[str, float | int]) -> tuple[Any, float]:
        begun = time.monotonic()
        return self.program.run(point), time.monotonic() - begun

    def found(self, finished: bool, message: str) -> CommandSearch:
        """The best of all trials."""
        sign = -1.0 if self.maximize else 1.0
        value, point = min(self.tried, key=lambda each: math.inf if math.isnan(each[0]) else sign * each[0])
        failed = sum(math.isnan(value) for value, _ in self.tried)
        return CommandSearch(
            point, value, self.program.filled(point), self.n_trials, failed, self.n_taken_up, finished, message,
            self.log.folder,
        )  # fmt: skip


def _write(found: CommandSearch, log: _Log, maximize: bool) -> None:
    """The answer and a picture of all trials."""
    answer = {**asdict(found), "folder": str(found.folder)}
    with replacing(found.folder / BEST) as temporary:
        temporary.write_text(json.dumps(answer, indent=1), encoding="utf-8")
    from matplotlib.figure import Figure

    values = np.array([float(log.rows[n]["value"]) for n in sorted(log.rows)])
    better, worst = (np.fmax, -np.inf) if maximize else (np.fmin, np.inf)
    best = better.accumulate(np.where(np.isfinite(values), values, worst))
    figure = Figure(figsize=(6, 4), layout="constrained")
    ax = figure.subplots()
    ax.plot(values, ".", color="0.6", ms=4, label="a run")
    ax.step(np.arange(len(best)), np.where(np.isfinite(best), best, np.nan), where="post", color="#1b6ca8",
            label="best so far")  # fmt: skip
    ax.set(xlabel="run", ylabel="number printed", yscale="log" if np.nanmin(values) > 0 else "linear")
    ax.legend(frameon=False)
    with replacing(found.folder / PICTURE) as temporary:
        figure.savefig(temporary, format="png", dpi=120)
