"""``python -m benchmarks cost``: measure laws and write them, or check those that stand."""

import argparse
from collections.abc import Callable, Iterator, Sequence

from benchmarks._cost.law import as_toml, fit_law
from benchmarks._cost.measure import FEWEST_ROWS, LONG_ENOUGH, MOST_ROWS, Measured, Meter, grid
from benchmarks._cost.rows import Row, chosen_rows, write_laws
from benchmarks._tables import Size
from treatise.catalog import Cost

MOST_OFF = 3.0
PAIRS_OF_ROWS = 1.5  # an exponent of n from which on a matrix of pairs of rows, not the table, fills the memory
# What is too small to be told from the noise of the clock, and of the memory that comes and goes.
LEAST = Measured(seconds=2e-3, bytes=1 << 20)


def main(arguments: list[str]) -> int:
    """Run the command; the status is 1 where a law is off."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cost", description="Measure cost laws.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="an estimator, or a paper's id")
    parser.add_argument("--all", action="store_true", help="every estimator of a comparison, and the baselines")
    parser.add_argument("--check", action="store_true", help=f"only tell which laws are off by more than {MOST_OFF:g}")
    options = parser.parse_args(arguments)
    if bool(options.names) == options.all:
        parser.error("name estimators or papers, or give --all")
    try:
        rows = chosen_rows(options.names)
    except ValueError as unknown:
        parser.error(str(unknown))
    off = 0
    for row in rows:
        if options.check:
            for complaint in complaints(row, Meter(row).at):
                off += 1
                print(complaint, flush=True)
        else:
            laws = measured_laws(Meter(row))
            write_laws(row.file, row.path, laws)
            print(f"{row.name}: " + ", ".join(f"{key} = {as_toml(law)}" for key, law in laws.items()), flush=True)
    return int(off > 0)


def measured_laws(meter: Meter) -> dict[str, Cost]:
    """The laws of an estimator as it is measured now."""
    sizes = grid(meter)
    costs = [meter.at(size) for size in sizes]
    return {
        "seconds": fit_law(sizes, [cost.seconds for cost in costs]),
        "bytes": bytes_law(sizes, [cost.bytes for cost in costs]),
    }


def bytes_law(sizes: Sequence[Size], costs: Sequence[float]) -> Cost:
    """The law of memory: no less than the table that is held, unless pairs of rows take more than it does."""
    law = fit_law(sizes, costs, least=(1, 0, 0))
    return law if law.n >= PAIRS_OF_ROWS else fit_law(sizes, costs, least=(1, 1, 0))


def complaints(row: Row, measure: Callable[[Size], Measured]) -> Iterator[str]:
    """A sentence for each law of a row that is off at one of two sizes."""
    for size in check_sizes(row):
        found = measure(size)
        for key in Measured._fields:
            expected = max(getattr(row.compare, key).at(*size), getattr(LEAST, key))
            ratio = max(getattr(found, key), getattr(LEAST, key)) / expected
            if not 1 / MOST_OFF <= ratio <= MOST_OFF:
                yield (
                    f"{row.name}: {key} at {size.n} rows, {size.p} columns and {size.k} classes: the law says "
                    f"{expected:.2g}, measured {getattr(found, key):.2g}; `python -m benchmarks cost {row.name}`"
                )


def check_sizes(row: Row) -> list[Size]:
    """Two sizes at which the law expects a fit to take a tenth of a second, or as near as tables of fair size come."""
    columns = (1,) if "sequence" in row.compare.tasks else (12, 24)
    k = 8 if "sequence" in row.compare.tasks else 2 if "multiclass" not in row.compare.tasks else 4
    sizes = []
    for p in columns:
        n = FEWEST_ROWS
        while n < MOST_ROWS and row.compare.seconds.at(n, p, k) < LONG_ENOUGH / 2:
            n *= 2
        sizes.append(Size(n, p, k))
    return sizes
