"""``python -m benchmarks answers``: judge what comparisons pick on rows that they never saw.

Time is processor time, the same for all: a budget of so many seconds of each of some processors. So a busy machine
makes the measurement longer, and changes nothing else.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from benchmarks._answers.contenders import Question, defaults, quietly, treatise
from benchmarks._answers.peers import PEERS, ask, installed
from benchmarks._answers.tables import held_table, names_at_hand
from benchmarks._contest import left_out
from treatise.compare.contest import race

SMALL = 5000


def main(arguments: list[str]) -> int:
    """Run the command: a line of JSON for each table, then a summary."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks answers", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="TABLE", help="part of a table's name (default: all)")
    parser.add_argument("--budget", type=float, default=120.0, help="seconds of each processor (default: 120)")
    parser.add_argument("--jobs", type=int, default=2, help="processors for each (default: 2)")
    parser.add_argument("--without-peers", action="store_true", help="leave out other searches")
    parser.add_argument("--without-tuning", action="store_true", help="every method at its defaults, in the same time")
    parser.add_argument("--record", type=Path, help="append to this file, and leave out the tables that it holds")
    options = parser.parse_args(arguments)
    if options.without_tuning:
        race.LONGEST_SEARCH = race.SHORTEST_SEARCH = 0.0
    asked = {"budget": options.budget, "jobs": options.jobs, "tuning": not options.without_tuning}
    rows = _recorded(options.record)
    known = {row["table"] for row in rows if asked.items() <= row.items()}
    for name in names_at_hand(options.names):
        if name in known:
            continue
        try:
            row = measured(name, asked, () if options.without_peers else installed())
        except Exception as error:
            left_out(f"{name}: {type(error).__name__}: {error}")
            continue
        rows.append(row)
        _say(row, options.record)
    _say(summary(rows), options.record)
    return 0


def _recorded(path: Path | None) -> list[dict[str, Any]]:
    """The tables of a record."""
    lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
    return [row for row in map(json.loads, filter(str.strip, lines)) if "table" in row]


def _say(line: dict[str, Any], path: Path | None) -> None:
    """Print a line, or append it to a record: what is done survives whatever ends the rest."""
    if path is None:
        print(json.dumps(line), flush=True)
        return
    with path.open("a", encoding="utf-8") as record:
        record.write(json.dumps(line) + "\n")
    print(json.dumps(line), file=sys.stderr, flush=True)


def measured(name: str, asked: dict[str, Any], peers: Any) -> dict[str, Any]:
    """Everybody's answer on one table."""
    held, budget, jobs = held_table(name), asked["budget"], asked["jobs"]
    question = Question(held, jobs)
    found = quietly(lambda: treatise(question, budget))
    usual = quietly(lambda: defaults(question))
    about = {"table": name, "metric": question.metric.name, **asked, "rows": held.train.height}
    row = {**about, "treatise": found, "defaults": usual, "behind": behind(found["pick"], usual), "peers": {}}
    for peer in peers:
        try:
            row["peers"][peer] = ask(peer, name, budget, jobs)
        except RuntimeError as error:
            left_out(f"{peer} failed on {name}: {error}")
    return row


def behind(score: float, usual: dict[str, float]) -> float:
    """How far a score is behind the best default, as a share of the way from guessing to it; negative if ahead."""
    best = max(usual.values())
    return (best - score) / max(best - usual["guess"], 1e-9)


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Over all tables: the worst and mean distance from the best default, mean ranks, what is left undecided."""
    untuned = {row["table"]: row["treatise"]["pick"] for row in rows if not row["tuning"]}
    rows = [row for row in rows if row["tuning"]] or rows
    if not rows:
        return {"tables": 0}
    ours = [row["treatise"] for row in rows]
    blended = [
        (found["blend"] - found["single"]) / way(row)
        for row, found in zip(rows, ours)
        if found.get("blend") is not None and found.get("single") is not None
    ]
    tuned = [(row["treatise"]["pick"] - untuned[row["table"]]) / way(row) for row in rows if row["table"] in untuned]
    small = [row["treatise"]["folds"] for row in rows if row["rows"] < SMALL]
    told = [found["told"] for found in ours if found["told"] is not None]
    return {
        "tables": len(rows),
        "worst behind the best default": max(row["behind"] for row in rows),
        "mean behind the best default": statistics.mean(row["behind"] for row in rows),
        "mean rank": ranks(rows),
        "median undecided or equivalent": statistics.median(found["undecided"] + found["equivalent"] for found in ours),
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
        "longest comparison in seconds of each processor": max(found["seconds"] for found in ours),
    }


def way(row: dict[str, Any]) -> float:
    """From guessing to the best default."""
    return max(max(row["defaults"].values()) - row["defaults"]["guess"], 1e-9)


def ranks(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Mean ranks on the rows held out: the pick, every default and the peers; equals share theirs."""
    found: dict[str, list[float]] = {}
    for row in rows:
        scores = {"treatise": row["treatise"]["pick"], **{f"default {k}": v for k, v in row["defaults"].items()}}
        scores |= {name: row["peers"][name]["score"] for name in PEERS if name in row["peers"]}
        for name, score in scores.items():
            better = sum(other > score for other in scores.values())
            equal = sum(other == score for other in scores.values())
            found.setdefault(name, []).append(better + (equal + 1) / 2)
    return {name: round(statistics.mean(each), 2) for name, each in sorted(found.items())}
