import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import click.testing
import pytest

from mjstats.cli import main


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def mjstats() -> Run:
    """Run a command inside this process."""

    def run(*args: object) -> Ended:
        done = click.testing.CliRunner().invoke(main, list(map(str, args)))
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Ended(done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def refused(mjstats: Run) -> Callable[..., str]:
    """Run a command that must be refused, and give its one line back."""

    def run(*args: object) -> str:
        done = mjstats(*args)
        assert done.code == 2, done
        assert done.out == ""
        assert done.err.startswith("mjstats: ")
        assert done.err.endswith("\n")
        assert done.err.count("\n") == 1
        return done.err.removeprefix("mjstats: ").rstrip()

    return run


@pytest.fixture
def process() -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start a command as a process of its own; none outlives the test."""
    started: list[subprocess.Popen[str]] = []

    def start(*args: object, **options: object) -> "subprocess.Popen[str]":
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        # A shell's background jobs ignore Ctrl-C, and so would what they start.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            command = [sys.executable, "-m", "mjstats", *map(str, args)]
            started.append(subprocess.Popen(command, **pipes))
        finally:
            signal.signal(signal.SIGINT, before)
        return started[-1]

    yield start
    for running in started:
        running.kill()
