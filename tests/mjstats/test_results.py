import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mjstats import collect
from mjstats.errors import ArgumentError
from mjstats.frequencies import z_score
from mjstats.results import open_run, simulate
from mjstats.stats.clustered import clustered_mean, clustered_rate

RATE = ["k", "n", "p", "se", "ci_low", "ci_high", "ci_method", "one_in"]


@pytest.fixture(scope="module")
def run():
    with pytest.MonkeyPatch.context() as patch:
        # Small chunks, so that what is added up chunk by chunk is tested.
        patch.setattr(collect, "CHUNK_DEALS", 128)
        return simulate("yancheng", deals=1500, seed=11)


@pytest.fixture(scope="module")
def several():
    return simulate("plain", deals=1200, seed=2, changes={"multi_ron": True})


def row(table, **keys):
    for name, value in keys.items():
        table = table[table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def by_match(run, values, match):
    """Sums over the matches of a run."""
    return np.bincount(match, weights=values, minlength=run.n_matches)


def test_frequencies_have_the_columns_of_the_contract(run):
    table = run.frequencies()
    assert list(table.columns) == [
        "element",
        "name_zh",
        "name_en",
        "per",
        *RATE,
        "exact",
        "z",
        "kind",
    ]
    assert not table.duplicated(["element", "per"]).any()
    assert set(table["per"]) == {"deal", "win", "hand", "dealer_hand"}
    assert row(table, element="qing_yi_se", per="deal")["name_zh"] == "清一色"


def test_an_element_and_an_outcome_of_one_name_are_told_apart():
    """Suzhou's points of every win are an element `win`; both are in every win of a deal."""
    played = simulate("suzhou", deals=3000, seed=1)
    table = played.frequencies()
    assert not table.duplicated(["kind", "element", "per"]).any()
    assert set(table["kind"]) == {"outcome", "element", "dealt"}
    wins = table[(table["element"] == "win") & (table["per"] == "deal")]
    assert wins["kind"].tolist() == ["outcome", "element"]
    assert wins["k"].iloc[0] == wins["k"].iloc[1] > 0
    gains = played.control_gains()
    assert not gains.duplicated(["table", "cell"]).any()
    assert "win per deal (element)" in set(gains["cell"])


def test_frequencies_count_right(run):
    table, deals = run.frequencies(), run.deals
    won = deals["outcome"] == "win"
    for name in ("yao_jiu", "men_qing", "qi_dui", "jia_jia"):
        k = int((deals[f"el_{name}"] != 0).sum())
        for per, n in (("deal", len(deals)), ("win", int(won.sum()))):
            cell = row(table, element=name, per=per)
            assert (cell["k"], cell["n"]) == (k, n)
    assert row(table, element="win", per="deal")["k"] == won.sum()
    assert row(table, element="exhausted", per="deal")["k"] == (~won).sum()
    cell = row(table, element="win_by_discard", per="win")
    assert cell["k"] == (deals["by"] == "discard").sum()


def test_frequencies_are_clustered_by_match(run):
    deals = run.deals
    won = deals["outcome"] == "win"
    has = deals["el_yao_jiu"] != 0
    n, k = by_match(run, won, deals["match"]), by_match(run, has, deals["match"])
    expected = clustered_rate(k, n)
    cell = row(run.frequencies(), element="yao_jiu", per="win")
    for name in ("p", "se", "ci_low", "ci_high"):
        assert cell[name] == pytest.approx(getattr(expected, name)[0], rel=1e-9)
    assert cell["one_in"] == pytest.approx(1 / cell["p"])


def test_dealt_hands(run):
    table, deals = run.frequencies(), run.deals
    shanten = deals[[f"shanten_{seat}" for seat in range(4)]].to_numpy()
    bonus = deals[[f"bonus_{seat}" for seat in range(4)]].to_numpy()
    dealer = deals["dealer"].to_numpy()[:, None] == np.arange(4)
    for per, hands in (("hand", ~dealer), ("dealer_hand", dealer)):
        for name, values in (("dealt_shanten_3", shanten == 3), ("bonus_2", bonus == 2)):
            cell = row(table, element=name, per=per)
            assert (cell["k"], cell["n"]) == (values[hands].sum(), hands.sum())
        part = table[table["per"] == per]
        steps = part["element"].str.match("dealt_shanten_|dealt_complete")
        assert part[steps]["k"].sum() == hands.sum()
        assert part[part["element"].str.startswith("bonus_")]["k"].sum() == hands.sum()
    ready = row(table, element="dealt_ready", per="hand")
    assert ready["k"] == (shanten[~dealer] == 0).sum()


def test_a37_what_was_never_seen_has_an_upper_bound(run):
    cell = row(run.frequencies(), element="tian_hu", per="deal")
    assert cell["k"] == 0
    assert cell["ci_low"] == 0
    assert 0 < cell["ci_high"] < 0.01
    assert np.isnan(cell["one_in"])
    assert cell["ci_method"] == "clopper-pearson"


def test_a39_no_column_vanishes(run):
    for table in (run.frequencies(), run.expected_settlements()):
        assert table["se"].notna().all()
        assert (table["ci_low"] <= table["ci_high"]).all()


def test_elements_of_every_winner_count(several):
    table, wins = several.frequencies(), several.wins
    assert several.deals["n_winners"].max() > 1
    win = row(table, element="hu", per="win")
    assert (win["k"], win["n"]) == ((wins["el_hu"] != 0).sum(), len(wins))
    deal = row(table, element="hu", per="deal")
    assert deal["k"] == wins[wins["el_hu"] != 0]["deal"].nunique()


def test_simultaneous_intervals_are_wider_and_named(run):
    plain = run.frequencies()
    for method in (True, "sidak"):
        table = run.frequencies(simultaneous=method)
        name = "bonferroni" if method is True else method
        assert table["ci_method"].str.endswith(f", {name} of {len(table)}").all()
        assert ((table["ci_high"] - table["ci_low"]) > (plain["ci_high"] - plain["ci_low"])).all()
        assert any("simultaneously" in note for note in table.attrs["notes"])
    with pytest.raises(ArgumentError, match="'bonferroni', 'sidak'"):
        run.frequencies(simultaneous="tukey")


def test_z_score_of_an_event_that_was_never_seen():
    rate = clustered_rate(np.zeros(50), np.full(50, 100))
    z = z_score(rate, np.array([1e-3]))
    # Fewer than ten are expected: the deviate of half the probability of seeing none.
    assert z[0] == pytest.approx(stats.norm.ppf(0.999**5000 / 2))
    assert np.isnan(z_score(rate, np.array([np.nan]))[0])


def test_z_score_of_rare_and_frequent_events():
    k = np.zeros(1000)
    k[0] = 1
    seen_once = clustered_rate(k, np.full(1000, 1000))
    assert z_score(seen_once, np.array([1e-8]))[0] == pytest.approx(2.575, abs=0.01)
    rng = np.random.default_rng(8)
    k = rng.binomial(100, 0.2, 1000)
    often = clustered_rate(k, np.full(1000, 100))
    expected = (often.p - 0.2) / np.sqrt(0.16 / often.n_effective)
    assert z_score(often, np.array([0.2])) == pytest.approx(expected)


def test_exact_values_stand_beside_the_simulated_ones(run):
    table = run.frequencies()
    exact = table[table["exact"].notna()]
    assert {"dealt_ready", "dealt_shanten_3", "bonus_0", "dealt_complete"} <= set(exact["element"])
    assert row(table, element="tian_hu", per="deal")["exact"] > 0
    hands = exact[(exact["per"] == "hand") & exact["element"].str.startswith("dealt_shanten_")]
    assert hands["exact"].sum() == pytest.approx(1, abs=1e-6)
    # 1,500 deals, some 60 cells: a false alarm once in a thousand seeds; the seed is fixed.
    assert exact["z"].abs().max() < 4.5
    others = table[table["exact"].isna()]
    assert others["z"].isna().all()


def test_few_matches_say_so():
    run = simulate("yancheng", deals=200, seed=1)
    assert run.n_matches < 30
    for table in (run.frequencies(), run.listen_odds(), run.expected_settlements()):
        assert table["ci_method"].str.endswith(", batch means").all()
        assert "batch means" in table.attrs["notes"][0]
    assert run.notes == tuple(run.frequencies().attrs["notes"])
    assert run.notes[0] in run._repr_html_()


def test_one_deal_gives_tables():
    run = simulate("yancheng", deals=1, seed=1)
    table = run.frequencies()
    assert (table["ci_low"] >= 0).all()
    assert (table["ci_high"] <= 1).all()
    assert len(run.expected_settlements()) >= 1
    run.listen_odds()


def test_no_win_gives_tables():
    run = simulate("plain", deals=1, seed=1, policies="random")
    assert list(run.deals["outcome"]) == ["exhausted"]
    per_win = run.frequencies().query("per == 'win'")
    assert len(per_win) > 0
    assert (per_win[["k", "n"]] == 0).all(axis=None)
    assert per_win["p"].isna().all()
    assert ((per_win["ci_low"] == 0) & (per_win["ci_high"] == 1)).all()
    run.expected_settlements()
    run.listen_odds()


def test_many_matches_say_nothing(run):
    assert run.notes == ()
    assert run.frequencies().attrs["notes"] == []


def test_listen_odds_count_right(run):
    table, listens = run.listen_odds(), run.listens
    assert list(table.columns) == [
        *("mode", "wait_class", "outcome"),
        *RATE,
        *("mean_turns", "se_turns"),
    ]
    groups = listens.groupby(["mode", "wait_class"], observed=True)
    assert len(table) == 7 * len(groups)
    for (mode, wait_class), part in groups:
        cells = table[(table["mode"] == mode) & (table["wait_class"] == wait_class)]
        assert (cells["n"] == len(part)).all()
        for outcome in part["outcome"].cat.categories:
            chosen = part[part["outcome"] == outcome]
            cell = row(cells, outcome=outcome)
            assert cell["k"] == len(chosen)
            if len(chosen):
                assert cell["mean_turns"] == pytest.approx(chosen["turns_to_outcome"].mean())
        won = row(cells, outcome="won")
        drawn, discarded = (row(cells, outcome=f"won_by_{how}") for how in ("draw", "discard"))
        assert won["k"] == drawn["k"] + discarded["k"]


def test_listen_odds_are_clustered_by_match(run):
    listens = run.listens
    cell = row(run.listen_odds(by=[]), outcome="won")
    won = listens["outcome"].isin(["won_by_draw", "won_by_discard"])
    ones = np.ones(len(listens))
    n, k = by_match(run, ones, listens["match"]), by_match(run, won, listens["match"])
    assert cell["se"] == pytest.approx(clustered_rate(k, n).se[0], rel=1e-9)


def test_a42_only_groups_that_occur(run):
    table = run.listen_odds(by=["waits", "seat", "live_wall", "wait_class"])
    groups = run.listens.drop_duplicates(["waits", "seat", "live_wall", "wait_class"])
    assert len(table) == 7 * len(groups)
    assert (table["n"] > 0).all()


@pytest.mark.parametrize("by", ["is_dealer", "policy", "jia", ["round", "dealer"]])
def test_listens_by_what_the_deal_knows(run, by):
    keys = [by] if isinstance(by, str) else by
    table = run.listen_odds(by=by)
    assert list(table.columns[: len(keys)]) == keys
    joined = run.listens.merge(run.deals[["deal", "dealer", "round", "jia"]], on="deal")
    joined["is_dealer"] = joined["dealer"] == joined["seat"]
    joined["policy"] = "greedy"
    sizes = joined.groupby(keys, observed=True).size()
    shown = table[table["outcome"] == "won"].set_index(keys)["n"]
    assert shown.sort_index().tolist() == sizes.sort_index().tolist()


def test_expected_settlements_count_right(run):
    table, rows = run.expected_settlements(), run.settlements
    assert list(table.columns) == [
        *("role", "is_dealer", "n", "mean", "sd", "se", "ci_low", "ci_high", "ci_method")
    ]
    groups = rows.groupby(["role", "is_dealer"], observed=True)["payment"]
    assert len(table) == len(groups)
    for (role, is_dealer), values in groups:
        cell = row(table, role=role, is_dealer=is_dealer)
        assert cell["n"] == len(values)
        assert cell["mean"] == pytest.approx(values.mean())
        assert cell["sd"] == pytest.approx(values.std())


def test_expected_settlements_are_clustered_by_match(run):
    rows = run.settlements
    chosen = rows[rows["is_dealer"]]
    n = by_match(run, np.ones(len(chosen)), chosen["match"])
    expected = clustered_mean(by_match(run, chosen["payment"], chosen["match"]), n)
    cell = row(run.expected_settlements(by="is_dealer"), is_dealer=True)
    for name in ("mean", "se", "ci_low", "ci_high"):
        assert cell[name] == pytest.approx(getattr(expected, name)[0], rel=1e-9)


def test_a29_everybody_together_gets_nothing(run):
    table = run.expected_settlements(by=[])
    assert table["mean"].tolist() == [0]
    assert table["se"].tolist() == [0]
    assert table["sd"][0] > 0


def test_policies_are_told_apart():
    run = simulate("yancheng", deals=400, seed=1, policies="greedy,random,random,random")
    table = run.expected_settlements(by="policy")
    assert table["policy"].tolist() == ["greedy", "random"]
    assert table["n"].tolist() == [400, 1200]
    assert table["mean"][0] * 400 == pytest.approx(-table["mean"][1] * 1200)


@pytest.mark.parametrize(
    ("by", "message"),
    [("colour", "no key 'colour': allowed are seat, "), (["seat", "seat"], "each key once")],
)
def test_bad_keys(run, by, message):
    with pytest.raises(ArgumentError, match=message):
        run.expected_settlements(by=by)
    with pytest.raises(ArgumentError, match=message):
        run.listen_odds(by=by)


def test_tables_are_the_same_from_a_folder(run, tmp_path):
    simulate("yancheng", deals=1500, seed=11, out=tmp_path / "run")
    stored = open_run(tmp_path / "run")
    for name in ("frequencies", "listen_odds", "expected_settlements"):
        pd.testing.assert_frame_equal(getattr(run, name)(), getattr(stored, name)())


def test_tables_survive_the_loss_of_a_house_file(tmp_path):
    house = tmp_path / "house.toml"
    house.write_text('extends = "yancheng"\n[elements.qing_yi_se]\nvalue = 30\n')
    simulate(house, deals=50, seed=1, out=tmp_path / "run")
    house.unlink()
    table = open_run(tmp_path / "run").frequencies()
    assert row(table, element="win", per="deal")["n"] == 50


def test_run_shows_itself_shortly(run):
    assert repr(run) == (f"<Run yancheng: 1,500 deals, {run.n_matches} matches, seed 11, greedy>")
