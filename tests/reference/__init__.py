"""Slow evaluators, written to be read: what the core is held against."""
