"""Yiwu mahjong (義烏麻將): wild tiles, thrown wilds, guarantors, stakes that grow with the dealer.

Clause ids (YW-..) are those of the specification; see also mjstats/rulesets/catalog/yiwu.toml.
Tiles come as they are played: the face of the wild tiles means whites, WILD the wild tiles.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

from cython_core._hand cimport (
    Hand, Tables, complete, hand_add, hand_remove, hand_remove_wild, missing_sets, shanten,
)
from cython_core._rules cimport (
    LEGAL, LEVEL_TOO_LOW, MAX_HANDICAP, NOT_COMPLETE, NOT_DEALER, NO_SUCH_WIN, SELF_DRAW_ONLY,
    Carried, Claim, Hooks, Meld, Outcome, Rules, Settlement, Table, Turn, Win,
)
from cython_core._score cimport dealt_to_another, on_another, opened
from cython_core._table cimport take_bid
from cython_core._types cimport (
    BY_BAO_VIEW, BY_DISCARD, BY_FLOWER_DRAW, BY_KONG_DRAW, BY_ROB_KONG, MELD_KONG_EXPOSED, NO_KIND,
    N_SEATS, SHAPE_PAIRS_DISTINCT, SHAPE_PAIRS_QUADS, WILD, int64_t, uint64_t,
)
from cython_core._wall cimport wall_left

cdef enum:   # elements
    FANG_CHONG, ZI_MO, QIANG_GANG, CAI_SHEN_TOU, GANG_KAI, DAN_PIAO, PIAO_GANG, SHUANG_PIAO
    N_ELEMENTS

ELEMENTS = (
    "fang_chong", "zi_mo", "qiang_gang", "cai_shen_tou", "gang_kai", "dan_piao", "piao_gang",
    "shuang_piao",
)

cdef enum:   # options
    WILD_HEAD_DISCARD_WIN, DOUBLE_PIAO_NEEDS_THREE, LONE_WILD_DISCARD, BAO_FAIL, FEED_COUNTS_KONG
    FEED_THREE_BEFORE, ROB_KONG_PAYER, SELF_DRAW_NEEDS_CLOSED, STACK_KONG_HEAD, THREE_WILDS_KONG_OK
    DOUBLE_PIAO_KONG_OK, RESERVE_PARTIAL_STACK, MAI_MODE, MAI_TIME, MAI_VALUE, XIA_DOUBLE_ON_DRAW
    XIA_CAP, XIA_PARTIAL, DOUBLE_PIAO_DRAW_PENALTY, BASE_DEALER, BASE_OTHER, BASE_MODE
    DISCARDER_EXTRA, MULTI_GUARANTOR

OPTIONS = (
    "wild_head_discard_win", "double_piao_needs_three", "lone_wild_discard", "bao_fail",
    "feed_counts_kong", "feed_three_before", "rob_kong_payer", "self_draw_needs_closed",
    "stack_kong_head", "three_wilds_kong_ok", "double_piao_kong_ok", "reserve_partial_stack",
    "mai_mode", "mai_time", "mai_value", "xia_double_on_draw", "xia_cap", "xia_partial",
    "double_piao_draw_penalty", "base_dealer", "base_other", "base_mode", "discarder_extra",
    "multi_guarantor",
)

cdef enum:   # values of the options that have words
    CLAIMABLE = 1
    FORBIDDEN = 2
    FEEDER_WINS_DOUBLE = 1
    ANY_FAIL = 2
    COUNTED = 1
    INDICATOR_STACK = 2
    BY_WINNER = 1
    BY_PAYER = 2

MODES = ()

cdef enum:   # bids
    BID_MAI, BID_XIA, BID_PIAO

BIDS = ("mai", "xia", "piao")

cdef enum:   # counters; MAI and XIA take four places each
    MAI = 0
    XIA = 4
    LAST = 8
    REPEAT = 9

COUNTERS = (
    "mai_0", "mai_1", "mai_2", "mai_3", "xia_0", "xia_1", "xia_2", "xia_3", "last", "repeat",
)
CARRIED = {
    "mai": (MAI, "count", 4),
    "xia": (XIA, "count", 4),
    "last": (LAST, "count or none"),
    "repeat": (REPEAT, "count"),
}

cdef enum:   # places in the context
    PIAO = 0            # counters, one a seat
    PIAO_PLACE = 4      # who was the first to piao (1), the second, ...; one a seat
    WIN_MAI = 8
    WIN_XIA = 12
    FEEDS = 16          # melds that a seat (column) fed to a piao player (row) since its piao
    FEEDS_BEFORE = 32   # and before
    FIRST_FEED = 48     # 1 + seat that was the first to feed each piao player

CONTEXT = {
    "wild": (None, "kind"),
    "piao": (PIAO, (0, 1, 2), 4),
    "mai": (WIN_MAI, "count", 4),
    "xia": (WIN_XIA, "count", 4),
    "shape": (None, ("ping_hu", "qi_dui", "shi_san_bu_kao")),
    "feeds": (FEEDS, "to by", 16),
}

cdef enum:   # places in Seat.note
    NOTE_PIAO = 0       # the counter; bit 8: the first was thrown from three wild tiles
    NOTE_PLACE = 1
    NOTE_FEEDS = 2      # one byte a seat, those before the piao in the upper half
    NOTE_FIRST = 3

cdef enum:   # places in Table.game
    GAME_PIAOS = 0      # players who have made a piao
    GAME_CLAIMED = 1    # the turn was entered by a claim


# Bids: buying and placing (section 4.6)


cdef enum:
    MOST_PARTS = 1000       # greatest amount that may be placed in parts
    MOST_PLACED = 1 << 30   # without a limit of the rules, so that settlements stay exact


cdef int64_t limited(const Rules* rules, int64_t xia) noexcept nogil:
    cdef int64_t cap = rules.option[XIA_CAP]
    return min(xia, cap if cap >= 0 else MOST_PLACED)


cdef void before_deal(Table* table) noexcept nogil:
    cdef const Rules* rules = table.rules
    cdef int64_t* counter = table.carried.counter
    cdef int64_t amounts[MOST_PARTS + 1]
    cdef int64_t last = counter[LAST], xia
    cdef bint doubles = last > 0
    cdef int i, k, seat, n
    if rules.option[XIA_DOUBLE_ON_DRAW] and counter[REPEAT] and last == 0:
        # The same dealer without a win: the deal before was drawn.
        doubles = True
    for i in range(N_SEATS):
        seat = (table.carried.dealer + i) & 3
        amounts[0] = counter[MAI + seat]
        amounts[1] = rules.option[MAI_VALUE]
        n = 2 if amounts[0] == 0 and not (rules.option[MAI_TIME] and counter[REPEAT]) else 1
        counter[MAI + seat] = take_bid(table, seat, BID_MAI, amounts, n)
    for i in range(N_SEATS):
        seat = (table.carried.dealer + i) & 3
        xia = counter[XIA + seat]
        if xia > 0 or last == 0 or i == 0:
            amounts[0] = limited(rules, 2 * xia) if doubles else xia
            counter[XIA + seat] = take_bid(table, seat, BID_XIA, amounts, 1)
        elif rules.option[XIA_PARTIAL]:
            n = <int>min(limited(rules, last), MOST_PARTS) + 1
            for k in range(n):
                amounts[k] = k
            counter[XIA + seat] = take_bid(table, seat, BID_XIA, amounts, n)
        else:
            amounts[0] = 0
            amounts[1] = limited(rules, last)
            counter[XIA + seat] = take_bid(table, seat, BID_XIA, amounts, 2)


cdef void carry(
    const Rules* rules, const Outcome* outcome, const Carried* before, Carried* after
) noexcept nogil:
    """The stakes stay while the dealer does (YW-58, 59, 61, 62)."""
    if outcome.n_winners and outcome.winner[0] != before.dealer:
        memset(after.counter, 0, sizeof(after.counter))
        return
    after.counter[LAST] = outcome.multiplier if outcome.n_winners else 0
    after.counter[REPEAT] += 1


# The wall


cdef int piao_of(const Table* table, int seat) noexcept nogil:
    return table.seat[seat].note[NOTE_PIAO] & 3


cdef bint may_draw(const Table* table, bint tail) noexcept nogil:
    """Seventeen stacks stay, seven after a piao, none after a second one (YW-66..68)."""
    cdef int left = wall_left(&table.wall), replaced = table.wall.tail
    cdef int seat, highest = 0, reserve, beside
    for seat in range(N_SEATS):
        highest = max(highest, piao_of(table, seat))
    if highest == 2:
        return left > 0
    reserve = 14 if highest else 34
    beside = (replaced + tail) & 1
    if table.rules.option[RESERVE_PARTIAL_STACK] == COUNTED:
        beside = 0
    elif table.rules.option[RESERVE_PARTIAL_STACK] == INDICATOR_STACK:
        beside = 1
    return left - 1 - beside >= reserve


# Discards and claims


cdef void own_turn(const Table* table, int seat, Turn* turn) noexcept nogil:
    if table.rules.option[LONE_WILD_DISCARD] == FORBIDDEN and table.seat[seat].hand.wilds == 1:
        turn.discards &= ~(<uint64_t>1 << WILD)


cdef bint piao_counts(const Table* table, int seat) noexcept nogil:
    """Whether one more wild tile thrown from two or more is a piao (YW-44)."""
    cdef int64_t note = table.seat[seat].note[NOTE_PIAO]
    if piao_of(table, seat) == 1:
        return note >> 8 or not table.rules.option[DOUBLE_PIAO_NEEDS_THREE]
    return note == 0


cdef void on_discard(Table* table, int seat, int kind, bint declined_win) noexcept nogil:
    """A wild tile thrown from two or more is a piao (YW-37, 39, 44)."""
    cdef int64_t* note = table.seat[seat].note
    cdef int wilds = table.seat[seat].hand.wilds
    if kind != WILD:
        return
    if wilds < 2:
        if table.rules.option[LONE_WILD_DISCARD] == CLAIMABLE and table.wild != WILD:
            table.discard = table.wild
            table.discard_is_dead = 0
        return
    if note[NOTE_PIAO] == 0:
        note[NOTE_PIAO] = 1 | (wilds >= 3) << 8
        table.game[GAME_PIAOS] += 1
        note[NOTE_PLACE] = table.game[GAME_PIAOS]
    elif piao_counts(table, seat):
        note[NOTE_PIAO] += 1


cdef void may_claim(const Table* table, int seat, Claim* claim) noexcept nogil:
    """After the last draw one claim is possible, no kong, and the deal ends with its discard (1.7)."""
    if may_draw(table, False):
        return
    claim.kong = 0
    if table.game[GAME_CLAIMED]:
        claim.pong = 0
        claim.chows = 0


cdef void after_draw(Table* table, int seat, int by) noexcept nogil:
    table.game[GAME_CLAIMED] = 0


cdef void on_claim(Table* table, int seat, const Meld* meld) noexcept nogil:
    """Count the melds that each opponent feeds, before and after the first piao (YW-41)."""
    cdef int64_t* note = table.seat[seat].note
    table.game[GAME_CLAIMED] = 1
    if meld.type == MELD_KONG_EXPOSED and not table.rules.option[FEED_COUNTS_KONG]:
        return
    if piao_of(table, seat) == 0:
        note[NOTE_FEEDS] += <int64_t>1 << (8 * meld.source + 32)
        return
    note[NOTE_FEEDS] += <int64_t>1 << 8 * meld.source
    if note[NOTE_FIRST] == 0:
        note[NOTE_FIRST] = meld.source + 1


# Wins


cdef void context(const Table* table, Win* win) noexcept nogil:
    cdef int seat, by
    cdef const int64_t* note
    for seat in range(N_SEATS):
        note = table.seat[seat].note
        win.context[PIAO + seat] = piao_of(table, seat)
        win.context[PIAO_PLACE + seat] = note[NOTE_PLACE]
        win.context[WIN_MAI + seat] = table.carried.counter[MAI + seat]
        win.context[WIN_XIA + seat] = table.carried.counter[XIA + seat]
        win.context[FIRST_FEED + seat] = note[NOTE_FIRST]
        for by in range(N_SEATS):
            win.context[FEEDS + 4 * seat + by] = note[NOTE_FEEDS] >> 8 * by & 255
            win.context[FEEDS_BEFORE + 4 * seat + by] = note[NOTE_FEEDS] >> (8 * by + 32) & 255


cdef int missing_six_pairs(const Hand* hand, int shapes) noexcept nogil:
    """Tiles missing to six pairs, wild tiles used; 99 where they cannot be."""
    cdef int kind, pairs = 0, kinds = 0
    if hand.melds or not shapes & (SHAPE_PAIRS_QUADS | SHAPE_PAIRS_DISTINCT):
        return 99
    if shapes & SHAPE_PAIRS_QUADS:
        pairs = hand.pairs
        kinds = hand.tiles - pairs
    else:
        for kind in range(WILD):
            pairs += hand.count[kind] >= 2
            kinds += hand.count[kind] >= 1
    return 12 - min(pairs, 6) - min(kinds, 6) - hand.wilds


cdef int missing_wild_head(
    const Rules* rules, const Tables* tables, const Hand* hand
) noexcept nogil:
    """Tiles missing to a hand that, one wild tile apart, is sets or six pairs (3.4); 99 without."""
    cdef Hand rest = hand[0]
    if rest.wilds == 0:
        return 99
    hand_remove_wild(&rest)
    return max(0, min(missing_sets(tables, &rest), missing_six_pairs(&rest, rules.shapes)))


cdef bint is_wild_head(const Rules* rules, const Tables* tables, const Win* win) noexcept nogil:
    """Whether the hand was ready on a wild head before the winning draw."""
    cdef Hand rest = win.hand
    if win.tile == WILD:
        hand_remove_wild(&rest)
    else:
        hand_remove(&rest, win.tile)
    return missing_wild_head(rules, tables, &rest) == 0


cdef int least_level(const Win* win) noexcept nogil:
    """The multiplier that a win must reach (YW-38, 43, 47, 69)."""
    cdef int seat, least = 8 if win.context[PIAO + win.winner] else 1
    for seat in range(N_SEATS):
        if seat != win.winner:
            least = max(least, <int>(1 << win.context[PIAO + seat]))
    if win.hand.wilds >= 2:
        least = max(least, 4 if win.hand.wilds > 2 else 2)
    return least


cdef bint barred(const Rules* rules, const Win* win, bint head) noexcept nogil:
    """Whether wild tiles thrown or held bar a win, whatever it is worth (YW-38, 43, 69)."""
    cdef int piao = <int>win.context[PIAO + win.winner], seat
    cdef bint kong = win.by == BY_KONG_DRAW
    if win.by == BY_DISCARD:
        for seat in range(N_SEATS):
            if win.context[PIAO + seat]:
                return True
        return win.hand.wilds >= 2
    if on_another(win):
        return piao != 0
    if head:
        return False
    if kong and win.hand.wilds >= 3 and not rules.option[THREE_WILDS_KONG_OK]:
        return True
    if kong and piao == 2 and not rules.option[DOUBLE_PIAO_KONG_OK]:
        return True
    return piao and not kong


cdef int best_element(
    const Rules* rules, const Win* win, bint head, int64_t* multiplier
) noexcept nogil:
    """The element that applies, the highest where several do (4.1), and what it multiplies by."""
    cdef int piao = <int>win.context[PIAO + win.winner], element
    cdef bint kong = win.by == BY_KONG_DRAW
    if on_another(win):
        element = FANG_CHONG if win.by == BY_DISCARD else QIANG_GANG
        multiplier[0] = rules.value[element]
        return element
    multiplier[0] = 0
    if head:
        element = CAI_SHEN_TOU if piao == 0 else DAN_PIAO if piao == 1 else SHUANG_PIAO
        multiplier[0] = rules.value[element]
        if kong and piao == 0 and rules.option[STACK_KONG_HEAD]:
            multiplier[0] *= 2
    elif kong:
        element = PIAO_GANG if piao else GANG_KAI
        multiplier[0] = rules.value[element]
    if rules.option[SELF_DRAW_NEEDS_CLOSED] and opened(win):
        # A self-draw counts as little as a win on a discard, but from all three.
        if multiplier[0] < 1:
            element = ZI_MO
            multiplier[0] = 1
    elif rules.value[ZI_MO] > multiplier[0]:
        element = ZI_MO
        multiplier[0] = rules.value[ZI_MO]
    return element


cdef int64_t pair_base(
    const Rules* rules, const Win* win, int winner, int payer
) noexcept nogil:
    """Base of a pair of players (4.2), the discarder's point apart."""
    cdef int mode = rules.option[BASE_MODE]
    cdef bint high = winner == win.dealer or payer == win.dealer
    cdef int64_t base
    if mode == BY_WINNER:
        high = winner == win.dealer
    elif mode == BY_PAYER:
        high = payer == win.dealer
    base = rules.option[BASE_DEALER] if high else rules.option[BASE_OTHER]
    base += win.context[WIN_MAI + winner]
    if not rules.option[MAI_MODE]:
        base += win.context[WIN_MAI + payer]
    # Whoever of the two is the dealer has placed nothing.
    if winner == win.dealer:
        base += win.context[WIN_XIA + payer]
    elif payer == win.dealer:
        base += win.context[WIN_XIA + winner]
    return base


cdef bint guarantees(const Rules* rules, const Win* win, int piao, int feeder) noexcept nogil:
    """Whether a seat has fed a piao player so often that it answers for him (YW-41)."""
    if feeder == piao or win.context[PIAO + piao] == 0:
        return False
    return win.context[FEEDS + 4 * piao + feeder] >= 2 or (
        rules.option[FEED_THREE_BEFORE] and win.context[FEEDS_BEFORE + 4 * piao + feeder] >= 3
    )


cdef void pay(Settlement* out, int winner, int payer, int64_t amount) noexcept nogil:
    out.pay[payer] -= amount
    out.pay[winner] += amount


cdef void settle(
    const Rules* rules, const Win* win, const int64_t* share, int64_t whole, Settlement* out
) noexcept nogil:
    """Pay the shares, or let those who answer for others pay them (4.4)."""
    cdef int winner = win.winner
    cdef int guarantor[3]
    cdef int payer[N_SEATS]
    cdef int i, k, seat, piao, place, first, n = 0
    for i in range(1, N_SEATS):
        seat = (winner + i) & 3
        payer[seat] = seat
        if guarantees(rules, win, winner, seat):
            guarantor[n] = seat
            n += 1
    if n:
        if n == 1 or not rules.option[MULTI_GUARANTOR]:
            for i in range(n):
                pay(out, winner, guarantor[i], whole)
            return
        first = <int>win.context[FIRST_FEED + winner] - 1
        for i in range(n):
            seat = guarantor[i]
            pay(out, winner, seat, whole // n)
            if seat == first or (i == 0 and first < 0):
                pay(out, winner, seat, whole % n)
        return
    # A piao player who has lost to his feeder; the first to piao pays first.
    for place in range(0, N_SEATS + 1):
        for i in range(1, N_SEATS):
            piao = (winner + i) & 3
            if win.context[PIAO_PLACE + piao] == place and guarantees(rules, win, piao, winner):
                if rules.option[BAO_FAIL] == FEEDER_WINS_DOUBLE:
                    whole *= 2
                pay(out, winner, piao, whole)
                return
    if rules.option[BAO_FAIL] == ANY_FAIL:
        # Each feeder's share falls to the piao player whom he fed.
        for place in range(N_SEATS, -1, -1):
            for k in range(N_SEATS - 1, 0, -1):
                piao = (winner + k) & 3
                if win.context[PIAO_PLACE + piao] != place:
                    continue
                for i in range(1, N_SEATS):
                    seat = (winner + i) & 3
                    if guarantees(rules, win, piao, seat):
                        payer[seat] = piao
    for i in range(1, N_SEATS):
        seat = (winner + i) & 3
        pay(out, winner, payer[seat], share[seat])


cdef int score(
    const Rules* rules, const Tables* tables, const Win* win, Settlement* out
) noexcept nogil:
    cdef int64_t share[N_SEATS]
    cdef Win as_shown
    cdef int64_t base, whole = 0, factor
    cdef int payer, element
    cdef bint head
    memset(out, 0, sizeof(Settlement))
    memset(share, 0, sizeof(share))
    if win.by == BY_BAO_VIEW or win.by == BY_FLOWER_DRAW:
        return NO_SUCH_WIN
    if dealt_to_another(win):
        return NOT_DEALER
    if win.by == BY_DISCARD and win.tile == WILD and win.wild != NO_KIND:
        # A thrown wild tile is dead (2.4), unless it may be taken for its face.
        if rules.option[LONE_WILD_DISCARD] != CLAIMABLE or win.wild == WILD:
            return NO_SUCH_WIN
        as_shown = win[0]
        hand_remove_wild(&as_shown.hand)
        hand_add(&as_shown.hand, win.wild)
        as_shown.tile = win.wild
        return score(rules, tables, &as_shown, out)
    if not complete(tables, &win.hand, rules.shapes):
        return NOT_COMPLETE
    head = is_wild_head(rules, tables, win)
    if win.by == BY_DISCARD and head and not rules.option[WILD_HEAD_DISCARD_WIN]:
        return SELF_DRAW_ONLY
    element = best_element(rules, win, head, &factor)
    if barred(rules, win, head) or factor < least_level(win):
        return LEVEL_TOO_LOW
    out.value[element] = factor
    out.multiplier = factor
    for payer in range(N_SEATS):
        if payer == win.winner:
            continue
        base = pair_base(rules, win, win.winner, payer)
        if win.by == BY_DISCARD and payer == win.discarder:
            base = 2 * base if rules.option[DISCARDER_EXTRA] else base + 1
        out.base_total += base
        share[payer] = factor * base
        whole += share[payer]
    if win.by == BY_ROB_KONG and rules.option[ROB_KONG_PAYER]:
        # What all owe is the robbed player's share.
        memset(share, 0, sizeof(share))
        share[win.discarder] = whole
    settle(rules, win, share, whole, out)
    return LEGAL


cdef void exhausted(Table* table) noexcept nogil:
    """A double piao that came to nothing may be penalised (YW-A24)."""
    cdef int64_t times = table.rules.option[DOUBLE_PIAO_DRAW_PENALTY], amount
    cdef Win win
    cdef int seat, other
    if times == 0:
        return
    memset(&win, 0, sizeof(Win))
    win.dealer = table.carried.dealer
    context(table, &win)
    for seat in range(N_SEATS):
        if piao_of(table, seat) < 2:
            continue
        for other in range(N_SEATS):
            if other != seat:
                amount = times * pair_base(table.rules, &win, other, seat)
                table.kong_pay[seat] -= amount
                table.kong_pay[other] += amount


# What a policy is told


cdef bint needs_head(const Table* table, int seat, const Hand* hand) noexcept nogil:
    """Whether nothing but wild head or a replacement wins any more (YW-38, 47, 69)."""
    cdef int other
    if piao_of(table, seat) or hand.wilds >= 3:
        return True
    for other in range(N_SEATS):
        if piao_of(table, other) == 2:
            return True
    return False


cdef uint64_t legal_waits(
    const Table* table, int seat, const Hand* hand, uint64_t live
) noexcept nogil:
    if needs_head(table, seat, hand) and missing_wild_head(table.rules, table.tables, hand):
        return 0
    return live


cdef bint wins_anyway(const Table* table, int seat, int by, int tile) noexcept nogil:
    """A replacement wins on waits that nothing else does."""
    return by == BY_KONG_DRAW and complete(
        table.tables, &table.seat[seat].hand, table.rules.shapes
    )


cdef int behind(const Table* table, const Hand* hand) noexcept nogil:
    """How much farther wild head is than the shanten says."""
    cdef int missing = missing_wild_head(table.rules, table.tables, hand)
    if missing == 99:
        return 0
    return max(0, missing - shanten(table.tables, hand, table.rules.shapes))


cdef int handicap(
    const Table* table, int seat, const Hand* hand, uint64_t* dearer
) noexcept nogil:
    cdef Hand after = hand[0]
    cdef int[33] more
    cdef int kind, least = 99
    memset(dearer, 0, MAX_HANDICAP * sizeof(uint64_t))
    if not needs_head(table, seat, hand):
        return 0
    if (hand.tiles + hand.wilds) % 3 == 1:
        return behind(table, hand)
    for kind in range(WILD):
        if hand.count[kind]:
            hand_remove(&after, kind)
            more[kind] = behind(table, &after)
            hand_add(&after, kind)
            least = min(least, more[kind])
    for kind in range(WILD):
        if hand.count[kind] and more[kind] > least:
            dearer[min(more[kind] - least, MAX_HANDICAP) - 1] |= <uint64_t>1 << kind
    return least if least < 99 else 0


cdef int wished_discard(const Table* table, int seat) noexcept nogil:
    """A wild tile while piaos are wished for, if the rest is ready on a wild head.

    The hand is complete then, so that a win of wild head is given up for the next level.
    """
    cdef Hand after = table.seat[seat].hand
    if after.wilds < 2 or table.bid_wish[seat][BID_PIAO] <= piao_of(table, seat):
        return NO_KIND
    if not piao_counts(table, seat):
        return NO_KIND
    hand_remove_wild(&after)
    return NO_KIND if missing_wild_head(table.rules, table.tables, &after) else WILD


cdef Hooks hooks
hooks.before_deal = before_deal
hooks.may_draw = may_draw
hooks.after_draw = after_draw
hooks.may_claim = may_claim
hooks.legal_waits = legal_waits
hooks.handicap = handicap
hooks.wished_discard = wished_discard
hooks.own_turn = own_turn
hooks.on_discard = on_discard
hooks.on_claim = on_claim
hooks.wins_anyway = wins_anyway
hooks.context = context
hooks.score = score
hooks.exhausted = exhausted
hooks.carry = carry
HOOKS = PyCapsule_New(&hooks, b"mjstats.Hooks", NULL)
