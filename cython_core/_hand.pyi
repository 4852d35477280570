from numpy import uint8
from numpy.typing import NDArray

def hand_values(
    counts: NDArray[uint8],
    locked: NDArray[uint8],
    melds: int,
    wilds: int,
    white: int,
    tile_set: int,
    shapes: int,
) -> tuple[int, int, int]: ...
