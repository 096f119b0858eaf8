"""Features selected by description length: several responses, groups of features, earlier tasks (JMLR 12:525)."""

from treatise.linear.mic.classifier import MICMultiClassifier
from treatise.linear.mic.group import MICGroup
from treatise.linear.mic.multi import MICMulti
from treatise.linear.mic.transfeat import TransFeat

__all__ = ["MICGroup", "MICMulti", "MICMultiClassifier", "TransFeat"]
