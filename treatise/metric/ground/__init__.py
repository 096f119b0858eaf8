"""Ground metrics of the earth mover's distance: the nearest metric, distances, learning from labels (JMLR 15:533)."""

from treatise.metric.ground.distances import earth_movers_distance, earth_movers_distances
from treatise.metric.ground.learner import GroundMetricLearner
from treatise.metric.ground.nearest import NearestMetric, is_metric, nearest_metric

__all__ = [
    "GroundMetricLearner",
    "NearestMetric",
    "earth_movers_distance",
    "earth_movers_distances",
    "is_metric",
    "nearest_metric",
]
