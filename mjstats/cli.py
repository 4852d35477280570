"""The command line: every command reads arguments, asks the package, renders the answer.

Results go to stdout, progress and errors to stderr. Bad input ends with code 2 and one line that
says what, where and what is allowed; Ctrl-C ends with code 130.
"""

import functools
import inspect
import math
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

import mjstats as mj
from mjstats.arguments import LARGEST, MOST_WORKERS
from mjstats.errors import ArgumentError, CoreError, MjstatsError, NotAWin, StoreError
from mjstats.policies import policies_by_seat
from mjstats.publish.tables import FORMATS, Format, records, render, to_json
from mjstats.rulesets import parse_change
from mjstats.rulesets.schema import settings_of, show

if TYPE_CHECKING:
    import pandas as pd

    from mjstats.replay import Trace
    from mjstats.results import Run
    from mjstats.rulesets import Ruleset

# The tables of a run: method of Run and name of its file, and the heading.
TABLES = {
    "frequencies": "Hand frequencies",
    "listen_odds": "Listen-wait odds",
    "expected_settlements": "Expected settlements",
}

# What can be counted exactly: function of mjstats.exact and heading.
EXACT = {
    "shanten": "shanten of the dealt hand",
    "complete": "complete hand of 14 dealt tiles",
    "ready": "ready hand of 13 dealt tiles",
    "waits": "waits of a ready hand of 13 dealt tiles",
    "features": "features of a complete hand of 14 dealt tiles",
    "special_kongs": "special kongs among the dealt tiles",
    "wilds": "wild tiles among the dealt tiles",
    "wild_head": "wild head of 13 dealt tiles",
    "dealt_win": "14 dealt tiles that win",
    "bonus": "bonus tiles of the deal, by seat from the dealer",
    "draws": "live copies that come within n draws",
}

# The two tables of runs side by side, and the files that figures are written to.
COMPARED = {"measures": "Runs side by side", "elements": "Their elements"}
FIGURES = (".png", ".svg", ".pdf")

MOST_DEALS = 2**31 - 1
# Those that can be parted by columns of the data, and those that control variates can sharpen.
PARTED = ("listen_odds", "expected_settlements")
CONTROLLED = ("frequencies", "expected_settlements")

Command = Callable[..., None]


class _Whole(click.IntRange):
    """A whole number; a refusal says which are allowed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            allowed = f"whole numbers from {self.min} to {self.max}"
            self.fail(f"{value!r}: allowed are {allowed}", param, ctx)


class _Seconds(click.FloatRange):
    """A number in a range; NaN, which compares with nothing, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r}: allowed are numbers from {self.min} to {self.max}", param, ctx)
        return number


SEEDS = _Whole(0, LARGEST)
INDEX = _Whole(0, MOST_DEALS)
DEALS = _Whole(1, MOST_DEALS)


class _Cli(click.Group):
    """A group that ends as the contract says: one line an error, codes 0, 2 and 130."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run a command and leave with its exit code."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            with suppress(ValueError):  # not the main thread
                signal.signal(signal.SIGINT, _interrupt)
        try:
            code = super().main(args, *rest, **{**extra, "standalone_mode": False}) or 0
        except click.Abort:
            code = _complain("interrupted", code=130)
        except click.UsageError as error:
            command = error.ctx.info_name if error.ctx and error.ctx.parent else None
            where = f"{command}: " if command else ""
            code = _complain(where + error.format_message())
        except click.ClickException as error:
            code = _complain(error.format_message())
        except CoreError as error:
            code = _complain(str(error), code=1)
        except MjstatsError as error:
            code = _complain(str(error))
        except OSError as error:
            named = f"{error.filename}: " if isinstance(error.filename, str) else ""
            code = _complain(named + (error.strerror or str(error)))
        sys.exit(code)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; who asks for an unknown one is told those that exist."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}: allowed are {', '.join(sorted(self.commands))}")
        return super().resolve_command(ctx, args)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End on the first Ctrl-C; further ones must not break into the tidying up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.default_int_handler(number, frame)


def _complain(message: str, *, code: int = 2) -> int:
    """Print one line on stderr and give the exit code back, whether or not it can be printed."""
    with suppress(OSError):
        click.echo("mjstats: " + " ".join(message.split()), err=True)
    return code


def _emit(text: str) -> None:
    """Print a result; a reader who has left (``mjstats … | head``) is no error."""
    if sys.stdout is None:  # closed by the caller
        raise StoreError("standard output is closed: nowhere to print the result")
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except OSError as error:
        # What could not be written must not be tried again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise click.exceptions.Exit(0) from None
        raise OSError(error.errno, error.strerror, "standard output") from error


def _emit_tables(
    tables: Mapping[str, "pd.DataFrame"],
    *,
    fmt: Format,
    titles: Mapping[str, str],
    notes: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Print several tables one below the other; as JSON, one object that holds them by name."""
    if fmt == "json":
        _emit(to_json({name: records(frame) for name, frame in tables.items()}))
        return
    # CSV knows no headings: the name of each table stands in a comment line. On a terminal the
    # notes stand once, at the end.
    below = dict(notes or {})
    if fmt == "table":
        below = {list(tables)[-1]: list(dict.fromkeys(chain.from_iterable(below.values())))}
    _emit(
        "\n".join(
            (f"# {name}\n" if fmt == "csv" else "")
            + render(
                frame,
                fmt=fmt,
                title=titles[name],
                notes=below.get(name, ()),
            )
            for name, frame in tables.items()
        )
    )


def _format_option(command: Command) -> Command:
    return click.option(
        "--format",
        "fmt",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How the result is printed.",
    )(command)


def _ruleset_argument(**settings: Any) -> Callable[[Command], Command]:
    """Let RULESET, --preset and --set reach the command as one Ruleset named ``ruleset``."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def resolved(
            *, ruleset: str | None, preset: str | None, changes: tuple[str, ...], **rest: Any
        ) -> None:
            if ruleset is None:
                if preset or changes:
                    raise click.UsageError("--preset and --set need a RULESET")
                command(ruleset=None, **rest)
                return
            settings = dict(map(parse_change, changes))
            command(ruleset=mj.ruleset(ruleset, preset=preset, changes=settings), **rest)

        for option in (
            click.option(
                "--set",
                "changes",
                multiple=True,
                metavar="KEY=VALUE",
                help="Change a rule: options.NAME=VALUE or elements.ID.value=VALUE; repeatable.",
            ),
            click.option("--preset", metavar="NAME", help="A named set of options of the game."),
            click.argument("ruleset", **settings),
        ):
            resolved = option(resolved)
        return resolved

    return decorate


def _policies_option(command: Command) -> Command:
    return click.option(
        "--policies",
        default="greedy",
        show_default=True,
        metavar="A[,B,C,D]",
        help="One policy for all seats, or four: random, greedy, greedy:MODE. What greedy bids "
        "follows it: greedy:bids=WORD+WORD (suqian), greedy:mai=N:xia=N:piao=N (yiwu: points "
        "bought and placed, the most allowed up to N; wild heads given up for a piao, up to N).",
    )(command)


def _control_option(command: Command) -> Command:
    return click.option(
        "--control",
        is_flag=True,
        help="Estimate frequencies and settlements with control variates: corrected by how far "
        "the dealt hands are from their exact distribution.",
    )(command)


@click.group(
    cls=_Cli,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(mj.__version__, prog_name="mjstats")
def main() -> None:
    """Monte Carlo statistics of regional Chinese mahjong.

    RULESET is an id (see: mjstats rulesets) or a TOML file of house rules.
    """


@main.command()
@_ruleset_argument(required=False)
@_format_option
def rulesets(ruleset: "Ruleset | None", fmt: Format) -> None:
    """List the rulesets; with RULESET its scoring items, options and presets."""
    import pandas as pd

    if ruleset is None:
        _emit(render(mj.rulesets(), fmt=fmt))
        return
    forms = ruleset.definition.options
    elements = pd.DataFrame(
        {
            "element": [item.id for item in ruleset.elements],
            "name_zh": [item.name_zh for item in ruleset.elements],
            "name_en": [item.name_en for item in ruleset.elements],
            "kind": [item.kind for item in ruleset.elements],
            "values": [list(item.tiers) for item in ruleset.elements],
            "condition": [ruleset.definition.elements[item.id].doc for item in ruleset.elements],
        }
    )
    options = pd.DataFrame(
        {
            "option": list(ruleset.options),
            "value": list(ruleset.options.values()),
            "allowed": [forms[name].allowed for name in ruleset.options],
            "doc": [forms[name].doc for name in ruleset.options],
        },
        dtype=object,
    )
    presets = pd.DataFrame(
        [
            (name, ", ".join(f"{key}={show(value)}" for key, value in sets.items()), form.doc)
            for name, form in ruleset.definition.presets.items()
            for sets in [settings_of(form, where=f"presets.{name}")]
        ],
        columns=["preset", "sets", "doc"],
    )
    _emit_tables(
        {"elements": elements, "options": options, "presets": presets},
        fmt=fmt,
        titles={
            "elements": f"{ruleset.name_zh} {ruleset.name}: scoring items",
            "options": f"{ruleset.name_zh} {ruleset.name}: options",
            "presets": f"{ruleset.name_zh} {ruleset.name}: presets",
        },
    )


# Runs


@main.command()
@_ruleset_argument()
@_policies_option
@click.option("--seed", type=SEEDS, help="Without it one is drawn and told.")
@click.option("--deals", type=DEALS, default=100_000, show_default=True)
@click.option("--until", metavar="RULE", help="Stop earlier, for example rel_err:qi_dui:0.05.")
@click.option("--workers", type=_Whole(1, MOST_WORKERS), help="Threads; the result is the same.")
@click.option("--out", type=click.Path(path_type=Path), help="A new folder for tables and data.")
@click.option("--progress/--no-progress", default=True, help="A bar on stderr.")
@click.option("--table", "chosen", type=click.Choice(list(TABLES)), help="Print this table alone.")
@_control_option
@_format_option
def simulate(
    ruleset: "Ruleset",
    policies: str,
    seed: int | None,
    deals: int,
    until: str | None,
    workers: int | None,
    out: Path | None,
    progress: bool,
    chosen: str | None,
    control: bool,
    fmt: Format,
) -> None:
    """Play deals and print the three tables.

    With --out they are also written to a new folder, as CSV and Markdown, beside the Parquet data
    of every deal and the provenance (run.json).
    """
    _check_control(control, chosen)
    run = mj.simulate(
        ruleset,
        deals=deals,
        seed=seed,
        policies=policies,
        workers=workers,
        until=until,
        out=out,
        progress=progress,
    )
    tables = _tables(run, control=control)
    if out is not None:
        _write_tables(tables, notes=_notes(run, tables), folder=out)
    _print_run(run, tables=tables, chosen=chosen, fmt=fmt)
    if out is not None:
        click.echo(f"Tables, data and provenance: {out}{os.sep}", err=True)


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--table", "chosen", type=click.Choice(list(TABLES)), help="Print this table alone.")
@click.option("--by", metavar="A[,B]", help="Columns of the data that part this table.")
@_control_option
@_format_option
def table(folder: Path, chosen: str | None, by: str | None, control: bool, fmt: Format) -> None:
    """Print the tables of the run stored in FOLDER."""
    _check_control(control, chosen)
    if by is not None and chosen not in PARTED:
        raise click.UsageError(f"--by parts one table: --table {' or '.join(PARTED)} is needed")
    run = mj.open_run(folder)
    if by is None:
        tables = _tables(run, control=control)
    else:
        tables = {str(chosen): _table(run, str(chosen), control=control, by=by.split(","))}
    _print_run(run, tables=tables, chosen=chosen, fmt=fmt)


def _check_control(control: bool, chosen: str | None) -> None:
    """Refuse control variates for a table that has none."""
    if control and chosen not in (None, *CONTROLLED):
        names = " or ".join(CONTROLLED)
        raise click.UsageError(f"--control sharpens other tables: --table {names} is allowed")


def _tables(run: "Run", *, control: bool) -> dict[str, "pd.DataFrame"]:
    return {name: _table(run, name, control=control) for name in TABLES}


def _table(run: "Run", name: str, *, control: bool, **settings: Any) -> "pd.DataFrame":
    """Make one table of a run, with control variates where they are asked for and of use."""
    if control and name in CONTROLLED:
        settings["control"] = True
    frame: pd.DataFrame = getattr(run, name)(**settings)
    return frame


def _print_run(
    run: "Run", *, tables: Mapping[str, "pd.DataFrame"], chosen: str | None, fmt: Format
) -> None:
    notes = _notes(run, tables)
    if chosen is None:
        _emit_tables(tables, fmt=fmt, titles=TABLES, notes=notes)
    else:
        _emit(render(tables[chosen], fmt=fmt, title=TABLES[chosen], notes=notes[chosen]))


def _notes(run: "Run", tables: Mapping[str, "pd.DataFrame"]) -> dict[str, list[str]]:
    """Say what a reader must know to judge each table and to reproduce it."""
    task = run.origin.task
    origin = (
        f"{run.n_deals:,} deals in {run.n_matches:,} matches of {task.ruleset['id']}, "
        f"played by {policies_by_seat(task.policies)}; seed {task.seed}, mjstats {mj.__version__}, "
        f"task {run.origin.task_id[:12]}"
    )
    return {name: [origin, *frame.attrs["notes"]] for name, frame in tables.items()}


def _write_tables(
    tables: Mapping[str, "pd.DataFrame"], *, notes: Mapping[str, Sequence[str]], folder: Path
) -> None:
    """Write each table as CSV and Markdown: whole, or not at all."""
    formats: tuple[Format, ...] = ("csv", "md")
    for name, frame in tables.items():
        for fmt in formats:
            path = folder / f"{name}.{fmt}"
            draft = folder / f".{name}.{fmt}.part"
            try:
                text = render(frame, fmt=fmt, title=TABLES[name], notes=notes[name])
                draft.write_text(text, encoding="utf-8")
                draft.replace(path)
            except OSError as error:
                raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
            finally:
                draft.unlink(missing_ok=True)


@main.command()
@click.argument(
    "folders", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path)
)
@click.option(
    "--wide/--long",
    default=None,
    help="Runs side by side, or a row each number; long in csv and json, else wide.",
)
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write a page of figures: .png, .svg or .pdf.",
)
@_format_option
def compare(folders: tuple[Path, ...], wide: bool | None, figure: Path | None, fmt: Format) -> None:
    """Set the runs stored in the folders RUN side by side: rates, turns, stakes, elements."""
    from mjstats.compare import side_by_side

    if figure is not None and figure.suffix.lower() not in FIGURES:
        raise click.UsageError(f"--figure {figure}: allowed are names in {', '.join(FIGURES)}")
    table = mj.compare(folders)
    if figure is not None:
        _write_figure(table, figure)
    notes = [*table.attrs["origins"], *table.attrs["notes"]]
    if wide or (wide is None and fmt not in ("csv", "json")):
        measures, elements = side_by_side(table)
        notes.insert(0, "± is half of the 95% interval")
        parts = {"measures": measures, "elements": elements}
        _emit_tables(parts, fmt=fmt, titles=COMPARED, notes=dict.fromkeys(parts, notes))
    else:
        _emit(render(table, fmt=fmt, title="Runs side by side", notes=notes))


def _write_figure(table: "pd.DataFrame", path: Path) -> None:
    """Write the page of figures: whole, or not at all."""
    from matplotlib import pyplot

    draft = path.with_name(f".{path.name}.part")
    figure = mj.plots.compare(table)
    # Drawn in memory: not every format survives a disk that fills up while it is written.
    drawn = BytesIO()
    figure.savefig(drawn, format=path.suffix[1:], dpi=150)
    pyplot.close(figure)
    try:
        try:
            draft.write_bytes(drawn.getvalue())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error


# Exact values


@main.command()
@_ruleset_argument()
@click.argument("what", type=click.Choice(list(EXACT)))
@click.option("--tiles", type=int, help="Tiles of the hand, 13 or 14.")
@click.option(
    "--shape",
    metavar="A[,B…]",
    callback=lambda _, __, text: text and text.split(","),
    help="Winning shapes, instead of those of the ruleset: standard, seven_pairs_distinct, "
    "seven_pairs_quads, unconnected, unconnected_groups.",
)
@click.option("--waits", help="Live, formal or legal waits.")
@click.option("--wilds", type=int, help="Wild tiles among those of the hand.")
@click.option(
    "--by",
    metavar="A[,B…]",
    callback=lambda _, __, text: text and text.split(","),
    help="waits: tell apart by kinds, live, roles, wait_class, suits, honours.",
)
@click.option("--combined", is_flag=True, default=None, help="features: also two together.")
@click.option("--of", help="features: as a share of complete or of dealt hands.")
@click.option("--live", type=int, help="draws: copies that can still come.")
@click.option("--unseen", type=int, help="draws: tiles among which they lie.")
@click.option("--n", type=int, help="draws: how many are drawn.")
@_format_option
def exact(ruleset: "Ruleset", what: str, fmt: Format, **options: Any) -> None:
    """Print exact probabilities of dealt hands, counted instead of played.

    WHAT is shanten, complete, ready, waits, features, special_kongs, wilds, wild_head, dealt_win,
    bonus or draws.
    """
    count = getattr(mj.exact, what)
    parameters = inspect.signature(count).parameters
    allowed = [name for name in options if name in parameters]
    given = {name: value for name, value in options.items() if value is not None}
    if wrong := [name for name in given if name not in parameters]:
        choices = ", ".join(f"--{name}" for name in allowed) or "none"
        raise click.UsageError(f"{what} takes no --{wrong[0]}; allowed are {choices}")
    if lacking := [
        name
        for name in allowed
        if name not in given and parameters[name].default is inspect.Parameter.empty
    ]:
        raise click.UsageError(f"{what} needs {', '.join(f'--{name}' for name in lacking)}")
    if "ruleset" in parameters:
        given["ruleset"] = ruleset
    title = f"{ruleset.name_zh} {ruleset.name}: {EXACT[what]}, exact"
    _emit(render(count(**given), fmt=fmt, title=title))


@main.command()
@_ruleset_argument()
@click.argument("elements", nargs=-1, required=True, metavar="ELEMENT...")
@_policies_option
@click.option("--seed", type=SEEDS, required=True, help="Seed of the estimates.")
@click.option("--target", type=float, default=0.05, show_default=True, help="Relative error.")
@click.option("--deals", type=DEALS, default=4_000_000, show_default=True, help="Most deals each.")
@click.option("--method", help="exact, split, copies, suit, shanten, some joined by +.")
@click.option("--by-stratum", is_flag=True, help="Print the strata.")
@click.option("--workers", type=click.IntRange(min=1), help="Threads; the result is the same.")
@_format_option
def rare(ruleset: "Ruleset", elements: tuple[str, ...], fmt: Format, **options: Any) -> None:
    """Estimate how often each rare ELEMENT occurs in a deal, by splitting or by strata.

    ELEMENT is an id, ID=VALUE, ID>=VALUE, or several in one win, joined by +; kongs=4 asks for the
    kongs of the winner.
    """
    table = mj.rare(ruleset, elements, **options)
    title = f"{ruleset.name_zh} {ruleset.name}: rare elements, first deal of a match"
    notes = [f"Played by {options['policies']}; seed {options['seed']}, mjstats {mj.__version__}"]
    if not options["by_stratum"]:
        notes += [
            f"{element}: target missed; "
            + (
                f"about {projected:.2g} deals would reach it (--deals)"
                if math.isfinite(projected)
                else "no deal had it, so what would reach it is not known (--deals)"
            )
            for element, projected in table.loc[
                ~table["reached"], ["element", "projected"]
            ].to_numpy()
        ]
    _emit(render(table, fmt=fmt, title=title, notes=notes))


# Hands


@main.command()
@_ruleset_argument()
@click.argument("hands", nargs=-1, required=True, metavar="HAND...")
@_format_option
def shanten(ruleset: "Ruleset", hands: tuple[str, ...], fmt: Format) -> None:
    """Print the shanten of each HAND ("123m456p789s1122z"; melds follow in the same argument)."""
    import pandas as pd

    values = [mj.shanten(hand, ruleset=ruleset) for hand in hands]
    _emit(render(pd.DataFrame({"hand": hands, "shanten": values}), fmt=fmt))


@main.command()
@_ruleset_argument()
@click.argument("hand")
@_format_option
def waits(ruleset: "Ruleset", hand: str, fmt: Format) -> None:
    """Print the tiles that complete the ready HAND."""
    _emit(render(mj.waits(hand, ruleset=ruleset), fmt=fmt))


@main.command()
@_ruleset_argument()
@click.argument("hand")
@_format_option
def acceptance(ruleset: "Ruleset", hand: str, fmt: Format) -> None:
    """Print the tiles that bring HAND nearer to ready, for each discard of 14 tiles."""
    _emit(render(mj.acceptance(hand, ruleset=ruleset), fmt=fmt))


@main.command()
@_ruleset_argument()
@click.argument("hand")
@_format_option
def readings(ruleset: "Ruleset", hand: str, fmt: Format) -> None:
    """Print every way to read the complete HAND as sets and a pair."""
    _emit(render(mj.readings(hand, ruleset=ruleset), fmt=fmt))


# Worked deals


@main.command()
@_ruleset_argument()
@click.argument("cases", type=click.Path(path_type=Path))
@_format_option
def score(ruleset: "Ruleset", cases: Path, fmt: Format) -> None:
    """Score the worked deals of the JSON file CASES, in their order."""
    import pandas as pd

    answers, names = [], []
    for number, case in enumerate(_read_cases(cases), start=1):
        name = str(case.get("id", number))
        try:
            answers.append(_answer(case, ruleset=ruleset))
        except CoreError:
            raise
        except MjstatsError as error:
            raise ArgumentError(f"{cases}: case {name}: {error}") from error
        names.append(name)
    if fmt == "json":
        _emit(to_json(answers))
    else:
        frame = pd.DataFrame(answers, dtype=object)
        frame.insert(0, "case", names)
        _emit(render(frame, fmt=fmt))


def _read_cases(path: Path) -> list[dict[str, Any]]:
    """Read ``{"cases": [...]}`` or a bare list of cases."""
    import msgspec

    try:
        content = msgspec.json.decode(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ArgumentError(f"{path}: no JSON: {error}; allowed is a list of cases") from error
    cases = content.get("cases") if isinstance(content, dict) else content
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise ArgumentError(f"{path}: no cases; allowed is a list of objects, bare or as 'cases'")
    return cases


def _answer(case: dict[str, Any], *, ruleset: "Ruleset") -> dict[str, Any]:
    """Answer one case with the keys of its ``expect``."""
    match case.get("kind", "win"):
        case "win" | "kong":
            try:
                return {"legal": True, **mj.score(case, ruleset=ruleset).as_dict()}
            except NotAWin as error:
                return {"legal": False, "reason": error.reason}
        case "carry":
            if not all(isinstance(case.get(name), dict) for name in ("before", "event")):
                raise ArgumentError("a carry case needs the objects 'before' and 'event'")
            changes = case.get("options")
            return {
                "after": mj.next_state(
                    case["before"], case["event"], ruleset=ruleset, changes=changes
                )
            }
        case "table":
            return {"id": case.get("id"), "skipped": "table"}
        case kind:
            raise ArgumentError(f"kind {kind!r} is unknown: allowed are win, kong, carry, table")


# Single deals


def _deal_range(_: click.Context, __: click.Parameter, text: str | None) -> range | None:
    if text is None:
        return None
    if found := re.fullmatch(r"([0-9]{1,10}):([0-9]{1,10})", text):
        first, end = map(int, found.groups())
        if first < end <= MOST_DEALS:
            return range(first, end)
    raise click.BadParameter(f"{text!r}: allowed is A:B with A < B, for the deals A to B-1")


@main.command()
@_ruleset_argument()
@_policies_option
@click.option("--seed", type=SEEDS, required=True, help="Seed of the run.")
@click.option("--match", "match_", type=INDEX, help="Count deals within this match.")
@click.option("--deal", type=INDEX, help="Index of the deal, from 0.")
@click.option("--deals", metavar="A:B", callback=_deal_range, help="The deals A to B-1.")
@_format_option
def replay(
    ruleset: "Ruleset",
    policies: str,
    seed: int,
    match_: int | None,
    deal: int | None,
    deals: range | None,
    fmt: Format,
) -> None:
    """Play single deals of a run again and print every event; as JSON, one object a line."""
    from mjstats.replay import replay_range

    if deal is not None and deals is None:
        deals = range(deal, deal + 1)
    elif deal is not None or deals is None:
        raise click.UsageError("one of --deal K and --deals A:B is needed")
    traces = replay_range(ruleset, seed=seed, deals=deals, match=match_, policies=policies)
    if fmt in ("csv", "md", "latex"):
        _emit(render(_event_table(traces), fmt=fmt))
        return
    for trace in traces:
        match fmt:
            case "json":
                _emit(trace.json_lines() + "\n")
            case "html":
                _emit(trace.html() + "\n")
            case _:
                _emit(trace.text() + "\n")


def _event_table(traces: Iterable["Trace"]) -> "pd.DataFrame":
    """One row an event; what is peculiar to its kind stands together as JSON."""
    import json

    import pandas as pd

    return pd.DataFrame(
        [
            {
                "deal": trace.events[0]["deal"],
                "event": event["event"],
                "seat": event.get("seat"),
                "details": json.dumps(
                    {key: event[key] for key in event if key not in ("event", "seat")},
                    ensure_ascii=False,
                ),
            }
            for trace in traces
            for event in trace.events
        ],
        dtype=object,
    )


# This machine


@main.command()
@_ruleset_argument(default="yancheng")
@_policies_option
@click.option("--seconds", type=_Seconds(0, 60), default=1.0, show_default=True)
@_format_option
def bench(ruleset: "Ruleset", policies: str, seconds: float, fmt: Format) -> None:
    """Measure how fast this machine is: hands, walls and deals a second."""
    from mjstats.bench import rates

    _emit(render(rates(ruleset, seconds=seconds, policies=policies), fmt=fmt))
