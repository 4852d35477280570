"""The wall: shuffle, head draws, tail draws, and a slot that lies empty for a while."""

from cython_core._stream cimport Stream, stream_below
from cython_core._types cimport MAX_WALL, uint8_t

from libc.string cimport memcpy, memset

# Stacks are pairs of slots from the end of the wall: (size - 2, size - 1) is the last one, with
# the lower index on top.
cdef struct Wall:
    uint8_t tile[MAX_WALL]
    uint8_t gone[MAX_WALL]  # slots that are empty
    int size                # slots in all
    int left                # tiles that were not taken
    int tail                # tiles taken from the tail
    int head                # no slot before this one holds a tile
    int back                # no stack behind the one of this upper slot holds a tile


cdef inline void wall_open(Wall* wall, int dealt) noexcept nogil:
    """Stand all tiles in their slots, and take those that are dealt from the head."""
    memset(wall.gone, 0, wall.size)
    memset(wall.gone, 1, dealt)
    wall.left = wall.size - dealt
    wall.tail = 0
    wall.head = dealt
    wall.back = wall.size - 2


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
    wall_open(wall, 0)


cdef inline int wall_left(const Wall* wall) noexcept nogil:
    return wall.left


cdef inline int wall_take(Wall* wall, int index) noexcept nogil:
    """Empty a slot."""
    wall.gone[index] = 1
    wall.left -= 1
    return index


cdef inline void wall_lift(Wall* wall, int index) noexcept nogil:
    """Lift a tile out of its slot; it still counts as one that is left."""
    wall.gone[index] = 1


cdef inline void wall_put_back(Wall* wall, int index) noexcept nogil:
    """Put a tile that was lifted back into its slot."""
    wall.gone[index] = 0
    if index < wall.head:
        wall.head = index
    # Stacks are counted from the end of the wall.
    index = wall.size - 2 - (wall.size - 1 - index) // 2 * 2
    if index > wall.back:
        wall.back = index


cdef inline int wall_take_head(Wall* wall) noexcept nogil:
    """Index of the next head draw: the lowest full slot. One must be full."""
    while wall.gone[wall.head]:
        wall.head += 1
    return wall_take(wall, wall.head)


cdef inline int wall_take_tail(Wall* wall) noexcept nogil:
    """Index of the next tail draw: last stack, upper tile first. One slot must be full."""
    while wall.gone[wall.back] and wall.gone[wall.back + 1]:
        wall.back -= 2
    wall.tail += 1
    return wall_take(wall, wall.back + wall.gone[wall.back])
