"""`score` and `replay`: worked cases from files, single deals as events."""

import json
from pathlib import Path
from typing import Any

import pytest

import mjstats as mj
from mjstats.publish.tables import FORMATS

DATA = Path(__file__).parents[1] / "data" / "cases"
CASES = DATA / "yancheng.json"
GOOD: dict[str, Any] = {
    "id": "good",
    "kind": "win",
    "hand": "234m567p345s678s5m",
    "flowers": ["2z", "5z"],
    "win_tile": "5m",
    "by": "self_draw",
    "winner": 1,
    "dealer": 0,
    "context": {"ting_mode": "ting", "flowers_at_ting": 2},
}


@pytest.fixture
def case_file(tmp_path: Path):
    def write(content: object) -> Path:
        path = tmp_path / "cases.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("changchun", "changchun"),
        ("changchun", "changchun_more"),
        ("yancheng", "yancheng"),
        ("suqian", "suqian"),
        ("suqian", "suqian_more"),
        ("suzhou", "suzhou"),
        ("suzhou", "suzhou_more"),
        ("yiwu", "yiwu"),
        ("yiwu", "yiwu_more"),
    ],
)
def test_worked_cases_in_their_order(mjstats, game: str, name: str) -> None:
    path = DATA / f"{name}.json"
    cases = json.loads(path.read_text("utf-8"))["cases"]
    answers = json.loads(mjstats("score", game, path, "--format", "json").out)
    assert len(answers) == len(cases)
    for case, answer in zip(cases, answers, strict=True):
        match case["kind"]:
            case "table":
                assert answer == {"id": case["id"], "skipped": "table"}
            case "carry":
                assert answer["after"].items() >= case["expect"]["after"].items(), case["id"]
            case _ if not case["expect"].get("legal", True):
                assert answer["legal"] is False, case["id"]
                assert answer["reason"], case["id"]
            case _:
                assert answer.items() >= case["expect"].items(), case["id"]


def test_a_bare_list_of_cases(mjstats, case_file) -> None:
    done = mjstats("score", "yancheng", case_file([GOOD]), "--format", "json")
    assert json.loads(done.out)[0]["payments"] == [-12, 36, -12, -12]


def test_no_cases_are_no_answers(mjstats, case_file) -> None:
    done = mjstats("score", "yancheng", case_file([]), "--format", "json")
    assert json.loads(done.out) == []


def test_house_rules_change_the_score(mjstats, case_file) -> None:
    change = ("--set", "elements.men_qing.value=20")
    done = mjstats("score", "yancheng", case_file([GOOD]), *change, "--format", "json")
    assert json.loads(done.out)[0]["payments"] == [-22, 66, -22, -22]


@pytest.mark.parametrize("fmt", FORMATS)
def test_scores_in_every_format(mjstats, case_file, fmt: str) -> None:
    done = mjstats("score", "yancheng", case_file([GOOD]), "--format", fmt)
    assert done.code == 0
    assert "12" in done.out


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"hand": "234m567p345s678s"}, ["hand", "13", "14"]),
        ({"hand": "5555m567p345s678s"}, ["5m", "5", "4"]),
        ({"hand": "234m567p345s67x8s"}, ["x"]),
        ({"hand": None}, ["hand"]),
        ({"win_tile": "0m"}, ["0"]),
        ({"by": "magic"}, ["magic", "self_draw"]),
        ({"winner": 4}, ["winner", "4"]),
        ({"kind": "party"}, ["party", "carry"]),
        ({"kind": "carry"}, ["before"]),
        ({"context": {"ting_mode": "loud"}}, ["ting_mode", "loud"]),
        ({"context": {"weather": 1}}, ["weather"]),
        ({"options": {"no_such": 1}}, ["no_such"]),
    ],
)
def test_a_bad_case_is_named(refused, case_file, change: dict, parts: list[str]) -> None:
    path = case_file([GOOD, {**GOOD, "id": "bad", **change}])
    line = refused("score", "yancheng", path)
    assert f"{path}: case bad: " in line
    assert all(part in line for part in parts), line


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b"[1e999]",
        b"[" + b"9" * 10_000 + b"]",
        b"3",
        b"[3]",
        b'{"cases": 3}',
        b'{"hands": []}',
        "“[]”".encode("cp1252"),
    ],
)
def test_nonsense_is_no_case_file(refused, tmp_path, content: bytes) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(content)
    assert str(path) in refused("score", "yancheng", path)


def test_no_case_file(refused, tmp_path) -> None:
    assert str(tmp_path / "none.json") in refused("score", "yancheng", tmp_path / "none.json")
    assert str(tmp_path) in refused("score", "yancheng", tmp_path)


def test_replay_prints_one_event_a_line(mjstats) -> None:
    done = mjstats("replay", "yancheng", "--seed", 1, "--deal", 3, "--format", "json")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert events == list(mj.replay("yancheng", seed=1, deal=3).events)
    assert events[0]["event"] == "start"
    assert events[-1]["event"] == "end"


def test_replay_is_told_in_words_of_the_game(mjstats) -> None:
    place = ("--seed", 1, "--deal", 3, "--policies", "greedy:mai=2")
    said = mjstats("replay", "yiwu", *place).out
    assert not set("[]{}'") & set(said)
    assert "True" not in said
    assert "None" not in said
    first, bid, *_ = said.splitlines()
    assert "xia_cap=none" in first
    assert "quad_as_two_pairs=true" in first
    assert bid.split() == ["bid", "seat", "2", "bids", "mai=2"]
    won, end = said.splitlines()[-2:]
    assert "melds (type=pong tiles=111z from=1)" in won
    assert "factors -" in won
    assert "match_over false" in end


def test_replay_within_a_match(mjstats) -> None:
    args = ("--seed", 1, "--match", 1, "--deal", 2, "--format", "json")
    start = json.loads(mjstats("replay", "yancheng", *args).out.splitlines()[0])
    assert (start["match"], start["deal_in_match"]) == (1, 2)


def test_replay_of_several_deals(mjstats) -> None:
    args = ("--seed", 1, "--deals", "2:4", "--format", "json")
    many = mjstats("replay", "yancheng", *args).out
    single = [
        mjstats("replay", "yancheng", "--seed", 1, "--deal", deal, "--format", "json").out
        for deal in (2, 3)
    ]
    assert many == "".join(single)


@pytest.mark.parametrize("fmt", FORMATS)
def test_replay_in_every_format(mjstats, fmt: str) -> None:
    done = mjstats("replay", "yancheng", "--seed", 1, "--deals", "0:2", "--format", fmt)
    assert done.code == 0
    assert "discard" in done.out


def test_random_players_play_otherwise(mjstats) -> None:
    args = ("replay", "yancheng", "--seed", 1, "--deal", 0)
    assert mjstats(*args).out != mjstats(*args, "--policies", "random").out


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["--deal", "0"], ["--seed"]),
        (["--seed", "1"], ["--deal", "--deals"]),
        (["--seed", "1", "--deal", "0", "--deals", "0:1"], ["--deal", "--deals"]),
        (["--seed", "1", "--deal", "-1"], ["--deal", "-1"]),
        (["--seed", "1", "--deal", "9" * 30], ["--deal", "to 2147483647"]),
        (["--seed", "1", "--deals", "4"], ["'4'", "A:B"]),
        (["--seed", "1", "--deals", "4:4"], ["'4:4'", "A:B"]),
        (["--seed", "1", "--deals", "a:b"], ["'a:b'", "A:B"]),
        (["--seed", "1", "--deals", "0:" + "9" * 30], ["A:B"]),
        (["--seed", "1", "--match", "0", "--deal", "100000"], ["100000"]),
        (["--seed", "1", "--deal", "0", "--policies", "x"], ["'x'", "greedy"]),
    ],
)
def test_bad_places_are_refused(refused, args: list[str], parts: list[str]) -> None:
    line = refused("replay", "yancheng", *args)
    assert all(part in line for part in parts), line
