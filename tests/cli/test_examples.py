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


def test_house_rules_are_a_ruleset() -> None:
    house = mj.ruleset(DATA / "house.toml")
    assert house.id == "yancheng-house"
    assert house.options["multi_ron"] is True
    assert next(item.value for item in house.elements if item.id == "qing_yi_se") == 30
