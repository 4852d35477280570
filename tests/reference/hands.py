"""Random hands of every sort, and the core held against the slow evaluator on them."""

import numpy as np

from cython_core._hand import HandView
from tests.reference import evaluator as slow

SHAPES = (1, 2, 4, 8, 16)
TILE_SETS = (27, 31, 34)
CLASSES = ("closed", "edge", "pair", "two_sided", "two_pair", "complex")
ROLES = {"K": 1, "P": 2, "T": 4, "R": 8, "S": 16, "free": 32}
SHAPE_NAMES = {
    1: "standard",
    2: "pairs_distinct",
    4: "pairs_quads",
    8: "unconnected",
    16: "unconnected_groups",
}


def mask(kinds: list[int]) -> int:
    return sum(1 << kind for kind in kinds)


def view(hand: slow.Hand, shapes: int) -> HandView:
    return HandView(
        np.array(hand.held, np.uint8),
        np.array(hand.locked, np.uint8),
        hand.melds,
        TILE_SETS.index(hand.kinds),
        shapes,
        hand.wilds,
        255 if hand.white is None else hand.white,
    )


def random_meld(rng: np.random.Generator, left: np.ndarray, kinds: int) -> list[int]:
    """Tiles of a random meld of the copies left."""
    while True:
        sort = rng.integers(4)
        kind = int(rng.integers(kinds))
        if sort == 0 and kind < 27 and kind % 9 < 7:
            tiles = [kind, kind + 1, kind + 2]
        elif sort == 1:
            tiles = [kind] * 4
        elif sort == 2 and rng.random() < 0.1 and kinds == 34:
            tiles = [[27, 28, 29, 30], [31, 32, 33], [0, 9, 18], [8, 17, 26, 8]][rng.integers(4)]
        else:
            tiles = [kind] * 3
        if all(left[k] >= tiles.count(k) for k in tiles):
            return tiles


def random_hand(rng: np.random.Generator, kinds: int, *, in_turn: bool, melds: int, wilds: int):
    """Return a hand of a random sort: any tiles, tiles of a few kinds, or nearly complete."""
    left = np.zeros(34, int)
    left[:kinds] = 4
    locked = np.zeros(34, int)
    for _ in range(melds):
        for kind in random_meld(rng, left, kinds):
            locked[kind] += 1
            left[kind] -= 1
    held = np.zeros(34, int)
    size = (14 if in_turn else 13) - 3 * melds - wilds
    sort = rng.integers(4)
    if sort == 0:
        # Few kinds, so that copies run out.
        some = rng.choice(kinds, size=min(kinds, 6), replace=False)
    elif sort == 1:
        suit = 9 * rng.integers(3)
        some = np.arange(suit, suit + 9)
    else:
        some = np.arange(kinds)
    if sort == 2:
        # Sets and pairs first, so that the hand is not far from complete.
        while size - held.sum() > 3:
            tiles = random_meld(rng, left, kinds)[:3]
            if rng.random() < 0.3:
                tiles = [tiles[0]] * 2
            if all(left[k] >= tiles.count(k) for k in tiles):
                for kind in tiles:
                    held[kind] += 1
                    left[kind] -= 1
    while held.sum() < size:
        if not left[some].any():
            some = np.arange(kinds)
        kind = rng.choice(some)
        if left[kind]:
            held[kind] += 1
            left[kind] -= 1
    return slow.Hand(tuple(map(int, held)), tuple(map(int, locked)), melds, wilds, kinds=kinds)


def random_case(rng: np.random.Generator, kinds: int, *, in_turn: bool) -> tuple[slow.Hand, int]:
    """Return a hand and shapes."""
    melds = int(rng.choice(5, p=[0.5, 0.2, 0.1, 0.1, 0.1]))
    wilds = int(rng.integers(1, 5)) if rng.random() < 0.2 else 0
    wilds = min(wilds, 13 - 3 * melds)
    hand = random_hand(rng, kinds, in_turn=in_turn, melds=melds, wilds=wilds)
    shapes = int(rng.choice([1, 1, 5, 5, 3, 2, 4, 13, 8, 16, 29, 31]))
    if kinds < 34:
        shapes &= 7
        shapes = shapes or 5
    if shapes & 24 and rng.random() < 0.7 and melds == 0:
        # Nearly unconnected.
        sparse = [k + 9 * s for s in range(3) for k in (rng.integers(3), 3 + rng.integers(3), 8)]
        tiles = rng.permutation([*sparse, *range(27, 34)])[: sum(hand.held) - rng.integers(3)]
        held = np.zeros(34, int)
        held[tiles] = 1
        while held.sum() < sum(hand.held):
            held[rng.integers(34)] += 1
        if held.max() <= 4:
            hand = hand._replace(held=tuple(map(int, held)))
    if kinds == 34 and not hand.own(33) and rng.random() < 0.1:
        hand = hand._replace(white=int(rng.integers(33)))
    if melds and shapes & 1 == 0:
        shapes |= 1
    return hand, shapes


def differences(hand: slow.Hand, shapes: int) -> list[str]:
    """Answers of the core that the slow evaluator does not give: between turns."""
    fast = view(hand, shapes)
    found = []

    def same(what: str, got: object, want: object) -> None:
        if got != want:
            found.append(f"{what}: {got} instead of {want}: {hand} shapes {shapes}")

    same("shanten", fast.shanten(), slow.shanten(hand, shapes))
    same("accepts", fast.accepts(), mask(slow.accepted(hand, shapes)))
    live = slow.live_waits(hand, shapes)
    same("waits", fast.waits(), mask(live))
    formal = slow.formal_waits(hand, shapes)
    same("formal waits", fast.formal_waits(), mask(formal))
    for kind in formal:
        want = sum(ROLES[role] for role in slow.roles(hand, shapes, kind))
        same(f"roles of {kind}", fast.wait_roles(kind), want)
    if live:
        want_class = CLASSES.index(slow.class_of_hand(hand, shapes, live))
        same("class", fast.wait_class(mask(live)), want_class)
    return found


def differences_in_turn(hand: slow.Hand, shapes: int, rng: np.random.Generator) -> list[str]:
    """The same of a hand in turn."""
    fast = view(hand, shapes)
    found = []

    def same(what: str, got: object, want: object) -> None:
        if got != want:
            found.append(f"{what}: {got} instead of {want}: {hand} shapes {shapes}")

    same("shanten", fast.shanten(), slow.shanten(hand, shapes))
    same("complete", fast.complete(), slow.missing(hand, shapes) == 0)
    rows = [(k, s, mask(kinds), n) for k, s, kinds, n in slow.discards(hand, shapes)]
    same("discards", fast.discards(), rows)
    got = sorted(
        (
            SHAPE_NAMES[shape],
            None if pair == 255 else pair,
            tuple(sorted(zip((("chow", "pong")[t] for t in types), kinds, strict=True))),
        )
        for shape, pair, types, kinds in fast.readings()
    )
    same("readings", got, sorted(slow.readings(hand, shapes)))
    allowed = [k for k in range(34) if hand.held[k] and rng.random() < 0.7]
    if allowed:
        unseen = [
            int(rng.integers(hand.held[k], 5 - hand.locked[k])) if k < hand.kinds else 0
            for k in range(34)
        ]
        kind, shanten, kinds, n = slow.best_discard(hand, shapes, allowed, tuple(unseen))
        same(
            f"best of {allowed} with {unseen}",
            fast.best_discard(mask(allowed), np.array(unseen, np.uint8)),
            (kind, shanten, mask(kinds), n),
        )
    return found


def check(n: int, *, kinds: int, seed: int) -> list[str]:
    """Differences on n random hands of a tile set, a tenth of them in turn."""
    rng = np.random.default_rng([seed, kinds])
    found = []
    for number in range(n):
        hand, shapes = random_case(rng, kinds, in_turn=number % 10 == 0)
        if number % 10 == 0:
            found += differences_in_turn(hand, shapes, rng)
        else:
            found += differences(hand, shapes)
    return found
