"""Suqian mahjong: bids, declaring on a single wait, what a win is worth to each payer.

Clause ids (SQ-nn) and ambiguities (SQ-An) are those of docs/rules/suqian.md.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

from cython_core._hand cimport Hand, Reading, Tables, complete, hand_remove, readings, waits
from cython_core._rules cimport (
    CLAIM_NOT_ALLOWED, DECLARATION_NOT_ALLOWED, LEGAL, NOT_COMPLETE, NOT_DECLARED, NO_SUCH_WIN,
    Carried, Claim, Hooks, Outcome, Rules, Seat, Settlement, Table, Turn, Win,
)
from cython_core._score cimport has_meld, has_special_kong, on_another, opened, suits_present
from cython_core._table cimport take_bid
from cython_core._types cimport (
    BY_BAO_VIEW, BY_CLAIM, BY_DEALT, BY_DISCARD, BY_ROB_KONG, MELD_CHOW, MELD_KONG_ADDED,
    MELD_KONG_CONCEALED, MELD_KONG_EXPOSED, MELD_PONG, N_SEATS, SHAPE_PAIRS_QUADS, SHAPE_STANDARD,
    int64_t, uint8_t, uint64_t,
)

cdef enum:   # elements
    BASE, DEALER, WIND, JIN_FENG, KONG_EXPOSED, KONG_CONCEALED
    # points of the bids, in the order of BIDS
    BU_PENG, DA_PIE, DU_CI, DU_LIU
    # factors
    SELF_DRAW, FANG_TING, JUE_ZHANG, QI_DUI, NEI_JUE, QING_YI_SE, DA_DUI_HU
    N_ELEMENTS

ELEMENTS = (
    "base", "dealer", "wind", "jin_feng", "kong_exposed", "kong_concealed",
    "bu_peng", "da_pie", "du_ci", "du_liu",
    "self_draw", "fang_ting", "jue_zhang", "qi_dui", "nei_jue", "qing_yi_se", "da_dui_hu",
)

cdef enum:   # options
    BAO_THREE, DEALER_EITHER_SIDE, JIN_FENG_FLOWERS, JIN_FENG_AFTER_FAN, BIDS_AFTER_FAN
    DU_WITHOUT_BID, OWN_PUNG, DECLARED_SHAPE, NEI_JUE_ANY, DU_CI_ON_PAIRS, DA_DUI_NEEDS_PUNG
    FANG_DRAWN_TILE, BID_FOR_HAND, BID_SEQUENTIAL, DEALER_ADDS, BIDS_ENABLED

OPTIONS = (
    "discard_payment", "dealer_points", "jin_feng_scope", "jin_feng_timing", "zuizi_timing",
    "du_points_without_bid", "jue_zhang_own_pung", "single_wait_scope", "nei_jue_scope",
    "du_ci_on_seven_pairs", "da_dui_requires_pung", "fang_ting_discard", "bid_persistence",
    "bid_order", "dealer_adds", "bids_enabled",
)

MODES = ("ting",)
MARKS = ("fang",)

cdef enum:
    N_BIDS = 4
    BID_BU_PENG = 1     # in a set of bids
    BID_DA_PIE = 2

_BIDS = ("bu_peng", "da_pie", "du_ci", "du_liu")
BIDS = (_BIDS,)
COUNTERS = ("bids_0", "bids_1", "bids_2", "bids_3")
CARRIED = {"bids": (0, {"any": _BIDS}, 4)}
SETTLEMENT = ("payer_elements",)

cdef enum:   # places in the context
    TING, DISCARDER_TING, FANG, ROUND_WIND
    UP              # bids of each seat: four places
    PUNGED = UP + 4     # kinds that each seat had punged when the winner declared: four places

CONTEXT = {
    "ting": (TING, "bool"),
    "discarder_ting": (DISCARDER_TING, "bool"),
    "fang_ting": (FANG, "bool"),
    "round_wind": (ROUND_WIND, ("1z", "2z", "3z", "4z")),
    "bids": (UP, {"any": _BIDS}, 4),
    "pungs_before_ting": (PUNGED, "kinds", 4),
    # Told in worked cases to make clear that it earns nothing.
    "pungs_after_ting": (None, "kinds", 4),
    "discards": (None, "kinds"),
    "last_tile": (None, "bool"),
}

cdef enum:   # places in Seat.note
    BIDS_UP, PUNGED_SELF, PUNGED_OTHERS

cdef enum:
    EAST = 27
    SPRING = 34
    PLUM = 38
    SIX = 5         # rank


# Bids


cdef void before_deal(Table* table) noexcept nogil:
    """Each seat may add to what it has up (SQ-25..27); nothing can be withdrawn."""
    cdef int64_t amounts[1 << N_BIDS]
    cdef int i, seat, bids, n
    if not table.rules.option[BIDS_ENABLED]:
        return
    for i in range(N_SEATS):
        seat = (table.carried.dealer + i) & 3
        n = 0
        for bids in range(1 << N_BIDS):
            if bids & table.carried.counter[seat] == table.carried.counter[seat]:
                amounts[n] = bids
                n += 1
        table.seat[seat].note[BIDS_UP] = take_bid(table, seat, 0, amounts, n)
        # One after another, each sees what stands before it; at once, nobody does (SQ-A16).
        if table.rules.option[BID_SEQUENTIAL]:
            table.carried.counter[seat] = table.seat[seat].note[BIDS_UP]
    for seat in range(N_SEATS):
        table.carried.counter[seat] = table.seat[seat].note[BIDS_UP]


cdef void may_claim(const Table* table, int seat, Claim* claim) noexcept nogil:
    """Bu peng: no pung (SQ-30)."""
    if table.seat[seat].note[BIDS_UP] & BID_BU_PENG:
        claim.pong = 0


cdef bint may_kong(const Table* table, int seat, int kind, int meld_type) noexcept nogil:
    """Bu peng: concealed kongs alone (SQ-30); after ting only of the tile just drawn (SQ-A13)."""
    if meld_type == MELD_KONG_EXPOSED and table.seat[seat].mode:
        return False
    return meld_type == MELD_KONG_CONCEALED or not table.seat[seat].note[BIDS_UP] & BID_BU_PENG


cdef uint64_t unwanted(const Table* table, int seat) noexcept nogil:
    """Da pie: of three suits the one with the fewest tiles, none melded, has to go (SQ-31)."""
    cdef const Hand* hand = &table.seat[seat].hand
    cdef int suit, kind, tiles, fewest = 15, chosen = -1
    if not table.seat[seat].note[BIDS_UP] & BID_DA_PIE or suits_present(hand) < 3:
        return 0
    for suit in range(3):
        if hand.locked[suit]:
            continue
        tiles = 0
        for kind in range(9 * suit, 9 * suit + 9):
            tiles += hand.count[kind]
        if tiles < fewest:
            fewest = tiles
            chosen = suit
    return <uint64_t>0x1FF << 9 * chosen if chosen >= 0 else 0


# Declaring


cdef inline bint single(uint64_t live) noexcept nogil:
    return live != 0 and live & (live - 1) == 0


cdef uint64_t waits_to_declare(
    const Rules* rules, const Tables* tables, const Hand* hand, uint64_t live
) noexcept nogil:
    """Waits that count: over all shapes, or by option of the one declared (SQ-A8).

    A hand that waits for one tile as seven pairs is declared as seven pairs, which are worth more.
    """
    cdef uint64_t pairs
    if not rules.option[DECLARED_SHAPE]:
        return live
    pairs = waits(tables, hand, SHAPE_PAIRS_QUADS)
    return pairs if single(pairs) else waits(tables, hand, SHAPE_STANDARD)


cdef uint64_t declared_waits(
    const Table* table, int seat, const Hand* hand, int mode, uint64_t live
) noexcept nogil:
    return waits_to_declare(table.rules, table.tables, hand, live)


cdef int modes(const Table* table, int seat, const Hand* hand, uint64_t live) noexcept nogil:
    """Ting on a single wait (SQ-06, SQ-24), with two suits at the most after da pie (SQ-31)."""
    if not single(waits_to_declare(table.rules, table.tables, hand, live)):
        return 0
    if table.seat[seat].note[BIDS_UP] & BID_DA_PIE and suits_present(hand) == 3:
        return 0
    return 1 << 1


cdef int on_declare(
    Table* table, int seat, const Turn* turn, int kind, int mode
) noexcept nogil:
    """Note what lies punged (SQ-54); whether the hand was complete as drawn: fang ting (SQ-34)."""
    cdef Seat* me = &table.seat[seat]
    cdef const Seat* other
    cdef int i, k
    cdef uint64_t punged
    for i in range(N_SEATS):
        other = &table.seat[i]
        punged = 0
        for k in range(other.hand.melds):
            if other.meld[k].type == MELD_PONG:
                punged |= <uint64_t>1 << other.meld[k].kind
        me.note[PUNGED_SELF if i == seat else PUNGED_OTHERS] |= <int64_t>punged
    if turn.by == BY_CLAIM or (table.rules.option[FANG_DRAWN_TILE] and kind != turn.tile):
        return 0
    return complete(table.tables, &me.hand, table.rules.shapes)


cdef void context(const Table* table, Win* win) noexcept nogil:
    cdef const Seat* me = &table.seat[win.winner]
    cdef int seat
    win.context[TING] = me.mode != 0
    win.context[FANG] = me.marks
    win.context[ROUND_WIND] = (table.carried.round - 1) & 3
    if win.by == BY_DISCARD:
        win.context[DISCARDER_TING] = table.seat[win.discarder].mode_at_discard != 0
    elif win.by == BY_ROB_KONG:
        win.context[DISCARDER_TING] = table.seat[win.discarder].mode != 0
    for seat in range(N_SEATS):
        win.context[UP + seat] = table.seat[seat].note[BIDS_UP]
    win.context[PUNGED + win.winner] = me.note[PUNGED_SELF]
    win.context[PUNGED + ((win.winner + 1) & 3)] = me.note[PUNGED_OTHERS]


# What a win is worth


cdef inline int bids_of(const Rules* rules, const Win* win, int seat) noexcept nogil:
    return <int>win.context[UP + seat] if rules.option[BIDS_ENABLED] else 0


cdef int winning_shapes(const Rules* rules, const Tables* tables, const Win* win) noexcept nogil:
    """Shapes in which the hand may have been declared: its tile was the only wait (SQ-A8)."""
    cdef Hand before = win.hand
    cdef uint64_t tile = <uint64_t>1 << win.tile
    cdef int found = 0
    hand_remove(&before, win.tile)
    if not rules.option[DECLARED_SHAPE]:
        return rules.shapes if waits(tables, &before, rules.shapes) == tile else 0
    if waits(tables, &before, SHAPE_STANDARD) == tile:
        found |= SHAPE_STANDARD
    if waits(tables, &before, SHAPE_PAIRS_QUADS) == tile:
        found |= SHAPE_PAIRS_QUADS
    return found


cdef int legality(
    const Rules* rules, const Tables* tables, const Win* win, int* shapes
) noexcept nogil:
    """Who may win (SQ-05, 06, 21, 23, 24, 30, 31), and in which shapes."""
    cdef int up = bids_of(rules, win, win.winner)
    if win.by == BY_BAO_VIEW or has_special_kong(win):
        return NO_SUCH_WIN
    if has_meld(win, MELD_CHOW) or (up & BID_BU_PENG and opened(win)):
        return CLAIM_NOT_ALLOWED
    # A dealt hand has not been declared yet.
    if not win.context[TING] or win.by == BY_DEALT:
        return NOT_DECLARED
    if not complete(tables, &win.hand, rules.shapes):
        return NOT_COMPLETE
    shapes[0] = winning_shapes(rules, tables, win)
    if shapes[0] == 0:
        return DECLARATION_NOT_ALLOWED
    if up & BID_DA_PIE and suits_present(&win.hand) == 3:
        return DECLARATION_NOT_ALLOWED
    return LEGAL


cdef void shared_value(const Rules* rules, const Win* win, int64_t* value) noexcept nogil:
    """Points and factors that are the same in every reading."""
    cdef int i, kind, round_wind = <int>win.context[ROUND_WIND]
    cdef uint64_t punged = 0
    if win.winner == win.dealer:
        value[DEALER] = rules.value[DEALER]
    if win.winner != win.dealer or rules.option[DEALER_ADDS]:
        value[BASE] = rules.value[BASE]
    for i in range(win.n_bonus):
        kind = win.bonus[i]
        if kind == EAST + round_wind or (
            rules.option[JIN_FENG_FLOWERS]
            and (kind == SPRING + round_wind or kind == PLUM + round_wind)
        ):
            value[JIN_FENG] += rules.value[JIN_FENG]
        else:
            value[WIND] += rules.value[WIND]
    for i in range(win.hand.melds):
        if win.meld[i].type == MELD_KONG_CONCEALED:
            value[KONG_CONCEALED] += rules.value[KONG_CONCEALED]
        elif win.meld[i].type != MELD_PONG:
            value[KONG_EXPOSED] += rules.value[KONG_EXPOSED]
    for i in range(N_SEATS):
        if i != win.winner or rules.option[OWN_PUNG]:
            punged |= <uint64_t>win.context[PUNGED + i]
    if not on_another(win):
        value[SELF_DRAW] = rules.value[SELF_DRAW]
    if win.context[FANG]:
        value[FANG_TING] = rules.value[FANG_TING]
    if punged >> win.tile & 1:
        value[JUE_ZHANG] = rules.value[JUE_ZHANG]
    if suits_present(&win.hand) == 1:
        value[QING_YI_SE] = rules.value[QING_YI_SE]


cdef void reading_value(
    const Rules* rules, const Win* win, const Reading* reading, int64_t* value
) noexcept nogil:
    """Factors that depend on the reading (SQ-36, 38, 40)."""
    cdef bint standard = reading.shape == SHAPE_STANDARD
    cdef int i, triplets = win.hand.melds, punged = 0
    if not standard:
        value[QI_DUI] = rules.value[QI_DUI]
    if win.hand.count[win.tile] == 4 and (not standard or rules.option[NEI_JUE_ANY]):
        value[NEI_JUE] = rules.value[NEI_JUE]
    if standard:
        for i in range(reading.n_sets):
            triplets += reading.set_type[i] == MELD_PONG
        for i in range(win.hand.melds):
            punged += win.meld[i].type == MELD_PONG or win.meld[i].type == MELD_KONG_ADDED
        if triplets == 4 and (punged or not rules.option[DA_DUI_NEEDS_PUNG]):
            value[DA_DUI_HU] = rules.value[DA_DUI_HU]


cdef int qualities(const Rules* rules, const Win* win, const Reading* reading) noexcept nogil:
    """Bids whose condition the hand meets in this reading, a set (SQ-30..33)."""
    cdef int i
    cdef bint punged = False, on_pair
    for i in range(win.hand.melds):
        punged |= win.meld[i].type != MELD_KONG_CONCEALED
    if reading.shape == SHAPE_STANDARD:
        on_pair = reading.pair == win.tile
    else:
        on_pair = rules.option[DU_CI_ON_PAIRS]
    return (
        (not punged)
        | (suits_present(&win.hand) <= 2) << 1
        | on_pair << 2
        | (win.tile % 9 == SIX) << 3
    )


cdef void settle(
    const Rules* rules, const Win* win, int met, Settlement* out
) noexcept nogil:
    """What each payer owes (SQ-43..45, 49..52, 56), the winner's own points being there."""
    cdef int payer, bid, times, element
    cdef int64_t points, after_fan, own_after = 0, amount, worth
    cdef bint one_pays = on_another(win) and not win.context[DISCARDER_TING]
    out.multiplier = 1
    for element in range(SELF_DRAW, N_ELEMENTS):
        if out.value[element]:
            out.multiplier *= out.value[element]
    if rules.option[DU_WITHOUT_BID]:
        for element in range(DU_CI, DU_LIU + 1):
            if met >> (element - BU_PENG) & 1:
                out.value[element] = rules.value[element]
    for element in range(SELF_DRAW):
        out.base_total += out.value[element]
    if rules.option[JIN_FENG_AFTER_FAN]:
        own_after = out.value[JIN_FENG]
        out.base_total -= own_after
    for payer in range(N_SEATS):
        if payer == win.winner:
            continue
        if one_pays and payer != win.discarder and not rules.option[BAO_THREE]:
            continue
        out.payers |= <uint8_t>(1 << payer)
        points = out.base_total
        after_fan = own_after
        if payer == win.dealer and rules.option[DEALER_EITHER_SIDE]:
            out.payer_value[payer][DEALER] = rules.value[DEALER]
            if not rules.option[DEALER_ADDS]:
                out.payer_value[payer][BASE] = -rules.value[BASE]
            points += out.payer_value[payer][DEALER] + out.payer_value[payer][BASE]
        for bid in range(N_BIDS):
            if not met >> bid & 1:
                continue
            times = (bids_of(rules, win, win.winner) >> bid & 1) + (
                bids_of(rules, win, payer) >> bid & 1
            )
            worth = <int64_t>times * rules.value[BU_PENG + bid]
            out.payer_value[payer][BU_PENG + bid] = worth
            if rules.option[BIDS_AFTER_FAN]:
                after_fan += worth
            else:
                points += worth
        amount = points * out.multiplier + after_fan
        out.pay[win.winner] += amount
        out.pay[win.discarder if one_pays else payer] -= amount


cdef int score(
    const Rules* rules, const Tables* tables, const Win* win, Settlement* out
) noexcept nogil:
    """The reading that brings the winner most."""
    cdef Reading reading[32]
    cdef Settlement read
    cdef int i, n, shapes = 0
    cdef int reason = legality(rules, tables, win, &shapes)
    memset(out, 0, sizeof(Settlement))
    if reason != LEGAL:
        return reason
    n = readings(tables, &win.hand, shapes, reading, 32)
    for i in range(n):
        memset(&read, 0, sizeof(Settlement))
        shared_value(rules, win, read.value)
        reading_value(rules, win, &reading[i], read.value)
        settle(rules, win, qualities(rules, win, &reading[i]), &read)
        if i == 0 or read.pay[win.winner] > out.pay[win.winner]:
            out[0] = read
    return LEGAL


cdef void carry(
    const Rules* rules, const Outcome* outcome, const Carried* before, Carried* after
) noexcept nogil:
    """Bids stay up until the round ends (SQ-27), or by option the deal."""
    cdef int seat
    if after.round != before.round or rules.option[BID_FOR_HAND]:
        for seat in range(N_SEATS):
            after.counter[seat] = 0


cdef Hooks hooks
hooks.before_deal = before_deal
hooks.may_claim = may_claim
hooks.may_kong = may_kong
hooks.unwanted = unwanted
hooks.modes = modes
hooks.declared_waits = declared_waits
hooks.on_declare = on_declare
hooks.context = context
hooks.score = score
hooks.carry = carry
HOOKS = PyCapsule_New(&hooks, b"mjstats.Hooks", NULL)
