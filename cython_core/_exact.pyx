"""Exact counting: the tables of the suits for Python, and the product of two counts."""

import numpy as np

from libc.stdint cimport int64_t, uint16_t

from cython_core._suits cimport SUIT_STATES, Tables, tables, wild_tables

cdef enum:
    DEAD = 65535        # in a product: such a hand is of no interest


def suit_tables(int tile_set, bint capped):
    """Classes of all states of a suit and of the honours, distance vectors, products of classes.

    A state is the base-5 number of the copies by rank; states of more than 14 tiles mean nothing.
    """
    cdef const Tables* t = tables(tile_set) if capped else wild_tables(tile_set)
    cdef int i, j, n = t.level[4].n, honour_states = 1
    for _ in range(t.honours):
        honour_states *= 5
    suit = np.empty(SUIT_STATES, np.uint16)
    honours = np.empty(honour_states, np.uint16)
    vectors = np.empty((n, 10), np.uint8)
    products = np.empty((n, n), np.uint16)
    cdef uint16_t[::1] suit_view = suit, honours_view = honours
    cdef unsigned char[:, ::1] vectors_view = vectors
    cdef uint16_t[:, ::1] products_view = products
    for i in range(SUIT_STATES):
        suit_view[i] = t.cls[0][i]
    for i in range(honour_states):
        honours_view[i] = t.cls[3][i]
    for i in range(n):
        for j in range(10):
            vectors_view[i, j] = t.level[4].vector[i][j]
        for j in range(n):
            products_view[i, j] = t.level[4].mul[i][j]
    return suit, honours, vectors, products


cdef void multiply(
    const uint16_t[:, ::1] a,
    const int64_t[::1] weight_a,
    const uint16_t[:, ::1] b,
    const int64_t[::1] weight_b,
    const uint16_t[:, :, ::1] products,
    const int64_t[::1] strides,
    int least,
    int most,
    int64_t[::1] out,
) noexcept nogil:
    cdef Py_ssize_t i, j, c, n = products.shape[0]
    cdef int tiles
    cdef int64_t at
    cdef uint16_t x
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            tiles = a[i, 0] + b[j, 0]
            if tiles < least or tiles > most:
                continue
            at = tiles - least
            for c in range(n):
                x = products[c, a[i, c + 1], b[j, c + 1]]
                if x == DEAD:
                    break
                at += x * strides[c]
            else:
                out[at] += weight_a[i] * weight_b[j]


def convolve(
    const uint16_t[:, ::1] a not None,
    const int64_t[::1] weight_a not None,
    const uint16_t[:, ::1] b not None,
    const int64_t[::1] weight_b not None,
    const uint16_t[:, :, ::1] products not None,
    const int64_t[::1] strides not None,
    int least,
    int most,
    int64_t[::1] out not None,
):
    """Add up the products of the weights of all pairs by what the two sides make together.

    A row of `a` and `b` is the number of tiles and one element a trait; `products` holds a table a
    trait (65535: leave the pair out). Pairs of `least` to `most` tiles are counted, at the place
    tiles - least + sum of element * stride of `out`.
    """
    with nogil:
        multiply(a, weight_a, b, weight_b, products, strides, least, most, out)
