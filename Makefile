# Every target sets up what it needs on a machine that has python3 and make, and is quick the next time.
# make PYTHON=/path/to/python chooses another interpreter for .venv.

# Debian keeps mosquitto where a user's PATH does not look.
export PATH := $(PATH):/usr/local/sbin:/usr/sbin:/sbin
export PYTHON ?= python3

PY := .venv/bin/python
# Where there is no mosquitto, the demo brings a broker of its own.
MOSQUITTO := $(shell PATH="$(PATH)" command -v mosquitto)
PLAY := .venv/installed-$(if $(MOSQUITTO),runtime,broker)
WORK := .venv/installed-dev

.DEFAULT_GOAL := help
.PHONY: help demo test check bench soak fast lock tools

help: ## say what can be made
	@sed -n 's/^\([a-z]*\):.*## /make \1	/p' Makefile | expand -t 14

demo: $(PLAY) ## play a table on this machine: devices, dealer, players and display
	@$(PY) -m tablectl demo

test: $(WORK) tools ## run the tests
	@$(PY) -m pytest --numprocesses auto --maxprocesses 4

check: $(WORK) ## check format, lint, types and the import law
	@$(PY) -m ruff format --check
	@$(PY) -m ruff check
	@$(PY) -m mypy
	@.venv/bin/lint-imports --no-logo

bench: $(WORK) tools ## measure how fast it is
	@set -e; for script in tests/bench/[a-z]*.py; do echo "==> $$script"; PYTHONPATH=. $(PY) "$$script"; done

soak: $(WORK) tools ## run the long tests that make test leaves out
	@$(PY) -m pytest -m soak --timeout=0

fast: $(WORK) ## build a wheel in dist/ with the table compiled to machine code
	@.ci/need gcc
	@HATCH_BUILD_HOOK_ENABLE_CUSTOM=true $(PY) -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir dist .

lock: $(WORK) ## pin in constraints.txt the newest versions that pyproject.toml allows
	@$(PY) .ci/requirements broker,dev | $(PY) -m pip install --upgrade --upgrade-strategy eager --requirement /dev/stdin
	@{ sed -n '/^#/p' constraints.txt; $(PY) -m pip freeze --exclude-editable; } > .venv/constraints.txt
	@mv .venv/constraints.txt constraints.txt

tools:
	@.ci/need mosquitto mosquitto_pub=mosquitto-clients chromium systemd-analyze=systemd

.venv/installed-runtime: EXTRAS :=
.venv/installed-broker: EXTRAS := broker
.venv/installed-dev: EXTRAS := broker,dev
.venv/installed-%: pyproject.toml constraints.txt
	@.ci/venv $(EXTRAS)
	@touch $@
