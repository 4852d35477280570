from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cython_core._rules import RuleRecord

SIM_VERSION: int
CORE_API: int
AIM_LEVELS: int
WINNERS_KONGS: int

class Player:
    def __init__(
        self,
        record: RuleRecord,
        policies: Sequence[tuple[int, int, Sequence[int]]],
        key: tuple[int, int],
        first_match: int,
    ) -> None: ...
    def play(
        self,
        stop_match: int,
        deals: NDArray[np.uint8],
        counters: NDArray[np.int64],
        elements: NDArray[np.int32],
        listens: NDArray[np.uint8],
        wins: NDArray[np.uint8],
        win_elements: NDArray[np.int32],
    ) -> tuple[int, int, int, bool]: ...
    def play_given(
        self,
        hands: NDArray[np.uint8],
        place: int,
        dealt: NDArray[np.uint8],
        found: NDArray[np.float64],
        reached: NDArray[np.float64],
        *,
        conditions: Sequence[tuple[int, int, int]],
        wanted: Sequence[int],
        one_suit: bool,
        concealed: bool,
        start: float,
        target: Sequence[float],
    ) -> None: ...
    def log(self, deal_in_match: int, listens: NDArray[np.uint8]) -> dict[str, Any] | None: ...

def score_win(
    record: RuleRecord,
    *,
    winner: int,
    discarder: int,
    dealer: int,
    by: int,
    tile: int,
    hand: Sequence[int],
    melds: Sequence[tuple[int, Sequence[int]]],
    bonus: Sequence[int],
    context: Mapping[int, int],
    wild: int,
) -> tuple[int, dict[str, Any]]: ...
def kong_payment(
    record: RuleRecord,
    *,
    seat: int,
    source: int,
    meld_type: int,
    kind: int,
    supplement: bool,
) -> list[int] | None: ...
def next_state(
    record: RuleRecord,
    *,
    dealer: int,
    first_dealer: int,
    round_: int,
    counters: Sequence[int],
    winners: Sequence[int],
    multiplier: int,
    discarder: int,
    dice: Sequence[int],
) -> dict[str, Any]: ...
def shuffled_wall(
    record: RuleRecord, key: tuple[int, int], match: int, deal_in_match: int
) -> bytes: ...
def shuffled_walls(
    record: RuleRecord, key: tuple[int, int], first_match: int, out: NDArray[np.uint8]
) -> None: ...
def stream_words(
    key: tuple[int, int], match: int, deal: int, purpose: int, n: int
) -> list[int]: ...
def bounded_numbers(key: tuple[int, int], purpose: int, bound: int, n: int) -> list[int]: ...
