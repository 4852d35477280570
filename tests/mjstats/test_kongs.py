"""Kongs of worked cases that cannot be: of which tiles, robbed or not, too many copies."""

from typing import Any

import pytest

import mjstats as mj
from mjstats.errors import ArgumentError, MjstatsError, TileError

Json = dict[str, Any]
XI: Json = {"type": "xi", "tiles": "567z"}


def paid(*events: Json, ruleset: str = "changchun", **options: Any) -> mj.Settlement:
    seated = [{"seat": 1} | event for event in events]
    case = {"kind": "kong", "context": {"kong_events": seated}, "options": options}
    return mj.score(case, ruleset=ruleset)


@pytest.mark.parametrize(
    ("event", "error", "words"),
    [
        ({"type": "pong", "tile": "5m"}, ArgumentError, "[0].type: 'pong' is unknown"),
        ({"type": "kong_added"}, ArgumentError, "[0].tile: None is no tile name"),
        ({"type": "kong_added", "tile": "spring"}, TileError, "[0].tile: spring is no playing"),
        ({"type": "kong_exposed", "tile": "5m"}, ArgumentError, "[0].from=None"),
        ({"type": "supplement", "tile": "5z"}, ArgumentError, "[0].of: None is unknown"),
        (
            {"type": "supplement", "of": "xi", "tile": "1z"},
            TileError,
            "[0].tile: 1z cannot be added to a xi; allowed are 5z, 6z, 7z",
        ),
        ({"type": "xuan_feng", "tiles": "123z"}, TileError, "[0].tiles: 123z is no xuan_feng"),
        ({"type": "xuan_feng", "tiles": "1232z"}, TileError, "[0].tiles: 1232z is no xuan_feng"),
        ({"type": "xuan_feng", "tiles": "1234z1z"}, TileError, "events of their own"),
        ({"type": "xi", "tiles": "567z6z"}, TileError, "events of their own"),
        (XI | {"robbed": True}, ArgumentError, "[0].robbed: a xi is not robbed"),
        (
            {"type": "kong_concealed", "tile": "5m", "robbed": True},
            ArgumentError,
            "kong_added and supplement are",
        ),
        (
            {"type": "kong_added", "tile": "5m", "robbed": "yes"},
            ArgumentError,
            "[0].robbed: 'yes' is not true or false",
        ),
        (
            {"type": "kong_added", "tile": "5m", "robbed": True, "by": 1},
            ArgumentError,
            "[0].by: seat 1 cannot rob its own kong",
        ),
    ],
)
def test_events_that_cannot_be(event: Json, error: type[MjstatsError], words: str) -> None:
    with pytest.raises(error) as caught:
        paid(event)
    assert words in str(caught.value)
    assert str(caught.value).startswith("context.kong_events[0]")


def test_four_copies_of_a_kind_lie_at_most() -> None:
    added = {"type": "supplement", "of": "xi", "tile": "5z"}
    assert paid(XI, added, added, added).payments == (-4, 12, -4, -4)
    with pytest.raises(TileError, match="kong_events: 5 copies of 5z"):
        paid(XI, added, added, added, added)
    # One that was robbed lies elsewhere.
    assert paid(XI, added, added, added | {"robbed": True}).payments == (-3, 9, -3, -3)


def test_options_say_what_a_special_kong_is() -> None:
    three = {"type": "xuan_feng", "tiles": "124z"}
    assert paid(three, xuan_feng_tiles="any3").replacement_draws == 0
    assert paid(three | {"tiles": "1234z"}, xuan_feng_tiles="any3").replacement_draws == 1
    bamboo = {"type": "jiu", "tiles": "9m1s9s"}
    more = {"type": "supplement", "of": "jiu", "tile": "1s"}
    assert paid(bamboo, more, one_bamboo_wild=True).payments == (-2, 6, -2, -2)
    with pytest.raises(TileError, match="3 different ones of 9m, 9p, 9s"):
        paid(bamboo)
    with pytest.raises(TileError, match="1s cannot be added to a jiu"):
        paid(more)
    with pytest.raises(TileError, match="1s may stand for any"):
        paid(three | {"tiles": "12z1s"}, one_bamboo_wild=True)


def test_melds_are_judged_by_the_same_options() -> None:
    case = {
        "hand": "234m567p4588s",
        "melds": [{"type": "xuan_feng", "tiles": "123z"}],
        "win_tile": "6s",
        "by": "self_draw",
        "winner": 1,
        "dealer": 0,
    }
    with pytest.raises(TileError, match=r"melds\[0\]: 123z is no xuan_feng; allowed are 4"):
        mj.score(case, ruleset="changchun")
    changes = {"xuan_feng_tiles": "any3"}
    assert mj.score(case, ruleset="changchun", changes=changes).elements == {"zi_mo": 1}


def test_other_games_have_no_special_kongs() -> None:
    with pytest.raises(TileError, match="ruleset plain has no xi"):
        paid(XI, ruleset="plain")
    case = {
        "hand": "234m567p4588s",
        "melds": [XI],
        "win_tile": "6s",
        "by": "self_draw",
        "winner": 1,
        "dealer": 0,
    }
    with pytest.raises(TileError, match=r"melds\[0\]: ruleset plain has no xi"):
        mj.score(case, ruleset="plain")
    with pytest.raises(ArgumentError, match="not paid apart"):
        paid({"type": "kong_added", "tile": "5m"}, ruleset="plain")
