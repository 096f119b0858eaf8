"""Exact fitting of threshold neurons to binary samples, and how hard it is (Schmitt, JMLR 5:891)."""

from treatise.theory.threshold_neurons.complexity import NeuronComplexity, neuron_complexity
from treatise.theory.threshold_neurons.fitting import ThresholdNeuron, fit_threshold_neuron
from treatise.theory.threshold_neurons.reductions import sample_of_one_in_three, sample_of_vertex_cover
from treatise.theory.threshold_neurons.sample import SampleMeasures, sample_measures

__all__ = [
    "NeuronComplexity",
    "SampleMeasures",
    "ThresholdNeuron",
    "fit_threshold_neuron",
    "neuron_complexity",
    "sample_measures",
    "sample_of_one_in_three",
    "sample_of_vertex_cover",
]
