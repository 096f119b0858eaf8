"""The next snapshot of a changing network (JMLR 15:565)."""

from treatise.network.autoregressive.link_predictor import AutoregressiveLinkPredictor
from treatise.network.autoregressive.link_scores import link_scores

__all__ = ["AutoregressiveLinkPredictor", "link_scores"]
