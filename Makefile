# The project's commands; bare `make` explains them. Everything installs what it needs; `make run` needs nothing but Go.

SHELL       := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS   += --no-print-directory

# One configuration for all that is built, so that tests and programs share what Go keeps of earlier builds.
export GOFLAGS := -trimpath
# A program with the race detector waits a second at its end by default, for reports that may still come.
export GORACE := atexit_sleep_ms=50

# Linters run by exact version outside go.mod, so that they do not swell it.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.0

# What tells changes of openapi.json that break a client, by exact version.
OASDIFF := github.com/oasdiff/oasdiff@v1.11.7

# What makes the bill of materials, by exact version.
CYCLONEDX := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0

.PHONY: help run tools clients clients-test test quick race fuzz simulate prove rows screenshots check sbom release bench build synth deploy diff destroy golden smoke test-aws test-stack test-lambda sam localstack cost

help: ## explain the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

# The first build is silent for a minute or more, so it says what it does, and counts. Lines of one word are the names of
# packages, which -v prints; all others are what the compiler has to say.
PACKAGES = $$(go list -deps ./infra/eshop | wc -l)
COUNTED  = awk -v all="$$all" 'NF > 1 { print } NF == 1 && ++n % 50 == 0 { print n " of " all " packages"; fflush() }' >&2

run: ## the whole platform on this machine, with a demo shop: ADDR, DATA, ENVIRONMENT, PUBLIC_URL, TRUSTED_PROXIES, OPERATOR_TOKEN, DEMO, SECURITY_CONTACT, CANARY, LOG
	@test -e .bin/eshop || { all=$(PACKAGES) && echo "Compiling $$all packages, this once: 43 seconds, or up to three minutes on a busy machine." \
		&& go build -v -trimpath -o .bin/eshop ./infra/eshop 2>&1 | $(COUNTED); }
	@go build -trimpath -o .bin/eshop ./infra/eshop && exec .bin/eshop serve

# What tests want beside Go, of pages and of the guide's receivers in frameworks. Each is skipped, and named, where it
# cannot be installed. Laravel's and Symfony's parts are those that Debian packages.
CHROMIUM   := chromium chromium-browser google-chrome google-chrome-stable headless_shell
FRAMEWORKS := functions/docs/testdata
PHP_PARTS  := php-cli php-illuminate-config php-illuminate-events php-illuminate-routing \
	php-symfony-event-dispatcher php-symfony-http-kernel php-symfony-routing
INSTALL     = test "$$(id -u)" = 0 && command -v apt-get > /dev/null && apt-get update -qq -o Acquire::Retries=3 \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Acquire::Retries=3 --no-install-recommends

tools: ## what tests want: Chromium and PHP (by apt-get, as root), TypeScript, axe-core and frameworks (by npm and pip)
	@command -v $(CHROMIUM) > /dev/null || { $(INSTALL) chromium fonts-dejavu-core > /dev/null; } \
		|| echo "There is no Chromium here, so no test will open a page: install the package chromium, or run make tools as root."
	@test -e shared/frontend/node_modules/axe-core -a -e shared/frontend/node_modules/typescript || { command -v npm > /dev/null \
		&& npm --prefix shared/frontend install --no-package-lock --no-audit --no-fund --loglevel=error; } \
		|| echo "There is no npm here, so eshop.d.ts will not be compiled, and no page be looked at by axe-core: install Node."
	@test -e $(FRAMEWORKS)/node_modules/express -a -e $(FRAMEWORKS)/node_modules/next || { command -v npm > /dev/null \
		&& npm --prefix $(FRAMEWORKS) install --no-package-lock --no-audit --no-fund --loglevel=error; } \
		|| echo "There is no npm or no registry here, so receivers in Express and Next.js will not be tried: install Node."
	@test -x $(FRAMEWORKS)/.venv/bin/uvicorn || { command -v python3 > /dev/null && python3 -m venv $(FRAMEWORKS)/.venv \
		&& $(FRAMEWORKS)/.venv/bin/pip install --quiet --disable-pip-version-check -r $(FRAMEWORKS)/requirements.txt; } \
		|| echo "There is no Python with venv or no registry here, so the receiver in FastAPI will not be tried: install python3-venv."
	@test -e /usr/share/php/Illuminate/Routing -a -e /usr/share/php/Illuminate/Events -a -e /usr/share/php/Illuminate/Config \
		-a -e /usr/share/php/Symfony/Component/HttpKernel || { $(INSTALL) $(PHP_PARTS) > /dev/null; } \
		|| echo "There are no parts of Laravel and Symfony here, so receivers in PHP may not be tried: install $(PHP_PARTS)."

# What reads openapi.json as partners' tools do: linters, and makers of clients. Skipped, and named, as the others are.
CLIENTS := infra/journeys/clients
LINT    := REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(CLIENTS)/node_modules/.bin

# What makes clients in Go, by exact version.
OGEN         := github.com/ogen-go/ogen/cmd/ogen@v1.24.0
OAPI_CODEGEN := github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2

# What makes clients in Java and PHP. It runs in Java; the client in PHP wants guzzle, which Debian packages.
OPENAPI_GENERATOR := org.openapitools:openapi-generator-cli:7.25.0
PHP               := php-cli php-curl php-mbstring php-guzzlehttp-guzzle
GUZZLE             = $$(php -r 'echo stream_resolve_include_path("GuzzleHttp/autoload.php");' 2> /dev/null)

clients: ## linters of OpenAPI and makers of clients (by npm, pip, go, Maven, and as root apt-get), in infra/journeys/clients
	@test -x $(CLIENTS)/node_modules/.bin/redocly || { command -v npm > /dev/null \
		&& npm --prefix $(CLIENTS) install --no-package-lock --no-audit --no-fund --loglevel=error; } \
		|| echo "There is no npm or no registry here, so openapi.json will not be linted and no TypeScript client made: install Node."
	@test -x $(CLIENTS)/.venv/bin/openapi-python-client -a -x $(CLIENTS)/.venv/bin/schemathesis || { command -v python3 > /dev/null && python3 -m venv $(CLIENTS)/.venv \
		&& $(CLIENTS)/.venv/bin/pip install --quiet --disable-pip-version-check -r $(CLIENTS)/requirements.txt; } \
		|| echo "There is no Python with venv or no registry here, so no Python client will be made, and Schemathesis not run: install python3-venv."
	@test -x $(CLIENTS)/.bin/ogen -a -x $(CLIENTS)/.bin/oapi-codegen \
		|| { GOBIN=$(CURDIR)/$(CLIENTS)/.bin go install $(OGEN) && GOBIN=$(CURDIR)/$(CLIENTS)/.bin go install $(OAPI_CODEGEN); } \
		|| echo "There is no proxy of Go modules here, so no client in Go will be made."
	@test -e $(CLIENTS)/.java/openapi-generator-cli.jar || { command -v javac > /dev/null && command -v mvn > /dev/null \
		&& mvn -q -B -f $(CLIENTS)/pom.xml dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/$(CLIENTS)/.java/lib \
		&& mvn -q -B dependency:copy -Dartifact=$(OPENAPI_GENERATOR) -Dmdep.stripVersion=true -DoutputDirectory=$(CURDIR)/$(CLIENTS)/.java; } \
		|| echo "There is no JDK with Maven or no registry here, so no client in Java or PHP will be made: install default-jdk and maven."
	@test -e $(CLIENTS)/.bin/guzzle.php || { { test -n "$(GUZZLE)" || { $(INSTALL) $(PHP) > /dev/null; }; } \
		&& mkdir -p $(CLIENTS)/.bin && ln -sf "$(GUZZLE)" $(CLIENTS)/.bin/guzzle.php; } \
		|| echo "There is no PHP with guzzle here, so no client in PHP will be made: install $(PHP), or run make clients as root."

clients-test: clients ## make clients with each maker: all operations, compiled, and a journey; Schemathesis
	go test -tags clients -count=1 -timeout 20m -run 'TestAClientOf|TestSchemathesis' ./infra/journeys

# Where our own code shares memory between goroutines. It makes tests three to six times as long, so all else has it in
# make race only.
RACED := eshop/(functions/delivery|shared/(base/(egress|guard|remember)|ports/(limit/memory|queue/memory|store/bolt)|webhook/(changefeed|inflight)))

# Four packages at once, for many wait for the disk. The stack alone is left out: its tests are those of make check, which
# also vets what is left unvetted here.
test: tools ## every test that needs no engine, with the race detector where our own code shares memory
	go test -race -vet=off -p 4 -timeout 60m $$(go list ./... | grep -Ex '$(RACED)')
	go test -vet=off -p 4 -timeout 60m $$(go list ./... | grep -Evx 'eshop/infra/stack|$(RACED)')
	go test -race -vet=off -timeout 60m -run 'TestTheOneProcess$$' ./infra/journeys

quick: ## in some two minutes, what differs from BASE (the last commit): no browser, framework, old release or seed
	@.ci/quick

# Packages whose tests do one thing after the other, or much arithmetic (pictures, passwords), or call what is tried
# elsewhere with the race detector (all functions and the catalog, in infra/local and infra/journeys): it would make
# them minutes, and find nothing.
ALONE := eshop/(events|functions(/.+)?|infra/(demo/.+|eshop(/.+)?|journeys/browser|local/.+|proof/(model|releases)|stack/.+)|shared/(catalog(/shelf)?|frontend|host/lambda|images/picture|people/customer))

race: tools ## the race detector wherever much is done at once: before a release, and when an issue is closed
	go test -race -vet=off -p 4 -timeout 60m $$(go list ./... | grep -Evx 'eshop/infra/stack|$(ALONE)') ./functions/delivery

# The targets are listed by Go, so that a new one is never forgotten. What one finds lies in its package's testdata/fuzz
# afterwards: committed with the mend it is a test of make test.
fuzz: ## each fuzz target in turn, for FUZZTIME (10s) each: every input that strangers can send
	@go test -list '^Fuzz' $$(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's,^,./,') \
		| awk '/^Fuzz/ { names = names " " $$1 } /^ok/ { n = split(names, of, " "); names = ""; for (i = 1; i <= n; i++) print $$2, of[i] }' \
		| { failed=; while read -r package name; do echo "$$name of $$package"; \
			go test -run '^$$' -fuzz "^$$name$$" -fuzztime $${FUZZTIME:-10s} $$package < /dev/null || failed="$$failed $$name"; done; \
		test -z "$$failed" || { echo "failed:$$failed"; exit 1; }; }

# A night on two cores: make simulate SEED=1 RUNS=500.
simulate: ## days of the platform with everything around it failing, on both hosts: SEED, DAYS, RUNS (seeds from SEED on), HOST, TIMES=2
	@go run ./infra/proof/simulate -seed $${SEED:-$$RANDOM} -days $${DAYS:-1} -runs $${RUNS:-1} -host "$${HOST:-}" -times $${TIMES:-1}

prove: ## the real program under load, killed again and again, against the model: SEED, DURATION, KILLS
	SEED=$${SEED:-$$RANDOM} DURATION=$${DURATION:-4m} KILLS=$${KILLS:-30} go test -count=1 -v -timeout 2h -run 'TestProve$$' ./infra/proof/simulate

screenshots: tools ## pictures of all pages, the shop's in cs and sk, the admin's in cs and en, 360 and 1280 pixels wide
	@rm -rf .screenshots && TOOLS=required SCREENSHOTS=$(CURDIR)/.screenshots go test -count=1 -run PagesFitAPhone ./infra/journeys/browser
	@echo "Look at .screenshots/<page>-<language>-<width>.png"

test-aws: ## the suites of the ports on DynamoDB Local with Streams and ElasticMQ, or on AWS_ENDPOINT_URL
	go test -tags aws -count=1 -timeout 25m ./shared/ports/store/dynamo ./shared/ports/limit/dynamo ./shared/ports/queue/sqs ./infra/aws/engines/...
	go test -tags aws -count=1 -timeout 25m -run OnDynamoDB ./functions/orders ./functions/urls ./functions/products

# MiniStack takes the place of an account of AWS. The programs are built for this machine's processor here.
EMULATOR := .cache/ministack/bin/ministack

$(EMULATOR): infra/aws/ministack/requirements.txt
	python3 -m venv .cache/ministack
	.cache/ministack/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# The SAM CLI has Lambda's own Runtime Interface Emulator in it, and a linter of templates.
SAM     := .cache/sam/bin/sam
RIE_amd64 := aws-lambda-rie-x86_64 6b1e686e62ab2baf5759c412c4864276ef2a88b094fca53ec070637ccba9b9a5
RIE_arm64 := aws-lambda-rie-arm64 ec2e5d09633d853834c008b1ef264bf834b258a94d551d2b2074966494b39a21
RIE        = $(RIE_$(shell go env GOARCH))

$(SAM): infra/aws/ministack/sam.txt
	python3 -m venv .cache/sam
	.cache/sam/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# What both tests run: the stacks of an environment called test, with programs for this machine.
.PHONY: emulated
emulated: $(EMULATOR)
	go run ./infra/stack/build/cmd -arch "$$(go env GOARCH)"
	ENV=test SETTINGS=infra/aws/ministack/test.json CDK_OUTDIR=.cache/stack go run ./infra/stack

ON_STACK = MINISTACK=$(CURDIR)/$(EMULATOR) CDK_OUT=$(CURDIR)/.cache/stack go test -tags stack -count=1 -timeout 25m

test-lambda: emulated $(SAM) ## each program behind Lambda's own emulator, with sizes, first answers and memory; SAM's linter
	for t in .cache/stack/*.template.json infra/aws/smoke/receiver.yaml; do AWS_DEFAULT_REGION=us-east-1 SAM_CLI_TELEMETRY=0 $(SAM) validate --lint --template $$t; done
	rie=$$(ls .cache/sam/lib/python3*/site-packages/samcli/local/rapid/$(firstword $(RIE))) && echo "$(lastword $(RIE))  $$rie" | sha256sum --quiet -c \
		&& RIE=$(CURDIR)/$$rie $(ON_STACK) -v -run 'TestEveryProgramInLambda|TestAProgram' ./infra/journeys

test-stack: emulated ## the synthesised stacks in an emulator of AWS: journeys with each role's rights, dead letters, a restore, a second place
	$(ON_STACK) -run 'TestTheStack$$|TestASecondPlace' ./infra/journeys

# Both want a container runtime; localstack wants an account's token with LocalStack, too (LOCALSTACK_AUTH_TOKEN).
sam: synth $(SAM) ## API and functions on http://127.0.0.1:3000 in containers, by sam local start-api
	SAM_CLI_TELEMETRY=0 $(SAM) local start-api --template infra/cdk.out/$(STACK).template.json

LOCAL := npm exec --yes --package=aws-cdk-local@3.0.4 --package=aws-cdk@2.1148.1 -- cdklocal

localstack: synth ## deploy ENV to what listens at AWS_ENDPOINT_URL as AWS, http://127.0.0.1:4566 by default
	export AWS_ENDPOINT_URL=$${AWS_ENDPOINT_URL:-http://127.0.0.1:4566} AWS_REGION=$${AWS_REGION:-us-east-1}; \
		export AWS_ENDPOINT_URL_S3=$${AWS_ENDPOINT_URL_S3:-$$AWS_ENDPOINT_URL}; \
		$(LOCAL) bootstrap --app infra/cdk.out && $(LOCAL) deploy --app infra/cdk.out --all --require-approval never \
		--parameters $(STACK):OperatorTokenHash=$$(printf %s "$${OPERATOR_TOKEN:?is to be set}" | sha256sum | cut -d' ' -f1)

sbom: ## the modules that programs and tests are made of, as go.sum has them, and their licences: .bin/sbom.cdx.json (CycloneDX)
	go mod download
	go mod verify
	@mkdir -p .bin && go run $(CYCLONEDX) mod -licenses -test -json -output .bin/sbom.cdx.json .
	@go run ./infra/stack/licences < .bin/sbom.cdx.json > .bin/licences.txt
	@echo "$$(wc -l < .bin/licences.txt) modules with permissive licences: .bin/sbom.cdx.json, .bin/licences.txt"

# What is given away: the whole platform with its commands, one file for each system, so an author has both by one
# download. The same commit makes the same bytes wherever it lies: no path, no symbols, no C.
RELEASE := .release
TARGETS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

release: ## eshop for Linux, macOS and Windows, each with its bill of materials, and their SHA256SUMS, in .release: TARGETS
	@rm -rf $(RELEASE) && mkdir -p $(RELEASE) && GOBIN=$(CURDIR)/.bin go install $(CYCLONEDX)
	@for target in $(TARGETS); do \
		export GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0; name=$(RELEASE)/eshop_$${GOOS}_$$GOARCH; \
		go build -trimpath -buildvcs=auto -ldflags '-s -w' -o $$name$$(go env GOEXE) ./infra/eshop; \
		.bin/cyclonedx-gomod app -main infra/eshop -std -licenses -noserial -notimestamp -json -output $$name.cdx.json .; \
	done
	@cd $(RELEASE) && sha256sum eshop_* > SHA256SUMS && cat SHA256SUMS
	RELEASE=$(abspath $(RELEASE)) go test -count=1 -tags release -run TestARelease ./infra/eshop

# Two at once, since makers of clients and the stack's tests wait for other programs most of their time. What each says is
# shown when it is done.
check: clients sbom ## format, vet, licences, linters of Go and of openapi.json, the stack against THE list, clients
	@$(MAKE) -j 2 --output-sync=target check-go clients-test check-stack check-openapi check-breaking

.PHONY: check-go check-openapi check-stack check-breaking
check-go:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	go test -run TestALineIsNoWiderThanAReadersWindow ./functions/house
	go vet ./...
	go vet -tags aws,stack,clients ./shared/... ./functions/... ./infra/aws/engines/... ./infra/journeys
	go run $(STATICCHECK) ./...

check-openapi:
	@if test -x $(CLIENTS)/node_modules/.bin/redocly; then \
		$(LINT)/redocly lint --extends=recommended-strict functions/docs/openapi*.json \
		&& $(LINT)/spectral lint --fail-severity=warn --ruleset $(CLIENTS)/spectral.yaml functions/docs/openapi*.json; \
	else echo "openapi.json is not linted: redocly and spectral are not here"; test "$${TOOLS:-}" != required; fi

# The documents of partners are held against those of the last release; until there is one, against where this branch
# left origin's main; on that itself against the commit before, unless something is not committed yet. A clone without
# that history is told so. What an issue orders stands in functions/docs/breaking.txt, with its reason.
BASE_COMMIT = $$(git describe --tags --abbrev=0 HEAD~1 2> /dev/null || { at=$$(git merge-base HEAD origin/main 2> /dev/null || git rev-parse HEAD~1); \
	if test "$$at" = "$$(git rev-parse HEAD)" && git diff --quiet HEAD -- functions/docs; then git rev-parse HEAD~1; else echo "$$at"; fi; })

check-breaking:
	@base=$(BASE_COMMIT) && test -n "$$base" || { echo "There is no commit before this one here, so nothing says what breaks clients: git fetch --unshallow"; exit 1; }; \
	mkdir -p .cache/breaking && echo "openapi.json is held against that of $$base"; \
	for document in $$(git ls-tree --name-only "$$base" functions/docs/ | grep '/openapi.*\.json$$'); do \
		git show "$$base:$$document" > .cache/breaking/before.json; \
		go run $(OASDIFF) breaking --fail-on WARN --err-ignore functions/docs/breaking.txt --warn-ignore functions/docs/breaking.txt \
			--format singleline .cache/breaking/before.json "$$document"; \
	done

check-stack:
	go test -tags synth -count=1 ./infra/stack

cost: ## write the tables of the guide that say what AWS costs, a million of each operation and a month of a large platform
	go run ./infra/cost

bench: ## requests/s, latencies, deliveries, memory, beside the machine's limits: one table
	@go build -trimpath -o .bin/eshop ./infra/eshop && go run ./infra/bench && go run ./infra/bench -products 100000

build: ## one arm64 bootstrap per function, in infra/stack/build
	go run ./infra/stack/build/cmd

# An installation is an environment, whose settings are in infra/stack/environments/<ENV>.json.
ENV   ?= development
STACK  = Eshop-$(ENV)
CDK   := infra/stack/node_modules/.bin/cdk

synth: build ## the CloudFormation templates of ENV, by infra/stack/environments/<ENV>.json, in infra/cdk.out
	ENV=$(ENV) CDK_OUTDIR=infra/cdk.out go run ./infra/stack

$(CDK):
	npm --prefix infra/stack install --no-audit --no-fund

# What was synthesised is what is deployed. An operator's token in OPERATOR_TOKEN is set, and so is the edge's secret in
# EDGE_SECRET; without them the last ones stay. Of two secrets both let in, and the first one is what the edge sends.
deploy: synth $(CDK) ## build, synthesise and deploy ENV, at the first time with OPERATOR_TOKEN, and EDGE_SECRET for a domain
	@sha() { printf %s "$$1" | sha256sum | cut -d' ' -f1; }; set -- $${EDGE_SECRET:-}; \
	exec $(CDK) deploy --app infra/cdk.out --all $${OPERATOR_TOKEN:+--parameters $(STACK):OperatorTokenHash=$$(sha "$$OPERATOR_TOKEN")} \
		$${1:+--parameters $(STACK)-Edge:EdgeSecret=$$1 --parameters $(STACK):EdgeSecretHashes=$$(sha "$$1")$${2:+,$$(sha "$$2")}}

diff: synth $(CDK) ## what a deployment of ENV would change
	$(CDK) diff --app infra/cdk.out

# Alarms, functions and door go, in this order. The stack of tables, queues, key and bucket stays: it is protected, and so are they.
destroy: synth $(CDK) ## take down the services of ENV, never its data: CONFIRM=Eshop-<ENV>
	@test "$(CONFIRM)" = "$(STACK)" || { echo "This takes $(STACK) down. Say so: make destroy ENV=$(ENV) CONFIRM=$(STACK)"; exit 1; }
	$(CDK) destroy --app infra/cdk.out --exclusively --force $$(grep -qF '"$(STACK)-Edge"' infra/cdk.out/manifest.json && echo $(STACK)-Edge) $(STACK)-Monitoring $(STACK)

# The environment is named by whoever calls it, never by default: it is broken and destroyed.
smoke: ## what only an account of AWS shows, of a new ENV that is destroyed at the end, each step checked and timed
	@mkdir -p .bin && go build -trimpath -o .bin/smoke ./infra/aws/smoke && ENV='$(if $(filter file,$(origin ENV)),,$(ENV))' exec .bin/smoke

golden: ## write the golden files anew: examples, webhook bodies, invocation payloads, openapi.json
	go test ./infra/local -run Golden -update
	go test ./events ./functions/house ./functions/docs/... -run Golden -update

rows: ## write what this release stores, once: RELEASE names its commit or tag, or what the change will be known by
	go test -count=1 ./infra/proof/releases -run TestEachReleaseIsRead -release $(RELEASE)
