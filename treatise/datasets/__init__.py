"""Data: generators of synthetic sets, and loaders that verify real files before use."""

from treatise.datasets._additive_chains import ADDITIVE_CURVES, make_additive_chain, make_interleaved_emissions
from treatise.datasets._anechoic import AnechoicMixture, make_anechoic_mixture, make_moved_objects
from treatise.datasets._bags import load_musk1, make_concept_bags
from treatise.datasets._beats import load_ecg_beats, make_beat_recordings
from treatise.datasets._binary_density import load_binary_density
from treatise.datasets._biology import (
    ProteinFamilies,
    ProteinStructures,
    load_acceptor_sites,
    load_cb513,
    load_exons_introns,
    load_promoters,
    load_scop_families,
)
from treatise.datasets._cells import CellSignals, load_cell_signals
from treatise.datasets._changing_networks import load_atp_months, make_changing_network
from treatise.datasets._classes import (
    make_gaussian_mixtures,
    make_graded_features,
    make_hypercube_gaussians,
    make_logistic_sphere,
    make_monks,
    make_ringnorm,
    make_shared_features,
    make_twonorm,
    make_waveform,
)
from treatise.datasets._click_log import make_click_log
from treatise.datasets._collection import DataFile, data_files
from treatise.datasets._corral import make_corral
from treatise.datasets._cv_variance import make_bengio_grandvalet
from treatise.datasets._download import download
from treatise.datasets._game_tables import games_of_table
from treatise.datasets._games import Games, load_atp, load_halo2, make_ranking_games
from treatise.datasets._gaussian_graphs import make_random_gaussian_graph
from treatise.datasets._grammar_sentences import GrammarSentences, make_grammar_sentences
from treatise.datasets._hidden_clusters import make_hidden_clusters
from treatise.datasets._home import data_home, locate
from treatise.datasets._images import (
    HandwrittenWords,
    load_frey_faces,
    load_handwritten_words,
    load_mnist_test,
    load_moffett,
    load_orl_faces,
    load_usps,
)
from treatise.datasets._leader_losses import make_leader_losses
from treatise.datasets._led import make_led
from treatise.datasets._linear_networks import LinearNetworkData, make_factor_data, make_linear_network
from treatise.datasets._m_of_n import make_m_of_n
from treatise.datasets._matrices import (
    load_arcene,
    load_colon_expression,
    load_dorothea_validation,
    load_prostate_expression,
    load_svmguide3,
)
from treatise.datasets._motion import (
    MOTIONS,
    Motion,
    MotionClip,
    load_cmu_motion,
    load_motion,
    make_coupled_oscillators,
)
from treatise.datasets._network_tables import make_network_table
from treatise.datasets._networks import LinkEvents, Network, load_network
from treatise.datasets._newsgroups import (
    NEWSGROUP_PAIRS,
    load_newsgroup_counts,
    load_newsgroup_pair,
    load_newsgroup_words,
    load_newsgroups,
)
from treatise.datasets._perturbed_graphs import PerturbedGraphs, make_perturbed_graphs
from treatise.datasets._phrase_movements import PhraseMovements, make_phrase_movements
from treatise.datasets._prices import StockPrices, load_portfolio, load_stock_prices, make_fractional_brownian_motion
from treatise.datasets._rankings import (
    Rankings,
    load_movielens_small,
    load_preflib,
    load_rankings,
    make_expert_rankings,
)
from treatise.datasets._reuters import load_reuters_topics
from treatise.datasets._reviews import load_movie_reviews
from treatise.datasets._separable import make_near_separable, make_separable, make_swimmer
from treatise.datasets._signed_networks import load_signed_network, make_signed_network
from treatise.datasets._source_mixtures import (
    load_foetal_ecg,
    load_two_lead_ecg,
    make_colored_sources,
    mix_postnonlinear,
    mix_spiral,
)
from treatise.datasets._speech import SpokenVowels, load_english_treebank, load_japanese_vowels
from treatise.datasets._subspace_outliers import make_subspace_outliers
from treatise.datasets._subspace_sources import make_subspace_sources
from treatise.datasets._tables import BUNDLED, load_table
from treatise.datasets._tic_tac_toe import WINNING_LINES, make_tic_tac_toe
from treatise.datasets._weak_edge_graphs import WeakEdgeRows, make_weak_edge_graph

__all__ = [
    "ADDITIVE_CURVES",
    "BUNDLED",
    "MOTIONS",
    "NEWSGROUP_PAIRS",
    "WINNING_LINES",
    "AnechoicMixture",
    "CellSignals",
    "DataFile",
    "Games",
    "GrammarSentences",
    "HandwrittenWords",
    "LinearNetworkData",
    "LinkEvents",
    "Motion",
    "MotionClip",
    "Network",
    "PerturbedGraphs",
    "PhraseMovements",
    "ProteinFamilies",
    "ProteinStructures",
    "Rankings",
    "SpokenVowels",
    "StockPrices",
    "WeakEdgeRows",
    "data_files",
    "data_home",
    "download",
    "games_of_table",
    "load_acceptor_sites",
    "load_arcene",
    "load_atp",
    "load_atp_months",
    "load_binary_density",
    "load_cb513",
    "load_cell_signals",
    "load_cmu_motion",
    "load_colon_expression",
    "load_dorothea_validation",
    "load_ecg_beats",
    "load_english_treebank",
    "load_exons_introns",
    "load_foetal_ecg",
    "load_frey_faces",
    "load_halo2",
    "load_handwritten_words",
    "load_japanese_vowels",
    "load_mnist_test",
    "load_moffett",
    "load_motion",
    "load_movie_reviews",
    "load_movielens_small",
    "load_musk1",
    "load_network",
    "load_newsgroup_counts",
    "load_newsgroup_pair",
    "load_newsgroup_words",
    "load_newsgroups",
    "load_orl_faces",
    "load_portfolio",
    "load_preflib",
    "load_promoters",
    "load_prostate_expression",
    "load_rankings",
    "load_reuters_topics",
    "load_scop_families",
    "load_signed_network",
    "load_stock_prices",
    "load_svmguide3",
    "load_table",
    "load_two_lead_ecg",
    "load_usps",
    "locate",
    "make_additive_chain",
    "make_anechoic_mixture",
    "make_beat_recordings",
    "make_bengio_grandvalet",
    "make_changing_network",
    "make_click_log",
    "make_colored_sources",
    "make_concept_bags",
    "make_corral",
    "make_coupled_oscillators",
    "make_expert_rankings",
    "make_factor_data",
    "make_fractional_brownian_motion",
    "make_gaussian_mixtures",
    "make_graded_features",
    "make_grammar_sentences",
    "make_hidden_clusters",
    "make_hypercube_gaussians",
    "make_interleaved_emissions",
    "make_leader_losses",
    "make_led",
    "make_linear_network",
    "make_logistic_sphere",
    "make_m_of_n",
    "make_monks",
    "make_moved_objects",
    "make_near_separable",
    "make_network_table",
    "make_perturbed_graphs",
    "make_phrase_movements",
    "make_random_gaussian_graph",
    "make_ranking_games",
    "make_ringnorm",
    "make_separable",
    "make_shared_features",
    "make_signed_network",
    "make_subspace_outliers",
    "make_subspace_sources",
    "make_swimmer",
    "make_tic_tac_toe",
    "make_twonorm",
    "make_waveform",
    "make_weak_edge_graph",
    "mix_postnonlinear",
    "mix_spiral",
]
