"""Hands on the command line, and the speed of this machine."""

import json

import pytest

from mjstats.publish.tables import FORMATS

READY = "123m456p789s1122m"
FOURTEEN = "123m456p789s11223m"


def rows(done) -> list[dict]:
    assert done.code == 0, done
    return json.loads(done.out)


def test_shanten_of_several_hands(mjstats) -> None:
    done = mjstats("shanten", "yancheng", READY, "159m159p159s1379m", "--format", "json")
    assert [row["shanten"] for row in rows(done)] == [0, 4]  # two of seven pairs


def test_melds_belong_to_the_hand(mjstats) -> None:
    done = mjstats("shanten", "plain", "123m456p11z [555p] {9999s}", "--format", "json")
    assert [row["shanten"] for row in rows(done)] == [-1]


def test_waits(mjstats) -> None:
    found = rows(mjstats("waits", "yancheng", READY, "--format", "json"))
    assert {row["tile"]: row["live"] for row in found} == {"1m": 1, "2m": 1, "3m": 3, "4m": 4}


def test_acceptance_of_every_discard(mjstats) -> None:
    found = rows(mjstats("acceptance", "yancheng", FOURTEEN, "--format", "json"))
    assert {row["discard"] for row in found} >= {"1m", "4p", "9s"}
    assert min(row["shanten"] for row in found) == 0


def test_readings(mjstats) -> None:
    found = rows(mjstats("readings", "plain", "111222333m456p77s", "--format", "json"))
    assert {row["reading"] for row in found} == {1, 2}


@pytest.mark.parametrize("command", ["shanten", "waits"])
@pytest.mark.parametrize("fmt", FORMATS)
def test_hands_in_every_format(mjstats, command: str, fmt: str) -> None:
    assert mjstats(command, "yancheng", READY, "--format", fmt).code == 0


@pytest.mark.parametrize("command", ["shanten", "waits", "acceptance", "readings"])
@pytest.mark.parametrize(
    ("hand", "parts"),
    [
        ("12x", ["x"]),
        ("", []),
        ("0m", ["0"]),
        ("11111m456p789s11m", ["1m", "copies"]),
        ("123m", ["3"]),
        ("1234567891234567m", ["16"]),
        ("123m456p789s1122z", ["1z"]),
        ("123m456p789s spring", ["spring"]),
        ("9" * 10_000 + "m", []),
        ("1m\n2m", []),
    ],
)
def test_bad_hands_are_refused(refused, command: str, hand: str, parts: list[str]) -> None:
    line = refused(command, "yancheng", hand)
    assert all(part in line for part in parts), line


def test_a_hand_is_needed(refused) -> None:
    assert "HAND" in refused("shanten", "yancheng")


def test_bench_prints_rates(mjstats) -> None:
    found = rows(mjstats("bench", "--seconds", 0, "--format", "json"))
    assert [(row["work"], row["cores"]) for row in found] == [
        *(("shanten", 1), ("acceptance", 1), ("walls", 1), ("deals", 1), ("deals", 2))
    ]
    assert all(row["per_second"] > 0 for row in found)


def test_bench_refuses_endless_times(refused) -> None:
    assert "--seconds" in refused("bench", "--seconds", "1e9")
