"""``python -m benchmarks defaults``: which defaults lose to the estimator's own best setting."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks._defaults.entrants import entrants
from benchmarks._defaults.settings import in_words
from benchmarks._defaults.tables import task_of, tried_tables
from benchmarks._defaults.trying import Trial
from benchmarks._defaults.verdict import loses, record, verdict
from benchmarks._record import put


def main(arguments: list[str]) -> int:
    """Run the command: a line for each estimator and table and a verdict, or one JSON object for each estimator."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks defaults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="an estimator, paper or family (default: all)")
    parser.add_argument(
        "--tables", nargs="*", default=(), metavar="TABLE", help="part of a table's name (default: all)"
    )
    parser.add_argument("--cap", type=float, default=10.0, help="processor seconds that a fit may take (default: 10)")
    parser.add_argument("--json", action="store_true", help="print one JSON object for each estimator")
    parser.add_argument("--record", type=Path, help="keep the lines in this file, in place of those of the same name")
    options = parser.parse_args(arguments)
    try:
        chosen, tables = entrants(options.names), tried_tables(options.tables)
    except ValueError as unknown:
        parser.error(str(unknown))
    trial = Trial(options.cap)
    try:
        for entrant in chosen:
            rows = []
            for table in tables:
                if task_of(table) in entrant.compare.tasks:
                    rows.append(trial.run(entrant, table).row())
                    if not options.json:
                        print(_sentence(rows[-1]), flush=True)
            if rows:
                print(json.dumps(record(rows)) if options.json else f"{entrant.name}: {verdict(rows)}\n", flush=True)
                if options.record is not None:
                    put(options.record, "estimator", [record(rows)])
    finally:
        trial.close()
    return 0


def _sentence(row: Mapping[str, Any]) -> str:
    def show(score: float | None) -> str:
        return "-" if score is None else f"{score:.3f}"

    if row["default"] is None and row["best"] is None:
        return f"{row['estimator']} on {row['table']}: {row['why']}"
    mark = f"  <- {in_words(row['setting'])}" if loses(row) else ""
    beside = f"{row['beside']} {show(row['obvious'])}"
    scores = f"default {show(row['default'])}, best {show(row['best'])}, {beside}"
    return f"{row['estimator']} on {row['table']}: {scores}{mark}"
