"""The reference scorers answer every worked case."""

from collections.abc import Mapping
from typing import Protocol

import pytest

from tests.referee import changchun, plain, suqian, suzhou, yancheng, yiwu
from tests.referee.cases import differences, load_cases
from tests.referee.common import Json, Value, parse_changes


class Score(Protocol):
    def __call__(
        self, case: Json, options: Mapping[str, Value], elements: Mapping[str, int]
    ) -> Json: ...


GAMES: list[tuple[Score, tuple[str, ...]]] = [
    (yancheng.score, ("yancheng.json", "yancheng_more.json")),
    (plain.score, ("plain.json",)),
    (suqian.score, ("suqian.json", "suqian_more.json")),
    (suzhou.score, ("suzhou.json", "suzhou_more.json")),
    (changchun.score, ("changchun.json", "changchun_more.json")),
    (yiwu.score, ("yiwu.json", "yiwu_more.json")),
]
CASES = [
    pytest.param(score, case, id=case["id"])
    for score, files in GAMES
    for case in load_cases(*files)
    if case["kind"] != "table"
]


@pytest.mark.parametrize(("score", "case"), CASES)
def test_case(score: Score, case: Json) -> None:
    assert differences(score(case, {}, {}), case["expect"]) == []
    for changes, expect in case.get("expect_under", {}).items():
        changed = case | {"options": case.get("options", {}) | parse_changes(changes)}
        assert differences(score(changed, {}, {}), expect) == []
