"""Arguments of the wrong kind: one sentence of one family of errors, whatever was handed in."""

import numpy as np
import pytest

import mjstats as mj
from mjstats import _core
from mjstats.errors import ArgumentError, MjstatsError, RulesetError, StoreError

CASE = {"hand": "234m567p345s678s5m", "win_tile": "5m", "by": "self_draw", "winner": 1, "dealer": 0}


def simulate(**arguments):
    return mj.simulate("yancheng", **{"deals": 5, "seed": 1, **arguments})


def replay(**arguments):
    return mj.replay("yancheng", **{"deal": 0, "seed": 1, **arguments})


@pytest.fixture(scope="module")
def run():
    return mj.simulate("yancheng", deals=300, seed=1)


@pytest.mark.parametrize("source", [None, 3, b"yancheng", [], {}, "x\0.toml"])
def test_rulesets_are_ids_and_paths(source):
    with pytest.raises(ArgumentError, match=r"^ruleset"):
        mj.shanten("123m", ruleset=source)


@pytest.mark.parametrize("changes", [3, "x", [1], {3: 4}, {None: 1}])
def test_changes_are_a_mapping_of_names(changes):
    with pytest.raises(ArgumentError, match=r"^changes"):
        simulate(changes=changes)


@pytest.mark.parametrize("preset", [3, [], "x"])
def test_presets_are_names(preset):
    with pytest.raises(RulesetError, match="allowed are seed_literal"):
        simulate(preset=preset)


@pytest.mark.parametrize("policies", [None, 3, b"greedy", [1, 2, 3, 4], [None] * 4, object()])
def test_policies_are_names(policies):
    with pytest.raises(ArgumentError, match=r"^policies="):
        simulate(policies=policies)


@pytest.mark.parametrize("until", [3, [], 0.05, True, object()])
def test_stopping_rules(until):
    with pytest.raises(ArgumentError, match=r"^until="):
        simulate(until=until)


@pytest.mark.parametrize("out", [3, [], b"x", "a\0b"])
def test_folders_are_paths(out):
    with pytest.raises(ArgumentError, match=r"^out"):
        simulate(out=out)
    with pytest.raises(ArgumentError, match=r"^open_run"):
        mj.open_run(out)


def test_names_that_no_file_system_takes():
    for call in (lambda: simulate(out="x" * 300), lambda: mj.open_run("x" * 300)):
        with pytest.raises(StoreError, match="xxx"):
            call()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("deal", -1),
        ("deal", 0.5),
        ("deal", "1"),
        ("deal", True),
        ("deal", None),
        ("deal", 2**31),
        ("match", -1),
        ("match", "x"),
        ("match", 2**31),
        ("seed", -1),
        ("seed", "x"),
        ("seed", None),
        ("seed", 2**63),
    ],
)
def test_numbers_of_a_replay(name, value):
    with pytest.raises(ArgumentError, match=f"^{name}="):
        replay(**{name: value})


@pytest.mark.parametrize("value", [1024 + 1, 10**400, np.array([1, 2])])
def test_numbers_of_workers(value):
    with pytest.raises(ArgumentError, match=r"^workers") as caught:
        simulate(workers=value)
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("case", [None, 3, "x", [], {3: 4}])
def test_cases_are_mappings(case):
    with pytest.raises(ArgumentError, match=r"^case"):
        mj.score(case, ruleset="yancheng")
    with pytest.raises(ArgumentError, match=r"^context"):
        mj.score({**CASE, "context": [3]}, ruleset="yancheng")


@pytest.mark.parametrize(
    ("before", "event"),
    [
        (None, {"type": "draw"}),
        ([], {"type": "draw"}),
        ({"dealer": 0}, None),
        ({"dealer": 0, "round": 0}, {"type": "draw"}),
        ({"dealer": 0, "round": 2**15}, {"type": "draw"}),
        ({"dealer": 0, "round": 10**30}, {"type": "draw"}),
    ],
)
def test_states_that_cannot_be(before, event):
    with pytest.raises(ArgumentError):
        mj.next_state(before, event, ruleset="yancheng")


@pytest.mark.parametrize("by", [3, None, [3], b"mode"])
def test_keys_of_tables_are_names(run, by):
    for table in (run.listen_odds, run.expected_settlements):
        with pytest.raises(ArgumentError, match=r"^by="):
            table(by=by)
    with pytest.raises(ArgumentError, match=r"^by="):
        mj.exact.waits("yancheng", by=by)


def test_tiles_of_an_exact_table_are_whole():
    with pytest.raises(ArgumentError, match=r"tiles=13\.0"):
        mj.exact.shanten("yancheng", tiles=13.0)


def test_enormous_values_are_not_repeated():
    with pytest.raises(MjstatsError) as caught:
        simulate(changes={"options.rounds_per_match": 10**5000})
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "value",
    [10**5000, [10**5000], "x" * 5000, [0] * 5000],
    ids=["number", "numbers", "text", "list"],
)
@pytest.mark.parametrize("name", ["hand", "melds", "win_tile", "by", "winner", "context"])
def test_what_is_too_long_to_repeat_is_refused_shortly(name, value):
    with pytest.raises(MjstatsError) as refused:
        mj.score(CASE | {name: value}, ruleset="yancheng")
    assert name in str(refused.value)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize("value", [10**5000, None, 5], ids=["huge", "none", "five"])
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("xuan_feng", name) for name in ("type", "seat", "tiles", "robbed")),
        *(("supplement", name) for name in ("type", "seat", "tile", "of", "robbed")),
        *(("kong_exposed", name) for name in ("type", "seat", "tile", "from", "robbed")),
    ],
)
def test_fields_of_kongs_are_of_their_kind(kind, name, value):
    kong = {"type": kind, "seat": 0, "from": 1, "of": "xuan_feng", "tile": "1z", "tiles": "1234z"}
    case = {"kind": "kong", "context": {"kong_events": [kong | {name: value}]}}
    with pytest.raises(MjstatsError, match=name):
        mj.score(case, ruleset="changchun")


def test_policies_too_long_to_repeat_are_refused_shortly():
    for policies in ("x" * 5000, "greedy:xia=" + "9" * 5000, [10**5000]):
        with pytest.raises(ArgumentError, match="policies") as refused:
            simulate(policies=policies)
        assert len(str(refused.value)) < 600


def test_a_folder_without_files_of_a_run_is_no_run(tmp_path):
    with pytest.raises(StoreError, match="is no folder of a run"):
        mj.open_run(tmp_path)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_match_that_nobody_can_win_does_not_go_on_for_ever(monkeypatch, tmp_path, workers):
    monkeypatch.setattr(_core, "MOST_DEALS_OF_MATCH", 3000)
    worthless = {f"elements.{item.id}.value": 0 for item in mj.ruleset("yiwu").elements}
    rules = mj.ruleset("yiwu", changes=worthless)
    with pytest.raises(RulesetError, match="match 0 has no end"):
        mj.simulate(rules, deals=1, seed=1, workers=workers, out=tmp_path / "run")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("alpha", [None, "x", True, [0.05], 0, 1, float("nan")])
def test_error_rates_are_numbers_between_0_and_1(run, alpha):
    for ask in (run.frequencies, lambda *, alpha: mj.compare([run], alpha=alpha)):
        with pytest.raises(ArgumentError, match="alpha"):
            ask(alpha=alpha)
