"""Yancheng mahjong: what a ready hand may declare, what a win is worth, the raised-stake counter.

Clause ids (YC-nn) and ambiguities (YC-An) are those of docs/rules/yancheng.md.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

from cython_core._bits cimport popcount
from cython_core._hand cimport Hand, Reading, Tables, hand_remove, readings, waits
from cython_core._rules cimport (
    CLAIM_NOT_ALLOWED, DECLARATION_NOT_ALLOWED, LEGAL, NOT_COMPLETE, NOT_DEALER, NOT_DECLARED,
    NO_SUCH_WIN, SELF_DRAW_ONLY, Carried, Hooks, Outcome, Rules, Seat, Settlement, Table, Win,
)
from cython_core._score cimport opened, suits_present
from cython_core._types cimport (
    BY_BAO_VIEW, BY_DEALT, BY_DISCARD, BY_ROB_KONG, MELD_CHOW, MELD_PONG, N_SEATS, SHAPE_STANDARD,
    int64_t, uint64_t,
)

cdef enum:   # elements
    FLOWER_TILES, YAO_JIU, MEN_QING, DUAN_MEN, QING_YI_SE, PENG_PENG_HU, YI_TIAO_LONG, QI_DUI
    DENG_ZI, HEI_ZI, QI_SHOU_TING, YA_DANG, DUI_DAO, DA_DIAO_CHE
    # factors
    TING_SELF_DRAW, TING_DIAN_PAO, DA_FEI_JI, FEI_TING_SELF_DRAW, TIAN_HU, HAO_HUA_QI_DUI, JIA_JIA
    N_ELEMENTS
    PRODUCT = N_ELEMENTS        # of the factors, kept behind the elements
    N_VALUES

ELEMENTS = (
    "flower_tiles", "yao_jiu", "men_qing", "duan_men", "qing_yi_se", "peng_peng_hu", "yi_tiao_long",
    "qi_dui", "deng_zi", "hei_zi", "qi_shou_ting", "ya_dang", "dui_dao", "da_diao_che",
    "ting_self_draw", "ting_dian_pao", "da_fei_ji", "fei_ting_self_draw", "tian_hu",
    "hao_hua_qi_dui", "jia_jia",
)

cdef enum:   # options
    EXACT_WAITS, BELLY_OF_WIN_TILE, EDGE_BELLY, MULTI_WAIT_CAP, SEVEN_PAIRS_DA_DIAO
    LUXURY_DROPS_FLOWER_KONGS, WINDOW_ONLY, TIAN_HU_HEI_ZI, TIAN_HU_WAIT_BONUS
    FEI_DUEL, ROUND_UP_TENS, THREE_SUITS_MUST_FLY, DA_FEI_JI_SAME_DISCARD

OPTIONS = (
    "fei_pattern_requires_exact_waits", "dui_dao_belly", "edge_belly", "multi_wait_cap",
    "seven_pairs_da_diao", "luxury_drops_flower_kongs", "opening_ting_credit", "tian_hu_hei_zi",
    "tian_hu_wait_bonus", "fei_duel", "round_up_tens", "three_suits_must_fly",
    "da_fei_ji_same_discard",
)

cdef enum:   # modes
    NO_MODE, TING, FEI_TING

MODES = ("ting", "fei_ting")

BIDS = ()
COUNTERS = ("jia",)

cdef enum:   # places in the context
    TING_MODE, DISCARDER_STATE, DISCARDER_DECLARES_NOW, JIA, OPENING_TING, FLOWERS_AT_TING
    CLAIMS_TIAN_HU, PAYER_STATES    # PAYER_STATES takes four places, one a seat

# How a worked case words the context: place; words, or "bool", "count", "bonus"; how many places.
CONTEXT = {
    "ting_mode": (TING_MODE, ("none", "ting", "fei_ting")),
    "discarder_state": (DISCARDER_STATE, ("none", "ting", "fei_ting")),
    "discarder_declares_now": (DISCARDER_DECLARES_NOW, ("none", "ting", "fei_ting")),
    "jia": (JIA, "count"),
    "opening_ting": (OPENING_TING, "bool"),
    "flowers_at_ting": (FLOWERS_AT_TING, "bonus"),
    "tian_hu": (CLAIMS_TIAN_HU, "bool"),
    "payer_states": (PAYER_STATES, ("none", "ting", "fei_ting"), 4),
}

cdef int modes(const Table* table, int seat, const Hand* hand, uint64_t live) noexcept nogil:
    """Modes open to a ready hand (YC-36); live is not 0."""
    if table.rules.option[THREE_SUITS_MUST_FLY] and suits_present(hand) == 3:
        return 1 << FEI_TING
    return 1 << TING | 1 << FEI_TING


cdef void context(const Table* table, Win* win) noexcept nogil:
    cdef const Seat* seat = &table.seat[win.winner]
    cdef const Seat* discarder
    cdef int other
    win.context[TING_MODE] = seat.mode
    win.context[JIA] = table.carried.counter[0]
    win.context[FLOWERS_AT_TING] = seat.bonus_at_mode if seat.mode else seat.n_bonus
    win.context[OPENING_TING] = seat.opening_mode == 1 or (
        seat.opening_mode == 2
        and (win.winner == win.dealer or not table.rules.option[WINDOW_ONLY])
    )
    if win.by == BY_DISCARD:
        discarder = &table.seat[win.discarder]
        win.context[DISCARDER_STATE] = discarder.mode_at_discard
        if discarder.mode != discarder.mode_at_discard:
            win.context[DISCARDER_DECLARES_NOW] = discarder.mode
    for other in range(N_SEATS):
        win.context[PAYER_STATES + other] = table.seat[other].mode


cdef bint is_tian_hu(const Win* win) noexcept nogil:
    return win.by == BY_DEALT or win.context[CLAIMS_TIAN_HU]


cdef bint is_terminal(int kind) noexcept nogil:
    return kind < 27 and (kind % 9 == 0 or kind % 9 == 8)


cdef bint closes_on(int run, int tile, bint edges) noexcept nogil:
    """Whether the run from ``run`` on closes on the tile: middle, or (edges) 3 of 123, 7 of 789."""
    if tile == run + 1:
        return True
    return edges and ((run % 9 == 0 and tile == run + 2) or (run % 9 == 6 and tile == run))


cdef int closing_runs(const Reading* reading, int tile, bint edges) noexcept nogil:
    cdef int i, n = 0
    for i in range(reading.n_sets):
        n += reading.set_type[i] == MELD_CHOW and closes_on(reading.set_kind[i], tile, edges)
    return n


cdef void wait_bonus(
    const Rules* rules, const Reading* reading, int tile, uint64_t live, int64_t* value
) noexcept nogil:
    """Ya dang, da diao che, dui dao of one reading (YC-28..32, YC-A1..A6): the best of them."""
    cdef bint exact = rules.option[EXACT_WAITS]
    cdef bint edges = rules.option[EDGE_BELLY]
    cdef int n_waits = popcount(live)
    cdef bint standard = reading.shape == SHAPE_STANDARD
    cdef bint on_pair = reading.pair == tile if standard else True
    cdef int tiers = 4 if rules.option[MULTI_WAIT_CAP] == 80 else 3
    cdef int k = 0, bellies, i
    cdef bint triplet = False
    cdef int64_t closed = 0, double_pair = 0
    if (standard or rules.option[SEVEN_PAIRS_DA_DIAO]) and (n_waits == 1 or not exact):
        k = on_pair + (closing_runs(reading, tile, True) if standard else 0)
    if k:
        closed = <int64_t>rules.value[DA_DIAO_CHE if on_pair else YA_DANG] << (min(k, tiers) - 1)
    if standard:
        for i in range(reading.n_sets):
            triplet |= reading.set_type[i] == MELD_PONG and reading.set_kind[i] == tile
        if triplet and exact:
            triplet = live == (<uint64_t>1 << tile | <uint64_t>1 << reading.pair)
    if triplet:
        bellies = closing_runs(reading, tile, edges) > 0
        if not rules.option[BELLY_OF_WIN_TILE]:
            bellies += closing_runs(reading, reading.pair, edges) > 0
        double_pair = <int64_t>rules.value[DUI_DAO] << bellies
    if triplet and double_pair >= closed:
        value[DUI_DAO] = double_pair
    elif k:
        value[DA_DIAO_CHE if on_pair else YA_DANG] = closed


cdef void reading_value(
    const Rules* rules, const Win* win, const Reading* reading, int64_t* value
) noexcept nogil:
    """What depends on the reading but not on the wait: terminals, triplets, straight, pairs."""
    cdef int i, kind, terminals = 0, runs
    cdef int triplets = win.hand.melds
    for i in range(win.hand.melds):
        if is_terminal(win.meld[i].kind):
            terminals += 4
    if reading.shape == SHAPE_STANDARD:
        terminals += 2 * is_terminal(reading.pair)
        runs = 0
        for i in range(reading.n_sets):
            kind = reading.set_kind[i]
            if reading.set_type[i] == MELD_PONG:
                triplets += 1
                terminals += 3 * is_terminal(kind)
            elif kind % 3 == 0:
                # Bits of the runs 123 456 789, three a suit.
                runs |= 1 << (kind // 3)
        if triplets == 4:
            value[PENG_PENG_HU] = rules.value[PENG_PENG_HU]
        for i in range(3):
            if runs >> (3 * i) & 7 == 7:
                value[YI_TIAO_LONG] = rules.value[YI_TIAO_LONG]
    else:
        for i in range(3):
            terminals += win.hand.count[9 * i] + win.hand.count[9 * i + 8]
        value[QI_DUI] = rules.value[QI_DUI]
    value[YAO_JIU] = <int64_t>rules.value[YAO_JIU] * terminals


cdef int flower_kongs(const Win* win) noexcept nogil:
    """Complete bonus sets: four equal honours, all seasons, all plants (YC-24)."""
    cdef int count[9]
    cdef int i, kind, n = 0
    memset(count, 0, sizeof(count))
    for i in range(win.n_bonus):
        kind = win.bonus[i]
        count[kind - 27 if kind < 34 else 7 if kind < 38 else 8] += 1
    for i in range(9):
        n += count[i] == 4
    return n


cdef int64_t total(const Rules* rules, const int64_t* value) noexcept nogil:
    cdef int64_t base = 0
    cdef int i
    for i in range(TING_SELF_DRAW):
        base += value[i]
    if rules.option[ROUND_UP_TENS]:
        base = (base + 9) // 10 * 10
    return base


cdef void multiply(int64_t* value, int element, int64_t factor) noexcept nogil:
    value[element] = factor
    value[PRODUCT] *= factor


cdef int legality(const Rules* rules, const Win* win) noexcept nogil:
    """Who may win, before the shape is looked at (YC-05, 06, 27, 40)."""
    cdef int mode = <int>win.context[TING_MODE]
    if opened(win):
        return CLAIM_NOT_ALLOWED
    if win.by == BY_ROB_KONG or win.by == BY_BAO_VIEW:
        return NO_SUCH_WIN
    if is_tian_hu(win):
        if win.winner != win.dealer:
            return NOT_DEALER
        # Tian hu stands in for a declaration and comes before any kong or discard.
        if mode != NO_MODE or win.hand.melds or win.by == BY_DISCARD:
            return NO_SUCH_WIN
        return LEGAL
    if mode == NO_MODE:
        return NOT_DECLARED
    if mode == FEI_TING and win.by == BY_DISCARD:
        return SELF_DRAW_ONLY
    if mode == TING and rules.option[THREE_SUITS_MUST_FLY] and suits_present(&win.hand) == 3:
        return DECLARATION_NOT_ALLOWED
    return LEGAL


cdef void shared_value(const Rules* rules, const Win* win, int64_t* value) noexcept nogil:
    """Elements and factors that are the same in every reading."""
    cdef int mode = <int>win.context[TING_MODE]
    cdef int suits = suits_present(&win.hand)
    cdef int state
    cdef bint tian_hu = is_tian_hu(win), black
    value[FLOWER_TILES] = <int64_t>rules.value[FLOWER_TILES] * win.n_bonus
    value[MEN_QING] = rules.value[MEN_QING]
    if suits == 2:
        value[DUAN_MEN] = rules.value[DUAN_MEN]
    elif suits == 1:
        value[QING_YI_SE] = rules.value[QING_YI_SE]
    value[DENG_ZI] = <int64_t>rules.value[DENG_ZI] * (win.hand.melds + flower_kongs(win))
    if tian_hu:
        black = win.n_bonus == 0 and rules.option[TIAN_HU_HEI_ZI]
    else:
        black = win.context[FLOWERS_AT_TING] == 0
    if black:
        value[HEI_ZI] = rules.value[HEI_ZI]
    if win.context[OPENING_TING] and mode != NO_MODE:
        value[QI_SHOU_TING] = rules.value[QI_SHOU_TING]
    if tian_hu:
        multiply(value, TIAN_HU, rules.value[TIAN_HU])
    elif mode == FEI_TING:
        multiply(value, FEI_TING_SELF_DRAW, rules.value[FEI_TING_SELF_DRAW])
    elif win.by != BY_DISCARD:
        multiply(value, TING_SELF_DRAW, rules.value[TING_SELF_DRAW])
    else:
        state = <int>win.context[DISCARDER_STATE]
        if rules.option[DA_FEI_JI_SAME_DISCARD] and win.context[DISCARDER_DECLARES_NOW]:
            state = <int>win.context[DISCARDER_DECLARES_NOW]
        if state == FEI_TING:
            multiply(value, DA_FEI_JI, rules.value[DA_FEI_JI])
        else:
            multiply(value, TING_DIAN_PAO, rules.value[TING_DIAN_PAO])
    if win.context[JIA] > 0:
        multiply(value, JIA_JIA, rules.value[JIA_JIA])


cdef void luxury(
    const Rules* rules, const Win* win, int tile, uint64_t live, int64_t* value
) noexcept nogil:
    """Luxury seven pairs (YC-33..35): sole wait on the fourth copy, doubled by a further quad."""
    cdef int kind, quads = 0
    if live != <uint64_t>1 << tile or win.hand.count[tile] != 4:
        return
    for kind in range(27):
        if win.hand.count[kind] == 4:
            quads += 1
    multiply(value, HAO_HUA_QI_DUI, <int64_t>rules.value[HAO_HUA_QI_DUI] << (quads - 1))
    if rules.option[LUXURY_DROPS_FLOWER_KONGS]:
        value[DENG_ZI] = 0


cdef int score(
    const Rules* rules, const Tables* tables, const Win* win, Settlement* out
) noexcept nogil:
    """Best reading by amount (section 3 of the specification), and who pays it (YC-47)."""
    cdef Reading reading[32]
    cdef int64_t shared[N_VALUES]
    cdef int64_t value[N_VALUES]
    cdef int64_t best = 0, base, factor, share
    cdef int reason = legality(rules, win)
    cdef int n, i, element, tile, payer
    cdef bint tian_hu = is_tian_hu(win), waits_count, found = False
    cdef Hand before
    cdef uint64_t live, tiles
    memset(out, 0, sizeof(Settlement))
    if reason != LEGAL:
        return reason
    n = readings(tables, &win.hand, rules.shapes, reading, 32)
    if n == 0:
        return NOT_COMPLETE
    memset(shared, 0, sizeof(shared))
    shared[PRODUCT] = 1
    shared_value(rules, win, shared)
    waits_count = win.context[TING_MODE] == FEI_TING or (
        tian_hu and rules.option[TIAN_HU_WAIT_BONUS]
    )
    # A dealt win has no winning tile; if it is to earn a wait bonus, each tile may be it (YC-A11).
    tiles = <uint64_t>1 << win.tile
    if tian_hu and waits_count:
        tiles = 0
        for tile in range(27):
            if win.hand.count[tile]:
                tiles |= <uint64_t>1 << tile
    for tile in range(27):
        if not tiles >> tile & 1:
            continue
        live = 0
        if waits_count:
            before = win.hand
            hand_remove(&before, tile)
            live = waits(tables, &before, rules.shapes)
        for i in range(n):
            value = shared
            reading_value(rules, win, &reading[i], value)
            if waits_count:
                wait_bonus(rules, &reading[i], tile, live, value)
                if reading[i].shape != SHAPE_STANDARD:
                    luxury(rules, win, tile, live, value)
            base = total(rules, value)
            factor = value[PRODUCT]
            if not found or base * factor > best:
                found = True
                best = base * factor
                out.base_total = base
                out.multiplier = factor
                for element in range(N_ELEMENTS):
                    out.value[element] = value[element]
    for payer in range(N_SEATS):
        if payer == win.winner or (win.by == BY_DISCARD and payer != win.discarder):
            continue
        share = best
        if (
            rules.option[FEI_DUEL] and win.by != BY_DISCARD
            and win.context[PAYER_STATES + payer] == FEI_TING
        ):
            share *= 2
        out.pay[payer] -= share
        out.pay[win.winner] += share
    return LEGAL


cdef void carry(
    const Rules* rules, const Outcome* outcome, const Carried* before, Carried* after
) noexcept nogil:
    """The raised-stake counter (YC-42..46)."""
    cdef int i
    cdef bint dealer_won = False
    if outcome.n_winners == 0:
        after.counter[0] += 1
    elif before.counter[0] > 0:
        for i in range(outcome.n_winners):
            dealer_won |= outcome.winner[i] == before.dealer
        after.counter[0] += 1 if dealer_won else -1


cdef Hooks hooks
hooks.modes = modes
hooks.context = context
hooks.score = score
hooks.carry = carry
HOOKS = PyCapsule_New(&hooks, b"mjstats.Hooks", NULL)
