# Every target works on a fresh clone with only Python 3.11+ and make, and again afterwards without redoing the work.
PYTHON ?= python3
BIN := .venv/bin
# Programs start again and again in tests; compiling the packages each time would take longer than most of them run.
export PYTHONDONTWRITEBYTECODE :=
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable
PROGRAM := .venv/.program
READY := .venv/.ready
# Much of a long test is waiting: for a server, a browser, another process. So there is one more at work for two cores.
LONG_WORKERS := $(shell $(PYTHON) -c 'import os; print(max(2, (os.cpu_count() or 1) * 3 // 2))')

.PHONY: setup demo up check pure test test-long lint format docs bench crash mutants pictures wheel census clean
.DEFAULT_GOAL := setup

setup: $(READY)

# The program alone, which is all that demo and up need; what tests need beside it comes with the first of the others
$(PROGRAM): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Repasse needs Python 3.11 or newer; set PYTHON=python3.x"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) .
	@touch $@

$(READY): $(PROGRAM)
	$(INSTALL) '.[test,lint,postgres,dask]'
	@touch $@

demo: $(PROGRAM)
	@$(BIN)/repasse demo

up: $(PROGRAM)
	@$(BIN)/repasse up

# What is quick and says most: lint beside all that is pure, the business rules and the examples in docstrings
check: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 lint pure

PURE := tests/schemas tests/spec tests/flows/rules tests/sample_data schemas flows

pure: $(READY)
	$(BIN)/python -m pytest -q -n auto --dist loadfile $(PURE)

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The journeys that take minutes: real Prefect servers, every page in a browser, every drawn sheet, the whole simulation
test-long: $(READY)
	$(BIN)/python -m pytest -n $(LONG_WORKERS) --dist loadfile --no-loadscope-reorder -m "long and not journey"
	$(BIN)/python -m pytest -n auto --dist loadfile --hypothesis-profile=long tests/property

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The pages of docs that the program can write itself: commands, keys of a job, problems, assumptions, licences
docs: $(READY)
	$(BIN)/python -m tests.docs.generated

bench: $(READY)
	$(BIN)/python -m pytest -p no:xdist -m bench tests/bench

# A thousand kills take some minutes; KILLS=10000 make crash kills longer, SEED=... repeats the choices it printed
crash: $(READY)
	$(BIN)/python -m pytest -m crash tests/crash

# Whether the tests notice when a rule is wrong; WITHOUT=FILE names tests that are to go, to see what only they notice
mutants: $(READY)
	$(BIN)/python -m tests.mutants $(if $(WITHOUT),--without $(WITHOUT)) $(if $(MOST),--most $(MOST))

# The pictures of README and guide, taken anew of the real pages and of a workbook; wants LibreOffice and poppler-utils
pictures: $(READY)
	$(BIN)/python -m pytest -q -p no:xdist tests/browser
	cp test-output/desk/plan.png docs/desk-plan.png
	cp test-output/desk/preview-put-right-1180.png docs/desk-check.png
	cp test-output/desk/new-job-draft-1180.png docs/desk-new-job.png
	cp test-output/desk/payments-top.png docs/desk-payments.png
	$(BIN)/repasse demo --no-desk
	soffice --headless --convert-to pdf --outdir build $(firstword $(wildcard .repasse/demo/jobs/payments/out/aurora-payments/2026-10/*/reconciliation.xlsx))
	pdftoppm -r 110 -png -f 1 -l 1 -singlefile -x 0 -y 0 -W 1290 -H 560 build/reconciliation.pdf docs/reconciliation

# The packages as people install them, in an environment of nothing else, far from this folder
wheel: $(READY)
	rm -rf build
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/env
	build/wheel/env/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt build/wheel/*.whl
	mkdir build/wheel/elsewhere
	cd build/wheel/elsewhere && ../env/bin/repasse demo
	cd build/wheel/env/lib/python3*/site-packages/flows && ls prefect_ui/declared/deployments.yaml views/legs.sql

# What the house is made of, counted; TIMED=1 counts the seconds of check and test as well
census: $(READY)
	@$(BIN)/python tests/census.py $(if $(TIMED),--timed)

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
