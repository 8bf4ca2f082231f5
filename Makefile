# The targets of this project; `make help` lists them, CI calls only these.
#
# A check that cannot run on this machine is reported when it is skipped, and in a summary at the end:
#     SKIPPED: <what> (<why>; <how to get it>)
# With NETLOOM_REQUIRE_ALL=1 it is an error instead, with one deliberate exception: the database of advisories may be
# unreachable (see deny.toml).

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

CARGO_TARGET_DIR ?= $(CURDIR)/target
export CARGO_TARGET_DIR
# File with the skipped checks, for the summary.
export SKIPPED := $(CARGO_TARGET_DIR)/skipped

NETLOOM := cargo run --release --locked -p netloom-cli --

.PHONY: help demo test lint budget budget-full golden bench reproduce docs site pictures web fuzz wheels
.PHONY: .begin .format .clippy .budget .cargo-test .python .supply .aarch64 .web .perfetto .field .summary

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{ printf "  make %-11s %s\n", $$1, $$2 }' Makefile

demo: ## Build the command, run a small study and write its results to out/demo
	@rm -rf out/demo
	@$(NETLOOM) demo -o out/demo

# One after the other, cheapest first, so that an error of format is found before the build.
STAGES := .format .clippy .cargo-test docs .supply
# Two at a time: each waits much, for a browser, for ranks, for processes, or for one long compilation. What a stage says
# comes at its end. The first two share no lock of cargo.
STAGES_IN_PAIRS := .python .aarch64 .field .web budget .perfetto

test: .begin ## Run all checks: format, lint, tests, Python, docs, supply, budget, aarch64, report, exports, field
	@for stage in $(STAGES); do $(MAKE) .timed$$stage; done
	@echo "Two at a time: $(STAGES_IN_PAIRS)"
	@$(MAKE) -j2 --output-sync=recurse $(addprefix .timed,$(STAGES_IN_PAIRS))
	@$(MAKE) .summary

# Without the flags of this make: cargo would look for its jobs.
.timed%:
	@began=$$(date +%s); MAKEFLAGS=--no-print-directory $(MAKE) $*; echo "$*: $$(($$(date +%s) - began)) s"

lint: .format .clippy ## Check format and lints

budget: ## Count instructions per packet-hop and memory per host, port and queue pair, and compare with the budget
	@$(MAKE) .budget

budget-full: ## The same with larger scenes and two threads; takes a quarter of an hour
	@$(MAKE) .budget FULL=--full

# Built with the features of the whole workspace, as the Python package, so that its crates are not compiled again.
.budget:
	@if command -v valgrind >/dev/null; then \
	    cargo build --release --locked --workspace --bin netloom-bench && \
	    "$(CARGO_TARGET_DIR)/release/netloom-bench" budget $(FULL); \
	else \
	    scripts/skip.sh "instruction budget" "valgrind is not installed" "apt-get install valgrind"; \
	fi

golden: ## Update golden files with the current output of the tests, then show the difference
	@status=0; \
	NETLOOM_UPDATE_GOLDEN=1 INSTA_UPDATE=always INSTA_FORCE_PASS=1 cargo test --locked --workspace --no-fail-fast || status=$$?; \
	python3 scripts/scenario_classes.py || status=$$?; \
	git status --short; exit $$status

bench: ## Measure speed on this machine, as JSON
	@$(NETLOOM) bench --json

reproduce: ## Reproduce a paper (PAPER=themis2025, by default zeltser2026): claim, expected, measured, verdict
	@$(NETLOOM) reproduce $(or $(PAPER),zeltser2026)

docs: ## Build the reference of all crates and the site, and check their links
	@RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
	@scripts/site.sh check

site: ## Build the documentation as a site in target/site (needs Node and npm)
	@scripts/site.sh build

pictures: ## Redraw the pictures of the documentation (needs Node, npm and Chromium)
	@scripts/pictures.sh

# Time of `make fuzz` in seconds.
SECONDS := 600

fuzz: ## Search for scenarios and measured results that cause crashes or hangs, for SECONDS=600 (needs a C++ compiler)
	@scripts/fuzz.sh $(SECONDS)

web: ## Build the page of the report from web/ (needs Node and npm)
	@scripts/web.sh build

wheels: ## Build the Python package for x86-64 and aarch64, and its source distribution, in target/wheels
	@scripts/python.sh wheels

.begin:
	@mkdir -p "$(CARGO_TARGET_DIR)" && : > "$(SKIPPED)"

.format:
	@cargo fmt --all --check

.clippy:
	@cargo clippy --locked --workspace --all-targets -- -D warnings

.cargo-test:
	@cargo test --locked --workspace --no-fail-fast

.python:
	@scripts/python.sh check

.supply:
	@scripts/supply.sh

.aarch64:
	@scripts/aarch64-digest.sh

.web:
	@scripts/web.sh check

.perfetto:
	@scripts/perfetto.sh

.field:
	@scripts/field.sh
	@scripts/testbed.sh
	@scripts/field_study.sh

.summary:
	@if [ -s "$(SKIPPED)" ]; then \
	    echo "All checks that could run have passed; not run here:"; sed 's/^/  /' "$(SKIPPED)"; \
	else \
	    echo "All checks have passed; none was skipped."; \
	fi
