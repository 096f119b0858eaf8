"""``python -m benchmarks answers``: judge what comparisons pick on rows that they never saw."""

import argparse
import json
import statistics

from benchmarks._answers.contenders import PEERS, Question, defaults, quietly, treatise
from benchmarks._answers.tables import held_tables
from benchmarks._contest import left_out
from treatise.compare.contest import race


def main(arguments: list[str]) -> int:
    """Run the command: a line of JSON for each table, then a summary."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks answers", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="TABLE", help="part of a table's name (default: all)")
    parser.add_argument("--budget", type=float, default=120.0, help="seconds for each (default: 120)")
    parser.add_argument("--jobs", type=int, default=2, help="processors for each (default: 2)")
    parser.add_argument("--without-peers", action="store_true", help="leave out other searches")
    parser.add_argument("--without-tuning", action="store_true", help="every method at its defaults, in the same time")
    options = parser.parse_args(arguments)
    if options.without_tuning:
        race.LONGEST_SEARCH = race.SHORTEST_SEARCH = 0.0
    rows = []
    for held in held_tables(options.names):
        question = Question(held, options.jobs)
        found = quietly(lambda question=question: treatise(question, options.budget))
        usual = quietly(lambda question=question: defaults(question))
        others = {}
        if not options.without_peers:
            for name, peer in PEERS.items():
                try:
                    score = quietly(lambda peer=peer, question=question: peer(question, options.budget))
                except Exception as error:
                    left_out(f"{name} failed on {held.name}: {type(error).__name__}: {error}")
                    continue
                if score is not None:
                    others[name] = score
        asked = {"budget": options.budget, "jobs": options.jobs, "rows": held.train.height}
        row = {"table": held.name, "metric": question.metric.name, **asked, "treatise": found, "defaults": usual}
        row |= others
        row["behind"] = behind(found["pick"], usual)
        rows.append(row)
        print(json.dumps(row), flush=True)
    print(json.dumps(summary(rows)))
    return 0


def behind(score: float, usual: dict[str, float]) -> float:
    """How far a score is behind the best default, as a share of the way from guessing to it; negative if ahead."""
    best = max(usual.values())
    return (best - score) / max(best - usual["guess"], 1e-9)


def summary(rows: list[dict]) -> dict:
    """Over all tables: the worst and mean distance from the best default, mean ranks, what is left undecided."""
    if not rows:
        return {"tables": 0}
    ranks: dict[str, list[float]] = {}
    for row in rows:
        scores = {"treatise": row["treatise"]["pick"], **{f"default {k}": v for k, v in row["defaults"].items()}}
        scores |= {name: row[name] for name in PEERS if name in row}
        for name, score in scores.items():
            better = sum(other > score for other in scores.values())
            equal = sum(other == score for other in scores.values())
            ranks.setdefault(name, []).append(better + (equal + 1) / 2)
    ours = [row["treatise"] for row in rows]
    blended = [
        (found["blend"] - found["single"]) / max(max(row["defaults"].values()) - row["defaults"]["guess"], 1e-9)
        for row, found in zip(rows, ours)
        if found.get("blend") is not None and found.get("single") is not None
    ]
    return {
        "tables": len(rows),
        "worst behind the best default": max(row["behind"] for row in rows),
        "mean behind the best default": statistics.mean(row["behind"] for row in rows),
        "mean rank": {name: round(statistics.mean(found), 2) for name, found in sorted(ranks.items())},
        "median undecided or equivalent": statistics.median(found["undecided"] + found["equivalent"] for found in ours),
        "mean of the blend less the single method, as a share of the way from guessing to the best default": (
            statistics.mean(blended) if blended else None
        ),
        "fewest folds of a contender": min(found["folds"] for found in ours),
        "longest comparison in seconds": max(found["wall"] for found in ours),
    }
