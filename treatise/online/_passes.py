"""How often ``fit`` goes through a table that is short for a method made for streams."""

_ROUNDS = 50_000


def passes_over(n_samples, n_passes, *, most_passes=100, most_rounds=_ROUNDS):
    """``n_passes``, or for "auto" what makes some 50 000 rounds of n_samples rows, from 1 to most_passes."""
    if n_passes != "auto":
        return n_passes
    return max(1, min(most_passes, min(_ROUNDS, most_rounds) // n_samples))
