# Two promises: `make bench` and `make test` work in a fresh clone with git, make and Python >= 3.11 alone.
PYTHON ?= python3
UV_VERSION := 0.13.8
BIN := .venv/bin
export UV_PYTHON_DOWNLOADS ?= never

.DEFAULT_GOAL := help
.PHONY: help bench site serve doctor test ci study check format generate tool clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

bench: .venv/ready ## the main job: time the scenarios on recent commits and every Python here, build the site
	@$(BIN)/windtunnel bench $(ARGS)

site: .venv/ready ## build the site again from the results that are here
	@$(BIN)/windtunnel publish .asv/results --out .windtunnel/site $(ARGS)

serve: .venv/ready ## serve the site on http://127.0.0.1:8080
	@$(BIN)/python -m http.server 8080 --bind 127.0.0.1 --directory .windtunnel/site

doctor: .venv/ready ## check what would be measured here, what is missing and how to fix it
	@$(BIN)/windtunnel doctor $(ARGS)

test: .venv/ready ## all tests
	@$(BIN)/pytest -n auto --dist loadfile $(ARGS)

ci: ## all tests on a fresh machine, with the system packages that they need
	@.ci/run

study: .venv/ready ## run a study whose figures the docs quote: make study ARGS="studies.performance.reading"
	@PYTHONPATH=tests $(BIN)/python -m $(ARGS)

check: .venv/ready ## lints and types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

format: .venv/ready ## format the code
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

generate: .venv/ready ## write JSON schemas, reference pages and the types of the site from the code
	@$(BIN)/python docs/generate.py

tool: .windtunnel/tool/ready ## windtunnel alone with its locked dependencies; in a workflow also put on the PATH
	@[ -z "$$GITHUB_PATH" ] || echo "$(CURDIR)/.windtunnel/tool/bin" >> "$$GITHUB_PATH"

clean: ## remove what the targets above made, results excepted
	rm -rf .venv .uv build dist .windtunnel/site .windtunnel/tool .mypy_cache .ruff_cache .pytest_cache

.uv/bin/uv:
	@echo "windtunnel: setting up uv $(UV_VERSION) in .uv"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "windtunnel: Python 3.11 or newer is needed; name one with make PYTHON=/path/to/python" >&2; exit 2; }
	@rm -rf .uv && $(PYTHON) -m venv .uv || { rm -rf .uv; \
	  echo "windtunnel: $(PYTHON) cannot make a venv; on Debian: apt install python3-venv" >&2; exit 2; }
	@.uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

.windtunnel/tool/ready: .uv/bin/uv pyproject.toml uv.lock
	@UV_PROJECT_ENVIRONMENT=.windtunnel/tool .uv/bin/uv sync --quiet --locked --no-dev --python $(PYTHON)
	@touch $@

.venv/ready: .uv/bin/uv pyproject.toml uv.lock
	@echo "windtunnel: installing the locked dependencies into .venv"
	@.uv/bin/uv sync --quiet --locked --python $(PYTHON)
	@touch $@
