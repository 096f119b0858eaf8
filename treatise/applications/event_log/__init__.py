"""Features of entities from a log of their events (Oentaryo et al., JMLR 15:99)."""

from treatise.applications.event_log.features import EventLogFeatures
from treatise.applications.event_log.log import EventLog
from treatise.applications.event_log.series import gap_histogram, series_statistics

__all__ = ["EventLog", "EventLogFeatures", "gap_histogram", "series_statistics"]
