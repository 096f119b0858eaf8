"""Cooperative teaching of finite concept classes (JMLR 12:349)."""

from treatise.theory.teaching.classes import (
    half_class,
    interval_class,
    monomial_class,
    or_dnf_class,
    pair_class,
    powerset_class,
    singleton_class,
    threshold_class,
)
from treatise.theory.teaching.concepts import ConceptClass
from treatise.theory.teaching.dimensions import TEACHING_MODELS, TeachingResult
from treatise.theory.teaching.plot import plot_teaching
from treatise.theory.teaching.pool import TeachingRows, teaching_rows
from treatise.theory.teaching.protocol import Learner, Teacher

__all__ = [
    "TEACHING_MODELS",
    "ConceptClass",
    "Learner",
    "Teacher",
    "TeachingResult",
    "TeachingRows",
    "half_class",
    "interval_class",
    "monomial_class",
    "or_dnf_class",
    "pair_class",
    "plot_teaching",
    "powerset_class",
    "singleton_class",
    "teaching_rows",
    "threshold_class",
]
