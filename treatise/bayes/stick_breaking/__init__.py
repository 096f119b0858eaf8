"""Segments of series and images by logistic stick breaking (JMLR 12:203)."""

from treatise.bayes.stick_breaking.segmenter import LogisticStickBreaking

__all__ = ["LogisticStickBreaking"]
