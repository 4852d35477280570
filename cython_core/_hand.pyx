"""Hands: shanten, waits, acceptance, discards, readings."""

from libc.stdint cimport int8_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from cython_core._suits cimport (
    Level,
    Row,
    Tables,
    locked_row,
    suit_vector,
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
)

cdef enum:
    NEVER = 99      # missing tiles of a shape that the hand cannot take


cdef inline int popcount(uint64_t x) noexcept nogil:
    x -= x >> 1 & 0x5555555555555555ULL
    x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL)
    x = x + (x >> 4) & 0x0F0F0F0F0F0F0F0FULL
    return <int>(x * 0x0101010101010101ULL >> 56)


cdef inline int lesser(int a, int b) noexcept nogil:
    return a if a < b else b


# Seven pairs.

cdef int overlap_pairs(const Hand* h, bint quads) noexcept nogil:
    """Tiles of the hand that seven pairs can use, wild tiles not counted."""
    cdef int k, twos = 0, kinds = 0
    if quads:
        return 2 * h.pairs + lesser(7 - h.pairs, h.tiles - 2 * h.pairs)
    for k in range(34):
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
    for k in range(34):
        kinds += h.count[k] >= 1
    for k in range(t.kinds):
        if h.count[k] == 1 or (h.count[k] == 0 and kinds < 7):
            mask |= 1ULL << k
    return mask


# The unconnected hand: 14 of the tiles of three sparse suits and seven different honours.

# Most ranks of a held set (nine bits) that a set of exactly n ranks, at least three apart, can use; n = 0-3.
cdef uint8_t SPARSE[4][512]


cdef void fill_sparse() noexcept:
    cdef int held, choice, n, gap, r, last
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
                if popcount(held & choice) > SPARSE[n][held]:
                    SPARSE[n][held] = <uint8_t>popcount(held & choice)


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
                    x = SPARSE[a][suits[0]] + SPARSE[b][suits[1]] + SPARSE[c][suits[2]] + lesser(honours, 14 - n)
                    most = x if x > most else most
    return most


cdef void unconnected_masks(const Hand* h, int* masks) noexcept nogil:
    """Kinds held by suit; copies that stand for another kind as whites are whites again."""
    cdef int k
    memset(masks, 0, 4 * sizeof(int))
    for k in range(34):
        if h.count[k]:
            if k + 1 == h.white:
                masks[3] |= 1 << 6
            else:
                masks[SUIT[k]] |= 1 << (k - 9 * SUIT[k])


cdef int overlap_unconnected(const Tables* t, const Hand* h, bint groups) noexcept nogil:
    cdef int masks[4]
    if t.honours < 7:
        return 14 - NEVER
    unconnected_masks(h, masks)
    return overlap_masks(masks, popcount(masks[3]), groups)


cdef uint64_t accepts_unconnected(const Tables* t, const Hand* h, bint groups) noexcept nogil:
    cdef int masks[4]
    cdef int k, s, bit, now, then
    cdef uint64_t mask = 0
    unconnected_masks(h, masks)
    now = overlap_masks(masks, popcount(masks[3]), groups)
    for k in range(34):
        s = SUIT[k]
        bit = 1 << (k - 9 * s)
        if k + 1 == h.white:
            s = 3
            bit = 1 << 6
        elif h.white and k == 33:
            continue
        if masks[s] & bit == 0:
            masks[s] |= bit
            then = overlap_masks(masks, popcount(masks[3]), groups)
            masks[s] ^= bit
            if then > now:
                mask |= 1ULL << k
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
        if shapes & SHAPE_UNCONNECTED:
            least = lesser(least, 14 - overlap_unconnected(t, h, False) - h.wilds)
        if shapes & SHAPE_UNCONNECTED_GROUPS:
            least = lesser(least, 14 - overlap_unconnected(t, h, True) - h.wilds)
    return least if least > 0 else 0


cdef inline int fold(const Tables* t, uint64_t low, uint64_t high, unsigned int entries) noexcept nogil:
    """Union of the fields of a row that belong to the given vector entries."""
    low &= t.low[entries]
    high &= t.high[entries]
    low |= low >> 36
    low |= low >> 18
    high |= high >> 9
    return <int>((low | low >> 9 | high) & 0x1FF)


cdef inline int lowering(
    const Tables* t, const Hand* h, int suit, unsigned int entries
) noexcept nogil:
    """Draws of a suit that lower one of the given entries of its vector."""
    cdef const Row* row
    if h.melds and h.locked[suit] and t.capped:
        return fold(t, locked_row(t, 4 - h.melds, suit, h.index[suit], h.locked[suit]), 0, entries)
    row = &t.row[suit][h.index[suit]]
    return fold(t, row.low, row.high, entries)


cdef inline uint64_t own_four(const Hand* h) noexcept nogil:
    """Kinds of which all four copies are own."""
    cdef int k, s
    cdef uint64_t mask = 0
    for k in range(34):
        s = SUIT[k]
        if h.count[k] + h.locked[s] // POWER[k] % 5 >= 4:
            mask |= 1ULL << k
    return mask


cdef uint64_t accepts_standard(const Tables* t, const Hand* h, int missing) noexcept nogil:
    """Kinds that lower the distance of the standard shape where it is `missing`."""
    cdef const Level* level = t.level[4 - h.melds]
    cdef uint8_t c0 = suit_class(t, h, 0), c1 = suit_class(t, h, 1)
    cdef uint8_t c2 = suit_class(t, h, 2), c3 = suit_class(t, h, 3)
    cdef uint8_t ab = level.mul[c0][c1], cd = level.mul[c2][c3]
    if level.arg[ab][cd] >> 9 != missing:
        return 0
    return (
        <uint64_t>lowering(t, h, 0, level.arg[c0][level.mul[c1][cd]] & 511)
        | <uint64_t>lowering(t, h, 1, level.arg[c1][level.mul[c0][cd]] & 511) << 9
        | <uint64_t>lowering(t, h, 2, level.arg[c2][level.mul[ab][c3]] & 511) << 18
        | <uint64_t>lowering(t, h, 3, level.arg[c3][level.mul[ab][c2]] & 511) << 27
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
        if shapes & SHAPE_UNCONNECTED and 14 - overlap_unconnected(t, h, False) == miss:
            mask |= accepts_unconnected(t, h, False)
        if shapes & SHAPE_UNCONNECTED_GROUPS and 14 - overlap_unconnected(t, h, True) == miss:
            mask |= accepts_unconnected(t, h, True)
    return mask


cdef bint fifth_completes(const Tables* t, const Hand* h, int kind) noexcept nogil:
    """Whether one more copy of a kind completes the standard shape, all four being own."""
    cdef uint8_t held[9]
    cdef uint8_t cap[9]
    cdef uint8_t v[10]
    cdef const uint8_t* rest
    cdef const Level* level = t.level[4 - h.melds]
    cdef int i, m, s = SUIT[kind], sets = 4 - h.melds, first = 9 * s
    cdef int kinds = 9 if s < 3 else t.honours
    memset(cap, 14, sizeof(cap))
    memcpy(held, &h.count[first], kinds)
    held[kind - first] += 1
    suit_vector(held, cap, kinds, s < 3, v)
    i = s ^ 1
    m = level.mul[suit_class(t, h, i)][level.mul[suit_class(t, h, s ^ 2)][suit_class(t, h, s ^ 3)]]
    rest = level.vector[m]
    for m in range(sets + 1):
        for i in range(2):
            if v[2 * m + i] + rest[2 * (sets - m) + 1 - i] <= h.wilds:
                return True
    return False


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
    return mask


cdef int weigh(const Hand* h, const uint8_t* unseen, uint64_t mask) noexcept nogil:
    cdef int k, live = 0
    for k in range(34):
        if mask >> k & 1:
            live += unseen[k] - h.count[k]
    return live


cdef void best_discard(
    const Tables* t, const Hand* h14, int shapes, uint64_t allowed, const uint8_t* unseen, Choice* out
) noexcept nogil:
    cdef Hand h = h14[0]
    cdef int k, s, live
    cdef uint64_t mask
    out.kind = NO_KIND
    out.shanten = NEVER
    out.accepts = 0
    out.live = -1
    for k in range(t.kinds):
        if h.count[k] and allowed >> k & 1:
            hand_remove(&h, k)
            s = shanten(t, &h, shapes)
            if s <= out.shanten:
                mask = accepts(t, &h, shapes, s)
                live = weigh(h14, unseen, mask)
                if s < out.shanten or live > out.live:
                    out.kind = <uint8_t>k
                    out.shanten = <int8_t>s
                    out.accepts = mask
                    out.live = live
            hand_add(&h, k)


cdef int discard_rows(const Tables* t, const Hand* h14, int shapes, Choice* out34) noexcept nogil:
    cdef Hand h = h14[0]
    cdef uint8_t unseen[34]
    cdef int k, n = 0
    for k in range(34):
        unseen[k] = <uint8_t>(4 - h.locked[SUIT[k]] // POWER[k] % 5)
    for k in range(t.kinds):
        if h.count[k]:
            hand_remove(&h, k)
            out34[n].kind = <uint8_t>k
            out34[n].shanten = <int8_t>shanten(t, &h, shapes)
            out34[n].accepts = accepts(t, &h, shapes, out34[n].shanten)
            out34[n].live = weigh(h14, unseen, out34[n].accepts)
            hand_add(&h, k)
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
    cdef int triplet, runs
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


cdef int readings(const Tables* t, const Hand* complete14, int shapes, Reading* out, int most) noexcept nogil:
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


cdef bint splits(const Tables* t, const Hand* h, int sets, bint pair) noexcept nogil:
    """Whether the hand contains so many sets, and a pair."""
    cdef const Level* level = t.level[4]
    cdef uint8_t c = level.mul[level.mul[t.cls[0][h.index[0]]][t.cls[1][h.index[1]]]][
        level.mul[t.cls[2][h.index[2]]][t.cls[3][h.index[3]]]
    ]
    return level.vector[c][2 * sets + pair] == 0


cdef bint splits_without(const Tables* t, Hand* h, int a, int b, int sets, bint pair) noexcept nogil:
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


cdef inline int lowest(uint64_t mask) noexcept nogil:
    return popcount((mask & (~mask + 1)) - 1)


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


cdef int wait_class(const Tables* t, const Hand* h13, int shapes, uint64_t live_waits) noexcept nogil:
    cdef uint64_t second = live_waits & (live_waits - 1)
    cdef int roles, c
    if live_waits == 0 or second & (second - 1):
        return WAIT_COMPLEX
    roles = wait_roles(t, h13, shapes, lowest(live_waits))
    c = class_of_roles(roles)
    if second == 0:
        return c if c <= WAIT_PAIR else WAIT_COMPLEX
    if c != WAIT_TWO_SIDED and c != WAIT_TWO_PAIR:
        return WAIT_COMPLEX
    return c if wait_roles(t, h13, shapes, lowest(second)) == roles else WAIT_COMPLEX


# For Python: counts in, arrays out.

cdef int hand_of(Hand* h, const uint8_t* counts, const uint8_t* locked, int melds, int wilds, int white) noexcept nogil:
    """A hand from copies by kind; -1, or the first kind with more than four copies."""
    cdef int k
    memset(h, 0, sizeof(Hand))
    h.melds = <uint8_t>melds
    h.wilds = <uint8_t>wilds
    h.white = <uint8_t>white
    for k in range(34):
        if counts[k] + locked[k] > 4:
            return k
        for _ in range(counts[k]):
            hand_add(h, k)
        for _ in range(locked[k]):
            hand_lock(h, k)
    return -1


def hand_values(
    const uint8_t[::1] counts not None,
    const uint8_t[::1] locked not None,
    int melds,
    int wilds,
    int white,
    int tile_set,
    int shapes,
):
    """Shanten, live waits (accepted kinds where it is not ready) and formal waits of a hand."""
    cdef Hand h
    cdef const Tables* t = tables(tile_set)
    cdef int s
    hand_of(&h, &counts[0], &locked[0], melds, wilds, white)
    s = shanten(t, &h, shapes)
    if h.tiles + wilds == 14 - 3 * melds:
        return s, 0, 0
    return s, accepts(t, &h, shapes, s), formal_waits(t, &h, shapes)
