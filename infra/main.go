// Command infra is the platform's AWS stacks: a parts list, made by walking THE list of functions. It writes the
// templates and assets to CDK_OUTDIR and needs neither an account nor a network for it.
//
// # A tour
//
// Begin with main.go: Build makes two stacks, of what must never be lost (data.go) and of what can be made anew
// (services.go). For each function of the list services.go makes a Lambda with its role (grants.go), opens the front
// door to its routes (door.go) or connects what triggers it (triggers.go). watch.go has the alarms and the dashboard,
// rollout.go how new versions come into use. cdk-nag checks both stacks; each of its findings that stands says why, in
// a call of allow.
//
// # Glossary
//
//   - door: the HTTP API of API Gateway, before all functions with routes.
//   - need, grant: what a function does to a resource, and the policy statement that lets it.
//   - dead letters: messages that nobody could handle.
//   - unheard: changes that the stream's reader gave up on; nobody was told of them.
//   - bell: a message that says which delivery to look at.
package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"

	"eshop/functions"
	"eshop/shared/host"
)

func main() {
	defer jsii.Close()
	app := awscdk.NewApp(nil)
	Build(app, functions.List, "infra/build", settings(app))
	app.Synth(nil)
}

// Settings are what differs between installations, given as `-c environment=staging` and so on.
type Settings struct {
	Environment string // production, staging, or any other name (contract, section 8)
	BaseURL     string // the API's address when it is not API Gateway's own
	AlarmEmail  string // who hears of alarms; "": the topic has no subscriber yet
}

// settings reads them from the app's context.
func settings(app awscdk.App) Settings {
	read := func(name, otherwise string) string {
		if s, ok := app.Node().TryGetContext(&name).(string); ok && s != "" {
			return s
		}
		return otherwise
	}
	return Settings{Environment: read("environment", "development"), BaseURL: read("baseUrl", ""),
		AlarmEmail: read("alarmEmail", "")}
}

// Platform is both stacks: what must never be lost, and what is made anew at will.
type Platform struct {
	Data     *Data
	Services *Services
}

// Build makes the stacks for a list of functions, whose programs lie in folders of their names below build.
func Build(app awscdk.App, list []host.Function, build string, s Settings) Platform {
	name := "Eshop-" + s.Environment
	data := NewData(app, name+"-Data", list)
	services := NewServices(app, name, data, list, build, s)
	awscdk.Tags_Of(app).Add(jsii.String("environment"), &s.Environment, nil)
	awscdk.Aspects_Of(app).Add(cdknag.NewAwsSolutionsChecks(&cdknag.NagPackProps{}), nil)
	return Platform{Data: data, Services: services}
}
