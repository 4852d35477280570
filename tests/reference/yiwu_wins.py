"""Random wins of Yiwu."""

import random
from collections import Counter
from typing import Any

from mjstats.tiles import KIND_NAMES
from tests.reference.spelling import spelled

WHITE = 33
SETS = ("pong", "kong_exposed", "kong_added", "kong_concealed")
Melds = list[tuple[str, list[int]]]


def random_set(rng: random.Random, kinds: list[int]) -> list[int]:
    while True:
        kind = rng.choice(kinds)
        if kind >= 27 or rng.random() < 0.4:
            return [kind] * 3
        if kind % 9 < 7:
            return [kind, kind + 1, kind + 2]


def unconnected(rng: random.Random) -> list[int]:
    """Different tiles, three apart in the suits (3.3); whites are whites."""
    suited: list[int] = []
    n_honours = rng.randrange(5, 8)
    while len(suited) != 14 - n_honours:
        suited = [
            9 * suit + rank
            for suit in range(3)
            for rank in rng.choice([(0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (1, 5), (0, 3, 8)])
        ]
    return suited + rng.sample(range(27, 34), n_honours)


def random_hand(rng: random.Random, wild: int) -> tuple[list[int], Melds]:
    """Concealed tiles and melds of a complete hand without wild tiles."""
    suits = rng.choice([[0], [0, 1], [0, 1, 2]])
    kinds = [9 * suit + rank for suit in suits for rank in range(9)]
    kinds += rng.choice([[], [27, 31], [WHITE, wild]])
    while True:
        form = rng.random()
        melds: Melds = []
        if form < 0.15:
            hand = unconnected(rng)
        elif form < 0.3:
            hand = [kind for kind in rng.choices(kinds, k=7) for _ in range(2)]
        else:
            for _ in range(rng.choice([0, 0, 0, 1, 2, 3, 4])):
                tiles = random_set(rng, kinds)
                name = rng.choice(SETS) if tiles[0] == tiles[-1] else "chow"
                melds.append((name, tiles[:1] * 4 if "kong" in name else tiles))
            hand = [rng.choice(kinds)] * 2
            while len(hand) < 14 - 3 * len(melds):
                hand += random_set(rng, kinds)
        if form >= 0.15:
            # The face of the wild tiles is played by whites.
            face = {WHITE: wild, wild: WHITE}
            hand = [face.get(kind, kind) for kind in hand]
            melds = [(name, [face.get(kind, kind) for kind in tiles]) for name, tiles in melds]
        counts = Counter(hand)
        for _, tiles in melds:
            counts.update(tiles)
        whole = len(hand) + 3 * len(melds) == 14 and not counts[wild]
        if whole and max(counts.values()) <= 4:
            return hand, melds


def random_case(rng: random.Random, options: dict[str, Any]) -> dict[str, Any]:
    wild = rng.choice([9 * rng.randrange(3) + rng.randrange(9), rng.randrange(27, 34)])
    most = options.get("wild_count", 3)
    hand, melds = random_hand(rng, wild)
    held = min(rng.choice([0, 0, 1, 1, 1, 2, 2, 3, 4]), most, len(hand))
    if held and rng.random() < 0.4:
        # One wild tile waits for the other tile of the pair.
        last, ready = hand[1], [wild] * held + hand[1 + held :]
    else:
        rng.shuffle(hand)
        mixed = [wild] * held + hand[held:]
        rng.shuffle(mixed)
        last, ready = mixed[-1], mixed[:-1]
    rng.shuffle(ready)
    hand = [*ready, last]
    winner, other = rng.sample(range(4), 2)
    konged = any("kong" in name for name, _ in melds)
    by = rng.choice(["discard", "discard", "self_draw", "rob_kong", "kong_draw", "dealt"])
    # No kong is made with a wild tile.
    robbed = by == "rob_kong" and hand[-1] == wild
    if robbed or (by == "dealt" and melds) or (by == "kong_draw" and not konged):
        by = "self_draw"
    if rng.random() < 0.03:
        # A foreign tile now and then: no win.
        hand[0] = rng.choice([kind for kind in range(34) if kind != wild])
    dealer = winner if by == "dealt" else rng.randrange(4)
    piao, left = [0, 0, 0, 0], most - held
    for seat in rng.sample(range(4), 4):
        if left and rng.random() < 0.35:
            piao[seat] = rng.randrange(1, min(left, 2) + 1)
            left -= piao[seat]
    feeds = []
    for seat in ((winner + i) % 4 for i in range(4)):
        by_seat = [0, 0, 0, 0]
        for _ in range(rng.choice([0, 2, 4])):
            by_seat[rng.choice([s for s in range(4) if s != seat])] += 1
        if piao[seat] and rng.random() < 0.7:
            feeds.append({"to": seat, "by": by_seat})
    cap = options.get("xia_cap", "none")
    xia = [rng.choice([0, 0, 1, 4, 16]) for _ in range(4)]
    xia[dealer] = 0
    if isinstance(cap, int):
        xia = [min(amount, cap) for amount in xia]
    return {
        "kind": "win",
        "hand": spelled(hand if by == "dealt" else hand[:-1]),
        "melds": [{"type": name, "tiles": spelled(tiles)} for name, tiles in melds],
        "win_tile": None if by == "dealt" else KIND_NAMES[hand[-1]],
        "by": by,
        "winner": winner,
        "discarder": other if by in {"discard", "rob_kong"} else None,
        "dealer": dealer,
        "context": {
            "wild": KIND_NAMES[wild],
            "piao": [0, 0, 0, 0] if by == "dealt" else piao,
            "mai": [rng.choice([0, options.get("mai_value", 2)]) for _ in range(4)],
            "xia": xia,
            "feeds": [] if by == "dealt" else feeds,
        },
    }


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Stakes that are numbers."""
    rules: dict[str, Any] = {}
    if rng.random() < 0.3:
        rules = {
            "mai_value": rng.randrange(1, 6),
            "xia_cap": rng.choice(["none", 1, 5]),
            "base_dealer": rng.randrange(1, 12),
            "base_other": rng.randrange(1, 12),
        }
    return rules
