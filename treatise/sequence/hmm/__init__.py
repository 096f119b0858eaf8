"""Hidden Markov models: their training, and decoding by mixed risks of paths and states."""

from treatise.sequence.hmm.decoder import Decoding, HMMDecoder, log_average_messages
from treatise.sequence.hmm.decoding_path import DecodingPath, decoding_path
from treatise.sequence.hmm.hidden_chains import HiddenChains
from treatise.sequence.hmm.hmm import HMM
from treatise.sequence.hmm.path_risks import PathRisks, path_risks

__all__ = [
    "HMM",
    "Decoding",
    "DecodingPath",
    "HMMDecoder",
    "HiddenChains",
    "PathRisks",
    "decoding_path",
    "log_average_messages",
    "path_risks",
]
