"""Random wins of Yancheng."""

import random
from collections import Counter
from typing import Any

from mjstats.tiles import KIND_NAMES
from tests.referee.yancheng import FLOWERS
from tests.reference.spelling import spelled


def complete_hand(rng: random.Random) -> tuple[list[int], list[int]]:
    """Concealed tiles and kongs of a random complete hand, rich in pairs, quads and one suit."""
    suits = rng.choice([[0], [0, 1], [1, 2], [0, 1, 2]])
    while True:
        kinds = [9 * suit + rank for suit in suits for rank in range(9)]
        if rng.random() < 0.25:
            hand = [kind for kind in rng.choices(kinds, k=7) for _ in range(2)]
            kongs: list[int] = []
        else:
            kongs = rng.sample(kinds, rng.choice([0, 0, 0, 0, 1, 1, 2, 4]))
            hand = [rng.choice(kinds)] * 2
            while len(hand) < 14 - 3 * len(kongs):
                kind = rng.choice(kinds)
                if rng.random() < 0.35:
                    hand += [kind] * 3
                elif kind % 9 < 7:
                    hand += [kind, kind + 1, kind + 2]
        counts = Counter(hand)
        counts.update(dict.fromkeys(kongs, 4))
        if max(counts.values()) <= 4:
            return hand, kongs


# Ranks that close several groups at once on the last of them (YC-30, YC-32, YC-A5).
MANY_CLOSED = [
    (6, 7, 7, 7, 8, 8, 9, 7),
    (1, 2, 2, 3, 3, 3, 4, 3),
    (1, 2, 2, 2, 3, 3, 4, 2),
    (6, 7, 7, 8, 8, 8, 9, 9, 7),
    (1, 1, 2, 2, 2, 3, 3, 4, 3),
    (1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 3, 3),
    (6, 6, 7, 7, 8, 8, 8, 8, 9, 9, 7, 7),
    (2, 3, 3, 4, 4, 4, 5, 5, 3),
]


def many_closed_hand(rng: random.Random) -> list[int]:
    """Such a hand, filled up with other suits; its last tile is the winning one."""
    suit, *others = rng.sample(range(3), 3)
    closed = [9 * suit + rank - 1 for rank in rng.choice(MANY_CLOSED)]
    rest: list[int] = []
    while len(closed) + len(rest) < 14:
        kind = 9 * rng.choice(others) + rng.randrange(7)
        pair_missing = (14 - len(closed) - len(rest)) % 3 == 2
        rest += [kind] * 2 if pair_missing else rng.choice([[kind] * 3, [kind, kind + 1, kind + 2]])
    return rest + closed


def random_case(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.15:
        hand, kongs = many_closed_hand(rng), []
    else:
        hand, kongs = complete_hand(rng)
        rng.shuffle(hand)
    by = rng.choice(["discard", "self_draw", "self_draw", "kong_draw", "flower_draw", "dealt"])
    winner, discarder = rng.sample(range(4), 2)
    all_flowers = [kind for kind, n in FLOWERS.items() for _ in range(n)]
    rng.shuffle(all_flowers)
    flowers = all_flowers[: rng.choice([0, 0, 1, 3, 8, 20, 36])]
    if rng.random() < 0.2:
        flowers = [34, 35, 36, 37, 38, 39, 40, 41][: rng.choice([4, 8])] + [30] * 4
    if (by == "kong_draw" and not kongs) or (by == "flower_draw" and not flowers):
        by = "self_draw"
    dealt = by == "dealt"
    context = {
        "ting_mode": "none" if dealt else rng.choice(["ting", "fei_ting", "fei_ting", "none"]),
        "discarder_state": rng.choice([None, "none", "ting", "fei_ting"]),
        "jia": rng.choice([0, 0, 1, 3]),
        "opening_ting": not dealt and rng.random() < 0.3,
        "flowers_at_ting": rng.choice([0, len(flowers)]),
        "payer_states": rng.choices(["none", "ting", "fei_ting"], k=4),
    }
    if context["discarder_state"] == "none":
        context["discarder_declares_now"] = rng.choice([None, "ting", "fei_ting"])
    # A tile too many or a foreign one now and then: no win.
    if rng.random() < 0.05:
        hand[0] = rng.randrange(27)
    return {
        "kind": "win",
        "hand": spelled(hand if dealt else hand[:-1]),
        "melds": [{"type": "kong_concealed", "tiles": spelled([k] * 4)} for k in kongs],
        "flowers": [KIND_NAMES[kind] for kind in flowers],
        "win_tile": None if dealt else spelled(hand[-1:]),
        "by": by,
        "winner": winner,
        "discarder": discarder if by == "discard" else None,
        "dealer": winner if dealt and rng.random() < 0.9 else rng.randrange(4),
        "context": context,
    }
