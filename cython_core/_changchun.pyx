"""Changchun mahjong: conditions on a win, special kongs, the hidden bao, fans.

Clause ids (CC-nn) and ambiguities (CC-Ann) are those of docs/rules/changchun.md.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memcpy, memset

from cython_core._bits cimport lowest_bit, popcount
from cython_core._hand cimport (
    POWER, SUIT, Hand, Reading, Tables, hand_add, hand_lock, hand_remove, kinds_by_count, readings,
    waits,
)
from cython_core._rules cimport (
    AFTER_DISCARD, BEFORE_DRAW, EV_BAO, EV_BAO_VIEW, KONG_NEVER, LEGAL, MAX_SPECIALS, NOT_COMPLETE,
    NOT_DEALER, NOT_DECLARED, NO_SUCH_WIN, NO_TERMINAL, NO_TRIPLET, SINGLE_TILE, SUIT_MISSING,
    Claim, Hooks, Meld, Rules, Seat, Settlement, Special, Table, Turn, Win,
)
from cython_core._score cimport dealt_to_another, on_another, suits_present
from cython_core._table cimport emit, roll
from cython_core._types cimport (
    BY_BAO_VIEW, BY_DEALT, BY_DISCARD, BY_KONG_DRAW, BY_ROB_KONG, BY_SELF_DRAW, MELD_CHOW,
    MELD_KONG_CONCEALED, MELD_KONG_EXPOSED, MELD_PONG, MELD_XUAN_FENG, MELD_YAO, N_KINDS, N_SEATS,
    NO_KIND, NO_SEAT, SHAPE_STANDARD, int64_t, uint8_t, uint64_t,
)
from cython_core._wall cimport wall_left, wall_lift, wall_put_back

cdef enum:   # elements
    LI_HU, ZHUANG, ZI_MO, DIAN_PAO, JIA_HU, PIAO_HU, QI_DUI, HAO_HUA_QI_DUI, MO_BAO, CHONG_BAO
    QING_YI_SE
    N_ELEMENTS

ELEMENTS = (
    "li_hu", "zhuang", "zi_mo", "dian_pao", "jia_hu", "piao_hu", "qi_dui", "hao_hua_qi_dui",
    "mo_bao", "chong_bao", "qing_yi_se",
)

cdef enum:   # options
    STAKE, FAN_MODE, FAN_CAP, DISCARD_PAYMENT, ROB_KONG_AS, EXPOSED_KONG_PAYER, KONG_ON_DRAW
    THREE_SUITS, YAO_JIU_MODE, SPECIAL_COUNTS_SUITS, SPECIAL_BREAKS_LI_HU, PIAO_HU_SPECIAL
    COUNTS_CONCEALED_KONG, DEAD_CLAIM, JIA_HU_MODE, HAO_HUA_MODE, MO_BAO_VALUE
    TING_REQUIRED, TING_NEEDS_CONDITIONS, XUAN_FENG_TILES, ONE_BAMBOO_WILD, SPECIAL_KONG_SOURCE
    SUPPLEMENT_ROBBABLE, BAO_COUNT, BAO_VIEW_TIME, BAO_DICE, BAO_REROLL, RESERVE_STACKS, FINAL_FOUR

OPTIONS = (
    "stake", "fan_mode", "fan_cap", "discard_payment", "rob_kong_as", "exposed_kong_payer",
    "kong_on_draw", "three_suits", "yao_jiu_mode", "special_kong_counts_suits",
    "special_kong_breaks_li_hu", "piao_hu_special_kong", "shou_ba_yi_counts_concealed_kong",
    "dead_claim", "jia_hu_mode", "hao_hua_mode", "mo_bao_value", "ting_required",
    "ting_needs_conditions", "xuan_feng_tiles", "one_bamboo_wild", "special_kong_source",
    "opening_supplement_robbable", "bao_count", "bao_view_time", "bao_dice", "bao_reroll",
    "reserve_stacks", "final_four",
)

# Values of options that are words, in the order of the ruleset's data; false is FIRST too.
cdef enum:
    PAY_COVER_UNLESS_TING, PAY_THREE, PAY_DISCARDER
cdef enum:
    FIRST, SECOND               # the default, and the other of two

MODES = ("ting",)
BIDS = ()
COUNTERS = ()
SETTLEMENT = ("payer_elements", "fan", "payer_fans")

cdef enum:   # places in the context
    TING, BAO                   # seats that have declared, as bits; 1 + kind of the bao

CONTEXT = {
    "ting": (TING, {"any": (0, 1, 2, 3)}),
    "bao": (BAO, "kind"),
    "loser_melds": (None, "anything"),   # CC-11: whether a loser has opened never matters
}

cdef enum:   # places in Table.game
    BAO_KIND                    # 1 + kind of the active bao
    BAO_SLOT                    # and where it was lifted out of the wall
    USED_STACKS                 # stacks it has lain in, as bits from the wall's end
    FLAGS

cdef enum:   # flags of the table
    NO_BAO_ANY_MORE = 1
    CLAIMED_AFTER_LAST_DRAW = 2

cdef enum:   # place in Seat.note
    SEEN                        # the active bao

cdef enum:
    RED = 31
    ONE_BAMBOO = 18
    ONE_DOTS = 9
    MOST_DOUBLINGS = 40

cdef uint64_t DRAGONS = <uint64_t>7 << RED
# 1 and 9 of the suits, and all honours.
cdef uint64_t TERMINALS = 0x4060301 | <uint64_t>0x7F << 27

# Tiles of the special kongs, from MELD_XUAN_FENG.
cdef uint8_t[4][4] CLASS = [[27, 28, 29, 30], [31, 32, 33, 0], [0, 9, 18, 0], [8, 17, 26, 0]]


# What lies on the table


cdef struct Laid:
    bint chow
    bint set_                   # a pong or any kong
    bint special
    int concealed               # concealed kongs
    bint open_                  # anything that ends a standing hand


cdef void add_laid(const Rules* rules, Laid* laid, int type_of_meld) noexcept nogil:
    if type_of_meld == MELD_CHOW:
        laid.chow = True
    else:
        laid.set_ = True
    if type_of_meld == MELD_KONG_CONCEALED:
        laid.concealed += 1
    elif type_of_meld < MELD_XUAN_FENG:
        laid.open_ = True
    else:
        laid.special = True
        laid.open_ |= rules.option[SPECIAL_BREAKS_LI_HU]


cdef void laid_by(const Rules* rules, const Meld* meld, int n, Laid* laid) noexcept nogil:
    cdef int i
    memset(laid, 0, sizeof(Laid))
    for i in range(n):
        add_laid(rules, laid, meld[i].type)


cdef void laid_with(
    const Rules* rules, const Seat* seat, const Hand* hand, Laid* laid
) noexcept nogil:
    """The melds of a seat, and the one more that a hand under consideration may have."""
    cdef int suit, kind, copies
    cdef int more
    laid_by(rules, seat.meld, seat.hand.melds, laid)
    if hand.melds == seat.hand.melds:
        return
    for suit in range(4):
        more = hand.locked[suit] - seat.hand.locked[suit]
        if more == 0:
            continue
        # The lowest kind of the new meld.
        kind = 9 * suit
        while more % 5 == 0:
            more //= 5
            kind += 1
        copies = more % 5
        if copies > 2:
            if seat.hand.count[kind] - hand.count[kind] == 4:
                add_laid(rules, laid, MELD_KONG_CONCEALED)
            else:
                add_laid(rules, laid, MELD_PONG)
        elif more == 31 and kind < 27:
            add_laid(rules, laid, MELD_CHOW)
        else:
            add_laid(rules, laid, MELD_XUAN_FENG)
        return


# Conditions on a win (section 3.2)


cdef int suits_of(
    const Rules* rules, const Hand* hand, const Meld* meld, int n_melds
) noexcept nogil:
    """Suits of which the hand has tiles, as bits (CC-05, CC-A11).

    Of special kongs those of ones and nines count alone: a bamboo one in another stands for what
    it replaces.
    """
    cdef int suit, i, k, found = 0
    cdef int locked[4]
    for suit in range(4):
        locked[suit] = hand.locked[suit]
    if rules.option[ONE_BAMBOO_WILD] or not rules.option[SPECIAL_COUNTS_SUITS]:
        for i in range(n_melds):
            if meld[i].type < MELD_XUAN_FENG or (
                meld[i].type >= MELD_YAO and rules.option[SPECIAL_COUNTS_SUITS]
            ):
                continue
            for k in range(meld[i].n):
                locked[SUIT[meld[i].tiles[k]]] -= POWER[meld[i].tiles[k]]
    for suit in range(3):
        found |= ((hand.index[suit] | locked[suit]) != 0) << suit
    return found


cdef bint suit_is_laid(
    const Rules* rules, const Seat* seat, const Hand* hand, int suit
) noexcept nogil:
    """Whether the melds alone give the suit."""
    cdef Hand bare
    if hand.locked[suit] == 0:
        return False
    memset(&bare, 0, sizeof(Hand))
    bare.locked[suit] = hand.locked[suit]
    return suits_of(rules, &bare, seat.meld, seat.hand.melds) >> suit & 1


cdef bint has_terminal(const Rules* rules, const Hand* hand) noexcept nogil:
    """A 1 or 9, or any honour (CC-06, CC-07, CC-A33)."""
    cdef int suit
    cdef bint one = False, nine = False
    if hand.index[3] | hand.locked[3]:
        return True
    for suit in range(3):
        one |= hand.index[suit] % 5 != 0 or hand.locked[suit] % 5 != 0
        nine |= hand.index[suit] >= POWER[8] or hand.locked[suit] >= POWER[8]
    if rules.option[YAO_JIU_MODE] == FIRST:
        return one or nine
    return one and nine


cdef bint has_terminal_laid(const Hand* hand) noexcept nogil:
    """A 1, 9 or honour in a meld."""
    cdef int suit
    if hand.locked[3]:
        return True
    for suit in range(3):
        if hand.locked[suit] % 5 or hand.locked[suit] >= POWER[8]:
            return True
    return False


cdef bint is_piao(const Rules* rules, const Laid* laid, const Reading* reading) noexcept nogil:
    """All four sets triplets or kongs (CC-13)."""
    cdef int i
    if reading.shape != SHAPE_STANDARD or laid.chow:
        return False
    if laid.special and not rules.option[PIAO_HU_SPECIAL]:
        return False
    for i in range(reading.n_sets):
        if reading.set_type[i] == MELD_CHOW:
            return False
    return True


cdef int reading_is_legal(
    const Rules* rules, const Laid* laid, int n_melds, const Reading* reading
) noexcept nogil:
    """The triplet rule and the single-tile rule (CC-08, CC-09, CC-12): a Reason."""
    cdef int i
    cdef bint cha = laid.set_ or reading.shape != SHAPE_STANDARD or reading.pair >= RED
    for i in range(reading.n_sets):
        cha = cha or reading.set_type[i] == MELD_PONG
    if not cha:
        return NO_TRIPLET
    if n_melds == 4 and not is_piao(rules, laid, reading):
        if laid.concealed == 0 or not rules.option[COUNTS_CONCEALED_KONG]:
            return SINGLE_TILE
    return LEGAL


cdef int hand_is_legal(
    const Rules* rules, const Hand* hand, const Meld* meld, int n_melds
) noexcept nogil:
    """Suits and terminals, the same in every reading: a Reason."""
    if rules.option[THREE_SUITS] == FIRST and suits_of(rules, hand, meld, n_melds) != 7:
        return SUIT_MISSING
    if not has_terminal(rules, hand):
        return NO_TERMINAL
    return LEGAL


cdef uint64_t winning(
    const Rules* rules, const Tables* tables, const Hand* hand, const Meld* meld, int n_melds,
    const Laid* laid, uint64_t live
) noexcept nogil:
    """Those waits of a hand between turns that make a legal win."""
    cdef Reading reading[32]
    cdef Hand whole
    cdef uint64_t left = live, legal = 0
    cdef int kind, i, n
    while left:
        kind = lowest_bit(left)
        left &= left - 1
        whole = hand[0]
        hand_add(&whole, kind)
        if hand_is_legal(rules, &whole, meld, n_melds) != LEGAL:
            continue
        n = readings(tables, &whole, rules.shapes, reading, 32)
        for i in range(n):
            if reading_is_legal(rules, laid, whole.melds, &reading[i]) == LEGAL:
                legal |= <uint64_t>1 << kind
                break
    return legal


cdef uint64_t legal_waits(
    const Table* table, int number, const Hand* hand, uint64_t live
) noexcept nogil:
    cdef const Seat* seat = &table.seat[number]
    cdef Laid laid
    laid_with(table.rules, seat, hand, &laid)
    return winning(
        table.rules, table.tables, hand, seat.meld, seat.hand.melds, &laid, live
    )


cdef struct Held:
    uint64_t one                # kinds of which one copy or more is concealed
    uint64_t two                # two or more
    uint64_t three
    uint64_t four


cdef inline void count_kinds(const Hand* hand, Held* held) noexcept nogil:
    cdef uint64_t ones = kinds_by_count(hand, 0)
    cdef uint64_t twos = kinds_by_count(hand, 1)
    held.four = kinds_by_count(hand, 2)
    held.three = ones & twos | held.four
    held.two = twos | held.four
    held.one = ones | held.two


cdef inline uint64_t lone_tile(const Held* held, uint64_t kinds) noexcept nogil:
    """The kind if only one tile of these kinds is held."""
    kinds &= held.one
    return kinds if kinds & (kinds - 1) == 0 and not kinds & held.two else 0


cdef int terminal_handicap(
    const Rules* rules, const Hand* hand, const Held* held, uint64_t* last
) noexcept nogil:
    """1 without the terminals that a win needs; else the kinds whose one tile they hang on."""
    cdef uint64_t kinds = held.one & TERMINALS, kind
    cdef Hand bare
    last[0] = 0
    if rules.option[YAO_JIU_MODE] == FIRST:
        if hand.melds and has_terminal_laid(hand):
            return 0
        last[0] = lone_tile(held, TERMINALS)
        return kinds == 0
    if not has_terminal(rules, hand):
        return 1
    while kinds:
        kind = kinds & (0 - kinds)
        kinds ^= kind
        if kind & held.two:
            continue
        bare = hand[0]
        hand_remove(&bare, lowest_bit(kind))
        if not has_terminal(rules, &bare):
            last[0] |= kind
    return 0


cdef int suit_handicap(
    const Rules* rules, const Seat* seat, const Hand* hand, const Held* held, uint64_t* last
) noexcept nogil:
    """2 for every suit that is missing; and the kinds that are the only tile of theirs."""
    cdef int suit, far = 0
    cdef uint64_t kinds
    last[0] = 0
    if rules.option[THREE_SUITS] != FIRST:
        return 0
    for suit in range(3):
        kinds = held.one & <uint64_t>0x1FF << (9 * suit)
        if kinds & (kinds - 1) or kinds & held.two:
            continue
        # No tile of the suit is concealed, or one.
        if not suit_is_laid(rules, seat, hand, suit):
            last[0] |= kinds
            far += 2 * (kinds == 0)
    return far


cdef int handicap(
    const Table* table, int number, const Hand* hand, uint64_t* dearer
) noexcept nogil:
    """How far a hand is from the conditions: a missing suit 2, no terminal 1, pairs for a triplet.

    A triplet grows out of one of two pairs, the other being the hand's pair. An estimate; the
    waits of a ready hand are exact.
    """
    cdef const Rules* rules = table.rules
    cdef const Seat* seat = &table.seat[number]
    cdef Laid laid
    cdef Held held
    cdef int far, pairs, triplets
    cdef uint64_t alone, terminal, pair, dragons
    count_kinds(hand, &held)
    far = suit_handicap(rules, seat, hand, &held, &alone)
    far += terminal_handicap(rules, hand, &held, &terminal)
    dearer[0] = terminal & ~alone
    dearer[1] = alone & ~terminal
    dearer[2] = alone & terminal
    if hand.melds:
        laid_with(rules, seat, hand, &laid)
        if laid.set_:
            return far
    pair = held.two & ~held.three
    dragons = pair & DRAGONS
    pairs = popcount(pair)
    triplets = popcount(held.three) + popcount(dragons)
    if triplets > 1:
        return far
    if triplets == 0:
        if pairs <= 2:
            dearer[0] |= pair
            far += 2 - pairs
    elif held.three:
        # Of four alike one may go, and three dragons leave a pair of them.
        if pairs == 0:
            dearer[0] |= held.three & ~held.four & ~DRAGONS
    elif pairs == 2:
        dearer[0] |= dragons
    elif pairs == 1:
        dearer[1] |= dragons
    return far


# Fans


cdef bint closes(const Reading* reading, int tile, bint wide) noexcept nogil:
    """Whether the tile closes a group of the reading (CC-A23)."""
    cdef int i, run
    if wide and reading.pair == tile:
        return True
    for i in range(reading.n_sets):
        if reading.set_type[i] != MELD_CHOW:
            continue
        run = reading.set_kind[i]
        if tile == run + 1:
            return True
        if wide and (run % 9 == 0 and tile == run + 2 or run % 9 == 6 and tile == run):
            return True
    return False


cdef int64_t hand_fans(
    const Rules* rules, const Tables* tables, const Hand* hand, const Win* win, const Laid* laid,
    int tile, int64_t* value, int* reason
) noexcept nogil:
    """Fans of the best legal reading of a complete hand; `reason` says whether there is one."""
    cdef Reading reading[32]
    cdef int64_t candidate[N_ELEMENTS]
    cdef int64_t total, best = 0
    cdef int n, i, k, element, legal
    cdef bint found = False, standing = not laid.open_
    cdef int alone = -1     # whether the tile is the only wait: not yet known
    cdef Hand before
    reason[0] = NOT_COMPLETE
    n = readings(tables, hand, rules.shapes, reading, 32)
    if n == 0:
        return 0
    reason[0] = hand_is_legal(rules, hand, win.meld, win.hand.melds)
    if reason[0] != LEGAL:
        return 0
    for i in range(n):
        legal = reading_is_legal(rules, laid, hand.melds, &reading[i])
        if legal != LEGAL:
            if not found:
                reason[0] = legal
            continue
        memset(candidate, 0, sizeof(candidate))
        if reading[i].shape != SHAPE_STANDARD:
            k = hand.count[tile]
            if rules.option[HAO_HUA_MODE] != FIRST:
                for element in range(N_KINDS):
                    k = max(k, <int>hand.count[element])
            element = HAO_HUA_QI_DUI if k == 4 else QI_DUI
            candidate[element] = rules.value[element]
        else:
            if standing:
                candidate[LI_HU] = rules.value[LI_HU]
            if is_piao(rules, laid, &reading[i]):
                candidate[PIAO_HU] = rules.value[PIAO_HU]
            elif hand.count[tile] == 0:
                pass        # the last dealt tile lies in a special kong
            elif closes(&reading[i], tile, rules.option[JIA_HU_MODE] == FIRST):
                candidate[JIA_HU] = rules.value[JIA_HU]
            elif rules.option[JIA_HU_MODE] == FIRST:
                if alone < 0:
                    before = hand[0]
                    hand_remove(&before, tile)
                    alone = popcount(winning(
                        rules, tables, &before, win.meld, win.hand.melds, laid,
                        waits(tables, &before, rules.shapes),
                    )) == 1
                if alone:
                    candidate[JIA_HU] = rules.value[JIA_HU]
        if rules.option[THREE_SUITS] != FIRST and not (hand.index[3] | hand.locked[3]):
            if suits_present(hand) == 1:
                candidate[QING_YI_SE] = rules.value[QING_YI_SE]
        total = 0
        for element in range(N_ELEMENTS):
            total += candidate[element]
        if not found or total > best:
            found = True
            reason[0] = LEGAL
            best = total
            memcpy(value, candidate, sizeof(candidate))
    return best


cdef bint draws_bao(const Rules* rules, const Win* win) noexcept nogil:
    return (
        (win.by == BY_SELF_DRAW or win.by == BY_KONG_DRAW)
        and win.context[BAO] == win.tile + 1
        and win.context[TING] >> win.winner & 1
    )


cdef int64_t mo_bao_fans(
    const Rules* rules, const Tables* tables, const Win* win, const Laid* laid, int64_t* value,
    bint* ready
) noexcept nogil:
    """Fans of the best legal wait of the hand that drew the bao (CC-A25)."""
    cdef int64_t candidate[N_ELEMENTS]
    cdef int64_t total, best = 0
    cdef int kind, reason
    cdef bint found = False
    cdef Hand before = win.hand
    cdef Hand whole
    cdef uint64_t live
    hand_remove(&before, win.tile)
    live = winning(
        rules, tables, &before, win.meld, win.hand.melds, laid,
        waits(tables, &before, rules.shapes),
    )
    ready[0] = live != 0
    if live and rules.option[MO_BAO_VALUE] != FIRST:
        live = 0
        if not laid.open_:
            value[LI_HU] = rules.value[LI_HU]
            best = value[LI_HU]
    while live:
        kind = lowest_bit(live)
        live &= live - 1
        whole = before
        hand_add(&whole, kind)
        total = hand_fans(rules, tables, &whole, win, laid, kind, candidate, &reason)
        if not found or total > best:
            found = True
            best = total
            memcpy(value, candidate, sizeof(candidate))
    value[MO_BAO] = rules.value[MO_BAO]
    return best + value[MO_BAO]


cdef int64_t share_of(const Rules* rules, int64_t fans) noexcept nogil:
    """What a payer owes for so many fans (CC-A01)."""
    if rules.option[FAN_MODE] != FIRST:
        return <int64_t>rules.option[STAKE] * (1 + fans)
    return <int64_t>rules.option[STAKE] << min(max(fans, 0), MOST_DOUBLINGS)


cdef inline int64_t capped(const Rules* rules, int64_t fans) noexcept nogil:
    if 0 <= rules.option[FAN_CAP] < fans:
        return rules.option[FAN_CAP]
    return fans


cdef void settle(const Rules* rules, const Win* win, bint on_discard, Settlement* out) noexcept nogil:
    """Every loser's share, and who bears it (section 4.2 and 4.3)."""
    cdef int payer, bearer
    cdef int64_t fans, share
    cdef bint covers = False
    if on_discard:
        covers = rules.option[DISCARD_PAYMENT] == PAY_DISCARDER or (
            rules.option[DISCARD_PAYMENT] == PAY_COVER_UNLESS_TING
            and not win.context[TING] >> win.discarder & 1
        )
    for payer in range(N_SEATS):
        if payer == win.winner:
            continue
        fans = out.fan
        if payer == win.dealer or win.winner == win.dealer:
            out.payer_value[payer][ZHUANG] = rules.value[ZHUANG]
            fans += rules.value[ZHUANG]
        if on_discard and payer == win.discarder:
            out.payer_value[payer][DIAN_PAO] = rules.value[DIAN_PAO]
            fans += rules.value[DIAN_PAO]
        fans = capped(rules, fans)
        out.payers |= <uint8_t>(1 << payer)
        out.payer_fan[payer] = fans
        share = share_of(rules, fans)
        bearer = win.discarder if covers else payer
        out.pay[bearer] -= share
        out.pay[win.winner] += share


cdef int score(
    const Rules* rules, const Tables* tables, const Win* win, Settlement* out
) noexcept nogil:
    """Best reading by fans (section 4), and who pays it."""
    cdef Laid laid
    cdef int64_t value[N_ELEMENTS]
    cdef int64_t other[N_ELEMENTS]
    cdef int64_t fans, more
    cdef int reason, element
    cdef bint ready = False
    cdef bint robbed_as_draw = win.by == BY_ROB_KONG and rules.option[ROB_KONG_AS] != FIRST
    cdef bint on_discard = on_another(win) and not robbed_as_draw
    memset(out, 0, sizeof(Settlement))
    memset(value, 0, sizeof(value))
    if dealt_to_another(win):
        return NOT_DEALER
    if (
        win.by != BY_DEALT and rules.option[TING_REQUIRED]
        and not win.context[TING] >> win.winner & 1
    ):
        return NOT_DECLARED
    if win.by == BY_BAO_VIEW:
        if not win.context[TING] >> win.winner & 1 or win.context[BAO] != win.tile + 1:
            return NO_SUCH_WIN
    elif not (on_discard or robbed_as_draw or win.by in (BY_SELF_DRAW, BY_KONG_DRAW, BY_DEALT)):
        return NO_SUCH_WIN
    laid_by(rules, win.meld, win.hand.melds, &laid)
    fans = hand_fans(rules, tables, &win.hand, win, &laid, win.tile, value, &reason)
    if win.by == BY_BAO_VIEW:
        value[CHONG_BAO] = rules.value[CHONG_BAO]
        fans += value[CHONG_BAO]
    elif draws_bao(rules, win):
        memset(other, 0, sizeof(other))
        more = mo_bao_fans(rules, tables, win, &laid, other, &ready)
        if ready and (reason != LEGAL or more > fans):
            reason = LEGAL
            fans = more
            value = other
    if reason != LEGAL:
        return reason
    if not on_discard:
        value[ZI_MO] = rules.value[ZI_MO]
        fans += value[ZI_MO]
    for element in range(N_ELEMENTS):
        out.value[element] = value[element]
    out.fan = fans
    out.base_total = rules.option[STAKE]
    out.multiplier = share_of(rules, capped(rules, fans)) // rules.option[STAKE]
    settle(rules, win, on_discard, out)
    return LEGAL


cdef void context(const Table* table, Win* win) noexcept nogil:
    cdef int number
    for number in range(N_SEATS):
        if table.seat[number].mode:
            win.context[TING] |= 1 << number
    # A declaration that comes with the fatal discard has not taken effect.
    if win.by == BY_DISCARD and table.seat[win.discarder].mode_at_discard == 0:
        win.context[TING] &= ~(1 << win.discarder)
    if table.seat[win.winner].note[SEEN]:
        win.context[BAO] = table.game[BAO_KIND]


# Kongs


cdef bint is_big_egg(int kind) noexcept nogil:
    """CC-50."""
    return kind == ONE_BAMBOO or kind == ONE_DOTS or kind >= RED


cdef void kong_pay(
    const Rules* rules, int seat, const Meld* meld, bint supplement, int64_t* pay
) noexcept nogil:
    """Section 4.4."""
    cdef int64_t stakes = 1
    cdef int payer, bearer
    if meld.type < MELD_XUAN_FENG and not supplement:
        stakes = 2 if meld.type == MELD_KONG_CONCEALED else 1
        if is_big_egg(meld.kind):
            stakes *= 2
    stakes *= rules.option[STAKE]
    for payer in range(N_SEATS):
        if payer == seat:
            continue
        bearer = payer
        if meld.type == MELD_KONG_EXPOSED and rules.option[EXPOSED_KONG_PAYER] != FIRST:
            bearer = meld.source
        pay[bearer] -= stakes
        pay[seat] += stakes


cdef int size_of_special(const Rules* rules, int type_of_meld) noexcept nogil:
    """Tiles of a special kong when it is shown (CC-46..49, CC-A06)."""
    if type_of_meld == MELD_XUAN_FENG and rules.option[XUAN_FENG_TILES] == FIRST:
        return 4
    return 3


cdef int others_of(int which) noexcept nogil:
    """Kinds of a special kong but the bamboo one, which stands for itself in `yao` alone."""
    return 4 if which == 0 else 2 if which == 2 else 3


cdef bint holds_special(const Rules* rules, int which, const uint8_t* held) noexcept nogil:
    """Whether tiles hold a special kong, counted from `xuan_feng` (CC-46..49)."""
    cdef int k, n = 0, ones = held[ONE_BAMBOO]
    if not rules.option[ONE_BAMBOO_WILD]:
        ones = which == 2 and ones > 0
    for k in range(others_of(which)):
        n += held[CLASS[which][k]] > 0
    return n > 0 and n + ones >= size_of_special(rules, MELD_XUAN_FENG + which)


cdef void after_deal(Table* table) noexcept nogil:
    cdef int number, which
    for number in range(N_SEATS):
        memcpy(table.seat[number].dealt, table.seat[number].hand.count, N_KINDS)
        for which in range(4):
            if holds_special(table.rules, which, table.seat[number].dealt):
                table.dealt_special_kongs[number] |= 1 << which


cdef void on_kong(Table* table, int number, const Meld* meld) noexcept nogil:
    """Keep count of the dealt tiles through the first turn: they go before those drawn."""
    cdef Seat* seat = &table.seat[number]
    cdef int i, first = 0
    if seat.n_turns > 1:
        return
    if meld.type < MELD_XUAN_FENG:
        seat.dealt[meld.kind] = 0
        return
    if meld.n > size_of_special(table.rules, meld.type):
        first = meld.n - 1
    for i in range(first, meld.n):
        if seat.dealt[meld.tiles[i]]:
            seat.dealt[meld.tiles[i]] -= 1


cdef bint lies(const Seat* seat, int type_of_meld) noexcept nogil:
    cdef int i
    for i in range(seat.hand.melds):
        if seat.meld[i].type == type_of_meld:
            return True
    return False


cdef int specials(const Table* table, int number, Special* out) noexcept nogil:
    """Special kongs that may be shown (CC-46..49, CC-51): every choice of tiles."""
    cdef const Seat* seat = &table.seat[number]
    cdef const Rules* rules = table.rules
    cdef const uint8_t* held = seat.dealt
    cdef int which, size, n_class, choice, k, n, ones, found = 0
    cdef bint fits
    if seat.n_turns != 1 - rules.specials_after_deal or seat.mode or seat.hand.melds == 4:
        return 0
    if rules.option[SPECIAL_KONG_SOURCE] != FIRST:
        held = seat.hand.count
    for which in range(4):
        if lies(seat, MELD_XUAN_FENG + which):
            continue
        size = size_of_special(rules, MELD_XUAN_FENG + which)
        if size > 3 and not may_draw(table, True):
            continue
        if not holds_special(rules, which, held):
            continue
        n_class = others_of(which)
        for choice in range(1, 1 << n_class):
            ones = size - popcount(choice)
            if ones < 0 or ones > held[ONE_BAMBOO]:
                continue
            if not rules.option[ONE_BAMBOO_WILD] and ones != (which == 2):
                continue
            fits = True
            n = 0
            for k in range(n_class):
                if choice >> k & 1:
                    fits = fits and held[CLASS[which][k]] > 0
                    out[found].tiles[n] = CLASS[which][k]
                    n += 1
            if not fits:
                continue
            while n < size:
                out[found].tiles[n] = ONE_BAMBOO
                n += 1
            out[found].type = <uint8_t>(MELD_XUAN_FENG + which)
            out[found].n = <uint8_t>size
            found += 1
    return found


cdef uint64_t class_of(const Rules* rules, int type_of_meld) noexcept nogil:
    """Kinds that may be added to a special kong."""
    cdef int k, which = type_of_meld - MELD_XUAN_FENG
    cdef uint64_t kinds = 0
    for k in range(4 if which == 0 else 3):
        kinds |= <uint64_t>1 << CLASS[which][k]
    if rules.option[ONE_BAMBOO_WILD]:
        kinds |= <uint64_t>1 << ONE_BAMBOO
    return kinds


cdef bint waits_stay(const Table* table, const Seat* seat, int which, int kind) noexcept nogil:
    """Whether a declared hand keeps its waits when it adds a tile to a special kong (CC-21)."""
    cdef Hand after = seat.hand
    cdef Meld meld[4]
    cdef Laid laid
    cdef int i
    if table.rules.kong_after_declaring == KONG_NEVER:
        return False
    hand_remove(&after, kind)
    hand_lock(&after, kind)
    for i in range(seat.hand.melds):
        meld[i] = seat.meld[i]
    meld[which].tiles[meld[which].n] = <uint8_t>kind
    meld[which].n += 1
    laid_by(table.rules, meld, after.melds, &laid)
    return winning(
        table.rules, table.tables, &after, meld, after.melds, &laid,
        waits(table.tables, &after, table.rules.shapes),
    ) == seat.waits


cdef void own_turn(const Table* table, int number, Turn* turn) noexcept nogil:
    """Special kongs in the first turn, supplements from then on (CC-46..54)."""
    cdef const Seat* seat = &table.seat[number]
    cdef Special special[MAX_SPECIALS]
    cdef uint64_t kinds
    cdef int i, kind
    if seat.n_turns == 1 and not table.rules.specials_after_deal:
        turn.specials = <uint8_t>specials(table, number, special)
    if turn.claimed or (seat.n_turns == 1 and number == table.carried.dealer):
        return
    for i in range(seat.hand.melds):
        if seat.meld[i].type < MELD_XUAN_FENG or not may_draw(table, True):
            continue
        kinds = class_of(table.rules, seat.meld[i].type)
        if seat.mode:
            kinds &= <uint64_t>1 << turn.tile
            if kinds and not waits_stay(table, seat, i, turn.tile):
                kinds = 0
        for kind in range(N_KINDS):
            if kinds >> kind & 1 and seat.hand.count[kind]:
                turn.supplements[seat.meld[i].type - MELD_XUAN_FENG] |= <uint64_t>1 << kind


cdef bint may_rob(const Table* table, int number, int kind) noexcept nogil:
    """Tiles that were dealt and are added in the first turn are safe (CC-54, CC-A27)."""
    cdef const Seat* seat = &table.seat[number]
    return (
        table.rules.option[SUPPLEMENT_ROBBABLE] or seat.n_turns > 1 or seat.dealt[kind] == 0
    )


# Claims


cdef void may_claim(const Table* table, int number, Claim* claim) noexcept nogil:
    """The end of the wall (section 1.6) and hands that could no longer win (CC-12, CC-A29)."""
    cdef const Seat* seat = &table.seat[number]
    cdef Laid laid
    if not may_draw(table, False):
        claim.kong = 0
        if table.game[FLAGS] & CLAIMED_AFTER_LAST_DRAW:
            claim.pong = 0
            claim.chows = 0
    if seat.hand.melds != 3 or table.rules.option[DEAD_CLAIM] != FIRST:
        return
    laid_by(table.rules, seat.meld, 3, &laid)
    if laid.concealed and table.rules.option[COUNTS_CONCEALED_KONG]:
        return
    claim.chows = 0
    if laid.chow:
        claim.pong = 0
        claim.kong = 0


cdef void after_draw(Table* table, int number, int by) noexcept nogil:
    # A bao laid back may have made one more draw possible.
    table.game[FLAGS] &= ~<int64_t>CLAIMED_AFTER_LAST_DRAW


cdef void on_claim(Table* table, int number, const Meld* meld) noexcept nogil:
    cdef Seat* seat = &table.seat[number]
    if seat.n_turns == 0:
        memcpy(seat.dealt, seat.hand.count, N_KINDS)
    if not may_draw(table, False):
        table.game[FLAGS] |= CLAIMED_AFTER_LAST_DRAW


cdef void on_discard(Table* table, int number, int kind, bint declined_win) noexcept nogil:
    table.tally[kind] += 1


# The wall


cdef bint may_draw(const Table* table, bint tail) noexcept nogil:
    """Whole stacks stay, a lone tail tile not counted (section 1.6)."""
    cdef int left = wall_left(&table.wall)
    cdef int odd = table.wall.tail & 1
    cdef int reserve = 2 * table.rules.option[RESERVE_STACKS]
    if reserve == 0:
        return left > (table.game[BAO_KIND] != 0)
    if tail:
        return left - 1 - (1 - odd) >= reserve
    return left - odd > reserve


cdef bint last_round(const Table* table) noexcept nogil:
    """Section 1.7."""
    return table.rules.option[FINAL_FOUR] != FIRST and (
        wall_left(&table.wall) - (table.wall.tail & 1) <= 18
    )


cdef void exhausted(Table* table) noexcept nogil:
    if table.rules.option[KONG_ON_DRAW] != FIRST:
        memset(table.kong_pay, 0, sizeof(table.kong_pay))


# Ting and bao


cdef int modes(const Table* table, int number, const Hand* hand, uint64_t live) noexcept nogil:
    """Ting for any hand with a legal wait (section 2.5, CC-A19)."""
    cdef const Seat* seat = &table.seat[number]
    if table.rules.option[TING_NEEDS_CONDITIONS] and hand_is_legal(
        table.rules, hand, seat.meld, seat.hand.melds
    ) != LEGAL:
        return 0
    return 1 << 1


cdef int visible(const Table* table, int kind) noexcept nogil:
    """Copies that have been played (CC-23, CC-A13)."""
    if table.rules.option[BAO_COUNT] != FIRST:
        return table.tally[kind]
    return 4 - table.unseen[kind]


cdef void drop_bao(Table* table) noexcept nogil:
    """Put the bao back into its slot; nobody has seen what comes."""
    cdef int number
    if table.game[BAO_KIND]:
        wall_put_back(&table.wall, <int>table.game[BAO_SLOT])
        table.game[BAO_KIND] = 0
    for number in range(N_SEATS):
        table.seat[number].note[SEEN] = 0


cdef void roll_bao(Table* table, bint again, int viewers) noexcept nogil:
    """Throw the dice and lift the upper tile of that stack from the wall's end (CC-19, CC-23)."""
    cdef int slot[13]
    cdef int dice[2]
    cdef int n_dice = table.rules.option[BAO_DICE]
    cdef int most = 6 * n_dice
    cdef int n = 0, index, number, total
    cdef uint64_t fit = 0, thrown = 0
    drop_bao(table)
    index = table.wall.size - 2
    while n < most and index >= 0:
        if not table.wall.gone[index] and not table.wall.gone[index + 1]:
            n += 1
            slot[n] = index
            if (
                not table.game[USED_STACKS] >> (table.wall.size - 2 - index) // 2 & 1
                and visible(table, table.wall.tile[index]) < 3
                and n >= n_dice
            ):
                fit |= <uint64_t>1 << n
        index -= 2
    if fit == 0:
        table.game[FLAGS] |= NO_BAO_ANY_MORE
        emit(table, EV_BAO, NO_SEAT, NO_KIND, 0, NO_SEAT, -1, again, 0)
        return
    while True:
        total = 0
        for number in range(n_dice):
            dice[number] = roll(table)
            total += dice[number]
        if fit >> total & 1:
            break
    index = slot[total]
    for number in range(n_dice):
        thrown |= <uint64_t>dice[number] << (8 * number)
    wall_lift(&table.wall, index)
    table.game[BAO_KIND] = table.wall.tile[index] + 1
    table.game[BAO_SLOT] = index
    table.game[USED_STACKS] |= <int64_t>1 << (table.wall.size - 2 - index) // 2
    for number in range(N_SEATS):
        table.seat[number].note[SEEN] = viewers >> number & 1
    emit(
        table, EV_BAO, NO_SEAT, table.wall.tile[index], viewers, n_dice, index, again, thrown
    )


cdef int look(Table* table, int number) noexcept nogil:
    """Let a ting player look at the bao: its bit if there is one."""
    if table.game[BAO_KIND] == 0:
        return 0
    table.seat[number].note[SEEN] = 1
    emit(
        table, EV_BAO_VIEW, number, <int>table.game[BAO_KIND] - 1, 0, NO_SEAT, -1, 0, 0
    )
    return 1 << number


cdef int sight(Table* table, int to_move, int moment, int* tile) noexcept nogil:
    """The bao: who sees it anew, and of these who waits for it (section 2.5)."""
    cdef bint at_ting = table.rules.option[BAO_VIEW_TIME] == FIRST
    cdef bint by_choice = table.rules.option[BAO_REROLL] != FIRST
    cdef bint spent
    cdef int number, ting = 0, viewers = 0, winners = 0
    for number in range(N_SEATS):
        ting |= (table.seat[number].mode != 0) << number
    if ting == 0:
        return 0
    spent = table.game[BAO_KIND] and visible(table, <int>table.game[BAO_KIND] - 1) >= 3
    if spent and by_choice:
        spent = (
            moment == BEFORE_DRAW and table.seat[to_move].note[SEEN]
            and table.policy[to_move].bao(table, to_move)
        )
    number = (to_move + 3) & 3
    if spent:
        viewers = ting if at_ting else 0
        roll_bao(table, True, viewers)
    elif moment == AFTER_DISCARD:
        if table.seat[number].mode and table.seat[number].mode_at_discard == 0:
            if table.game[BAO_KIND] == 0 and not table.game[FLAGS] & NO_BAO_ANY_MORE:
                viewers = 1 << number if at_ting else 0
                roll_bao(table, False, viewers)
            elif at_ting:
                viewers = look(table, number)
    if moment == BEFORE_DRAW and not at_ting and ting >> to_move & 1:
        if not table.seat[to_move].note[SEEN]:
            viewers |= look(table, to_move)
    if table.game[BAO_KIND] == 0:
        return 0
    tile[0] = <int>table.game[BAO_KIND] - 1
    for number in range(N_SEATS):
        if viewers >> number & 1 and table.seat[number].waits >> tile[0] & 1:
            winners |= 1 << number
    return winners


cdef bint wins_anyway(const Table* table, int number, int by, int tile) noexcept nogil:
    """A ting player who draws the bao that it has seen (mo bao)."""
    return (
        table.seat[number].note[SEEN] and tile + 1 == table.game[BAO_KIND]
        and (by == BY_SELF_DRAW or by == BY_KONG_DRAW)
    )


cdef Hooks hooks
hooks.after_deal = after_deal
hooks.after_draw = after_draw
hooks.may_draw = may_draw
hooks.last_round = last_round
hooks.legal_waits = legal_waits
hooks.handicap = handicap
hooks.modes = modes
hooks.own_turn = own_turn
hooks.specials = specials
hooks.may_rob = may_rob
hooks.on_discard = on_discard
hooks.sight = sight
hooks.may_claim = may_claim
hooks.on_claim = on_claim
hooks.on_kong = on_kong
hooks.kong_pay = kong_pay
hooks.wins_anyway = wins_anyway
hooks.context = context
hooks.score = score
hooks.exhausted = exhausted
HOOKS = PyCapsule_New(&hooks, b"mjstats.Hooks", NULL)
