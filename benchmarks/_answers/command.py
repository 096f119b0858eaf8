"""``python -m benchmarks answers``: judge what comparisons pick on rows that they never saw.

Time is processor time, the same for all: a budget of so many seconds of each of some processors. So a busy machine
makes the measurement longer, and changes nothing else.
"""

import argparse
import json
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks._answers.contenders import Question, defaults, quietly, treatise
from benchmarks._answers.peers import PEERS, ask, installed
from benchmarks._answers.tables import divisions, held_table, names_at_hand
from benchmarks._contest import left_out
from treatise._core.files import replacing
from treatise.compare.contest import race

SMALL = 5000
"""Rows below which every contender should have ten folds."""


def main(arguments: list[str]) -> int:
    """Run the command: a line of JSON for each table, then a summary."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks answers", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="TABLE", help="part of a table's name (default: all)")
    parser.add_argument("--budget", type=float, default=120.0, help="seconds of each processor (default: 120)")
    parser.add_argument("--jobs", type=int, default=2, help="processors for each (default: 2)")
    parser.add_argument("--without-peers", action="store_true", help="leave out other searches")
    parser.add_argument("--without-tuning", action="store_true", help="every method at its defaults, in the same time")
    parser.add_argument("--record", type=Path, help="keep the answers in this file, and leave out those that it holds")
    options = parser.parse_args(arguments)
    if options.without_tuning:
        race.LONGEST_SEARCH = race.SHORTEST_SEARCH = 0.0
    asked = {"budget": options.budget, "jobs": options.jobs, "tuning": not options.without_tuning}
    record = Record(options.record, asked)
    answers: dict[str, Callable[[Question], Any]] = {
        "defaults": defaults,
        "treatise": lambda question: treatise(question, options.budget),
    }
    for peer in () if options.without_peers else installed():
        answers[peer] = lambda question, peer=peer: ask(
            peer, question.held.name, question.held.division, options.budget, options.jobs
        )
    for name in names_at_hand(options.names):
        for division in divisions(name):
            question = Question(held_table(name, division), options.jobs)
            for who, answer in answers.items():
                if record.lacks(question, who):
                    try:
                        record.keep(question, who, quietly(lambda answer=answer, question=question: answer(question)))
                    except Exception as error:
                        left_out(f"{who} failed on {name}: {type(error).__name__}: {error}")
    record.show()
    return 0


class Record:
    """The answers on each table, in a file where one is named: what is done survives whatever ends the rest.

    A division of a table has one row for each thing that was asked for; the budget, the processors, whether parameters
    are searched.
    """

    def __init__(self, path: Path | None, asked: dict[str, Any]) -> None:
        self._path, self._asked = path, asked
        lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
        self.rows = [row for row in map(json.loads, filter(str.strip, lines)) if "table" in row]

    def lacks(self, question: Question, who: str) -> bool:
        """Whether somebody's answer on a table is not known."""
        return who not in self._row(question)

    def keep(self, question: Question, who: str, answer: Any) -> None:
        """Add an answer."""
        self._row(question)[who] = answer
        if self._path is not None:
            with replacing(self._path) as temporary:
                temporary.write_text(self._text, encoding="utf-8")

    def show(self) -> None:
        """Print all rows and what they come to."""
        print(self._text, end="", flush=True)

    def _row(self, question: Question) -> dict[str, Any]:
        about = {"table": question.held.name, "division": question.held.division, **self._asked}
        found = next((row for row in self.rows if about.items() <= row.items()), None)
        if found is None:
            found = about | {"metric": question.metric.name, "rows": question.held.train.height}
            self.rows.append(found)
        return found

    @property
    def _text(self) -> str:
        return "".join(json.dumps(line) + "\n" for line in [*self.rows, summary(self.rows)])


def behind(score: float, usual: dict[str, float]) -> float:
    """How far a score is behind the best default, as a share of the way from guessing to it; negative if ahead."""
    best = max(usual.values())
    return (best - score) / max(best - usual["guess"], 1e-9)


def distances(rows: list[dict[str, Any]]) -> list[float]:
    """Those of the picks from the default that is best on the whole, for each table."""
    picks = by_table((row, row["treatise"]["pick"]) for row in rows)
    usual = {name: by_table((row, row["defaults"][name]) for row in rows) for name in rows[0]["defaults"]}
    return [behind(pick, {name: scores[at] for name, scores in usual.items()}) for at, pick in enumerate(picks)]


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Over all tables: the worst and mean distance from the best default, mean ranks, what is left undecided.

    A table that was divided several times counts once, with the mean over its divisions.
    """
    rows = [row for row in rows if "treatise" in row and "defaults" in row]
    untuned = {(row["table"], row["division"]): row["treatise"]["pick"] for row in rows if not row["tuning"]}
    rows = [row for row in rows if row["tuning"]] or rows
    if not rows:
        return {"tables": 0}
    far = distances(rows)
    open_places = by_table((row, row["treatise"]["undecided"] + row["treatise"]["equivalent"]) for row in rows)
    blended = by_table(
        (row, (row["treatise"]["blend"] - row["treatise"]["single"]) / way(row))
        for row in rows
        if row["treatise"].get("blend") is not None and row["treatise"].get("single") is not None
    )
    tuned = by_table(
        (row, (row["treatise"]["pick"] - untuned[row["table"], row["division"]]) / way(row))
        for row in rows
        if (row["table"], row["division"]) in untuned
    )
    told = by_table((row, row["treatise"]["told"]) for row in rows if row["treatise"]["told"] is not None)
    small = [row["treatise"]["folds"] for row in rows if row["rows"] < SMALL]
    return {
        "tables": len(far),
        "worst behind the best default": max(far),
        "mean behind the best default": statistics.mean(far),
        f"mean rank, over {len({row['table'] for row in compared(rows)})} tables": ranks(compared(rows)),
        "median undecided or equivalent": statistics.median(open_places),
        "median difference that could be told, as a share of the way from guessing to the best": (
            statistics.median(told) if told else None
        ),
        "mean of the blend less the single method, as a share of the way from guessing to the best default": (
            statistics.mean(blended) if blended else None
        ),
        f"mean of tuning less defaults in the same time, likewise, over {len(tuned)} tables": (
            statistics.mean(tuned) if tuned else None
        ),
        f"fewest folds of a contender on a table below {SMALL} rows": min(small, default=None),
        "longest comparison in seconds of each processor": max(row["treatise"]["seconds"] for row in rows),
    }


def by_table(values: Iterable[tuple[dict[str, Any], float]]) -> list[float]:
    """The mean of a number over the divisions of each table."""
    found: dict[str, list[float]] = {}
    for row, value in values:
        found.setdefault(row["table"], []).append(value)
    return [statistics.mean(each) for each in found.values()]


def way(row: dict[str, Any]) -> float:
    """From guessing to the best default."""
    return max(max(row["defaults"].values()) - row["defaults"]["guess"], 1e-9)


def compared(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those on which everybody answered who answered on any."""
    everybody = {name for name in PEERS if any(name in row for row in rows)}
    return [row for row in rows if everybody <= row.keys()]


def ranks(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Mean ranks on the rows held out: the pick, every default and the peers; equals share theirs."""
    found: dict[str, list[tuple[dict[str, Any], float]]] = {}
    for row in rows:
        scores = {"treatise": row["treatise"]["pick"], **{f"default {k}": v for k, v in row["defaults"].items()}}
        scores |= {name: row[name]["score"] for name in PEERS if name in row}
        for name, score in scores.items():
            better = sum(other > score for other in scores.values())
            equal = sum(other == score for other in scores.values())
            found.setdefault(name, []).append((row, better + (equal + 1) / 2))
    return {name: round(statistics.mean(by_table(each)), 2) for name, each in sorted(found.items())}
