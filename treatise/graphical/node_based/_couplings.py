"""How the graphs of several conditions are tied: by the nodes that tell them apart, or by hubs they share.

Both penalties are row-column overlap norms (paper v15-0445, Definition 1; the constraint printed there is garbled, it
reads ``T^k = V^k + (V^k)'``). A coupling owns copies U of the matrices V, tied to the precision matrices Y linearly,
and offers what alternating directions need: its proximal operator, the projection that restores the equations, and the
dual ball. Arrays have the condition or pair first and the matrix in the last two axes; axes between count separate
blocks of equal size.
"""

from itertools import combinations

import numpy as np

from treatise.optimize import prox_column_norms


def transposed(A):
    """Every matrix of a stack the other way round."""
    return np.swapaxes(A, -1, -2)


def column_norms(A, q):
    """The q-norm of every column."""
    return np.linalg.norm(A, ord=q, axis=-2)


def dual_norm(q):
    """The s with 1/q + 1/s = 1."""
    return {1: np.inf, 2: 2, np.inf: 1}[q]


class PairDifferences:
    """The sum over pairs of conditions of ``Omega_q(Y^k - Y^m)``, equation (6)."""

    def __init__(self, n_conditions):
        self.n_conditions = n_conditions
        self.pairs = list(combinations(range(n_conditions), 2))
        self.n_parts = len(self.pairs)

    def split(self, Y):
        """The even split of the differences, which satisfies the equations."""
        return np.stack([Y[k] - Y[m] for k, m in self.pairs]) / 2

    def prox(self, V, penalty, q):
        """Operator of the penalty on the columns of V."""
        return prox_column_norms(V, penalty, q)

    def project(self, A, B):
        """Nearest (Y, U) to (A, B) with ``Y^k - Y^m = U + U'``, where each Y counts twice.

        Given Y the best U moves half of what is missing to each triangle; what is left is a linear system in Y, the
        same for every entry and solved by its mean over the conditions.
        """
        K = self.n_conditions
        sums = B + transposed(B)
        Y = 2.0 * A + A.sum(axis=0) / 4
        for (k, m), C in zip(self.pairs, sums):
            Y[k] += C / 4
            Y[m] -= C / 4
        Y /= 2 + K / 4
        missing = np.stack([Y[k] - Y[m] for k, m in self.pairs]) - sums
        return Y, B + missing / 2

    def columns(self, V):
        """The vectors whose norms are summed, as columns."""
        return V

    def scores(self, V):
        """Length of every column off the diagonal, for each pair."""
        return _lengths_off_diagonal(V)

    def pull(self, prices):
        """What symmetric prices of U add to the gradient of each condition: Lambda of equations (27) and (28)."""
        pulls = np.zeros((self.n_conditions, *prices.shape[1:]))
        for (k, m), price in zip(self.pairs, prices):
            pulls[k] += price / 2
            pulls[m] -= price / 2
        return pulls

    def settle(self, Z, V):
        """Z with equal entries where V says that conditions do not differ; alternation leaves them equal to tol."""
        label = np.broadcast_to(np.arange(self.n_conditions).reshape(-1, 1, 1), Z.shape).copy()
        same = (V == 0) & (transposed(V) == 0)
        # Equality passes on: as many rounds as the longest chain of conditions.
        for _ in range(self.n_conditions - 1):
            for (k, m), joined in zip(self.pairs, same):
                lower = np.minimum(label[k], label[m])
                label[k], label[m] = np.where(joined, lower, label[k]), np.where(joined, lower, label[m])
        settled = np.empty_like(Z)
        for k in range(self.n_conditions):
            group = label == label[k]
            # A value that one of them has set to zero is zero for all.
            settled[k] = np.where((group & (Z == 0)).any(axis=0), 0.0, (group * Z).sum(axis=0) / group.sum(axis=0))
        return settled


class SharedColumns:
    """``Omega_q`` of all conditions stacked, their diagonals left out, equation (7)."""

    def __init__(self, n_conditions):
        self.n_conditions = n_conditions
        self.n_parts = n_conditions

    def split(self, Y):
        """The even split of the matrices without their diagonals."""
        return self._without_diagonal(Y) / 2

    def prox(self, V, penalty, q):
        """Operator of the penalty on the stacked columns; the diagonal of V costs nothing and is kept at zero."""
        stacked = prox_column_norms(self.columns(self._without_diagonal(V)), penalty, q)
        return np.stack(np.split(stacked, self.n_conditions, axis=-2))

    def project(self, A, B):
        """Nearest (Y, U) to (A, B) with ``Y = U + U'`` off the diagonal, where each Y counts twice."""
        B = self._without_diagonal(B)
        sums = B + transposed(B)
        Y = (8.0 * A + sums) / 9
        on = np.arange(A.shape[-1])
        Y[..., on, on] = A[..., on, on]
        return Y, B + self._without_diagonal(Y - sums) / 2

    def columns(self, V):
        """The vectors whose norms are summed: column j of all conditions, one above the other."""
        return np.concatenate(list(V), axis=-2)

    def scores(self, V):
        """Length of every column off the diagonal, for each condition."""
        return _lengths_off_diagonal(V)

    def pull(self, prices):
        """What symmetric prices of U add to the gradient of each condition."""
        return prices / 2

    def settle(self, Z, V):
        """Z with zeros where V has none of an edge: there the penalty on nodes, not that on edges, took it away."""
        kept = (V != 0) | (transposed(V) != 0)
        on = np.arange(Z.shape[-1])
        kept[..., on, on] = True
        return np.where(kept, Z, 0.0)

    @staticmethod
    def _without_diagonal(A):
        A = A.copy()
        on = np.arange(A.shape[-1])
        A[..., on, on] = 0.0
        return A


def _lengths_off_diagonal(V):
    squares = V * V
    on = np.arange(V.shape[-1])
    squares[..., on, on] = 0.0
    return np.sqrt(squares.sum(axis=-2))
