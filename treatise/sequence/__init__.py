"""Labels for sequences: hidden Markov decoding, conditional random fields, output-space search, grammars."""

from treatise.sequence.additive_crf import AdditiveCRF, plot_additive_features
from treatise.sequence.crf import CRF, SemiCRF, plot_label_transitions
from treatise.sequence.dependency import (
    DependencyModelWithValence,
    attachment_accuracy,
    dependency_ambiguity,
    plot_dependency_tree,
)
from treatise.sequence.features import FeatureTemplates, SequenceVectorizer, word_features
from treatise.sequence.hmm import (
    HMM,
    Decoding,
    DecodingPath,
    HiddenChains,
    HMMDecoder,
    PathRisks,
    decoding_path,
    log_average_messages,
    path_risks,
)
from treatise.sequence.orientation import (
    GroupedClassifier,
    MaximumMarginRegression,
    PhrasePairFeatures,
    StructuredPerceptronClassifier,
    class_distances,
    movement_distances,
    orientation_of,
)
from treatise.sequence.output_search import (
    AnytimeCurve,
    GridSpace,
    LearnedOutputSearch,
    OutputSpaceSearch,
    RecurrentClassifier,
    SearchSpace,
)
from treatise.sequence.segments import labels_from_segments, segment_f1, segments_from_labels
from treatise.sequence.tagger import SequenceTagger

__all__ = [
    "CRF",
    "HMM",
    "AdditiveCRF",
    "AnytimeCurve",
    "Decoding",
    "DecodingPath",
    "DependencyModelWithValence",
    "FeatureTemplates",
    "GridSpace",
    "GroupedClassifier",
    "HMMDecoder",
    "HiddenChains",
    "LearnedOutputSearch",
    "MaximumMarginRegression",
    "OutputSpaceSearch",
    "PathRisks",
    "PhrasePairFeatures",
    "RecurrentClassifier",
    "SearchSpace",
    "SemiCRF",
    "SequenceTagger",
    "SequenceVectorizer",
    "StructuredPerceptronClassifier",
    "attachment_accuracy",
    "class_distances",
    "decoding_path",
    "dependency_ambiguity",
    "labels_from_segments",
    "log_average_messages",
    "movement_distances",
    "orientation_of",
    "path_risks",
    "plot_additive_features",
    "plot_dependency_tree",
    "plot_label_transitions",
    "segment_f1",
    "segments_from_labels",
    "word_features",
]
