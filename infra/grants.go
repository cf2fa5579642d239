package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/host"
	"eshop/shared/store"
	"eshop/shared/store/dynamo"
)

// actions are what a need stands for in AWS: what the implementations of tables, queues and keys call, and nothing
// else.
var actions = map[host.Action][]string{
	host.Read:  {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"},
	host.Write: {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"},
	host.Send:  {"sqs:SendMessage"},
	host.Seal:  {"kms:GenerateDataKey"},
	host.Open:  {"kms:Decrypt"},
}

// counting is the same of the counter table, which has one item for a day.
var counting = map[host.Action][]string{host.Read: {"dynamodb:GetItem"}, host.Write: {"dynamodb:UpdateItem"}}

// filing is the same of the bucket: who may not list it is told 403 of what is not there.
var filing = map[host.Action][]string{
	host.Read:  {"s3:GetObject", "s3:GetObjectVersion", "s3:ListBucket", "s3:ListBucketVersions"},
	host.Write: {"s3:PutObject", "s3:DeleteObject"},
}

// role is the function's own, with what the list says that it needs.
func (x *Services) role(scope constructs.Construct, f host.Function) awsiam.Role {
	role := awsiam.NewRole(scope, jsii.String("Role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
	})
	for _, n := range f.Needs {
		for _, a := range n.Does {
			do := actions[a]
			switch n.Resource {
			case host.Counters:
				do = counting[a]
			case host.Files:
				do = filing[a]
			}
			grant(role, do, x.resources(n.Resource, a)...)
			if n.Resource == host.Files {
				allow(role, "AwsSolutions-IAM5", "Objects have names of their own; the bucket holds nothing else.",
					"/^Resource::.*Files.*\\/\\*$/")
			}
		}
	}
	return role
}

// resources are what an action on a resource touches: reading a table, its indexes too.
func (x *Services) resources(r host.Resource, a host.Action) []*string {
	if t, is := x.data.Tables[r]; is {
		all := []*string{t.TableArn()}
		if a == host.Read && r != host.Counters {
			for _, i := range []store.Index{store.Index1, store.Index2} {
				all = append(all, jsii.String(*t.TableArn()+"/index/"+dynamo.IndexName(i)))
			}
		}
		return all
	}
	if q, is := x.data.Queues[r]; is {
		return []*string{q.QueueArn()}
	}
	if r == host.Files {
		return []*string{x.data.Files.BucketArn(), x.data.Files.ArnForObjects(jsii.String("*"))}
	}
	if r == host.Secrets {
		return []*string{x.data.Key.KeyArn()}
	}
	panic(fmt.Sprintf("infra: no resource is called %q", r))
}

func grant(role awsiam.Role, do []string, on ...*string) {
	role.AddToPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{Actions: jsii.Strings(do...), Resources: &on}))
}
