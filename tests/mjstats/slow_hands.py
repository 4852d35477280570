"""Hands, slow and obvious, in plain Python: every hand listed, every distance from its definition.

A hand is 34 counts. No table of the package is used.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise, permutations, product
from math import comb, prod

Counts = tuple[int, ...]
PARTS = (range(0, 9), range(9, 18), range(18, 27), range(27, 34))
FAR = 99


def hands(copies: Sequence[int], n: int) -> Iterator[tuple[Counts, int]]:
    """Yield every hand of n tiles by kinds, and its number of physical subsets."""

    def rest(kind: int, left: int) -> Iterator[Counts]:
        if kind == len(copies):
            if left == 0:
                yield ()
            return
        if sum(copies[kind:]) < left:
            return
        for held in range(min(copies[kind], left) + 1):
            for others in rest(kind + 1, left - held):
                yield (held, *others)

    for hand in rest(0, n):
        yield hand, prod(comb(all_, held) for all_, held in zip(copies, hand, strict=True))


@cache
def lacking(
    held: Counts, sets: int, pair: int, runs: bool, cap: int, need: tuple[int, int] = (0, 0)
) -> int:
    """Tiles missing to hold so many sets and pairs, built from the lowest rank on.

    `need`: copies that runs begun below take of the first rank and of the next.
    """
    if not held:
        return 0 if sets == pair == 0 and need == (0, 0) else FAR
    best = FAR
    for begun in range(sets + 1) if runs and len(held) > 2 else (0,):
        for triplets in range(sets - begun + 1):
            for pairs in range(pair + 1):
                used = need[0] + begun + 3 * triplets + 2 * pairs
                if used <= cap:
                    rest = (sets - begun - triplets, pair - pairs, runs, cap)
                    later = lacking(held[1:], *rest, (need[1] + begun, begun))
                    best = min(best, max(0, used - held[0]) + later)
    return best


def missing_standard(hand: Counts, honours: int, *, cap: int = 4) -> int:
    """Tiles missing to four sets and a pair, shared out among the suits."""
    best = {(0, 0): 0}
    for i, part in enumerate(PARTS):
        held = tuple(hand[kind] for kind in part)[: honours if i == 3 else 9]
        more: dict[tuple[int, int], int] = {}
        for (sets, pair), cost in best.items():
            for add in range(5 - sets):
                for eyes in range(2 - pair):
                    key, total = (
                        (sets + add, pair + eyes),
                        cost + lacking(held, add, eyes, i < 3, cap),
                    )
                    more[key] = min(more.get(key, FAR), total)
        best = more
    return best[4, 1]


def missing_pairs(hand: Counts, kinds: int, *, quads: bool) -> int:
    """Tiles missing to seven pairs: the seven places are filled greedily."""
    places: list[int] = []
    for held in hand[:kinds]:
        most = 2 if quads else 1
        places += [min(2, max(0, held - 2 * i)) for i in range(most)]
    return 14 - sum(sorted(places, reverse=True)[:7])


@cache
def most_held(held: Counts, choices: tuple[tuple[int, ...], ...]) -> int:
    """Most ranks of one of the choices that are held."""
    return max(sum(held[rank] > 0 for rank in choice) for choice in choices)


@cache
def unconnected_ways(groups: bool) -> list[tuple[tuple[tuple[tuple[int, ...], ...], ...], int]]:
    """Choices of ranks for each suit, and how many honours go with them."""
    if groups:
        orders = permutations([(0, 3, 6), (1, 4, 7), (2, 5, 8)])
        # Of three groups any tiles may be taken, of a sparse choice all.
        return [(tuple((choice,) for choice in order), 7) for order in orders]
    sparse = [
        tuple(c for c in combinations(range(9), n) if all(b - a > 2 for a, b in pairwise(c)))
        for n in range(4)
    ]
    sizes = {way: sum(len(choices[0]) for choices in way) for way in product(sparse, repeat=3)}
    return [(way, 14 - size) for way, size in sizes.items() if size >= 7]


def missing_unconnected(hand: Counts, *, groups: bool) -> int:
    """Tiles missing to 14 different tiles, those of a suit at least three ranks apart."""
    honours = sum(held > 0 for held in hand[27:])
    suits = (hand[:9], hand[9:18], hand[18:27])
    return 14 - max(
        min(14, sum(map(most_held, suits, way)) + min(honours, room))
        for way, room in unconnected_ways(groups)
    )
