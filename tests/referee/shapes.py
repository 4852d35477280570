"""Hand shapes, slow and obvious: every way to split a hand, and which tiles complete it.

Kinds are 0-33 (characters, dots, bamboos, winds, dragons); a hand is 34 counts. Melds are finished
groups that stand beside the concealed tiles.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, product
from typing import Literal

Counts = tuple[int, ...]
Form = Literal["run", "triplet", "kong", "special"]
SUITS = (range(0, 9), range(9, 18), range(18, 27), range(27, 34))
HONOURS = SUITS[3]
N_KINDS = 34


@dataclass(frozen=True, order=True)
class Group:
    """A run, triplet or kong, named by its lowest tile, or a special kong of unlike tiles."""

    form: Form
    tile: int
    shown: tuple[int, ...] = ()
    """The tiles of a special kong."""

    @property
    def tiles(self) -> tuple[int, ...]:
        if self.form == "special":
            return self.shown
        if self.form == "run":
            return (self.tile, self.tile + 1, self.tile + 2)
        return (self.tile,) * (3 if self.form == "triplet" else 4)


@dataclass(frozen=True)
class Reading:
    """One decomposition of a complete hand, melds included."""

    shape: Literal["standard", "seven_pairs"]
    groups: tuple[Group, ...]
    pairs: tuple[int, ...]


def changed(counts: Counts, tiles: Iterable[int], by: int) -> Counts:
    """Return the counts with each of the tiles added `by` times (-1: taken away)."""
    new = list(counts)
    for tile in tiles:
        new[tile] += by
    return tuple(new)


def counted(tiles: Iterable[int]) -> Counts:
    """Return the 34 counts of a list of playing tiles."""
    return changed((0,) * N_KINDS, tiles, 1)


@cache
def suit_splits(counts: Counts, runs: bool) -> frozenset[tuple[tuple[Form, int], ...]]:
    """Return every way to split the tiles of one suit into triplets and runs."""
    first = next((place for place, n in enumerate(counts) if n), None)
    if first is None:
        return frozenset({()})
    forms: list[tuple[Form, tuple[int, ...]]] = [("triplet", (first,) * 3)]
    if runs and first <= 6:
        forms.append(("run", (first, first + 1, first + 2)))
    ways = set()
    for form, places in forms:
        rest = changed(counts, places, -1)
        if min(rest) >= 0:
            ways |= {tuple(sorted([(form, first), *way])) for way in suit_splits(rest, runs)}
    return frozenset(ways)


def standard_readings(counts: Counts, melds: Sequence[Group] = ()) -> Iterator[Reading]:
    """Yield every reading as four groups and a pair."""
    if sum(counts) + 3 * len(melds) != 14:
        return
    # Groups take threes, so only the suit of the pair has two tiles over.
    if sorted(sum(counts[suit.start : suit.stop]) % 3 for suit in SUITS) != [0, 0, 0, 2]:
        return
    for pair in range(N_KINDS):
        if counts[pair] < 2:
            continue
        rest = changed(counts, (pair, pair), -1)
        ways = [
            [
                tuple(Group(form, suit.start + first) for form, first in way)
                for way in suit_splits(rest[suit.start : suit.stop], suit is not HONOURS)
            ]
            for suit in SUITS
        ]
        for parts in product(*ways):
            yield Reading("standard", (*melds, *(g for part in parts for g in part)), (pair,))


def seven_pairs_readings(counts: Counts, melds: Sequence[Group] = ()) -> Iterator[Reading]:
    """Yield the reading as seven pairs, if there is one; four alike are two pairs."""
    if not melds and sum(counts) == 14 and all(n % 2 == 0 for n in counts):
        pairs = tuple(kind for kind, n in enumerate(counts) for _ in range(n // 2))
        yield Reading("seven_pairs", (), pairs)


def readings(
    counts: Counts, melds: Sequence[Group] = (), *, seven_pairs: bool = True
) -> list[Reading]:
    """Return every reading of a complete hand; an empty list if it is not complete."""
    found = list(standard_readings(counts, melds))
    if seven_pairs:
        found += seven_pairs_readings(counts, melds)
    return found


def is_complete(counts: Counts, melds: Sequence[Group] = (), *, seven_pairs: bool = True) -> bool:
    """Tell whether the hand has any reading."""
    if seven_pairs and any(seven_pairs_readings(counts, melds)):
        return True
    return any(True for _ in standard_readings(counts, melds))


def held(counts: Counts, melds: Sequence[Group], kind: int) -> int:
    """Return the copies of a kind in the hand and its melds."""
    return counts[kind] + sum(group.tiles.count(kind) for group in melds)


def formal_waits(
    counts: Counts, melds: Sequence[Group], kinds: Iterable[int], *, seven_pairs: bool = True
) -> tuple[int, ...]:
    """Return the kinds that complete the hand by shape, whether or not a copy can come."""
    return tuple(
        kind
        for kind in kinds
        if is_complete(changed(counts, (kind,), 1), melds, seven_pairs=seven_pairs)
    )


def live_waits(
    counts: Counts, melds: Sequence[Group], kinds: Iterable[int], *, seven_pairs: bool = True
) -> tuple[int, ...]:
    """Return the waits of which the player does not hold all four copies."""
    kinds = [kind for kind in kinds if held(counts, melds, kind) < 4]
    return formal_waits(counts, melds, kinds, seven_pairs=seven_pairs)


def is_ready(
    counts: Counts, melds: Sequence[Group], kinds: Iterable[int], *, seven_pairs: bool = True
) -> bool:
    """Tell whether one tile completes the hand and a copy of it can still come."""
    return bool(live_waits(counts, melds, kinds, seven_pairs=seven_pairs))


@cache
def splits(counts: Counts, groups: int, pairs: int, wilds: int) -> bool:
    """Tell whether tiles and wild ones make exactly so many groups and pairs."""
    if sum(counts) + wilds != 3 * groups + 2 * pairs:
        return False
    first = next((kind for kind, n in enumerate(counts) if n), None)
    if first is None:
        return True
    # What the lowest tile is part of; wild tiles fill up.
    uses = [((first,) * n, 1, 0, 3 - n) for n in (1, 2, 3)]
    uses += [((first,) * n, 0, 1, 2 - n) for n in (1, 2)]
    if first not in HONOURS:
        place = first % 9
        for low in range(max(place - 2, 0), min(place, 6) + 1):
            above = [first + step for step in range(1, low + 3 - place)]
            for real in product(*[(True, False)] * len(above)):
                tiles = (first, *(kind for kind, own in zip(above, real, strict=True) if own))
                uses.append((tiles, 1, 0, 3 - len(tiles)))
    for tiles, group, pair, filled in uses:
        if group > groups or pair > pairs or filled > wilds:
            continue
        rest = changed(counts, tiles, -1)
        if min(rest) >= 0 and splits(rest, groups - group, pairs - pair, wilds - filled):
            return True
    return False


def paired(counts: Counts, wilds: int, *, quads: bool) -> bool:
    """Tell whether tiles and wild ones make pairs and nothing else.

    Without `quads` four alike are not two pairs.
    """
    single = sum(n % 2 for n in counts)
    return single <= wilds and (wilds - single) % 2 == 0 and (quads or max(counts) <= 2)


def unconnected(counts: Counts, wilds: int, *, size: int, groups_of_three: bool) -> bool:
    """Tell whether tiles and wild ones make an unconnected hand of `size`.

    All are different, and two of a suit lie three or more apart; with `groups_of_three` each suit
    keeps to one of 147, 258 and 369, no two suits to the same.
    """
    if max(counts) > 1 or sum(counts) + wilds != size:
        return False
    room, classes = 0, []
    for suit in SUITS:
        places = [kind - suit.start for kind in suit if counts[kind]]
        if suit is HONOURS:
            room += len(suit) - len(places)
            continue
        if any(b - a < 3 for a, b in pairwise(places)):
            return False
        classes.append({place % 3 for place in places})
        more = [
            free for n in range(4) for free in combinations(range(9), n) if spaced(places, free)
        ]
        room += max(map(len, more))
    if groups_of_three:
        if any(len(kinds) > 1 for kinds in classes):
            return False
        taken = [kind for kinds in classes for kind in kinds]
        return len(set(taken)) == len(taken)
    return wilds <= room


def spaced(places: Sequence[int], more: Sequence[int]) -> bool:
    """Tell whether places of a suit stay three or more apart when some are added."""
    return all(b - a >= 3 for a, b in pairwise(sorted((*places, *more))))
