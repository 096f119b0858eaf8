"""Run benchmarks by name, or all of them; ``cost`` as the first word measures cost laws."""

import argparse
import json
import pkgutil
import sys
from collections.abc import Iterable
from importlib import import_module

import benchmarks
from benchmarks._contest import Contest, Scaling
from benchmarks._peers import contest_of, declared


def names() -> list[str]:
    """Every benchmark module, and every estimator whose row names a peer."""
    modules = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_"))
    return [*modules, *sorted(declared())]


def contests(name: str) -> Iterable[Contest | Scaling]:
    """What a benchmark measures."""
    rows = declared()
    return [contest_of(rows[name])] if name in rows else import_module(f"benchmarks.{name}").benchmarks()


def main() -> int:
    if sys.argv[1:2] == ["cost"]:
        from benchmarks import _cost  # imports the numerical packages, which contests bring themselves

        return _cost.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benchmarks.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(names())} (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    options = parser.parse_args()
    unknown = set(options.names) - set(names())
    if unknown:
        parser.error(f"no benchmark named {', '.join(sorted(unknown))}; there are: {', '.join(names())}")
    for name in options.names or names():
        for contest in contests(name):
            row = {"benchmark": name, **contest.run()}
            print(json.dumps(row) if options.json else _sentence(row), flush=True)
    return 0


def _sentence(row: dict) -> str:
    def show(value: object) -> str:
        return f"{value:.4g}" if isinstance(value, float) else str(value)

    fields = [f"{key}: {show(value)}" for key, value in row.items() if key not in ("benchmark", "work")]
    return f"{row['benchmark']} · {row['work']}\n    " + "  ".join(fields)


if __name__ == "__main__":
    sys.exit(main())
