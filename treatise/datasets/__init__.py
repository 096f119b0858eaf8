"""Data: generators of the papers' synthetic sets, and loaders that verify real files before use."""

from treatise.datasets._additive_chains import ADDITIVE_CURVES, make_additive_chain, make_interleaved_emissions
from treatise.datasets._adult import load_adult
from treatise.datasets._averaging_tables import load_averaging_table, make_monks
from treatise.datasets._binary_density import load_binary_density
from treatise.datasets._bundled import BUNDLED, load_table
from treatise.datasets._corral import make_corral
from treatise.datasets._coupling_tables import load_coupling_table, make_noisy_pairs, make_waveform
from treatise.datasets._cv_variance import load_letter_halves, make_bengio_grandvalet
from treatise.datasets._digit_words import make_digit_words
from treatise.datasets._extreme_point_tables import load_extreme_point_table
from treatise.datasets._faces import load_orl_faces
from treatise.datasets._feature_selection import (
    load_arcene,
    load_dorothea_validation,
    load_promoters,
    load_splice,
)
from treatise.datasets._forest_cover import load_forest_cover_sample
from treatise.datasets._games import Games, load_atp, load_halo2, make_ranking_games
from treatise.datasets._gaussian_graphs import make_random_gaussian_graph
from treatise.datasets._gaussian_mixtures import make_gaussian_mixtures
from treatise.datasets._home import data_home, locate
from treatise.datasets._hypercube_gaussians import make_hypercube_gaussians
from treatise.datasets._japanese_vowels import SpokenVowels, load_japanese_vowels
from treatise.datasets._labelled_sequences import (
    HandwrittenWords,
    MarkovSequences,
    load_english_treebank,
    load_handwritten_words,
    make_high_order_sequences,
)
from treatise.datasets._leader_losses import make_leader_losses
from treatise.datasets._libol import load_ijcnn1, load_svmguide3, load_w1a
from treatise.datasets._linear_networks import (
    CellSignals,
    LinearNetworkData,
    load_cell_signals,
    make_factor_data,
    make_linear_network,
)
from treatise.datasets._logistic_sphere import make_logistic_sphere
from treatise.datasets._metric_tables import load_pen_digits, load_prostate_expression
from treatise.datasets._minimax_tables import load_minimax_table
from treatise.datasets._mkl_toy import make_mkl_toy
from treatise.datasets._natural_patches import make_on_off_patches
from treatise.datasets._network_tables import make_network_table
from treatise.datasets._nonlinear_networks import NonlinearNetworkData, load_old_faithful, make_nonlinear_network
from treatise.datasets._offset_tables import load_offset_table
from treatise.datasets._pairwise_data import load_binary_usps, load_newsgroup_words
from treatise.datasets._perceptual_states import FLOWERPOT_STATES, make_perceptual_states
from treatise.datasets._perturbed_graphs import PerturbedGraphs, make_perturbed_graphs
from treatise.datasets._portfolio import load_portfolio, make_fractional_brownian_motion
from treatise.datasets._product_kernel_data import NEWSGROUP_PAIRS, load_exons_introns, load_newsgroup_pair
from treatise.datasets._protein_structure import (
    ProteinStructures,
    load_cb513,
    published_protein_hmm,
    six_structure_states,
)
from treatise.datasets._reduction_tables import load_bupa, load_mnist_test, load_spambase, make_separated_gaussians
from treatise.datasets._scop import ProteinFamilies, load_scop_families
from treatise.datasets._spoken_dialog import HeardUtterances, make_heard_utterances
from treatise.datasets._stocks import StockPrices, load_stock_prices
from treatise.datasets._structure_tables import load_structure_table
from treatise.datasets._subgraph_gaussian import make_subgraph_gaussian
from treatise.datasets._switching_series import make_switching_series
from treatise.datasets._taxonomy import load_digit_taxonomy, make_taxonomy, taxonomy_comparisons
from treatise.datasets._terascale import load_acceptor_sites, make_zipf_ads
from treatise.datasets._weak_edge_graphs import WeakEdgeRows, make_weak_edge_graph

__all__ = [
    "ADDITIVE_CURVES",
    "BUNDLED",
    "FLOWERPOT_STATES",
    "NEWSGROUP_PAIRS",
    "CellSignals",
    "Games",
    "HandwrittenWords",
    "HeardUtterances",
    "LinearNetworkData",
    "MarkovSequences",
    "NonlinearNetworkData",
    "PerturbedGraphs",
    "ProteinFamilies",
    "ProteinStructures",
    "SpokenVowels",
    "StockPrices",
    "WeakEdgeRows",
    "data_home",
    "load_acceptor_sites",
    "load_adult",
    "load_arcene",
    "load_atp",
    "load_averaging_table",
    "load_binary_density",
    "load_binary_usps",
    "load_bupa",
    "load_cb513",
    "load_cell_signals",
    "load_coupling_table",
    "load_digit_taxonomy",
    "load_dorothea_validation",
    "load_english_treebank",
    "load_exons_introns",
    "load_extreme_point_table",
    "load_forest_cover_sample",
    "load_halo2",
    "load_handwritten_words",
    "load_ijcnn1",
    "load_japanese_vowels",
    "load_letter_halves",
    "load_minimax_table",
    "load_mnist_test",
    "load_newsgroup_pair",
    "load_newsgroup_words",
    "load_offset_table",
    "load_old_faithful",
    "load_orl_faces",
    "load_pen_digits",
    "load_portfolio",
    "load_promoters",
    "load_prostate_expression",
    "load_scop_families",
    "load_spambase",
    "load_splice",
    "load_stock_prices",
    "load_structure_table",
    "load_svmguide3",
    "load_table",
    "load_w1a",
    "locate",
    "make_additive_chain",
    "make_bengio_grandvalet",
    "make_corral",
    "make_digit_words",
    "make_factor_data",
    "make_fractional_brownian_motion",
    "make_gaussian_mixtures",
    "make_heard_utterances",
    "make_high_order_sequences",
    "make_hypercube_gaussians",
    "make_interleaved_emissions",
    "make_leader_losses",
    "make_linear_network",
    "make_logistic_sphere",
    "make_mkl_toy",
    "make_monks",
    "make_network_table",
    "make_noisy_pairs",
    "make_nonlinear_network",
    "make_on_off_patches",
    "make_perceptual_states",
    "make_perturbed_graphs",
    "make_random_gaussian_graph",
    "make_ranking_games",
    "make_separated_gaussians",
    "make_subgraph_gaussian",
    "make_switching_series",
    "make_taxonomy",
    "make_waveform",
    "make_weak_edge_graph",
    "make_zipf_ads",
    "published_protein_hmm",
    "six_structure_states",
    "taxonomy_comparisons",
]
