"""The command that prints exact values."""

import json
import os
import signal
import time
from math import comb

import pytest

import mjstats as mj
from mjstats.cli import EXACT

NEEDED = {"draws": ("--live", 2, "--unseen", 50, "--n", 10)}


@pytest.mark.parametrize("what", sorted(set(EXACT) - {"wilds", "wild_head"}))
def test_every_count_is_the_function_of_its_name(mjstats, what: str) -> None:
    done = mjstats("exact", "plain", what, *NEEDED.get(what, ()), "--format", "csv")
    assert done.code == 0
    header = done.out.splitlines()[0].split(",")
    assert header[-6:] == ["count", "total", "p", "se", "exact", "one_in"]


def test_options_reach_the_count(mjstats) -> None:
    args = ("exact", "plain", "ready", "--shape", "standard", "--waits", "formal")
    (row,) = json.loads(mjstats(*args, "--format", "json").out)
    assert int(row["count"]) == 32251945494912
    assert int(row["total"]) == comb(136, 13)
    with_pairs = mjstats(
        "exact", "plain", "shanten", "--set", "seven_pairs=true", "--format", "csv"
    )
    expected = mj.exact.shanten(mj.ruleset("plain", changes={"seven_pairs": True}))
    assert [int(line.split(",")[1]) for line in with_pairs.out.splitlines()[1:]] == list(
        expected["count"]
    )


def test_waits_and_features_take_their_own_options(mjstats) -> None:
    table = mjstats("exact", "plain", "waits", "--by", "kinds,live", "--format", "csv").out
    assert table.splitlines()[0].startswith("kinds,live,count,")
    args = ("exact", "yancheng", "features", "--combined", "--of", "dealt", "--format", "json")
    rows = json.loads(mjstats(*args).out)
    assert {row["total"] for row in rows} == {str(comb(108, 14))}
    assert any(row["other"] == "one_suit" for row in rows)


def test_bad_options(refused) -> None:
    assert "bonus takes no --tiles; allowed are none" in refused(
        "exact", "plain", "bonus", "--tiles", 13
    )
    assert "complete takes no --waits; allowed are --shape, --wilds" in refused(
        "exact", "plain", "complete", "--waits", "live"
    )
    assert "draws needs --live, --n" in refused("exact", "plain", "draws", "--unseen", 5)
    assert "tiles=15: 13 to 14 is allowed" in refused("exact", "plain", "shanten", "--tiles", 15)
    assert "by = 'seat': allowed are kinds, live" in refused(
        "exact", "plain", "waits", "--by", "kinds,seat"
    )
    assert "'odds'" in refused("exact", "plain", "odds")


def test_rare_prints_estimates_and_their_strata(mjstats, refused) -> None:
    call = ["rare", "yancheng", "tian_hu", "duan_men=10", "--seed", 1, "--deals", 10_000]
    found = json.loads(mjstats(*call, "--format", "json").out)
    assert [(row["element"], row["method"]) for row in found] == [
        ("tian_hu", "exact"),
        ("duan_men=10", "suit"),
    ]
    assert found[1]["ci_low"] < found[1]["p"] < found[1]["ci_high"]
    strata = json.loads(mjstats(*call, "--by-stratum", "--format", "json").out)
    assert {row["element"] for row in strata} == {"tian_hu", "duan_men=10"}
    assert "none such" in refused("rare", "yancheng", "tsumo", "--seed", 1)


def test_rare_says_how_many_deals_a_missed_target_needs(mjstats) -> None:
    done = mjstats("rare", "plain", "kongs=3", "--seed", 1, "--deals", 20_000, "--target", 0.002)
    assert "kongs=3: target missed; about" in done.out
    done = mjstats("rare", "plain", "kongs=4", "--seed", 1, "--deals", 10_000, "--method", "copies")
    assert "kongs=4: target missed; no deal had it" in done.out


def test_ctrl_c_ends_rare_at_once(process) -> None:
    running = process("rare", "plain", "kongs=4", "--seed", 1, "--deals", 2_000_000_000)
    time.sleep(4)
    assert running.poll() is None
    os.kill(running.pid, signal.SIGINT)
    shown, err = running.communicate(timeout=60)
    assert (running.returncode, shown, err.strip()) == (130, "", "mjstats: interrupted")
