"""Inverse learning from controllers: the paper's problems together, and a large one; counts of nodes are checked."""

from collections.abc import Iterator

from benchmarks._contest import Scaling
from treatise.rl import FiniteStateController, POMDPInverseRL, grid5, heaven_hell, maze1d, solve_pomdp, tiger
from treatise.rl.inverse.conditions import controller_conditions

EXPERTS = (
    (tiger, FiniteStateController([0, 0, 0, 2, 1], [[1, 2], [3, 0], [0, 4], [0, 0], [0, 0]]), (39, 75, 375)),
    (maze1d, FiniteStateController([0, 1, 1], [[2, 0], [0, 0], [1, 0]], start=2), (12, 18, 54)),
    (grid5, FiniteStateController([3, 1], [[1] * 9, [0] * 9]), (1044, 2048, 4096)),
)


def benchmarks() -> Iterator[Scaling]:
    """No peer has inverse learning for hidden states: seconds are shown, sizes are problems one after the other."""
    yield Scaling(
        work="W-, D- and Q-IRL with lam='auto' on Tiger, 1d Maze and 5 x 5 Grid (under 1 s together), by problems done",
        sizes=(1, 2, 3),
        prepare=lambda count: lambda: [_three_ways(*case) for case in EXPERTS[:count]],
        warm_up=lambda: _three_ways(*EXPERTS[0]),
    )
    yield Scaling(
        work="planning and W-IRL on Heaven/Hell (under 10 s), by repetitions",
        sizes=(1, 2),
        prepare=lambda count: lambda: [_heaven_hell() for _ in range(count)],
        warm_up=_heaven_hell,
    )


def _three_ways(make, expert, counts) -> None:
    pomdp = make()
    for method, count in zip(("witness", "dp", "q"), counts):
        assert controller_conditions(expert, pomdp, method).n_comparisons == count
        POMDPInverseRL(method).fit(pomdp, expert)


def _heaven_hell() -> None:
    world = heaven_hell()
    POMDPInverseRL().fit(world, solve_pomdp(world).controller)
