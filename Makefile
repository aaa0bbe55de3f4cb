# Two promises: `make bench` and `make test` work in a fresh clone with git, make and Python >= 3.11 alone.
PYTHON ?= python3
BIN := .venv/bin
RELEASE := .windtunnel/release/bin/python .ci/release.py
# What rich highlights source code and renders Markdown with; Windtunnel prints neither.
UNUSED := markdown-it-py mdurl pygments
# What `windtunnel ci comment` does not import, with what only that needs.
HEAVY := $(UNUSED) asv asv-runner build distlib importlib-metadata json5 lazy-importer numpy platformdirs psutil pympler \
  pyproject-hooks python-discovery pyyaml rich stamina tabulate tenacity virtualenv zipp
# What builds this repository's distributions, and is not needed afterwards.
BUILD := editables hatchling pathspec pluggy tomlkit trove-classifiers
export UV_PYTHON_DOWNLOADS ?= never

.DEFAULT_GOAL := help
.PHONY: help bench site serve doctor test ci study check format generate lock tool tool-light counter clean \
  dist dist-test dist-publish dist-release

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ARGS=--full: install the servers that scenarios use, and time every scenario at its standard load.
bench: .venv/ready ## the main job: what asyncio buys on this machine, as a table and a site; every scenario with ARGS=--full
	@$(if $(filter --full,$(ARGS)),.ci/databases)
	@WINDTUNNEL_SERVE='make serve' $(BIN)/windtunnel bench $(if $(ARGS),,--rounds 4) $(patsubst --full,--bench "'standard'",$(ARGS))

site: .venv/ready ## build the site again from the results that are here
	@$(BIN)/windtunnel publish .asv/results --out .windtunnel/site $(ARGS)

serve: .venv/ready ## serve the site on http://127.0.0.1:8080
	@$(BIN)/python -m http.server 8080 --bind 127.0.0.1 --directory .windtunnel/site

doctor: .venv/ready ## check what would be measured here, what is missing and how to fix it
	@$(BIN)/windtunnel doctor $(ARGS)

# Workers collect at the same time: without bytecode, each of them would compile all that the tests import.
.venv/compiled: .venv/ready
	@for part in tests/unit "tests --ignore tests/unit"; do \
	  env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest --collect-only -q -p no:cacheprovider $$part >/dev/null & \
	done; wait
	@touch .venv/compiled

test: .venv/compiled ## all tests; many of them wait, so there are three workers more than cores
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest -n $$(($$(getconf _NPROCESSORS_ONLN) + 3)) --dist loadfile --no-loadscope-reorder $(ARGS)

ci: ## all tests on a fresh machine, with the system packages that they need
	@.ci/run

study: .venv/ready ## run a study whose figures the docs quote: make study ARGS="studies.performance.reading"
	@PYTHONPATH=tests $(BIN)/python -m $(ARGS)

check: .venv/ready ## lints and types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

format: .venv/ready ## format the code
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

generate: .venv/ready ## write JSON schemas, the reference of the settings and the types of the site from the code
	@$(BIN)/python docs/generate.py

lock: ## write uv.lock again, after a change of a version or a dependency
	$(call uv,.venv)
	@env -u UV_PYTHON .venv/bin/uv lock

tool: .windtunnel/tool/ready ## windtunnel and windtunnel-claims with their locked dependencies; in a workflow also put on the PATH
	$(call on-path,.windtunnel/tool)

tool-light: .windtunnel/tool-light/ready ## the same without what only measuring and detecting need: for comment
	$(call on-path,.windtunnel/tool-light)

counter: ## valgrind, which counts instructions; where it cannot be installed, a note
	@.ci/counter

dist: .windtunnel/release/ready ## wheels and sdists of HEAD in dist/; with TAG=v0.1.0, those of this release
	@$(RELEASE) build $${TAG:+--tag "$$TAG"}

dist-test: .windtunnel/release/ready ## install the wheels in dist/ for PYTHON in a clean environment, and use them
	@$(RELEASE) test $${TAG:+--tag "$$TAG"}

dist-publish: .windtunnel/release/ready ## upload dist/ to the package index; with DISTRIBUTION=windtunnel, only its files
	@$(RELEASE) publish $${DISTRIBUTION:+--distribution "$$DISTRIBUTION"}

dist-release: .windtunnel/release/ready ## create the release TAG on GitHub with the notes of CHANGELOG.md
	@$(RELEASE) announce --tag "$$TAG"

clean: ## remove what the targets above made, results excepted
	rm -rf .venv .uv build dist .windtunnel/site .windtunnel/tool .windtunnel/tool-light .windtunnel/release .mypy_cache .ruff_cache .pytest_cache

# on-path DIR: in a workflow, puts this command alone on the PATH; commands of the project find their own Python, pip and uv.
define on-path
	@[ -z "$$GITHUB_PATH" ] || { mkdir -p $(1)/command && ln -sf ../bin/windtunnel $(1)/command && \
	  echo "$(CURDIR)/$(1)/command" >> "$$GITHUB_PATH"; }
endef

# A pip that is here saves the seconds in which venv installs one.
INSTALL_UV := -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement .ci/uv.txt

# uv DIR: a virtual environment with uv, whose hash is checked (.ci/uv.txt).
define uv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "windtunnel: Python 3.11 or newer is needed; name one with make PYTHON=/path/to/python" >&2; exit 2; }
	@test -x $(1)/bin/uv || { rm -rf $(1); if $(PYTHON) -c 'import pip' 2>/dev/null; \
	  then $(PYTHON) -m venv --without-pip $(1) && PIP_PYTHON=$(1)/bin/python $(PYTHON) $(INSTALL_UV); \
	  else $(PYTHON) -m venv $(1) && $(1)/bin/python $(INSTALL_UV); fi; } || { rm -rf $(1); \
	  echo "windtunnel: $(PYTHON) cannot make an environment, see above; on Debian: apt install python3-venv" >&2; exit 2; }
endef

# environment DIR, OPTIONS, UNINSTALLED: a virtual environment with what uv.lock has for these options of uv sync. The hash
# of every file is checked, also of uv itself and of what builds this repository's distributions.
define environment
	$(call uv,$(1))
	@env -u UV_PYTHON UV_PROJECT_ENVIRONMENT=$(1) $(1)/bin/uv sync --quiet --locked --no-build $(2)
	@$(1)/bin/uv pip uninstall --quiet --python $(1)/bin/python pip setuptools $(3)
	@touch $(1)/ready
endef

.windtunnel/tool/ready: pyproject.toml src/windtunnel_claims/pyproject.toml uv.lock .ci/uv.txt
	$(call environment,.windtunnel/tool,--no-dev --group build --group claims $(UNUSED:%=--no-install-package %),$(BUILD))

.windtunnel/tool-light/ready: pyproject.toml uv.lock .ci/uv.txt
	$(call environment,.windtunnel/tool-light,--no-dev --group build $(HEAVY:%=--no-install-package %),$(BUILD) packaging uv)

.windtunnel/release/ready: pyproject.toml uv.lock .ci/uv.txt
	$(call environment,.windtunnel/release,--only-group build)

# niquests needs urllib3-future, which has files of urllib3, also for requests, and a .pth file that replaces urllib3 with them at
# each start of Python. So that file is removed, and then urllib3 is installed again; niquests works beside it.
.venv/ready: pyproject.toml src/windtunnel_claims/pyproject.toml uv.lock .ci/uv.txt Makefile
	@echo "windtunnel: installing the locked dependencies into .venv"
	$(call environment,.venv,)
	@rm -f .venv/ready .venv/lib/*/site-packages/urllib3_future.pth
	@env -u UV_PYTHON UV_PROJECT_ENVIRONMENT=.venv .venv/bin/uv sync --quiet --locked --no-build --reinstall-package urllib3
	@touch .venv/ready
