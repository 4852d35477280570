"""The policies do what their definitions say, told by a slow twin and by counting."""

from collections import Counter

import pytest

import mjstats as mj
from mjstats.errors import ArgumentError
from mjstats.policies import policy_codes, resolve_policies
from mjstats.replay import replay_range
from mjstats.rulesets import ruleset, ruleset_ids
from tests.referee.replay import check_log
from tests.reference.greedy import faults


@pytest.mark.parametrize("game", ruleset_ids())
def test_greedy_decides_as_defined(game: str) -> None:
    """Discards, declarations, kongs and claims of whole deals, one by one."""
    traces = replay_range(game, seed=6, deals=range(30), policies="greedy")
    for trace in traces:
        assert faults(trace.events, ruleset(game), {0, 1, 2, 3}) == [], trace


@pytest.mark.parametrize("game", ruleset_ids())
def test_greedy_among_random_players(game: str) -> None:
    """Long deals with kongs and claims of every kind; only seat 2 is greedy."""
    traces = replay_range(game, seed=7, deals=range(25), policies="random,random,greedy,random")
    for trace in traces:
        assert faults(trace.events, ruleset(game), {2}) == [], trace


def test_greedy_twin_notices_what_random_does() -> None:
    (trace,) = replay_range("plain", seed=6, deals=range(1), policies="random")
    assert faults(trace.events, ruleset("plain"), {0, 1, 2, 3})


def test_random_first_discards_are_uniform() -> None:
    """Distinct kinds, not copies: the dealer's first discard, when it has neither kong nor wait."""
    position: Counter[float] = Counter()
    n = 0
    for trace in replay_range("yancheng", seed=8, deals=range(2500), policies="random"):
        events = trace.events
        first = next(e for e in events if e["event"] in {"discard", "kong", "ready", "win"})
        if first["event"] != "discard" or first["seat"] != events[0]["dealer"]:
            continue
        held = set(events[1]["hands"][first["seat"]])
        for event in events[2 : events.index(first)]:
            if event["seat"] == first["seat"]:
                held |= {event["replacement"]}
        held = {name for name in held if name[-1] in "mps" and len(name) == 2}
        order = sorted(held, key=lambda name: (name[1], name[0]))
        position[order.index(first["tile"]) * 4 // len(order)] += 1
        n += 1
    # Quarters of the sorted kinds; thirteen kinds do not split evenly, hence the wide band.
    assert n > 2000
    assert all(0.17 * n < count < 0.36 * n for count in position.values()), position


def test_greedy_declares_what_it_is_told() -> None:
    """`greedy:fei_ting` flies; the discards are those of greedy until somebody has declared."""
    modes: Counter[str] = Counter()
    bonuses: Counter[str] = Counter()
    for trace in replay_range("yancheng", seed=9, deals=range(600), policies="greedy:fei_ting"):
        assert check_log(trace.events, wins_taken=True) == []
        modes.update(event["mode"] for event in trace.events if event["event"] == "ready")
        for event in trace.events:
            bonuses.update(event.get("elements", {}))
    assert set(modes) == {"fei_ting"}
    assert min(bonuses[name] for name in ("ya_dang", "dui_dao", "da_diao_che")) > 0
    mixed = next(
        replay_range(
            "yancheng", seed=9, deals=range(1), policies="greedy,greedy:fei_ting,greedy,greedy"
        )
    )
    for event in mixed.events:
        if event["event"] == "ready":
            assert event["mode"] == ("fei_ting" if event["seat"] == 1 else "ting")


@pytest.mark.parametrize(
    "name",
    [
        *("greedy:riichi", "random:ting", "greedy:", "flyer", "greedy:ting:ting"),
        *("greedy:bids=all", "greedy:bids=", "random:bids=du_ci", "greedy:mai=", "greedy:mai=-1"),
        *("greedy:ting:stake=5", "greedy:bids", "greedy:mai", "greedy:mai=2:mai=1"),
        *("greedy:bids=du_ci:bids=bu_peng", r"greedy:bids=du_ci\+du_ci"),
    ],
)
def test_unknown_declarations_and_bids_are_refused(name: str) -> None:
    given = name.replace("\\", "")
    with pytest.raises(ArgumentError, match=name):
        resolve_policies(given, modes=("ting", "fei_ting"), bids=(("bu_peng", "du_ci"), "mai"))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("greedy:bids=", "allowed is bids= and, joined by +, some of bu_peng, du_ci"),
        ("greedy:mai", "allowed is mai=2"),
        ("greedy:all", "allowed are greedy:ting, greedy:bids=…, greedy:mai=…"),
        ("random:bids=du_ci", "random takes neither declarations nor bids"),
    ],
)
def test_hints_say_what_may_be_written(name: str, hint: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        resolve_policies(name, modes=("ting",), bids=(("bu_peng", "du_ci"), "mai"))
    assert hint in str(caught.value)


def test_nobody_bids_where_bids_are_switched_off() -> None:
    silent = ruleset("suqian", changes={"bids_enabled": False})
    with pytest.raises(ArgumentError, match="names no declaration and no bid"):
        mj.simulate(silent, deals=20, seed=1, policies="greedy:bids=du_ci")
    assert len(mj.simulate(silent, deals=20, seed=1).deals) == 20


def test_policies_say_mode_and_bids() -> None:
    given = ["greedy:fei_ting:bids=du_ci+bu_peng:mai=7", "greedy:mai=2", "random", "greedy"]
    codes = policy_codes(given, modes=("ting", "fei_ting"), bids=(("bu_peng", "du_ci"), "mai"))
    assert codes == ((1, 2, (3, 7)), (1, 0, (0, 2)), (0, 0, (0, 0)), (1, 0, (0, 0)))
    with pytest.raises(ArgumentError, match="none in this ruleset"):
        resolve_policies("greedy:bids=du_ci")
