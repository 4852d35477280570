"""Hands: shanten, waits, acceptance, discards, readings.

A hand has 13 - 3m tiles (between turns) or 14 - 3m (in turn), m sets being melded; wild tiles
count as tiles of the hand but of no kind. Shanten is the least number of tiles still to be
exchanged before the hand is ready, over the shapes asked for; -1 is complete. A target holds at
most four copies of a kind, concealed and melded together; a wild tile may stand for a further copy
of any kind, so the cap is off for a hand that holds one. Melds rule out seven pairs and the
unconnected hand.
"""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t

from cython_core._bits cimport gather
from cython_core._suits cimport Level, Tables, load8, locked_class
from cython_core._types cimport (
    SHAPE_PAIRS_QUADS,
    SHAPE_STANDARD,
    WILD,
)

cdef extern from * nogil:
    """
    #include <stdint.h>
    static const int32_t MJ_POWER[34] = {
        1, 5, 25, 125, 625, 3125, 15625, 78125, 390625,
        1, 5, 25, 125, 625, 3125, 15625, 78125, 390625,
        1, 5, 25, 125, 625, 3125, 15625, 78125, 390625,
        1, 5, 25, 125, 625, 3125, 15625};
    static const uint8_t MJ_SUIT[34] = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3};
    """
    const int32_t[34] POWER "MJ_POWER"      # what a kind counts in the index of its suit
    const uint8_t[34] SUIT "MJ_SUIT"        # 0-3: m p s honours

cdef struct Hand:
    uint8_t count[34]       # concealed copies of each kind; [WILD] the wild tiles where `white` is set
    int32_t index[4]        # each concealed suit (m p s honours) in base 5, rank 1 lowest
    int32_t locked[4]       # the same for the copies that lie in own melds
    uint8_t tiles           # concealed tiles without wilds
    uint8_t melds           # sets already melded
    uint8_t wilds           # wild tiles held
    uint8_t pairs           # sum of count >> 1
    uint8_t white           # 1 + the kind as which whites are counted (Yiwu), 0 if as themselves

# What a discard leads to.
cdef struct Choice:
    uint8_t kind            # the discard, NO_KIND if none is allowed
    int8_t shanten          # after it
    int8_t far              # what a policy has added to it for a game's conditions
    uint64_t accepts        # kinds that lower the shanten after it
    int32_t live            # unseen copies of them

# One way to see a complete hand as sets and a pair.
cdef struct Reading:
    uint8_t shape           # SHAPE_*
    uint8_t pair            # its kind; NO_KIND for seven pairs and the unconnected hand
    uint8_t n_sets          # of the concealed part
    uint8_t set_type[4]     # MELD_CHOW (set_kind is its lowest tile) or MELD_PONG
    uint8_t set_kind[4]

cdef enum WaitClass:
    WAIT_CLOSED = 0
    WAIT_EDGE = 1
    WAIT_PAIR = 2
    WAIT_TWO_SIDED = 3
    WAIT_TWO_PAIR = 4
    WAIT_COMPLEX = 5

# Roles that a wait can play, as a bit set.
cdef enum:
    ROLE_CLOSED = 1         # the middle of a run
    ROLE_EDGE = 2           # 3 of 123, 7 of 789
    ROLE_PAIR = 4           # one half of the pair
    ROLE_RUN_END = 8        # any other end of a run
    ROLE_TRIPLET = 16       # the third copy
    ROLE_FREE = 32          # part of no set (unconnected hand)


cdef inline uint64_t kinds_by_count(const Hand* h, int bit) noexcept nogil:
    """Kinds whose number of concealed copies has that binary digit."""
    cdef uint64_t kinds = gather(load8(h.count + 26) >> 48 >> bit) << 32
    cdef int k
    for k in range(0, 32, 8):
        kinds |= gather(load8(h.count + k) >> bit) << k
    return kinds


cdef inline void hand_add(Hand* h, int kind) noexcept nogil:
    """One more concealed copy."""
    h.count[kind] += 1
    h.pairs += (h.count[kind] & 1) ^ 1
    h.tiles += 1
    h.index[SUIT[kind]] += POWER[kind]


cdef inline void hand_remove(Hand* h, int kind) noexcept nogil:
    """One concealed copy less."""
    h.pairs -= (h.count[kind] & 1) ^ 1
    h.count[kind] -= 1
    h.tiles -= 1
    h.index[SUIT[kind]] -= POWER[kind]


cdef inline void hand_add_wild(Hand* h) noexcept nogil:
    """One more wild tile; only in hands where whites stand for another kind."""
    h.count[WILD] += 1
    h.wilds += 1


cdef inline void hand_remove_wild(Hand* h) noexcept nogil:
    """One wild tile less."""
    h.count[WILD] -= 1
    h.wilds -= 1


cdef inline void hand_lock(Hand* h, int kind) noexcept nogil:
    """One more copy in a meld; the concealed part is not touched."""
    h.locked[SUIT[kind]] += POWER[kind]


cdef inline uint8_t suit_class(const Tables* t, const Hand* h, int suit) noexcept nogil:
    """Class of one suit of the hand at its level."""
    if h.melds == 0:
        return t.cls[suit][h.index[suit]]
    if h.locked[suit] == 0 or not t.capped:
        return t.cut[4 - h.melds][t.cls[suit][h.index[suit]]]
    return locked_class(t, 4 - h.melds, suit, h.index[suit], h.locked[suit])


cdef inline int missing_standard(const Tables* t, const Hand* h) noexcept nogil:
    """Tiles missing to four sets and a pair, wild tiles not counted."""
    cdef const Level* level = t.level[4 - h.melds]
    return level.arg[level.mul[suit_class(t, h, 0)][suit_class(t, h, 1)]][
        level.mul[suit_class(t, h, 2)][suit_class(t, h, 3)]] >> 9


# Least number of missing tiles over the shapes, wild tiles used; any hand.
cdef int missing_any(const Tables* t, const Hand* h, int shapes) noexcept nogil


cdef inline int missing(const Tables* t, const Hand* h, int shapes) noexcept nogil:
    """Least number of missing tiles over the shapes, wild tiles used."""
    cdef int least = 99
    if h.wilds or shapes & ~(SHAPE_STANDARD | SHAPE_PAIRS_QUADS):
        return missing_any(t, h, shapes)
    if shapes & SHAPE_STANDARD:
        least = missing_standard(t, h)
    if shapes & SHAPE_PAIRS_QUADS and h.melds == 0 and 7 - h.pairs < least:
        least = 7 - h.pairs
    return least


cdef inline int shanten(const Tables* t, const Hand* h, int shapes) noexcept nogil:
    """Least shanten over the shapes, -1 when complete."""
    return missing(t, h, shapes) - 1


cdef inline bint complete(const Tables* t, const Hand* h, int shapes) noexcept nogil:
    """Whether a hand in turn is complete in one of the shapes."""
    return missing(t, h, shapes) == 0


# Tiles missing to a concealed part, wild tiles used, that is sets and nothing else; not above 0: it is.
cdef int missing_sets(const Tables* t, const Hand* h) noexcept nogil

# Kinds that lower the shanten of a hand between turns, own copies below four; `shanten` is its
# shanten.
cdef uint64_t accepts(const Tables* t, const Hand* h, int shapes, int shanten) noexcept nogil


cdef inline uint64_t waits(const Tables* t, const Hand* h, int shapes) noexcept nogil:
    """Live waits of a hand between turns: kinds that complete it, own copies below four."""
    if missing(t, h, shapes) > 1:
        return 0
    return accepts(t, h, shapes, 0)


# Kinds that complete a hand between turns by shape, whether or not all four copies are own.
cdef uint64_t formal_waits(const Tables* t, const Hand* h, int shapes) noexcept nogil

# The discard with the lowest shanten after it, then the most live acceptance (unseen - count over
# the accepted kinds), then the lowest kind; `allowed` masks the kinds that may go, `unseen` counts
# the copies that are not on the table for the seat to see (its concealed tiles are unseen here).
cdef void best_discard(
    const Tables* t,
    const Hand* h14,
    int shapes,
    uint64_t allowed,
    const uint8_t* unseen,
    Choice* out,
) noexcept nogil

# Every discard in ascending order of kinds; returns how many. `live` counts 4 - own copies.
cdef int discard_rows(
    const Tables* t, const Hand* h14, int shapes, Choice* out34
) noexcept nogil

# All readings of a complete hand (no wild tiles), at most `most`; seven pairs is one reading.
cdef int readings(
    const Tables* t, const Hand* complete14, int shapes, Reading* out, int most
) noexcept nogil

# Roles in which a kind completes a hand between turns, over all readings.
cdef int wait_roles(const Tables* t, const Hand* h13, int shapes, int kind) noexcept nogil

# Class of a ready hand by its live waits.
cdef int wait_class(
    const Tables* t, const Hand* h13, int shapes, uint64_t live_waits
) noexcept nogil
