"""What a linear learner on a cluster would cost, before it is started (Table 5 of JMLR 15:1111)."""

import math
from typing import NamedTuple

ALGORITHMS = (
    "hybrid", "bundle", "online averaging", "parallel online", "overcomplete averaging", "minibatch dense",
    "minibatch sparse",
)  # fmt: skip


class ClusterPlan(NamedTuple):
    """Cost of one algorithm: what each node sends and receives, and how long everything takes."""

    algorithm: str
    values_per_node: float
    bytes_per_node: float
    compute_seconds: float
    network_seconds: float

    @property
    def seconds(self) -> float:
        """Computing and communicating, one after the other."""
        return self.compute_seconds + self.network_seconds


def communication_values(algorithm: str, n: float, s: float, d: float, m: float, passes: float, batch: float) -> float:
    """The expression of Table 5: numbers that pass through each node, up to a constant.

    Parameters
    ----------
    algorithm : str
        One of ``"hybrid"``, ``"bundle"``, ``"online averaging"``, ``"parallel online"``,
        ``"overcomplete averaging"``, ``"minibatch dense"`` and ``"minibatch sparse"``.
    n, s, d, m : float
        Examples, features in each, weights, nodes.
    passes : float
        T, how often each example is looked at.
    batch : float
        b, the examples of a minibatch.

    Examples
    --------
    >>> from treatise.linear.hybrid.cluster_plan import communication_values
    >>> communication_values("hybrid", n=5e7, s=3300, d=11_725_480, m=500, passes=15, batch=1e5)
    175882200.0
    """
    costs = {
        "hybrid": d * passes,
        "bundle": d * passes,
        "online averaging": d * passes,
        "parallel online": n * s / m + n * passes,
        "overcomplete averaging": n * s + d,
        "minibatch dense": d * passes * n / batch,
        "minibatch sparse": n * s * passes,
    }
    if algorithm not in costs:
        raise ValueError(f"algorithm {algorithm!r} is unknown; it may be {', '.join(ALGORITHMS)}")
    return float(costs[algorithm])


def plan_cluster(
    n: float,
    nnz: float,
    d: float,
    workers: int,
    *,
    passes: float = 15,
    batch: float | None = None,
    bits_per_second: float = 1e9,
    features_per_second: float = 5e6,
    bytes_per_value: int = 4,
) -> list[ClusterPlan]:
    """Time and traffic of every algorithm of Table 5, for a cluster and a data set.

    Use it to choose the number of workers, or to see whether one machine will do. Times are those of even nodes: the
    slowest node of a thousand may take twice as long (Table 2). The constants that Table 5 leaves out are taken as
    one value up and one down the tree for each that is counted. That is what a batch pass of
    :class:`HybridLinearClassifier` sends, at 8 bytes a value; its online pass, which carries confidences and scales
    too, sends as much as 2.5 of them.

    Parameters
    ----------
    n, nnz, d : float
        Examples, features in each, weights.
    workers : int
        Nodes.
    passes : float, default=15
        Passes over the data; the paper's test results are best after about 15.
    batch : float or None, default=None
        Examples of a minibatch; None takes the square root of n.
    bits_per_second : float, default=1e9
        Speed of a node's network.
    features_per_second : float, default=5e6
        Speed of a node's processor; the paper's is 5 million.
    bytes_per_value : int, default=4
        Size of a number on the network.

    Returns
    -------
    list of ClusterPlan
        One for each algorithm, the quickest first.

    Examples
    --------
    >>> from treatise.linear import plan_cluster
    >>> ads = plan_cluster(n=2.3e9, nnz=125, d=2**24, workers=100)
    >>> hybrid = next(plan for plan in ads if plan.algorithm == "hybrid")
    >>> round(hybrid.bytes_per_node / 2**30, 2), round(hybrid.seconds)
    (1.88, 8641)

    References
    ----------
    .. [1] Paper v15-1111, Table 5 and Section 4.2.
    """
    batch = math.sqrt(max(n, 0.0)) if batch is None else batch
    for name, value in (
        ("n", n), ("nnz", nnz), ("d", d), ("workers", workers), ("passes", passes), ("batch", batch),
        ("bits_per_second", bits_per_second), ("features_per_second", features_per_second),
        ("bytes_per_value", bytes_per_value),
    ):  # fmt: skip
        if not value > 0:
            raise ValueError(f"{name}={value} must be positive")
    plans = []
    for algorithm in ALGORITHMS:
        values = communication_values(algorithm, n, nnz, d, workers, passes, batch)
        traffic = 2.0 * values * bytes_per_value
        compute = n * nnz * passes / workers / features_per_second
        plans.append(ClusterPlan(algorithm, values, traffic, compute, 8.0 * traffic / bits_per_second))
    return sorted(plans, key=lambda plan: plan.seconds)
