"""From pairs of histograms to transport between the bins where one has more and those where the other has."""

from treatise._core.jit import compiled

SAME = 1e-15
"""Share of a histogram's total below which a difference of two bins is rounding."""


@compiled
def count_nodes(first, second, left, right, sizes, split):
    """Bins that differ in each pair, at ``sizes[k + 1]``, and those of excess, at ``split[k]``."""
    for k in range(left.shape[0]):
        one, other = first[left[k]], second[right[k]]
        least = SAME * one.sum()
        more = less = 0
        for b in range(one.shape[0]):
            difference = one[b] - other[b]
            if difference > least:
                more += 1
            elif difference < -least:
                less += 1
        if more == 0 or less == 0:  # no more than rounding
            more = less = 0
        sizes[k + 1], split[k] = more + less, more


@compiled
def fill_nodes(first, second, left, right, starts, split, bins, amounts):
    """The bins of each pair, those of excess first, and how much they send or take."""
    for k in range(left.shape[0]):
        if starts[k + 1] == starts[k]:
            continue
        one, other = first[left[k]], second[right[k]]
        least = SAME * one.sum()
        source, sink = starts[k], starts[k] + split[k]
        sent = taken = 0.0
        for b in range(one.shape[0]):
            difference = one[b] - other[b]
            if difference > least:
                bins[source], amounts[source] = b, difference
                sent += difference
                source += 1
            elif difference < -least:
                bins[sink], amounts[sink] = b, -difference
                taken -= difference
                sink += 1
        # Totals that agree to rounding are made to agree.
        for x in range(starts[k] + split[k], starts[k + 1]):
            amounts[x] *= sent / taken
