package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/host"
	"eshop/shared/host/lambda"
	"eshop/shared/job/exports"
	"eshop/shared/job/imports"
	limits "eshop/shared/ports/limit/dynamo"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
)

// Data is the stack of everything that holds state. Nothing in it is deleted with the stack.
type Data struct {
	Stack  awscdk.Stack
	Tables map[host.Resource]awsdynamodb.ITableV2 // those behind the functions
	Queues map[host.Resource]awssqs.Queue
	Dead   map[host.Resource]awssqs.Queue // the dead letters of each queue
	Key    awskms.IKey
	Files  awss3.Bucket
}

// NewData makes the stack: three tables, a queue and its dead letters for each queue of the list, the key, and the
// bucket of files.
func NewData(app awscdk.App, list []host.Function, settings Settings) *Data {
	stack := newStack(app, settings, "-Data", "The e-shop platform's data: tables, queues, files, key",
		awscdk.StackProps{TerminationProtection: jsii.Bool(true)})
	data := &Data{Stack: stack, Queues: map[host.Resource]awssqs.Queue{}, Dead: map[host.Resource]awssqs.Queue{}}
	data.Tables = map[host.Resource]awsdynamodb.ITableV2{
		// Nobody reads the old images, but a table with replicas has to have them, and no stream can be changed.
		host.Main:     table(stack, "Main", awsdynamodb.StreamViewType_NEW_AND_OLD_IMAGES),
		host.Pipeline: table(stack, "Pipeline", ""),
		host.Counters: counterTable(stack),
	}
	if settings.SecondRegion != "" {
		replicate(data.Tables[host.Main], settings)
	}
	// Before anything refers to a table, so that grants and triggers get the restored one.
	data.useRestored(settings)
	for _, q := range host.QueuesOf(list) {
		r := q.Resource
		data.Dead[r] = deadLetters(stack, title(string(r))+"Dead")
		data.Queues[r] = messageQueue(stack, q, data.Dead[r])
	}
	data.Key = secretsKey(stack, settings)
	data.Files = files(stack, list)
	return data
}

// useRestored puts restored tables behind the functions, if the settings name some. The stack and its own tables stay
// as they are. What the other stack imports is exported in both cases, so a deployment can go over to the restored
// tables, and back.
func (d *Data) useRestored(s Settings) {
	// in one order: a template is the same each time
	for _, r := range []host.Resource{host.Main, host.Pipeline, host.Counters} {
		t := d.Tables[r]
		d.Stack.ExportValue(t.TableName(), nil)
		d.Stack.ExportValue(t.TableArn(), nil)
	}
	d.Stack.ExportValue(d.Tables[host.Main].TableStreamArn(), nil)
	if s.MainStream == "" {
		return
	}
	named := func(id, name string, stream *string) awsdynamodb.ITableV2 {
		return awsdynamodb.TableV2_FromTableAttributes(d.Stack, &id,
			&awsdynamodb.TableAttributesV2{TableName: &name, TableStreamArn: stream})
	}
	d.Tables[host.Main] = named("RestoredMain", streams.FindStringSubmatch(s.MainStream)[1], &s.MainStream)
	// The counters are not restored: they count for an hour and a day, and begin anew by themselves. So does the
	// pipeline in a second place.
	if s.PipelineTable != "" {
		d.Tables[host.Pipeline] = named("RestoredPipeline", s.PipelineTable, nil)
	}
}

// secretsKey makes the key, and returns the one that stands behind the functions: the settings may name another one,
// which opens what is in restored tables.
func secretsKey(stack awscdk.Stack, settings Settings) awskms.IKey {
	key := awskms.NewKey(stack, jsii.String("Secrets"), &awskms.KeyProps{
		Description: jsii.String("Seals signing keys and the platform's own secret"),
		// Rotation makes new key material. KMS keeps the old, so what was sealed before still opens.
		EnableKeyRotation: jsii.Bool(true), RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
		// It can have a replica in a second place, for the same price. No key can be changed into such a one later.
		MultiRegion: jsii.Bool(true),
	})
	stack.ExportValue(key.KeyArn(), nil) // in both cases, as the tables
	if settings.SecretsKey == "" {
		return key
	}
	return awskms.Key_FromKeyArn(stack, jsii.String("RestoredSecrets"), &settings.SecretsKey)
}

// table is a table as shared/ports/store/dynamo expects it.
func table(stack awscdk.Stack, name string, stream awsdynamodb.StreamViewType) awsdynamodb.ITableV2 {
	props := tableProps(dynamo.AttrExpires)
	props.DynamoStream = stream
	props.PartitionKey, props.SortKey = keys(store.Primary)
	var all []*awsdynamodb.GlobalSecondaryIndexPropsV2
	for _, i := range []store.Index{store.Index1, store.Index2} {
		g := awsdynamodb.GlobalSecondaryIndexPropsV2{
			IndexName: jsii.String(dynamo.IndexName(i)), ProjectionType: awsdynamodb.ProjectionType_INCLUDE,
			NonKeyAttributes: jsii.Strings(dynamo.AttrParts),
		}
		g.PartitionKey, g.SortKey = keys(i)
		all = append(all, &g)
	}
	props.GlobalSecondaryIndexes = &all
	return awsdynamodb.NewTableV2(stack, &name, props)
}

// replicate gives a table a replica in the second region, which DynamoDB keeps some seconds behind. CDK's own way there
// wants a stack that names its region.
func replicate(t awsdynamodb.ITableV2, s Settings) {
	resourceOf(t).AddPropertyOverride(jsii.String("Replicas.1"), map[string]any{"Region": s.SecondRegion,
		"DeletionProtectionEnabled": true, "Tags": []any{map[string]any{"Key": "environment", "Value": s.Environment}},
		"PointInTimeRecoverySpecification": map[string]any{"PointInTimeRecoveryEnabled": true}})
}

// counterTable is the table as shared/ports/limit/dynamo expects it. Its counts end within a day and begin anew by
// themselves, so it is neither restorable nor protected.
func counterTable(stack awscdk.Stack) awsdynamodb.ITableV2 {
	p := tableProps(limits.Expires)
	p.PointInTimeRecoverySpecification, p.DeletionProtection = nil, nil
	p.PartitionKey = &awsdynamodb.Attribute{Name: jsii.String(limits.Key), Type: awsdynamodb.AttributeType_STRING}
	return awsdynamodb.NewTableV2(stack, jsii.String("Counters"), p)
}

// tableProps is what all tables have: paid by request, restorable to any second of the last 35 days, protected from
// deletion. expires is the attribute by which DynamoDB deletes items.
func tableProps(expires string) *awsdynamodb.TablePropsV2 {
	recovery := &awsdynamodb.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: jsii.Bool(true)}
	return &awsdynamodb.TablePropsV2{
		Billing:                          awsdynamodb.Billing_OnDemand(nil),
		PointInTimeRecoverySpecification: recovery,
		DeletionProtection:               jsii.Bool(true),
		RemovalPolicy:                    awscdk.RemovalPolicy_RETAIN,
		TimeToLiveAttribute:              &expires,
	}
}

// keys are the attributes of the keys of the table or an index.
func keys(i store.Index) (partition, sort *awsdynamodb.Attribute) {
	pk, sk := dynamo.KeyNames(i)
	return &awsdynamodb.Attribute{Name: &pk, Type: awsdynamodb.AttributeType_STRING},
		&awsdynamodb.Attribute{Name: &sk, Type: awsdynamodb.AttributeType_STRING}
}

// How long queues keep messages.
const (
	messageLife    = 4 * 24 * time.Hour  // SQS's default: the sweeper rings again for delivery rows whose bell is lost
	deadLetterLife = 14 * 24 * time.Hour // as long as SQS keeps anything
)

// messageQueue is a queue with the same settings as in the one process.
func messageQueue(stack awscdk.Stack, q host.Queue, dead awssqs.Queue) awssqs.Queue {
	return awssqs.NewQueue(stack, jsii.String(title(string(q.Resource))), &awssqs.QueueProps{
		VisibilityTimeout: duration(q.Visibility),
		RetentionPeriod:   duration(messageLife),
		Encryption:        awssqs.QueueEncryption_SQS_MANAGED,
		EnforceSSL:        jsii.Bool(true),
		DeadLetterQueue:   &awssqs.DeadLetterQueue{Queue: dead, MaxReceiveCount: jsii.Number(q.MaxReceives)},
		RemovalPolicy:     awscdk.RemovalPolicy_RETAIN,
	})
}

// deadLetters is a queue of what nobody could handle.
func deadLetters(stack awscdk.Stack, name string) awssqs.Queue {
	q := awssqs.NewQueue(stack, &name, &awssqs.QueueProps{
		RetentionPeriod: duration(deadLetterLife), Encryption: awssqs.QueueEncryption_SQS_MANAGED,
		EnforceSSL: jsii.Bool(true), RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
	})
	allow(q, "AwsSolutions-SQS3", "This is a dead-letter queue itself; its alarm rings at the first message.")
	return q
}

// How long files stay that their function has not deleted, and changes that a function has given up.
const (
	uploadLife  = 30 * 24 * time.Hour
	unheardLife = 30 * 24 * time.Hour
)

// files is the bucket of uploaded files, images, and what functions have given up. It keeps versions for 30 days,
// because an import is of the first file that was put at its address, whatever is put there later. Only the platform
// may read it, over TLS.
func files(stack awscdk.Stack, list []host.Function) awss3.Bucket {
	rules := []*awss3.LifecycleRule{{
		// Parts of an upload that was never finished are in no listing, and cost nevertheless.
		AbortIncompleteMultipartUploadAfter: duration(24 * time.Hour),
		NoncurrentVersionExpiration:         duration(30 * 24 * time.Hour),
		// What stands for a deleted file goes with the last version behind it.
		ExpiredObjectDeleteMarker: jsii.Bool(true),
	}}
	for _, f := range list {
		if f.Upload != nil {
			rules = append(rules, &awss3.LifecycleRule{Prefix: &f.Upload.Prefix, Expiration: duration(uploadLife)})
		}
	}
	for _, short := range []struct {
		prefix string
		life   time.Duration
	}{{imports.Drafts, imports.DraftLife}, {exports.Files, exports.FileLife}, {lambda.Unheard, unheardLife}} {
		rules = append(rules, &awss3.LifecycleRule{Prefix: &short.prefix, Expiration: duration(short.life),
			// A version behind it would keep the bytes for the month of all others.
			NoncurrentVersionExpiration: duration(short.life)})
	}
	bucket := awss3.NewBucket(stack, jsii.String("Files"), &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		EnforceSSL:        jsii.Bool(true),
		MinimumTLSVersion: jsii.Number(1.2),
		Versioned:         jsii.Bool(true),
		RemovalPolicy:     awscdk.RemovalPolicy_RETAIN,
		LifecycleRules:    &rules,
	})
	// This is set on the resource itself. CDK's own switch for EventBridge makes a Lambda of CDK's, which we would have
	// to trust with the bucket.
	resource := bucket.Node().DefaultChild().(awss3.CfnBucket)
	resource.SetNotificationConfiguration(&awss3.CfnBucket_NotificationConfigurationProperty{
		EventBridgeConfiguration: &awss3.CfnBucket_EventBridgeConfigurationProperty{
			EventBridgeEnabled: jsii.Bool(true)},
	})
	allow(bucket, "AwsSolutions-S1", "Our functions read and write it, and partners PUT one file each to an address "+
		"that a function has signed for them: whom it was for is in the import's record. Access logs would add a "+
		"write to each.")
	return bucket
}
