package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscodedeploy"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/host"
	"eshop/shared/lambdahost"
)

// Rollout brings new versions of functions into use, as lambdahost.CanaryShare and those beside it say: each is called
// once before anybody else calls it, then has some of its function's calls for a while, then all of them, and none any
// more when its own alarm rings meanwhile.
type Rollout struct {
	app       awscodedeploy.LambdaApplication
	role      awsiam.Role
	rehearsal awslambda.Function
	ignore    bool
}

// NewRollout makes what all functions' rollouts share.
func NewRollout(x *Services) Rollout {
	role := awsiam.NewRole(x.Stack, jsii.String("RolloutRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("codedeploy.amazonaws.com"), nil),
	})
	allow(role, "AwsSolutions-IAM4", "What CodeDeploy asks of Lambda and CloudWatch is CodeDeploy's to say; "+
		"this is the narrower of its two policies.", "")
	return Rollout{role: role, app: awscodedeploy.NewLambdaApplication(x.Stack, jsii.String("Rollout"), nil),
		rehearsal: x.rehearsal(), ignore: x.settings.IgnoreAlarms}
}

// rehearsalTime is how long a rehearsal may take: a run of the slowest function whose payload is worked through.
const rehearsalTime = 2 * time.Minute

// rehearsal makes the Lambda that calls each new version once (infra/rehearsal). It may call the versions of this stack
// that are brought in, and nothing else.
func (x *Services) rehearsal() awslambda.Function {
	scope := constructs.NewConstruct(x.Stack, jsii.String("Rehearsal"))
	role := awsiam.NewRole(scope, jsii.String("Role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
	})
	log := awslogs.NewLogGroup(scope, jsii.String("Log"), &awslogs.LogGroupProps{
		Retention: awslogs.RetentionDays_ONE_MONTH, RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
	grant(role, []string{"logs:CreateLogStream", "logs:PutLogEvents"}, log.LogGroupArn())
	called := map[string]*string{}
	for _, name := range names(x, func(host.Function) bool { return true }) {
		f := x.Functions[name]
		called[name] = f.Code.FunctionName()
		grant(role, []string{"lambda:InvokeFunction"}, f.Code.CurrentVersion().FunctionArn())
	}
	return awslambda.NewFunction(scope, jsii.String("Function"), &awslambda.FunctionProps{
		Description:   jsii.String("Calls each new version of a function once, before anybody else does."),
		Runtime:       awslambda.Runtime_PROVIDED_AL2023(),
		Architecture:  awslambda.Architecture_ARM_64(),
		Handler:       jsii.String("bootstrap"),
		Code:          awslambda.Code_FromAsset(jsii.String(filepath.Join(x.build, "rehearsal")), nil),
		MemorySize:    jsii.Number(128),
		Timeout:       duration(rehearsalTime),
		Environment:   &map[string]*string{"FUNCTIONS": x.Stack.ToJsonString(called, nil)},
		Role:          role,
		LogGroup:      log,
		LoggingFormat: awslambda.LoggingFormat_JSON,
	})
}

// Of lets the function's versions go by it, watched by these alarms.
func (r Rollout) Of(l Lambda, alarms ...interfacesawscloudwatch.IAlarmRef) {
	group := awscodedeploy.NewLambdaDeploymentGroup(l.Alias, jsii.String("Rollout"),
		&awscodedeploy.LambdaDeploymentGroupProps{
			Application: r.app, Role: r.role, Alias: l.Alias, Alarms: &alarms, IgnoreAlarmConfiguration: &r.ignore,
			DeploymentConfig: awscodedeploy.LambdaDeploymentConfig_CANARY_10PERCENT_15MINUTES(), PreHook: r.rehearsal,
		})
	r.rehearsal.AddToRolePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions:   jsii.Strings("codedeploy:ListDeploymentTargets", "codedeploy:BatchGetDeploymentTargets"),
		Resources: &[]*string{group.DeploymentGroupArn()},
	}))
	allow(r.role, "AwsSolutions-IAM5", "CDK lets CodeDeploy call the rehearsal by any of its versions.",
		"/^Resource::<RehearsalFunction.*>:\\*$/")
}

// failures are those of the version that the stack brings in, when they are too great a part of its calls, else 0. The
// alarm on them is of that version only: an older one's failures neither ring it nor stop the deployment of their mend.
func (m *Monitoring) failures(l Lambda) awscloudwatch.IMetric {
	version := l.Code.CurrentVersion().Version()
	counted := func(name string) awscloudwatch.IMetric {
		return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
			Namespace: jsii.String("AWS/Lambda"), MetricName: &name, Statistic: jsii.String("Sum"),
			Period: canaryWindow(), DimensionsMap: &map[string]*string{"FunctionName": l.Code.FunctionName(),
				"Resource": jsii.String(*l.Code.FunctionName() + ":live"), "ExecutedVersion": version},
		})
	}
	faults := awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: jsii.String(lambdahost.Namespace), MetricName: jsii.String(host.Faults),
		Statistic: jsii.String("Sum"), Period: canaryWindow(),
		DimensionsMap: &map[string]*string{lambdahost.InEnvironment: &m.environment, lambdahost.OfFunction: &l.Name,
			lambdahost.OfVersion: version},
	})
	const failed = "(FILL(errors, 0) + FILL(faults, 0))"
	return awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Label: jsii.String("failures of the new version"), Period: canaryWindow(),
		Expression: jsii.String(fmt.Sprintf("IF(%s * 100 >= FILL(calls, 0) * %d, %s, 0)",
			failed, lambdahost.CanaryPercent, failed)),
		UsingMetrics: &map[string]awscloudwatch.IMetric{
			"errors": counted("Errors"), "calls": counted("Invocations"), "faults": faults},
	})
}

func canaryWindow() awscdk.Duration { return duration(lambdahost.CanaryWindow) }
