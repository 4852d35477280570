"""Random wins of Suzhou."""

import random
from collections import Counter
from typing import Any

from mjstats.tiles import KIND_NAMES
from tests.reference.spelling import spelled

MELDS = ("pong", "kong_exposed", "kong_added", "kong_concealed")
FLOWERS = [kind for kind in range(31, 47) for _ in range(4 if kind < 34 or kind == 46 else 1)]


def random_hand(rng: random.Random) -> tuple[list[int], list[tuple[str, int]]]:
    """Concealed tiles and melds of a complete hand, rich in winds, triplets and one suit."""
    suits = rng.choice([[0], [1, 2], [0, 1, 2], [0, 1, 2]])
    kinds = [9 * suit + rank for suit in suits for rank in range(9)]
    kinds += rng.choice([[], [27, 28], list(range(27, 31)) * 3])
    triplets = rng.choice([0.2, 0.5, 1.0])
    while True:
        if rng.random() < 0.2:
            hand, melds = [kind for kind in rng.choices(kinds, k=7) for _ in range(2)], []
        else:
            melded = rng.sample(kinds, rng.choice([0, 0, 0, 1, 2, 3, 4]))
            melds = [(rng.choice(MELDS), kind) for kind in melded]
            if rng.random() < 0.3:
                melds = [("kong_concealed", kind) for kind in melded]
            hand = [rng.choice(kinds)] * 2
            while len(hand) < 14 - 3 * len(melds):
                kind = rng.choice(kinds)
                if rng.random() < triplets or kind >= 27:
                    hand += [kind] * 3
                elif kind % 9 < 7:
                    hand += [kind, kind + 1, kind + 2]
        counts = Counter(hand)
        for name, kind in melds:
            counts[kind] += 3 if name == "pong" else 4
        if max(counts.values()) <= 4:
            return hand, melds


def random_case(rng: random.Random) -> dict[str, Any]:
    hand, melds = random_hand(rng)
    rng.shuffle(hand)
    winner, discarder = rng.sample(range(4), 2)
    by = rng.choice(["discard", "self_draw", "rob_kong", "kong_draw", "flower_draw", "dealt"])
    konged = any(name != "pong" for name, _ in melds)
    flowers = rng.sample(FLOWERS, rng.choice([0, 0, 1, 1, 2, 3, 4, 9, 28]))
    if by == "flower_draw" and not flowers:
        by = "self_draw"
    if (by == "dealt" and melds) or (by == "kong_draw" and not konged):
        by = "self_draw"
    dealt = by == "dealt"
    context: dict[str, Any] = {
        name: rng.random() < 0.3 for name in ("baozi", "diling", "last_tile") if not dealt
    }
    own = by in {"self_draw", "flower_draw"} and not melds
    dealer = winner if dealt else rng.choice([seat for seat in range(4) if seat != winner])
    if own and rng.random() < 0.3:
        context |= {"di_hu": True, "last_tile": False}
    if by in {"kong_draw", "flower_draw"} and any(name == "kong_exposed" for name, _ in melds):
        context["bao_jiao_zi"] = rng.choice([None, discarder])
    # A foreign tile now and then: no win.
    if rng.random() < 0.05:
        hand[0] = rng.randrange(31)
    tiles = [{"type": n, "tiles": spelled([k] * (3 if n == "pong" else 4))} for n, k in melds]
    return {
        "kind": "win",
        "hand": spelled(hand if dealt else hand[:-1]),
        "melds": tiles,
        "flowers": [KIND_NAMES[kind] for kind in flowers],
        "win_tile": None if dealt else KIND_NAMES[hand[-1]],
        "by": by,
        "winner": winner,
        "discarder": discarder if by in {"discard", "rob_kong"} else None,
        "dealer": dealer,
        "context": context,
    }
