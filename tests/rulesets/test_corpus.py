"""The corpus of ruleset files: every valid one resolves, every invalid one fails as it says."""

from pathlib import Path

import pytest

from mjstats.errors import RulesetError
from mjstats.rulesets import ruleset

HERE = Path(__file__).parent
VALID = sorted((HERE / "valid").glob("*.toml"))
INVALID = sorted((HERE / "invalid").glob("*.toml"))


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid_files_resolve(path: Path) -> None:
    assert len(ruleset(path).digest) == 64


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid_files_name_file_path_value_and_what_is_allowed(path: Path) -> None:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    assert first.startswith("# expects: ")
    with pytest.raises(RulesetError) as caught:
        ruleset(path)
    message = str(caught.value)
    expected = first.removeprefix("# expects: ")
    assert message.startswith(f"{path}: {expected}") or message.startswith(expected)
    assert "\n" not in message


def test_the_corpus_is_there() -> None:
    assert len(VALID) >= 5
    assert len(INVALID) >= 70
