"""Wins that score, but that no deal can end with, are refused, each with its field."""

from typing import Any

import pytest

import mjstats as mj
from mjstats.errors import ArgumentError, TileError

Json = dict[str, Any]


def case(hand: str, win_tile: str | None, **more: Any) -> Json:
    return {"hand": hand, "win_tile": win_tile, "by": "self_draw", "winner": 1, "dealer": 0} | more


def melds(*named: str) -> list[Json]:
    return [dict(zip(("type", "tiles"), text.split(), strict=True)) for text in named]


YANCHENG = case("234m567p345s678s5m", "5m", flowers=["2z", "5z"], context={"ting_mode": "ting"})
SUQIAN = case("123m456s789s22m46p", "5p", context={"ting": True})
OWN_PONG = SUQIAN | {"hand": "123m789s22m46p", "melds": melds("pong 555p")}
SUZHOU = case("123m456p789s22m46p", "5p", flowers=["spring", "plum", "5z", "cat"])
KONG = SUZHOU | {"hand": "123m456p22m46p", "melds": melds("kong_exposed 7777s")}
CHANGCHUN = case("234m567p4522s", "3s", melds=melds("pong 999p"))
SHOWN = CHANGCHUN | {"melds": melds("xi 567z")}
YIWU = case("123456p789s234m9p", "6z", context={"wild": "9p", "piao": [0, 1, 0, 0]})
PLAIN = case("123m456p789s22m46p", "5p")

LEGAL = {
    "suqian": [SUQIAN, OWN_PONG],
    "yancheng": [YANCHENG],
    "suzhou": [SUZHOU, KONG, KONG | {"by": "kong_draw"}],
    "changchun": [CHANGCHUN, SHOWN, SHOWN | {"by": "kong_draw", "melds": melds("xi 567z7z")}],
    "yiwu": [YIWU],
    "plain": [PLAIN],
}


@pytest.mark.parametrize("game", LEGAL)
def test_the_cases_themselves_win(game: str) -> None:
    for one in LEGAL[game]:
        assert mj.score(one, ruleset=game).payments[1] > 0


# Game, the case, what is changed (its context is added to), what the error says.
IMPOSSIBLE: list[tuple[str, Json, Json, str]] = [
    ("suzhou", SUZHOU, {"by": "kong_draw"}, "by: 'kong_draw', but no kong"),
    ("suzhou", SUZHOU, {"by": "flower_draw", "flowers": []}, "by: 'flower_draw', but flowers has"),
    ("yancheng", YANCHENG, {"by": "kong_draw"}, "by: 'kong_draw', but no kong"),
    ("yancheng", YANCHENG, {"by": "flower_draw", "flowers": []}, "by: 'flower_draw'"),
    ("suqian", SUQIAN, {"by": "kong_draw"}, "by: 'kong_draw'"),
    ("changchun", CHANGCHUN, {"by": "kong_draw"}, "by: 'kong_draw'"),
    ("changchun", SHOWN, {"by": "kong_draw"}, "by: 'kong_draw'"),
    (
        "changchun",
        SHOWN,
        {"hand": "234m4522s", "melds": melds("yao 1m1p1s", "yao 1p1s1m")},
        "melds: 2 of type yao; one of each",
    ),
    ("yiwu", YIWU, {"by": "kong_draw"}, "by: 'kong_draw'"),
    ("plain", PLAIN, {"by": "flower_draw"}, "by: 'flower_draw'"),
    ("plain", PLAIN, {"discarder": 2}, "discarder: 2, but nobody discards"),
    (
        "plain",
        PLAIN,
        {"winner": 0, "hand": "123m456p22m456p", "win_tile": None, "melds": melds("pong 777s")},
        "melds: a dealt win comes before any claim",
    ),
    ("suzhou", SUZHOU, {"context": {"tian_hu": True}}, "tian_hu: seat 1 wins"),
    (
        "suzhou",
        SUZHOU,
        {"context": {"tian_hu": True}, "winner": 0, "by": "discard", "discarder": 2},
        "tian_hu: a win before the first discard cannot come by 'discard'",
    ),
    (
        "suzhou",
        KONG,
        {"context": {"tian_hu": True}, "winner": 0},
        "tian_hu: a win before the first",
    ),
    ("suzhou", SUZHOU, {"context": {"di_hu": True}, "winner": 0}, "di_hu: seat 0 is the dealer"),
    (
        "suzhou",
        SUZHOU,
        {"context": {"di_hu": True}, "by": "rob_kong", "discarder": 2},
        "di_hu: a win on the own first draw cannot come by 'rob_kong'",
    ),
    ("suzhou", SUZHOU, {"context": {"di_hu": True, "last_tile": True}}, "last_tile: contradicts"),
    (
        "suzhou",
        SUZHOU,
        {
            "context": {"last_tile": True},
            "winner": 0,
            "hand": "123m456p789s22m456p",
            "win_tile": None,
        },
        "last_tile: after the deal",
    ),
    ("suzhou", KONG, {"context": {"bao_jiao_zi": 0}}, "bao_jiao_zi: a win by 'self_draw'"),
    (
        "suzhou",
        KONG,
        {"context": {"bao_jiao_zi": 0}, "by": "kong_draw", "melds": melds("kong_added 7777s")},
        "bao_jiao_zi: seat 0 fed a kong, but no kong_exposed",
    ),
    ("yancheng", YANCHENG, {"context": {"flowers_at_ting": 3}}, "flowers_at_ting: 3 bonus tiles"),
    (
        "yancheng",
        YANCHENG,
        {
            "context": {"discarder_state": "ting", "discarder_declares_now": "fei_ting"},
            "by": "discard",
            "discarder": 0,
        },
        "discarder_declares_now: 'fei_ting', but discarder_state says",
    ),
    (
        "suqian",
        SUQIAN,
        {"context": {"pungs_before_ting": [{"tile": "2m", "by": 0}]}},
        "pungs_before_ting: seat 0 punged 2m, of which the winner has 3",
    ),
    (
        "suqian",
        SUQIAN,
        {"context": {"pungs_before_ting": [{"tile": "5p", "by": 1}]}},
        "the winner punged 5p, but no such pong is among the melds",
    ),
    (
        "suqian",
        SUQIAN,
        {"context": {"pungs_after_ting": [{"tile": f"{i}m", "by": 3} for i in range(5, 10)]}},
        "pungs_after_ting: 5 pungs of seat 3 (max 4)",
    ),
    (
        "suqian",
        SUQIAN,
        {"context": {"pungs_before_ting": [{"tile": "5p", "by": 0}, {"tile": "5p", "by": 2}]}},
        "5p is punged by several seats",
    ),
    (
        "suqian",
        SUQIAN,
        {"context": {"pungs_before_ting": [{"tile": "5z", "by": 0}]}},
        "5z is no playing tile of ruleset suqian",
    ),
    ("suqian", SUQIAN, {"context": {"discards": ["8p"] * 5}}, "discards: 5 discards of 8p"),
    (
        "suqian",
        SUQIAN,
        {"context": {"discards": ["2m"] * 2}},
        "2 discards of 2m, of which the winner",
    ),
    (
        "suqian",
        SUQIAN,
        {"context": {"discards": ["spring"]}},
        "discards: spring is no playing tile",
    ),
    ("changchun", CHANGCHUN, {"context": {"bao": "spring"}}, "bao: spring is no playing tile"),
    (
        "changchun",
        CHANGCHUN,
        {"context": {"bao": "9p", "ting": [1]}, "melds": melds("kong_concealed 9999p")},
        "bao: 9p lies apart, but the winner has 4 copies",
    ),
    (
        "yiwu",
        YIWU,
        {"context": {"piao": [0, 2, 1, 0]}},
        "piao: 3 wild tiles thrown, and the winner",
    ),
    ("yiwu", YIWU, {"context": {"piao": [0, 3, 0, 0]}}, "piao: 3 is unknown; allowed are 0, 1, 2"),
    (
        "yiwu",
        YIWU,
        {"context": {"feeds": {"to": 1, "by": [0, 1, 0, 0]}}},
        "feeds: seat 1 cannot feed",
    ),
    (
        "yiwu",
        YIWU,
        {"context": {"feeds": [{"to": 0, "by": [0, 0, 0, 0]}, {"to": 1, "by": [3, 0, 2, 0]}]}},
        "feeds: 5 melds of seat 1",
    ),
    (
        "yiwu",
        YIWU,
        {"hand": "123p789s234m9p", "melds": melds("chow 789p")},
        "wild: 9p is wild and stays concealed, but melds[0] shows it (max 0)",
    ),
    (
        "yiwu",
        YIWU,
        {
            "hand": "123p789s234m9p",
            "melds": melds("pong 99p7z"),
            "options": {"lone_wild_discard": "claimable"},
        },
        "wild: 9p is wild and stays concealed, but melds[0] shows it (max 1)",
    ),
    (
        "yiwu",
        YIWU,
        {
            "hand": "12345678p789s22z",
            "win_tile": "9p",
            "by": "rob_kong",
            "discarder": 2,
            "context": {"piao": [0] * 4},
        },
        "wild: 9p is wild, and no kong can be made with it",
    ),
    ("yiwu", YIWU, {"context": {"mai": [0, 1, 0, 0]}}, "mai: 1 bought by seat 1; allowed are 0"),
    (
        "yiwu",
        YIWU,
        {"context": {"mai": {"2": 2}}, "options": {"mai_value": 3}},
        "mai: 2 bought by seat 2; allowed are 0 and 3",
    ),
    ("yiwu", YIWU, {"context": {"xia": [2, 0, 0, 0]}}, "xia: 2 placed by seat 0, the dealer"),
    (
        "yiwu",
        YIWU,
        {"context": {"xia": [0, 0, 8, 0]}, "options": {"xia_cap": 4}},
        "xia: 8 placed by seat 2 (max 4)",
    ),
]


@pytest.mark.parametrize(("game", "base", "change", "words"), IMPOSSIBLE)
def test_what_cannot_be_is_refused(game: str, base: Json, change: Json, words: str) -> None:
    context = base.get("context", {}) | change.get("context", {})
    with pytest.raises(ArgumentError) as caught:
        mj.score(base | change | {"context": context}, ruleset=game)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("game", "base", "change"),
    [
        ("suqian", OWN_PONG, {"pungs_before_ting": [{"tile": "5p", "by": 1}]}),
        (
            "suqian",
            SUQIAN,
            {"pungs_before_ting": [{"tile": "5p", "by": 0}], "discards": ["5p"] * 4},
        ),
        ("suzhou", SUZHOU, {"di_hu": True, "last_tile": False, "bao_jiao_zi": "none"}),
        ("yancheng", YANCHENG, {"flowers_at_ting": 2, "discarder_state": "ting"}),
        ("changchun", CHANGCHUN, {"bao": "3s", "ting": []}),
        ("yiwu", YIWU, {"feeds": {"to": 1, "by": [2, 0, 2, 0]}, "piao": {"1": 2}}),
        ("yiwu", YIWU, {"mai": [2, 0, 0, 2], "xia": {"2": 4}}),
        (
            "yiwu",
            YIWU
            | {"options": {"lone_wild_discard": "claimable"}}
            | {"hand": "123p789s234m9p", "melds": melds("chow 789p")},
            {},
        ),
    ],
)
def test_what_may_be_is_scored(game: str, base: Json, change: Json) -> None:
    """Melds, discards and declarations of others need not be told."""
    context = base.get("context", {}) | change
    assert sum(mj.score(base | {"context": context}, ruleset=game).payments) == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hand": "234m567p345s678x"}, "hand: "),
        ({"win_tile": "0m"}, "win_tile: "),
        ({"flowers": ["blume"]}, "flowers: "),
        ({"melds": melds("pong 123m")}, "melds[0]: "),
        ({"melds": melds("pong 111m", "pile 111m")}, "melds[1]: unknown meld type"),
        (
            {"melds": melds("pong 666z"), "hand": "123m456p22m46p"},
            "melds[0]: 6z is no playing tile",
        ),
        ({"hand": "5555m567p345s678s"}, "hand and melds: 5 copies of 5m (max 4)"),
        ({"flowers": ["cat", "cat"]}, "flowers: 2 copies of cat (max 1)"),
    ],
)
def test_a_bad_tile_is_told_with_its_field(change: Json, words: str) -> None:
    tile = {"win_tile": "5m"} if change.get("hand", "").startswith("5") else {}
    with pytest.raises(mj.MjstatsError) as caught:
        mj.score(SUZHOU | tile | change, ruleset="suzhou")
    assert str(caught.value).startswith(words)


def test_a_bad_tile_in_the_context_is_told_with_its_key() -> None:
    for game, key, value in [
        ("suqian", "discards", ["5x"]),
        ("suqian", "pungs_before_ting", [{"tile": "5x", "by": 0}]),
        ("changchun", "bao", "5x"),
        ("changchun", "kong_events", [{"seat": 1, "type": "kong_concealed", "tile": "5x"}]),
        ("changchun", "kong_events", [{"seat": 1, "type": "xi", "tiles": "5x"}]),
    ]:
        base = LEGAL[game][0]
        context = base.get("context", {}) | {key: value}
        with pytest.raises(TileError, match=rf"^context\.{key}"):
            mj.score(base | {"context": context}, ruleset=game)
