"""Every hand function, slowly: by the definitions, all targets and all readings one by one.

A hand is four things: `held`, concealed copies by kind (34 integers, wild tiles not included);
`locked`, copies by kind that lie in melds; `melds`, how many those are; `wilds`, wild tiles held.
A hand without wild tiles may aim at targets of at most four copies of a kind, concealed and melded
together. A wild tile may stand for a further copy of any kind, so with one in hand the cap is off.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, reduce
from itertools import permutations
from typing import NamedTuple

import numpy as np

STANDARD, PAIRS_DISTINCT, PAIRS_QUADS, UNCONNECTED, UNCONNECTED_GROUPS = 1, 2, 4, 8, 16
NEVER = 99

Counts = tuple[int, ...]
Costs = tuple[tuple[int, int], ...]


class Hand(NamedTuple):
    held: Counts
    locked: Counts = (0,) * 34
    melds: int = 0
    wilds: int = 0
    white: int | None = None  # kind as which white dragons are counted (Yiwu)
    kinds: int = 34  # kinds of the tile set: 27, 31 or 34

    def own(self, kind: int) -> int:
        return self.held[kind] + self.locked[kind]

    def plus(self, kind: int, copies: int = 1) -> "Hand":
        held = list(self.held)
        held[kind] += copies
        return self._replace(held=tuple(held))

    def minus(self, kind: int) -> "Hand":
        return self.plus(kind, -1)

    def suits(self) -> Iterator[tuple[int, int]]:
        """First and last kind (exclusive) of each suit."""
        yield from ((0, 9), (9, 18), (18, 27), (27, self.kinds))


# Four sets and a pair: the distance to a target is the number of its tiles that are not held.


def suit_targets(
    kinds: int, runs: bool, sets_most: int, most: int
) -> Iterator[tuple[int, int, Counts]]:
    """Sets (at most `sets_most`), pairs and copies by rank of whatever one suit can contribute."""
    groups = [tuple(3 * (r == k) for r in range(kinds)) for k in range(kinds)]
    if runs:
        groups += [tuple(int(k <= r < k + 3) for r in range(kinds)) for k in range(kinds - 2)]

    def extend(target: Counts, sets: int, first: int) -> Iterator[tuple[int, int, Counts]]:
        if max(target, default=0) > most:
            return
        yield sets, 0, target
        for pair in range(kinds):
            if target[pair] + 2 <= most:
                yield sets, 1, tuple(t + 2 * (k == pair) for k, t in enumerate(target))
        if sets < sets_most:
            for number in range(first, len(groups)):
                more = tuple(t + g for t, g in zip(target, groups[number], strict=True))
                yield from extend(more, sets + 1, number)

    yield from extend((0,) * kinds, 0, 0)


def number(copies: Sequence[int], base: int) -> int:
    return sum(n * base**place for place, n in enumerate(copies))


@cache
def target_rows(
    kinds: int, runs: bool, sets_most: int, most: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """All targets, ordered by sets and pairs, and where each of the ten orders begins.

    A target is told by the numbers of its parts: three ranks at a time, digits of base `most` + 2.
    """
    found = sorted(set(suit_targets(kinds, runs, sets_most, most)))
    # One target that is out of reach for each order, so that none is empty.
    found += [(sets, pair, (most + 1,) * kinds) for sets in range(5) for pair in range(2)]
    found.sort()
    starts = [k for k, row in enumerate(found) if k == 0 or row[:2] != found[k - 1][:2]]
    parts = [
        np.array([number(target[first : first + 3], most + 2) for _, _, target in found])
        for first in range(0, kinds, 3)
    ]
    return parts, np.array(starts)


@cache
def part_costs(held: Counts, room: Counts, most: int) -> np.ndarray:
    """Tiles missing to every target of at most three ranks, in the order of their numbers."""
    cost = np.zeros((), np.int16)
    for copies, space in zip(held, room, strict=True):
        wanted = np.arange(most + 2, dtype=np.int16)
        missing = np.where(wanted > min(space, most), NEVER, np.maximum(wanted - copies, 0))
        cost = missing.reshape(-1, *[1] * cost.ndim) + cost
    return cost.astype(np.int16).ravel()


@cache
def suit_costs(held: Counts, locked: Counts, runs: bool, sets_most: int, capped: bool) -> Costs:
    """Fewest missing tiles for each number of sets without and with a pair."""
    if not held:
        return ((0, NEVER),) + ((NEVER, NEVER),) * 4
    most = 4 if capped else 14
    room = tuple(4 - copies if capped else 14 for copies in locked)
    parts, starts = target_rows(len(held), runs, sets_most, most)
    missing = sum(
        part_costs(held[3 * i : 3 * i + 3], room[3 * i : 3 * i + 3], most)[part]
        for i, part in enumerate(parts)
    )
    least = [min(NEVER, int(n)) for n in np.minimum.reduceat(missing, starts)]
    return tuple(zip(least[::2], least[1::2], strict=True))


def costs_of(hand: Hand, first: int, last: int) -> Costs:
    return suit_costs(
        hand.held[first:last], hand.locked[first:last], first < 27, 4 - hand.melds, not hand.wilds
    )


@cache
def together(a: Costs, b: Costs) -> Costs:
    """Costs of two suits taken as one: the sets and the pair are shared out."""
    return tuple(
        (
            min(a[k][0] + b[sets - k][0] for k in range(sets + 1)),
            min(min(a[k][1] + b[sets - k][0], a[k][0] + b[sets - k][1]) for k in range(sets + 1)),
        )
        for sets in range(5)
    )


def missing_with(hand: Hand, *, pair: bool) -> int:
    """Fewest tiles missing to the open sets, and a pair; wild tiles not used."""
    total = reduce(together, [costs_of(hand, first, last) for first, last in hand.suits()])
    return total[4 - hand.melds][pair]


def missing_standard(hand: Hand) -> int:
    return missing_with(hand, pair=True)


def missing_sets(hand: Hand) -> int:
    return missing_with(hand, pair=False)


# Shapes without sets.


def missing_pairs(hand: Hand, quads: bool) -> int:
    """Seven groups of two; a kind held three or four times is two groups if `quads`."""
    some = [copies for copies in hand.held if copies]
    if quads:
        pairs, singles = sum(n // 2 for n in some), sum(n % 2 for n in some)
    else:
        singles = some.count(1)
        pairs = len(some) - singles
    pairs = min(pairs, 7)
    return 14 - 2 * pairs - min(singles, 7 - pairs)


@cache
def sparse_sets(ranks: Counts, size: int) -> tuple[frozenset[int], ...]:
    """Sets of `size` ranks of which every two are at least three apart."""
    if size == 0:
        return (frozenset(),)
    return tuple(
        more | {rank}
        for rank in ranks
        for more in sparse_sets(tuple(r for r in ranks if r >= rank + 3), size - 1)
    )


@cache
def best_sparse(held: frozenset[int], size: int) -> int:
    return max(len(held & chosen) for chosen in sparse_sets(tuple(range(9)), size))


def missing_unconnected(hand: Hand, groups: bool) -> int:
    if hand.kinds < 34:
        return NEVER
    present = {kind for kind in range(34) if hand.held[kind]}
    if hand.white is not None and hand.white in present:
        present = present - {hand.white} | {33}
    honours = len({kind for kind in present if kind >= 27})
    suits = [frozenset(k - s for k in present if s <= k < s + 9) for s in (0, 9, 18)]
    if groups:
        used = max(
            sum(len(suit & {g, g + 3, g + 6}) for suit, g in zip(suits, order, strict=True))
            for order in permutations(range(3))
        )
        return 14 - min(14, used + honours)
    best = 0
    for a in range(1, 4):
        for b in range(1, 4):
            for c in range(1, 4):
                if a + b + c >= 7:
                    used = sum(best_sparse(s, n) for s, n in zip(suits, (a, b, c), strict=True))
                    best = max(best, used + min(honours, 14 - a - b - c))
    return 14 - best


# Together.


@lru_cache(maxsize=2**16)
def missing(hand: Hand, shapes: int) -> int:
    """Fewest tiles missing over the shapes; a wild tile replaces any missing one."""
    found = [NEVER]
    if shapes & STANDARD:
        found.append(missing_standard(hand))
    if not hand.melds:
        if shapes & PAIRS_QUADS:
            found.append(missing_pairs(hand, quads=True))
        if shapes & PAIRS_DISTINCT:
            found.append(missing_pairs(hand, quads=False))
        if shapes & UNCONNECTED:
            found.append(missing_unconnected(hand, groups=False))
        if shapes & UNCONNECTED_GROUPS:
            found.append(missing_unconnected(hand, groups=True))
    return max(0, min(found) - hand.wilds)


def shanten(hand: Hand, shapes: int) -> int:
    return missing(hand, shapes) - 1


def drawable(hand: Hand) -> list[int]:
    """Kinds of which the hand does not own all four; whites counted as another kind are none."""
    return [
        kind
        for kind in range(hand.kinds)
        if hand.own(kind) < 4 and not (kind == 33 and hand.white is not None)
    ]


def accepted(hand: Hand, shapes: int) -> list[int]:
    """Kinds that lower the shanten of a hand between turns."""
    now = missing(hand, shapes)
    return [kind for kind in drawable(hand) if missing(hand.plus(kind), shapes) < now]


def live_waits(hand: Hand, shapes: int) -> list[int]:
    return [kind for kind in drawable(hand) if missing(hand.plus(kind), shapes) == 0]


def formal_waits(hand: Hand, shapes: int) -> list[int]:
    """Kinds that complete the hand by shape, a fifth copy included."""
    found = []
    for kind in range(hand.kinds):
        if kind == 33 and hand.white is not None:
            continue
        complete = hand.plus(kind)
        if hand.own(kind) >= 4:
            # Judged by shape alone: what lies in melds does not count.
            complete = complete._replace(locked=(0,) * 34)
            if max(complete.held) > 4 and not hand.wilds:
                if shapes & STANDARD and any(standard_readings(complete)):
                    found.append(kind)
                continue
        if missing(complete, shapes) == 0:
            found.append(kind)
    return found


def live(hand: Hand, kinds: list[int], unseen: Counts | None = None) -> int:
    """Copies of the kinds that are neither own nor, where `unseen` tells, seen elsewhere."""
    return sum((unseen[k] if unseen else 4 - hand.locked[k]) - hand.held[k] for k in kinds)


def discards(
    hand: Hand, shapes: int, unseen: Counts | None = None
) -> list[tuple[int, int, list[int], int]]:
    """Each discard: kind, shanten after it, accepted kinds, live copies of them."""
    rows = []
    for kind in range(hand.kinds):
        if hand.held[kind]:
            after = hand.minus(kind)
            kinds = accepted(after, shapes)
            rows.append((kind, shanten(after, shapes), kinds, live(hand, kinds, unseen)))
    return rows


def best_discard(
    hand: Hand, shapes: int, allowed: list[int], unseen: Counts
) -> tuple[int, int, list[int], int]:
    rows = [row for row in discards(hand, shapes, unseen) if row[0] in allowed]
    return min(rows, key=lambda row: (row[1], -row[3], row[0]))


# Readings.

Set = tuple[str, int]
Reading = tuple[str, int | None, tuple[Set, ...]]


def sets_of(tiles: Counts) -> Iterator[tuple[Set, ...]]:
    """All ways to split sorted tiles into sets."""
    if not tiles:
        yield ()
        return
    first = tiles[0]
    if tiles.count(first) >= 3:
        rest = list(tiles)
        for _ in range(3):
            rest.remove(first)
        for more in sets_of(tuple(rest)):
            yield (("pong", first), *more)
    if first < 27 and first % 9 < 7 and first + 1 in tiles and first + 2 in tiles:
        rest = list(tiles)
        for kind in (first, first + 1, first + 2):
            rest.remove(kind)
        for more in sets_of(tuple(rest)):
            yield (("chow", first), *more)


def standard_readings(hand: Hand) -> set[Reading]:
    found: set[Reading] = set()
    if sum(hand.held) != 14 - 3 * hand.melds:
        return found
    for pair in range(34):
        if hand.held[pair] >= 2:
            held = hand.plus(pair, -2).held
            tiles = tuple(kind for kind in range(34) for _ in range(held[kind]))
            found |= {("standard", pair, tuple(sorted(sets))) for sets in sets_of(tiles)}
    return found


def readings(hand: Hand, shapes: int) -> set[Reading]:
    """All readings of a complete hand without wild tiles; a shape without sets is one reading."""
    found: set[Reading] = set()
    if hand.wilds:
        return found
    if shapes & STANDARD:
        found |= standard_readings(hand)
    if hand.melds == 0:
        if shapes & PAIRS_DISTINCT and missing_pairs(hand, quads=False) == 0:
            found.add(("pairs_distinct", None, ()))
        elif shapes & PAIRS_QUADS and missing_pairs(hand, quads=True) == 0:
            found.add(("pairs_quads", None, ()))
        if shapes & UNCONNECTED_GROUPS and missing_unconnected(hand, groups=True) == 0:
            found.add(("unconnected_groups", None, ()))
        elif shapes & UNCONNECTED and missing_unconnected(hand, groups=False) == 0:
            found.add(("unconnected", None, ()))
    return found


def roles(hand: Hand, shapes: int, kind: int) -> set[str]:
    """Roles in which a kind completes a hand: K closed, P edge, T pair, R run end, S triplet."""
    if hand.wilds:
        return {"free"}
    found = set()
    for shape, pair, sets in readings(hand.plus(kind), shapes):
        if shape.startswith("pairs"):
            found.add("T")
        elif shape.startswith("unconnected"):
            found.add("free")
        if pair == kind:
            found.add("T")
        for type_, first in sets:
            if type_ == "pong" and first == kind:
                found.add("S")
            elif type_ == "chow" and first <= kind <= first + 2:
                if kind == first + 1:
                    found.add("K")
                elif (kind == first and first % 9 == 6) or (kind != first and first % 9 == 0):
                    found.add("P")
                else:
                    found.add("R")
    return found


CLASS_OF_ROLE = {"K": "closed", "P": "edge", "T": "pair", "R": "two_sided", "S": "two_pair"}


def class_of_wait(hand: Hand, shapes: int, kind: int) -> str:
    """Class of one wait by its roles over all readings."""
    found = roles(hand, shapes, kind)
    return CLASS_OF_ROLE.get(found.pop(), "complex") if len(found) == 1 else "complex"


def class_of_hand(hand: Hand, shapes: int, waits: list[int]) -> str:
    """Class of a whole ready hand by its live waits."""
    classes = [class_of_wait(hand, shapes, kind) for kind in waits]
    if len(classes) == 1 and classes[0] in ("closed", "edge", "pair"):
        return classes[0]
    if len(classes) == 2 and classes[0] == classes[1] and classes[0].startswith("two"):
        return classes[0]
    return "complex"
