"""Expected settlements: what a seat receives on average, by role, seat, dealer and more."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mjstats.controls import DealtControls
from mjstats.estimates import (
    Family,
    Groups,
    clusters_of,
    keyed_chunks,
    keys_of,
    mean_columns,
)
from mjstats.run import ROLES, Column, RunData
from mjstats.stats.clustered import Clusters, RatioSums, sum_by
from mjstats.stats.control import ControlSums
from mjstats.stats.multiplicity import Method

if TYPE_CHECKING:
    import pandas as pd


def expected_settlements(
    data: RunData,
    *,
    by: str | Sequence[str] = ("role", "is_dealer"),
    alpha: float = 0.05,
    simultaneous: bool | Method = False,
    control: bool = False,
) -> "pd.DataFrame":
    """Mean payment a deal and seat, with intervals clustered by match.

    Parameters
    ----------
    data : RunData
        The run.
    by : str or sequence of str, default ("role", "is_dealer")
        Keys: ``seat``, ``is_dealer``, ``role``, ``policy`` (of the seat), ``dealer``, ``round``,
        ``deal_in_match`` and the game's counters. None at all gives the mean of everybody, which
        is zero.
    alpha : float, default 0.05
        Error rate of each interval; of all together if simultaneous.
    simultaneous : bool or {"bonferroni", "sidak"}, default False
        Make all intervals hold together; True is Bonferroni's.
    control : bool, default False
        Estimate the means with control variates (`mjstats.controls`): the deals of each group are
        weighted so that the dealt hands are distributed as exact counting says.

    Returns
    -------
    pandas.DataFrame
        One row a group that occurs: the keys, ``n`` (rows: a deal and seat each), ``mean`` and
        ``sd`` of what is received, ``se``, ``ci_low``, ``ci_high``, ``ci_method``. With `control`
        also ``variance_ratio``: variance of the mean over that of the plain one; missing where the
        plain mean stands, because its deals are too few for the controls.

    Raises
    ------
    ArgumentError
        If there is no such key, or one stands twice.
    RulesetError, TaskMismatchError
        With `control`, if there are no exact values for the run's ruleset.

    Examples
    --------
    >>> from mjstats.simulate import simulate_data
    >>> table = expected_settlements(simulate_data("plain", deals=200, seed=1), by="role")
    >>> dict(zip(table["role"], table["mean"] > 0))
    {'none': False, 'payer': False, 'discarder': False, 'winner': True}
    """
    import pandas as pd

    keys = keys_of(data, "settlements", by, names=("seat", "role"))
    clusters = clusters_of(data)
    groups, sums = Groups(keys), RatioSums(1)
    for rows in keyed_chunks(data, "settlements", keys, names=("payment",)):
        ids = clusters.ids(match=rows["match"], deal=rows["deal"])
        sums.add(ids, groups.number(rows), rows["payment"][:, None])
    family = Family.of(data, clusters, alpha=alpha, m=len(groups), simultaneous=simultaneous)
    mean, sd = sums.means(g=clusters.n, alpha=family.alpha, suffix=family.suffix)
    order = (groups.order(), 0)
    added = {}
    if control:
        by_seat = any(key.name in {"seat", "policy"} for key in keys)
        controls = DealtControls.of(data, by_seat=by_seat)
        known, controlled = _controlled_sums(data, controls, keys, clusters)
        places = groups.rows()
        cells = [known.find(row) for row in places], [row.get("role", 0) for row in places]
        mean, ratio = controls.means(mean, controlled, cells=cells, g=clusters.n, family=family)
        family = family.with_note(controls.note)
        added["variance_ratio"] = ratio[order]
    columns = mean_columns(mean, sd, order)
    return family.finish(pd.DataFrame(groups.labels() | columns | added))


def _controlled_sums(
    data: RunData, controls: DealtControls, keys: Sequence[Column], clusters: Clusters
) -> tuple[Groups, ControlSums]:
    """Sum payments with controls: by the keys known before the deal, and a column each role."""
    before = [key for key in keys if key.name != "role"]
    width = len(ROLES) if len(before) < len(keys) else 1
    groups, sums = Groups(before), ControlSums(controls.n, width)
    chunks = zip(
        keyed_chunks(data, "settlements", keys, names=("payment", "role")),
        data.chunks("deals", columns=["match", "deal", *controls.columns]),
        strict=True,
    )
    for rows, deals in chunks:
        # An observation is a deal with those of its rows that are in the group, whatever became of
        # them: none may be left out because of its role.
        number = groups.number(rows)
        place = rows["deal"] - deals["deal"][0]
        seen, unit = np.unique(place * len(groups) + number, return_inverse=True)
        deal, group = np.divmod(seen, len(groups))
        cell = unit * width + (rows["role"] if width > 1 else 0)
        shape = (len(seen), width)
        sums.add(
            clusters.ids(match=deals["match"], deal=deals["deal"])[deal],
            group,
            controls.values(deals)[deal],
            sum_by(cell, rows["payment"], len(seen) * width).reshape(shape),
            np.bincount(cell, minlength=len(seen) * width).reshape(shape),
        )
    return groups, sums
