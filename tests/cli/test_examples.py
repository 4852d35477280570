"""The examples of input in data/ work as the README says."""

import json
from pathlib import Path

import mjstats as mj

DATA = Path(__file__).parents[2] / "data"


def test_cases_are_scored(mjstats) -> None:
    answers = json.loads(
        mjstats("score", "yancheng", str(DATA / "cases.json"), "--format", "json").out
    )
    assert [answer.get("legal") for answer in answers] == [True, True, True, False, None]
    assert answers[1]["payments"] == [-200, 0, 200, 0]
    assert answers[4]["after"].items() >= {"jia": 1, "dealer": 1, "round": 1}.items()


def test_suqian_cases_are_scored(mjstats) -> None:
    path = DATA / "cases_suqian.json"
    answers = json.loads(mjstats("score", "suqian", str(path), "--format", "json").out)
    assert answers[0]["payments"] == [-26, 128, -76, -26]
    assert answers[0]["payer_elements"]["2"] == {"bu_peng": 20, "du_liu": 10}
    assert answers[1]["factors"] == {"jue_zhang": 2}
    assert answers[2]["reason"] == "declaration_not_allowed"
    assert answers[3]["after"].items() >= {"bids": {}, "round": 2, "round_wind": "2z"}.items()
    table = mjstats("score", "suqian", str(path)).out
    assert "0: du_liu=5, 2: bu_peng=20 du_liu=10, 3: du_liu=5" in table


def test_suzhou_cases_are_scored(mjstats) -> None:
    path = DATA / "cases_suzhou.json"
    answers = json.loads(mjstats("score", "suzhou", str(path), "--format", "json").out)
    assert answers[0]["payments"] == [0, 39, 0, -39]
    assert answers[1]["payments"] == [-40, 0, 40, 0]
    assert (answers[2]["factors"], answers[2]["payments"][0]) == (
        {"da_diao_che": 2, "baozi": 2},
        3 * 44,
    )
    assert answers[3]["reason"] == "min_flowers"
    after = {"dealer": 2, "diling": True, "baozi": True, "dice": [5, 5]}
    assert answers[4]["after"].items() >= after.items()


def test_changchun_cases_are_scored(mjstats) -> None:
    path = DATA / "cases_changchun.json"
    answers = json.loads(mjstats("score", "changchun", str(path), "--format", "json").out)
    assert answers[0]["elements"] == {"li_hu": 1, "zi_mo": 1, "jia_hu": 1}
    assert answers[0]["payments"] == [-16, -8, 32, -8]
    assert answers[1]["payments"] == [0, 8, 0, -8]
    assert answers[2]["payments"] == [-8, 32, -8, -16]
    assert answers[3]["reason"] == "suit_missing"
    assert (answers[4]["payments"], answers[4]["replacement_draws"]) == ([2, -6, 10, -6], 2)
    assert answers[5]["after"]["dealer"] == 2


def test_yiwu_cases_are_scored(mjstats) -> None:
    path = DATA / "cases_yiwu.json"
    answers = json.loads(mjstats("score", "yiwu", str(path), "--format", "json").out)
    assert answers[0]["payments"] == [-36, 100, -36, -28]
    assert answers[1]["payments"] == [0, 0, 136, -136]
    assert answers[2]["payments"] == [-8, -5, -5, 18]
    assert answers[3]["reason"] == "level_too_low"
    after = {"dealer": 1, "last": 2, "repeat": 2, "xia": [1, 0, 0, 0]}
    assert answers[4]["after"].items() >= after.items()


def test_house_rules_are_a_ruleset() -> None:
    house = mj.ruleset(DATA / "house.toml")
    assert house.id == "yancheng-house"
    assert house.options["multi_ron"] is True
    assert next(item.value for item in house.elements if item.id == "qing_yi_se") == 30
