"""Triangle fixing: the projection on the metrics by Dykstra's method (Brickell et al., SIAM J. Matrix Anal. 30:375)."""

from treatise._core.jit import compiled, compiled_step


@compiled_step
def fix(long, one, other, price):
    """Meet long <= one + other: what each side changes by, from the inequality's own price before."""
    slack = one + other - long
    step = slack / 3.0
    return step if step < price else price


@compiled
def sweep(M, prices):
    """One round over all triangles i < j < k and their three inequalities; returns the largest change of a side.

    ``prices`` holds three dual prices a triangle, in the order of the loops. Only the upper triangle of M is used.
    """
    d = M.shape[0]
    at, largest = 0, 0.0
    for i in range(d):
        for j in range(i + 1, d):
            ij = M[i, j]
            for k in range(j + 1, d):
                ik, jk = M[i, k], M[j, k]
                step = fix(ij, ik, jk, prices[at])
                if step != 0.0:
                    ij, ik, jk = ij + step, ik - step, jk - step
                    prices[at] -= step
                    largest = max(largest, abs(step))
                step = fix(ik, ij, jk, prices[at + 1])
                if step != 0.0:
                    ik, ij, jk = ik + step, ij - step, jk - step
                    prices[at + 1] -= step
                    largest = max(largest, abs(step))
                step = fix(jk, ij, ik, prices[at + 2])
                if step != 0.0:
                    jk, ij, ik = jk + step, ij - step, ik - step
                    prices[at + 2] -= step
                    largest = max(largest, abs(step))
                M[i, k], M[j, k] = ik, jk
                at += 3
            M[i, j] = ij
    return largest


@compiled
def largest_violation(M):
    """Most by which a side of a triangle exceeds the other two together; below zero where all are shorter."""
    d = M.shape[0]
    worst = -1e300
    for i in range(d):
        for j in range(i + 1, d):
            for k in range(j + 1, d):
                ij, ik, jk = M[i, j], M[i, k], M[j, k]
                worst = max(worst, ij - ik - jk, ik - ij - jk, jk - ij - ik)
    return worst
