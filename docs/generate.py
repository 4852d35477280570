"""Write the pages of the rulesets (docs/rules) from the catalogue and the tests.

Run from the root of the repository: ``python -m docs.generate``. A test holds the pages to it.
"""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mjstats import _core
from mjstats.rulesets import Ruleset, ruleset, ruleset_ids
from mjstats.rulesets.schema import show
from mjstats.wording import SEATS

ROOT = Path(__file__).parents[1]
FORMS = {
    "bool": "true or false",
    "bonus": "a number, at most the bonus tiles held (where unnamed: all of them)",
    "count": "a number",
    "kind": "a tile",
    "kinds": "tiles",
    "to by": "an object: `to`, a seat, and `by`, four numbers, from each seat; or a list of such",
}
STATUS = {"I": "simulated", "P": "parameter", "O": "outside"}

Tests = dict[str, list[str]]


def pages() -> dict[Path, str]:
    """Return the path and the text of every page."""
    tests = tests_by_clause()
    return {
        ROOT / "docs" / "rules" / f"{name}.md": page(ruleset(name), tests=tests)
        for name in ruleset_ids()
    }


def page(game: Ruleset, *, tests: Tests) -> str:
    """Return the page of one ruleset."""
    definition = game.definition
    parts = [
        "<!-- Written by docs/generate.py from the ruleset and the tests: do not edit. -->",
        f"# {game.name_zh} {game.name} (`{game.id}`)",
        definition.summary,
        f"Status: {game.status}. Tiles: {sum(game.tile_counts)}, "
        f"{sum(game.tile_counts[kind] for kind in game.bonus)} of them set aside as bonus tiles. "
        f"Base stake: `{definition.base_stake}`, {game.base_stake}.",
        "## Sources",
        "\n".join(
            f"* {f'[{source.title}]({source.url})' if source.url else source.title}: "
            f"{source.reason}"
            for source in definition.sources
        ),
        "## Elements",
        "A factor multiplies the sum of the elements. Where several values stand, the first can be "
        "changed and the others scale with it.",
        table(
            ("id", "name", "kind", "value", "condition", "clauses"),
            (
                (
                    f"`{item.id}`",
                    f"{item.name_zh} {item.name_en}",
                    item.kind,
                    " / ".join(map(str, item.tiers)),
                    definition.elements[item.id].doc,
                    ", ".join(definition.elements[item.id].clauses),
                )
                for item in game.elements
            ),
        ),
        "## Options",
        table(
            ("option", "default", "allowed", "what it decides", "ambiguity", "clauses"),
            (
                (
                    f"`{name}`",
                    f"`{show(option.default)}`",
                    option.allowed,
                    option.doc,
                    option.ambiguity,
                    ", ".join(option.clauses),
                )
                for name, option in definition.options.items()
            ),
        ),
    ]
    if definition.presets:
        rows = (
            (f"`{name}`", preset.doc, settings(game, name))
            for name, preset in definition.presets.items()
        )
        parts += ["## Presets", table(("preset", "what it is", "settings"), rows)]
    if cases := _core.rule_record(game).context:
        parts += [
            "## Context of a case",
            "What a case to be scored may say beside the hand and who won how (`data/README.md`).",
            table(
                ("name", "value"),
                (
                    (f"`{name}`", said(*entry))
                    for name, entry in cases.items()
                    if entry[1] != "anything"
                ),
            ),
        ]
    if definition.decisions:
        parts += [
            "## Settled without an option",
            table(("ambiguity", "decision"), definition.decisions.items()),
        ]
    if definition.clauses:
        parts += [
            "## Clauses",
            "Every clause of the original, what becomes of it, and the tests that name it.",
            table(
                ("clause", "content", "status", "tests"),
                (
                    (
                        clause,
                        form.text,
                        STATUS[form.status] + (f": {form.reason}" if form.reason else ""),
                        "; ".join(tests.get(clause, [])),
                    )
                    for clause, form in definition.clauses.items()
                ),
            ),
        ]
    return "\n\n".join(parts) + "\n"


def said(_: int | None, form: Any, numbers: int = 1) -> str:
    """Return how a value of the context is written, by its form (`mjstats.wording`)."""
    if form == "kinds" and numbers > 1:
        return 'a list of `{"tile", "by"}`: a tile, and the seat that it came from'
    if isinstance(form, str):
        text = FORMS[form]
    elif isinstance(form, tuple):
        text = f"one of {words(form)}"
    else:
        return f"{'four lists, one a seat,' if numbers > 1 else 'a list'} of {words(form['any'])}"
    return f"four, one a seat: {text}" if numbers == len(SEATS) else text


def words(allowed: Sequence[object]) -> str:
    """Return the words that are allowed."""
    return ", ".join(f"`{show(word)}`" for word in allowed)


def settings(game: Ruleset, preset: str) -> str:
    """Return what a preset sets."""
    changed = ruleset(game.base, preset=preset).settings
    return ", ".join(f"`{path} = {show(value)}`" for path, value in changed.items())


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def tests_by_clause() -> Tests:
    """Return for each clause id the worked cases and test functions that name it."""
    found: Tests = defaultdict(list)
    files = sorted((ROOT / "tests").rglob("*.py"))
    code = {path: path.read_text(encoding="utf-8") for path in files}
    for path in sorted((ROOT / "tests" / "data" / "cases").glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        by_clause = defaultdict(list)
        for case in content["cases"] if isinstance(content, dict) else content:
            # Cases of this kind are no input of a scorer: only a test that names one runs it.
            if case["kind"] == "table" and not any(case["id"] in text for text in code.values()):
                continue
            for clause in case.get("clauses", []):
                by_clause[clause].append(case["id"])
        for clause, cases in by_clause.items():
            found[clause].append(f"{path.name} {', '.join(cases)}")
    for path, text in code.items():
        for name, source in test_functions(text):
            clauses = re.findall(r"\b[A-Z]{2}-\d{2}\b", source)
            clauses += [
                f"{game.upper()}-{number}"
                for game, numbers in re.findall(r"_([a-z]{2})((?:_\d{2})+)(?=_|$)", name)
                for number in re.findall(r"\d{2}", numbers)
            ]
            for clause in sorted(set(clauses)):
                found[clause].append(f"`{path.relative_to(ROOT).as_posix()}::{name}`")
    return found


def test_functions(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and source, decorators included, of the test functions of a file."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
            yield node.name, "\n".join(lines[first - 1 : node.end_lineno])


def main() -> None:
    """Write every page."""
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
