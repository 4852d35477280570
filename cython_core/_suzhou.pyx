"""Suzhou mahjong: flowers that must suffice, missed wins and pongs, dice, who pays for whom.

Clause ids (SZ-nn) and ambiguities (SZ-An) are those of docs/rules/suzhou.md.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

from cython_core._hand cimport Reading, Tables, complete, readings
from cython_core._rules cimport (
    CLAIM_NOT_ALLOWED, LEGAL, MIN_FLOWERS, MISSED_WIN, NO_SUCH_WIN, NOT_COMPLETE, NOT_DEALER,
    Carried, Claim, Hooks, Meld, Outcome, Rules, Seat, Settlement, Table, Win,
)
from cython_core._score cimport (
    dealt_to_another, has_meld, has_special_kong, on_another, suits_present,
)
from cython_core._table cimport roll
from cython_core._types cimport (
    BY_BAO_VIEW, BY_DEALT, BY_DISCARD, BY_FLOWER_DRAW, BY_KONG_DRAW, BY_ROB_KONG, MELD_CHOW,
    MELD_KONG_CONCEALED, MELD_PONG, N_SEATS, NO_SEAT, SHAPE_STANDARD, int64_t,
)
from cython_core._wall cimport wall_left

cdef enum:   # elements
    WIN, HARD_FLOWERS, KONG_EXPOSED, KONG_CONCEALED, WIND_PUNG, WIND_TRIPLET, WIND_KONG_EXPOSED
    WIND_KONG_CONCEALED, DA_MEN_QING, XIAO_MEN_QING, HUN_YI_SE, QING_YI_SE, DUI_DUI_HU, QI_DUI
    GANG_KAI, TIAN_HU, DI_HU, HAI_DI
    DA_DIAO_CHE                 # an element or a factor, as the option says
    # factors
    BAOZI, DILING
    N_ELEMENTS
    PRESENT = N_ELEMENTS        # bits of the elements that the hand has, kept behind their values
    N_VALUES

ELEMENTS = (
    "win", "hard_flowers", "kong_exposed", "kong_concealed", "wind_pung", "wind_triplet",
    "wind_kong_exposed", "wind_kong_concealed", "da_men_qing", "xiao_men_qing", "hun_yi_se",
    "qing_yi_se", "dui_dui_hu", "qi_dui", "gang_kai", "tian_hu", "di_hu", "hai_di", "da_diao_che",
    "baozi", "diling",
)

cdef int64_t SOFT = (1 << DA_MEN_QING) - (1 << KONG_EXPOSED)
cdef int64_t EXEMPT = (
    1 << DA_MEN_QING | 1 << XIAO_MEN_QING | 1 << HUN_YI_SE | 1 << QING_YI_SE | 1 << DUI_DUI_HU
    | 1 << QI_DUI | 1 << GANG_KAI | 1 << TIAN_HU | 1 << DI_HU | 1 << DA_DIAO_CHE
)

cdef enum:   # options
    QI_DUI_DOUBLE_HARD, DA_DIAO_CHE_RULE, STACKING, QI_DUI_FLOWERLESS, MIN_SELF, MIN_DISC, HARD_ONLY
    ROB_FREELY, TRIPLET_BY_DISCARD, BAOZI_DILING, NEAREST_DEALS, DEAL_FLOWER_GANG_KAI
    DI_HU_UNINTERRUPTED, TIAN_HU_AFTER_KONG, DICE_14, BLOCKS_ROB, KONG_LIFTS_BLOCK, UNIT

OPTIONS = (
    "qi_dui_double_hard", "da_diao_che", "men_qing_rule", "qi_dui_flowerless", "min_self",
    "min_disc", "flower_basis", "rob_kong_minimum", "wind_triplet_by_discard", "baozi_diling",
    "multi_win_dealer", "deal_flower_gang_kai", "di_hu_uninterrupted", "tian_hu_after_kong",
    "baozi_dice", "missed_win_blocks_rob", "kong_lifts_block", "unit",
)

cdef enum:   # values of options
    DOUBLE = 0                  # da_diao_che
    MULTIPLY = 0                # baozi_diling

MODES = ()
BIDS = ()

cdef enum:   # counters; -1 = not thrown yet
    C_BAOZI, C_DILING, C_FIRST, C_SECOND

COUNTERS = ("baozi", "diling", "die_1", "die_2")
CARRIED = {"baozi": (C_BAOZI, "bool"), "diling": (C_DILING, "bool"), "dice": (C_FIRST, "count", 2)}

cdef enum:   # places in the context
    IS_BAOZI, IS_DILING, FEEDER, BEFORE_DISCARD, FIRST_DRAW, LAST_TILE, BLOCKED

CONTEXT = {
    "baozi": (IS_BAOZI, "bool"),
    "diling": (IS_DILING, "bool"),
    "bao_jiao_zi": (FEEDER, ("none", 0, 1, 2, 3)),
    "tian_hu": (BEFORE_DISCARD, "bool"),
    "di_hu": (FIRST_DRAW, "bool"),
    "last_tile": (LAST_TILE, "bool"),
}

cdef enum:   # notes of a seat
    MISSED              # number of the discard with which the missed win began, 0 none
    SINGLE              # the single-tile exception holds (SZ-75)
    REFUSED             # kinds that may not be ponged, as bits

cdef enum:   # notes of the table
    DISCARDS            # thrown in this deal
    CLAIMS              # pongs and exposed kongs
    ENDING              # the last discard has been ponged: that turn's discard ends the deal


# Before the deal


cdef void set_dice(const Rules* rules, Carried* carried, int first, int second) noexcept nogil:
    """Bao zi (SZ-15, SZ-A16)."""
    carried.counter[C_FIRST] = first
    carried.counter[C_SECOND] = second
    carried.counter[C_BAOZI] = first == second or (
        rules.option[DICE_14] and min(first, second) == 1 and max(first, second) == 4
    )


cdef void dice(Table* table) noexcept nogil:
    cdef int first = roll(table)
    set_dice(table.rules, &table.carried, first, roll(table))


# Missed wins and pongs (SZ-68 to SZ-76)


cdef void after_draw(Table* table, int seat, int by) noexcept nogil:
    cdef int64_t* note = table.seat[seat].note
    note[REFUSED] = 0
    if table.fed_by == NO_SEAT or table.rules.option[KONG_LIFTS_BLOCK]:
        note[MISSED] = 0
        note[SINGLE] = 0


cdef void on_discard(Table* table, int seat, int kind, bint declined_win) noexcept nogil:
    cdef Seat* me = &table.seat[seat]
    table.game[DISCARDS] += 1
    if declined_win:
        me.note[MISSED] = table.game[DISCARDS]
    if me.hand.count[kind] >= 3:
        me.note[REFUSED] |= <int64_t>1 << kind


cdef void on_pass(Table* table, int seat, int by, int tile) noexcept nogil:
    table.seat[seat].note[MISSED] = table.game[DISCARDS]
    table.seat[seat].note[SINGLE] = 0


cdef void may_claim(const Table* table, int seat, Claim* claim) noexcept nogil:
    if table.game[ENDING] or table.seat[seat].note[REFUSED] >> claim.tile & 1:
        claim.pong = 0


cdef void on_passed_claim(Table* table, int seat, const Claim* claim) noexcept nogil:
    if claim.pong:
        table.seat[seat].note[REFUSED] |= <int64_t>1 << claim.tile


cdef void on_claim(Table* table, int seat, const Meld* meld) noexcept nogil:
    cdef Seat* me = &table.seat[seat]
    table.game[CLAIMS] += 1
    table.game[ENDING] = wall_left(&table.wall) == 0
    # Claimed instead of winning on this very discard: the tiles now held decide.
    if me.note[MISSED] and me.note[MISSED] == table.game[DISCARDS]:
        if not complete(table.tables, &me.hand, table.rules.shapes):
            me.note[MISSED] = 0
        elif me.hand.melds == 4:
            me.note[SINGLE] = 1


# The worth of a win


cdef void context(const Table* table, Win* win) noexcept nogil:
    cdef const Seat* seat = &table.seat[win.winner]
    win.context[IS_BAOZI] = table.carried.counter[C_BAOZI]
    win.context[IS_DILING] = table.carried.counter[C_DILING]
    win.context[FEEDER] = 1 + table.fed_by
    win.context[BEFORE_DISCARD] = seat.n_discards == 0
    win.context[FIRST_DRAW] = seat.n_discards == 0 and not (
        table.rules.option[DI_HU_UNINTERRUPTED] and table.game[CLAIMS]
    )
    win.context[LAST_TILE] = wall_left(&table.wall) == 0
    win.context[BLOCKED] = seat.note[MISSED] and not seat.note[SINGLE]


cdef bint own_draw(const Win* win) noexcept nogil:
    return not on_another(win)


cdef bint on_replacement(const Rules* rules, const Win* win) noexcept nogil:
    """Gang kai (SZ-36, SZ-58); a flower of the dealer's dealt hand (SZ-A14)."""
    if win.by == BY_DEALT:
        return rules.option[DEAL_FLOWER_GANG_KAI] and win.n_bonus
    return win.by == BY_KONG_DRAW or win.by == BY_FLOWER_DRAW


cdef int legality(const Rules* rules, const Win* win) noexcept nogil:
    """What forbids a win whatever its tiles are."""
    if win.by == BY_BAO_VIEW:
        return NO_SUCH_WIN
    if dealt_to_another(win):
        return NOT_DEALER
    if win.context[FEEDER] == 1 + win.winner:
        # Nobody feeds himself a kong (SZ-38).
        return NO_SUCH_WIN
    if has_meld(win, MELD_CHOW) or has_special_kong(win):
        return CLAIM_NOT_ALLOWED
    if win.context[BLOCKED] and not own_draw(win):
        if win.by == BY_DISCARD or rules.option[BLOCKS_ROB]:
            return MISSED_WIN
    return LEGAL


cdef bint is_tian_hu(const Rules* rules, const Win* win) noexcept nogil:
    """The dealer before his first discard (SZ-62)."""
    if win.by == BY_DEALT:
        return True
    if not (win.context[BEFORE_DISCARD] and win.winner == win.dealer and own_draw(win)):
        return False
    return win.hand.melds == 0 or rules.option[TIAN_HU_AFTER_KONG]


cdef bint is_di_hu(const Win* win) noexcept nogil:
    """Another on his first draw, nothing laid down (SZ-63)."""
    return (
        win.context[FIRST_DRAW] and win.winner != win.dealer and own_draw(win)
        and win.hand.melds == 0
    )


cdef inline void give(const Rules* rules, int64_t* value, int element) noexcept nogil:
    value[element] += rules.value[element]
    value[PRESENT] |= <int64_t>1 << element


cdef int shared_value(const Rules* rules, const Win* win, int64_t* value) noexcept nogil:
    """Elements that are the same in every reading; how many melds were claimed."""
    cdef int i, claimed = 0
    cdef bint wind
    give(rules, value, WIN)
    value[HARD_FLOWERS] = <int64_t>rules.value[HARD_FLOWERS] * win.n_bonus
    for i in range(win.hand.melds):
        wind = win.meld[i].kind >= 27
        claimed += win.meld[i].type != MELD_KONG_CONCEALED
        if win.meld[i].type == MELD_KONG_CONCEALED:
            give(rules, value, WIND_KONG_CONCEALED if wind else KONG_CONCEALED)
        elif win.meld[i].type != MELD_PONG:
            give(rules, value, WIND_KONG_EXPOSED if wind else KONG_EXPOSED)
        elif wind:
            give(rules, value, WIND_PUNG)
    if suits_present(&win.hand) == 1:
        give(rules, value, HUN_YI_SE if win.hand.index[3] | win.hand.locked[3] else QING_YI_SE)
    if on_replacement(rules, win):
        give(rules, value, GANG_KAI)
    if is_tian_hu(rules, win):
        give(rules, value, TIAN_HU)
    if is_di_hu(win):
        give(rules, value, DI_HU)
    if win.context[LAST_TILE] and own_draw(win) and win.by != BY_DEALT:
        give(rules, value, HAI_DI)
    if win.hand.melds == 4:
        give(rules, value, DA_DIAO_CHE)
    return claimed


cdef void pairs_value(const Rules* rules, const Win* win, int64_t* value) noexcept nogil:
    """Seven pairs (SZ-34, SZ-35, SZ-56)."""
    give(rules, value, QI_DUI)
    if rules.option[QI_DUI_DOUBLE_HARD]:
        value[HARD_FLOWERS] *= 2
    if win.n_bonus == 0:
        if rules.option[QI_DUI_FLOWERLESS] >= 10:
            give(rules, value, DA_MEN_QING)
        if rules.option[QI_DUI_FLOWERLESS] != 10:
            give(rules, value, XIAO_MEN_QING)


cdef void sets_value(
    const Rules* rules, const Win* win, const Reading* reading, int claimed, int64_t* value
) noexcept nogil:
    """Triplets, and the concealed hand (SZ-29, SZ-30, SZ-A3)."""
    cdef int i, triplets = win.hand.melds
    cdef bint flowerless
    for i in range(reading.n_sets):
        if reading.set_type[i] != MELD_PONG:
            continue
        triplets += 1
        if reading.set_kind[i] < 27:
            continue
        give(rules, value, WIND_TRIPLET)
        if (
            win.by == BY_DISCARD and reading.set_kind[i] == win.tile
            and rules.option[TRIPLET_BY_DISCARD] == 1
        ):
            value[WIND_TRIPLET] += 1 - rules.value[WIND_TRIPLET]
    if triplets == 4:
        give(rules, value, DUI_DUI_HU)
    flowerless = win.n_bonus == 0 and not value[PRESENT] & SOFT
    if flowerless and (rules.option[STACKING] or win.hand.melds == 0):
        give(rules, value, DA_MEN_QING)
        claimed += not rules.option[STACKING]
    if claimed == 0:
        give(rules, value, XIAO_MEN_QING)


cdef bint flowers_suffice(const Rules* rules, const Win* win, const int64_t* value) noexcept nogil:
    """The minimum (SZ-19, SZ-27, SZ-60) and the hands that need none (SZ-21, SZ-28)."""
    cdef int64_t flowers = <int64_t>rules.value[HARD_FLOWERS] * win.n_bonus
    cdef int element
    if value[PRESENT] & EXEMPT:
        return True
    if not rules.option[HARD_ONLY]:
        for element in range(KONG_EXPOSED, DA_MEN_QING):
            flowers += value[element]
    if win.by == BY_DISCARD:
        return flowers >= rules.option[MIN_DISC]
    if win.by == BY_ROB_KONG and rules.option[ROB_FREELY]:
        return True
    return flowers >= rules.option[MIN_SELF]


cdef int64_t multiplier(const Rules* rules, const Win* win, int64_t* value) noexcept nogil:
    """Bao zi and di ling (SZ-16, SZ-18, SZ-A9), and da diao che as a factor (SZ-37)."""
    cdef int64_t product = 1
    if win.context[IS_BAOZI]:
        value[BAOZI] = rules.value[BAOZI]
        product *= rules.value[BAOZI]
    if win.context[IS_DILING] and not (
        win.context[IS_BAOZI] and rules.option[BAOZI_DILING] != MULTIPLY
    ):
        value[DILING] = rules.value[DILING]
        product *= rules.value[DILING]
    if rules.option[DA_DIAO_CHE_RULE] == DOUBLE and value[PRESENT] >> DA_DIAO_CHE & 1:
        product *= rules.value[DA_DIAO_CHE]
    return product


cdef void pay(const Rules* rules, const Win* win, int64_t share, int64_t* out) noexcept nogil:
    """Who pays (SZ-09, SZ-38, SZ-59, SZ-60)."""
    cdef int feeder = <int>win.context[FEEDER] - 1
    cdef int payer, shares
    for payer in range(N_SEATS):
        if payer == win.winner:
            continue
        if win.by == BY_DISCARD:
            shares = payer == win.discarder
        elif win.by == BY_ROB_KONG:
            shares = 3 * (payer == win.discarder)
        elif feeder >= 0 and on_replacement(rules, win):
            shares = 3 * (payer == feeder)
        else:
            shares = 1
        out[payer] -= shares * share
        out[win.winner] += shares * share


cdef int score(
    const Rules* rules, const Tables* tables, const Win* win, Settlement* out
) noexcept nogil:
    """Best reading by amount among those that may win."""
    cdef Reading reading[32]
    cdef int64_t shared[N_VALUES]
    cdef int64_t value[N_VALUES]
    cdef int64_t base, factor, best = 0
    cdef int reason = legality(rules, win)
    cdef int n, i, element, claimed
    cdef bint found = False
    memset(out, 0, sizeof(Settlement))
    if reason != LEGAL:
        return reason
    n = readings(tables, &win.hand, rules.shapes, reading, 32)
    if n == 0:
        return NOT_COMPLETE
    memset(shared, 0, sizeof(shared))
    claimed = shared_value(rules, win, shared)
    for i in range(n):
        value = shared
        if reading[i].shape == SHAPE_STANDARD:
            sets_value(rules, win, &reading[i], claimed, value)
        else:
            pairs_value(rules, win, value)
        if not flowers_suffice(rules, win, value):
            continue
        base = 0
        for element in range(DA_DIAO_CHE):
            base += value[element]
        if rules.option[DA_DIAO_CHE_RULE] != DOUBLE:
            base += value[DA_DIAO_CHE]
        factor = multiplier(rules, win, value)
        if not found or base * factor > best:
            found = True
            best = base * factor
            out.base_total = base
            out.multiplier = factor
            for element in range(N_ELEMENTS):
                out.value[element] = value[element]
    if not found:
        return MIN_FLOWERS
    pay(rules, win, best * rules.option[UNIT], out.pay)
    return LEGAL


cdef void carry(
    const Rules* rules, const Outcome* outcome, const Carried* before, Carried* after
) noexcept nogil:
    """Di ling (SZ-17) and who deals next (SZ-25, SZ-A10, SZ-A11)."""
    after.round = before.round
    after.counter[C_DILING] = before.counter[C_BAOZI] or outcome.n_winners != 1
    if outcome.n_winners > 1 and not rules.option[NEAREST_DEALS]:
        after.dealer = outcome.discarder
    elif outcome.n_winners:
        after.dealer = outcome.winner[0]
    after.counter[C_BAOZI] = -1
    after.counter[C_FIRST] = -1
    after.counter[C_SECOND] = -1
    if outcome.dice[0]:
        set_dice(rules, after, outcome.dice[0], outcome.dice[1])


cdef Hooks hooks
hooks.dice = dice
hooks.after_draw = after_draw
hooks.on_discard = on_discard
hooks.on_pass = on_pass
hooks.may_claim = may_claim
hooks.on_passed_claim = on_passed_claim
hooks.on_claim = on_claim
hooks.context = context
hooks.score = score
hooks.carry = carry
HOOKS = PyCapsule_New(&hooks, b"mjstats.Hooks", NULL)
