"""The comparison with a rival program: repeats alternate, rates are read, ratios are right."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

COMPARE = Path(__file__).parents[2] / "benchmarks" / "compare.py"


@pytest.fixture
def rival(tmp_path: Path) -> Path:
    program = tmp_path / "rival"
    program.write_text(f'#!/bin/sh\necho run >> {tmp_path / "runs"}\necho "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def compare(rival: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(COMPARE), "--rival", rival, "--rulesets", "plain,yancheng"]
    command += ["--deals", "200", "--repeats", "3"]
    # The package is taken from where the tests are run, as in every other test.
    return subprocess.run(
        [*command, *options], capture_output=True, text=True, env={"PYTHONPATH": str(Path.cwd())}
    )


@pytest.mark.parametrize(
    "said", ["games/s 1000 win 0.9", "deals/s: 1,000", "1000 deals/s = deals/s 1e3"]
)
def test_ratios_to_what_the_rival_says(rival: Path, said: str) -> None:
    done = compare(f"{rival} '{said}'")
    assert done.returncode == 0, done.stderr
    rows = [row.replace(",", "").split() for row in done.stdout.splitlines()[2:]]
    assert [name for name, *_ in rows] == ["plain", "yancheng"]
    for _, ours, theirs, ratio, least, most in rows:
        assert float(theirs) == 1000
        assert float(ratio) == pytest.approx(float(ours) / 1000, abs=0.002)
        assert float(least) <= float(ratio) <= float(most)
    # Once a repeat, for all games.
    assert (rival.parent / "runs").read_text().count("run") == 3


def test_another_pattern(rival: Path) -> None:
    done = compare(f"{rival} 'rate=250'", "--pattern", r"rate=(\d+)")
    assert " 250 " in done.stdout


def test_a_rival_without_a_rate(rival: Path) -> None:
    done = compare(f"{rival} nothing")
    assert done.returncode != 0
    assert "no rate" in done.stderr
    assert "Traceback" not in done.stderr
