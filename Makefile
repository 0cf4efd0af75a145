# The interpreter that makes .venv, e.g. `make demo PYTHON=python3.12`.
PYTHON ?= python3

BIN := .venv/bin
INSTALLED := .venv/.installed

.DEFAULT_GOAL := demo
.PHONY: .venv demo test check bench docs torture fuzz clean

.venv: $(INSTALLED)
	@:

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'Winnow needs Python 3.11 or later, not "$(PYTHON)"; choose one: make PYTHON=python3.12' >&2; \
	  exit 1; }
	@echo 'Installing into .venv ...'
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --disable-pip-version-check -c constraints.txt -e '.[fast,dev]'
	@touch $@

demo: $(INSTALLED)
	@$(BIN)/winnow demo

# Side by side on all cores, a file of tests on one of them.
test: $(INSTALLED)
	@$(BIN)/pytest --no-header -q -n auto --dist loadfile

check: $(INSTALLED)
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@imports=$$($(BIN)/lint-imports --no-logo) || { echo "$$imports"; exit 1; }
	@$(BIN)/basedpyright
	@$(BIN)/pytest -q --no-header tests/test_layout.py

bench: $(INSTALLED)
	@$(BIN)/python -m bench

# Many processes on one store while everything goes wrong, e.g. `make torture SECONDS=600`.
SECONDS ?= 60
torture: $(INSTALLED)
	@$(BIN)/python -m tests.torture --seconds $(SECONDS)

# Odd input for everything that reads text or bytes, e.g. `make fuzz SECONDS=600`.
fuzz: $(INSTALLED)
	@$(BIN)/python -m tests.hostile.fuzz $(SECONDS)

docs: $(INSTALLED)
	@$(BIN)/python -m tools.make_reference

clean:
	@rm -rf .venv build dist .hypothesis .import_linter_cache .pytest_cache .ruff_cache
	@find src tests bench tools -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
