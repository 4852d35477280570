"""The wall: shuffle, head draws, tail draws."""

from cython_core._stream cimport Stream, stream_below
from cython_core._types cimport MAX_WALL, uint8_t

from libc.string cimport memcpy

cdef struct Wall:
    uint8_t tile[MAX_WALL]
    int size                # tiles in all
    int head                # tiles taken from the head
    int tail                # tiles taken from the tail


cdef inline void wall_shuffle(
    Wall* wall, const uint8_t* tiles, int size, Stream* stream
) noexcept nogil:
    """Fisher-Yates: every order of the tiles equally likely, given an unbiased stream."""
    cdef int i, j
    cdef uint8_t tile
    memcpy(wall.tile, tiles, size)
    for i in range(size - 1):
        j = i + <int>stream_below(stream, <unsigned int>(size - i))
        tile = wall.tile[j]
        wall.tile[j] = wall.tile[i]
        wall.tile[i] = tile
    wall.size = size
    wall.head = 0
    wall.tail = 0


cdef inline int wall_left(const Wall* wall) noexcept nogil:
    return wall.size - wall.head - wall.tail


cdef inline int wall_take_head(Wall* wall) noexcept nogil:
    """Index of the next head draw: the lowest untouched one. The wall must not be empty."""
    cdef int index = wall.head
    # After an odd number of tail draws the last stack has lost its upper tile, not its lower one.
    if wall.tail & 1 and index >= wall.size - 1 - wall.tail:
        index += 1
    wall.head += 1
    return index


cdef inline int wall_take_tail(Wall* wall) noexcept nogil:
    """Index of the next tail draw: last stack, upper tile first. The wall must not be empty."""
    cdef int tail = wall.tail
    cdef int index = wall.size - tail if tail & 1 else wall.size - 2 - tail
    # The head may have taken the upper tile of the last stack.
    if index < wall.head:
        index += 1
    wall.tail += 1
    return index
