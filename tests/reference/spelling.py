"""Hands in words."""

from mjstats.tiles import KIND_NAMES


def spelled(kinds: list[int]) -> str:
    return "".join(KIND_NAMES[kind] for kind in kinds)
