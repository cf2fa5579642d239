package engines

import (
	"fmt"

	lambda "github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"eshop/shared/store/dynamo"
)

// Changes is the filter of the batcher's mapping: only records whose new image carries a change pass.
func Changes(r lambda.DynamoDBEventRecord) bool {
	_, ok := r.Change.NewImage[dynamo.AttrChange]
	return ok
}

// record is a stream's record as Lambda hands it to a function.
func record(r streams.Record, arn string) lambda.DynamoDBEventRecord {
	out := lambda.DynamoDBEventRecord{
		AWSRegion: aws.ToString(r.AwsRegion), EventID: aws.ToString(r.EventID), EventName: string(r.EventName),
		EventSource: "aws:dynamodb", EventVersion: aws.ToString(r.EventVersion), EventSourceArn: arn,
		Change: lambda.DynamoDBStreamRecord{
			Keys: values(r.Dynamodb.Keys), NewImage: values(r.Dynamodb.NewImage), OldImage: values(r.Dynamodb.OldImage),
			SequenceNumber: aws.ToString(r.Dynamodb.SequenceNumber), SizeBytes: aws.ToInt64(r.Dynamodb.SizeBytes),
			StreamViewType: string(r.Dynamodb.StreamViewType),
			ApproximateCreationDateTime: lambda.SecondsEpochTime{
				Time: aws.ToTime(r.Dynamodb.ApproximateCreationDateTime)},
		},
	}
	if u := r.UserIdentity; u != nil {
		out.UserIdentity = &lambda.DynamoDBUserIdentity{Type: aws.ToString(u.Type),
			PrincipalID: aws.ToString(u.PrincipalId)}
	}
	return out
}

// values are a stream's attributes as Lambda's event has them.
func values(m map[string]streams.AttributeValue) map[string]lambda.DynamoDBAttributeValue {
	if m == nil {
		return nil
	}
	out := make(map[string]lambda.DynamoDBAttributeValue, len(m))
	for name, v := range m {
		out[name] = value(v)
	}
	return out
}

// value is one attribute. The two libraries have types of their own for the same thing.
func value(v streams.AttributeValue) lambda.DynamoDBAttributeValue {
	switch v := v.(type) {
	case *streams.AttributeValueMemberS:
		return lambda.NewStringAttribute(v.Value)
	case *streams.AttributeValueMemberN:
		return lambda.NewNumberAttribute(v.Value)
	case *streams.AttributeValueMemberB:
		return lambda.NewBinaryAttribute(v.Value)
	case *streams.AttributeValueMemberBOOL:
		return lambda.NewBooleanAttribute(v.Value)
	case *streams.AttributeValueMemberNULL:
		return lambda.NewNullAttribute()
	case *streams.AttributeValueMemberSS:
		return lambda.NewStringSetAttribute(v.Value)
	case *streams.AttributeValueMemberNS:
		return lambda.NewNumberSetAttribute(v.Value)
	case *streams.AttributeValueMemberBS:
		return lambda.NewBinarySetAttribute(v.Value)
	case *streams.AttributeValueMemberM:
		return lambda.NewMapAttribute(values(v.Value))
	case *streams.AttributeValueMemberL:
		all := make([]lambda.DynamoDBAttributeValue, len(v.Value))
		for i, e := range v.Value {
			all[i] = value(e)
		}
		return lambda.NewListAttribute(all)
	}
	panic(fmt.Sprintf("engines: an attribute of an unknown type %T", v))
}
