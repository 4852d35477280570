"""Hands: shanten, waits, acceptance, discards, readings."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from cython_core._bits cimport gather, lesser, lowest_bit, popcount
from cython_core._suits cimport (
    ROW_HELD,
    ROW_ODD,
    Level,
    Row,
    Tables,
    load8,
    locked_low,
    tables,
    wild_tables,
)
from cython_core._types cimport (
    MELD_CHOW,
    MELD_PONG,
    NO_KIND,
    SHAPE_PAIRS_DISTINCT,
    SHAPE_PAIRS_QUADS,
    SHAPE_STANDARD,
    SHAPE_UNCONNECTED,
    SHAPE_UNCONNECTED_GROUPS,
    WILD,
)

cdef enum:
    NEVER = 99      # missing tiles of a shape that the hand cannot take


cdef extern from * nogil:
    void prefetch "__builtin_prefetch" (const void* p)


# Seven pairs.

cdef int overlap_pairs(const Hand* h, bint quads) noexcept nogil:
    """Tiles of the hand that seven pairs can use, wild tiles not counted."""
    cdef int k, twos = 0, kinds = 0
    if quads:
        return 2 * h.pairs + lesser(7 - h.pairs, h.tiles - 2 * h.pairs)
    for k in range(WILD if h.white else 34):
        twos += h.count[k] >= 2
        kinds += h.count[k] >= 1
    return lesser(twos, 7) + lesser(kinds, 7)


cdef uint64_t accepts_pairs(const Tables* t, const Hand* h, bint quads, int limit) noexcept nogil:
    """Kinds that seven pairs can use, of those with fewer than `limit` own copies."""
    cdef int k, kinds = 0
    cdef bint room
    cdef uint64_t mask = 0
    if quads:
        # A second copy always; a first one while there are fewer than seven pairs begun.
        room = h.tiles - 2 * h.pairs < 7 - h.pairs
        for k in range(t.kinds):
            if h.count[k] & 1 or (room and h.count[k] < limit):
                mask |= 1ULL << k
        return mask
    for k in range(WILD if h.white else 34):
        kinds += h.count[k] >= 1
    for k in range(t.kinds):
        if h.count[k] == 1 or (h.count[k] == 0 and kinds < 7):
            mask |= 1ULL << k
    return mask


# The unconnected hand: 14 of the tiles of three sparse suits and seven different honours.

# Most ranks of a held set (nine bits) that a set of exactly n ranks, at least three apart, can use.
cdef uint8_t SPARSE[4][512]
cdef uint8_t SPARSE_MOST[512]      # with any number of ranks


cdef void fill_sparse() noexcept:
    cdef int held, choice, n, gap, r, last, k
    for choice in range(512):
        n = 0
        last = -3
        gap = 1
        for r in range(9):
            if choice >> r & 1:
                gap = gap and r - last >= 3
                last = r
                n += 1
        if gap:
            for held in range(512):
                k = popcount(held & choice)
                SPARSE[n][held] = <uint8_t>(k if k > SPARSE[n][held] else SPARSE[n][held])
                SPARSE_MOST[held] = <uint8_t>(k if k > SPARSE_MOST[held] else SPARSE_MOST[held])


fill_sparse()


cdef int overlap_masks(const int* suits, int honours, bint groups) noexcept nogil:
    """Tiles that an unconnected hand can use of the given kinds."""
    cdef int a, b, c, n, x, most = 0
    if groups:
        # Each suit one of 147, 258, 369, no two the same.
        for a in range(3):
            for b in range(3):
                if a != b:
                    x = (
                        popcount(suits[0] & 0x49 << a)
                        + popcount(suits[1] & 0x49 << b)
                        + popcount(suits[2] & 0x49 << 3 - a - b)
                    )
                    most = x if x > most else most
        return lesser(14, most + honours)
    for a in range(1, 4):
        for b in range(1, 4):
            for c in range(1, 4):
                n = a + b + c
                if n >= 7:
                    x = SPARSE[a][suits[0]] + SPARSE[b][suits[1]] + SPARSE[c][suits[2]]
                    x += lesser(honours, 14 - n)
                    most = x if x > most else most
    return most


cdef inline void unconnected_masks(const Tables* t, const Hand* h, int* masks) noexcept nogil:
    """Kinds held by suit; copies that stand for another kind as whites are whites again."""
    cdef int s, k = h.white - 1
    for s in range(4):
        masks[s] = <int>(t.row[s][h.index[s]].high >> ROW_HELD & 511)
    if h.white and k != WILD and h.count[k]:
        masks[SUIT[k]] &= ~(1 << (k - 9 * SUIT[k]))
        masks[3] |= 1 << 6


cdef int overlap_bound(const Tables* t, const Hand* h) noexcept nogil:
    """Cheap upper bound of `overlap_unconnected`: suits and honours by themselves."""
    cdef int masks[4]
    cdef int s, most
    if t.honours < 7:
        return 14 - NEVER
    unconnected_masks(t, h, masks)
    most = popcount(masks[3])
    for s in range(3):
        most += SPARSE_MOST[masks[s]]
    return most


cdef int overlap_unconnected(const Tables* t, const Hand* h, bint groups) noexcept nogil:
    cdef int masks[4]
    if t.honours < 7:
        return 14 - NEVER
    unconnected_masks(t, h, masks)
    return overlap_masks(masks, popcount(masks[3]), groups)


cdef uint64_t accepts_unconnected(const Tables* t, const Hand* h, bint groups) noexcept nogil:
    """Kinds that an unconnected hand can use besides."""
    cdef int masks[4]
    cdef int beside[4]      # most tiles of the rest, by the ranks that a suit contributes
    cdef int s, r, n, a, b, honours, now, then
    cdef uint64_t mask = 0
    unconnected_masks(t, h, masks)
    honours = popcount(masks[3])
    now = overlap_masks(masks, honours, groups)
    for s in range(3):
        for n in range(1, 4):
            beside[n] = -NEVER
            for a in range(1, 4):
                for b in range(1, 4):
                    if n + a + b >= 7:
                        then = SPARSE[a][masks[(s + 1) % 3]] + SPARSE[b][masks[(s + 2) % 3]]
                        then += lesser(honours, 14 - n - a - b)
                        beside[n] = then if then > beside[n] else beside[n]
        for r in range(9):
            if masks[s] >> r & 1:
                continue
            masks[s] |= 1 << r
            if groups:
                then = overlap_masks(masks, honours, True)
            else:
                then = 0
                for n in range(1, 4):
                    then = then if then > SPARSE[n][masks[s]] + beside[n] else (
                        SPARSE[n][masks[s]] + beside[n]
                    )
            masks[s] ^= 1 << r
            if then > now:
                mask |= 1ULL << (9 * s + r)
    # All honours that are not held are alike; whites may be counted as another kind.
    if overlap_masks(masks, honours + 1, groups) > now:
        mask |= <uint64_t>(~masks[3] & 127) << 27
        if h.white:
            mask &= ~(1ULL << (h.white - 1))
            mask |= <uint64_t>(~masks[3] >> 6 & 1) << (h.white - 1)
    elif h.white:
        mask &= ~(1ULL << (h.white - 1))
    return mask


# All shapes together.

cdef int missing_any(const Tables* t, const Hand* h, int shapes) noexcept nogil:
    cdef int least = NEVER
    if shapes & SHAPE_STANDARD:
        least = missing_standard(wild_tables(t.tile_set) if h.wilds else t, h) - h.wilds
    if h.melds == 0:
        if shapes & SHAPE_PAIRS_QUADS:
            least = lesser(least, 14 - overlap_pairs(h, True) - h.wilds)
        if shapes & SHAPE_PAIRS_DISTINCT:
            least = lesser(least, 14 - overlap_pairs(h, False) - h.wilds)
        if (
            shapes & (SHAPE_UNCONNECTED | SHAPE_UNCONNECTED_GROUPS)
            and 14 - overlap_bound(t, h) - h.wilds < least
        ):
            if shapes & SHAPE_UNCONNECTED:
                least = lesser(least, 14 - overlap_unconnected(t, h, False) - h.wilds)
            if shapes & SHAPE_UNCONNECTED_GROUPS:
                least = lesser(least, 14 - overlap_unconnected(t, h, True) - h.wilds)
    return least if least > 0 else 0


cdef inline uint64_t fold(
    const Tables* t, uint64_t low, uint64_t high, unsigned int entries
) noexcept nogil:
    """Union of the fields of a row that belong to the given vector entries."""
    low &= t.low[entries]
    high &= t.high[entries]
    low |= low >> 36
    low |= low >> 18
    high |= high >> 9
    return (low | low >> 9 | high) & 511


cdef inline uint64_t fold_low(const Tables* t, uint64_t low, unsigned int entries) noexcept nogil:
    """The same below four sets, where Row.high has no part."""
    low &= t.low[entries]
    low |= low >> 36
    low |= low >> 18
    return (low | low >> 9) & 511


cdef inline uint64_t lowering_of(
    const Tables* t, const Hand* h, int suit, unsigned int entries
) noexcept nogil:
    """Draws of a suit that lower one of the given entries of its vector."""
    cdef const Row* row
    if h.melds and h.locked[suit] and t.capped:
        return fold_low(
            t, locked_low(t, suit, h.index[suit], h.locked[suit]), entries
        )
    row = &t.row[suit][h.index[suit]]
    return fold(t, row.low, row.high, entries)


cdef inline uint64_t own_four(const Hand* h) noexcept nogil:
    """Kinds of which all four copies are own."""
    cdef int k, s
    cdef int32_t locked
    cdef uint64_t mask = kinds_by_count(h, 2)
    for s in range(4):
        k = 9 * s
        locked = h.locked[s]
        while locked:
            mask |= <uint64_t>(h.count[k] + locked % 5 >= 4) << k
            locked //= 5
            k += 1
    return mask


cdef inline uint64_t drawable(const Tables* t, const Hand* h) noexcept nogil:
    """Kinds of the tile set that there are: no whites where they stand for another kind."""
    return (1ULL << t.kinds) - 1 & ~(<uint64_t>(h.white > 0) << 33)


cdef uint64_t accepts_standard(const Tables* t, const Hand* h, int missing) noexcept nogil:
    """Kinds that lower the distance of the standard shape where it is `missing`."""
    cdef const Level* level = t.level[4 - h.melds]
    cdef uint8_t c0 = suit_class(t, h, 0), c1 = suit_class(t, h, 1)
    cdef uint8_t c2 = suit_class(t, h, 2), c3 = suit_class(t, h, 3)
    cdef uint8_t ab = level.mul[c0][c1], cd = level.mul[c2][c3]
    if level.arg[ab][cd] >> 9 != missing:
        return 0
    return (
        lowering_of(t, h, 0, level.arg[level.mul[c1][cd]][c0] & 511)
        | lowering_of(t, h, 1, level.arg[level.mul[c0][cd]][c1] & 511) << 9
        | lowering_of(t, h, 2, level.arg[level.mul[ab][c3]][c2] & 511) << 18
        | lowering_of(t, h, 3, level.arg[level.mul[ab][c2]][c3] & 511) << 27
    )


cdef uint64_t accepts(const Tables* t, const Hand* h, int shapes, int shanten) noexcept nogil:
    cdef int miss = shanten + 1 + h.wilds
    cdef uint64_t mask = 0
    if shapes & SHAPE_STANDARD:
        if h.wilds:
            mask = accepts_standard(wild_tables(t.tile_set), h, miss) & ~own_four(h)
        else:
            mask = accepts_standard(t, h, miss)
    if h.melds == 0:
        if shapes & SHAPE_PAIRS_QUADS and 14 - overlap_pairs(h, True) == miss:
            mask |= accepts_pairs(t, h, True, 4)
        if shapes & SHAPE_PAIRS_DISTINCT and 14 - overlap_pairs(h, False) == miss:
            mask |= accepts_pairs(t, h, False, 4)
        if (
            shapes & (SHAPE_UNCONNECTED | SHAPE_UNCONNECTED_GROUPS)
            and 14 - overlap_bound(t, h) <= miss
        ):
            if shapes & SHAPE_UNCONNECTED and 14 - overlap_unconnected(t, h, False) == miss:
                mask |= accepts_unconnected(t, h, False)
            if shapes & SHAPE_UNCONNECTED_GROUPS and 14 - overlap_unconnected(t, h, True) == miss:
                mask |= accepts_unconnected(t, h, True)
    return mask & drawable(t, h)


cdef int missing_to(const Tables* t, const Hand* h, int sets, bint pair) noexcept nogil:
    """Tiles missing to so many sets, and a pair, wild tiles not used."""
    cdef const Level* level = t.level[4]
    cdef uint8_t c = level.mul[level.mul[t.cls[0][h.index[0]]][t.cls[1][h.index[1]]]][
        level.mul[t.cls[2][h.index[2]]][t.cls[3][h.index[3]]]
    ]
    return level.vector[c][2 * sets + pair]


cdef bint splits(const Tables* t, const Hand* h, int sets, bint pair) noexcept nogil:
    """Whether the hand, wild tiles used, contains so many sets, and a pair."""
    return missing_to(t, h, sets, pair) <= h.wilds


cdef int missing_sets(const Tables* t, const Hand* h) noexcept nogil:
    if h.wilds:
        t = wild_tables(t.tile_set)
    return missing_to(t, h, 4 - h.melds, False) - h.wilds


cdef bint fifth_completes(const Tables* t, const Hand* hand, int kind) noexcept nogil:
    """Whether one more copy of a kind completes the standard shape, all four being own."""
    cdef Hand h = hand[0]
    cdef int s = SUIT[kind], sets = 4 - h.melds
    if h.count[kind] < 4:
        h.index[s] += POWER[kind]
        return splits(t, &h, sets, True)
    # Five concealed copies hold the pair or a triplet: so many go, the rest is as ever.
    h.index[s] -= POWER[kind]
    if splits(t, &h, sets, False):
        return True
    h.index[s] -= POWER[kind]
    return sets and splits(t, &h, sets - 1, True)


cdef uint64_t formal_waits(const Tables* t, const Hand* h, int shapes) noexcept nogil:
    cdef uint64_t mask, more
    cdef int k
    mask = waits(t, h, shapes)
    more = own_four(h)
    if shapes & SHAPE_STANDARD:
        for k in range(t.kinds):
            if more >> k & 1 and fifth_completes(wild_tables(t.tile_set) if h.wilds else t, h, k):
                mask |= 1ULL << k
    if shapes & SHAPE_PAIRS_QUADS and h.melds == 0 and 14 - overlap_pairs(h, True) - h.wilds == 1:
        mask |= accepts_pairs(t, h, True, 5)
    return mask & drawable(t, h)


# Discards. All discards of a hand share the products of the suits that they leave alone. Missing
# tiles are counted with no wild tile used: they lower all shapes alike.

cdef struct Frame:
    const Tables* tables        # of the standard shape
    const Hand* hand            # in turn
    const Level* level
    bint standard
    bint pairs                  # seven pairs matter, four alike being two
    int pairs_missing[2]        # after the discard of a kind held twice or four times; once or thrice
    bint room[2]                # likewise: fewer than seven pairs are begun
    int others                  # shapes that matter beside sets and these pairs
    int others_missing          # before the discard
    uint8_t cls[4]
    uint8_t two[4][4]           # class of the other two suits
    const uint16_t* arg[4]      # Level.arg by the class of the other three suits
    uint64_t low[4]
    uint64_t high[4]
    uint64_t held               # kinds held
    uint64_t odd                # of these, kinds held once or three times
    uint64_t closed             # kinds that cannot be drawn, as far as suits do not know it
    uint64_t ones               # live copies of each kind as a binary number
    uint64_t twos
    uint64_t fours
    uint8_t new_cls[34]         # after a discard: class of its suit
    uint16_t new_arg[34]        # and what Level.arg says
    int seen[4]                 # class after a discard of the suit for which ...
    uint64_t rest[4]            # ... the accepted kinds of the other suits are these


cdef uint8_t[4][3] OTHERS = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]


cdef inline void see(Frame* f, const uint8_t* unseen) noexcept nogil:
    """Live copies: those not seen, own concealed ones apart."""
    cdef int k
    cdef uint64_t live = load8(unseen + 26) - load8(f.hand.count + 26)
    live >>= 48
    f.ones = gather(live) << 32
    f.twos = gather(live >> 1) << 32
    f.fours = gather(live >> 2) << 32
    for k in range(0, 32, 8):
        live = load8(unseen + k) - load8(f.hand.count + k)
        f.ones |= gather(live) << k
        f.twos |= gather(live >> 1) << k
        f.fours |= gather(live >> 2) << k


cdef inline int weigh(const Frame* f, uint64_t kinds) noexcept nogil:
    """Live copies of some kinds."""
    cdef uint64_t a = kinds & f.ones, b = kinds & f.twos, c = kinds & f.fours
    a -= a >> 1 & 0x5555555555555555ULL
    b -= b >> 1 & 0x5555555555555555ULL
    c -= c >> 1 & 0x5555555555555555ULL
    a = (a & 0x3333333333333333ULL) + (a >> 2 & 0x3333333333333333ULL)
    b = (b & 0x3333333333333333ULL) + (b >> 2 & 0x3333333333333333ULL)
    c = (c & 0x3333333333333333ULL) + (c >> 2 & 0x3333333333333333ULL)
    # A field of four bits holds at most 4 * (1 + 2) here, and a byte at most 2 * 12 + 4 * 8.
    a += b << 1
    a = (a & 0x0F0F0F0F0F0F0F0FULL) + (a >> 4 & 0x0F0F0F0F0F0F0F0FULL)
    c = (c & 0x0F0F0F0F0F0F0F0FULL) + (c >> 4 & 0x0F0F0F0F0F0F0F0FULL)
    return <int>((a + (c << 2)) * 0x0101010101010101ULL >> 56)


cdef inline uint8_t class_at(const Frame* f, int suit, int32_t index) noexcept nogil:
    """Class of a suit of the hand at another index."""
    cdef uint8_t c
    if f.hand.melds == 0:
        return f.tables.cls[suit][index]
    if f.hand.locked[suit] and f.tables.capped:
        return locked_class(f.tables, 4 - f.hand.melds, suit, index, f.hand.locked[suit])
    c = f.tables.cls[suit][index]
    return f.tables.cut[4 - f.hand.melds][c]


cdef inline uint64_t lowering(
    const Frame* f, int suit, int32_t index, unsigned int entries
) noexcept nogil:
    """Draws of a suit that lower one of the given entries of its vector."""
    cdef const Row* row
    if f.hand.melds == 0:
        row = &f.tables.row[suit][index]
        return fold(f.tables, row.low, row.high, entries)
    if f.hand.locked[suit] and f.tables.capped:
        return fold_low(
            f.tables,
            locked_low(f.tables, suit, index, f.hand.locked[suit]),
            entries,
        )
    return fold_low(f.tables, f.tables.row[suit][index].low, entries)


cdef inline int pairs_missing(int pairs, int singles) noexcept nogil:
    """Tiles missing to seven pairs, four alike being two."""
    return 14 - 2 * pairs - lesser(7 - pairs, singles)


cdef int others_missing(const Tables* t, const Hand* h, int shapes, int most) noexcept nogil:
    """Tiles missing to the shapes that the suits do not tell; NEVER where more than `most`."""
    cdef int unconnected = shapes & (SHAPE_UNCONNECTED | SHAPE_UNCONNECTED_GROUPS), least = NEVER
    if h.melds:
        return NEVER
    if shapes & SHAPE_PAIRS_DISTINCT:
        least = 14 - overlap_pairs(h, False)
    if unconnected and 14 - overlap_bound(t, h) <= most:
        least = lesser(least, missing_any(t, h, unconnected) + h.wilds)
    return least if least <= most else NEVER


cdef inline int frame(Frame* f, const Tables* t, const Hand* h, int shapes) noexcept nogil:
    """Set up the frame of a hand; returns its missing tiles."""
    cdef const Level* level = t.level[4 - h.melds]
    cdef uint8_t ab, cd
    cdef int s, missing, least
    cdef const Row* row
    f.tables = t
    f.hand = h
    f.level = level
    f.standard = shapes & SHAPE_STANDARD
    f.pairs = False
    f.held = 0
    f.odd = 0
    for s in range(4):
        f.seen[s] = -1
        row = &t.row[s][h.index[s]]
        f.cls[s] = class_at(f, s, h.index[s])
        f.low[s] = row.low
        f.high[s] = row.high
        if h.melds and h.locked[s] and t.capped:
            f.low[s] = locked_low(t, s, h.index[s], h.locked[s])
        f.held |= (row.high >> ROW_HELD & 511) << 9 * s
        f.odd |= (row.high >> ROW_ODD & 511) << 9 * s
    ab = level.mul[f.cls[0]][f.cls[1]]
    cd = level.mul[f.cls[2]][f.cls[3]]
    f.two[0][1] = cd
    f.two[1][0] = cd
    f.two[2][3] = ab
    f.two[3][2] = ab
    f.two[0][2] = level.mul[f.cls[1]][f.cls[3]]
    f.two[2][0] = f.two[0][2]
    f.two[0][3] = level.mul[f.cls[1]][f.cls[2]]
    f.two[3][0] = f.two[0][3]
    f.two[1][2] = level.mul[f.cls[0]][f.cls[3]]
    f.two[2][1] = f.two[1][2]
    f.two[1][3] = level.mul[f.cls[0]][f.cls[2]]
    f.two[3][1] = f.two[1][3]
    f.arg[0] = level.arg[level.mul[f.cls[1]][cd]]
    f.arg[1] = level.arg[level.mul[f.cls[0]][cd]]
    f.arg[2] = level.arg[level.mul[ab][f.cls[3]]]
    f.arg[3] = level.arg[level.mul[ab][f.cls[2]]]
    missing = f.arg[0][f.cls[0]] >> 9 if f.standard else NEVER
    if shapes & SHAPE_PAIRS_QUADS and h.melds == 0:
        least = pairs_missing(h.pairs, h.tiles - 2 * h.pairs)
        if least <= missing + 1:
            # Further off it cannot matter: a discard raises the other by at most one.
            f.pairs = True
            f.pairs_missing[0] = pairs_missing(h.pairs - 1, h.tiles - 2 * h.pairs + 1)
            f.pairs_missing[1] = pairs_missing(h.pairs, h.tiles - 2 * h.pairs - 1)
            f.room[0] = h.tiles - 2 * h.pairs + 1 < 8 - h.pairs
            f.room[1] = h.tiles - 2 * h.pairs - 1 < 7 - h.pairs
            missing = lesser(missing, least)
    f.others = shapes & ~(SHAPE_STANDARD | SHAPE_PAIRS_QUADS)
    if f.others:
        f.others_missing = others_missing(t, h, f.others, missing + 1)
        if f.others_missing == NEVER:
            f.others = 0
        missing = lesser(missing, f.others_missing)
    f.closed = own_four(h) | ~drawable(t, h) if h.wilds or h.white else 0
    return missing


cdef inline uint64_t keeps(Frame* f, uint64_t kinds, int missing) noexcept nogil:
    """Discards after which no more than `missing` tiles are missing; notes what they lead to."""
    cdef uint64_t left = kinds if f.standard else 0, found = 0
    cdef Hand after
    cdef int k, s
    cdef uint8_t c
    cdef uint16_t arg
    while left:
        k = lowest_bit(left)
        left &= left - 1
        s = SUIT[k]
        c = class_at(f, s, f.hand.index[s] - POWER[k])
        arg = f.arg[s][c]
        f.new_cls[k] = c
        f.new_arg[k] = arg
        prefetch(&f.tables.row[s][f.hand.index[s] - POWER[k]])
        found |= <uint64_t>(arg >> 9 <= missing) << k
    if f.pairs and f.pairs_missing[0] <= missing:
        found |= kinds & ~f.odd
    if f.pairs and f.pairs_missing[1] <= missing:
        found |= kinds & f.odd
    if f.others and f.others_missing <= missing:
        after = f.hand[0]
        left = kinds & ~found
        while left:
            k = lowest_bit(left)
            left &= left - 1
            hand_remove(&after, k)
            found |= <uint64_t>(
                others_missing(f.tables, &after, f.others, missing) <= missing
            ) << k
            hand_add(&after, k)
    return found


cdef inline uint64_t accepted_after(Frame* f, int kind, int missing) noexcept nogil:
    """Accepted kinds after a discard that leaves `missing` tiles missing."""
    cdef int i, s, o, odd
    cdef unsigned int entries
    cdef uint8_t c
    cdef uint64_t mask = 0
    cdef Hand after
    if f.standard and f.new_arg[kind] >> 9 == missing:
        s = SUIT[kind]
        c = f.new_cls[kind]
        if f.seen[s] != c:
            f.seen[s] = c
            for i in range(3):
                o = OTHERS[s][i]
                entries = f.level.arg[f.level.mul[c][f.two[s][o]]][f.cls[o]] & 511
                mask |= fold(f.tables, f.low[o], f.high[o], entries) << 9 * o
            f.rest[s] = mask
        mask = f.rest[s] | lowering(
            f, s, f.hand.index[s] - POWER[kind], f.new_arg[kind] & 511
        ) << 9 * s
    odd = f.odd >> kind & 1
    if f.pairs and f.pairs_missing[odd] == missing:
        # A second copy of what is held once or thrice, the discard apart; any tile while there is room.
        mask |= ~0ULL if f.room[odd] else f.odd ^ 1ULL << kind
    if f.others and f.others_missing <= missing:
        after = f.hand[0]
        hand_remove(&after, kind)
        mask |= accepts(f.tables, &after, f.others, missing - after.wilds - 1)
    return mask & ~(f.closed & ~(1ULL << kind))


cdef void best_discard(
    const Tables* t,
    const Hand* h14,
    int shapes,
    uint64_t allowed,
    const uint8_t* unseen,
    Choice* out,
) noexcept nogil:
    cdef Frame f
    cdef uint64_t left, mask
    cdef int k, live, missing
    if h14.wilds:
        t = wild_tables(t.tile_set)
    missing = frame(&f, t, h14, shapes)
    left = keeps(&f, allowed & f.held, missing)
    if left == 0:
        left = allowed & f.held
        missing += 1
    see(&f, unseen)
    out.kind = NO_KIND
    out.live = -1
    out.shanten = <int8_t>(missing - h14.wilds - 1)
    while left:
        k = lowest_bit(left)
        left &= left - 1
        mask = accepted_after(&f, k, missing)
        live = weigh(&f, mask)
        if live > out.live:
            out.kind = <uint8_t>k
            out.accepts = mask
            out.live = live


cdef int discard_rows(
    const Tables* t, const Hand* h14, int shapes, Choice* out34
) noexcept nogil:
    cdef Frame f
    cdef uint8_t unseen[34]
    cdef uint64_t left, kept
    cdef int k, missing, n = 0
    memset(unseen, 4, 34)
    if h14.melds:
        for k in range(34):
            unseen[k] -= h14.locked[SUIT[k]] // POWER[k] % 5
    if h14.wilds:
        t = wild_tables(t.tile_set)
    missing = frame(&f, t, h14, shapes)
    left = f.held
    kept = keeps(&f, left, missing)
    see(&f, unseen)
    while left:
        k = lowest_bit(left)
        left &= left - 1
        out34[n].kind = <uint8_t>k
        out34[n].shanten = <int8_t>(missing - h14.wilds - <int>(kept >> k & 1))
        out34[n].accepts = accepted_after(&f, k, missing + 1 - <int>(kept >> k & 1))
        out34[n].live = weigh(&f, out34[n].accepts)
        n += 1
    return n


# Readings.

cdef struct Search:
    uint8_t count[34]
    Reading now
    Reading* out
    int n
    int most


cdef void read_sets(Search* search, int kind) noexcept nogil:
    """Split what is left from `kind` on into sets, triplets first."""
    cdef uint8_t* c = search.count
    cdef Reading* now = &search.now
    cdef int triplet, runs, _
    while kind < 34 and c[kind] == 0:
        kind += 1
    if kind == 34:
        if search.n < search.most:
            search.out[search.n] = now[0]
            search.n += 1
        return
    for triplet in range(1, -1, -1):
        runs = c[kind] - 3 * triplet
        if runs < 0:
            continue
        if runs and (kind >= 27 or kind % 9 > 6 or c[kind + 1] < runs or c[kind + 2] < runs):
            continue
        if triplet:
            now.set_type[now.n_sets] = MELD_PONG
            now.set_kind[now.n_sets] = <uint8_t>kind
            now.n_sets += 1
        for _ in range(runs):
            now.set_type[now.n_sets] = MELD_CHOW
            now.set_kind[now.n_sets] = <uint8_t>kind
            now.n_sets += 1
        c[kind] -= 3 * triplet + runs
        if runs:
            c[kind + 1] -= runs
            c[kind + 2] -= runs
        read_sets(search, kind + 1)
        c[kind] += 3 * triplet + runs
        if runs:
            c[kind + 1] += runs
            c[kind + 2] += runs
        now.n_sets -= triplet + runs


cdef bint read_whole(Search* search, const Tables* t, const Hand* h, int shape) noexcept nogil:
    """The reading of a shape without sets, where the hand has it."""
    if shape == 0 or search.n == search.most or missing_any(t, h, shape):
        return False
    search.now.shape = <uint8_t>shape
    search.out[search.n] = search.now
    search.n += 1
    return True


cdef int readings(
    const Tables* t, const Hand* complete14, int shapes, Reading* out, int most
) noexcept nogil:
    cdef Search search
    cdef int k
    search.out = out
    search.most = most
    search.n = 0
    if complete14.wilds:
        return 0
    memset(&search.now, 0, sizeof(Reading))
    if shapes & SHAPE_STANDARD and complete14.tiles == 14 - 3 * complete14.melds:
        memcpy(search.count, complete14.count, 34)
        search.now.shape = SHAPE_STANDARD
        for k in range(t.kinds):
            if search.count[k] >= 2:
                search.count[k] -= 2
                search.now.pair = <uint8_t>k
                read_sets(&search, 0)
                search.count[k] += 2
    # A shape without sets is one reading, by the stricter name where two fit.
    search.now.pair = NO_KIND
    if not read_whole(&search, t, complete14, shapes & SHAPE_PAIRS_DISTINCT):
        read_whole(&search, t, complete14, shapes & SHAPE_PAIRS_QUADS)
    if not read_whole(&search, t, complete14, shapes & SHAPE_UNCONNECTED_GROUPS):
        read_whole(&search, t, complete14, shapes & SHAPE_UNCONNECTED)
    return search.n


cdef bint splits_without(
    const Tables* t, Hand* h, int a, int b, int sets, bint pair
) noexcept nogil:
    """The same without two tiles; False where the hand lacks them."""
    cdef bint yes
    if h.count[a] == 0 or h.count[b] == 0 or (a == b and h.count[a] < 2):
        return False
    h.index[SUIT[a]] -= POWER[a]
    h.index[SUIT[b]] -= POWER[b]
    yes = splits(t, h, sets, pair)
    h.index[SUIT[a]] += POWER[a]
    h.index[SUIT[b]] += POWER[b]
    return yes


cdef int wait_roles(const Tables* t, const Hand* h13, int shapes, int kind) noexcept nogil:
    cdef Hand h
    cdef int roles = 0, r = kind % 9, sets = 4 - h13.melds
    if h13.wilds:
        return ROLE_FREE
    h = h13[0]
    if shapes & SHAPE_STANDARD:
        if h.count[kind]:
            h.index[SUIT[kind]] -= POWER[kind]
            if splits(t, &h, sets, False):
                roles |= ROLE_PAIR
            h.index[SUIT[kind]] += POWER[kind]
        if sets:
            if splits_without(t, &h, kind, kind, sets - 1, True):
                roles |= ROLE_TRIPLET
            if kind < 27:
                if 0 < r < 8 and splits_without(t, &h, kind - 1, kind + 1, sets - 1, True):
                    roles |= ROLE_CLOSED
                if r < 7 and splits_without(t, &h, kind + 1, kind + 2, sets - 1, True):
                    roles |= ROLE_EDGE if r == 6 else ROLE_RUN_END
                if r > 1 and splits_without(t, &h, kind - 2, kind - 1, sets - 1, True):
                    roles |= ROLE_EDGE if r == 2 else ROLE_RUN_END
    if h.melds == 0:
        if shapes & (SHAPE_PAIRS_DISTINCT | SHAPE_PAIRS_QUADS):
            hand_add(&h, kind)
            if missing_any(t, &h, shapes & (SHAPE_PAIRS_DISTINCT | SHAPE_PAIRS_QUADS)) == 0:
                roles |= ROLE_PAIR
            hand_remove(&h, kind)
        if shapes & (SHAPE_UNCONNECTED | SHAPE_UNCONNECTED_GROUPS):
            hand_add(&h, kind)
            if missing_any(t, &h, shapes & (SHAPE_UNCONNECTED | SHAPE_UNCONNECTED_GROUPS)) == 0:
                roles |= ROLE_FREE
    return roles


cdef int class_of_roles(int roles) noexcept nogil:
    """Class of a single wait that is played in these roles."""
    if roles == ROLE_CLOSED:
        return WAIT_CLOSED
    if roles == ROLE_EDGE:
        return WAIT_EDGE
    if roles == ROLE_PAIR:
        return WAIT_PAIR
    if roles == ROLE_RUN_END:
        return WAIT_TWO_SIDED
    if roles == ROLE_TRIPLET:
        return WAIT_TWO_PAIR
    return WAIT_COMPLEX


cdef int wait_class(
    const Tables* t, const Hand* h13, int shapes, uint64_t live_waits
) noexcept nogil:
    cdef uint64_t second = live_waits & (live_waits - 1)
    cdef int roles, c
    if live_waits == 0 or second & (second - 1):
        return WAIT_COMPLEX
    roles = wait_roles(t, h13, shapes, lowest_bit(live_waits))
    c = class_of_roles(roles)
    if second == 0:
        return c if c <= WAIT_PAIR else WAIT_COMPLEX
    if c != WAIT_TWO_SIDED and c != WAIT_TWO_PAIR:
        return WAIT_COMPLEX
    return c if wait_roles(t, h13, shapes, lowest_bit(second)) == roles else WAIT_COMPLEX


# Many hands at once, from rows of counts.

cdef inline int32_t base5(uint64_t digits) noexcept nogil:
    """Eight bytes of 0-4 as a base-5 number, the first byte lowest."""
    digits = (digits + (digits >> 8) * 5) & 0x00FF00FF00FF00FFULL
    digits = (digits + (digits >> 16) * 25) & 0x0000FFFF0000FFFFULL
    return <int32_t>(<uint32_t>digits + <uint32_t>(digits >> 32) * 625)


cdef inline void row_indices(const uint8_t* row, int32_t* index) noexcept nogil:
    """Base-5 numbers of the suits of a row of 34 counts."""
    index[0] = base5(load8(row)) + 390625 * <int32_t>row[8]
    index[1] = base5(load8(row + 9)) + 390625 * <int32_t>row[17]
    index[2] = base5(load8(row + 18)) + 390625 * <int32_t>row[26]
    index[3] = base5(load8(row + 26) >> 8)


cdef inline int row_pairs(const uint8_t* row) noexcept nogil:
    """Pairs of a row, four alike being two."""
    cdef uint64_t halves = (
        (load8(row) >> 1 & 0x0303030303030303ULL)
        + (load8(row + 8) >> 1 & 0x0303030303030303ULL)
        + (load8(row + 18) >> 1 & 0x0303030303030303ULL)
        + (load8(row + 26) >> 1 & 0x0303030303030303ULL)
    )
    return <int>(halves * 0x0101010101010101ULL >> 56) + (row[16] >> 1) + (row[17] >> 1)


cdef inline int row_tiles(const uint8_t* row) noexcept nogil:
    """Tiles of a row that has no count above 7."""
    cdef uint64_t sums = (
        load8(row) + load8(row + 8) + (load8(row + 10) >> 48) + load8(row + 18) + load8(row + 26)
    )
    return <int>(sums * 0x0101010101010101ULL >> 56)


cdef inline uint64_t row_faults(const uint8_t* row, uint64_t lacking) noexcept nogil:
    """0 if no kind has more than four copies and none of the `lacking` honours is held."""
    cdef uint64_t a = load8(row), b = load8(row + 8), c = load8(row + 16), d = load8(row + 18)
    cdef uint64_t e = load8(row + 26)
    # A byte above 4 shows in its highest bit, by itself or after adding 123.
    return (
        (
            (a | b | c | d | e)
            | (a + 0x7B7B7B7B7B7B7B7BULL) | (b + 0x7B7B7B7B7B7B7B7BULL)
            | (c + 0x7B7B7B7B7B7B7B7BULL) | (d + 0x7B7B7B7B7B7B7B7BULL)
            | (e + 0x7B7B7B7B7B7B7B7BULL)
        ) & 0x8080808080808080ULL
    ) | (e & lacking)


cdef inline uint64_t lacking_honours(const Tables* t) noexcept nogil:
    """Bytes of the last eight counts that must be 0."""
    return 0 if t.honours == 7 else ~0ULL << 8 * (t.honours + 1)


cdef inline void hand_of(Hand* h, const uint8_t* row, int melds) noexcept nogil:
    memset(h, 0, sizeof(Hand))
    memcpy(h.count, row, 34)
    row_indices(row, h.index)
    h.tiles = <uint8_t>row_tiles(row)
    h.pairs = <uint8_t>row_pairs(row)
    h.melds = <uint8_t>melds


cdef bint hand_of_row(
    Hand* h, const Tables* t, const uint8_t* row, int melds, int tiles
) noexcept nogil:
    """The hand of a row that holds so many tiles; False if the row is no such hand."""
    if row_faults(row, lacking_honours(t)) or row_tiles(row) != tiles:
        return False
    hand_of(h, row, melds)
    return True


cdef enum:
    BATCH = 64      # rows in flight: indices first, then look-ups, so that loads overlap


cdef extern from * nogil:
    """
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #define MJ_SSE2 1
    /* The same with the 16-byte registers that every x86-64 has: a row in two loads and a rest. */
    static inline uint64_t mj_take_batch(const uint8_t* row, int n, uint64_t lacking, int tiles,
                                         int pairs, int32_t* index, int* made) {
        const __m128i zero = _mm_setzero_si128(), low = _mm_set1_epi16(255);
        const __m128i five = _mm_set1_epi16(5), halves = _mm_set1_epi8(3);
        const __m128i two_digits = _mm_set1_epi32(25 << 16 | 1);
        const __m128i four_digits = _mm_set1_epi32(625 << 16 | 1);
        const __m128i absent = _mm_set_epi64x((int64_t)lacking, 0);
        __m128i most = zero, found = zero, fewest = _mm_set1_epi16(99), fullest = zero;
        __m128i a, b, rest, sum, mp, sz;
        int k;
        for (k = 0; k < n; k++, row += 34, index += 4) {
            a = _mm_loadu_si128((const __m128i*)row);
            b = _mm_loadu_si128((const __m128i*)(row + 18));
            rest = _mm_srli_epi64(_mm_loadl_epi64((const __m128i*)(row + 10)), 48);
            most = _mm_max_epu8(most, _mm_max_epu8(_mm_max_epu8(a, b), rest));
            found = _mm_or_si128(found, _mm_and_si128(b, absent));
            sum = _mm_add_epi16(_mm_sad_epu8(a, zero), _mm_sad_epu8(b, zero));
            sum = _mm_add_epi16(sum, _mm_sad_epu8(rest, zero));
            sum = _mm_add_epi16(sum, _mm_unpackhi_epi64(sum, sum));
            fewest = _mm_min_epi16(fewest, sum);
            fullest = _mm_max_epi16(fullest, sum);
            if (pairs) {
                sum = _mm_sad_epu8(_mm_and_si128(_mm_srli_epi16(a, 1), halves), zero);
                sum = _mm_add_epi16(
                    sum, _mm_sad_epu8(_mm_and_si128(_mm_srli_epi16(b, 1), halves), zero));
                sum = _mm_add_epi16(
                    sum, _mm_sad_epu8(_mm_and_si128(_mm_srli_epi16(rest, 1), halves), zero));
                made[k] = _mm_cvtsi128_si32(_mm_add_epi16(sum, _mm_unpackhi_epi64(sum, sum)));
            }
            /* Ranks 1-8 of two suits each, then digits in twos, fours, eights. */
            mp = _mm_unpacklo_epi64(a, _mm_loadl_epi64((const __m128i*)(row + 9)));
            sz = _mm_unpacklo_epi64(
                b, _mm_srli_epi64(_mm_loadl_epi64((const __m128i*)(row + 26)), 8));
            mp = _mm_add_epi16(_mm_and_si128(mp, low),
                               _mm_mullo_epi16(_mm_srli_epi16(mp, 8), five));
            sz = _mm_add_epi16(_mm_and_si128(sz, low),
                               _mm_mullo_epi16(_mm_srli_epi16(sz, 8), five));
            mp = _mm_packs_epi32(_mm_madd_epi16(mp, two_digits), _mm_madd_epi16(sz, two_digits));
            _mm_storeu_si128((__m128i*)index, _mm_madd_epi16(mp, four_digits));
            index[0] += 390625 * row[8];
            index[1] += 390625 * row[17];
            index[2] += 390625 * row[26];
        }
        most = _mm_subs_epu8(most, _mm_set1_epi8(4));
        return (uint64_t)(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_or_si128(most, found), zero)) != 0xFFFF)
            | (uint64_t)((int16_t)_mm_cvtsi128_si32(fewest) < tiles)
            | (uint64_t)((int16_t)_mm_cvtsi128_si32(fullest) > tiles + 1);
    }
    #else
    #define MJ_SSE2 0
    #define mj_take_batch(row, n, lacking, tiles, pairs, index, made) 1
    #endif
    """
    bint SSE2 "MJ_SSE2"
    uint64_t take_batch_sse2 "mj_take_batch" (
        const uint8_t* row,
        int n,
        uint64_t lacking,
        int tiles,
        bint pairs,
        int32_t* index,
        int* made,
    )


cdef inline uint64_t take_batch(
    const uint8_t* rows, int n, uint64_t lacking, int tiles, bint pairs, int32_t* index, int* made
) noexcept nogil:
    """Indices of a batch of rows; 0 if all of them hold `tiles` tiles or one more."""
    cdef uint64_t faults = 0
    cdef int i
    if SSE2:
        return take_batch_sse2(rows, n, lacking, tiles, pairs, index, made)
    for i in range(n):
        row_indices(rows, index)
        faults |= row_faults(rows, lacking)
        faults |= <uint64_t>(<unsigned int>(row_tiles(rows) - tiles) > 1)
        if pairs:
            made[i] = row_pairs(rows)
        rows += 34
        index += 4
    return faults


cdef inline void look_up(
    const Tables* t,
    const int32_t* index,
    const int* made,
    int n,
    int melds,
    bint pairs,
    int8_t* out,
) noexcept nogil:
    """Shanten of the standard shape, and seven pairs, from indices."""
    cdef const Level* level = t.level[4 - melds]
    cdef const uint8_t* cut = t.cut[4 - melds]
    cdef const uint8_t* suit = t.cls[0]
    cdef const uint8_t* honour = t.cls[3]
    cdef uint8_t m, p, s, z
    cdef int i, missing
    for i in range(n):
        m = suit[index[0]]
        p = suit[index[1]]
        s = suit[index[2]]
        z = honour[index[3]]
        index += 4
        if melds:
            m = cut[m]
            p = cut[p]
            s = cut[s]
            z = cut[z]
        missing = level.arg[level.mul[m][p]][level.mul[s][z]] >> 9
        if pairs:
            missing = lesser(missing, 7 - made[i])
        out[i] = <int8_t>(missing - 1)


cdef Py_ssize_t shanten_of_rows(
    const Tables* t, const uint8_t* rows, Py_ssize_t n, int melds, int shapes, int8_t* out
) noexcept nogil:
    """Fill `out`; returns the first row that is no hand, or -1."""
    cdef Py_ssize_t i = 0, j
    cdef int32_t index[4 * BATCH]
    cdef int made[BATCH]
    cdef Hand h
    cdef uint64_t faults, lacking = lacking_honours(t)
    cdef int m, tiles = 13 - 3 * melds
    cdef bint pairs = shapes & SHAPE_PAIRS_QUADS and melds == 0
    if shapes & SHAPE_STANDARD and not shapes & ~(SHAPE_STANDARD | SHAPE_PAIRS_QUADS):
        while i < n:
            m = BATCH if n - i > BATCH else <int>(n - i)
            if pairs:
                faults = take_batch(rows + 34 * i, m, lacking, tiles, True, index, made)
            else:
                faults = take_batch(rows + 34 * i, m, lacking, tiles, False, index, made)
            if faults:
                break
            if melds:
                look_up(t, index, made, m, melds, False, out + i)
            elif pairs:
                look_up(t, index, made, m, 0, True, out + i)
            else:
                look_up(t, index, made, m, 0, False, out + i)
            i += m
    # Other shapes, and a batch with a fault, row by row.
    for j in range(i, n):
        if not hand_of_row(&h, t, rows + 34 * j, melds, tiles) and not hand_of_row(
            &h, t, rows + 34 * j, melds, tiles + 1
        ):
            return j
        out[j] = <int8_t>shanten(t, &h, shapes)
    return -1


def shanten_rows(
    const uint8_t[:, ::1] rows not None,
    int melds,
    int tile_set,
    int shapes,
    int8_t[::1] out not None,
):
    """Shanten of each row of counts, of 13 or 14 tiles less three a meld.

    Returns the first row that is no such hand, or -1; rows before it are filled.
    """
    cdef Py_ssize_t bad = -1
    if rows.shape[0]:
        with nogil:
            bad = shanten_of_rows(
                tables(tile_set), &rows[0, 0], rows.shape[0], melds, shapes, &out[0]
            )
    return bad


def discard_table(
    const uint8_t[:, ::1] rows not None,
    int melds,
    int tile_set,
    int shapes,
    int8_t[:, ::1] shanten_out not None,
    uint64_t[:, ::1] accepts_out not None,
    uint8_t[:, ::1] live_out not None,
):
    """Shanten, mask of accepted kinds, live copies of them after each discard of each row.

    Rows hold 14 tiles less three a meld, columns are the discarded kinds; a kind that the row does
    not hold gets shanten 127. Returns the first row that is no such hand, or -1.
    """
    cdef Py_ssize_t i, n = rows.shape[0], bad = -1
    cdef const Tables* t = tables(tile_set)
    cdef int size = 14 - 3 * melds, j, k, found
    cdef Hand h
    cdef Choice choices[34]
    with nogil:
        for i in range(n):
            if not hand_of_row(&h, t, &rows[i, 0], melds, size):
                bad = i
                break
            memset(&shanten_out[i, 0], 127, 34)
            memset(&accepts_out[i, 0], 0, 34 * sizeof(uint64_t))
            memset(&live_out[i, 0], 0, 34)
            found = discard_rows(t, &h, shapes, choices)
            for j in range(found):
                k = choices[j].kind
                shanten_out[i, k] = choices[j].shanten
                accepts_out[i, k] = choices[j].accepts
                live_out[i, k] = <uint8_t>choices[j].live
    return bad


def draw_table(
    const uint8_t[:, ::1] rows not None,
    int melds,
    int tile_set,
    int shapes,
    int8_t[::1] shanten_out not None,
    uint64_t[::1] accepts_out not None,
    uint8_t[::1] live_out not None,
):
    """Shanten, mask of accepted kinds, live copies of them of rows of 13 tiles less three a meld.

    Returns the first row that is no such hand, or -1.
    """
    cdef Py_ssize_t i, n = rows.shape[0], bad = -1
    cdef const Tables* t = tables(tile_set)
    cdef int size = 13 - 3 * melds, k, live
    cdef uint64_t left
    cdef Hand h
    with nogil:
        for i in range(n):
            if not hand_of_row(&h, t, &rows[i, 0], melds, size):
                bad = i
                break
            shanten_out[i] = <int8_t>shanten(t, &h, shapes)
            accepts_out[i] = accepts(t, &h, shapes, shanten_out[i])
            live = 0
            left = accepts_out[i]
            while left:
                k = lowest_bit(left)
                left &= left - 1
                live += 4 - h.count[k]
            live_out[i] = <uint8_t>live
    return bad


# For Python: counts in, plain values out.

cdef class HandView:
    """One hand under the shapes of one ruleset; the arguments are trusted."""

    cdef Hand hand
    cdef const Tables* tables
    cdef int shapes

    def __init__(
        self,
        const uint8_t[::1] counts not None,
        const uint8_t[::1] locked not None,
        int melds,
        int tile_set,
        int shapes,
        int wilds=0,
        int white=NO_KIND,
    ):
        """Take copies by kind, concealed and melded; `white` is the kind as which whites count."""
        cdef int k, _
        memset(&self.hand, 0, sizeof(Hand))
        self.tables = tables(tile_set)
        self.shapes = shapes
        self.hand.melds = <uint8_t>melds
        self.hand.wilds = <uint8_t>wilds
        self.hand.white = <uint8_t>(0 if white == NO_KIND else white + 1)
        for k in range(34):
            for _ in range(counts[k]):
                hand_add(&self.hand, k)
            for _ in range(locked[k]):
                hand_lock(&self.hand, k)

    def shanten(self):
        """Least shanten."""
        return shanten(self.tables, &self.hand, self.shapes)

    def complete(self):
        """Whether a hand in turn is complete."""
        return complete(self.tables, &self.hand, self.shapes)

    def accepts(self):
        """Mask of the kinds that lower the shanten of a hand between turns."""
        return accepts(self.tables, &self.hand, self.shapes, self.shanten())

    def waits(self):
        """Mask of the live waits."""
        return waits(self.tables, &self.hand, self.shapes)

    def formal_waits(self):
        """Mask of the waits by shape."""
        return formal_waits(self.tables, &self.hand, self.shapes)

    def wait_roles(self, int kind):
        """Roles in which a kind completes the hand, a set of ROLE_* bits."""
        return wait_roles(self.tables, &self.hand, self.shapes, kind)

    def wait_class(self, uint64_t live_waits):
        """Class of the ready hand, WAIT_*."""
        return wait_class(self.tables, &self.hand, self.shapes, live_waits)

    def best_discard(self, uint64_t allowed, const uint8_t[::1] unseen not None):
        """Kind, shanten, accepted kinds, live copies of the greedy discard."""
        cdef Choice c
        best_discard(self.tables, &self.hand, self.shapes, allowed, &unseen[0], &c)
        return c.kind, c.shanten, c.accepts, c.live

    def discards(self):
        """Kind, shanten, accepted kinds, live copies of every discard."""
        cdef Choice rows[34]
        cdef int i, n = discard_rows(self.tables, &self.hand, self.shapes, rows)
        return [(rows[i].kind, rows[i].shanten, rows[i].accepts, rows[i].live) for i in range(n)]

    def readings(self):
        """Shape, pair (255: none), types of the sets, kinds of the sets of every reading."""
        cdef Reading found[64]
        cdef int i, k, n = readings(self.tables, &self.hand, self.shapes, found, 64)
        return [
            (
                found[i].shape,
                found[i].pair,
                tuple([found[i].set_type[k] for k in range(found[i].n_sets)]),
                tuple([found[i].set_kind[k] for k in range(found[i].n_sets)]),
            )
            for i in range(n)
        ]


def bench_best_discard(int n, uint64_t seed, int shapes=SHAPE_STANDARD | SHAPE_PAIRS_QUADS):
    """Play n bare deals (no claims, no scoring) by `best_discard`: decisions, wins, turns.

    108 playing tiles and 36 others that are replaced from the tail, four seats that keep the lowest
    shanten and then the most live acceptance; a ready seat waits.
    """
    cdef const Tables* t = tables(0)
    cdef Hand seats[4]
    cdef uint64_t waiting[4]
    cdef uint8_t wall[144]
    cdef uint8_t unseen[34]
    cdef Choice choice
    cdef int i, j, k, q, head, tail, _
    cdef int64_t decisions = 0, wins = 0, turns = 0
    cdef uint64_t x
    with nogil:
        for _ in range(n):
            for i in range(144):
                wall[i] = <uint8_t>(i >> 2 if i < 108 else NO_KIND)
            for i in range(143):
                # SplitMix64: quick, and good enough to time by.
                seed += 0x9E3779B97F4A7C15ULL
                x = seed
                x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL
                x = (x ^ x >> 27) * 0x94D049BB133111EBULL
                j = i + <int>((x >> 32) * <uint64_t>(144 - i) >> 32)
                k = wall[i]
                wall[i] = wall[j]
                wall[j] = <uint8_t>k
            memset(seats, 0, sizeof(seats))
            memset(waiting, 0, sizeof(waiting))
            memset(unseen, 4, 27)
            memset(unseen + 27, 0, 7)
            head = 0
            tail = 144
            for i in range(52):
                k = take(wall, &head, &tail)
                if k >= 0:
                    hand_add(&seats[i & 3], k)
            q = 0
            while True:
                k = take(wall, &head, &tail)
                if k < 0:
                    break
                turns += 1
                if waiting[q] >> k & 1:
                    wins += 1
                    break
                hand_add(&seats[q], k)
                if waiting[q] == 0:
                    decisions += 1
                    best_discard(t, &seats[q], shapes, ~0ULL, unseen, &choice)
                    k = choice.kind
                    if choice.shanten == 0:
                        waiting[q] = choice.accepts
                hand_remove(&seats[q], k)
                unseen[k] -= 1
                if (waiting[(q + 1) & 3] | waiting[(q + 2) & 3] | waiting[(q + 3) & 3]) >> k & 1:
                    wins += 1
                    break
                q = q + 1 & 3
    return decisions, wins, turns


cdef inline int take(const uint8_t* wall, int* head, int* tail) noexcept nogil:
    """The next playing tile, -1 when the wall is out."""
    cdef int k = NO_KIND
    if head[0] < tail[0]:
        k = wall[head[0]]
        head[0] += 1
    while k == NO_KIND:
        if head[0] >= tail[0]:
            return -1
        tail[0] -= 1
        k = wall[tail[0]]
    return k
