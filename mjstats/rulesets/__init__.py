"""Rulesets: data, resolved and validated."""

from mjstats.rulesets.resolve import (
    Element,
    Ruleset,
    Switches,
    parse_change,
    ruleset,
    ruleset_ids,
    rulesets,
)
from mjstats.rulesets.schema import Value

__all__ = [
    "Element",
    "Ruleset",
    "Switches",
    "Value",
    "parse_change",
    "ruleset",
    "ruleset_ids",
    "rulesets",
]
