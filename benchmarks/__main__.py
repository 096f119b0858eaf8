"""Run benchmarks by name, or all of them."""

import argparse
import json
import pkgutil
import sys
from importlib import import_module

import benchmarks


def names() -> list[str]:
    """Every benchmark module."""
    return sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benchmarks.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(names())} (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    options = parser.parse_args()
    unknown = set(options.names) - set(names())
    if unknown:
        parser.error(f"no benchmark named {', '.join(sorted(unknown))}; there are: {', '.join(names())}")
    for name in options.names or names():
        for contest in import_module(f"benchmarks.{name}").benchmarks():
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
