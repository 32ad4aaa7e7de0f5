# BJP Explorer. `make` alone prints the list of commands.

.DEFAULT_GOAL := help
.SILENT:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
# Compiled modules are kept, or every process would compile them again.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help app test test-all lint docs bench lock clean

BIN := .venv/bin
# Stamps carry the place of the checkout: a moved folder is installed again.
PLACE := $(firstword $(shell pwd | cksum))
VENV := .venv/.venv-$(PLACE)
RUNTIME := .venv/.runtime-$(PLACE)
DEV := .venv/.dev-$(PLACE)
WARM := .venv/.warm-$(PLACE)
LINTED := .venv/.linted-$(PLACE)

SOURCES := $(shell find . -name .venv -prune -o -name '*.py' -print)
FRONTEND := bjp_explorer/frontend/*.js bjp_explorer/frontend/*/*.js
SCRIPTS := $(wildcard bjp_explorer/frontend/*.* bjp_explorer/frontend/*/*.js tests/frontend/*) deno.json
ENGINE := $(filter ./bjp_engine/%,$(SOURCES))

RECENT := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c '$(RECENT)' 2>/dev/null && echo $$name && break; done)
# Deno asks nobody for anything: its files stay in .venv, and no script has a remote import.
DENO := DENO_DIR=.venv/deno DENO_NO_UPDATE_CHECK=1 NO_COLOR=1 $(BIN)/deno
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--no-emit-index-url --custom-compile-command 'make lock' pyproject.toml --extra app --group build

help:
	echo 'make app       open the explorer in the browser (PORT=8600 sets another port)'
	echo 'make test      check the code and run the fast tests (ARGS=FILE runs one file)'
	echo 'make test-all  the same, then the slow tests and those in a browser'
	echo 'make lint      check the code only: ruff, mypy, import rules, and the same for JavaScript'
	echo 'make docs      build the documentation site: build/site/index.html'
	echo 'make bench     measure speed and compare it with its goals (PEERS=1 adds other packages)'
	echo 'make lock      update the pinned versions (UPGRADE=1 takes the newest)'
	echo 'make clean     remove everything the other commands made'

app: $(WARM)
	exec $(BIN)/python -m bjp_engine app $(if $(PORT),--port $(PORT))

test: $(DEV) $(WARM) $(LINTED)
	echo 'Running the fast tests'
	exec $(BIN)/python -m pytest $(if $(ARGS),$(ARGS),-n auto --dist loadfile -m 'not slow' --ignore tests/browser)

test-all: test
	echo 'Running the tests in a browser'
	$(BIN)/python -m pytest -n auto --dist loadfile tests/browser
	echo 'Running the slow tests, and properties with more examples'
	HYPOTHESIS_PROFILE=slow exec $(BIN)/python -m pytest -n auto --dist loadfile \
		-m 'slow or hypothesis' --ignore tests/browser

lint: $(DEV)
	echo 'Checking the code'
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy --no-error-summary
	$(BIN)/repo-review --show err >.venv/repo-review.txt || { cat .venv/repo-review.txt; exit 1; }
	$(BIN)/lint-imports --no-logo >.venv/lint-imports.txt || { cat .venv/lint-imports.txt; exit 1; }
	$(DENO) fmt --quiet --check
	$(DENO) lint --quiet
	$(DENO) check --quiet --no-remote --no-npm $(FRONTEND)
	touch $(LINTED)

docs: $(DEV)
	echo 'Building the site: build/site/index.html'
	$(BIN)/python -m sphinx --quiet --fresh-env --write-all --fail-on-warning --keep-going \
		-c docs -d build/doctrees . build/site

bench: $(WARM) $(if $(PEERS),$(DEV))
	$(if $(PEERS),$(BIN)/uv pip install --quiet --python $(BIN)/python --group bench \
		--constraints requirements-dev.lock)
	exec $(BIN)/python -m benchmarks $(ARGS) $(if $(PEERS),--peers)

lock: $(DEV)
	echo 'Pinning versions for Python 3.11 and later on Linux, macOS and Windows'
	$(LOCK) $(if $(UPGRADE),--upgrade) --output-file requirements.lock
	$(LOCK) $(if $(UPGRADE),--upgrade) --group dev --group docs --constraints requirements.lock \
		--output-file requirements-dev.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis \
		build dist docs/api test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- What the commands stand on. A stamp is written only after its step has succeeded. ---

$(VENV):
	[ -n '$(PYTHON)' ] && '$(PYTHON)' -c '$(RECENT)' 2>/dev/null || { \
		echo 'BJP Explorer needs Python 3.11 or newer: install it, or name it, as in' \
			'"make app PYTHON=/path/to/python3.12".' >&2; exit 1; }
	$(BIN)/python -c 'import pip; $(RECENT)' >/dev/null 2>&1 || { \
		'$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null || { \
			echo 'This Python cannot make virtual environments yet: run' \
				'"sudo apt install python3-venv", then the same command again.' >&2; exit 1; }; \
		echo 'Making the virtual environment .venv'; \
		'$(PYTHON)' -m venv --clear .venv; }
	touch $@

$(RUNTIME): requirements.lock pyproject.toml hatch_build.py | $(VENV)
	echo 'Installing the pinned packages (a minute or two the first time)'
	$(PIP) install --requirement requirements.lock
	$(PIP) install --no-build-isolation --no-deps --editable .
	touch $@

$(DEV): requirements-dev.lock $(RUNTIME)
	echo 'Installing the pinned packages for the tests'
	$(PIP) install --requirement requirements-dev.lock
	touch $@

$(WARM): $(RUNTIME) $(ENGINE)
	$(BIN)/python -m bjp_engine warmup
	touch $@

$(LINTED): $(DEV) pyproject.toml $(SOURCES) $(SCRIPTS)
	$(MAKE) lint
