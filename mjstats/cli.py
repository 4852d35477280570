"""The command line: every command reads arguments, asks the package, renders the answer.

Results go to stdout, progress and errors to stderr. Bad input ends with code 2 and one line that
says what, where and what is allowed; Ctrl-C ends with code 130.
"""

import functools
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

import mjstats as mj
from mjstats.errors import CoreError, MjstatsError
from mjstats.publish.tables import FORMATS, Format, records, render, to_json
from mjstats.rulesets import parse_change

if TYPE_CHECKING:
    import pandas as pd

    from mjstats.rulesets import Ruleset

Command = Callable[..., None]


class _Cli(click.Group):
    """A group that ends as the contract says: one line an error, codes 0, 2 and 130."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> Any:
        """Run a command and leave with its exit code."""
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


def _complain(message: str, *, code: int = 2) -> int:
    """Print one line on stderr and give the exit code back."""
    click.echo("mjstats: " + " ".join(message.split()), err=True)
    return code


def _emit(text: str) -> None:
    """Print a result; a reader who has left (``mjstats … | head``) is no error."""
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from error


def _emit_tables(
    tables: Mapping[str, "pd.DataFrame"],
    *,
    fmt: Format,
    titles: Mapping[str, str],
    notes: Sequence[str] = (),
) -> None:
    """Print several tables one below the other; as JSON, one object that holds them by name."""
    if fmt == "json":
        _emit(to_json({name: records(frame) for name, frame in tables.items()}))
        return
    # CSV knows no headings: the name of each table stands in a comment line.
    _emit(
        "\n".join(
            (f"# {name}\n" if fmt == "csv" else "")
            + render(frame, fmt=fmt, title=titles[name], notes=notes)
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


def _ruleset_argument(*, required: bool = True) -> Callable[[Command], Command]:
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
            click.argument("ruleset", required=required),
        ):
            resolved = option(resolved)
        return resolved

    return decorate


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
    """List the rulesets; with RULESET its scoring items and options."""
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
        }
    )
    options = pd.DataFrame(
        {
            "option": list(ruleset.options),
            "value": list(ruleset.options.values()),
            "allowed": [forms[name].allowed for name in ruleset.options],
        },
        dtype=object,
    )
    _emit_tables(
        {"elements": elements, "options": options},
        fmt=fmt,
        titles={
            "elements": f"{ruleset.name_zh} {ruleset.name}: scoring items",
            "options": f"{ruleset.name_zh} {ruleset.name}: options",
        },
    )
