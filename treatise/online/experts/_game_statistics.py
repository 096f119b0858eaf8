"""Statistics of a matrix of losses in which regret bounds are stated (Table 1 of JMLR 15:1281)."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class GameStatistics:
    """The largest loss range S, the sum of squared ranges, and how far the best expert is from the extremes."""

    log_experts: float
    largest_range: float
    squared_ranges: float
    above_lowest: float
    below_highest: float

    @classmethod
    def of(cls, losses):
        """The statistics of a matrix of losses."""
        low, high = losses.min(axis=1), losses.max(axis=1)
        # Sums of differences rather than differences of sums, which would lose all digits of large losses.
        best = int(np.argmin((losses - low[:, None]).sum(axis=0)))
        ranges = high - low
        return cls(
            float(np.log(losses.shape[1])), float(ranges.max(initial=0.0)), float(np.sum(ranges**2)),
            float(np.sum(losses[:, best] - low)), float(np.sum(high - losses[:, best])),
        )  # fmt: skip

    @property
    def spread(self):
        """(L+ - L*)(L* - L-) / (L+ - L-), zero where all losses are alike."""
        total = self.above_lowest + self.below_highest
        return self.above_lowest * self.below_highest / total if total > 0.0 else 0.0
