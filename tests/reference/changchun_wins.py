"""Random wins of Changchun, scored by the core and by the referee."""

import random
from collections import Counter
from typing import Any

import mjstats as mj
from mjstats.errors import TileError
from mjstats.tiles import KIND_NAMES
from tests.referee.changchun import Changchun
from tests.referee.common import IllegalWinError, parse_win

SPECIAL = {
    "xuan_feng": [27, 28, 29, 30],
    "xi": [31, 32, 33],
    "yao": [0, 9, 18],
    "jiu": [8, 17, 26],
}
SETS = ("pong", "kong_exposed", "kong_added", "kong_concealed", "kong_concealed")


def spelled(kinds: list[int]) -> str:
    return "".join(KIND_NAMES[kind] for kind in kinds)


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
    own = Counter(hand + [tile for _, tiles in melds for tile in tiles])
    if bao is not None and by != "bao_view" and own[KIND_NAMES.index(bao)] >= 4:
        # The bao lies apart.
        bao = None
    if rng.random() < 0.05:
        hand[0] = rng.randrange(34)
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


def compare_changchun_wins(seed: int, n: int) -> tuple[Counter[str], list[str]]:
    """Score random hands under random rules both ways: elements seen, and differences."""
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    differences: list[str] = []
    for _ in range(n):
        case = random_case(rng)
        options: dict[str, Any] = {
            name: rng.choice(option.choices)
            for name, option in mj.ruleset("changchun").definition.options.items()
            if option.choices and rng.random() < 0.15
        }
        if rng.random() < 0.2:
            options["three_suits"] = "off"
        if rng.random() < 0.2:
            options |= {"fan_cap": rng.randrange(6), "stake": rng.randrange(1, 9)}
        elements = {
            name: rng.randrange(0, 5) for name in Changchun.element_values if rng.random() < 0.1
        }
        changes = options | {f"elements.{name}.value": worth for name, worth in elements.items()}
        try:
            expected = Changchun(options, elements).settle(parse_win(case))
        except IllegalWinError:
            expected = []
        ours: dict[str, Any] | None = None
        try:
            ours = {"legal": True, **mj.score(case, ruleset="changchun", changes=changes).as_dict()}
            seen.update(["win", *ours["elements"]])
        except mj.NotAWin as error:
            seen[error.reason] += 1
        except TileError:
            seen["refused"] += 1
        if (ours not in expected) if ours else expected:
            differences.append(f"{case} under {changes}: {ours}, expected {expected}")
    return seen, differences
