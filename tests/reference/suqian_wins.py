"""Random wins of Suqian."""

import random
from collections import Counter
from typing import Any

from mjstats.tiles import KIND_NAMES
from tests.reference.spelling import spelled
from tests.reference.yancheng_wins import complete_hand

BIDS = ("bu_peng", "da_pie", "du_ci", "du_liu")
FLOWERS = [*range(27, 31), *range(34, 42)]
# Seven pairs and four sets at once.
BOTH_SHAPES = ["11223311223355", "44556644556688", "77889977889911"]


def random_case(rng: random.Random) -> dict[str, Any]:
    hand, kongs = complete_hand(rng)
    if not kongs and rng.random() < 0.1:
        suits = [9 * suit for suit in rng.choices(range(3), k=3)]
        digits = [int(digit) - 1 for digit in rng.choice(BOTH_SHAPES)]
        hand = [suits[place // 6] + rank for place, rank in enumerate(digits)]
    melds = [(rng.choice(["concealed", "concealed", "exposed", "added"]), k) for k in kongs]
    rng.shuffle(hand)
    counts = Counter(hand)
    laid: list[dict[str, str]] = [
        {"type": f"kong_{kind}", "tiles": spelled([k] * 4)} for kind, k in melds
    ]
    # Some triplets were punged.
    for kind, n in counts.items():
        if n >= 3 and len(hand) > 5 and rng.random() < 0.4:
            laid.append({"type": "pong", "tiles": spelled([kind] * 3)})
            for _ in range(3):
                hand.remove(kind)
    by = rng.choice(["discard", "discard", "self_draw", "kong_draw", "flower_draw", "rob_kong"])
    winner, discarder = rng.sample(range(4), 2)
    flowers = rng.sample(FLOWERS, rng.choice([0, 1, 3, 12]))
    if (by == "kong_draw" and not melds) or (by == "flower_draw" and not flowers):
        by = "self_draw"
    kind = rng.choice([hand[-1], hand[-1], *counts])
    punged = []
    if {"type": "pong", "tiles": spelled([kind] * 3)} in laid:
        punged = [{"tile": spelled([kind]), "by": winner}]
    elif counts[kind] == 1 and rng.random() < 0.5:
        punged = [{"tile": spelled([kind]), "by": (winner + rng.randrange(1, 4)) % 4}]
    case = {
        "kind": "win",
        "hand": spelled(hand[:-1]),
        "melds": laid,
        "flowers": [KIND_NAMES[k] for k in flowers],
        "win_tile": spelled(hand[-1:]),
        "by": by,
        "winner": winner,
        "discarder": discarder if by in {"discard", "rob_kong"} else None,
        "dealer": rng.choice([winner, discarder, rng.randrange(4)]),
        "context": {
            "ting": rng.random() < 0.97,
            "discarder_ting": rng.random() < 0.4,
            "fang_ting": rng.random() < 0.3,
            "bids": {
                str(seat): [bid for bid in BIDS if rng.random() < 0.4]
                for seat in range(4)
                if rng.random() < 0.7
            },
            "pungs_before_ting": punged,
            "round_wind": rng.choice(["1z", "2z", "3z", "4z"]),
        },
    }
    # A foreign tile now and then: no win.
    if rng.random() < 0.03:
        hand[0] = rng.randrange(27)
        case["hand"] = spelled(hand[:-1])
    return case
