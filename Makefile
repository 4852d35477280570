# make run    set everything up, simulate Yancheng, print and write the three tables
# make test   set everything up, run the tests
# Also: lint, bench, docs, clean. Choices: PYTHON=python3.13 DEALS=200000 SEED=7 RULESET=plain

PYTHON ?= python3
VENV ?= .venv
RULESET ?= yancheng
DEALS ?= 1000000
SEED ?= 1
PYTEST_ARGS ?= -n auto --dist loadfile

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# -P: never take the package from the current folder but the one that is installed.
PY := $(VENV)/bin/python -P
PIP := $(VENV)/bin/python -m pip --quiet

# A virtual environment knows its own path and its Python: moved or given another one, it is made anew.
KEY := $(shell { echo '$(CURDIR)'; $(PYTHON) -c 'import sys; print(sys.base_prefix, sys.version)'; } 2>/dev/null | cksum | cut -d' ' -f1)
DONE := $(VENV)/done-$(KEY)

SOURCES := setup.py pyproject.toml $(wildcard cython_core/*.pyx cython_core/*.pxd)

define MISSING
command -v $(PYTHON) >/dev/null 2>&1 || { echo "$(PYTHON) is missing (Debian: apt-get install python3)"; exit; }; \
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11 (Debian 12 or later: apt-get install python3, or choose another with PYTHON=...)"; exit; }; \
$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || echo "the venv module of $(PYTHON) is missing (Debian: apt-get install python3-venv)"; \
$(PYTHON) -c 'import pathlib, sys, sysconfig; sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").is_file())' || echo "Python.h is missing (Debian: apt-get install python3-dev)"; \
command -v gcc >/dev/null || echo "gcc is missing (Debian: apt-get install gcc)"
endef
check-tools = $(if $(shell $(MISSING)),$(error $(shell { $(MISSING); } | paste -sd ';' | sed 's/;/; /g')))

.PHONY: run test lint format doctest bench docs setup clean
.DELETE_ON_ERROR:

run: $(DONE)/core
	@mkdir -p results; n=1; while [ -e "results/$(RULESET)-$$(printf %03d $$n)" ]; do n=$$((n + 1)); done; \
	out="results/$(RULESET)-$$(printf %03d $$n)"; \
	$(PY) -m mjstats simulate $(RULESET) --deals $(DEALS) --seed $(SEED) --out "$$out"

test: $(DONE)/core $(DONE)/test
	$(VENV)/bin/python -m pytest $(PYTEST_ARGS)

doctest: $(DONE)/core $(DONE)/test
	$(VENV)/bin/python -m pytest --doctest-modules mjstats

lint: $(DONE)/core $(DONE)/lint
	$(VENV)/bin/python -m ruff check .
	$(VENV)/bin/python -m ruff format --check .
	PATH="$(VENV)/bin:$$PATH" $(VENV)/bin/cython-lint cython_core
	$(VENV)/bin/python -m mypy
	$(VENV)/bin/python -m mypy.stubtest cython_core --allowlist .stubtest --ignore-unused-allowlist --ignore-disjoint-bases
	$(VENV)/bin/lint-imports
	$(VENV)/bin/nbstripout --verify notebooks/*.ipynb

format: $(DONE)/lint
	$(VENV)/bin/python -m ruff check --fix .
	$(VENV)/bin/python -m ruff format .

bench: $(DONE)/core
	$(PY) -m mjstats bench

docs: $(DONE)/core $(DONE)/docs
	$(VENV)/bin/python -m sphinx --quiet --fail-on-warning docs docs/_build/html
	@echo "docs/_build/html/index.html"

setup: $(DONE)/core

clean:
	rm -rf .venv .venv-* build dist docs/_build *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f cython_core/*.so

$(DONE)/venv:
	@$(check-tools)
	@echo "Making the virtual environment $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'
	@mkdir -p $(@D) && touch $@

$(DONE)/deps: pyproject.toml | $(DONE)/venv
	@echo "Installing the libraries"
	@$(PIP) install --group build
	@touch $@

$(DONE)/core: $(SOURCES) $(DONE)/deps
	@$(check-tools)
	@echo "Building the core and installing mjstats"
	@PYTHONWARNINGS=ignore $(PIP) install --no-build-isolation --editable .
	@touch $@

$(DONE)/test $(DONE)/lint $(DONE)/docs: $(DONE)/%: pyproject.toml | $(DONE)/venv
	@echo "Installing the tools: $*"
	@$(PIP) install --group $*
	@touch $@
