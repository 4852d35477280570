"""The package's own names: loaded when used, never hidden by a module."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import cython_core
import mjstats

HEAVY = {"pandas", "scipy", "pyarrow", "matplotlib", "great_tables", "numpy", "msgspec"}


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_takes_no_heavy_module() -> None:
    loaded = json.loads(run("import mjstats, sys, json; print(json.dumps(list(sys.modules)))"))
    assert not HEAVY & {name.partition(".")[0] for name in loaded}


def test_a_ruleset_takes_no_table_library() -> None:
    code = (
        "import mjstats, sys, json; mjstats.ruleset('plain'); print(json.dumps(list(sys.modules)))"
    )
    loaded = json.loads(run(code))
    assert not (HEAVY - {"msgspec", "numpy"}) & {name.partition(".")[0] for name in loaded}


def test_every_public_name_loads_and_is_listed() -> None:
    assert sorted(mjstats._HOMES) == sorted(mjstats.__all__)
    assert set(mjstats.__all__) <= set(dir(mjstats))
    for name in mjstats.__all__:
        value = getattr(mjstats, name)
        if isinstance(value, ModuleType):
            assert value.__name__ == mjstats._HOMES[name]
        else:
            assert value.__name__ == name


@pytest.mark.parametrize(
    "name", sorted(name for name, home in mjstats._HOMES.items() if home == f"mjstats.{name}")
)
def test_a_function_is_not_hidden_by_its_module(name: str) -> None:
    first = f"import mjstats.{name}; import mjstats; print(type(mjstats.{name}).__name__)"
    last = f"import mjstats; mjstats.{name}; import mjstats.{name}; "
    last += f"print(type(mjstats.{name}).__name__)"
    assert run(first) == run(last) == type(getattr(mjstats, name)).__name__


def test_a41_the_core_is_bound_to_no_version_of_numpy() -> None:
    """Memoryviews only: compiled modules that never ask for numpy's C interface outlive it."""
    modules = Path(cython_core.__file__).parent.glob("_*.so")
    texts = {path.name: path.read_bytes() for path in modules}
    assert texts
    assert [name for name, text in texts.items() if b"_ARRAY_API" in text] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'mjstats' has no attribute 'hand'"):
        _ = mjstats.hand
