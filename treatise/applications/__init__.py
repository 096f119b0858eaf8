"""Whole published applications, rebuilt."""
