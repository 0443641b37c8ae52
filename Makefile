# Aura: `make` alone prints what there is. CI calls only these targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
# A toolchain that `make deps` has just installed is found without a new login.
TOOLS = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/aura-tools
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(TOOLS)/bin:$(PATH)

TARGET = $(or $(CARGO_TARGET_DIR),target)
AURA = cargo run --release --locked --quiet --bin aura --
# What measures and hurts Aura is a program of its own, which `aura` starts beside itself.
LAB = cargo build --release --locked --quiet --bin aura --bin aura-lab && $(TARGET)/release/aura

# Each fuzz target gets this long.
SECONDS_EACH = 60
# `make hosts` kills hosts for so long, which have so many owners.
MINUTES = 10
OWNERS = 200
# `one` host at a time, `both` others at once, or `bus`: one server at a time.
KILLED = one
FUZZ = $(shell sed -n 's/^fn \(.*\)() {$$/\1/p' toolcall-schema/fuzz/src/lib.rs | grep _)

# `MODEL=no make run` and `MODEL=no make test` leave the language model alone: nothing of it is built, fetched or tested.
MODEL ?= yes
# `BROWSER=no make test` tests nothing in a browser. One test more than there are cores: those of a browser and of chaos wait most of their time.
BROWSER ?= yes
TESTS = $(if $(filter no,$(BROWSER)),-E 'not binary(browser)',)
# `make run` builds it by the profile that it builds aura by: most of what the two share is compiled once.
MODEL_PROFILE = release
NATIVE = --profile $(MODEL_PROFILE) --locked -p llm-runtime --features native

.PHONY: help deps browser-deps servers-deps clients-deps bus-deps suite-deps conformance browser run demo build model model-deps model-lint model-test test all-tests nightly fuzz lint-deps lint check fmt explore chaos hosts crash bench figures judge days dist dist-deps dist-try site site-deps release clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## Install what is missing: gcc, make, pkg-config, libssl-dev, python3, iproute2, strace, espeak-ng, the pinned Rust toolchain
	@scripts/deps.sh

run: deps ## Build, start the demo household and print the address of its page; the model is built behind
	@echo "building (a few minutes the first time)"
	@cargo build --profile first --locked --no-default-features --bin aura --bin aura-surveyor
	@MODEL=$(MODEL) scripts/run.sh

demo: run ## The same as run

build: deps ## Build the release binaries: aura, aura-lab for its benches, the sample agent that is a program
	cargo build --release --locked --bin aura --bin aura-lab --bin aura-surveyor

model: model-deps ## Build the program that runs the language model (five to eight minutes the first time)
	cargo build $(NATIVE) --bin aura-llm

model-deps: ## Install what building the model's program lacks: a C++ compiler, cmake, libclang
	@scripts/deps.sh model

model-lint: model-deps ## Check the code beside llama.cpp with clippy; every warning is an error
	cargo clippy $(NATIVE) --all-targets --quiet -- -D warnings

model-test: model-lint model ## Test the model's program, with the default model where it can be had
	@scripts/model-test.sh

browser-deps: ## Install what the tests in a browser lack: Chromium, its driver, axe-core
	@[ "$(BROWSER)" = no ] || scripts/deps.sh browser

browser: deps browser-deps servers-deps ## Test the pages in a real browser
	cargo test --locked -p orchestrator --test browser

servers-deps: ## Install the servers that accounts are tested with: Dovecot, Radicale, Cyrus
	@scripts/deps.sh servers

clients-deps: ## Install the programs of others that ask Aura in tests: mcp and fastmcp for Python
	@scripts/deps.sh clients

bus-deps: ## Install the server that the journal's log is tested with: NATS
	@scripts/deps.sh bus

site-deps: ## Install what builds the site: mdBook, in a folder outside the clone
	@scripts/deps.sh site

site: deps site-deps ## Build the site of the documents (target/site/html) and check each of its links
	@cargo build --profile first --locked --no-default-features --bin aura
	@scripts/site.py $(TARGET)/first/aura $(TARGET)/site

suite-deps: ## Install what `make conformance` runs: the suite of the Model Context Protocol, its inspector, Node 24
	@scripts/deps.sh suite

conformance: deps suite-deps ## Try the server of the Model Context Protocol by the protocol's own suite and inspector
	cargo build --locked --bin aura --example mcp_fixtures -p orchestrator -p aura-doors
	@scripts/conformance.sh $(TARGET)/debug/aura $(TARGET)/debug/examples/mcp_fixtures

test: deps browser-deps servers-deps clients-deps bus-deps site-deps ## Run every test: unit, recorded days, architecture, doctests, browser, and the model's program; print how long it took
	@begun=$$(date +%s); $(MAKE) --no-print-directory all-tests || exit 1; \
	took=$$(($$(date +%s) - begun)); echo "make test: passed in $$((took / 60)) min $$((took % 60)) s"

all-tests:
	@[ "$(BROWSER)" != no ] || echo "skipped: BROWSER=no, so nothing was tested in a browser"
	cargo test --locked --workspace --doc --quiet
	@if cargo nextest --version >/dev/null 2>&1; \
	then echo "cargo nextest run --locked --workspace"; \
	LC_ALL=C.UTF-8 scripts/in-memory.sh cargo nextest run --locked --workspace --no-fail-fast --test-threads $$(($$(nproc) + 1)) $(TESTS); \
	else echo "cargo test --locked --workspace --all-targets"; LC_ALL=C.UTF-8 scripts/in-memory.sh cargo test --locked --workspace --all-targets --no-fail-fast \
	-- $(if $(filter no,$(BROWSER)),--skip days:: --skip journeys:: --skip access::,); fi
	@if [ "$(MODEL)" = no ]; then echo "skipped: MODEL=no, so the model's program was not tested"; else $(MAKE) --no-print-directory model-test; fi

nightly: deps ## Hold validators and gate against a million generated calls each, and live a year beside a program that asks
	AURA_CASES=1000000 cargo test --locked --release -p toolcall-schema --test contracts differential
	AURA_ASKS_DAYS=365 cargo test --locked --release -p orchestrator-machine --test rules asks_year -- --nocapture

fuzz: deps ## Search for bytes that break a reader (cargo-bolero must be installed)
	@for target in $(FUZZ); do echo "$$target"; \
	cargo bolero test -p toolcall-fuzz --rustc-bootstrap --sanitizer NONE -T $(SECONDS_EACH)s $$target || exit 1; done

lint-deps: ## Install what checks licences: cargo deny, once, in a folder outside the clone
	@scripts/deps.sh lint

lint: deps lint-deps ## Check format, names, clippy, licences and documentation; every warning is an error
	cargo fmt --all --check
	scripts/names.py --check
	cargo clippy --locked --workspace --all-targets --quiet -- -D warnings
	@if cargo deny --version >/dev/null 2>&1; \
	then echo "cargo deny check bans licenses sources"; cargo deny --locked check bans licenses sources; \
	else echo "NOT CHECKED: licences, sources and banned crates, because cargo deny is not installed"; fi
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet

check: lint test ## lint, then test: what CI runs

explore: deps ## Walk the machine further than CI does: two ticks with any crash (minutes)
	AURA_EXPLORE=2,1,lean cargo test --release --locked -p orchestrator-machine --test rules every_promise -- --nocapture

chaos: deps servers-deps ## Hurt every part of a living service for ten minutes, and its accounts' servers for ten more, and count what was lost
	@$(LAB) selftest chaos --minutes 10
	AURA_ACCOUNTS_S=600 cargo test --locked -p orchestrator --test integration accounts::chaos -- --nocapture

hosts: deps bus-deps ## Kill three hosts of OWNERS (200) in turn over three NATS servers for MINUTES (10), and count what was lost; KILLED=both: two at once, KILLED=bus: the servers
	AURA_HOSTS_MINUTES=$(MINUTES) AURA_HOSTS_OWNERS=$(OWNERS) AURA_HOSTS_KILLED=$(KILLED) AURA_HOSTS_SERVERS=3 cargo test --locked -p aura-hosts --test hosts soak -- --nocapture

crash: deps ## Kill every recorded day at every write, and a service that programs ask, and count what was lost
	@$(AURA) selftest crash
	AURA_ASKS_KILL=writes cargo test --locked -p orchestrator --test integration -- asks_kill asks_writes --nocapture

fmt: deps ## Format the code
	cargo fmt --all

figures: build ## Measure the agents and write docs/agents/figures.md (some minutes, on a quiet machine)
	@scripts/figures.sh

judge: deps ## Judge Aura's judgement by real messages, fetched outside the clone; RECORD=yes keeps the figures, YEAR=yes plays a year
	@scripts/deps.sh judge
	@scripts/judge.sh

bench: deps ## Print the figures: tick, gate, durable tick, growth, replay (release build)
	@for what in tick gate durable growth replay; do $(LAB) bench $$what || exit 1; done

days: deps ## Replay every recorded day and compare it with its expected.json
	@for day in fixtures/days/*/; do echo "$$day"; $(AURA) replay "$$day" || exit 1; done

# With `PORTABLE=yes` packages run wherever glibc is 2.28 or newer: zig links them, and OpenSSL is in them. Else they need this system's own libraries.
PORTABLE ?= no
GLIBC = 2.28
MACHINE = $(shell uname -m)-unknown-linux-gnu
ifneq ($(PORTABLE),yes)
DIST_BUILD = build
DIST_OUT = release
else
DIST_BUILD = zigbuild --target $(MACHINE).$(GLIBC) -p orchestrator --features vendored-openssl
DIST_OUT = $(MACHINE)/release
endif
# As in .cargo/config.toml, which cargo does not read beside RUSTFLAGS.
DIRECT_CALLS = -C relro-level=partial -C link-arg=-Wl,-z,now
# Paths of this machine are in no package: built in two folders, the bytes are the same. OpenSSL writes down how and where it was built: always the same way, in one folder.
DIST_TARGET = $(TOOLS)/dist
DIST_CARGO = $(or $(CARGO_HOME),$(HOME)/.cargo)
DIST_ENV = SOURCE_DATE_EPOCH=0 PATH="$(TOOLS)/zig/bin:$$PATH" \
	RUSTFLAGS="$(DIRECT_CALLS) --remap-path-prefix=$(CURDIR)=/aura --remap-path-prefix=$(DIST_CARGO)=/cargo" CFLAGS="-ffile-prefix-map=$(DIST_CARGO)=/cargo"

dist-deps:
	@[ "$(PORTABLE)" != yes ] || scripts/deps.sh portable

dist: deps site-deps dist-deps ## Make packages: .deb, tarball, container image, SBOM, checksums, and a signature with AURA_DIST_KEY=FILE
	$(DIST_ENV) cargo $(DIST_BUILD) --release --locked --bin aura --target-dir $(DIST_TARGET)
	@scripts/site.py $(DIST_TARGET)/$(DIST_OUT)/aura $(DIST_TARGET)/site
	@AURA_GLIBC=$(if $(filter yes,$(PORTABLE)),$(GLIBC)) AURA_FEATURES=$(if $(filter yes,$(PORTABLE)),vendored-openssl) \
	scripts/dist.sh $(DIST_TARGET)/$(DIST_OUT) $(DIST_TARGET)/site/html dist

dist-try: ## Install what `make dist` made in clean roots of Debian 12 and 13, and the image; start it there, remove it (needs root, debootstrap)
	@scripts/dist-try.sh dist/*.deb

release: ## Set the version, close the changelog, commit and tag: make release VERSION=0.2.0
	@scripts/release.py $(VERSION)

clean: ## Remove build results; data folders stay
	cargo clean
