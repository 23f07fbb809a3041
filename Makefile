# Everything runs in .venv, prepared from the hashed lock files; nothing else is touched.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
UV := $(shell command -v uv 2>/dev/null)

.PHONY: setup run test check nightly bench schemas docs lock

setup: $(VENV)/.runtime $(VENV)/.dev

$(VENV)/bin/python:
	$(if $(UV),$(UV) venv -q --python $(PYTHON) $(VENV),$(PYTHON) -m venv $(VENV))

$(VENV)/.runtime: requirements.lock | $(VENV)/bin/python
	$(if $(UV),$(UV) pip install -q --python $(PY),$(PY) -m pip install -q --disable-pip-version-check) --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	$(if $(UV),$(UV) pip install -q --python $(PY),$(PY) -m pip install -q --disable-pip-version-check) --require-hashes -r requirements-dev.lock
	@touch $@

# The main job: a finished night on the embedded default. No key, no network but the package registry.
run: $(VENV)/.runtime
	@$(PY) run_pipeline.py run

test: setup
	$(PY) -m pytest -n auto

check: setup
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo
	$(PY) run_pipeline.py lint
	for skill in skills/*/; do $(VENV)/bin/agentskills validate $$skill > /dev/null || exit 1; done
	$(PY) -m schemas.generate --check
	$(PY) -m phases.reference --check

# The full forms of the slow tests, and a real model server where one can be had.
nightly: setup
	-$(if $(UV),$(UV) pip install -q --python $(PY),$(PY) -m pip install -q --disable-pip-version-check) --no-deps --require-hashes -r requirements-llama.lock
	REBUTTAL_NIGHTLY=1 $(PY) -m pytest -n auto

bench: setup
	$(PY) -m bench
	$(PY) -m bench.health
	$(PY) -m bench.folder

# After a change of a contract or of the default configuration.
schemas: setup
	$(PY) -m schemas.generate
	$(PY) -m phases.reference

# The picture in docs/, made anew from the default night; needs a Chromium.
docs: setup
	$(PY) -m bench.screenshot

# After a change of pyproject.toml's dependencies; needs uv.
lock:
	uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url pyproject.toml -o requirements.lock
	uv pip compile -q --universal --generate-hashes --no-header --no-emit-index-url --group dev -c requirements.lock -o requirements-dev.lock
