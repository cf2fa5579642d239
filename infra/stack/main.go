// Command stack is the platform's AWS stacks: a parts list, made by walking THE list of functions. It writes the
// templates and assets to CDK_OUTDIR and needs neither an account nor a network for it.
//
// # The parts
//
// Begin with main.go, and with settings.go for what differs between installations: Build makes three stacks, and one
// more for each of a domain and a second place.
//
//	environments/  the settings of each installation, a file for each
//	data.go        what must never be lost: tables, queues, files, the key
//	services.go    what can be made anew: a Lambda for each function of the list, and of each of these
//	  machine.go     its program, role and log
//	  grants.go      what its role may: what the list says that it needs, and nothing else
//	  gateway.go     its routes at API Gateway, or
//	  triggers.go    the stream, queue, clock or bucket that calls it
//	  rollout.go     how a new version of it comes into use, the alarm that takes it back, and how old ones go
//	monitoring.go  all other alarms and the dashboard
//	backup.go      copies of the data in a second place
//	edge.go        what stands before the gateway: CloudFront and its firewall
//	nag.go         cdk-nag checks all of it; each of its findings that stands says why, in a call of allow
//
// synth_test.go holds the templates against the list, and rules_test.go against what AWS wants of any template.
// `make test-stack` makes the stacks in an emulator of AWS and runs the journeys through them, `make test-lambda` each
// program in Lambda's runtime: both are tests of journeys, with the tools that infra/aws/ministack names. `make smoke`
// tries what only an account shows (infra/aws/smoke). infra/stack/restore puts an installation back to a second, and
// infra/aws/domains gives shops domains of their own at the edge, which no stack has.
//
// # Glossary
//
//   - gateway: the HTTP API of API Gateway, before all functions with routes; in logical ids and variables it is Door.
//   - edge: CloudFront and its firewall, before the gateway.
//   - need, grant: what a function does to a resource, and the policy statement that lets it.
//   - dead letters: messages that nobody could handle.
//   - unheard: changes that a reader of the stream has given up; nobody was told of them (infra/aws/unheard).
//   - bell: a message that says which delivery to look at.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"

	"eshop/functions"
	"eshop/shared/host"
)

// main writes the templates of all stacks, or one line on stderr and exit code 1. With an argument it only says what
// the installation is to stand on: .ci/deploy asks before anything is built.
func main() {
	defer jsii.Close()
	s, err := settings(os.Getenv)
	if err == nil && len(os.Args) > 1 {
		fmt.Println(s.foundation())
		return
	}
	if err == nil {
		var app awscdk.App
		if app, err = newApp("cdk.json", nil, nil); err == nil {
			Build(app, functions.List, "infra/stack/build", s)
			app.Synth(nil)
			return
		}
	}
	fmt.Fprintln(os.Stderr, "stack:", err)
	jsii.Close()
	os.Exit(1)
}

// newApp is an app with the context of cdk.json, whoever runs the program: CDK's command line, a plain `go run
// ./infra/stack`, or a test. So all of them make the same templates. out is the folder where the templates go; nil
// stands for CDK_OUTDIR. given is what a test adds to the context, as CDK's command line does.
func newApp(file string, out *string, given map[string]any) (awscdk.App, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var config struct{ Context map[string]any }
	if err := json.Unmarshal(b, &config); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return awscdk.NewApp(&awscdk.AppProps{Context: &config.Context, PostCliContext: &given, Outdir: out,
		AnalyticsReporting: jsii.Bool(false)}), nil
}

// Platform is the platform's stacks: what must never be lost, what can be made anew, what watches both, what copies the
// data if there is a second place, and what stands in front if there is a domain.
type Platform struct {
	Data       *Data
	Backup     *Backup // nil without a second place
	Services   *Services
	Monitoring *Monitoring
	Edge       *Edge // nil without a domain
}

// Build makes the stacks for those functions of THE list that run by the settings. Below programs each function's
// program is in a folder of its name.
func Build(app awscdk.App, list []host.Function, programs string, settings Settings) Platform {
	list = settings.runs(list)
	var all Platform
	all.Data = NewData(app, list, settings)
	all.Services = NewServices(app, list, programs, all.Data, settings)
	if settings.BackupVault != "" {
		all.Backup = NewBackup(app, all.Data, settings)
	}
	all.Monitoring = NewMonitoring(app, list, all, settings) // of the stacks so far
	if settings.Domain != "" {
		all.Edge = NewEdge(app, settings)
		// The edge leads to the gateway, which must be there first.
		all.Edge.Stack.AddStackDependency(all.Services.Stack, nil)
	}
	// The budget finds the environment's costs by this tag.
	awscdk.Tags_Of(app).Add(jsii.String("environment"), &settings.Environment, nil)
	awscdk.Aspects_Of(app).Add(cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{}), nil)
	return all
}

// newStack makes the stack Eshop-<environment><end>, with what CDK is to know of it besides.
func newStack(app awscdk.App, settings Settings, end, description string, props awscdk.StackProps) awscdk.Stack {
	props.Description = &description
	return awscdk.NewStack(app, jsii.String("Eshop-"+settings.Environment+end), &props)
}

// duration is a duration as CDK has it, in whole seconds.
func duration(d time.Duration) awscdk.Duration {
	return awscdk.Duration_Seconds(jsii.Number(d.Seconds()))
}

// title is a name as CloudFormation's logical ids begin.
func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
