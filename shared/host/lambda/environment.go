package lambda

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"eshop/shared/host"
	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/blob/s3"
	limits "eshop/shared/ports/limit/dynamo"
	"eshop/shared/ports/queue/sqs"
	"eshop/shared/ports/secret/kms"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
	"eshop/shared/shop"
)

// The environment of a Lambda, which the stack writes and only open reads. Beside these are Lambda's own, which awsconf
// reads.
const (
	Environment       = "ENVIRONMENT"         // production, staging, …
	BaseURL           = "BASE_URL"            // the API's address without a slash at its end
	DoorURL           = "DOOR_URL"            // API Gateway's own address of the API, which BASE_URL need not be
	OperatorTokenHash = "OPERATOR_TOKEN_HASH" // SHA-256 in hex; of the function with the operator's routes only
	// the same of the edge's secret, or of two with a comma between; "": nothing stands in front
	EdgeSecretHashes = "EDGE_SECRET_HASHES"
	ReservedSlugs    = "RESERVED_SLUGS" // functions.ReservedSlugs with commas between
	// whom to tell of a hole, as host.IsContact has it; of the function with /.well-known only; "": nobody is named
	SecurityContact = "SECURITY_CONTACT"
	// the shop and the package of the canary, as host.Addresses has them, where there is a canary
	Canary = "CANARY"
	// the name below which shops and their admins are, and lead here; "": no name leads to any
	Domain = "DOMAIN"
	// the name below which test shops have their domains, beside those that end in .test
	TestDomain = "TEST_DOMAIN"
	// Loopback set to "true" lets receivers on this machine be called, for tests of the stacks in an emulator. No stack
	// sets it, and production does not start with it.
	Loopback = "LOOPBACK"
)

// Unheard is what the keys of objects begin with that Lambda itself puts into the bucket of files: each is an event of
// the stream that its reader was tried with for the last time. Lambda lets nobody choose it.
const Unheard = "aws/lambda/"

// Live is the alias of each function that callers and triggers reach.
const Live = "live"

// Variable is the environment's name for the table's or bucket's name, the queue's URL or the key's ARN. It is there
// when the function needs the resource.
var Variable = map[host.Resource]string{
	host.Main: "MAIN_TABLE", host.Pipeline: "PIPELINE_TABLE", host.Counters: "COUNTER_TABLE",
	host.Fresh: "FRESH_QUEUE", host.Retry: "RETRY_QUEUE", host.Secrets: "SECRETS_KEY",
	host.Signing: "SIGNING_KEY", host.Files: "FILES_BUCKET",
}

// open makes the platform of what the environment says, and makes the first call to what the function needs, so that
// the first request does not wait for handshakes. A variable that is missing is an error that names it.
func open(ctx context.Context, function host.Function, figure func(name, unit string, value float64),
	getenv func(string) string,
) (*host.Platform, error) {
	parts := host.Parts{
		Environment: getenv(Environment),
		Addresses: host.Addresses{BaseURL: getenv(BaseURL), DoorURL: getenv(DoorURL),
			ReservedSlug:    host.ReservedSlug(strings.Split(getenv(ReservedSlugs), ",")),
			SecurityContact: getenv(SecurityContact), Canary: getenv(Canary),
			Shops: shop.Places{Host: getenv(Domain)}, TestDomain: getenv(TestDomain)},
		World:  host.World{Now: time.Now, Random: rand.Reader, Log: slog.Default(), Figure: figure},
		Traits: host.Traits{Loopback: getenv(Loopback) == "true"},
	}
	if parts.Shops.Host != "" {
		parts.Shops.Own = shop.Ready
	}
	if parts.Environment == "" || parts.BaseURL == "" {
		return nil, fmt.Errorf("lambda: %s and %s must be set", Environment, BaseURL)
	}
	if parts.Loopback && parts.Environment == "production" {
		return nil, errors.New("lambda: " + Loopback + " is for tests, not for production")
	}
	if err := operator(&parts, getenv(OperatorTokenHash)); err != nil {
		return nil, err
	}
	cfg, err := awsconf.Load(getenv)
	if err != nil {
		return nil, err
	}
	for _, n := range function.Needs {
		address := getenv(Variable[n.Resource])
		if address == "" {
			return nil, fmt.Errorf("lambda: %s needs %s, and %s is not set", function.Name, n.Resource,
				Variable[n.Resource])
		}
		connect(&parts, cfg, n.Resource, address)
	}
	p, err := host.Assemble(ctx, parts, function)
	if err != nil {
		return nil, err
	}
	return p, warm(ctx, p)
}

// connect makes the client of one resource.
func connect(parts *host.Parts, cfg aws.Config, resource host.Resource, address string) {
	switch resource {
	case host.Main:
		parts.Main = dynamo.New(cfg, address)
	case host.Pipeline:
		parts.Pipeline = dynamo.New(cfg, address)
	case host.Counters:
		parts.Counters = limits.New(cfg, address)
	case host.Fresh:
		parts.Fresh = sqs.New(cfg, address)
	case host.Retry:
		parts.Retry = sqs.New(cfg, address)
	case host.Secrets:
		parts.Secrets = kms.New(cfg, address, string(resource))
	case host.Signing:
		parts.Signing = kms.New(cfg, address, string(resource))
	case host.Files:
		parts.Files = s3.New(cfg, address)
	}
}

// warm makes the first call to DynamoDB: it reads an item that does not exist. A function with operations has read the
// platform's secret already. One that needs no table makes no call.
func warm(ctx context.Context, p *host.Platform) error {
	for _, t := range []store.Table{p.Main, p.Pipeline} {
		if t != nil && p.Key == nil {
			_, err := t.Get(ctx, store.Key{PK: "WARM", SK: "A"})
			return err
		}
	}
	return nil
}

// operator sets the hash of the operator's token. Only functions with routes of the operator are given it.
func operator(p *host.Parts, hash string) error {
	if hash == "" {
		return nil
	}
	b, err := hex.DecodeString(hash)
	if err != nil || len(b) != len(p.Operator) {
		return errors.New("lambda: " + OperatorTokenHash + " is no SHA-256 in hex")
	}
	copy(p.Operator[:], b)
	return nil
}
