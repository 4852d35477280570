"""Fixed sizes and small enums shared by the whole core."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    N_KINDS = 34        # playing kinds: m1-9, p1-9, s1-9, E S W N, red, green, white
    N_ALL = 47          # with the bonus kinds 34-46
    N_SEATS = 4
    MAX_WALL = 152      # Suzhou
    MAX_BONUS = 36      # Yancheng; Suzhou has 28
    NO_KIND = 255
    NO_SEAT = -1
    WILD = 33           # as which wild tiles are played, see Table.wild

# Shapes that a ruleset plays, as a bit set.
cdef enum:
    SHAPE_STANDARD = 1          # four sets and a pair
    SHAPE_PAIRS_DISTINCT = 2    # seven pairs of seven kinds
    SHAPE_PAIRS_QUADS = 4       # seven pairs, four alike count as two pairs
    SHAPE_UNCONNECTED = 8       # all different, suit tiles at least three apart
    SHAPE_UNCONNECTED_GROUPS = 16   # the same, the suits being 147, 258 and 369 in some order

cdef enum MeldType:
    MELD_CHOW = 0               # kind = lowest tile of the run
    MELD_PONG = 1
    MELD_KONG_EXPOSED = 2
    MELD_KONG_ADDED = 3
    MELD_KONG_CONCEALED = 4
    MELD_XUAN_FENG = 5          # Changchun's special kongs
    MELD_XI = 6
    MELD_YAO = 7
    MELD_JIU = 8
    N_MELD_TYPES = 9

# How a win came about: the physical fact, in the order of the public names.
cdef enum By:
    BY_DISCARD = 0
    BY_SELF_DRAW = 1
    BY_ROB_KONG = 2
    BY_KONG_DRAW = 3
    BY_FLOWER_DRAW = 4
    BY_BAO_VIEW = 5
    BY_DEALT = 6
    BY_CLAIM = 7                # not a win: the turn was entered by a claim
