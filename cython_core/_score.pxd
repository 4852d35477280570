"""What the scoring of several games shares."""

from cython_core._hand cimport Hand
from cython_core._rules cimport Win
from cython_core._types cimport (
    BY_DEALT, BY_DISCARD, BY_ROB_KONG, MELD_KONG_CONCEALED, MELD_XUAN_FENG,
)

cdef inline int suits_present(const Hand* hand) noexcept nogil:
    """Number of the three suits of which tiles lie in the hand or its melds."""
    cdef int suit, n = 0
    for suit in range(3):
        n += (hand.index[suit] | hand.locked[suit]) != 0
    return n


cdef inline bint on_another(const Win* win) noexcept nogil:
    """Whether the tile is another's: thrown, or added to a kong."""
    return win.by == BY_DISCARD or win.by == BY_ROB_KONG


cdef inline bint dealt_to_another(const Win* win) noexcept nogil:
    """Whether one who does not deal is said to win with the dealt hand."""
    return win.by == BY_DEALT and win.winner != win.dealer


cdef inline bint has_meld(const Win* win, int type_of_meld) noexcept nogil:
    cdef int i
    for i in range(win.hand.melds):
        if win.meld[i].type == type_of_meld:
            return True
    return False


cdef inline bint has_special_kong(const Win* win) noexcept nogil:
    cdef int i
    for i in range(win.hand.melds):
        if win.meld[i].type >= MELD_XUAN_FENG:
            return True
    return False


cdef inline bint opened(const Win* win) noexcept nogil:
    """Whether there is any meld but concealed kongs."""
    cdef int i
    for i in range(win.hand.melds):
        if win.meld[i].type != MELD_KONG_CONCEALED:
            return True
    return False
