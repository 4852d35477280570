"""What the scoring of several games shares."""

from cython_core._hand cimport Hand

cdef inline int suits_present(const Hand* hand) noexcept nogil:
    """Number of the three suits of which tiles lie in the hand or its melds."""
    cdef int suit, n = 0
    for suit in range(3):
        n += (hand.index[suit] | hand.locked[suit]) != 0
    return n
