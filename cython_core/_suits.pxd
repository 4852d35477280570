"""Distance classes of one suit and their products: the tables behind every hand function.

A *distance vector* d[m][p] says how many tiles a suit lacks to contain m sets and p pairs
(m = 0-4, p = 0-1). There are few distinct vectors, and they stay few when suits are merged
(min-plus product), so a suit state is one byte, its class, and merging is one load.

A *level* is the world of hands that still need `sets` sets (4 less the melds): the same vectors
cut off at that m. Copies that lie in melds lower what a target may hold; the vectors that this
creates are added to their level when they are first met.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t

cdef enum:
    TILES_SUITS = 0     # m p s
    TILES_WINDS = 1     # and the four winds
    TILES_ALL = 2       # and the three dragons

cdef enum:
    SUIT_STATES = 1953125       # 5 ** 9

# What the state of one suit knows beside its class. Fields of nine bits, one bit a rank.
cdef struct Row:
    uint64_t low        # draws that lower d[0][1], d[1][0], d[1][1], d[2][0], d[2][1], d[3][0], d[3][1]
    uint64_t high       # draws that lower d[4][0], d[4][1]; then ranks held, at least twice, an odd number of times

cdef enum:
    ROW_HELD = 18       # shifts of the fields in Row.high
    ROW_PAIR = 27
    ROW_ODD = 36

cdef struct Level:
    int n                       # classes known
    uint8_t mul[256][256]       # class of two merged suits
    # Bits 9-13: tiles missing to hold all sets and the pair, from the class of a suit and the class of
    # all the others; bits 0-8: the entries of the suit's vector that reach it, in the order of Row.
    uint16_t arg[256][256]
    uint8_t vector[256][10]     # d[0][0], d[0][1], d[1][0], ... d[4][1]; 15 = impossible
    uint64_t key[256]           # the vector in nibbles
    uint8_t slot[1024]          # hash table of the keys: class
    uint8_t used[1024]

cdef struct Tables:
    int tile_set
    int kinds                       # kinds of playing tiles: 27, 31, 34
    int honours                     # kinds of honours: 0, 4, 7
    bint capped                     # a target holds at most four copies of a kind
    const uint8_t* cls[4]           # class (level 4) of the state of m, p, s, honours
    const Row* row[4]
    uint8_t cut[5][256]             # class at a lower level
    Level* level[5]                 # by the sets that the concealed part needs
    uint64_t low[512]               # masks that pick the fields of a set of vector entries
    uint64_t high[512]

# The tables of a tile set; built on the first call (about 0.1 s), never freed.
cdef const Tables* tables(int tile_set) noexcept nogil

# The same where wild tiles are held: a target may then hold a fifth copy (a wild one) of a kind.
cdef const Tables* wild_tables(int tile_set) noexcept nogil

# Class of a suit of which some copies lie in melds.
cdef uint8_t locked_class(const Tables* t, int sets, int suit, int32_t index, int32_t locked) noexcept nogil

# Row.low of such a suit.
cdef uint64_t locked_row(const Tables* t, int sets, int suit, int32_t index, int32_t locked) noexcept nogil

# The distance vector of any suit by dynamic programming; `held` and `cap` by rank.
cdef void suit_vector(const uint8_t* held, const uint8_t* cap, int kinds, bint runs, uint8_t* out) noexcept nogil
