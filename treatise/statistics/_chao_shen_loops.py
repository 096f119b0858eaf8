"""The entropy of Chao and Shen, for compiled loops."""

import numpy as np

from treatise._core.jit import compiled_step


@compiled_step
def chao_shen(counts, n):
    """Entropy of a sample in nats, with the values that it missed (Chao and Shen, 2003).

    With f singletons the sample covers C = 1 - f/n; where all are singletons f = n - 1, so that C > 0.
    """
    singletons = 0
    for c in counts:
        singletons += c == 1
    if singletons == n:
        singletons = n - 1
    coverage = 1.0 - singletons / n
    total = 0.0
    for c in counts:
        p = coverage * c / n
        # 1 - (1 - p)^n, without the loss of digits where p is small.
        chance = -np.expm1(n * np.log1p(-p)) if p < 1.0 else 1.0
        total -= p * np.log(p) / chance
    return total
