"""Mean field: the best product of single variables, of trees, or of larger clusters."""

from treatise.inference.mean_field.pairwise import mean_field

__all__ = [
    "mean_field",
]
