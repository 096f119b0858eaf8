"""From measurements at several sizes to a law."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import lsq_linear

from benchmarks._tables import Size
from treatise.catalog import Cost

EXPONENT_STEP = 0.25
MOST = (3.0, 3.0, 2.0)  # no method here grows faster; what looks so is more iterations on small data


def fit_law(sizes: Sequence[Size], costs: Sequence[float], least: Sequence[float] = (0, 0, 0)) -> Cost:
    """The law nearest to the costs: least squares in logarithms, no exponent below ``least`` or above ``MOST``.

    Exponents are rounded to quarters; the scale then puts the law in the geometric middle of the costs. A size that
    does not vary has no say.
    """
    logs, target = np.log(np.asarray(sizes, dtype=float)), np.log(np.asarray(costs, dtype=float))
    varied = np.ptp(logs, axis=0) > 0
    design = np.column_stack([logs[:, varied], np.ones(len(target))])
    lowest = np.append(np.asarray(least, dtype=float)[varied], -np.inf)
    highest = np.append(np.asarray(MOST)[varied], np.inf)
    found = lsq_linear(design, target, bounds=(lowest, highest)).x[:-1]
    exponents = np.zeros(3)
    exponents[varied] = np.round(found / EXPONENT_STEP) * EXPONENT_STEP
    scale = math.exp(float(np.mean(target - logs @ exponents)))
    return Cost(float(f"{scale:.2g}"), *exponents.tolist())


def as_toml(law: Cost) -> str:
    """The law as the value of a key in ``papers.toml``."""
    exponents = "".join(f", {name} = {getattr(law, name):g}" for name in "npk" if getattr(law, name))
    return f"{{ scale = {_shown(law.scale)}{exponents} }}"


def _shown(value: float) -> str:
    if 0.01 <= value < 1e6:
        return f"{value:.6f}".rstrip("0").rstrip(".")
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits.removesuffix('.0')}e{int(power)}"
