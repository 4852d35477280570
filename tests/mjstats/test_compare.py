"""Runs side by side: each number against a slow, obvious computation."""

import re
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest

import mjstats as mj
from mjstats import collect
from mjstats.compare import ELEMENT_MEASURES, MEASURES, side_by_side
from mjstats.errors import ArgumentError, StoreError
from mjstats.rulesets.resolve import CATALOG
from mjstats.run import MemoryStore

GAMES = ("plain", "yancheng", "suqian", "suzhou", "changchun", "yiwu")
STAKES = dict(zip(GAMES, (1, 10, 2, 5, 1, 5), strict=True))
KEYS = ["run", "measure", "element", "unit"]


@pytest.fixture(scope="module")
def runs():
    """Several chunks each, borders within matches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collect, "CHUNK_DEALS", 611)
        return {game: mj.simulate(game, deals=2000, seed=3) for game in GAMES}


@pytest.fixture(scope="module")
def table(runs):
    return mj.compare(list(runs.values()))


def cell(table, measure, unit=None, *, run=None, element=None):
    rows = table[table["measure"] == measure]
    for name, value in (("unit", unit), ("run", run), ("element", element)):
        rows = rows if value is None else rows[rows[name] == value]
    (row,) = rows.to_dict("records")
    return row


def slow_gini(amounts):
    x = np.sort(np.asarray(amounts, dtype=float))
    lorenz = np.concatenate([[0], np.cumsum(x) / x.sum()])
    return 1 - (lorenz[1:] + lorenz[:-1]).sum() / len(x)


def slow(deals, wins, settlements, *, kinds, stake):
    """Every measure from whole frames: (measure, unit, element) to n and value."""
    won = deals[deals["outcome"] == "win"]
    roles = settlements.groupby("role", observed=False)["payment"]
    dealer = settlements.loc[settlements["is_dealer"], "payment"]
    sd = np.sqrt((settlements["payment"] ** 2).mean())
    payout = settlements["payment"].clip(lower=0).groupby(settlements["deal"]).sum()
    seat = wins.merge(deals[["deal", "dealer"]], on="deal")
    claimed = wins["by"].isin(["discard", "rob_kong"])
    cells = {
        ("win_rate", "rate"): (len(deals), len(won) / len(deals)),
        ("draw_rate", "rate"): (len(deals), (deals["outcome"] == "exhausted").mean()),
        ("several_winners_rate", "rate"): (len(deals), (deals["n_winners"] > 1).mean()),
        ("self_draw_rate", "rate"): (len(wins), (~claimed).mean()),
        ("discard_rate", "rate"): (len(wins), (wins["by"] == "discard").mean()),
        ("rob_kong_rate", "rate"): (len(wins), (wins["by"] == "rob_kong").mean()),
        ("dealer_win_rate", "rate"): (len(wins), (seat["winner"] == seat["dealer"]).mean()),
        ("turns", "turns"): (len(deals), deals["turns"].mean()),
        ("turns_won", "turns"): (len(won), won["turns"].mean()),
        ("settlement_sd", "points"): (len(settlements), sd),
        ("settlement_sd", "stakes"): (len(settlements), sd / stake),
        ("gini", "gini"): (len(deals), slow_gini(payout)),
        ("gini_won", "gini"): (len(won), slow_gini(payout.loc[won["deal"]])),
    }
    for name, amounts in {
        "dealer_edge": dealer,
        "settlement_size": settlements["payment"].abs(),
        "winner_receipt": roles.get_group("winner"),
        "discarder_payment": -roles.get_group("discarder"),
    }.items():
        for unit, scale in (("points", 1), ("stakes", stake), ("sd", sd)):
            cells[name, unit] = len(amounts), amounts.mean() / scale
    cells = {(*key, None): value for key, value in cells.items()}
    total = sum(wins[f"el_{name}"].sum() for name, kind in kinds.items() if kind == "element")
    for name, kind in kinds.items():
        values = wins[f"el_{name}"]
        with_it = wins.loc[values != 0, "deal"].unique()
        cells["element_rate", "rate", name] = len(wins), (values != 0).mean()
        share = payout.loc[with_it].sum() / payout.sum()
        cells["element_payout", "share", name] = len(deals), share
        if kind == "element":
            cells["element_points", "share", name] = len(wins), values.sum() / total
    return cells


def kinds_of(run):
    return {item["id"]: item["kind"] for item in run.origin.task.ruleset["elements"]}


@pytest.mark.parametrize("game", GAMES)
def test_every_number_is_what_the_frames_give(runs, table, game):
    run = runs[game]
    expected = slow(run.deals, run.wins, run.settlements, kinds=kinds_of(run), stake=STAKES[game])
    rows = table[table["run"] == game]
    keys = list(zip(rows["measure"], rows["unit"], rows["element"].fillna(""), strict=True))
    assert sorted(keys) == sorted((m, u, e or "") for m, u, e in expected)
    for row in rows.to_dict("records"):
        element = None if pd.isna(row["element"]) else row["element"]
        n, value = expected[row["measure"], row["unit"], element]
        assert row["n"] == n, row
        assert row["estimate"] == pytest.approx(value, rel=1e-12, abs=1e-15), row


@pytest.mark.parametrize("game", ["suzhou", "yancheng"])
def test_errors_of_what_needs_several_sums_are_of_leaving_groups_out(runs, table, game):
    run = runs[game]
    group = run.deals["match"].to_numpy() * 50 // run.n_matches
    left_out = []
    for g in range(50):
        kept = run.deals[group != g]
        frames = (kept, *(f[f["deal"].isin(kept["deal"])] for f in (run.wins, run.settlements)))
        left_out.append(slow(*frames, kinds=kinds_of(run), stake=STAKES[game]))
    rows = table[(table["run"] == game) & table["ci_method"].str.contains("jackknife of 50")]
    assert {"sd", "gini", "share"} <= set(rows["unit"])
    for row in rows.to_dict("records"):
        element = None if pd.isna(row["element"]) else row["element"]
        values = np.array([one[row["measure"], row["unit"], element][1] for one in left_out])
        se = np.sqrt(49 / 50 * ((values - values.mean()) ** 2).sum())
        if np.isnan(row["se"]):
            assert se == pytest.approx(0, abs=1e-12)
        else:
            assert row["se"] == pytest.approx(se, rel=1e-9), row


@pytest.mark.parametrize("game", ["plain", "yancheng", "suzhou"])
def test_the_other_tables_say_the_same(runs, table, game):
    run = runs[game]
    rates = run.frequencies()
    same = ["n", "se", "ci_low", "ci_high", "ci_method"]
    pairs = {"win_rate": ("win", "deal"), "draw_rate": ("exhausted", "deal")}
    pairs["discard_rate"] = ("win_by_discard", "win")
    for measure, (name, per) in pairs.items():
        # An element may have the name of an outcome; outcomes stand first.
        theirs = rates[(rates["element"] == name) & (rates["per"] == per)].iloc[0]
        mine = cell(table, measure, run=game)
        assert [mine["estimate"], *(mine[c] for c in same)] == theirs[["p", *same]].tolist()
    for name in kinds_of(run):
        theirs = rates[(rates["element"] == name) & (rates["per"] == "win")].iloc[-1]
        mine = cell(table, "element_rate", run=game, element=name)
        assert [mine["estimate"], *(mine[c] for c in same)] == theirs[["p", *same]].tolist()
    edge = run.expected_settlements(by="is_dealer").query("is_dealer").iloc[0]
    mine = cell(table, "dealer_edge", "points", run=game)
    for name in ("se", "ci_low", "ci_high"):
        assert mine[name] == edge[name]
    role = run.expected_settlements(by="role").set_index("role")
    assert cell(table, "winner_receipt", "points", run=game)["se"] == role.loc["winner", "se"]


def test_settlements_sum_to_zero_and_parts_to_one(runs, table):
    for game, run in runs.items():
        assert run.settlements["payment"].mean() == 0
        rows = table[table["run"] == game]
        ways = ["self_draw_rate", "discard_rate", "rob_kong_rate"]
        for names in (["win_rate", "draw_rate"], ways, ["element_points"]):
            assert rows.loc[rows["measure"].isin(names), "estimate"].sum() == pytest.approx(1)
        # What changes hands is what winners of the deal receive: twice the mean size of a seat's.
        payout = run.deals[[f"pay_{s}" for s in range(4)]].clip(lower=0).sum(axis=1).mean()
        assert payout == pytest.approx(2 * cell(rows, "settlement_size", "points")["estimate"])


def test_stakes_are_points_in_another_unit(table):
    for game, stake in STAKES.items():
        for measure in ("dealer_edge", "settlement_sd", "discarder_payment"):
            points, stakes = (cell(table, measure, unit, run=game) for unit in ("points", "stakes"))
            for name in ("estimate", "se", "ci_low", "ci_high"):
                assert stakes[name] == pytest.approx(points[name] / stake)


def test_the_table_is_tidy(table):
    assert list(table) == [
        *("run", "ruleset", "policies", "measure", "element", "name_zh", "name_en", "unit"),
        *("n", "estimate", "se", "ci_low", "ci_high", "ci_method"),
    ]
    assert not table.duplicated(KEYS).any()
    assert list(dict.fromkeys(table["run"])) == list(GAMES)
    assert set(table["measure"]) == {*MEASURES, *ELEMENT_MEASURES}
    assert table["element"].isna().eq(~table["measure"].isin(ELEMENT_MEASURES)).all()
    assert (table[["name_zh", "name_en"]] != "").all(axis=None)
    known = table[table["se"].notna()]
    assert (known["ci_low"] <= known["estimate"]).all()
    assert (known["estimate"] <= known["ci_high"]).all()
    bounded = table[table["unit"].isin(["rate", "gini", "share"])]
    assert (bounded["ci_low"] >= 0).all()
    assert (bounded["ci_high"] <= 1).all()


def test_what_was_never_seen_is_not_known_to_be_nothing(table):
    row = {m: cell(table, m, run="yancheng", element="ya_dang") for m in ELEMENT_MEASURES}
    assert row["element_rate"]["estimate"] == 0 < row["element_rate"]["ci_high"] < 0.003
    for name in ("element_points", "element_payout"):
        assert row[name]["estimate"] == 0
        assert np.isnan(row[name]["se"])
        assert (row[name]["ci_low"], row[name]["ci_high"]) == (0, 1)


def test_workers_and_files_change_nothing(table, tmp_path):
    for workers, game in ((1, "suzhou"), (3, "changchun")):
        folder = tmp_path / game
        mj.simulate(game, deals=2000, seed=3, workers=workers, out=folder)
        rows = table[table["run"] == game].reset_index(drop=True)
        for source in (folder, str(folder), mj.open_run(folder)):
            pd.testing.assert_frame_equal(mj.compare([source]), rows, check_like=False)


def test_runs_together_are_as_they_are_alone(runs, table):
    alone = mj.compare((runs["yiwu"],))
    rows = table[table["run"] == "yiwu"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, rows)


# Labels and notes.


def test_runs_of_one_ruleset_are_told_apart_by_what_differs(tmp_path):
    def labels(*runs):
        return list(dict.fromkeys(mj.compare(runs)["run"]))

    def plain(**settings):
        return mj.simulate("plain", **{"deals": 40, "seed": 1, **settings})

    base = plain()
    assert labels(base) == ["plain"]
    assert labels(base, base) == ["plain #1", "plain #2"]
    assert labels(base, plain(seed=2)) == ["plain (seed 1)", "plain (seed 2)"]
    assert labels(base, plain(deals=50)) == ["plain (40 deals)", "plain (50 deals)"]
    mixed = plain(policies=["random", "greedy", "greedy", "greedy"])
    told = "plain (random, greedy, greedy, greedy)"
    assert labels(base, mixed) == ["plain (greedy)", told]
    assert labels(base, plain(changes={"multi_ron": True})) == [
        "plain",
        "plain (multi_ron = true)",
    ]
    assert labels(base, plain(seed=2), base, mj.simulate("yiwu", deals=9, seed=1)) == [
        "plain (seed 1) #1",
        "plain (seed 2)",
        "plain (seed 1) #2",
        "yiwu",
    ]
    house = tmp_path / "house.toml"
    house.write_text('extends = "plain"\nid = "our_house"\n[options]\nmulti_ron = true\n')
    assert labels(base, mj.simulate(house, deals=40, seed=1)) == ["plain", "our_house"]


def test_policies_deals_and_stakes_are_said():
    one = mj.simulate("plain", deals=900, seed=1)
    other = mj.simulate("suqian", deals=200, seed=2, policies="random")
    table = mj.compare([one, other])
    assert table.groupby("run")["policies"].unique().map(list).to_dict() == {
        "plain": ["greedy"],
        "suqian": ["random"],
    }
    assert table.attrs["origins"] == [
        "plain · greedy · 900 deals · seed 1",
        "suqian · random · 200 deals · seed 2",
    ]
    stakes, batches, policies = table.attrs["notes"]
    assert stakes == "base stake in points: plain 1, suqian 2"
    assert re.fullmatch(r"suqian: \d+ matches are fewer than 30: .*", batches)
    assert "differ in policies" in policies
    methods = table.groupby("run")["ci_method"].agg(lambda m: m.str.contains("batch means").all())
    assert methods.to_dict() == {"plain": False, "suqian": True}
    few = cell(table, "gini", run="suqian")
    assert few["ci_method"] == "t, jackknife of 20 groups, batch means"


def test_intervals_may_hold_together(runs, table):
    together = mj.compare(list(runs.values()), simultaneous=True)
    assert f"bonferroni over {len(table)} cells" in together.attrs["notes"][-1]
    known = table["se"] > 0
    wide, narrow = ((t["ci_high"] - t["ci_low"])[known].to_numpy() for t in (together, table))
    inner = (table["ci_low"][known] > 0) & (table["ci_high"][known] < 1)
    assert (wide[inner] > narrow[inner]).all()
    other = mj.compare([runs["plain"]], alpha=0.5)
    half, full = (cell(t, "turns", run="plain") for t in (other, table))
    assert half["ci_high"] - half["ci_low"] < full["ci_high"] - full["ci_low"]


def test_without_a_base_stake_there_are_no_stakes(tmp_path):
    free = mj.simulate("plain", deals=900, seed=1, changes={"elements.hu.value": 0})
    house = tmp_path / "house.toml"
    text = (CATALOG / "plain.toml").read_text(encoding="utf-8")
    house.write_text(text.replace('id = "plain"', 'id = "house"'), encoding="utf-8")
    gone = mj.simulate(house, deals=900, seed=1)
    house.unlink()
    table = mj.compare([free, gone])
    assert table.attrs["notes"] == ["base stake in points: plain none, house none"]
    stakes = table[table["unit"] == "stakes"]
    assert stakes[["estimate", "se", "ci_low", "ci_high"]].isna().all(axis=None)
    # Nobody pays anything in the first.
    spread = cell(table, "settlement_sd", "points", run="plain")
    assert spread["estimate"] == 0
    assert np.isnan(cell(table, "gini", run="plain")["estimate"])
    assert np.isnan(cell(table, "dealer_edge", "sd", run="plain")["estimate"])
    assert cell(table, "dealer_edge", "points", run="house")["se"] > 0


def test_elements_that_cost_points_have_shares_without_bounds():
    run = mj.simulate("yancheng", deals=900, seed=1, changes={"elements.duan_men.value": -2})
    table = mj.compare([run])
    lost = cell(table, "element_points", element="duan_men")
    assert lost["ci_low"] < lost["estimate"] < 0
    assert table.loc[table["measure"] == "element_points", "estimate"].sum() == pytest.approx(1)


def test_one_deal_is_enough_to_say_little():
    table = mj.compare([mj.simulate("plain", deals=1, seed=1)])
    means = table[table["unit"].isin(["turns", "points", "sd"])]
    assert means["se"].isna().all()
    assert cell(table, "turns")["ci_high"] == np.inf


# Side by side.


def test_side_by_side_says_the_same_in_known_digits(table):
    measures, elements = side_by_side(table)
    assert list(measures) == ["measure", "name_zh", "unit", *GAMES]
    general = table[table["element"].isna()]
    assert len(measures) == len(general) / len(GAMES)
    for row in measures.to_dict("records"):
        for game in GAMES:
            its = cell(general, row["measure"], row["unit"], run=game)
            said = [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-\d+)?", row[game])]
            half = (its["ci_high"] - its["ci_low"]) / 2
            if "±" in row[game]:
                assert said == pytest.approx([its["estimate"], half], abs=0.06 * half)
            elif "to" in row[game]:
                assert said == pytest.approx(
                    [its["estimate"], its["ci_low"], its["ci_high"]], abs=0.06 * half
                )
            elif row[game].startswith("<"):
                assert its["estimate"] == 0
                assert said == pytest.approx([its["ci_high"]], rel=0.05)
            else:
                assert half == 0
                assert said == [its["estimate"]]
    shown = list(zip(elements["run"], elements["element"], strict=True))
    own = table[table["element"].notna()].drop_duplicates(["run", "element"])
    assert sorted(shown) == sorted(zip(own["run"], own["element"], strict=True))
    assert list(dict.fromkeys(elements["run"])) == list(GAMES)
    payout = [
        cell(table, "element_payout", run=run, element=element)["estimate"]
        for run, element in shown
        if run == "suqian"
    ]
    assert payout == sorted(payout, reverse=True)
    factor = elements.set_index("element").loc["self_draw"]
    assert pd.isna(factor["points"])


# What is no run.


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "no run; allowed is a list of one or more"),
        ((), "no run"),
        ("results/run", "str is no list; allowed is a list of runs"),
        (Path("run"), "is no list"),
        (None, "NoneType is no list"),
        ({"a": 1}, "dict is no list"),
        (7, "int is no list"),
        ([7], r"runs\[0\]: int is no run; allowed are runs and folders"),
        ([None], r"runs\[0\]: NoneType is no run"),
        ([["run"]], r"runs\[0\]: list is no run"),
    ],
)
def test_what_is_no_list_of_runs_is_refused(given, said):
    with pytest.raises(ArgumentError, match=f"^compare: {said}" if "is no" not in said else said):
        mj.compare(given)


def test_a_run_itself_is_no_list(runs):
    with pytest.raises(ArgumentError, match="Run is no list"):
        mj.compare(runs["plain"])
    with pytest.raises(ArgumentError, match=r"runs\[1\]: DataFrame is no run"):
        mj.compare([runs["plain"], runs["plain"].deals])


def test_a_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(StoreError, match="no folder of a run"):
        mj.compare([tmp_path / "none"])


def test_a_run_without_deals_is_refused(runs):
    run = runs["plain"]
    empty = replace(
        run,
        origin=msgspec.structs.replace(run.origin, deals=0),
        store=MemoryStore(run.layout),
    )
    with pytest.raises(ArgumentError, match=r"runs\[1\]: a run without deals"):
        mj.compare([run, empty])


@pytest.mark.parametrize("alpha", [0, 1, -0.1])
def test_a_wrong_error_rate_is_refused(runs, alpha):
    with pytest.raises(ArgumentError, match="alpha"):
        mj.compare([runs["plain"]], alpha=alpha)
