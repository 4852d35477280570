import numpy as np
import pytest
from scipy import stats

from mjstats import exact
from mjstats.against import NO_SEAT, against_exact
from mjstats.results import simulate
from mjstats.run import RunData
from mjstats.stats.intervals import binomial_z

DEALS = 20_000


@pytest.fixture(scope="module")
def run():
    return simulate("yancheng", deals=DEALS, seed=11)


@pytest.fixture(scope="module")
def table(run):
    return against_exact(run)


def test_no_alarm(table):
    assert table["p_value"].min() > 1e-3 / len(table)
    assert not (table["cell"] == "impossible").any()


def test_cells_are_those_of_the_exact_tables_and_counts_complete(table):
    for seat in range(4):
        rows = table[(table["what"] == "shanten") & (table["seat"] == seat)]
        law = exact.shanten("yancheng", tiles=13 + (seat == 0)).set_index("shanten")["p"]
        assert rows.set_index(rows["cell"].astype(int))["exact"].to_dict() == law.to_dict()
        assert rows["k"].sum() == DEALS
    assert sorted(table.loc[table["what"] == "waits", "seat"].unique()) == [1, 2, 3]


def test_counts_are_those_of_the_frequencies(run, table):
    rates = run.frequencies().set_index(["per", "element"])["k"]
    rows = table[table["seat"] > 0].groupby(["what", "cell"])["k"].sum()
    assert rows["shanten", "2"] == rates["hand", "dealt_shanten_2"]
    assert rows["bonus", "5"] == rates["hand", "bonus_5"]
    assert rows["wait_class"].sum() == rows["waits"].sum() == rates["hand", "dealt_ready"]
    heavenly = table[(table["seat"] == NO_SEAT) & (table["cell"] == "tian_hu")]
    assert heavenly["k"].tolist() == [rates["deal", "tian_hu"]]


def test_elements_of_heavenly_wins(run, monkeypatch):
    def deals(self, dataset, *, columns=None):
        found = frame(self, dataset, columns=columns)
        if columns is not None and "el_tian_hu" in columns:
            found["el_tian_hu"] = found["el_duan_men"] > 0
        return found

    frame = RunData.frame
    monkeypatch.setattr(RunData, "frame", deals)
    rows = against_exact(run)
    rows = rows[rows["what"] == "tian_hu"].set_index("cell")
    assert rows.loc["duan_men", "k"] == rows.loc["duan_men", "n"] == rows.loc["tian_hu", "k"] > 0
    # Far more than can be: the alarm that this is for.
    assert rows.loc["tian_hu", "p_value"] < 1e-9
    assert rows.loc["tian_hu", "z"] > 6


def test_what_cannot_happen_is_an_alarm(run, monkeypatch):
    real = exact.shanten

    def without_two(ruleset, *, tiles):
        hands = real(ruleset, tiles=tiles)
        return hands[hands["shanten"] != 2]

    monkeypatch.setattr("mjstats.against.exact.shanten", without_two)
    rows = against_exact(run)
    rows = rows[rows["cell"] == "impossible"]
    assert len(rows) == 4
    assert (rows["k"] > 0).all()
    assert (rows["p_value"] == 0).all()


def test_p_values_are_twice_the_smaller_tail(table):
    row = table[(table["what"] == "shanten") & (table["seat"] == 2) & (table["cell"] == "3")]
    ((k, n, p, p_value),) = row[["k", "n", "exact", "p_value"]].itertuples(index=False)
    law = stats.binom(n, p)
    assert p_value == pytest.approx(min(1, 2 * min(law.cdf(k), law.sf(k - 1))))


def test_z_of_a_binomial_count():
    k, n, p = 10_300, 20_000, 0.5
    assert binomial_z(k, n, p) == pytest.approx((k - n * p) / np.sqrt(n * p * (1 - p)), rel=1e-3)
    assert binomial_z(n - k, n, p) == pytest.approx(-binomial_z(k, n, p))
    assert binomial_z(0, 100, 1e-9) == pytest.approx(0, abs=1e-6)
    assert binomial_z(1, 100, 1e-9) > 5


def test_the_game_without_bonus_tiles_and_tian_hu():
    rows = against_exact(simulate("plain", deals=2000, seed=1))
    assert set(rows["what"]) <= {"shanten", "waits", "wait_class"}
