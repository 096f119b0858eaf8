"""The catalogue: what exists, for which task, at what cost. Static data; nothing here imports an estimator."""

from treatise.catalog._load import FAMILIES, Catalogue, load_catalogue, load_entries
from treatise.catalog._schema import (
    FORMS,
    CatalogueError,
    ComparisonEntry,
    Cost,
    EstimatorEntry,
    Paper,
    PeerEntry,
    SearchRange,
)

__all__ = [
    "FAMILIES",
    "FORMS",
    "Catalogue",
    "CatalogueError",
    "ComparisonEntry",
    "Cost",
    "EstimatorEntry",
    "Paper",
    "PeerEntry",
    "SearchRange",
    "load_catalogue",
    "load_entries",
]
