# The project's commands; bare `make` explains them. Everything installs what it needs; `make run` needs nothing but Go.
# What takes more than a few lines is a script in .ci.

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS   += --no-print-directory

# One configuration for all that is built, so that tests and programs share what Go keeps of earlier builds.
export GOFLAGS := -trimpath
# A program with the race detector waits a second at its end by default, for reports that may still come.
export GORACE := atexit_sleep_ms=50

# Programs that run by exact version outside go.mod, so that they do not swell it: linters, and what makes the bill of
# materials.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.0
CYCLONEDX   := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)

help: ## explain the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: ## the whole platform on this machine, with a demo shop; README lists its settings: ADDR, DATA, DEMO, LOG and others
	@exec .ci/start

tools: ## what tests want: Chromium, PHP and NSD (by apt-get, as root), TypeScript, axe-core and frameworks (by npm and pip)
	@.ci/install tools

clients: ## linters of OpenAPI and makers of clients (by npm, pip, go, Maven, and as root apt-get), in infra/journeys/clients
	@.ci/install clients

clients-test: clients ## make clients with each maker: all operations, compiled, and a journey; Schemathesis
	go test -tags clients -count=1 -timeout 20m -run 'TestAClientOf|TestSchemathesis' ./infra/journeys

# Where our own code shares memory between goroutines. It makes tests three to six times as long, so all else has it in
# make race only.
RACED := eshop/(functions/delivery|shared/(base/(egress|guard|remember)|ports/(limit/memory|queue/memory|store/bolt)|webhook/(changefeed|inflight)))

# Four packages at once, for many wait for the disk. The stack alone is left out: its tests are those of make check, which
# also vets what is left unvetted here.
TEST := go test -vet=off -p 4 -timeout 60m

test: tools ## every test that needs no engine, with the race detector where our own code shares memory
	$(TEST) -race $$(go list ./... | grep -Ex '$(RACED)')
	$(TEST) $$(go list ./... | grep -Evx 'eshop/infra/stack|$(RACED)')
	$(TEST) -race -run 'TestTheOneProcess$$' ./infra/journeys

quick: ## in some two minutes, what differs from BASE (the last commit): no browser, framework, old release or seed
	@.ci/quick

# Packages whose tests do one thing after the other, or much arithmetic (pictures, passwords), or call what is tried
# elsewhere with the race detector (all functions and the catalog, in infra/local and infra/journeys): it would make
# them minutes, and find nothing.
ALONE := eshop/(events|functions(/.+)?|infra/(demo/.+|eshop(/.+)?|journeys/browser|local/.+|proof/(model|releases)|stack/.+)|shared/(catalog(/shelf)?|frontend|host/lambda|images/picture|people/customer))

race: tools ## the race detector wherever much is done at once: before a release, and when an issue is closed
	$(TEST) -race $$(go list ./... | grep -Evx 'eshop/infra/stack|$(ALONE)') ./functions/delivery
	LIES=1 go test -count=1 -run TestEachLieIsFound ./infra/proof/simulate

fuzz: ## each fuzz target in turn, for FUZZTIME (10s) each: every input that strangers can send
	@.ci/fuzz

# A night on two cores: make simulate SEED=1 RUNS=500.
simulate: ## days of the platform with everything around it failing, on both hosts: SEED, DAYS, RUNS (seeds from SEED on), HOST, TIMES=2
	@go run ./infra/proof/simulate -seed $${SEED:-$$RANDOM} -days $${DAYS:-1} -runs $${RUNS:-1} -host "$${HOST:-}" -times $${TIMES:-1}

prove: ## the real program under load, killed again and again, against the model: SEED, DURATION, KILLS; BREAK=lost-write, stale-read or double-send must fail
	SEED=$${SEED:-$$RANDOM} DURATION=$${DURATION:-4m} KILLS=$${KILLS:-30} go test -count=1 -v -timeout 2h -run 'TestProve$$' ./infra/proof/simulate

soak: ## two days of HOURS (24) in simulated time, a line an hour, and quiet between: what grows without bound fails
	HOURS=$${HOURS:-24} go test -count=1 -v -timeout 3h -run 'TestADayOfGrowth$$' ./infra/proof/simulate

evidence: ## what the page of reliability tells figures of, for HOURS (8), where the last run left off; ANEW=1 begins at this commit
	go run ./infra/proof/evidence -hours $${HOURS:-8} $(if $(ANEW),-anew)

rows: ## write what this release stores, once: RELEASE names its commit or tag, or what the change will be known by
	go test -count=1 ./infra/proof/releases -run TestEachReleaseIsRead -release $(RELEASE)

screenshots: tools ## pictures of all pages, the shop's in cs and sk, the admin's in cs and en, 360 and 1280 pixels wide
	@rm -rf .screenshots && TOOLS=required SCREENSHOTS=$(CURDIR)/.screenshots go test -count=1 -run PagesFitAPhone ./infra/journeys/browser
	@echo "Look at .screenshots/<page>-<language>-<width>.png"

test-aws: ## the suites of the ports on DynamoDB Local with Streams and ElasticMQ, or on AWS_ENDPOINT_URL
	go test -tags aws -count=1 -timeout 25m ./shared/ports/store/dynamo ./shared/ports/limit/dynamo ./shared/ports/queue/sqs ./infra/aws/engines/...
	go test -tags aws -count=1 -timeout 25m -run OnDynamoDB ./functions/orders ./functions/urls ./functions/products

# MiniStack takes the place of an account of AWS; the SAM CLI has Lambda's own emulator in it, and a linter of templates.
.cache/%/installed: infra/aws/ministack/%.txt
	python3 -m venv .cache/$*
	.cache/$*/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

test-lambda: .cache/ministack/installed .cache/sam/installed ## each program behind Lambda's own emulator, with sizes, first answers and memory; SAM's linter
	@.ci/emulated lambda

test-stack: .cache/ministack/installed ## the synthesised stacks in an emulator of AWS: journeys with each role's rights, dead letters, a restore, a second place
	@.ci/emulated stack

# Both want a container runtime; localstack wants an account's token with LocalStack, too (LOCALSTACK_AUTH_TOKEN).
sam: synth .cache/sam/installed ## API and functions on http://127.0.0.1:3000 in containers, by sam local start-api
	SAM_CLI_TELEMETRY=0 .cache/sam/bin/sam local start-api --template infra/cdk.out/$(STACK).template.json

localstack: synth ## deploy ENV to what listens at AWS_ENDPOINT_URL as AWS, http://127.0.0.1:4566 by default
	.ci/localstack $(STACK)

sbom: ## the modules that programs and tests are made of, as go.sum has them, and their licences: .bin/sbom.cdx.json (CycloneDX)
	go mod download
	go mod verify
	@mkdir -p .bin && go run $(CYCLONEDX) mod -licenses -test -json -output .bin/sbom.cdx.json .
	@go run ./infra/stack/licences < .bin/sbom.cdx.json > .bin/licences.txt
	@echo "$$(wc -l < .bin/licences.txt) modules with permissive licences: .bin/sbom.cdx.json, .bin/licences.txt"

release: ## eshop for Linux, macOS and Windows, each with its bill of materials, and their SHA256SUMS, in .release: TARGETS
	@.ci/release $(CYCLONEDX)

# Two at once, since makers of clients and the stack's tests wait for other programs most of their time. What each says is
# shown when it is done.
check: clients sbom ## format, vet, licences, linters of Go and of openapi.json, the stack against THE list, clients
	@$(MAKE) -j 2 --output-sync=target check-go clients-test check-stack check-openapi

check-go:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	go test -run TestALineIsNoWiderThanAReadersWindow ./functions/house
	go vet ./...
	go vet -tags aws,stack,clients ./shared/... ./functions/... ./infra/aws/engines/... ./infra/journeys
	go run $(STATICCHECK) ./...

check-stack:
	go test -tags synth -count=1 -timeout 30m ./infra/stack

check-openapi:
	@.ci/openapi

golden: ## write the golden files anew: examples, webhook bodies, invocation payloads, openapi.json
	go test ./infra/local -run Golden -update
	go test ./events ./functions/house ./functions/docs/... -run Golden -update

cost: ## write the tables of the guide that say what AWS costs, a million of each operation and a month of a large platform
	go run ./infra/cost

bench: ## requests/s, latencies, deliveries, memory, beside the machine's limits: one table
	@go build -trimpath -o .bin/eshop ./infra/eshop && go run ./infra/bench && go run ./infra/bench -products 100000

# An installation is an environment, whose settings are in infra/stack/environments/<ENV>.json.
ENV   ?= development
STACK  = Eshop-$(ENV)
CDK   := infra/stack/node_modules/.bin/cdk

$(CDK):
	npm --prefix infra/stack install --no-package-lock --no-audit --no-fund

build: ## one arm64 bootstrap per function, in infra/stack/build
	go run ./infra/stack/build/cmd

synth: build ## the CloudFormation templates of ENV, by infra/stack/environments/<ENV>.json, in infra/cdk.out
	ENV=$(ENV) CDK_OUTDIR=infra/cdk.out go run ./infra/stack

bootstrap: $(CDK) ## what CDK wants in AWS_REGION of an account, once; with a domain in us-east-1, too
	@test -n "$(AWS_REGION)" || { echo "bootstrap: missing: AWS_REGION, the region of the installation"; exit 1; }
	@account=$$(aws sts get-caller-identity --query Account --output text) && $(CDK) bootstrap "aws://$$account/$(AWS_REGION)"

# What was synthesised is what is deployed.
deploy: ## build, synthesise and deploy ENV, at the first time with OPERATOR_TOKEN: FAST=1 all at once, CHANGE=domain,…
	@.ci/deploy $(ENV)

diff: synth $(CDK) ## what a deployment of ENV would change
	$(CDK) diff --app infra/cdk.out

# Alarms, functions and door go, in this order. The stack of tables, queues, key and bucket stays: it is protected, and so are they.
destroy: ## take down the services of ENV, never its data: CONFIRM=Eshop-<ENV>
	@test "$(CONFIRM)" = "$(STACK)" || { echo "This takes $(STACK) down. Say so: make destroy ENV=$(ENV) CONFIRM=$(STACK)"; exit 1; }
	@$(MAKE) $(CDK) synth ENV=$(ENV)
	$(CDK) destroy --app infra/cdk.out --exclusively --force $$(grep -qF '"$(STACK)-Edge"' infra/cdk.out/manifest.json && echo $(STACK)-Edge) $(STACK)-Monitoring $(STACK)

unheard: ## hand changes over again that functions of ENV have given up, with your own rights in AWS
	@mkdir -p .bin && go build -trimpath -o .bin/unheard ./infra/aws/unheard && ENV=$(ENV) exec .ci/operator .bin/unheard

# The environment is named by whoever calls it, never by default.
restore: ## put ENV back to the second WHEN=2026-11-29T10:00:00Z, by new tables beside those that serve; again if interrupted
	@ENV='$(if $(filter file,$(origin ENV)),,$(ENV))' go run ./infra/stack/restore/cmd

shop-domain: ## a shop's own domain at the edge of ENV: with SHOP makes NAME, without shows it (without NAME all), with REMOVE=1 ends it
	@ENV=$(ENV) exec .ci/shop-domain

# The environment is named by whoever calls it, never by default: it is broken and destroyed.
smoke: ## what only an account of AWS shows, of a new ENV that is destroyed at the end, each step checked and timed
	@mkdir -p .bin && go build -trimpath -o .bin/smoke ./infra/aws/smoke && ENV='$(if $(filter file,$(origin ENV)),,$(ENV))' exec .bin/smoke
