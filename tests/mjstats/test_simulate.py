import hashlib
import resource
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import mjstats
from mjstats import _core, collect
from mjstats.collect import RelErr
from mjstats.errors import ArgumentError, RulesetError, StoreError, TaskMismatchError
from mjstats.policies import policy_codes
from mjstats.results import open_run
from mjstats.results import simulate as run_simulate
from mjstats.run import DATASETS
from mjstats.simulate import ruleset_of

FILES = [f"{dataset}.parquet" for dataset in DATASETS]


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(collect, "CHUNK_DEALS", 64)


def digests(folder):
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES}


def same_rows(a, b, *, deals):
    """Whether two runs have the same first deals."""
    for dataset in DATASETS:
        left, right = (
            run.frame(dataset).query(f"deal < {deals}").astype(str).reset_index(drop=True)
            for run in (a, b)
        )
        pd.testing.assert_frame_equal(left, right)


def test_a34_files_do_not_depend_on_workers_and_blocks(tmp_path, small_chunks):
    first = tmp_path / "first"
    run_simulate("yancheng", deals=333, seed=7, workers=1, _block=1, out=first)
    for workers, block in ((1, None), (2, 3), (3, 50), (2, 1)):
        other = tmp_path / f"{workers}-{block}"
        run_simulate("yancheng", deals=333, seed=7, workers=workers, _block=block, out=other)
        assert digests(other) == digests(first)


def test_memory_and_files_hold_the_same(tmp_path, small_chunks):
    memory = run_simulate("yancheng", deals=200, seed=7)
    stored = run_simulate("yancheng", deals=200, seed=7, out=tmp_path / "run")
    assert len(stored.store) == 4
    for dataset in DATASETS:
        pd.testing.assert_frame_equal(memory.frame(dataset), stored.frame(dataset))
    pd.testing.assert_frame_equal(memory.wins, stored.wins)


@pytest.mark.parametrize("ruleset", ["plain", "suqian", "yancheng"])
def test_a29_every_deal_sums_to_zero(ruleset):
    run = run_simulate(ruleset, deals=300, seed=1)
    pays = run.deals[[f"pay_{seat}" for seat in range(4)]]
    assert (pays.sum(axis=1) == 0).all()
    assert (run.settlements["payment"].to_numpy() == pays.to_numpy().ravel()).all()
    assert run.settlements["payment"].any()


def test_a34_blocks_do_not_repeat_each_other():
    run = run_simulate("yancheng", deals=400, seed=1, workers=3, _block=1)
    rows = run.deals.drop(columns=["match", "deal"])
    by_match = rows.groupby(run.deals["match"]).apply(lambda part: part.astype(str).to_csv())
    assert by_match.is_unique


def test_other_seed_other_deals():
    a, b = (run_simulate("yancheng", deals=50, seed=seed).deals for seed in (1, 2))
    assert not a.equals(b)


def test_exactly_the_first_deals_are_kept():
    long = run_simulate("yancheng", deals=130, seed=3)
    for deals in (1, 17, 129):
        short = run_simulate("yancheng", deals=deals, seed=3)
        assert len(short.deals) == deals
        same_rows(short, long, deals=deals)
    assert long.deals["deal"].tolist() == list(range(130))


def test_rows_are_those_of_the_core():
    run = run_simulate("yancheng", deals=100, seed=9)
    rules = ruleset_of(run)
    block = _core.play_matches(
        _core.rule_record(rules),
        policy_codes("greedy"),
        seed=9,
        first_match=0,
        n_matches=run.n_matches,
    )
    deals = block.deals[:100]
    for name in ("match", "deal_in_match", "winner", "turns", "base_total"):
        assert run.deals[name].tolist() == deals[name].tolist()
    assert run.deals["pay_2"].tolist() == deals["pay"][:, 2].tolist()
    assert run.deals["jia"].tolist() == block.counters[:100, 0].tolist()
    for i, element in enumerate(rules.elements):
        assert run.deals[f"el_{element.id}"].tolist() == block.elements[:100, i].tolist()
    listens = block.listens[block.listens["deal"] < 100]
    assert run.listens["deal"].tolist() == listens["deal"].tolist()
    assert run.listens["match"].tolist() == deals["match"][listens["deal"]].tolist()
    assert run.listens["mode"].cat.codes.tolist() == listens["mode"].tolist()


@pytest.mark.parametrize("ruleset", ["plain", "suqian", "yancheng"])
def test_a_deal_replayed_alone_is_the_row_of_the_run(ruleset):
    run = run_simulate(ruleset, deals=80, seed=13)
    for deal in (0, 1, 40, 79):
        row = run.deals.iloc[deal]
        by_index = mjstats.replay(ruleset, seed=13, deal=deal)
        in_match = mjstats.replay(
            ruleset, seed=13, match=int(row["match"]), deal=int(row["deal_in_match"])
        )
        for trace in (by_index, in_match):
            start, end = trace.events[0], trace.events[-1]
            assert start["dealer"] == row["dealer"]
            assert end["payments"] == [row[f"pay_{seat}"] for seat in range(4)]
            wins = [event for event in trace.events if event["event"] == "win"]
            assert len(wins) == row["n_winners"]
            if wins:
                assert (wins[0]["seat"], wins[0]["by"]) == (row["winner"], row["by"])
                assert wins[0]["base_total"] == row["base_total"]
                elements = wins[0]["elements"] | wins[0]["factors"]
                for name, value in elements.items():
                    assert row[f"el_{name}"] == value


def test_second_winners_have_rows_of_their_own():
    """A28: the deal is paid once, when all who win on the tile are known."""
    run = run_simulate("plain", deals=600, seed=2, changes={"multi_ron": True})
    several = run.deals[run.deals["n_winners"] > 1]
    assert len(several) > 0
    assert len(run.wins) == run.deals["n_winners"].sum()
    assert (
        run.wins.groupby("deal").size()
        == run.deals.set_index("deal")["n_winners"].loc[lambda n: n > 0]
    ).all()
    winners = run.settlements[run.settlements["role"] == "winner"].groupby("deal").size()
    assert (winners == run.wins.groupby("deal").size()).all()
    extra = run.frame("extra_wins")
    assert (extra[[f"pay_{seat}" for seat in range(4)]].sum(axis=1) == 0).all()


def test_resumed_run_equals_one_made_at_once(tmp_path, small_chunks):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run_simulate("yancheng", deals=300, seed=4, out=whole)
    run_simulate("yancheng", deals=70, seed=4, out=parts)
    (parts / "notes.txt").write_text("mine")
    run = open_run(parts).resume(deals=150, workers=2)
    assert len(run.deals) == 150
    run = run.resume(deals=300)
    assert digests(parts) == digests(whole)
    assert (parts / "notes.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts", "whole"]
    same_rows(run, open_run(whole), deals=300)


def test_resume_in_memory(small_chunks):
    run = run_simulate("yancheng", deals=100, seed=4).resume(deals=222)
    same_rows(run, run_simulate("yancheng", deals=222, seed=4), deals=222)


def test_resume_needs_more_deals():
    run = run_simulate("yancheng", deals=20, seed=4)
    with pytest.raises(ArgumentError, match="has 20 deals; more are expected"):
        run.resume(deals=20)


def test_resume_refuses_another_simulator(monkeypatch):
    run = run_simulate("yancheng", deals=20, seed=4)
    monkeypatch.setattr(_core, "SIM_VERSION", _core.SIM_VERSION + 1)
    with pytest.raises(TaskMismatchError, match="different versions of the simulator"):
        run.resume(deals=30)


def test_resume_refuses_a_changed_house_file(tmp_path):
    house = tmp_path / "house.toml"
    house.write_text('extends = "yancheng"\n[elements.qing_yi_se]\nvalue = 30\n')
    run = run_simulate(house, deals=20, seed=4)
    assert len(run.resume(deals=25).deals) == 25
    assert (
        run.origin.task.ruleset["digest"]
        != (run_simulate("yancheng", deals=1, seed=4).origin.task.ruleset["digest"])
    )


def test_seed_is_drawn_and_recorded():
    run = run_simulate("yancheng", deals=30)
    again = run_simulate("yancheng", deals=30, seed=run.origin.task.seed)
    pd.testing.assert_frame_equal(run.deals, again.deals)
    assert run.origin.task.seed != run_simulate("yancheng", deals=1).origin.task.seed


def test_preset_and_changes_reach_the_task():
    plain = run_simulate("yancheng", deals=1, seed=1)
    preset = run_simulate("yancheng", deals=1, seed=1, preset="seed_literal")
    changed = run_simulate("yancheng", deals=1, seed=1, changes={"multi_ron": True})
    assert len({run.origin.task_id for run in (plain, preset, changed)}) == 3


def test_existing_folder_is_refused(tmp_path):
    (tmp_path / "run").mkdir()
    with pytest.raises(StoreError, match=r"run' exists already"):
        run_simulate("yancheng", deals=5, seed=1, out=tmp_path / "run")
    assert list(tmp_path.iterdir()) == [tmp_path / "run"]


def test_missing_parent_is_named(tmp_path):
    with pytest.raises(StoreError, match="No such file or directory"):
        run_simulate("yancheng", deals=5, seed=1, out=tmp_path / "a" / "b")


def test_full_disk_leaves_nothing(tmp_path, small_chunks):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(StoreError, match="cannot write the run to") as caught:
            run_simulate("yancheng", deals=3000, seed=1, out=tmp_path / "run")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, RuntimeError])
def test_interruption_leaves_nothing(tmp_path, small_chunks, monkeypatch, interruption):
    append = collect.FolderSink.append
    calls = []

    def interrupted(self, chunk):
        append(self, chunk)
        calls.append(chunk)
        if len(calls) == 2:
            raise interruption

    monkeypatch.setattr(collect.FolderSink, "append", interrupted)
    with pytest.raises(interruption):
        run_simulate("yancheng", deals=1000, seed=1, workers=2, out=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
    assert not [t for t in threading.enumerate() if t.name.startswith("mjstats")]


def test_interrupted_resume_keeps_the_run(tmp_path, small_chunks, monkeypatch):
    run = run_simulate("yancheng", deals=100, seed=1, out=tmp_path / "run")
    before = digests(tmp_path / "run")

    def broken(self, chunk):
        raise KeyboardInterrupt

    monkeypatch.setattr(collect.FolderSink, "append", broken)
    with pytest.raises(KeyboardInterrupt):
        run.resume(deals=300)
    assert digests(tmp_path / "run") == before
    assert list(tmp_path.iterdir()) == [tmp_path / "run"]


def test_error_in_the_core_reaches_the_caller(tmp_path, monkeypatch):
    def broken(*args, **kwargs):
        raise RulesetError("no such thing")

    monkeypatch.setattr(_core, "play_matches", broken)
    with pytest.raises(RulesetError, match="no such thing"):
        run_simulate("yancheng", deals=10, seed=1, out=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deals": 0}, "deals=0: 1 to "),
        ({"deals": -3}, "deals=-3: 1 to "),
        ({"deals": 2.5}, "deals=2.5: a whole number"),
        ({"deals": True}, "deals=True: a whole number"),
        ({"seed": -1}, "seed=-1: 0 to "),
        ({"seed": 2**63}, "0 to 9223372036854775807 is allowed"),
        ({"workers": 0}, "workers=0: 1 to "),
        ({"policies": "clever"}, "unknown policy 'clever'"),
        ({"policies": ["greedy", "random"]}, "2 names given"),
        ({"until": "soon"}, "rel_err:<element>:<target> is expected"),
        ({"until": "rel_err:win:much"}, "rel_err:<element>:<target> is expected"),
        ({"until": "rel_err:win:0"}, "between 0 and 1"),
        ({"until": "rel_err:no_such:0.1"}, "no element 'no_such': allowed are win, "),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run_simulate("yancheng", **{"deals": 10, "seed": 1} | arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed=-1: 0 to "),
        ({"seed": 2**63}, "seed=9223372036854775808: 0 to "),
        ({"seed": 1.5}, "seed=1.5: a whole number"),
        ({"deal": 0.5}, "deal=0.5: a whole number"),
        ({"deal": -1}, "deal=-1: 0 to "),
        ({"match": "first"}, "match='first': a whole number"),
    ],
)
def test_bad_arguments_of_a_replay(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        mjstats.replay("yancheng", **{"seed": 1, "deal": 0} | arguments)


def test_a_dataset_that_does_not_exist_is_refused():
    run = run_simulate("yancheng", deals=5, seed=1)
    with pytest.raises(ArgumentError, match="no dataset 'bids': allowed are deals, listens"):
        run.frame("bids")
    assert run.frame("deals", columns=[]).empty


def test_numpy_integers_are_numbers():
    assert len(run_simulate("yancheng", deals=np.int64(3), seed=np.uint8(1)).deals) == 3


def test_stopping_rule_ends_the_run_and_is_labelled(tmp_path, small_chunks):
    rule = "rel_err:win:0.01"
    run = run_simulate("yancheng", deals=20_000, seed=1, until=rule, out=tmp_path / "run")
    assert run.n_deals < 20_000
    assert run.n_deals % 64 == 0
    assert run.n_matches >= 30
    win = run.frequencies().query("element == 'win' and per == 'deal'").iloc[0]
    assert win["se"] <= 0.0105 * win["p"]
    assert run.provenance["stopping"] == {"rule": rule, "reached": True}
    assert "stopping rule rel_err:win:0.01 (reached)" in run.frequencies().attrs["notes"][0]
    other = run_simulate("yancheng", deals=20_000, seed=1, until=RelErr("win", 0.01), workers=1)
    assert other.n_deals == run.n_deals


def test_stopping_rule_that_is_not_reached(small_chunks):
    run = run_simulate("yancheng", deals=100, seed=1, until="rel_err:qing_yi_se:0.01")
    assert run.n_deals == 100
    assert run.provenance["stopping"]["reached"] is False


def test_progress_goes_to_stderr(capsys):
    run_simulate("yancheng", deals=40, seed=1, progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "40.0/40.0" in captured.err


def test_policies_by_seat():
    run = run_simulate("yancheng", deals=60, seed=1, policies="greedy,random,random,random")
    assert run.origin.task.policies == ("greedy", "random", "random", "random")
    other = run_simulate("yancheng", deals=60, seed=1)
    assert run.origin.task_id != other.origin.task_id


def test_public_names_are_the_functions():
    # The modules of the same names must not hide them, in whatever order they are imported.
    code = "import mjstats, mjstats.simulate, mjstats.results; print(callable(mjstats.simulate))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
    assert mjstats.open_run is open_run
    assert mjstats.simulate is run_simulate
