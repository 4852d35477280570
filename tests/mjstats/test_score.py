"""Worked cases through the public interface; the core's scoring against the reference."""

import random
from collections import Counter
from typing import Any

import pytest

import mjstats as mj
from mjstats.errors import ArgumentError, HandError, TileError
from mjstats.tiles import KIND_NAMES
from tests.referee.cases import differences, load_cases
from tests.referee.common import IllegalWinError, parse_changes, parse_win
from tests.referee.yancheng import FLOWERS, Yancheng

FILES = {"yancheng": ["yancheng.json", "yancheng_more.json"], "plain": ["plain.json"]}
CASES = [
    pytest.param(game, case, id=case["id"])
    for game, files in FILES.items()
    for case in load_cases(*files)
    if case["kind"] != "table"
]
IMPOSSIBLE = {
    *("hand_size", "too_many_copies", "bonus_tile_in_hand", "malformed_meld", "no_discarder"),
}
BASE: dict[str, Any] = {
    "hand": "234m567p345s678s5m",
    "flowers": ["2z", "5z"],
    "win_tile": "5m",
    "by": "self_draw",
    "winner": 1,
    "dealer": 0,
    "context": {"ting_mode": "ting", "flowers_at_ting": 2},
}


def answer(case: dict[str, Any], game: str) -> dict[str, Any]:
    if case["kind"] == "carry":
        return {"after": mj.next_state(case["before"], case["event"], ruleset=game)}
    try:
        return {"legal": True, **mj.score(case, ruleset=game).as_dict()}
    except mj.NotAWin:
        return {"legal": False}
    except mj.MjstatsError:
        # What no player can hold is not judged but refused; the reference calls it no win.
        assert case["expect"]["reason"] in IMPOSSIBLE
        return {"legal": False}


@pytest.mark.parametrize(("game", "case"), CASES)
def test_worked_case(game: str, case: dict[str, Any]) -> None:
    """A29, A30: payments come from the settlement, counters are explicit and carried."""
    got = answer(case, game)
    expect = case["expect"]
    if case["kind"] == "carry":
        assert {name: got["after"][name] for name in expect["after"]} == expect["after"]
        return
    assert differences(got, expect) == []
    assert sum(got.get("payments", [0])) == 0
    for changes, other in case.get("expect_under", {}).items():
        changed = case | {"options": case.get("options", {}) | parse_changes(changes)}
        assert differences(answer(changed, game), other) == []


def spelled(kinds: list[int]) -> str:
    return "".join(f"{kind % 9 + 1}{'mps'[kind // 9]}" for kind in kinds)


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


def random_case(rng: random.Random) -> dict[str, Any]:
    hand, kongs = complete_hand(rng)
    rng.shuffle(hand)
    by = rng.choice(["discard", "self_draw", "self_draw", "kong_draw", "flower_draw", "dealt"])
    winner, discarder = rng.sample(range(4), 2)
    all_flowers = [kind for kind, n in FLOWERS.items() for _ in range(n)]
    rng.shuffle(all_flowers)
    flowers = all_flowers[: rng.choice([0, 0, 1, 3, 8, 20, 36])]
    if rng.random() < 0.2:
        flowers = [34, 35, 36, 37, 38, 39, 40, 41][: rng.choice([4, 8])] + [30] * 4
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


@pytest.mark.parametrize("seed", range(8))
def test_core_scores_as_the_reference(seed: int) -> None:
    """Every reading, bonus and factor of Yancheng, under random options and element values."""
    rng = random.Random(seed)
    wins = 0
    for _ in range(500):
        case = random_case(rng)
        options = {
            name: rng.choice(option.values)
            for name, option in Yancheng.option_table.items()
            if option.values and rng.random() < 0.3
        }
        elements = {
            name: rng.randrange(1, 60) for name in Yancheng.element_values if rng.random() < 0.1
        }
        changes = options | {f"elements.{name}.value": worth for name, worth in elements.items()}
        reference = Yancheng(options, elements)
        try:
            expected = reference.settle(parse_win(case))
        except IllegalWinError:
            expected = []
        try:
            ours = {"legal": True, **mj.score(case, ruleset="yancheng", changes=changes).as_dict()}
        except (mj.NotAWin, TileError):
            assert expected == [], (case, changes)
            continue
        assert ours in expected, (case, changes)
        wins += 1
    assert wins > 200


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"hand": "234m567p345s678s"}, HandError, "13 concealed tiles"),
        ({"hand": "234m567p345s6789s5m"}, HandError, "15 concealed tiles"),
        ({"hand": "555m567p345s678s5m"}, TileError, "5 copies of 5m (max 4)"),
        ({"hand": "234m567p345s678s5z"}, HandError, "5z is no playing tile"),
        ({"hand": "234m567p345s678x"}, TileError, "x"),
        ({"hand": 5}, ArgumentError, "no hand string"),
        ({"hand": "234m567p345s5m [678s]"}, HandError, "melds belong under 'melds'"),
        ({"flowers": ["5m"]}, HandError, "no bonus tile"),
        ({"flowers": ["spring", "spring"]}, TileError, "2 copies of spring (max 1)"),
        ({"flowers": "2z"}, ArgumentError, "no list"),
        ({"by": "theft"}, ArgumentError, "allowed are discard"),
        ({"by": "discard"}, ArgumentError, "discarder"),
        ({"by": "discard", "discarder": 1}, ArgumentError, "own tile"),
        ({"winner": 4}, ArgumentError, "allowed are 0, 1, 2, 3"),
        ({"winner": True}, ArgumentError, "no seat"),
        ({"dealer": None}, ArgumentError, "dealer"),
        ({"win_tile": None, "by": "discard", "discarder": 0}, ArgumentError, "win_tile"),
        ({"context": {"ting_mode": "often"}}, ArgumentError, "none, ting, fei_ting"),
        ({"context": {"luck": 1}}, ArgumentError, "unknown key 'luck'"),
        ({"context": {"jia": -1}}, ArgumentError, "context.jia"),
        ({"context": {"payer_states": ["ting"]}}, ArgumentError, "4 are needed"),
        ({"context": []}, ArgumentError, "context"),
        ({"melds": [{"type": "pile", "tiles": "111m"}]}, TileError, "pile"),
        ({"melds": [{"type": "pong"}]}, ArgumentError, "melds[0]"),
        ({"options": {"no_such": 1}}, mj.MjstatsError, "no_such"),
    ],
)
def test_nonsense_is_refused(change: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        mj.score(BASE | change, ruleset="yancheng")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("before", "event", "words"),
    [
        ({"dealer": 0, "luck": 1}, {"type": "draw"}, "unknown counter 'luck'"),
        ({"dealer": 0}, {"type": "flood"}, "allowed are 'draw' and 'win'"),
        ({"dealer": 0}, {"type": "win"}, "winner"),
        ({"dealer": 0}, {"type": "win", "winners": [0, 0]}, "1 to 3 different seats"),
        ({"jia": 0}, {"type": "draw"}, "dealer"),
        ({"dealer": 0, "jia": 0.5}, {"type": "draw"}, "jia"),
    ],
)
def test_next_state_refuses_nonsense(
    before: dict[str, Any], event: dict[str, Any], words: str
) -> None:
    with pytest.raises(ArgumentError) as caught:
        mj.next_state(before, event, ruleset="yancheng")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("winners", "multi_ron", "after"),
    [
        ([1, 0], True, {"jia": 3, "dealer": 0, "round": 1}),
        ([1, 2], True, {"jia": 1, "dealer": 1, "round": 1}),
        ([0], False, {"jia": 3, "dealer": 0, "round": 1}),
    ],
)
def test_yc_44_45_several_winners(
    winners: list[int], multi_ron: bool, after: dict[str, int]
) -> None:
    state = mj.next_state(
        {"jia": 2, "dealer": 0},
        {"type": "win", "winners": winners},
        ruleset="yancheng",
        changes={"multi_ron": multi_ron},
    )
    assert state == after


def test_the_round_ends_when_the_deal_returns() -> None:
    state = mj.next_state({"dealer": 3}, {"type": "win", "winner": 1}, ruleset="yancheng")
    assert state == {"jia": 0, "dealer": 0, "round": 2}
