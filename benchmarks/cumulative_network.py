"""Densities of cumulative distribution networks over rows."""

from collections.abc import Iterator

from benchmarks._contest import Contest, Scaling
from treatise.graphical import CumulativeDistributionNetwork, SigmoidCDF


def benchmarks() -> Iterator[Contest | Scaling]:
    """A chain of ten variables: no peer has the model, so the cost over rows stands alone."""
    chain = CumulativeDistributionNetwork([SigmoidCDF((i, i + 1), [1.0, 1.5]) for i in range(9)])
    rows = chain.sample(300_000, random_state=0)
    yield Scaling(
        work="cumulative distribution network, densities of a chain of 10 variables, over rows",
        sizes=(10_000, 30_000, 100_000, 300_000),
        prepare=lambda n: lambda: chain.logpdf(rows[:n]),
    )
