"""`Run`: the data of a run with the methods that make tables of it."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from mjstats import frequencies as _frequencies
from mjstats import gains as _gains
from mjstats import listens as _listens
from mjstats import settlements as _settlements
from mjstats.collect import RelErr
from mjstats.estimates import run_notes
from mjstats.rulesets import Ruleset, Value
from mjstats.run import RunData, open_data
from mjstats.simulate import resume_data, simulate_data
from mjstats.stats.multiplicity import Method

if TYPE_CHECKING:
    import pandas as pd


class Run(RunData):
    """Deals that were played, where they come from, and tables of them.

    Made by `simulate` and `open_run`. Frames: ``deals``, ``listens``, ``settlements``, ``wins``;
    `mjstats.run` describes their columns. A stored run reads them on first use.
    """

    @classmethod
    def of(cls, data: RunData) -> Self:
        """Give the methods of a run to its data.

        Parameters
        ----------
        data : RunData
            The data.

        Returns
        -------
        Run
            The same data.
        """
        return cls(data.origin, data.circumstances, data.store, data.path)

    def _repr_html_(self) -> str:
        """Show the run in a notebook: what it is and what a reader must know."""
        from html import escape

        lines = [f"<b>{escape(repr(self)[1:-1])}</b>", *(escape(note) for note in self.notes)]
        return "<br>".join(lines)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of any table of this run must know, a sentence each; often nothing."""
        return tuple(run_notes(self))

    def resume(self, *, deals: int, workers: int | None = None, progress: bool = False) -> "Run":
        """Continue to a greater number of deals; equal to a run of that length made at once.

        Parameters
        ----------
        deals : int
            Number of deals of the longer run. A stored run is replaced in its folder, when the
            longer one is complete.
        workers : int, optional
            Number of threads; all processors by default. Does not change the result.
        progress : bool, default False
            Show a bar on stderr.

        Returns
        -------
        Run
            The longer run.

        Raises
        ------
        ArgumentError
            If the run has as many deals already.
        TaskMismatchError
            If the ruleset or the simulator is not what the run was made with.
        """
        return Run.of(resume_data(self, deals=deals, workers=workers, progress=progress))

    def frequencies(
        self,
        *,
        alpha: float = 0.05,
        simultaneous: bool | Method = False,
        control: bool = False,
    ) -> "pd.DataFrame":
        """Tabulate hand frequencies; see `mjstats.frequencies.frequencies`."""
        return _frequencies.frequencies(
            self, alpha=alpha, simultaneous=simultaneous, control=control
        )

    def listen_odds(
        self,
        *,
        by: str | Sequence[str] = ("mode", "wait_class"),
        alpha: float = 0.05,
        simultaneous: bool | Method = False,
    ) -> "pd.DataFrame":
        """Tabulate listen-wait odds; see `mjstats.listens.listen_odds`."""
        return _listens.listen_odds(self, by=by, alpha=alpha, simultaneous=simultaneous)

    def expected_settlements(
        self,
        *,
        by: str | Sequence[str] = ("role", "is_dealer"),
        alpha: float = 0.05,
        simultaneous: bool | Method = False,
        control: bool = False,
    ) -> "pd.DataFrame":
        """Tabulate expected settlements; see `mjstats.settlements.expected_settlements`."""
        return _settlements.expected_settlements(
            self, by=by, alpha=alpha, simultaneous=simultaneous, control=control
        )

    def control_gains(self, *, by: str | Sequence[str] = "is_dealer") -> "pd.DataFrame":
        """Show what control variates are worth, row by row; see `mjstats.gains.control_gains`."""
        return _gains.control_gains(self, by=by)


def simulate(
    ruleset: str | os.PathLike[str] | Ruleset,
    *,
    deals: int,
    seed: int | None = None,
    policies: str | Sequence[str] = "greedy",
    workers: int | None = None,
    until: RelErr | str | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    preset: str | None = None,
    changes: Mapping[str, Value] | None = None,
    _block: int | None = None,
) -> Run:
    """Play the first deals of a run.

    A run is the sequence of matches 0, 1, 2, …, each played to its end; the first `deals` deals of
    it are kept. The result depends on ruleset, policies, seed and number of deals alone.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        Id in the catalogue, a TOML file, or a resolved ruleset.
    deals : int
        Number of deals, 1 or more; with a stopping rule, the largest number.
    seed : int, optional
        0 to 2^63 - 1; drawn and recorded if not given.
    policies : str or sequence of str, default "greedy"
        One policy for all seats, or one a seat.
    workers : int, optional
        Number of threads; all processors by default. Does not change the result.
    until : RelErr or str, optional
        Stopping rule, such as ``"rel_err:qing_yi_se:0.05"``: end when the standard error of an
        element's rate a deal is at most this part of the rate. Labelled in provenance and tables,
        because stopping by the data biases estimates slightly.
    out : str or path, optional
        Folder to write to, which must not exist; without it the run stays in memory.
    progress : bool, default False
        Show a bar on stderr.
    preset : str, optional
        Named set of options of the ruleset.
    changes : mapping, optional
        Settings by path, such as ``{"elements.qing_yi_se.value": 30}``.
    _block : int, optional
        Matches a block, for tests. Does not change the result.

    Returns
    -------
    Run
        The deals.

    Raises
    ------
    ArgumentError
        If a number or policy is not allowed.
    RulesetError
        If there is no such ruleset, option, element or value.
    StoreError
        If the folder exists, or cannot be written; nothing is left behind.

    Examples
    --------
    >>> run = simulate("yancheng", deals=300, seed=1)
    >>> run
    <Run yancheng: 300 deals, 13 matches, seed 1, greedy>
    >>> bool((run.deals[["pay_0", "pay_1", "pay_2", "pay_3"]].sum(axis=1) == 0).all())
    True
    """
    return Run.of(
        simulate_data(
            ruleset,
            deals=deals,
            seed=seed,
            policies=policies,
            workers=workers,
            until=until,
            out=out,
            progress=progress,
            preset=preset,
            changes=changes,
            _block=_block,
        )
    )


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open a run that was written earlier.

    Parameters
    ----------
    path : str or path
        Its folder.

    Returns
    -------
    Run
        The run; frames are read when they are asked for.

    Raises
    ------
    StoreError
        If the folder or a file in it is missing, foreign, damaged or of another schema version.
    TaskMismatchError
        If the files belong to different runs.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = simulate("yancheng", deals=100, seed=1, out=Path(folder) / "run")
    ...     longer = open_run(Path(folder) / "run").resume(deals=150)
    ...     len(longer.deals)
    150
    """
    return Run.of(open_data(path))
