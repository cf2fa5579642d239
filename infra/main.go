// Command infra is the platform's AWS stack: a parts list, made by walking THE list of functions. It writes the
// templates and assets to CDK_OUTDIR and needs neither an account nor a network for it.
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

// Settings are what one installation differs from another in: `-c environment=staging` and so on.
type Settings struct {
	Environment string // production, staging, or any other name (contract, section 8)
	BaseURL     string // the API's address when it is not API Gateway's own
	AlarmEmail  string // who hears of alarms; "": the topic has no subscriber yet
}

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
