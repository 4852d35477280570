"""Compile a module of the core's kind outside the package."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cython_core

SETUP = """
import sys
from pathlib import Path
from Cython.Build import cythonize
from setuptools import Extension, setup
root, source, out = sys.argv.pop(), sys.argv.pop(), sys.argv.pop()
name = Path(source).stem
setup(
    name=name,
    script_args=["--quiet", "build_ext", "--build-lib", out, "--build-temp", out],
    ext_modules=cythonize(
        [Extension(f"cython_core.{name}", [source])],
        build_dir=out,
        include_path=[root],
        compiler_directives={"language_level": 3, "wraparound": False, "cdivision": True},
        quiet=True,
    ),
)
"""


@contextmanager
def compiled(pyx: Path, out: Path) -> Iterator[None]:
    """Compile a .pyx file into a folder and let it be imported from ``cython_core``."""
    core = Path(cython_core.__file__).parents[1]
    source = out / pyx.name
    source.write_bytes(pyx.read_bytes())
    command = [sys.executable, "-c", SETUP, str(out), str(source), str(core)]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    cython_core.__path__.append(str(out / "cython_core"))
    yield
    cython_core.__path__.pop()
