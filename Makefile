# Every target works on a fresh clone with only Python 3.11+ and make, and again afterwards without redoing the work.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: setup demo up check test lint format bench crash census wheel clean
.DEFAULT_GOAL := setup

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Repasse needs Python 3.11 or newer; set PYTHON=python3.x"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test,lint,postgres]'
	@touch $@

demo: $(READY)
	@$(BIN)/repasse demo

up: $(READY)
	@$(BIN)/repasse up

# What is quick and says most: lint, types, everything that is pure, the business rules, the examples in docstrings
check: $(READY)
	@$(BIN)/python tests/side_by_side.py "$(LINT)" "$(BIN)/python -m pytest -q $(PURE)"

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)
	$(BIN)/python -m pytest -p no:xdist -m bench tests/bench

# A thousand kills take some minutes; KILLS=10000 make crash kills longer, SEED=... repeats the choices it printed
crash: $(READY)
	$(BIN)/python -m pytest -m crash tests/crash

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
