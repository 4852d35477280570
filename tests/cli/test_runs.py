"""`simulate` and `table`: what they print, what they write, what they leave behind."""

import csv
import io
import json
import os
import resource
import signal
import time
from pathlib import Path

import pytest

import mjstats as mj
from mjstats.cli import TABLES
from mjstats.publish.tables import FORMATS

PLAY = ("simulate", "yancheng", "--deals", 300, "--seed", 1)
DATA = {f"{name}.parquet" for name in ("deals", "listens", "settlements", "extra_wins")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "run"
    mj.simulate("yancheng", deals=300, seed=1, out=path)
    return path


def test_prints_three_tables_and_what_reproduces_them(mjstats) -> None:
    done = mjstats(*PLAY, "--no-progress")
    assert done.code == 0
    assert all(title in done.out for title in TABLES.values())
    assert "seed 1" in done.out
    assert done.err == ""


def test_progress_goes_to_stderr(mjstats) -> None:
    done = mjstats(*PLAY)
    assert "300/300" in done.err
    assert "300/300" not in done.out


def test_a_drawn_seed_is_told(mjstats) -> None:
    first, second = (mjstats("simulate", "plain", "--deals", 5).out for _ in range(2))
    assert "seed " in first
    assert first != second


@pytest.mark.parametrize("fmt", FORMATS)
def test_one_table_in_every_format(mjstats, folder, fmt: str) -> None:
    done = mjstats("table", folder, "--table", "expected_settlements", "--format", fmt)
    assert done.code == 0
    assert "winner" in done.out


@pytest.mark.parametrize("fmt", FORMATS)
def test_all_tables_in_every_format(mjstats, folder, fmt: str) -> None:
    done = mjstats("table", folder, "--format", fmt)
    assert done.code == 0
    parts = ("清一色", "two_sided", "winner")
    assert all(part.replace("_", r"\_" if fmt == "latex" else "_") in done.out for part in parts)


def test_json_holds_the_tables_in_full_precision(mjstats, folder) -> None:
    shown = json.loads(mjstats("table", folder, "--format", "json").out)
    frame = mj.open_run(folder).frequencies()
    assert list(shown) == list(TABLES)
    assert [row["p"] for row in shown["frequencies"]] == frame["p"].tolist()


def test_simulate_and_table_agree(mjstats, folder) -> None:
    assert (
        mjstats(*PLAY, "--no-progress", "--format", "csv").out
        == mjstats("table", folder, "--format", "csv").out
    )


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_change_nothing(mjstats, folder, workers: int) -> None:
    one = mjstats(*PLAY, "--workers", workers, "--format", "json").out
    assert one == mjstats("table", folder, "--format", "json").out


def test_settings_reach_the_run(mjstats) -> None:
    changed = mjstats(
        *PLAY,
        *("--set", "elements.men_qing.value=100", "--policies", "greedy,random,random,random"),
        *("--table", "expected_settlements", "--format", "json"),
    )
    run = mj.simulate(
        "yancheng",
        deals=300,
        seed=1,
        policies=["greedy", "random", "random", "random"],
        changes={"elements.men_qing.value": 100},
    )
    rows = json.loads(changed.out)
    assert [row["mean"] for row in rows] == run.expected_settlements()["mean"].tolist()


def test_writes_tables_data_and_provenance(mjstats, tmp_path) -> None:
    out = tmp_path / "run"
    done = mjstats(*PLAY, "--out", out)
    assert done.code == 0
    assert str(out) in done.err
    written = {path.name for path in out.iterdir()}
    tables = {f"{name}.{fmt}" for name in TABLES for fmt in ("csv", "md")}
    assert written == {*tables, *DATA, "run.json"}
    with (out / "frequencies.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    frame = mj.open_run(out).frequencies()
    assert [float(row["p"]) for row in rows] == frame["p"].tolist()
    assert "seed 1" in (out / "frequencies.md").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_table_parted_otherwise(mjstats, folder) -> None:
    args = ("--table", "listen_odds", "--by", "wait_class,kinds", "--format", "json")
    rows = json.loads(mjstats("table", folder, *args).out)
    frame = mj.open_run(folder).listen_odds(by=["wait_class", "kinds"])
    assert [row["kinds"] for row in rows] == frame["kinds"].tolist()


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["--by", "seat"], ["--table", "listen_odds", "expected_settlements"]),
        (["--by", "seat", "--table", "frequencies"], ["--table", "listen_odds"]),
        (["--by", "colour", "--table", "listen_odds"], ["colour", "wait_class"]),
        (["--by", "", "--table", "listen_odds"], ["wait_class"]),
    ],
)
def test_bad_partings_are_refused(refused, folder, args: list[str], parts: list[str]) -> None:
    line = refused("table", folder, *args)
    assert all(part in line for part in parts), line


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Deals enough for control variates."""
    path = tmp_path_factory.mktemp("longer") / "run"
    mj.simulate("yancheng", deals=3000, seed=1, out=path)
    return path


def test_control_variates_reach_the_tables(mjstats, longer) -> None:
    run = mj.open_run(longer)
    shown = json.loads(mjstats("table", longer, "--control", "--format", "json").out)
    for name in ("frequencies", "expected_settlements"):
        frame = getattr(run, name)(control=True)
        assert frame["variance_ratio"].notna().any()
        # JSON has no missing numbers.
        ratios = frame["variance_ratio"].astype(object).where(frame["variance_ratio"].notna(), None)
        assert [row["variance_ratio"] for row in shown[name]] == ratios.tolist()
        assert [row["se"] for row in shown[name]] == frame["se"].tolist()
    plain = json.loads(mjstats("table", longer, "--format", "json").out)
    assert shown["listen_odds"] == plain["listen_odds"]
    assert shown["frequencies"] != plain["frequencies"]
    by = ("--table", "expected_settlements", "--by", "is_dealer", "--control", "--format", "json")
    rows = json.loads(mjstats("table", longer, *by).out)
    expected = run.expected_settlements(by=["is_dealer"], control=True)
    assert [row["mean"] for row in rows] == expected["mean"].tolist()


def test_simulate_writes_and_prints_with_control_variates(mjstats, longer, tmp_path) -> None:
    out = tmp_path / "run"
    command = ("simulate", "yancheng", "--deals", 3000, "--seed", 1, "--no-progress", "--control")
    done = mjstats(*command, "--out", out)
    assert done.code == 0
    # The note that the estimates need: on the terminal once for each kind of control.
    assert "control variates: shanten and bonus tiles as dealt" in done.out
    notes = {name: (out / f"{name}.md").read_text("utf-8") for name in TABLES}
    assert ["control variates: " in notes[name] for name in TABLES] == [True, False, True]
    with (out / "expected_settlements.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    frame = mj.open_run(longer).expected_settlements(control=True)
    assert [float(row["mean"]) for row in rows] == frame["mean"].tolist()


def test_control_variates_for_no_such_table(refused, longer) -> None:
    for command in (("table", longer), ("simulate", "yancheng")):
        line = refused(*command, "--control", "--table", "listen_odds")
        assert "frequencies or expected_settlements" in line


def test_csv_of_several_tables_names_each(mjstats, folder) -> None:
    blocks = mjstats("table", folder, "--format", "csv").out.split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [f"# {name}" for name in TABLES]
    first = csv.DictReader(io.StringIO(blocks[0].split("\n", 1)[1]))
    assert "ci_method" in next(iter(first))


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["atlantis"], ["'atlantis'", "yancheng"]),
        (["yancheng", "--deals", "0"], ["--deals", "0", "from 1"]),
        (["yancheng", "--deals", "-5"], ["--deals", "-5"]),
        (["yancheng", "--deals", "1e6"], ["--deals", "1e6"]),
        (["yancheng", "--deals", "9" * 40], ["--deals", "to 2147483647"]),
        (["yancheng", "--seed", "-1"], ["--seed", "-1"]),
        (["yancheng", "--seed", "9" * 40], ["--seed"]),
        (["yancheng", "--workers", "0"], ["--workers", "0"]),
        (["yancheng", "--policies", "clever"], ["'clever'", "greedy", "random"]),
        (["yancheng", "--policies", "greedy,random"], ["policies", "2", "four"]),
        (["yancheng", "--until", "soon"], ["soon", "rel_err"]),
        (["yancheng", "--until", "rel_err:no_such:0.1"], ["no_such", "qing_yi_se"]),
        (["yancheng", "--table", "payoffs"], ["payoffs", "listen_odds"]),
        ([], ["RULESET"]),
    ],
)
def test_bad_arguments_are_refused(refused, args: list[str], parts: list[str]) -> None:
    line = refused("simulate", *args)
    assert all(part in line for part in parts), line


def test_an_existing_output_folder_is_left_alone(refused, tmp_path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine.txt").write_text("mine")
    assert str(tmp_path / "run") in refused(*PLAY, "--out", tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["mine.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("parent", ["missing", "file"])
def test_no_place_for_the_output_folder(refused, tmp_path, parent: str) -> None:
    (tmp_path / "file").write_text("")
    out = tmp_path / parent / "run"
    assert str(out) in refused(*PLAY, "--out", out)


def test_a_folder_that_is_no_run(refused, tmp_path) -> None:
    assert str(tmp_path) in refused("table", tmp_path)
    assert str(tmp_path / "none") in refused("table", tmp_path / "none")


def test_a_damaged_run(refused, mjstats, tmp_path) -> None:
    mjstats(*PLAY, "--out", tmp_path / "run")
    data = tmp_path / "run" / "deals.parquet"
    data.write_bytes(data.read_bytes()[:100])
    assert "deals.parquet" in refused("table", tmp_path / "run")


def test_a_full_disk_leaves_nothing_behind(process, tmp_path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    out = tmp_path / "run"
    running = process(*PLAY, "--no-progress", "--out", out, preexec_fn=little_room)
    shown, err = running.communicate(timeout=120)
    assert running.returncode == 2, err
    assert shown == ""
    assert err.count("\n") == 1
    assert str(out) in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("policies", ["greedy", "random"])
def test_ctrl_c_leaves_nothing_behind(process, tmp_path, times, policies) -> None:
    command = ("simulate", "yancheng", "--deals", 50_000_000, "--out", tmp_path / "run")
    running = process(*command, "--no-progress", "--policies", policies)
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)
    for _ in range(times):
        os.kill(running.pid, signal.SIGINT)
        time.sleep(0.05)
    shown, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert shown == ""
    assert err.strip() == "mjstats: interrupted"
    assert list(tmp_path.iterdir()) == []
