"""Online learners as their papers have them."""


def once_in_order(kind, *arguments, **parameters):
    """A learner that goes once through the rows, in the order given, without an intercept."""
    return kind(*arguments, **{"n_passes": 1, "fit_intercept": False, "shuffle": False, **parameters})
