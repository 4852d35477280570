"""Counting hands exactly: what each suit can be, weighted, and multiplied together suit by suit.

A hand is a subset of the physical tiles. Of one suit only a few *traits* matter for a question (the
class of its distances, its pairs, …), and the traits of two suits together follow from those of
each. So the hands are never listed: the states of each suit are grouped by tiles and traits with
their number of physical subsets (a product of binomial coefficients), and the groups of the suits
are multiplied.

Every number is exact in 64 bits, because no hand count exceeds C(136, 14) < 2**63.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import comb, prod
from typing import Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from mjstats import _core

HAND: Final = 14
"""Most tiles of a hand."""

SUITS: Final = range(3)
"""Parts of a hand that have runs; part 3 is the honours."""

PARTS: Final = (slice(0, 9), slice(9, 18), slice(18, 27), slice(27, 34))
"""Kinds of each part: characters, dots, bamboo, honours."""

T = TypeVar("T", bound=Hashable)

_DEAD: Final = 0xFFFF
_BINOMIAL: Final = np.array([[comb(n, k) for k in range(5)] for n in range(5)], dtype=np.int64)
# What a label of int64 can tell apart.
_MOST_LABELS: Final = 2**62


@dataclass(frozen=True, slots=True)
class States:
    """Every way to hold at most 14 tiles of one part.

    Parameters
    ----------
    part : int
        0-3: characters, dots, bamboo, honours.
    held : ndarray of uint8, shape (n, kinds)
        Copies by rank.
    index : ndarray of int32, shape (n,)
        The base-5 number of the copies.
    tiles : ndarray of uint8, shape (n,)
        Tiles held.
    """

    part: int
    held: NDArray[np.uint8]
    index: NDArray[np.int32]
    tiles: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Tiles:
    """The tiles that hands are dealt from.

    Parameters
    ----------
    tile_set : int
        Kinds of which a winning hand may consist: 0 the suits, 1 with winds, 2 all 34.
    copies : tuple of int
        Physical tiles of each of the 34 kinds, 0-4.
    white : int, optional
        The kind as which the white tiles are counted, except in the unconnected hand (Yiwu).
    """

    tile_set: int
    copies: tuple[int, ...]
    white: int | None = None

    @property
    def total(self) -> int:
        """Number of tiles."""
        return sum(self.copies)

    @property
    def honours(self) -> int:
        """Number of kinds of honours."""
        return (0, 4, 7)[self.tile_set]

    def hands(self, tiles: int) -> int:
        """Return the number of hands of so many tiles."""
        return comb(self.total, tiles)


class Trait(Protocol):
    """Something about a part of a hand; that of two parts together follows from that of each."""

    def of(self, states: States) -> NDArray[np.uint16]:
        """Return the element of each state of one part."""
        ...

    def products(self, a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the table of the elements that arise from those in `a` and in `b`."""
        ...


@dataclass(frozen=True, slots=True)
class Classes:
    """Trait: the class of the distances to sets and a pair, as the evaluator has it.

    Parameters
    ----------
    tile_set : int
        Kinds of which a winning hand may consist.
    capped : bool
        Whether a winning hand holds at most four copies of a kind.
    """

    tile_set: int
    capped: bool = True

    def of(self, states: States) -> NDArray[np.uint16]:
        """Return the class of each state."""
        suit, honours, _, _ = suit_tables(self.tile_set, self.capped)
        return np.asarray((honours if states.part == 3 else suit)[states.index])

    def products(self, a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the table of all products."""
        return suit_tables(self.tile_set, self.capped)[3]

    def missing(self, element: int, *, pair: bool = True) -> int:
        """Return the tiles that lack to four sets, and a pair if it is asked for."""
        return int(suit_tables(self.tile_set, self.capped)[2][element, 8 + pair])


@dataclass(frozen=True, slots=True)
class Sum:
    """Trait: a number that adds up.

    Parameters
    ----------
    count : callable
        Gives the number of each state.
    most : int
        Numbers above it count as this one.
    """

    count: Callable[[States], NDArray[np.integer]]
    most: int

    def of(self, states: States) -> NDArray[np.uint16]:
        """Return the number of each state."""
        return np.asarray(np.minimum(self.count(states), self.most), dtype=np.uint16)

    def products(self, a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the table of sums."""
        number = np.arange(self.most + 1, dtype=np.uint16)
        return np.minimum(np.add.outer(number, number), self.most).astype(np.uint16)


@dataclass(frozen=True, slots=True)
class Union:
    """Trait: flags, set if any part sets them.

    Parameters
    ----------
    flags : callable
        Gives the flags of each state, at most eight bits.
    """

    flags: Callable[[States], NDArray[np.integer]]

    def of(self, states: States) -> NDArray[np.uint16]:
        """Return the flags of each state."""
        return self.flags(states).astype(np.uint16)

    def products(self, a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the table of unions."""
        return np.bitwise_or.outer(
            np.arange(int(a.max()) + 1, dtype=np.uint16),
            np.arange(int(b.max()) + 1, dtype=np.uint16),
        )


class Interned(Generic[T]):
    """Trait whose elements are values of Python, numbered as they arise.

    Parameters
    ----------
    describe : callable
        Gives for the states of a part their descriptions as rows of integers, shape (n, columns).
    element : callable
        Gives the element of a part (0-3) and description (None: such hands are left out).
    merge : callable
        Gives the element of two parts together (None: such hands are left out).
    """

    def __init__(
        self,
        describe: Callable[[States], NDArray[np.integer]],
        element: Callable[[int, tuple[int, ...]], T | None],
        merge: Callable[[T, T], T | None],
    ) -> None:
        self._describe = describe
        self._element = element
        self._merge = merge
        self._numbers: dict[T, int] = {}
        self.elements: list[T] = []

    def _number(self, element: T | None) -> int:
        if element is None:
            return _DEAD
        number = self._numbers.setdefault(element, len(self.elements))
        if number == len(self.elements):
            self.elements.append(element)
        return number

    def of(self, states: States) -> NDArray[np.uint16]:
        """Return the number of each state's element."""
        rows, inverse = grouped(self._describe(states))
        numbers = [self._number(self._element(states.part, tuple(map(int, row)))) for row in rows]
        return np.asarray(np.array(numbers, dtype=np.uint16)[inverse])

    def products(self, a: NDArray[np.uint16], b: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return the table of products; only those that are asked for are filled in."""
        size = int(a.max(initial=0)) + 1, int(b.max(initial=0)) + 1
        table = np.full(size, _DEAD, dtype=np.uint16)
        for i in np.unique(a):
            for j in np.unique(b):
                table[i, j] = self._number(self._merge(self.elements[i], self.elements[j]))
        return table


@dataclass(frozen=True, slots=True)
class Count:
    """Hands, or parts of hands, by tiles and traits.

    Parameters
    ----------
    rows : ndarray of uint16, shape (groups, 1 + traits)
        Tiles and the element of each trait.
    weights : ndarray of int64, shape (groups,)
        Number of physical subsets in each group.
    """

    rows: NDArray[np.uint16]
    weights: NDArray[np.int64]

    def items(self) -> list[tuple[tuple[int, ...], int]]:
        """Return the elements of the traits of each group, and its number of hands."""
        keys = [tuple(map(int, row[1:])) for row in self.rows]
        return list(zip(keys, map(int, self.weights), strict=True))

    def by_size(self) -> Iterator[tuple[int, tuple[int, ...], int]]:
        """Yield the tiles of each group, the elements of its traits and its number of hands."""
        for size, (elements, count) in zip(map(int, self.rows[:, 0]), self.items(), strict=True):
            yield size, elements, count


@cache
def suit_tables(
    tile_set: int, capped: bool
) -> tuple[NDArray[np.uint16], NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint16]]:
    """Return classes of suits and honours, distance vectors and products, as the core has them."""
    return _core.suit_tables(tile_set, capped)


@cache
def all_states(part: int, honours: int) -> States:
    """Return every way to hold at most 14 tiles of a part."""
    held = np.zeros((1, 0), dtype=np.uint8)
    for _ in range(honours if part == 3 else 9):
        more = np.tile(np.arange(5, dtype=np.uint8), len(held))
        held = np.column_stack([np.repeat(held, 5, axis=0), more])
        held = held[held.sum(axis=1) <= HAND]
    power = 5 ** np.arange(held.shape[1])
    return States(
        part,
        held,
        (held @ power).astype(np.int32),
        held.sum(axis=1).astype(np.uint8),
    )


def count_hands(
    tiles: Tiles,
    n: int,
    traits: Sequence[Trait],
    *,
    least: int | None = None,
    distinct: bool = False,
) -> Count:
    """Count all hands of `n` tiles by traits.

    Parameters
    ----------
    tiles : Tiles
        What is dealt from.
    n : int
        Tiles of a hand.
    traits : sequence of Trait
        What is asked of a hand.
    least : int, optional
        Count the hands of `least` to `n` tiles; of `n` alone by default.
    distinct : bool, default False
        Count hands of the same kinds once, not once for each choice of physical copies.

    Returns
    -------
    Count
        Hands by traits, those left out that a trait leaves out.
    """
    known: dict[tuple[bool, bool, tuple[int, ...]], Count] = {}
    parts: list[Count] = []
    for part in range(4):
        copies = tiles.copies[PARTS[part]]
        key = (part in SUITS, tiles.white in range(34)[PARTS[part]], copies)
        if key not in known:
            known[key] = _count_part(all_states(part, tiles.honours), copies, traits, n, distinct)
        parts.append(known[key])
    left = _multiply(parts[0], parts[1], traits, 0, n)
    right = _multiply(parts[2], parts[3], traits, 0, n)
    return _multiply(left, right, traits, n if least is None else least, n)


def _count_part(
    states: States, copies: tuple[int, ...], traits: Sequence[Trait], most: int, distinct: bool
) -> Count:
    """Count what may be held of one part."""
    weights = np.ones(len(states.held), dtype=np.int64)
    for rank in range(states.held.shape[1]):
        weights *= _BINOMIAL[copies[rank], states.held[:, rank]]
    chosen = (weights > 0) & (states.tiles <= most)
    states = States(states.part, states.held[chosen], states.index[chosen], states.tiles[chosen])
    rows = np.column_stack([states.tiles, *(trait.of(states) for trait in traits)])
    rows = rows.astype(np.int64)
    weights = np.ones(len(rows), dtype=np.int64) if distinct else weights[chosen]
    alive = (rows[:, 1:] != _DEAD).all(axis=1)
    rows, inverse = grouped(rows[alive])
    total = np.zeros(len(rows), dtype=np.int64)
    np.add.at(total, inverse, weights[alive])
    return Count(rows.astype(np.uint16), total)


def grouped(
    rows: NDArray[np.integer],
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Find the different rows of small numbers.

    Parameters
    ----------
    rows : ndarray of integers, shape (n, columns)
        Not negative.

    Returns
    -------
    rows : ndarray of int64, shape (groups, columns)
        Each different row once, in the order of the last column, then the one before, and so on.
    inverse : ndarray of intp, shape (n,)
        Group of each row given.
    """
    labels, n_labels = np.zeros(len(rows), dtype=np.int64), 1
    for column, most in zip(rows.T[::-1], rows.max(axis=0, initial=0)[::-1], strict=True):
        size = int(most) + 1
        if n_labels * size > _MOST_LABELS:
            # Fewer labels before they no longer fit: one for each different end of a row.
            labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
            n_labels = len(rows)
        labels = labels * size + column
        n_labels *= size
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return rows[first].astype(np.int64), inverse


def _multiply(a: Count, b: Count, traits: Sequence[Trait], least: int, most: int) -> Count:
    """Count what two parts make together, `least` to `most` tiles."""
    tables = [trait.products(a.rows[:, i], b.rows[:, i]) for i, trait in enumerate(traits, start=1)]
    shape = [max((table.shape[axis] for table in tables), default=1) for axis in (0, 1)]
    products = np.full((len(tables), *shape), _DEAD, dtype=np.uint16)
    sizes = [most - least + 1]
    for product, table in zip(products, tables, strict=True):
        product[: table.shape[0], : table.shape[1]] = table
        sizes.append(int(table[table != _DEAD].max(initial=0)) + 1)
    strides = np.array([prod(sizes[:i]) for i in range(len(sizes))], dtype=np.int64)
    out = np.zeros(prod(sizes), dtype=np.int64)
    _core.convolve(a.rows, a.weights, b.rows, b.weights, products, strides[1:], least, most, out)
    keys = np.flatnonzero(out)
    rows = keys[:, None] // strides % sizes
    rows[:, 0] += least
    return Count(np.ascontiguousarray(rows, dtype=np.uint16), out[keys])
