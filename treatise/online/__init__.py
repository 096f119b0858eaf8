"""Learners that see one example at a time, prediction with experts, and partition trees for very many classes."""
