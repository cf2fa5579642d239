package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscodedeploy"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"
)

// Rollout brings new versions of functions into use: each has a tenth of its function's calls for five minutes, then
// all of them, and none any more when one of the function's alarms rings meanwhile.
type Rollout struct {
	app  awscodedeploy.LambdaApplication
	role awsiam.Role
}

// NewRollout makes what all functions' rollouts share.
func NewRollout(stack awscdk.Stack) Rollout {
	role := awsiam.NewRole(stack, jsii.String("RolloutRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("codedeploy.amazonaws.com"), nil),
	})
	allow(role, "AwsSolutions-IAM4", "What CodeDeploy asks of Lambda and CloudWatch is CodeDeploy's to say; "+
		"this is the narrower of its two policies.", "")
	return Rollout{role: role, app: awscodedeploy.NewLambdaApplication(stack, jsii.String("Rollout"), nil)}
}

// Of lets the function's versions go by it, watched by these alarms.
func (r Rollout) Of(l Lambda, alarms ...interfacesawscloudwatch.IAlarmRef) {
	awscodedeploy.NewLambdaDeploymentGroup(l.Alias, jsii.String("Rollout"), &awscodedeploy.LambdaDeploymentGroupProps{
		Application: r.app, Role: r.role, Alias: l.Alias, Alarms: &alarms,
		DeploymentConfig: awscodedeploy.LambdaDeploymentConfig_CANARY_10PERCENT_5MINUTES(),
	})
}
