"""Rulesets: data, resolved and validated."""
