# `make evolve` and `make test` do everything on a fresh machine; each begins with the set-up, which is quick when nothing is to be done.

SKILL ?= skills/coding
SUITE ?= task_suites/pocket
MODEL ?= rehearsal
SEED ?= 1
JOBS ?=
MAX_USD ?= 20
GENERATIONS ?= 4
# What `make lint` compares the work tree with by this project's own rule pack; in CI, the branch that a change goes to.
BASE ?= HEAD
BATCH ?= 4
# One ledger per seed, so that each is a rehearsal of its own.
STATE ?= $(if $(filter 1,$(SEED)),.harness,.harness/seed-$(SEED))

BIN = .venv/bin
HARNESS = $(BIN)/harness
# Tests wait for containers most of their time: two files side by side take little more than half as long.
PYTEST = $(BIN)/python -m pytest -n 2 --dist loadfile

.PHONY: setup browser claude evolve test lint check quick soak bench suite

setup:
	@scripts/setup

evolve: setup
	@$(HARNESS) evolve --skill $(SKILL) --suite $(SUITE) --model $(MODEL) --seed $(SEED) --state $(STATE) \
	  --batch $(BATCH) --max-generations $(GENERATIONS) --max-usd $(MAX_USD) $(if $(JOBS),--jobs $(JOBS))

test: browser
	@$(PYTEST) -m "not soak"

# Format, lint, types, import contracts, and our own conventions by our own product.
lint: setup
	@$(BIN)/ruff format --check -q .
	@$(BIN)/ruff check -q .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo
	@if git rev-parse -q --verify $(BASE) >/dev/null 2>&1; then $(HARNESS) rules check --base $(BASE) --pack conventions.toml; fi

check: lint quick

quick: setup
	@$(PYTEST) -m "not soak and not docker and not browser"

# Chromium for the tests of the page in a browser, which are skipped where there is none and it cannot be installed.
browser: setup
	@command -v chromium chromium-browser google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } || \
	  echo "no Chromium: the page's tests in a browser are skipped"

# Claude Code for `--agent claude_code`: 180 MB to download, which nothing else needs.
claude: setup
	@$(BIN)/python -c 'from importlib.util import find_spec; raise SystemExit(not find_spec("claude_agent_sdk"))' 2>/dev/null || \
	  $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements-claude.lock

soak: claude browser
	@$(PYTEST) -m soak

bench: setup
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# The bundled suite from its sources, then its admission in containers.
suite: setup
	@$(BIN)/python task_suites/pocket/build.py
	@$(HARNESS) suite check task_suites/pocket --record
