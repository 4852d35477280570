"""Counting hands by the kinds that complete them, whatever a complete hand must be.

What completes a part of a hand depends on the part and on what the other three come to, and on
nothing else of them. So each part gives, for every element that the rest may have, a polynomial:
its coefficients are the numbers of hands by kinds that complete them and own copies of these kinds.
Of two parts together the polynomials are multiplied.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import comb, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mjstats.counting import PARTS, States, Tiles, Trait, all_states, grouped
from mjstats.traits import GAPS

Completing = Counter[tuple[int, int]]
"""Hands by the kinds that complete them, and by own copies of these."""

Columns = Sequence[NDArray[np.integer]]
Test = Callable[[Columns], NDArray[np.bool_]]
"""Tells of the elements of all traits, an array a trait, whether they make what is asked for."""

# A polynomial is a whole number, its coefficients in digits of 64 bits: no number of hands reaches
# 2**63. Digit `kinds` * COPIES + `copies`; a hand holds 13 tiles at the most.
_COPIES: Final = 14
_KINDS: Final = 10
_BITS: Final = 64


class _Part:
    """What may be held of one part, and what each kind that is drawn makes of it."""

    def __init__(
        self,
        states: States,
        copies: tuple[int, ...],
        traits: Sequence[Trait],
        most: int,
        possible: Callable[[NDArray[np.integer], Columns], NDArray[np.bool_]] | None,
    ) -> None:
        weights = np.ones(len(states.held), dtype=np.int64)
        for rank, own in enumerate(copies[: states.held.shape[1]]):
            ways = np.array([comb(own, held) for held in range(5)])
            weights *= ways[states.held[:, rank]]
        chosen = (weights > 0) & (states.tiles <= most)
        states, weights = _chosen(states, chosen), weights[chosen]
        columns = [trait.of(states) for trait in traits]
        if possible is not None:
            chosen = possible(states.tiles, columns)
            states, weights = _chosen(states, chosen), weights[chosen]
            columns = [column[chosen] for column in columns]
        self.tiles = states.tiles.astype(np.int64)
        self.weights = weights
        self.held = states.held.astype(np.int64)
        self.rows = np.column_stack(columns).astype(np.int64)
        #: Rows of elements after each kind is drawn, and which kinds can be.
        self.after: list[NDArray[np.int64]] = []
        self.live: list[NDArray[np.bool_]] = []
        for rank in range(self.held.shape[1]):
            live = (self.held[:, rank] < 4) & (copies[rank] > 0)
            held = states.held.copy()
            held[live, rank] += 1
            more = States(
                states.part,
                held,
                (states.index + live * 5**rank).astype(np.int32),
                (states.tiles + live).astype(np.uint8),
            )
            self.after.append(np.column_stack([t.of(more) for t in traits]).astype(np.int64))
            self.live.append(live)


def _chosen(states: States, chosen: NDArray[np.bool_]) -> States:
    return States(states.part, states.held[chosen], states.index[chosen], states.tiles[chosen])


class _Elements:
    """Different rows of elements, numbered, and their products."""

    def __init__(self, rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        self._strides = np.concatenate([[1], np.cumprod(sizes[:-1])])
        seen = np.zeros(int(sizes.prod()), dtype=np.bool_)
        seen[rows @ self._strides] = True
        keys = np.flatnonzero(seen)
        self._number = np.cumsum(seen) - 1
        self.rows = keys[:, None] // self._strides % sizes

    def find(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the numbers of rows."""
        return np.asarray(self._number[rows @ self._strides])


def completing(
    tiles: Tiles,
    n: int,
    traits: Sequence[Trait],
    legal: Test,
    *,
    possible: Callable[[NDArray[np.integer], Columns], NDArray[np.bool_]] | None = None,
    ready: Test | None = None,
) -> Completing:
    """Count the hands of `n` tiles by the live kinds that make them what is asked for.

    Parameters
    ----------
    tiles : Tiles
        What is dealt from.
    n : int
        Tiles of a hand.
    traits : sequence of Trait
        What must be known of a hand of ``n + 1`` tiles.
    legal : callable
        Tells from the elements of the traits which hands are complete.
    possible : callable, optional
        Tells from the tiles and elements of a part whether it can belong to a ready hand; all can
        by default.
    ready : callable, optional
        Tells from the elements which hands of `n` tiles can be ready; all can by default.

    Returns
    -------
    Counter of (int, int)
        Hands by number of kinds that complete them, at least one, of which fewer than four copies
        are held; and by own copies of these kinds.
    """
    known: dict[tuple[bool, tuple[int, ...]], _Part] = {}
    parts: list[_Part] = []
    for number, place in enumerate(PARTS):
        key = (number < 3, tiles.copies[place])
        if key not in known:
            states = all_states(number, tiles.honours)
            known[key] = _Part(states, tiles.copies[place], traits, n, possible)
        parts.append(known[key])
    every = np.concatenate([rows for p in known.values() for rows in (p.rows, *p.after)])
    largest = every.max(axis=0).astype(np.uint16)[None]
    tables = [t.products(top, top) for t, top in zip(traits, largest.T, strict=True)]
    sizes = np.array([len(table) for table in tables], dtype=np.int64)

    def times(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        columns = [table[a[:, None, i], b[None, :, i]] for i, table in enumerate(tables)]
        return np.stack(columns, axis=-1).astype(np.int64)

    one = _Elements(every, sizes)
    width = len(tables)
    two = _Elements(times(one.rows, one.rows).reshape(-1, width), sizes)
    three = _Elements(times(two.rows, one.rows).reshape(-1, width), sizes)
    by_two = three.find(times(one.rows, two.rows))
    by_one = two.find(times(one.rows, one.rows))

    def tell(test: Test, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        whole = times(a, b)
        return test([whole[..., i] for i in range(width)])

    completes = tell(legal, one.rows, three.rows)
    useful = np.asarray(completes.any(axis=1))
    polynomials = {id(p): _polynomials(p, one, completes, useful) for p in known.values()}
    near = np.ones((len(two.rows), len(two.rows)), dtype=np.bool_)
    if ready is not None:
        near = tell(ready, two.rows, two.rows)
    halves = [
        _half(polynomials[id(a)], polynomials[id(b)], by_one, by_two, near, n)
        for a, b in ((parts[0], parts[1]), (parts[2], parts[3]))
    ]
    total = 0
    for (left, a, b), polynomial in halves[0].items():
        total += polynomial * halves[1].get((n - left, b, a), 0)
    found: Completing = Counter()
    digit = 0
    while total:
        if count := total & (1 << _BITS) - 1:
            found[divmod(digit, _COPIES)] = count
        total >>= _BITS
        digit += 1
    return Counter({key: count for key, count in found.items() if key[0]})


@dataclass(frozen=True, slots=True)
class _Polynomials:
    """Of one part: tiles and elements of its groups, and by the element of the rest their hands."""

    groups: NDArray[np.int64]
    of: list[dict[int, tuple[int, int]]]
    some: NDArray[np.bool_]


def _polynomials(
    part: _Part, one: _Elements, completes: NDArray[np.bool_], useful: NDArray[np.bool_]
) -> _Polynomials:
    """Count what may be held of one part by what completes it."""
    element = one.find(part.rows)
    after = [one.find(rows) for rows in part.after]
    hopeful = useful[element]
    for drawn, live in zip(after, part.live, strict=True):
        hopeful = hopeful | (useful[drawn] & live)
    element, weights = element[hopeful], part.weights[hopeful]
    after = [drawn[hopeful] for drawn in after]
    lives = [live[hopeful] for live in part.live]
    held = part.held[hopeful]
    groups, group = grouped(np.column_stack([part.tiles[hopeful], element]))
    of: list[dict[int, tuple[int, int]]] = [{} for _ in groups]
    some = np.zeros((len(groups), completes.shape[1]), dtype=np.bool_)
    for rest, here in enumerate(completes.T):
        digit = np.zeros(len(element), dtype=np.int64)
        for rank, (drawn, live) in enumerate(zip(after, lives, strict=True)):
            digit += (here[drawn] & live) * (_COPIES + held[:, rank])
        # A part that is no use as it is must be the one that is completed.
        chosen = (digit > 0) | useful[element]
        sums = np.zeros((len(groups), _KINDS * _COPIES), dtype=np.int64)
        np.add.at(sums, (group[chosen], digit[chosen]), weights[chosen])
        for i in np.flatnonzero(sums.any(axis=1)).tolist():
            polynomial = int.from_bytes(sums[i].astype("<i8").tobytes(), "little")
            # Most have few coefficients: without its low zeros it is quick to multiply.
            low = (polynomial & -polynomial).bit_length() - 1
            of[i][rest] = polynomial >> low, low
            some[i, rest] = True
    return _Polynomials(groups, of, some)


def _half(
    a: _Polynomials,
    b: _Polynomials,
    by_one: NDArray[np.int64],
    by_two: NDArray[np.int64],
    near: NDArray[np.bool_],
    n: int,
) -> dict[tuple[int, int, int], int]:
    """Multiply two parts: by tiles, element, and element of the other two parts."""
    found: dict[tuple[int, int, int], int] = {}
    for (tiles, i), of_a, some_a in zip(a.groups.tolist(), a.of, a.some, strict=True):
        for (more, j), of_b, some_b in zip(b.groups.tolist(), b.of, b.some, strict=True):
            if tiles + more > n:
                continue
            both = int(by_one[i, j])
            x, y = by_two[j], by_two[i]
            for rest in np.flatnonzero(near[both] & some_a[x] & some_b[y]).tolist():
                p, zeros = of_a[int(x[rest])]
                q, further = of_b[int(y[rest])]
                key = (tiles + more, both, rest)
                found[key] = found.get(key, 0) + (p * q << zeros + further)
    return found


# The unconnected hand: no kind twice, and no part knows by itself what it must become.


def completing_unconnected(
    copies: Sequence[int], n: int, *, groups: bool, white: int | None
) -> Completing:
    """Count the unconnected hands of `n` tiles, the others wild, by the kinds that they wait for.

    Parameters
    ----------
    copies : sequence of int
        Physical tiles of each of the 34 kinds.
    n : int
        Tiles of a hand.
    groups : bool
        Whether the suits must be the groups 147, 258 and 369, not any ranks three apart.
    white : int, optional
        The kind as which the white tiles are counted; here they are whites.

    Returns
    -------
    Counter of (int, int)
        Hands by number of kinds, and by own copies of these: none.
    """
    honours = [copies[kind] for kind in range(27, 34)]
    if white is not None:
        honours.append(copies[white])
    honour_kinds = sum(1 for ways in honours if ways)
    suits = []
    for suit in range(3):
        own = [0 if 9 * suit + rank == white else copies[9 * suit + rank] for rank in range(9)]
        suits.append(_loose(tuple(own), groups=groups))
    held_honours = [1]
    for ways in honours:
        held_honours = [
            x + ways * y for x, y in zip([*held_honours, 0], [0, *held_honours], strict=True)
        ]
    found: Completing = Counter()
    for sizes, futures, ways in _triples(suits):
        h = n - sum(sizes)
        if not 0 <= h <= honour_kinds or not _fit([now for now, _ in futures], groups=groups):
            continue
        kinds = honour_kinds - h
        for suit, (_, drawn) in enumerate(futures):
            for then, number in drawn:
                suits_then = [now for now, _ in futures]
                suits_then[suit] = then
                kinds += number * _fit(suits_then, groups=groups)
        if count := ways * held_honours[h]:
            found[kinds, 0] += count
    return found


_Future = tuple[int, tuple[tuple[int, int], ...]]
"""What a suit can become; and after each tile that fits, with the number of such tiles."""


def _loose(copies: tuple[int, ...], *, groups: bool) -> dict[tuple[int, _Future], int]:
    """Count what may be held of a suit in an unconnected hand, by tiles and what it can become."""
    found: dict[tuple[int, _Future], int] = {}
    masks = {mask: _becomes(mask, groups=groups) for mask in range(512)}
    for mask, now in masks.items():
        ways = prod(own for rank, own in enumerate(copies) if mask >> rank & 1)
        if not (now and ways):
            continue
        drawn = Counter(
            masks[mask | 1 << rank]
            for rank in range(9)
            if copies[rank] and not mask >> rank & 1 and masks[mask | 1 << rank]
        )
        key = (mask.bit_count(), (now, tuple(sorted(drawn.items()))))
        found[key] = found.get(key, 0) + ways
    return found


def _becomes(mask: int, *, groups: bool) -> int:
    """Give the groups that the ranks may belong to, as bits; or one more than the most ranks."""
    if groups:
        return sum(1 << g for g in range(3) if mask & ~(0x49 << g) == 0)
    sizes = [n for n, choices in GAPS.items() for choice in choices if mask & ~choice == 0]
    return 1 + max(sizes, default=-1)


def _fit(suits: Sequence[int], *, groups: bool) -> bool:
    """Whether three suits can become the suits of an unconnected hand, at least seven tiles."""
    if groups:
        return any(
            all(suit >> g & 1 for suit, g in zip(suits, order, strict=True))
            for order in permutations(range(3))
        )
    return sum(suits) - 3 >= 7


def _triples(
    suits: Sequence[dict[tuple[int, _Future], int]],
) -> Iterator[tuple[tuple[int, ...], tuple[_Future, ...], int]]:
    """Yield the tiles, what they can become, and the hands, of three suits together."""
    for chosen in product(*(suit.items() for suit in suits)):
        yield (
            tuple(size for (size, _), _ in chosen),
            tuple(future for (_, future), _ in chosen),
            prod(ways for _, ways in chosen),
        )
