package main

import (
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

// MachineProps are what NewMachine is told: what CDK asks of a function, except for what all machines share.
type MachineProps struct {
	awslambda.FunctionProps
	Program string // the folder of its bootstrap
}

// NewMachine makes the Lambda. Its role may write its log, and nothing else yet.
func NewMachine(scope constructs.Construct, id string, props *MachineProps) Machine {
	machine := Machine{Construct: constructs.NewConstruct(scope, &id)}
	machine.Role = awsiam.NewRole(machine.Construct, jsii.String("Role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
	})
	log := awslogs.NewLogGroup(machine.Construct, jsii.String("Log"), &awslogs.LogGroupProps{
		Retention: awslogs.RetentionDays_ONE_MONTH, RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
	grant(machine.Role, []string{"logs:CreateLogStream", "logs:PutLogEvents"}, log.LogGroupArn())
	p := props.FunctionProps
	p.Runtime, p.Architecture = awslambda.Runtime_PROVIDED_AL2023(), awslambda.Architecture_ARM_64()
	p.Code, p.Handler = awslambda.Code_FromAsset(&props.Program, nil), jsii.String("bootstrap")
	p.Role, p.LogGroup, p.LoggingFormat = machine.Role, log, awslambda.LoggingFormat_JSON
	machine.Code = awslambda.NewFunction(machine.Construct, jsii.String("Function"), &p)
	return machine
}
