"""Quadratic upper bound on the log partition sums of chains (Choromanska, 2014, Section 2.2.4)."""

import numpy as np

from treatise._core.threads import over_ranges
from treatise.inference.chains import _bound_loops as loops


class ChainBound:
    r"""Quadratic function of the scores that lies above the summed log partition sums of chains, and touches them.

    For all changes x of the scores, :math:`\sum_s\log Z_s(x)\le\sum_s\log Z_s(0)+\langle\mu,x\rangle+\frac12
    \langle x,\Sigma x\rangle`, where :math:`\mu` are the marginals. A step to the minimum of the right side never
    raises the left, whatever the data: a solver for conditional random fields that needs no step size. Scores are
    linear in the weights of such a model, so that :math:`\Sigma` becomes a curvature over its weights, of which only
    products with vectors are ever needed. Not for models over few states without a chain, for which
    ``treatise.optimize.log_partition_bound`` is there, nor for trees (:func:`junction_tree_bound`).

    Making it costs O(T K^3) for T positions and K states, memory is 4 T K^2 bytes, a product costs O(T K^2). Long
    batches are divided among threads.

    Parameters
    ----------
    chains : Chains
        Where the bound touches; their scores must be finite, and one matrix of moves shared by all positions.

    Notes
    -----
    Junction trees are bounded from the leaves to the root: position t, given the label of position t + 1, by Theorem 1
    over its own labels. The thesis then adds the curvatures that belong to the different labels, which grow by a
    factor of K a position. Any curvature that dominates each of them will do, and here that is found exactly: that of
    Theorem 1 is a Laplacian, springs between each two labels, and for each two the strongest is kept. It adds to what
    the positions before gave, which is the same for all labels, so that the bound grows in proportion to the length.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import ChainBound, Chains
    >>> rng = np.random.default_rng(0)
    >>> unary, transition = rng.normal(size=(5, 3)), rng.normal(size=(3, 3))
    >>> bound = ChainBound(Chains(unary, transition))
    >>> moved = Chains(unary + 1.0, transition + np.eye(3)).log_partition()[0]
    >>> bool(bound.value(np.ones((5, 3)), np.eye(3)) >= moved)
    True

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, 2014, Algorithms 3 and 8. Algorithm 3 as printed
       assigns where the proof's Algorithm 8 adds.
    """

    def __init__(self, chains):
        if not chains.shares_transition:
            raise ValueError("the chains have a matrix of moves for each position; the bound takes one for all")
        for name in ("unary", "transition", "start", "end"):
            if not np.isfinite(getattr(chains, name)).all():
                raise ValueError(f"{name} holds -inf; the bound needs finite scores")
        self.chains = chains
        T, K = chains.unary.shape
        matrix = chains.transition[0]
        self._top = float(matrix.max())
        self._exponentials = np.ascontiguousarray(np.exp(matrix - self._top).T)
        self._ahead, self._log_sums = np.empty((T, K)), np.zeros((T, K))
        self._springs = np.empty((T, K, K), np.float32)
        self._moves = self._over_sequences(self._make, (K, K, K), 3.0 * T * K**3)

    def _over_sequences(self, work, shape, cost):
        """What the sequences add up to, in their order whichever thread was first: the same bits in every run."""
        parts: list = []

        def part(first, last):
            own = np.zeros(shape)
            work(first, last, own)
            parts.append((first, own))

        over_ranges(part, len(self.chains), cost=cost)
        return sum((own for _, own in sorted(parts, key=lambda found: found[0])), np.zeros(shape))

    def _make(self, first, last, moves):
        chains = self.chains
        loops.curvatures(
            first, last, chains.offsets, chains.unary, chains.transition[0], chains.start, chains.end,
            self._exponentials, self._top, self._ahead, self._log_sums, self._springs, moves,
        )  # fmt: skip

    def product(self, unary, transition):
        """The curvature times a change of the scores.

        Parameters
        ----------
        unary : ndarray of shape (T, K)
            Change of the scores of states.
        transition : ndarray of shape (K, K)
            Change of the scores of moves.

        Returns
        -------
        unary : ndarray of shape (T, K)
        transition : ndarray of shape (K, K)
        """
        T, K = self.chains.unary.shape
        unary, moves = np.ascontiguousarray(unary, np.float64), np.ascontiguousarray(np.transpose(transition), float)
        if unary.shape != (T, K) or moves.shape != (K, K):
            raise ValueError(
                f"changes have the shapes {unary.shape} and {moves.shape}; they must have those of the scores, "
                f"{(T, K)} and {(K, K)}"
            )
        nodes = np.empty((T, K))

        def work(first, last, pairs):
            loops.curvature_products(
                first, last, self.chains.offsets, self._ahead, self._log_sums, self._springs, self._exponentials,
                self.chains.transition[0], self._top, unary, moves, nodes, pairs,
            )  # fmt: skip

        pairs = self._over_sequences(work, (K, K), 4.0 * T * K**2)
        springs = self._moves + self._moves.transpose(0, 2, 1)
        pairs += springs.sum(axis=2) * moves - np.einsum("uij,uj->ui", springs, moves)
        return nodes, pairs.T

    def diagonal(self):
        """About the curvature of each score by itself: what its own springs give, a preconditioner.

        Returns
        -------
        unary : ndarray of shape (T, K)
        transition : ndarray of shape (K, K)
        """
        moves = self._moves.sum(axis=2) + self._moves.sum(axis=1)
        return self._springs.sum(axis=2, dtype=np.float64), moves.T

    def value(self, unary, transition):
        """The bound on the summed log partition sums after a change of the scores.

        Parameters
        ----------
        unary : ndarray of shape (T, K)
            Change of the scores of states.
        transition : ndarray of shape (K, K)
            Change of the scores of moves.

        Returns
        -------
        value : float
        """
        nodes, pairs = self.product(unary, transition)
        found = self.chains.marginals()
        linear = np.sum((found.nodes + 0.5 * nodes) * unary) + np.sum((found.pairs + 0.5 * pairs) * transition)
        return float(found.log_partition.sum() + linear)
