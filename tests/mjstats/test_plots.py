import subprocess
import sys
from io import BytesIO
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager
from matplotlib import pyplot as plt
from matplotlib.text import Text
from scipy import stats

from mjstats import exact, plots
from mjstats.against import against_exact
from mjstats.compare import compare
from mjstats.errors import ArgumentError
from mjstats.listens import OUTCOMES
from mjstats.results import simulate

MINUS = "\N{MINUS SIGN}"
FIGURES = {
    "hand_frequencies": {},
    "listen_fates": {},
    "listen_odds": {"least": 20},
    "settlement_distribution": {},
    "payments": {},
    "deal_lengths": {},
    "match_lengths": {},
    "counter_over_match": {"counter": "jia"},
}


@pytest.fixture(scope="module")
def run():
    return simulate("yancheng", deals=3000, seed=5)


@pytest.fixture(scope="module")
def flown():
    """Both modes: hands of three suits must fly."""
    return simulate("yancheng", deals=3000, seed=5, changes={"options.three_suits_must_fly": True})


@pytest.fixture(autouse=True)
def _screenless():
    with matplotlib.rc_context():
        plt.switch_backend("Agg")
        yield
        plt.close("all")


@pytest.fixture(autouse=True)
def fonts(monkeypatch):
    """Only matplotlib's own fonts are installed; tests add to them."""
    own = matplotlib.get_data_path()
    known = [e for e in font_manager.fontManager.ttflist if e.fname.startswith(own)]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", known)
    font_manager.fontManager._findfont_cached.cache_clear()
    yield
    font_manager.fontManager._findfont_cached.cache_clear()


def install(folder: Path, family: str, characters: str) -> None:
    """Install a font in which each of these characters is a square."""
    names = [".notdef", *(f"u{ord(c):04X}" for c in characters)]
    pen = TTGlyphPen(None)
    for i, corner in enumerate([(100, 0), (100, 700), (800, 700), (800, 0)]):
        (pen.lineTo if i else pen.moveTo)(corner)
    pen.closePath()
    square = pen.glyph()
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(c): f"u{ord(c):04X}" for c in characters})
    font.setupGlyf(dict.fromkeys(names, square))
    font.setupHorizontalMetrics(dict.fromkeys(names, (900, 100)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": family, "styleName": "Regular"})
    font.setupOS2(usWeightClass=400)
    font.setupPost()
    file = folder / f"{family}.ttf"
    font.save(file)
    font_manager.fontManager.addfont(file)


def chinese_names(run) -> str:
    names = set("".join(run.frequencies()["name_zh"]))
    return "".join(sorted(c for c in names if not c.isascii()))


def drawn(ax) -> list[str]:
    """Render (a missing glyph is a warning, a warning an error) and give all visible text."""
    ax.figure.savefig(BytesIO(), format="png", dpi=50)
    return [text.get_text() for text in ax.findobj(Text) if text.get_visible()]


def dots(ax, label):
    (line,) = (line for line in ax.lines if line.get_label().startswith(label))
    return line.get_xdata()


def shares(ax, outcome):
    (bars,) = (bars for bars in ax.containers if bars.get_label() == outcome)
    return [bar.get_width() for bar in bars]


def test_matplotlib_loads_with_the_first_figure():
    code = "import mjstats.plots, sys; print({'matplotlib', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# Fonts (A40).


def test_a_missing_character_would_be_noticed():
    _, ax = plt.subplots()
    ax.set_title("清")
    with pytest.warns(UserWarning, match="Glyph 28165"):
        ax.figure.savefig(BytesIO())


@pytest.mark.parametrize("name", FIGURES)
def test_chinese_is_drawn_where_a_font_has_it(name, run, tmp_path):
    install(tmp_path, "Squares", chinese_names(run))
    texts = drawn(getattr(plots, name)(run, **FIGURES[name]))
    assert ("清一色  one suit" in texts) == (name == "hand_frequencies")


@pytest.mark.parametrize("name", FIGURES)
def test_without_a_font_the_labels_are_english(name, run):
    texts = drawn(getattr(plots, name)(run, **FIGURES[name]))
    assert ("one suit" in texts) == (name == "hand_frequencies")
    assert not [text for text in texts if any(ord(c) >= 0x2E80 for c in text)]


def test_a_font_that_lacks_one_character_is_not_taken(run, tmp_path):
    names = chinese_names(run)
    install(tmp_path, "Noto Sans CJK TC", names[1:])
    assert plots.chinese_font(names) is None
    assert plots.chinese_font(names[1:]) == "Noto Sans CJK TC"
    install(tmp_path, "Unknown", names)
    assert plots.chinese_font(names) == "Unknown"
    assert plots.chinese_font(names[1:] + " and Latin") == "Noto Sans CJK TC"


@pytest.mark.parametrize("family", ["Squares", "DejaVu Sans", "sans-serif"])
def test_negative_axes_have_a_minus_that_exists(family, run, tmp_path):
    install(tmp_path, "Squares", chinese_names(run))
    plt.rcParams["font.family"] = family
    ax = plots.payments(run)
    texts = drawn(ax)
    assert any(text.startswith(MINUS) for text in texts)
    assert any(label.get_text().startswith(MINUS) for label in ax.get_xticklabels())
    texts = drawn(plots.settlement_distribution(run))
    assert any(text.startswith(MINUS) for text in texts)


# What stands on the axes.


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_where_its_numbers_come_from(name, run):
    texts = drawn(getattr(plots, name)(run, **FIGURES[name]))
    assert "yancheng · greedy · 3,000 deals · seed 5" in texts


def test_a_figure_of_rows_of_a_table_says_it_too(flown):
    table = flown.expected_settlements(by="role")
    origin = "yancheng · three_suits_must_fly = true · greedy · 3,000 deals · seed 5"
    assert origin in drawn(plots.payments(table[table["role"] != "none"], by="role"))
    mixed = simulate("plain", deals=300, seed=1, policies="greedy,greedy,random,greedy")
    texts = drawn(plots.payments(mixed, by="seat"))
    assert "plain · greedy, greedy, random, greedy · 300 deals · seed 1" in texts


@pytest.mark.parametrize("name", FIGURES)
def test_given_axes_are_drawn_into(name, run):
    _, axes = plt.subplots(1, 2)
    assert getattr(plots, name)(run, ax=axes[1], **FIGURES[name]) is axes[1]
    assert not axes[0].has_data()
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("per", ["win", "deal", "hand", "dealer_hand"])
def test_hand_frequencies(per, run):
    table = run.frequencies()
    rows = table[table["per"] == per].sort_values(["p", "ci_high"], kind="stable")
    seen, exact = rows[rows["p"] > 0], rows[rows["exact"] > 0]
    for source in (run, table):
        ax = plots.hand_frequencies(source, per=per)
        assert ax.get_xscale() == "log"
        assert np.array_equal(dots(ax, "simulated"), seen["p"])
        labels = [label.get_text() for label in ax.get_yticklabels()]
        assert sorted(labels) == sorted(rows["name_en"])
        assert labels[-1] == rows["name_en"].iloc[-1]
        if len(seen) < len(rows):
            assert sorted(dots(ax, "never")) == sorted(rows["ci_high"][rows["p"] == 0])
        if len(exact):
            assert sorted(dots(ax, "exact")) == sorted(exact["exact"])
    (_, _, (bars,)) = ax.containers[0]
    ends = np.array([segment[:, 0] for segment in bars.get_segments()])
    assert ends == pytest.approx(seen[["ci_low", "ci_high"]].to_numpy())


def test_hand_frequencies_say_the_numbers():
    row = {"element": "a", "name_zh": "", "per": "win", "n": 10_000, "exact": np.nan, "z": np.nan}
    rows = [
        {"name_en": "frequent", "p": 0.76394, "se": 0.0009, "z": -1.26},
        {"name_en": "rare", "p": 0.00017, "se": 0.00003},
        {"name_en": "never", "p": 0.0, "se": 0.0},
    ]
    table = pd.DataFrame([row | new for new in rows])
    table["exact"] = [0.765, np.nan, np.nan]
    table["one_in"] = 1 / table["p"].replace(0, np.nan)
    table["ci_low"], table["ci_high"] = table["p"] * 0.9, table["p"] * 1.1 + 1e-4
    texts = drawn(plots.hand_frequencies(table))
    assert {f"76.4%   z = {MINUS}1.3", "1 in 6,000", "none in 10,000"} <= set(texts)


@pytest.mark.parametrize("by", ["wait_class", "mode", "seat"])
def test_listen_fates(by, flown):
    table = flown.listen_odds(by=by)
    won = table[table["outcome"] == "won"].sort_values("p", kind="stable")
    for source in (flown, table):
        ax = plots.listen_fates(source, by=by)
        total = np.zeros(len(won))
        for outcome in OUTCOMES[1:]:
            cells = table[table["outcome"] == outcome].set_index(by)["p"]
            if cells.any():
                widths = shares(ax, outcome.replace("_", " "))
                assert widths == pytest.approx(cells.reindex(won[by]).to_numpy())
                total += widths
        assert total == pytest.approx(np.ones(len(won)))
    assert f"n = {won['n'].iloc[0]:,}" in drawn(ax)


def test_listen_odds(flown):
    table = flown.listen_odds(by=["live_visible", "mode"])
    for source in (flown, table):
        ax = plots.listen_odds(source, least=50, outcome="won_by_draw")
        rows = table[(table["outcome"] == "won_by_draw") & (table["n"] >= 50)]
        groups = [group for _, group in rows.groupby("mode", observed=True)]
        assert len(groups) > 1
        for line, group in zip(ax.lines, groups, strict=True):
            assert np.array_equal(line.get_xdata(), group["live_visible"])
            assert np.array_equal(line.get_ydata(), group["p"])
    assert {"ting", "fei ting"} <= set(drawn(ax))
    (line,) = plots.listen_odds(flown, by="turn").lines
    assert line.get_ydata().max() <= 1


def test_settlement_distribution(run):
    paid = run.settlements
    for source in (run, paid):
        ax = plots.settlement_distribution(source, width=20)
        names = {"winner", "payer", "discarder"}
        outlines = {p.get_label(): p.get_data() for p in ax.patches if p.get_label() in names}
        assert set(outlines) == names
        for role, (values, edges, _) in outlines.items():
            payments = paid.loc[paid["role"] == role, "payment"]
            counts = np.histogram(payments, edges)[0]
            assert counts.sum() == len(payments)
            filled = counts > 0
            assert values[filled] == pytest.approx(counts[filled] / len(paid))
            assert (np.sign(edges[:-1] + 10) == (1 if role == "winner" else -1)).all()


def test_payments(run):
    table = run.expected_settlements(by="role")
    for source in (run, table):
        ax = plots.payments(source, by="role")
        assert np.array_equal(dots(ax, "simulated"), table["mean"])
        labels = [label.get_text() for label in ax.get_yticklabels()]
        assert labels == table["role"].tolist()
    half = ((table["ci_high"] - table["ci_low"]) / 2).iloc[-1]
    assert 1 < half < 10  # so that no decimals are shown
    assert {"0", f"+{table['mean'].iloc[-1]:.0f} ± {half:.0f}"} <= set(drawn(ax))
    labels = plots.payments(run, by=["seat", "is_dealer"]).get_yticklabels()
    assert labels[1].get_text() == "seat 0, dealer"


def test_payments_say_the_digits_that_are_known():
    table = pd.DataFrame({"seat": range(4), "mean": [-22.5302, 49.834, -1234.5, -3.0]})
    half = np.array([0.098, 0.24, 12.3, np.inf])
    table["ci_low"], table["ci_high"] = table["mean"] - half, table["mean"] + half
    texts = drawn(plots.payments(table[:3], by="seat"))
    assert {f"{MINUS}22.53 ± 0.10", "+49.8 ± 0.2", f"{MINUS}1234 ± 12"} <= set(texts)
    assert f"{MINUS}3" in drawn(plots.payments(table, by="seat"))


@pytest.mark.parametrize("of", ["turns", "tiles_left"])
def test_deal_lengths(of, run):
    deals = run.deals
    ends = {
        "win on a discard": deals["by"] == "discard",
        "win by self-draw": (deals["outcome"] == "win") & (deals["by"] != "discard"),
        "wall exhausted": deals["outcome"] == "exhausted",
    }
    for source in (run, deals):
        ax = plots.deal_lengths(source, of=of)
        for bars, (name, chosen) in zip(ax.containers, ends.items(), strict=True):
            assert bars.get_label() == f"{name} {chosen.mean():.1%}"
            heights = [bar.get_height() for bar in bars]
            counts = np.bincount(deals.loc[chosen, of], minlength=len(heights))
            assert heights == pytest.approx(counts / len(deals))
    assert f"median {deals[of].median():g}" in drawn(ax)


def test_match_lengths(run):
    lengths = run.deals.groupby("match").size()[:-1]
    for source in (run, run.deals):
        ax = plots.match_lengths(source)
        drawn_shares = {round(bar.get_center()[0]): bar.get_height() for bar in ax.patches}
        counts = lengths.value_counts()
        assert {n: share for n, share in drawn_shares.items() if share} == pytest.approx(
            (counts / len(lengths)).to_dict()
        )
    assert f"median {lengths.median():g}" in drawn(ax)


def test_counter_over_match(run):
    deals = run.deals
    for source in (run, deals):
        ax = plots.counter_over_match(source, counter="jia", levels=(1, 2), least=0.8)
        for line, level in zip(ax.lines, (1, 2), strict=True):
            high = (deals["jia"] >= level).groupby(deals["deal_in_match"])
            reached = high.size() >= 0.8 * run.n_matches
            assert line.get_xdata().tolist() == (reached.index[reached] + 1).tolist()
            assert line.get_ydata() == pytest.approx(high.mean()[reached].to_numpy())
    assert {"jia ≥ 1", "jia ≥ 2"} <= set(drawn(ax))


def test_distribution_of_an_exact_table():
    table = exact.shanten("yancheng")
    ax = plots.distribution(table, of="shanten", log=False)
    (line,) = ax.lines
    assert line.get_xdata().tolist() == table["shanten"].tolist()
    assert line.get_ydata() == pytest.approx(table["p"])
    assert ax.get_yscale() == "linear"
    assert all("e" not in label for label in drawn(ax) if label.endswith("%"))


def test_distribution_of_a_run(run):
    table = against_exact(run).query("what == 'shanten' and seat < 2")
    table = table.assign(number=table["cell"].astype(int))
    ax = plots.distribution(table, of="number", by="seat")
    assert [text.get_text() for text in ax.get_legend().texts] == [
        "seat 0",
        "seat 1",
        "simulated, with interval",
    ]
    for seat in range(2):
        rows = table[table["seat"] == seat].sort_values("number")
        curve, seen = ax.lines[4 * seat], ax.containers[seat].lines[0]
        assert curve.get_ydata() == pytest.approx(rows["exact"])
        assert seen.get_ydata() == pytest.approx(rows.loc[rows["k"] > 0, "p"])


def test_z_scores(run):
    table = against_exact(run)
    few = table["n"] * np.minimum(table["exact"], 1 - table["exact"]) < 10
    ax = plots.z_scores(table, alpha=0.01)
    names = {str(line.get_label()): line for line in ax.lines}
    for name, chosen in (("cells with ten", ~few), ("fewer", few)):
        (label,) = (label for label in names if label.startswith(name))
        assert label.endswith(f": {chosen.sum()}")
        assert names[label].get_ydata() == pytest.approx(np.sort(table.loc[chosen, "z"]))
        assert (np.diff(names[label].get_xdata()) > 0).all()
    limit = stats.norm.isf(0.005 / len(table))
    assert f"alarm +{limit:.1f}" in drawn(ax)
    assert ax.get_ylim()[1] == pytest.approx(1.25 * limit)


def test_z_scores_beyond_all_measure_stand_at_the_edge(run):
    table = against_exact(run)
    table.loc[0, "z"] = np.inf
    ax = plots.z_scores(table)
    highest = max(np.max(line.get_ydata()) for line in ax.lines)
    assert highest == pytest.approx(ax.get_ylim()[1])


def test_names_of_lines_do_not_lie_on_each_other(run):
    ax = plots.counter_over_match(run, counter="jia", levels=range(1, 7))
    drawn(ax)
    names = [text for text in ax.texts if text.get_text().startswith("jia")]
    boxes = [name.get_window_extent() for name in names]
    assert len(boxes) == 6
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("hand_frequencies", {"per": "match"}, "per='match': no such rows .* deal, win, hand"),
        ("listen_fates", {"by": "colour"}, "no key 'colour'"),
        ("listen_odds", {"by": ["turn", "mode", "seat"]}, "one or two keys"),
        ("listen_odds", {"by": "mode"}, "first key must be a number"),
        ("listen_odds", {"outcome": "lost"}, "outcome='lost': allowed are won, won_by_draw"),
        ("listen_odds", {"least": 10**9}, "no group has so many ready states"),
        ("settlement_distribution", {"width": 0}, "width=0: 1 or more"),
        ("payments", {"by": "colour"}, "no key 'colour'"),
        ("deal_lengths", {"of": "hours"}, "of='hours': allowed are turns, tiles_left"),
        ("counter_over_match", {"counter": "bao"}, "counter='bao': allowed are jia"),
    ],
)
def test_what_cannot_be_drawn_is_refused(name, arguments, message, run):
    with pytest.raises(ArgumentError, match=message):
        getattr(plots, name)(run, **arguments)
    assert not plt.get_fignums()


def test_tables_that_do_not_fit_are_refused(run):
    with pytest.raises(ArgumentError, match="several rows for a value"):
        plots.listen_fates(run.listen_odds(by=["wait_class", "seat"]))
    with pytest.raises(ArgumentError, match="no column 'is_dealer'"):
        plots.payments(run.expected_settlements(by="role"))
    with pytest.raises(ArgumentError, match="no rows"):
        plots.payments(run.expected_settlements(by="role")[:0], by="role")
    with pytest.raises(ArgumentError, match="nobody paid"):
        plots.settlement_distribution(run.settlements.query("role == 'none'"))
    with pytest.raises(ArgumentError, match="deals are of one match"):
        plots.match_lengths(run.deals.query("match == 0"))
    with pytest.raises(ArgumentError, match="no column 'bao'"):
        plots.counter_over_match(run.deals, counter="bao")
    with pytest.raises(ArgumentError, match="no column 'seats'"):
        plots.distribution(exact.shanten("yancheng"), of="shanten", by="seats")
    with pytest.raises(ArgumentError, match="no column 'z'"):
        plots.z_scores(exact.shanten("yancheng"))


# Runs side by side.


@pytest.fixture(scope="module")
def games():
    return [simulate(game, deals=900, seed=1) for game in ("plain", "yancheng", "suzhou")]


@pytest.fixture(scope="module")
def compared(games):
    return compare(games)


def panel(page, title):
    (ax,) = (ax for ax in page.axes if ax.get_title(loc="left").replace("\n", " ") == title)
    return ax


def test_a_page_has_a_dot_a_run_and_measure(games, compared):
    page = plots.compare(games)
    assert len(page.axes) == 8 + 3
    turns = panel(page, "turns a deal, all seats together")
    rows = compared[compared["measure"] == "turns"]
    assert [float(line.get_xdata()[0]) for line in turns.lines[::3]] == rows["estimate"].tolist()
    names = panel(page, "wall exhausted, of the deals").get_yticklabels()
    assert [label.get_text() for label in names] == rows["run"].tolist()
    bottom, top = turns.get_ylim()
    assert bottom > top
    said = [text.get_text() for text in page.findobj(Text)]
    assert "\n".join(compared.attrs["origins"]) in said
    page.savefig(BytesIO(), format="png", dpi=50)


def test_a_page_shows_the_elements_that_matter_most(compared):
    page = plots.compare(compared, elements=3)
    ax = panel(page, "yancheng")
    rows = compared[(compared["run"] == "yancheng") & compared["element"].notna()]
    wide = rows.pivot_table("estimate", "element", "measure")
    chosen = wide[wide["element_rate"] < 1].nlargest(3, "element_payout")
    assert [bar.get_width() for bar in ax.patches] == chosen["element_payout"].tolist()
    assert ax.lines[0].get_xdata().tolist() == chosen["element_rate"].tolist()


def test_a_page_has_chinese_names_where_a_font_has_them(compared, tmp_path):
    plain = plots.compare(compared)
    assert not any(c >= "\u4e00" for text in plain.findobj(Text) for c in text.get_text())
    names = "".join(sorted(c for c in set("".join(compared["name_zh"])) if not c.isascii()))
    install(tmp_path, "Squares", names)
    page = plots.compare(compared)
    said = [label.get_text() for label in panel(page, "plain").get_yticklabels()]
    assert said == ["自摸  self-draw"]
    page.savefig(BytesIO(), format="png", dpi=50)


def test_a_page_breaks_what_is_too_long_to_be_told_in_a_line(games, tmp_path):
    house = tmp_path / "house.toml"
    sets = "base_dealer = 9\nbase_other = 7\nwild_count = 4\nmai_value = 4\nbao_fail = 'any_fail'"
    sets += "\nrob_kong_payer = 'robbed'\ndiscarder_extra = 'share'"
    house.write_text(f"extends = 'yiwu'\nid = 'house'\n[options]\n{sets}\n", encoding="utf-8")
    policies = ["greedy", "random", "greedy:mai=4", "greedy:xia=16"]
    run = simulate(house, deals=900, seed=1, policies=policies)
    page = plots.compare([run, games[1]])
    (told,) = (text for text in page.findobj(Text) if "base_dealer = 9" in text.get_text())
    assert "greedy:xia=16 · 900 deals" in told.get_text().replace("\n", " ")
    page.draw_without_rendering()
    assert told.get_window_extent().x1 < page.bbox.x1


def test_a_page_of_chosen_rows_draws_what_there_is(compared):
    chosen = compared[(compared["measure"] == "gini") | compared["element"].notna()]
    assert len(plots.compare(chosen[chosen["run"] != "plain"]).axes) == 1 + 2
    alone = plots.compare(compared[compared["run"] == "suzhou"])
    assert len(alone.axes) == 8 + 1


def test_a_page_leaves_out_what_is_not_known(games):
    free = simulate("plain", deals=900, seed=1, changes={"elements.hu.value": 0})
    page = plots.compare([free, games[1]])
    spread = panel(page, "spread of a settlement, in base stakes")
    assert len(spread.lines[::3]) == 1
    page.savefig(BytesIO(), format="png", dpi=50)


@pytest.mark.parametrize("elements", [0, -1, 2.5, "8", 101])
def test_a_page_refuses_no_number_of_elements(compared, elements):
    with pytest.raises(ArgumentError, match="elements"):
        plots.compare(compared, elements=elements)


def test_a_page_refuses_what_is_no_comparison(compared, run):
    with pytest.raises(ArgumentError, match="no run"):
        plots.compare([])
    with pytest.raises(ArgumentError, match="Run is no list"):
        plots.compare(run)
    with pytest.raises(ArgumentError, match="no column 'run'"):
        plots.compare(run.deals)
    with pytest.raises(ArgumentError, match="no rows"):
        plots.compare(compared[:0])
    with pytest.raises(ArgumentError, match="no row that is drawn: draw_rate, self_draw_rate"):
        plots.compare(compared[compared["measure"] == "gini_won"])
