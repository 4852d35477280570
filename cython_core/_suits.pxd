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
    # Draws that lower d[0][1], d[1][0], d[1][1], d[2][0], d[2][1], d[3][0], d[3][1].
    uint64_t low
    # Draws that lower d[4][0], d[4][1]; then ranks held, ranks held once or thrice.
    uint64_t high

cdef enum:
    ROW_HELD = 18       # shifts of the fields in Row.high
    ROW_ODD = 27

# A suit of which copies lie in melds.
cdef struct Locked:
    uint64_t word       # key << 10 | level << 8 | class; 0 = free
    uint64_t low        # Row.low, and bit 63 when it is known

cdef enum:
    LOCKED_BITS = 18    # log2 of the places for locked suits

cdef struct Level:
    int n                       # classes
    uint64_t known              # those whose products with all others are there
    uint8_t mul[256][256]       # class of two merged suits
    # By the class of all other suits and that of a suit: tiles missing to all sets and the pair
    # (bits 9-13), and which entries of the suit's vector reach it, in the order of Row (bits 0-8).
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
    uint8_t cut[5][256]             # class of level 4 at a lower level
    const uint8_t* cut_locked[4]    # class, by level << 8 | class at a level not below
    Level* level[5]                 # by the sets that the concealed part needs
    const Locked* locked            # hash table of the locked suits met so far; it only grows
    uint64_t low[512]               # masks that pick the fields of a set of vector entries
    uint64_t high[512]

# The tables of a tile set; built on the first call (about 0.1 s), never freed.
cdef const Tables* tables(int tile_set) noexcept nogil

# The same where wild tiles are held: a target may then hold a fifth copy (a wild one) of a kind.
cdef const Tables* wild_tables(int tile_set) noexcept nogil

cdef extern from * nogil:
    """
    #define MJ_READ(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
    #define MJ_WRITE(p, x) __atomic_store_n(p, x, __ATOMIC_RELEASE)
    """
    uint64_t read_shared "MJ_READ" (const uint64_t* p)
    void write_shared "MJ_WRITE" (uint64_t* p, uint64_t x)


cdef inline uint64_t load8(const uint8_t* p) noexcept nogil:
    """Eight bytes as a number, the first one lowest (one load where the machine allows it)."""
    return (
        <uint64_t>p[0] | <uint64_t>p[1] << 8 | <uint64_t>p[2] << 16 | <uint64_t>p[3] << 24
        | <uint64_t>p[4] << 32 | <uint64_t>p[5] << 40 | <uint64_t>p[6] << 48 | <uint64_t>p[7] << 56
    )


cdef inline uint64_t locked_key(
    const Tables* t, int suit, int32_t index, int32_t locked
) noexcept nogil:
    """Number of a locked suit: never 0, at most 44 bits."""
    return (
        <uint64_t>(t.tile_set if suit == 3 else 3) << 42 | <uint64_t>locked << 21
        | <uint64_t>index
    )


cdef inline const Locked* find_locked(const Tables* t, uint64_t key) noexcept nogil:
    """Entry of a locked suit, NULL if it is new."""
    cdef uint64_t at = key * 0x9E3779B97F4A7C15ULL >> (64 - LOCKED_BITS)
    cdef uint64_t word = read_shared(&t.locked[at].word)
    while word:
        if word >> 10 == key:
            return &t.locked[at]
        at = at + 1 & (1 << LOCKED_BITS) - 1
        word = read_shared(&t.locked[at].word)
    return NULL


# What the two functions below do for an entry that is new or not yet complete.
cdef int new_class(const Tables* t, int suit, int32_t index, int32_t locked) noexcept nogil
cdef uint64_t new_low(const Tables* t, int suit, int32_t index, int32_t locked) noexcept nogil


cdef inline uint8_t locked_class(
    const Tables* t, int sets, int suit, int32_t index, int32_t locked
) noexcept nogil:
    """Class of a suit of which some copies lie in melds."""
    cdef const Locked* entry = find_locked(t, locked_key(t, suit, index, locked))
    return t.cut_locked[sets][
        entry.word & 1023 if entry != NULL else new_class(t, suit, index, locked)
    ]


cdef inline uint64_t locked_low(
    const Tables* t, int suit, int32_t index, int32_t locked
) noexcept nogil:
    """Row.low of a suit of which some copies lie in melds."""
    cdef const Locked* entry = find_locked(t, locked_key(t, suit, index, locked))
    cdef uint64_t low
    if entry != NULL:
        low = read_shared(&entry.low)
        if low >> 63:
            return low
    return new_low(t, suit, index, locked)
