"""What holds for every command: help, versions, refusals, a reader who leaves."""

import json
import os
import re
import subprocess

import pytest

import mjstats as mj
from mjstats.cli import main
from mjstats.publish.tables import FORMATS


def test_help_names_every_command(mjstats) -> None:
    done = mjstats("--help")
    assert done.code == 0
    assert all(name in done.out for name in main.commands)


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_explains_itself_and_takes_a_format(mjstats, name: str) -> None:
    done = mjstats(name, "--help")
    assert done.code == 0
    assert f"--format [{'|'.join(FORMATS)}]" in re.sub(r"\s+", " ", done.out)


def test_version(mjstats) -> None:
    assert mj.__version__ in mjstats("--version").out


def test_no_command(refused) -> None:
    assert "command" in refused()


def test_unknown_command_names_the_allowed_ones(refused) -> None:
    line = refused("simulat")
    assert "'simulat'" in line
    assert all(name in line for name in main.commands)


def test_unknown_flag(refused) -> None:
    assert "--colour" in refused("rulesets", "--colour")


def test_unknown_format_names_the_allowed_ones(refused) -> None:
    line = refused("rulesets", "--format", "yaml")
    assert "'yaml'" in line
    assert all(f"'{name}'" in line for name in FORMATS)


def test_reader_who_leaves_is_no_error(process) -> None:
    running = process("rulesets", "yancheng")
    running.stdout.close()
    assert running.wait(timeout=60) == 0
    assert running.stderr.read() == ""
    running.stderr.close()


def test_full_device(process, monkeypatch: pytest.MonkeyPatch) -> None:
    # With unbuffered streams nothing is left to be written when Python ends.
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device, handed on as a stream
        running = process("rulesets", stdout=full)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 2
    assert err == "mjstats: standard output: No space left on device\n"


def test_closed_streams(process) -> None:
    def closed(*streams: int) -> subprocess.Popen[str]:
        return process("rulesets", preexec_fn=lambda: [os.close(stream) for stream in streams])

    running = closed(1)
    shown, err = running.communicate(timeout=60)
    assert (running.returncode, shown) == (2, "")
    assert err == "mjstats: standard output is closed: nowhere to print the result\n"
    running = closed(2)
    shown, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "yancheng" in shown
    running = closed(1, 2)
    running.communicate(timeout=60)
    assert running.returncode == 2


@pytest.mark.parametrize(
    ("args", "allowed"),
    [
        (("simulate", "yancheng", "--deals", "x"), "whole numbers from 1 to 2147483647"),
        (("simulate", "yancheng", "--deals", "0"), "whole numbers from 1 to 2147483647"),
        (("simulate", "yancheng", "--workers", "5000"), "whole numbers from 1 to 1024"),
        (("replay", "yancheng", "--seed", "1.5"), "whole numbers from 0 to 9223372036854775807"),
        (("bench", "--seconds", "nan"), "numbers from 0 to 60"),
    ],
)
def test_numbers_out_of_range_name_the_range(refused, args, allowed) -> None:
    assert f"allowed are {allowed}" in refused(*args)


@pytest.mark.parametrize("fmt", FORMATS)
def test_catalogue_in_every_format(mjstats, fmt: str) -> None:
    done = mjstats("rulesets", "--format", fmt)
    assert done.code == 0
    assert "鹽城麻將" in done.out


def test_elements_and_options_of_a_changed_ruleset(mjstats) -> None:
    done = mjstats(
        "rulesets",
        "yancheng",
        *("--set", "options.multi_ron=true", "--set", "elements.qing_yi_se.value=30"),
        *("--format", "json"),
    )
    shown = json.loads(done.out)
    values = {row["element"]: row["values"] for row in shown["elements"]}
    options = {row["option"]: row["value"] for row in shown["options"]}
    assert values["qing_yi_se"] == [30]
    assert options["multi_ron"] is True
    rules = mj.ruleset("yancheng").definition
    told = {row["element"]: row["condition"] for row in shown["elements"]}
    assert told == {name: form.doc for name, form in rules.elements.items()}
    told = {row["option"]: row["doc"] for row in shown["options"]}
    assert told == {name: form.doc for name, form in rules.options.items()}
    assert [(row["preset"], row["sets"]) for row in shown["presets"]] == [
        ("seed_literal", "options.seven_pairs_da_diao=false")
    ]


def test_policies_and_presets_are_explained(mjstats) -> None:
    told = " ".join(mjstats("simulate", "--help").out.split())
    for words in ("greedy:MODE", "greedy:bids=WORD+WORD", "greedy:mai=N:xia=N:piao=N"):
        assert words in told
    assert "What many tables play" in mjstats("rulesets", "suqian").out
    assert mjstats("rulesets", "plain").code == 0


def test_the_summary_says_who_plays_how(mjstats) -> None:
    run = ("simulate", "plain", "--deals", "40", "--seed", "1", "--no-progress", "--policies")
    mixed = mjstats(*run, "greedy,random,greedy,random").out
    assert "played by greedy (seats 0, 2), random (seats 1, 3); seed 1" in mixed
    assert "played by random; seed 1" in mjstats(*run, "random").out


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["atlantis"], ["'atlantis'", "yancheng"]),
        (["yancheng", "--preset", "feast"], ["feast", "seed_literal"]),
        (["yancheng", "--set", "options.no_such=1"], ["no_such", "multi_ron"]),
        (["yancheng", "--set", "options.multi_ron=perhaps"], ["multi_ron", "perhaps", "true"]),
        (["yancheng", "--set", "elements.no_such.value=1"], ["no_such", "qing_yi_se"]),
        (["yancheng", "--set", "elements.qing_yi_se.value=" + "9" * 5000], ["qing_yi_se"]),
        (["yancheng", "--set", "nonsense"], ["'nonsense'", "options.NAME=VALUE"]),
        (["--set", "options.multi_ron=true"], ["RULESET"]),
    ],
)
def test_bad_rules_are_refused(refused, args: list[str], parts: list[str]) -> None:
    line = refused("rulesets", *args)
    assert all(part in line for part in parts), line


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b'extends = "yancheng"\ncolour = "red"\n', ["colour"]),
        (b'extends = "yancheng"\n[options]\nmulti_ron = 7\n', ["multi_ron", "7"]),
        (b'extends = "yancheng"\n[elements.qing_yi_se]\nvalue = "much"\n', ["qing_yi_se"]),
        (b'extends = "atlantis"\n', ["atlantis"]),
        (b"= = =\n", []),
        (b"\xff\xfe\x00", []),
    ],
)
def test_faulty_house_rules_are_refused(refused, tmp_path, content: bytes, parts: list) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(content)
    line = refused("rulesets", path)
    assert str(path) in line
    assert all(part in line for part in parts), line


def test_no_such_rules_file(refused, tmp_path) -> None:
    assert str(tmp_path / "none.toml") in refused("rulesets", tmp_path / "none.toml")


def test_folder_instead_of_a_rules_file(refused, tmp_path) -> None:
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    assert str(folder) in refused("rulesets", folder)
