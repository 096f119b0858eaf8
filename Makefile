# Everything runs from nothing: each target makes .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Real data for experiments: a folder beside the checkout is used when TREATISE_DATA names no other.
ifneq ($(wildcard ../shared/data),)
export TREATISE_DATA ?= $(abspath ../shared/data)
endif
export MPLBACKEND := Agg
# Compiled sources are kept, whatever the machine says: dozens of processes read them.
export PYTHONDONTWRITEBYTECODE :=
# Which paper's experiment to record.
PAPER ?= all
# One more than there are processors: some tests mostly wait.
PROCESSES = $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")

.PHONY: demo test lint types layers pytest fuzz kills docs bench defaults answers evidence clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $(VENV)/.installed $@

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $(VENV)/.installed $@

$(VENV)/.bench: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	@# This peer pins an old NumPy that it does not need.
	$(BIN)/python -m pip install --quiet --no-deps fcbf
	touch $(VENV)/.installed $@

$(VENV)/.answers: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[answers]"
	touch $(VENV)/.installed $@

demo: $(VENV)/.installed  ## compare the methods on a real table, regenerate one paper's result
	$(BIN)/treatise doctor --compile
	$(BIN)/treatise compare breast_cancer --target diagnosis --budget 60 --output demo
	$(BIN)/treatise reproduce v05-1205
	@echo "The report: $(abspath demo/report.html)"

test: lint layers types pytest docs  ## everything that must hold before a change lands

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

layers: $(VENV)/.test
	$(BIN)/lint-imports

types: $(VENV)/.test
	$(BIN)/mypy

pytest: $(VENV)/.test  ## tests and doctests in one run, with the ten slowest at its end
	$(BIN)/python -m pytest tests treatise --doctest-modules --numprocesses $(PROCESSES) --dist worksteal --durations 10

# Not part of the tests: half a day. Every index of the compiled loops is checked; they are compiled anew for it.
fuzz: export NUMBA_BOUNDSCHECK := 1
fuzz: export NUMBA_CACHE_DIR := $(abspath build/fuzz)
fuzz: export PYTHONPATH := tests/support
fuzz: $(VENV)/.test  ## 1000 forged models of every estimator, 100 000 damaged files of every format: read, or refused
	$(BIN)/python -m forged_models
	$(BIN)/python -m mutants

# Not part of the tests, which kill three: some minutes.
kills: export PYTHONPATH := tests/support
kills: $(VENV)/.test  ## a cluster's worker killed at 20 random moments of a comparison, and of a fit: the outcome is the same
	$(BIN)/python -m kills

docs: $(VENV)/.docs  ## the documentation site, without warnings
	$(BIN)/python -m sphinx -W --keep-going -q -j auto -b html docs docs/_build/html
	@echo "The site: $(abspath docs/_build/html/index.html)"

bench: $(VENV)/.bench  ## every benchmark against its peer, shown on the documentation's benchmark page
	$(BIN)/python -m benchmarks --json > docs/benchmarks.part
	mv docs/benchmarks.part docs/benchmarks.json

defaults: $(VENV)/.bench  ## every estimator as it comes beside its own best setting, shown on the documentation's page of defaults
	$(BIN)/python -m benchmarks defaults --json > docs/defaults.part
	mv docs/defaults.part docs/defaults.json

answers: $(VENV)/.answers  ## what comparisons pick, judged on rows held out beside other searches, shown on the page of comparisons
	$(BIN)/python -m benchmarks answers --record docs/answers.json

evidence: $(VENV)/.docs  ## every paper's experiment, or PAPER=id alone, in both sizes, kept for the evidence page
	quick=0; $(BIN)/treatise reproduce $(PAPER) --record docs/evidence.json --output docs/evidence || quick=1; \
	$(BIN)/treatise reproduce $(PAPER) --full --record docs/evidence.json --output docs/evidence || exit 1; exit $$quick
	$(BIN)/python docs/readme_counts.py

clean:
	rm -rf $(VENV) build demo docs/_build docs/_generated docs/api docs/papers docs/examples
	find treatise -name "*.nb[ic]" -delete
