package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscodedeploy"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/host"
	"eshop/shared/host/lambda"
)

// rollout brings new versions of functions into use, in the steps that lambda.RolloutShare and its neighbours name.
// Each version is called once before anybody else calls it. Then it has a share of its function's calls for a while,
// then all of them. If its own alarm rings meanwhile, it has none any more. A fast deployment, which goes back to the
// commit before, gives it all of them at once, and no alarm stops it: those of the version that it replaces may ring.
type rollout struct {
	app       awscodedeploy.LambdaApplication
	role      awsiam.Role
	rehearsal Machine
	fast      bool
}

// inSteps says whether new versions of the function come in in steps. What tries the platform from outside fails when
// the platform does: it would keep out the version that mends that.
func inSteps(f host.Function) bool { return !f.Outside }

// rollOut lets CodeDeploy bring in the versions of all functions but the canary's, each watched by an alarm of its own.
func (x *Services) rollOut() {
	r := x.newRollout()
	for _, name := range names(x, inSteps) {
		f := x.Functions[name]
		alarm := NewAlarm(x.Stack, title(name)+"NewVersion", &AlarmProps{Topics: x.Alarms, Reads: true,
			Why: "A new version of the function fails: it is taken back.", Row: "<Function>NewVersion",
			Metric: x.failures(f), AtLeast: float64(lambda.RolloutFailures(f.Function)), Periods: 1})
		x.newVersions = append(x.newVersions, alarm)
		r.of(f, alarm)
	}
}

// newRollout makes what all functions' rollouts share.
func (x *Services) newRollout() rollout {
	role := awsiam.NewRole(x.Stack, jsii.String("RolloutRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("codedeploy.amazonaws.com"), nil),
	})
	allow(role, "AwsSolutions-IAM4", "What CodeDeploy asks of Lambda and CloudWatch is CodeDeploy's to say; "+
		"this is the narrower of its two policies.")
	return rollout{role: role, app: awscodedeploy.NewLambdaApplication(x.Stack, jsii.String("Rollout"), nil),
		rehearsal: x.rehearsal(), fast: x.settings.Fast}
}

// rehearsalTime is how long a rehearsal may take: what CodeDeploy is asked, one run of the slowest function that works
// its payload through, retries of calls that AWS has refused, and more than a minute to tell CodeDeploy.
const rehearsalTime = 5 * time.Minute

// rehearsal makes the Lambda that calls each new version once (infra/stack/rehearsal). It may call the versions of this
// stack that are brought in, and nothing else.
func (x *Services) rehearsal() Machine {
	called := map[string]*string{}
	for _, name := range names(x, inSteps) {
		called[name] = x.Functions[name].Code.FunctionName()
	}
	m := x.newMachine("rehearsal", awslambda.FunctionProps{Timeout: duration(rehearsalTime),
		MemorySize:  jsii.Number(128),
		Description: jsii.String("Calls each new version of a function once, before anybody else does."),
		Environment: &map[string]*string{"FUNCTIONS": x.Stack.ToJsonString(called, nil)}})
	for _, name := range names(x, inSteps) {
		grant(m.Role, []string{"lambda:InvokeFunction"}, x.Functions[name].Code.CurrentVersion().FunctionArn())
	}
	return m
}

// of lets the function's versions be brought in by this rollout, watched by the alarm. The alias names all of that in
// its UpdatePolicy, which CloudFormation does not take for a dependency. So the alias is told to wait for the group,
// the alarm and the grants of both roles.
func (r rollout) of(lambda Lambda, alarm awscloudwatch.Alarm) {
	// CodeDeploy has a few fixed steps; these are those that lambda.RolloutShare and RolloutWindow describe.
	steps := awscodedeploy.LambdaDeploymentConfig_CANARY_10PERCENT_15MINUTES()
	if r.fast {
		steps = awscodedeploy.LambdaDeploymentConfig_ALL_AT_ONCE()
	}
	group := awscodedeploy.NewLambdaDeploymentGroup(lambda.Alias, jsii.String("Rollout"),
		&awscodedeploy.LambdaDeploymentGroupProps{
			Application: r.app, Role: r.role, Alias: lambda.Alias, IgnoreAlarmConfiguration: &r.fast,
			Alarms: &[]interfacesawscloudwatch.IAlarmRef{alarm}, PreHook: r.rehearsal.Code,
			DeploymentConfig: steps,
		})
	r.rehearsal.Role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions:   jsii.Strings("codedeploy:ListDeploymentTargets", "codedeploy:BatchGetDeploymentTargets"),
		Resources: &[]*string{group.DeploymentGroupArn()},
	}))
	allow(r.role, "AwsSolutions-IAM5", "CDK lets CodeDeploy call the rehearsal by any of its versions.",
		"/^Resource::<RehearsalFunction.*>:\\*$/")
	alias := resourceOf(lambda.Alias)
	for _, before := range []constructs.IConstruct{group, alarm, policyOf(r.role), policyOf(r.rehearsal.Role)} {
		alias.AddResourceDependency(resourceOf(before), nil)
	}
}

// resourceOf is the resource that a construct makes, without what hangs on it.
func resourceOf(c constructs.IConstruct) awscdk.CfnResource {
	return c.Node().DefaultChild().(awscdk.CfnResource)
}

// policyOf is the policy in which a role's grants are gathered.
func policyOf(role awsiam.Role) constructs.IConstruct {
	return role.Node().FindChild(jsii.String("DefaultPolicy"))
}

// failures are those of the version that the stack brings in, if they are too great a part of its calls; else 0. The
// alarm is on that version only: failures of an older one neither ring it nor stop the deployment of their fix.
//
// A refusal (4xx) is no failure of a version: clients bring them upon themselves, at any share of a function's calls.
// Whether a version refuses everybody is told only beside the one before, by figures of each function and each version,
// which would cost more than all other alarms. ClientErrors rings when it has all calls.
func (x *Services) failures(l Lambda) awscloudwatch.IMetric {
	version, n := l.Code.CurrentVersion().Version(), lambda.RolloutWindow.Minutes()
	counted := func(name string) awscloudwatch.IMetric {
		return metric("AWS/Lambda", name, map[string]*string{"FunctionName": l.Code.FunctionName(),
			"Resource": jsii.String(*l.Code.FunctionName() + ":live"), "ExecutedVersion": version}, n, "Sum")
	}
	const failed = "(FILL(errors, 0) + FILL(faults, 0))"
	faults := metric(lambda.Namespace, host.Faults, map[string]*string{lambda.InEnvironment: &x.settings.Environment,
		lambda.OfFunction: &l.Name, lambda.OfVersion: version}, n, "Sum")
	return formula("failures of the new version", n,
		using{"errors": counted("Errors"), "calls": counted("Invocations"), "faults": faults},
		fmt.Sprintf("IF(%s * 100 >= FILL(calls, 0) * %d, %s, 0)", failed, lambda.RolloutPercent, failed))
}
