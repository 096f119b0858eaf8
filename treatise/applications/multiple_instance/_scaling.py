"""Units of the columns of instances, learned from the training bags."""

from dataclasses import dataclass

import numpy as np

from treatise.applications.multiple_instance.bags import Bags


@dataclass(frozen=True)
class Units:
    """Columns as (value - origin) / unit; constant ones, which tell bags nothing, have an infinite unit."""

    origin: np.ndarray
    unit: np.ndarray

    @classmethod
    def of(cls, bags: Bags, scale: str | float | None, *, per_column: float = 1.0) -> "Units":
        """``"auto"`` makes every column start at 0 with a standard deviation of ``per_column``, in equal bags.

        A number divides all columns by it, None leaves them.
        """
        m = bags.n_features
        if scale is None or not isinstance(scale, str):
            return cls(np.zeros(m), np.full(m, 1.0 if scale is None else float(scale)))
        least, most = bags.instances.min(axis=0), bags.instances.max(axis=0)
        spread = bags.instances.std(axis=0)
        varies = (most > least) & (spread > 0)
        return cls(least, np.where(varies, spread / per_column, np.inf))

    def applied(self, bags: Bags) -> Bags:
        """The bags in these units."""
        return bags.showing((bags.instances - self.origin) / self.unit)

    def varying(self, bags: Bags) -> Bags:
        """The bags in these units, without the columns that are constant; where all are, each is zero."""
        scaled = self.applied(bags)
        varies = np.isfinite(self.unit)
        return scaled.showing(scaled.instances[:, varies]) if varies.any() else scaled
