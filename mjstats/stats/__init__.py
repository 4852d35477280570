"""Estimates and intervals over plain arrays."""
