"""Maximum flows and minimum cuts."""

from dataclasses import dataclass

import numpy as np

from treatise.inference._max_flow_loops import arrange_arcs, send_flow


@dataclass(frozen=True)
class MinimumCut:
    """The cheapest separation of source and sink.

    Attributes
    ----------
    value : float or int
        Its capacity, which is the largest flow.
    on_source_side : ndarray of bool of shape (n_nodes,)
        Nodes that stay with the source; of several cheapest cuts, the one with the fewest such nodes.
    """

    value: float
    on_source_side: np.ndarray


class FlowNetwork:
    """A network whose edges stay while capacities change, as in the moves of graph-cut inference.

    Two search trees grow from source and sink and are kept from one path to the next, which suits the shallow networks
    of images and grids. Capacities may be integers, for exact arithmetic, or floats. Memory is about 40 bytes an edge
    and a node.

    Parameters
    ----------
    n_nodes : int
        Number of nodes besides source and sink.
    tails, heads : array-like of shape (n_edges,)
        Ends of the edges.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.inference import FlowNetwork
    >>> network = FlowNetwork(2, [0], [1])
    >>> cut = network.minimum_cut(source=[5, 0], sink=[0, 7], forward=[3], backward=[0])
    >>> cut.value, cut.on_source_side
    (3, array([ True, False]))
    """

    def __init__(self, n_nodes, tails, heads):
        tails, heads = np.asarray(tails), np.asarray(heads)
        if any(ends.size and not np.issubdtype(ends.dtype, np.integer) for ends in (tails, heads)):
            raise ValueError(f"tails and heads must be numbers of nodes; their types are {tails.dtype}, {heads.dtype}")
        tails, heads = (np.ascontiguousarray(ends, np.int64) for ends in (tails, heads))
        if tails.shape != heads.shape or tails.ndim != 1:
            raise ValueError(
                f"tails and heads must be of the same length; they have shapes {tails.shape}, {heads.shape}"
            )
        for name, ends in (("tail", tails), ("head", heads)):
            if len(ends) and not 0 <= ends.min() <= ends.max() < n_nodes:
                bad = int(ends.min() if ends.min() < 0 else ends.max())
                raise ValueError(f"an edge has the {name} {bad}; nodes are numbered from 0 to {n_nodes - 1}")
        self.n_nodes, self.n_edges = n_nodes, len(tails)
        self._first, self._head, self._sister, self._place = arrange_arcs(n_nodes, tails, heads)

    @staticmethod
    def cut_arcs(first, head, sister, residual, excess):
        """Separate source and sink in a network whose arcs the caller has laid out, in the memory that they take.

        For graphs too large to be held as lists of edges as well. Nothing is checked.

        Parameters
        ----------
        first : ndarray of int64, of shape (n_nodes + 1,)
            Where the arcs of each node begin.
        head, sister : ndarray of int32, of shape (n_arcs,)
            Node that an arc leads to, and the arc back.
        residual : ndarray of shape (n_arcs,)
            Capacities; overwritten by what the flow leaves of them.
        excess : ndarray of shape (n_nodes,)
            Capacity from the source less capacity to the sink; overwritten.

        Returns
        -------
        on_source_side : ndarray of bool of shape (n_nodes,)
            Nodes that stay with the source; of several cheapest cuts, the one with the fewest such nodes.
        """
        return send_flow(first, head, sister, residual, excess)[1]

    def minimum_cut(self, source, sink, forward, backward=None):
        """Separate source and sink at the least cost.

        Parameters
        ----------
        source, sink : array-like of shape (n_nodes,)
            Capacity from the source to each node, and from each node to the sink. Cutting the first puts a node on the
            sink's side.
        forward : array-like of shape (n_edges,)
            Capacity from tail to head.
        backward : array-like of shape (n_edges,) or None, default=None
            Capacity from head to tail; None is that of ``forward``.

        Returns
        -------
        cut : MinimumCut
        """
        backward = forward if backward is None else backward
        arrays = [np.asarray(values) for values in (source, sink, forward, backward)]
        names = ("source", "sink", "forward", "backward")
        for name, values, length in zip(names, arrays, (self.n_nodes,) * 2 + (self.n_edges,) * 2):
            if values.shape != (length,):
                raise ValueError(f"{name} must hold {length} capacities; its shape is {values.shape}")
            if not np.all(np.isfinite(values)) or np.any(values < 0):
                raise ValueError(f"{name} holds a capacity that is negative, infinite or NaN; take a large finite one")
        exact = all(np.issubdtype(values.dtype, np.integer) for values in arrays)
        # Flows are sums of capacities, which must not run over the largest integer.
        if exact and sum(float(values.sum(dtype=np.float64)) for values in arrays) >= 2.0**62:
            raise ValueError("integer capacities sum to 2**62 or more, beyond exact arithmetic; give smaller or floats")
        dtype = np.int64 if exact else np.float64
        source, sink, forward, backward = (values.astype(dtype) for values in arrays)
        if self.n_nodes == 0:
            return MinimumCut(dtype(0).item(), np.zeros(0, bool))
        residual = np.empty(2 * self.n_edges, dtype)
        residual[self._place] = forward
        residual[self._sister[self._place]] = backward
        direct = np.minimum(source, sink)
        sent, reached = send_flow(self._first, self._head, self._sister, residual, source - sink)
        return MinimumCut(dtype(direct.sum() + sent).item(), reached)
