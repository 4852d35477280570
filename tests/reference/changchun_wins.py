"""Random wins of Changchun."""

import random
from collections import Counter
from typing import Any

from mjstats.tiles import KIND_NAMES
from tests.reference.spelling import spelled

SPECIAL = {
    "xuan_feng": [27, 28, 29, 30],
    "xi": [31, 32, 33],
    "yao": [0, 9, 18],
    "jiu": [8, 17, 26],
}
SETS = ("pong", "kong_exposed", "kong_added", "kong_concealed", "kong_concealed")


def random_set(rng: random.Random, kinds: list[int], triplets: float) -> list[int]:
    kind = rng.choice(kinds)
    if rng.random() < triplets or kind >= 27 or kind % 9 > 6:
        return [kind] * 3
    return [kind, kind + 1, kind + 2]


def random_melds(rng: random.Random, kinds: list[int], triplets: float) -> list[Any]:
    melds: list[tuple[str, list[int]]] = []
    for name in rng.sample(sorted(SPECIAL), rng.choice([0, 0, 0, 0, 1, 1, 2])):
        more = rng.choices(SPECIAL[name], k=rng.choice([0, 0, 1, 2]))
        melds.append((name, SPECIAL[name] + more))
    while len(melds) < rng.choice([0, 0, 1, 2, 3, 4]):
        tiles = random_set(rng, kinds, triplets)
        name = rng.choice(SETS) if len(set(tiles)) == 1 else "chow"
        melds.append((name, tiles if name in ("chow", "pong") else tiles[:1] * 4))
    return melds


def random_hand(rng: random.Random) -> tuple[list[int], list[Any]]:
    """Concealed tiles and melds of a complete hand, now and then short of a condition."""
    suits = rng.choice([[0], [0], [0, 1], [0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2]])
    ranks = rng.choice([range(9), range(9), range(1, 8)])
    kinds = [9 * suit + rank for suit in suits for rank in ranks]
    kinds += rng.choice([[], [], list(range(27, 34))])
    triplets = rng.choice([0.0, 0.2, 0.4, 1.0])
    while True:
        if rng.random() < 0.15:
            hand, melds = [kind for kind in rng.choices(kinds, k=7) for _ in range(2)], []
        else:
            melds = random_melds(rng, kinds, triplets)
            hand = [rng.choice(kinds)] * 2
            while len(hand) < 14 - 3 * len(melds):
                hand += random_set(rng, kinds, triplets)
        counts = Counter(hand)
        for _, tiles in melds:
            counts.update(tiles)
        if max(counts.values()) <= 4:
            return hand, melds


def random_case(rng: random.Random) -> dict[str, Any]:
    hand, melds = random_hand(rng)
    rng.shuffle(hand)
    winner, discarder = rng.sample(range(4), 2)
    by = rng.choice(
        ["discard", "discard", "self_draw", "self_draw", "rob_kong", "kong_draw", "bao_view"]
    )
    by = "dealt" if not melds and rng.random() < 0.2 else by
    if by == "kong_draw" and all(len(tiles) == 3 for _, tiles in melds):
        by = "self_draw"
    ting = [seat for seat in range(4) if rng.random() < 0.5]
    bao = rng.choice([None, spelled(hand[-1:]), KIND_NAMES[rng.randrange(34)]])
    if bao is not None and rng.random() < 0.4 and by in {"self_draw", "kong_draw"}:
        # The tile drawn is the bao and completes nothing.
        hand[-1] = KIND_NAMES.index(bao)
    if rng.random() < 0.05:
        # A foreign tile now and then.
        hand[0] = rng.randrange(34)
    own = Counter(hand + [tile for _, tiles in melds for tile in tiles])
    if bao is not None and by != "bao_view" and own[KIND_NAMES.index(bao)] >= 4:
        # The bao lies apart.
        bao = None
    return {
        "kind": "win",
        "hand": spelled(hand if by == "dealt" else hand[:-1]),
        "melds": [{"type": name, "tiles": spelled(tiles)} for name, tiles in melds],
        "win_tile": None if by == "dealt" else spelled(hand[-1:]),
        "by": by,
        "winner": winner,
        "discarder": discarder if by in {"discard", "rob_kong"} else None,
        "dealer": winner if by == "dealt" else rng.randrange(4),
        "context": {"ting": [] if by == "dealt" else ting, "bao": None if by == "dealt" else bao},
    }


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Limits and stakes; half the hands lack a suit, so that the suits are free more often."""
    rules: dict[str, Any] = {"three_suits": "off"} if rng.random() < 0.2 else {}
    if rng.random() < 0.2:
        rules |= {"fan_cap": rng.randrange(6), "stake": rng.randrange(1, 9)}
    return rules
