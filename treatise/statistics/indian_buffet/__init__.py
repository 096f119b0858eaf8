"""The Indian buffet process: a prior of matrices of zeros and ones with as many columns as the rows ask for."""

from treatise.statistics.indian_buffet.prior import (
    buffet_classes,
    draw_buffet,
    expected_buffet_features,
    log_buffet_probability,
)
from treatise.statistics.indian_buffet.stick_breaking import BuffetSticks

__all__ = ["BuffetSticks", "buffet_classes", "draw_buffet", "expected_buffet_features", "log_buffet_probability"]
