"""Reading case files and comparing answers with what they expect."""

import json
from pathlib import Path

from tests.referee.common import Json

CASES = Path(__file__).parents[1] / "data" / "cases"


def load_cases(*files: str) -> list[Json]:
    """Return the cases of files in tests/data/cases, each a list or {ruleset, schema, cases}."""
    cases: list[Json] = []
    for name in files:
        content = json.loads((CASES / name).read_text(encoding="utf-8"))
        cases += content["cases"] if isinstance(content, dict) else content
    return cases


def differences(answer: Json, expect: Json) -> list[str]:
    """Return what in an answer is not as expected.

    A reason is only a hint, and of the counters after a deal only the named ones are compared.
    """
    if "after" in expect:
        return differences(answer["after"], expect["after"])
    return [
        f"{key}: {answer.get(key)!r}, expected {wanted!r}"
        for key, wanted in expect.items()
        if key != "reason" and answer.get(key) != wanted
    ]
