package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/host"
	"eshop/shared/ports/store/dynamo"
)

// trigger connects the function with what calls it, if that is not the gateway: the table's stream, queues, files, or a
// clock. A tick that fails is not tried again, because the next one does its work.
func (x *Services) trigger(lambda Lambda) {
	switch {
	case lambda.Feed != nil:
		x.followStream(lambda)
	case lambda.Messages != nil:
		for _, q := range lambda.Messages.From {
			x.receiveQueue(lambda, q)
		}
	case lambda.Upload != nil:
		x.uploads(lambda)
	case lambda.Tick != nil:
		lambda.Alias.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
			// a minute is Lambda's least
			RetryAttempts: jsii.Number(0), MaxEventAge: duration(max(lambda.Tick.Every, time.Minute))})
		awsevents.NewRule(lambda.Code, jsii.String("Clock"), &awsevents.RuleProps{
			Description: jsii.String(lambda.Doc), Enabled: jsii.Bool(!x.settings.Closed),
			Schedule: awsevents.Schedule_Rate(duration(lambda.Tick.Every)),
			Targets: &[]awsevents.IRuleTarget{awseventstargets.NewLambdaFunction(lambda.Alias,
				&awseventstargets.LambdaFunctionProps{
					// the next tick does what this one could not
					RetryAttempts: jsii.Number(0), MaxEventAge: duration(lambda.Tick.Every),
				})},
		})
	}
}

// uploads calls the function for each object that is put below its prefix. EventBridge hands the call to Lambda, and
// retries that only; Lambda tries a call that fails twice more, within the hour. After that the sweeper takes the
// work up again.
func (x *Services) uploads(lambda Lambda) {
	lambda.Alias.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
		RetryAttempts: jsii.Number(2), MaxEventAge: duration(time.Hour)})
	awsevents.NewRule(lambda.Code, jsii.String("Put"), &awsevents.RuleProps{
		Description: jsii.String(lambda.Doc), Enabled: jsii.Bool(!x.settings.Closed),
		EventPattern: &awsevents.EventPattern{
			Source: jsii.Strings("aws.s3"), DetailType: jsii.Strings("Object Created"),
			Detail: &map[string]any{
				"bucket": map[string]any{"name": []any{x.data.Files.BucketName()}},
				"object": map[string]any{"key": []any{map[string]any{"prefix": lambda.Upload.Prefix}}},
			},
		},
		Targets: &[]awsevents.IRuleTarget{awseventstargets.NewLambdaFunction(lambda.Alias,
			&awseventstargets.LambdaFunctionProps{})},
	})
}

// followStream hands the function the records of the main table's stream whose new image has a change. A batch that
// fails is cut in two until the failing record is alone. After the feed's tries Lambda puts the call's whole event into
// the bucket, as the function's role, and goes on. Its default is to try for ever, which would stop the shard.
func (x *Services) followStream(lambda Lambda) {
	stream := x.data.Tables[host.Main].TableStreamArn()
	grant(lambda.Role, []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"}, stream)
	all := jsii.String(*x.data.Tables[host.Main].TableArn() + "/stream/*")
	grant(lambda.Role, []string{"dynamodb:ListStreams"}, all)
	allow(lambda.Role, "AwsSolutions-IAM5",
		"ListStreams is of a table's streams, whose names are the times of their making.",
		"/^Resource::.*/stream/\\*$/")
	filter := map[string]any{"dynamodb": map[string]any{"NewImage": map[string]any{
		dynamo.AttrChange: map[string]any{"S": []any{map[string]any{"exists": true}}},
	}}}
	x.grantUnheard(lambda)
	mapping := awslambda.NewEventSourceMapping(lambda.Code, jsii.String("Stream"), &awslambda.EventSourceMappingProps{
		Enabled: jsii.Bool(!x.settings.Closed),
		Target:  lambda.Alias, EventSourceArn: stream, StartingPosition: awslambda.StartingPosition_TRIM_HORIZON,
		BatchSize: jsii.Number(lambda.Feed.Batch), MaxBatchingWindow: duration(lambda.Feed.Window),
		ParallelizationFactor: jsii.Number(lambda.Feed.Parallel),
		BisectBatchOnError:    jsii.Bool(true), ReportBatchItemFailures: jsii.Bool(true),
		RetryAttempts: jsii.Number(lambda.Feed.Retries), MaxRecordAge: duration(lambda.Feed.MaxAge),
		Filters: &[]*map[string]any{awslambda.FilterCriteria_Filter(&filter)},
		// how many records were given up
		MetricsConfig: &awslambda.MetricsConfig{Metrics: &[]awslambda.MetricType{awslambda.MetricType_EVENT_COUNT}},
	})
	// CDK's own destination grants more: each object of the bucket, and actions that Lambda does not call.
	mapping.Node().DefaultChild().(awslambda.CfnEventSourceMapping).SetDestinationConfig(
		&awslambda.CfnEventSourceMapping_DestinationConfigProperty{
			OnFailure: &awslambda.CfnEventSourceMapping_OnFailureProperty{Destination: x.data.Files.BucketArn()}})
	x.Streams[lambda.Name] = mapping
}

// receiveQueue hands the function the messages of a queue. Only those that failed stay in the queue.
func (x *Services) receiveQueue(l Lambda, from host.Queue) {
	q := x.data.Queues[from.Resource]
	grant(l.Role, []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}, q.QueueArn())
	awslambda.NewEventSourceMapping(l.Code, jsii.String(title(string(from.Resource))),
		&awslambda.EventSourceMappingProps{
			Enabled: jsii.Bool(!x.settings.Closed),
			Target:  l.Alias, EventSourceArn: q.QueueArn(),
			BatchSize: jsii.Number(from.Batch), MaxBatchingWindow: duration(from.Window),
			ReportBatchItemFailures: jsii.Bool(true), MaxConcurrency: jsii.Number(from.Parallel),
		})
}
