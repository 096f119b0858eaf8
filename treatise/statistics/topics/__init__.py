"""Topics of documents: counts as tokens, collapsed Gibbs sampling of their topics, and topics of new documents."""

from treatise.statistics.topics.inference import infer_shares
from treatise.statistics.topics.sampler import CollapsedTopics, ScoreFactor
from treatise.statistics.topics.tokens import Tokens, counts_from_shares, tokens_of, whole_counts
from treatise.statistics.topics.words import heaviest_words

__all__ = [
    "CollapsedTopics",
    "ScoreFactor",
    "Tokens",
    "counts_from_shares",
    "heaviest_words",
    "infer_shares",
    "tokens_of",
    "whole_counts",
]
