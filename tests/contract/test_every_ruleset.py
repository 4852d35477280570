"""What holds in every game: logs that the referee accepts, rows that say what the logs say."""

from collections import Counter
from copy import deepcopy
from itertools import groupby, islice
from typing import Any

import numpy as np
import pytest

import mjstats as mj
from mjstats import _core
from mjstats.policies import policy_codes, policy_names
from mjstats.replay import replay_range
from mjstats.rulesets import ruleset, ruleset_ids
from mjstats.tiles import KIND_NAMES
from mjstats.wording import read_entry
from tests.referee.replay import check_log, check_match
from tests.reference.options import other_values

SEED = 20261130
GAMES = ruleset_ids()
POLICIES = [*policy_names(), "greedy,random,greedy,random"]


OPTIONS = [
    pytest.param(game, name, value, id=f"{game}-{name}={value}")
    for game in GAMES
    for name, value in other_values(game)
]


def logs(game: str, policies: str, n: int, **changes: Any) -> list[list[dict[str, Any]]]:
    return [
        list(trace.events)
        for trace in replay_range(
            game, seed=SEED, deals=range(n), policies=policies, changes=changes
        )
    ]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("policies", POLICIES)
def test_referee_accepts_every_step(game: str, policies: str) -> None:
    """Tiles conserved, only legal moves, every payment right, zero sum (A22, A23, A25, A27-A29)."""
    deals = logs(game, policies, 200)
    matches = [list(match) for _, match in groupby(deals, key=lambda log: log[0]["match"])]
    for number, match in enumerate(matches):
        whole = number < len(matches) - 1
        assert check_match(match, wins_taken=True, whole=whole) == [], match[0][0]["match"]
    assert len(deals) == 200
    if policies == "greedy":
        assert len(matches) > 1


@pytest.mark.parametrize(("game", "option", "value"), OPTIONS)
@pytest.mark.parametrize("policies", policy_names())
def test_referee_accepts_every_option(game: str, option: str, value: Any, policies: str) -> None:
    for log in logs(game, policies, 15, **{option: value}):
        assert check_log(log, wins_taken=True) == []


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("policies", POLICIES)
def test_rows_say_what_the_logs_say(game: str, policies: str) -> None:
    """The deals and listens of a block agree with the logs of the same deals."""
    n = 120
    rules = ruleset(game)
    record = _core.rule_record(rules)
    block = _core.play_matches(
        record,
        policy_codes(policies, modes=rules.modes, bids=rules.bids),
        seed=SEED,
        first_match=0,
        n_matches=6,
    )
    traces = islice(logs(game, policies, n), len(block.deals))
    for row, events in enumerate(traces):
        deal = block.deals[row]
        start, end = events[0], events[-1]
        for name in ("match", "deal_in_match", "dealer", "round"):
            assert deal[name] == start[name]
        assert list(block.counters[row]) == in_force(record, events)
        assert list(deal["pay"]) == end["payments"]
        wins = [event for event in events if event["event"] == "win"]
        assert deal["n_winners"] == len(wins)
        assert deal["outcome"] == bool(wins)
        values = dict(zip(record.element_names, block.elements[row].tolist(), strict=True))
        present = {name: value for name, value in values.items() if value}
        assert deal["turns"] == turns(events)
        if wins:
            first = wins[0]
            assert _core.BY_NAMES[deal["by"]] == first["by"]
            assert deal["winner"] == first["seat"]
            assert deal["discarder"] == first.get("from", -1)
            assert deal["base_total"] == first["base_total"]
            assert deal["multiplier"] == first["multiplier"]
            told = Counter(first["elements"] | first["factors"])
            for of_payer in first.get("payer_elements", {}).values():
                told.update(of_payer)
            assert present == {name: value for name, value in told.items() if value}
        else:
            assert (deal["winner"], deal["discarder"], deal["by"]) == (-1, -1, -1)
            assert present == {}
            assert deal["tiles_left"] == events[-2]["tiles_left"]
        declared = [event for event in events if event["event"] == "ready"]
        rows = block.listens[block.listens["deal"] == row]
        listed = [
            (int(listen["seat"]), record.mode_names[listen["mode"]], kinds(int(listen["waits"])))
            for listen in rows
            if listen["mode"]
        ]
        for event in declared:
            assert (event["seat"], event["mode"], event["waits"]) in listed
        assert (rows["kinds"] == [len(kinds(int(mask))) for mask in rows["waits"]]).all()
        assert (rows["live_wall"] <= rows["live_visible"]).all()
        for listen in rows:
            check_listen(listen, events)


def in_force(record: _core.RuleRecord, events: list[dict[str, Any]]) -> list[int]:
    """The counters of a deal as its bids have left them."""
    carried = deepcopy(events[0]["carried"])
    for event in events:
        if event["event"] == "bid":
            bids = event["bids"]
            for name, up in (bids if isinstance(bids, dict) else {"bids": bids}).items():
                seat = event["seat"]
                carried[name][str(seat) if isinstance(carried[name], dict) else seat] = up
    counters = [0] * len(record.counter_names)
    for name, entry in record.carried.items():
        numbers = read_entry(entry, carried[name], where=name)
        counters[entry[0] : entry[0] + len(numbers)] = numbers
    return counters


def turns(events: list[dict[str, Any]]) -> int:
    """Own turns begun: the dealer's first, head draws that brought a tile, claims."""
    n, from_head = 1, False
    for event in events:
        if event["event"] == "draw":
            from_head = event["from"] == "head"
            n += from_head
        elif event["event"] == "flower":
            n -= from_head and event["replacement"] is None
        elif event["event"] in {"chow", "pong"} or (
            event["event"] == "kong" and event["kind"] == "exposed"
        ):
            n += 1
    return n


def kinds(mask: int) -> list[str]:
    return [KIND_NAMES[kind] for kind in range(34) if mask >> kind & 1]


def check_listen(listen: np.void, events: list[dict[str, Any]]) -> None:
    """The outcome of a ready state, told again from the end of the log."""
    seat, outcome = int(listen["seat"]), _core.LISTEN_OUTCOMES[listen["outcome"]]
    wins = [event for event in events if event["event"] == "win"]
    mine = [event for event in wins if event["seat"] == seat]
    if outcome == "changed":
        return
    if not wins:
        assert outcome == "exhausted"
    elif mine:
        by_discard = mine[0]["by"] in {"discard", "rob_kong"}
        assert outcome == ("won_by_discard" if by_discard else "won_by_draw")
        # Who draws the bao wins whatever it waits for.
        assert mine[0]["tile"] in kinds(int(listen["waits"])) or "mo_bao" in mine[0]["elements"]
    elif wins[0].get("from") == seat:
        assert outcome == "dealt_in"
    else:
        assert outcome == "another_won"


@pytest.mark.parametrize("game", GAMES)
def test_replay_of_one_deal_equals_the_run(game: str) -> None:
    """By index in the run and by match and index within it, the same events."""
    in_run = logs(game, "greedy", 60)
    for index in (0, 17, 59):
        start = in_run[index][0]
        alone = mj.replay(
            game, seed=SEED, match=start["match"], deal=start["deal_in_match"], policies="greedy"
        )
        assert list(alone.events) == in_run[index]


@pytest.mark.parametrize("game", GAMES)
def test_blocks_do_not_matter(game: str) -> None:
    """The same matches in one block or in many, byte for byte (A34)."""
    record = _core.rule_record(ruleset(game))
    codes = policy_codes("random,greedy,greedy,greedy")
    whole = _core.play_matches(record, codes, seed=SEED, first_match=0, n_matches=12)
    parts = [
        _core.play_matches(record, codes, seed=SEED, first_match=first, n_matches=n)
        for first, n in ((0, 1), (1, 4), (5, 7))
    ]
    joined = _core.join_blocks(parts)
    for name in ("deals", "counters", "elements", "listens", "extra_wins", "extra_elements"):
        assert getattr(whole, name).tobytes() == getattr(joined, name).tobytes(), name
