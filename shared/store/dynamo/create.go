package dynamo

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"eshop/shared/store"
)

// Create makes a table as New expects it, with its indexes, expiry and, when stream is set, a stream of new images, and
// returns when it can be used. Tests make theirs with it; those of an account are the CDK stack's.
func Create(ctx context.Context, cfg aws.Config, name string, stream bool) (*Table, error) {
	t := New(cfg, name)
	in := &dynamodb.CreateTableInput{
		TableName:            &name,
		BillingMode:          types.BillingModePayPerRequest,
		KeySchema:            schema(store.Primary),
		AttributeDefinitions: definitions(),
	}
	for _, i := range []store.Index{store.Index1, store.Index2} {
		// An index holds the keys and the number of parts only: small entries are cheap to write, and readers get the
		// items themselves consistently from the table.
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(IndexName(i)),
			KeySchema: schema(i),
			Projection: &types.Projection{
				ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{AttrParts},
			},
		})
	}
	if stream {
		in.StreamSpecification = &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage,
		}
	}
	if _, err := t.client.CreateTable(ctx, in); err != nil {
		return nil, err
	}
	// The waiter's own delays are for AWS, where a table takes seconds; a local engine has it at once.
	made := dynamodb.NewTableExistsWaiter(t.client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, time.Second
	})
	if err := made.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, time.Minute); err != nil {
		return nil, err
	}
	_, err := t.client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(AttrExpires), Enabled: aws.Bool(true),
		},
	})
	return t, err
}

// Drop deletes the table.
func (t *Table) Drop(ctx context.Context) error {
	_, err := t.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &t.name})
	var gone *types.ResourceNotFoundException
	if errors.As(err, &gone) {
		return nil
	}
	return err
}

// schema is the key of the table or of an index.
func schema(i store.Index) []types.KeySchemaElement {
	pk, sk := KeyNames(i)
	return []types.KeySchemaElement{
		{AttributeName: &pk, KeyType: types.KeyTypeHash}, {AttributeName: &sk, KeyType: types.KeyTypeRange},
	}
}

// definitions are the attributes that keys are made of.
func definitions() []types.AttributeDefinition {
	var all []types.AttributeDefinition
	for _, i := range []store.Index{store.Primary, store.Index1, store.Index2} {
		for _, k := range schema(i) {
			all = append(all, types.AttributeDefinition{AttributeName: k.AttributeName,
				AttributeType: types.ScalarAttributeTypeS})
		}
	}
	return all
}
