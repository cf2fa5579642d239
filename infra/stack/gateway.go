package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2integrations"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// openRoutes is the reason why routes have no authorizer: shared/api checks tokens and answers 401, and pages have
// none.
const openRoutes = "Tokens are the frame's to judge: it answers 401 as the contract has it, and pages have none."

// The most requests a second, and at once, that the gateway lets in. It is half of what AWS lets an account have, so
// that another environment of the account always keeps the other half.
const (
	rate  = 5000
	burst = 2500
)

// Gateway is the HTTP API in front of all functions with operations.
type Gateway struct {
	constructs.Construct
	API     awsapigatewayv2.HttpApi
	Stage   awsapigatewayv2.HttpStage
	Address *string // API Gateway's own; behind a domain functions answer there only what came through the edge
	Base    *string // the API's address for everybody
}

// accessLog is a line of the gateway's own log. What the gateway refuses itself is found nowhere else.
const accessLog = `{"requestId":"$context.requestId","ip":"$context.identity.sourceIp",` +
	`"time":"$context.requestTimeEpoch","route":"$context.routeKey","status":"$context.status",` +
	`"took":"$context.responseLatency","error":"$context.error.messageString",` +
	`"integration":"$context.integrationErrorMessage"}`

// NewGateway makes the API with its one stage; AddRoutes adds the routes. It has no names: behind a domain the edge
// asks at its own address.
//
// CDK leaves a construct of the id Default out of logical ids, so what is in it has those that it had before there was
// a construct: with others the API would get another address.
func NewGateway(stack awscdk.Stack, settings Settings) Gateway {
	this, name := constructs.NewConstruct(stack, jsii.String("Default")), *stack.StackName()
	gateway := Gateway{Construct: this}
	gateway.API = awsapigatewayv2.NewHttpApi(this, jsii.String("Door"), &awsapigatewayv2.HttpApiProps{
		ApiName: &name, CreateDefaultStage: jsii.Bool(false),
	})
	most := awsapigatewayv2.ThrottleSettings{RateLimit: jsii.Number(rate), BurstLimit: jsii.Number(burst)}
	if settings.Closed { // everybody is answered 429
		most = awsapigatewayv2.ThrottleSettings{RateLimit: jsii.Number(0), BurstLimit: jsii.Number(0)}
	}
	gateway.Stage = awsapigatewayv2.NewHttpStage(this, jsii.String("Stage"), &awsapigatewayv2.HttpStageProps{
		HttpApi: gateway.API, StageName: jsii.String("$default"), AutoDeploy: jsii.Bool(true),
		Throttle: &most,
	})
	log := awslogs.NewLogGroup(this, jsii.String("DoorLog"), &awslogs.LogGroupProps{
		// API Gateway adds a line for each other log to one policy of the region, which holds 5,120 characters
		LogGroupName: jsii.String("/aws/vendedlogs/" + name + "-Door"),
		Retention:    awslogs.RetentionDays_ONE_MONTH, RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
	resource := gateway.Stage.Node().DefaultChild().(awsapigatewayv2.CfnStage)
	resource.SetAccessLogSettings(&awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
		DestinationArn: log.LogGroupArn(), Format: jsii.String(accessLog),
	})
	gateway.Address = gateway.API.Node().DefaultChild().(awsapigatewayv2.CfnApi).AttrApiEndpoint()
	gateway.Base = gateway.Address
	if settings.Domain != "" {
		gateway.Base = jsii.String("https://api." + settings.Domain)
		awscdk.NewCfnOutput(this, jsii.String("Origin"), &awscdk.CfnOutputProps{
			Value:       awscdk.Fn_Select(jsii.Number(2), awscdk.Fn_Split(jsii.String("/"), gateway.Address, nil)),
			Description: jsii.String("The host of the gateway's own address, where the edge asks")})
	}
	awscdk.NewCfnOutput(this, jsii.String("BaseURL"), &awscdk.CfnOutputProps{Value: gateway.Base})
	return gateway
}

// AddRoutes leads to the function whatever comes to its routes and below, by any method. 404 and 405 are for the
// function's frame to answer, in the contract's form.
func (g Gateway) AddRoutes(lambda Lambda) {
	if lambda.HTTP == nil {
		return
	}
	to := awsapigatewayv2integrations.NewHttpLambdaIntegration(jsii.String(title(lambda.Name)), lambda.Alias,
		&awsapigatewayv2integrations.HttpLambdaIntegrationProps{
			PayloadFormatVersion: awsapigatewayv2.PayloadFormatVersion_VERSION_2_0(),
			// One permission of the function for the whole API, instead of one for each route.
			ScopePermissionToRoute: jsii.Bool(false),
		})
	for _, path := range paths(lambda) {
		routes := *g.API.AddRoutes(&awsapigatewayv2.AddRoutesOptions{
			Path: &path, Methods: &[]awsapigatewayv2.HttpMethod{awsapigatewayv2.HttpMethod_ANY}, Integration: to,
		})
		allow(routes[0], "AwsSolutions-APIG4", openRoutes)
	}
	if lambda.CatchAll {
		rest := awsapigatewayv2.NewHttpRoute(g.Construct, jsii.String("EverythingElse"),
			&awsapigatewayv2.HttpRouteProps{
				HttpApi: g.API, RouteKey: awsapigatewayv2.HttpRouteKey_DEFAULT(), Integration: to,
			})
		allow(rest, "AwsSolutions-APIG4", openRoutes)
	}
}

// paths are a function's paths: each route itself and everything below it. The route "/" stands for that path alone.
func paths(l Lambda) []string {
	var all []string
	for _, r := range l.Routes() {
		all = append(all, r)
		// Below "/" is everything: that is the catch-all's.
		if r != "/" {
			all = append(all, r+"/{proxy+}")
		}
	}
	return all
}
