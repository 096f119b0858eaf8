"""One tagger for tables of positions, on any of the models of sequences."""

from treatise.sequence.tagger.tagger import SequenceTagger

__all__ = ["SequenceTagger"]
