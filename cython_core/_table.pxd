"""What is asked of the table or done to it by loop, policies and games alike.

Describe a win, note an event, throw dice, take a bid, pay for a kong.
"""

from cython_core._hand cimport Hand
from cython_core._rules cimport EV_BID, MAX_EVENTS, Event, Seat, Table, Win
from cython_core._stream cimport PURPOSE_DICE, stream_below, stream_open
from cython_core._types cimport (
    BY_DISCARD, N_SEATS, NO_KIND, NO_SEAT, int8_t, int16_t, int64_t, uint8_t, uint64_t,
)

from libc.string cimport memcpy, memset


cdef inline void describe_win(
    const Table* table, int number, const Hand* hand, int by, int tile, int discarder, Win* win
) noexcept nogil:
    """What scoring looks at, if the seat won with this hand; the tile is in it."""
    cdef const Seat* seat = &table.seat[number]
    cdef int i
    memset(win, 0, sizeof(Win))
    win.winner = <int8_t>number
    win.discarder = <int8_t>discarder
    win.dealer = <int8_t>table.carried.dealer
    win.by = <uint8_t>by
    win.tile = <uint8_t>tile
    win.shown = <uint8_t>(table.thrown if by == BY_DISCARD else tile)
    win.wild = table.wild
    win.n_bonus = seat.n_bonus
    win.bonus = seat.bonus
    win.hand = hand[0]
    for i in range(seat.hand.melds):
        win.meld[i] = seat.meld[i]
    if table.rules.hooks.context != NULL:
        table.rules.hooks.context(table, win)


cdef inline Event* emit(
    Table* table, int type_of_event, int seat, int tile, int other, int source, int index,
    int tail, uint64_t mask,
) noexcept nogil:
    """Note an event; NULL when the deal is not being logged."""
    cdef Event* event
    if table.log == NULL:
        return NULL
    if table.log.n == MAX_EVENTS:
        table.log.overflow = 1
        return NULL
    event = &table.log.event[table.log.n]
    table.log.n += 1
    event.type = <uint8_t>type_of_event
    event.seat = <int8_t>seat
    event.tile = <uint8_t>tile
    event.other = <uint8_t>other
    event.source = <int8_t>source
    event.index = <int16_t>index
    event.tail = <uint8_t>tail
    event.mask = mask
    return event


cdef inline int roll(Table* table) noexcept nogil:
    """One die, 1 to 6, from the deal's dice stream."""
    if not table.dice_are_open:
        stream_open(
            &table.dice, table.key, <uint64_t>table.match,
            <uint64_t>table.carried.deal_in_match, PURPOSE_DICE,
        )
        table.dice_are_open = 1
    return 1 + <int>stream_below(&table.dice, 6)


cdef inline int64_t take_bid(
    Table* table, int seat, int bid, const int64_t* amounts, int n
) noexcept nogil:
    """Let a seat choose an amount of a bid, and note it."""
    cdef int64_t amount = table.policy[seat].bid(table, seat, bid, amounts, n)
    emit(table, EV_BID, seat, NO_KIND, bid, NO_SEAT, -1, 0, <uint64_t>amount)
    return amount


cdef inline void note_payment(
    Table* table, int type_of_event, int seat, int meld_type, const int64_t* pay
) noexcept nogil:
    """Note a payment made at once, and add it to the deal's."""
    cdef Event* event = emit(table, type_of_event, seat, NO_KIND, meld_type, NO_SEAT, -1, 0, 0)
    cdef int i
    if event != NULL:
        memcpy(event.pay, pay, N_SEATS * sizeof(int64_t))
    for i in range(N_SEATS):
        table.kong_pay[i] += pay[i]
