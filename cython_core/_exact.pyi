from numpy import int64, uint8, uint16
from numpy.typing import NDArray

def suit_tables(
    tile_set: int, capped: bool
) -> tuple[NDArray[uint16], NDArray[uint16], NDArray[uint8], NDArray[uint16]]: ...
def convolve(
    a: NDArray[uint16],
    weight_a: NDArray[int64],
    b: NDArray[uint16],
    weight_b: NDArray[int64],
    products: NDArray[uint16],
    strides: NDArray[int64],
    least: int,
    most: int,
    out: NDArray[int64],
) -> None: ...
