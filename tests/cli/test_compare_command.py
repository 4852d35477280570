"""`compare`: runs side by side on the command line, and their page of figures."""

import csv
import io
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import mjstats as mj
from mjstats.publish.tables import FORMATS

GAMES = ("plain", "suzhou")
READABLE = [name for name in FORMATS if name not in ("csv", "json")]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    home = tmp_path_factory.mktemp("runs")
    for game in GAMES:
        mj.simulate(game, deals=900, seed=1, out=home / game)
    return [home / game for game in GAMES]


@pytest.fixture(scope="module")
def frame(folders: list[Path]):
    return mj.compare(folders)


def test_runs_stand_side_by_side(mjstats, folders) -> None:
    done = mjstats("compare", *folders)
    assert done.code == 0
    assert done.err == ""
    head = next(line for line in done.out.splitlines() if line.startswith("measure"))
    assert head.split() == ["measure", "name_zh", "unit", *GAMES]
    (draws,) = (line for line in done.out.splitlines() if line.startswith("draw_rate"))
    assert "流局率" in draws
    assert "對對胡" in done.out
    for said in (
        "± is half of the 95% interval",
        "suzhou · greedy · 900 deals · seed 1",
        "base stake in points: plain 1, suzhou 5",
    ):
        assert done.out.count(said) == 1


@pytest.mark.parametrize("fmt", READABLE)
def test_readers_get_runs_as_columns(mjstats, folders, fmt: str) -> None:
    done = mjstats("compare", *folders, "--format", fmt)
    assert done.code == 0
    assert all(title in done.out for title in ("Runs side by side", "Their elements"))
    assert "base stake in points" in done.out


@pytest.mark.parametrize("fmt", READABLE)
def test_a_row_each_number_on_demand(mjstats, folders, fmt: str) -> None:
    done = mjstats("compare", *folders, "--format", fmt, "--long")
    assert done.code == 0
    assert "jackknife of 50 groups" in done.out or fmt == "latex"
    assert "Their elements" not in done.out


def test_json_is_the_table_in_full_precision(mjstats, folders, frame) -> None:
    rows = json.loads(mjstats("compare", *folders, "--format", "json").out)
    assert [row["estimate"] for row in rows] == frame["estimate"].tolist()
    assert [row["measure"] for row in rows] == frame["measure"].tolist()
    assert rows[0]["element"] is None
    assert list(rows[0]) == list(frame)


def test_csv_is_the_table_in_full_precision(mjstats, folders, frame) -> None:
    rows = list(csv.DictReader(io.StringIO(mjstats("compare", *folders, "--format", "csv").out)))
    assert [float(row["ci_low"]) for row in rows] == frame["ci_low"].tolist()


def test_wide_json_holds_both_tables(mjstats, folders) -> None:
    shown = json.loads(mjstats("compare", *folders, "--format", "json", "--wide").out)
    assert list(shown) == ["measures", "elements"]
    assert list(shown["measures"][0]) == ["measure", "name_zh", "unit", *GAMES]
    assert {row["run"] for row in shown["elements"]} == set(GAMES)


def test_one_run_is_enough_and_one_twice_is_told_apart(mjstats, folders) -> None:
    assert mjstats("compare", folders[0]).code == 0
    out = mjstats("compare", folders[0], folders[0], "--format", "json").out
    assert {row["run"] for row in json.loads(out)} == {"plain #1", "plain #2"}


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.svg", b"<?xml")]
)
def test_a_page_of_figures(mjstats, folders, tmp_path, name: str, start: bytes) -> None:
    done = mjstats("compare", *folders, "--figure", tmp_path / name)
    assert done.code == 0
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        ([], ["RUN"]),
        (["nowhere"], ["'nowhere'", "no folder of a run"]),
        (["{run}", "nowhere"], ["'nowhere'"]),
        (["{run}", "--figure", "page.jpg"], ["page.jpg", ".png, .svg, .pdf"]),
        (["{run}", "--figure", "page"], ["page", ".png"]),
        (["{run}", "--figure", "{home}/none/page.png"], ["cannot write", "No such file"]),
        (["{run}", "--format", "xlsx"], ["xlsx", "latex"]),
        (["{run}", "--seed", "1"], ["--seed"]),
    ],
)
def test_bad_input_is_refused_in_one_line(
    refused, folders, tmp_path, args: list[str], parts: list[str]
) -> None:
    line = refused("compare", *(arg.format(run=folders[0], home=tmp_path) for arg in args))
    assert all(part in line for part in parts), line
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_cannot_be_written_leaves_nothing(refused, folders, tmp_path) -> None:
    (tmp_path / "page.png").mkdir()
    line = refused("compare", *folders, "--figure", tmp_path / "page.png")
    assert "cannot write" in line
    assert [path.name for path in tmp_path.iterdir()] == ["page.png"]


@pytest.mark.parametrize("name", ["page.png", "page.svg", "page.pdf"])
def test_a_full_disk_leaves_no_page(folders, tmp_path, name: str) -> None:
    command = [sys.executable, "-m", "mjstats", "compare", folders[0], "--figure", tmp_path / name]
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
