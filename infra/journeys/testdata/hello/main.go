// Command hello is the least that a function in Lambda can be which asks its store twice: what ours are measured
// against.
package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"eshop/shared/ports/awsconf"
)

func main() {
	cfg, err := awsconf.Load(os.Getenv)
	if err != nil {
		panic(err)
	}
	db, table := dynamodb.NewFromConfig(cfg), os.Getenv("MAIN_TABLE")
	key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "HELLO"},
		"sk": &types.AttributeValueMemberS{Value: "A"}}
	lambda.Start(func(ctx context.Context, _ json.RawMessage) (string, error) {
		for range 2 {
			if _, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: key}); err != nil {
				return "", err
			}
		}
		return "hello", nil
	})
}
