"""From blocks of matches to a run: workers, order, cut, stopping, files.

Whatever the number of workers and the size of their blocks, the rows are put into the order of the
matches, cut at the wished number of deals and stored in chunks of 65,536 deals; so equal tasks of
equal length give equal bytes.
"""

import os
import secrets
import shutil
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from mjstats import _core
from mjstats.errors import ArgumentError, StoreError, quoted
from mjstats.run import (
    CHUNK_DEALS,
    DATASETS,
    METADATA_KEY,
    RUN_FILE,
    SCHEMA_VERSION,
    Chunk,
    Circumstances,
    Columns,
    Dataset,
    Layout,
    MemoryStore,
    Origin,
    RunData,
    Stopping,
    Task,
    encode,
    open_data,
    settlements,
)
from mjstats.stats.clustered import MIN_CLUSTERS, clustered_rate, sum_by
from mjstats.stats.intervals import EXACT_BELOW

if TYPE_CHECKING:
    import pyarrow.parquet as pq

#: Most matches in a block: about 0.1 s of work, so that Ctrl-C and progress are prompt.
MAX_BLOCK: Final = 512
#: Deals a match is taken to have before any was played.
FIRST_GUESS: Final = 20


#: Play whole matches: the first one's number and how many.
Play = Callable[[int, int, Callable[[], bool]], _core.Block]


def chunk_of(block: _core.Block, *, first_deal: int, layout: Layout) -> Chunk:
    """Turn a block of the kernel into columns.

    Parameters
    ----------
    block : mjstats._core.Block
        Rows of whole matches.
    first_deal : int
        Index in the run of the block's first deal.
    layout : Layout
        What the ruleset decides about the columns.

    Returns
    -------
    Chunk
        Columns of deals, listens and extra_wins.
    """
    deals = block.deals
    sources: dict[Dataset, tuple[NDArray[Any], NDArray[Any], NDArray[np.int32] | None]] = {
        "deals": (deals, np.arange(len(deals)), block.elements),
        "listens": (block.listens, block.listens["deal"], None),
        "extra_wins": (block.extra_wins, block.extra_wins["deal"], block.extra_elements),
    }
    chunk: Chunk = {}
    for dataset, (rows, deal, elements) in sources.items():
        columns: Columns = {}
        for column in layout.columns(dataset):
            values: NDArray[Any]
            name = column.name
            stem, _, seat = name.rpartition("_")
            if name == "deal":
                values = first_deal + deal.astype(np.int64)
            elif name == "match":
                values = deals["match"][deal]
            elif name in (rows.dtype.names or ()):
                values = rows[name]
            elif stem in (rows.dtype.names or ()):
                values = rows[stem][:, int(seat)]
            elif elements is not None and name in layout.element_columns:
                values = elements[:, layout.element_columns.index(name)]
            else:
                values = block.counters[:, layout.counters.index(name)]
            columns[name] = np.ascontiguousarray(values, dtype=column.dtype)
        chunk[dataset] = columns
    return chunk


def cut(chunk: Chunk, *, start: int, stop: int) -> Chunk:
    """Keep the rows of the deals start ≤ deal < stop.

    Parameters
    ----------
    chunk : Chunk
        Columns in the order of the deals.
    start, stop : int
        Indices in the run.

    Returns
    -------
    Chunk
        Views of the columns.
    """
    kept: Chunk = {}
    for dataset, columns in chunk.items():
        low, high = np.searchsorted(columns["deal"], [start, stop])
        kept[dataset] = {name: values[low:high] for name, values in columns.items()}
    return kept


def _joined(chunks: Sequence[Chunk]) -> Chunk:
    """Put chunks one behind the other, into arrays of their own."""
    return {
        dataset: {
            name: np.concatenate([chunk[dataset][name] for chunk in chunks]) for name in columns
        }
        for dataset, columns in chunks[0].items()
    }


def regular(chunks: Iterable[Chunk], *, stop: int) -> Iterator[Chunk]:
    """Cut a stream of chunks anew, into chunks of 65,536 deals.

    Parameters
    ----------
    chunks : iterable of Chunk
        Consecutive stretches of deals of any length.
    stop : int
        Number of deals after which to end, at most as many as there are.

    Yields
    ------
    Chunk
        The next 65,536 deals, at the end what is left.
    """
    pending: list[Chunk] = []
    end = 0
    border = min(CHUNK_DEALS, stop)
    for chunk in chunks:
        start, end = end, end + len(chunk["deals"]["deal"])
        while end >= border:
            yield _joined([*pending, cut(chunk, start=start, stop=border)])
            if border == stop:
                return
            pending.clear()
            start, border = border, min(border + CHUNK_DEALS, stop)
        pending.append(cut(chunk, start=start, stop=end))


def ordered_chunks(
    play: Play,
    *,
    layout: Layout,
    first_match: int,
    first_deal: int,
    deals: int,
    workers: int,
    block: int | None = None,
) -> Generator[Chunk]:
    """Play blocks of matches on threads and give them in order until there are enough deals.

    Parameters
    ----------
    play : callable
        The kernel: first match, number of matches, and what tells it to stop early. It releases
        the interpreter lock while it plays.
    layout : Layout
        What the ruleset decides about the columns.
    first_match, first_deal : int
        Where to start.
    deals : int
        Number of deals in the run at which to end; the last chunk may go beyond.
    workers : int
        Number of threads.
    block : int, optional
        Matches a block; by default as many as are useful, up to 512.

    Yields
    ------
    Chunk
        Columns of the next block.
    """
    queue: deque[tuple[int, Future[_core.Block]]] = deque()
    played_matches, played_deals = 0, 0
    abandoned = threading.Event()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="mjstats")
    try:
        while played_deals < deals - first_deal:
            a_match = played_deals / played_matches if played_matches else FIRST_GUESS
            while len(queue) < 2 * workers:
                missing = deals - first_deal - played_deals - a_match * sum(n for n, _ in queue)
                if queue and missing <= 0:
                    break
                share = int(missing / a_match / workers) + 1
                n = block or max(1, min(share, MAX_BLOCK))
                queue.append((n, pool.submit(play, first_match, n, abandoned.is_set)))
                first_match += n
            n, future = queue.popleft()
            rows = future.result()
            yield chunk_of(rows, first_deal=first_deal + played_deals, layout=layout)
            played_matches += n
            played_deals += len(rows.deals)
    finally:
        abandoned.set()
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class RelErr:
    """Stopping rule: until the rate of an element a deal is known well enough.

    The rule is looked at after every 65,536 deals, and not before 30 matches and ten occurrences.
    Because the data decide when to stop, the estimates of such a run are slightly biased; its
    provenance and its tables say so.

    Parameters
    ----------
    element : str
        Id of an element of the ruleset, or ``"win"``.
    target : float
        Wished standard error, by matches, divided by the rate.

    Examples
    --------
    >>> RelErr.parse("rel_err:qing_yi_se:0.05")
    RelErr(element='qing_yi_se', target=0.05)
    """

    element: str
    target: float

    def __post_init__(self) -> None:
        """Check the target."""
        if not isinstance(self.target, int | float) or not 0 < self.target < 1:
            raise ArgumentError(f"until: target {quoted(self.target)}: between 0 and 1 is expected")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the form ``"rel_err:<element>:<target>"``.

        Parameters
        ----------
        text : str
            The rule.

        Returns
        -------
        RelErr
            The same rule.

        Raises
        ------
        ArgumentError
            If the text has another form.
        """
        try:
            name, element, target = text.split(":")
            if name != "rel_err":
                raise ValueError
            return cls(element, float(target))
        except ArgumentError:
            raise
        except ValueError:
            raise ArgumentError(
                f"until={text!r}: rel_err:<element>:<target> is expected, "
                "for example rel_err:qing_yi_se:0.05"
            ) from None

    def __str__(self) -> str:
        """Write the form that `parse` reads."""
        return f"rel_err:{self.element}:{self.target:g}"

    def check(self, layout: Layout) -> None:
        """Refuse an element that the ruleset does not have.

        Parameters
        ----------
        layout : Layout
            What the ruleset decides about the columns.

        Raises
        ------
        ArgumentError
            If there is no such element.
        """
        # An element of that name is in every win.
        known = list(dict.fromkeys(["win", *(element.id for element in layout.elements)]))
        if self.element not in known:
            raise ArgumentError(
                f"until: no element {self.element!r}: allowed are {', '.join(known)}"
            )


class Watch:
    """Counts of a stopping rule, added up chunk by chunk.

    Parameters
    ----------
    rule : RelErr
        The rule.
    """

    def __init__(self, rule: RelErr) -> None:
        self.rule = rule
        self._events = np.zeros(0)
        self._deals = np.zeros(0)

    def add(self, chunk: Chunk) -> None:
        """Count a chunk.

        Parameters
        ----------
        chunk : Chunk
            The next deals.
        """
        deals, extra = chunk["deals"], chunk["extra_wins"]
        if self.rule.element == "win":
            event = deals["outcome"] == 1
        else:
            name = f"el_{self.rule.element}"
            event = deals[name] != 0
            event[extra["deal"][extra[name] != 0] - deals["deal"][0]] = True
        match = deals["match"]
        n = int(match[-1]) + 1
        for sums, values in ((self._events, event), (self._deals, np.ones(len(event)))):
            sums.resize(n, refcheck=False)
            sums += sum_by(match, values, n)

    @property
    def reached(self) -> bool:
        """Whether the rule says to stop."""
        k = self._events.sum()
        if len(self._deals) < MIN_CLUSTERS or k < EXACT_BELOW:
            return False
        rate = clustered_rate(self._events, self._deals)
        return bool(rate.se[0] <= self.rule.target * rate.p[0])


@contextmanager
def _store_errors(path: Path) -> Iterator[None]:
    """Turn an error of the file system into one that names the folder."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"cannot write the run to {str(path)!r}: {reason}") from error


class Sink(Protocol):
    """Where chunks go while they are made."""

    def append(self, chunk: Chunk) -> None:
        """Take the next chunk."""

    def finish(self, origin: Origin, circumstances: Circumstances) -> RunData:
        """Close and give the run."""

    def discard(self) -> None:
        """Leave nothing behind."""


class MemorySink:
    """Keep the chunks in memory.

    Parameters
    ----------
    layout : Layout
        What the ruleset decides about the columns.
    """

    def __init__(self, layout: Layout) -> None:
        self._store = MemoryStore(layout)

    def append(self, chunk: Chunk) -> None:
        """Take the next chunk."""
        self._store.append(chunk)

    def finish(self, origin: Origin, circumstances: Circumstances) -> RunData:
        """Give the run in memory."""
        return RunData(origin, circumstances, self._store)

    def discard(self) -> None:
        """Leave nothing: the chunks go with the sink."""


class FolderSink:
    """Write the chunks into a folder, which appears under its name only when all is written.

    Parameters
    ----------
    path : Path
        The folder to be.
    layout : Layout
        What the ruleset decides about the columns.
    replace : bool, default False
        Take the place of an existing folder (a run that is continued).

    Raises
    ------
    StoreError
        If the folder exists already, or its parent is missing or not writable.
    """

    def __init__(self, path: Path, *, layout: Layout, replace: bool = False) -> None:
        self._path = path
        self._layout = layout
        self._replace = replace
        self._writers: dict[str, pq.ParquetWriter] = {}
        with _store_errors(path):
            if not replace and os.path.lexists(path):
                raise StoreError(f"output folder {str(path)!r} exists already: choose a new name")
            self._hidden = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
            self._hidden.mkdir()

    def append(self, chunk: Chunk) -> None:
        """Write the next chunk as one row group a file."""
        import pyarrow.parquet as pq

        with _store_errors(self._path):
            for dataset in DATASETS:
                columns = (
                    settlements(chunk["deals"], chunk["extra_wins"])
                    if dataset == "settlements"
                    else chunk[dataset]
                )
                table = encode(columns, self._layout.columns(dataset))
                if dataset not in self._writers:
                    self._writers[dataset] = pq.ParquetWriter(
                        self._hidden / f"{dataset}.parquet",
                        table.schema,
                        compression="zstd",
                        write_page_checksum=True,
                    )
                self._writers[dataset].write_table(table, row_group_size=max(1, len(table)))

    def finish(self, origin: Origin, circumstances: Circumstances) -> RunData:
        """Close the files, give the folder its name and open it."""
        text = msgspec.json.encode(origin, order="deterministic").decode()
        with _store_errors(self._path):
            for writer in self._writers.values():
                writer.add_key_value_metadata({METADATA_KEY.decode(): text})
                writer.close()
            # For readers the run's definition stands here too; the data files are what counts.
            told = {
                **msgspec.to_builtins(circumstances),
                "deals": origin.deals,
                "task": msgspec.to_builtins(origin.task),
            }
            run_file = msgspec.json.format(msgspec.json.encode(told), indent=2)
            (self._hidden / RUN_FILE).write_bytes(run_file + b"\n")
            if self._replace:
                self._take_over()
            else:
                self._hidden.rename(self._path)
        return open_data(self._path)

    def _take_over(self) -> None:
        """Take the place of the existing folder; what else lies there stays."""
        own = {path.name for path in self._hidden.iterdir()}
        old = self._hidden.with_suffix(".old")
        try:
            self._path.rename(old)
            self._hidden.rename(self._path)
        except BaseException:  # Ctrl-C too
            if not self._path.exists():
                old.rename(self._path)
            raise
        for path in list(old.iterdir()):
            if path.name not in own:
                path.rename(self._path / path.name)
        shutil.rmtree(old)

    def discard(self) -> None:
        """Close the files and remove the hidden folder."""
        for writer in self._writers.values():
            # A full disk makes closing fail too; the folder goes anyway.
            with suppress(OSError):
                writer.close()
        shutil.rmtree(self._hidden, ignore_errors=True)


def collect(
    chunks: Iterable[Chunk],
    *,
    sink: Sink,
    task: Task,
    layout: Layout,
    deals: int,
    until: RelErr | None,
    circumstances: Callable[[], Circumstances],
) -> RunData:
    """Cut a stream of deals into chunks and store them.

    Parameters
    ----------
    chunks : iterable of Chunk
        Consecutive stretches of deals from the run's first on.
    sink : Sink
        Where they go. On any error, Ctrl-C included, nothing is left there.
    task : Task
        What is simulated.
    layout : Layout
        What the ruleset decides about the columns.
    deals : int
        Number of deals; with a stopping rule, the largest.
    until : RelErr, optional
        Stopping rule.
    circumstances : callable
        Called at the end: when, where and with what.

    Returns
    -------
    RunData
        The run.
    """
    watch = None if until is None else Watch(until)
    n = 0
    try:
        for chunk in regular(chunks, stop=deals):
            sink.append(chunk)
            n += len(chunk["deals"]["deal"])
            if watch is not None:
                watch.add(chunk)
                if watch.reached:
                    break
        stopping = None if watch is None else Stopping(str(watch.rule), watch.reached)
        origin = Origin(SCHEMA_VERSION, task, task.id(), layout, n, stopping)
        return sink.finish(origin, circumstances())
    except BaseException:
        sink.discard()
        raise
