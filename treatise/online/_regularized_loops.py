"""Second-order steps that weigh a loss against moving the Gaussian belief about the weights.

As in the confidence-weighted steps, alpha moves the mean along Sigma x and kappa adds precision along x; m is
the margin of the mean, v = x' Sigma x.
"""

from treatise._core.jit import compiled

AROW, NAROW, HERD, PERCEPTRON, PERCEPTRON_EVERY_ROUND = 3, 4, 5, 6, 7


@compiled
def regularized_step(rule, m, v, wrong, r):
    """Whether there is a loss, alpha and kappa."""
    if rule >= PERCEPTRON:
        # Cesa-Bianchi, Conconi & Gentile (2005) keep u, the sum of mistaken y x, and predict with Sigma u. In terms
        # of the mean Sigma u itself, adding x to both is a step of ridge regression towards the label.
        if wrong:
            return True, (1.0 - m) / (1.0 + v), 1.0
        if rule == PERCEPTRON_EVERY_ROUND:
            return False, -m / (1.0 + v), 1.0
        return False, 0.0, 0.0
    if m >= 1.0:
        return False, 0.0, 0.0
    if rule == AROW:
        return True, (1.0 - m) / (v + r), 1.0 / r
    if rule == NAROW:
        # r becomes v / (b v - 1), infinite as long as v <= 1 / b; the parameter passed in is b.
        gain = r * v - 1.0
        if gain <= 0.0:
            return True, 0.0, 0.0
        return True, (1.0 - m) * gain / (r * v * v), gain / v
    # Normal herding, full covariance: Sigma - (v + 2/C) / (v + 1/C)^2 Sigma x x' Sigma; the parameter is C.
    return True, (1.0 - m) * r / (r * v + 1.0), r * (r * v + 2.0)


@compiled
def ellipsoid_step(m, v, wrong, c):
    """Improved ellipsoid method (Yang, Jin & Ye, 2009): loss, alpha, kappa, and the growth of Sigma."""
    if not wrong or v < 1e-300:
        return wrong, 0.0, 0.0, 1.0
    return True, (1.0 - m) / v, c / (v * (1.0 - c)), 1.0 / (1.0 - c)
