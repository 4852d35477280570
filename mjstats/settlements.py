"""Expected settlements: what a seat receives on average, by role, seat, dealer and more."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mjstats.estimates import (
    Family,
    Groups,
    clusters_of,
    keyed_chunks,
    keys_of,
    mean_columns,
)
from mjstats.run import RunData
from mjstats.stats.clustered import RatioSums
from mjstats.stats.multiplicity import Method

if TYPE_CHECKING:
    import pandas as pd


def expected_settlements(
    data: RunData,
    *,
    by: str | Sequence[str] = ("role", "is_dealer"),
    alpha: float = 0.05,
    simultaneous: bool | Method = False,
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

    Returns
    -------
    pandas.DataFrame
        One row a group that occurs: the keys, ``n`` (rows: a deal and seat each), ``mean`` and
        ``sd`` of what is received, ``se``, ``ci_low``, ``ci_high``, ``ci_method``.

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
    columns = mean_columns(mean, sd, (groups.order(), 0))
    return family.finish(pd.DataFrame(groups.labels() | columns))
