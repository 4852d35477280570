"""A sixth game is one TOML file and one module: built here, outside the package, and played.

It answers every hook of the shared loop; the logs show that each is called when it should be.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mjstats import _core
from mjstats.policies import policy_codes
from mjstats.replay import replay_range
from mjstats.rulesets import ruleset
from tests.core.extension import compiled

HERE = Path(__file__).parent / "probe"
WINDS = ("1z", "2z", "3z", "4z")
Json = dict[str, Any]
Deal = tuple[Json, ...]


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with compiled(HERE / "_probe.pyx", tmp_path_factory.mktemp("probe")):
        yield HERE / "probe.toml"


@pytest.fixture(scope="module", params=["random", "greedy"])
def policies(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def deals(probe: Path, policies: str) -> list[Deal]:
    return [
        trace.events for trace in replay_range(probe, seed=11, deals=range(6000), policies=policies)
    ]


def of(deal: Deal, *names: str) -> list[Json]:
    return [event for event in deal if event["event"] in names]


def test_tiles_are_conserved_at_every_step(deals: list[Deal]) -> None:
    for deal in deals:
        wall = deal[0]["wall"]
        taken = set(range(53))
        hands = [Counter(hand) for hand in of(deal, "deal")[0]["hands"]]
        for event in deal:
            hand = hands[event["seat"]] if "seat" in event else Counter()
            match event["event"]:
                case "draw":
                    assert event["wall_index"] not in taken
                    assert wall[event["wall_index"]] == event["tile"]
                    taken.add(event["wall_index"])
                    hand[event["tile"]] += 1
                case "discard":
                    hand[event["tile"]] -= 1
                case "chow" | "pong":
                    hand.subtract(event["tiles"])
                    hand[event["tile"]] += 1
                case "kong" if event["kind"] == "exposed":
                    hand[event["tiles"][0]] -= 3
                case "kong" if event["kind"] == "concealed":
                    hand[event["tiles"][0]] -= 4
                case "kong" | "supplement":
                    # An added tile, its own or the robber's.
                    tile = event["tile"] if "tile" in event else event["tiles"][0]
                    hand[tile] -= 1
                case "special_kong":
                    hand.subtract(event["tiles"])
            assert min(hand.values(), default=0) >= 0, event
        winners = of(deal, "win")
        for win in winners:
            held = +hands[win["seat"]]
            if win["by"] not in {"discard", "rob_kong", "bao_view"}:
                held[win["tile"]] -= 1
            if win["by"] != "bao_view":
                assert Counter(win["hand"]) == +held
        assert sum(deal[-1]["payments"]) == 0


def test_bids_and_dice_come_before_the_tiles(deals: list[Deal], policies: str) -> None:
    seen = Counter()
    for deal in deals:
        bids = of(deal, "bid")
        assert [event["seat"] for event in bids[::2]] == [
            (deal[0]["dealer"] + i) % 4 for i in range(4)
        ]
        assert deal.index(bids[-1]) < deal.index(of(deal, "deal")[0])
        for event in bids[::2]:
            seen[event["bids"]["more"]] += 1
        for event in bids[1::2]:
            seen[tuple(event["bids"])] += 1
    if policies == "greedy":
        assert set(seen) == {0, ()}
    else:
        assert set(seen) == {0, 2, 4, (), ("first",), ("second",), ("first", "second")}


def test_the_die_is_fair_and_says_how_many_tiles_stay(deals: list[Deal], policies: str) -> None:
    left = Counter(
        event["tiles_left"]
        for deal in deals
        for event in of(deal, "exhausted")
        if deal[deal.index(event) - 1]["event"] != "supplement"
    )
    assert set(left) == {1, 2, 3, 4, 5, 6}
    if policies == "random":
        mean = sum(left.values()) / 6
        assert mean > 500
        assert all(abs(n - mean) < 5 * mean**0.5 for n in left.values()), left


def test_forbidden_actions_do_not_happen(deals: list[Deal]) -> None:
    for deal in deals:
        for event in of(deal, "kong"):
            assert event["tiles"][0] != "1z"
        for event in of(deal, "pong"):
            robbed = deal[deal.index(event) - 1]["event"] == "rob"
            assert event["tile"] not in {"5z", "6z", "7z"}, robbed


def test_special_kongs_supplements_and_their_robbers(deals: list[Deal], policies: str) -> None:
    seen = Counter()
    for deal in deals:
        for index, event in enumerate(deal):
            if event["event"] == "special_kong":
                seen[event["kind"]] += 1
                # Nobody has discarded from this seat before.
                assert event["seat"] not in {e["seat"] for e in of(deal[:index], "discard")}
            elif event["event"] == "supplement":
                following = deal[index + 1]
                seen["supplement"] += 1
                if following["event"] == "rob":
                    seen[following["how"]] += 1
                    assert deal[index + 2]["event"] in {"win", "pong"}
                    assert following["tile"] == event["tile"]
                else:
                    assert following["event"] in {"kong_payment"}
    assert {"xuan_feng", "xi", "yao", "jiu", "supplement"} <= set(seen)
    if policies == "random":
        assert seen["pong"] > 0


def test_kongs_are_paid_at_once(deals: list[Deal]) -> None:
    for deal in deals:
        paid = [0, 0, 0, 0]
        for event in of(deal, "kong_payment"):
            assert sum(event["payments"]) == 0
            assert event["payments"][event["seat"]] == (6 if event["kind"] == "concealed" else 3)
            paid = [a + b for a, b in zip(paid, event["payments"], strict=True)]
        for win in of(deal, "win"):
            paid = [a + b for a, b in zip(paid, win["payments"], strict=True)]
        if of(deal, "exhausted"):
            paid[0] += 1
            paid[1] -= 1
        assert deal[-1]["payments"] == paid


def test_wins_by_sight_and_with_any_shape(deals: list[Deal]) -> None:
    ways = Counter(win["by"] for deal in deals for win in of(deal, "win"))
    assert ways["bao_view"] > 0
    red = [win for deal in deals for win in of(deal, "win") if win["tile"] == "5z"]
    assert red
    for deal in deals:
        for win in of(deal, "win"):
            if win["by"] == "bao_view":
                assert win["elements"]["sight"] == 3
                assert deal[deal.index(win) - 1]["event"] == "discard"


def test_who_fed_the_kong_is_known(deals: list[Deal], policies: str) -> None:
    fed = 0
    for deal in deals:
        for win in of(deal, "win"):
            if "fed" not in win["elements"]:
                continue
            before = [e for e in deal[: deal.index(win)] if e["event"] != "kong_payment"]
            assert [e["event"] for e in before[-2:]] == ["kong", "draw"]
            assert before[-2]["kind"] == "exposed"
            fed += 1
    assert fed > 0 or policies == "random"


def test_the_winner_deals_next_and_a_match_is_five_deals(deals: list[Deal]) -> None:
    first = Counter()
    for deal in deals:
        wins = of(deal, "win")
        if wins:
            assert deal[-1]["dealer"] == wins[0]["seat"]
        assert deal[-1]["match_over"] == (deal[0]["deal_in_match"] == 4)
        if deal[0]["deal_in_match"] == 0:
            first[deal[0]["dealer"]] += 1
            assert deal[0]["carried"] == {"draws": 0, "last": "none"}
    # The first dealer is drawn: 1200 matches.
    assert min(first.values()) > 200
    assert len(first) == 4


def test_the_kernel_writes_what_the_logs_say(probe: Path, deals: list[Deal], policies: str) -> None:
    record = _core.rule_record(ruleset(probe))
    block = _core.play_matches(
        record, policy_codes(policies), seed=11, first_match=0, n_matches=1200
    )
    assert block.deals["pay"].tolist() == [deal[-1]["payments"] for deal in deals]
    words = ("none", "one")
    assert block.counters.tolist() == [
        [deal[0]["carried"]["draws"], words.index(deal[0]["carried"]["last"])] for deal in deals
    ]


def test_payers_may_owe_different_amounts(deals: list[Deal]) -> None:
    wins = [win for deal in deals for win in of(deal, "win")]
    assert wins
    for win in wins:
        following = str((win["seat"] + 1) % 4)
        others = {str(seat) for seat in range(4)} - {str(win["seat"])}
        assert win["payer_elements"] == {following: {"hu": 1}}
        assert win["fan"] == ("fed" in win["elements"])
        assert win["payer_fans"] == {
            seat: win["fan"] + (seat == following) for seat in sorted(others)
        }
        assert win["payments"][int(following)] == -win["base_total"] - 1


def test_a_declaration_says_more_and_keeps_one_wait(deals: list[Deal], policies: str) -> None:
    told = Counter()
    for deal in deals:
        for ready in of(deal, "ready"):
            before = deal[: deal.index(ready)]
            first = all(e["seat"] != ready["seat"] for e in of(before, "discard"))
            claimed = before[-1]["event"] in {"pong", "chow"}
            assert (ready["early"], ready["claimed"]) == (first, claimed)
            assert len(ready["waits"]) == 1
            told[ready["early"], ready["claimed"]] += 1
    assert told[False, False] > 0
    assert told[False, True] > 0 or policies == "random"


def test_greedy_bids_what_it_is_told_and_minds_it(probe: Path) -> None:
    rules = ruleset(probe)
    policies = "greedy:more=3:bids=second,greedy,greedy:more=9,greedy:bids=first+second"
    assert policy_codes(policies, bids=rules.bids)[0] == (1, 0, (3, 2))
    winds = 0
    for trace in replay_range(probe, seed=5, deals=range(60), policies=policies):
        deal = trace.events
        bids = [{} for _ in range(4)]
        for event in of(deal, "bid"):
            key = "more" if isinstance(event["bids"], dict) else "words"
            bids[event["seat"]][key] = event["bids"]
        # Amounts of 0, 2 and 4 are offered.
        assert [bid["more"] for bid in bids] == [{"more": n} for n in (2, 0, 4, 0)]
        assert [bid["words"] for bid in bids] == [["second"], [], [], ["first", "second"]]
        held = Counter(of(deal, "deal")[0]["hands"][0])
        for event in deal:
            if event.get("seat") != 0 or event["event"] == "bid":
                continue
            if event["event"] == "draw":
                held[event["tile"]] += 1
            elif event["event"] == "discard":
                # Winds go first.
                assert event["tile"] in WINDS or not any(held[wind] for wind in WINDS)
                winds += event["tile"] in WINDS
                held[event["tile"]] -= 1
            else:
                break
    assert winds > 60


def test_module_and_data_must_agree(probe: Path, tmp_path: Path) -> None:
    """A TOML file that names other elements, counters or modes than the module is refused."""
    text = probe.read_text(encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text(text.replace("[elements.fed]", "[elements.bred]"), encoding="utf-8")
    with pytest.raises(ValueError, match="differ in elements"):
        _core.rule_record(ruleset(other))
    other.write_text(text.replace('module = "probe"', 'module = "nothing"'), encoding="utf-8")
    with pytest.raises(ValueError, match="no compiled module for 'nothing'"):
        _core.rule_record(ruleset(other))
