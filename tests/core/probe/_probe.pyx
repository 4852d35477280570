"""A game that nobody plays: it answers every hook of the shared loop, each with something visible."""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

from cython_core._hand cimport Hand, Tables, complete
from cython_core._rules cimport (
    AFTER_DISCARD, LEGAL, NOT_COMPLETE, Carried, Claim, Hooks, Meld, Outcome, Rules, Seat,
    Settlement, Special, Table, Turn, Win,
)
from cython_core._table cimport roll, take_bid
from cython_core._types cimport (
    BY_BAO_VIEW, BY_DEALT, MELD_KONG_CONCEALED, MELD_KONG_EXPOSED, MELD_XUAN_FENG,
    N_SEATS, int64_t, uint8_t, uint64_t,
)
from cython_core._wall cimport wall_left

ELEMENTS = ("hu", "sight", "declined", "fed")
OPTIONS = ()
MODES = ("ready",)
BIDS = ("more", ("first", "second"))
COUNTERS = ("draws", "last")
CONTEXT = {"fed": (0, "bool"), "declined": (1, "count")}
MARKS = ("early", "claimed")
CARRIED = {"draws": (0, "count"), "last": (1, ("none", "one"))}
SETTLEMENT = ("payer_elements", "fan", "payer_fans")

cdef enum:
    DIE = 0             # places in Table.game
    DEALT_TILES = 1
    PASSED_CLAIMS = 2
    EXHAUSTED = 3
    BID = 0             # places in Seat.note
    DECLINED = 1
    CLAIMS = 2
    DRAWS = 3

cdef enum:
    RED = 31
    EAST = 27

# The special kongs: winds, dragons, ones, nines.
cdef int[4] FIRST = [EAST, RED, 0, 8]
cdef int[4] STEP = [1, 1, 9, 9]


cdef void dice(Table* table) noexcept nogil:
    table.game[DIE] = roll(table)


cdef void before_deal(Table* table) noexcept nogil:
    cdef int64_t more[3]
    cdef int64_t sets[4]
    cdef int i, seat
    for i in range(3):
        more[i] = 2 * i
    for i in range(4):
        sets[i] = i
    for i in range(N_SEATS):
        seat = (table.carried.dealer + i) & 3
        table.seat[seat].note[BID] = take_bid(table, seat, 0, more, 3)
        take_bid(table, seat, 1, sets, 4)


cdef void after_deal(Table* table) noexcept nogil:
    cdef int i
    for i in range(N_SEATS):
        table.game[DEALT_TILES] += table.seat[i].hand.tiles


cdef bint may_draw(const Table* table, bint tail) noexcept nogil:
    # As many tiles stay as the die says, one more for a replacement.
    return wall_left(&table.wall) > table.game[DIE] + tail


cdef void after_draw(Table* table, int seat, int by) noexcept nogil:
    table.seat[seat].note[DRAWS] += 1


cdef int modes(const Table* table, int seat, const Hand* hand, uint64_t live) noexcept nogil:
    # Every third turn alone, so that ready hands that may still claim exist.
    return 1 << 1 if table.turns % 3 == 0 else 0


cdef int on_declare(
    Table* table, int seat, const Turn* turn, int kind, int mode
) noexcept nogil:
    return (table.seat[seat].n_discards == 0) | (turn.claimed) << 1


cdef uint64_t declared_waits(
    const Table* table, int seat, const Hand* hand, int mode, uint64_t live
) noexcept nogil:
    # The lowest of them alone counts.
    return live & (~live + 1)


cdef uint64_t unwanted(const Table* table, int seat) noexcept nogil:
    # Whoever has bid both words gets rid of the winds first.
    return <uint64_t>15 << EAST if table.seat[seat].note[BID] == 2 else 0


cdef bint holds(const Seat* me, int first, int step, int n) noexcept nogil:
    cdef int i
    for i in range(n):
        if me.hand.count[first + i * step] == 0:
            return False
    return True


cdef int specials(const Table* table, int seat, Special* out) noexcept nogil:
    cdef const Seat* me = &table.seat[seat]
    cdef int n = 0, i, k, size
    cdef bint lies
    for i in range(4):
        lies = False
        for k in range(me.hand.melds):
            lies = lies or me.meld[k].type == MELD_XUAN_FENG + i
        size = 4 if i == 0 else 3
        if lies or not holds(me, FIRST[i], STEP[i], size):
            continue
        out[n].type = <uint8_t>(MELD_XUAN_FENG + i)
        out[n].n = <uint8_t>size
        for k in range(size):
            out[n].tiles[k] = <uint8_t>(FIRST[i] + k * STEP[i])
        n += 1
    return n


cdef void own_turn(const Table* table, int seat, Turn* turn) noexcept nogil:
    cdef const Seat* me = &table.seat[seat]
    cdef Special special[4]
    cdef int i, k, kind, which
    # The green dragon never goes while another tile may; a locked hand throws what it drew.
    if me.mode == 0:
        turn.discards &= ~(<uint64_t>1 << 32) if me.hand.count[32] < me.hand.tiles else ~<uint64_t>0
    if turn.claimed or me.mode or not may_draw(table, True):
        return
    if me.n_discards == 0 and me.hand.melds < 4:
        turn.specials = <uint8_t>specials(table, seat, special)
    for i in range(me.hand.melds):
        if me.meld[i].type < MELD_XUAN_FENG:
            continue
        which = me.meld[i].type - MELD_XUAN_FENG
        for k in range(4 if which == 0 else 3):
            kind = FIRST[which] + k * STEP[which]
            if me.hand.count[kind]:
                turn.supplements[which] |= <uint64_t>1 << kind


cdef bint may_kong(const Table* table, int seat, int kind, int meld_type) noexcept nogil:
    return kind != EAST


cdef void on_discard(Table* table, int seat, int kind, bint declined_win) noexcept nogil:
    table.seat[seat].note[DECLINED] += declined_win


cdef void on_pass(Table* table, int seat, int by, int tile) noexcept nogil:
    table.seat[seat].note[DECLINED] += 1


cdef int sight(Table* table, int to_move, int moment, int* tile) noexcept nogil:
    # Who declared with this discard and waits for the die's own tile of characters sees it.
    cdef int seat = (to_move + 3) & 3
    cdef const Seat* me = &table.seat[seat]
    tile[0] = <int>table.game[DIE] - 1
    if moment == AFTER_DISCARD and me.mode and me.mode_turn == table.turns:
        return (me.waits >> tile[0] & 1) << seat
    return 0


cdef void may_claim(const Table* table, int seat, Claim* claim) noexcept nogil:
    if claim.tile >= RED:
        claim.pong = 0


cdef void on_passed_claim(Table* table, int seat, const Claim* claim) noexcept nogil:
    table.game[PASSED_CLAIMS] += 1


cdef void on_claim(Table* table, int seat, const Meld* meld) noexcept nogil:
    table.seat[seat].note[CLAIMS] += 1


cdef void kong_pay(
    const Rules* rules, int seat, const Meld* meld, bint supplement, int64_t* pay
) noexcept nogil:
    cdef int i
    cdef int64_t stake = 2 if meld.type == MELD_KONG_CONCEALED else 1
    if meld.type == MELD_KONG_EXPOSED:
        return
    for i in range(N_SEATS):
        if i != seat:
            pay[i] -= stake
            pay[seat] += stake


cdef bint wins_anyway(const Table* table, int seat, int by, int tile) noexcept nogil:
    # A declared seat that draws the red dragon wins with it.
    return table.seat[seat].mode and tile == RED and by != BY_DEALT


cdef void context(const Table* table, Win* win) noexcept nogil:
    win.context[0] = table.fed_by >= 0
    win.context[1] = table.seat[win.winner].note[DECLINED]


cdef int score(
    const Rules* rules, const Tables* tables, const Win* win, Settlement* out
) noexcept nogil:
    cdef int i
    memset(out, 0, sizeof(Settlement))
    if not complete(tables, &win.hand, rules.shapes) and win.tile != RED and win.by != BY_BAO_VIEW:
        return NOT_COMPLETE
    out.value[0] = rules.value[0]
    out.value[1] = rules.value[1] if win.by == BY_BAO_VIEW else 0
    out.value[2] = rules.value[2] * win.context[1]
    out.value[3] = rules.value[3] * win.context[0]
    for i in range(4):
        out.base_total += out.value[i]
    out.multiplier = 1
    out.fan = win.context[0]
    for i in range(N_SEATS):
        if i != win.winner:
            # The seat after the winner pays one more, and tells another number of doublings.
            out.payers |= <uint8_t>(1 << i)
            out.payer_fan[i] = out.fan + (i == (win.winner + 1) & 3)
            out.payer_value[i][0] = i == (win.winner + 1) & 3
            out.pay[i] -= out.base_total + out.payer_value[i][0]
            out.pay[win.winner] += out.base_total + out.payer_value[i][0]
    return LEGAL


cdef void exhausted(Table* table) noexcept nogil:
    table.game[EXHAUSTED] = 1
    table.kong_pay[0] += 1
    table.kong_pay[1] -= 1


cdef void carry(
    const Rules* rules, const Outcome* outcome, const Carried* before, Carried* after
) noexcept nogil:
    after.counter[0] += outcome.n_winners == 0
    after.counter[1] = outcome.n_winners
    # The winner deals next.
    if outcome.n_winners:
        after.dealer = outcome.winner[0]


cdef Hooks hooks
hooks.dice = dice
hooks.before_deal = before_deal
hooks.after_deal = after_deal
hooks.may_draw = may_draw
hooks.after_draw = after_draw
hooks.modes = modes
hooks.on_declare = on_declare
hooks.declared_waits = declared_waits
hooks.unwanted = unwanted
hooks.own_turn = own_turn
hooks.may_kong = may_kong
hooks.specials = specials
hooks.on_discard = on_discard
hooks.on_pass = on_pass
hooks.sight = sight
hooks.may_claim = may_claim
hooks.on_passed_claim = on_passed_claim
hooks.on_claim = on_claim
hooks.kong_pay = kong_pay
hooks.wins_anyway = wins_anyway
hooks.context = context
hooks.score = score
hooks.exhausted = exhausted
hooks.carry = carry
HOOKS = PyCapsule_New(&hooks, b"mjstats.Hooks", NULL)
