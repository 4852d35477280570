"""Build of the Cython core; all metadata stands in pyproject.toml."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


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


class BuildExt(build_ext):
    """Compile all modules anew when the switches are not those of the last build."""

    def run(self) -> None:
        """Compare the switches, build, and note them."""
        now = f"DEBUG={DEBUG} NATIVE={NATIVE}\n"
        note = Path(self.build_temp) / "switches"
        self.force = self.force or not note.is_file() or note.read_text() != now
        super().run()
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(now)


modules = sorted(path.stem for path in Path("cython_core").glob("*.pyx"))
setup(
    cmdclass={"build_ext": BuildExt},
    ext_modules=cythonize(
        [
            Extension(
                f"cython_core.{stem}",
                [f"cython_core/{stem}.pyx"],
                extra_compile_args=compile_args,
            )
            for stem in modules
        ],
        # Bounds checks change the code that is generated.
        build_dir="build/cython-debug" if DEBUG else "build/cython",
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "initializedcheck": DEBUG,
            "wraparound": False,
            "cdivision": True,
            "embedsignature": True,
            "freethreading_compatible": True,
        },
    ),
)
