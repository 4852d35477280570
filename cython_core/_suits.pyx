"""Distance classes of one suit and their products."""

from cpython.pythread cimport (
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_release_lock,
    PyThread_type_lock,
    WAIT_LOCK,
)
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport abort, free, malloc
from libc.string cimport memcpy, memset

from cython_core._bits cimport lesser, lowest_bit

cdef enum:
    NONE = 60           # no target seen yet
    FAR = 15            # the same in a vector

cdef PyThread_type_lock LOCK = PyThread_allocate_lock()

# Static, so that building cannot fail half-way; pages that are never touched cost nothing.
cdef struct World:
    Level level[5]
    uint8_t cut_locked[4][4 << 8]
    uint8_t suit_class[SUIT_STATES]
    Row suit_row[SUIT_STATES]
    uint8_t honour_class[3][78125]
    Row honour_row[3][78125]
    Tables tables[3]
    uint64_t ready

cdef World WORLDS[2]    # uncapped, capped

# Locked suits that have been met. Entries are only ever added, under LOCK, and published by their
# first word, so that reading needs no lock.
cdef enum:
    MOST_LOCKED = 3 << LOCKED_BITS - 2

cdef Locked LOCKED_SUITS[1 << LOCKED_BITS]
cdef uint64_t locked_suits = 0


cdef inline uint64_t pack(const uint8_t* v) noexcept nogil:
    cdef uint64_t key = 0
    cdef int i
    for i in range(10):
        key |= <uint64_t>v[i] << (4 * i)
    return key


cdef inline int find(const Level* level, uint64_t key) noexcept nogil:
    """Class of a vector, or -1."""
    cdef unsigned int at = <unsigned int>((key * 0x9E3779B97F4A7C15ULL) >> 54)
    while level.used[at]:
        if level.key[level.slot[at]] == key:
            return level.slot[at]
        at = (at + 1) & 1023
    return -1


cdef inline int find_known(const Level* level, uint64_t key) noexcept nogil:
    """The same without the lock; -1 also for a class whose products are not all there."""
    cdef int c = find(level, key)
    return c if <uint64_t>c < read_shared(&level.known) else -1


cdef int append(Level* level, const uint8_t* v) noexcept nogil:
    cdef uint64_t key = pack(v)
    cdef int n = level.n
    cdef unsigned int at = <unsigned int>((key * 0x9E3779B97F4A7C15ULL) >> 54)
    if n == 256:
        # Cannot happen: over all tile sets and all lawful melds a level has at most 238 classes.
        abort()
    while level.used[at]:
        at = (at + 1) & 1023
    level.used[at] = 1
    level.slot[at] = <uint8_t>n
    level.key[n] = key
    memcpy(level.vector[n], v, 10)
    level.n = n + 1
    return n


cdef void merge(const uint8_t* a, const uint8_t* b, int sets, uint8_t* out) noexcept nogil:
    """Min-plus product of two vectors: the tiles are shared out in the cheapest way."""
    cdef int m, k, x, y
    memset(out, 0, 10)
    for m in range(sets + 1):
        x = FAR
        y = FAR
        for k in range(m + 1):
            x = lesser(x, a[2 * k] + b[2 * (m - k)])
            y = lesser(y, a[2 * k] + b[2 * (m - k) + 1])
            y = lesser(y, a[2 * k + 1] + b[2 * (m - k)])
        out[2 * m] = <uint8_t>x
        out[2 * m + 1] = <uint8_t>y


cdef uint16_t argument(const uint8_t* suit, const uint8_t* rest, int sets) noexcept nogil:
    """Tiles missing to hold all sets and a pair, and the entries of `suit` that reach it."""
    cdef int k, p, d, least = FAR
    cdef unsigned int which = 0
    for k in range(sets + 1):
        for p in range(2):
            d = suit[2 * k + p] + rest[2 * (sets - k) + 1 - p]
            if d < least:
                least = d
                which = 0
            if d == least and k + p:
                which |= 1u << (2 * k + p - 1)
    return <uint16_t>(least << 9 | which)


cdef void close(Level* level, int first, int sets) noexcept nogil:
    """Products of the classes from `first` on with all others, and of what arises from them."""
    cdef int i = first, j, c
    cdef uint8_t v[10]
    while i < level.n:
        for j in range(i + 1):
            merge(level.vector[i], level.vector[j], sets, v)
            c = find(level, pack(v))
            if c < 0:
                c = append(level, v)
            level.mul[i][j] = <uint8_t>c
            level.mul[j][i] = <uint8_t>c
            level.arg[i][j] = argument(level.vector[j], level.vector[i], sets)
            level.arg[j][i] = argument(level.vector[i], level.vector[j], sets)
        i += 1


cdef int intern(World* world, const uint8_t* v, int sets) noexcept nogil:
    """Class of a vector, added with its products where it is new; the lock must be held."""
    cdef Level* level = &world.level[sets]
    cdef int first = level.n
    cdef int c = find(level, pack(v))
    if c < 0:
        c = append(level, v)
        close(level, first, sets)
        if sets < 4:
            for first in range(first, level.n):
                cut_down(world, sets, first)
        write_shared(&level.known, <uint64_t>level.n)
    return c


cdef void cut_down(World* world, int from_, int c) noexcept nogil:
    """Note what a class is at its own level and at each below."""
    cdef uint8_t v[10]
    cdef int sets
    for sets in range(from_ + 1):
        memset(v, 0, 10)
        memcpy(v, world.level[from_].vector[c], 2 * (sets + 1))
        world.cut_locked[sets][from_ << 8 | c] = <uint8_t>intern(world, v, sets)


cdef void seed(
    uint64_t* targets, int kinds, bint runs, bint capped, int start, int sets, uint8_t* held
) noexcept nogil:
    """Mark every state that is exactly `sets` sets, with and without a pair, and recurse.

    A copy above the fourth cannot be held: it is one missing tile more (uncapped only).
    """
    cdef int i, k, power, index = 0, extra = 0, most = 4 if capped else 14
    cdef uint8_t* entry
    power = 1
    for i in range(kinds):
        index += power * lesser(held[i], 4)
        extra += held[i] - lesser(held[i], 4)
        power *= 5
    if sets:
        entry = <uint8_t*>&targets[index] + 2 * (sets - 1)
        entry[0] = <uint8_t>lesser(entry[0], extra)
        power = 1
        for i in range(kinds):
            if held[i] + 2 <= most:
                k = lesser(held[i] + 2, 4) - lesser(held[i], 4)
                entry = <uint8_t*>&targets[index + k * power] + 2 * (sets - 1) + 1
                entry[0] = <uint8_t>lesser(entry[0], extra + 2 - k)
            power *= 5
    if sets == 4:
        return
    for k in range(start, kinds + 7 if runs else kinds):
        if k < kinds:
            if held[k] + 3 <= most:
                held[k] += 3
                seed(targets, kinds, runs, capped, k, sets + 1, held)
                held[k] -= 3
        else:
            i = k - kinds
            if held[i] < most and held[i + 1] < most and held[i + 2] < most:
                held[i] += 1
                held[i + 1] += 1
                held[i + 2] += 1
                seed(targets, kinds, runs, capped, k, sets + 1, held)
                held[i] -= 1
                held[i + 1] -= 1
                held[i + 2] -= 1


cdef void relax(uint8_t* to, const uint8_t* of, int n, uint8_t more) noexcept nogil:
    """Take a neighbour's distances where they are lower."""
    cdef int j
    cdef uint8_t x
    for j in range(n):
        x = of[j] + more
        to[j] = x if x < to[j] else to[j]


cdef void build(
    World* world, int kinds, bint runs, bint capped, uint8_t* cls, Row* rows
) noexcept nogil:
    """Class and row of every state of a suit (at most 14 tiles) of `kinds` kinds."""
    cdef int states = 1, stride, base, digit, i, s, total, top, c, _
    cdef uint8_t held[16]
    cdef uint8_t v[10]
    cdef uint64_t* targets
    cdef uint64_t here, lower, low, high, key
    cdef uint8_t* bytes_
    cdef uint8_t* at
    for _ in range(kinds):
        states *= 5
    targets = <uint64_t*>malloc(states * sizeof(uint64_t))
    if targets == NULL:
        abort()
    memset(targets, NONE, states * sizeof(uint64_t))
    memset(held, 0, sizeof(held))
    seed(targets, kinds, runs, capped, 0, 0, held)
    # The distance is a sum over ranks, so the sweeps go rank by rank: a missing copy costs one, a
    # spare copy nothing.
    stride = 1
    bytes_ = <uint8_t*>targets
    for _ in range(kinds):
        base = 0
        while base < states:
            for digit in range(3, -1, -1):
                at = bytes_ + 8 * (base + digit * stride)
                relax(at, at + 8 * stride, 8 * stride, 1)
            for digit in range(1, 5):
                at = bytes_ + 8 * (base + digit * stride)
                relax(at, at - 8 * stride, 8 * stride, 0)
            base += 5 * stride
        stride *= 5
    memset(held, 0, sizeof(held))
    total = 0
    for s in range(states):
        if total <= 14:
            here = load8(bytes_ + 8 * s)
            low = 0
            high = 0
            top = 0
            stride = 1
            for i in range(kinds):
                if held[i] < 4:
                    # A draw lowers each entry by one or not at all: a byte of 0 or 1 each.
                    lower = here - load8(bytes_ + 8 * (s + stride))
                    lower = (lower & 0x0101010101010101ULL) * 0x0102040810204080ULL >> 56
                    low |= LOW_OF[lower] << i
                    high |= HIGH_OF[lower] << i
                if held[i]:
                    high |= 1ULL << (ROW_HELD + i)
                if held[i] & 1:
                    high |= 1ULL << (ROW_ODD + i)
                if held[i] > top:
                    top = held[i]
                stride *= 5
            # d[0][1]: the pair alone.
            for i in range(kinds):
                if top == 0 or (top == 1 and held[i] == 1):
                    low |= 1ULL << i
            v[0] = 0
            v[1] = <uint8_t>(2 - lesser(top, 2)) if kinds else FAR
            for i in range(8):
                v[2 + i] = <uint8_t>lesser(FAR, <int>(here >> (8 * i) & 255))
            key = pack(v)
            c = find(&world.level[4], key)
            if c < 0:
                c = append(&world.level[4], v)
            cls[s] = <uint8_t>c
            rows[s].low = low
            rows[s].high = high
        # The digits of the next state.
        for i in range(kinds):
            if held[i] < 4:
                held[i] += 1
                total += 1
                break
            held[i] = 0
            total -= 4
    free(targets)


# Where the flags of the eight entries d[1][0] ... d[4][1] go in Row.low and Row.high.
cdef uint64_t LOW_OF[256]
cdef uint64_t HIGH_OF[256]


cdef void build_world(World* world, bint capped) noexcept nogil:
    """Everything but the locked classes, for all tile sets at once (honours are small)."""
    cdef int i, j, sets, set_, kinds, c
    cdef uint8_t v[10]
    cdef Tables* t
    for i in range(256):
        LOW_OF[i] = 0
        HIGH_OF[i] = 0
        for j in range(8):
            if i >> j & 1:
                if j < 6:
                    LOW_OF[i] |= 1ULL << (9 * (j + 1))
                else:
                    HIGH_OF[i] |= 1ULL << (9 * (j - 6))
    for sets in range(5):
        memset(&world.level[sets], 0, sizeof(Level))
    build(world, 9, True, capped, world.suit_class, world.suit_row)
    for set_ in range(3):
        kinds = 0 if set_ == 0 else (4 if set_ == 1 else 7)
        build(world, kinds, False, capped, world.honour_class[set_], world.honour_row[set_])
    close(&world.level[4], 0, 4)
    for set_ in range(3):
        t = &world.tables[set_]
        t.tile_set = set_
        t.honours = 0 if set_ == 0 else (4 if set_ == 1 else 7)
        t.kinds = 27 + t.honours
        t.capped = capped
        for i in range(3):
            t.cls[i] = world.suit_class
            t.row[i] = world.suit_row
        t.cls[3] = world.honour_class[set_]
        t.row[3] = world.honour_row[set_]
        for sets in range(5):
            t.level[sets] = &world.level[sets]
        for sets in range(4):
            t.cut_locked[sets] = world.cut_locked[sets]
        t.locked = LOCKED_SUITS
        for i in range(512):
            t.low[i] = 0
            t.high[i] = 0
            for j in range(9):
                if i >> j & 1:
                    if j < 7:
                        t.low[i] |= 0x1FFULL << (9 * j)
                    else:
                        t.high[i] |= 0x1FFULL << (9 * (j - 7))
    for sets in range(5):
        for c in range(world.level[4].n):
            memset(v, 0, 10)
            memcpy(v, world.level[4].vector[c], 2 * (sets + 1))
            i = intern(world, v, sets)
            for set_ in range(3):
                world.tables[set_].cut[sets][c] = <uint8_t>i


cdef const Tables* tables(int tile_set) noexcept nogil:
    return get(tile_set, True)


cdef const Tables* wild_tables(int tile_set) noexcept nogil:
    return get(tile_set, False)


cdef const Tables* get(int tile_set, bint capped) noexcept nogil:
    cdef World* world = &WORLDS[capped]
    if not read_shared(&world.ready):
        PyThread_acquire_lock(LOCK, WAIT_LOCK)
        if not read_shared(&world.ready):
            build_world(world, capped)
            write_shared(&world.ready, 1)
        PyThread_release_lock(LOCK)
    return &world.tables[tile_set]


# Suits of which copies lie in melds: by dynamic programming, rank by rank.

cdef extern from * nogil:
    """
    /* Costs at which so many sets can be had, as bits: twelve for each number of sets, bit c for
       cost c; [0] without the pair, [1] with it. So a union is an OR, one more set and one more
       missing tile are shifts. Three sets and a pair cost at most eleven. */
    typedef uint64_t mj_costs __attribute__((vector_size(16)));

    /* Costs after one more rank, by the runs begun at the last rank and the one before it; up to
       `runs` runs may begin. */
    static inline void mj_step(
        const mj_costs before[3][3], mj_costs after[3][3], int held, int cap, int runs)
    {
        const uint64_t all_but_nought = 0xFFEFFEFFEFFEFFEULL;
        const mj_costs within = {all_but_nought, all_but_nought};
        int one, begun, use;
        for (one = 0; one < 3; one++) {
            mj_costs a = before[one][0], b = before[one][1], c = before[one][2];
            /* By copies used beside the runs of `one`: older runs, a triplet, the pair. */
            mj_costs used[5] = {
                a, b, c | (mj_costs){0, a[0]},
                a << 12 | (mj_costs){0, b[0]}, b << 12 | (mj_costs){0, c[0]}};
            for (begun = 0; begun < 3; begun++) {
                mj_costs sum = {0, 0};
                if (begun <= runs)
                    for (use = 4; use >= 0; use--) {
                        if (use <= cap && use >= one + begun)
                            sum |= used[use - one - begun];
                        if (use > held)
                            sum = sum << 1 & within;
                    }
                after[begun][one] = sum << 12 * begun;
            }
        }
    }
    """
    ctypedef struct Costs "mj_costs":
        pass
    void step "mj_step" (
        const Costs[3]* before, Costs[3]* after, int held, int cap, int runs
    )

# A suit with the costs before each of its ranks and after the last.
cdef struct Sweep:
    int kinds
    uint8_t held[9]
    uint8_t cap[9]
    Costs costs[10][3][3]


cdef void start(
    Sweep* sweep, const Tables* t, int suit, int32_t index, int32_t locked
) noexcept nogil:
    cdef int i
    sweep.kinds = 9 if suit < 3 else t.honours
    for i in range(sweep.kinds):
        sweep.held[i] = <uint8_t>(index % 5)
        sweep.cap[i] = <uint8_t>(4 - locked % 5)
        index //= 5
        locked //= 5
    memset(sweep.costs[0], 0, sizeof(sweep.costs[0]))
    (<uint64_t*>&sweep.costs[0][0][0])[0] = 1


cdef void run(Sweep* sweep, int first, uint8_t* vector) noexcept nogil:
    """Distance vector of the suit, the costs before the rank `first` being known."""
    cdef int rank, m, p
    cdef const uint64_t* last = <const uint64_t*>&sweep.costs[sweep.kinds][0][0]
    cdef uint64_t costs
    for rank in range(first, sweep.kinds):
        # Only the suits proper have nine kinds, and runs.
        step(
            sweep.costs[rank], sweep.costs[rank + 1], sweep.held[rank], sweep.cap[rank],
            2 if sweep.kinds == 9 and rank < 7 else 0,
        )
    memset(vector, 0, 10)
    for m in range(4):
        for p in range(2):
            costs = last[p] >> 12 * m & 0xFFF
            vector[2 * m + p] = <uint8_t>(lowest_bit(costs) if costs else FAR)


cdef Locked* place_of(uint64_t key) noexcept nogil:
    """Entry of a key, or the free place for it."""
    cdef uint64_t at = key * 0x9E3779B97F4A7C15ULL >> (64 - LOCKED_BITS)
    while LOCKED_SUITS[at].word and LOCKED_SUITS[at].word >> 10 != key:
        at = at + 1 & (1 << LOCKED_BITS) - 1
    return &LOCKED_SUITS[at]


cdef int new_class(const Tables* t, int suit, int32_t index, int32_t locked) noexcept nogil:
    """Level and class as in Locked.word."""
    cdef Locked* place
    cdef uint64_t key
    cdef Sweep sweep
    cdef uint8_t v[10]
    cdef int i, c, sets = 3, copies = 0
    start(&sweep, t, suit, index, locked)
    run(&sweep, 0, v)
    if suit < 3:
        # The highest level that a hand with these copies in melds can be at: a meld takes at most
        # four copies from a suit (special kongs may take more from the honours).
        for i in range(sweep.kinds):
            copies += 4 - sweep.cap[i]
        sets = 4 - (copies + 3 >> 2)
        memset(v + 2 * (sets + 1), 0, 2 * (3 - sets))
    c = find_known(t.level[sets], pack(v))
    # A full table is no fault: what it lacks is worked out each time.
    if c < 0 or read_shared(&locked_suits) < MOST_LOCKED:
        key = locked_key(t, suit, index, locked)
        PyThread_acquire_lock(LOCK, WAIT_LOCK)
        c = intern(&WORLDS[1], v, sets)
        place = place_of(key)
        if place.word == 0 and locked_suits < MOST_LOCKED:
            write_shared(&locked_suits, locked_suits + 1)
            write_shared(&place.word, key << 10 | <uint64_t>(sets << 8 | c))
        PyThread_release_lock(LOCK)
    return sets << 8 | c


cdef uint64_t new_low(const Tables* t, int suit, int32_t index, int32_t locked) noexcept nogil:
    cdef const Locked* entry
    cdef Sweep sweep
    cdef uint8_t here[10]
    cdef uint8_t there[10]
    cdef uint64_t low = 1ULL << 63
    cdef int i, k
    start(&sweep, t, suit, index, locked)
    run(&sweep, 0, here)
    # From the last rank back: each run spoils only the costs that come after its rank.
    for i in range(sweep.kinds - 1, -1, -1):
        if sweep.held[i] < sweep.cap[i]:
            sweep.held[i] += 1
            run(&sweep, i, there)
            sweep.held[i] -= 1
            for k in range(1, 8):
                low |= <uint64_t>(there[k] < here[k]) << (9 * (k - 1) + i)
    entry = find_locked(t, locked_key(t, suit, index, locked))
    if entry != NULL:
        # Whoever else writes it now writes the same.
        write_shared(<uint64_t*>&entry.low, low)
    return low


def known_classes():
    """Classes that each level knows by now, for 0 to 4 sets; a byte must hold them."""
    cdef const Tables* t = tables(TILES_ALL)
    cdef int sets
    return [t.level[sets].n for sets in range(5)]
