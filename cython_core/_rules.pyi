from collections.abc import Mapping, Sequence
from typing import Any

REASONS: tuple[str, ...]
BY: tuple[str, ...]
MELDS: tuple[str, ...]
LISTEN_OUTCOMES: tuple[str, ...]

class RuleRecord:
    module: str
    element_names: tuple[str, ...]
    counter_names: tuple[str, ...]
    mode_names: tuple[str, ...]
    bid_names: tuple[str | tuple[str, ...], ...]
    mark_names: tuple[str, ...]
    context: dict[str, tuple[Any, ...]]
    carried: dict[str, tuple[Any, ...]]
    def __init__(
        self,
        module: str,
        *,
        tile_set: int,
        shapes: int,
        tile_counts: Sequence[int],
        bonus: Sequence[int],
        switches: Mapping[str, Any],
        counters: Sequence[str],
        modes: Sequence[str],
        bids: Sequence[str | tuple[str, ...]],
        element_values: Mapping[str, int],
        option_codes: Mapping[str, int],
    ) -> None: ...
    @property
    def n_elements(self) -> int: ...
    @property
    def looks_into_wall(self) -> bool: ...
    @property
    def special_kongs(self) -> bool: ...
    @property
    def wall_size(self) -> int: ...
