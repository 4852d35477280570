"""Counter-based random streams: Philox 4x64-10, bit-equal to ``numpy.random.Philox``.

A stream is named by a key (from the seed) and by (match, deal in match, purpose), so that what one
purpose consumes never moves another. Source: Salmon et al., "Parallel random numbers: as easy as
1, 2, 3", SC 2011.
"""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from *:
    """
    typedef unsigned __int128 mjstats_u128;
    """
    ctypedef unsigned long long u128 "mjstats_u128"

# What a stream is for; the seats' policies take PURPOSE_SEAT + seat.
cdef enum:
    PURPOSE_WALL = 0
    PURPOSE_DICE = 1
    PURPOSE_MATCH = 2       # drawn once a match (the first dealer)
    PURPOSE_SPLIT = 3       # walls of split deals
    PURPOSE_SEAT = 8

cdef struct Key:
    uint64_t word[2]

cdef struct Stream:
    Key key
    uint64_t counter[4]     # block, purpose, deal in match, match
    uint64_t block[4]       # the words of the current block
    int used                # 32-bit halves of the block already handed out (8 = none left)


cdef inline void stream_open(
    Stream* stream, Key key, uint64_t match, uint64_t deal, uint64_t purpose
) noexcept nogil:
    stream.key = key
    stream.counter[0] = 0
    stream.counter[1] = purpose
    stream.counter[2] = deal
    stream.counter[3] = match
    stream.used = 8


cdef inline void stream_fill(Stream* stream) noexcept nogil:
    # As in numpy, the counter moves before the block is made.
    cdef uint64_t c0, c1, c2, c3, k0, k1, low0, low1, high0, high1
    cdef u128 product
    cdef int _turn
    stream.counter[0] += 1
    c0 = stream.counter[0]
    c1 = stream.counter[1]
    c2 = stream.counter[2]
    c3 = stream.counter[3]
    k0 = stream.key.word[0]
    k1 = stream.key.word[1]
    for _turn in range(10):
        product = <u128>c0 * <uint64_t>0xD2E7470EE14C6C93
        low0 = <uint64_t>product
        high0 = <uint64_t>(product >> 64)
        product = <u128>c2 * <uint64_t>0xCA5A826395121157
        low1 = <uint64_t>product
        high1 = <uint64_t>(product >> 64)
        c0 = high1 ^ c1 ^ k0
        c1 = low1
        c2 = high0 ^ c3 ^ k1
        c3 = low0
        k0 += <uint64_t>0x9E3779B97F4A7C15
        k1 += <uint64_t>0xBB67AE8584CAA73B
    stream.block[0] = c0
    stream.block[1] = c1
    stream.block[2] = c2
    stream.block[3] = c3
    stream.used = 0


cdef inline uint32_t stream_next(Stream* stream) noexcept nogil:
    """Next 32 bits: the low half of a word first, as numpy's ``next_uint32``."""
    cdef int used
    if stream.used == 8:
        stream_fill(stream)
    used = stream.used
    stream.used = used + 1
    return <uint32_t>(stream.block[used >> 1] >> ((used & 1) << 5))


cdef inline uint32_t stream_below(Stream* stream, uint32_t bound) noexcept nogil:
    """Unbiased integer in [0, bound): multiply and reject (Lemire, ACM TOMACS 29, 2019)."""
    cdef uint64_t product = <uint64_t>stream_next(stream) * bound
    cdef uint32_t low = <uint32_t>product
    cdef uint32_t least
    if low < bound:
        least = (0 - bound) % bound
        while low < least:
            product = <uint64_t>stream_next(stream) * bound
            low = <uint32_t>product
    return <uint32_t>(product >> 32)
