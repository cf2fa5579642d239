package main

import (
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// Machine is a Lambda with a role and a log of its own.
type Machine struct {
	constructs.Construct
	Role awsiam.Role
	Code awslambda.Function
}

// newMachine makes the Lambda of a program. props have what this one does not share with the others. Its role may write
// its log, and nothing else yet.
func (x *Services) newMachine(program string, props awslambda.FunctionProps) Machine {
	machine := Machine{Construct: constructs.NewConstruct(x.Stack, jsii.String(title(program)))}
	machine.Role = awsiam.NewRole(machine.Construct, jsii.String("Role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
	})
	log := awslogs.NewLogGroup(machine.Construct, jsii.String("Log"), &awslogs.LogGroupProps{
		Retention: awslogs.RetentionDays_ONE_MONTH, RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
	grant(machine.Role, []string{"logs:CreateLogStream", "logs:PutLogEvents"}, log.LogGroupArn())
	props.Runtime, props.Architecture = awslambda.Runtime_PROVIDED_AL2023(), awslambda.Architecture_ARM_64()
	props.Code = awslambda.Code_FromAsset(jsii.String(filepath.Join(x.programs, program)), nil)
	props.Handler = jsii.String("bootstrap")
	props.Role, props.LogGroup, props.LoggingFormat = machine.Role, log, awslambda.LoggingFormat_JSON
	machine.Code = awslambda.NewFunction(machine.Construct, jsii.String("Function"), &props)
	return machine
}
