"""Run benchmarks by name, or all of them; a command as the first word measures something else."""

import argparse
import json
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import benchmarks
from benchmarks._contest import Contest, Scaling
from benchmarks._peers import contest_of, declared
from benchmarks._record import put

COMMANDS = {
    "cost": "cost laws",
    "answers": "what comparisons pick",
    "verdict": "how often their standings are wrong",
    "defaults": "what estimators do as they come",
}


def modules() -> dict[str, str]:
    """The folder of each benchmark module, that of its family."""
    files = Path(benchmarks.__file__).parent.glob("[a-z]*/[a-z]*.py")
    return {file.stem: file.parent.name for file in sorted(files)}


def names() -> list[str]:
    """Every benchmark: the modules, and the estimators whose rows name a peer."""
    return [*modules(), *sorted(declared())]


def chosen(words: list[str]) -> list[str]:
    """The benchmarks that are meant by their names or those of families; all where no word is given."""
    homes = modules()
    unknown = set(words) - set(names()) - set(homes.values())
    if unknown:
        known = ", ".join([*names(), *sorted(set(homes.values()))])
        raise ValueError(f"no benchmark or family named {', '.join(sorted(unknown))}; there are: {known}")
    return [name for name in names() if not words or name in words or homes.get(name) in words]


def contests(name: str) -> Iterable[Contest | Scaling]:
    """What a benchmark measures."""
    rows = declared()
    if name in rows:
        return [contest_of(rows[name])]
    return import_module(f"benchmarks.{modules()[name]}.{name}").benchmarks()


def main() -> int:
    if sys.argv[1:2] and sys.argv[1] in COMMANDS:
        # Imports the numerical packages, which contests bring themselves.
        return import_module(f"benchmarks._{sys.argv[1]}").main(sys.argv[2:])
    commands = "; ".join(f"{word} measures {what}" for word, what in COMMANDS.items())
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benchmarks.__doc__, epilog=commands)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a benchmark or a family (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("--record", type=Path, help="keep the lines in this file, in place of those of the same name")
    options = parser.parse_args()
    try:
        wanted = chosen(options.names)
    except ValueError as unknown:
        parser.error(str(unknown))
    for name in wanted:
        rows = []
        for contest in contests(name):
            rows.append({"benchmark": name, **contest.run()})
            print(json.dumps(rows[-1]) if options.json else _sentence(rows[-1]), flush=True)
        if rows and options.record is not None:
            put(options.record, "benchmark", rows)
    return 0


def _sentence(row: dict) -> str:
    def show(value: object) -> str:
        return f"{value:.4g}" if isinstance(value, float) else str(value)

    fields = [f"{key}: {show(value)}" for key, value in row.items() if key not in ("benchmark", "work")]
    return f"{row['benchmark']} · {row['work']}\n    " + "  ".join(fields)


if __name__ == "__main__":
    sys.exit(main())
