"""Selection by conditional mutual information, the plain ranking beside it, and naive Bayes from the same counts."""

from treatise.selection.cmim.cmim import CMIM
from treatise.selection.cmim.count_naive_bayes import CountNaiveBayes
from treatise.selection.cmim.mim import MIM

__all__ = ["CMIM", "MIM", "CountNaiveBayes"]
