"""The pages of the rulesets are what docs/generate.py writes, and name real clauses and tests."""

from docs import generate
from mjstats.rulesets import ruleset, ruleset_ids


def test_the_pages_are_up_to_date() -> None:
    on_disk = {
        path: path.read_text(encoding="utf-8")
        for path in (generate.ROOT / "docs" / "rules").glob("*.md")
    }
    assert on_disk == generate.pages(), "run: python -m docs.generate"


def test_every_clause_that_a_test_names_exists() -> None:
    known = {clause for name in ruleset_ids() for clause in ruleset(name).definition.clauses}
    games = {clause[:2] for clause in known}
    assert {clause for clause in generate.tests_by_clause() if clause[:2] in games} <= known


def test_every_clause_that_is_played_is_named_by_a_test() -> None:
    tests = generate.tests_by_clause()
    for name in ruleset_ids():
        for clause, form in ruleset(name).definition.clauses.items():
            assert form.status == "O" or tests.get(clause), clause
