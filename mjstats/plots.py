"""Figures of a run: rates with intervals, fates of ready hands, payments, lengths, counters.

Each function takes a run, or the table or frame that it would make of the run (so that rows may be
chosen or runs put together first), draws into ``ax`` or a new figure, and returns the ``Axes``;
`compare` takes several runs, or their table, and gives a page.

Chinese names stand beside the English ones if a font with all of their characters is found
(`chinese_font`), else the English names stand alone: never boxes. Every text falls back to
matplotlib's own DejaVu Sans, so that the minus of a negative axis exists whatever font is set.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import cycle
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from mjstats.arguments import whole_number, words
from mjstats.compare import ELEMENT_PAYOUT, ELEMENT_RATE
from mjstats.compare import compare as compare_table
from mjstats.errors import ArgumentError
from mjstats.estimates import origin_line
from mjstats.frequencies import frequencies
from mjstats.listens import OUTCOMES
from mjstats.listens import listen_odds as listen_table
from mjstats.run import RunData
from mjstats.settlements import expected_settlements
from mjstats.stats.intervals import EXACT_BELOW, wilson
from mjstats.stats.multiplicity import alpha_each

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

Length = Literal["turns", "tiles_left"]
LENGTHS: Final[tuple[Length, ...]] = get_args(Length)

#: Parts of the names of common fonts with Chinese characters, the best first.
_CHINESE_FONTS: Final = (
    "Noto Sans CJK TC",
    "Noto Sans TC",
    "Noto Sans CJK",
    "Source Han Sans",
    "PingFang",
    "JhengHei",
    "YaHei",
    "Heiti",
    "WenQuanYi",
)
_OWN_FONT: Final = "DejaVu Sans"
_FIRST_CHINESE, _NO_CHARACTER = 0x2E80, 0xFFFF

# Okabe and Ito's colours, which colour-blind readers tell apart.
_BLUE, _SKY, _RED, _ORANGE, _GREEN = "#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#009E73"
_INK, _GREY, _PALE = "#222222", "#6E6E6E", "#D9D9D9"
_CYCLE: Final = (_BLUE, _RED, _GREEN, _ORANGE, _SKY, "#CC79A7", _INK)
_FATES: Final = dict(zip(OUTCOMES[1:], (_BLUE, _SKY, _RED, _ORANGE, _PALE, _GREY), strict=True))
_ENDS: Final = {"win on a discard": _SKY, "win by self-draw": _BLUE, "wall exhausted": _GREY}
_ROLES: Final = {"winner": _BLUE, "payer": _ORANGE, "discarder": _RED}
#: The panels of a page of runs side by side: measure, unit, title.
_PANELS: Final = (
    ("draw_rate", "rate", "wall exhausted,\nof the deals"),
    ("self_draw_rate", "rate", "self-draw,\nof the wins"),
    ("turns", "turns", "turns a deal,\nall seats together"),
    ("dealer_win_rate", "rate", "wins of the dealer,\nof the wins"),
    ("dealer_edge", "stakes", "dealer's edge a deal,\nin base stakes"),
    ("settlement_sd", "stakes", "spread of a settlement,\nin base stakes"),
    ("winner_receipt", "sd", "what a winner receives,\nin spreads"),
    ("gini", "gini", "Gini coefficient\nof payouts"),
)
_WORDS: Final = {
    "two_sided": "two-sided",
    "two_pair": "two-pair",
    "live_visible": "live tiles, as the player sees them",
    "live_wall": "live tiles that are still in the wall",
    "turn": "turns so far, all seats together",
    "turns": "turns, all seats together",
    "tiles_left": "tiles left in the wall",
    "kinds": "kinds waited for",
}


def chinese_font(text: str) -> str | None:
    """Find an installed font that has all Chinese characters of a text.

    Parameters
    ----------
    text : str
        What is to be drawn.

    Returns
    -------
    str or None
        Name of a font family for matplotlib; None if there is none.

    Examples
    --------
    >>> chinese_font("no font has what is no character: " + chr(0xFFFF)) is None
    True
    """
    from matplotlib import font_manager

    needed = frozenset(code for code in map(ord, text) if code >= _FIRST_CHINESE)

    def rank(name: str) -> int:
        places = (i for i, part in enumerate(_CHINESE_FONTS) if part in name)
        return next(places, len(_CHINESE_FONTS))

    fonts = {(rank(e.name), e.name, e.fname) for e in font_manager.fontManager.ttflist}
    return next((name for _, name, file in sorted(fonts) if needed <= _characters(file)), None)


@lru_cache(maxsize=4096)
def _characters(file: str) -> frozenset[int]:
    """Give the Chinese (and further) characters of a font; faces of a collection share them."""
    from matplotlib import font_manager

    codes = font_manager.get_font(file).get_charmap()
    # A font that has what is no character is one of boxes, made to stand in for all others.
    boxes = _NO_CHARACTER in codes
    return frozenset() if boxes else frozenset(code for code in codes if code >= _FIRST_CHINESE)


def hand_frequencies(
    source: "RunData | pd.DataFrame", *, per: str = "win", ax: "Axes | None" = None
) -> "Axes":
    """Draw rates with their intervals on a logarithmic scale, exact values beside them.

    Parameters
    ----------
    source : RunData or pandas.DataFrame
        A run, or rows of its table `mjstats.Run.frequencies`.
    per : str, default "win"
        The rows to draw: those of this unit (``deal``, ``win``, ``hand``, ``dealer_hand``).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        A dot a row, the most frequent at the top; a hollow diamond where the table has an exact
        value; an arrow from the upper bound where nothing was seen.

    Raises
    ------
    ArgumentError
        If there is no row of this unit.

    Examples
    --------
    >>> import mjstats as mj
    >>> run = mj.simulate("yancheng", deals=1000, seed=1)
    >>> hand_frequencies(run).get_xscale()
    'log'
    """
    table = frequencies(source) if isinstance(source, RunData) else source
    rows = table[table["per"] == per].sort_values(["p", "ci_high"], kind="stable")
    if rows.empty:
        allowed = ", ".join(dict.fromkeys(table["per"])) or "none: the table is empty"
        raise ArgumentError(f"per={per!r}: no such rows in the table; allowed are {allowed}")
    ax = _new(ax, height=1.4 + 0.3 * len(rows))
    font = chinese_font("".join(rows["name_zh"]))
    names = rows["name_zh"] + "  " + rows["name_en"] if font else rows["name_en"]
    y = np.arange(len(rows))
    p, low, high = (rows[name].to_numpy() for name in ("p", "ci_low", "ci_high"))
    seen = p > 0
    ax.set_xscale("log")
    _intervals(ax, y[seen], p[seen], low[seen], high[seen])
    if not seen.all():
        (bounds,) = ax.plot(high[~seen], y[~seen], color=_GREY, marker=8, linestyle="none")
        bounds.set_label("never seen: upper bound")
    exact = rows["exact"].to_numpy(dtype=float)
    known = exact > 0
    if known.any():
        (diamonds,) = ax.plot(exact[known], y[known], color=_RED, marker="D", linestyle="none")
        diamonds.set(label="exact", markersize=9, markerfacecolor="none")
    ax.set_yticks(y, names.tolist())
    ax.set_ylim(-0.7, len(rows) - 0.3)
    ax.set_xlim(right=max(1.0, ax.get_xlim()[1]) if high.max() > 0.5 else None)
    for place, row in enumerate(rows.to_dict("records")):
        _beside(ax, place, _odds(row))
    ax.grid(axis="x", which="major", color=_PALE, linewidth=0.6)
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.10g}%")
    if len(ax.get_legend_handles_labels()[0]) > 1:
        _legend(ax)
    unit = {"hand": "hand of 13 tiles dealt", "dealer_hand": "hand of 14 tiles dealt"}.get(per, per)
    return _finish(ax, f"Rates per {unit}", source, font=font, x="rate (logarithmic scale)")


def listen_fates(
    source: "RunData | pd.DataFrame", *, by: str = "wait_class", ax: "Axes | None" = None
) -> "Axes":
    """Draw what becomes of ready hands: the shares of all outcomes, a bar a group.

    Parameters
    ----------
    source : RunData or pandas.DataFrame
        A run, or its table `mjstats.Run.listen_odds` by this key.
    by : str, default "wait_class"
        Key of the groups; see `mjstats.Run.listen_odds`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Bars with the best group at the top.

    Raises
    ------
    ArgumentError
        If there is no such key, or the table has several rows a group and outcome.

    Examples
    --------
    >>> import mjstats as mj
    >>> ax = listen_fates(mj.simulate("yancheng", deals=1000, seed=1))
    >>> ax.get_xlabel()
    'share of ready states'
    """
    table = listen_table(source, by=by) if isinstance(source, RunData) else source
    _check_keys(table, [by, "outcome"])
    if table.duplicated([by, "outcome"]).any():
        raise ArgumentError(f"by={by!r}: the table has several rows for a value of it and outcome")
    shares = table.pivot_table("p", by, "outcome", observed=True).sort_values("won")
    size = table[table["outcome"] == "won"].set_index(by)["n"]
    ax = _new(ax, height=1.9 + 0.5 * len(shares))
    y, left = np.arange(len(shares)), np.zeros(len(shares))
    for outcome, colour in _FATES.items():
        share = shares[outcome].to_numpy()
        if not share.any():
            continue
        ax.barh(y, share, left=left, color=colour, height=0.72, label=_word(outcome))
        ink = "white" if colour in (_BLUE, _RED, _GREY) else _INK
        for place, start, part in zip(y, left, share, strict=True):
            if part >= 0.035:
                middle = (start + part / 2, place)
                ax.annotate(f"{part:.0%}", middle, ha="center", va="center", color=ink, fontsize=9)
        left = left + share
    ax.set_yticks(y, [_value(by, value) for value in shares.index])
    for row, n in enumerate(size.reindex(shares.index)):
        _beside(ax, row, f"n = {n:,}")
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    _legend(ax)
    return _finish(ax, "What becomes of a ready hand", source, x="share of ready states")


def listen_odds(
    source: "RunData | pd.DataFrame",
    *,
    by: str | Sequence[str] = ("live_visible", "mode"),
    outcome: str = "won",
    least: int = 100,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the odds of one outcome of ready hands with their intervals, against a number.

    Parameters
    ----------
    source : RunData or pandas.DataFrame
        A run, or its table `mjstats.Run.listen_odds` by these keys.
    by : str or sequence of str, default ("live_visible", "mode")
        The numeric key to draw against, then perhaps a key with a line for each of its values.
    outcome : str, default "won"
        ``won``, ``won_by_draw``, ``won_by_discard``, ``dealt_in``, ``another_won``, ``exhausted``
        or ``changed``.
    least : int, default 100
        Groups with fewer ready states are left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        A line a value of the second key, with its name at the end.

    Raises
    ------
    ArgumentError
        If there are no such keys or outcome, or no group is large enough.

    Examples
    --------
    >>> import mjstats as mj
    >>> ax = listen_odds(mj.simulate("yancheng", deals=2000, seed=1), by="live_visible")
    >>> ax.get_xlabel()
    'live tiles, as the player sees them'
    """
    from matplotlib.ticker import MaxNLocator

    keys = words("by", by)
    if len(keys) not in (1, 2):
        raise ArgumentError(f"by={keys!r}: one or two keys are allowed")
    if outcome not in OUTCOMES:
        raise ArgumentError(f"outcome={outcome!r}: allowed are {', '.join(OUTCOMES)}")
    table = listen_table(source, by=keys) if isinstance(source, RunData) else source
    _check_keys(table, [*keys, "outcome"])
    rows = table[(table["outcome"] == outcome) & (table["n"] >= least)]
    if rows.empty:
        raise ArgumentError(f"least={least}: no group has so many ready states")
    if rows[keys[0]].dtype.kind not in "iuf":
        raise ArgumentError(
            f"by={keys!r}: the first key must be a number (listen_fates draws names)"
        )
    ax = _new(ax, height=4.2)
    groups = [("", rows)] if len(keys) == 1 else rows.groupby(keys[1], observed=True)
    ends = []
    for (value, group), colour in zip(groups, cycle(_CYCLE)):
        x, p, low, high = (group[c].to_numpy() for c in (keys[0], "p", "ci_low", "ci_high"))
        ax.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(x, p, color=colour, marker="o", markersize=4, linewidth=1.4)
        if len(keys) == 2:
            ends.append((_value(keys[1], value), p[-1], colour))
    ax.set_ylim(bottom=0)
    _end_labels(ax, ends)
    ax.grid(axis="y", color=_PALE, linewidth=0.6)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    title = f"How often a ready hand ends so: {_word(outcome)}"
    if outcome == "won":
        title = "How often a ready hand wins"
    return _finish(ax, title, source, x=_word(keys[0]), y="share of ready states")


def settlement_distribution(
    source: "RunData | pd.DataFrame", *, width: int = 10, ax: "Axes | None" = None
) -> "Axes":
    """Draw how what a seat receives is distributed, by its role in the settlement.

    Parameters
    ----------
    source : RunData or pandas.DataFrame
        A run, or its frame ``settlements``.
    width : int, default 10
        Width of a bin.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        An outline a role on a logarithmic scale; the height is a share of all seats and deals.
        Seats that neither pay nor receive are in no outline.

    Raises
    ------
    ArgumentError
        If the width is not positive, or nobody paid anything.

    Examples
    --------
    >>> import mjstats as mj
    >>> ax = settlement_distribution(mj.simulate("yancheng", deals=1000, seed=1))
    >>> ax.get_yscale()
    'log'
    """
    if width < 1:
        raise ArgumentError(f"width={width}: 1 or more is allowed")
    if isinstance(source, RunData):
        frame = source.frame("settlements", columns=["role", "payment"])
    else:
        frame = source
    paid = {role: frame.loc[frame["role"] == role, "payment"].to_numpy() for role in _ROLES}
    paid = {role: values for role, values in paid.items() if len(values)}
    if not paid:
        raise ArgumentError("settlements: nobody paid or received anything")
    ax = _new(ax, height=4.2)
    ax.set_yscale("log")
    for role, values in paid.items():
        first, last = int(values.min()) // width, int(values.max()) // width + 1
        edges = width * np.arange(first, last + 1)
        share = np.histogram(values, edges)[0] / len(frame)
        # The lowest share that can be seen, so that the outlines end at the bottom.
        drawn = np.maximum(share, 0.5 / len(frame))
        colour = _ROLES[role]
        ax.stairs(drawn, edges, baseline=0.5 / len(frame), fill=True, color=colour, alpha=0.18)
        ax.stairs(drawn, edges, baseline=0.5 / len(frame), color=colour, linewidth=1.4, label=role)
    ax.axvline(0, color=_INK, linewidth=0.8)
    ax.set_ylim(bottom=0.5 / len(frame))
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.10g}%")
    _legend(ax)
    y = "share of seats and deals\n(logarithmic scale)"
    title = "What a seat receives when a deal is settled"
    return _finish(ax, title, source, x=f"received, in bins of {width}", y=y)


def payments(
    source: "RunData | pd.DataFrame",
    *,
    by: str | Sequence[str] = ("role", "is_dealer"),
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw what a seat receives on average, with intervals.

    Parameters
    ----------
    source : RunData or pandas.DataFrame
        A run, or rows of its table `mjstats.Run.expected_settlements` by these keys.
    by : str or sequence of str, default ("role", "is_dealer")
        Keys of the groups.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        A dot a group, in the order of the table from below.

    Raises
    ------
    ArgumentError
        If there is no such key, or no row.

    Examples
    --------
    >>> import mjstats as mj
    >>> ax = payments(mj.simulate("yancheng", deals=1000, seed=1), by="is_dealer")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['not dealer', 'dealer']
    """
    keys = words("by", by)
    table = expected_settlements(source, by=keys) if isinstance(source, RunData) else source
    _check_keys(table, keys)
    ax = _new(ax, height=1.5 + 0.34 * len(table))
    y = np.arange(len(table))
    mean, low, high = (table[name].to_numpy() for name in ("mean", "ci_low", "ci_high"))
    ax.axvline(0, color=_GREY, linewidth=0.8)
    _intervals(ax, y, mean, low, high)
    labels = [_label(keys, row) for row in table[keys].itertuples(index=False)]
    ax.set_yticks(y, labels)
    ax.set_ylim(-0.7, len(table) - 0.3)
    for row, (value, half) in enumerate(zip(mean, (high - low) / 2, strict=True)):
        _beside(ax, row, _estimate(value, half))
    ax.grid(axis="x", color=_PALE, linewidth=0.6)
    return _finish(ax, "What a seat receives on average", source, x="received a deal")


def deal_lengths(
    source: "RunData | pd.DataFrame", *, of: Length = "turns", ax: "Axes | None" = None
) -> "Axes":
    """Draw how long deals are, by how they end.

    Parameters
    ----------
    source : RunData or pandas.DataFrame
        A run, or its frame ``deals``.
    of : {"turns", "tiles_left"}, default "turns"
        Length of the deal, or what is left of the wall at its end.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Stacked bars, one a number; their heights are shares of all deals.

    Raises
    ------
    ArgumentError
        If there is no such length.

    Examples
    --------
    >>> import mjstats as mj
    >>> ax = deal_lengths(mj.simulate("yancheng", deals=1000, seed=1))
    >>> round(float(sum(bar.get_height() for bar in ax.patches)), 6)
    1.0
    """
    if of not in LENGTHS:
        raise ArgumentError(f"of={of!r}: allowed are {', '.join(LENGTHS)}")
    columns = ["outcome", "by", of]
    frame = source.frame("deals", columns=columns) if isinstance(source, RunData) else source
    length = frame[of].to_numpy()
    won, claimed = frame["outcome"] == "win", frame["by"].isin(["discard", "rob_kong"])
    ax = _new(ax, height=4.0)
    bottom = np.zeros(int(length.max()) + 1)
    for (name, colour), chosen in zip(
        _ENDS.items(), (won & claimed, won & ~claimed, ~won), strict=True
    ):
        share = np.bincount(length[chosen.to_numpy()], minlength=len(bottom)) / len(frame)
        if share.any():
            x = np.arange(len(bottom))
            ax.bar(
                x, share, bottom=bottom, width=1.0, color=colour, label=f"{name} {share.sum():.1%}"
            )
        bottom = bottom + share
    _median(ax, length)
    ax.set_xlim(-0.5, len(bottom) - 0.5)
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g}%")
    _legend(ax)
    title = "How long a deal is" if of == "turns" else "What is left of the wall when a deal ends"
    return _finish(ax, title, source, x=_word(of), y="share of deals")


def match_lengths(source: "RunData | pd.DataFrame", *, ax: "Axes | None" = None) -> "Axes":
    """Draw how many deals a match has.

    Parameters
    ----------
    source : RunData or pandas.DataFrame
        A run, or its frame ``deals``. The last match may be cut and is left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        A bar a number of deals; the heights are shares of all whole matches.

    Raises
    ------
    ArgumentError
        If no match is known to be whole.

    Examples
    --------
    >>> import mjstats as mj
    >>> ax = match_lengths(mj.simulate("yancheng", deals=1000, seed=1))
    >>> round(float(sum(bar.get_height() for bar in ax.patches)), 6)
    1.0
    """
    frame = source.frame("deals", columns=["match"]) if isinstance(source, RunData) else source
    lengths = np.unique(frame["match"].to_numpy(), return_counts=True)[1][:-1]
    if not len(lengths):
        raise ArgumentError("the deals are of one match, which may be cut")
    ax = _new(ax, height=3.6)
    share = np.bincount(lengths) / len(lengths)
    x = np.arange(lengths.min(), lengths.max() + 1)
    ax.bar(x, share[x], width=0.85, color=_BLUE)
    _median(ax, lengths)
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g}%")
    return _finish(ax, "How many deals a match has", source, x="deals", y="share of matches")


def counter_over_match(
    source: "RunData | pd.DataFrame",
    *,
    counter: str,
    levels: Iterable[int] = (1, 2, 3),
    least: float = 0.9,
    alpha: float = 0.05,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how a carried counter rises over a match.

    Parameters
    ----------
    source : RunData or pandas.DataFrame
        A run, or its frame ``deals``.
    counter : str
        Name of the counter.
    levels : iterable of int, default (1, 2, 3)
        A line for each: the share of deals before which the counter is at least so high.
    least : float, default 0.9
        Drawn are the deals that at least this part of the matches reaches: later ones belong to
        long matches only, in which the counter is no typical one.
    alpha : float, default 0.05
        Error rate of each interval (Wilson's: a match has one deal of a number).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        A line a level, its interval as a band.

    Raises
    ------
    ArgumentError
        If there is no such counter.

    Examples
    --------
    >>> import mjstats as mj
    >>> run = mj.simulate("yancheng", deals=1000, seed=1)
    >>> ax = counter_over_match(run, counter="jia", levels=(1, 2))
    >>> [text.get_text() for text in ax.texts[:2]]
    ['jia ≥ 2', 'jia ≥ 1']
    """
    from matplotlib.ticker import MaxNLocator

    if isinstance(source, RunData):
        if counter not in source.layout.counters:
            allowed = ", ".join(source.layout.counters) or "none: the game has no counters"
            raise ArgumentError(f"counter={counter!r}: allowed are {allowed}")
        frame = source.frame("deals", columns=["deal_in_match", counter])
    else:
        _check_keys(source, ["deal_in_match", counter])
        frame = source
    place, value = frame["deal_in_match"].to_numpy(), frame[counter].to_numpy()
    reached = np.bincount(place)
    x = np.arange(int((reached >= least * reached[0]).sum()))
    ax = _new(ax, height=4.0)
    ends = []
    for level, colour in zip(levels, cycle(_CYCLE)):
        k = np.bincount(place[value >= level], minlength=len(reached))[x]
        low, high = wilson(k, reached[x], alpha=alpha)
        ax.fill_between(x + 1, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(x + 1, k / reached[x], color=colour, marker="o", markersize=3.5, linewidth=1.4)
        ends.append((f"{counter} ≥ {level}", k[-1] / reached[x[-1]], colour))
    ax.set_xlim(left=0.5)
    ax.set_ylim(bottom=0)
    _end_labels(ax, ends)
    ax.grid(axis="y", color=_PALE, linewidth=0.6)
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    title = f"The counter {counter} over a match"
    label = f"deal of the match (1 to {len(x)}: reached by {least:.0%} of the matches)"
    return _finish(ax, title, source, x=label, y="share of matches that reach it")


def distribution(
    table: "pd.DataFrame",
    *,
    of: str,
    by: str | None = None,
    log: bool = True,
    title: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw exact distributions of a number, and simulated shares beside them.

    Parameters
    ----------
    table : pandas.DataFrame
        An exact table (`mjstats.exact`), or rows of `mjstats.against.against_exact`.
    of : str
        Column with the number.
    by : str, optional
        Column with a line for each of its values.
    log : bool, default True
        Whether the scale of the probabilities is logarithmic.
    title : str, optional
        Title of the figure.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Exact values as a line; where the table is of a run, what was simulated as dots with their
        intervals, if it was seen at all.

    Raises
    ------
    ArgumentError
        If there is no such column, or no row.

    Examples
    --------
    >>> from mjstats import exact
    >>> distribution(exact.shanten("yancheng"), of="shanten").get_yscale()
    'log'
    """
    from matplotlib.ticker import MaxNLocator

    _check_keys(table, [of] if by is None else [of, by])
    simulated = "ci_low" in table.columns
    ax = _new(ax, height=4.2)
    if log:
        ax.set_yscale("log")
    groups = [("exact", table)] if by is None else table.groupby(by, observed=True, sort=False)
    for (value, group), colour in zip(groups, cycle(_CYCLE)):
        rows = group.sort_values(of)
        rows = rows[rows["exact" if simulated else "p"] > 0]
        name = value if by is None else _value(by, value)
        exact = rows["exact" if simulated else "p"]
        style: dict[str, Any] = {} if simulated else {"marker": "o", "markersize": 4}
        ax.plot(rows[of], exact, color=colour, linewidth=1.4, label=name, **style)
        if simulated:
            seen = rows[rows["k"] > 0]
            error = [seen["p"] - seen["ci_low"], seen["ci_high"] - seen["p"]]
            ax.errorbar(seen[of], seen["p"], error, fmt="o", color=colour, markersize=4, capsize=3)
    if simulated:
        ax.errorbar(
            [], [], [], fmt="o", color=_GREY, markersize=4, label="simulated, with interval"
        )
    ax.grid(axis="y", color=_PALE, linewidth=0.6)
    ax.yaxis.set_major_formatter(
        lambda share, _: np.format_float_positional(float(f"{100 * share:.6g}"), trim="-") + "%"
    )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if by is not None or simulated:
        _legend(ax)
    y = "probability (logarithmic scale)" if log else "probability"
    return _finish(ax, title or _word(of), table, x=_word(of), y=y)


def z_scores(table: "pd.DataFrame", *, alpha: float = 0.001, ax: "Axes | None" = None) -> "Axes":
    """Draw all z-scores of a family of cells against the normal law.

    Parameters
    ----------
    table : pandas.DataFrame
        Rows of `mjstats.against.against_exact`, of one run or of several put together.
    alpha : float, default 0.001
        Error rate of the alarm limits over all cells together (Bonferroni).
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        Sorted z-scores against what the normal law expects of so many, with the region that holds
        95 % of each, if cells are independent. Cells with fewer than ten expected events (or
        non-events) stand in an order of their own: their counts are too coarse for the law, most
        are zero. Infinite ones stand at the edge.

    Raises
    ------
    ArgumentError
        If there is no row, or alpha is not between 0 and 1.

    Examples
    --------
    >>> import mjstats as mj
    >>> from mjstats.against import against_exact
    >>> ax = z_scores(against_exact(mj.simulate("plain", deals=1000, seed=1)))
    >>> ax.get_ylabel()
    'z of the cell'
    """
    from scipy import special

    _check_keys(table, ["z", "n", "exact"])
    limit = -special.ndtri(alpha_each(alpha, m=len(table)) / 2)
    expected = table["n"] * np.minimum(table["exact"], 1 - table["exact"])
    finite = table["z"].abs().where(lambda z: z < np.inf).max()
    edge = max(1.25 * limit, 1.1 * finite)
    ax = _new(ax, height=5.0)
    ax.axline((0, 0), slope=1, color=_GREY, linewidth=0.8)
    many = expected >= EXACT_BELOW
    for chosen, colour, name in (
        (many, _BLUE, "cells with ten events expected or more"),
        (~many, _ORANGE, "fewer"),
    ):
        m = int(chosen.sum())
        if not m:
            continue
        rank = np.arange(1, m + 1)
        x = special.ndtri((rank - 0.375) / (m + 0.25))
        z = np.clip(np.sort(table.loc[chosen, "z"].to_numpy()), -edge, edge)
        fill = colour if colour == _BLUE else "none"
        label = f"{name}: {m}"
        ax.plot(x, z, "o", color=colour, markersize=4, markerfacecolor=fill, label=label)
        if colour == _BLUE:
            low, high = (
                special.ndtri(special.betaincinv(rank, m + 1 - rank, tail))
                for tail in (0.025, 0.975)
            )
            ax.fill_between(x, low, high, color=_PALE, alpha=0.7, linewidth=0, label="95%")
    for side in (-limit, limit):
        ax.axhline(side, color=_RED, linewidth=1, linestyle=(0, (4, 3)))
        text = _minus(f"alarm {side:+.1f}")
        _note(ax, text, (1, side), (6, 0), y="data", va="center", color=_RED)
    ax.set_ylim(-edge, edge)
    ax.grid(axis="y", color=_PALE, linewidth=0.6)
    _legend(ax)
    title = f"z-scores of {len(table)} cells against the normal law"
    return _finish(ax, title, table, x="z that the normal law expects", y="z of the cell")


def compare(source: "Sequence[RunData] | pd.DataFrame", *, elements: int = 8) -> "Figure":
    """Draw runs side by side on one page: measures with intervals, the elements of each run.

    Parameters
    ----------
    source : sequence of RunData, or pandas.DataFrame
        Runs, or rows of their table `mjstats.compare`.
    elements : int, default 8
        Elements a run, those with the greatest part of what changes hands; elements that are in
        every win are left out.

    Returns
    -------
    matplotlib.figure.Figure
        Above, a panel a measure and in it a dot a run with its interval. Below, a panel a run: bars
        are the part of what changes hands that does so in deals with the element, dots the part of
        the wins that have it.

    Raises
    ------
    ArgumentError
        If there is no run, or the table has no row of a measure that is drawn.

    Examples
    --------
    >>> import mjstats as mj
    >>> page = compare([mj.simulate(game, deals=500, seed=1) for game in ("plain", "yancheng")])
    >>> len(page.axes)
    10
    """
    import pandas as pd
    from matplotlib import pyplot as plt

    whole_number("elements", elements, least=1, most=100)
    table = source if isinstance(source, pd.DataFrame) else compare_table(source)
    _check_keys(table, ["run", "measure", "element", "unit", "estimate", "ci_low", "ci_high"])
    runs = list(dict.fromkeys(table["run"]))
    panels = [
        (title, rows.set_index("run"))
        for measure, unit, title in _PANELS
        if len(rows := table[(table["measure"] == measure) & (table["unit"] == unit)])
    ]
    if not panels:
        raise ArgumentError(
            f"the table has no row that is drawn: {', '.join(name for name, *_ in _PANELS)}"
        )
    font = chinese_font("".join(table["name_zh"]))
    rows_above, rows_below = -(-len(panels) // 4), -(-len(runs) // 2)
    heights = [
        0.5 + (0.75 + 0.17 * len(runs)) * rows_above,
        0.35 + (0.55 + 0.17 * elements) * rows_below,
    ]
    # As many letters as stand side by side on the page in the size of the last lines.
    origins = [part for line in table.attrs.get("origins", []) for part in wrap(line, 140)]
    size = (8.27, sum(heights) + 0.3 + 0.14 * len(origins))
    page = plt.figure(figsize=size, layout="constrained")
    halves: Any = page.subfigures(2, 1, height_ratios=heights)
    above, below = halves
    colours = dict(zip(runs, cycle(_CYCLE)))
    axes = above.subplots(rows_above, 4, sharey=True, squeeze=False).ravel().tolist()
    for title, rows in panels:
        _panel(axes.pop(0), title, rows, colours=colours)
    own = below.subplots(rows_below, 2, squeeze=False).ravel().tolist()
    for run, colour in colours.items():
        _elements(own.pop(0), table[table["run"] == run], n=elements, colour=colour, font=font)
    for ax in (*axes, *own):
        ax.remove()
    above.suptitle("Games side by side", x=0.01, ha="left", fontsize=13)
    title = "Elements: bars, share of what changes hands in deals with it; dots, share of the wins"
    below.suptitle(title, x=0.01, ha="left", fontsize=10)
    page.supxlabel("\n".join(origins), x=0.01, ha="left", fontsize=7, color=_GREY)
    _set_fonts(page, page.axes, font)
    return page


def _panel(ax: "Axes", title: str, rows: "pd.DataFrame", *, colours: dict[str, str]) -> None:
    """Draw one measure: a dot a run, the first at the top."""
    from matplotlib.ticker import MaxNLocator

    values = rows[["estimate", "ci_low", "ci_high"]].to_numpy(dtype=float)
    known = np.isfinite(values).all(axis=1)
    for run, (value, low, high) in zip(rows.index[known], values[known], strict=True):
        error = [[value - low], [high - value]]
        place, colour = list(colours).index(run), colours[run]
        ax.errorbar(value, place, xerr=error, fmt="o", color=colour, markersize=4, capsize=2)
    ax.set_yticks(range(len(colours)), list(colours))
    ax.set_ylim(len(colours) - 0.4, -0.6)
    left, right = ax.get_xlim()
    left = min(0.0, left)
    ax.set_xlim(left, right + 0.05 * (right - left))
    ax.xaxis.set_major_locator(MaxNLocator(3))
    ax.tick_params(labelsize=8)
    ax.set_title(title, loc="left", fontsize=8)
    ax.grid(axis="x", color=_PALE, linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)


def _elements(ax: "Axes", rows: "pd.DataFrame", *, n: int, colour: str, font: str | None) -> None:
    """Draw the elements of one run that the most changes hands with."""
    own = rows[rows["element"].notna()]
    parts = own.pivot_table("estimate", ["element", "name_zh", "name_en"], "measure", sort=False)
    parts = parts.reindex(columns=[ELEMENT_PAYOUT, ELEMENT_RATE]).reset_index()
    parts = parts[(parts[ELEMENT_RATE] > 0) & (parts[ELEMENT_RATE] < 1)]
    parts = parts.nlargest(n, ELEMENT_PAYOUT)
    place = np.arange(len(parts))
    names = parts["name_zh"] + "  " + parts["name_en"] if font else parts["name_en"]
    ax.barh(place, parts[ELEMENT_PAYOUT], color=colour, height=0.7, alpha=0.75)
    ax.plot(
        parts[ELEMENT_RATE],
        place,
        "o",
        color=_INK,
        markersize=4,
        markerfacecolor="white",
        clip_on=False,
    )
    ax.set_yticks(place, names.tolist())
    ax.set_ylim(n - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.tick_params(labelsize=7)
    ax.set_title(str(rows["run"].iloc[0]), loc="left", fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)


def _check_keys(table: "pd.DataFrame", keys: Sequence[str]) -> None:
    """Check that a table has these columns, and rows."""
    for key in keys:
        if key not in table.columns:
            raise ArgumentError(
                f"the table has no column {key!r}: it has {', '.join(map(str, table.columns))}"
            )
    if table.empty:
        raise ArgumentError("the table has no rows")


def _new(ax: "Axes | None", *, height: float) -> "Axes":
    """Take the given axes, or those of a new figure of this height in inches."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(8.0, height), layout="constrained")[1]


def _finish(
    ax: "Axes",
    title: str,
    source: "RunData | pd.DataFrame",
    *,
    x: str,
    y: str = "",
    font: str | None = None,
) -> "Axes":
    """Write the titles and where the numbers come from, in fonts that have them."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    above = 5 if ax.get_legend() is None else 23
    origin = origin_line(source) if isinstance(source, RunData) else source.attrs.get("origin")
    if origin:
        _note(ax, origin, (0, 1), (0, above), va="bottom", color=_GREY)
        above += 15
    ax.set_title(title, loc="left", fontsize=13, pad=above)
    ax.spines[["top", "right"]].set_visible(False)
    _set_fonts(ax, [ax], font)
    return ax


def _set_fonts(drawing: "Axes | FigureBase", axes: "Sequence[Axes]", font: str | None) -> None:
    """Give all text fonts that have it."""
    from matplotlib import rcParams
    from matplotlib.text import Text

    families = [*rcParams["font.family"], _OWN_FONT, *([font] if font else [])]
    for ax in axes:
        ax.tick_params(labelfontfamily=families)
    for text in drawing.findobj(Text):
        text.set_fontfamily(families)


def _note(
    ax: "Axes",
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float],
    *,
    x: str = "axes fraction",
    y: str = "axes fraction",
    **style: Any,
) -> None:
    """Write small text some points from a place, whose coordinates are fractions or data."""
    ax.annotate(
        text,
        at,
        offset,
        xycoords=(x, y),
        textcoords="offset points",
        fontsize=9,
        annotation_clip=False,
        **style,
    )


def _intervals(ax: "Axes", y: Any, estimate: Any, low: Any, high: Any) -> None:
    """Draw estimates as dots with their intervals, a row each."""
    ax.plot(estimate, y, "o", color=_BLUE, markersize=5, label="simulated, with interval")
    error = [estimate - low, high - estimate]
    ax.errorbar(estimate, y, xerr=error, fmt="none", ecolor=_BLUE, capsize=3, elinewidth=1.4)


def _beside(ax: "Axes", y: float, text: str) -> None:
    """Write the number of a row beside it, outside on the right."""
    _note(ax, text, (1, y), (6, 0), y="data", va="center", color=_INK)


def _median(ax: "Axes", values: Any) -> None:
    """Mark the median, above whatever is drawn."""
    median = float(np.median(values))
    ax.axvline(median, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
    ax.set_ylim(top=1.1 * ax.get_ylim()[1])
    _note(ax, f"median {median:g}", (median, 1), (5, -1), x="data", va="top", color=_INK)


def _end_labels(ax: "Axes", lines: Sequence[tuple[str, float, str]]) -> None:
    """Name lines (name, last height, colour) outside on the right, none over another."""
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom, top)
    lowest = -math.inf
    for name, height, colour in sorted(lines, key=lambda line: line[1]):
        lowest = max(lowest + 0.055, (height - bottom) / (top - bottom))
        _note(ax, name, (1, lowest), (6, 0), va="center", color=colour)


def _legend(ax: "Axes") -> None:
    """Put the legend between the titles and the axes."""
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(-0.01, 0.99),
        ncols=len(ax.get_legend_handles_labels()[0]),
        frameon=False,
        fontsize=9,
        borderpad=0.2,
        handlelength=1.2,
        columnspacing=1.2,
    )


def _odds(row: "dict[Hashable, Any]") -> str:
    """Say a rate in as many digits as it is known to, and its z-score if there is one."""
    if not row["p"] > 0:
        return f"none in {row['n']:,}"
    digits = max(1, -math.floor(math.log10(max(row["se"] / row["p"], 1e-4))))
    if row["p"] >= 0.1:
        text = f"{_rounded(100 * row['p'], digits)}%"
    else:
        text = f"1 in {_rounded(row['one_in'], digits)}"
    return text if math.isnan(row["z"]) else _minus(f"{text}   z = {row['z']:+.1f}")


def _rounded(value: float, digits: int) -> str:
    """Write a number with so many significant digits, never as a power."""
    return f"{float(f'{value:.{digits}g}'):,.10g}"


def _estimate(value: float, half: float) -> str:
    """Write a mean and half of its interval in the digits that are known."""
    if not 0 < half < math.inf:
        return _minus(f"{value:g}")
    decimals = max(0, -math.floor(math.log10(half)))
    return _minus(f"{value:+.{decimals}f} ± {half:.{decimals}f}")


def _minus(text: str) -> str:
    """Write hyphens as true minus signs."""
    return text.replace("-", "\N{MINUS SIGN}")


def _word(name: str) -> str:
    """Write an identifier for readers."""
    return _WORDS.get(name, name.replace("_", " "))


def _label(keys: Sequence[str], values: Sequence[Any]) -> str:
    """Name a group by the values of its keys."""
    return ", ".join(_value(key, value) for key, value in zip(keys, values, strict=True))


def _value(key: str, value: Any) -> str:
    """Name one value of a key."""
    if key == "is_dealer":
        return "dealer" if value else "not dealer"
    if isinstance(value, str):
        return "not declared" if (key, value) == ("mode", "none") else _word(value)
    return f"{key.replace('_', ' ')} {value}"
