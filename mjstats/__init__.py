"""Monte Carlo statistics of regional Chinese mahjong.

Public names are loaded on first use, so that ``import mjstats`` stays light.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mjstats import exact, plots
    from mjstats.collect import RelErr
    from mjstats.compare import compare
    from mjstats.errors import MjstatsError, NotAWin
    from mjstats.hands import acceptance, readings, shanten, waits
    from mjstats.rare import rare
    from mjstats.replay import Trace, replay
    from mjstats.results import Run, open_run, simulate
    from mjstats.rulesets import Ruleset, ruleset, rulesets
    from mjstats.score import Settlement, next_state, score

__version__ = "0.1.0"

__all__ = [
    "MjstatsError",
    "NotAWin",
    "RelErr",
    "Ruleset",
    "Run",
    "Settlement",
    "Trace",
    "acceptance",
    "compare",
    "exact",
    "next_state",
    "open_run",
    "plots",
    "rare",
    "readings",
    "replay",
    "ruleset",
    "rulesets",
    "score",
    "shanten",
    "simulate",
    "waits",
]

# Where each public name lives; a module that is itself public stands for itself.
_HOMES = {
    "MjstatsError": "mjstats.errors",
    "NotAWin": "mjstats.errors",
    "acceptance": "mjstats.hands",
    "readings": "mjstats.hands",
    "shanten": "mjstats.hands",
    "waits": "mjstats.hands",
    "Ruleset": "mjstats.rulesets",
    "ruleset": "mjstats.rulesets",
    "rulesets": "mjstats.rulesets",
    "compare": "mjstats.compare",
    "Settlement": "mjstats.score",
    "next_state": "mjstats.score",
    "score": "mjstats.score",
    "rare": "mjstats.rare",
    "Trace": "mjstats.replay",
    "replay": "mjstats.replay",
    "exact": "mjstats.exact",
    "plots": "mjstats.plots",
    "RelErr": "mjstats.collect",
    "Run": "mjstats.results",
    "open_run": "mjstats.results",
    "simulate": "mjstats.results",
}


class _Package(ModuleType):
    """The package as a module whose functions are not hidden by modules of the same name."""

    def __setattr__(self, name: str, value: object) -> None:
        """Leave a public function's name to `__getattr__` when the import system binds a module."""
        # A module that is itself public is its own home and has nothing of its own name.
        hides = name in _HOMES and (_HOMES[name] != f"{__name__}.{name}" or hasattr(value, name))
        if isinstance(value, ModuleType) and hides:
            return
        super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(_HOMES[name])
    value = getattr(home, name, home)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names beside what is loaded."""
    return sorted({*globals(), *__all__})


sys.modules[__name__].__class__ = _Package
