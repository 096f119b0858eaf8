"""Labels for sequences: hidden Markov decoding, conditional random fields, output-space search, grammars."""

from treatise.sequence.additive_crf import AdditiveCRF
from treatise.sequence.additive_crf_plot import plot_additive_features
from treatise.sequence.anytime_curve import AnytimeCurve
from treatise.sequence.crf import CRF
from treatise.sequence.crf_plot import plot_label_transitions
from treatise.sequence.decoding_path import DecodingPath, decoding_path
from treatise.sequence.features import FeatureTemplates, SequenceVectorizer, word_features
from treatise.sequence.hidden_chains import HiddenChains
from treatise.sequence.hmm import HMM
from treatise.sequence.hmm_decoder import Decoding, HMMDecoder, log_average_messages
from treatise.sequence.output_space_search import OutputSpaceSearch
from treatise.sequence.path_risks import PathRisks, path_risks
from treatise.sequence.recurrent_classifier import RecurrentClassifier
from treatise.sequence.segments import labels_from_segments, segment_f1, segments_from_labels
from treatise.sequence.semi_crf import SemiCRF
from treatise.sequence.tagger import SequenceTagger

__all__ = [
    "CRF",
    "HMM",
    "AdditiveCRF",
    "AnytimeCurve",
    "Decoding",
    "DecodingPath",
    "FeatureTemplates",
    "HMMDecoder",
    "HiddenChains",
    "OutputSpaceSearch",
    "PathRisks",
    "RecurrentClassifier",
    "SemiCRF",
    "SequenceTagger",
    "SequenceVectorizer",
    "decoding_path",
    "labels_from_segments",
    "log_average_messages",
    "path_risks",
    "plot_additive_features",
    "plot_label_transitions",
    "segment_f1",
    "segments_from_labels",
    "word_features",
]
