"""Compiled couplings of pairwise probabilities, one row of data after another (Wu, Lin & Weng, JMLR 5:975).

Pairs come packed: column c of ``pairs`` holds r_ij of the c-th pair i < j, in the order (0, 1), (0, 2), ..., (1, 2).
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step

EPSILON = np.finfo(np.float64).eps


@compiled
def unpack(packed, R):
    """The matrix R of one row, with r_ji = 1 - r_ij and a diagonal of 1/2."""
    k, column = R.shape[0], 0
    for i in range(k):
        R[i, i] = 0.5
        for j in range(i + 1, k):
            R[i, j] = packed[column]
            R[j, i] = 1.0 - packed[column]
            column += 1


@compiled
def pack(R, packed):
    """Pairs i < j of every matrix; the row and pair whose r_ij + r_ji is farthest from 1, and the extremes of r."""
    n, k = R.shape[0], R.shape[1]
    worst, worst_row, worst_pair, low, high = 0.0, 0, 0, 0.5, 0.5
    for row in range(n):
        column = 0
        for i in range(k):
            for j in range(i + 1, k):
                r = R[row, i, j]
                packed[row, column] = r
                off = abs(r + R[row, j, i] - 1.0)
                # Written so that NaN counts as the worst.
                if not off <= worst:
                    worst, worst_row, worst_pair = off, row, column
                low, high = min(low, r), max(high, r)
                column += 1
    return worst, worst_row, worst_pair, low, high


@compiled
def normalize(p):
    """Scale p to the sum one."""
    total = 0.0
    for i in range(p.shape[0]):
        total += p[i]
    for i in range(p.shape[0]):
        p[i] /= total


@compiled_step
def least_squares_matrix(R, Q):
    """Equation (22)."""
    k = R.shape[0]
    for i in range(k):
        diagonal = 0.0
        for s in range(k):
            if s != i:
                diagonal += R[s, i] * R[s, i]
                Q[i, s] = -R[s, i] * R[i, s]
        Q[i, i] = diagonal


@compiled_step
def least_squares(R, Q, p):
    """Equation (23) as p proportional to the inverse of Q times e, by Q = L D L' without square roots.

    Off the diagonal Q and hence L are negative, so that both substitutions add positive numbers only and no
    probability can turn negative. Q is singular where R is consistent: its last pivot is rounding then, is kept
    positive, and the solve becomes a step of inverse iteration to the null vector, which is the solution.
    """
    k = R.shape[0]
    least_squares_matrix(R, Q)
    for j in range(k):
        floor = EPSILON * Q[j, j]
        # Row j of Q holds the unscaled products L_js D_s up to here.
        for s in range(j):
            scaled = Q[j, s] / Q[s, s]
            Q[j, j] -= scaled * Q[j, s]
            Q[j, s] = scaled
        if Q[j, j] < floor:
            Q[j, j] = floor
        for i in range(j + 1, k):
            total = Q[i, j]
            for s in range(j):
                total -= Q[i, s] * Q[j, s]
            Q[i, j] = total
    for i in range(k):
        total = 1.0
        for s in range(i):
            total -= Q[i, s] * p[s]
        p[i] = total
    for i in range(k - 1, -1, -1):
        total = p[i] / Q[i, i]
        for s in range(i + 1, k):
            total -= Q[s, i] * p[s]
        p[i] = total
    normalize(p)


@compiled
def markov(R, T, p):
    """Equation (15): the stationary distribution of the chain that moves from j to i with probability r_ij.

    States are censored one by one from the last (Grassmann, Taksar & Heyman): sums of positive numbers
    only, hence full relative accuracy even for probabilities of 1e-14.
    """
    k = R.shape[0]
    for i in range(k):
        for j in range(k):
            T[i, j] = R[i, j]
    for last in range(k - 1, 0, -1):
        leaving = 0.0
        for i in range(last):
            leaving += T[i, last]
        for i in range(last):
            T[i, last] /= leaving
        for j in range(last):
            into = T[last, j]
            for i in range(last):
                T[i, j] += T[i, last] * into
        T[last, last] = leaving
    p[0] = 1.0
    for state in range(1, k):
        arriving = 0.0
        for j in range(state):
            arriving += T[state, j] * p[j]
        p[state] = arriving / T[state, state]
    normalize(p)


@compiled_step
def row_sums(R, p):
    """Equation (11)."""
    k = R.shape[0]
    for i in range(k):
        total = 0.0
        for s in range(k):
            if s != i:
                total += R[i, s]
        p[i] = 2.0 * total / (k * (k - 1))


@compiled_step
def votes(R, p):
    """Equation (1), shared votes where r_ij = r_ji."""
    k = R.shape[0]
    for i in range(k):
        total = 0.0
        for s in range(k):
            if s != i:
                if R[i, s] > R[s, i]:
                    total += 1.0
                elif R[i, s] == R[s, i]:
                    total += 0.5
        p[i] = 2.0 * total / (k * (k - 1))


@compiled_step
def price(R, p):
    """Equation (3), with 1 / r_ij - 1 written as r_ji / r_ij so that nothing cancels."""
    k = R.shape[0]
    for i in range(k):
        total = 1.0
        for j in range(k):
            if j != i:
                total += R[j, i] / R[i, j]
        p[i] = 1.0 / total
    normalize(p)


@compiled
def couple_rows(pairs, n_classes, method):
    """Class probabilities of every row: 0 least squares, 1 Markov chain, 2 row sums, 3 votes, 4 Price et al."""
    n = pairs.shape[0]
    P = np.empty((n, n_classes))
    R = np.empty((n_classes, n_classes))
    scratch = np.empty((n_classes, n_classes))
    for row in range(n):
        unpack(pairs[row], R)
        if method == 0:
            least_squares(R, scratch, P[row])
        elif method == 1:
            markov(R, scratch, P[row])
        elif method == 2:
            row_sums(R, P[row])
        elif method == 3:
            votes(R, P[row])
        else:
            price(R, P[row])
    return P


@compiled
def cyclic_least_squares(pairs, n_classes, tol, max_iter):
    """Algorithm 2 with the O(k) updates of Appendix D; also the sweeps that each row took.

    In (48) the paper prints a sum over all components of Qp; only component t belongs there.
    """
    n, k = pairs.shape[0], n_classes
    P = np.full((n, k), 1.0 / k)
    sweeps = np.zeros(n, dtype=np.int64)
    R, Q, Qp = np.empty((k, k)), np.empty((k, k)), np.empty(k)
    for row in range(n):
        p = P[row]
        unpack(pairs[row], R)
        least_squares_matrix(R, Q)
        for sweep in range(max_iter + 1):
            value = 0.0
            for i in range(k):
                total = 0.0
                for j in range(k):
                    total += Q[i, j] * p[j]
                Qp[i] = total
                value += p[i] * total
            worst = 0.0
            for i in range(k):
                worst = max(worst, abs(Qp[i] - value))
            sweeps[row] = sweep
            if worst < tol or sweep == max_iter:
                break
            for t in range(k):
                step = (value - Qp[t]) / Q[t, t]
                p[t] += step
                value = (value + step * (2.0 * Qp[t] + step * Q[t, t])) / (1.0 + step) ** 2
                for j in range(k):
                    Qp[j] = (Qp[j] + Q[j, t] * step) / (1.0 + step)
                    p[j] /= 1.0 + step
    return P, sweeps
