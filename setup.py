"""Build of the Cython core; all metadata stands in pyproject.toml."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup


def switch(name: str) -> bool:
    """Read a build switch of the environment: the only place that does."""
    value = os.environ.get(f"MJSTATS_{name}", "0")
    if value not in {"0", "1"}:
        raise SystemExit(f"MJSTATS_{name}={value!r}: allowed are 0 and 1")
    return value == "1"


DEBUG = switch("DEBUG")
NATIVE = switch("NATIVE")

compile_args = ["-O1", "-g"] if DEBUG else ["-O3"]
if NATIVE:
    compile_args.append("-march=native")

modules = sorted(path.stem for path in Path("cython_core").glob("*.pyx"))
setup(
    ext_modules=cythonize(
        [
            Extension(
                f"cython_core.{stem}",
                [f"cython_core/{stem}.pyx"],
                extra_compile_args=compile_args,
            )
            for stem in modules
        ],
        build_dir="build/cython",
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "initializedcheck": DEBUG,
            "wraparound": False,
            "cdivision": True,
            "embedsignature": True,
            "freethreading_compatible": True,
        },
        # A build switch changes the code that is generated, so no stale C file may be taken.
        force=DEBUG,
    )
)
