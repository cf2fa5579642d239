package main

import (
	"fmt"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/host"
	"eshop/shared/host/lambda"
	"eshop/shared/ports/secret/kms"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
)

// actions are AWS's names for what a need stands for. They are what our implementations of tables, queues and keys
// call, and nothing else.
var actions = map[host.Action][]string{
	host.Read:  {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"},
	host.Write: {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"},
	host.Note:  {"dynamodb:UpdateItem"},
	host.Send:  {"sqs:SendMessage"},
	host.Seal:  {"kms:GenerateDataKey"},
	host.Open:  {"kms:Decrypt"},
}

// counterActions are the same for the counter table, which is written by single items.
var counterActions = map[host.Action][]string{
	host.Read:  {"dynamodb:GetItem", "dynamodb:BatchGetItem"},
	host.Write: {"dynamodb:UpdateItem"},
}

// fileActions are the same for the bucket. Reading takes listing, too: without it S3 answers 403, and not 404, for an
// object that is not there. Writing a long stream takes aborting it, too: all its other calls are PutObject's.
var fileActions = map[host.Action][]string{
	host.Read:  {"s3:GetObject", "s3:GetObjectVersion", "s3:ListBucket", "s3:ListBucketVersions"},
	host.Write: {"s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"},
}

// grantNeeds lets the function's own role do what the list says that the function needs. No function shares a role, so
// a fault in one cannot reach what only another needs.
func (x *Services) grantNeeds(lambda Lambda) {
	x.guard(lambda)
	for _, need := range lambda.Needs {
		for _, action := range need.Does {
			if action == host.Admit {
				continue // what guard leaves out
			}
			do := actions[action]
			switch need.Resource {
			case host.Counters:
				do = counterActions[action]
			case host.Files:
				do = fileActions[action]
			}
			on := x.resources(need, action)
			lambda.Role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
				Actions: jsii.Strings(do...), Resources: &on, Conditions: conditions(need)}))
			if need.Resource == host.Files {
				allow(lambda.Role, "AwsSolutions-IAM5", "Each object has a name of its own.",
					"/^Resource::.*Files.*\\/\\*$/")
			}
		}
	}
}

// guard denies the role to write guarded partitions that no need of the function names, whatever else lets it write. Of
// an item that it only notes it cannot set more: an update makes an item that is not there.
func (x *Services) guard(lambda Lambda) {
	var admits, notes, numbers []string
	for _, n := range lambda.Needs {
		switch {
		case slices.Contains(n.Does, host.Admit):
			admits = n.Keys
		case slices.Contains(n.Does, host.Note):
			notes = n.Keys
			for _, number := range n.Numbers {
				numbers = append(numbers, dynamo.NotingNames(number)...)
			}
		}
	}
	but := func(all, some []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(key string) bool { return slices.Contains(some, key) })
	}
	deny := func(keys []string, more map[string]any, do ...string) {
		if len(keys) == 0 {
			return
		}
		more["ForAnyValue:StringLike"] = map[string][]string{"dynamodb:LeadingKeys": keys}
		lambda.Role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{Effect: awsiam.Effect_DENY,
			Actions: jsii.Strings(do...), Resources: &[]*string{x.data.Tables[host.Main].TableArn()},
			Conditions: &more}))
	}
	guarded := but(host.Guarded, admits)
	if !slices.ContainsFunc(lambda.Needs, func(n host.Need) bool {
		return n.Resource == host.Main && n.Keys == nil && slices.Contains(n.Does, host.Write)
	}) {
		return // nothing lets it
	}
	deny(guarded, map[string]any{}, "dynamodb:PutItem", "dynamodb:DeleteItem")
	deny(but(guarded, notes), map[string]any{}, "dynamodb:UpdateItem")
	deny(but(notes, admits), map[string]any{"ForAnyValue:StringNotLike": map[string][]string{
		"dynamodb:Attributes": numbers}}, "dynamodb:UpdateItem")
}

// resources are the ARNs that an action touches. Reading a table touches its indexes, too.
func (x *Services) resources(need host.Need, a host.Action) []*string {
	resource := need.Resource
	if t, is := x.data.Tables[resource]; is {
		all := []*string{t.TableArn()}
		// An index is read only: DynamoDB writes to it by itself.
		if a == host.Read && resource != host.Counters {
			for _, i := range []store.Index{store.Index1, store.Index2} {
				all = append(all, jsii.String(*t.TableArn()+"/index/"+dynamo.IndexName(i)))
			}
		}
		return all
	}
	if q, is := x.data.Queues[resource]; is {
		return []*string{q.QueueArn()}
	}
	if resource == host.Files {
		all := []*string{x.data.Files.BucketArn()}
		for _, key := range need.Keys {
			all = append(all, x.data.Files.ArnForObjects(&key))
		}
		return all
	}
	if resource == host.Secrets || resource == host.Signing {
		return []*string{x.data.Key.KeyArn()}
	}
	panic(fmt.Sprintf("infra: no resource is called %q", resource))
}

// conditions bind a grant. Both uses of the one KMS key are told apart by the encryption context that
// shared/ports/secret/kms sends. Some functions write a few partitions of a table only: their keys are bound, too. An
// update makes an item that is not there, so of what is only noted the attributes are bound.
func conditions(n host.Need) *map[string]any {
	switch {
	case n.Resource == host.Secrets || n.Resource == host.Signing:
		return &map[string]any{"StringEquals": map[string]string{"kms:EncryptionContext:" +
			kms.Context: string(n.Resource)}}
	case n.Resource == host.Main && len(n.Keys) > 0:
		like := map[string][]string{"dynamodb:LeadingKeys": n.Keys}
		for _, number := range n.Numbers {
			like["dynamodb:Attributes"] = append(like["dynamodb:Attributes"], dynamo.NotingNames(number)...)
		}
		return &map[string]any{"ForAllValues:StringLike": like}
	}
	return nil
}

// grantUnheard lets Lambda put what the function has given up into the bucket, and nothing else there.
func (x *Services) grantUnheard(l Lambda) {
	files := x.data.Files
	grant(l.Role, []string{"s3:ListBucket"}, files.BucketArn())
	grant(l.Role, []string{"s3:PutObject"}, files.ArnForObjects(jsii.String(lambda.Unheard+"*")))
	allow(l.Role, "AwsSolutions-IAM5", "Lambda names these objects.", "/^Resource::.*Files.*\\/\\*$/")
}

// grant lets the role do these actions on these ARNs.
func grant(role awsiam.Role, do []string, on ...*string) {
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions: jsii.Strings(do...), Resources: &on,
	}))
}
