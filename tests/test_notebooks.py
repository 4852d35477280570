"""What every notebook keeps to; that they run is checked by running them."""

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
#: A result: a per cent, a decimal fraction or a number in thousands.
NUMBER = re.compile(r"\d\s?%|\d\.\d|\d,\d{3}")


def cells(path: Path, kind: str) -> list[str]:
    content = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == kind]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path: Path) -> None:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"]
            assert cell["execution_count"] is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_top_says_what_is_asked_and_what_is_played(path: Path) -> None:
    top, first = cells(path, "markdown")[0], cells(path, "code")[0]
    said = dict(re.findall(r"\*\*(Question|Ruleset|Seed|Deals|Run time)\*\* \| (.+?) \|", top))
    assert set(said) == {"Question", "Ruleset", "Seed", "Deals", "Run time"}
    seed = re.search(r"SEED = (\d+)", first)
    deals = re.search(r'DEALS = ([\d_]+) // \((\d+) if os.environ.get\("MJSTATS_FAST"\)', first)
    assert seed is not None
    assert deals is not None
    assert said["Seed"] == seed[1]
    number, factor = said["Deals"].split()[0].rstrip(";"), re.search(r"(\d+) times fewer", top)
    assert factor is not None
    assert (number.replace(",", "_"), factor[1]) == deals.groups()
    for ruleset in re.findall(r'mj\.simulate\(\s*"(\w+)"', "".join(cells(path, "code"))):
        assert f"`{ruleset}`" in said["Ruleset"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_results_are_computed_and_never_typed(path: Path) -> None:
    for text in cells(path, "markdown")[1:]:
        assert not NUMBER.search(text), text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_there_is_no_helper_code(path: Path) -> None:
    for code in cells(path, "code"):
        assert not re.search(r"^\s*(async def|def|class)\b|\blambda\b", code, re.MULTILINE), code
