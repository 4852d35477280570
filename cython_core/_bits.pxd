"""Small arithmetic that the whole core shares."""

from libc.stdint cimport uint64_t

cdef extern from * nogil:
    int lowest_bit "__builtin_ctzll" (uint64_t x)   # position of it; x is not 0


cdef inline int popcount(uint64_t x) noexcept nogil:
    # Without machine flags the compiler's builtin is a call and slower than this.
    x -= x >> 1 & 0x5555555555555555ULL
    x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL)
    x = x + (x >> 4) & 0x0F0F0F0F0F0F0F0FULL
    return <int>(x * 0x0101010101010101ULL >> 56)


cdef inline int lesser(int a, int b) noexcept nogil:
    return a if a < b else b


cdef inline uint64_t gather(uint64_t bytes_) noexcept nogil:
    """The lowest bits of eight bytes."""
    return (bytes_ & 0x0101010101010101ULL) * 0x0102040810204080ULL >> 56
