"""Branch and bound over graphs with cycles (JMLR 12:663, Section 5).

A case is what must still be searched: the graphs with some arcs required and some forbidden. Cases differ from the
case they were split from by a few arcs, and only these are stored: links, each a required or a forbidden arc, that
lead from a case to the root. The link of the arc that a case forbids stands for the case; it also holds the parent
set that the arc's head takes instead, and the case's bound. Siblings share the links of the arcs they all require.

A link is a row of integers, with the columns below; ``heaps`` holds the two orders of the queue and the links that
were given back. The parent sets of v are rows ``starts[v] : starts[v + 1]`` of ``masks`` and ``scores``, best first.
"""

import numpy as np

from treatise._core.jit import compiled, compiled_step
from treatise.bayesnet.structure._order_loops import add_bit, copy_row, drop_bit, has_bit

PREVIOUS, TAIL, HEAD, FORBIDS, STATE, USERS, CHOICE, TOP_PLACE, BOTTOM_PLACE = range(9)
"""Columns of a link: the link above, the arc, whether it is forbidden, and what the code below keeps of it."""

FREE, INNER, OPEN = 0, 1, 2
"""States of a link: not in use, needed by cases below it, a case that waits."""

TOP, BOTTOM, SPARE_LINKS = 0, 1, 2
"""Rows of ``heaps``."""

USED, SPARE, WAITING, STEPS = range(4)
"""Counters: links ever used, links given back, cases that wait, cases taken."""

REQUIRED, FORBIDDEN = np.int64(0), np.int64(1)
"""What a link does with its arc."""


@compiled_step
def goes_first(bounds, heap, first, second):
    """Whether a case comes before another: larger bounds first at the top, smaller at the bottom; ties by number."""
    if bounds[first] == bounds[second]:
        return first < second
    return (bounds[first] > bounds[second]) == (heap == TOP)


@compiled_step
def settle(links, bounds, heaps, heap, at, size):
    """Move an entry of a heap to where it belongs."""
    case = heaps[heap, at]
    while at > 0 and goes_first(bounds, heap, case, heaps[heap, (at - 1) >> 1]):
        heaps[heap, at] = heaps[heap, (at - 1) >> 1]
        links[heaps[heap, at], TOP_PLACE + heap] = at
        at = (at - 1) >> 1
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and goes_first(bounds, heap, heaps[heap, below + 1], heaps[heap, below]):
            below += 1
        if goes_first(bounds, heap, case, heaps[heap, below]):
            break
        heaps[heap, at] = heaps[heap, below]
        links[heaps[heap, at], TOP_PLACE + heap] = at
        at = below
    heaps[heap, at] = case
    links[case, TOP_PLACE + heap] = at


@compiled_step
def push(links, bounds, heaps, counters, link, choice, bound):
    """Make a case of a link, with the parent set of the arc's head."""
    links[link, STATE], links[link, CHOICE], bounds[link] = OPEN, choice, bound
    at = counters[WAITING]
    counters[WAITING] += 1
    for heap in range(2):
        heaps[heap, at] = link
        settle(links, bounds, heaps, heap, at, at + 1)


@compiled_step
def pop(links, bounds, heaps, counters, heap):
    """Take the first case of a heap out of both."""
    link = heaps[heap, 0]
    counters[WAITING] -= 1
    last = counters[WAITING]
    for either in range(2):
        at, moved = np.int64(links[link, TOP_PLACE + either]), heaps[either, last]
        if moved != link:
            heaps[either, at] = moved
            settle(links, bounds, heaps, either, at, last)
    links[link, STATE] = INNER
    return np.int64(link)


@compiled_step
def release(links, heaps, counters, link):
    """Give back a link that no case needs, and those above it that only it needed."""
    while link >= 0 and links[link, USERS] == 0 and links[link, STATE] != OPEN:
        links[link, STATE] = FREE
        heaps[SPARE_LINKS, counters[SPARE]] = link
        counters[SPARE] += 1
        link = np.int64(links[link, PREVIOUS])
        if link >= 0:
            links[link, USERS] -= 1


@compiled_step
def new_link(links, heaps, counters, previous, tail, head, forbids):
    """A link below another for an arc that is forbidden or required."""
    if counters[SPARE]:
        counters[SPARE] -= 1
        link = np.int64(heaps[SPARE_LINKS, counters[SPARE]])
    else:
        link = counters[USED]
        counters[USED] += 1
    links[link, PREVIOUS], links[link, TAIL], links[link, HEAD], links[link, FORBIDS] = previous, tail, head, forbids
    links[link, STATE], links[link, USERS], links[link, CHOICE] = INNER, 0, -1
    if previous >= 0:
        links[previous, USERS] += 1
    return link


@compiled_step
def first_fitting(masks, begin, end, required, forbidden, head):
    """The best parent set with all required parents of the head and no forbidden one, -1 if there is none."""
    for at in range(begin, end):
        word = 0
        while word < masks.shape[1] and not (
            masks[at, word] & forbidden[head, word] or required[head, word] & ~masks[at, word]
        ):
            word += 1
        if word == masks.shape[1]:
            return at
    return -1


@compiled_step
def forbid_return(required, forbidden):
    """Forbid arcs to ancestors along required arcs (step 4c, with all that follows); False where they make a cycle."""
    n, n_words = required.shape
    above = required.copy()
    changed = True
    while changed:
        changed = False
        for vertex in range(n):
            for other in range(n):
                if has_bit(above, vertex, other):
                    for word in range(n_words):
                        if above[other, word] & ~above[vertex, word]:
                            above[vertex, word] |= above[other, word]
                            changed = True
    for vertex in range(n):
        for other in range(n):
            if has_bit(above, vertex, other):
                if vertex == other:
                    return False
                add_bit(forbidden, other, vertex)
    return True


@compiled_step
def restore(starts, masks, scores, marks, links, link, choice, required, forbidden):
    """Parent sets and marked arcs of a case; returns its bound, -inf where nothing is left of it.

    ``marks`` has the arcs required and forbidden from the start. The latest parent set of a variable is the first on
    the way to the root. Sets that a later mark made illegal are replaced, which the paper leaves undone: the bound is
    the better for it.
    """
    for vertex in range(choice.shape[0]):
        choice[vertex] = -1
        copy_row(marks[0], vertex, required, vertex)
        copy_row(marks[1], vertex, forbidden, vertex)
    while link >= 0:
        tail, head = np.int64(links[link, TAIL]), np.int64(links[link, HEAD])
        if head >= 0:  # the first case marks no arc
            if links[link, FORBIDS]:
                add_bit(forbidden, head, tail)
            else:
                add_bit(required, head, tail)
            if choice[head] < 0:
                choice[head] = links[link, CHOICE]
        link = np.int64(links[link, PREVIOUS])
    if not forbid_return(required, forbidden):
        return -np.inf
    bound = 0.0
    for vertex in range(choice.shape[0]):
        # Sets before an earlier choice were illegal already: marks are only ever added.
        begin = max(choice[vertex], starts[vertex])
        choice[vertex] = first_fitting(masks, begin, starts[vertex + 1], required, forbidden, vertex)
        if choice[vertex] < 0:
            return -np.inf
        bound += scores[choice[vertex]]
    return bound


@compiled_step
def shortest_cycle(masks, choice, cycle):
    """A shortest directed cycle of the chosen graph, written as a_1 -> a_2 -> ... -> a_1; returns its length or 0."""
    n = choice.shape[0]
    length = n + 1
    came, queue = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for start in range(n):
        # Breadth first against the arcs, from child to parent, until the start comes up as a parent again.
        for vertex in range(n):
            came[vertex] = -1
        queue[0], head, tail, found = start, 0, 1, -1
        while head < tail and found < 0:
            vertex = queue[head]
            head += 1
            for parent in range(n):
                if has_bit(masks, choice[vertex], parent):
                    if parent == start:
                        found = vertex
                    elif came[parent] < 0:
                        came[parent] = vertex
                        queue[tail] = parent
                        tail += 1
        if found >= 0:
            steps, vertex = 1, found
            while vertex != start:
                steps += 1
                vertex = came[vertex]
            if steps < length:
                length = steps
                cycle[0], vertex = start, found
                for at in range(1, steps):
                    cycle[at] = vertex
                    vertex = came[vertex]
    return length if length <= n else 0


@compiled_step
def loss_without(starts, masks, scores, choice, required, forbidden, tail, head):
    """What the bound loses when an arc of the graph is forbidden; infinite where no parent set is left."""
    add_bit(forbidden, head, tail)
    at = first_fitting(masks, choice[head], starts[head + 1], required, forbidden, head)
    drop_bit(forbidden, head, tail)
    return scores[choice[head]] - scores[at] if at >= 0 else np.inf


@compiled_step
def dearest_pair(starts, masks, scores, choice, required, forbidden, cycle):
    """Of all pairs of variables that are each other's parents, the one that is dearest to break; 0 if there is none.

    The paper leaves open which cycle to take. Both ways of breaking this one lower the bound by much.
    """
    dearest, found = -1.0, 0
    for first in range(choice.shape[0]):
        for second in range(first):
            if has_bit(masks, choice[first], second) and has_bit(masks, choice[second], first):
                forth = loss_without(starts, masks, scores, choice, required, forbidden, first, second)
                back = loss_without(starts, masks, scores, choice, required, forbidden, second, first)
                if min(forth, back) > dearest:
                    dearest, found = min(forth, back), 2
                    cycle[0], cycle[1] = first, second
    return found


@compiled_step
def split(
    starts, masks, scores, links, bounds, heaps, counters, link, choice, required, forbidden, bound, limit, cycle, q
):
    """Step 4: one case for each arc of a cycle of q arcs, which it forbids; the arcs before it are required.

    Cases whose bound does not exceed the limit are left out.
    """
    last = link
    for y in range(q):
        tail, head = cycle[y], cycle[(y + 1) % q]
        if has_bit(required, head, tail):
            continue
        loss = loss_without(starts, masks, scores, choice, required, forbidden, tail, head)
        if bound - loss > limit:
            add_bit(forbidden, head, tail)
            at = first_fitting(masks, choice[head], starts[head + 1], required, forbidden, head)
            drop_bit(forbidden, head, tail)
            case = new_link(links, heaps, counters, last, tail, head, FORBIDDEN)
            push(links, bounds, heaps, counters, case, at, bound - loss)
        if y + 1 < q:
            add_bit(required, head, tail)
            add_bit(forbidden, tail, head)
            inner = new_link(links, heaps, counters, last, tail, head, REQUIRED)
            links[inner, USERS] += 1  # held until the next one leans on it
            if last != link:
                links[last, USERS] -= 1
            last = inner
    if last != link:
        links[last, USERS] -= 1
        release(links, heaps, counters, last)


@compiled
def explore(
    starts, masks, scores, marks, links, bounds, heaps, counters, best, best_choice, slack, bottom_every, most_waiting,
    n_steps,
):  # fmt: skip
    """Take up to so many cases from the queue; returns whether it stopped for want of room for links.

    ``best[0]`` and ``best_choice`` hold the best network. Every ``bottom_every``-th case comes from the bottom of the
    queue, and all do while more than ``most_waiting`` cases wait: depth first, which needs little memory.
    """
    n = starts.shape[0] - 1
    choice, cycle = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    required, forbidden = np.empty((n, masks.shape[1]), dtype=np.uint64), np.empty((n, masks.shape[1]), dtype=np.uint64)
    for _ in range(n_steps):
        if counters[WAITING] == 0 or bounds[heaps[TOP, 0]] <= best[0] + slack:
            return False
        if links.shape[0] - counters[USED] + counters[SPARE] < 2 * n + 2:
            return True
        counters[STEPS] += 1
        from_bottom = counters[WAITING] > most_waiting or counters[STEPS] % bottom_every == 0
        link = pop(links, bounds, heaps, counters, BOTTOM if from_bottom else TOP)
        links[link, USERS] += 1  # held while it is split
        bound = -np.inf
        if bounds[link] > best[0] + slack:
            bound = restore(starts, masks, scores, marks, links, link, choice, required, forbidden)
        if bound > best[0] + slack:
            q = dearest_pair(starts, masks, scores, choice, required, forbidden, cycle)
            if q == 0:
                q = shortest_cycle(masks, choice, cycle)
            if q:
                split(
                    starts, masks, scores, links, bounds, heaps, counters, link, choice, required, forbidden, bound,
                    best[0] + slack, cycle, q,
                )  # fmt: skip
            else:
                best[0] = bound
                for vertex in range(n):
                    best_choice[vertex] = choice[vertex]
        links[link, USERS] -= 1
        release(links, heaps, counters, link)
    return False
