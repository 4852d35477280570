from typing import Any

ELEMENTS: tuple[str, ...]
OPTIONS: tuple[str, ...]
MODES: tuple[str, ...]
BIDS: tuple[str | tuple[str, ...], ...]
COUNTERS: tuple[str, ...]
SETTLEMENT: tuple[str, ...]
CONTEXT: dict[str, tuple[Any, ...]]
HOOKS: object
