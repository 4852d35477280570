"""Wild tiles and special kongs as dealt: columns, frequencies, and cells beside exact values."""

import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

import mjstats as mj
from mjstats.against import against_exact
from mjstats.replay import replay_range
from mjstats.run import Layout
from mjstats.simulate import layout_of

DEALS = 1200
CLASSES = {1: "1z 2z 3z 4z", 2: "5z 6z 7z", 4: "1m 1p 1s", 8: "9m 9p 9s"}


def held_specials(hand: list[str], options: dict[str, Any]) -> int:
    """Say which special kongs a dealt hand holds (CC-46..49), each by itself."""
    found = 0
    for bit, names in CLASSES.items():
        kinds = names.split()
        size = 3 if options.get("xuan_feng_tiles") == "any3" else len(kinds)
        own = {tile for tile in hand if tile in kinds}
        if options.get("one_bamboo_wild"):
            # Bamboo ones fill what is missing, beside at least one other tile.
            others = len(own - {"1s"})
            held = others and others + hand.count("1s") >= size
        else:
            held = len(own) >= size
        found += bit if held else 0
    return found


def dealt_hands(game: str, options: dict[str, Any]) -> Iterator[tuple[list[list[str]], str]]:
    """Yield the dealt hands of every deal as the log tells them, and the indicator."""
    changes = {f"options.{name}": value for name, value in options.items()}
    for trace in replay_range(game, seed=6, deals=range(DEALS), changes=changes):
        (hands,) = (e["hands"] for e in trace.events if e["event"] == "deal")
        turned = [e["tile"] for e in trace.events if e["event"] == "indicator"]
        yield hands, turned[0] if turned else ""


def columns(run: mj.Run, what: str) -> NDArray[np.int64]:
    return run.deals[[f"{what}_{seat}" for seat in range(4)]].to_numpy(dtype=np.int64)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"xuan_feng_tiles": "any3"},
        {"one_bamboo_wild": True},
        {"xuan_feng_tiles": "any3", "one_bamboo_wild": True, "special_kong_time": "after_deal"},
        {"special_kong_source": "first_turn"},
    ],
)
def test_cc_46_to_49_special_kongs_as_dealt(options: dict[str, Any]) -> None:
    rules = mj.ruleset("changchun", changes={f"options.{k}": v for k, v in options.items()})
    run = mj.simulate(rules, deals=DEALS, seed=6)
    expected = [
        [held_specials(hand, options) for hand in hands]
        for hands, _ in dealt_hands("changchun", options)
    ]
    found = columns(run, "special_kongs")
    assert found.tolist() == expected
    assert all((found >> bit & 1).any() for bit in range(4))
    rates = run.frequencies().set_index(["per", "element"])
    dealer = run.deals["dealer"].to_numpy()[:, None] == np.arange(4)
    for per, whose in (("hand", ~dealer), ("dealer_hand", dealer)):
        for bit, name in enumerate(mj.exact.SPECIAL_KONGS):
            row = rates.loc[(per, f"special_kong_{name}")]
            assert (row["k"], row["n"]) == ((found[whose] >> bit & 1).sum(), whose.sum())
            assert abs(row["z"]) < 4
    cells = against_exact(run)
    cells = cells[cells["what"] == "special_kongs"]
    assert (cells.groupby("seat")["k"].sum() == DEALS).all()
    assert not (cells["cell"] == "impossible").any()
    assert cells["p_value"].min() > 1e-3 / len(cells)


@pytest.mark.parametrize("wilds", [3, 4])
def test_yw_a01_wild_tiles_as_dealt(wilds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = mj.ruleset("yiwu", changes={"wild_count": wilds})
    run = mj.simulate(rules, deals=DEALS, seed=6)
    found = columns(run, "wilds")
    assert found.tolist() == [
        [hand.count(wild) for hand in hands]
        for hands, wild in dealt_hands("yiwu", {"wild_count": wilds})
    ]
    rates = run.frequencies().set_index(["per", "element"])
    dealer = run.deals["dealer"].to_numpy()[:, None] == np.arange(4)
    for per, whose in (("hand", ~dealer), ("dealer_hand", dealer)):
        for number in range(3):
            row = rates.loc[(per, f"wilds_{number}")]
            assert (row["k"], row["n"]) == ((found[whose] == number).sum(), whose.sum())
            assert abs(row["z"]) < 4
        exact = rates.loc[per]["exact"]
        assert sum(exact.get(f"wilds_{number}", 0) for number in range(5)) == pytest.approx(1)
    # The waits take long to count, and have tests of their own.
    monkeypatch.setattr("mjstats.against._asked", lambda rules: {})
    cells = against_exact(run)
    cells = cells[cells["what"] == "wilds"]
    assert len(cells) == 4 * (wilds + 1)
    assert (cells.groupby("seat")["k"].sum() == DEALS).all()
    assert cells["p_value"].min() > 1e-3 / len(cells)


def test_games_without_them_have_no_such_columns() -> None:
    for game in ("plain", "yancheng", "suqian", "suzhou"):
        assert layout_of(mj.ruleset(game)).dealt == ()
    assert layout_of(mj.ruleset("changchun")).dealt == ("special_kongs",)
    names = [column.name for column in layout_of(mj.ruleset("yiwu")).columns("deals")]
    assert "wilds_3" in names
    assert "special_kongs_0" not in names


def test_runs_that_were_begun_without_them_stay_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of before tells no dealt columns; a longer run keeps to what it began with."""
    layout = layout_of(mj.ruleset("yiwu"))
    text = {name: value for name, value in msgspec.to_builtins(layout).items() if name != "dealt"}
    before = msgspec.convert(text, Layout)
    assert before.dealt == ()
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["mjstats.simulate"], "layout_of", lambda rules: before)
        run = mj.simulate("yiwu", deals=40, seed=2)
    longer = run.resume(deals=80)
    whole = mj.simulate("yiwu", deals=80, seed=2)
    assert list(longer.deals.columns) == list(run.deals.columns)
    assert longer.deals.equals(whole.deals[longer.deals.columns])
