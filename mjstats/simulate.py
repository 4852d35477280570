"""From a ruleset to a run: check the arguments, name the task, play, collect."""

import datetime
import os
import platform
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain

import msgspec
import numpy as np

from mjstats import __version__, _core
from mjstats.arguments import MOST_WORKERS, whole_number
from mjstats.arguments import path as checked_path
from mjstats.collect import (
    FolderSink,
    MemorySink,
    RelErr,
    Sink,
    collect,
    cut,
    ordered_chunks,
)
from mjstats.errors import ArgumentError, RulesetError, TaskMismatchError, quoted
from mjstats.policies import policy_codes, resolve_policies
from mjstats.rulesets import Ruleset, Value
from mjstats.rulesets import ruleset as resolve
from mjstats.run import Chunk, Circumstances, ElementName, Layout, RunData, Task


def simulate_data(
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
) -> RunData:
    """Play the first deals of a run; `mjstats.simulate` documents the arguments.

    Parameters
    ----------
    ruleset : str, path or Ruleset
        The game.
    deals : int
        Number of deals.
    seed : int, optional
        Seed.
    policies : str or sequence of str
        Policies.
    workers : int, optional
        Number of threads.
    until : RelErr or str, optional
        Stopping rule.
    out : str or path, optional
        Folder to write to.
    progress : bool
        Show a bar on stderr.
    preset : str, optional
        Preset of the ruleset.
    changes : mapping, optional
        Changes to the ruleset.
    _block : int, optional
        Matches a block, for tests: it changes nothing in the result.

    Returns
    -------
    RunData
        The run.
    """
    rules = resolve(ruleset, preset=preset, changes=changes)
    names = resolve_policies(policies, modes=rules.modes, bids=rules.open_bids)
    layout = layout_of(rules)
    rule = RelErr.parse(until) if isinstance(until, str) else until
    if not isinstance(rule, RelErr | None):
        raise ArgumentError(f"until={quoted(until)}: a RelErr or its text is expected")
    if rule is not None:
        rule.check(layout)
    # A drawn seed is short enough to be written down.
    number = secrets.randbits(48) if seed is None else whole_number("seed", seed)
    task = task_of(rules, policies=names, seed=number)
    path = None if out is None else checked_path("out", out)
    return _play(
        rules,
        task,
        deals=whole_number("deals", deals, least=1),
        workers=worker_count(workers),
        until=rule,
        sink=lambda: MemorySink(layout) if path is None else FolderSink(path, layout=layout),
        layout=layout,
        progress=progress,
        block=_block,
    )


def resume_data(
    data: RunData,
    *,
    deals: int,
    workers: int | None = None,
    progress: bool = False,
    _block: int | None = None,
) -> RunData:
    """Continue a run; the result equals a run of that length made at once.

    The last match is played anew from its start, because it may have been cut.

    Parameters
    ----------
    data : RunData
        The run so far. A stored one is replaced in its folder when the longer one is complete.
    deals : int
        Number of deals of the longer run, more than there are.
    workers : int, optional
        Number of threads; all processors by default.
    progress : bool, default False
        Show a bar on stderr.
    _block : int, optional
        Matches a block, for tests: it changes nothing in the result.

    Returns
    -------
    RunData
        The longer run.

    Raises
    ------
    ArgumentError
        If there are as many deals already.
    TaskMismatchError
        If the ruleset or the simulator is not what the run was made with.
    """
    if whole_number("deals", deals, least=1) <= data.n_deals:
        raise ArgumentError(
            f"resume: deals={deals}: the run has {data.n_deals} deals; more are expected"
        )
    rules = ruleset_of(data)
    task = msgspec.structs.replace(data.origin.task, sim_version=_core.SIM_VERSION)
    task.require_same(data.origin.task, where=str(data.path or "resume"))
    last = data.store.read(len(data.store) - 1, "deals", ["match", "deal", "deal_in_match"])
    first_deal = int(last["deal"][-1] - last["deal_in_match"][-1])

    def sink() -> Sink:
        if data.path is None:
            return MemorySink(data.layout)
        return FolderSink(data.path, layout=data.layout, replace=True)

    return _play(
        rules,
        task,
        deals=deals,
        workers=worker_count(workers),
        until=None,
        sink=sink,
        layout=data.layout,
        progress=progress,
        block=_block,
        before=_stored(data, stop=first_deal),
        first_match=int(last["match"][-1]),
        first_deal=first_deal,
    )


def _play(
    rules: Ruleset,
    task: Task,
    *,
    deals: int,
    workers: int,
    until: RelErr | None,
    sink: Callable[[], Sink],
    layout: Layout,
    progress: bool,
    block: int | None,
    before: Iterable[Chunk] = (),
    first_match: int = 0,
    first_deal: int = 0,
) -> RunData:
    """Play from some match on, after the deals that exist, and collect all of them."""
    from tqdm import tqdm

    started = time.monotonic()
    record = _core.rule_record(rules)
    codes = policy_codes(task.policies, modes=rules.modes, bids=rules.open_bids)

    def play(first: int, n: int, stop: Callable[[], bool]) -> _core.Block:
        return _core.play_matches(
            record, codes, seed=task.seed, first_match=first, n_matches=n, stop=stop
        )

    def circumstances() -> Circumstances:
        return Circumstances(
            task_id=task.id(),
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            host=socket.gethostname(),
            workers=workers,
            elapsed_s=round(time.monotonic() - started, 3),
            software={
                "mjstats": __version__,
                "numpy": np.__version__,
                "python": platform.python_version(),
            },
            ruleset={"base": rules.base, "settings": rules.settings},
        )

    new = ordered_chunks(
        play,
        layout=layout,
        first_match=first_match,
        first_deal=first_deal,
        deals=deals,
        workers=workers,
        block=block,
    )
    hidden = not progress or sys.stderr is None  # closed by the caller
    place = sink()  # before the bar: a refusal is one line
    with tqdm(total=deals, unit="deal", unit_scale=True, disable=hidden) as bar, closing(new):

        def shown() -> Iterator[Chunk]:
            for chunk in chain(before, new):
                bar.update(min(len(chunk["deals"]["deal"]), deals - bar.n))
                yield chunk

        return collect(
            shown(),
            sink=place,
            task=task,
            layout=layout,
            deals=deals,
            until=until,
            circumstances=circumstances,
        )


def layout_of(rules: Ruleset) -> Layout:
    """Give what a ruleset decides about the columns of its runs.

    Parameters
    ----------
    rules : Ruleset
        The game.

    Returns
    -------
    Layout
        Its counters, modes, elements, and what its hands hold as dealt.
    """
    holds = {
        "wilds": rules.switches.wild_tiles > 0,
        "special_kongs": _core.rule_record(rules).special_kongs,
    }
    return Layout(
        counters=tuple(rules.counters),
        modes=("none", *rules.modes),
        elements=tuple(
            ElementName(element.id, element.name_zh, element.name_en) for element in rules.elements
        ),
        dealt=tuple(what for what, held in holds.items() if held),
    )


def task_of(rules: Ruleset, *, policies: tuple[str, ...], seed: int) -> Task:
    """Name the task of a run.

    Parameters
    ----------
    rules : Ruleset
        The game.
    policies : tuple of 4 str
        Policy of each seat.
    seed : int
        Seed.

    Returns
    -------
    Task
        The task, with this simulator's version.
    """
    return Task(
        ruleset={"id": rules.id, "digest": rules.digest, **rules.as_dict()},
        policies=policies,
        seed=seed,
        sim_version=_core.SIM_VERSION,
    )


def ruleset_of(data: RunData) -> Ruleset:
    """Make the ruleset of a run anew.

    Parameters
    ----------
    data : RunData
        The run.

    Returns
    -------
    Ruleset
        The game as it was played.

    Raises
    ------
    TaskMismatchError
        If it cannot be made any more or is not the same any more.
    """
    recipe = data.circumstances.ruleset
    wanted = data.origin.task.ruleset
    try:
        rules = resolve(recipe["base"], changes=recipe["settings"])
    except RulesetError as error:
        raise TaskMismatchError(
            f"the ruleset {wanted['id']!r} of the run cannot be made any more: {error}"
        ) from error
    if rules.digest != wanted["digest"]:
        raise TaskMismatchError(
            f"the ruleset {wanted['id']!r} is not the one that the run was played with "
            f"(digest {rules.digest[:12]} now, {wanted['digest'][:12]} then); probably its file or "
            "this version of mjstats has changed"
        )
    return rules


def _stored(data: RunData, *, stop: int) -> Iterator[Chunk]:
    """Yield the deals that a run has, up to one."""
    for index in range(len(data.store)):
        chunk: Chunk = {
            dataset: data.store.read(
                index, dataset, [column.name for column in data.layout.columns(dataset)]
            )
            for dataset in ("deals", "listens", "extra_wins")
        }
        yield cut(chunk, start=0, stop=stop)


def worker_count(workers: int | None) -> int:
    """Check a number of workers.

    Parameters
    ----------
    workers : int or None
        What was given.

    Returns
    -------
    int
        The number; all processors by default.
    """
    if workers is None:
        return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return whole_number("workers", workers, least=1, most=MOST_WORKERS)
